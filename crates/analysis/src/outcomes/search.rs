//! All states that matter, breadth first, each once.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::time::Instant;

use explore::{Limit, Limits, Lookout, Progress};
use indexmap::IndexSet;
use program::{EdgeId, LabelId, ThreadId};
use rustc_hash::FxBuildHasher;
use semantics::Move;

use super::machine::{Machine, Next};
use super::states::{NoMemory, Parts, State, View};
use crate::Reason;
use crate::verdict::Statistics;

/// How each state was found first: the state before it, and which of the steps from there it was.
pub(crate) type Parents = Vec<(u32, u32)>;

/// Why a search ended before it had seen everything.
pub(crate) enum Ended {
    Limit(Limit),
    /// The buffer of a thread can grow for ever.
    Grows(ThreadId),
    /// This state is what was looked for.
    Found(u32),
}

/// So many states are looked at between two reports.
const BETWEEN_LOOKS: usize = 256;
/// Shorter buffers are not suspected to grow for ever.
const SUSPICIOUS: usize = 4;
/// Once a buffer is known to grow, so many states with buffers no longer than that are still looked at:
/// what is looked for may be among them.
const STILL: usize = 1 << 20;

/// Whether a state, in which this can happen next, is what is looked for; its number, and how states
/// were found, tell the way there.
type IsFound<'f> = dyn FnMut(&View<'_>, &Next, (&Parents, u32)) -> bool + 'f;

pub(crate) struct Search<'m, 'p> {
    machine: &'m Machine<'p>,
    parts: Parts,
    states: IndexSet<State, FxBuildHasher>,
    pub(crate) parents: Parents,
    /// The numbers of the final states.
    pub(super) ends: Vec<u32>,
    /// The errors, each with the number of the first state that shows it.
    pub(super) errors: BTreeMap<(ThreadId, EdgeId), u32>,
    /// Why nothing is known beyond some step.
    pub(crate) stopped: Option<Reason>,
    pub(crate) statistics: Statistics,
    longest_buffer: usize,
    /// The same for each thread and each label where its buffer was the longest: a store behind a loop
    /// may always come sooner than one more round.
    longest_at: HashMap<(ThreadId, LabelId), usize, FxBuildHasher>,
    /// Whose buffer can grow for ever, and how many states were known when that was noticed.
    grows: Option<(ThreadId, usize)>,
}

impl<'m, 'p> Search<'m, 'p> {
    pub(crate) fn new(machine: &'m Machine<'p>) -> Self {
        let mut parts = Parts::default();
        let initial = parts.initial(machine);
        Self {
            machine,
            parts,
            states: IndexSet::from_iter([initial]),
            parents: vec![(0, 0)],
            ends: Vec::new(),
            errors: BTreeMap::new(),
            stopped: None,
            statistics: Statistics::default(),
            longest_buffer: SUSPICIOUS,
            longest_at: HashMap::default(),
            grows: None,
        }
    }

    /// The parts of a state that was found.
    pub(super) fn view(&self, number: u32) -> View<'_> {
        self.parts.view(&self.states[number as usize])
    }

    /// Explores until everything is seen, what is looked for is found, or a limit is reached.
    pub(crate) fn run(
        &mut self,
        limits: &Limits,
        is_found: &mut IsFound<'_>,
        mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Option<Ended> {
        let started = Instant::now();
        let mut lookout = Lookout::new(limits);
        let mut at = 0;
        let mut end_of_level = 1;
        let ended = loop {
            if at == self.states.len() {
                break None;
            }
            if self.grows.is_some_and(|(_, known)| self.states.len() > known + STILL) {
                break None;
            }
            if at == end_of_level {
                self.statistics.depth += 1;
                end_of_level = self.states.len();
            }
            if let Err(ended) = self.expand(at, is_found, &mut lookout) {
                break Some(ended);
            }
            at += 1;
            self.statistics.peak_bytes = self.bytes();
            let progress = || Progress {
                tracing: false,
                states: self.states.len() as u64,
                depth: self.statistics.depth,
                frontier: (self.states.len() - at) as u64,
                bytes: self.bytes(),
                elapsed: started.elapsed(),
            };
            if limits.memory.is_some_and(|most| self.bytes() > most) {
                break Some(Ended::Limit(Limit::Memory));
            }
            let too_many = |most: u64| self.states.len() as u64 > most;
            if limits.states.is_some_and(too_many) || u32::try_from(self.states.len()).is_err() {
                break Some(Ended::Limit(Limit::States));
            }
            if at % BETWEEN_LOOKS == 0 && watch(&progress()).is_break() {
                break Some(Ended::Limit(Limit::Cancelled));
            }
        };
        self.statistics.states = self.states.len() as u64;
        self.statistics.elapsed = started.elapsed();
        match (ended, self.grows) {
            (Some(Ended::Found(number)), _) => Some(Ended::Found(number)),
            (_, Some((thread, _))) => Some(Ended::Grows(thread)),
            (ended, None) => ended,
        }
    }

    /// About how many bytes are in use: a block for each state, and tables with room for more.
    fn bytes(&self) -> usize {
        let width = self.states.first().map_or(0, |state| state.len());
        let block = (4 * width + 8).next_multiple_of(16).max(32);
        let entry = size_of::<(State, u64)>() + 10;
        self.states.len() * block
            + self.states.capacity() * entry
            + self.parents.capacity() * size_of::<(u32, u32)>()
            + self.parts.bytes()
    }

    fn expand(
        &mut self,
        at: usize,
        is_found: &mut IsFound<'_>,
        lookout: &mut Lookout,
    ) -> Result<(), Ended> {
        lookout.step().map_err(Ended::Limit)?;
        let state = self.states[at].clone();
        let view = self.parts.view(&state);
        let number = u32::try_from(at).map_err(|_| Ended::Limit(Limit::States))?;
        if self.machine.is_final(&view) {
            self.ends.push(number);
        }
        if let Some(error) = Machine::error(&view) {
            self.errors.entry(error).or_insert(number);
        }
        let next = self.machine.next(&view);
        if self.stopped.is_none() {
            self.stopped.clone_from(&next.stopped);
        }
        if is_found(&view, &next, (&self.parents, number)) {
            return Err(Ended::Found(number));
        }
        self.make_room(next.changes.len()).map_err(|_| Ended::Limit(Limit::Memory))?;
        for (nth, change) in (0..).zip(next.changes) {
            lookout.step().map_err(Ended::Limit)?;
            self.statistics.transitions += 1;
            let after = self.parts.after(self.machine, &state, change);
            let is_too_long =
                self.grows.is_some() && self.parts.longest_buffer(&after).0 > self.longest_buffer;
            if !is_too_long && self.states.insert(after) {
                self.parents.push((number, nth));
                self.suspect(self.states.len() - 1);
            }
        }
        Ok(())
    }

    /// Makes room for so many states: if there is no memory for a large table, that is a limit.
    fn make_room(&mut self, states: usize) -> Result<(), NoMemory> {
        self.states.try_reserve(states).map_err(|_| NoMemory)?;
        self.parents.try_reserve(states).map_err(|_| NoMemory)?;
        self.parts.make_room(states)
    }

    /// Looks at a new state whose buffer is longer than all before at the same label. If it came, without
    /// a commit of that thread, from a state that differs in nothing but the length of that buffer, and
    /// the same steps lead once more to such a state, then so they do for ever: from the second time on
    /// loads find the same newest stores in the buffer.
    fn suspect(&mut self, number: usize) {
        let state = self.states[number].clone();
        let (length, thread) = self.parts.longest_buffer(&state);
        if length <= SUSPICIOUS {
            return;
        }
        self.longest_buffer = self.longest_buffer.max(length);
        let label = self.parts.view(&state).locals[thread].label;
        let longest = self.longest_at.entry((thread, label)).or_default();
        if length <= *longest {
            return;
        }
        *longest = length;
        let mut steps = Vec::new();
        let mut at = number;
        while at != 0 {
            let (parent, nth) = self.parents[at];
            at = parent as usize;
            steps.push(self.step(&self.states[at], nth));
            let Some(more) = self.parts.grown(&self.states[at], &state, thread) else { continue };
            let more = more.to_vec();
            let again = self.follow(&state, steps.iter().rev().copied());
            if again.is_some_and(|again| {
                self.parts.grown(&state, &again, thread) == Some(more.as_slice())
            }) {
                self.grows = Some((thread, self.states.len()));
                return;
            }
        }
    }

    fn step(&self, state: &State, nth: u32) -> Option<Move> {
        let next = self.machine.next(&self.parts.view(state));
        next.changes.get(nth as usize).map(|change| change.taken)
    }

    /// Where these steps lead from a state, if they are possible.
    fn follow(&mut self, from: &State, steps: impl Iterator<Item = Option<Move>>) -> Option<State> {
        let mut state = from.clone();
        for step in steps {
            let next = self.machine.next(&self.parts.view(&state));
            let change = next.changes.into_iter().find(|change| Some(change.taken) == step)?;
            state = self.parts.after(self.machine, &state, change);
        }
        Some(state)
    }
}

/// The moves of the steps that lead to a state.
pub(crate) fn moves_to(machine: &Machine<'_>, parents: &Parents, end: u32) -> Vec<Move> {
    let mut steps = Vec::new();
    let mut at = end;
    while at != 0 {
        let (parent, nth) = parents[at as usize];
        steps.push(nth);
        at = parent;
    }
    let mut parts = Parts::default();
    let mut state = parts.initial(machine);
    let mut moves = Vec::with_capacity(steps.len());
    for nth in steps.into_iter().rev() {
        let next = machine.next(&parts.view(&state));
        let Some(change) = next.changes.into_iter().nth(nth as usize) else { break };
        moves.push(change.taken);
        state = parts.after(machine, &state, change);
    }
    moves
}
