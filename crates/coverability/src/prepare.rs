//! What is known of a net before the search, and what of it the search needs.
//!
//! - *Forward*: places that can never be marked, transitions that can never fire and pairs of places
//!   that never hold tokens together ([`Pairs`]).
//! - *Unbounded places*: those with any number of tokens in the beginning, and what transitions put
//!   that take from such alone. They never lack a token, so they are left out of all markings, and put
//!   back in when a run is told ([`Prepared::tell`]).
//! - *Backward*: transitions that put nothing which a target or another needed transition needs.
//! - *Groups with more than one token*: sets of places of which every transition takes as many tokens as
//!   it puts; a marking with more tokens there than in the beginning is unreachable. Those with one are
//!   known by pairs. So are weighted sums that somebody claims no transition raises, where that is true.

use explore::{Limit, Lookout};
use rustc_hash::FxHashSet;

use crate::net::{Marking, Net, Place, Run, Transition, number};
use crate::pairs::Pairs;

/// A net as the search needs it.
pub(crate) struct Prepared<'n> {
    net: &'n Net,
    /// The transitions without unbounded places, and their numbers in the net.
    pub(crate) transitions: Vec<(Transition, usize)>,
    /// The targets without unbounded places, and their numbers in the net.
    pub(crate) targets: Vec<(Marking, usize)>,
    pub(crate) pairs: Pairs,
    /// For each place the groups it is in, each with its weight there, and for each group its tokens.
    groups_of: Vec<Vec<(u32, u32)>>,
    tokens_of: Vec<u64>,
    /// For each unbounded place that is not so in the beginning, in the order they were found, a
    /// transition that fills it from those before.
    filled_by: Vec<(Place, usize)>,
}

/// How many places a group is looked for from.
const MOST_GROUPS: usize = 64;

impl<'n> Prepared<'n> {
    pub(crate) fn of(net: &'n Net, lookout: &mut Lookout) -> Result<Self, Limit> {
        let (unbounded, filled_by) = unbounded(net);
        let pairs = pairs(net, lookout)?;
        let is_left_out = |place: Place| unbounded[place as usize];
        let targets: Vec<(Marking, usize)> = net
            .targets
            .iter()
            .enumerate()
            .filter(|(_, target)| pairs.are_all(target.tokens()))
            .map(|(at, target)| (target.without(is_left_out), at))
            .collect();
        let possible =
            net.transitions.iter().enumerate().filter(|(_, one)| pairs.are_all(one.take.tokens()));
        let mut open: Vec<(Transition, usize)> = Vec::new();
        let mut known = FxHashSet::default();
        for (at, one) in possible {
            let take = one.take.without(is_left_out);
            let one = Transition { take, put: one.put.without(is_left_out) };
            let raises = |(place, count): &(Place, u32)| one.take.at(*place) < *count;
            if one.put.tokens().iter().any(raises) && known.insert(one.clone()) {
                open.push((one, at));
            }
        }
        let transitions = needed(net, open, &targets);
        let mut prepared = Self {
            net,
            transitions,
            targets,
            pairs,
            groups_of: vec![Vec::new(); net.places.len()],
            tokens_of: Vec::new(),
            filled_by,
        };
        prepared.find_groups(&unbounded, lookout)?;
        prepared.check_claims(&unbounded);
        Ok(prepared)
    }

    /// Whether a marking can be reached as far as is known.
    pub(crate) fn may_be(&self, marking: &Marking, sums: &mut Vec<u64>) -> bool {
        if !self.pairs.are_all(marking.tokens()) {
            return false;
        }
        if self.tokens_of.is_empty() {
            return true;
        }
        sums.clear();
        sums.resize(self.tokens_of.len(), 0);
        marking.tokens().iter().all(|(place, count)| {
            self.groups_of[*place as usize].iter().all(|(group, weight)| {
                let group = *group as usize;
                let more = u64::from(*weight) * u64::from(*count);
                sums[group] = sums[group].saturating_add(more);
                sums[group] <= self.tokens_of[group]
            })
        })
    }

    /// Groups grow from a place that is marked in the beginning, until every transition takes from them
    /// as much as it puts; where several places would do, the first that is not in the group.
    fn find_groups(&mut self, unbounded: &[bool], lookout: &mut Lookout) -> Result<(), Limit> {
        let net = self.net;
        let seeds = net.initial.iter().enumerate().filter(|(_, one)| one.least > 1);
        let seeds: Vec<Place> = seeds.map(|(at, _)| number(at)).take(MOST_GROUPS).collect();
        'seeds: for seed in seeds.into_iter().filter(|seed| !unbounded[*seed as usize]) {
            let mut is_in = vec![false; net.places.len()];
            is_in[seed as usize] = true;
            loop {
                let mut grows = false;
                for one in &net.transitions {
                    lookout.step()?;
                    let sum = |marking: &Marking| -> u64 {
                        let inside =
                            marking.tokens().iter().filter(|(place, _)| is_in[*place as usize]);
                        inside.map(|(_, count)| u64::from(*count)).sum()
                    };
                    let (taken, put) = (sum(&one.take), sum(&one.put));
                    if taken == put || !self.pairs.are_all(one.take.tokens()) {
                        continue;
                    }
                    let lacking = if taken > put { &one.put } else { &one.take };
                    let next = lacking.tokens().iter().map(|(place, _)| *place as usize);
                    let Some(next) =
                        next.filter(|place| !is_in[*place] && !unbounded[*place]).min()
                    else {
                        continue 'seeds;
                    };
                    is_in[next] = true;
                    grows = true;
                }
                if !grows {
                    break;
                }
            }
            let group = number(self.tokens_of.len());
            let places = || (0..net.places.len()).filter(|place| is_in[*place]);
            self.tokens_of.push(places().map(|place| u64::from(net.initial[place].least)).sum());
            places().for_each(|place| self.groups_of[place].push((group, 1)));
        }
        Ok(())
    }

    /// Claims that are true become groups: no transition that can fire raises the sum.
    fn check_claims(&mut self, unbounded: &[bool]) {
        let net = self.net;
        for claim in &net.claims {
            let sum = |marking: &Marking| -> u64 {
                let weighted = marking.tokens().iter().map(|(place, count)| {
                    u64::from(claim.at(*place)).saturating_mul(u64::from(*count))
                });
                weighted.fold(0, u64::saturating_add)
            };
            let raises = |one: &Transition| {
                sum(&one.put) > sum(&one.take) && self.pairs.are_all(one.take.tokens())
            };
            let mut places = claim.tokens().iter().map(|(place, _)| *place as usize);
            if places.any(|place| unbounded[place]) || net.transitions.iter().any(raises) {
                continue;
            }
            let group = number(self.tokens_of.len());
            self.tokens_of.push(sum(&net.least_initial()));
            for (place, weight) in claim.tokens() {
                self.groups_of[*place as usize].push((group, *weight));
            }
        }
    }

    /// The run of the net that transitions without unbounded places stand for: what they lack there is
    /// filled first.
    pub(crate) fn tell(&self, transitions: Vec<usize>, target: usize) -> Run {
        let net = self.net;
        let mut held: Vec<i64> = net.initial.iter().map(|one| i64::from(one.least)).collect();
        let mut lacks = vec![0i64; held.len()];
        let take = |held: &mut Vec<i64>, lacks: &mut Vec<i64>, marking: &Marking| {
            for (place, count) in marking.tokens() {
                let place = *place as usize;
                held[place] -= i64::from(*count);
                lacks[place] = lacks[place].max(-held[place]);
            }
        };
        for at in &transitions {
            let transition = &net.transitions[*at];
            take(&mut held, &mut lacks, &transition.take);
            for (place, count) in transition.put.tokens() {
                held[*place as usize] += i64::from(*count);
            }
        }
        take(&mut held, &mut lacks, &net.targets[target]);
        let mut before = Vec::new();
        for (place, filled_by) in self.filled_by.iter().rev() {
            let transition = &net.transitions[*filled_by];
            let put = i64::from(transition.put.at(*place));
            let lacking = std::mem::take(&mut lacks[*place as usize]);
            let times = (lacking + put - 1) / put;
            for (taken, count) in transition.take.tokens() {
                lacks[*taken as usize] += times * i64::from(*count);
            }
            before.push((*filled_by, times));
        }
        let mut all = Vec::new();
        for (transition, times) in before.into_iter().rev() {
            (0..times).for_each(|_| all.push(transition));
        }
        all.extend(transitions);
        let more = lacks.iter().enumerate().map(|(place, count)| {
            let least = net.initial[place].least;
            (number(place), least.saturating_add(u32::try_from(*count).unwrap_or(0)))
        });
        Run { initial: Marking::of(more), transitions: all, target }
    }
}

/// The unbounded places, and what fills those that are not so in the beginning.
fn unbounded(net: &Net) -> (Vec<bool>, Vec<(Place, usize)>) {
    let mut unbounded: Vec<bool> = net.initial.iter().map(|one| one.or_more).collect();
    let mut filled_by = Vec::new();
    loop {
        let before = filled_by.len();
        for (at, one) in net.transitions.iter().enumerate() {
            if one.take.tokens().iter().all(|(place, _)| unbounded[*place as usize]) {
                for (place, _) in one.put.tokens() {
                    if !unbounded[*place as usize] {
                        unbounded[*place as usize] = true;
                        filled_by.push((*place, at));
                    }
                }
            }
        }
        if filled_by.len() == before {
            return (unbounded, filled_by);
        }
    }
}

/// The relation of [`Pairs`].
fn pairs(net: &Net, lookout: &mut Lookout) -> Result<Pairs, Limit> {
    let mut pairs = Pairs::new();
    pairs.grow(net.places.len());
    let marked = net.initial.iter().enumerate().filter(|(_, one)| one.or_more || one.least > 0);
    let marked: Vec<Place> = marked.map(|(at, _)| number(at)).collect();
    for (at, place) in marked.iter().enumerate() {
        pairs.allow(*place);
        let initial = net.initial[*place as usize];
        if initial.or_more || initial.least > 1 {
            pairs.relate(*place, *place);
        }
        marked[at + 1..].iter().for_each(|other| {
            pairs.relate(*place, *other);
        });
    }
    loop {
        let mut is_new = false;
        for one in &net.transitions {
            lookout.step()?;
            is_new |= pairs.fire(one.take.tokens(), one.put.tokens());
        }
        if !is_new {
            return Ok(pairs);
        }
    }
}

/// The transitions that raise something which a target or another of them takes.
fn needed(
    net: &Net,
    open: Vec<(Transition, usize)>,
    targets: &[(Marking, usize)],
) -> Vec<(Transition, usize)> {
    let mut is_needed = vec![false; net.places.len()];
    let places = targets.iter().flat_map(|(target, _)| target.tokens());
    places.for_each(|(place, _)| is_needed[*place as usize] = true);
    let mut is_used = vec![false; open.len()];
    loop {
        let mut is_new = false;
        for (at, (one, _)) in open.iter().enumerate() {
            let raises = |(place, count): &(Place, u32)| {
                is_needed[*place as usize] && one.take.at(*place) < *count
            };
            if !is_used[at] && one.put.tokens().iter().any(raises) {
                is_used[at] = true;
                is_new = true;
                one.take.tokens().iter().for_each(|(place, _)| is_needed[*place as usize] = true);
            }
        }
        if !is_new {
            let used = open.into_iter().zip(is_used).filter(|(_, is_used)| *is_used);
            return used.map(|(one, _)| one).collect();
        }
    }
}
