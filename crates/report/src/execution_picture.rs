//! Candidate executions of axiomatic models as pictures: what closes a forbidden cycle stands out.

use analysis::final_states::Witness;
use axiomatic::event::{Effect, Event};
use axiomatic::{Execution, Violation};
use frontend::fw::Notation;
use program::{Program, Sources, Span, ThreadId};
use workspace::Shown;

use crate::cycles_text;
use crate::execution_text::letter;
use crate::outcomes::relations;
use crate::picture::{Arrow, Column, EventBox, Picture};

/// The execution that leads to the state asked for, or those that are forbidden. Nothing if there is no graph
/// to draw: what was explored has runs.
pub(crate) fn of_shown(program: &Program, sources: &Sources, asked: &Shown) -> Vec<Picture> {
    match (&asked.found, &asked.why_not) {
        (Some((_, Witness::Graph(found))), _) => {
            let title = format!("{}: an execution that ends like this", asked.condition);
            vec![of_execution(program, sources, found, None, title)]
        }
        (None, Some(why)) => why
            .kinds
            .values()
            .map(|(execution, violation)| {
                let title = format!("forbidden: {}", violation.axiom);
                of_execution(program, sources, execution, Some(violation), title)
            })
            .collect(),
        (Some((_, Witness::Run(_))) | None, _) => Vec::new(),
    }
}

pub(crate) fn of_execution(
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    violation: Option<&Violation>,
    title: String,
) -> Picture {
    let notation = Notation::new(program);
    let threads = program.threads().unwrap_or_default();
    let cycle = violation.map_or(&[][..], |violation| &violation.cycle);
    let on_cycle = |event: usize| cycle.iter().any(|(from, _, to)| *from == event || *to == event);
    let column = |thread: Option<ThreadId>, name: &str| {
        let events = execution.events.iter().enumerate();
        let boxes = events.filter(|(_, event)| event.thread == thread).map(|(number, event)| {
            let edge = thread.and_then(|thread| threads.get(thread)).zip(event.edge).map(
                |(thread, edge)| (thread.template, program.template(thread.template).edge(edge)),
            );
            let line = edge.and_then(|(_, edge)| Some((edge.span.source?, edge.span.start)));
            EventBox {
                id: letter(number),
                line: line.map_or_else(String::new, |(source, at)| {
                    sources.line_column(source, at).0.to_string()
                }),
                code: edge.map_or_else(String::new, |(template, edge)| {
                    notation.instruction(template, edge)
                }),
                effect: format!("{}: {}", letter(number), does(program, event)),
                is_shown: on_cycle(number),
            }
        });
        Column { name: name.to_owned(), boxes: boxes.collect() }
    };
    let mut columns = vec![column(None, "initially")];
    columns.extend(threads.enumerate().map(|(thread, data)| column(Some(thread), &data.name)));
    let mut arrows = Vec::new();
    let is_shown = |from: usize, to: usize| cycle.iter().any(|(a, _, b)| (*a, *b) == (from, to));
    let next_in_thread = execution.po.pairs().filter(|(from, to)| to - from == 1);
    let program_order = ("po", next_in_thread.collect::<Vec<_>>());
    for (name, pairs) in std::iter::once(program_order).chain(relations(execution)) {
        for (from, to) in pairs.into_iter().filter(|(from, to)| !is_shown(*from, *to)) {
            arrows.push(Arrow::new(letter(from), letter(to), name, false));
        }
    }
    arrows.extend(
        cycle.iter().map(|(from, name, to)| Arrow::new(letter(*from), letter(*to), name, true)),
    );
    Picture { title, columns, arrows, omitted: 0 }
}

/// An event where it stands in the source.
pub(crate) struct Happening {
    pub(crate) span: Span,
    /// What it is called, and what it does.
    pub(crate) said: String,
    /// Whether it is on the cycle that forbids the execution.
    pub(crate) is_shown: bool,
}

/// The events of the threads.
pub(crate) fn happenings(
    program: &Program,
    execution: &Execution,
    violation: Option<&Violation>,
) -> Vec<Happening> {
    let threads = program.threads().unwrap_or_default();
    let cycle = violation.map_or(&[][..], |violation| &violation.cycle);
    let events = execution.events.iter().enumerate().filter_map(|(number, event)| {
        let thread = event.thread.and_then(|thread| threads.get(thread))?;
        Some(Happening {
            span: program.template(thread.template).edge(event.edge?).span,
            said: format!("{}: {}", letter(number), does(program, event)),
            is_shown: cycle.iter().any(|(from, _, to)| *from == number || *to == number),
        })
    });
    events.collect()
}

/// What an event does, in the notation of the literature.
fn does(program: &Program, event: &Event) -> String {
    let cell = |address| program.memory().cell_name(address);
    match event.effect {
        Effect::Read { address, value } => format!("R {}={value}", cell(address)),
        Effect::Write { address, value } => format!("W {}={value}", cell(address)),
        Effect::Fence(kind) => format!("F {}", cycles_text::kind(kind)),
        Effect::FailedExclusive => "fails".to_owned(),
    }
}
