//! What cycles may come back to if threads and addresses may be visited again: more than there is, never less.
//!
//! That is plain reachability, and so is answered for all classes at once. The nodes are: that a cycle *goes on* in a
//! thread from a class that it has entered, that it *leaves* a thread, and that it comes to *readers* of a write that
//! is alone in its thread, entered as the write was. Classes that lead on alike, or communicate alike, share a
//! node; so there are far fewer nodes than classes, and what nodes lead to are few different sets.

use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::classes::Classes;
use crate::critical::{Communication, KINDS, number};
use crate::reach::components;
use crate::search::Targets;

/// Classes, by the kind of communication that enters them.
type Entered = [Bits; 3];

pub(crate) struct Relaxed<'c> {
    classes: &'c Classes,
    /// The different sets of what is entered.
    sets: Vec<Entered>,
    /// For each exit and each kind of communication, the set of what is entered after its classes.
    beyond: Vec<[usize; 3]>,
}

/// Numbers of nodes.
#[derive(Clone, Copy)]
struct Nodes {
    onwards: usize,
    exits: usize,
}

impl Nodes {
    const fn goes_on(onward: usize) -> usize {
        onward
    }

    const fn leaves(self, exit: usize) -> usize {
        self.onwards + exit
    }

    fn readers(self, exit: usize, how: Communication) -> usize {
        self.onwards + (1 + usize::from(number(how))) * self.exits + exit
    }

    const fn count(self) -> usize {
        self.onwards + 4 * self.exits
    }
}

impl<'c> Relaxed<'c> {
    pub(crate) fn new(classes: &'c Classes) -> Self {
        let nodes = Nodes { onwards: classes.onwards.len(), exits: classes.exits.len() };
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes.count()];
        let mut own: Vec<Vec<(Communication, &Bits)>> = vec![Vec::new(); nodes.count()];
        // For each exit and each kind of communication, the nodes after the classes that are entered so.
        let mut after: Vec<[Vec<usize>; 3]> = Vec::new();
        for (onward, exits) in classes.onwards.iter().enumerate() {
            next[Nodes::goes_on(onward)] = exits.iter().map(|exit| nodes.leaves(*exit)).collect();
        }
        for (number, exit) in classes.exits.iter().enumerate() {
            let by = KINDS.map(|how| {
                let mut found: Vec<usize> = Vec::new();
                for class in exit.by(how).into_iter().flat_map(Bits::iter) {
                    found.push(Nodes::goes_on(classes.onward_of[class]));
                    if how != Communication::ReadFrom {
                        found.push(nodes.readers(classes.exit_of[class], how));
                    }
                }
                found.sort_unstable();
                found.dedup();
                found
            });
            for how in KINDS {
                if let Some(entered) = exit.by(how) {
                    own[nodes.leaves(number)].push((how, entered));
                }
                if let Some(readers) = exit.by(Communication::ReadFrom) {
                    let readers_node = nodes.readers(number, how);
                    own[readers_node].push((how, readers));
                    next[readers_node].clone_from(&by[0]);
                }
            }
            next[nodes.leaves(number)] = by.concat();
            after.push(by);
        }
        let mut sets = Sets::new(classes.all.len());
        let mut set_of = vec![0; nodes.count()];
        for component in components(nodes.count(), |node, at| next[node].get(at).copied()) {
            // What is within the component has no set yet, and adds itself below.
            let below = component.iter().flat_map(|node| &next[*node]).map(|to| set_of[*to]);
            let own = component.iter().flat_map(|node| &own[*node]).copied();
            let set = sets.union(below.collect(), own);
            for node in component {
                set_of[node] = set;
            }
        }
        let beyond = after
            .into_iter()
            .map(|by| {
                by.map(|nodes| {
                    let below = nodes.into_iter().map(|node| set_of[node]).collect();
                    sets.union(below, std::iter::empty())
                })
            })
            .collect();
        Self { classes, sets: sets.all, beyond }
    }

    /// The classes among these that a cycle which leaves a class like this may come back to.
    pub(crate) fn from(&self, start: usize, out: Communication, among: &Bits) -> Targets {
        let beyond = &self.beyond[self.classes.exit_of[start]];
        let entered = &self.sets[beyond[usize::from(number(out))]];
        Targets::new([0, 1, 2].map(|how| entered[how].and(among)), false)
    }
}

/// Sets of what is entered, each once; the first is empty.
struct Sets {
    all: Vec<Entered>,
    numbers: FxHashMap<Entered, usize>,
}

impl Sets {
    fn new(classes: usize) -> Self {
        let empty = [0, 1, 2].map(|_| Bits::new(classes));
        Self { all: vec![empty.clone()], numbers: [(empty, 0)].into_iter().collect() }
    }

    /// The number of the union of some sets and of what is entered beside.
    fn union<'b>(
        &mut self,
        mut below: Vec<usize>,
        own: impl Iterator<Item = (Communication, &'b Bits)>,
    ) -> usize {
        below.sort_unstable();
        below.dedup();
        let mut union =
            below.pop().map_or_else(|| self.all[0].clone(), |set| self.all[set].clone());
        for set in below {
            for (all, more) in union.iter_mut().zip(&self.all[set]) {
                all.add(more);
            }
        }
        for (how, entered) in own {
            union[usize::from(number(how))].add(entered);
        }
        let next = self.all.len();
        let Self { all, numbers } = self;
        *numbers.entry(union).or_insert_with_key(|union| {
            all.push(union.clone());
            next
        })
    }
}
