//! Guards: steps before accesses by pointers that, as far as is known of pointers, could hit a cell of
//! another width. If one does, the answer is beyond the bounds of the translation; addresses outside of
//! the objects in question are left to the access itself.

use super::{Cursor, Limit, Walk};
use crate::object::{Object, ObjectId};
use crate::path::Point;
use crate::value;
use program::{AccessWidth, BinaryOp, Expr, Instruction, Value};
use std::collections::BTreeSet;

/// An access: where it is made, how far behind its pointer, how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    point: Point,
    behind: Value,
    bytes: u32,
}

impl Spot {
    pub(crate) fn new(point: Point, address: &Expr, bytes: u32) -> Self {
        let behind = match address {
            Expr::Const(address) => *address,
            Expr::Binary(BinaryOp::Add, _, offset) => match **offset {
                Expr::Const(behind) => behind,
                Expr::Register(_)
                | Expr::Element(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => 0,
            },
            Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => 0,
        };
        Self { point, behind, bytes }
    }
}

/// Cells of one width: the offset of the first, that of the last, and the distance between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    first: u64,
    last: u64,
    step: u64,
}

/// Increasing offsets in as few rows as one finds on the way.
fn rows(offsets: impl IntoIterator<Item = u64>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for at in offsets {
        match rows.last_mut() {
            Some(row) if row.first == row.last => {
                row.step = at - row.first;
                row.last = at;
            }
            Some(row) if row.last + row.step == at => row.last = at,
            Some(_) | None => rows.push(Row { first: at, last: at, step: 1 }),
        }
    }
    rows
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

/// Whether an offset is in a row.
fn is_in(offset: &Expr, row: Row) -> Expr {
    let constant = |value: u64| Expr::Const(Value::from(value));
    if row.first == row.last {
        return binary(BinaryOp::Eq, offset.clone(), constant(row.first));
    }
    let from = binary(BinaryOp::Ge, offset.clone(), constant(row.first));
    let to = binary(BinaryOp::Le, offset.clone(), constant(row.last));
    let within = binary(BinaryOp::And, from, to);
    if row.step == 1 {
        return within;
    }
    let distance = binary(BinaryOp::Sub, offset.clone(), constant(row.first));
    let rest = binary(BinaryOp::Rem, distance, constant(row.step));
    binary(BinaryOp::And, within, binary(BinaryOp::Eq, rest, Expr::Const(0)))
}

/// Whether an address is inside of an object, and at none of its cells in these rows.
fn is_amiss(address: &Expr, object: &Object, rows: &[Row]) -> Expr {
    let end = object.base + Value::from(object.extent());
    let from = binary(BinaryOp::Ge, address.clone(), Expr::Const(object.base));
    let to = binary(BinaryOp::Lt, address.clone(), Expr::Const(end));
    let mut inside = binary(BinaryOp::And, from, to);
    let mut offset = binary(BinaryOp::Sub, address.clone(), Expr::Const(object.base));
    if object.elements > 1 {
        offset = binary(BinaryOp::Rem, offset, Expr::Const(object.stride.into()));
        let in_element = binary(BinaryOp::Lt, offset.clone(), Expr::Const(object.size.into()));
        inside = binary(BinaryOp::And, inside, in_element);
    }
    let any = |left, right| binary(BinaryOp::Or, left, right);
    match rows.iter().map(|row| is_in(&offset, *row)).reduce(any) {
        Some(right) => binary(BinaryOp::And, inside, right.negated()),
        None => inside,
    }
}

impl Walk<'_, '_, '_> {
    /// Before an access by a pointer that could hit a cell of another width: gives up if it does. Before one
    /// that could be of memory that was given back: an error if it is.
    pub(crate) fn guard(&mut self, cursor: &mut Cursor, address: &Expr, bytes: u32) {
        self.look_whether_alive(cursor, address, bytes);
        let spot = Spot::new(self.point(cursor), address, bytes);
        let Some(objects) = self.world.facts.guards.get(&spot) else { return };
        let amiss = objects.iter().map(|object| self.amiss(*object, address, bytes));
        let any = |left, right| binary(BinaryOp::Or, left, right);
        let Some(amiss) = amiss.reduce(any) else { return };
        let mut beyond = self.branch(cursor, amiss.clone());
        self.give_up(&mut beyond, Limit::PartOfCell);
        self.emit(cursor, Instruction::Assume(amiss.negated()));
    }

    fn amiss(&self, id: ObjectId, address: &Expr, bytes: u32) -> Expr {
        let cells = self.world.facts.cells.get(&id);
        let same = cells.into_iter().flatten().filter(|(_, width)| **width == bytes);
        let mut offsets: BTreeSet<u64> = same.map(|(at, _)| *at).collect();
        let regions = self.world.facts.regions.get(&id).into_iter().flatten();
        let fitting = regions.filter(|one| one.part <= bytes && bytes <= one.bytes);
        offsets.extend(fitting.flat_map(|region| region.of_width(bytes)));
        is_amiss(address, self.world.objects.get(id), &rows(offsets))
    }

    /// How an access of so many bytes is made at an address: across cells, where there are several.
    pub(crate) fn width_at(&self, cursor: &Cursor, address: &Expr, bytes: u8) -> AccessWidth {
        let spot = Spot::new(self.point(cursor), address, bytes.into());
        let int = value::int(u32::from(bytes) * 8);
        match int.filter(|_| self.world.facts.across.contains(&spot)) {
            Some(int) => AccessWidth::Across(int),
            None => AccessWidth::Bytes(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Memory;
    use program::index::IndexVec;

    #[test]
    fn rows_have_the_offsets_they_are_made_of() {
        let sets: [&[u64]; 5] = [&[], &[8], &[0, 4, 8, 12], &[0, 8, 12, 16, 32], &[1, 2, 3, 10]];
        for set in sets {
            let rows = rows(set.iter().copied());
            for at in 0..40_u64 {
                let is = rows.iter().any(|row| {
                    let expr = is_in(&Expr::Const(at.into()), *row);
                    expr.evaluate(&Memory::flat(), &IndexVec::new()) == Ok(1)
                });
                assert_eq!(is, set.contains(&at), "{at} of {set:?}");
            }
        }
    }

    #[test]
    fn only_what_is_inside_is_amiss() {
        let object = Object { base: 100, elements: 2, ..crate::world::untyped_object("x", 16) };
        let stride = Value::from(object.stride);
        let rows = rows([0, 4]);
        let cases =
            [(0, 0), (99, 0), (100, 0), (104, 0), (106, 1), (108, 1), (116, 0), (104 + stride, 0)];
        for (address, expected) in cases {
            let expr = is_amiss(&Expr::Const(address), &object, &rows);
            let found = expr.evaluate(&Memory::flat(), &IndexVec::new());
            assert_eq!(found, Ok(expected), "{address}");
        }
    }
}
