//! What each instruction touches and does under SC.

use automata::{Effect, LocalStep, Mode, PerCell, Step};
use program::{Fault, Instruction, Template, Update, Value};
use semantics::{Choice, Control};

use super::forgetting::FORGETTING;
use super::{Cell, Content, Extent, Local, Name, Reservation, Sc};
use crate::rules::{self, CellContext, Registers};

impl Sc<'_> {
    /// The cells that an edge touches: what it accesses, the memory lock, what it had reserved.
    pub(super) fn touched(
        &self,
        template: &Template,
        local: &Local,
        (edge, choice): Name,
    ) -> PerCell<(Cell, Mode)> {
        let instruction = &template.edge(edge).instruction;
        let registers = Registers::of(self.program.memory(), template, &local.registers);
        let mut cells = PerCell::new();
        let accessed = registers.accessed(instruction);
        match (instruction, accessed) {
            (Instruction::Lock, _) if !local.holds_lock => cells.push((Cell::Lock, Mode::Update)),
            (Instruction::Unlock, _) if local.holds_lock => {
                cells.push((Cell::Lock, Mode::Overwrite));
            }
            (_, None) => {}
            (_, Some(found)) => {
                let touched = found.ok().zip(self.mode(instruction, choice));
                // A store that faults writes nothing, whatever the cell holds.
                let faults = || {
                    let effect =
                        registers.execute_at(accessed, instruction, choice, CellContext::default());
                    matches!(effect, rules::Effect::Fault(_))
                };
                let is_store = matches!(instruction, Instruction::Store { .. });
                let touched = touched.filter(|_| !(is_store && faults()));
                cells.extend(touched.map(|((address, _), mode)| {
                    let block = self.block(address);
                    let replaces = mode != Mode::Overwrite
                        || block.is_replaced_by(self.covered(instruction, address));
                    (Cell::Memory(block.base), if replaces { mode } else { Mode::Update })
                }));
                if self.has_locks && !local.holds_lock {
                    cells.push((Cell::Lock, Mode::Read));
                }
                let reserves = instruction.memory_access().is_some_and(|(_, how)| how.exclusive);
                if let Some((reserved, _)) = local.reserved
                    && let reserved = Cell::Memory(self.block(reserved).base)
                    && reserves
                    && !cells.iter().any(|(cell, _)| *cell == reserved)
                {
                    cells.push((reserved, Mode::Update));
                }
            }
        }
        cells
    }

    /// Whether what memory holds can keep an instruction from being executed.
    pub(super) const fn may_block(&self, instruction: &Instruction, local: &Local) -> bool {
        match instruction {
            Instruction::Update { update: Update::BlockingReadWrite { .. }, .. }
            | Instruction::StoreExclusive { .. } => true,
            Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Update { .. }
            | Instruction::Lock => self.has_locks && !local.holds_lock,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Unlock => false,
        }
    }

    /// How an instruction touches the cell at its address, if it does.
    fn mode(&self, instruction: &Instruction, choice: Choice) -> Option<Mode> {
        match instruction {
            Instruction::Load { access, .. } if access.exclusive => Some(Mode::Update),
            Instruction::Load { .. } => Some(Mode::Read),
            // A write must know who has reserved the cell.
            Instruction::Store { .. } if self.has_exclusives => Some(Mode::Update),
            Instruction::Store { .. } => Some(Mode::Overwrite),
            Instruction::StoreExclusive { .. } => {
                (choice == Choice::Succeed).then_some(Mode::Update)
            }
            Instruction::Update { .. } => Some(Mode::Update),
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => None,
        }
    }

    /// What a step does, dead registers included.
    pub(super) fn execute(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        self.execute_seeing(class, local, step, contents, |_| None)
    }

    /// The same for a thread that sees something else than memory at some addresses.
    pub(crate) fn execute_seeing(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
        instead: impl Fn(Value) -> Option<Value>,
    ) -> Effect<Local, Content> {
        let template = self.program.template(self.template_of(class));
        let (edge, choice) = step.name;
        let instruction = &template.edge(edge).instruction;
        let mut contents: PerCell<Content> =
            contents.iter().map(|content| (*content).clone()).collect();
        let place = |cell: Cell| step.cells.iter().position(|(touched, _)| *touched == cell);
        let lock = place(Cell::Lock);
        // Somebody else holds the lock: who holds it himself does not look at it, but to give it
        // back.
        if let Some(lock) = lock
            && contents[lock].value == 1
            && *instruction != Instruction::Unlock
        {
            return Effect::Blocked;
        }
        let registers = self.registers(class, local);
        let is_published = |claim| {
            place(Cell::Published(claim)).is_none_or(|published| contents[published].value == 1)
        };
        if let Some(claim) = self.breaks(class, local, instruction, is_published) {
            return Effect::Done(Local { trespassed: Some(claim), ..local.clone() }, contents);
        }
        let found = registers.accessed(instruction);
        let address = found.and_then(Result::ok).map(|(address, _)| address);
        let covered = address.map(|address| self.covered(instruction, address));
        let accessed = address.and_then(|address| {
            let block = self.block(address);
            place(Cell::Memory(block.base)).map(|at| (at, block))
        });
        if accessed.is_some_and(|(at, _)| step.cells[at].1.reads() && contents[at].is_forgotten) {
            let trespassed = Some(FORGETTING);
            let mut stopped = Local { trespassed, published: 0, ..local.clone() };
            stopped.registers.iter_mut().for_each(|value| *value = 0);
            return Effect::Done(stopped, contents);
        }
        let me = self.thread_of(class).filter(|_| self.has_exclusives);
        let in_memory =
            |address| accessed.map_or(0, |(at, block)| contents[at].held(block, address));
        let met = covered.map_or_else(CellContext::default, |covered| CellContext {
            held: covered.read(|address| instead(address).unwrap_or_else(|| in_memory(address))),
            is_reserved: local.reserved == Some(covered.extent())
                && accessed.zip(me).is_some_and(|((at, _), me)| contents[at].is_reserved_by(me)),
        });
        let (register, written) = match registers.execute_at(found, instruction, choice, met) {
            rules::Effect::Blocked => return Effect::Blocked,
            rules::Effect::Fault(fault) => return stopped(local, edge, fault, contents),
            rules::Effect::Done { register, written } => (register, written),
        };
        let mut next = local.clone();
        next.control = Control::At(template.edge(edge).to);
        if let Some((register, value)) = register {
            next.registers[register] = value;
        }
        if let (Some(value), Some((at, block)), Some(covered)) = (written, accessed, covered) {
            for (address, value) in covered.parts(value) {
                contents[at].put(block, address, value);
            }
            contents[at].end_reservations(me, &covered);
        }
        if let (Some(_), Some((claim, bit))) =
            (written, self.published_by(class, local, instruction))
            && let Some(published) = place(Cell::Published(claim))
        {
            contents[published].value = 1;
            next.published |= bit;
        }
        match instruction {
            Instruction::Lock if local.holds_lock => {
                return stopped(local, edge, Fault::LockHeld, contents);
            }
            Instruction::Unlock if !local.holds_lock => {
                return stopped(local, edge, Fault::LockNotHeld, contents);
            }
            Instruction::Lock => {
                contents[lock.expect("touched")].value = 1;
                next.holds_lock = true;
            }
            Instruction::Unlock => {
                contents[lock.expect("touched")].value = 0;
                next.holds_lock = false;
            }
            Instruction::Load { access, .. } if access.exclusive => {
                let reserved =
                    accessed.zip(covered).map(|((at, _), covered)| (at, covered.extent()));
                next.reserved = Self::reserve(me, &mut contents, reserved);
            }
            Instruction::StoreExclusive { .. } => {
                next.reserved = Self::reserve(me, &mut contents, None);
            }
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_) => {}
        }
        Effect::Done(next, contents)
    }

    /// What [`automata::Threads::take_local_step`] is asked: the same as [`Self::touched`] and [`Self::execute`]
    /// say of all edges, for a thread that none of them makes touch a cell.
    pub(super) fn take_local_step(&self, class: usize, local: &mut Local) -> LocalStep<Name> {
        let Control::At(label) = local.control else { return LocalStep::Rests };
        let id = self.template_of(class);
        if self.look.visible_labels.contains(&(id, label)) {
            return LocalStep::Rests;
        }
        let template = self.program.template(id);
        let registers = Registers::of(self.program.memory(), template, &local.registers);
        let mut possible = None;
        for edge in template.outgoing(label) {
            let instruction = &template.edge(edge).instruction;
            match instruction {
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_)
                | Instruction::Fence(_) => {
                    let does = match registers.execute(
                        instruction,
                        Choice::Determined,
                        CellContext::default(),
                    ) {
                        rules::Effect::Blocked => continue,
                        rules::Effect::Fault(fault) => Err(fault),
                        rules::Effect::Done { register, .. } => Ok(register),
                    };
                    if possible.replace((edge, does)).is_some() {
                        return LocalStep::Unsaid;
                    }
                }
                Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::Update { .. }
                | Instruction::Lock
                | Instruction::Unlock => {
                    let name = (edge, Choice::Determined);
                    let touches = !self.touched(template, local, name).is_empty();
                    return if touches { LocalStep::Rests } else { LocalStep::Unsaid };
                }
                // There is a choice.
                Instruction::Choose { .. } | Instruction::StoreExclusive { .. } => {
                    return LocalStep::Unsaid;
                }
            }
        }
        let Some((edge, does)) = possible else { return LocalStep::Rests };
        match does {
            Ok(register) => {
                local.control = Control::At(template.edge(edge).to);
                if let Some((register, value)) = register {
                    local.registers[register] = value;
                }
                self.forget_dead_registers(id, local);
            }
            Err(fault) => {
                local.control = Control::Stopped { edge, fault };
                local.reserved = None;
            }
        }
        let closes_loop = self.known[id].closes_loop[edge];
        LocalStep::Passed { name: (edge, Choice::Determined), closes_loop }
    }

    /// Gives up what was reserved, and reserves these cells of the block at this place, if any.
    fn reserve(
        me: Option<usize>,
        contents: &mut [Content],
        reserved: Option<(usize, Extent)>,
    ) -> Option<Extent> {
        let me = me.expect("with exclusive accesses each thread is a class");
        for content in contents.iter_mut() {
            content.reserved_by.retain(|reservation| reservation.thread != me);
        }
        let (at, cells) = reserved?;
        contents[at].reserved_by.push(Reservation::of(me, cells));
        contents[at].reserved_by.sort_unstable();
        Some(cells)
    }
}

/// The thread stops; what it holds and what memory holds stay.
fn stopped(
    local: &Local,
    edge: program::EdgeId,
    fault: Fault,
    contents: PerCell<Content>,
) -> Effect<Local, Content> {
    let control = Control::Stopped { edge, fault };
    Effect::Done(Local { control, reserved: None, ..local.clone() }, contents)
}
