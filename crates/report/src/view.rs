//! A state of a program as people look at it, and what a step does, in the words of the program: for whoever
//! shows a run step by step, a page or a terminal.

use std::collections::BTreeSet;

use program::{EdgeId, Program, Sources, Span, ThreadId, Value};
use semantics::{Control, Machine, State, Step, ThreadState};
use workspace::{Life, life};

use crate::fence::excerpt;
use crate::narrator::{Narrator, abridged, is_of_translation};

/// Somebody who looks at the states of a program.
pub struct View<'a> {
    narrator: Narrator<'a>,
}

/// A thread as it is seen in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenThread {
    /// Where it is, in words.
    pub at: String,
    /// What comes next there, or what stopped it.
    pub span: Span,
    /// Its registers that have a name in the program, and their values: not those that a compiler made, whose names
    /// begin with `%`.
    pub registers: Vec<(String, Value)>,
    /// The stores that wait in its buffer, oldest first; of a long one those at its ends.
    pub buffer: Vec<String>,
}

impl<'a> View<'a> {
    /// A view of the states of this machine.
    pub fn new(program: &'a Program, sources: &'a Sources, machine: &'a Machine<'a>) -> Self {
        Self { narrator: Narrator::new(program, sources, machine) }
    }

    pub(crate) const fn narrator(&self) -> &Narrator<'a> {
        &self.narrator
    }

    /// What a step does: the instruction, two spaces, and what happens there.
    pub fn tell(&self, step: &Step, before: &State, after: &State) -> String {
        self.narrator.tell(step, before, after)
    }

    /// Whether a step is only part of a statement of C or Rust, between accesses to memory.
    pub fn goes_without_saying(&self, step: &Step) -> bool {
        self.narrator.goes_without_saying(step)
    }

    /// An instruction as it is written in the program.
    pub fn instruction(&self, thread: ThreadId, edge: EdgeId) -> String {
        self.narrator.written(thread, edge)
    }

    /// The line of an instruction; empty if it stands in no text.
    pub fn line_of(&self, thread: ThreadId, edge: EdgeId) -> String {
        self.narrator.line_of(thread, edge)
    }

    /// The line of what a step executes; empty for a store that reaches memory.
    pub fn line(&self, step: &Step) -> String {
        self.narrator.line(step)
    }

    /// The cells that steps read or write.
    pub fn touched<'s>(&self, steps: impl IntoIterator<Item = &'s Step>) -> BTreeSet<Value> {
        let machine = self.narrator.machine;
        let mut cells = BTreeSet::new();
        for action in steps.into_iter().flat_map(|step| &step.actions) {
            cells.extend(crate::check::address(action));
        }
        cells.retain(|address| machine.in_memory(&machine.initial(), *address).is_some());
        cells
    }

    /// Those of some cells that are variables of the program, by name, and what memory holds there.
    pub fn memory(&self, state: &State, cells: &BTreeSet<Value>) -> Vec<(String, Value)> {
        let memory = self.narrator.program.memory();
        let cell = |address: &Value| {
            let value = self.narrator.machine.in_memory(state, *address)?;
            Some((memory.cell_name(*address), value)).filter(|(name, _)| !is_of_translation(name))
        };
        cells.iter().filter_map(cell).collect()
    }

    /// Where a thread is whose next step is about its own life.
    fn life(&self, own: &ThreadState, thread: ThreadId, edge: EdgeId) -> Option<&'static str> {
        let (program, machine) = (self.narrator.program, self.narrator.machine);
        let (address, _) = machine.template(thread).edge(edge).instruction.memory_access()?;
        let address = address.evaluate(program.memory(), own.registers()).ok()?;
        let name = &machine.threads()[thread].name;
        match life(&program.memory().cell_name(address))? {
            Life::Start(of) if of == name => Some("has not started"),
            Life::End(of) if of == name => Some("about to end"),
            Life::Start(_) | Life::End(_) => None,
        }
    }

    /// A thread in a state.
    pub fn thread(&self, state: &State, thread: ThreadId) -> SeenThread {
        let own = state.thread(thread);
        let template = self.narrator.machine.template(thread);
        let (span, at) = match own.control() {
            Control::At(label) => match template.outgoing(label).next() {
                None => (Span::NONE, "has ended".to_owned()),
                Some(edge) => {
                    let span = template.edge(edge).span;
                    let code = excerpt(self.narrator.sources, span);
                    let is_written = !code.is_empty();
                    let code =
                        if is_written { code } else { self.narrator.instruction(thread, edge) };
                    let life = self.life(own, thread, edge).map(str::to_owned);
                    (span, life.unwrap_or_else(|| format!("next: {code}")))
                }
            },
            Control::Stopped { edge, fault } => {
                (template.edge(edge).span, format!("stopped: {}", template.why(edge, fault)))
            }
        };
        let has_code = self.narrator.sources.have_code();
        let registers = own.registers().enumerate().filter_map(|(register, value)| {
            let data = &template.registers()[register];
            let is_of_compiler = has_code && data.name.starts_with('%');
            (!data.generated && !is_of_compiler).then(|| (data.name.clone(), *value))
        });
        let memory = self.narrator.program.memory();
        SeenThread {
            at,
            span,
            registers: registers.collect(),
            buffer: abridged(own.buffer().iter(), |write| {
                format!("{} = {}", memory.cell_name(write.address), write.value)
            }),
        }
    }
}
