//! The search backward from what is looked for.
//!
//! Configurations wait in the order of their size, the smallest first. One that is above another that was met
//! stands for nothing new and is left out; by Higman's lemma this comes to an end. One that asks for a message
//! that memory holds anyway is replaced by the one without the message.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use explore::{Limit, Lookout};
use rustc_hash::FxHashMap;

use super::automaton::{Automata, Edge, Held, Kind};
use super::configuration::{
    ANY, Configuration, FREE, MARK, UNSAID, claim, claimed, message, only_own, said,
};
use super::invariant::Invariant;

/// A step from one configuration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// An edge of a thread.
    Edge {
        /// The thread.
        thread: usize,
        /// The edge.
        edge: u32,
    },
    /// A thread's load buffer receives what memory holds, or a claim.
    Receive {
        /// The thread.
        thread: usize,
        /// The letter.
        letter: u32,
    },
}

/// A configuration that was met, and how one gets from there to what is looked for.
struct Met {
    configuration: Configuration,
    next: Option<(u32, Taken)>,
    /// Whether one below it was met since.
    is_replaced: bool,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Steps from the beginning to what is looked for, with the configuration before each.
    Run(Vec<(Configuration, Taken)>, Configuration),
    /// There are none.
    Nothing,
    /// So many were looked at that the search was put off.
    NotYet,
}

/// A search.
pub(super) struct Backward<'a, 's, 'p> {
    automata: &'a Automata<'s, 'p>,
    invariant: Invariant,
    /// For each thread the edges that write memory, and those that give the memory lock back.
    writing: Vec<Vec<u32>>,
    unlocking: Vec<Vec<u32>>,
    met: Vec<Met>,
    by_nodes: FxHashMap<Box<[u32]>, Vec<u32>>,
    /// Of which threads nodes are said, in all configurations.
    patterns: Vec<Box<[u32]>>,
    waiting: BinaryHeap<Reverse<(usize, u32)>>,
    begins: Option<u32>,
}

impl<'a, 's, 'p> Backward<'a, 's, 'p> {
    pub(super) fn new(automata: &'a Automata<'s, 'p>, targets: Vec<Configuration>) -> Self {
        let edges = |is_it: &dyn Fn(usize, &Edge) -> bool| {
            let of_thread = |(thread, one): (usize, &super::automaton::Automaton)| {
                let edges = (0u32..).zip(&one.edges);
                edges.filter(|(_, edge)| is_it(thread, edge)).map(|(at, _)| at).collect()
            };
            automata.threads.iter().enumerate().map(of_thread).collect()
        };
        let holds = |thread: usize, node| automata.threads[thread].holds_lock(node);
        let mut search = Self {
            automata,
            invariant: Invariant::of(automata),
            writing: edges(&|_, edge| edge.kind.written().is_some()),
            unlocking: edges(&|thread, edge| holds(thread, edge.from) && !holds(thread, edge.to)),
            met: Vec::new(),
            by_nodes: FxHashMap::default(),
            patterns: Vec::new(),
            waiting: BinaryHeap::new(),
            begins: None,
        };
        for target in targets {
            search.meet(target, None);
        }
        search
    }

    /// How many configurations were met.
    pub(super) fn len(&self) -> usize {
        self.met.len()
    }

    /// Goes on until something is found, or so many configurations were met.
    pub(super) fn go_on(&mut self, most: usize, lookout: &mut Lookout) -> Result<Found, Limit> {
        while self.begins.is_none() && self.met.len() < most {
            let Some(Reverse((_, at))) = self.waiting.pop() else { return Ok(Found::Nothing) };
            lookout.step()?;
            let met = &self.met[at as usize];
            if met.is_replaced {
                continue;
            }
            let configuration = met.configuration.clone();
            for (before, taken) in self.before(&configuration) {
                self.meet(before, Some((at, taken)));
            }
        }
        Ok(match self.begins {
            Some(begin) => self.run(begin),
            None => Found::NotYet,
        })
    }

    fn run(&self, begin: u32) -> Found {
        let mut steps = Vec::new();
        let mut at = &self.met[begin as usize];
        while let Some((next, taken)) = at.next {
            steps.push((at.configuration.clone(), taken));
            at = &self.met[next as usize];
        }
        Found::Run(steps, at.configuration.clone())
    }

    /// Notes a configuration, unless one below it was met.
    fn meet(&mut self, configuration: Configuration, next: Option<(u32, Taken)>) {
        if !self.invariant.allows(&configuration) || self.is_above_another(&configuration) {
            return;
        }
        let number = u32::try_from(self.met.len()).expect("memory ends before");
        let pattern: Box<[u32]> =
            configuration.at.iter().map(|at| if *at < FREE { 0 } else { *at }).collect();
        if !self.patterns.contains(&pattern) {
            self.patterns.push(pattern);
        }
        let same = self.by_nodes.entry(configuration.at.clone()).or_default();
        let met = &mut self.met;
        same.retain(|other| {
            let other = &mut met[*other as usize];
            other.is_replaced |= configuration.is_below(&other.configuration);
            !other.is_replaced
        });
        same.push(number);
        if self.begins.is_none() && configuration.has_initial(self.automata) {
            self.begins = Some(number);
        }
        self.waiting.push(Reverse((configuration.weight(), number)));
        self.met.push(Met { configuration, next, is_replaced: false });
    }

    fn is_above_another(&self, configuration: &Configuration) -> bool {
        let mut key = configuration.at.clone();
        self.patterns.iter().any(|pattern| {
            for (thread, (at, said)) in configuration.at.iter().zip(pattern).enumerate() {
                key[thread] = match (*said, *at) {
                    (0, at) => at,
                    (FREE, ANY) => return false,
                    (FREE, FREE) | (ANY, _) => *said,
                    (_, node) if self.automata.threads[thread].holds_lock(node) => return false,
                    (_, _) => FREE,
                };
            }
            let same = self.by_nodes.get(&key);
            same.is_some_and(|same| {
                let mut same = same.iter().map(|at| &self.met[*at as usize].configuration);
                same.any(|other| other.is_below(configuration))
            })
        })
    }

    /// The smallest configurations from which one step leads to the given one or to one above it.
    fn before(&self, after: &Configuration) -> Vec<(Configuration, Taken)> {
        let mut found = Vec::new();
        for thread in 0..after.at.len() {
            if let Some((before, taken)) = self.before_receiving(after, thread) {
                // What memory holds anyway is smaller without the message.
                if before.memory == after.memory && before.at == after.at {
                    return vec![(before, taken)];
                }
                found.push((before, taken));
            }
        }
        for (thread, at) in after.at.iter().enumerate() {
            let automaton = &self.automata.threads[thread];
            match *at {
                ANY | FREE => {
                    for edge in &self.writing[thread] {
                        let written = automaton.edges[*edge as usize].kind.written();
                        if written.is_some_and(|one| after.memory[one.cell as usize] == one.value) {
                            self.undo(after, thread, *edge, &mut found);
                        }
                    }
                    if *at == FREE {
                        for edge in &self.unlocking[thread] {
                            self.undo(after, thread, *edge, &mut found);
                        }
                    }
                }
                node => {
                    for edge in &automaton.nodes[node as usize].into {
                        self.undo(after, thread, *edge, &mut found);
                    }
                }
            }
        }
        found
    }

    /// Before the newest message of a thread's buffer came there from memory, or its newest claim began.
    fn before_receiving(
        &self,
        after: &Configuration,
        thread: usize,
    ) -> Option<(Configuration, Taken)> {
        let (letter, rest) = after.words[thread].split_last()?;
        let mut before = after.clone();
        before.words[thread] = rest.into();
        if claimed(*letter).is_none() {
            let held = said(*letter)?;
            let holds = &mut before.memory[usize::from(held.cell)];
            if *holds != UNSAID && *holds != held.value {
                return None;
            }
            *holds = held.value;
        }
        let taken = Taken::Receive { thread, letter: *letter };
        self.exclude_others(&mut before, thread).then_some((before, taken))
    }

    /// Nobody else holds the memory lock; whether that can be.
    fn exclude_others(&self, configuration: &mut Configuration, thread: usize) -> bool {
        for (other, at) in configuration.at.iter_mut().enumerate() {
            let automaton = &self.automata.threads[other];
            if other == thread || !automaton.can_hold_lock {
                continue;
            }
            if *at == ANY {
                *at = FREE;
            } else if *at != FREE && automaton.holds_lock(*at) {
                return false;
            }
        }
        true
    }

    /// Before an edge was taken.
    fn undo(
        &self,
        after: &Configuration,
        thread: usize,
        number: u32,
        found: &mut Vec<(Configuration, Taken)>,
    ) {
        let automaton = &self.automata.threads[thread];
        let edge = &automaton.edges[number as usize];
        let least;
        let word: &[u32] = match after.at[thread] {
            FREE if automaton.holds_lock(edge.to) => return,
            ANY | FREE => {
                least = only_own(automaton.own(edge.to).len());
                &least
            }
            _ => &after.words[thread],
        };
        let mut before = after.clone();
        before.at[thread] = edge.from;
        let mut unless_said = |held: Held, then: u16| {
            let holds = &mut before.memory[usize::from(held.cell)];
            let can_be = *holds == UNSAID || *holds == held.value;
            *holds = then;
            can_be
        };
        let mut uses_memory = false;
        let words: Vec<Box<[u32]>> = match edge.kind {
            Kind::Alone => vec![word.into()],
            Kind::Store { held, kept, replaced } => {
                uses_memory = edge.needs_memory;
                if !unless_said(held, UNSAID) {
                    return;
                }
                match (kept, word.split_last()) {
                    (false, _) => vec![word.into()],
                    (true, Some((&MARK, rest))) => before_store(rest, replaced),
                    (true, _) => return,
                }
            }
            Kind::Load { held, deleted } => {
                let head = message(held);
                let new = (word.first() != Some(&head)).then_some(head);
                let marks = only_own(deleted);
                vec![marks.iter().copied().chain(new).chain(word.iter().copied()).collect()]
            }
            Kind::Claim { cell, deleted } => {
                // A second claim would have begun before the first one was used, and both would be.
                if word.iter().any(|letter| claimed(*letter).is_some()) {
                    return;
                }
                let marks = only_own(deleted);
                vec![
                    marks
                        .iter()
                        .copied()
                        .chain([claim(cell)])
                        .chain(word.iter().copied())
                        .collect(),
                ]
            }
            Kind::Drained { read, written } => {
                uses_memory = edge.needs_memory;
                let can_be = word.is_empty()
                    && written.is_none_or(|held| unless_said(held, UNSAID))
                    && read.is_none_or(|held| unless_said(held, held.value));
                if !can_be {
                    return;
                }
                vec![only_own(automaton.own(edge.from).len())]
            }
        };
        if (uses_memory || automaton.holds_lock(edge.from))
            && !self.exclude_others(&mut before, thread)
        {
            return;
        }
        let written = edge.kind.written().map(|held| held.cell);
        let mut alone = written.into_iter().chain(automaton.claim(edge.from));
        if self.automata.has_claims
            && alone.any(|cell| after.is_claimed_by_another(self.automata, thread, cell))
        {
            return;
        }
        let taken = Taken::Edge { thread, edge: number };
        for word in words {
            let mut before = before.clone();
            before.words[thread] = word;
            found.push((before, taken));
        }
    }
}

/// The words before a store, without its own message: the one it replaced stood anywhere between its
/// neighbours.
fn before_store(rest: &[u32], replaced: Option<usize>) -> Vec<Box<[u32]>> {
    let Some(replaced) = replaced else { return vec![rest.into()] };
    let marks = (0..rest.len()).filter(|at| rest[*at] == MARK);
    let bounds: Vec<usize> = marks.collect();
    let from = replaced.checked_sub(1).map_or(0, |mark| bounds[mark] + 1);
    let to = bounds.get(replaced).copied().unwrap_or(rest.len());
    let with_mark = |at: usize| [&rest[..at], &[MARK], &rest[at..]].concat().into();
    (from..=to).map(with_mark).collect()
}
