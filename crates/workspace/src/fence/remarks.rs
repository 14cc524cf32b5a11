//! What an author should know before a repair of C or Rust is taken over: where it holds on x86 alone, whose
//! code it belongs into, and why nothing could be put in.

use std::collections::BTreeSet;

use analysis::{Criterion, Evidence};
use cycles::answer::{Asked, Question, ShownDelay};
use cycles::{Arch, Orders, Reference};
use events::{Positions, Rounds, of_program};
use program::index::Idx;
use program::{Program, Sources, Span};
use repair::Kind;
use semantics::{Machine, Move};
use web_time::Instant;

use super::choices::Choices;
use super::written::Texts;
use super::{Enforced, FenceAnswer, FenceOutcome, NoRepair};
use crate::inputs::Loaded;
use crate::notes::{Note, NoteCode};

/// The notes on a repair.
pub(super) fn remarks(
    loaded: &Loaded,
    choices: &Choices,
    answer: &FenceAnswer,
    deadline: Option<Instant>,
) -> Vec<Note> {
    if !loaded.is_compiled() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    match &answer.outcome {
        FenceOutcome::Repaired { .. } if answer.is_minimising => {
            notes.extend(on_other_machines(loaded, choices, answer, deadline));
        }
        FenceOutcome::Repaired { .. } => {
            notes.extend(of_dependencies(loaded, choices, answer));
            notes.extend(of_robustness(answer));
            notes.extend(of_stronger_stores(answer));
        }
        FenceOutcome::Unrepairable { why: NoRepair::NoPlace, shown_by } => {
            if let Some((program, evidence)) = shown_by.as_deref() {
                notes.extend(without_place(loaded, program, evidence));
            }
        }
        FenceOutcome::Unrepairable { .. } | FenceOutcome::Undecided { .. } => {}
    }
    notes
}

/// A program can be right and not robust.
fn of_robustness(answer: &FenceAnswer) -> Option<Note> {
    let is_robustness = answer.enforced == Enforced::Criterion(Criterion::Robustness);
    (is_robustness && !answer.made().is_empty()).then(|| {
        Note::general(
            NoteCode::AboutRepair,
            "this makes the program robust; `fencewright check` tells whether any result depends on it, and \
             `--criterion safety` enforces only that nothing goes wrong",
        )
    })
}

/// A sequentially consistent store is enough on x86, and not on machines that reorder it with later loads.
fn of_stronger_stores(answer: &FenceAnswer) -> Option<Note> {
    let made = answer.made().iter().map(|at| &answer.decisions[*at]);
    let mut stores = made.filter(|decision| decision.kind == Kind::LockedStore);
    let first = stores.next()?;
    Some(Note {
        code: NoteCode::OtherMachines,
        span: first.span,
        text: "on x86 the order of the store is enough; for other machines the loads that must not overtake it \
               have to be sequentially consistent as well, which costs nothing on x86"
            .to_owned(),
    })
}

/// Where a store that must not wait is made in code of somebody else, which is where a fence belongs.
fn of_dependencies(loaded: &Loaded, choices: &Choices, answer: &FenceAnswer) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let made = answer.made();
    for (number, at) in made.iter().enumerate() {
        let Some(Some((program, evidence))) = answer.explanation.without.get(number) else {
            continue;
        };
        let others = made.iter().copied().filter(|other| other != at);
        let changed = choices.problem().with(others);
        let step = match evidence {
            Evidence::Cycle(witness) => witness.issue_step,
            Evidence::Overtaking(overtaking) => overtaking.issue_step,
            Evidence::Race(_) | Evidence::TsoOnly(_) => continue,
        };
        let computation = &evidence.execution().computation;
        let Ok(machine) = Machine::new(program, computation.model) else { continue };
        let Move::Execute { thread, edge, .. } = computation.steps[step].taken else { continue };
        let template = machine.threads()[thread].template;
        let store = changed.origin(template, edge);
        let owner = store.and_then(|store| loaded.foreign.get(&(template.index(), store.index())));
        let span = answer.decisions[*at].span;
        if let Some(owner) = owner.filter(|_| span.source.is_some()) {
            notes.push(Note {
                code: NoteCode::InDependency,
                span,
                text: format!(
                    "the store that must not wait is made in `{owner}`, whose text is not part of this program: \
                     the fence belongs there, and here it is for this caller alone"
                ),
            });
        }
    }
    notes.dedup();
    notes
}

/// The machine that stands for all that are weaker than x86.
const ELSEWHERE: Arch = Arch::AArch64;

/// What each fence that can go on x86 still does elsewhere.
fn on_other_machines(
    loaded: &Loaded,
    choices: &Choices,
    answer: &FenceAnswer,
    deadline: Option<Instant>,
) -> Vec<Note> {
    if loaded.program.access_across().is_some() {
        return Vec::new();
    }
    let now = delays(&loaded.program, deadline);
    let problem = choices.problem();
    let mut notes = Vec::new();
    for gone in answer.not_made() {
        let others = (0..answer.decisions.len()).filter(|at| *at != gone);
        let without = delays(&problem.with(others).program, deadline);
        let places = |delay: &ShownDelay| (delay.first.span, delay.second.span);
        let known: BTreeSet<(Span, Span)> = now.iter().map(places).collect();
        let new = without.iter().find(|delay| !known.contains(&places(delay)));
        let arch = ELSEWHERE.name();
        let text = match new {
            Some(delay) => format!(
                "not needed on x86, but on {arch} it keeps {} before {}: leave it in code that is for other \
                 machines too",
                shown(&loaded.sources, delay.first.span),
                shown(&loaded.sources, delay.second.span)
            ),
            None => format!(
                "not needed on x86; on {arch} no critical cycle of this program needs it either (static), \
                 which says nothing of other users of the code"
            ),
        };
        let span = answer.decisions[gone].span;
        notes.push(Note { code: NoteCode::OtherMachines, span, text });
    }
    notes
}

/// The delays on critical cycles of a program, as far as a few are enough.
fn delays(program: &Program, deadline: Option<Instant>) -> Vec<ShownDelay> {
    const SHOWN: usize = 200;
    let graph = of_program(program, Positions::AfterInstructions, Rounds::All).graph;
    let (arch, orders) = (ELSEWHERE, Orders::OfLanguage);
    let question = Question {
        graph: &graph,
        arch,
        orders,
        reference: Reference::Sc,
        dependencies: true,
        shown: SHOWN,
        deadline,
    };
    Asked::new(question).find().shown
}

/// A piece of text with its line.
fn shown(sources: &Sources, span: Span) -> String {
    let text = sources.excerpt(span).unwrap_or("an access").lines().next().unwrap_or_default();
    match span.source {
        Some(source) => format!("`{text}` (line {})", sources.line_column(source, span.start).0),
        None => format!("`{text}`"),
    }
}

/// Why no fence can stand on the way of a violation: for each access that may be waiting or overtaking.
fn without_place(loaded: &Loaded, program: &Program, evidence: &Evidence) -> Vec<Note> {
    let computation = &evidence.execution().computation;
    let Ok(machine) = Machine::new(program, computation.model) else { return Vec::new() };
    let mut texts = Texts::new(loaded);
    let mut told = BTreeSet::new();
    let mut state = machine.initial();
    for step in &computation.steps {
        let Ok((next, _)) = machine.apply(&state, step.taken) else { break };
        if let Move::Execute { thread, edge, .. } = step.taken {
            let edge = machine.template(thread).edge(edge);
            let waits = !next.thread(thread).buffer().is_empty();
            if waits && edge.instruction.memory_access().is_some() {
                told.insert(edge.span);
            }
        }
        state = next;
    }
    let mut why = |span: &Span| {
        let refusal = texts.refusal(*span)?;
        let text = format!("no fence can be inserted after this: {refusal}");
        Some(Note { code: NoteCode::NoPlace, span: *span, text })
    };
    let notes: Vec<Note> = told.iter().filter_map(&mut why).collect();
    match (notes.as_slice(), told.first()) {
        // There are places, and all of them are behind both accesses.
        ([], Some(span)) if span.source.is_some() => vec![Note {
            code: NoteCode::NoPlace,
            span: *span,
            text: "the store and the load that overtakes it stand here together: take them apart, or put a fence \
                   between them in the macro or expression that they are part of"
                .to_owned(),
        }],
        _ => notes,
    }
}
