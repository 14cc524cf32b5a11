//! What one step does, by the contents that it meets.
//!
//! Most steps meet a handful of combinations and do one thing with each. So outcomes stand one after
//! the other, and a combination is looked for by comparing; only a step that meets many has a table.

use rustc_hash::FxHashMap;

use crate::PerCell;
use crate::eager::Patience;
use crate::numbers::number_of;

/// Contents of the cells of one step, by number.
pub(crate) type Contents = PerCell<u32>;

/// Combinations up to which all are compared.
const FEW: usize = 8;

/// What one step does with one combination of contents.
pub(crate) struct Outcome {
    /// The local state the thread comes to.
    pub(crate) local: u32,
    /// The contents of all cells of the step afterwards.
    pub(crate) contents: Contents,
    /// A fingerprint of the names of the local steps after this one, and with which patience they were
    /// taken ([`crate::eager`]).
    pub(crate) names: u64,
    pub(crate) patience: Patience,
    /// Whether it closes a loop of the automaton ([`crate::persistent`]).
    pub(crate) closes_loop: bool,
}

/// All that a step does, as far as it is known.
#[derive(Default)]
pub(crate) struct Outcomes {
    all: Vec<Outcome>,
    /// The combinations in the order in which they were asked for, and where the outcomes of each end.
    asked: Vec<(Contents, u32)>,
    /// Their places in that order, if there are more than a few.
    places: FxHashMap<Contents, u32>,
}

impl Outcomes {
    /// Adds an outcome of the combination that is put in next.
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.all.push(outcome);
    }

    /// Puts in a combination, with the outcomes that were added since the last one.
    pub(crate) fn put(&mut self, contents: Contents) {
        self.asked.push((contents, number_of(self.all.len())));
        if self.asked.len() > FEW {
            let combinations = self.asked.iter().enumerate().skip(self.places.len());
            let places = combinations.map(|(at, (contents, _))| (contents.clone(), number_of(at)));
            self.places.extend(places);
        }
    }

    /// What the step does with these contents: nothing at all, unless that was asked for.
    pub(crate) fn get(&self, contents: &Contents) -> Option<&[Outcome]> {
        let place = if self.asked.len() > FEW {
            self.places.get(contents).map(|place| *place as usize)
        } else {
            self.asked.iter().position(|(asked, _)| asked == contents)
        };
        place.map(|place| self.at(place))
    }

    fn at(&self, place: usize) -> &[Outcome] {
        let begin = if place == 0 { 0 } else { self.asked[place - 1].1 };
        &self.all[begin as usize..self.asked[place].1 as usize]
    }

    /// The combinations that were asked for and what the step does with each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Contents, &[Outcome])> {
        self.asked.iter().enumerate().map(|(place, (contents, _))| (contents, self.at(place)))
    }

    /// All outcomes, whatever the contents.
    pub(crate) fn all(&self) -> &[Outcome] {
        &self.all
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Outcome] {
        &mut self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_combinations_are_found_alike() {
        let mut outcomes = Outcomes::default();
        let contents = |number: u32| Contents::from_iter([number % 5, number / 5]);
        for number in 0..40 {
            assert!(outcomes.get(&contents(number)).is_none());
            for local in 0..number % 3 {
                let contents = Contents::new();
                outcomes.add(Outcome {
                    local: number + local,
                    contents,
                    names: 0,
                    patience: Patience::new(),
                    closes_loop: false,
                });
            }
            outcomes.put(contents(number));
            for known in 0..=number {
                let found = outcomes.get(&contents(known)).expect("it was put in");
                let locals: Vec<u32> = found.iter().map(|outcome| outcome.local).collect();
                assert_eq!(locals, (known..known + known % 3).collect::<Vec<u32>>());
            }
        }
        assert_eq!(
            outcomes.iter().map(|(_, found)| found.len()).sum::<usize>(),
            outcomes.all().len()
        );
    }
}
