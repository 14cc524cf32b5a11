//! A run as a stepper: each thread's position, registers and buffer, and memory, at every step.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::index::Idx;
use program::{Program, Sources, Span, Value};
use semantics::{Machine, Model, Move, State, Step};
use serde::Serialize;

use super::source::index;
use crate::svg::escaped;
use crate::view::View;

#[derive(Serialize)]
struct Data {
    threads: Vec<String>,
    steps: Vec<ShownStep>,
    states: Vec<ShownState>,
    /// Whether stores can wait.
    buffers: bool,
    /// The step that is shown first.
    start: usize,
}

#[derive(Serialize)]
struct ShownStep {
    thread: usize,
    line: String,
    what: String,
    mark: &'static str,
}

#[derive(Serialize)]
struct ShownState {
    threads: Vec<ShownThread>,
    memory: Vec<(String, String)>,
}

#[derive(Serialize)]
struct ShownThread {
    /// Where it is, in words.
    at: String,
    file: Option<String>,
    line: usize,
    registers: Vec<(String, String)>,
    buffer: Vec<String>,
}

/// The stepper, and the places that it passes.
pub(super) fn stepper(
    program: &Program,
    sources: &Sources,
    machine: &Machine<'_>,
    steps: &[Step],
    marks: &[(usize, &'static str)],
) -> (String, Vec<Span>) {
    let view = View::new(program, sources, machine);
    let narrator = view.narrator();
    let mut passed = Vec::new();
    let cells = view.touched(steps);
    let threads: Vec<String> = machine.threads().iter().map(|thread| thread.name.clone()).collect();
    let mut state = machine.initial();
    let mut states = vec![shown(&view, &state, &cells)];
    let mut shown_steps = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let (next, _) = machine.apply(&state, step.taken).expect("the run was replayed");
        if let Move::Execute { thread, edge, .. } = step.taken {
            passed.push(narrator.span(thread, edge));
        }
        let mark = marks.iter().find(|(at, _)| *at == number).map_or("", |(_, mark)| mark);
        let is_told = !narrator.goes_without_saying(step) || !mark.is_empty();
        if is_told {
            shown_steps.push(ShownStep {
                thread: step.taken.thread().index(),
                line: narrator.line(step),
                // The instruction, then what happens there.
                what: narrator.tell(step, &state, &next).replacen("  ", " — ", 1),
                mark,
            });
            states.push(shown(&view, &next, &cells));
        } else if let Some(last) = states.last_mut() {
            // What goes without saying belongs to the step before.
            *last = shown(&view, &next, &cells);
        }
        state = next;
    }
    let start = shown_steps.iter().position(|step| !step.mark.is_empty()).map_or(0, |at| at + 1);
    let data =
        Data { threads, steps: shown_steps, states, buffers: machine.model() == Model::Tso, start };
    (html(&data), passed)
}

fn shown(view: &View<'_>, state: &State, cells: &BTreeSet<Value>) -> ShownState {
    let narrator = view.narrator();
    let told = |(name, value): (String, Value)| (name, value.to_string());
    let threads = narrator.machine.threads().indices().map(|thread| {
        let seen = view.thread(state, thread);
        let span = seen.span;
        ShownThread {
            at: seen.at,
            file: span.source.map(index),
            line: span
                .source
                .map_or(0, |source| narrator.sources.line_column(source, span.start).0),
            registers: seen.registers.into_iter().map(told).collect(),
            buffer: seen.buffer,
        }
    });
    ShownState {
        threads: threads.collect(),
        memory: view.memory(state, cells).into_iter().map(told).collect(),
    }
}

fn html(data: &Data) -> String {
    let mut html = "<div class=\"stepper\" tabindex=\"0\" role=\"group\" aria-label=\"the run, step by step\">\n\
         <div class=\"controls\" hidden>\
         <button type=\"button\" data-to=\"first\" aria-label=\"to the beginning\">|◀</button>\
         <button type=\"button\" data-to=\"back\" aria-label=\"one step back\">◀</button>\
         <button type=\"button\" data-to=\"forward\" aria-label=\"one step forward\">▶</button>\
         <button type=\"button\" data-to=\"last\" aria-label=\"to the end\">▶|</button>\
         <input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"><span class=\"count\"></span></div>\n\
         <div class=\"now mono\" aria-live=\"polite\"></div>\n<div class=\"machine\"></div>\n\
         <ol class=\"steps mono\">\n"
        .to_owned();
    for (number, step) in data.steps.iter().enumerate() {
        let _ = writeln!(
            html,
            "<li><span class=\"mark\">{}</span><span class=\"number\">{}</span><span class=\"line\">{}</span>\
             <span>{}</span><span class=\"what\">{}</span></li>",
            step.mark,
            number + 1,
            escaped(&step.line),
            escaped(&data.threads[step.thread]),
            escaped(&step.what)
        );
    }
    html.push_str("</ol>\n<script type=\"application/json\">");
    // In a script nothing ends it but `</script>`, and comments can begin.
    let json = serde_json::to_string(data).expect("names and numbers");
    html.push_str(&json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028"));
    html.push_str("</script>\n</div>\n");
    html
}
