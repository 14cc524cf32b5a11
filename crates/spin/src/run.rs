//! From the replay of an error trail to a computation that the semantics accepts.
//!
//! When the verifier replays a trail, each step announces itself
//! (`frontend::promela::Ask::announce`). Process 0 is `init`, the threads follow in order.

use program::index::Idx;
use program::{EdgeId, Fault, Observable, Program, StateProposition, ThreadId, Value};
use semantics::{
    Action, Choice, Computation, Control, Machine, Model, Move, NotEnabled, State, Step,
};

use crate::answer::{Failure, Violation, What};

/// The moves announced in a replay; nothing if a line is not understood.
pub(crate) fn moves(said: &str) -> Option<Vec<Move>> {
    let mut moves = Vec::new();
    for line in said.lines() {
        let mut words = line.split_whitespace();
        if words.next() != Some("step") {
            continue;
        }
        let process: usize = words.next()?.parse().ok()?;
        let edge = EdgeId::new(words.next()?.parse().ok()?);
        let choice = match words.next()? {
            "determined" => Choice::Determined,
            "succeed" => Choice::Succeed,
            "fail" => Choice::Fail,
            value => Choice::Value(value.parse().ok()?),
        };
        moves.push(Move::Execute { thread: ThreadId::new(process.checked_sub(1)?), edge, choice });
    }
    Some(moves)
}

/// The computation that these moves are, if it is one and ends in what was found.
pub(crate) fn computation(
    program: &Program,
    moves: &[Move],
    what: What,
    goal: Option<&StateProposition>,
) -> Result<Violation, Failure> {
    let no_count = |parameterised: program::Parameterised| Failure::NotUnderstood {
        said: parameterised.to_string(),
    };
    let machine = Machine::new(program, Model::Sc).map_err(no_count)?;
    let mut state = machine.initial();
    let mut steps = Vec::new();
    for (number, taken) in moves.iter().copied().enumerate() {
        let reject = |why| Failure::Rejected { number, taken, why };
        let (next, actions) = machine.apply(&state, taken).map_err(reject)?;
        steps.push(Step { taken, actions });
        state = next;
    }
    let is_there = match what {
        What::Fault => steps.last().is_some_and(|step| step.actions.iter().any(is_fault)),
        What::Deadlock => is_deadlock(&machine, &state),
        What::Goal => goal.is_some_and(|goal| is_true(&machine, &state, goal)),
    };
    if !is_there {
        return Err(Failure::EndsElsewhere(what));
    }
    Ok(Violation { what, computation: Computation { model: Model::Sc, steps } })
}

fn is_fault(action: &Action) -> bool {
    match action {
        Action::Fault(fault) => !Fault::is_limit(*fault),
        Action::Local
        | Action::Issue { .. }
        | Action::Store { .. }
        | Action::Load { .. }
        | Action::Fence(_)
        | Action::Locked { .. }
        | Action::Lock
        | Action::Unlock => false,
    }
}

fn is_deadlock(machine: &Machine<'_>, state: &State) -> bool {
    let waits = |thread: ThreadId| match state.thread(thread).control() {
        Control::At(label) => {
            let template = machine.template(thread);
            let waits_for_lock = || {
                let blocked = machine.blocked(state, thread);
                blocked.iter().any(|(_, why)| matches!(why, NotEnabled::MemoryLocked { .. }))
            };
            template.outgoing(label).len() > 0
                && (template.labels()[label].waiting || waits_for_lock())
        }
        Control::Stopped { .. } => false,
    };
    machine.offers(state).is_empty() && machine.threads().indices().any(waits)
}

fn is_true(machine: &Machine<'_>, state: &State, goal: &StateProposition) -> bool {
    let thread = |template, copy| {
        let is_it = |(_, thread): &(ThreadId, &program::Thread)| {
            thread.template == template && thread.copy == copy
        };
        machine.threads().enumerate().find(is_it).expect("goals are about existing threads").0
    };
    let at = |template, copy, label| {
        state.thread(thread(template, copy)).control() == Control::At(label)
    };
    let seen = |observable| -> Value {
        match observable {
            Observable::Cell(_) | Observable::Across(..) => {
                let held = |address| machine.in_memory(state, address).unwrap_or_default();
                observable.in_memory(machine.program().memory(), held).unwrap_or_default()
            }
            Observable::Register { template, copy, register } => {
                state.thread(thread(template, copy)).registers()[register]
            }
        }
    };
    goal.holds(&at, &seen)
}
