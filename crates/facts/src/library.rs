//! What library functions do with addresses, as the table of [`linkage::effects`] says.

use linkage::Item;
use linkage::effects::{Clause, Where};

use crate::object::{OUTSIDE, ObjectKind, Offset, Words};
use crate::pointers::{Pointers, Purpose};
use crate::solver::{Constraint, NOTHING, Var};

/// The largest value that an atomic operation of a library has.
const WIDEST: u32 = 16;

impl Pointers<'_, '_> {
    /// Adds what the clauses of a function say of a call.
    pub(crate) fn carry_out(&mut self, site: u32, _item: Item, clauses: &[Clause]) {
        let mut says_what_is_returned = false;
        for clause in clauses {
            says_what_is_returned |= self.carry_out_one(site, clause);
        }
        if !says_what_is_returned && self.returns_pointer(site) {
            // Memory of the library, or an address in what it was given.
            let result = self.result(site);
            for to in result {
                self.solver.include(to, (OUTSIDE, Offset::ANY));
                for argument in 0..self.sites[site as usize].arguments.len() {
                    let from = self.argument(site, argument);
                    self.anywhere(from, to);
                }
            }
        }
    }

    /// One variable for an argument.
    pub(crate) fn argument(&mut self, site: u32, at: usize) -> Var {
        match self.sites[site as usize].arguments.get(at) {
            Some(all) => {
                let all = all.clone();
                self.union(&all)
            }
            None => NOTHING,
        }
    }

    /// What all threads keep, or all their results.
    fn collected(&mut self, kind: ObjectKind) -> Var {
        let object = self.solver.object(kind, None);
        self.solver.stored(object, Words::ALL).unwrap_or(NOTHING)
    }

    fn allocated(&mut self, site: u32) -> Var {
        let known = &self.sites[site as usize];
        let kind = ObjectKind::Heap(known.instance, known.block, known.index);
        let object = self.solver.object(kind, None);
        self.solver.constant((object, Offset::ZERO))
    }

    /// A call that the library makes at a call.
    fn called(&mut self, site: u32, purpose: Purpose, function: Var, arguments: Vec<Vec<Var>>) {
        let known = &self.sites[site as usize];
        let place = (known.instance, known.block, known.index);
        let result = match purpose {
            Purpose::Thread => vec![self.collected(ObjectKind::Results)],
            Purpose::Call | Purpose::Outside => Vec::new(),
        };
        let inner = self.site(place, purpose, arguments, result);
        self.solver.constrain(function, Constraint::Call(inner));
    }

    /// Adds what one clause says; whether it says what is returned.
    #[expect(clippy::too_many_lines, reason = "one arm for each clause")]
    fn carry_out_one(&mut self, site: u32, clause: &Clause) -> bool {
        let result = self.result(site);
        match clause {
            Clause::Creates { function, argument } => {
                let function = self.argument(site, *function);
                let argument = self.argument(site, *argument);
                self.called(site, Purpose::Thread, function, vec![vec![argument]]);
            }
            Clause::CreatesBoxed { argument, slot } => {
                let given = self.argument(site, *argument);
                let next = self.argument(site, argument + 1);
                let held = self.solver.variable();
                self.solver.copy(given, held);
                self.solver.copy(next, held);
                self.solver.constrain(given, Constraint::LoadAll { to: held });
                let function = self.method(held, *slot);
                self.called(site, Purpose::Thread, function, vec![vec![held]]);
            }
            Clause::Result(place) => {
                let place = self.argument(site, *place);
                let from = self.collected(ObjectKind::Results);
                self.solver.constrain(place, Constraint::Store { at: 0, bytes: 8, from });
            }
            Clause::Ends(value) => {
                let (value, to) =
                    (self.argument(site, *value), self.collected(ObjectKind::Results));
                self.solver.copy(value, to);
            }
            Clause::Allocates(Where::Returned) => {
                let address = self.allocated(site);
                for to in result {
                    self.solver.copy(address, to);
                }
                return true;
            }
            Clause::Allocates(Where::Into(place)) => {
                let from = self.allocated(site);
                let place = self.argument(site, *place);
                self.solver.constrain(place, Constraint::Store { at: 0, bytes: 8, from });
            }
            Clause::Reallocates(old) => {
                let old = self.argument(site, *old);
                let address = self.allocated(site);
                self.solver.copy_memory(address, old, None);
                for to in result {
                    self.solver.copy(address, to);
                    self.solver.copy(old, to);
                }
                return true;
            }
            Clause::Copies { to, from } => {
                let (to, from) = (self.argument(site, *to), self.argument(site, *from));
                self.solver.copy_memory(to, from, None);
            }
            Clause::KeepsIn { value, place } => {
                let value = self.argument(site, *value);
                let from = self.solver.variable();
                self.anywhere(value, from);
                let place = self.argument(site, *place);
                self.solver.constrain(place, Constraint::Store { at: 0, bytes: 8, from });
            }
            Clause::Keeps(value) => {
                let (value, to) = (self.argument(site, *value), self.collected(ObjectKind::Kept));
                self.solver.copy(value, to);
            }
            Clause::ReturnsKept => {
                let from = self.collected(ObjectKind::Kept);
                for to in result {
                    self.solver.copy(from, to);
                }
                return true;
            }
            Clause::ReturnsInside(argument) => {
                let from = self.argument(site, *argument);
                for to in result {
                    self.anywhere(from, to);
                    self.solver.copy(from, to);
                }
                return true;
            }
            Clause::ReturnsHeld(place) => {
                let place = self.argument(site, *place);
                for to in result {
                    self.solver.constrain(place, Constraint::Load { at: 0, bytes: 8, to });
                }
                return true;
            }
            Clause::ReturnsOutside => {
                for to in result {
                    self.solver.include(to, (OUTSIDE, Offset::ANY));
                }
                return true;
            }
            Clause::ReturnsOwn => {
                let own = self.solver.object(ObjectKind::Own, None);
                for to in result {
                    self.solver.include(to, (own, Offset::ANY));
                }
                return true;
            }
            Clause::Calls { function, arguments } => {
                let function = self.argument(site, *function);
                let mut given = Vec::new();
                for argument in arguments {
                    // Elements of what the library was given.
                    let from = self.argument(site, *argument);
                    let var = self.solver.variable();
                    self.anywhere(from, var);
                    self.solver.copy(from, var);
                    given.push(vec![var]);
                }
                self.called(site, Purpose::Call, function, given);
            }
            Clause::CreatesWithKept(function) => {
                let function = self.argument(site, *function);
                let kept = self.collected(ObjectKind::Kept);
                self.called(site, Purpose::Thread, function, vec![vec![kept]]);
            }
            Clause::CallsTable { table, slot, arguments } => {
                let table = self.argument(site, *table);
                let function = self.method(table, *slot);
                let given =
                    arguments.iter().map(|one| vec![self.argument(site, *one)]).collect();
                self.called(site, Purpose::Call, function, given);
            }
            Clause::CallsHeld(argument) | Clause::CreatesHeld(argument) => {
                let purpose = match clause {
                    Clause::CreatesHeld(_) => Purpose::Thread,
                    _ => Purpose::Call,
                };
                let given = self.argument(site, *argument);
                let held = self.solver.variable();
                self.solver.copy(given, held);
                self.solver.constrain(held, Constraint::LoadAll { to: held });
                self.called(site, purpose, held, vec![vec![held]; 4]);
            }
            Clause::Loads { address, .. } => {
                let address = self.argument(site, *address);
                for to in result {
                    self.solver.constrain(address, Constraint::Load { at: 0, bytes: WIDEST, to });
                }
                return true;
            }
            Clause::Stores { value, address, .. } => {
                let (from, address) = (self.argument(site, *value), self.argument(site, *address));
                self.solver.constrain(address, Constraint::Store { at: 0, bytes: 8, from });
            }
            Clause::Exchanges { value, address, .. } => {
                let (from, address) = (self.argument(site, *value), self.argument(site, *address));
                self.solver.constrain(address, Constraint::Store { at: 0, bytes: 8, from });
                for to in result {
                    self.solver.constrain(address, Constraint::Load { at: 0, bytes: 8, to });
                }
                return true;
            }
            Clause::Locks(..)
            | Clause::Unlocks { .. }
            | Clause::Handle(_)
            | Clause::Joins(_)
            | Clause::Frees(_)
            | Clause::Writes { .. }
            | Clause::Fences(_)
            | Clause::Updates { .. }
            | Clause::Stops => {}
        }
        false
    }

    /// The method at an offset of the tables that a variable points to.
    fn method(&mut self, table: Var, slot: u64) -> Var {
        let function = self.solver.variable();
        let at = i32::try_from(slot).unwrap_or(0);
        self.solver.constrain(table, Constraint::Load { at, bytes: 8, to: function });
        function
    }
}
