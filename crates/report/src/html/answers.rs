//! A page for the answer to each question.

use analysis::{Evidence, Execution, Verdict};
use program::{Program, Sources, Span};
use semantics::{Machine, Model};
use workspace::{
    Accepted, CheckAnswer, CyclesAnswer, FenceAnswer, FenceOutcome, Note, ReachAnswer, Rule, Triage,
};

use super::Page;
use super::run::stepper;
use super::source::{Marks, changed, marked};
use crate::check::{
    Delay, Part, headline, instance, machine, meaning, part, remark, shown_in, verdict,
};
use crate::picture::of_evidence;
use crate::pictures::{of_fence, of_reordered};
use crate::reordering::Reordering;
use crate::svg::escaped;
use crate::{
    check_text, cycles_picture, cycles_text, fence_text, reach_text, run_text, suppressed,
};

/// What the thick arrows of a picture are.
const CYCLE: &str = "Under SC all of the thick arrows would have to point forward in time. They form a cycle, so no SC \
                     execution reads and writes these values.";

/// What is said of a store that waits, and of the load that overtakes it.
const DELAYED: &str = "① this store is delayed in the buffer of";
const OVERTAKES: &str = "② this load overtakes it in";

/// Whether TSO differs from SC.
pub fn check(file: &str, program: &Program, sources: &Sources, answer: &CheckAnswer) -> Page {
    if let Some(triage) = &answer.triage {
        return self::triage(file, program, sources, (triage, &answer.accepted), &answer.notes);
    }
    let mut page = Page::new(file);
    let rows = answer.results.iter().map(|finding| {
        let why = match &finding.verdict {
            Verdict::Holds(_) => finding.implied_by().map_or_else(
                || meaning(finding.criterion).to_owned(),
                |by| format!("implied by {by}"),
            ),
            Verdict::Violated(evidence) => {
                let with = finding.instance.as_deref().map(instance);
                let with = with.map_or_else(String::new, |with| format!(", {with}"));
                format!("{}{with}", headline(shown_in(program, finding), evidence))
            }
            Verdict::Undecided(reason) => reason.to_string(),
        };
        let model = model_word(finding.criterion.model());
        let asked = format!("{} under {model}", finding.criterion);
        let accepted = answer.accepted(Rule::Violated(finding.criterion));
        let remark = with_accepted(remark(finding), sources, accepted);
        (asked, check_text::word(&finding.verdict), why, remark)
    });
    let rows: Vec<_> = rows.collect();
    page.verdicts(&rows);
    for finding in &answer.results {
        if let Verdict::Violated(evidence) = &finding.verdict {
            let program = shown_in(program, finding);
            let said = headline(program, evidence);
            let title = verdict(finding.criterion, "violated", &said);
            let name = finding.criterion.to_string();
            violated(&mut page, program, sources, evidence, (&name, title));
        }
    }
    notes(&mut page, &answer.notes, sources);
    page
}

/// What else is said of a verdict, with what comments accept of it.
fn with_accepted(
    remark: Option<String>,
    sources: &Sources,
    accepted: Option<&Accepted>,
) -> Option<String> {
    let accepted = accepted.map(|accepted| suppressed::in_a_line(sources, accepted));
    match (remark, accepted) {
        (Some(remark), Some(accepted)) => Some(format!("{remark}; {accepted}")),
        (remark, accepted) => remark.or(accepted),
    }
}

/// What matters to an author, with the runs of all that is violated, the worst first.
fn triage(
    file: &str,
    program: &Program,
    sources: &Sources,
    (triage, accepted): (&Triage, &[Accepted]),
    notes: &[Note],
) -> Page {
    let mut page = Page::new(file);
    let (word, line) = crate::triage::in_a_line(program, triage);
    let worst = triage.worst().and_then(|worst| worst.accepted(accepted));
    page.paragraph(&format!("{word}{} {line}", suppressed::mark(worst)));
    let meanings = crate::triage::meanings(&triage.concerns);
    let rows = triage.concerns.iter().zip(meanings).map(|(concern, means)| {
        let asked = crate::triage::asked(concern.matter).to_owned();
        let why = crate::triage::why(program, concern, triage.seen);
        let means = with_accepted(means, sources, concern.accepted(accepted));
        (asked, crate::triage::verdict_word(concern), why, means)
    });
    let rows: Vec<_> = rows.collect();
    page.verdicts(&rows);
    for concern in &triage.concerns {
        if let Verdict::Violated(evidence) = &concern.verdict {
            let name = crate::triage::asked(concern.matter);
            let title = format!("{name} violated: {}", headline(program, evidence));
            violated(&mut page, program, sources, evidence, (name, title));
        }
    }
    self::notes(&mut page, notes, sources);
    page
}

/// A violation: its run, and the picture of what happens before what.
fn violated(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    evidence: &Evidence,
    (name, title): (&str, String),
) {
    violation(page, program, sources, evidence, name);
    if let Some(picture) = of_evidence(program, sources, evidence, title) {
        page.push("<h3>What happens before what</h3>\n");
        if let Evidence::Cycle(_) | Evidence::Overtaking(_) | Evidence::TsoOnly(_) = evidence
            && picture.arrows.iter().any(|arrow| arrow.is_shown)
        {
            page.paragraph(CYCLE);
        }
        page.picture(&picture);
    }
    page.push("</section>\n");
}

/// The run that shows a violation, and the source with the accesses that make it.
fn violation(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    evidence: &Evidence,
    name: &str,
) {
    let machine = machine(program, evidence.execution());
    let (steps, marks): (Vec<(usize, &'static str)>, Marks) = match evidence {
        Evidence::Cycle(witness) => {
            let Delay { store, load, .. } = Delay::of_cycle(&machine, witness);
            (
                vec![
                    (witness.issue_step, "①"),
                    (witness.load_step, "②"),
                    (witness.store_step, "③"),
                ],
                vec![at(&store, DELAYED), at(&load, OVERTAKES)],
            )
        }
        Evidence::Overtaking(overtaking) => {
            let Delay { store, load, write } = Delay::of_overtaking(&machine, overtaking);
            let mut steps = vec![
                (overtaking.issue_step, "①"),
                (overtaking.load_step, "②"),
                (overtaking.store_step, "④"),
            ];
            let mut marks = vec![at(&store, DELAYED), at(&load, OVERTAKES)];
            if let Some(write) = write {
                steps.push((write.arrives, "③"));
                marks.push(at(&write.part, "③ meanwhile this is written by"));
            }
            (steps, marks)
        }
        Evidence::Race(race) => {
            let marks = race.accesses.iter().map(|access| {
                let thread = &machine.threads()[access.thread].name;
                let does = if access.writes { "writes" } else { "reads" };
                let span = machine.template(access.thread).edge(access.edge).span;
                let cell = program.memory().cell_name(access.address);
                (span, format!("{thread} {does} {cell}, at the same time"))
            });
            (Vec::new(), marks.collect())
        }
        Evidence::TsoOnly(elsewhere) => {
            let execution = &elsewhere.execution;
            reordered(&machine, execution, Reordering::of(program, &execution.computation).as_ref())
        }
    };
    let execution = evidence.execution();
    let model = model_word(execution.computation.model);
    page.push("<section>\n");
    page.heading(&format!("{name}: a run under {model}"));
    run(page, program, sources, execution, &machine, &steps, &marks);
}

/// An access that is marked in the source.
fn at(part: &Part, said: &str) -> (Span, String) {
    (part.span, format!("{said} {}: {} = {}", part.thread, part.cell, part.value))
}

/// What is marked in a run and in its source: the stores that are delayed, the loads that overtake them, and the
/// error that it ends with.
fn reordered(
    machine: &Machine<'_>,
    execution: &Execution,
    found: Option<&Reordering>,
) -> (Vec<(usize, &'static str)>, Marks) {
    let steps = &execution.computation.steps;
    let mut marks = Marks::new();
    for delay in found.iter().flat_map(|found| &found.delays) {
        marks.push(at(&part(machine, &steps[delay.issue]), DELAYED));
        marks.push(at(&part(machine, &steps[delay.load]), OVERTAKES));
    }
    marks.extend(ending_mark(machine, execution));
    (found.map_or_else(Vec::new, Reordering::marks), marks)
}

/// A stepper beside the source.
fn run(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    machine: &Machine<'_>,
    steps: &[(usize, &'static str)],
    marks: &Marks,
) {
    let (html, passed) = stepper(program, sources, machine, &execution.computation.steps, steps);
    page.push(&html);
    let passed: Marks = passed.into_iter().map(|span| (span, String::new())).collect();
    let source = marked(sources, marks, &passed);
    if !source.is_empty() {
        page.push("<h3>Source</h3>\n");
        page.push(&source);
    }
}

/// Whether something can be reached.
pub fn reach(file: &str, program: &Program, sources: &Sources, answer: &ReachAnswer) -> Page {
    let mut page = Page::new(file);
    let (word, why) = reach_text::in_a_line(program, answer);
    let remark = with_accepted(None, sources, answer.accepted.as_ref());
    page.verdicts(&[(format!("under {}", model_word(answer.model)), word, why, remark)]);
    if let Verdict::Violated(execution) = &answer.verdict {
        let program = reach_text::run_of(program, answer);
        whole_run(&mut page, program, sources, execution, "The run");
    }
    notes(&mut page, &answer.notes, sources);
    page
}

/// One run.
pub fn simulation(
    file: &str,
    seed: u64,
    program: &Program,
    sources: &Sources,
    execution: &Execution,
) -> Page {
    let mut page = Page::new(file);
    let model = model_word(execution.computation.model);
    whole_run(&mut page, program, sources, execution, &format!("A run under {model}, seed {seed}"));
    page
}

/// A run from beginning to end, how it ends, and its picture.
fn whole_run(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    title: &str,
) {
    page.push("<section>\n");
    page.heading(title);
    told_run(page, program, sources, execution);
    page.push("</section>\n");
}

/// The same below a heading of its own.
pub(super) fn told_run(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    execution: &Execution,
) {
    let machine = machine(program, execution);
    let found = Reordering::of(program, &execution.computation);
    let (steps, marks) = reordered(&machine, execution, found.as_ref());
    run(page, program, sources, execution, &machine, &steps, &marks);
    page.push("<h3>How it ends</h3>\n");
    page.preformatted(&run_text::ending(program, sources, execution, &machine));
    if let Some(found) = &found {
        page.push("<h3>What happens before what</h3>\n");
        if !found.cycle.is_empty() {
            page.paragraph(CYCLE);
        }
        page.picture(&of_reordered(program, sources, execution, found));
    }
}

/// The place of an error that ends a run.
fn ending_mark(machine: &Machine<'_>, execution: &Execution) -> Marks {
    match &execution.ending {
        analysis::Ending::Fault { thread, edge, fault }
        | analysis::Ending::Limit { thread, edge, fault } => {
            let template = machine.template(*thread);
            let name = &machine.threads()[*thread].name;
            vec![(template.edge(*edge).span, format!("{name}: {}", template.why(*edge, *fault)))]
        }
        analysis::Ending::Terminated
        | analysis::Ending::Goal
        | analysis::Ending::StepLimit
        | analysis::Ending::History(_)
        | analysis::Ending::Deadlock(_) => Vec::new(),
    }
}

/// A repair.
pub fn fence(file: &str, sources: &Sources, answer: &FenceAnswer) -> Page {
    let mut page = Page::new(file);
    let word = crate::fence::word(answer.verdict());
    let why = fence_text::summary(sources, answer);
    page.verdicts(&[(format!("{} under TSO", answer.enforced.name()), word, why, None)]);
    match &answer.outcome {
        FenceOutcome::Repaired { .. } => {
            let texts = answer.texts.as_deref().unwrap_or_default();
            if !texts.is_empty() {
                page.heading("The repaired program");
            }
            for (source, text) in texts {
                page.push(&changed(sources, *source, text));
            }
            let why = fence_text::reasons(sources, answer);
            if !why.trim().is_empty() {
                page.heading("Why");
                page.preformatted(&why);
            }
            for picture in &of_fence(sources, answer) {
                page.picture(picture);
            }
        }
        FenceOutcome::Unrepairable { shown_by, .. } => {
            if let Some((program, evidence)) = shown_by.as_deref() {
                violation(&mut page, program, sources, evidence, "What stays");
                page.push("</section>\n");
            }
        }
        FenceOutcome::Undecided { .. } => {}
    }
    notes(&mut page, &answer.notes, sources);
    page
}

/// Static critical cycles, and the fences against them.
pub fn cycles(file: &str, sources: &Sources, answer: &CyclesAnswer) -> Page {
    let mut page = Page::new(file);
    let word = cycles_text::word(answer);
    let asked = format!("robustness on {} (static)", answer.arch.name());
    let remark = with_accepted(None, sources, answer.accepted.as_ref());
    page.verdicts(&[(asked, word, cycles_text::summary(answer), remark)]);
    let texts = answer.texts.as_deref().unwrap_or_default();
    if !texts.is_empty() {
        page.heading("The repaired program");
    }
    for (source, text) in texts {
        page.push(&changed(sources, *source, text));
    }
    let marks = delay_marks(answer);
    let source = marked(sources, &marks, &Marks::new());
    if !source.is_empty() {
        page.heading("Source");
        page.paragraph(
            "Marked are the accesses on critical cycles, with the numbers of the cycles below.",
        );
        page.push(&source);
    }
    page.heading("Details");
    let details = cycles_text::render(file, sources, answer, None);
    page.preformatted(&crate::terminal::text(&details, false));
    let pictures = cycles_picture::of_answer(sources, answer);
    if !pictures.is_empty() {
        page.heading("Critical cycles");
        page.paragraph(
            "Each cycle goes through the accesses of its threads. The machine may reorder the two accesses of the \
             thick arrow, and then the cycle can happen.",
        );
    }
    for picture in &pictures {
        page.picture(picture);
    }
    notes(&mut page, &answer.notes, sources);
    page
}

/// What is said at the accesses of the cycles that are drawn.
fn delay_marks(answer: &CyclesAnswer) -> Marks {
    let mut marks = Marks::new();
    for (number, cycle) in cycles_picture::shown(answer).into_iter().enumerate() {
        for (at, visit) in cycle.iter().enumerate() {
            let accesses = std::iter::once((&visit.first, "first"))
                .chain(visit.second.as_ref().map(|second| (second, "second")));
            for (access, which) in accesses {
                let cell = cycles_text::memory(access);
                let does = cycles_text::letter(access.direction);
                // A cycle begins with what the machine may reorder.
                let role = match (at, which, visit.second.is_some()) {
                    (0, "first", true) => ", which may be overtaken",
                    (0, "second", true) => ", which may overtake",
                    _ => "",
                };
                marks.push((access.span, format!("cycle {}: {does} {cell}{role}", number + 1)));
            }
        }
    }
    marks
}

pub(super) fn line_of(sources: &Sources, span: Span) -> String {
    span.source.map_or_else(String::new, |source| {
        format!(" in line {}", sources.line_column(source, span.start).0)
    })
}

pub(super) fn notes(page: &mut Page, notes: &[Note], sources: &Sources) {
    if notes.is_empty() {
        return;
    }
    page.heading("Notes");
    page.push("<ul class=\"notes\">\n");
    for note in notes {
        let line = line_of(sources, note.span);
        let line = line.strip_prefix(" in ").map_or_else(String::new, |line| format!("{line}: "));
        page.push(&format!("<li>{}{}</li>\n", escaped(&line), escaped(&note.text)));
    }
    page.push("</ul>\n");
}

const fn model_word(model: Model) -> &'static str {
    match model {
        Model::Sc => "SC",
        Model::Tso => "TSO",
    }
}
