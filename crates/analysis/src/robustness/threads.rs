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

use automata::{Answer, Effect, LocalStep, Mark, Mode, PerCell, Step, Threads};
use program::{Instruction, LabelId, Value};
use semantics::Control;

use super::attack_filter::AttackFilter;
use crate::sc::{self, Content as Plain, Sc, Watch};
use crate::verdict::Reason;

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
    /// With the first store issued.
    pub(super) const FIRST: Self = Self { stores: 1, so_far: 0 };

    /// After one more action.
    pub(super) const fn and_action(self, is_store: bool) -> Self {
        let stores = if is_store { self.stores + 1 } else { self.stores };
        Self { stores, so_far: self.so_far + self.stores }
    }

    /// When all stores have reached memory.
    pub(super) const fn in_all(self) -> u32 {
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
    pub(super) plain: Plain,
    pub(super) accessed: Accessed,
    pub(super) is_attacked: bool,
}

impl Content {
    pub(super) const fn of(plain: Plain) -> Self {
        Self { plain, accessed: Accessed::Never, is_attacked: false }
    }

    /// The value of the program's cell.
    pub(crate) const fn value(&self) -> Value {
        self.plain.value
    }

    /// The same with another value.
    pub(crate) fn holding(&self, value: Value) -> Self {
        Self { plain: Plain { value, ..self.plain.clone() }, ..self.clone() }
    }
}

/// What a step is called: what the program does, and what it means for the attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) of_program: sc::Name,
    pub(crate) part: Part,
}

/// What a step means for the attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    pub(crate) attack_filter: AttackFilter,
    /// The most delays, if they are counted.
    pub(crate) most_delays: Option<u32>,
}

impl<'p> Attacks<'p> {
    /// All attacks of a program.
    pub(crate) fn of(sc: Sc<'p>) -> Self {
        let attack_filter = AttackFilter::of(&sc, None);
        Self { sc, attack_filter, most_delays: None }
    }

    /// The address of a cell, if it is one of memory.
    pub(crate) const fn name_of(cell: Cell) -> Option<Value> {
        match cell {
            Cell::Sc(sc::Cell::Memory(address)) => Some(address),
            Cell::Sc(sc::Cell::Lock | sc::Cell::Published(_)) | Cell::Begun | Cell::Loaded => None,
        }
    }

    /// Why nothing is known beyond where a thread was stopped.
    pub(crate) fn stopped_by(&self, class: usize, local: &Local) -> Reason {
        self.sc.stopped_by(class, &local.base)
    }
}

impl Attacks<'_> {
    /// Searches for an attack, as [`Sc::search`] searches.
    pub(super) fn search(
        &self,
        options: &automata::Options,
        watch: &mut Watch<'_>,
    ) -> (Answer<Local, Name>, automata::Statistics) {
        automata::search(self, options, watch)
    }

    pub(super) fn instruction(&self, class: usize, name: sc::Name) -> &Instruction {
        &self.sc.program().template(self.sc.template_of(class)).edge(name.0).instruction
    }

    pub(super) fn to(&self, class: usize, name: sc::Name) -> LabelId {
        self.sc.program().template(self.sc.template_of(class)).edge(name.0).to
    }

    pub(super) fn of_sc(step: &Step<sc::Cell, sc::Name>) -> Step<Cell, Name> {
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
                if self.attack_filter.can_attack() {
                    step.cells.push((Cell::Loaded, Mode::Read));
                }
            }
            steps.push(step);
            if let Some(address) = self.delayable(class, &local.base, of_sc.name) {
                let id = self.sc.template_of(class);
                let place = (id, of_sc.name.0);
                let template = self.sc.program().template(id);
                let thread = self.sc.thread_of(class);
                if self.attack_filter.may_begin(thread, template, place, address) {
                    steps.push(Step {
                        name: Name { of_program: of_sc.name, part: Part::Delay },
                        cells: PerCell::from_iter([(Cell::Begun, Mode::Update)]),
                        may_block: true,
                        closes_loop: of_sc.closes_loop,
                    });
                }
            }
        }
        steps
    }

    /// A thread of which nothing matters any more.
    pub(super) fn forgotten(&self, class: usize, role: Role) -> Local {
        let template = self.sc.program().template(self.sc.template_of(class));
        let base = sc::Local {
            control: Control::At(template.initial()),
            registers: template.registers().iter().map(|_| 0).collect(),
            holds_lock: false,
            reserved: None,
            published: 0,
            trespassed: None,
        };
        Local { base, role }
    }

    /// What a step does under SC, whatever it means for the attack.
    pub(super) fn under_sc(
        &self,
        class: usize,
        base: &sc::Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<sc::Local, Content> {
        let (mut cells, mut held) = (PerCell::new(), PerCell::new());
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
            (Part::Delay, _) => self.delay(class, local, step, contents),
            (Part::LastLoad, _) => self.last_load(class, local, step, contents),
            (Part::Step, Role::Attacker { .. }) => self.attack(class, local, step, contents),
            (Part::Step, _) => self.help(class, local, step, contents),
        }
    }

    fn take_local_step(&self, class: usize, local: &mut Local) -> LocalStep<Name> {
        match local.role {
            // What touches no cell changes no role.
            Role::Plain | Role::Chained { .. } | Role::Pending { .. } => {}
            Role::Attacker { .. } | Role::Spent | Role::Success => return LocalStep::Unsaid,
        }
        match self.sc.take_local_step(class, &mut local.base) {
            LocalStep::Rests => LocalStep::Rests,
            LocalStep::Unsaid => LocalStep::Unsaid,
            LocalStep::Passed { name, closes_loop } => {
                LocalStep::Passed { name: Name { of_program: name, part: Part::Step }, closes_loop }
            }
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

    fn may_touch(&self, class: usize, local: &Local, touch: &mut dyn FnMut(Cell, Mode)) -> bool {
        // Any access leaves a mark.
        let mut of_sc = |cell, _| touch(Cell::Sc(cell), Mode::Update);
        let is_listed = self.sc.may_touch(class, &local.base, &mut of_sc);
        if is_listed {
            touch(Cell::Begun, Mode::Update);
            touch(Cell::Loaded, Mode::Update);
        }
        is_listed
    }

    fn footprint_key(&self, class: usize, local: &Local) -> Option<usize> {
        self.sc.footprint_key(class, &local.base)
    }
}
