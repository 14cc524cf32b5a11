//! A run as a stepper: each thread's position, registers and buffer, and memory, at every step.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::index::Idx;
use program::{Program, Sources, Span, ThreadId, Value};
use semantics::{Control, Machine, Model, Move, State, Step};
use serde::Serialize;

use super::source::index;
use crate::fence::excerpt;
use crate::narrator::Narrator;
use crate::svg::escaped;

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
    let narrator = Narrator::new(program, sources, machine);
    let mut passed = Vec::new();
    let cells = touched(machine, steps);
    let threads: Vec<String> = machine.threads().iter().map(|thread| thread.name.clone()).collect();
    let mut state = machine.initial();
    let mut states = vec![shown(&narrator, &state, &cells)];
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
            states.push(shown(&narrator, &next, &cells));
        } else if let Some(last) = states.last_mut() {
            // What goes without saying belongs to the step before.
            *last = shown(&narrator, &next, &cells);
        }
        state = next;
    }
    let start = shown_steps.iter().position(|step| !step.mark.is_empty()).map_or(0, |at| at + 1);
    let data =
        Data { threads, steps: shown_steps, states, buffers: machine.model() == Model::Tso, start };
    (html(&data), passed)
}

/// The cells that a run reads or writes.
fn touched(machine: &Machine<'_>, steps: &[Step]) -> BTreeSet<Value> {
    let mut cells = BTreeSet::new();
    for action in steps.iter().flat_map(|step| &step.actions) {
        cells.extend(crate::check::address(action));
    }
    cells.retain(|address| machine.in_memory(&machine.initial(), *address).is_some());
    cells
}

fn shown(narrator: &Narrator<'_>, state: &State, cells: &BTreeSet<Value>) -> ShownState {
    let memory = narrator.program.memory();
    let cell = |address: &Value| {
        let value = narrator.machine.in_memory(state, *address)?;
        Some((memory.cell_name(*address), value.to_string()))
    };
    let threads = narrator.machine.threads().indices();
    ShownState {
        threads: threads.map(|thread| shown_thread(narrator, state, thread)).collect(),
        memory: cells.iter().filter_map(cell).collect(),
    }
}

fn shown_thread(narrator: &Narrator<'_>, state: &State, thread: ThreadId) -> ShownThread {
    let own = state.thread(thread);
    let template = narrator.machine.template(thread);
    let (span, at) = match own.control() {
        Control::At(label) => match template.outgoing(label).next() {
            None => (Span::NONE, "has ended".to_owned()),
            Some(edge) => {
                let span = template.edge(edge).span;
                let code = excerpt(narrator.sources, span);
                let code = if code.is_empty() { narrator.instruction(thread, edge) } else { code };
                (span, format!("next: {code}"))
            }
        },
        Control::Stopped { edge, fault } => {
            (template.edge(edge).span, format!("stopped: {}", template.why(edge, fault)))
        }
    };
    let registers = own.registers().enumerate().filter_map(|(register, value)| {
        let data = &template.registers()[register];
        (!data.generated).then(|| (data.name.clone(), value.to_string()))
    });
    let memory = narrator.program.memory();
    let buffer = own.buffer().iter();
    ShownThread {
        at,
        file: span.source.map(index),
        line: span.source.map_or(0, |source| narrator.sources.line_column(source, span.start).0),
        registers: registers.collect(),
        buffer: buffer
            .map(|write| format!("{} = {}", memory.cell_name(write.address), write.value))
            .collect(),
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
