//! Shared memory as classes of locations.
//!
//! The bytes of an object that exact accesses touch fall apart into pieces that no access straddles; each
//! is a location. Accesses whose offset is not exact have a location of their own, which they share with
//! those that they may overlap, beside all pieces that they may touch: so two accesses may be to the same
//! byte only if their sets have a location in common. A location counts if it can be reached by more than
//! one thread, and two that may run in parallel access it, one of them writing.
//!
//! What external code may hold comes first: through a pointer from outside it can all be reached, and nothing else
//! can, since what an object holds that got out got out too.

use events::{AccessKind, LocationSet, MemoryId};
use program::index::Idx;
use program::{IndexVec, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::{Happening, RawAccess};
use crate::bits::Bits;
use crate::code::Code;
use crate::object::{OUTSIDE, ObjectId, ObjectKind, Offset};
use crate::pointers::{Pointers, Purpose};
use crate::solver::{ESCAPED, Var};
use crate::threads::{Threads, variable_name};

/// More pieces of one object are not told apart where something may touch all of them.
const MOST_PIECES: usize = 64;
/// More locations of one access are any.
const MOST_LOCATIONS: usize = 512;

/// An access by its offset and size.
type Extent = (Offset, u32);

/// An access to an object that may be anywhere in it.
const WHOLE: u32 = u32::MAX / 4;

#[derive(Debug, Default)]
struct Pieces {
    /// Pieces in order: first byte, last byte, location, whether all accesses are to exactly these bytes.
    pieces: Vec<(i64, i64, u32, bool)>,
    /// The location of each access that is not exact.
    others: FxHashMap<Extent, u32>,
}

/// A location as it is found.
#[derive(Debug)]
struct Found {
    object: ObjectId,
    /// What it begins with, if it is exact.
    at: Option<i64>,
    /// Whether it is one memory cell.
    is_cell: bool,
    readers: Bits,
    writers: Bits,
}

/// What an access may touch.
#[derive(Clone, Debug)]
struct Touched {
    locations: Vec<u32>,
    /// Whether it is one memory cell.
    is_cell: bool,
    /// Whether it may be anything that got out.
    is_outside: bool,
}

/// Locations and who accesses them.
#[derive(Debug)]
pub(crate) struct Locations {
    pieces: FxHashMap<ObjectId, Pieces>,
    found: Vec<Found>,
    /// The number of each location that counts.
    numbers: Vec<Option<MemoryId>>,
    /// Shared locations before this one are those that got out.
    end_of_outside: MemoryId,
    sets: FxHashMap<(Var, Option<u32>), Touched>,
    /// The classes that read and that write what may be anything that got out.
    outside_readers: Bits,
    outside_writers: Bits,
    /// Objects that more than one thread can reach.
    pub(crate) reachable: FxHashSet<ObjectId>,
}

impl Locations {
    pub(crate) fn new(
        pointers: &Pointers<'_, '_>,
        codes: &[Code],
        threads: &Threads,
        alone: &[Vec<Vec<bool>>],
    ) -> Self {
        let reachable = reachable(pointers);
        let mut locations = Self {
            pieces: FxHashMap::default(),
            found: Vec::new(),
            numbers: Vec::new(),
            end_of_outside: MemoryId::new(0),
            sets: FxHashMap::default(),
            outside_readers: Bits::default(),
            outside_writers: Bits::default(),
            reachable,
        };
        locations.cut(pointers, codes, threads);
        for (instance, code) in codes.iter().enumerate() {
            let classes = &threads.executed_by[instance];
            if classes.is_empty() {
                continue;
            }
            for (block, instructions) in code.blocks.iter().enumerate() {
                for (at, (_, alternatives)) in instructions.iter().enumerate() {
                    if alone[instance][block][at] {
                        continue;
                    }
                    for happening in alternatives.iter().flatten() {
                        if let Happening::Access(access) = happening {
                            locations.note(pointers, access, classes);
                        }
                    }
                }
            }
        }
        locations.choose(pointers, threads);
        locations
    }

    fn extent(access: &RawAccess, offset: Offset) -> Extent {
        match access.bytes {
            Some(bytes) => (offset, bytes),
            None => (Offset::ANY, WHOLE),
        }
    }

    /// Cuts objects into pieces.
    fn cut(&mut self, pointers: &Pointers<'_, '_>, codes: &[Code], threads: &Threads) {
        let mut extents: FxHashMap<ObjectId, FxHashSet<Extent>> = FxHashMap::default();
        let mut seen: FxHashSet<(Var, Option<u32>)> = FxHashSet::default();
        for (instance, code) in codes.iter().enumerate() {
            if threads.executed_by[instance].is_empty() {
                continue;
            }
            for (_, happening) in code.all() {
                let Happening::Access(access) = happening else { continue };
                if !seen.insert((pointers.solver.find(access.address), access.bytes)) {
                    continue;
                }
                for (object, offset) in pointers.solver.set(access.address) {
                    if self.reachable.contains(&object)
                        && can_change(pointers, object)
                        && is_inside(pointers, object, offset)
                    {
                        extents.entry(object).or_default().insert(Self::extent(access, offset));
                    }
                }
            }
        }
        let mut objects: Vec<(ObjectId, FxHashSet<Extent>)> = extents.into_iter().collect();
        objects.sort_unstable_by_key(|(object, _)| *object);
        for (object, extents) in objects {
            let mut extents: Vec<Extent> = extents.into_iter().collect();
            extents.sort_unstable();
            self.cut_object(pointers, object, &extents);
        }
    }

    fn cut_object(&mut self, pointers: &Pointers<'_, '_>, object: ObjectId, extents: &[Extent]) {
        let mut exact: Vec<(i64, i64)> = extents
            .iter()
            .filter(|(offset, _)| offset.is_exact())
            .map(|(offset, bytes)| offset.extent(*bytes))
            .collect();
        exact.sort_unstable();
        let inexact: Vec<Extent> =
            extents.iter().copied().filter(|(offset, _)| !offset.is_exact()).collect();
        let is_cell = is_one(pointers, object);
        let mut merged: Vec<(i64, i64, bool)> = Vec::new();
        for (from, to) in exact {
            match merged.last_mut() {
                Some((first, last, is_uniform)) if from <= *last => {
                    *is_uniform &= (*first, *last) == (from, to);
                    *last = (*last).max(to);
                }
                Some(_) | None => merged.push((from, to, true)),
            }
        }
        let is_too_much = !inexact.is_empty() && merged.len() > MOST_PIECES;
        let mut pieces = Pieces::default();
        if is_too_much || inexact.len() > MOST_PIECES {
            let location = self.new_location(object, None, false);
            pieces.pieces.push((i64::MIN, i64::MAX, location, false));
            pieces.others.extend(inexact.iter().map(|one| (*one, location)));
            self.pieces.insert(object, pieces);
            return;
        }
        for (from, to, is_uniform) in merged {
            let location = self.new_location(object, Some(from), is_cell && is_uniform);
            pieces.pieces.push((from, to, location, is_uniform));
        }
        // Those that may overlap have one location together.
        let mut group: Vec<usize> = (0..inexact.len()).collect();
        for left in 0..inexact.len() {
            for right in 0..left {
                let ((one, bytes), (two, others)) = (inexact[left], inexact[right]);
                if group[left] != group[right] && one.overlaps(bytes, two, others) {
                    let (from, to) = (group[left], group[right]);
                    group.iter_mut().filter(|one| **one == from).for_each(|one| *one = to);
                }
            }
        }
        let mut of_group: FxHashMap<usize, u32> = FxHashMap::default();
        for (extent, group) in inexact.iter().zip(group) {
            let location =
                *of_group.entry(group).or_insert_with(|| self.new_location(object, None, false));
            pieces.others.insert(*extent, location);
        }
        self.pieces.insert(object, pieces);
    }

    fn new_location(&mut self, object: ObjectId, at: Option<i64>, is_cell: bool) -> u32 {
        let number = u32::try_from(self.found.len()).expect("fewer than 2^32 locations");
        let (readers, writers) = (Bits::default(), Bits::default());
        self.found.push(Found { object, at, is_cell, readers, writers });
        number
    }

    /// The locations that an access may touch, and whether it is to one memory cell.
    fn raw_set(&mut self, pointers: &Pointers<'_, '_>, access: &RawAccess) -> Touched {
        let key = (pointers.solver.find(access.address), access.bytes);
        if let Some(known) = self.sets.get(&key) {
            return known.clone();
        }
        let mut all = Vec::new();
        let mut addresses = 0;
        let mut is_outside = false;
        for (object, offset) in pointers.solver.set(access.address) {
            addresses += 1;
            is_outside |= object == OUTSIDE;
            let Some(pieces) = self.pieces.get(&object) else { continue };
            let (offset, bytes) = Self::extent(access, offset);
            if let Some(other) = pieces.others.get(&(offset, bytes)) {
                all.push(*other);
                let touched = pieces
                    .pieces
                    .iter()
                    .filter(|(from, to, ..)| touches(offset, bytes, *from, *to));
                all.extend(touched.map(|piece| piece.2));
            } else {
                let (from, to) = offset.extent(bytes);
                let first = pieces.pieces.partition_point(|piece| piece.1 < from);
                let touched = pieces.pieces[first..].iter().take_while(|piece| piece.0 <= to);
                all.extend(touched.map(|piece| piece.2));
            }
        }
        all.sort_unstable();
        all.dedup();
        let is_cell = addresses == 1 && all.len() == 1 && self.found[all[0] as usize].is_cell;
        let touched = Touched { locations: all, is_cell, is_outside };
        self.sets.insert(key, touched.clone());
        touched
    }

    fn note(&mut self, pointers: &Pointers<'_, '_>, access: &RawAccess, classes: &Bits) {
        let touched = self.raw_set(pointers, access);
        if touched.is_outside {
            if access.kind != AccessKind::Write {
                self.outside_readers.add(classes);
            }
            if access.kind != AccessKind::Read {
                self.outside_writers.add(classes);
            }
        }
        for location in touched.locations {
            let found = &mut self.found[location as usize];
            if access.kind != AccessKind::Write {
                found.readers.add(classes);
            }
            if access.kind != AccessKind::Read {
                found.writers.add(classes);
            }
        }
    }

    /// Gives numbers to the locations that threads share, those that got out first.
    fn choose(&mut self, pointers: &Pointers<'_, '_>, threads: &Threads) {
        let mut is_shared = Vec::new();
        for found in &mut self.found {
            if is_out(pointers, found.object) {
                found.readers.add(&self.outside_readers);
                found.writers.add(&self.outside_writers);
            }
            let mut all = found.readers.clone();
            all.add(&found.writers);
            is_shared.push(found.writers.iter().any(|writer| {
                all.iter().any(|other| threads.parallel[writer as usize][other as usize])
            }));
        }
        self.numbers = vec![None; self.found.len()];
        let mut next = 0;
        for is_outside in [true, false] {
            for (at, found) in self.found.iter().enumerate() {
                if is_shared[at] && is_out(pointers, found.object) == is_outside {
                    self.numbers[at] = Some(MemoryId::new(next));
                    next += 1;
                }
            }
            if is_outside {
                self.end_of_outside = MemoryId::new(next);
            }
        }
    }

    /// The shared locations that an access may touch; nothing if there is none. And whether it is certainly
    /// one memory cell.
    pub(crate) fn of(
        &mut self,
        pointers: &Pointers<'_, '_>,
        access: &RawAccess,
    ) -> Option<(LocationSet, bool)> {
        let Touched { locations: all, is_cell, is_outside } = self.raw_set(pointers, access);
        let mut shared: Vec<MemoryId> =
            all.iter().filter_map(|one| self.numbers[*one as usize]).collect();
        shared.sort_unstable();
        let is_outside = is_outside && self.end_of_outside > MemoryId::new(0);
        if is_outside || shared.len() > MOST_LOCATIONS {
            let is_all_out = shared.last().is_none_or(|last| *last < self.end_of_outside);
            let set = if is_all_out {
                LocationSet::Before(self.end_of_outside)
            } else {
                LocationSet::Any
            };
            return Some((set, false));
        }
        (!shared.is_empty()).then_some((LocationSet::Some(shared), is_cell))
    }

    /// The number of the location at an exact place, if it is shared.
    pub(crate) fn at(&self, object: ObjectId, offset: Offset) -> Option<MemoryId> {
        let pieces = self.pieces.get(&object)?;
        let (from, to) = offset.extent(1);
        let piece = pieces.pieces.iter().find(|piece| piece.0 <= to && piece.1 >= from)?;
        self.numbers[piece.2 as usize]
    }

    /// The shared locations by name.
    pub(crate) fn named(
        &self,
        pointers: &Pointers<'_, '_>,
    ) -> IndexVec<MemoryId, events::Location> {
        let mut shared: Vec<(MemoryId, &Found)> = self
            .found
            .iter()
            .zip(&self.numbers)
            .filter_map(|(found, number)| number.map(|number| (number, found)))
            .collect();
        shared.sort_unstable_by_key(|(number, _)| *number);
        shared
            .into_iter()
            .map(|(_, found)| {
                let mut name = object_name(pointers, found.object);
                match found.at {
                    Some(0) => {}
                    Some(at) => {
                        name.push('+');
                        name.push_str(&at.to_string());
                    }
                    None => name.push_str("[*]"),
                }
                events::Location { name, span: Span::NONE }
            })
            .collect()
    }
}

/// Whether external code may hold an object.
pub(crate) fn is_out(pointers: &Pointers<'_, '_>, object: ObjectId) -> bool {
    object == OUTSIDE || pointers.solver.objects[object.0 as usize].is_escaped
}

/// Whether something can be written to an object.
fn can_change(pointers: &Pointers<'_, '_>, object: ObjectId) -> bool {
    match pointers.solver.kind(object) {
        ObjectKind::Global(item) => {
            pointers.linked.global(item).is_some_and(|global| !global.constant)
        }
        ObjectKind::Function(_) | ObjectKind::Constants => false,
        ObjectKind::Outside
        | ObjectKind::Stack(..)
        | ObjectKind::Heap(..)
        | ObjectKind::Unnamed(_)
        | ObjectKind::Kept
        | ObjectKind::Own
        | ObjectKind::Results
        | ObjectKind::Library => true,
    }
}

/// Whether an offset lies in an object, as far as its size is known.
fn is_inside(pointers: &Pointers<'_, '_>, object: ObjectId, offset: Offset) -> bool {
    let size = pointers.solver.objects[object.0 as usize].size;
    let end = size.and_then(|size| i64::try_from(size).ok()).unwrap_or(i64::MAX);
    !offset.is_exact() || (offset.base >= 0 && i64::from(offset.base) < end)
}

fn touches(offset: Offset, bytes: u32, from: i64, to: i64) -> bool {
    let Ok(base) = i32::try_from(from) else { return true };
    let length = u32::try_from(to - from + 1).unwrap_or(WHOLE);
    offset.overlaps(bytes, Offset::exact(base), length)
}

/// Whether an object is there once, so that an exact part of it is one memory cell.
fn is_one(pointers: &Pointers<'_, '_>, object: ObjectId) -> bool {
    match pointers.solver.kind(object) {
        ObjectKind::Global(item) => {
            pointers.linked.global(item).is_some_and(|global| !global.thread_local)
        }
        // A variable of `main`, which nobody calls.
        ObjectKind::Stack(instance, _) => {
            let known = &pointers.instances[instance as usize];
            pointers.linked.name(known.item) == "main"
                && known.caller.is_none()
                && pointers.sites.iter().all(|site| !site.callees.contains(&instance))
        }
        ObjectKind::Outside
        | ObjectKind::Function(_)
        | ObjectKind::Heap(..)
        | ObjectKind::Unnamed(_)
        | ObjectKind::Kept
        | ObjectKind::Own
        | ObjectKind::Results
        | ObjectKind::Library
        | ObjectKind::Constants => false,
    }
}

/// The name of an object for people.
pub(crate) fn object_name(pointers: &Pointers<'_, '_>, object: ObjectId) -> String {
    match pointers.solver.kind(object) {
        ObjectKind::Outside => "outside".to_owned(),
        ObjectKind::Global(item) | ObjectKind::Function(item) => {
            linkage::names::shown(pointers.linked.name(item))
        }
        ObjectKind::Stack(instance, local) => variable_name(pointers, instance, local),
        ObjectKind::Heap(instance, block, index) => {
            let Some(known) = pointers.instances.get(instance as usize) else {
                return "outside.heap".to_owned();
            };
            let function = pointers.function(known.item);
            let instruction = &function.blocks[block as usize].instructions[index as usize];
            let metadata = &pointers.linked.module(known.item.module).metadata;
            let line = instruction.location.and_then(|at| metadata.position(at));
            let name = linkage::names::shown(pointers.linked.name(known.item));
            match line {
                Some(position) => format!("heap {name}:{}", position.line),
                None => format!("heap {name}"),
            }
        }
        ObjectKind::Unnamed(instance) => {
            let item = pointers.instances[instance as usize].item;
            format!("{}.arguments", linkage::names::shown(pointers.linked.name(item)))
        }
        ObjectKind::Kept => "thread-specific data".to_owned(),
        ObjectKind::Own => "errno".to_owned(),
        ObjectKind::Results => "results of threads".to_owned(),
        ObjectKind::Library => "memory of libraries".to_owned(),
        ObjectKind::Constants => "constants".to_owned(),
    }
}

/// The objects that more than one thread can get to: global variables, what was given to threads, to external
/// code and to who joins, and all that can be reached from there.
fn reachable(pointers: &Pointers<'_, '_>) -> FxHashSet<ObjectId> {
    let mut queue: Vec<ObjectId> = vec![OUTSIDE];
    for (number, object) in (0_u32..).zip(&pointers.solver.objects) {
        let is_start = match object.kind {
            ObjectKind::Global(item) => {
                pointers.linked.global(item).is_some_and(|global| !global.thread_local)
            }
            ObjectKind::Results | ObjectKind::Library => true,
            ObjectKind::Constants
            | ObjectKind::Outside
            | ObjectKind::Function(_)
            | ObjectKind::Stack(..)
            | ObjectKind::Heap(..)
            | ObjectKind::Unnamed(_)
            | ObjectKind::Kept
            | ObjectKind::Own => false,
        };
        if is_start {
            queue.push(ObjectId(number));
        }
    }
    queue.extend(pointers.solver.set(ESCAPED).map(|(object, _)| object));
    for site in pointers.sites.iter().filter(|site| site.purpose == Purpose::Thread) {
        for var in site.arguments.iter().flatten() {
            queue.extend(pointers.solver.set(*var).map(|(object, _)| object));
        }
    }
    let mut found = FxHashSet::default();
    while let Some(object) = queue.pop() {
        if !found.insert(object) {
            continue;
        }
        for cell in &pointers.solver.objects[object.0 as usize].cells {
            queue.extend(pointers.solver.set(cell.into).map(|(object, _)| object));
        }
    }
    found
}
