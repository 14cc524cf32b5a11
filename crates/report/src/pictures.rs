//! Answers as files with pictures: DOT for graphviz, SVG for everything else.

use analysis::final_states::Witness;
use analysis::{Execution, Verdict};
use events::Graph;
use program::{Program, Sources};
use workspace::{
    CheckAnswer, CyclesAnswer, FenceAnswer, FenceOutcome, OutcomesAnswer, ReachAnswer,
};

use crate::check::{headline, machine, shown_in, verdict};
use crate::cycles_picture::of_answer;
use crate::execution_picture::of_shown;
use crate::fence::excerpt;
use crate::narrator::Narrator;
use crate::picture::{Picture, of_evidence, of_reordering};
use crate::reach_text::run_of;
use crate::reordering::Reordering;
use crate::{control_flow_picture, events_picture, picture_dot, svg, terminal, triage};

/// A picture of each violation; nothing if there is none.
pub fn check(program: &Program, sources: &Sources, answer: &CheckAnswer) -> Option<String> {
    let mut pictures = Vec::new();
    if let Some(triage) = &answer.triage {
        // The worst is what a picture is for.
        let drawn = triage::drawn(triage).map(|(concern, evidence)| {
            let name = triage::asked(concern.matter);
            let title = format!("{name} violated: {}", headline(program, evidence));
            of_evidence(program, sources, evidence, title)
        });
        pictures.extend(drawn.flatten());
        return file(&pictures);
    }
    for finding in &answer.results {
        if let Verdict::Violated(evidence) = &finding.verdict {
            let program = shown_in(program, finding);
            let said = headline(program, evidence);
            let title = verdict(finding.criterion, "violated", &said);
            pictures.extend(of_evidence(program, sources, evidence, title));
        }
    }
    file(&pictures)
}

/// The run that was found, as a graph of what happens before what.
pub fn reach(program: &Program, sources: &Sources, answer: &ReachAnswer) -> Option<String> {
    match &answer.verdict {
        Verdict::Violated(execution) => file(&drawn(run_of(program, answer), sources, execution)),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    }
}

/// A run, as a graph of what happens before what.
pub fn run(program: &Program, sources: &Sources, execution: &Execution) -> Option<String> {
    file(&drawn(program, sources, execution))
}

/// The same in DOT.
pub fn run_dot(program: &Program, sources: &Sources, execution: &Execution) -> Option<String> {
    let pictures = drawn(program, sources, execution);
    (!pictures.is_empty()).then(|| picture_dot::graph(program.name(), &pictures))
}

/// The run that was found, in DOT.
pub fn reach_dot(program: &Program, sources: &Sources, answer: &ReachAnswer) -> Option<String> {
    match &answer.verdict {
        Verdict::Violated(execution) => run_dot(run_of(program, answer), sources, execution),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    }
}

/// The execution of the state asked for, or those that are forbidden.
pub fn outcomes(program: &Program, sources: &Sources, answer: &OutcomesAnswer) -> Option<String> {
    let asked = answer.shown.as_ref()?;
    match &asked.found {
        Some((_, Witness::Run(execution))) => file(&drawn(program, sources, execution)),
        Some((_, Witness::Graph(_))) | None => file(&of_shown(program, sources, asked)),
    }
}

/// What each fence of a repair prevents; nothing if none is needed.
pub fn fence(sources: &Sources, answer: &FenceAnswer) -> Option<String> {
    file(&of_fence(sources, answer))
}

/// The same in DOT.
pub fn fence_dot(file: &str, sources: &Sources, answer: &FenceAnswer) -> Option<String> {
    let pictures = of_fence(sources, answer);
    (!pictures.is_empty()).then(|| picture_dot::graph(file, &pictures))
}

/// For each fence, what can happen without it; of what cannot be repaired, what stays.
pub(crate) fn of_fence(sources: &Sources, answer: &FenceAnswer) -> Vec<Picture> {
    let without = answer.made().iter().zip(&answer.explanation.without);
    let mut pictures: Vec<Picture> = without
        .filter_map(|(at, shown)| {
            let (program, evidence) = shown.as_ref()?;
            let line = excerpt(sources, answer.decisions[*at].span);
            let title = format!("without the fence at `{line}`: {}", headline(program, evidence));
            of_evidence(program, sources, evidence, title)
        })
        .collect();
    if let FenceOutcome::Unrepairable { shown_by: Some(shown), .. } = &answer.outcome {
        let (program, evidence) = &**shown;
        pictures.extend(of_evidence(program, sources, evidence, headline(program, evidence)));
    }
    pictures
}

/// The control flow of a program.
pub fn control_flow(program: &Program, sources: &Sources) -> String {
    svg::file(&[control_flow_picture::of_program(program, sources)])
}

/// The event graph of a program.
pub fn event_graph(program: &Program, sources: &Sources, graph: &Graph) -> String {
    svg::file(&[events_picture::of_graph(program.name(), graph, sources)])
}

/// The same in DOT.
pub fn event_graph_dot(program: &Program, sources: &Sources, graph: &Graph) -> String {
    let picture = events_picture::of_graph(program.name(), graph, sources);
    picture_dot::graph(program.name(), &[picture])
}

/// The critical cycles that are shown.
pub fn cycles(sources: &Sources, answer: &CyclesAnswer) -> Option<String> {
    file(&of_answer(sources, answer))
}

/// The same in DOT.
pub fn cycles_dot(file: &str, sources: &Sources, answer: &CyclesAnswer) -> Option<String> {
    let pictures = of_answer(sources, answer);
    (!pictures.is_empty()).then(|| picture_dot::graph(file, &pictures))
}

/// Where there is nothing to draw, what there is to say, as a picture: whoever asked for a picture gets one.
pub fn told(text: &str) -> String {
    svg::text(&terminal::text(text, false))
}

/// The same in DOT.
pub fn told_dot(name: &str, text: &str) -> String {
    picture_dot::text(name, terminal::text(text, false).trim_end())
}

/// The trace of a run; none if a store in a buffer cannot reach memory any more.
pub(crate) fn drawn(program: &Program, sources: &Sources, execution: &Execution) -> Vec<Picture> {
    let reordering = Reordering::of(program, &execution.computation);
    reordering.map(|found| of_reordered(program, sources, execution, &found)).into_iter().collect()
}

/// The same where it is known what is reordered.
pub(crate) fn of_reordered(
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    found: &Reordering,
) -> Picture {
    let machine = machine(program, execution);
    let narrator = Narrator::new(program, sources, &machine);
    let title = match found.waiting {
        0 => "what happens before what".to_owned(),
        _ => format!("what happens before what, if {} now", reach_memory(found.waiting)),
    };
    of_reordering(&narrator, found, title)
}

/// Stores that are left in buffers, as the subject of a sentence.
fn reach_memory(count: usize) -> String {
    match count {
        1 => "the store left in a buffer reaches memory".to_owned(),
        count => format!("the {count} stores left in buffers reach memory"),
    }
}

fn file(pictures: &[Picture]) -> Option<String> {
    (!pictures.is_empty()).then(|| svg::file(pictures))
}
