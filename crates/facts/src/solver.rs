//! Inclusion constraints between sets of addresses, and their least solution.
//!
//! Andersen's analysis (his thesis, DIKU 1994): a variable for every value and for what every word of
//! every object holds; `copy` edges say that one set includes another, and constraints on what a variable
//! points to add edges as its set grows. Sets are propagated by differences (Pearce, Kelly, Hankin,
//! Software Quality Journal 2004); variables on a cycle of copies have equal sets and become one, cycles being looked for where
//! an edge carries nothing new between equal sets (lazy cycle detection: Hardekopf and Lin, PLDI 2007).
//! Offsets are added by constraints and not by edges, so cycles with an offset are not collapsed; the
//! number of offsets of one object is limited instead, beyond which all are one.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

use crate::bits::Bits;
use crate::object::{Cell, OUTSIDE, Object, ObjectId, ObjectKind, Offset, Words, gcd, words};

/// A set of addresses that is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Var(pub(crate) u32);

/// The set that stays empty.
pub(crate) const NOTHING: Var = Var(0);
/// What external code may hold: everything that got out, and memory of its own. Others that may hold all of
/// it have but the address of what is outside, which stands for all of it: so the sets of an open program
/// stay small.
pub(crate) const ESCAPED: Var = Var(1);

/// An object and an offset.
pub(crate) type Address = (ObjectId, Offset);

/// What is added as a set of addresses grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// What so many bytes at an offset from there hold is included by a variable.
    Load { at: i32, bytes: u32, to: Var },
    /// They include a variable.
    Store { at: i32, bytes: u32, from: Var },
    /// What the objects hold, wherever, is included by a variable.
    LoadAll { to: Var },
    /// All that the objects hold includes a variable.
    StoreAll { from: Var },
    /// The addresses, moved by a number of bytes, then by any multiple of a stride, of which there are
    /// `count`, or any number of them if it is 0.
    Move { by: i32, stride: u32, count: u32, to: Var },
    /// The addresses with low bits cleared.
    Mask { bits: u32, to: Var },
    /// Memory is copied to there.
    CopyTo(u32),
    /// Memory is copied from there.
    CopyFrom(u32),
    /// The functions are called.
    Call(u32),
    /// External code may load and store there: what the objects hold is what it holds, and the other way
    /// round.
    Escape,
}

/// A copy of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub(crate) to: Var,
    pub(crate) from: Var,
    pub(crate) bytes: Option<u32>,
    pub(crate) pairs: u32,
    /// What stands between all sources and all targets, once there are too many pairs.
    pub(crate) between: Option<Var>,
}

/// More offsets of one object are not told apart.
pub(crate) const MOST_OFFSETS: u32 = 128;
/// The same for objects whose size is not known: many are arrays.
const MOST_OF_UNKNOWN: u32 = 24;
/// No field is farther from where an object begins than this, or it is not told apart.
const FARTHEST: i32 = 1 << 20;
/// How far before an object addresses are told apart, so that a way back is exact.
const BEFORE: i32 = 64;
/// Offsets of one object that external code holds, before it may be anywhere in it.
const MOST_ESCAPED: u32 = 4;
/// Offsets of an object that external code holds, before moves from one to another lead anywhere in it.
const MOST_MOVED: u32 = 8;
/// A move that has not been looked at, and one that leads nowhere.
const UNKNOWN: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX - 1;

/// The constraints and what is known of their solution.
#[derive(Debug)]
pub(crate) struct Solver {
    sets: Vec<Bits>,
    /// What of a set has not been propagated.
    news: Vec<Bits>,
    edges: Vec<Vec<Var>>,
    constraints: Vec<Vec<Constraint>>,
    parents: Vec<u32>,
    known_edges: FxHashSet<(Var, Var)>,
    tried: FxHashSet<(Var, Var)>,
    queue: VecDeque<Var>,
    is_queued: Vec<bool>,
    pub(crate) objects: Vec<Object>,
    object_ids: FxHashMap<ObjectKind, ObjectId>,
    addresses: Vec<Address>,
    address_ids: FxHashMap<Address, u32>,
    pub(crate) copies: Vec<Copy>,
    seen_escaped: Bits,
    /// Cells of which those do not know who copy from their objects.
    pub(crate) untold: Vec<(ObjectId, Cell)>,
    /// Where addresses get by a move, by their numbers.
    moves: FxHashMap<(i32, u32, u32), Vec<u32>>,
    constants: FxHashMap<u32, Var>,
    /// Functions that turned out to be called, by the number of the call.
    pub(crate) calls: Vec<(u32, ObjectId)>,
}

impl Solver {
    pub(crate) fn new() -> Self {
        let mut solver = Self {
            sets: Vec::new(),
            news: Vec::new(),
            edges: Vec::new(),
            constraints: Vec::new(),
            parents: Vec::new(),
            known_edges: FxHashSet::default(),
            tried: FxHashSet::default(),
            queue: VecDeque::new(),
            is_queued: Vec::new(),
            objects: Vec::new(),
            object_ids: FxHashMap::default(),
            addresses: Vec::new(),
            address_ids: FxHashMap::default(),
            copies: Vec::new(),
            seen_escaped: Bits::default(),
            untold: Vec::new(),
            moves: FxHashMap::default(),
            constants: FxHashMap::default(),
            calls: Vec::new(),
        };
        solver.variables(2);
        solver.object(ObjectKind::Outside, None);
        solver.include(ESCAPED, (OUTSIDE, Offset::ANY));
        solver.constrain(ESCAPED, Constraint::Escape);
        solver
    }

    /// New variables, one after another.
    pub(crate) fn variables(&mut self, count: usize) -> Var {
        let first = self.sets.len();
        let length = first + count;
        self.sets.resize_with(length, Bits::default);
        self.news.resize_with(length, Bits::default);
        self.edges.resize_with(length, Vec::new);
        self.constraints.resize_with(length, Vec::new);
        self.is_queued.resize(length, false);
        let number = |at: usize| u32::try_from(at).expect("fewer than 2^32 values");
        self.parents.extend((first..length).map(number));
        Var(number(first))
    }

    pub(crate) fn variable(&mut self) -> Var {
        self.variables(1)
    }

    pub(crate) fn variable_count(&self) -> usize {
        self.sets.len()
    }

    /// The object of a kind.
    pub(crate) fn object(&mut self, kind: ObjectKind, size: Option<u64>) -> ObjectId {
        if let Some(known) = self.object_ids.get(&kind) {
            return *known;
        }
        let id = ObjectId(u32::try_from(self.objects.len()).expect("fewer than 2^32 objects"));
        self.objects.push(Object::new(kind, size));
        self.object_ids.insert(kind, id);
        id
    }

    pub(crate) fn known_object(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.object_ids.get(&kind).copied()
    }

    pub(crate) fn kind(&self, object: ObjectId) -> ObjectKind {
        self.objects[object.0 as usize].kind
    }

    pub(crate) fn address(&self, id: u32) -> Address {
        self.addresses[id as usize]
    }

    /// The variable that contains exactly this address.
    pub(crate) fn constant(&mut self, address: Address) -> Var {
        let Some(id) = self.intern(address) else { return NOTHING };
        if let Some(known) = self.constants.get(&id) {
            return *known;
        }
        let var = self.variable();
        self.sets[var.0 as usize].insert(id);
        self.news[var.0 as usize].insert(id);
        self.enqueue(var);
        self.constants.insert(id, var);
        var
    }

    /// The number of an address; nothing if no address of the object is like that.
    fn intern(&mut self, (object, offset): Address) -> Option<u32> {
        let known = &mut self.objects[object.0 as usize];
        let mut offset = match known.kind {
            ObjectKind::Outside
            | ObjectKind::Kept
            | ObjectKind::Results
            | ObjectKind::Unnamed(_)
            | ObjectKind::Own
            | ObjectKind::Library
            | ObjectKind::Constants => Offset::ANY,
            ObjectKind::Function(_) if offset.overlaps(1, Offset::ZERO, 1) => Offset::ZERO,
            ObjectKind::Function(_) => return None,
            ObjectKind::Global(_) | ObjectKind::Stack(..) | ObjectKind::Heap(..) => offset,
        };
        if let Some(end) = known.size.and_then(|size| i64::try_from(size).ok())
            && !offset.is_exact()
            && (offset.base < 0 || offset.extent(1).1 >= end)
        {
            // Elements that are not all in the object may be any that are.
            offset.count = 0;
        }
        if offset.stride > 0 && offset.count == 0 {
            let stride = i64::from(offset.stride);
            let base = i64::from(offset.base).rem_euclid(stride);
            offset.base = i32::try_from(base).unwrap_or(0);
        }
        let is_far = offset.base.abs() > FARTHEST || offset.stride > FARTHEST.cast_unsigned();
        // Behind its end there is nothing to be told apart, nor far before its beginning.
        let end = known.size.and_then(|size| i32::try_from(size).ok()).unwrap_or(FARTHEST);
        let is_outside = offset.is_exact() && (offset.base > end || offset.base < -BEFORE);
        if is_far || is_outside {
            offset = Offset::ANY;
        }
        if let Some(id) = self.address_ids.get(&(object, offset)) {
            return Some(*id);
        }
        let most = known.size.map_or(MOST_OF_UNKNOWN, |size| {
            u32::try_from(size / 8).unwrap_or(MOST_OFFSETS).saturating_add(8).min(MOST_OFFSETS)
        });
        if known.offsets >= most && offset != Offset::ANY {
            return self.intern((object, Offset::ANY));
        }
        known.offsets += 1;
        let id = u32::try_from(self.addresses.len()).expect("fewer than 2^32 addresses");
        self.addresses.push((object, offset));
        self.address_ids.insert((object, offset), id);
        Some(id)
    }

    /// The one that stands for a variable.
    pub(crate) fn find(&self, var: Var) -> Var {
        let mut at = var.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        Var(at)
    }

    fn shortened(&mut self, var: Var) -> Var {
        let root = self.find(var);
        let mut at = var.0;
        while self.parents[at as usize] != root.0 {
            at = std::mem::replace(&mut self.parents[at as usize], root.0);
        }
        root
    }

    fn enqueue(&mut self, var: Var) {
        if !std::mem::replace(&mut self.is_queued[var.0 as usize], true) {
            self.queue.push_back(var);
        }
    }

    /// The addresses of a variable.
    pub(crate) fn set(&self, var: Var) -> impl Iterator<Item = Address> + '_ {
        self.sets[self.find(var).0 as usize].iter().map(|id| self.address(id))
    }

    pub(crate) fn set_size(&self, var: Var) -> usize {
        self.sets[self.find(var).0 as usize].len()
    }

    /// A variable includes an address.
    pub(crate) fn include(&mut self, var: Var, address: Address) {
        let Some(id) = self.intern(address) else { return };
        self.include_id(var, id);
    }

    /// External code holds an address. Few offsets of one object are told apart there: it may have been
    /// anywhere in between, and comes back everywhere.
    fn include_escaped(&mut self, id: u32) {
        self.seen_escaped.insert(id);
        let (object, offset) = self.address(id);
        let known = &mut self.objects[object.0 as usize];
        let id = if known.escaped_offsets < MOST_ESCAPED || offset == Offset::ANY {
            known.escaped_offsets += 1;
            Some(id)
        } else {
            self.intern((object, Offset::ANY))
        };
        let Some(id) = id else { return };
        if self.sets[ESCAPED.0 as usize].insert(id) {
            self.news[ESCAPED.0 as usize].insert(id);
            self.enqueue(ESCAPED);
        }
    }

    fn include_id(&mut self, var: Var, id: u32) {
        let var = self.shortened(var);
        if var == ESCAPED {
            self.include_escaped(id);
            return;
        }
        if var != NOTHING && self.sets[var.0 as usize].insert(id) {
            self.news[var.0 as usize].insert(id);
            self.enqueue(var);
        }
    }

    /// One variable is included by another.
    pub(crate) fn copy(&mut self, from: Var, to: Var) {
        let (from, to) = (self.shortened(from), self.shortened(to));
        if from == ESCAPED && to != ESCAPED {
            // Whatever got out: it is not written out again for everybody who may hold it.
            self.include(to, (OUTSIDE, Offset::ANY));
            return;
        }
        if from == to || from == NOTHING || to == NOTHING || !self.known_edges.insert((from, to)) {
            return;
        }
        self.edges[from.0 as usize].push(to);
        if !self.sets[from.0 as usize].is_empty() {
            let set = std::mem::take(&mut self.sets[from.0 as usize]);
            self.add(to, &set);
            self.sets[from.0 as usize] = set;
        }
    }

    /// Adds addresses; whether some were new.
    fn add(&mut self, to: Var, set: &Bits) -> bool {
        if to == ESCAPED {
            let new: Vec<u32> = self.seen_escaped.add(set).iter().collect();
            let before = self.sets[ESCAPED.0 as usize].len();
            for id in new {
                self.include_escaped(id);
            }
            return self.sets[ESCAPED.0 as usize].len() > before;
        }
        let new = self.sets[to.0 as usize].add(set);
        if new.is_empty() {
            return false;
        }
        self.news[to.0 as usize].add(&new);
        self.enqueue(to);
        true
    }

    /// Adds a constraint on what a variable points to.
    pub(crate) fn constrain(&mut self, var: Var, constraint: Constraint) {
        let var = self.shortened(var);
        if var == NOTHING {
            return;
        }
        self.constraints[var.0 as usize].push(constraint);
        if !self.sets[var.0 as usize].is_empty() {
            let known = self.sets[var.0 as usize].clone();
            self.apply_all(constraint, &known);
        }
    }

    /// Applies a constraint to many addresses. Moves are looked up, since there are most of them.
    fn apply_all(&mut self, constraint: Constraint, all: &Bits) {
        let Constraint::Move { by, stride, count, to } = constraint else {
            for id in all.iter() {
                self.apply(constraint, id);
            }
            return;
        };
        let mut known = self.moves.remove(&(by, stride, count)).unwrap_or_default();
        let mut found = Vec::with_capacity(all.len());
        for id in all.iter() {
            let at = id as usize;
            if at >= known.len() {
                known.resize(self.addresses.len().max(at + 1), UNKNOWN);
            }
            if known[at] == UNKNOWN {
                let (object, offset) = self.address(id);
                let mut target = (object, strided(moved(offset, by), stride, count));
                let of = &self.objects[object.0 as usize];
                let is_crowded = of.is_escaped && of.offsets >= MOST_MOVED;
                if is_crowded && !self.address_ids.contains_key(&target) {
                    target.1 = Offset::ANY;
                }
                known[at] = self.intern(target).unwrap_or(NOWHERE);
            }
            if known[at] != NOWHERE {
                found.push(known[at]);
            }
        }
        self.moves.insert((by, stride, count), known);
        found.sort_unstable();
        let set = Bits::sorted(&found);
        let to = self.shortened(to);
        if to != NOTHING {
            self.add(to, &set);
        }
    }

    /// Memory is copied from what one variable points to, to what another does.
    pub(crate) fn copy_memory(&mut self, to: Var, from: Var, bytes: Option<u32>) {
        if to == NOTHING || from == NOTHING || bytes == Some(0) {
            return;
        }
        let number = u32::try_from(self.copies.len()).expect("fewer than 2^32 copies");
        self.copies.push(Copy { to, from, bytes, pairs: 0, between: None });
        self.constrain(to, Constraint::CopyTo(number));
        self.constrain(from, Constraint::CopyFrom(number));
    }

    /// Propagates until nothing changes, or until functions turn out to be called.
    pub(crate) fn propagate(&mut self, is_over: &dyn Fn() -> bool) {
        while !is_over() {
            self.tell_all();
            let Some(var) = self.queue.pop_front() else { break };
            self.is_queued[var.0 as usize] = false;
            if self.parents[var.0 as usize] != var.0 {
                continue;
            }
            let new = std::mem::take(&mut self.news[var.0 as usize]);
            if new.is_empty() {
                continue;
            }
            let mut at = 0;
            while let Some(constraint) = self.constraints[var.0 as usize].get(at).copied() {
                at += 1;
                self.apply_all(constraint, &new);
            }
            let mut suspects = Vec::new();
            let mut at = 0;
            while let Some(target) = self.edges[var.0 as usize].get(at).copied() {
                let to = self.shortened(target);
                self.edges[var.0 as usize][at] = to;
                at += 1;
                if to == var {
                    continue;
                }
                if !self.add(to, &new)
                    && self.sets[var.0 as usize] == self.sets[to.0 as usize]
                    && self.tried.insert((var, to))
                {
                    suspects.push(to);
                }
            }
            for to in suspects {
                let to = self.shortened(to);
                if to != self.shortened(var) {
                    self.collapse_cycles(to);
                }
            }
        }
    }

    fn apply(&mut self, constraint: Constraint, id: u32) {
        let (object, offset) = self.address(id);
        match constraint {
            Constraint::Load { at, bytes, to } => {
                for words in words(moved(offset, at), bytes) {
                    if let Some(out) = self.loaded(object, words) {
                        self.copy(out, to);
                    }
                }
            }
            Constraint::Store { at, bytes, from } => {
                for words in words(moved(offset, at), bytes) {
                    if let Some(into) = self.stored(object, words) {
                        self.copy(from, into);
                    }
                }
            }
            Constraint::LoadAll { to } => {
                if let Some(out) = self.loaded(object, Words::ALL) {
                    self.copy(out, to);
                }
            }
            Constraint::StoreAll { from } => {
                if let Some(into) = self.stored(object, Words::ALL) {
                    self.copy(from, into);
                }
            }
            // See `apply_all`.
            Constraint::Move { .. } => {}
            Constraint::Mask { bits, to } => {
                let mask = (1_i32 << bits.min(30)) - 1;
                let offset = if offset.is_exact() && bits <= 4 {
                    Offset::exact(offset.base & !mask)
                } else if bits <= 4 {
                    offset
                } else {
                    Offset::ANY
                };
                self.include(to, (object, offset));
            }
            Constraint::CopyTo(number) | Constraint::CopyFrom(number)
                if self.copies[number as usize].between.is_some() => {}
            Constraint::CopyTo(number) => {
                let from = self.shortened(self.copies[number as usize].from);
                let others: Vec<u32> = self.sets[from.0 as usize].iter().collect();
                for other in others {
                    self.copy_between(number, id, other);
                }
            }
            Constraint::CopyFrom(number) => {
                let to = self.shortened(self.copies[number as usize].to);
                let others: Vec<u32> = self.sets[to.0 as usize].iter().collect();
                for other in others {
                    self.copy_between(number, other, id);
                }
            }
            Constraint::Escape => self.escape(object),
            Constraint::Call(site) => match self.kind(object) {
                ObjectKind::Function(_) | ObjectKind::Outside => self.calls.push((site, object)),
                ObjectKind::Global(_)
                | ObjectKind::Stack(..)
                | ObjectKind::Heap(..)
                | ObjectKind::Unnamed(_)
                | ObjectKind::Kept
                | ObjectKind::Own
                | ObjectKind::Results
                | ObjectKind::Library
                | ObjectKind::Constants => {}
            },
        }
    }

    /// Makes one of all variables on each cycle of copies that can be reached from one: Tarjan's components.
    fn collapse_cycles(&mut self, start: Var) {
        let mut numbers: FxHashMap<Var, (u32, u32)> = FxHashMap::default();
        let mut on_stack: FxHashSet<Var> = FxHashSet::default();
        let mut stack = Vec::new();
        let mut walk = vec![(start, 0_usize)];
        let mut components = Vec::new();
        while let Some((var, at)) = walk.pop() {
            if at == 0 {
                let number = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                numbers.insert(var, (number, number));
                on_stack.insert(var);
                stack.push(var);
            }
            if let Some(target) = self.edges[var.0 as usize].get(at).copied() {
                let to = self.shortened(target);
                walk.push((var, at + 1));
                match numbers.get(&to).copied() {
                    None => walk.push((to, 0)),
                    Some((number, _)) if on_stack.contains(&to) => {
                        let low = numbers.entry(var).or_default();
                        low.1 = low.1.min(number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            let (number, low) = numbers[&var];
            if let Some((before, _)) = walk.last() {
                let above = numbers.entry(*before).or_default();
                above.1 = above.1.min(low);
            }
            if number == low {
                let mut component = Vec::new();
                while let Some(one) = stack.pop() {
                    on_stack.remove(&one);
                    component.push(one);
                    if one == var {
                        break;
                    }
                }
                if component.len() > 1 {
                    components.push(component);
                }
            }
        }
        for component in components {
            let first = component[0];
            for other in &component[1..] {
                self.unite(first, *other);
            }
        }
    }

    pub(crate) fn unite(&mut self, left: Var, right: Var) {
        let (into, gone) = (self.shortened(left), self.shortened(right));
        if into == gone {
            return;
        }
        // The special ones stay what they are.
        let (into, gone) = if gone < into { (gone, into) } else { (into, gone) };
        self.parents[gone.0 as usize] = into.0;
        let set = std::mem::take(&mut self.sets[gone.0 as usize]);
        if into == ESCAPED {
            // Constraints of both see the whole set once more: that is seldom, and simple.
            self.news[gone.0 as usize] = Bits::default();
            self.add(ESCAPED, &set);
            let constraints = std::mem::take(&mut self.constraints[gone.0 as usize]);
            let edges = std::mem::take(&mut self.edges[gone.0 as usize]);
            for constraint in constraints {
                self.constrain(ESCAPED, constraint);
            }
            for target in edges {
                self.copy(ESCAPED, target);
            }
            return;
        }
        let late = std::mem::take(&mut self.news[gone.0 as usize]);
        let mut missing = std::mem::take(&mut self.sets[into.0 as usize]);
        // What only one of them had has not been seen by the constraints of the other.
        let only = missing.add(&set);
        let mut both = missing.clone();
        both.remove(&only);
        both.remove(&set);
        self.sets[into.0 as usize] = missing;
        let news = &mut self.news[into.0 as usize];
        news.add(&late);
        news.add(&only);
        news.add(&both);
        if !news.is_empty() {
            self.enqueue(into);
        }
        let constraints = std::mem::take(&mut self.constraints[gone.0 as usize]);
        self.constraints[into.0 as usize].extend(constraints);
        for target in std::mem::take(&mut self.edges[gone.0 as usize]) {
            let to = self.shortened(target);
            if to != into && self.known_edges.insert((into, to)) {
                self.edges[into.0 as usize].push(to);
            }
        }
    }
}

/// An offset moved by a number of bytes.
pub(crate) fn moved(offset: Offset, by: i32) -> Offset {
    match offset.base.checked_add(by) {
        Some(base) => Offset { base, ..offset },
        None => Offset::ANY,
    }
}

/// An offset moved by any multiple of a stride.
pub(crate) fn strided(offset: Offset, stride: u32, count: u32) -> Offset {
    if stride == 0 {
        return offset;
    }
    if offset.is_exact() {
        return Offset { stride, count, ..offset };
    }
    Offset { base: offset.base, stride: gcd(offset.stride, stride), count: 0 }
}
