//! Deadlocks: states from which nobody gets any further although somebody waits.
//!
//! Nobody *gets any further* from a state if whatever can follow changes nothing that others see, and
//! only threads move that wait before the step and after it: an `await` that looks again and again.
//! Somebody *waits* who is in an `await`, or whom nothing but the memory lock, held by another thread,
//! keeps from going on: from entering a locked section, from an access, or from emptying the buffer
//! that the next step needs empty. Threads that have ended or were stopped by a fault wait for
//! nothing; one whose assumption is false stays where it is, and does not count as waiting. When the process
//! has ended nobody waits.

use std::ops::ControlFlow;

use program::{Instruction, Program, ThreadId};

use crate::code::instantiate;
use crate::explore::explore_states;
use crate::interner::FastSet;
use crate::limits::{Exceeded, Limits};
use crate::machine::{Machine, State};
use crate::state::{Effect, MemoryModel};

/// Whether a deadlock is reachable.
pub fn has_deadlock(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<bool, Exceeded> {
    let code = instantiate(program)?;
    let mut found = false;
    let end = program.end_of_process();
    let mut visit = |machine: &mut Machine<'_>, state: &State| {
        let has_ended = end.is_some_and(|end| machine.read(state, end) != 0);
        found = !has_ended && is_deadlock(machine, model, state)?;
        Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let machine = &mut Machine::new(&code, limits);
    explore_states(machine, model, limits, &mut visit, &mut |_, _, _| {})?;
    Ok(found)
}

fn is_deadlock(
    machine: &mut Machine<'_>,
    model: MemoryModel,
    state: &State,
) -> Result<bool, Exceeded> {
    let threads: Vec<ThreadId> = machine.code.threads.indices().collect();
    let mut waits = false;
    for thread in &threads {
        waits |= is_in_await(machine, state, *thread)
            || waits_for_the_lock(machine, model, state, *thread)?;
    }
    if !waits {
        return Ok(false);
    }
    let mut seen: FastSet<State> = FastSet::default();
    seen.insert(state.clone());
    let mut open = vec![state.clone()];
    while let Some(here) = open.pop() {
        let mut steps = Vec::new();
        machine.successors(model, &here, &mut |action, next| steps.push((action, next)))?;
        for (action, next) in steps {
            let thread = action.thread;
            let waits = is_in_await(machine, &here, thread) && is_in_await(machine, &next, thread);
            let is_hidden = match action.effect {
                Effect::Internal { .. } | Effect::Read { .. } => true,
                Effect::Stop(_)
                | Effect::Issue { .. }
                | Effect::Drain { .. }
                | Effect::Write { .. }
                | Effect::ReadWrite { .. } => machine.cells(&here) == machine.cells(&next),
            };
            let (before, after) = (machine.thread(&here, thread), machine.thread(&next, thread));
            let is_the_same = before.in_section == after.in_section
                && before.buffer == after.buffer
                && after.fault.is_none();
            if !(waits && is_hidden && is_the_same) {
                return Ok(false);
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Ok(true)
}

/// Whether a thread is where its author says that it waits, or at the entry of a locked section.
fn is_in_await(machine: &Machine<'_>, state: &State, thread: ThreadId) -> bool {
    let (code, local) = (&machine.code.threads[thread], machine.thread(state, thread));
    let enters = |edge: &program::EdgeId| {
        !local.in_section && code.edges[*edge].instruction == Instruction::Lock
    };
    local.fault.is_none()
        && !code.ends_at(local.label)
        && (code.waiting[local.label] || code.outgoing[local.label].iter().any(enters))
}

/// Whether only the lock, which another thread holds, keeps a thread from some step.
fn waits_for_the_lock(
    machine: &mut Machine<'_>,
    model: MemoryModel,
    state: &State,
    thread: ThreadId,
) -> Result<bool, Exceeded> {
    if !machine.is_locked_out(state, thread) {
        return Ok(false);
    }
    for (edge, intent) in machine.intents(state, thread).iter() {
        let with_lock = machine.attempts(model, state, thread, *edge, *intent, true)?;
        let without = machine.attempts(model, state, thread, *edge, *intent, false)?;
        if without.len() > with_lock.len() {
            return Ok(true);
        }
        let instruction = &machine.code.threads[thread].edges[*edge].instruction;
        if instruction.drains_buffer() && !machine.thread(state, thread).buffer.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
