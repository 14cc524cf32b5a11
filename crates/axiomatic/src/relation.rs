//! Relations between events, as rows of bits.
//!
//! The names follow the way axioms are read aloud: `r.then(&s)` is the composition `r; s` of the
//! papers, `r.starting_in(a)` is `[a]; r`, `r.ending_in(b)` is `r; [b]`, and `|`, `&` and `-` are
//! union, intersection and difference.

use std::ops::{BitAnd, BitOr, Sub};
use std::sync::Arc;

pub use crate::event_set::EventSet;
use crate::event_set::bits;

const WORD_BITS: usize = u64::BITS as usize;

/// A relation between the events `0`, …, `n - 1` of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    events: usize,
    /// For each event those it is related to, in as few words as there are events for: few for small executions.
    /// Shared, since most relations of an execution stay as they are when one more thing is decided.
    rows: Arc<[u64]>,
}

impl Relation {
    /// The empty relation between `events` events.
    pub fn empty(events: usize) -> Self {
        debug_assert!(events <= EventSet::MAX_EVENTS, "callers check the number of events");
        let words = events * EventSet::words_for(events);
        Self { events, rows: std::iter::repeat_n(0, words).collect() }
    }

    /// How many words a row has.
    const fn width(&self) -> usize {
        EventSet::words_for(self.events)
    }

    fn row(&self, event: usize) -> &[u64] {
        let width = self.width();
        &self.rows[event * width..(event + 1) * width]
    }

    fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.rows.chunks_exact(self.width().max(1))
    }

    /// Makes it a relation between one event more, which is not related to any.
    pub(crate) fn grow(&mut self) {
        *self = self.beside(&Self::empty(1));
    }

    /// This relation, and after its events those of another one.
    #[must_use]
    pub(crate) fn beside(&self, other: &Self) -> Self {
        let mut both = Self::empty(self.events + other.events);
        let (width, before) = (both.width(), self.width());
        let rows = Arc::make_mut(&mut both.rows);
        if width == before {
            rows[..self.rows.len()].copy_from_slice(&self.rows);
        } else {
            for (row, words) in self.rows().zip(rows.chunks_exact_mut(width)) {
                row.iter().zip(words).for_each(|(word, copy)| *copy = *word);
            }
        }
        for (from, to) in other.pairs() {
            let to = to + self.events;
            rows[(from + self.events) * width + to / WORD_BITS] |= 1 << (to % WORD_BITS);
        }
        both
    }

    /// The same relation after every event has got another number.
    #[must_use]
    pub(crate) fn renumbered(&self, numbers: &[usize]) -> Self {
        Self::from_pairs(self.events, self.pairs().map(|(from, to)| (numbers[from], numbers[to])))
    }

    /// The relation of these pairs.
    pub fn from_pairs(events: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Self::empty(events);
        let width = relation.width();
        let rows = Arc::make_mut(&mut relation.rows);
        for (from, to) in pairs {
            rows[from * width + to / WORD_BITS] |= 1 << (to % WORD_BITS);
        }
        relation
    }

    /// All pairs of an event in `from` and an event in `to`.
    pub fn product(events: usize, from: EventSet, to: EventSet) -> Self {
        let mut product = Self::empty(events);
        let width = product.width();
        let rows = Arc::make_mut(&mut product.rows);
        for event in from.iter().take_while(|event| *event < events) {
            rows[event * width..(event + 1) * width].copy_from_slice(&to.words()[..width]);
        }
        product
    }

    /// The number of events it is between.
    pub const fn events(&self) -> usize {
        self.events
    }

    /// Adds a pair.
    pub fn insert(&mut self, from: usize, to: usize) {
        self.row_mut(from)[to / WORD_BITS] |= 1 << (to % WORD_BITS);
    }

    /// Takes a pair away.
    pub(crate) fn remove(&mut self, from: usize, to: usize) {
        if self.contains(from, to) {
            self.row_mut(from)[to / WORD_BITS] &= !(1 << (to % WORD_BITS));
        }
    }

    /// Adds pairs from every event of a set to one event.
    pub(crate) fn insert_all(&mut self, from: EventSet, to: usize) {
        if from.is_empty() {
            return;
        }
        let width = self.width();
        let rows = Arc::make_mut(&mut self.rows);
        for event in from.iter() {
            rows[event * width + to / WORD_BITS] |= 1 << (to % WORD_BITS);
        }
    }

    /// Adds pairs from one event to every event of a set.
    pub(crate) fn insert_successors(&mut self, from: usize, to: EventSet) {
        if !(to - self.successors(from)).is_empty() {
            for (word, more) in self.row_mut(from).iter_mut().zip(to.words()) {
                *word |= more;
            }
        }
    }

    /// A row, of its own.
    fn row_mut(&mut self, event: usize) -> &mut [u64] {
        let width = self.width();
        &mut Arc::make_mut(&mut self.rows)[event * width..(event + 1) * width]
    }

    /// Whether a pair is in it.
    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.row(from)[to / WORD_BITS] >> (to % WORD_BITS) & 1 == 1
    }

    /// What an event is related to.
    pub fn successors(&self, from: usize) -> EventSet {
        EventSet::from_words(self.row(from))
    }

    /// Its pairs in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rows().enumerate().flat_map(|(from, row)| numbers(row).map(move |to| (from, to)))
    }

    /// The composition `self; next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let mut composed = Self::empty(self.events);
        let width = self.width();
        let rows = Arc::make_mut(&mut composed.rows);
        for (row, all) in self.rows().zip(rows.chunks_exact_mut(width.max(1))) {
            for to in numbers(row) {
                for (word, more) in all.iter_mut().zip(next.row(to)) {
                    *word |= more;
                }
            }
        }
        composed
    }

    /// The pairs that start in `set`: `[set]; self`.
    #[must_use]
    pub fn starting_in(&self, set: EventSet) -> Self {
        let mut kept = self.clone();
        let width = self.width();
        let rows = Arc::make_mut(&mut kept.rows).chunks_exact_mut(width.max(1));
        for (event, row) in rows.enumerate() {
            if !set.contains(event) {
                row.fill(0);
            }
        }
        kept
    }

    /// The pairs that end in `set`: `self; [set]`.
    #[must_use]
    pub fn ending_in(&self, set: EventSet) -> Self {
        let mut kept = self.clone();
        let width = self.width();
        for row in Arc::make_mut(&mut kept.rows).chunks_exact_mut(width.max(1)) {
            for (word, keep) in row.iter_mut().zip(set.words()) {
                *word &= keep;
            }
        }
        kept
    }

    /// The pairs the other way round.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self::from_pairs(self.events, self.pairs().map(|(from, to)| (to, from)))
    }

    /// The pairs, and each event with itself: `self?`.
    #[must_use]
    pub fn or_same(&self) -> Self {
        let mut same = self.clone();
        let width = self.width();
        let rows = Arc::make_mut(&mut same.rows);
        for event in 0..self.events {
            rows[event * width + event / WORD_BITS] |= 1 << (event % WORD_BITS);
        }
        same
    }

    /// One or more steps: `self⁺`.
    #[must_use]
    pub fn transitive(&self) -> Self {
        let mut closed = self.clone();
        let width = self.width();
        let rows = Arc::make_mut(&mut closed.rows);
        for middle in 0..self.events {
            let onwards = EventSet::from_words(&rows[middle * width..(middle + 1) * width]);
            if onwards.is_empty() {
                continue;
            }
            let (word, bit) = (middle / WORD_BITS, middle % WORD_BITS);
            for row in rows.chunks_exact_mut(width) {
                if row[word] >> bit & 1 == 1 {
                    for (word, more) in row.iter_mut().zip(onwards.words()) {
                        *word |= more;
                    }
                }
            }
        }
        closed
    }

    /// Any number of steps: `self*`.
    #[must_use]
    pub fn reflexive_transitive(&self) -> Self {
        self.transitive().or_same()
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.events).all(|event| !self.contains(event, event))
    }

    /// Whether no steps lead from an event back to it.
    pub fn is_acyclic(&self) -> bool {
        let width = self.width();
        let mut open: EventSet = (0..self.events).collect();
        let mut path: Vec<usize> = Vec::new();
        let mut on_path = EventSet::EMPTY;
        let first = |row: &[u64], set: &EventSet| {
            let common = row.iter().zip(set.words()).map(|(one, other)| one & other);
            let mut found = common.enumerate().filter(|(_, word)| *word != 0);
            found.next().map(|(number, word)| number * WORD_BITS + word.trailing_zeros() as usize)
        };
        while let Some(start) = first(&open.words()[..width], &open) {
            path.push(start);
            while let Some(event) = path.last().copied() {
                open = open - EventSet::only(event);
                on_path.insert(event);
                let onwards = self.row(event);
                if first(onwards, &on_path).is_some() {
                    return false;
                }
                if let Some(next) = first(onwards, &open) {
                    path.push(next);
                } else {
                    on_path = on_path - EventSet::only(event);
                    path.pop();
                }
            }
        }
        true
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|word| *word == 0)
    }

    fn combine(&self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.events, other.events, "relations of one execution");
        let rows = self.rows.iter().zip(other.rows.iter()).map(|(left, right)| with(*left, *right));
        Self { events: self.events, rows: rows.collect() }
    }

    /// The same, where the one on the left is not wanted any more.
    fn combined(mut self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.events, other.events, "relations of one execution");
        for (left, right) in Arc::make_mut(&mut self.rows).iter_mut().zip(other.rows.iter()) {
            *left = with(*left, *right);
        }
        self
    }
}

/// The events in a row, in order.
fn numbers(row: &[u64]) -> impl Iterator<Item = usize> {
    let words = row.iter().enumerate();
    words.flat_map(|(number, word)| bits(*word).map(move |bit| number * WORD_BITS + bit))
}

/// Operators between relations, owned or borrowed on either side.
macro_rules! relation_operators {
    ($($operator:ident $method:ident $words:expr;)*) => {$(
        impl $operator<&Relation> for &Relation {
            type Output = Relation;
            fn $method(self, other: &Relation) -> Relation {
                self.combine(other, |left, right| $words(left, right))
            }
        }
        impl $operator<Relation> for &Relation {
            type Output = Relation;
            fn $method(self, other: Relation) -> Relation {
                $operator::$method(self, &other)
            }
        }
        impl $operator<&Relation> for Relation {
            type Output = Relation;
            fn $method(self, other: &Relation) -> Relation {
                self.combined(other, |left, right| $words(left, right))
            }
        }
        impl $operator<Relation> for Relation {
            type Output = Relation;
            fn $method(self, other: Relation) -> Relation {
                self.combined(&other, |left, right| $words(left, right))
            }
        }
    )*};
}

relation_operators! {
    BitOr bitor BitOr::bitor;
    BitAnd bitand BitAnd::bitand;
    Sub sub (|left: u64, right: u64| left & !right);
}

#[cfg(test)]
mod tests;
