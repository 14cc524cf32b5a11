//! Schema `fencewright.check/2`: whether TSO differs from SC.

use analysis::evidence::{Overtaking, Race};
use analysis::robustness::{AttackTable, Witness as Cycle};
use analysis::tso_only::Seen;
use analysis::{Checked, Evidence, Verdict};
use program::{EdgeId, Program, Sources, ThreadId};
use schemars::JsonSchema;
use semantics::{Action, Machine, Model, NodeId, Step as Taken};
use serde::Serialize;

use program::index::Idx;

use workspace::{CheckAnswer, Matter, Rule};

use super::instance::Instance;
use super::known::KnownBy;
use super::reach::Figures;
use super::run::{Step, model_name, steps};
use super::suppressed::Suppressed;
use super::{Head, Region, noted};
use crate::check::{drawn_together, headline, machine, shown_in};
use crate::check_text::word;
use crate::picture::short_name;
use crate::reach_text::found_in_a_word;
use crate::triage;
use crate::undecided::explained;

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// Who searched.
    engine: &'a str,
    /// One for each criterion that was asked about.
    results: Vec<Entry<'a>>,
    /// What matters to the author, the worst first.
    #[serde(skip_serializing_if = "Option::is_none")]
    triage: Option<Vec<Concern<'a>>>,
    /// With `--per-attack`: how many attacks there are, and which are feasible.
    #[serde(skip_serializing_if = "Option::is_none")]
    attacks: Option<Attacks<'a>>,
    /// With `--delays`: static delays, and what an exact search says of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    static_delays: Option<Vec<JudgedDelay<'a>>>,
}

#[derive(Serialize, JsonSchema)]
struct Entry<'a> {
    /// What was asked.
    #[schemars(extend("enum" = ["robustness", "persistence", "trf", "drf", "states"]))]
    criterion: &'static str,
    /// The memory model that it is about.
    #[schemars(extend("enum" = ["sc", "tso"]))]
    model: &'static str,
    #[schemars(extend("enum" = ["holds", "violated", "undecided"]))]
    verdict: &'static str,
    /// What is violated or why it is undecided, in a sentence.
    reason: Option<String>,
    /// Where the reason is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// What to do about an undecided answer.
    advice: Option<String>,
    /// The reason in a word, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    /// The criterion that implies it.
    implied_by: Option<&'static str>,
    /// How it is known that it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_by: Option<KnownBy>,
    /// The methods that were asked, in their order.
    methods: &'a [&'static str],
    /// The instance that the run is of, if there can be any number of threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<Instance<'a>>,
    /// What comments in the source accept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Suppressed>,
    /// A run that violates it.
    witness: Option<Witness<'a>>,
    /// What was explored.
    statistics: Figures,
}

/// An answer to one of the questions of a triage.
#[derive(Serialize, JsonSchema)]
struct Concern<'a> {
    /// The question.
    matter: &'static str,
    /// The memory model that it is about.
    #[schemars(extend("enum" = ["sc", "tso"]))]
    model: &'static str,
    #[schemars(extend("enum" = ["holds", "violated", "undecided"]))]
    verdict: &'static str,
    /// How much it matters.
    weight: &'static str,
    /// The answer in a sentence.
    reason: String,
    /// What it means for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<String>,
    /// Where the reason is, if it is undecided.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    /// How it is known that it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_by: Option<KnownBy>,
    /// What was found, of errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'static str>,
    /// What comments in the source accept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Suppressed>,
    /// A run that shows it.
    witness: Option<Witness<'a>>,
    statistics: Figures,
}

#[derive(Serialize, JsonSchema)]
struct Witness<'a> {
    /// The memory model under which it is a run.
    #[schemars(extend("enum" = ["sc", "tso"]))]
    model: &'static str,
    steps: Vec<Step<'a>>,
    /// Edges of happens-before that form a cycle; indices into `steps`.
    cycle: Option<Vec<Edge>>,
    /// The delayed store and the load that overtakes it; indices into `steps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    attack: Option<Attack<'a>>,
    /// The pattern of ESOP'15 or of a triangular race; indices into `steps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    overtaking: Option<Overtaken<'a>>,
    /// The two accesses that race.
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<[Access<'a>; 2]>,
}

/// An edge of happens-before between two of the steps.
#[derive(Serialize, JsonSchema)]
struct Edge {
    from: usize,
    to: usize,
    /// po, co, rf, fr, or one locked section.
    #[schemars(extend("enum" = ["po", "co", "rf", "fr", "section"]))]
    relation: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Attack<'a> {
    thread: &'a str,
    issue: usize,
    load: usize,
    store: usize,
    delays: usize,
}

#[derive(Serialize, JsonSchema)]
struct Overtaken<'a> {
    pivot: &'a str,
    fringe: &'a str,
    issue: usize,
    load: usize,
    write: usize,
    store: usize,
}

#[derive(Serialize, JsonSchema)]
struct Access<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    address: String,
    writes: bool,
    locked: bool,
}

/// An instruction of a thread.
#[derive(Serialize, JsonSchema)]
struct Place<'a> {
    thread: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
}

#[derive(Serialize, JsonSchema)]
struct Attacks<'a> {
    all: usize,
    refuted_by_control_flow: usize,
    refuted_by_search: usize,
    feasible: Vec<Feasible<'a>>,
    undecided: usize,
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct JudgedDelay<'a> {
    judgement: &'static str,
    store: Place<'a>,
    load: Place<'a>,
    reason: Option<String>,
    witness: Option<Witness<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Feasible<'a> {
    store: Place<'a>,
    load: Place<'a>,
}

/// An answer about one input.
pub fn check(file: &str, program: &Program, sources: &Sources, answer: &CheckAnswer) -> String {
    // What the documents borrow names from.
    let machines: Vec<Option<Machine<'_>>> = answer
        .results
        .iter()
        .map(|finding| match &finding.verdict {
            Verdict::Violated(evidence) => {
                Some(machine(shown_in(program, finding), evidence.execution()))
            }
            Verdict::Holds(_) | Verdict::Undecided(_) => None,
        })
        .collect();
    let concerns = answer.triage.as_ref().map(|triage| triage.concerns.as_slice());
    let of_concerns: Vec<Option<Machine<'_>>> = concerns
        .unwrap_or_default()
        .iter()
        .map(|concern| match &concern.verdict {
            Verdict::Violated(evidence) => Some(machine(program, evidence.execution())),
            Verdict::Holds(_) | Verdict::Undecided(_) => None,
        })
        .collect();
    // Attacks of any number of threads are told of two copies.
    let attacked = answer.attacks.as_ref().and_then(|table| table.instance.as_deref());
    let attacked = attacked.unwrap_or(program);
    let of_attacks = Machine::new(attacked, Model::Tso).ok();
    let results = answer.results.iter().zip(&machines);
    let document = Document {
        head: Head::of("fencewright.check/2"),
        file,
        engine: answer.engine.name(),
        results: results
            .map(|(finding, machine)| {
                let accepted = answer.accepted(Rule::Violated(finding.criterion));
                let suppressed = accepted.map(|one| Suppressed::of(sources, one));
                let shown = shown_in(program, finding);
                Entry { suppressed, ..entry(shown, sources, finding, machine.as_ref()) }
            })
            .collect(),
        triage: answer.triage.as_ref().map(|triage| {
            let all = triage.concerns.iter().zip(&of_concerns);
            all.map(|(one, machine)| {
                let accepted = one.accepted(&answer.accepted);
                let suppressed = accepted.map(|one| Suppressed::of(sources, one));
                let entry = concern(program, sources, one, triage.seen, machine.as_ref());
                Concern { suppressed, ..entry }
            })
            .collect()
        }),
        attacks: answer.attacks.as_ref().zip(of_attacks.as_ref()).map(|(table, machine)| {
            let context = Context { program: attacked, sources, machine };
            context.attacks(table)
        }),
        static_delays: answer.delays.as_ref().zip(of_attacks.as_ref()).map(|(delays, machine)| {
            let context = Context { program, sources, machine };
            delays.iter().map(|delay| context.judged(delay)).collect()
        }),
    };
    noted(&document, &answer.premises, &answer.notes, sources)
}

fn entry<'a>(
    program: &'a Program,
    sources: &'a Sources,
    finding: &'a Checked,
    machine: Option<&'a Machine<'a>>,
) -> Entry<'a> {
    let mut entry = Entry {
        criterion: finding.criterion.name(),
        model: model_name(finding.criterion.model()),
        verdict: word(&finding.verdict),
        reason: None,
        position: None,
        advice: None,
        cause: None,
        implied_by: finding.implied_by().map(analysis::Criterion::name),
        known_by: KnownBy::of_verdict(&finding.verdict),
        methods: &finding.methods,
        instance: finding.instance.as_deref().map(Instance::of),
        suppressed: None,
        witness: None,
        statistics: Figures::of(&finding.statistics),
    };
    match &finding.verdict {
        Verdict::Holds(_) => {}
        Verdict::Violated(evidence) => {
            entry.reason = Some(headline(program, evidence));
            entry.witness =
                machine.map(|machine| Context { program, sources, machine }.witness(evidence));
        }
        Verdict::Undecided(reason) => {
            let why = explained(reason);
            let at = why.at;
            entry.reason = Some(why.reason);
            entry.position = Region::of(sources, at);
            entry.advice = why.advice;
            entry.cause = Some(why.cause);
        }
    }
    entry
}

fn concern<'a>(
    program: &'a Program,
    sources: &'a Sources,
    concern: &workspace::Concern,
    seen: Seen,
    machine: Option<&'a Machine<'a>>,
) -> Concern<'a> {
    let mut entry = Concern {
        matter: concern.matter.name(),
        model: model_name(triage::model(concern)),
        verdict: word(&concern.verdict),
        weight: concern.weight.name(),
        reason: triage::why(program, concern, seen),
        meaning: triage::means(concern),
        position: None,
        cause: None,
        known_by: KnownBy::of_verdict(&concern.verdict),
        found: None,
        suppressed: None,
        witness: None,
        statistics: Figures::of(&concern.statistics),
    };
    match &concern.verdict {
        Verdict::Holds(_) => {}
        Verdict::Violated(evidence) => {
            if concern.matter == Matter::Errors {
                entry.found = Some(found_in_a_word(&evidence.execution().ending));
            }
            entry.witness =
                machine.map(|machine| Context { program, sources, machine }.witness(evidence));
        }
        Verdict::Undecided(reason) => {
            let why = explained(reason);
            let at = why.at;
            entry.position = Region::of(sources, at);
            entry.cause = Some(why.cause);
        }
    }
    entry
}

struct Context<'a> {
    program: &'a Program,
    sources: &'a Sources,
    machine: &'a Machine<'a>,
}

/// The entry of the first action of a step, where each action has an entry.
fn entry_of_step(taken: &[Taken], step: usize) -> usize {
    taken[..step].iter().map(|step| step.actions.len()).sum()
}

/// The entry of a node: nodes are the actions but for stores that reach memory.
fn entry_of_node(taken: &[Taken], node: NodeId) -> usize {
    let actions = taken.iter().flat_map(|step| &step.actions).enumerate();
    let mut nodes = actions.filter(|(_, action)| !matches!(action, Action::Store { .. }));
    nodes.nth(node.index()).map_or(0, |(entry, _)| entry)
}

impl<'a> Context<'a> {
    fn witness(&self, evidence: &Evidence) -> Witness<'a> {
        let computation = &evidence.execution().computation;
        let mut witness = Witness {
            model: model_name(computation.model),
            steps: steps(&computation.steps, self.program, self.sources, self.machine),
            cycle: None,
            attack: None,
            overtaking: None,
            race: None,
        };
        let taken = &computation.steps;
        match evidence {
            Evidence::Cycle(cycle) => {
                witness.cycle = Some(Self::cycle(cycle, taken));
                witness.attack = Some(self.attack(cycle, taken));
            }
            Evidence::Overtaking(one) => witness.overtaking = Some(self.overtaking(one, taken)),
            Evidence::Race(race) => witness.race = Some(self.race(race)),
            Evidence::TsoOnly(_) => {}
        }
        witness
    }

    fn name(&self, thread: ThreadId) -> &'a str {
        &self.machine.threads()[thread].name
    }

    fn cycle(cycle: &Cycle, taken: &[Taken]) -> Vec<Edge> {
        let edge = |edge: semantics::Edge| Edge {
            from: entry_of_node(taken, edge.from),
            to: entry_of_node(taken, edge.to),
            relation: short_name(edge.relation),
        };
        drawn_together(&cycle.cycle).into_iter().map(edge).collect()
    }

    fn attack(&self, cycle: &Cycle, taken: &[Taken]) -> Attack<'a> {
        Attack {
            thread: self.name(cycle.attacker),
            issue: entry_of_step(taken, cycle.issue_step),
            load: entry_of_step(taken, cycle.load_step),
            store: entry_of_step(taken, cycle.store_step),
            delays: cycle.delays,
        }
    }

    fn overtaking(&self, one: &Overtaking, taken: &[Taken]) -> Overtaken<'a> {
        let delay = crate::check::Delay::of_overtaking(self.machine, one);
        let write = delay.write.map_or(one.write_step, |write| write.arrives);
        Overtaken {
            pivot: self.name(one.pivot),
            fringe: self.name(one.fringe),
            issue: entry_of_step(taken, one.issue_step),
            load: entry_of_step(taken, one.load_step),
            write: entry_of_step(taken, write),
            store: entry_of_step(taken, one.store_step),
        }
    }

    fn race(&self, race: &Race) -> [Access<'a>; 2] {
        race.accesses.map(|access| Access {
            place: self.place(access.thread, access.edge),
            address: self.program.memory().cell_name(access.address),
            writes: access.writes,
            locked: access.is_locked,
        })
    }

    fn place(&self, thread: ThreadId, edge: EdgeId) -> Place<'a> {
        let span = self.machine.template(thread).edge(edge).span;
        Place {
            thread: self.name(thread),
            file: span.source.map(|source| self.sources.name(source)),
            position: Region::of(self.sources, span),
        }
    }

    fn judged(&self, delay: &'a workspace::JudgedDelay) -> JudgedDelay<'a> {
        let (thread, verdict) = (delay.attack.thread, &delay.verdict);
        let (reason, witness) = match verdict {
            Verdict::Holds(_) => (None, None),
            Verdict::Violated(evidence) => (None, Some(self.witness(evidence))),
            Verdict::Undecided(reason) => (Some(reason.to_string()), None),
        };
        JudgedDelay {
            judgement: crate::delays_text::word(delay),
            store: self.place(thread, delay.attack.store),
            load: self.place(thread, delay.attack.load),
            reason,
            witness,
        }
    }

    fn attacks(&self, table: &AttackTable) -> Attacks<'a> {
        Attacks {
            all: table.attacks,
            refuted_by_control_flow: table.refuted_by_control_flow,
            refuted_by_search: table.refuted_by_search,
            feasible: table
                .feasible
                .iter()
                .map(|attack| Feasible {
                    store: self.place(attack.thread, attack.store),
                    load: self.place(attack.thread, attack.load),
                })
                .collect(),
            undecided: table.undecided,
            reason: table.reason.as_ref().map(ToString::to_string),
        }
    }
}
