//! Which bytes of an object form a cell: those that are accessed together.
//!
//! Accesses to one object that overlap must be the same bytes: a cell is never torn, and what a store
//! of one width does to a load of another is not part of the model. How far an index goes is not known
//! here: an access to an element that would run into cells of another width, were its index out of
//! bounds, is guarded, so that it is seen if it does.

use std::collections::{BTreeMap, HashMap};

use program::index::Idx;
use program::{Diagnostic, EdgeId, Span, Template, Value};

use crate::flow::Touch;
use crate::object::{Object, ObjectId, Objects};
use crate::path::Point;
use crate::targets::{Residue, gcd};
use crate::thread::Purpose;
use crate::world::Ranges;

/// The cells of all objects, and what stands in the way.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(crate) found: BTreeMap<ObjectId, BTreeMap<u64, u32>>,
    pub(crate) errors: Vec<Diagnostic>,
    /// Accesses to elements that could hit other cells: where they may begin.
    pub(crate) guards: BTreeMap<Point, Ranges>,
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

/// Elements of an array that are told apart at most: each is a cell of its own.
const MOST_ELEMENTS: u64 = 1 << 16;

/// How many offsets there are at most.
fn count(object: &Object, offset: Residue) -> u64 {
    object.size.checked_div(offset.modulus).unwrap_or(1)
}

/// How surely an access says what the cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    /// It is at one place.
    Exact,
    /// It is an element of an array.
    Element,
    /// It could be anywhere.
    Vague,
}

fn precision(offset: Residue, bytes: u32) -> Precision {
    match offset.modulus {
        0 => Precision::Exact,
        modulus if modulus >= u64::from(bytes) => Precision::Element,
        _ => Precision::Vague,
    }
}

/// The addresses of an object.
fn extent(object: &Object) -> (Value, Value) {
    (object.base, object.base + Value::from(object.extent()))
}

fn is_covered(ranges: &Ranges, whole: (Value, Value)) -> bool {
    ranges.iter().any(|(first, last)| *first <= whole.1 && whole.0 <= *last)
}

impl Cells {
    pub(crate) fn new(
        objects: &Objects,
        threads: &[&Template],
        touches: &[Touch],
        guards: &BTreeMap<Point, Ranges>,
    ) -> Self {
        let mut all = Self::default();
        let mut from: HashMap<(ObjectId, u64), Span> = HashMap::new();
        // And what is narrow before what is wide: a wide access may be of more than one cell.
        let mut narrow_first: Vec<&Touch> = touches.iter().collect();
        narrow_first.sort_by_key(|touch| touch.bytes);
        // What is precise first: it says what the cells are. What is copied adapts to what is accessed
        // otherwise, and comes last.
        let levels = [Precision::Exact, Precision::Element, Precision::Vague];
        // What is filled makes no cells at all: it would keep those that nobody has any more.
        for (purpose, level) in [Purpose::Access, Purpose::Copy]
            .into_iter()
            .flat_map(|purpose| levels.into_iter().map(move |level| (purpose, level)))
        {
            for touch in narrow_first.iter().filter(|touch| touch.origin.purpose == purpose) {
                let span = threads[touch.thread].edge(EdgeId::new(touch.edge)).span;
                for (id, offset) in touch.places.iter() {
                    let is_known = all.found.get(&id).is_some_and(|cells| !cells.is_empty());
                    let is_vague = level == Precision::Vague;
                    if precision(offset, touch.bytes) != level || (is_vague && is_known) {
                        continue;
                    }
                    let object = objects.get(id);
                    if count(object, offset) > MOST_ELEMENTS {
                        all.too_many(object, span);
                        continue;
                    }
                    let mut found = offsets(object, offset, touch.bytes);
                    if is_vague {
                        found.retain(|at| at.is_multiple_of(u64::from(touch.bytes)));
                    }
                    if level == Precision::Element {
                        found = all.elements(object, id, touch, found, guards);
                    }
                    for at in found {
                        all.add(object, id, at, touch.bytes, span, &mut from);
                    }
                }
            }
        }
        all.complete_guards(objects, touches, guards);
        all
    }

    fn too_many(&mut self, object: &Object, span: Span) {
        let message = format!(
            "`{}` has more than {MOST_ELEMENTS} elements, any of which may be accessed here",
            object.name
        );
        let error = Diagnostic::new(span, message).help(
            "make the array smaller for the check, for instance with a macro and `-- -DSIZE=16`",
        );
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// A guarded access may go on to all other objects that it goes to.
    fn complete_guards(
        &mut self,
        objects: &Objects,
        touches: &[Touch],
        guards: &BTreeMap<Point, Ranges>,
    ) {
        for touch in touches {
            if !guards.contains_key(&touch.origin.point)
                && !self.guards.contains_key(&touch.origin.point)
            {
                continue;
            }
            for id in touch.places.objects() {
                let whole = extent(objects.get(id));
                let is_covered = |guards: &BTreeMap<Point, Ranges>| {
                    guards.get(&touch.origin.point).is_some_and(|ranges| is_covered(ranges, whole))
                };
                if !is_covered(guards) && !is_covered(&self.guards) {
                    self.guards.entry(touch.origin.point).or_default().push(whole);
                }
            }
        }
    }

    /// The offsets among those of an array's elements that are elements: the array may be a part of a
    /// structure, whose other fields are cells already. If that is so, the access is to be guarded.
    fn elements(
        &mut self,
        object: &Object,
        id: ObjectId,
        touch: &Touch,
        mut found: Vec<u64>,
        guards: &BTreeMap<Point, Ranges>,
    ) -> Vec<u64> {
        let address = |at: u64| object.base + Value::from(at);
        if let Some(allowed) =
            guards.get(&touch.origin.point).filter(|ranges| is_covered(ranges, extent(object)))
        {
            found.retain(|at| {
                let at = address(*at);
                allowed.iter().any(|(first, last)| (*first..=*last).contains(&at))
            });
        }
        let is_free = |at: &u64| self.clash(id, *at, touch.bytes).is_none();
        if object.elements > 1 || found.iter().all(is_free) || !found.iter().any(is_free) {
            return found;
        }
        let mut ranges = Ranges::new();
        let mut may_continue = false;
        for at in &found {
            match (is_free(at), ranges.last_mut()) {
                (true, Some((_, last))) if may_continue => *last = address(*at),
                (true, _) => ranges.push((address(*at), address(*at))),
                (false, _) => {}
            }
            may_continue = is_free(at);
        }
        found.retain(is_free);
        self.guards.entry(touch.origin.point).or_default().extend(ranges);
        found
    }

    /// The cell of another place or width that an access would cut.
    fn clash(&self, id: ObjectId, at: u64, bytes: u32) -> Option<(u64, u32)> {
        let (other, width) = self.found.get(&id)?.range(..at + u64::from(bytes)).next_back()?;
        let is_apart = *other + u64::from(*width) <= at;
        let is_same = *other == at && *width == bytes;
        (!is_apart && !is_same).then_some((*other, *width))
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
        if let Some(what) = object.initial.inexpressible(at, u64::from(bytes)) {
            let message =
                format!("`{}` holds at first what cannot be expressed: {what}", object.name);
            let help = "values are integers and pointers of at most 64 bits";
            let error = Diagnostic::new(span, message).help(help);
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
        let Some((other, width)) = self.clash(id, at, bytes) else {
            self.found.entry(id).or_default().insert(at, bytes);
            from.entry((id, at)).or_insert(span);
            return;
        };
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
