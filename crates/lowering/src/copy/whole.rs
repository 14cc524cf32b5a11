//! Whether bytes that are copied, filled or compared may be accessed at all: as a whole, since bytes that nobody
//! accesses in another way are left out of copies, and a mistake is one with them as well.

use program::{BinaryOp, Expr, Failure, Span, Value};

use crate::object::{Object, ObjectId};
use crate::targets::Residue;
use crate::thread::{Cursor, Walk};
use crate::value::{self, Val};

/// Whether so many bytes at an address begin in an element of an object and end behind it.
fn goes_beyond(address: &Expr, size: u64, object: &Object) -> Expr {
    let constant = |value: u64| Expr::Const(Value::from(value));
    let offset = value::sum(address.clone(), Expr::Const(-object.base));
    let from = Expr::binary(BinaryOp::Ge, offset.clone(), Expr::Const(0));
    let to = Expr::binary(BinaryOp::Le, offset.clone(), constant(object.extent()));
    let inside = Expr::binary(BinaryOp::And, from, to);
    let within = match object.elements {
        0 | 1 => offset,
        _ => Expr::binary(BinaryOp::Rem, offset, constant(object.stride)),
    };
    let end = value::sum(within, constant(size));
    let is_beyond = Expr::binary(BinaryOp::Gt, end, constant(object.size));
    value::fold(Expr::binary(BinaryOp::And, inside, value::fold(is_beyond)))
}

/// Whether so many bytes at an offset are surely inside of an object.
fn fits(object: &Object, offset: Residue, size: u64) -> bool {
    let at = u64::try_from(offset.residue).ok().filter(|_| offset.modulus == 0);
    at.is_some_and(|at| {
        let within = if object.elements > 1 { at % object.stride } else { at };
        within.saturating_add(size) <= object.size
    })
}

impl Walk<'_, '_, '_> {
    /// Before so many bytes behind a pointer are accessed: an error if they are not there, are gone, or are to be
    /// written and cannot be.
    pub(super) fn look_at_bytes(
        &mut self,
        cursor: &mut Cursor,
        (pointer, which): (&Val, u32),
        size: u64,
        writes: bool,
    ) {
        match pointer {
            Val::Private(private, from) if size > 0 => {
                let end = Value::from(*from) + Value::from(size);
                if *from < 0 || end > Value::from(self.world.private_size(*private)) {
                    self.emit(cursor, Failure::OutOfBounds.unless(Expr::Const(0)));
                }
            }
            Val::Expr(address) if size > 0 => {
                let address = address.clone();
                let targets = self.pointed_to(cursor, &address, which);
                for (object, offset) in targets.iter() {
                    let object = self.world.objects.get(object);
                    if object.size == 0 || fits(object, offset, size) {
                        continue;
                    }
                    let is_beyond = goes_beyond(&address, size, object);
                    if is_beyond != Expr::Const(0) {
                        let is_right = value::fold(is_beyond.negated());
                        self.emit(cursor, Failure::OutOfBounds.unless(is_right));
                    }
                }
                let objects: Vec<ObjectId> = targets.objects().collect();
                self.look_at_objects(cursor, &address, &objects, writes);
            }
            Val::Expr(_)
            | Val::Private(..)
            | Val::Aggregate(_)
            | Val::Undefined
            | Val::Inexpressible(_) => {}
        }
    }

    fn look_at_objects(
        &mut self,
        cursor: &mut Cursor,
        address: &Expr,
        objects: &[ObjectId],
        writes: bool,
    ) {
        if writes {
            let constants: Vec<ObjectId> =
                objects.iter().copied().filter(|one| self.world.is_constant(*one)).collect();
            self.must_not_be_in(cursor, address, &constants, Failure::WriteToConstant);
        }
        let freed: Vec<ObjectId> =
            objects.iter().copied().filter(|one| self.world.facts.freed.contains(one)).collect();
        if !freed.is_empty() {
            let word = self.word_of(address, &freed);
            self.must_be_alive(cursor, word, Failure::UseAfterFree, Span::NONE);
        }
        self.must_be_under_way(cursor, address, objects);
    }
}
