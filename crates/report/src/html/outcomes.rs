//! A page for the final states of a program: what they are, executions that end in them, and why others are
//! forbidden.

use std::fmt::Write;

use analysis::final_states::{FailedRun, Witness};
use axiomatic::{Execution, Violation, WhyNot};
use frontend::Language;
use frontend::fw::Notation;
use program::{Program, Quantifier, Sources};
use workspace::outcomes::model_name;
use workspace::{OutcomesAnswer, Shown};

use super::Page;
use super::answers::{line_of, notes, told_run};
use super::source::{Marks, marked};
use crate::execution_picture::{happenings, of_execution};
use crate::outcomes::{Answer, Place, place, word};
use crate::outcomes_text::{counted_candidates, forbidden_by};
use crate::svg::escaped;

/// How many final states are shown with an execution on a page that is about all of them.
pub const EXECUTIONS: usize = 8;

/// The final states of a program, or one of them with the way there, or why it is forbidden.
pub fn outcomes(
    file: &str,
    program: &Program,
    sources: &Sources,
    (answer, language): (&OutcomesAnswer, Language),
) -> Page {
    let mut page = Page::new(file);
    match &answer.states {
        Err(reason) => {
            page.verdicts(&[(String::new(), "undecided", reason.to_string(), None)]);
            source(&mut page, program, sources);
        }
        Ok(_) => states(&mut page, program, sources, (answer, language)),
    }
    notes(&mut page, &answer.notes, sources);
    page
}

fn states(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    (answer, language): (&OutcomesAnswer, Language),
) {
    let Ok(states) = &answer.states else { return };
    let told = Answer::new(states, (answer.shown.as_ref(), answer.reference), (program, language));
    page.heading(&format!("Final states under {}", model_name(&states.model)));
    let table = table(page, &told, &answer.executions);
    page.push(&table);
    if let Some(doubt) = &told.doubt {
        let why = format!("there may be more: {}", doubt.reason);
        page.verdicts(&[("final states".to_owned(), "undecided", why, None)]);
    }
    if let Some(observed) = states.answer.as_ref().and_then(|answer| answer.observation) {
        let word = word(observed);
        page.paragraph(&format!("The program's condition is true in the final states: {word}."));
    }
    for (number, error) in states.errors.iter().enumerate() {
        let said = escaped(&failed(program, sources, error));
        let has_execution = answer.failures.iter().any(|(of, _)| *of == number);
        let link = if has_execution {
            let anchor = anchor(page, "error", number);
            format!(" (<a href=\"#{anchor}\">execution</a>)")
        } else {
            String::new()
        };
        page.push(&format!("<p>Other runs end with an error{said}{link}</p>\n"));
    }
    if let Some(remark) = told.remark() {
        page.paragraph(remark);
    }
    if let Some(asked) = &answer.shown {
        shown(page, program, sources, asked);
        return;
    }
    if answer.executions.is_empty() && answer.failures.is_empty() {
        source(page, program, sources);
    } else {
        executions(page, program, sources, (&told, answer));
    }
    if let Some(why) = &answer.why_not {
        let is_always = program
            .question()
            .condition
            .as_ref()
            .is_some_and(|(quantifier, _)| *quantifier == Quantifier::Always);
        page.push("<section>\n");
        page.heading(if is_always {
            "Why the condition is always true"
        } else {
            "Why the condition is never true"
        });
        page.preformatted(&Notation::new(program).question(program));
        if is_always {
            page.paragraph("What would have to happen for it to be false:");
        }
        reasons(page, program, sources, why);
        page.push("</section>\n");
    }
}

/// The states, each in a row, with a link to its execution.
fn table(page: &Page, told: &Answer<'_>, executions: &[(usize, Witness)]) -> String {
    let states = told.states;
    let mut html = "<table class=\"states mono\">\n<tr>".to_owned();
    for seen in &states.shown {
        let _ = write!(html, "<th>{}</th>", escaped(&told.words.observable(*seen)));
    }
    let has_weak = states.states.iter().any(|state| state.only_weak == Some(true));
    for _ in 0..usize::from(has_weak) + usize::from(!executions.is_empty()) {
        html.push_str("<th></th>");
    }
    html.push_str("</tr>\n");
    for (number, state) in states.states.iter().enumerate() {
        let is_weak = state.only_weak == Some(true);
        html.push_str(if is_weak { "<tr class=\"weak\">" } else { "<tr>" });
        for (seen, value) in states.shown.iter().zip(&state.values) {
            let _ = write!(html, "<td>{}</td>", escaped(&told.words.value(*seen, *value)));
        }
        if is_weak {
            let _ = write!(html, "<td>not under {}</td>", told.reference.shown());
        } else if has_weak {
            html.push_str("<td></td>");
        }
        if executions.iter().any(|(of, _)| *of == number) {
            let anchor = anchor(page, "state", number);
            let _ = write!(html, "<td><a href=\"#{anchor}\">execution</a></td>");
        } else if !executions.is_empty() {
            html.push_str("<td></td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
    html
}

/// Where an error is, and what is wrong there.
fn failed(program: &Program, sources: &Sources, error: &FailedRun) -> String {
    let Place { thread, span, why } = place(program, error);
    format!("{}: {thread}: {why}", line_of(sources, span))
}

/// What the execution of a state or an error is called in the file, where there may be pages about several programs.
fn anchor(page: &Page, kind: &str, number: usize) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let program: String = page.title.chars().map(letter).collect();
    format!("{kind}-{number}-of-{program}")
}

/// An end that a program comes to, and how.
struct End<'a> {
    anchor: String,
    /// What it is, as HTML.
    said: String,
    /// Whether the reference does not have it.
    is_weak: bool,
    witness: &'a Witness,
}

/// An execution of each state and of each error that has one; the first is open that SC does not have.
fn executions(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    (told, answer): (&Answer<'_>, &OutcomesAnswer),
) {
    let OutcomesAnswer { executions, failures, .. } = answer;
    let all = told.states;
    page.heading("Executions");
    if executions.len() < all.states.len() {
        page.paragraph(&format!(
            "Of {} final states {} are shown with an execution; `--show` shows one of any other.",
            all.states.len(),
            executions.len()
        ));
    }
    let states = executions.iter().map(|(number, witness)| {
        let state = &all.states[*number];
        let values = all.shown.iter().copied().zip(state.values.iter().copied());
        End {
            anchor: anchor(page, "state", *number),
            said: format!("<span class=\"mono\">{}</span>", escaped(&told.state(values))),
            is_weak: state.only_weak == Some(true),
            witness,
        }
    });
    let errors = failures.iter().map(|(number, witness)| {
        let error = &all.errors[*number];
        End {
            anchor: anchor(page, "error", *number),
            said: format!("error{}", escaped(&failed(program, sources, error))),
            is_weak: error.only_weak == Some(true),
            witness,
        }
    });
    let ends: Vec<End<'_>> = states.chain(errors).collect();
    let first = ends.iter().position(|end| end.is_weak).unwrap_or(0);
    for (number, End { anchor, said, is_weak, witness }) in ends.into_iter().enumerate() {
        let weak = if is_weak {
            format!(" <span class=\"weak\">not under {}</span>", told.reference.shown())
        } else {
            String::new()
        };
        let open = if number == first { " open" } else { "" };
        page.push(&format!(
            "<details class=\"execution\" id=\"{anchor}\"{open}>\n\
             <summary>{said}{weak}</summary>\n<section>\n"
        ));
        match witness {
            Witness::Run(run) => told_run(page, program, sources, run),
            Witness::Graph(found) => {
                graph(page, program, sources, (found, None), "an execution that ends like this");
            }
        }
        page.push("</section>\n</details>\n");
    }
}

/// The state that was asked for.
fn shown(page: &mut Page, program: &Program, sources: &Sources, asked: &Shown) {
    page.push("<section>\n");
    let condition = &asked.condition;
    match (&asked.found, &asked.why_not) {
        (Some((_, Witness::Run(execution))), _) => {
            page.heading(&format!("A run to {condition}"));
            told_run(page, program, sources, execution);
        }
        (Some((_, Witness::Graph(found))), _) => {
            page.heading(&format!("An execution with {condition}"));
            let title = format!("{condition}: an execution that ends like this");
            graph(page, program, sources, (found, None), &title);
        }
        (None, why) => {
            page.heading(&format!("Why no final state has {condition}"));
            match why {
                Some(why) => reasons(page, program, sources, why),
                None => source(page, program, sources),
            }
        }
    }
    page.push("</section>\n");
}

/// The kinds of reasons why there is no such state, each with an execution that would lead there.
fn reasons(page: &mut Page, program: &Program, sources: &Sources, why: &WhyNot) {
    let counted = counted_candidates(why);
    if !counted.is_empty() {
        let end = if why.kinds.is_empty() { "." } else { ":" };
        page.paragraph(&format!("{}{end}", counted.trim()));
    }
    if why.kinds.is_empty() {
        source(page, program, sources);
        return;
    }
    page.push("<ol class=\"forbidden mono\">\n");
    for (_, violation) in why.kinds.values() {
        let said = escaped(&forbidden_by(violation));
        page.push(&format!("<li>{said}</li>\n"));
    }
    page.push("</ol>\n");
    page.paragraph(
        "The axiom excludes such cycles. Each is drawn below with thick arrows, in an execution that would end in \
         this state.",
    );
    for (execution, violation) in why.kinds.values() {
        let title = format!("forbidden: {}", violation.axiom);
        graph(page, program, sources, (execution, Some(violation)), &title);
    }
}

/// An execution: its events in the source, those on a cycle that forbids it marked, and its picture.
fn graph(
    page: &mut Page,
    program: &Program,
    sources: &Sources,
    (execution, violation): (&Execution, Option<&Violation>),
    title: &str,
) {
    page.picture(&of_execution(program, sources, execution, violation, title.to_owned()));
    let (mut on_cycle, mut others) = (Marks::new(), Marks::new());
    for happening in happenings(program, execution, violation) {
        let events = if happening.is_shown { &mut on_cycle } else { &mut others };
        events.push((happening.span, happening.said));
    }
    page.push(&marked(sources, &on_cycle, &others));
}

/// The source where there is nothing to say about any of its lines.
fn source(page: &mut Page, program: &Program, sources: &Sources) {
    let edges = program.templates().iter().flat_map(program::Template::edges);
    let lines: Marks = edges.map(|edge| (edge.span, String::new())).collect();
    let text = marked(sources, &Marks::new(), &lines);
    if !text.is_empty() {
        page.heading("Source");
        page.push(&text);
    }
}
