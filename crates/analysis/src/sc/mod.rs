//! The SC semantics of a program as a family of threads that share cells ([`automata::Threads`]).
//!
//! A local state is where a thread is, its registers, whether it holds the memory lock and what it
//! has reserved. Cells are the memory cells that are touched, by address, and the memory lock. A
//! step is one edge, or one choice of an edge. The rules are those of [`program::instruction`] for
//! empty buffers; they are written here a second time, apart from `semantics`, so that a
//! counterexample is found by one reading of the rules and accepted by the other.
//!
//! *Locks.* While a thread holds the memory lock the cell [`Cell::Lock`] holds 1, and whoever else
//! wants to touch memory reads it first.
//!
//! *Reservations.* A memory cell also holds which threads have reserved it, so that a write can end
//! the reservations of others although it knows nothing of their local states. What was reserved
//! last stays in the local state even when the reservation is gone; the cell decides.

mod access_summary;
mod blocks;
mod control_flow;
mod effect;
mod forgetting;
mod liveness;
mod ownership;
mod state_view;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use automata::{Answer, Effect, LocalStep, Mark, Mode, Step, Threads, View};
use explore::Progress;
use program::index::Idx;
use program::{
    EdgeId, IndexVec, Instruction, LabelId, Parameterised, Program, RegisterId, Span, Template,
    TemplateId, Thread, ThreadId, Value,
};
use semantics::{Choice, Control};

use crate::rules::Registers;
use crate::verdict::Reason;

use access_summary::AccessSummary;
pub(crate) use blocks::{Block, Covered, Extent};
pub(crate) use control_flow::{labels_that_can_end, loads_ahead, loop_closing_edges, pivots};
use forgetting::{FORGETTING, Forgettable};
use liveness::Live;
pub(crate) use liveness::LiveUntil;
pub use liveness::dead_results;
use ownership::Ownership;
pub(crate) use ownership::{Claim, Refuted};
pub(crate) use state_view::{StateView, Unpacked};

/// The local state of a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Local {
    pub(crate) control: Control,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    pub(crate) holds_lock: bool,
    /// What the last exclusive load reserved.
    pub(crate) reserved: Option<Extent>,
    /// Which of its objects it has published, as bits ([`ownership`]).
    pub(crate) published: u32,
    /// The claim that it broke: it goes no further.
    pub(crate) trespassed: Option<Claim>,
}

/// A shared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    /// The memory lock.
    Lock,
    /// The memory cell at an address, or the block of cells that begins there ([`blocks`]).
    Memory(Value),
    /// Whether the object of a claim is published ([`ownership`]).
    Published(Claim),
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Content {
    /// A value; 1 for a lock that is held.
    pub(crate) value: Value,
    /// The values of the other cells of a block.
    pub(crate) others: Vec<Value>,
    /// The reservations that stand.
    pub(crate) reserved_by: Vec<Reservation>,
    /// Whether nobody knows any more what it holds ([`forgetting`]).
    pub(crate) is_forgotten: bool,
}

/// A reservation that stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Reservation {
    thread: usize,
    cells: Extent,
}

impl Content {
    pub(crate) const fn of(value: Value) -> Self {
        Self { value, others: Vec::new(), reserved_by: Vec::new(), is_forgotten: false }
    }

    /// With cells that threads have reserved.
    pub(crate) fn reserved(mut self, by: impl IntoIterator<Item = (usize, Extent)>) -> Self {
        self.reserved_by
            .extend(by.into_iter().map(|(thread, cells)| Reservation::of(thread, cells)));
        self
    }
}

/// What a step is called: an edge and the choice made there.
pub(crate) type Name = (EdgeId, Choice);

/// A condition on states of a program under SC.
pub(crate) type StatePredicate<'p> = dyn Fn(&Sc<'p>, &View<'_, Sc<'p>>) -> bool + Sync + 'p;

/// A condition on states.
pub(crate) struct StateCondition<'p> {
    pub(crate) holds: Box<StatePredicate<'p>>,
    /// Whether it does not tell equal threads apart.
    pub(crate) is_symmetric: bool,
    /// Whether it is true only of states in which all threads have ended.
    pub(crate) is_of_ends: bool,
}

/// What is looked for and what is looked at.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Look<'p> {
    /// Whether a fault is a goal; a limit never is, it is noted.
    pub(crate) faults: bool,
    /// Whether dead registers are forgotten.
    pub(crate) forget_dead_registers: bool,
    /// Whether somebody wants to know which copy of a template a thread is.
    pub(crate) tell_copies_apart: bool,
    /// A condition on states, the labels and cells it looks at.
    pub(crate) condition: Option<StateCondition<'p>>,
    pub(crate) visible_labels: Vec<(TemplateId, LabelId)>,
    pub(crate) visible_cells: Vec<Value>,
    /// Registers that somebody looks at from outside.
    pub(crate) registers: Vec<(TemplateId, RegisterId, LiveUntil)>,
    /// Whether memory may have owners, but for these claims ([`ownership`]).
    pub(crate) ownership: Option<BTreeSet<Claim>>,
    /// Whether memory that nobody can get to may be forgotten ([`forgetting`]).
    pub(crate) forgets: bool,
}

impl Look<'_> {
    /// Looks at nothing, and forgets nothing.
    pub(crate) const fn at_nothing() -> Self {
        Self {
            faults: false,
            forget_dead_registers: false,
            tell_copies_apart: false,
            condition: None,
            visible_labels: Vec::new(),
            visible_cells: Vec::new(),
            registers: Vec::new(),
            ownership: None,
            forgets: false,
        }
    }
}

/// Who is told of the progress of a search and can end it.
pub(crate) type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// What is known of a template beforehand.
struct Known {
    live: Option<Live>,
    closes_loop: IndexVec<EdgeId, bool>,
    /// Only some ask for these.
    pivots: OnceLock<IndexVec<LabelId, bool>>,
}

/// A program under SC.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Sc<'p> {
    program: &'p Program,
    threads: IndexVec<ThreadId, Thread>,
    look: Look<'p>,
    known: IndexVec<TemplateId, Known>,
    access_summary: AccessSummary<'p>,
    ownership: Option<Ownership>,
    forgettable: Option<Forgettable>,
    has_locks: bool,
    has_exclusives: bool,
    has_accesses_across: bool,
    /// Whether each thread is a class of its own, and not the copies of a template together.
    tells_copies_apart: bool,
}

impl<'p> Sc<'p> {
    pub(crate) const fn program(&self) -> &'p Program {
        self.program
    }

    /// Whether any thread takes the memory lock.
    pub(crate) const fn has_locks(&self) -> bool {
        self.has_locks
    }

    /// The threads.
    pub(crate) const fn threads(&self) -> &IndexVec<ThreadId, Thread> {
        &self.threads
    }

    /// The registers of a thread in a local state.
    pub(crate) fn registers<'a>(&'a self, class: usize, local: &'a Local) -> Registers<'a> {
        let template = self.program.template(self.template_of(class));
        Registers::of(self.program.memory(), template, &local.registers)
    }

    pub(crate) fn new(program: &'p Program, look: Look<'p>) -> Result<Self, Parameterised> {
        let threads = program.threads()?;
        let known = |(id, template): (TemplateId, &Template)| {
            let looked = |register| {
                let of_it = |(template, one, _): &&(TemplateId, RegisterId, LiveUntil)| {
                    (*template, *one) == (id, register)
                };
                // Always is more than at the end.
                let looks = look.registers.iter().filter(of_it).map(|(_, _, looked)| *looked);
                looks.max()
            };
            Known {
                live: look.forget_dead_registers.then(|| Live::of(template, &looked)),
                closes_loop: control_flow::loop_closing_edges(template),
                pivots: OnceLock::new(),
            }
        };
        let known = program.templates().enumerate().map(known).collect();
        let uses = |what: &dyn Fn(&Instruction) -> bool| {
            let mut edges = program.templates().iter().flat_map(Template::edges);
            edges.any(|edge| what(&edge.instruction))
        };
        let is_lock = |instruction: &Instruction| {
            matches!(instruction, Instruction::Lock | Instruction::Unlock)
        };
        let is_exclusive = |instruction: &Instruction| {
            instruction.memory_access().is_some_and(|(_, access)| access.exclusive)
        };
        let has_exclusives = uses(&is_exclusive);
        // Reservations would need more cells than a step has.
        let ownership = look.ownership.as_ref().filter(|_| !has_exclusives);
        let ownership =
            ownership.map(|wrong| Ownership::of(program, &threads, &look.visible_cells, wrong));
        Ok(Self {
            has_locks: uses(&is_lock),
            has_exclusives,
            has_accesses_across: program.access_across().is_some(),
            // Who reserves a cell must be told apart.
            tells_copies_apart: has_exclusives || look.tell_copies_apart,
            access_summary: AccessSummary::of(program, &threads),
            ownership: ownership.filter(|ownership| !ownership.is_empty()),
            forgettable: (look.forgets && !has_exclusives)
                .then(|| Forgettable::of(program, &look.visible_cells))
                .flatten(),
            program,
            threads,
            look,
            known,
        })
    }

    /// Searches the program. The search is compiled here, once, and not for each kind of watcher.
    pub(crate) fn search(
        &self,
        options: &automata::Options,
        watch: &mut Watch<'_>,
    ) -> (Answer<Local, Name>, automata::Statistics) {
        automata::search(self, options, watch)
    }

    /// The thread of a class if each thread is a class of its own.
    pub(crate) const fn thread_of(&self, class: usize) -> Option<usize> {
        if self.tells_copies_apart { Some(class) } else { None }
    }

    /// Whether a store leaves a label that a load can overtake.
    pub(crate) fn can_pivot(&self, template: TemplateId, label: LabelId) -> bool {
        let pivots = || control_flow::pivots(self.program.template(template));
        self.known[template].pivots.get_or_init(pivots)[label]
    }

    /// Whether anything is reserved.
    pub(crate) const fn has_exclusives(&self) -> bool {
        self.has_exclusives
    }

    /// What a memory cell holds in a state.
    pub(crate) fn held(&self, state: &impl StateView, address: Value) -> Value {
        let block = self.block(address);
        match state.content(Cell::Memory(block.base)) {
            Some(content) => content.held(block, address),
            None => self.program.memory().cell(address).map_or(0, |cell| cell.initial),
        }
    }

    /// Whether the process has ended in a state.
    pub(crate) fn has_ended(&self, state: &impl StateView) -> bool {
        self.program.end_of_process().is_some_and(|address| self.held(state, address) != 0)
    }

    /// The class of a thread.
    pub(crate) fn class_of(&self, thread: ThreadId) -> usize {
        if self.tells_copies_apart { thread.index() } else { self.threads[thread].template.index() }
    }

    pub(crate) fn template_of(&self, class: usize) -> TemplateId {
        match self.thread_of(class) {
            Some(thread) => self.threads[ThreadId::new(thread)].template,
            None => TemplateId::new(class),
        }
    }

    /// Why nothing is known beyond where a thread was stopped.
    pub(crate) fn stopped_by(&self, class: usize, local: &Local) -> Reason {
        match local.control {
            Control::Stopped { edge, .. } => {
                Reason::stopped(self.program.template(self.template_of(class)), edge)
            }
            Control::At(_) => Reason::Overflow { at: Span::NONE },
        }
    }

    /// Forgets the registers that are dead where the thread is.
    pub(crate) fn forget_dead_registers(&self, template: TemplateId, local: &mut Local) {
        if let (Some(live), Control::At(label)) = (&self.known[template].live, local.control) {
            live.forget_dead(label, &mut local.registers);
        }
    }
}

impl Threads for Sc<'_> {
    type Local = Local;
    type Cell = Cell;
    type Content = Content;
    type Name = Name;

    fn classes(&self) -> Vec<usize> {
        self.threads.indices().map(|thread| self.class_of(thread)).collect()
    }

    fn initial(&self, thread: usize) -> Local {
        let thread = &self.threads[ThreadId::new(thread)];
        let template = self.program.template(thread.template);
        let mut local = Local {
            control: Control::At(template.initial()),
            registers: template.initial_registers(thread.copy),
            holds_lock: false,
            reserved: None,
            published: 0,
            trespassed: None,
        };
        self.forget_dead_registers(thread.template, &mut local);
        local
    }

    fn initial_content(&self, cell: Cell) -> Content {
        match cell {
            Cell::Lock | Cell::Published(_) => Content::of(0),
            Cell::Memory(address) => {
                let memory = self.program.memory();
                let initial =
                    |address| memory.cell(address).expect("only cells are touched").initial;
                Content::initial(self.block(address).addresses().map(initial))
            }
        }
    }

    fn steps(&self, class: usize, local: &Local) -> Vec<Step<Cell, Name>> {
        let Control::At(label) = local.control else { return Vec::new() };
        if local.trespassed.is_some() {
            return Vec::new();
        }
        let id = self.template_of(class);
        let template = self.program.template(id);
        let edges = template.outgoing(label);
        let mut steps = Vec::with_capacity(edges.len());
        for edge in edges {
            let closes_loop = self.known[id].closes_loop[edge];
            let mut step = |choice| {
                let name = (edge, choice);
                let mut cells = self.touched(template, local, name);
                self.add_published(class, local, &template.edge(edge).instruction, &mut cells);
                let may_block = self.may_block(&template.edge(edge).instruction, local);
                steps.push(Step { name, cells, may_block, closes_loop });
            };
            match template.edge(edge).instruction {
                Instruction::Choose { register, low, high } => {
                    let live = self.known[id].live.as_ref();
                    let to = template.edge(edge).to;
                    let matters = live.is_none_or(|live| live.has(to, register));
                    let domain = template.registers()[register].domain;
                    // If nobody reads it, one value stands for all, unless some do not fit.
                    let one_for_all = !matters && domain.contains(low) && domain.contains(high);
                    let high = if one_for_all { low } else { high };
                    (low..=high).for_each(|value| step(Choice::Value(value)));
                }
                Instruction::StoreExclusive { .. } => {
                    [Choice::Succeed, Choice::Fail].into_iter().for_each(step);
                }
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_)
                | Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::Update { .. }
                | Instruction::Fence(_)
                | Instruction::Lock
                | Instruction::Unlock => step(Choice::Determined),
            }
        }
        steps
    }

    fn effect(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let mut effect = self.execute(class, local, step, contents);
        if let Effect::Done(local, _) = &mut effect {
            self.forget_dead_registers(self.template_of(class), local);
        }
        effect
    }

    fn take_local_step(&self, class: usize, local: &mut Local) -> LocalStep<Name> {
        self.take_local_step(class, local)
    }

    fn is_private(&self, class: usize, local: &Local, step: &Step<Cell, Name>) -> bool {
        self.is_unnoticed(class, local, step.name.0, &step.cells)
    }

    fn forgettable(&self, cell: Cell) -> Option<(u8, Content)> {
        self.forgettable_content(cell, self.initial_content(cell))
    }

    fn knows(&self, class: usize, local: &Local) -> u64 {
        self.known_objects(class, local)
    }

    fn leads_to(&self, content: &Content) -> u64 {
        self.objects_behind(content)
    }

    fn is_kept_out(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> bool {
        let given_back = Content::of(0);
        let mut without = contents.to_vec();
        for ((cell, _), content) in step.cells.iter().zip(&mut without) {
            if *cell == Cell::Lock {
                *content = &given_back;
            }
        }
        let is_possible = |contents: &[&Content]| match self.execute(class, local, step, contents) {
            Effect::Blocked => false,
            Effect::Done(..) => true,
        };
        !is_possible(contents) && is_possible(&without)
    }

    fn is_over(&self, view: &View<'_, Self>) -> bool {
        self.has_ended(view)
    }

    fn mark(&self, class: usize, local: &Local) -> Mark {
        let id = self.template_of(class);
        if local.trespassed.is_some() {
            return Mark {
                noted: true,
                void: local.trespassed == Some(FORGETTING),
                exclusive: local.holds_lock,
                ..Mark::default()
            };
        }
        match local.control {
            Control::Stopped { fault, .. } => Mark {
                goal: self.look.faults && !fault.is_limit(),
                noted: fault.is_limit(),
                exclusive: local.holds_lock,
                ..Mark::default()
            },
            Control::At(label) => {
                let template = self.program.template(id);
                let takes_lock = template.outgoing(label).any(|edge| {
                    template.edge(edge).instruction == Instruction::Lock && !local.holds_lock
                });
                Mark {
                    waiting: template.labels()[label].waiting || takes_lock,
                    visible: self.look.visible_labels.contains(&(id, label)),
                    exclusive: local.holds_lock,
                    ended: template.outgoing(label).len() == 0,
                    ..Mark::default()
                }
            }
        }
    }

    fn may_touch(&self, class: usize, local: &Local, touch: &mut dyn FnMut(Cell, Mode)) -> bool {
        let Control::At(label) = local.control else { return true };
        let id = self.template_of(class);
        let copy = self.access_summary.copy(id, self.program.template(id), local);
        let Some(cells) = self.access_summary.from(id, label, copy) else { return false };
        if self.has_locks {
            touch(Cell::Lock, Mode::Update);
        }
        let mut accessed = Vec::new();
        cells.for_each(|(address, mode)| {
            accessed.push(address);
            touch(Cell::Memory(self.block(address).base), mode);
        });
        self.may_touch_published(class, local, accessed.into_iter(), touch);
        true
    }

    fn footprint_key(&self, class: usize, local: &Local) -> Option<usize> {
        let Control::At(label) = local.control else { return None };
        let id = self.template_of(class);
        let template = self.program.template(id);
        let copy = self.access_summary.copy(id, template, local);
        let place = copy * template.labels().len() + label.index();
        // What is published already is not touched when something is published.
        let published = usize::try_from(local.published).ok()?;
        let half = usize::BITS / 2;
        ((place | published) >> half == 0).then_some(published << half | place)
    }

    fn has_condition(&self) -> bool {
        self.look.condition.is_some()
    }

    fn condition(&self, view: &View<'_, Self>) -> bool {
        self.look.condition.as_ref().is_some_and(|condition| (condition.holds)(self, view))
    }

    fn condition_is_symmetric(&self) -> bool {
        self.look.condition.as_ref().is_some_and(|condition| condition.is_symmetric)
    }

    fn condition_is_of_ends(&self) -> bool {
        self.look.condition.as_ref().is_some_and(|condition| condition.is_of_ends)
    }

    fn is_visible(&self, cell: Cell) -> bool {
        match cell {
            Cell::Lock | Cell::Published(_) => false,
            Cell::Memory(address) => {
                self.look.visible_cells.iter().any(|one| self.block(*one).base == address)
            }
        }
    }
}
