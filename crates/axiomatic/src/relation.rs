//! Sets of events and relations between them, as rows of bits.
//!
//! The names follow the way axioms are read aloud: `r.then(&s)` is the composition `r; s` of the
//! papers, `r.starting_in(a)` is `[a]; r`, `r.ending_in(b)` is `r; [b]`, and `|`, `&` and `-` are
//! union, intersection and difference.

use std::ops::{BitAnd, BitOr, Not, Sub};
use std::sync::Arc;

/// A set of events, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventSet(pub(crate) u128);

impl EventSet {
    /// The greatest number of events that a set can hold.
    pub const MAX_EVENTS: usize = u128::BITS as usize;

    /// No event.
    pub const EMPTY: Self = Self(0);

    /// One event.
    pub const fn only(event: usize) -> Self {
        Self(1 << event)
    }

    /// Whether an event is in it.
    pub const fn contains(self, event: usize) -> bool {
        self.0 >> event & 1 == 1
    }

    /// Whether there is none in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds an event.
    pub const fn insert(&mut self, event: usize) {
        self.0 |= 1 << event;
    }

    /// Its events in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let event = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(event)
        })
    }

    /// The greatest number in it that is less than `event`.
    pub(crate) fn last_before(self, event: usize) -> Option<usize> {
        let earlier = self.0 & ((1 << event) - 1);
        earlier.checked_ilog2().map(|last| last as usize)
    }

    /// The least number in it that is greater than `event`.
    pub(crate) fn first_after(self, event: usize) -> Option<usize> {
        (self - Self::up_to(event)).iter().next()
    }

    /// The events up to a number.
    const fn up_to(event: usize) -> Self {
        let below = (1_u128 << event) - 1;
        Self(below | 1 << event)
    }

    /// The same set with every event's number raised by `by`.
    pub(crate) const fn shifted(self, by: usize) -> Self {
        Self(self.0 << by)
    }
}

impl FromIterator<usize> for EventSet {
    fn from_iter<It: IntoIterator<Item = usize>>(events: It) -> Self {
        let mut set = Self::EMPTY;
        for event in events {
            set.insert(event);
        }
        set
    }
}

impl BitOr for EventSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for EventSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Sub for EventSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for EventSet {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// A relation between the events `0`, …, `n - 1` of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// For each event those it is related to. Shared, since most relations of an execution stay as they are when
    /// one more thing is decided.
    rows: Arc<[EventSet]>,
}

impl Relation {
    /// The empty relation between `events` events.
    pub fn empty(events: usize) -> Self {
        debug_assert!(events <= EventSet::MAX_EVENTS, "callers check the number of events");
        Self { rows: std::iter::repeat_n(EventSet::EMPTY, events).collect() }
    }

    /// Makes it a relation between one event more, which is not related to any.
    pub(crate) fn grow(&mut self) {
        self.rows = self.rows.iter().copied().chain([EventSet::EMPTY]).collect();
    }

    /// The same relation after every event has got another number.
    #[must_use]
    pub(crate) fn renumbered(&self, numbers: &[usize]) -> Self {
        let mut rows = vec![EventSet::EMPTY; self.rows.len()];
        for (from, row) in self.rows.iter().enumerate() {
            rows[numbers[from]] = row.iter().map(|to| numbers[to]).collect();
        }
        Self { rows: rows.into() }
    }

    /// The relation of these pairs.
    pub fn from_pairs(events: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Self::empty(events);
        let rows = relation.rows_mut();
        for (from, to) in pairs {
            rows[from].insert(to);
        }
        relation
    }

    /// All pairs of an event in `from` and an event in `to`.
    pub fn product(events: usize, from: EventSet, to: EventSet) -> Self {
        let row = |event| if from.contains(event) { to } else { EventSet::EMPTY };
        Self { rows: (0..events).map(row).collect() }
    }

    /// The number of events it is between.
    pub fn events(&self) -> usize {
        self.rows.len()
    }

    /// Adds a pair.
    pub fn insert(&mut self, from: usize, to: usize) {
        self.rows_mut()[from].insert(to);
    }

    /// Takes a pair away.
    pub(crate) fn remove(&mut self, from: usize, to: usize) {
        if self.contains(from, to) {
            let row = &mut self.rows_mut()[from];
            *row = *row - EventSet::only(to);
        }
    }

    /// Adds pairs from every event of a set to one event.
    pub(crate) fn insert_all(&mut self, from: EventSet, to: usize) {
        if from.is_empty() {
            return;
        }
        let rows = self.rows_mut();
        for event in from.iter() {
            rows[event].insert(to);
        }
    }

    /// Adds pairs from one event to every event of a set.
    pub(crate) fn insert_successors(&mut self, from: usize, to: EventSet) {
        if !(to - self.rows[from]).is_empty() {
            let row = &mut self.rows_mut()[from];
            *row = *row | to;
        }
    }

    /// Its rows, of its own.
    fn rows_mut(&mut self) -> &mut [EventSet] {
        Arc::make_mut(&mut self.rows)
    }

    /// Whether a pair is in it.
    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.rows[from].contains(to)
    }

    /// What an event is related to.
    pub fn successors(&self, from: usize) -> EventSet {
        self.rows[from]
    }

    /// Its pairs in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rows.iter().enumerate().flat_map(|(from, row)| row.iter().map(move |to| (from, to)))
    }

    /// The composition `self; next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let row = |row: &EventSet| row.iter().fold(EventSet::EMPTY, |all, to| all | next.rows[to]);
        Self { rows: self.rows.iter().map(row).collect() }
    }

    /// The pairs that start in `set`: `[set]; self`.
    #[must_use]
    pub fn starting_in(&self, set: EventSet) -> Self {
        let row = |(event, row): (usize, &EventSet)| {
            if set.contains(event) { *row } else { EventSet::EMPTY }
        };
        Self { rows: self.rows.iter().enumerate().map(row).collect() }
    }

    /// The pairs that end in `set`: `self; [set]`.
    #[must_use]
    pub fn ending_in(&self, set: EventSet) -> Self {
        Self { rows: self.rows.iter().map(|row| *row & set).collect() }
    }

    /// The pairs the other way round.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self::from_pairs(self.events(), self.pairs().map(|(from, to)| (to, from)))
    }

    /// The pairs, and each event with itself: `self?`.
    #[must_use]
    pub fn or_same(&self) -> Self {
        let row = |(event, row): (usize, &EventSet)| *row | EventSet::only(event);
        Self { rows: self.rows.iter().enumerate().map(row).collect() }
    }

    /// One or more steps: `self⁺`.
    #[must_use]
    pub fn transitive(&self) -> Self {
        let mut shared = Arc::clone(&self.rows);
        let rows = Arc::make_mut(&mut shared);
        for middle in 0..rows.len() {
            let onwards = rows[middle];
            if onwards.is_empty() {
                continue;
            }
            for row in &mut *rows {
                if row.contains(middle) {
                    *row = *row | onwards;
                }
            }
        }
        Self { rows: shared }
    }

    /// Any number of steps: `self*`.
    #[must_use]
    pub fn reflexive_transitive(&self) -> Self {
        self.transitive().or_same()
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        self.rows.iter().enumerate().all(|(event, row)| !row.contains(event))
    }

    /// Whether no steps lead from an event back to it.
    pub fn is_acyclic(&self) -> bool {
        let mut open: EventSet = (0..self.events()).collect();
        let mut path: Vec<usize> = Vec::new();
        let mut on_path = EventSet::EMPTY;
        while let Some(start) = open.iter().next() {
            path.push(start);
            while let Some(event) = path.last().copied() {
                open = open - EventSet::only(event);
                on_path.insert(event);
                let onwards = self.rows[event];
                if !(onwards & on_path).is_empty() {
                    return false;
                }
                if let Some(next) = (onwards & open).iter().next() {
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
        self.rows.iter().all(|row| row.is_empty())
    }

    fn combine(&self, other: &Self, with: impl Fn(EventSet, EventSet) -> EventSet) -> Self {
        debug_assert_eq!(self.events(), other.events(), "relations of one execution");
        let rows = self.rows.iter().zip(other.rows.iter()).map(|(left, right)| with(*left, *right));
        Self { rows: rows.collect() }
    }

    /// The same, where the one on the left is not wanted any more.
    fn combined(mut self, other: &Self, with: impl Fn(EventSet, EventSet) -> EventSet) -> Self {
        debug_assert_eq!(self.events(), other.events(), "relations of one execution");
        for (left, right) in self.rows_mut().iter_mut().zip(other.rows.iter()) {
            *left = with(*left, *right);
        }
        self
    }
}

/// Operators between relations, owned or borrowed on either side.
macro_rules! relation_operators {
    ($($operator:ident $method:ident;)*) => {$(
        impl $operator<&Relation> for &Relation {
            type Output = Relation;
            fn $method(self, other: &Relation) -> Relation {
                self.combine(other, |left, right| $operator::$method(left, right))
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
                self.combined(other, |left, right| $operator::$method(left, right))
            }
        }
        impl $operator<Relation> for Relation {
            type Output = Relation;
            fn $method(self, other: Relation) -> Relation {
                self.combined(&other, |left, right| $operator::$method(left, right))
            }
        }
    )*};
}

relation_operators! {
    BitOr bitor;
    BitAnd bitand;
    Sub sub;
}

#[cfg(test)]
mod tests;
