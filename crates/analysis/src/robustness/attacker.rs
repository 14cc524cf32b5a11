//! What the attacker does: it delays stores, loads past them, and makes its last load.

use std::collections::BTreeMap;

use automata::{Effect, Mode, PerCell, Step, Threads};
use program::{Instruction, Value};
use semantics::Control;

use super::threads::{Accessed, Attacks, Cell, Content, Delays, Local, Name, Part, Role};
use crate::rules::{self, CellContext};
use crate::sc::{self, Content as Plain};

impl Attacks<'_> {
    /// The address of a store that can be delayed here.
    pub(super) fn delayable(
        &self,
        class: usize,
        base: &sc::Local,
        name: sc::Name,
    ) -> Option<Value> {
        let instruction = self.instruction(class, name);
        if base.holds_lock
            || !matches!(instruction, Instruction::Store { .. })
            || instruction.drains_buffer()
        {
            return None;
        }
        let registers = self.sc.registers(class, base);
        match registers.execute(instruction, name.1, CellContext::default()) {
            rules::Effect::Done { .. } => registers.address(instruction)?.ok(),
            rules::Effect::Blocked | rules::Effect::Fault(_) => None,
        }
    }

    /// What the attacker can do.
    pub(super) fn attacker_steps(
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
            if !self.attack_filter.may_end(self.sc.thread_of(class), place, loaded) {
                continue;
            }
            let mut cells = PerCell::from_iter([
                (Cell::Sc(sc::Cell::Memory(loaded)), Mode::Update),
                (Cell::Sc(sc::Cell::Memory(first)), Mode::Update),
                (Cell::Loaded, Mode::Overwrite),
            ]);
            if self.sc.has_locks() {
                cells.push((Cell::Sc(sc::Cell::Lock), Mode::Read));
            }
            let name = Name { of_program: of_sc.name, part: Part::LastLoad };
            steps.push(Step { name, cells, may_block: true, closes_loop: of_sc.closes_loop });
        }
        steps
    }

    /// A thread becomes the attacker: its store stays with it.
    pub(super) fn delay(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        if contents[0].plain.value == 1 {
            return Effect::Blocked;
        }
        let name = step.name.of_program;
        let first = self.delayable(class, &local.base, name).expect("only such are delayed");
        let registers = self.sc.registers(class, &local.base);
        let effect =
            registers.execute(self.instruction(class, name), name.1, CellContext::default());
        let (rules::Effect::Done { written: Some(value), .. }, Some(base)) =
            (effect, self.advanced(class, local, name, effect))
        else {
            return Effect::Blocked;
        };
        let buffer = BTreeMap::from([(first, value)]);
        let role = Role::Attacker { first, buffer, delays: Delays::FIRST };
        Effect::Done(Local { base, role }, PerCell::from_iter([Content::of(Plain::of(1))]))
    }

    /// The attacker takes a step other than its last load.
    pub(super) fn attack(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Name>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let Role::Attacker { first, buffer, delays } = &local.role else { return Effect::Blocked };
        if is_locked_by_another(step, contents) {
            return Effect::Blocked;
        }
        let name = step.name.of_program;
        let instruction = self.instruction(class, name);
        let registers = self.sc.registers(class, &local.base);
        let address = registers.address(instruction).and_then(Result::ok);
        let is_store = matches!(instruction, Instruction::Store { .. });
        let early = address.and_then(|address| buffer.get(&address)).copied();
        let mut buffer = buffer.clone();
        let (base, after) = if is_store || early.is_some() {
            // Neither a store nor a load from the buffer touches memory.
            let met = CellContext { held: early.unwrap_or(0), ..CellContext::default() };
            let effect = registers.execute(instruction, name.1, met);
            if let (rules::Effect::Done { written: Some(value), .. }, Some(address)) =
                (effect, address)
            {
                buffer.insert(address, value);
            }
            let unchanged = contents.iter().map(|content| (*content).clone()).collect();
            (self.advanced(class, local, name, effect), unchanged)
        } else {
            match self.under_sc(class, &local.base, step, contents) {
                Effect::Blocked => return Effect::Blocked,
                Effect::Done(base, after) => (Some(base), after),
            }
        };
        let delays = self.most_delays.map_or(*delays, |_| delays.and_action(is_store));
        let is_too_late = self.most_delays.is_some_and(|most| delays.in_all() > most);
        // A fault stops the attacker for good, and without a load ahead it is of no use.
        match base {
            Some(base) if !is_too_late && self.has_load_ahead(class, &base) => {
                let role = Role::Attacker { first: *first, buffer, delays };
                Effect::Done(Local { base, role }, after)
            }
            Some(_) | None => Effect::Blocked,
        }
    }

    fn has_load_ahead(&self, class: usize, base: &sc::Local) -> bool {
        match base.control {
            Control::At(label) => {
                self.attack_filter.has_load_ahead(self.sc.template_of(class), label)
            }
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
                self.sc.forget_dead_registers(self.sc.template_of(class), &mut base);
                Some(base)
            }
        }
    }

    /// The attacker's last load.
    pub(super) fn last_load(
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
        let mut after: PerCell<Content> =
            contents.iter().map(|content| (*content).clone()).collect();
        after[0].accessed = Accessed::Loaded;
        after[1].is_attacked = true;
        after[2].plain.value = 1;
        Effect::Done(self.forgotten(class, Role::Spent), after)
    }
}

fn is_locked_by_another(step: &Step<Cell, Name>, contents: &[&Content]) -> bool {
    let mut cells = step.cells.iter().zip(contents);
    cells.any(|((cell, _), content)| *cell == Cell::Sc(sc::Cell::Lock) && content.plain.value == 1)
}
