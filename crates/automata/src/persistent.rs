//! Which threads must move in a state, and which can be left for later.
//!
//! Two steps of different threads are independent if neither writes a cell that the other touches:
//! then neither enables or disables the other, and their order does not matter. A set of threads is
//! *persistent* in a state if whatever the others do from there on, as long as only they move, is
//! independent of the next steps of the set (Godefroid, LNCS 1032, Definition 4.1). It is enough to
//! explore the steps of such a set, provided that
//!
//! - it has a step at all;
//! - none of its steps is *visible* to the condition that is looked for (condition C2 of Peled's
//!   ample sets); marked local states need no such care, because every run to one is equivalent to
//!   a run that is explored, and equivalent runs take each thread through the same local states;
//!   nor do states without steps, nor threads that wait for ever, since whatever follows such a
//!   state is such a state;
//! - nobody is left for later for ever (C3). A cycle of states takes each thread that moves in it
//!   around a cycle of its automaton. Each of these has an outcome that *closes a loop*: a back edge
//!   of a depth-first search of the automaton if it is known as a whole, otherwise what the threads
//!   themselves say ([`crate::Step::closes_loop`]). Where a set contains such an outcome, all threads
//!   are explored. So every cycle has a state with all its steps, whatever the order of the search.
//!
//! What a thread may touch from now on is an upper bound: what can be reached in its automaton if
//! that is known as a whole, otherwise [`crate::Threads::may_touch`]. Cells are told apart by their
//! number modulo 64, which can only make sets larger. The set for a state is the smallest one found
//! by closing a single thread under interference; of several the first, so it depends on nothing
//! but the state.
//!
//! A thread that nobody disturbs and that has a single step is such a set by itself, and quickly
//! found: it runs on, and the states between are not stored.
//!
//! Nobody disturbs a *private* step ([`crate::Threads::is_private`]): by its definition it is independent of all
//! that others do before its thread moves. So its cells do not count as what the thread touches next; they
//! do count as what it may touch some time, since others may be about to touch them.
//!
//! A thread in an *exclusive* section is a persistent set by itself: nobody else can touch a cell
//! before it has taken a step of its own.

use rustc_hash::FxHashMap;

use crate::Mode;
use crate::numbers::{Meaning, Node, Numbers, number_of};

/// The cells that a thread touches in a local state, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Read and written by the next step.
    pub(crate) next_reads: u64,
    pub(crate) next_writes: u64,
    /// Read and written at any time from now on.
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    /// Whether there is a next step at all.
    pub(crate) is_active: bool,
    /// Whether nobody else can touch a cell.
    pub(crate) is_exclusive: bool,
}

impl Footprint {
    fn next(node: &Node) -> Self {
        let mut print = Self {
            is_active: !node.transitions.is_empty(),
            is_exclusive: node.mark.exclusive,
            ..Self::default()
        };
        for transition in &node.transitions {
            for (cell, mode) in &transition.cells {
                let bit = bit(*cell);
                let (read, written) =
                    (if mode.reads() { bit } else { 0 }, if mode.writes() { bit } else { 0 });
                print.reads |= read;
                print.writes |= written;
                if !transition.is_private {
                    print.next_reads |= read;
                    print.next_writes |= written;
                }
            }
        }
        print
    }
}

const fn bit(cell: u32) -> u64 {
    1 << (cell % 64)
}

/// What may be read and written from local states on, for each class and [`crate::Threads::footprint_key`].
pub(crate) type FutureFootprints = FxHashMap<(usize, usize), (u64, u64)>;

/// Footprints of the local states of a class but for the first so many.
pub(crate) fn footprints(
    meaning: &dyn Meaning,
    class: usize,
    known: usize,
    prospects: &mut FutureFootprints,
) -> Vec<Footprint> {
    let nodes = &meaning.numbers().classes[class];
    if meaning.numbers().is_complete {
        let mut prints: Vec<Footprint> = nodes.iter().map(Footprint::next).collect();
        close(nodes, &mut prints);
        return prints.split_off(known);
    }
    let mut prints: Vec<Footprint> = nodes[known..].iter().map(Footprint::next).collect();
    for (print, local) in prints.iter_mut().zip(number_of(known)..) {
        let (reads, writes) = match meaning.footprint_key(class, local) {
            Some(number) => *prospects
                .entry((class, number))
                .or_insert_with(|| touched_some_time(meaning, class, local)),
            None => touched_some_time(meaning, class, local),
        };
        print.reads |= reads;
        print.writes |= writes;
    }
    prints
}

/// The cells that may be read and written from a local state on.
fn touched_some_time(meaning: &dyn Meaning, class: usize, local: u32) -> (u64, u64) {
    let (mut reads, mut writes) = (0, 0);
    let mut touch = |cell: Option<u32>, mode: Mode| {
        let bits = cell.map_or(u64::MAX, bit);
        reads |= if mode.reads() { bits } else { 0 };
        writes |= if mode.writes() { bits } else { 0 };
    };
    let is_listed = meaning.may_touch(class, local, &mut touch);
    if is_listed { (reads, writes) } else { (u64::MAX, u64::MAX) }
}

/// What can be reached is touched some time.
fn close(nodes: &[Node], prints: &mut [Footprint]) {
    let mut changed = true;
    while changed {
        changed = false;
        for number in (0..nodes.len()).rev() {
            let mut print = prints[number];
            for next in successors(&nodes[number]) {
                print.reads |= prints[next].reads;
                print.writes |= prints[next].writes;
            }
            changed |= print != prints[number];
            prints[number] = print;
        }
    }
}

fn successors(node: &Node) -> impl Iterator<Item = usize> {
    let outcomes = node.transitions.iter().flat_map(|transition| transition.outcomes.all());
    outcomes.map(|outcome| outcome.local as usize)
}

/// Finds out which outcomes close a loop of an automaton that is known as a whole.
pub(crate) fn find_loops(automata: &mut Numbers) {
    for class in 0..automata.classes.len() {
        let begins = automata.initial.iter().zip(&automata.class_of);
        let begins = begins.filter(|(_, of)| **of == class).flat_map(|(begins, _)| &begins.rests);
        let begins: Vec<usize> = begins.map(|(local, _)| *local as usize).collect();
        let nodes = &mut automata.classes[class];
        let mut search =
            LoopSearch { on_path: vec![false; nodes.len()], done: vec![false; nodes.len()] };
        for begin in begins {
            search.from(nodes, begin);
        }
    }
}

struct LoopSearch {
    on_path: Vec<bool>,
    done: Vec<bool>,
}

impl LoopSearch {
    fn from(&mut self, nodes: &mut [Node], begin: usize) {
        if self.done[begin] {
            return;
        }
        // A local state and how many of its outcomes were followed.
        let mut path = vec![(begin, 0)];
        self.on_path[begin] = true;
        while let Some((here, followed)) = path.last_mut() {
            let outcomes = nodes[*here].transitions.iter_mut();
            let mut outcomes = outcomes.flat_map(|transition| transition.outcomes.all_mut());
            let Some(outcome) = outcomes.nth(*followed) else {
                self.on_path[*here] = false;
                self.done[*here] = true;
                path.pop();
                continue;
            };
            *followed += 1;
            let next = outcome.local as usize;
            outcome.closes_loop = self.on_path[next];
            if !self.on_path[next] && !self.done[next] {
                self.on_path[next] = true;
                path.push((next, 0));
            }
        }
    }
}
