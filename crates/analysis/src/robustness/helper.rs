//! What the helpers do: under SC until the attacker has made its last load, and after that only what
//! belongs to the chain of happens-before from the load to the attacked cell.

use std::collections::BTreeMap;

use automata::{Effect, Step};
use program::Instruction;
use semantics::Choice;

use super::threads::{Accessed, Attacks, Cell, Content, Local, Name, Role};
use crate::rules::{self, CellContext};
use crate::sc;

impl Attacks<'_> {
    /// A step of a thread that does not attack.
    pub(super) fn help(
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
        let met = CellContext { held: contents[at].plain.value, is_reserved: true };
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
