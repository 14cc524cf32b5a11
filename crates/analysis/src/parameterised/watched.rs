//! Data races and overtaking as a family of threads that share cells, so that one thread *points out* what
//! another then completes: the patterns of [`crate::race`] and [`crate::overtaking`] are about two threads
//! in one state, and a net has no other way to look at two of its tokens and at what cells hold.
//!
//! A cell [`Cell::Stage`] is the flag of ESOP'13, §6. While it is [`Stage::Open`] threads run under SC.
//!
//! - *Races.* A thread that is about to access a cell may point at the access; it and all others stop. A
//!   second one that is about to make an access which races with it completes the pattern.
//! - *Overtaking.* A thread may become the pivot: nobody else moves, and its store stays with it, so that
//!   memory is that of the state where the pattern begins. It walks on as [`crate::overtaking`] says. At
//!   a load it may stop, and leaves what it loads. Then another thread, the fringe, takes one step, or
//!   passes one section, and completes the pattern if what it leaves in the cell clashes.

use automata::{Effect, Mark, Mode, PerCell, Step, Threads};
use program::{Instruction, ThreadId, Value};
use semantics::Control;

use crate::overtaking::Clash;
use crate::race::accesses;
use crate::rules::{self, CellContext};
use crate::sc::{self, Content as Plain, Sc, StateView};

/// The pattern that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looked {
    Race,
    Overtaking(Clash),
}

/// What a thread is in a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Role {
    Plain,
    /// It keeps a store to itself: the address and the value.
    Pivot {
        stored: Value,
        value: Value,
    },
    /// It is in a section, and has left this in the cell that the pivot loads.
    Fringe {
        left: Option<Value>,
    },
    /// It has played its part.
    Spent,
    Success,
}

/// A thread's local state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Local {
    pub(super) base: sc::Local,
    role: Role,
}

/// A shared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Cell {
    Sc(sc::Cell),
    Stage,
}

/// How far the pattern has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Stage {
    Open,
    /// The pivot walks.
    Walking,
    /// It has stopped at a load of this value.
    Loaded {
        address: Value,
        value: Value,
    },
    /// Somebody points at an access.
    Pointed {
        address: Value,
        writes: bool,
        is_locked: bool,
    },
}

impl Stage {
    /// The value that it keeps, and where that was loaded.
    pub(super) const fn held(self) -> Option<(Value, Value)> {
        match self {
            Self::Loaded { address, value } => Some((address, value)),
            Self::Open | Self::Walking | Self::Pointed { .. } => None,
        }
    }

    /// The same with another value, if it keeps one.
    pub(super) const fn holding(self, value: Value) -> Self {
        match self {
            Self::Loaded { address, .. } => Self::Loaded { address, value },
            Self::Open | Self::Walking | Self::Pointed { .. } => self,
        }
    }
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Content {
    Sc(Plain),
    Stage(Stage),
}

/// What a step means for the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Step,
    Point,
    Begin,
    LastLoad,
}

/// What a step is called.
pub(super) type Name = (sc::Name, Part);

/// The threads of a program that is watched for a pattern.
pub(super) struct Watched<'p> {
    pub(super) sc: Sc<'p>,
    pub(super) looked: Looked,
}

/// One local state, of whatever thread, and one cell.
struct One<'a> {
    local: &'a sc::Local,
    cell: Option<(sc::Cell, &'a Plain)>,
}

impl StateView for One<'_> {
    fn local(&self, _: ThreadId) -> &sc::Local {
        self.local
    }

    fn content(&self, cell: sc::Cell) -> Option<&Plain> {
        self.cell.filter(|(one, _)| *one == cell).map(|(_, content)| content)
    }
}

type Of = Step<Cell, Name>;

impl Watched<'_> {
    fn instruction(&self, class: usize, name: sc::Name) -> &Instruction {
        &self.sc.program().template(self.sc.template_of(class)).edge(name.0).instruction
    }

    fn address(&self, class: usize, base: &sc::Local, name: sc::Name) -> Option<Value> {
        self.sc.registers(class, base).address(self.instruction(class, name))?.ok()
    }

    fn step(of: &Step<sc::Cell, sc::Name>, part: Part) -> Of {
        Step {
            name: (of.name, part),
            cells: of.cells.iter().map(|(cell, mode)| (Cell::Sc(*cell), *mode)).collect(),
            may_block: true,
            closes_loop: of.closes_loop,
        }
    }

    fn plain_steps(&self, class: usize, base: &sc::Local) -> Vec<Of> {
        let mut steps = Vec::new();
        for of in self.sc.steps(class, base) {
            let mut step = Self::step(&of, Part::Step);
            if !step.cells.is_empty() {
                step.cells.push((Cell::Stage, Mode::Read));
            }
            steps.push(step);
            let address = self.address(class, base, of.name);
            let with = |part, cells: PerCell<(Cell, Mode)>| Step { cells, ..Self::step(&of, part) };
            match self.looked {
                Looked::Race => {
                    if let Some(address) = address {
                        let cell = Cell::Sc(sc::Cell::Memory(address));
                        let cells = [(cell, Mode::Read), (Cell::Stage, Mode::Update)];
                        steps.push(with(Part::Point, PerCell::from_iter(cells)));
                    }
                }
                Looked::Overtaking(_) => {
                    if self.can_begin(class, base, of.name) {
                        let mut cells = PerCell::from_iter([(Cell::Stage, Mode::Update)]);
                        if self.sc.has_locks() {
                            cells.push((Cell::Sc(sc::Cell::Lock), Mode::Read));
                        }
                        steps.push(with(Part::Begin, cells));
                    }
                }
            }
        }
        steps
    }

    /// Whether a step is a store that a load can overtake.
    fn can_begin(&self, class: usize, base: &sc::Local, name: sc::Name) -> bool {
        let instruction = self.instruction(class, name);
        let Control::At(label) = base.control else { return false };
        matches!(instruction, Instruction::Store { .. })
            && !instruction.drains_buffer()
            && !base.holds_lock
            && self.sc.can_pivot(self.sc.template_of(class), label)
    }

    fn pivot_steps(&self, class: usize, base: &sc::Local, stored: Value) -> Vec<Of> {
        let mut steps = Vec::new();
        for of in self.sc.steps(class, base) {
            let instruction = self.instruction(class, of.name);
            let is_load = matches!(instruction, Instruction::Load { .. });
            let goes_on =
                is_load || instruction.memory_access().is_none() && !instruction.drains_buffer();
            if !goes_on {
                continue;
            }
            let mut step = Self::step(&of, Part::Step);
            let address = self.address(class, base, of.name);
            if address == Some(stored) {
                // It sees its own store; nobody else can take the lock meanwhile.
                step.cells.clear();
            } else if is_load && address.is_some() {
                let mut last = Self::step(&of, Part::LastLoad);
                last.cells.push((Cell::Stage, Mode::Update));
                steps.push(last);
            }
            steps.push(step);
        }
        steps
    }

    /// What a step does under SC, with the cells of the program alone.
    fn under_sc(
        &self,
        class: usize,
        base: &sc::Local,
        step: &Of,
        contents: &[&Content],
    ) -> Option<(sc::Local, PerCell<Content>)> {
        let (mut cells, mut held) = (PerCell::new(), PerCell::<&Plain>::new());
        for ((cell, mode), content) in step.cells.iter().zip(contents) {
            if let (Cell::Sc(cell), Content::Sc(plain)) = (cell, content) {
                cells.push((*cell, *mode));
                held.push(plain);
            }
        }
        let Step { may_block, closes_loop, .. } = *step;
        let of = Step { name: step.name.0, cells, may_block, closes_loop };
        match self.sc.effect(class, base, &of, &held) {
            Effect::Blocked => None,
            Effect::Done(base, plain) => {
                let mut plain = plain.into_iter();
                let after = contents.iter().map(|before| match before {
                    Content::Sc(_) => Content::Sc(plain.next().expect("one for each cell")),
                    Content::Stage(stage) => Content::Stage(*stage),
                });
                Some((base, after.collect()))
            }
        }
    }

    fn forgotten(&self, class: usize, role: Role) -> Local {
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

    /// A thread points at an access, or completes a race.
    fn point(
        &self,
        class: usize,
        base: &sc::Local,
        step: &Of,
        contents: &[&Content],
    ) -> Option<(Local, PerCell<Content>)> {
        let ((Cell::Sc(cell), _), [Content::Sc(plain), Content::Stage(stage)]) =
            (step.cells[0], contents)
        else {
            return None;
        };
        let state = One { local: base, cell: Some((cell, plain)) };
        let thread = self.sc.threads().indices().find(|one| self.sc.class_of(*one) == class)?;
        let found = accesses(&self.sc, &state, thread);
        let access = found.iter().find(|access| access.edge == step.name.0.0)?;
        let mut after: PerCell<Content> = contents.iter().map(|one| (*one).clone()).collect();
        match *stage {
            Stage::Open => {
                let (address, writes) = (access.address, access.writes);
                let pointed = Stage::Pointed { address, writes, is_locked: access.is_locked };
                after[1] = Content::Stage(pointed);
                Some((self.forgotten(class, Role::Spent), after))
            }
            Stage::Pointed { address, writes, is_locked } => {
                let races = address == access.address
                    && (writes || access.writes)
                    && !(is_locked && access.is_locked);
                races.then(|| (self.forgotten(class, Role::Success), after))
            }
            Stage::Walking | Stage::Loaded { .. } => None,
        }
    }

    /// A thread becomes the pivot.
    fn begin(
        &self,
        class: usize,
        base: &sc::Local,
        step: &Of,
        contents: &[&Content],
    ) -> Option<(Local, PerCell<Content>)> {
        if *contents[0] != Content::Stage(Stage::Open) || is_locked(step, contents) {
            return None;
        }
        let name = step.name.0;
        let stored = self.address(class, base, name)?;
        let (base, value) = self.advanced(class, base, name, 0)?;
        let mut after: PerCell<Content> = contents.iter().map(|one| (*one).clone()).collect();
        after[0] = Content::Stage(Stage::Walking);
        Some((Local { base, role: Role::Pivot { stored, value: value? } }, after))
    }

    /// Where a thread is after an instruction that meets this in memory, without memory, and what it
    /// writes there; nothing if it does not complete.
    fn advanced(
        &self,
        class: usize,
        base: &sc::Local,
        name: sc::Name,
        held: Value,
    ) -> Option<(sc::Local, Option<Value>)> {
        let met = CellContext { held, ..CellContext::default() };
        let registers = self.sc.registers(class, base);
        let effect = registers.execute(self.instruction(class, name), name.1, met);
        let rules::Effect::Done { register, written } = effect else { return None };
        let id = self.sc.template_of(class);
        let mut next = base.clone();
        next.control = Control::At(self.sc.program().template(id).edge(name.0).to);
        if let Some((register, value)) = register {
            next.registers[register] = value;
        }
        self.sc.forget_dead_registers(id, &mut next);
        Some((next, written))
    }

    /// The pivot goes on.
    fn walk(
        &self,
        class: usize,
        local: &Local,
        (stored, value): (Value, Value),
        step: &Of,
        contents: &[&Content],
    ) -> Option<(Local, PerCell<Content>)> {
        let name = step.name.0;
        if self.address(class, &local.base, name) == Some(stored) {
            let (base, _) = self.advanced(class, &local.base, name, value)?;
            return Some((Local { base, role: local.role.clone() }, PerCell::new()));
        }
        let (base, mut after) = self.under_sc(class, &local.base, step, contents)?;
        if step.name.1 == Part::Step {
            return Some((Local { base, role: local.role.clone() }, after));
        }
        let address = self.address(class, &local.base, name)?;
        let value = held_at(step, contents, address)?;
        let at = step.cells.iter().position(|(cell, _)| *cell == Cell::Stage)?;
        after[at] = Content::Stage(Stage::Loaded { address, value });
        Some((self.forgotten(class, Role::Spent), after))
    }

    /// A thread runs under SC, or is the fringe.
    fn run(
        &self,
        class: usize,
        local: &Local,
        step: &Of,
        contents: &[&Content],
    ) -> Option<(Local, PerCell<Content>)> {
        let stage = contents.iter().find_map(|content| match content {
            Content::Stage(stage) => Some(*stage),
            Content::Sc(_) => None,
        });
        let (base, after) = self.under_sc(class, &local.base, step, contents)?;
        let (address, value) = match stage {
            None => return Some((Local { base, role: local.role.clone() }, after)),
            Some(Stage::Open) => return Some((Local { base, role: Role::Plain }, after)),
            Some(Stage::Walking | Stage::Pointed { .. }) => return None,
            Some(Stage::Loaded { address, value }) => (address, value),
        };
        let mut left = match local.role {
            Role::Fringe { left } => left,
            Role::Plain | Role::Pivot { .. } | Role::Spent | Role::Success => None,
        };
        if self.address(class, &local.base, step.name.0) == Some(address) {
            let held = held_at(step, contents, address)?;
            let registers = self.sc.registers(class, &local.base);
            let met = CellContext { held, is_reserved: true };
            let instruction = self.instruction(class, step.name.0);
            let effect = registers.execute(instruction, step.name.0.1, met);
            if matches!(effect, rules::Effect::Done { written: Some(_), .. }) {
                let after: PerCell<&Content> = after.iter().collect();
                left = held_at(step, &after, address);
            }
        }
        if base.holds_lock {
            return Some((Local { base, role: Role::Fringe { left } }, after));
        }
        let clashes = left.is_some_and(|left| match self.looked {
            Looked::Overtaking(Clash::SameCell) => true,
            Looked::Overtaking(Clash::OtherValue) => left != value,
            Looked::Race => false,
        });
        clashes.then(|| (self.forgotten(class, Role::Success), after))
    }
}

/// What a cell of memory holds, if the step touches it.
fn held_at(step: &Of, contents: &[&Content], address: Value) -> Option<Value> {
    let wanted = Cell::Sc(sc::Cell::Memory(address));
    step.cells.iter().zip(contents).find_map(|((cell, _), content)| match content {
        Content::Sc(plain) if *cell == wanted => Some(plain.value),
        Content::Sc(_) | Content::Stage(_) => None,
    })
}

fn is_locked(step: &Of, contents: &[&Content]) -> bool {
    step.cells.iter().zip(contents).any(|((cell, _), content)| match content {
        Content::Sc(plain) => *cell == Cell::Sc(sc::Cell::Lock) && plain.value == 1,
        Content::Stage(_) => false,
    })
}

impl Threads for Watched<'_> {
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
        match cell {
            Cell::Sc(cell) => Content::Sc(self.sc.initial_content(cell)),
            Cell::Stage => Content::Stage(Stage::Open),
        }
    }

    fn steps(&self, class: usize, local: &Local) -> Vec<Of> {
        match local.role {
            Role::Plain => self.plain_steps(class, &local.base),
            Role::Pivot { stored, .. } => self.pivot_steps(class, &local.base, stored),
            Role::Fringe { .. } => {
                let mut steps = self.plain_steps(class, &local.base);
                steps.retain(|step| step.name.1 == Part::Step);
                steps
            }
            Role::Spent | Role::Success => Vec::new(),
        }
    }

    fn effect(
        &self,
        class: usize,
        local: &Local,
        step: &Of,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let done = match (step.name.1, &local.role) {
            (Part::Point, _) => self.point(class, &local.base, step, contents),
            (Part::Begin, _) => self.begin(class, &local.base, step, contents),
            (Part::LastLoad | Part::Step, Role::Pivot { stored, value }) => {
                self.walk(class, local, (*stored, *value), step, contents)
            }
            (Part::LastLoad | Part::Step, _) => self.run(class, local, step, contents),
        };
        done.map_or(Effect::Blocked, |(local, after)| Effect::Done(local, after))
    }

    fn mark(&self, class: usize, local: &Local) -> Mark {
        match local.role {
            Role::Success => Mark { goal: true, ..Mark::default() },
            Role::Spent | Role::Pivot { .. } | Role::Fringe { .. } => Mark::default(),
            Role::Plain => {
                let Mark { exclusive, noted, .. } = self.sc.mark(class, &local.base);
                Mark { exclusive, noted, ..Mark::default() }
            }
        }
    }

    fn may_touch(&self, class: usize, local: &Local, touch: &mut dyn FnMut(Cell, Mode)) -> bool {
        let is_listed = self
            .sc
            .may_touch(class, &local.base, &mut |cell, _| touch(Cell::Sc(cell), Mode::Update));
        if is_listed {
            touch(Cell::Stage, Mode::Update);
        }
        is_listed
    }
}
