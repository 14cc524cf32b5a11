//! Enumeration of all computations, as far as their states and traces tell them apart.
//!
//! What can follow a computation depends on its state, and the trace of a longer computation on
//! the trace so far. So two computations with the same state and the same trace are one node here,
//! and each node is visited once. Without traces nodes are states.

use std::ops::ControlFlow;

use crate::code::Code;
use crate::interner::{FastSet, Key};
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
    let mut waiting = vec![initial];
    let mut reached = Vec::new();
    while let Some(state) = waiting.pop() {
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
                waiting.push(next);
            }
        }
    }
    Ok(())
}

/// Visits the state and the trace of every computation that ends with empty buffers, until told to
/// stop. Returns the number of nodes visited.
pub(crate) fn explore_traces(
    machine: &mut Machine<'_>,
    traces: &mut Traces,
    model: MemoryModel,
    limits: &Limits,
    visit: &mut impl FnMut(&Machine<'_>, &Traces, &State, &Trace) -> ControlFlow<()>,
) -> Result<usize, Exceeded> {
    let initial = (machine.initial()?, Traces::empty(machine.code.threads.len()));
    let mut seen: FastSet<Key> = FastSet::default();
    seen.insert(node(&initial.0, &initial.1));
    let mut waiting = vec![initial];
    let mut reached = Vec::new();
    while let Some((state, trace)) = waiting.pop() {
        if machine.is_plain(&state) && visit(machine, traces, &state, &trace).is_break() {
            return Ok(seen.len());
        }
        machine.successors(model, &state, &mut |action, next| reached.push((action, next)))?;
        for (action, next) in reached.drain(..) {
            let next_trace = traces.extend(&trace, &action);
            if seen.insert(node(&next, &next_trace)) {
                if seen.len() > limits.max_states {
                    return Err(Exceeded::States);
                }
                if traces.length(&next_trace) > limits.max_length {
                    return Err(Exceeded::Length);
                }
                waiting.push((next, next_trace));
            }
        }
    }
    Ok(seen.len())
}

fn node(state: &State, trace: &Trace) -> Key {
    state.iter().chain(trace.iter()).copied().collect()
}

/// The positions where a buffer can be non-empty under TSO: labels where a thread can be, and
/// edges it can have just taken, while its buffer holds something.
pub(crate) fn positions_with_stores_waiting(
    code: &Code,
    limits: &Limits,
) -> Result<FastSet<crate::code::Position>, Exceeded> {
    use crate::code::{Place, Position};
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
