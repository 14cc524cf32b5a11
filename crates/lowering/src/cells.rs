//! Which bytes of an object form a cell: those that are accessed together.
//!
//! Accesses to one object that overlap are the same bytes, as a rule: a cell is never torn. Where accesses whose
//! addresses are known overlap in different widths, memory has cells as narrow as the narrowest, and the
//! others are accesses across several ([`Region`], [`program::footprint`]); all of them are aligned, so of two that
//! overlap one lies in the other. How far an index goes, and which of
//! the ways that a pointer may point it really points, is not known here: an access by a pointer that
//! would run into cells of another width, were it to point there, is guarded, so that it is seen if it
//! does. What is aligned comes before what is not, which hardly any program does: a pointer with a mark in
//! its low bits is not used as it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::index::Idx;
use program::{Diagnostic, EdgeId, Span, Template};

use crate::flow::Touch;
use crate::object::{Object, ObjectId, Objects};
use crate::targets::{Residue, gcd};
use crate::thread::{Purpose, Spot};

/// Bytes that are accessed in different widths: an aligned stretch, divided into cells of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Region {
    pub(crate) at: u64,
    /// The width of the whole.
    pub(crate) bytes: u32,
    /// The width of a cell.
    pub(crate) part: u32,
}

impl Region {
    fn holds(self, at: u64, bytes: u32) -> bool {
        self.at <= at && at + u64::from(bytes) <= self.at + u64::from(self.bytes)
    }

    /// The offsets of its cells.
    pub(crate) fn cells(self) -> impl Iterator<Item = u64> {
        self.of_width(self.part)
    }

    /// The offsets of what is so wide in it.
    pub(crate) fn of_width(self, bytes: u32) -> impl Iterator<Item = u64> {
        let step = u64::from(bytes);
        (0..u64::from(self.bytes) / step).map(move |number| self.at + number * step)
    }
}

/// The regions of all objects.
pub(crate) type Regions = BTreeMap<ObjectId, BTreeSet<Region>>;

/// Adds a region; whether it is new. Those that lie in it become part of it, and it of one that it lies in.
pub(crate) fn add_region(regions: &mut BTreeSet<Region>, mut new: Region) -> bool {
    let before = regions.clone();
    for known in &before {
        if new.holds(known.at, known.bytes) || known.holds(new.at, new.bytes) {
            regions.remove(known);
            let outer = if new.bytes >= known.bytes { new } else { *known };
            new = Region { part: new.part.min(known.part), ..outer };
        }
    }
    regions.insert(new);
    *regions != before
}

fn is_aligned(at: u64, bytes: u32) -> bool {
    bytes.is_power_of_two() && at.is_multiple_of(bytes.into())
}

/// The cells of all objects, and what stands in the way.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(crate) found: BTreeMap<ObjectId, BTreeMap<u64, u32>>,
    pub(crate) errors: Vec<Diagnostic>,
    /// Accesses by pointers that could hit cells of another width, and the objects in which.
    pub(crate) guards: BTreeMap<Spot, BTreeSet<ObjectId>>,
    /// Where accesses overlap whose widths differ, as far as that is known already.
    regions: Regions,
    /// The same, as it is found out now.
    pub(crate) new_regions: Regions,
    /// Accesses that may be of several cells of a region.
    pub(crate) across: BTreeSet<Spot>,
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

/// In which order accesses say what the cells are. What is precise comes first, and aligned before
/// unaligned. What is copied adapts to what is accessed otherwise, and comes last; what is filled makes no cells
/// at all: it would keep those that nobody has any more.
fn ranks() -> impl Iterator<Item = (Purpose, Precision, bool)> {
    let levels = [Precision::Exact, Precision::Element, Precision::Vague];
    [Purpose::Access, Purpose::Copy].into_iter().flat_map(move |purpose| {
        levels.into_iter().flat_map(move |level| [true, false].map(|is| (purpose, level, is)))
    })
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

impl Cells {
    pub(crate) fn new(
        objects: &Objects,
        threads: &[&Template],
        touches: &[Touch],
        regions: &Regions,
    ) -> Self {
        let mut all = Self { regions: regions.clone(), ..Self::default() };
        for (id, regions) in regions {
            let cells = regions.iter().flat_map(|one| one.cells().map(|at| (at, one.part)));
            all.found.insert(*id, cells.collect());
        }
        let mut from: HashMap<(ObjectId, u64), Span> = HashMap::new();
        // Where an access is known or the only one that it can be, it is surely made; and what is narrow
        // comes before what is wide: a wide access may be of more than one cell.
        let mut sure_first: Vec<&Touch> = touches.iter().collect();
        sure_first.sort_by_key(|touch| {
            (touch.is_by_pointer, touch.places.iter().nth(1).is_some(), touch.bytes)
        });
        for (purpose, level, is_aligned) in ranks() {
            for touch in sure_first.iter().filter(|touch| touch.origin.purpose == purpose) {
                let span = threads[touch.thread].edge(EdgeId::new(touch.edge)).span;
                for (id, offset) in touch.places.iter() {
                    let is_known = all.found.get(&id).is_some_and(|cells| !cells.is_empty());
                    let is_vague = level == Precision::Vague;
                    if precision(offset, touch.bytes) != level {
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
                    found.retain(|at| at.is_multiple_of(u64::from(touch.bytes)) == is_aligned);
                    if is_vague && is_known {
                        // What could be anywhere is where others say that cells are.
                        for at in &found {
                            all.note_across(touch, id, *at);
                        }
                        if found.iter().any(|at| all.clash(id, *at, touch.bytes).is_some()) {
                            all.guard(touch, id);
                        }
                        continue;
                    }
                    for at in found {
                        all.add(object, id, at, touch, span, &mut from);
                    }
                }
            }
        }
        all
    }

    /// Has an access be guarded.
    fn guard(&mut self, touch: &Touch, id: ObjectId) {
        self.guards.entry(touch.spot).or_default().insert(id);
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

    /// The region that an access lies in, as one or more of its cells.
    fn region_of(&self, id: ObjectId, at: u64, bytes: u32) -> Option<Region> {
        let mut regions = self.regions.get(&id)?.iter();
        let fits = |one: &&Region| {
            one.holds(at, bytes) && is_aligned(at, bytes) && bytes.is_multiple_of(one.part)
        };
        regions.find(fits).copied()
    }

    fn note_across(&mut self, touch: &Touch, id: ObjectId, at: u64) {
        let region = self.region_of(id, at, touch.bytes);
        if region.is_some_and(|region| region.part != touch.bytes) {
            self.across.insert(touch.spot);
        }
    }

    /// The cell of another place or width that an access would cut.
    fn clash(&self, id: ObjectId, at: u64, bytes: u32) -> Option<(u64, u32)> {
        if self.region_of(id, at, bytes).is_some() {
            return None;
        }
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
        touch: &Touch,
        span: Span,
        from: &mut HashMap<(ObjectId, u64), Span>,
    ) {
        let bytes = touch.bytes;
        let clash = self.clash(id, at, bytes);
        if clash.is_some() && touch.is_by_pointer {
            self.guard(touch, id);
            return;
        }
        if let Some(what) = object.initial.inexpressible(at, u64::from(bytes)) {
            let message =
                format!("`{}` holds at first what cannot be expressed: {what}", object.name);
            let help = "values are integers and pointers of at most 64 bits";
            let error = Diagnostic::new(span, message).help(help);
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
        if self.region_of(id, at, bytes).is_some() {
            self.note_across(touch, id, at);
            return;
        }
        let Some((other, width)) = clash else {
            self.found.entry(id).or_default().insert(at, bytes);
            from.entry((id, at)).or_insert(span);
            return;
        };
        if is_aligned(at, bytes) && is_aligned(other, width) {
            let part = bytes.min(width);
            let outer = if bytes >= width { (at, bytes) } else { (other, width) };
            let region = Region { at: outer.0, bytes: outer.1, part };
            add_region(self.new_regions.entry(id).or_default(), region);
            return;
        }
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
