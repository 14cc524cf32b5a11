//! Programs with store buffers as a family of threads that share cells ([`automata::Threads`]).
//!
//! A thread and its buffer are one local state: that of [`crate::sc`], and the stores that wait, oldest
//! first. Issuing a store and loading what waits in one's own buffer touch no cell; a *commit* writes the
//! cells of the oldest store, and what drains the buffer is possible only when it is empty. All else is as
//! under SC, so it is said there and not once more. Under SC nothing ever waits, and the two are the same.
//!
//! # Commits that can be left for later
//!
//! A thread and its buffer are two processes, and what the thread does next may be explored before anything
//! else if it is independent of all that its buffer and the others can do meanwhile (a persistent set,
//! Godefroid 1996; [`automata`] says more). Steps on registers, and stores that enter the buffer behind all
//! others, are: a commit takes the oldest store, and neither enables nor disables them. So where all edges
//! of a label are of this kind no commit is offered, and the thread runs on with all its stores until it
//! wants to see memory, waits for its buffer, or has ended. The exceptions:
//!
//! - no edge is possible: then the buffer moves;
//! - an edge stops the thread, or its buffer becomes too long: then the commits of that thread are no longer
//!   explored, so they must have been before;
//! - an edge closes a loop: otherwise a thread that turns round for ever would never commit. Every cycle of
//!   a thread has such an edge;
//! - somebody looks at states with empty buffers: if more stores enter the buffer before it is empty, there
//!   may be no such state in between. Then no commit is left for later, wherever the thread is.
//!
//! A load of what waits in the buffer is not of this kind: after a commit others may overwrite it.
//!
//! # Memory of one thread
//!
//! A store to an object that only its thread can reach ([`crate::sc`], ownership) reaches memory at once, past
//! what waits: [`Act::ExecuteAtOnce`]. Nobody else touches the object before a pointer to it has reached memory, which in
//! the ordinary semantics is after all stores that its thread issued before; until then only the thread itself loads from there,
//! and finds the same value in memory as in its buffer; a store after one to the same cell that waits has to wait, too. So for each run here there is an ordinary one with the
//! same local states in which the store waits for its turn ([`Buffered::moves`]), and conversely.
//!
//! # Long buffers
//!
//! Buffers are unbounded. Threads here have a bound, and a store that goes beyond it leads nowhere but is
//! noted, so that a search that never meets one is exact; [`growth`] says what is done otherwise.

pub(crate) mod growth;
mod state;

use std::collections::VecDeque;

use automata::{Effect, LocalStep, Mark, Mode, PerCell, Snapshot, Step, Threads, View};
use program::index::Idx;
use program::{
    Domain, EdgeId, Fault, IndexVec, Instruction, LabelId, Parameterised, Program, Template,
    TemplateId, ThreadId, Value,
};
use semantics::{Choice, Control, Model, Move};

use crate::failing::labels_that_can_fail;
use crate::rules;
use crate::sc::{
    self, Cell, Claim, Content, Covered, Name, Sc, StateView, labels_that_can_end,
    loop_closing_edges,
};

pub(crate) use state::Unpacked;

/// A thread and the stores that wait.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Local {
    pub(crate) thread: sc::Local,
    pub(crate) buffer: Vec<Waiting>,
    /// Whether its buffer became longer than the bound.
    pub(crate) is_beyond: bool,
}

/// A store to one cell that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Waiting {
    address: Value,
    value: Value,
    /// Whether the next one is of the same access and reaches memory with it.
    with_next: bool,
    /// The object that is published when it reaches memory.
    publishes: Option<Claim>,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Act {
    /// It executes an edge.
    Execute(Name),
    /// It executes a store that reaches memory at once, since nobody else can see that.
    ExecuteAtOnce(Name),
    /// Its oldest store reaches memory.
    Commit,
}

impl Act {
    /// The move that this is.
    pub(crate) const fn by(self, thread: ThreadId) -> Move {
        match self {
            Self::Execute((edge, choice)) | Self::ExecuteAtOnce((edge, choice)) => {
                Move::Execute { thread, edge, choice }
            }
            Self::Commit => Move::Commit { thread },
        }
    }
}

/// A condition on states.
pub(crate) type Condition<'p> =
    dyn Fn(&Buffered<'p>, &View<'_, Buffered<'p>>) -> bool + Send + Sync + 'p;

/// What is looked for, beside what [`sc::Look`] says.
#[derive(Default)]
pub(crate) struct Goal<'p> {
    pub(crate) condition: Option<Box<Condition<'p>>>,
    /// Whether the condition is of final states alone. Otherwise it is of states with empty buffers.
    pub(crate) is_of_ends: bool,
    /// Whether buffers that become longer than the bound are looked for, and not only noted.
    pub(crate) long_buffers: bool,
    /// Only this error of this thread is looked for, and not all.
    pub(crate) error: Option<(ThreadId, EdgeId, Fault)>,
}

/// A program under SC or TSO.
pub(crate) struct Buffered<'p> {
    sc: Sc<'p>,
    model: Model,
    goal: Goal<'p>,
    /// Whether commits are left for later.
    delays: bool,
    /// The most stores that wait.
    bound: usize,
    quiet: IndexVec<TemplateId, IndexVec<LabelId, Quiet>>,
    /// For each label of each template whether a way leads from there to an end,
    may_end: IndexVec<TemplateId, IndexVec<LabelId, bool>>,
    /// and whether one leads to what may be an error that is looked for.
    may_fail: IndexVec<TemplateId, IndexVec<LabelId, bool>>,
}

/// What the edges of a label have to do with the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quiet {
    /// None touches memory or closes a loop, so that commits can be left for later;
    Yes,
    /// the same, and there is only this one, which issues a store.
    Issues { edge: EdgeId },
    /// They can not.
    No,
}

impl Quiet {
    /// For each label of a template.
    fn of(template: &Template, model: Model) -> IndexVec<LabelId, Self> {
        let closing = loop_closing_edges(template);
        let is_quiet = |edge: EdgeId| {
            let instruction = &template.edge(edge).instruction;
            let concerns_nobody = match instruction {
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Choose { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_) => true,
                Instruction::Fence(_) => !instruction.drains_buffer(),
                Instruction::Store { .. } => is_buffered(model, instruction),
                Instruction::Load { .. }
                | Instruction::StoreExclusive { .. }
                | Instruction::Update { .. }
                | Instruction::Lock
                | Instruction::Unlock => false,
            };
            concerns_nobody && !closing[edge]
        };
        let of_label =
            |label| {
                let mut edges = template.outgoing(label);
                let first = edges.next();
                let is_only = edges.next().is_none();
                match first {
                    _ if !template.outgoing(label).all(is_quiet) => Self::No,
                    Some(edge) if is_buffered(model, &template.edge(edge).instruction) => {
                        if is_only { Self::Issues { edge } } else { Self::Yes }
                    }
                    Some(_) | None => Self::Yes,
                }
            };
        template.labels().indices().map(of_label).collect()
    }
}

/// Whether what an instruction writes waits in the buffer.
pub(crate) fn is_buffered(model: Model, instruction: &Instruction) -> bool {
    let stores = matches!(instruction, Instruction::Store { .. });
    model == Model::Tso && stores && !instruction.drains_buffer()
}

impl<'p> Buffered<'p> {
    pub(crate) fn new(
        program: &'p Program,
        model: Model,
        (look, goal): (sc::Look<'p>, Goal<'p>),
        (delays, bound): (bool, usize),
    ) -> Result<Self, Parameterised> {
        let fails = look.faults;
        let may_fail = |template: &Template| {
            let can = labels_that_can_fail(program.memory(), template);
            can.iter().map(|can| *can && fails).collect()
        };
        Ok(Self {
            may_end: program.templates().iter().map(labels_that_can_end).collect(),
            may_fail: program.templates().iter().map(may_fail).collect(),
            quiet: program.templates().iter().map(|one| Quiet::of(one, model)).collect(),
            sc: Sc::new(program, look)?,
            model,
            delays: delays && (goal.condition.is_none() || goal.is_of_ends),
            goal,
            bound,
        })
    }

    pub(crate) const fn sc(&self) -> &Sc<'p> {
        &self.sc
    }

    fn instruction(&self, class: usize, edge: EdgeId) -> &'p Instruction {
        &self.sc.program().template(self.sc.template_of(class)).edge(edge).instruction
    }

    /// The cells of the oldest access that waits, and how many entries of the buffer it is.
    fn oldest(local: &Local) -> &[Waiting] {
        let more = local.buffer.iter().take_while(|waiting| waiting.with_next).count();
        &local.buffer[..local.buffer.len().min(more + 1)]
    }

    /// The commit of the oldest store.
    fn commit(&self, class: usize, local: &Local) -> Option<Step<Cell, Act>> {
        let oldest = Self::oldest(local);
        let block = self.sc.block(oldest.first()?.address);
        let replaces = oldest.len() == block.addresses().count() && !self.sc.has_exclusives();
        let mode = if replaces { Mode::Overwrite } else { Mode::Update };
        let mut cells = PerCell::from_iter([(Cell::Memory(block.base), mode)]);
        let waits_for_lock = self.sc.has_locks() && !local.thread.holds_lock;
        if waits_for_lock {
            cells.push((Cell::Lock, Mode::Read));
        }
        let oldest = oldest.first()?;
        let others = self.sc.needs_published(class, oldest.address);
        cells.extend(others.map(|claim| (Cell::Published(claim), Mode::Read)));
        cells.extend(oldest.publishes.map(|claim| (Cell::Published(claim), Mode::Update)));
        Some(Step { name: Act::Commit, cells, may_block: waits_for_lock, closes_loop: false })
    }

    /// What the newest store to an address that waits has written.
    fn newest(local: &Local, address: Value) -> Option<Value> {
        let mut newest_first = local.buffer.iter().rev();
        newest_first.find(|waiting| waiting.address == address).map(|waiting| waiting.value)
    }

    /// The step that an edge is with a buffer like this, if it can be taken.
    fn with_buffer(
        &self,
        class: usize,
        local: &Local,
        step: Step<Cell, Name>,
    ) -> Option<Step<Cell, Act>> {
        let (edge, _) = step.name;
        let instruction = self.instruction(class, edge);
        if instruction.drains_buffer() && !local.buffer.is_empty() {
            return None;
        }
        let Step { name, mut cells, mut may_block, closes_loop } = step;
        if is_buffered(self.model, instruction) {
            if self.sc.is_unnoticed(class, &local.thread, edge, &cells)
                && !self.waits_there(local, &cells)
            {
                return Some(Step {
                    name: Act::ExecuteAtOnce(name),
                    cells,
                    may_block,
                    closes_loop,
                });
            }
            cells.clear();
            may_block = false;
        } else if let Instruction::Load { access, .. } = instruction
            && !access.exclusive
            && !local.buffer.is_empty()
            && let Some(Ok(address)) = self.sc.registers(class, &local.thread).address(instruction)
        {
            let covered = self.sc.covered(instruction, address);
            if covered.all(|address| Self::newest(local, address).is_some()) {
                cells.retain(|(cell, _)| *cell == Cell::Lock);
            }
        }
        Some(Step { name: Act::Execute(name), cells, may_block, closes_loop })
    }

    /// Whether a store to one of these cells waits.
    fn waits_there(&self, local: &Local, cells: &[(Cell, Mode)]) -> bool {
        local.buffer.iter().any(|waiting| {
            let there = Cell::Memory(self.sc.block(waiting.address).base);
            cells.iter().any(|(cell, _)| *cell == there)
        })
    }

    /// Whether commits can be left for later where a thread can take these steps.
    fn can_commit_later(&self, class: usize, local: &Local, steps: &[Step<Cell, Act>]) -> bool {
        let Control::At(label) = local.thread.control else { return false };
        let id = self.sc.template_of(class);
        if let [only] = steps
            && self.delays
            && self.goes_unnoticed(class, local, only)
            && !self.mark(class, local).visible
        {
            return true;
        }
        let is_quiet = self.quiet[id][label] != Quiet::No;
        if !self.delays || !is_quiet || self.mark(class, local).visible {
            return false;
        }
        let mut is_possible = false;
        for step in steps {
            match self.effect(class, local, step, &[]) {
                Effect::Blocked => {}
                Effect::Done(next, _) => {
                    let stops = matches!(next.thread.control, Control::Stopped { .. });
                    if stops || next.is_beyond {
                        return false;
                    }
                    is_possible = true;
                }
            }
        }
        is_possible
    }

    /// Whether a step is a private load or store that neither stops the thread nor closes a loop: a commit neither
    /// enables nor disables it, and it does not matter to the commit.
    fn goes_unnoticed(&self, class: usize, local: &Local, step: &Step<Cell, Act>) -> bool {
        let (Act::Execute((edge, _)) | Act::ExecuteAtOnce((edge, _))) = step.name else {
            return false;
        };
        let template = self.sc.program().template(self.sc.template_of(class));
        let cannot_stop = match &template.edge(edge).instruction {
            Instruction::Load { register, .. } => {
                matches!(template.registers()[*register].domain, Domain::Wrapping(_))
            }
            // One that does stop touches no cell.
            Instruction::Store { .. } => true,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => false,
        };
        cannot_stop
            && !step.closes_loop
            && self.sc.is_unnoticed(class, &local.thread, edge, &step.cells)
    }

    /// The moves of a run in the ordinary semantics: stores that reached memory at once here wait for their turn,
    /// and then reach it as soon as they can.
    pub(crate) fn moves(&self, steps: &[(usize, Act)]) -> Vec<Move> {
        let mut moves = Vec::with_capacity(steps.len());
        // For each thread the stores that wait, and whether each is in memory here.
        let mut waiting = vec![VecDeque::new(); self.sc.threads().len()];
        for (thread, act) in steps {
            let id = ThreadId::new(*thread);
            let waiting = &mut waiting[*thread];
            let mut commit_early = |waiting: &mut VecDeque<bool>| {
                while waiting.front() == Some(&true) {
                    waiting.pop_front();
                    moves.push(Move::Commit { thread: id });
                }
            };
            match act {
                Act::Execute((edge, _)) => {
                    let instruction = self.instruction(self.sc.class_of(id), *edge);
                    if instruction.drains_buffer() {
                        commit_early(waiting);
                    }
                    if is_buffered(self.model, instruction) {
                        waiting.push_back(false);
                    }
                }
                Act::ExecuteAtOnce(_) => waiting.push_back(true),
                Act::Commit => {
                    commit_early(waiting);
                    waiting.pop_front();
                }
            }
            moves.push(act.by(id));
        }
        for (thread, waiting) in waiting.into_iter().enumerate() {
            let early = waiting.iter().take_while(|is_early| **is_early).count();
            let thread = ThreadId::new(thread);
            moves.extend(std::iter::repeat_n(Move::Commit { thread }, early));
        }
        moves
    }

    /// Whether a store that waits in the buffer leaves a label.
    fn stores_at(&self, id: TemplateId, label: LabelId) -> bool {
        let template = self.sc.program().template(id);
        let mut edges = template.outgoing(label);
        edges.any(|edge| is_buffered(self.model, &template.edge(edge).instruction))
    }

    /// Takes a thread on by the only edge of its label, which issues a store.
    fn pass_issue(&self, class: usize, local: &mut Local, edge: EdgeId) -> LocalStep<Act> {
        let name = (edge, Choice::Determined);
        if self.sc.is_private_access(class, &local.thread, edge) {
            return LocalStep::Rests;
        }
        let Effect::Done(mut next, _) = self.issue(class, local, name) else {
            return LocalStep::Rests;
        };
        let stops = matches!(next.thread.control, Control::Stopped { .. });
        if (stops || next.is_beyond) && !local.buffer.is_empty() {
            return LocalStep::Rests;
        }
        self.sc.forget_dead_registers(self.sc.template_of(class), &mut next.thread);
        *local = next;
        LocalStep::Passed { name: Act::Execute(name), closes_loop: false }
    }

    /// A store enters the buffer.
    fn issue(&self, class: usize, local: &Local, (edge, choice): Name) -> Effect<Local, Content> {
        let template = self.sc.program().template(self.sc.template_of(class));
        let instruction = &template.edge(edge).instruction;
        let registers = self.sc.registers(class, &local.thread);
        let found = registers.accessed(instruction);
        let mut next = local.clone();
        next.thread.trespassed = self.sc.trespasses(class, &local.thread, instruction);
        if next.thread.trespassed.is_some() {
            return Effect::Done(next, PerCell::new());
        }
        match registers.execute_at(found, instruction, choice, rules::CellContext::default()) {
            rules::Effect::Blocked => return Effect::Blocked,
            rules::Effect::Fault(fault) => {
                next.thread.control = Control::Stopped { edge, fault };
                next.thread.reserved = None;
            }
            rules::Effect::Done { written, .. } => {
                next.thread.control = Control::At(template.edge(edge).to);
                let address = found.and_then(Result::ok).map(|(address, _)| address);
                if let Some((value, address)) = written.zip(address) {
                    let covered: Covered = self.sc.covered(instruction, address);
                    let parts = covered.parts(value);
                    let last = parts.len() - 1;
                    let published = self.sc.published_by(class, &local.thread, instruction);
                    next.thread.published |= published.map_or(0, |(_, bit)| bit);
                    let publishes = published.map(|(claim, _)| claim);
                    next.buffer.extend(parts.into_iter().enumerate().map(|(at, part)| Waiting {
                        address: part.0,
                        value: part.1,
                        with_next: at < last,
                        publishes: publishes.filter(|_| at == 0),
                    }));
                    next.is_beyond = next.buffer.len() > self.bound;
                }
            }
        }
        Effect::Done(next, PerCell::new())
    }

    /// The oldest store reaches memory.
    fn reach_memory(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Act>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let mut contents: PerCell<Content> =
            contents.iter().map(|content| (*content).clone()).collect();
        let place = |cell: Cell| step.cells.iter().position(|(touched, _)| *touched == cell);
        if place(Cell::Lock).is_some_and(|lock| contents[lock].value == 1) {
            return Effect::Blocked;
        }
        let oldest = Self::oldest(local);
        let first = oldest.first().expect("a store waits");
        let is_published = |claim: &Claim| {
            place(Cell::Published(*claim)).is_some_and(|at| contents[at].value == 1)
        };
        let needed = self.sc.needs_published(class, first.address);
        if let Some(claim) = needed.filter(|claim| !is_published(claim)) {
            let mut next = local.clone();
            next.thread.trespassed = Some(claim);
            return Effect::Done(next, contents);
        }
        if let Some(at) = first.publishes.and_then(|claim| place(Cell::Published(claim))) {
            contents[at].value = 1;
        }
        let me = self.sc.thread_of(class).filter(|_| self.sc.has_exclusives());
        for Waiting { address, value, .. } in oldest {
            let block = self.sc.block(*address);
            let at = place(Cell::Memory(block.base)).expect("touched");
            contents[at].put(block, *address, *value);
            contents[at].end_reservations(me, &Covered::Cell(*address));
        }
        let mut next = local.clone();
        next.buffer.drain(..oldest.len());
        Effect::Done(next, contents)
    }

    /// What a step is without a buffer.
    fn without_buffer(step: &Step<Cell, Act>, name: Name) -> Step<Cell, Name> {
        let Step { cells, may_block, closes_loop, .. } = step.clone();
        Step { name, cells, may_block, closes_loop }
    }
}

impl Threads for Buffered<'_> {
    type Local = Local;
    type Cell = Cell;
    type Content = Content;
    type Name = Act;

    fn classes(&self) -> Vec<usize> {
        self.sc.classes()
    }

    fn initial(&self, thread: usize) -> Local {
        Local { thread: self.sc.initial(thread), buffer: Vec::new(), is_beyond: false }
    }

    fn initial_content(&self, cell: Cell) -> Content {
        self.sc.initial_content(cell)
    }

    fn steps(&self, class: usize, local: &Local) -> Vec<Step<Cell, Act>> {
        if local.is_beyond || local.thread.trespassed.is_some() {
            return Vec::new();
        }
        let edges = self.sc.steps(class, &local.thread).into_iter();
        let mut steps: Vec<Step<Cell, Act>> =
            edges.filter_map(|step| self.with_buffer(class, local, step)).collect();
        if let Some(commit) = self.commit(class, local)
            && !self.can_commit_later(class, local, &steps)
        {
            steps.push(commit);
        }
        steps
    }

    fn effect(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Act>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let name @ (edge, _) = match step.name {
            Act::Commit => return self.reach_memory(class, local, step, contents),
            Act::Execute(name) | Act::ExecuteAtOnce(name) => name,
        };
        let waits = matches!(step.name, Act::Execute(_))
            && is_buffered(self.model, self.instruction(class, edge));
        let mut effect = if waits {
            self.issue(class, local, name)
        } else {
            let inner = Self::without_buffer(step, name);
            let seen = |address| Self::newest(local, address);
            match self.sc.execute_seeing(class, &local.thread, &inner, contents, seen) {
                Effect::Blocked => Effect::Blocked,
                Effect::Done(thread, contents) => {
                    let buffer = local.buffer.clone();
                    Effect::Done(Local { thread, buffer, is_beyond: false }, contents)
                }
            }
        };
        if let Effect::Done(local, _) = &mut effect {
            self.sc.forget_dead_registers(self.sc.template_of(class), &mut local.thread);
        }
        effect
    }

    fn take_local_step(&self, class: usize, local: &mut Local) -> LocalStep<Act> {
        if local.is_beyond {
            return LocalStep::Rests;
        }
        let Control::At(label) = local.thread.control else { return LocalStep::Unsaid };
        let id = self.sc.template_of(class);
        let quiet = self.quiet[id][label];
        // Then the buffer can move too, and that touches a cell.
        if !local.buffer.is_empty() && (quiet == Quiet::No || !self.delays) {
            return LocalStep::Rests;
        }
        if self.mark(class, local).visible {
            return LocalStep::Rests;
        }
        if let Quiet::Issues { edge } = quiet {
            return self.pass_issue(class, local, edge);
        }
        if self.stores_at(id, label) {
            return LocalStep::Unsaid;
        }
        let (control, reserved) = (local.thread.control, local.thread.reserved);
        match self.sc.take_local_step(class, &mut local.thread) {
            LocalStep::Passed { name, closes_loop } => {
                let stops = matches!(local.thread.control, Control::Stopped { .. });
                if stops && !local.buffer.is_empty() {
                    (local.thread.control, local.thread.reserved) = (control, reserved);
                    return LocalStep::Rests;
                }
                LocalStep::Passed { name: Act::Execute(name), closes_loop }
            }
            LocalStep::Rests => LocalStep::Rests,
            LocalStep::Unsaid => LocalStep::Unsaid,
        }
    }

    fn is_private(&self, class: usize, local: &Local, step: &Step<Cell, Act>) -> bool {
        match step.name {
            Act::Execute((edge, _)) | Act::ExecuteAtOnce((edge, _)) => {
                self.sc.is_unnoticed(class, &local.thread, edge, &step.cells)
            }
            Act::Commit => false,
        }
    }

    fn is_kept_out(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Act>,
        contents: &[&Content],
    ) -> bool {
        match step.name {
            Act::Execute(name) | Act::ExecuteAtOnce(name) => {
                let inner = Self::without_buffer(step, name);
                self.sc.is_kept_out(class, &local.thread, &inner, contents)
            }
            // Who has ended does not wait; who wants the buffer to be empty does.
            Act::Commit => {
                let Control::At(label) = local.thread.control else { return false };
                let template = self.sc.program().template(self.sc.template_of(class));
                let mut edges = template.outgoing(label);
                edges.any(|edge| template.edge(edge).instruction.drains_buffer())
                    && matches!(self.effect(class, local, step, contents), Effect::Blocked)
            }
        }
    }

    fn gets_further(&self, before: &Local, after: &Local) -> bool {
        before.buffer != after.buffer
    }

    fn is_over(&self, view: &View<'_, Self>) -> bool {
        self.sc.has_ended(view)
    }

    fn mark(&self, class: usize, local: &Local) -> Mark {
        let is_plain = local.buffer.is_empty();
        let of_sc = self.sc.mark(class, &local.thread);
        let id = self.sc.template_of(class);
        let looks_at_buffers = self.goal.condition.is_some() && !self.goal.is_of_ends;
        let is_wanted = match (self.goal.error, local.thread.control) {
            (Some((thread, edge, fault)), Control::Stopped { edge: at, fault: of }) => {
                self.sc.class_of(thread) == class && (at, of) == (edge, fault)
            }
            (None, _) | (Some(_), Control::At(_)) => true,
        };
        let (may_end, may_fail) = match local.thread.control {
            Control::At(label) => (self.may_end[id][label], self.may_fail[id][label]),
            Control::Stopped { .. } => (false, false),
        };
        Mark {
            goal: if self.goal.long_buffers { local.is_beyond } else { of_sc.goal && is_wanted },
            waiting: of_sc.waiting && !local.is_beyond,
            visible: of_sc.visible || is_plain && looks_at_buffers,
            exclusive: of_sc.exclusive,
            noted: of_sc.noted || local.is_beyond && !self.goal.long_buffers,
            void: of_sc.void,
            ended: of_sc.ended && is_plain,
            may_end: may_end && !local.is_beyond,
            may_reach_goal: may_fail && !local.is_beyond,
        }
    }

    fn may_touch(&self, class: usize, local: &Local, touch: &mut dyn FnMut(Cell, Mode)) -> bool {
        if !self.sc.may_touch(class, &local.thread, touch) {
            return false;
        }
        for waiting in &local.buffer {
            touch(Cell::Memory(self.sc.block(waiting.address).base), Mode::Update);
            if let Some(claim) = self.sc.needs_published(class, waiting.address) {
                touch(Cell::Published(claim), Mode::Read);
            }
            if let Some(claim) = waiting.publishes {
                touch(Cell::Published(claim), Mode::Update);
            }
        }
        if self.sc.has_locks() && !local.buffer.is_empty() {
            touch(Cell::Lock, Mode::Read);
        }
        true
    }

    fn footprint_key(&self, class: usize, local: &Local) -> Option<usize> {
        if local.buffer.is_empty() { self.sc.footprint_key(class, &local.thread) } else { None }
    }

    fn has_condition(&self) -> bool {
        self.goal.condition.is_some()
    }

    fn condition(&self, view: &View<'_, Self>) -> bool {
        let is_plain = |thread: ThreadId| view.local(thread.index()).buffer.is_empty();
        self.goal
            .condition
            .as_ref()
            .is_some_and(|holds| self.sc.threads().indices().all(is_plain) && holds(self, view))
    }

    fn condition_is_of_ends(&self) -> bool {
        self.goal.condition.is_some() && self.goal.is_of_ends
    }

    fn is_visible(&self, cell: Cell) -> bool {
        self.sc.is_visible(cell)
    }
}

impl StateView for View<'_, Buffered<'_>> {
    fn local(&self, thread: ThreadId) -> &sc::Local {
        &Self::local(self, thread.index()).thread
    }

    fn content(&self, cell: Cell) -> Option<&Content> {
        Self::content(self, cell)
    }
}

impl StateView for Snapshot<Buffered<'_>> {
    fn local(&self, thread: ThreadId) -> &sc::Local {
        &self.locals[thread.index()].thread
    }

    fn content(&self, cell: Cell) -> Option<&Content> {
        let mut cells = self.cells.iter();
        cells.find(|(touched, _)| *touched == cell).map(|(_, content)| content)
    }
}
