//! What library functions do with addresses, as the table of [`linkage::effects`] says.

use linkage::Item;
use linkage::effects::{Clause, Where};

use crate::object::{ObjectId, ObjectKind, Offset, Words};
use crate::pointers::{Pointers, Purpose};
use crate::solver::{Constraint, ESCAPED, NOTHING, Var};

/// Calls that library functions make for each other are followed so far.
const DEEPEST: u32 = 3;
/// The largest value that an atomic operation of a library has.
const WIDEST: u32 = 16;

/// Instructions that allocate one size, before those that follow are not told apart.
const MOST_ALLOCATIONS: u32 = 256;

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
                let library = self.library_memory();
                self.solver.include(to, library);
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

    /// Memory of libraries, which holds addresses of its own: what they return is not the program's, and the
    /// program keeps no addresses of its own there.
    pub(crate) fn library_memory(&mut self) -> (ObjectId, Offset) {
        (self.solver.object(ObjectKind::Library, None), Offset::ANY)
    }

    /// What all threads keep, or all their results.
    fn collected(&mut self, kind: ObjectKind) -> Var {
        let object = self.solver.object(kind, None);
        self.solver.stored(object, Words::ALL).unwrap_or(NOTHING)
    }

    fn allocated(&mut self, site: u32) -> Var {
        let known = &self.sites[site as usize];
        let kind = ObjectKind::Heap(known.instance, known.block, known.index);
        let size = self.allocated_bytes(site);
        let object = match self.solver.known_object(kind) {
            Some(known) => known,
            None => self.new_allocation(kind, size),
        };
        self.solver.constant((object, Offset::ZERO))
    }

    /// The object of an instruction that allocates. Beyond a number of them those of one size are one object:
    /// otherwise in programs that build one structure in thousands of places every pointer into it would be
    /// followed to each of them.
    fn new_allocation(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        let (count, last) = self.allocations.entry(size).or_insert((0, kind));
        if *count < MOST_ALLOCATIONS {
            *count += 1;
            *last = kind;
        }
        let kind = *last;
        self.solver.object(kind, size)
    }

    /// How many bytes a call allocates, if that is a number: those of `malloc` and its like, of `calloc`, and
    /// of Rust's allocator.
    fn allocated_bytes(&self, site: u32) -> Option<u64> {
        let known = &self.sites[site as usize];
        let instance = self.instances.get(known.instance as usize)?;
        let code = &self.function(instance.item).blocks[known.block as usize].instructions;
        let (llvm::Operation::Call(call) | llvm::Operation::Invoke { call, .. }) =
            &code[known.index as usize].operation
        else {
            return None;
        };
        let symbol = linkage::symbol_of(&call.callee)?;
        let name = &self.linked.module(instance.item.module).symbol(symbol).name;
        let number = |at: usize| call.arguments.get(at).and_then(crate::access::number);
        let bytes = match linkage::of_c(name) {
            "malloc" => number(0),
            "calloc" => number(0).zip(number(1)).and_then(|(one, two)| one.checked_mul(two)),
            _ => None,
        };
        bytes.and_then(|bytes| u64::try_from(bytes).ok())
    }

    /// A call that the library makes at a call.
    fn called(&mut self, site: u32, purpose: Purpose, function: Var, arguments: Vec<Vec<Var>>) {
        let known = &self.sites[site as usize];
        let place = (known.instance, known.block, known.index);
        let depth = known.depth + 1;
        if depth > DEEPEST {
            // Library functions that call each other through what they are given.
            self.solver.copy(function, ESCAPED);
            self.call_outside(site);
            return;
        }
        let result = match purpose {
            Purpose::Thread => vec![self.collected(ObjectKind::Results)],
            Purpose::Call | Purpose::Outside => Vec::new(),
        };
        let inner = self.site(place, purpose, arguments, result);
        self.sites[inner as usize].depth = depth;
        self.solver.constrain(function, Constraint::Call(inner));
    }

    /// Adds what one clause says; whether it says what is returned.
    #[expect(clippy::too_many_lines, reason = "one arm for each clause")]
    fn carry_out_one(&mut self, site: u32, clause: &Clause) -> bool {
        let result = self.result(site);
        match clause {
            Clause::Creates { function, arguments } => {
                let function = self.argument(site, *function);
                let given = arguments.iter().map(|one| vec![self.argument(site, *one)]).collect();
                self.called(site, Purpose::Thread, function, given);
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
                if let Some(inner) = self.sites.last_mut() {
                    inner.is_of_closures = true;
                }
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
            Clause::ReallocatesIn(place) => {
                let from = self.allocated(site);
                let place = self.argument(site, *place);
                let old = self.solver.variable();
                self.solver.constrain(place, Constraint::LoadAll { to: old });
                self.solver.copy_memory(from, old, None);
                self.solver.constrain(place, Constraint::StoreAll { from });
            }
            Clause::Mixes => {
                let mixed = match self.sites[site as usize].held {
                    Some(held) => held,
                    None => self.solver.variable(),
                };
                for argument in 0..self.sites[site as usize].arguments.len() {
                    let given = self.argument(site, argument);
                    self.solver.copy(given, mixed);
                }
                if self.sites[site as usize].held.is_none() {
                    self.sites[site as usize].held = Some(mixed);
                    self.called(site, Purpose::Call, mixed, vec![vec![mixed]; 4]);
                    if let Some(inner) = self.sites.last_mut() {
                        inner.held = Some(mixed);
                    }
                }
                self.solver.constrain(mixed, Constraint::LoadAll { to: mixed });
                self.solver.constrain(mixed, Constraint::StoreAll { from: mixed });
                for to in result {
                    self.solver.copy(mixed, to);
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
                    let library = self.library_memory();
                    self.solver.include(to, library);
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
                let given = arguments.iter().map(|one| vec![self.argument(site, *one)]).collect();
                self.called(site, Purpose::Call, function, given);
            }
            Clause::CallsHeld(argument) | Clause::CreatesHeld(argument) => {
                let is_later = matches!(clause, Clause::CreatesHeld(_));
                let purpose = if is_later { Purpose::Thread } else { Purpose::Call };
                let given = self.argument(site, *argument);
                if let Some(held) = self.sites[site as usize].held {
                    // Who calls everything that can be reached calls this, too.
                    self.solver.copy(given, held);
                    return false;
                }
                let held = self.solver.variable();
                self.solver.copy(given, held);
                self.solver.constrain(held, Constraint::LoadAll { to: held });
                self.called(site, purpose, held, vec![vec![held]; 4]);
                if let Some(inner) = self.sites.last_mut() {
                    inner.held = Some(held);
                }
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
            | Clause::Formats(_)
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
