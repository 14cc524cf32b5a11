//! Enumeration of all computations, as far as their states and traces tell them apart.
//!
//! What can follow a computation depends on its state, and the trace of a longer computation on
//! the trace so far. So two computations with the same state and the same trace are one node here,
//! and each node is visited once. Without traces nodes are states.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::rc::Rc;

use crate::code::{Code, Place, Position};
use crate::interner::{FastSet, Interner};
use crate::limits::{Exceeded, Limits};
use crate::machine::{Machine, State};
use crate::state::{Action, MemoryModel};
use crate::trace::{Trace, Traces};

/// Visits every reachable state until told to stop. `step` sees every action with the state it
/// leads to.
pub(crate) fn explore_states(
    machine: &mut Machine<'_>,
    model: MemoryModel,
    limits: &Limits,
    visit: &mut impl FnMut(&mut Machine<'_>, &State) -> Result<ControlFlow<()>, Exceeded>,
    step: &mut impl FnMut(&Machine<'_>, &Action, &State),
) -> Result<(), Exceeded> {
    let initial = machine.initial()?;
    let mut seen: FastSet<State> = FastSet::default();
    seen.insert(initial.clone());
    // The nearest first: where buffers grow for ever, states are many before they are long.
    let mut waiting = VecDeque::from([initial]);
    let mut reached = Vec::new();
    while let Some(state) = waiting.pop_front() {
        if visit(machine, &state)?.is_break() {
            return Ok(());
        }
        machine.successors(model, &state, &mut |action, next| reached.push((action, next)))?;
        for (action, next) in reached.drain(..) {
            step(machine, &action, &next);
            if !seen.contains(&next) {
                if seen.len() >= limits.max_states {
                    return Err(Exceeded::States);
                }
                seen.insert(next.clone());
                waiting.push_back(next);
            }
        }
    }
    Ok(())
}

/// Actions, each with the number of the state it leads to.
type Steps = Rc<[(Action, u32)]>;

/// The states met so far and, once asked for, what follows them: a state occurs with many traces.
struct Graph {
    model: MemoryModel,
    states: Interner<State>,
    successors: Vec<Option<Steps>>,
}

impl Graph {
    fn successors(&mut self, machine: &mut Machine<'_>, number: u32) -> Result<Steps, Exceeded> {
        let at = number as usize;
        if self.successors.len() <= at {
            self.successors.resize(at + 1, None);
        }
        if let Some(known) = &self.successors[at] {
            return Ok(Rc::clone(known));
        }
        let state = self.states.item(number).clone();
        let mut found = Vec::new();
        machine.successors(self.model, &state, &mut |action, next| {
            found.push((action, self.states.number(next)));
        })?;
        let found: Steps = found.into();
        self.successors[at] = Some(Rc::clone(&found));
        Ok(found)
    }
}

/// What becomes of computations that are longer than [`Limits::max_length`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Longer {
    /// There is no answer.
    Exceeds,
    /// They are left out.
    IsLeftOut,
}

/// Visits the state and the trace of every computation that ends with empty buffers, until told to
/// stop. Returns the number of nodes met.
pub(crate) fn explore_traces(
    machine: &mut Machine<'_>,
    traces: &mut Traces,
    model: MemoryModel,
    (limits, longer): (&Limits, Longer),
    visit: &mut impl FnMut(&Machine<'_>, &Traces, &State, &Trace) -> ControlFlow<()>,
) -> Result<usize, Exceeded> {
    machine.code.by_cells()?;
    let mut graph = Graph { model, states: Interner::new(), successors: Vec::new() };
    let state = graph.states.number(machine.initial()?);
    let trace = Traces::empty(machine.code.threads.len());
    let mut seen: FastSet<(u32, Trace)> = FastSet::default();
    seen.insert((state, trace.clone()));
    let mut waiting = vec![(state, trace)];
    while let Some((number, trace)) = waiting.pop() {
        let state = graph.states.item(number);
        if machine.is_plain(state) && visit(machine, traces, state, &trace).is_break() {
            break;
        }
        for (action, next) in graph.successors(machine, number)?.iter() {
            let node = (*next, traces.extend(&trace, action));
            if seen.contains(&node) {
                continue;
            }
            if traces.length(&node.1) > limits.max_length {
                match longer {
                    Longer::Exceeds => return Err(Exceeded::Length),
                    Longer::IsLeftOut => continue,
                }
            }
            if seen.len() >= limits.max_states {
                return Err(Exceeded::States);
            }
            seen.insert(node.clone());
            waiting.push(node);
        }
    }
    Ok(seen.len())
}

/// The positions where a buffer can be non-empty under TSO: labels where a thread can be, and
/// edges it can have just taken, while its buffer holds something.
pub(crate) fn positions_with_stores_waiting(
    code: &Code,
    limits: &Limits,
) -> Result<FastSet<Position>, Exceeded> {
    let mut found = FastSet::default();
    explore_states(
        &mut Machine::new(code, limits),
        MemoryModel::Tso,
        limits,
        &mut |_, _| Ok(ControlFlow::Continue(())),
        &mut |machine, action, next| {
            let thread = machine.thread(next, action.thread);
            if let Some(edge) = action.edge
                && !thread.buffer.is_empty()
            {
                found.insert(Position { thread: action.thread, place: Place::After(edge) });
                found.insert(Position { thread: action.thread, place: Place::At(thread.label) });
            }
        },
    )?;
    Ok(found)
}
