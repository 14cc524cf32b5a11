//! Local variables of calls that have returned, and thread-local ones of threads that have ended: nobody may access
//! them any more.
//!
//! Of variables in registers nobody else knows. Of those in memory it is known where a pointer to them may be used
//! that is not part of the call that they belong to ([`World::learn_of_locals`]). What the thread does that made the
//! call is known when it is translated: the call is under way or it is not. Another thread looks at a word before each
//! access, as for memory that may have been given back ([`super::lifetime`], where it is said why loads and stores are
//! enough): it is not 0 after the call has returned, or its thread has ended, until the same place calls the function
//! again. Variables of `main` live as long as the process if `main` returns.
//!
//! Not noticed is a pointer to a variable of an earlier call from the same place, while a later one is under way: on
//! machines the two are at the same address as well. Copies of one thread are not told apart.
//!
//! Programs in Rust need `unsafe` for this. What only a scope's threads can reach is joined before the scope ends, so
//! they do not look; nor do variables of the standard library's functions matter.

use llvm::LocalId;
use program::{Expr, Failure, Instruction, Order, Span};

use super::{Cursor, Frame, Spot, Walk, access};
use crate::flow::Touch;
use crate::library;
use crate::object::{Naming, ObjectId, ObjectKey};
use crate::path::PathId;
use crate::value::PrivateId;
use crate::world::World;

impl World<'_, '_> {
    /// The call that a variable in memory belongs to, if that can be misused; of a thread-local variable, the first call of
    /// its thread.
    fn call_of(&mut self, object: ObjectId) -> Option<PathId> {
        match self.objects.key(object) {
            ObjectKey::Local(path, _) => {
                let Naming::Local { function, .. } = self.objects.get(object).naming else {
                    return None;
                };
                let is_of_library = self.is_rust(function.module)
                    && library::is_of_language(self.linked.name(function));
                (!is_of_library).then_some(*path)
            }
            ObjectKey::ThreadLocal(item, thread) => {
                let (item, thread) = (*item, *thread);
                (!self.is_rust(item.module)).then(|| self.paths.thread(thread))
            }
            ObjectKey::Global(_)
            | ObjectKey::Function(_)
            | ObjectKey::Allocated(..)
            | ObjectKey::Threads
            | ObjectKey::Process
            | ObjectKey::Tokens
            | ObjectKey::Sleepers
            | ObjectKey::Errno(_)
            | ObjectKey::Environment(_)
            | ObjectKey::Argument(_)
            | ObjectKey::Result(_)
            | ObjectKey::Support(_)
            | ObjectKey::Life(_)
            | ObjectKey::Immortal => None,
        }
    }

    /// Notes which accesses may be of local variables, and are made where the call that these belong to need not
    /// be under way.
    pub(crate) fn learn_of_locals(&mut self, touches: &[Touch]) {
        if !self.environment.finds_misuse() {
            return;
        }
        for touch in touches {
            let point = touch.origin.point;
            for object in touch.places.objects() {
                let Some(call) = self.call_of(object) else { continue };
                if self.paths.is_under_way(call, point) {
                    continue;
                }
                let (own, other) = (self.paths.thread_of(call), self.paths.thread_of(point.path));
                let is_own = matches!(self.objects.key(object), ObjectKey::ThreadLocal(..));
                if own == other && is_own {
                    continue;
                }
                if own != other {
                    if self.facts.scoped.contains(&other) {
                        continue;
                    }
                    self.facts.is_new |= self.facts.outlived.insert(object);
                }
                let known = self.facts.fleeting.entry(touch.spot).or_default();
                self.facts.is_new |= known.insert(object);
            }
        }
    }
}

impl Walk<'_, '_, '_> {
    /// Before an access: an error if it is of a local variable whose function has returned.
    pub(super) fn look_whether_returned(
        &mut self,
        cursor: &mut Cursor,
        address: &Expr,
        spot: Spot,
    ) {
        let Some(objects) = self.world.facts.fleeting.get(&spot) else { return };
        let objects: Vec<ObjectId> = objects.iter().copied().collect();
        self.must_be_under_way(cursor, address, &objects);
    }

    /// An error if an address is in one of some objects, and that is a local variable whose function has returned.
    pub(crate) fn must_be_under_way(
        &mut self,
        cursor: &mut Cursor,
        address: &Expr,
        objects: &[ObjectId],
    ) {
        if !self.world.environment.finds_misuse() {
            return;
        }
        let (mut gone, mut of_others) = (Vec::new(), Vec::new());
        let point = self.point(cursor);
        for object in objects {
            let Some(call) = self.world.call_of(*object) else { continue };
            if self.world.paths.thread_of(call) != self.spec.number {
                of_others.extend(self.world.facts.outlived.get(object).copied());
            } else if matches!(self.world.objects.key(*object), ObjectKey::Local(..))
                && self.spec.copies == 1
                && !calls(&cursor.known.frame).any(|one| one == call)
                && !self.world.paths.is_made_at(call, point)
            {
                gone.push(*object);
            }
        }
        self.must_not_be_in(cursor, address, &gone, Failure::UseAfterReturn);
        if !of_others.is_empty() {
            let word = self.word_of(address, &of_others);
            self.must_be_alive(cursor, word, Failure::UseAfterReturn, Span::NONE);
        }
    }

    /// The same for a variable in registers.
    pub(crate) fn must_be_of_a_call_under_way(&mut self, cursor: &mut Cursor, variable: PrivateId) {
        let call = self.world.owner(variable);
        let point = self.point(cursor);
        if self.world.environment.finds_misuse()
            && !calls(&cursor.known.frame).any(|one| one == call)
            && !self.world.paths.is_made_at(call, point)
        {
            self.emit(cursor, Failure::UseAfterReturn.unless(Expr::Const(0)));
        }
    }

    /// A variable of a call begins.
    pub(crate) fn begin_in_memory(&mut self, cursor: &mut Cursor, call: PathId, local: LocalId) {
        let object = self.world.objects.find(&ObjectKey::Local(call, local));
        if let Some(object) = object.filter(|one| self.world.facts.outlived.contains(one)) {
            self.write_whether_returned(cursor, object, 0);
        }
    }

    /// Calls return, or their thread ends: their variables are gone.
    pub(crate) fn end_variables(&mut self, cursor: &mut Cursor, calls: &[PathId]) {
        let outlived: Vec<ObjectId> = self.world.facts.outlived.iter().copied().collect();
        for object in outlived {
            if self.world.call_of(object).is_some_and(|call| calls.contains(&call)) {
                self.write_whether_returned(cursor, object, 1);
            }
        }
    }

    fn write_whether_returned(&mut self, cursor: &mut Cursor, object: ObjectId, value: i128) {
        let life = self.life_of(object);
        let address = self.own_address(life, 1);
        let access = access(Order::Relaxed, 8);
        self.emit(cursor, Instruction::Store { address, value: Expr::Const(value), access });
    }
}

/// The calls that are under way, the last one first.
pub(crate) fn calls(frame: &Frame) -> impl Iterator<Item = PathId> {
    std::iter::successors(Some(frame), |frame| frame.caller.as_deref()).map(|frame| frame.path)
}
