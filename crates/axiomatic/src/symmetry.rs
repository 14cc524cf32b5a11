//! Threads that do the same: one execution stands for all that differ only in which of them does what.
//!
//! Two threads are *alike* if their code and their initial registers are the same. To exchange them in an
//! execution gives an execution that every model judges alike, for no model knows threads by name; and in a final
//! state their registers are exchanged. So the final states, and the errors, are closed under exchanging threads
//! that are alike, and it is enough to find one of each orbit.
//!
//! While executions are built ([`crate::explore`]), what is decided so far may not tell two such threads apart: to
//! exchange the events of one with those of the other leaves every decision as it is. If then a read of a third
//! thread can read from the same write of either, the executions in which it reads from the one are those in
//! which it reads from the other, exchanged. Only the first is looked at.

use std::collections::BTreeMap;

use program::index::Idx;
use program::{IndexVec, Program, Template, Thread, ThreadId};

use crate::execution::Execution;
use crate::explore::State;
use crate::outcome::FinalState;
use crate::relation::EventSet;
use crate::run::PossibleFault;

/// Which threads are alike: for each the first one that it is like.
pub(crate) struct Alike {
    first: Vec<usize>,
}

impl Alike {
    /// None of them.
    pub(crate) const fn none() -> Self {
        Self { first: Vec::new() }
    }

    pub(crate) fn of(program: &Program, threads: &IndexVec<ThreadId, Thread>) -> Self {
        let threads: Vec<&Thread> = threads.iter().collect();
        let is_like = |one: &Thread, other: &Thread| {
            let (of_one, of_other) =
                (program.template(one.template), program.template(other.template));
            let registers = of_one.initial_registers(one.copy);
            registers == of_other.initial_registers(other.copy)
                && (one.template == other.template || is_same_code(of_one, of_other))
        };
        let first = |(number, thread): (usize, &&Thread)| {
            let like = threads[..number].iter().position(|other| is_like(other, thread));
            like.unwrap_or(number)
        };
        Self { first: threads.iter().enumerate().map(first).collect() }
    }

    fn are_alike(&self, one: usize, other: usize) -> bool {
        self.first.get(one).is_some() && self.first.get(one) == self.first.get(other)
    }

    /// Those of some sources of a read that stand for all.
    pub(crate) fn representatives(
        &self,
        state: &State,
        read: usize,
        sources: EventSet,
    ) -> EventSet {
        let mut kept = EventSet::EMPTY;
        let of = |event: usize| state.graph.execution.events[event].thread.map(Idx::index);
        let place = |thread: usize, event: usize| {
            state.graph.threads[thread].iter().position(|other| *other == event)
        };
        let reader = of(read);
        for source in sources.iter() {
            let is_represented = |other: usize| {
                let (Some(one), Some(other_thread)) = (of(source), of(other)) else { return false };
                one != other_thread
                    && reader != Some(one)
                    && reader != Some(other_thread)
                    && self.are_alike(one, other_thread)
                    && place(one, source) == place(other_thread, other)
                    && is_exchangeable(state, one, other_thread)
            };
            if !kept.iter().any(is_represented) {
                kept.insert(source);
            }
        }
        kept
    }

    /// The final states of all executions, if these are those of executions that stand for them.
    pub(crate) fn all_states(
        &self,
        mut states: BTreeMap<FinalState, Execution>,
    ) -> BTreeMap<FinalState, Execution> {
        let pairs = self.pairs();
        let mut open: Vec<FinalState> =
            if pairs.is_empty() { Vec::new() } else { states.keys().cloned().collect() };
        while let Some(state) = open.pop() {
            for (one, other) in &pairs {
                let mut exchanged = state.clone();
                exchanged.registers[*one].clone_from(&state.registers[*other]);
                exchanged.registers[*other].clone_from(&state.registers[*one]);
                if !states.contains_key(&exchanged) {
                    let execution = states[&state].with_threads_exchanged(*one, *other);
                    states.insert(exchanged.clone(), execution);
                    open.push(exchanged);
                }
            }
        }
        states
    }

    /// The errors of all executions.
    pub(crate) fn all_errors(
        &self,
        mut errors: BTreeMap<PossibleFault, Execution>,
    ) -> BTreeMap<PossibleFault, Execution> {
        let pairs = self.pairs();
        // First to the first of those that are alike, and then to all.
        for (one, other) in pairs.iter().chain(&pairs) {
            for (from, to) in [(*one, *other), (*other, *one)] {
                let of_one: Vec<PossibleFault> =
                    errors.keys().filter(|error| error.thread == from).copied().collect();
                for error in of_one {
                    let exchanged = PossibleFault { thread: to, ..error };
                    if !errors.contains_key(&exchanged) {
                        let execution = errors[&error].with_threads_exchanged(from, to);
                        errors.insert(exchanged, execution);
                    }
                }
            }
        }
        errors
    }

    /// Pairs of threads whose exchanges make up all others.
    pub(crate) fn pairs(&self) -> Vec<(ThreadId, ThreadId)> {
        let threads = self.first.iter().enumerate().filter(|(number, first)| number != *first);
        threads.map(|(number, first)| (ThreadId::new(*first), ThreadId::new(number))).collect()
    }
}

/// Whether two threads do the same, wherever their code stands and whatever it is called.
fn is_same_code(one: &Template, other: &Template) -> bool {
    let domains = |template: &Template| -> Vec<_> {
        let registers = template.registers().iter();
        registers.map(|register| (register.domain, register.generated)).collect()
    };
    let edges = |template: &Template| -> Vec<_> {
        let edges = template.edges().enumerate();
        let of = |(id, edge): (program::EdgeId, &program::Edge)| {
            let bound = template.bound(id).map(str::to_owned);
            (edge.from, edge.to, edge.instruction.clone(), bound)
        };
        edges.map(of).collect()
    };
    one.initial() == other.initial()
        && one.labels().iter().count() == other.labels().iter().count()
        && domains(one) == domains(other)
        && edges(one) == edges(other)
}

/// Whether to exchange two threads leaves everything as it is that is decided.
fn is_exchangeable(state: &State, one: usize, other: usize) -> bool {
    let State { logs, runs: _, graph, passed, due, ignored } = state;
    let (of_one, of_other) = (&graph.threads[one], &graph.threads[other]);
    if logs[one] != logs[other] || of_one.len() != of_other.len() {
        return false;
    }
    let events = &graph.execution.events;
    let mut numbers: Vec<usize> = (0..events.len()).collect();
    for (event, like) in of_one.iter().zip(of_other) {
        if events[*event].effect != events[*like].effect {
            return false;
        }
        numbers[*event] = *like;
        numbers[*like] = *event;
    }
    let exchanged =
        |set: EventSet| -> EventSet { set.iter().map(|event| numbers[event]).collect() };
    let stays = |set: EventSet| exchanged(set) == set;
    let ignores = |(thread, set): (usize, &EventSet)| {
        let exchanged = exchanged(*set);
        let with = match thread {
            _ if thread == one => other,
            _ if thread == other => one,
            _ => thread,
        };
        exchanged == ignored[with]
    };
    let passes = |(read, set): (&usize, &EventSet)| {
        passed.get(&numbers[*read]).is_some_and(|passed| *passed == exchanged(*set))
    };
    stays(graph.known)
        && stays(*due)
        && ignored.iter().enumerate().all(ignores)
        && passed.iter().all(passes)
        && graph.decided.renumbered(&numbers) == graph.decided
}

impl Execution {
    /// The same with two threads exchanged.
    fn with_threads_exchanged(&self, one: ThreadId, other: ThreadId) -> Self {
        let mut exchanged = self.clone();
        for event in &mut exchanged.events {
            event.thread = match event.thread {
                Some(thread) if thread == one => Some(other),
                Some(thread) if thread == other => Some(one),
                thread => thread,
            };
        }
        let mut order: Vec<usize> = (0..exchanged.events.len()).collect();
        order.sort_by_key(|event| exchanged.events[*event].thread);
        let mut numbers = vec![0; order.len()];
        for (number, event) in order.iter().enumerate() {
            numbers[*event] = number;
        }
        exchanged.renumbered(&order, &numbers)
    }
}
