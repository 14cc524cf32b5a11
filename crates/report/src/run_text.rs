//! A run of a program, for people: who does what in which order, and what waits in the buffers.

use std::fmt::Write;

use analysis::{Ending, Execution, Waiting, final_state};
use frontend::fw::Notation;
use program::{Diagnostic, EdgeId, Program, Sources, Span, ThreadId};
use semantics::{Action, Machine, Model, Move, NotEnabled, State, Step};

use crate::diagnostics;
use crate::table::{align, width};

/// The widest text in which each thread has a column of its own.
const WIDEST: usize = 120;

/// The steps of a run, one per line, and how it ended.
pub fn render(
    program: &Program,
    sources: &Sources,
    execution: &Execution,
    machine: &Machine<'_>,
    colour: bool,
) -> String {
    let narrator = Narrator { program, sources, machine, notation: Notation::new(program) };
    let mut text = narrator.steps(&execution.computation.steps);
    text.push('\n');
    text.push_str(&narrator.memory(&execution.last));
    text.push_str(&narrator.final_state(execution));
    text.push_str(&narrator.ending(&execution.ending, execution.computation.steps.len(), colour));
    text
}

struct Narrator<'a> {
    program: &'a Program,
    sources: &'a Sources,
    machine: &'a Machine<'a>,
    notation: Notation,
}

/// A step as it is told.
#[derive(Clone, PartialEq, Eq)]
struct Told {
    thread: ThreadId,
    line: String,
    what: String,
    buffers: String,
}

/// How many steps from the first on are made how often in a row: waiting threads go round and round.
fn repetition(told: &[Told]) -> (usize, usize) {
    /// The longest round that is looked for.
    const LONGEST: usize = 8;
    for length in 1..=LONGEST.min(told.len() / 3) {
        let round = &told[..length];
        let times = told.chunks_exact(length).take_while(|chunk| *chunk == round).count();
        if times > 2 {
            return (length, times);
        }
    }
    (1, 1)
}

impl Narrator<'_> {
    /// One column per thread if that is not too wide, otherwise one for all.
    fn steps(&self, steps: &[Step]) -> String {
        let mut state = self.machine.initial();
        let mut told = Vec::new();
        for step in steps {
            let (next, _) = self.machine.apply(&state, step.taken).expect("the run was replayed");
            told.push(Told {
                thread: step.taken.thread(),
                line: self.line(step),
                what: self.tell(step, &state, &next),
                buffers: self.buffers(&next),
            });
            state = next;
        }
        let columns: usize = self
            .machine
            .threads()
            .indices()
            .map(|thread| {
                let own = told.iter().filter(|told| told.thread == thread);
                2 + own.map(|told| width(&told.what)).max().unwrap_or(0)
            })
            .sum();
        let buffers = told.iter().map(|told| width(&told.buffers)).max().unwrap_or(0);
        let wide = columns + buffers + 20 > WIDEST;
        let threads = self.machine.threads();
        let mut header = vec!["step".to_owned(), "line".to_owned()];
        if wide {
            header.extend(["thread".to_owned(), "does".to_owned()]);
        } else {
            header.extend(threads.iter().map(|thread| thread.name.clone()));
        }
        header.push(if buffers > 0 { "buffers".to_owned() } else { String::new() });
        let row = |number: usize, Told { thread: mover, line, what, buffers }: &Told| {
            let mut row = vec![(number + 1).to_string(), line.clone()];
            if wide {
                row.extend([threads[*mover].name.clone(), what.clone()]);
            } else {
                let cell = |thread| if thread == *mover { what.clone() } else { String::new() };
                row.extend(threads.indices().map(cell));
            }
            row.push(buffers.clone());
            row
        };
        let mut rows = vec![header];
        let mut next = 0;
        while next < told.len() {
            let (length, times) = repetition(&told[next..]);
            rows.extend((next..next + length).map(|number| row(number, &told[number])));
            next += length;
            if times > 1 {
                let again =
                    Told { what: format!("… {} times more", times - 1), ..told[next].clone() };
                let mut again = row(next, &again);
                again[1].clear();
                rows.push(again);
                next += length * (times - 1);
            }
        }
        align(&rows, 2)
    }

    fn line(&self, step: &Step) -> String {
        match step.taken {
            Move::Execute { thread, edge, .. } => {
                let span = self.machine.template(thread).edge(edge).span;
                match span.source {
                    Some(source) => self.sources.line_column(source, span.start).0.to_string(),
                    None => String::new(),
                }
            }
            Move::Commit { .. } => String::new(),
        }
    }

    /// What a step does, in the words of the program.
    fn tell(&self, step: &Step, before: &State, after: &State) -> String {
        let (thread, edge) = match step.taken {
            Move::Execute { thread, edge, .. } => (thread, edge),
            Move::Commit { .. } => return self.commit(step),
        };
        let template = self.machine.threads()[thread].template;
        let data = self.program.template(template).edge(edge);
        let mut text = self.notation.instruction(template, data);
        // What was assumed held: most assumptions are conditions of an `if` or a loop.
        if let Some(condition) = text.strip_prefix("assume ") {
            text = format!("{condition} holds");
        }
        for action in &step.actions {
            let told = match action {
                Action::Load { address, value } => {
                    let buffered = before
                        .thread(thread)
                        .buffer()
                        .iter()
                        .any(|write| write.address == *address);
                    let from = if buffered { " (from its buffer)" } else { "" };
                    format!("  reads {value}{from}")
                }
                Action::Issue { address, value } if self.machine.model() == Model::Tso => {
                    format!("  {} = {value} waits", self.program.memory().cell_name(*address))
                }
                Action::Locked { read, written, .. } => {
                    let read = read.map_or_else(String::new, |value| format!("  reads {value}"));
                    let written = written.map_or_else(
                        || "  writes nothing".to_owned(),
                        |value| format!("  writes {value}"),
                    );
                    format!("{read}{written}")
                }
                Action::Fault(fault) => format!("  ✗ {fault}"),
                Action::Local => match data.instruction.written_register() {
                    Some(register) => {
                        format!("  is {}", after.thread(thread).registers()[register])
                    }
                    None => String::new(),
                },
                // Under SC a store is issued and reaches memory at once.
                Action::Store { address, value } => {
                    format!("  {} = {value}", self.program.memory().cell_name(*address))
                }
                Action::Issue { .. } | Action::Fence(_) | Action::Lock | Action::Unlock => {
                    String::new()
                }
            };
            text.push_str(&told);
        }
        text
    }

    fn commit(&self, step: &Step) -> String {
        let mut text = String::new();
        for action in &step.actions {
            if let Action::Store { address, value } = action {
                let name = self.program.memory().cell_name(*address);
                let _ = write!(text, "{name} = {value} reaches memory");
            }
        }
        text
    }

    /// What waits in the buffers, oldest first.
    fn buffers(&self, state: &State) -> String {
        let mut parts = Vec::new();
        for (id, thread) in self.machine.threads().enumerate() {
            let writes: Vec<String> = state
                .thread(id)
                .buffer()
                .iter()
                .map(|write| {
                    format!("{}={}", self.program.memory().cell_name(write.address), write.value)
                })
                .collect();
            if !writes.is_empty() {
                parts.push(format!("{}: {}", thread.name, writes.join(" ")));
            }
        }
        parts.join("; ")
    }

    /// The cells that do not hold what they started with.
    fn memory(&self, state: &State) -> String {
        let cells: Vec<String> = state
            .changed_memory()
            .iter()
            .map(|(address, value)| {
                format!("{} = {value}", self.program.memory().cell_name(*address))
            })
            .collect();
        if cells.is_empty() {
            return "memory in the end is as in the beginning\n".to_owned();
        }
        format!("memory in the end: {}\n", cells.join(", "))
    }

    fn ending(&self, ending: &Ending, steps: usize, colour: bool) -> String {
        match ending {
            Ending::Terminated => "every thread has ended\n".to_owned(),
            Ending::StepLimit => format!("stopped after {steps} steps\n"),
            Ending::Goal => "this is what was looked for\n".to_owned(),
            Ending::Deadlock(waiting) => {
                let mut text = "deadlock: nobody can get any further\n".to_owned();
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
                let error = Diagnostic::new(self.span(*thread, *edge), format!("{name}: {fault}"))
                    .label("here");
                let rendered = diagnostics::render(&[error], self.sources, colour);
                format!("\n{}\n", rendered.trim_end())
            }
        }
    }

    fn instruction(&self, thread: ThreadId, edge: EdgeId) -> String {
        let template = self.machine.threads()[thread].template;
        self.notation.instruction(template, self.program.template(template).edge(edge))
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

    fn span(&self, thread: ThreadId, edge: EdgeId) -> Span {
        self.machine.template(thread).edge(edge).span
    }

    fn waiting(&self, waiting: &Waiting) -> String {
        let name = &self.machine.threads()[waiting.thread].name;
        let label = &self.machine.template(waiting.thread).labels()[waiting.label].name;
        let loops = if waiting.blocked.is_empty() { ", waiting in a loop" } else { "" };
        let mut text = format!("  {name} at {label}{loops}\n");
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
