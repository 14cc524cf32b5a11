//! Schema `fencewright.cycles/1`: delays on critical cycles, and fences that order them.

use std::collections::BTreeMap;

use axiomatic::Does;
use cycles::answer::{ShownAccess, ShownDelay, ShownLeft, ShownVisit};
use cycles::{NoFence, OutOfTime, Policy, Reference, Strength};
use events::Side;
use program::{EdgeId, Sources, Span};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::cycles::{Audit, Confirmed, ConfirmedPair, Judgement, NoAudit, Proof};
use workspace::{Conclusion, CyclesAnswer};

use super::fence::{FileEdit, file_edits};
use super::outcomes::{Graph, graph};
use super::suppressed::Suppressed;
use super::{Head, Region, line, noted};
use crate::confirmed_text::word;
use crate::cycles_text::{communication, kind, letter};

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    #[schemars(extend("enum" = ["robustness"]))]
    criterion: &'static str,
    /// The architecture.
    arch: &'static str,
    /// What it is compared with, if not with SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'static str>,
    #[schemars(extend("enum" = ["static"]))]
    method: &'static str,
    #[schemars(extend("enum" = ["holds", "repaired", "violated", "undecided"]))]
    verdict: &'static str,
    /// Lines of code.
    lines: usize,
    /// Shared accesses.
    events: usize,
    /// Kinds of threads.
    threads: usize,
    /// Whether the event graph is that of a closed program.
    exact: bool,
    /// Pairs of accesses on critical cycles that the architecture may reorder.
    delays: usize,
    /// Some of them, each with a cycle.
    shown: Vec<Delay<'a>>,
    full_fence_in_one_of: Vec<Vec<Delay<'a>>>,
    /// The fences and orders against them.
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<Repair<'a>>,
    /// With `--minimise-existing`: what is needed of fences and orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Audited<'a>>,
    /// What simpler policies of placing fences would cost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    policies: Vec<Policies>,
    /// With `--cycles`: critical cycles.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<Cycles<'a>>,
    /// What the enumerator says of the delays, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    enumerated: Option<Enumerated>,
    /// The candidate executions of the repaired program that prove it.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<u64>,
    /// For ports: what it would be to make every shared access `seq_cst`.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq_cst_everywhere: Option<Everywhere>,
    /// The file that was written, or its folder.
    written: Option<&'a str>,
    /// What changes in the texts, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    edits: Option<Vec<FileEdit<'a>>>,
    /// What comments in the source accept of the delays.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Suppressed>,
    seconds: f64,
}

#[derive(Serialize, JsonSchema)]
struct Everywhere {
    /// How many accesses in the texts.
    accesses: usize,
    cost: u64,
}

#[derive(Serialize, JsonSchema)]
struct Enumerated {
    /// How many pairs of instructions are static delays of the closed program.
    #[serde(rename = "static")]
    delays: usize,
    confirmed: usize,
    refuted: usize,
    undecided: usize,
    /// Why not everything is known.
    reason: Option<String>,
    executions: u64,
    pairs: Vec<Judged>,
    /// An execution that the machine has and the reference does not.
    witness: Option<Graph>,
}

#[derive(Serialize, JsonSchema)]
struct Judged {
    judgement: &'static str,
    thread: String,
    first: Instruction,
    second: Instruction,
    witness: Option<Graph>,
}

#[derive(Serialize, JsonSchema)]
struct Instruction {
    access: &'static str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
}

#[derive(Serialize, JsonSchema)]
struct Delay<'a> {
    thread: &'a str,
    first: Access<'a>,
    second: Access<'a>,
    /// The fence that the pair needs at least.
    #[schemars(extend("enum" = ["nothing", "preserved", "lightweight", "full"]))]
    needs: &'static str,
    /// A critical cycle that it is on.
    cycle: Vec<Visit<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Access<'a> {
    #[serde(rename = "access")]
    direction: &'static str,
    /// What it may access; null if that is not known.
    memory: Option<&'a [String]>,
    function: &'a str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Place<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Place<'a> {
    file: &'a str,
    #[serde(flatten)]
    position: Region,
}

#[derive(Serialize, JsonSchema)]
struct Visit<'a> {
    thread: &'a str,
    first: Access<'a>,
    second: Option<Access<'a>>,
    /// The communication with the next thread on the cycle.
    then: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Repair<'a> {
    cost: u64,
    optimal: bool,
    rows: usize,
    rounds: usize,
    /// How many of each kind.
    kinds: BTreeMap<&'static str, usize>,
    fences: Vec<Fence<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    orders: Vec<Ordered<'a>>,
    left: Vec<Left<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Ordered<'a> {
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing: Option<String>,
    cost: u64,
    function: &'a str,
    memory: Option<&'a [String]>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Place<'a>>,
    breaks: Vec<Delay<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Audited<'a> {
    archs: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The candidate executions that prove it, if not critical cycles do.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<u64>,
    orders: Vec<AuditedOrder<'a>>,
    fences: Vec<AuditedFence<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct AuditedOrder<'a> {
    function: &'a str,
    has: String,
    needs: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Place<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct AuditedFence<'a> {
    function: &'a str,
    kind: &'static str,
    needed: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Place<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Left<'a> {
    /// Why no fence can order these pairs.
    #[schemars(extend("enum" = ["no_place", "no_kind"]))]
    why: &'static str,
    pairs: Vec<Delay<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Fence<'a> {
    kind: &'static str,
    #[schemars(extend("enum" = ["before", "after"]))]
    side: &'static str,
    cost: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    place: Option<Place<'a>>,
    breaks: Vec<Delay<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Policies {
    policy: &'static str,
    fences: usize,
    cost: u64,
    without_place: usize,
    makes_sc: bool,
}

#[derive(Serialize, JsonSchema)]
struct Cycles<'a> {
    complete: bool,
    all: Vec<Vec<Visit<'a>>>,
}

/// An answer about one input. `written` is the file that the repaired program went to, or the folder.
pub fn cycles(
    file: &str,
    sources: &Sources,
    answer: &CyclesAnswer,
    written: Option<&str>,
) -> String {
    let twin = Twin { sources };
    let found = &answer.found;
    let repair = match &answer.repair {
        None | Some(Err(OutOfTime)) => None,
        Some(Ok(repair)) => {
            let fences = repair.fences.iter().map(|fence| Fence {
                kind: kind(fence.kind),
                side: match fence.side {
                    Side::Before => "before",
                    Side::After => "after",
                },
                cost: fence.cost,
                place: twin.place(fence.span),
                breaks: fence.breaks.iter().map(|delay| twin.delay(delay)).collect(),
            });
            let (cost, optimal) = (repair.cost, repair.is_optimal);
            let (rows, rounds) = (repair.rows, repair.rounds);
            let left = repair.left.iter().map(|left| twin.left(left)).collect();
            let orders = repair.orders.iter().map(|order| Ordered {
                from: order.from.to_string(),
                to: order.to.to_string(),
                failing: order.failing.map(|failing| failing.to_string()),
                cost: order.cost,
                function: &order.function,
                memory: order.memory.as_deref(),
                place: twin.place(order.span),
                breaks: order.breaks.iter().map(|delay| twin.delay(delay)).collect(),
            });
            let fences: Vec<Fence<'_>> = fences.collect();
            let mut kinds = BTreeMap::new();
            for fence in &fences {
                *kinds.entry(fence.kind).or_default() += 1;
            }
            let orders = orders.collect();
            Some(Repair { cost, optimal, rows, rounds, kinds, fences, orders, left })
        }
    };
    let policies = answer.policies.iter().map(|policy| Policies {
        policy: policy.policy.name(),
        fences: policy.fences,
        cost: policy.cost,
        without_place: policy.without_place,
        makes_sc: Policy::makes_sc(policy.policy),
    });
    let all = answer.cycles.as_ref().map(|(cycles, is_complete)| Cycles {
        complete: *is_complete,
        all: cycles.iter().map(|cycle| twin.walk(cycle)).collect(),
    });
    let document = Document {
        head: Head::of("fencewright.cycles/1"),
        file,
        criterion: "robustness",
        arch: answer.arch.name(),
        reference: (answer.reference != Reference::Sc).then(|| answer.reference.name()),
        method: "static",
        verdict: match (answer.verdict(), &answer.repair) {
            (Conclusion::Fine, _) if found.is_robust() => "holds",
            (Conclusion::Fine, None) if answer.audit.is_none() => "holds",
            (Conclusion::Fine, Some(Ok(repair)))
                if repair.orders.is_empty() && repair.fences.is_empty() =>
            {
                "holds"
            }
            (Conclusion::Fine, _) => "repaired",
            (Conclusion::Violated, _) => "violated",
            (Conclusion::Undecided | Conclusion::Suppressed, _) => "undecided",
        },
        lines: answer.figures.lines,
        events: found.events,
        threads: found.threads,
        exact: found.is_exact,
        delays: found.delays,
        shown: found.shown.iter().map(|delay| twin.delay(delay)).collect(),
        full_fence_in_one_of: found
            .stretches
            .iter()
            .map(|stretch| stretch.iter().map(|delay| twin.delay(delay)).collect())
            .collect(),
        repair,
        audit: answer.audit.as_ref().map(|audit| twin.audit(audit)),
        policies: policies.collect(),
        cycles: all,
        enumerated: answer.confirmed.as_ref().map(enumerated),
        proven: match &answer.proof {
            Some(Proof::Enumerated { executions, .. }) => Some(*executions),
            Some(Proof::Open(_)) | None => None,
        },
        seq_cst_everywhere: (answer.reference == Reference::Tso && answer.repair.is_some()).then(
            || {
                let cycles::answer::Everywhere { accesses, cost } = found.everywhere;
                Everywhere { accesses, cost }
            },
        ),
        written,
        edits: answer.texts.as_deref().map(|texts| file_edits(sources, texts)),
        suppressed: answer.accepted.as_ref().map(|one| Suppressed::of(sources, one)),
        seconds: answer.figures.elapsed.as_secs_f64(),
    };
    noted(&document, &answer.premises, &answer.notes, sources)
}

/// What the enumerator says.
fn enumerated(all: &Confirmed) -> Enumerated {
    let (confirmed, refuted, undecided) = all.counts();
    let shown = |execution: &axiomatic::Execution| graph(&all.program, &all.sources, execution);
    let judged = |pair: &ConfirmedPair| {
        let instruction = |(edge, does): (EdgeId, Does)| {
            let span = all.program.template(pair.template).edge(edge).span;
            Instruction {
                access: match does {
                    Does::Reads => "R",
                    Does::Writes => "W",
                },
                position: Region::of(&all.sources, span),
            }
        };
        Judged {
            judgement: word(&pair.judgement),
            thread: pair.thread.clone(),
            first: instruction(pair.first),
            second: instruction(pair.second),
            witness: match &pair.judgement {
                Judgement::Confirmed(execution) => Some(shown(execution)),
                Judgement::Refuted | Judgement::Undecided => None,
            },
        }
    };
    Enumerated {
        delays: all.pairs.len(),
        confirmed,
        refuted,
        undecided,
        reason: all.doubt.clone(),
        executions: all.executions,
        pairs: all.pairs.iter().map(judged).collect(),
        witness: all.weak.as_ref().map(shown),
    }
}

/// That nothing is known.
#[derive(Serialize, JsonSchema)]
pub(super) struct Unknown<'a> {
    #[serde(flatten)]
    head: Head,
    file: &'a str,
    criterion: &'static str,
    arch: &'a str,
    method: &'static str,
    #[schemars(extend("enum" = ["undecided"]))]
    verdict: &'static str,
    /// Why nothing is known.
    reason: &'a str,
}

/// That nothing is known, for this reason.
pub fn no_cycles(file: &str, arch: &str, reason: &str) -> String {
    line(&Unknown {
        head: Head::of("fencewright.cycles/1"),
        file,
        criterion: "robustness",
        arch,
        method: "static",
        verdict: "undecided",
        reason,
    })
}

struct Twin<'a> {
    sources: &'a Sources,
}

impl<'a> Twin<'a> {
    fn audit(&self, audit: &'a Result<Audit, NoAudit>) -> Audited<'a> {
        let audit = match audit {
            Ok(audit) => audit,
            Err(reason) => {
                let reason = Some(crate::audit_text::reason(reason));
                let (orders, fences) = (vec![], vec![]);
                return Audited { archs: vec![], reason, proven: None, orders, fences };
            }
        };
        let orders = audit.orders.iter().map(|order| AuditedOrder {
            function: &order.function,
            has: order.change.from.to_string(),
            needs: order.change.order.to_string(),
            place: self.place(order.change.span),
        });
        let fences = audit.fences.iter().map(|fence| AuditedFence {
            function: &fence.function,
            kind: kind(fence.kind),
            needed: fence.is_needed,
            place: self.place(fence.span),
        });
        Audited {
            archs: audit.archs.iter().map(|arch| arch.name()).collect(),
            reason: None,
            proven: audit.executions,
            orders: orders.collect(),
            fences: fences.collect(),
        }
    }

    fn place(&self, span: Span) -> Option<Place<'a>> {
        let source = span.source?;
        let position = Region::of(self.sources, span)?;
        Some(Place { file: self.sources.name(source), position })
    }

    fn access(&self, access: &'a ShownAccess) -> Access<'a> {
        Access {
            direction: letter(access.direction),
            memory: access.memory.as_deref(),
            function: &access.function,
            place: self.place(access.span),
        }
    }

    fn delay(&self, delay: &'a ShownDelay) -> Delay<'a> {
        Delay {
            thread: &delay.thread,
            first: self.access(&delay.first),
            second: self.access(&delay.second),
            needs: match delay.needs {
                Strength::None => "nothing",
                Strength::Preserved => "preserved",
                Strength::Light => "lightweight",
                Strength::Full => "full",
            },
            cycle: self.walk(&delay.cycle),
        }
    }

    fn left(&self, left: &'a ShownLeft) -> Left<'a> {
        Left {
            why: match left.why {
                NoFence::NoPlace => "no_place",
                NoFence::NoKind => "no_kind",
            },
            pairs: left.pairs.iter().map(|pair| self.delay(pair)).collect(),
        }
    }

    fn walk(&self, cycle: &'a [ShownVisit]) -> Vec<Visit<'a>> {
        let visit = |visit: &'a ShownVisit| Visit {
            thread: &visit.thread,
            first: self.access(&visit.first),
            second: visit.second.as_ref().map(|access| self.access(access)),
            then: communication(visit.then),
        };
        cycle.iter().map(visit).collect()
    }
}
