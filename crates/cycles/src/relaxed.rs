//! What cycles may come back to if threads and addresses may be visited again: more than there is, never less.
//!
//! That is plain reachability, and so is answered for all classes at once. The nodes are, for each class, that
//! a cycle *enters* it, by each kind of communication, that it *goes on* from it in its thread, and that it
//! *leaves* its thread there. A write that is alone in its thread is left to its readers, entered as it was.

use std::collections::BTreeSet;

use crate::architecture::Direction;
use crate::bits::Bits;
use crate::classes::Classes;
use crate::critical::{Communication, KINDS, communication, number};
use crate::reach::components;
use crate::search::Targets;

pub(crate) struct Relaxed<'c> {
    classes: &'c Classes,
    /// The different sets of pairs of a kind of communication and a class that is entered so.
    sets: Vec<Bits>,
    set_of: Vec<usize>,
    is_write: Vec<bool>,
}

impl<'c> Relaxed<'c> {
    pub(crate) fn new(classes: &'c Classes) -> Self {
        let count = classes.all.len();
        let is_write: Vec<bool> =
            classes.all.iter().map(|class| class.direction == Direction::Write).collect();
        let mut relaxed = Self { classes, sets: Vec::new(), set_of: Vec::new(), is_write };
        let next: Vec<Vec<usize>> = (0..count * 5).map(|node| relaxed.next(node)).collect();
        let mut sets = vec![Bits::new(count * 3)];
        let mut set_of = vec![0; count * 5];
        for component in components(count * 5, |node, at| next[node].get(at).copied()) {
            // What is within the component has no set yet, and adds itself below.
            let below: BTreeSet<usize> =
                component.iter().flat_map(|node| &next[*node]).map(|to| set_of[*to]).collect();
            let mut below: Vec<usize> = below.into_iter().filter(|set| *set != 0).collect();
            let own = || component.iter().copied().filter(|node| *node < count * 3);
            let is_known = |set: usize| own().all(|one| sets[set].contains(one));
            let set = match below[..] {
                [] if own().next().is_none() => 0,
                [one] if is_known(one) => one,
                _ => {
                    let mut all =
                        below.pop().map_or_else(|| sets[0].clone(), |set| sets[set].clone());
                    for set in &below {
                        all.add(&sets[*set]);
                    }
                    for one in own() {
                        all.insert(one);
                    }
                    sets.push(all);
                    sets.len() - 1
                }
            };
            for node in component {
                set_of[node] = set;
            }
        }
        relaxed.sets = sets;
        relaxed.set_of = set_of;
        relaxed
    }

    fn entered(&self, class: usize, how: Communication) -> usize {
        usize::from(number(how)) * self.classes.all.len() + class
    }

    const fn goes_on(&self, class: usize) -> usize {
        3 * self.classes.all.len() + class
    }

    const fn left(&self, class: usize) -> usize {
        4 * self.classes.all.len() + class
    }

    fn next(&self, node: usize) -> Vec<usize> {
        let count = self.classes.all.len();
        let (part, class) = (node / count, node % count);
        match part {
            0..=2 => {
                let mut next = vec![self.goes_on(class)];
                next.extend(self.readers(class).map(|reader| part * count + reader));
                next
            }
            3 => self.classes.after[class].iter().map(|second| self.left(second)).collect(),
            _ => {
                let from = self.classes.all[class].direction;
                let all = self.classes.communicates[class].iter();
                all.filter_map(|to| {
                    let how = communication(from, self.classes.all[to].direction)?;
                    Some(self.entered(to, how))
                })
                .collect()
            }
        }
    }

    /// Who reads from a class of writes.
    fn readers(&self, class: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self.is_write[class].then(|| self.classes.communicates[class].iter());
        all.into_iter().flatten().filter(|to| !self.is_write[*to])
    }

    /// The classes among these that a cycle which leaves a class like this may come back to.
    pub(crate) fn from(&self, start: usize, out: Communication, among: &Bits) -> Targets {
        let count = self.classes.all.len();
        let from = self.classes.all[start].direction;
        let mut reached: BTreeSet<usize> = BTreeSet::new();
        for class in self.classes.communicates[start].iter() {
            if communication(from, self.classes.all[class].direction) == Some(out) {
                reached.insert(self.set_of[self.goes_on(class)]);
                for reader in self.readers(class) {
                    reached.insert(self.set_of[self.entered(reader, out)]);
                }
            }
        }
        let mut all = Bits::new(count * 3);
        for set in &reached {
            all.add(&self.sets[*set]);
        }
        let of = |how: Communication| {
            let mut bits = Bits::new(count);
            for class in among.iter().filter(|class| all.contains(self.entered(*class, how))) {
                bits.insert(class);
            }
            bits
        };
        Targets::new(KINDS.map(of), false)
    }
}
