//! A run of a program, for people: who does what in which order, and what waits in the buffers.

use std::fmt::Write;

use analysis::{Ending, Execution, Waiting, final_state};
use program::{Diagnostic, Program, Sources};
use semantics::{Machine, Move, NotEnabled, State};

use crate::diagnostics;
use crate::history_text;
use crate::narrator::{Narrator, is_of_translation};
use crate::pointers;
use crate::reordering::{Reordering, legend};

/// The steps of a run, one per line, and how it ended.
pub fn render(
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    machine: &Machine<'_>,
    colour: bool,
) -> String {
    let narrator = Narrator::new(program, sources, machine);
    let steps = narrator.reordered(execution);
    format!("{steps}\n{}", narrator.end(execution, colour))
}

/// How a run ended, without colours.
pub(crate) fn ending(
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    machine: &Machine<'_>,
) -> String {
    Narrator::new(program, sources, machine).end(execution, false)
}

impl Narrator<'_> {
    /// The steps of a run, those marked that no SC run makes in this order.
    pub(crate) fn reordered(&self, execution: &Execution) -> String {
        let found = Reordering::of(self.machine.program(), &execution.computation);
        let marks = found.map_or_else(Vec::new, |found| found.marks());
        self.steps(&execution.computation.steps, &marks) + &legend(&marks)
    }

    /// What is so in the end.
    fn end(&self, execution: &Execution, colour: bool) -> String {
        let mut text = self.memory(&execution.last);
        text.push_str(&self.final_state(execution));
        let steps = execution.computation.steps.len();
        text.push_str(&self.ending(&execution.ending, steps, colour));
        text
    }

    /// The cells that do not hold what they started with.
    fn memory(&self, state: &State) -> String {
        let cells: Vec<String> = state
            .changed_memory()
            .iter()
            .map(|(address, value)| (self.program.memory().cell_name(*address), *value))
            .filter(|(name, _)| !is_of_translation(name))
            .map(|(name, value)| {
                format!("{name} = {}", pointers::told(self.program.memory(), value))
            })
            .collect();
        if cells.is_empty() {
            return "memory is unchanged\n".to_owned();
        }
        format!("memory at the end: {}\n", cells.join(", "))
    }

    pub(crate) fn ending(&self, ending: &Ending, steps: usize, colour: bool) -> String {
        match ending {
            Ending::Terminated => "every thread has ended\n".to_owned(),
            Ending::StepLimit => format!("stopped after {steps} steps\n"),
            Ending::Goal => "this is what was looked for\n".to_owned(),
            Ending::History(history) => history_text::lines(history, self.machine),
            Ending::Deadlock(waiting) => {
                let mut text = "deadlock: no thread can take a step\n".to_owned();
                for one in waiting {
                    text.push_str(&self.waiting(one));
                }
                text
            }
            Ending::Limit { thread, edge, fault } => {
                let name = &self.machine.threads()[*thread].name;
                let instruction = self.instruction(*thread, *edge);
                format!("undecided: {name}, {instruction}: {fault}\n")
            }
            Ending::Fault { thread, edge, fault } => {
                let name = &self.machine.threads()[*thread].name;
                let why = pointers::why(self.machine, *thread, *edge, *fault);
                let error = Diagnostic::new(self.span(*thread, *edge), format!("{name}: {why}"))
                    .label("here");
                let rendered = diagnostics::render(&[error], self.sources, colour);
                format!("\n{}\n", rendered.trim_end())
            }
        }
    }

    /// What the program asks about, where every thread has ended.
    fn final_state(&self, execution: &Execution) -> String {
        let Some(state) = final_state(self.program, execution) else { return String::new() };
        let seen: Vec<String> = state
            .seen
            .iter()
            .map(|(seen, value)| {
                format!("{} = {value}", self.notation.observable(self.program, *seen))
            })
            .collect();
        let mut text = String::new();
        if !seen.is_empty() {
            let _ = writeln!(text, "asked about: {}", seen.join(", "));
        }
        if !state.counts {
            text.push_str("the filter leaves this final state out\n");
        } else if let Some((quantifier, holds)) = state.condition {
            let holds = if holds { "true" } else { "false" };
            let _ = writeln!(text, "what follows `{quantifier}` is {holds} here");
        }
        text
    }

    /// Where a thread waits, in the words of its author: labels and instructions are the translation's.
    fn waiting_in_code(&self, waiting: &Waiting) -> String {
        let name = &self.machine.threads()[waiting.thread].name;
        let mut places: Vec<String> = Vec::new();
        for (taken, _) in &waiting.blocked {
            let Move::Execute { thread, edge, .. } = taken else { continue };
            let (line, written) = (self.line_of(*thread, *edge), self.written(*thread, *edge));
            let place = if line.is_empty() { written } else { format!("line {line}: {written}") };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        match places.as_slice() {
            [] => format!("  {name} waits in a loop\n"),
            places => format!("  {name} waits at {}\n", places.join(", or ")),
        }
    }

    fn waiting(&self, waiting: &Waiting) -> String {
        let name = &self.machine.threads()[waiting.thread].name;
        if self.sources.have_code() {
            return self.waiting_in_code(waiting);
        }
        let template = self.machine.template(waiting.thread);
        let label = &template.labels()[waiting.label];
        let loops = if waiting.blocked.is_empty() { ", waiting in a loop" } else { "" };
        let mut lines =
            template.outgoing(waiting.label).map(|edge| self.line_of(waiting.thread, edge));
        let line = lines.find(|line| !line.is_empty());
        let place = match line.filter(|_| label.generated && self.sources.have_code()) {
            Some(line) => format!("line {line}"),
            None => label.name.clone(),
        };
        let mut text = format!("  {name} at {place}{loops}\n");
        for (taken, reason) in &waiting.blocked {
            let reason = if let NotEnabled::MemoryLocked { by } = reason {
                format!("{} holds the memory lock", self.machine.threads()[*by].name)
            } else {
                reason.to_string()
            };
            if let Move::Execute { thread, edge, .. } = taken {
                let _ = writeln!(text, "    {}: {reason}", self.instruction(*thread, *edge));
            } else {
                let _ = writeln!(text, "    its buffer: {reason}");
            }
        }
        text
    }
}
