//! Petri nets: places, transitions, what is there in the beginning, and what is to be covered.

use std::fmt;

/// The number of a place.
pub type Place = u32;

/// How many tokens places hold, sorted by place; places that are not mentioned hold none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marking(Vec<(Place, u32)>);

impl Marking {
    /// Of places and numbers of tokens in any order; the numbers of a place are added.
    pub fn of(tokens: impl IntoIterator<Item = (Place, u32)>) -> Self {
        let mut tokens: Vec<(Place, u32)> =
            tokens.into_iter().filter(|(_, count)| *count > 0).collect();
        tokens.sort_unstable();
        tokens.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            is_same
        });
        Self(tokens)
    }

    /// The places that hold tokens, in their order, with how many.
    pub fn tokens(&self) -> &[(Place, u32)] {
        &self.0
    }

    /// How many tokens a place holds.
    pub fn at(&self, place: Place) -> u32 {
        self.0.binary_search_by_key(&place, |(one, _)| *one).map_or(0, |at| self.0[at].1)
    }

    /// Whether it has at least the tokens of another.
    pub fn covers(&self, other: &Self) -> bool {
        let mut mine = self.0.iter();
        other.0.iter().all(|(place, count)| {
            mine.by_ref()
                .find(|(one, _)| one >= place)
                .is_some_and(|(one, held)| one == place && held >= count)
        })
    }

    /// The number of all tokens.
    pub fn sum(&self) -> u64 {
        self.0.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// What is left after taking `take`, with `put` added; nothing if there is not enough.
    #[must_use]
    pub fn after(&self, transition: &Transition) -> Option<Self> {
        if !self.covers(&transition.take) {
            return None;
        }
        Some(self.changed(&transition.take, &transition.put))
    }

    /// The least marking from which a transition leads to this one or more.
    #[must_use]
    pub(crate) fn before(&self, transition: &Transition) -> Self {
        self.changed(&transition.put, &transition.take)
    }

    /// Without `less`, as far as it is there, and with `more`.
    fn changed(&self, less: &Self, more: &Self) -> Self {
        let mut tokens = Vec::with_capacity(self.0.len() + more.0.len());
        let (mut mine, mut less) = (self.0.iter().peekable(), less.0.iter().peekable());
        let mut more = more.0.iter().peekable();
        loop {
            let next = [mine.peek(), more.peek()].into_iter().flatten().map(|one| one.0).min();
            let Some(place) = next else { return Self(tokens) };
            let mut count = mine.next_if(|one| one.0 == place).map_or(0, |one| one.1);
            while less.next_if(|one| one.0 < place).is_some() {}
            count -= less.next_if(|one| one.0 == place).map_or(0, |one| one.1.min(count));
            count = count.saturating_add(more.next_if(|one| one.0 == place).map_or(0, |one| one.1));
            if count > 0 {
                tokens.push((place, count));
            }
        }
    }

    /// The same without some places.
    #[must_use]
    pub(crate) fn without(&self, left_out: impl Fn(Place) -> bool) -> Self {
        Self(self.0.iter().copied().filter(|(place, _)| !left_out(*place)).collect())
    }

    /// A bit for each place, several places for one bit: what covers a marking has all of its bits.
    pub(crate) fn signature(&self) -> u64 {
        self.0.iter().fold(0, |bits, (place, _)| bits | 1 << (place % 64))
    }
}

/// Something that can happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// The tokens that it needs and takes.
    pub take: Marking,
    /// The tokens that it puts.
    pub put: Marking,
}

/// How many tokens a place holds in the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Initial {
    /// At least so many.
    pub least: u32,
    /// Whether it may be any number from there on.
    pub or_more: bool,
}

/// A Petri net with initial markings and targets: is a marking reachable that covers a target?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Net {
    /// The name of each place.
    pub places: Vec<String>,
    /// What each place holds in the beginning.
    pub initial: Vec<Initial>,
    /// What can happen.
    pub transitions: Vec<Transition>,
    /// What is to be covered: one of these.
    pub targets: Vec<Marking>,
    /// Weights of places of which somebody claims that no transition raises their weighted sum. They are
    /// checked, and those that are true are of use to the search.
    pub claims: Vec<Marking>,
}

impl Net {
    /// A net without transitions and targets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a place.
    pub fn add_place(&mut self, name: impl Into<String>, initial: Initial) -> Place {
        let place = number(self.places.len());
        self.places.push(name.into());
        self.initial.push(initial);
        place
    }

    /// The least initial marking.
    pub fn least_initial(&self) -> Marking {
        Marking::of(self.initial.iter().enumerate().map(|(at, one)| (number(at), one.least)))
    }

    /// The places that may hold any number of tokens in the beginning.
    pub fn unbounded(&self) -> impl Iterator<Item = Place> {
        let places = self.initial.iter().enumerate().filter(|(_, one)| one.or_more);
        places.map(|(at, _)| number(at))
    }

    /// Whether an initial marking covers this one.
    pub fn covers_initially(&self, marking: &Marking) -> bool {
        marking.tokens().iter().all(|(place, count)| {
            let initial = self.initial[*place as usize];
            initial.or_more || initial.least >= *count
        })
    }
}

pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 places and transitions")
}

/// A run that covers a target: an initial marking and transitions, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub initial: Marking,
    /// What happens.
    pub transitions: Vec<usize>,
    /// The number of the target that is covered in the end.
    pub target: usize,
}

impl Run {
    /// The markings of the run, the initial one first, if it is one of the net: it begins with an
    /// initial marking, every transition has its tokens, and the last marking covers the target.
    pub fn replay(&self, net: &Net) -> Option<Vec<Marking>> {
        let has_less = |(place, initial): (usize, &Initial)| {
            let count = self.initial.at(number(place));
            count < initial.least || count > initial.least && !initial.or_more
        };
        if net.initial.iter().enumerate().any(has_less) {
            return None;
        }
        let mut markings = vec![self.initial.clone()];
        for transition in &self.transitions {
            let next = markings.last()?.after(net.transitions.get(*transition)?)?;
            markings.push(next);
        }
        let covers = markings.last()?.covers(net.targets.get(self.target)?);
        covers.then_some(markings)
    }

    /// How many tokens it begins with beyond the least.
    pub fn size(&self, net: &Net) -> u64 {
        self.initial.sum() - net.least_initial().sum()
    }
}

impl fmt::Display for Marking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (place, count)) in self.0.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{place}:{count}")?;
        }
        Ok(())
    }
}
