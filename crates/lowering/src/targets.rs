//! Where pointers may point: objects, and which of their bytes.
//!
//! Offsets are kept as residues: `(m, r)` stands for `r`, `r ± m`, `r ± 2m`, …, and `(0, r)` for `r`
//! alone. An index into an array of structures of 24 bytes that is not known gives `(24, r)`: still the
//! field it was, in some element.

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

/// Numbers, in a few pieces, which are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers(Vec<Residue>);

/// More pieces than these become one.
const MOST_PIECES: usize = 16;

impl Numbers {
    pub(crate) const NONE: Self = Self(Vec::new());

    pub(crate) fn one(residue: Residue) -> Self {
        Self(vec![residue])
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

    /// Adds a piece; whether it is new.
    fn insert(&mut self, residue: Residue) -> bool {
        if self.0.iter().any(|known| residue.is_within(*known)) {
            return false;
        }
        self.0.retain(|known| !known.is_within(residue));
        let at = self.0.partition_point(|known| *known < residue);
        self.0.insert(at, residue);
        if self.0.len() > MOST_PIECES {
            self.0 = self.0.iter().copied().reduce(Residue::join).into_iter().collect();
        }
        true
    }

    /// Adds all of another set; whether one is new.
    pub(crate) fn extend(&mut self, other: &Self) -> bool {
        let mut is_new = false;
        for residue in &other.0 {
            is_new |= self.insert(*residue);
        }
        is_new
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
        match self.0.as_slice() {
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
    /// Sorted: those of one object are together.
    places: Vec<(ObjectId, Residue)>,
}

/// More residues than these of one object become one.
const MOST: usize = 64;

impl Targets {
    pub(crate) const EMPTY: Self = Self { places: Vec::new() };

    /// Adds a place; whether it is new.
    pub(crate) fn insert(&mut self, object: ObjectId, offset: Residue) -> bool {
        let first = self.places.partition_point(|(other, _)| *other < object);
        let last = first + self.places[first..].partition_point(|(other, _)| *other == object);
        // What is there already in another form must not come again: sets only grow.
        if self.places[first..last].iter().any(|(_, known)| offset.is_within(*known)) {
            return false;
        }
        let kept = self.places[first..last].iter().map(|(_, known)| *known);
        let mut kept: Vec<Residue> = kept.filter(|known| !known.is_within(offset)).collect();
        let at = kept.partition_point(|known| *known < offset);
        kept.insert(at, offset);
        if kept.len() > MOST {
            kept = kept.into_iter().reduce(Residue::join).into_iter().collect();
        }
        self.places.splice(first..last, kept.into_iter().map(|offset| (object, offset)));
        true
    }

    /// Adds all places of another set; whether one is new.
    pub(crate) fn extend(&mut self, other: &Self) -> bool {
        if self.places.is_empty() {
            self.places.clone_from(&other.places);
            return !self.places.is_empty();
        }
        let mut is_new = false;
        for (object, offset) in other.iter() {
            is_new |= self.insert(object, offset);
        }
        is_new
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, Residue)> {
        self.places.iter().copied()
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectId> {
        let mut last = None;
        let objects = self.places.iter().map(|(object, _)| *object);
        objects.filter(move |object| last.replace(*object) != Some(*object))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}
