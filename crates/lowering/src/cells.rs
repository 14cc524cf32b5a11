//! Which bytes of an object form a cell: those that are accessed together.
//!
//! Accesses to one object that overlap must be the same bytes: a cell is never torn, and what a store
//! of one width does to a load of another is not part of the model.

use std::collections::{BTreeMap, HashMap};

use program::index::Idx;
use program::{Diagnostic, EdgeId, Span, Template};

use crate::flow::Touch;
use crate::object::{Object, ObjectId, Objects};
use crate::targets::Residue;

/// The cells of all objects, and what stands in the way.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(crate) cells: HashMap<ObjectId, BTreeMap<u64, u32>>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// The offsets within an element that an access may begin at.
fn offsets(object: &Object, offset: Residue, bytes: u32) -> Vec<u64> {
    let last = object.size.checked_sub(u64::from(bytes));
    let Some(last) = last else { return Vec::new() };
    let (modulus, residue) = if object.elements > 1 {
        let stride = object.stride;
        let within = Residue::new(stride, offset.residue);
        match offset.modulus {
            0 => (0, within.residue),
            modulus => (gcd(modulus, stride), offset.residue),
        }
    } else {
        (offset.modulus, offset.residue)
    };
    match i64::try_from(modulus) {
        Ok(0) => u64::try_from(residue).ok().filter(|at| *at <= last).into_iter().collect(),
        Ok(modulus) => {
            let first = residue.rem_euclid(modulus).unsigned_abs();
            let step = usize::try_from(modulus).unwrap_or(usize::MAX);
            (first..=last).step_by(step).collect()
        }
        Err(_) => Vec::new(),
    }
}

fn gcd(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl Cells {
    pub(crate) fn new(objects: &Objects, threads: &[&Template], touches: &[Touch]) -> Self {
        let mut all = Self::default();
        let mut from: HashMap<(ObjectId, u64), Span> = HashMap::new();
        // What is precise first: it says what the cells are.
        let is_vague = |offset: Residue, touch: &Touch| {
            offset.modulus != 0 && offset.modulus < u64::from(touch.bytes)
        };
        // And what is narrow before what is wide: a copy may be of more than one cell.
        let mut touches: Vec<&Touch> = touches.iter().collect();
        touches.sort_by_key(|touch| touch.bytes);
        for vague in [false, true] {
            for touch in &touches {
                let edge = threads[touch.thread].edge(EdgeId::new(touch.edge));
                for (id, offset) in touch.places.iter() {
                    if is_vague(offset, touch) != vague
                        || (vague && all.cells.get(&id).is_some_and(|cells| !cells.is_empty()))
                    {
                        continue;
                    }
                    let object = objects.get(id);
                    for at in offsets(object, offset, touch.bytes) {
                        if vague && !at.is_multiple_of(u64::from(touch.bytes)) {
                            continue;
                        }
                        all.add(object, id, at, touch.bytes, edge.span, &mut from);
                    }
                }
            }
        }
        all
    }

    fn add(
        &mut self,
        object: &Object,
        id: ObjectId,
        at: u64,
        bytes: u32,
        span: Span,
        from: &mut HashMap<(ObjectId, u64), Span>,
    ) {
        let cells = self.cells.entry(id).or_default();
        let end = at + u64::from(bytes);
        let clash = cells
            .range(..end)
            .next_back()
            .filter(|(other, width)| **other + u64::from(**width) > at)
            .map(|(other, width)| (*other, *width));
        match clash {
            None => {
                cells.insert(at, bytes);
                from.insert((id, at), span);
            }
            Some((other, width)) if other == at && width == bytes => {}
            Some((other, width)) => {
                let message = format!(
                    "`{}` is accessed in pieces that overlap: {bytes} bytes at offset {at} and {width} at {other}",
                    object.name
                );
                let mut error = Diagnostic::new(span, message)
                    .help("access each part of memory always in the same width");
                if let Some(first) = from.get(&(id, other)) {
                    error = error.related(*first, "the other width is here");
                }
                if !self.errors.contains(&error) {
                    self.errors.push(error);
                }
            }
        }
    }
}
