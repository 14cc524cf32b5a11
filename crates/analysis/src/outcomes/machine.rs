//! The TSO and SC machines, thread by thread: what can happen next in a state, as far as it matters.
//!
//! The instructions are those of [`crate::rules`]; buffers, the memory lock and reservations are
//! as [`program::instruction`] says, written apart from `semantics`. Steps that hit a limit of ours
//! are not taken, but noted.
//!
//! # Ends
//!
//! Where ends are asked for, only what can still lead to one matters: to a *final state*, in which all
//! threads have ended, or to an *error* of one. A run ends with its first error. That hides no other: a
//! thread that an error stops changes nothing any more, so whatever others do after it they can do
//! before.
//!
//! *Local steps first.* If some thread is at a label whose edges all concern it alone (no access,
//! no lock, no waiting for the buffer) and are no errors, only these are taken. They commute with what
//! others do and with the thread's own commits. On the way to a final state the thread takes one of
//! them sooner or later, and could have done so at once. On the way to an error of another thread it
//! need not take any, but then the error is still there after it has; and it gets to others in the end,
//! since where errors are possible no edge that closes a loop is taken first. So every end stays
//! reachable.

use program::{
    AccessWidth, EdgeId, Fault, Footprint, IndexVec, Instruction, LabelId, Order, Parameterised,
    Program, Template, TemplateId, Thread, ThreadId, Value,
};
use semantics::{Choice, Model, Move};

use super::states::{Local, View};
use crate::Reason;
use crate::failing::labels_that_can_fail;
use crate::rules::{Effect, Met, Registers};
use crate::sc::{labels_that_can_end, loop_closing_edges};

/// What a step changes.
pub(crate) struct Change {
    pub(crate) taken: Move,
    /// The thread that moved, afterwards.
    pub(crate) local: Local,
    /// What reached memory,
    pub(crate) written: Option<(Value, Value)>,
    /// and together with it, if it is part of an access across cells.
    pub(super) more: Vec<(Value, Value)>,
    /// Who holds the memory lock afterwards.
    pub(crate) lock: Option<ThreadId>,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Final states and errors.
    Ends,
    /// All states.
    AllStates,
}

/// A program under a model.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) threads: IndexVec<ThreadId, Thread>,
    model: Model,
    purpose: Purpose,
    /// For each label of each template whether a way leads from there to an end,
    can_end: IndexVec<TemplateId, IndexVec<LabelId, bool>>,
    /// whether one leads to what may be an error,
    can_fail: IndexVec<TemplateId, IndexVec<LabelId, bool>>,
    /// and whether an edge closes a loop from there.
    closes_loop: IndexVec<TemplateId, IndexVec<LabelId, bool>>,
}

/// What can happen next.
#[derive(Default)]
pub(crate) struct Next {
    pub(crate) changes: Vec<Change>,
    /// Why nothing is known beyond some step.
    pub(crate) stopped: Option<Reason>,
}

impl<'p> Machine<'p> {
    pub(crate) fn new(
        program: &'p Program,
        model: Model,
        purpose: Purpose,
    ) -> Result<Self, Parameterised> {
        let templates = program.templates();
        let fails = |template| labels_that_can_fail(program.memory(), template);
        let closes = |template: &Template| {
            let closing = loop_closing_edges(template);
            let closes = |label| template.outgoing(label).any(|edge| closing[edge]);
            template.labels().indices().map(closes).collect()
        };
        Ok(Self {
            program,
            threads: program.threads()?,
            model,
            purpose,
            can_end: templates.iter().map(labels_that_can_end).collect(),
            can_fail: templates.iter().map(fails).collect(),
            closes_loop: templates.iter().map(closes).collect(),
        })
    }

    pub(super) fn start(&self, thread: ThreadId) -> Local {
        let Thread { copy, .. } = self.threads[thread];
        let template = self.template(thread);
        Local {
            label: template.initial(),
            stopped: None,
            registers: template.initial_registers(copy),
            reserved: Vec::new(),
            buffer: Vec::new(),
            with_next: Vec::new(),
        }
    }

    fn template(&self, thread: ThreadId) -> &'p Template {
        self.program.template(self.threads[thread].template)
    }

    /// Whether every thread has ended and every buffer is empty.
    pub(crate) fn is_final(&self, view: &View<'_>) -> bool {
        view.locals
            .enumerate()
            .all(|(thread, local)| local.buffer.is_empty() && self.has_ended(thread, local))
    }

    pub(crate) fn has_ended(&self, thread: ThreadId, local: &Local) -> bool {
        local.stopped.is_none() && self.template(thread).outgoing(local.label).len() == 0
    }

    /// The first thread that an error has stopped, and where.
    pub(super) fn error(view: &View<'_>) -> Option<(ThreadId, EdgeId)> {
        view.locals.enumerate().find_map(|(thread, local)| Some((thread, local.stopped?)))
    }

    /// Whether a state can lead to an end.
    fn matters(&self, view: &View<'_>) -> bool {
        let all_can_end = view
            .locals
            .enumerate()
            .all(|(thread, local)| self.can_end[self.threads[thread].template][local.label]);
        all_can_end || self.may_fail(view)
    }

    /// Whether a thread may run into an error.
    fn may_fail(&self, view: &View<'_>) -> bool {
        view.locals
            .enumerate()
            .any(|(thread, local)| self.can_fail[self.threads[thread].template][local.label])
    }

    /// What can happen next, always in the same order.
    pub(super) fn next(&self, view: &View<'_>) -> Next {
        let mut next = Next::default();
        match self.purpose {
            Purpose::Ends => self.towards_an_end(view, &mut next),
            Purpose::AllStates => self.whatever(view, &mut next),
        }
        next
    }

    fn whatever(&self, view: &View<'_>, next: &mut Next) {
        for thread in self.threads.indices() {
            Self::commit(view, thread, next);
            self.execute_edges(view, thread, next);
        }
    }

    fn towards_an_end(&self, view: &View<'_>, next: &mut Next) {
        if Self::error(view).is_some() || !self.matters(view) {
            return;
        }
        let may_fail = self.may_fail(view);
        for (thread, local) in view.locals.enumerate() {
            let closes_loop = self.closes_loop[self.threads[thread].template][local.label];
            if !self.is_alone(thread, local) || may_fail && closes_loop {
                continue;
            }
            let mut alone = Next::default();
            self.execute_edges(view, thread, &mut alone);
            // A thread that never moves again keeps the others from an end, but not from an error.
            let is_stuck = alone.changes.is_empty();
            let fails = alone.changes.iter().any(|change| change.local.stopped.is_some());
            if !(fails || may_fail && is_stuck) {
                *next = alone;
                return;
            }
        }
        self.whatever(view, next);
    }

    /// Whether a thread goes on and what it can do next concerns nobody else.
    fn is_alone(&self, thread: ThreadId, local: &Local) -> bool {
        let template = self.template(thread);
        let mut edges = template.outgoing(local.label);
        edges.len() > 0
            && edges.all(|edge| match &template.edge(edge).instruction {
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Choose { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_) => true,
                fence @ Instruction::Fence(_) => !fence.drains_buffer() || local.buffer.is_empty(),
                Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::StoreExclusive { .. }
                | Instruction::Update { .. }
                | Instruction::Lock
                | Instruction::Unlock => false,
            })
    }

    fn is_locked_out(view: &View<'_>, thread: ThreadId) -> bool {
        view.lock.is_some_and(|holder| holder != thread)
    }

    fn commit(view: &View<'_>, thread: ThreadId, next: &mut Next) {
        let local = view.locals[thread];
        let Some(oldest) = local.buffer.first() else { return };
        if Self::is_locked_out(view, thread) {
            return;
        }
        let mut after = local.clone();
        let more = local.with_next.iter().take_while(|with_next| **with_next).count();
        after.buffer.drain(..=more);
        after.with_next.drain(..after.with_next.len().min(more + 1));
        next.changes.push(Change {
            taken: Move::Commit { thread },
            local: after,
            written: Some(*oldest),
            more: local.buffer[1..=more].to_vec(),
            lock: view.lock,
        });
    }

    fn execute_edges(&self, view: &View<'_>, thread: ThreadId, next: &mut Next) {
        let template = self.template(thread);
        if view.locals[thread].stopped.is_some() {
            return;
        }
        for edge in template.outgoing(view.locals[thread].label) {
            match template.edge(edge).instruction {
                Instruction::Choose { low, high, .. } => {
                    for value in low..=high {
                        self.execute(view, thread, edge, Choice::Value(value), next);
                    }
                }
                Instruction::StoreExclusive { .. } => {
                    self.execute(view, thread, edge, Choice::Succeed, next);
                    self.execute(view, thread, edge, Choice::Fail, next);
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
                | Instruction::Unlock => {
                    self.execute(view, thread, edge, Choice::Determined, next);
                }
            }
        }
    }

    fn execute(
        &self,
        view: &View<'_>,
        thread: ThreadId,
        edge: EdgeId,
        choice: Choice,
        next: &mut Next,
    ) {
        let template = self.template(thread);
        let local = view.locals[thread];
        let instruction = &template.edge(edge).instruction;
        let waits = instruction.drains_buffer() && !local.buffer.is_empty();
        if waits || self.reaches_memory(instruction) && Self::is_locked_out(view, thread) {
            return;
        }
        let holds_lock = view.lock == Some(thread);
        let lock = match instruction {
            Instruction::Lock if holds_lock => {
                return self.stop(view, thread, (edge, choice), Fault::LockHeld, next);
            }
            Instruction::Unlock if !holds_lock => {
                return self.stop(view, thread, (edge, choice), Fault::LockNotHeld, next);
            }
            Instruction::Lock => Some(thread),
            Instruction::Unlock => None,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_) => view.lock,
        };
        let registers = Registers::of(self.program.memory(), template, &local.registers);
        let address = registers.address(instruction).and_then(Result::ok);
        let across = address.and_then(|address| self.across(instruction, address));
        let met = match (address, across) {
            (_, Some(cells)) => Met {
                held: cells.read(|address| self.seen(view, local, address)),
                is_reserved: cells.addresses().eq(local.reserved.iter().copied()),
            },
            (Some(address), None) => Met {
                held: self.seen(view, local, address),
                is_reserved: local.reserved == [address],
            },
            (None, None) => Met::default(),
        };
        let (register, written) = match registers.execute(instruction, choice, met) {
            Effect::Blocked => return,
            Effect::Fault(fault) => return self.stop(view, thread, (edge, choice), fault, next),
            Effect::Done { register, written } => (register, written),
        };
        let mut after = local.clone();
        after.label = template.edge(edge).to;
        if let Some((register, value)) = register {
            after.registers[register] = value;
        }
        if let Some((_, access)) = instruction.memory_access()
            && access.exclusive
        {
            after.reserved = match (instruction, address, across) {
                (Instruction::Load { .. }, _, Some(cells)) => cells.addresses().collect(),
                (Instruction::Load { .. }, Some(address), None) => vec![address],
                (_, _, _) => Vec::new(),
            };
        }
        let mut more = Vec::new();
        let mut written = address.zip(written);
        if let (Some((_, value)), Some(cells)) = (written, across) {
            let mut parts = cells.parts(value);
            written = parts.next();
            more = parts.collect();
        }
        if self.is_buffered(instruction) {
            if !more.is_empty() {
                after.with_next.resize(after.buffer.len(), false);
                after.with_next.extend(more.iter().map(|_| true));
            }
            after.buffer.extend(written.take());
            after.buffer.append(&mut more);
        }
        let taken = Move::Execute { thread, edge, choice };
        next.changes.push(Change { taken, local: after, written, more, lock });
    }

    /// The cells of an access that may cover several.
    fn across(&self, instruction: &Instruction, address: Value) -> Option<Footprint> {
        let (_, access) = instruction.memory_access()?;
        match access.width {
            AccessWidth::Across(_) => self.program.memory().footprint(address, access.width).ok(),
            AccessWidth::Cell | AccessWidth::Bytes(_) => None,
        }
    }

    /// An error stops a thread; beyond a limit nothing is known.
    fn stop(
        &self,
        view: &View<'_>,
        thread: ThreadId,
        (edge, choice): (EdgeId, Choice),
        fault: Fault,
        next: &mut Next,
    ) {
        if fault.is_limit() {
            next.stopped.get_or_insert_with(|| Reason::stopped(self.template(thread), edge));
        } else {
            let local = Local { stopped: Some(edge), ..view.locals[thread].clone() };
            let taken = Move::Execute { thread, edge, choice };
            let more = Vec::new();
            next.changes.push(Change { taken, local, written: None, more, lock: view.lock });
        }
    }

    /// What a thread sees at an address: its newest buffered store there, or memory.
    fn seen(&self, view: &View<'_>, local: &Local, address: Value) -> Value {
        let buffered = local.buffer.iter().rev().find(|(to, _)| *to == address);
        let initial = || self.initial_value(address);
        let in_memory = || view.memory.get(&address).copied().unwrap_or_else(initial);
        buffered.map_or_else(in_memory, |(_, value)| *value)
    }

    /// What a cell holds at the beginning.
    pub(crate) fn initial_value(&self, address: Value) -> Value {
        self.program.memory().cell(address).map_or(0, |cell| cell.initial)
    }

    /// Whether what an instruction writes goes into the buffer.
    fn is_buffered(&self, instruction: &Instruction) -> bool {
        let stores = matches!(instruction, Instruction::Store { .. });
        self.model == Model::Tso && stores && !instruction.drains_buffer()
    }

    /// Whether an instruction waits while another thread holds the memory lock.
    fn reaches_memory(&self, instruction: &Instruction) -> bool {
        match instruction {
            Instruction::Load { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Lock => true,
            Instruction::Store { access, .. } => {
                self.model == Model::Sc || access.order == Order::SeqCst
            }
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Unlock => false,
        }
    }
}
