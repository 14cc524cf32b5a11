//! Executions in DOT: a column for each thread, events from top to bottom, relations between them. What
//! closes a forbidden cycle is red.

use std::fmt::Write;

use analysis::final_states::Witness;
use axiomatic::event::{Effect, Event};
use axiomatic::{Execution, Violation};
use program::{Program, ThreadId};
use workspace::OutcomesAnswer;

use crate::dot::quoted;
use crate::execution_text::letter;
use crate::outcomes::relations;

/// The execution that leads to the state asked for, or those that are forbidden. Nothing if there is no graph
/// to draw: what was explored has runs.
pub fn render(program: &Program, answer: &OutcomesAnswer) -> Option<String> {
    let asked = answer.shown.as_ref()?;
    let mut text = format!("digraph {} {{\n", quoted(program.name()));
    text.push_str("  node [shape=plaintext, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\"];\n");
    match (&asked.found, &asked.why_not) {
        (Some((_, Witness::Graph(found))), _) => graph(&mut text, program, found, 0, None),
        (None, Some(why)) if !why.kinds.is_empty() => {
            for (number, (execution, violation)) in why.kinds.values().enumerate() {
                graph(&mut text, program, execution, number, Some(violation));
            }
        }
        (Some((_, Witness::Run(_))) | None, _) => return None,
    }
    text.push_str("}\n");
    Some(text)
}

fn graph(
    text: &mut String,
    program: &Program,
    execution: &Execution,
    number: usize,
    violation: Option<&Violation>,
) {
    let node = |event: usize| format!("e{number}_{event}");
    let threads = program.threads().unwrap_or_default();
    let _ = writeln!(text, "  subgraph cluster_{number} {{");
    if let Some(violation) = violation {
        let label = format!("forbidden: {}", violation.axiom);
        let _ = writeln!(text, "    label={};", quoted(&label));
    }
    let column = |text: &mut String, thread: Option<ThreadId>, name: &str, at: usize| {
        let _ = writeln!(text, "    subgraph cluster_{number}_{at} {{");
        let _ = writeln!(text, "      label={};", quoted(name));
        let events = execution.events.iter().enumerate();
        for (event, data) in events.filter(|(_, event)| event.thread == thread) {
            let label = format!("{}: {}", letter(event), does(program, data));
            let _ = writeln!(text, "      {} [label={}];", node(event), quoted(&label));
        }
        text.push_str("    }\n");
    };
    column(text, None, "initially", 0);
    for (at, (thread, data)) in threads.enumerate().enumerate() {
        column(text, Some(thread), &data.name, at + 1);
    }
    let cycle = violation.map_or(&[][..], |violation| &violation.cycle);
    let is_red = |from: usize, to: usize| cycle.iter().any(|(a, _, b)| (*a, *b) == (from, to));
    let next_in_thread = execution.po.pairs().filter(|(from, to)| to - from == 1);
    let program_order = ("po", next_in_thread.collect::<Vec<_>>());
    for (name, pairs) in std::iter::once(program_order).chain(relations(execution)) {
        for (from, to) in pairs.into_iter().filter(|(from, to)| !is_red(*from, *to)) {
            let (from, to) = (node(from), node(to));
            let _ = writeln!(text, "    {from} -> {to} [label={}];", quoted(name));
        }
    }
    for (from, name, to) in cycle {
        let (from, to) = (node(*from), node(*to));
        let red = "color=red, fontcolor=red, penwidth=2";
        let _ = writeln!(text, "    {from} -> {to} [label={}, {red}];", quoted(name));
    }
    text.push_str("  }\n");
}

/// What an event does, in the notation of the literature.
fn does(program: &Program, event: &Event) -> String {
    let cell = |address| program.memory().cell_name(address);
    match event.effect {
        Effect::Read { address, value } => format!("R {}={value}", cell(address)),
        Effect::Write { address, value } => format!("W {}={value}", cell(address)),
        Effect::Fence(kind) => format!("F {kind:?}"),
        Effect::FailedExclusive => "fails".to_owned(),
    }
}
