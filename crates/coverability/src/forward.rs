//! Forward search over instances of growing size: with no token beyond the least in places that may hold
//! any number, then with one, two and so on, each instance breadth first.
//!
//! It finds a run with the fewest such tokens, and of these one with the fewest transitions. If no place
//! may hold any number it may also end because there is nothing new to reach.

use std::collections::VecDeque;

use explore::{Limit, Lookout};
use rustc_hash::FxHashSet;

use crate::net::{Marking, Net, Place, Run};
use crate::{Answer, Statistics, Stop};

/// Whether a target is coverable, and by a smallest instance. Instances with more than `most` tokens
/// are not looked at, and nothing is known if those up to there have no run.
pub(crate) fn forward(
    net: &Net,
    most: Option<u64>,
    lookout: &mut Lookout,
    stop: &mut Stop<'_>,
    statistics: &mut Statistics,
) -> Result<Option<Answer>, Limit> {
    let unbounded: Vec<Place> = net.unbounded().collect();
    let taken_by = taken_by(net);
    let least = net.least_initial();
    for size in 0u32.. {
        if most.is_some_and(|most| u64::from(size) > most) {
            return Ok(None);
        }
        statistics.instance = u64::from(size);
        let mut search = |more: &[(Place, u32)]| {
            stop.look(statistics, 0)?;
            let initial = Marking::of(least.tokens().iter().chain(more).copied());
            instance(net, &initial, &taken_by, lookout, stop, statistics)
        };
        if let Some(run) = distribute(size, &unbounded, &mut Vec::new(), &mut search)? {
            return Ok(Some(Answer::Coverable(run)));
        }
        if unbounded.is_empty() {
            return Ok(Some(Answer::NotCoverable));
        }
    }
    Ok(None)
}

/// A run, if there is one in an instance.
type Found = Result<Option<Run>, Limit>;

/// A search of the instance with these tokens beyond the least.
type Search<'a> = dyn FnMut(&[(Place, u32)]) -> Found + 'a;

/// Searches all ways to distribute tokens to places, until a run is found.
fn distribute(
    size: u32,
    places: &[Place],
    so_far: &mut Vec<(Place, u32)>,
    search: &mut Search<'_>,
) -> Found {
    let Some((first, rest)) = places.split_first() else {
        return if size == 0 { search(so_far) } else { Ok(None) };
    };
    let least = if rest.is_empty() { size } else { 0 };
    for here in least..=size {
        so_far.push((*first, here));
        let found = distribute(size - here, rest, so_far, search)?;
        so_far.pop();
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// For each place the transitions whose first input it is; beside them those without any.
fn taken_by(net: &Net) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (mut by_place, mut always) = (vec![Vec::new(); net.places.len()], Vec::new());
    for (at, one) in net.transitions.iter().enumerate() {
        match one.take.tokens().first() {
            Some((place, _)) => by_place[*place as usize].push(at),
            None => always.push(at),
        }
    }
    (by_place, always)
}

/// Searches one instance.
fn instance(
    net: &Net,
    initial: &Marking,
    (by_place, always): &(Vec<Vec<usize>>, Vec<usize>),
    lookout: &mut Lookout,
    stop: &mut Stop<'_>,
    statistics: &mut Statistics,
) -> Found {
    let covered = |marking: &Marking| net.targets.iter().position(|target| marking.covers(target));
    let mut found: Vec<(Marking, Option<(usize, usize)>)> = vec![(initial.clone(), None)];
    let mut known = FxHashSet::from_iter([initial.clone()]);
    let tell = |found: &[(Marking, Option<(usize, usize)>)], mut at: usize, target| {
        let mut transitions = Vec::new();
        while let Some((transition, before)) = found[at].1 {
            transitions.push(transition);
            at = before;
        }
        transitions.reverse();
        Run { initial: found[0].0.clone(), transitions, target }
    };
    if let Some(target) = covered(initial) {
        return Ok(Some(tell(&found, 0, target)));
    }
    let mut open = VecDeque::from([0]);
    let mut bytes = 0;
    while let Some(at) = open.pop_front() {
        let marking = found[at].0.clone();
        let from = marking.tokens().iter().flat_map(|(place, _)| &by_place[*place as usize]);
        for transition in from.chain(always) {
            lookout.step()?;
            let Some(next) = marking.after(&net.transitions[*transition]) else { continue };
            if !known.insert(next.clone()) {
                continue;
            }
            bytes += 128 + 16 * next.tokens().len();
            let target = covered(&next);
            found.push((next, Some((*transition, at))));
            statistics.markings += 1;
            if let Some(target) = target {
                return Ok(Some(tell(&found, found.len() - 1, target)));
            }
            open.push_back(found.len() - 1);
        }
        stop.look(statistics, bytes)?;
    }
    Ok(None)
}
