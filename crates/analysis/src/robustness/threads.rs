//! Attacks as a family of threads that share cells.
//!
//! Threads run under SC ([`Sc`]) until one of them delays a store: it becomes the *attacker*, and
//! whatever it stores from then on stays with it. When it loads from memory once more it may stop
//! there; that load is `ld_A`. From then on the others, the *helpers*, only do what happens after
//! `ld_A`: a helper joins the *chain* with a load of a cell that the chain has stored to, or a store to
//! one that the chain has accessed (Lemma 3 of the paper), and then runs freely. The attack is feasible
//! once the chain accesses the cell of the delayed store.
//!
//! - Of the attacker's buffer only the newest value for each address matters, since nobody else sees
//!   it and the attacker stops at `ld_A`. After that nothing of the attacker matters: it is forgotten,
//!   and the cell of its store is marked.
//! - How the chain has accessed a cell is kept beside its value; so one step reads both.
//! - A locked section is one action (see `instrument::chain`, which argues it): a helper enters one on
//!   the assumption that it will join, remembers what the cells it accesses were like before, and is
//!   not let out before it has joined. What hits the attacked cell inside a section counts when the
//!   section ends, since until then no store of the attacker reaches memory.
//! - An attack is begun only where a load can follow without anything that empties the buffer, at a
//!   cell that another thread can touch, and ends only with a load of a cell that another can write:
//!   everything else cannot be part of a cycle.

use std::collections::BTreeMap;

use automata::{Effect, Mark, Mode, Step, Threads};
use program::{Instruction, LabelId, Value};
use semantics::{Choice, Control};

use super::foresight::Foresight;
use crate::rules::{self, Met};
use crate::sc::{self, Content as Plain, Sc};

/// How the chain has accessed a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Accessed {
    #[default]
    Never,
    Loaded,
    Stored,
}

/// What a thread is in an attack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// Nothing yet.
    Plain,
    /// It delays stores: the address of the first, the newest value for each address, and what the
    /// delays amount to if they are counted.
    Attacker { first: Value, buffer: BTreeMap<Value, Value>, delays: Delays },
    /// It has made its last load.
    Spent,
    /// It belongs to the chain; whether it has hit the attacked cell in a section that is open.
    Chained { hit: bool },
    /// It is in a section that has not joined the chain yet: what the cells it has accessed were like
    /// before.
    Pending { before: BTreeMap<Value, Accessed>, hit: bool },
    /// The chain is complete.
    Success,
}

/// The number of delays (ESOP'13, Appendix B) that a run of the attacker amounts to: each of its
/// actions delays all stores issued before it, and in the end each store waits for those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Delays {
    stores: u32,
    so_far: u32,
}

impl Delays {
    /// After one more action.
    const fn and_action(self, is_store: bool) -> Self {
        let stores = if is_store { self.stores + 1 } else { self.stores };
        Self { stores, so_far: self.so_far + self.stores }
    }

    /// When all stores have reached memory.
    const fn in_all(self) -> u32 {
        self.so_far + self.stores * self.stores.saturating_sub(1) / 2
    }
}

/// A thread's local state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Local {
    pub(crate) base: sc::Local,
    pub(crate) role: Role,
}

/// A shared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    /// One of the program under SC.
    Sc(sc::Cell),
    /// Whether somebody delays stores.
    Begun,
    /// Whether the attacker has made its last load.
    Loaded,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Content {
    plain: Plain,
    accessed: Accessed,
    is_attacked: bool,
}

impl Content {
    const fn of(plain: Plain) -> Self {
        Self { plain, accessed: Accessed::Never, is_attacked: false }
    }
}

/// What a step is called: what the program does, and what it means for the attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) of_program: sc::Name,
    pub(crate) part: Part,
}

/// What a step means for the attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Nothing in particular.
    Step,
    /// It is the first store that is delayed.
    Delay,
    /// It is the attacker's last load.
    LastLoad,
}

/// All attacks of a program, or some.
pub(crate) struct Attacks<'p> {
    pub(crate) sc: Sc<'p>,
    pub(crate) foresight: Foresight,
    /// The most delays, if they are counted.
    pub(crate) most_delays: Option<u32>,
}

impl Attacks<'_> {
    fn instruction(&self, class: usize, name: sc::Name) -> &Instruction {
        &self.sc.program().template(self.sc.template_of(class)).edge(name.0).instruction
    }

    fn to(&self, class: usize, name: sc::Name) -> LabelId {
        self.sc.program().template(self.sc.template_of(class)).edge(name.0).to
    }

    fn of_sc(step: &Step<sc::Cell, sc::Name>) -> Step<Cell, Name> {
        Step {
            name: Name { of_program: step.name, part: Part::Step },
            cells: step.cells.iter().map(|(cell, mode)| (Cell::Sc(*cell), *mode)).collect(),
            may_block: true,
            closes_loop: step.closes_loop,
        }
    }

    /// What a thread in no particular role can do.
    fn plain_steps(&self, class: usize, local: &Local) -> Vec<Step<Cell, Name>> {
        let mut steps = Vec::new();
        for of_sc in self.sc.steps(class, &local.base) {
            let mut step = Self::of_sc(&of_sc);
            if !step.cells.is_empty() && !local.base.holds_lock {
                // Once the attacker has made its last load only what joins the chain may be done.
                let marks = step.cells.iter_mut().filter(|(_, mode)| *mode == Mode::Read);
                marks
                    .filter(|(cell, _)| matches!(cell, Cell::Sc(sc::Cell::Memory(_))))
                    .for_each(|(_, mode)| *mode = Mode::Update);
                let overwritten = step.cells.iter_mut();
                overwritten
                    .filter(|(_, mode)| *mode == Mode::Overwrite)
                    .for_each(|(_, mode)| *mode = Mode::Update);
                if self.foresight.can_attack() {
                    step.cells.push((Cell::Loaded, Mode::Read));
                }
            }
            steps.push(step);
            if let Some(address) = self.delayable(class, &local.base, of_sc.name) {
                let id = self.sc.template_of(class);
                let place = (id, of_sc.name.0);
                let template = self.sc.program().template(id);
                let thread = self.sc.thread_of(class);
                if self.foresight.may_begin(thread, template, place, address) {
                    steps.push(Step {
                        name: Name { of_program: of_sc.name, part: Part::Delay },
                        cells: vec![(Cell::Begun, Mode::Update)],
                        may_block: true,
                        closes_loop: of_sc.closes_loop,
                    });
                }
            }
        }
        steps
    }

    /// The address of a store that can be delayed here.
    fn delayable(&self, class: usize, base: &sc::Local, name: sc::Name) -> Option<Value> {
        let instruction = self.instruction(class, name);
        if base.holds_lock
            || !matches!(instruction, Instruction::Store { .. })
            || instruction.drains_buffer()
        {
            return None;
        }
        let registers = self.sc.registers(class, base);
        match registers.execute(instruction, name.1, Met::default()) {
            rules::Effect::Done { .. } => registers.address(instruction)?.ok(),
            rules::Effect::Blocked | rules::Effect::Fault(_) => None,
        }
    }

    /// What the attacker can do.
    fn attacker_steps(
        &self,
        class: usize,
        base: &sc::Local,
        (first, buffer): (Value, &BTreeMap<Value, Value>),
    ) -> Vec<Step<Cell, Name>> {
        let mut steps = Vec::new();
        for of_sc in self.sc.steps(class, base) {
            let instruction = self.instruction(class, of_sc.name);
            if instruction.drains_buffer() {
                continue;
            }
            let address = self.sc.registers(class, base).address(instruction).and_then(Result::ok);
            let is_load = matches!(instruction, Instruction::Load { .. });
            let is_early = address.is_some_and(|address| buffer.contains_key(&address));
            let mut step = Self::of_sc(&of_sc);
            if !is_load || is_early {
                // A store only enters the buffer, and an early load does not look at memory; but a
                // load waits for the memory lock.
                let waits_for = |cell: &Cell| is_load && *cell == Cell::Sc(sc::Cell::Lock);
                step.cells.retain(|(cell, _)| waits_for(cell));
            }
            steps.push(step);
            let Some(loaded) = address.filter(|_| is_load && !is_early) else { continue };
            let place = (self.sc.template_of(class), of_sc.name.0);
            if !self.foresight.may_end(self.sc.thread_of(class), place, loaded) {
                continue;
            }
            let mut cells = vec![
                (Cell::Sc(sc::Cell::Memory(loaded)), Mode::Update),
                (Cell::Sc(sc::Cell::Memory(first)), Mode::Update),
                (Cell::Loaded, Mode::Overwrite),
            ];
            if self.sc.has_locks() {
                cells.push((Cell::Sc(sc::Cell::Lock), Mode::Read));
            }
            let name = Name { of_program: of_sc.name, part: Part::LastLoad };
            steps.push(Step { name, cells, may_block: true, closes_loop: of_sc.closes_loop });
        }
        steps
    }

    /// A thread of which nothing matters any more.
    fn forgotten(&self, class: usize, role: Role) -> Local {
        let template = self.sc.program().template(self.sc.template_of(class));
        let base = sc::Local {
            control: Control::At(template.initial()),
            registers: template.registers().iter().map(|_| 0).collect(),
            holds_lock: false,
            reserved: None,
        };
        Local { base, role }
    }

    /// The attacker takes a step other than its last load.
    fn attack(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let Role::Attacker { first, buffer, delays } = &local.role else { return Effect::Blocked };
        let name = step.name.of_program;
        let instruction = self.instruction(class, name);
        let registers = self.sc.registers(class, &local.base);
        let address = registers.address(instruction).and_then(Result::ok);
        let unchanged: Vec<Content> = contents.iter().map(|content| (*content).clone()).collect();
        if is_locked_by_another(step, contents) {
            return Effect::Blocked;
        }
        let is_store = matches!(instruction, Instruction::Store { .. });
        let held = address.and_then(|address| buffer.get(&address)).copied();
        let (mut base, after) = if let Some(held) = held.filter(|_| !is_store) {
            let met = Met { held, ..Met::default() };
            (
                self.advanced(class, local, name, registers.execute(instruction, name.1, met)),
                unchanged,
            )
        } else if is_store {
            let effect = registers.execute(instruction, name.1, Met::default());
            (self.advanced(class, local, name, effect), unchanged)
        } else {
            match self.under_sc(class, &local.base, step, contents) {
                Effect::Blocked => (None, unchanged),
                Effect::Done(base, after) => (Some(base), after),
            }
        };
        let mut buffer = buffer.clone();
        if let (rules::Effect::Done { written: Some(value), .. }, Some(address), true) =
            (registers.execute(instruction, name.1, Met::default()), address, is_store)
        {
            buffer.insert(address, value);
        }
        let delays = match self.most_delays {
            None => *delays,
            Some(most) => {
                let delays = delays.and_action(is_store);
                base = base.filter(|_| delays.in_all() <= most);
                delays
            }
        };
        // A fault stops the attacker for good, and without a load ahead it is of no use.
        match base {
            Some(base) if self.has_load_ahead(class, &base) => Effect::Done(
                Local { base, role: Role::Attacker { first: *first, buffer, delays } },
                after,
            ),
            Some(_) | None => Effect::Blocked,
        }
    }

    fn has_load_ahead(&self, class: usize, base: &sc::Local) -> bool {
        match base.control {
            Control::At(label) => self.foresight.has_load_ahead(self.sc.template_of(class), label),
            Control::Stopped { fault, .. } => fault.is_limit(),
        }
    }

    /// The base after an instruction whose effect is known; nothing if it does not complete.
    fn advanced(
        &self,
        class: usize,
        local: &Local,
        name: sc::Name,
        effect: rules::Effect,
    ) -> Option<sc::Local> {
        match effect {
            // A limit is to be noted wherever it is met.
            rules::Effect::Fault(fault) if fault.is_limit() => {
                let control = Control::Stopped { edge: name.0, fault };
                Some(sc::Local { control, ..local.base.clone() })
            }
            rules::Effect::Blocked | rules::Effect::Fault(_) => None,
            rules::Effect::Done { register, .. } => {
                let mut base = local.base.clone();
                base.control = Control::At(self.to(class, name));
                if let Some((register, value)) = register {
                    base.registers[register] = value;
                }
                Some(self.sc.without_dead_registers(self.sc.template_of(class), base))
            }
        }
    }

    /// What a step does under SC, whatever it means for the attack.
    fn under_sc(
        &self,
        class: usize,
        base: &sc::Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<sc::Local, Content> {
        let (mut cells, mut held) = (Vec::new(), Vec::new());
        for ((cell, mode), content) in step.cells.iter().zip(contents) {
            if let Cell::Sc(cell) = cell {
                cells.push((*cell, *mode));
                held.push(&content.plain);
            }
        }
        let Step { may_block, closes_loop, .. } = *step;
        let of_sc = Step { name: step.name.of_program, cells, may_block, closes_loop };
        match self.sc.effect(class, base, &of_sc, &held) {
            Effect::Blocked => Effect::Blocked,
            Effect::Done(base, plain) => {
                let mut plain = plain.into_iter();
                let after = step.cells.iter().zip(contents).map(|((cell, _), before)| match cell {
                    Cell::Sc(_) => {
                        let plain = plain.next().expect("one for each cell of the program");
                        Content { plain, ..(*before).clone() }
                    }
                    Cell::Begun | Cell::Loaded => (*before).clone(),
                });
                Effect::Done(base, after.collect())
            }
        }
    }

    /// The attacker's last load.
    fn last_load(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let Role::Attacker { delays, .. } = &local.role else { return Effect::Blocked };
        let is_too_late =
            self.most_delays.is_some_and(|most| delays.and_action(false).in_all() > most);
        if is_too_late || is_locked_by_another(step, contents) {
            return Effect::Blocked;
        }
        let mut after: Vec<Content> = contents.iter().map(|content| (*content).clone()).collect();
        after[0].accessed = Accessed::Loaded;
        after[1].is_attacked = true;
        after[2].plain.value = 1;
        Effect::Done(self.forgotten(class, Role::Spent), after)
    }

    /// A step of a thread that does not attack.
    fn help(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let Effect::Done(base, mut after) = self.under_sc(class, &local.base, step, contents)
        else {
            return Effect::Blocked;
        };
        let place = |wanted: Cell| step.cells.iter().position(|(cell, _)| *cell == wanted);
        let has_loaded = match &local.role {
            Role::Plain => place(Cell::Loaded).is_some_and(|at| contents[at].plain.value == 1),
            Role::Chained { .. } | Role::Pending { .. } => true,
            Role::Attacker { .. } | Role::Spent | Role::Success => return Effect::Blocked,
        };
        if !has_loaded {
            return Effect::Done(Local { base, role: Role::Plain }, after);
        }
        let instruction = self.instruction(class, step.name.of_program);
        let role = match (instruction, &local.role) {
            // A section is entered on the assumption that it will join.
            (Instruction::Lock, Role::Plain) if base.holds_lock => {
                Role::Pending { before: BTreeMap::new(), hit: false }
            }
            (Instruction::Unlock, Role::Pending { .. }) if !base.holds_lock => {
                return Effect::Blocked;
            }
            (Instruction::Unlock, Role::Chained { hit: true }) if !base.holds_lock => {
                return Effect::Done(self.forgotten(class, Role::Success), after);
            }
            (_, role) => role.clone(),
        };
        let registers = self.sc.registers(class, &local.base);
        let address = registers.address(instruction).and_then(Result::ok);
        let accessed = address.zip(address.and_then(|a| place(Cell::Sc(sc::Cell::Memory(a)))));
        // An exclusive store that fails touches what it had reserved, but accesses nothing.
        let accessed = accessed.filter(|_| step.name.of_program.1 != Choice::Fail);
        let Some((address, at)) = accessed else {
            // Plain threads do nothing that touches a cell without joining; taking the lock is the
            // exception, and what stops a thread before it has accessed anything.
            let may = role != Role::Plain || !base_touches(step);
            return if may { Effect::Done(Local { base, role }, after) } else { Effect::Blocked };
        };
        let met = Met { held: contents[at].plain.value, is_reserved: true };
        let writes = matches!(
            registers.execute(instruction, step.name.of_program.1, met),
            rules::Effect::Done { written: Some(_), .. }
        );
        let access = if writes { Accessed::Stored } else { Accessed::Loaded };
        let found = contents[at].accessed;
        after[at].accessed = found.max(access);
        let hits = contents[at].is_attacked;
        let joins = |seen: Accessed| seen == Accessed::Stored || writes && seen == Accessed::Loaded;
        let role = match role {
            Role::Plain if joins(found) => Role::Chained { hit: hits },
            Role::Chained { hit } => Role::Chained { hit: hit || hits },
            Role::Pending { mut before, hit } => {
                let hit = hit || hits;
                if joins(before.get(&address).copied().unwrap_or(found)) {
                    Role::Chained { hit }
                } else {
                    before.entry(address).or_insert(found);
                    Role::Pending { before, hit }
                }
            }
            Role::Plain | Role::Attacker { .. } | Role::Spent | Role::Success => {
                return Effect::Blocked;
            }
        };
        let is_complete = role == Role::Chained { hit: true } && !base.holds_lock;
        let next =
            if is_complete { self.forgotten(class, Role::Success) } else { Local { base, role } };
        Effect::Done(next, after)
    }
}

/// Whether a step touches a cell of the program.
fn base_touches(step: &Step<Cell, Name>) -> bool {
    step.cells.iter().any(|(cell, _)| matches!(cell, Cell::Sc(_)))
}

fn is_locked_by_another(step: &Step<Cell, Name>, contents: &[&Content]) -> bool {
    let mut cells = step.cells.iter().zip(contents);
    cells.any(|((cell, _), content)| *cell == Cell::Sc(sc::Cell::Lock) && content.plain.value == 1)
}

impl Threads for Attacks<'_> {
    type Local = Local;
    type Cell = Cell;
    type Content = Content;
    type Name = Name;

    fn classes(&self) -> Vec<usize> {
        self.sc.classes()
    }

    fn initial(&self, thread: usize) -> Local {
        Local { base: self.sc.initial(thread), role: Role::Plain }
    }

    fn initial_content(&self, cell: Cell) -> Content {
        Content::of(match cell {
            Cell::Sc(cell) => self.sc.initial_content(cell),
            Cell::Begun | Cell::Loaded => Plain::of(0),
        })
    }

    fn steps(&self, class: usize, local: &Local) -> Vec<Step<Cell, Name>> {
        match &local.role {
            Role::Plain => self.plain_steps(class, local),
            Role::Attacker { first, buffer, .. } => {
                self.attacker_steps(class, &local.base, (*first, buffer))
            }
            Role::Chained { .. } | Role::Pending { .. } => {
                let steps = self.sc.steps(class, &local.base);
                let mut steps: Vec<_> = steps.iter().map(Self::of_sc).collect();
                for (cell, mode) in steps.iter_mut().flat_map(|step| &mut step.cells) {
                    // Accesses leave marks.
                    if matches!(cell, Cell::Sc(sc::Cell::Memory(_))) {
                        *mode = Mode::Update;
                    }
                }
                steps
            }
            Role::Spent | Role::Success => Vec::new(),
        }
    }

    fn effect(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        match (step.name.part, &local.role) {
            (Part::Delay, _) => {
                if contents[0].plain.value == 1 {
                    return Effect::Blocked;
                }
                let name = step.name.of_program;
                let address = self.delayable(class, &local.base, name);
                let first = address.expect("only such stores are delayed");
                let delays = Delays { stores: 1, so_far: 0 };
                let registers = self.sc.registers(class, &local.base);
                let effect =
                    registers.execute(self.instruction(class, name), name.1, Met::default());
                let rules::Effect::Done { written: Some(value), .. } = effect else {
                    return Effect::Blocked;
                };
                let Some(base) = self.advanced(class, local, name, effect) else {
                    return Effect::Blocked;
                };
                let buffer = BTreeMap::from([(first, value)]);
                let role = Role::Attacker { first, buffer, delays };
                Effect::Done(Local { base, role }, vec![Content::of(Plain::of(1))])
            }
            (Part::LastLoad, _) => self.last_load(class, local, step, contents),
            (Part::Step, Role::Attacker { .. }) => self.attack(class, local, step, contents),
            (Part::Step, _) => self.help(class, local, step, contents),
        }
    }

    fn mark(&self, class: usize, local: &Local) -> Mark {
        match local.role {
            Role::Success => Mark { goal: true, ..Mark::default() },
            Role::Spent => Mark::default(),
            Role::Plain | Role::Attacker { .. } | Role::Chained { .. } | Role::Pending { .. } => {
                let Mark { exclusive, noted, .. } = self.sc.mark(class, &local.base);
                Mark { exclusive, noted, ..Mark::default() }
            }
        }
    }

    fn may_touch(&self, class: usize, local: &Local) -> Option<Vec<(Cell, Mode)>> {
        let of_sc = self.sc.may_touch(class, &local.base)?;
        // Any access leaves a mark.
        let cells = of_sc.into_iter().map(|(cell, _)| (Cell::Sc(cell), Mode::Update));
        Some(cells.chain([(Cell::Begun, Mode::Update), (Cell::Loaded, Mode::Update)]).collect())
    }
}
