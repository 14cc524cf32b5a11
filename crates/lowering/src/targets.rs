//! Where pointers may point: objects, and which of their bytes.
//!
//! Offsets are kept as residues: `(m, r)` stands for `r`, `r ± m`, `r ± 2m`, …, and `(0, r)` for `r`
//! alone. An index into an array of structures of 24 bytes that is not known gives `(24, r)`: still the
//! field it was, in some element.

use std::collections::{BTreeMap, BTreeSet};

use crate::object::ObjectId;

/// Offsets `residue + k · modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Residue {
    pub(crate) modulus: u64,
    pub(crate) residue: i64,
}

impl Residue {
    pub(crate) const fn exactly(residue: i64) -> Self {
        Self { modulus: 0, residue }
    }

    /// Any number.
    pub(crate) const ANY: Self = Self { modulus: 1, residue: 0 };

    pub(crate) fn new(modulus: u64, residue: i64) -> Self {
        let residue = match i64::try_from(modulus) {
            Ok(0) | Err(_) => residue,
            Ok(modulus) => residue.rem_euclid(modulus),
        };
        Self { modulus, residue }
    }

    /// The sums of two.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(gcd(self.modulus, other.modulus), self.residue.wrapping_add(other.residue))
    }

    /// The multiples of what is here.
    pub(crate) fn times(self, factor: i64) -> Self {
        let modulus = self.modulus.wrapping_mul(factor.unsigned_abs());
        Self::new(modulus, self.residue.wrapping_mul(factor))
    }

    /// One residue for two.
    pub(crate) fn join(self, other: Self) -> Self {
        let apart = self.residue.abs_diff(other.residue);
        Self::new(gcd(gcd(self.modulus, other.modulus), apart), self.residue)
    }

    /// Whether all of it is in another.
    fn is_within(self, other: Self) -> bool {
        other.join(self) == other
    }

    /// Whether two have a number in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        let modulus = gcd(self.modulus, other.modulus);
        let apart = self.residue.abs_diff(other.residue);
        if modulus == 0 { apart == 0 } else { apart.is_multiple_of(modulus) }
    }
}

/// Numbers, in a few pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers(BTreeSet<Residue>);

/// More pieces than these become one.
const MOST_PIECES: usize = 16;

impl Numbers {
    pub(crate) const NONE: Self = Self(BTreeSet::new());

    pub(crate) fn one(residue: Residue) -> Self {
        Self(BTreeSet::from([residue]))
    }

    pub(crate) fn any() -> Self {
        Self::one(Residue::ANY)
    }

    /// `0`, `step`, `2 * step`, … so many of them.
    pub(crate) fn multiples(step: i64, count: u64) -> Self {
        let mut all = Self::NONE;
        for (at, number) in (0..count).zip(0..) {
            if at > MOST_PIECES as u64 {
                return Self::one(Residue::new(step.unsigned_abs(), 0));
            }
            all.insert(Residue::exactly(step.wrapping_mul(number)));
        }
        all
    }

    fn insert(&mut self, residue: Residue) {
        if self.0.iter().any(|known| residue.is_within(*known)) {
            return;
        }
        self.0.retain(|known| !known.is_within(residue));
        self.0.insert(residue);
        if self.0.len() > MOST_PIECES {
            self.0 = self.0.iter().copied().reduce(Residue::join).into_iter().collect();
        }
    }

    /// Adds all of another set; whether one is new.
    pub(crate) fn extend(&mut self, other: &Self) -> bool {
        let before = self.clone();
        for residue in &other.0 {
            self.insert(*residue);
        }
        *self != before
    }

    /// What an operation makes of all pairs.
    pub(crate) fn with(&self, other: &Self, join: impl Fn(Residue, Residue) -> Residue) -> Self {
        let mut all = Self::NONE;
        for left in &self.0 {
            for right in &other.0 {
                all.insert(join(*left, *right));
            }
        }
        all
    }

    /// The multiples of what is here.
    pub(crate) fn times(&self, factor: i64) -> Self {
        self.with(&Self::one(Residue::exactly(factor)), |one, _| one.times(factor))
    }

    /// The number, if there is one only.
    pub(crate) fn only(&self) -> Option<i64> {
        match self.0.iter().collect::<Vec<_>>().as_slice() {
            [Residue { modulus: 0, residue }] => Some(*residue),
            _ => None,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Residue> {
        self.0.iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The greatest common divisor; 0 counts for nothing.
pub(crate) fn gcd(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// A set of places in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    places: BTreeMap<ObjectId, BTreeSet<Residue>>,
}

/// More residues than these of one object become one.
const MOST: usize = 64;

impl Targets {
    pub(crate) const EMPTY: Self = Self { places: BTreeMap::new() };

    /// Adds a place; whether it is new.
    pub(crate) fn insert(&mut self, object: ObjectId, offset: Residue) -> bool {
        let offsets = self.places.entry(object).or_default();
        // What is there already in another form must not come again: sets only grow.
        if offsets.iter().any(|known| offset.is_within(*known)) {
            return false;
        }
        offsets.retain(|known| !known.is_within(offset));
        offsets.insert(offset);
        if offsets.len() > MOST {
            let joined = offsets.iter().copied().reduce(Residue::join);
            *offsets = joined.into_iter().collect();
        }
        true
    }

    /// Adds all places of another set; whether one is new.
    pub(crate) fn extend(&mut self, other: &Self) -> bool {
        let before = self.clone();
        for (object, offset) in other.iter() {
            self.insert(object, offset);
        }
        *self != before
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, Residue)> {
        self.places
            .iter()
            .flat_map(|(object, offsets)| offsets.iter().map(|offset| (*object, *offset)))
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        self.places.keys().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}
