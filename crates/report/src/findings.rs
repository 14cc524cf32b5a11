//! Answers as findings, for tools that show findings of all kinds of programs: what is wrong, where, how it comes
//! about, and what would repair it.

use std::collections::{BTreeMap, VecDeque};

use analysis::{Criterion, Evidence, Execution, Verdict};
use program::{Diagnostic, Program, SourceId, Sources, Span, ThreadId};
use semantics::{Machine, Move};
use workspace::suppression::ends_at;
use workspace::{
    Accepted, CheckAnswer, FenceAnswer, FenceOutcome, ReachAnswer, Rule, Suppression, Suppressions,
    Triage, Weight,
};

use crate::check::{Delay, headline, machine, shown_in, verdict};
use crate::edits::{Edit, edits};
use crate::fence::told;
use crate::narrator::Narrator;
use crate::{fence_text, reach_text, suppressed, triage};

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
    /// The comments that accept it.
    pub(crate) accepted_by: Vec<Suppression>,
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

/// What a kind of finding means.
pub(crate) const fn meaning(rule: Rule) -> &'static str {
    match rule {
        Rule::Violated(Criterion::Drf) => {
            "Two threads access the same memory at the same time, and one of them writes."
        }
        Rule::Violated(Criterion::Trf) => {
            "A load overtakes a store while another thread writes what is loaded."
        }
        Rule::Violated(Criterion::Robustness) => {
            "An execution on x86 has a trace that no sequentially consistent execution has."
        }
        Rule::Violated(Criterion::Persistence) => {
            "An execution on x86 has orders of accesses and stores that no sequentially consistent execution has."
        }
        Rule::Violated(Criterion::States) => {
            "The program ends on x86 in a state, or with an error, that sequential consistency does not have."
        }
        Rule::PlainRace => {
            "Two threads access the same memory at the same time, one of them writes, and an access is not atomic: undefined behaviour in C and Rust."
        }
        Rule::Error | Rule::Deadlock | Rule::FinalState | Rule::Goal | Rule::History => {
            "The program can get there; the run is part of the result."
        }
        Rule::MissingFence => {
            "Without a fence here the program can behave in a way that the reference model forbids."
        }
        Rule::WeakOrder => {
            "Unless this access has a stronger order, the program can behave in a way that the reference model forbids."
        }
        Rule::MoreThanNeeded => {
            "The program needs less: a fence can go, or an order can be weaker."
        }
        Rule::CriticalCycle => {
            "A critical cycle contains accesses that the architecture may reorder (static analysis)."
        }
        Rule::Undecided => "The question could not be answered; the message says why.",
        Rule::Input => "The program could not be read; the message says why.",
    }
}

/// What `check` found.
pub(crate) fn of_check(program: &Program, sources: &Sources, answer: &CheckAnswer) -> Vec<Finding> {
    if let Some(triage) = &answer.triage {
        return of_triage(program, sources, triage, &answer.accepted);
    }
    let mut findings = Vec::new();
    for checked in &answer.results {
        match &checked.verdict {
            Verdict::Holds(_) => {}
            Verdict::Violated(evidence) => {
                let program = shown_in(program, checked);
                let message = verdict(checked.criterion, "violated", &headline(program, evidence));
                let found = of_evidence(program, sources, evidence, checked.criterion, message);
                findings.extend(with(
                    sources,
                    found,
                    answer.accepted(Rule::Violated(checked.criterion)),
                ));
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
fn of_triage(
    program: &Program,
    sources: &Sources,
    triage: &Triage,
    accepted: &[Accepted],
) -> Vec<Finding> {
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
        match &concern.verdict {
            Verdict::Violated(evidence) => {
                let criterion = triage::criterion(concern.matter);
                let found = of_evidence(program, sources, evidence, criterion, message);
                let rule = Rule::of_matter(concern.matter, &evidence.execution().ending);
                let found = Finding { rule, level, ..found };
                findings.extend(with(sources, found, concern.accepted(accepted)));
            }
            Verdict::Undecided(reason) => {
                let found = undecided(message, crate::undecided::place(reason));
                findings.push(Finding { level, ..found });
            }
            Verdict::Holds(_) => {}
        }
    }
    findings
}

/// A finding, what accepts it, and what is not accepted.
fn with(sources: &Sources, finding: Finding, accepted: Option<&Accepted>) -> Vec<Finding> {
    let Some(accepted) = accepted else { return vec![finding] };
    let others = suppressed::others(sources, accepted);
    let accepted_by = accepted.by.clone();
    std::iter::once(Finding { accepted_by, ..finding }).chain(others).collect()
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
        Evidence::TsoOnly(elsewhere) => ends_at(program, &elsewhere.execution),
    };
    let flow = flow(program, sources, &machine, evidence.execution());
    let rule = Rule::Violated(criterion);
    let (level, fix, accepted_by) = (Level::Error, None, Vec::new());
    Finding { rule, level, message, at, related, flow, fix, accepted_by }
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
            let found = Finding {
                rule: Rule::of_ending(&execution.ending),
                level: Level::Error,
                message,
                at: ends_at(program, execution),
                related: Vec::new(),
                flow: flow(program, sources, &machine, execution),
                fix: None,
                accepted_by: Vec::new(),
            };
            with(sources, found, answer.accepted.as_ref())
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
                accepted_by: accepted(sources, Rule::MissingFence, decision.span),
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

/// What is wrong with an input.
pub(crate) fn of_errors(errors: &[Diagnostic]) -> Vec<Finding> {
    let finding = |error: &Diagnostic| Finding {
        rule: Rule::Input,
        level: Level::Error,
        related: error.related.iter().cloned().collect(),
        ..undecided(with_help(error), error.span)
    };
    errors.iter().map(finding).collect()
}

/// A message, and what to do.
pub(crate) fn with_help(error: &Diagnostic) -> String {
    let help = error.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
    format!("{}{help}", error.message)
}

/// The comments that accept a finding at this place.
pub(crate) fn accepted(sources: &Sources, rule: Rule, at: Span) -> Vec<Suppression> {
    Suppressions::of(sources).covering(sources, rule, &[at]).cloned().into_iter().collect()
}

pub(crate) fn undecided(message: String, at: Span) -> Finding {
    let (rule, level) = (Rule::Undecided, Level::Warning);
    let (related, flow, fix, accepted_by) = (Vec::new(), Vec::new(), None, Vec::new());
    Finding { rule, level, message, at, related, flow, fix, accepted_by }
}
