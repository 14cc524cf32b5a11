//! Backward search: the least markings from which a target can be covered, until an initial marking
//! covers one or there are no more (Abdulla, Čerāns, Jonsson, Tsay, LICS'96).
//!
//! Those with the fewest tokens come first. A transition matters only if it raises a place of which the
//! marking has more tokens than the transition takes; otherwise what comes out covers what was there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use explore::{Limit, Lookout};

use crate::antichain::{Antichain, Element};
use crate::net::{Net, Run, number};
use crate::prepare::Prepared;
use crate::{Answer, Statistics, Stop};

/// Whether a target is coverable.
pub(crate) fn backward(
    net: &Net,
    lookout: &mut Lookout,
    stop: &mut Stop<'_>,
    statistics: &mut Statistics,
) -> Result<Answer, Limit> {
    let prepared = Prepared::of(net, lookout)?;
    statistics.transitions_needed = prepared.transitions.len();
    let raised_by = raised_by(net, &prepared);
    let mut antichain = Antichain::new(net.places.len());
    // For each element the transition by which it leads on, and to what.
    let mut leads: Vec<Result<(usize, Element), usize>> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut sums = Vec::new();
    for (target, number) in &prepared.targets {
        if net.covers_initially(target) {
            return Ok(Answer::Coverable(prepared.tell(Vec::new(), *number)));
        }
        if prepared.may_be(target, &mut sums)
            && let Some(element) = antichain.insert(target.clone())
        {
            leads.push(Err(*number));
            open.push(Reverse((target.sum(), element)));
        }
    }
    let mut visited = vec![0u32; prepared.transitions.len()];
    let mut round = 0u32;
    while let Some(Reverse((_, element))) = open.pop() {
        if !antichain.is_minimal(element) {
            continue;
        }
        round += 1;
        let marking = antichain.get(element).clone();
        for (place, count) in marking.tokens() {
            for (transition, taken) in &raised_by[*place as usize] {
                if count <= taken || visited[*transition as usize] == round {
                    continue;
                }
                visited[*transition as usize] = round;
                lookout.step()?;
                statistics.tested += 1;
                let before = marking.before(&prepared.transitions[*transition as usize].0);
                if !prepared.may_be(&before, &mut sums) {
                    continue;
                }
                let is_initial = net.covers_initially(&before);
                let sum = before.sum();
                let Some(next) = antichain.insert(before) else { continue };
                leads.push(Ok((*transition as usize, element)));
                if is_initial {
                    statistics.minimal = antichain.len();
                    return Ok(Answer::Coverable(tell(&prepared, &leads, next)));
                }
                open.push(Reverse((sum, next)));
            }
        }
        statistics.minimal = antichain.len();
        stop.look(statistics, antichain.bytes())?;
    }
    Ok(Answer::NotCoverable)
}

/// The transitions that raise each place, with how much they take from it.
fn raised_by(net: &Net, prepared: &Prepared<'_>) -> Vec<Vec<(u32, u32)>> {
    let mut raised_by = vec![Vec::new(); net.places.len()];
    for (at, (one, _)) in prepared.transitions.iter().enumerate() {
        for (place, count) in one.put.tokens() {
            let taken = one.take.at(*place);
            if taken < *count {
                let raised: &mut Vec<(u32, u32)> = &mut raised_by[*place as usize];
                raised.push((number(at), taken));
            }
        }
    }
    raised_by
}

/// The run from an element on.
fn tell(
    prepared: &Prepared<'_>,
    leads: &[Result<(usize, Element), usize>],
    mut element: Element,
) -> Run {
    let mut transitions = Vec::new();
    loop {
        match leads[element as usize] {
            Ok((transition, next)) => {
                transitions.push(prepared.transitions[transition].1);
                element = next;
            }
            Err(target) => return prepared.tell(transitions, target),
        }
    }
}
