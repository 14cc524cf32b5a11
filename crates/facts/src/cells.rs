//! What objects hold: cells, copies of memory between objects, and objects that get out.

use crate::object::{Cell, Listener, OUTSIDE, ObjectId, ObjectKind, Offset, Words, words};
use crate::solver::{Constraint, ESCAPED, MOST_OFFSETS, Solver, Var};

/// Pairs of objects between which one instruction copies, before what it copies is mixed.
const MOST_PAIRS: u32 = 64;

impl Solver {
    /// Lets an object get out. Since everything that got out is held by each of its cells, and all that they
    /// hold got out, they all become one.
    pub(crate) fn escape(&mut self, object: ObjectId) {
        if object == OUTSIDE
            || self.kind(object) == ObjectKind::Library
            || self.holds_nothing(object)
        {
            return;
        }
        let known = &mut self.objects[object.0 as usize];
        if std::mem::replace(&mut known.is_escaped, true) {
            return;
        }
        let cells = std::mem::take(&mut known.cells);
        let listeners = std::mem::take(&mut known.listeners);
        known.by_words.clear();
        for cell in cells {
            self.unite(ESCAPED, cell.into);
            if let Some(out) = cell.out {
                self.unite(ESCAPED, out);
            }
        }
        for listener in listeners {
            if let Some(into) = self.stored(listener.to.0, Words::ALL) {
                self.copy(ESCAPED, into);
            }
        }
    }

    pub(crate) fn copy_between(&mut self, number: u32, to: u32, from: u32) {
        let copy = self.copies[number as usize];
        if copy.between.is_some() {
            return;
        }
        self.copies[number as usize].pairs += 1;
        if copy.pairs >= MOST_PAIRS {
            let between = self.variable();
            self.copies[number as usize].between = Some(between);
            self.constrain(copy.from, Constraint::LoadAll { to: between });
            self.constrain(copy.to, Constraint::StoreAll { from: between });
            return;
        }
        let ((target, to), (source, from)) = (self.address(to), self.address(from));
        let listener = Listener { from, to: (target, to), bytes: copy.bytes };
        if self.holds_nothing(source) {
            return;
        }
        if self.kind(source) == ObjectKind::Library {
            let held = self.constant((source, Offset::ANY));
            if let Some(into) = self.stored(target, Words::ALL) {
                self.copy(held, into);
            }
            return;
        }
        if source == OUTSIDE || self.objects[source.0 as usize].is_escaped {
            if let Some(into) = self.stored(target, Words::ALL) {
                self.copy(ESCAPED, into);
            }
            return;
        }
        self.objects[source.0 as usize].listeners.push(listener);
        for at in 0..self.objects[source.0 as usize].cells.len() {
            let cell = self.objects[source.0 as usize].cells[at];
            self.tell(listener, cell);
        }
    }

    /// What a cell holds is copied by a copy of memory, if it is part of it.
    fn tell(&mut self, listener: Listener, cell: Cell) {
        let (target, to) = listener.to;
        let first = words(listener.from, 1).first().map_or(0, |words| words.first);
        if listener.from.is_exact() {
            let last = listener
                .bytes
                .map_or(i32::MAX, |bytes| (listener.from.base + bytes.cast_signed() - 1) / 8);
            if cell.words.last < first || cell.words.first > last {
                return;
            }
        }
        let apart = i64::from(to.base) - i64::from(listener.from.base);
        let is_direct = to.is_exact() && listener.from.is_exact() && apart.rem_euclid(8) == 0;
        let all = if is_direct && cell.words.is_one() {
            let at = i64::from(cell.words.first) + apart.div_euclid(8);
            let Ok(at) = i32::try_from(at) else { return };
            Words { first: at, last: at, step: 1 }
        } else {
            Words::ALL
        };
        if let Some(into) = self.stored(target, all) {
            self.copy(cell.into, into);
        }
    }

    /// Whether nothing can be stored in an object.
    fn holds_nothing(&self, object: ObjectId) -> bool {
        match self.kind(object) {
            ObjectKind::Function(_) | ObjectKind::Constants => true,
            ObjectKind::Outside
            | ObjectKind::Global(_)
            | ObjectKind::Stack(..)
            | ObjectKind::Heap(..)
            | ObjectKind::Unnamed(_)
            | ObjectKind::Kept
            | ObjectKind::Own
            | ObjectKind::Results
            | ObjectKind::Library => false,
        }
    }

    /// What is stored in some words of an object.
    pub(crate) fn stored(&mut self, object: ObjectId, words: Words) -> Option<Var> {
        if object == OUTSIDE || self.objects[object.0 as usize].is_escaped {
            return Some(ESCAPED);
        }
        if self.holds_nothing(object) || self.kind(object) == ObjectKind::Library {
            return None;
        }
        Some(self.cell(object, words).into)
    }

    /// What is loaded from some words of an object.
    pub(crate) fn loaded(&mut self, object: ObjectId, words: Words) -> Option<Var> {
        if object == OUTSIDE || self.objects[object.0 as usize].is_escaped {
            return Some(ESCAPED);
        }
        if self.holds_nothing(object) {
            return None;
        }
        if self.kind(object) == ObjectKind::Library {
            return Some(self.constant((object, Offset::ANY)));
        }
        let cell = self.cell(object, words);
        if let Some(out) = cell.out {
            return Some(out);
        }
        let out = self.variable();
        let words = cell.words;
        let known = &mut self.objects[object.0 as usize];
        let at = known.by_words[&words];
        known.cells[at].out = Some(out);
        let sources: Vec<Var> = known
            .cells
            .iter()
            .filter(|other| other.words.overlap(words))
            .map(|other| other.into)
            .collect();
        for from in sources {
            self.copy(from, out);
        }
        Some(out)
    }

    fn cell(&mut self, object: ObjectId, words: Words) -> Cell {
        let known = &self.objects[object.0 as usize];
        if let Some(at) = known.by_words.get(&words) {
            return known.cells[*at];
        }
        if known.cells.len() >= MOST_OFFSETS as usize && words != Words::ALL {
            return self.cell(object, Words::ALL);
        }
        let into = self.variable();
        let cell = Cell { words, into, out: None };
        let known = &mut self.objects[object.0 as usize];
        known.by_words.insert(words, known.cells.len());
        known.cells.push(cell);
        let readers: Vec<Var> = known
            .cells
            .iter()
            .filter(|other| other.words.overlap(words))
            .filter_map(|other| other.out)
            .collect();
        for out in readers {
            self.copy(into, out);
        }
        if !self.objects[object.0 as usize].listeners.is_empty() {
            // Those that are told may have listeners themselves: one after the other.
            self.untold.push((object, cell));
        }
        cell
    }

    /// Hands new cells on to those who copy from their objects.
    pub(crate) fn tell_all(&mut self) {
        while let Some((object, cell)) = self.untold.pop() {
            for at in 0..self.objects[object.0 as usize].listeners.len() {
                let listener = self.objects[object.0 as usize].listeners[at];
                self.tell(listener, cell);
            }
        }
    }
}
