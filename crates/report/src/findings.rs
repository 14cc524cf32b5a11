//! Answers as findings, for tools that show findings of all kinds of programs: what is wrong, where, how it comes
//! about, and what would repair it.

use std::collections::{BTreeMap, VecDeque};

use analysis::{Criterion, Ending, Evidence, Execution, Verdict};
use program::{Program, SourceId, Sources, Span, ThreadId};
use semantics::{Machine, Move};
use workspace::{CheckAnswer, FenceAnswer, FenceOutcome, Matter, ReachAnswer, Triage, Weight};

use crate::check::{Delay, headline, machine, shown_in, verdict};
use crate::edits::{Edit, edits};
use crate::fence::told;
use crate::narrator::Narrator;
use crate::{fence_text, reach_text, triage};

/// Something to be shown.
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) level: Level,
    pub(crate) message: String,
    /// The main place.
    pub(crate) at: Span,
    /// Other places, with what is to be said about them.
    pub(crate) related: Vec<(Span, String)>,
    /// The steps of the run that shows it.
    pub(crate) flow: Vec<(Span, String)>,
    /// What would repair it.
    pub(crate) fix: Option<Fix>,
}

/// Changes that repair a program, and that were checked.
pub(crate) struct Fix {
    /// What they are.
    pub(crate) description: &'static str,
    /// The edits of each text that changes.
    pub(crate) edits: Vec<(SourceId, Vec<Edit>)>,
}

impl Fix {
    pub(crate) fn new(
        sources: &Sources,
        texts: &[(SourceId, String)],
        is_optimal: bool,
    ) -> Option<Self> {
        let edited =
            |(source, new): &(SourceId, String)| (*source, edits(sources.text(*source), new));
        let description = if is_optimal {
            "The cheapest changes that repair the program; the repaired program was checked again"
        } else {
            "Changes that repair the program, perhaps not the cheapest; the repaired program was checked again"
        };
        (!texts.is_empty()).then(|| Self { description, edits: texts.iter().map(edited).collect() })
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Violated.
    Error,
    /// Not known.
    Warning,
    /// Worth knowing, and nothing wrong.
    Note,
}

/// What kind of finding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A criterion is violated.
    Violated(Criterion),
    /// An access that is not atomic races.
    PlainRace,
    /// An error, a deadlock, a forbidden final state or a goal can be reached.
    Reached(&'static str),
    /// A fence is missing.
    MissingFence,
    /// An access needs a stronger order.
    WeakOrder,
    /// A fence can go, or an order be weaker.
    MoreThanNeeded,
    /// A critical cycle has a delay.
    CriticalCycle,
    /// The question could not be answered.
    Undecided,
}

impl Rule {
    /// A name that stays.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Violated(Criterion::Drf) => "data-race",
            Self::Violated(Criterion::Trf) => "triangular-race",
            Self::Violated(Criterion::Robustness) => "not-robust",
            Self::Violated(Criterion::Persistence) => "not-persistent",
            Self::Violated(Criterion::States) => "other-states",
            Self::PlainRace => "undefined-race",
            Self::Reached(what) => what,
            Self::MissingFence => "missing-fence",
            Self::WeakOrder => "weak-order",
            Self::MoreThanNeeded => "more-than-needed",
            Self::CriticalCycle => "critical-cycle",
            Self::Undecided => "undecided",
        }
    }

    /// What it means.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Violated(Criterion::Drf) => {
                "Two threads access the same memory at the same time, and one of them writes."
            }
            Self::Violated(Criterion::Trf) => {
                "A load overtakes a store while another thread writes what is loaded."
            }
            Self::Violated(Criterion::Robustness) => {
                "An execution on x86 has a trace that no sequentially consistent execution has."
            }
            Self::Violated(Criterion::Persistence) => {
                "An execution on x86 has orders of accesses and stores that no sequentially consistent execution has."
            }
            Self::Violated(Criterion::States) => {
                "The program ends on x86 in a state, or with an error, that sequential consistency does not have."
            }
            Self::PlainRace => {
                "Two threads access the same memory at the same time, one of them writes, and an access is not atomic: undefined behaviour in C and Rust."
            }
            Self::Reached(_) => "The program can get there; the run is part of the result.",
            Self::MissingFence => {
                "Without a fence here the program can behave in a way that the reference model forbids."
            }
            Self::WeakOrder => {
                "Unless this access has a stronger order, the program can behave in a way that the reference model forbids."
            }
            Self::MoreThanNeeded => {
                "The program needs less: a fence can go, or an order can be weaker."
            }
            Self::CriticalCycle => {
                "A critical cycle contains accesses that the architecture may reorder (static analysis)."
            }
            Self::Undecided => "The question could not be answered; the message says why.",
        }
    }
}

/// What `check` found.
pub(crate) fn of_check(program: &Program, sources: &Sources, answer: &CheckAnswer) -> Vec<Finding> {
    if let Some(triage) = &answer.triage {
        return of_triage(program, sources, triage);
    }
    let mut findings = Vec::new();
    for checked in &answer.results {
        match &checked.verdict {
            Verdict::Holds(_) => {}
            Verdict::Violated(evidence) => {
                let program = shown_in(program, checked);
                let message = verdict(checked.criterion, "violated", &headline(program, evidence));
                findings.push(of_evidence(program, sources, evidence, checked.criterion, message));
            }
            Verdict::Undecided(reason) => {
                let message = verdict(checked.criterion, "undecided", &reason.to_string());
                findings.push(undecided(message, crate::undecided::place(reason)));
            }
        }
    }
    findings
}

/// What matters to an author: an error is what is wrong, and what no result shows is a note.
fn of_triage(program: &Program, sources: &Sources, triage: &Triage) -> Vec<Finding> {
    let mut findings = Vec::new();
    for concern in &triage.concerns {
        let level = match concern.weight {
            Weight::Harm => Level::Error,
            Weight::Unknown => Level::Warning,
            Weight::Harmless => Level::Note,
            Weight::Fine => continue,
        };
        let why = triage::why(program, concern, triage.seen);
        let (asked, word) = (triage::asked(concern.matter), triage::verdict_word(concern));
        let means = triage::means(concern).map_or_else(String::new, |it| format!(": {it}"));
        let message = format!("{asked} {word}: {why}{means}");
        findings.push(match &concern.verdict {
            Verdict::Violated(evidence) => {
                let (rule, criterion) = match concern.matter {
                    Matter::Races => (Rule::PlainRace, Criterion::Drf),
                    Matter::Errors => {
                        (Rule::Reached(reached(evidence.execution())), Criterion::States)
                    }
                    Matter::Results => (Rule::Violated(Criterion::States), Criterion::States),
                    Matter::Visibility => {
                        (Rule::Violated(Criterion::Robustness), Criterion::Robustness)
                    }
                };
                let found = of_evidence(program, sources, evidence, criterion, message);
                Finding { rule, level, ..found }
            }
            Verdict::Undecided(reason) => {
                Finding { level, ..undecided(message, crate::undecided::place(reason)) }
            }
            Verdict::Holds(_) => continue,
        });
    }
    findings
}

/// What a run comes to, in a word.
fn reached(execution: &Execution) -> &'static str {
    match reach_text::found_in_a_word(&execution.ending) {
        "fault" => "error",
        "final_state" => "final-state",
        other => other,
    }
}

fn of_evidence(
    program: &Program,
    sources: &Sources,
    evidence: &Evidence,
    criterion: Criterion,
    message: String,
) -> Finding {
    let machine = machine(program, evidence.execution());
    let mut related = Vec::new();
    let at = match evidence {
        Evidence::Cycle(witness) => {
            let Delay { store, load, .. } = Delay::of_cycle(&machine, witness);
            related.push((
                load.span,
                format!("meanwhile this load reads {} = {}", load.cell, load.value),
            ));
            store.span
        }
        Evidence::Overtaking(overtaking) => {
            let Delay { store, load, write } = Delay::of_overtaking(&machine, overtaking);
            related.push((
                load.span,
                format!("meanwhile this load reads {} = {}", load.cell, load.value),
            ));
            related.extend(write.map(|write| {
                (
                    write.part.span,
                    format!("{} writes {} between", write.part.thread, write.part.cell),
                )
            }));
            store.span
        }
        Evidence::Race(race) => {
            let [one, other] = &race.accesses;
            let span = |thread, edge| machine.template(thread).edge(edge).span;
            related.push((span(other.thread, other.edge), "the other access".to_owned()));
            span(one.thread, one.edge)
        }
        Evidence::TsoOnly(elsewhere) => ends_at(&machine, &elsewhere.execution),
    };
    let flow = flow(program, sources, &machine, evidence.execution());
    let rule = Rule::Violated(criterion);
    Finding { rule, level: Level::Error, message, at, related, flow, fix: None }
}

/// Where an error is that ends a run, or the last instruction.
fn ends_at(machine: &Machine<'_>, execution: &Execution) -> Span {
    match &execution.ending {
        Ending::Fault { thread, edge, .. } | Ending::Limit { thread, edge, .. } => {
            machine.template(*thread).edge(*edge).span
        }
        Ending::Terminated
        | Ending::Goal
        | Ending::StepLimit
        | Ending::History(_)
        | Ending::Deadlock(_) => {
            let executed = |taken: Move| match taken {
                Move::Execute { thread, edge, .. } => {
                    Some(machine.template(thread).edge(edge).span)
                }
                Move::Commit { .. } => None,
            };
            let steps = execution.computation.steps.iter().rev();
            steps
                .filter_map(|step| executed(step.taken))
                .find(|span| span.source.is_some())
                .unwrap_or(Span::NONE)
        }
    }
}

/// The steps of a run that can be shown in a text.
fn flow(
    program: &Program,
    sources: &Sources,
    machine: &Machine<'_>,
    execution: &Execution,
) -> Vec<(Span, String)> {
    let narrator = Narrator::new(program, sources, machine);
    let mut state = machine.initial();
    let mut flow = Vec::new();
    // Stores in buffers, by the instructions that issued them.
    let mut waiting: BTreeMap<ThreadId, VecDeque<Span>> = BTreeMap::new();
    for step in &execution.computation.steps {
        let (next, _) = machine.apply(&state, step.taken).expect("the run was replayed");
        let name = &machine.threads()[step.taken.thread()].name;
        let waiting = waiting.entry(step.taken.thread()).or_default();
        let span = match step.taken {
            Move::Execute { thread, edge, .. } => {
                let span = narrator.span(thread, edge);
                let longer = next.thread(thread).buffer().len();
                // A store across several cells waits in several entries, which reach memory together.
                let is_issue = longer > state.thread(thread).buffer().len();
                waiting.extend(is_issue.then_some(span));
                span
            }
            Move::Commit { .. } => waiting.pop_front().unwrap_or(Span::NONE),
        };
        if !narrator.goes_without_saying(step) {
            flow.push((span, format!("{name}: {}", narrator.tell(step, &state, &next))));
        }
        state = next;
    }
    flow.retain(|(span, _)| span.source.is_some());
    flow
}

/// What `reach` found.
pub(crate) fn of_reach(program: &Program, sources: &Sources, answer: &ReachAnswer) -> Vec<Finding> {
    let (_, message) = reach_text::in_a_line(program, answer);
    match &answer.verdict {
        Verdict::Holds(_) => Vec::new(),
        Verdict::Violated(execution) => {
            let program = reach_text::run_of(program, answer);
            let machine = machine(program, execution);
            vec![Finding {
                rule: Rule::Reached(reached(execution)),
                level: Level::Error,
                message,
                at: ends_at(&machine, execution),
                related: Vec::new(),
                flow: flow(program, sources, &machine, execution),
                fix: None,
            }]
        }
        Verdict::Undecided(reason) => vec![undecided(message, crate::undecided::place(reason))],
    }
}

/// What `fence` found: each place where something is missing; the first has the changes of all, since they belong
/// together.
pub(crate) fn of_fence(sources: &Sources, answer: &FenceAnswer) -> Vec<Finding> {
    let summary = fence_text::summary(sources, answer);
    match &answer.outcome {
        FenceOutcome::Repaired { .. } if answer.is_minimising => Vec::new(),
        FenceOutcome::Repaired { is_optimal, .. } => {
            let texts = answer.texts.as_deref().unwrap_or_default();
            let mut fix = Fix::new(sources, texts, *is_optimal);
            let made = answer.made().iter().map(|number| &answer.decisions[*number]);
            made.map(|decision| Finding {
                rule: Rule::MissingFence,
                level: Level::Error,
                message: format!("{}: {summary}", fence_text::what(sources, decision)),
                at: decision.span,
                related: Vec::new(),
                flow: Vec::new(),
                fix: fix.take(),
            })
            .collect()
        }
        FenceOutcome::Unrepairable { shown_by, .. } => {
            let why =
                shown_by.as_deref().map(|(program, evidence)| told(program, sources, evidence));
            let message = why.map_or_else(|| summary.clone(), |why| format!("{summary}: {why}"));
            let (rule, level) = (Rule::MissingFence, Level::Error);
            vec![Finding { rule, level, ..undecided(message, Span::NONE) }]
        }
        FenceOutcome::Undecided { reason, .. } => {
            vec![undecided(summary, crate::undecided::place(reason))]
        }
    }
}

pub(crate) fn undecided(message: String, at: Span) -> Finding {
    let (rule, level) = (Rule::Undecided, Level::Warning);
    let (related, flow) = (Vec::new(), Vec::new());
    Finding { rule, level, message, at, related, flow, fix: None }
}
