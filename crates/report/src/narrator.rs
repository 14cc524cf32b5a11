//! The steps of a run in the words of the program, one per line.

use std::fmt::Write;

use frontend::fw::Notation;
use program::{EdgeId, Program, Sources, Span, ThreadId, Value};
use semantics::{Action, Event, Machine, Model, Move, Node, State, Step};

use workspace::{Life, life};

use crate::fence::excerpt;
use crate::pointers;
use crate::table::{align, width};

/// The widest text in which each thread has a column of its own.
const WIDEST: usize = 120;

/// Somebody who tells what happens in a run.
pub(crate) struct Narrator<'a> {
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a Sources,
    pub(crate) machine: &'a Machine<'a>,
    pub(crate) notation: Notation,
}

/// A step as it is told.
#[derive(Clone, PartialEq, Eq)]
struct Told {
    thread: ThreadId,
    /// What it is marked with.
    mark: &'static str,
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

/// What is said of each store in a buffer, the oldest first; of a long one those at its ends, so that a run in which buffers
/// grow and grow is no longer to tell than another.
pub(crate) fn abridged<Write>(
    buffer: impl ExactSizeIterator<Item = Write> + DoubleEndedIterator,
    told: impl Fn(Write) -> String,
) -> Vec<String> {
    /// How many are told at each end.
    const AT_EACH_END: usize = 4;
    let mut buffer = buffer;
    let between = buffer.len().saturating_sub(2 * AT_EACH_END);
    // A sign for one store is no shorter than the store.
    if between < 2 {
        return buffer.map(told).collect();
    }
    let mut all: Vec<String> = buffer.by_ref().take(AT_EACH_END).map(&told).collect();
    all.push(format!("… {between} more …"));
    let mut last: Vec<String> = buffer.rev().take(AT_EACH_END).map(&told).collect();
    last.reverse();
    all.append(&mut last);
    all
}

/// Whether a cell is the translation's own, not a variable of the program: how far threads have come.
pub(crate) fn is_of_translation(cell: &str) -> bool {
    life(cell).is_some()
}

/// What a step of a thread does with what the translation keeps of the life of threads.
fn told_life(
    life: Life<'_>,
    own: &str,
    (read, written): (Option<Value>, Option<Value>),
    text: &str,
) -> String {
    let changes = written.is_some() && read != written;
    let said = match life {
        Life::Start(thread) if thread == own => return format!("{thread} starts"),
        Life::End(thread) if thread == own => return format!("{thread} ends"),
        Life::Start(thread) if changes && written == Some(1) => format!("{thread} is created"),
        Life::Start(thread) if changes => format!("{thread} is not created any more"),
        Life::Start(thread) => format!("{thread} was created"),
        Life::End(thread) => format!("{thread} has ended"),
    };
    format!("{text}  {said}").trim_start().to_owned()
}

impl<'a> Narrator<'a> {
    pub(crate) fn new(
        program: &'a Program,
        sources: &'a Sources,
        machine: &'a Machine<'a>,
    ) -> Self {
        Self { program, sources, machine, notation: Notation::new(program) }
    }

    /// The steps, some of them marked: one column per thread if that is not too wide, otherwise one
    /// for all.
    pub(crate) fn steps(&self, steps: &[Step], marks: &[(usize, &'static str)]) -> String {
        let mut state = self.machine.initial();
        let mut told = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let (next, _) = self.machine.apply(&state, step.taken).expect("the run was replayed");
            if self.goes_without_saying(step) && !marks.iter().any(|(at, _)| *at == number) {
                state = next;
                continue;
            }
            told.push(Told {
                thread: step.taken.thread(),
                mark: marks.iter().find(|(at, _)| *at == number).map_or("", |(_, mark)| mark),
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
        let wide = columns + buffers + 20 > crate::terminal::columns().unwrap_or(WIDEST);
        let threads = self.machine.threads();
        let mut header = vec![String::new(), "step".to_owned(), "line".to_owned()];
        if wide {
            header.extend(["thread".to_owned(), "does".to_owned()]);
        } else {
            header.extend(threads.iter().map(|thread| thread.name.clone()));
        }
        header.push(if buffers > 0 { "buffers".to_owned() } else { String::new() });
        let row = |number: usize, Told { thread: mover, mark, line, what, buffers }: &Told| {
            let mut row = vec![(*mark).to_owned(), (number + 1).to_string(), line.clone()];
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
                again[2].clear();
                rows.push(again);
                next += length * (times - 1);
            }
        }
        align(&rows, 2)
    }

    pub(crate) fn line(&self, step: &Step) -> String {
        match step.taken {
            Move::Execute { thread, edge, .. } => self.line_of(thread, edge),
            Move::Commit { .. } => String::new(),
        }
    }

    /// The line of an instruction.
    pub(crate) fn line_of(&self, thread: ThreadId, edge: EdgeId) -> String {
        let span = self.span(thread, edge);
        match span.source {
            Some(source) => self.sources.line_column(source, span.start).0.to_string(),
            None => String::new(),
        }
    }

    /// An instruction as it is written in the program.
    pub(crate) fn written(&self, thread: ThreadId, edge: EdgeId) -> String {
        if self.sources.have_code() {
            excerpt(self.sources, self.span(thread, edge))
        } else {
            self.instruction(thread, edge)
        }
    }

    /// What happened at a node of a trace.
    pub(crate) fn node(&self, node: &Node) -> String {
        let instruction = self.written(node.thread, node.edge);
        let name = |address| self.program.memory().cell_name(address);
        let held = |value| pointers::told(self.program.memory(), value);
        if let Event::Update { address, read, written } = node.event
            && let Some(life) = life(&name(address))
        {
            let own = &self.machine.threads()[node.thread].name;
            return told_life(life, own, (read.map(|(value, _)| value), written), &instruction);
        }
        match node.event {
            Event::Load { address, value, .. } => {
                format!("{instruction}  reads {} = {}", name(address), held(value))
            }
            Event::Store { address, value } => {
                format!("{instruction}  writes {} = {}", name(address), held(value))
            }
            Event::Update { address, read, written } => {
                let read =
                    read.map(|(value, _)| format!("  reads {} = {}", name(address), held(value)));
                let written =
                    written.map(|value| format!("  writes {} = {}", name(address), held(value)));
                format!("{instruction}{}{}", read.unwrap_or_default(), written.unwrap_or_default())
            }
            Event::Fault(fault) => {
                let why = pointers::why(self.machine, node.thread, node.edge, fault);
                format!("{instruction}  ✗ {why}")
            }
            Event::Local | Event::Fence(_) | Event::Lock | Event::Unlock => instruction,
        }
    }

    /// What a step does, in the words of the program.
    pub(crate) fn tell(&self, step: &Step, before: &State, after: &State) -> String {
        let (thread, edge) = match step.taken {
            Move::Execute { thread, edge, .. } => (thread, edge),
            Move::Commit { .. } => return self.commit(step),
        };
        let template = self.machine.threads()[thread].template;
        let data = self.program.template(template).edge(edge);
        if self.sources.have_code() {
            return self.tell_code(thread, edge, step, before);
        }
        let mut text = self.notation.instruction(template, data);
        // What was assumed held: most assumptions are conditions of an `if` or a loop.
        if let Some(condition) = text.strip_prefix("assume ") {
            text = format!("{condition} holds");
        }
        // Where there are several cells, which one.
        let accesses =
            |action: &&Action| matches!(action, Action::Load { .. } | Action::Locked { .. });
        let is_across = step.actions.iter().filter(accesses).count() > 1;
        let of = |address| {
            let name = || format!("{} = ", self.program.memory().cell_name(address));
            if is_across { name() } else { String::new() }
        };
        for action in &step.actions {
            let told = match action {
                Action::Load { address, value } => {
                    let buffered = before
                        .thread(thread)
                        .buffer()
                        .iter()
                        .any(|write| write.address == *address);
                    let from = if buffered { " (from its buffer)" } else { "" };
                    format!("  reads {}{value}{from}", of(*address))
                }
                Action::Issue { address, value } if self.machine.model() == Model::Tso => {
                    format!("  {} = {value} waits", self.program.memory().cell_name(*address))
                }
                Action::Locked { address, read, written } => {
                    let of = of(*address);
                    let read =
                        read.map_or_else(String::new, |value| format!("  reads {of}{value}"));
                    let written = written.map_or_else(
                        || "  writes nothing".to_owned(),
                        |value| format!("  writes {of}{value}"),
                    );
                    format!("{read}{written}")
                }
                Action::Fault(fault) => {
                    format!("  ✗ {}", pointers::why(self.machine, thread, edge, *fault))
                }
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

    /// Whether a step is only part of a statement: what is computed between accesses to memory, and what is
    /// read there that the text does not mention.
    pub(crate) fn goes_without_saying(&self, step: &Step) -> bool {
        let has_text = match step.taken {
            Move::Execute { thread, edge, .. } => self.span(thread, edge).source.is_some(),
            Move::Commit { .. } => true,
        };
        let is_silent = |action: &Action| match action {
            Action::Local => true,
            Action::Load { .. } => !has_text,
            Action::Issue { .. }
            | Action::Store { .. }
            | Action::Locked { .. }
            | Action::Fence(_)
            | Action::Lock
            | Action::Unlock
            | Action::Fault(_) => false,
        };
        self.sources.have_code() && step.actions.iter().all(is_silent)
    }

    /// What a step of a program does whose statements are several steps: the statement, or the part of
    /// it that accesses memory, and what happens there.
    fn tell_code(&self, thread: ThreadId, edge: EdgeId, step: &Step, before: &State) -> String {
        let mut text = excerpt(self.sources, self.span(thread, edge));
        let name = |address| self.program.memory().cell_name(address);
        let held = |value| pointers::told(self.program.memory(), value);
        if let [Action::Locked { address, read, written }] = step.actions.as_slice()
            && let Some(life) = life(&name(*address))
        {
            let own = &self.machine.threads()[thread].name;
            return told_life(life, own, (*read, *written), &text);
        }
        for action in &step.actions {
            let told = match action {
                Action::Load { address, value } => {
                    let mut buffer = before.thread(thread).buffer().iter();
                    let is_buffered = buffer.any(|write| write.address == *address);
                    let from = if is_buffered { " (from its buffer)" } else { "" };
                    format!("  reads {} = {}{from}", name(*address), held(*value))
                }
                Action::Issue { address, value } if self.machine.model() == Model::Tso => {
                    format!("  {} = {} waits", name(*address), held(*value))
                }
                Action::Locked { address, read, written } => match (read, written) {
                    (Some(read), Some(written)) => {
                        format!(
                            "  {} was {}, becomes {}",
                            name(*address),
                            held(*read),
                            held(*written)
                        )
                    }
                    (None, Some(written)) => format!("  {} = {}", name(*address), held(*written)),
                    (Some(read), None) => format!("  reads {} = {}", name(*address), held(*read)),
                    (None, None) => String::new(),
                },
                Action::Store { address, value } => {
                    format!("  {} = {}", name(*address), held(*value))
                }
                Action::Fault(fault) => {
                    format!("  ✗ {}", pointers::why(self.machine, thread, edge, *fault))
                }
                Action::Issue { .. }
                | Action::Fence(_)
                | Action::Lock
                | Action::Unlock
                | Action::Local => String::new(),
            };
            text.push_str(&told);
        }
        text.trim_start().to_owned()
    }

    fn commit(&self, step: &Step) -> String {
        let mut text = String::new();
        for action in &step.actions {
            if let Action::Store { address, value } = action {
                let name = self.program.memory().cell_name(*address);
                let gap = if text.is_empty() { "" } else { "  " };
                let held = pointers::told(self.program.memory(), *value);
                let _ = write!(text, "{gap}{name} = {held} reaches memory");
            }
        }
        text
    }

    /// What waits in the buffers, oldest first.
    fn buffers(&self, state: &State) -> String {
        let mut parts = Vec::new();
        for (id, thread) in self.machine.threads().enumerate() {
            let memory = self.program.memory();
            let writes = abridged(state.thread(id).buffer().iter(), |write| {
                let held = pointers::told(memory, write.value);
                format!("{}={held}", memory.cell_name(write.address))
            });
            if !writes.is_empty() {
                parts.push(format!("{}: {}", thread.name, writes.join(" ")));
            }
        }
        parts.join("; ")
    }

    pub(crate) fn instruction(&self, thread: ThreadId, edge: EdgeId) -> String {
        let template = self.machine.threads()[thread].template;
        self.notation.instruction(template, self.program.template(template).edge(edge))
    }

    pub(crate) fn span(&self, thread: ThreadId, edge: EdgeId) -> Span {
        self.machine.template(thread).edge(edge).span
    }
}
