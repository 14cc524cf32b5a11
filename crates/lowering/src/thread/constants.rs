//! Constants: what a compiler puts where nobody can write. A write to one ends the process on every machine.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{EdgeId, Expr, Failure, Instruction, Template};

use super::{Cursor, Spot, Walk};
use crate::flow::Touch;
use crate::object::{ObjectId, ObjectKey};
use crate::value;
use crate::world::World;

const fn writes(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. } => true,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

impl World<'_, '_> {
    pub(crate) fn is_constant(&self, object: ObjectId) -> bool {
        match self.objects.key(object) {
            ObjectKey::Global(item) => self.linked.global(*item).is_some_and(|one| one.constant),
            ObjectKey::ThreadLocal(..)
            | ObjectKey::Function(_)
            | ObjectKey::Local(..)
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
            | ObjectKey::Immortal => false,
        }
    }

    /// Notes which writes may be of constants.
    pub(crate) fn learn_of_constants(&mut self, threads: &[&Template], touches: &[Touch]) {
        for touch in touches {
            let edge = threads[touch.thread].edge(EdgeId::new(touch.edge));
            if !writes(&edge.instruction) {
                continue;
            }
            let constants: BTreeSet<ObjectId> =
                touch.places.objects().filter(|one| self.is_constant(*one)).collect();
            for object in constants {
                let known = self.facts.constants.entry(touch.spot).or_default();
                self.facts.is_new |= known.insert(object);
            }
        }
    }
}

impl Walk<'_, '_, '_> {
    /// Before a write: an error if it is of a constant.
    pub(crate) fn must_be_writable(&mut self, cursor: &mut Cursor, address: &Expr, bytes: u32) {
        let spot = Spot::new(self.point(cursor), address, bytes);
        let Some(objects) = self.world.facts.constants.get(&spot) else { return };
        let objects: Vec<ObjectId> = objects.iter().copied().collect();
        self.must_not_be_in(cursor, address, &objects, Failure::WriteToConstant);
    }

    /// An error if an address is in one of some objects.
    pub(crate) fn must_not_be_in(
        &mut self,
        cursor: &mut Cursor,
        address: &Expr,
        objects: &[ObjectId],
        failure: Failure,
    ) {
        let is_inside = value::fold(self.is_inside(address, objects));
        if is_inside != Expr::Const(0) {
            let is_elsewhere = value::fold(is_inside.negated());
            self.emit(cursor, failure.unless(is_elsewhere));
        }
    }
}
