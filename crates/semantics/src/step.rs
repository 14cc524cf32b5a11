//! The transition rules.
//!
//! These are the seven rules of Table 1 of the ESOP'13 paper, numbered from top to bottom beside
//! the code, and the locked instructions that the paper leaves out, as x86-TSO has them
//! ([`program::instruction`] says what each instruction means). [`effect`] alone decides both
//! whether a move is enabled and what it does; [`perform`] then only writes that down. What the
//! instructions compute is in [`crate::execute`].
//!
//! Where we go beyond Table 1:
//!
//! - *Accesses across cells.* One move reads or writes all of their cells, with an action for each. A
//!   buffered store across cells is one buffered store to each, and they reach memory together; a load
//!   applies rule 1 or 2 to each cell alone.
//! - *Memory lock.* While a thread holds it, no other thread loads (not even from its own buffer),
//!   commits, makes a locked access or takes the lock. Issuing a store, local steps and fences
//!   stay possible.
//! - *Faults.* An instruction that cannot complete stops its thread. It waits for what the
//!   instruction would have waited for (buffer, lock) and changes neither memory nor registers. If
//!   it had read memory, that shows as an action before the fault, since the fault may depend on
//!   the value read. A store faults when it is issued, so whatever is buffered can be committed.
//! - *SC.* The same rules, with rule 4 applied as part of rule 3: a store is issued and committed
//!   by one move. Buffers stay empty and waiting for them is no restriction.

use program::{EdgeId, Instruction, Order, RegisterId, ThreadId, Value};

use crate::action::{Action, Choice, Model, Move, NotEnabled};
use crate::execute::{Executor, Outcome, Stuck};
use crate::machine::Machine;
use crate::state::{Control, State, ThreadState, Write};

/// What a move does: its actions, which say all about buffers, memory and the memory lock, and
/// what becomes of the thread itself.
pub(crate) struct Effect {
    pub(crate) actions: Vec<Action>,
    control: Control,
    register: Option<(RegisterId, Value)>,
    reservation: Vec<Value>,
}

/// What a move does in a state, or why it is not enabled there.
pub(crate) fn effect(
    machine: &Machine<'_>,
    state: &State,
    taken: Move,
) -> Result<Effect, NotEnabled> {
    let thread = taken.thread();
    let local = state.threads.get(thread).ok_or(NotEnabled::UnknownThread)?;
    match taken {
        Move::Commit { .. } => commit_oldest(state, thread, local),
        Move::Execute { edge, choice, .. } => {
            execute(Executor { machine, state, thread, local, choice }, edge)
        }
    }
}

/// Rule 4: the oldest buffered store reaches memory.
fn commit_oldest(
    state: &State,
    thread: ThreadId,
    local: &ThreadState,
) -> Result<Effect, NotEnabled> {
    if local.buffer.is_empty() {
        return Err(NotEnabled::BufferEmpty);
    }
    unless_locked_by_another(state, thread)?;
    let more = local.buffer.iter().take_while(|write| write.with_next).count();
    let oldest = local.buffer.iter().take(more + 1);
    Ok(Effect {
        actions: oldest
            .map(|write| Action::Store { address: write.address, value: write.value })
            .collect(),
        control: local.control,
        register: None,
        reservation: local.reservation.clone(),
    })
}

fn unless_locked_by_another(state: &State, thread: ThreadId) -> Result<(), NotEnabled> {
    match state.lock {
        Some(by) if by != thread => Err(NotEnabled::MemoryLocked { by }),
        Some(_) | None => Ok(()),
    }
}

/// A thread executes an edge.
fn execute(executor: Executor<'_>, edge_id: EdgeId) -> Result<Effect, NotEnabled> {
    let Executor { machine, state, thread, local, choice } = executor;
    let edge = machine.template(thread).edges().get(edge_id).ok_or(NotEnabled::UnknownEdge)?;
    match local.control {
        Control::Stopped { .. } => return Err(NotEnabled::Stopped),
        Control::At(label) if label != edge.from => return Err(NotEnabled::NotHere),
        Control::At(_) => {}
    }
    if !choice_fits(&edge.instruction, choice) {
        return Err(NotEnabled::ChoiceDoesNotFit);
    }
    // Rule 5, for fences and for everything else that waits for the buffer.
    if edge.instruction.drains_buffer() && !local.buffer.is_empty() {
        return Err(NotEnabled::BufferNotEmpty);
    }
    let outcome = match executor.instruction(&edge.instruction) {
        Ok(outcome) => outcome,
        Err(Stuck::Blocked(why)) => return Err(why),
        Err(Stuck::Fault(fault)) => Outcome::Fault { after: Vec::new(), fault },
    };
    // Last, so that the lock is the reason only if nothing else is.
    if reaches_memory(&edge.instruction, machine.model()) {
        unless_locked_by_another(state, thread)?;
    }
    Ok(match outcome {
        Outcome::Done { actions, register, reservation } => {
            Effect { actions, control: Control::At(edge.to), register, reservation }
        }
        Outcome::Fault { mut after, fault } => {
            after.push(Action::Fault(fault));
            Effect {
                actions: after,
                control: Control::Stopped { edge: edge_id, fault },
                register: None,
                reservation: Vec::new(),
            }
        }
    })
}

/// Whether the choice is one that the instruction leaves open.
fn choice_fits(instruction: &Instruction, choice: Choice) -> bool {
    match instruction {
        Instruction::Choose { low, high, .. } => match choice {
            Choice::Value(value) => (*low..=*high).contains(&value),
            Choice::Determined | Choice::Succeed | Choice::Fail => false,
        },
        Instruction::StoreExclusive { .. } => matches!(choice, Choice::Succeed | Choice::Fail),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => choice == Choice::Determined,
    }
}

/// Whether the instruction waits while another thread holds the memory lock.
fn reaches_memory(instruction: &Instruction, model: Model) -> bool {
    match instruction {
        Instruction::Load { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Lock => true,
        Instruction::Store { access, .. } => model == Model::Sc || access.order == Order::SeqCst,
        // An unlock by a thread that does not hold the lock is a fault and need not wait.
        Instruction::Unlock
        | Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_) => false,
    }
}

/// The state after `thread` has made a move with this effect.
pub(crate) fn perform(
    machine: &Machine<'_>,
    state: &State,
    thread: ThreadId,
    effect: &Effect,
) -> State {
    let mut next = state.clone();
    let mut actions = effect.actions.iter().peekable();
    while let Some(action) = actions.next() {
        match *action {
            Action::Issue { address, value } => {
                let with_next = matches!(actions.peek(), Some(Action::Issue { .. }));
                next.threads[thread].buffer.push_back(Write { address, value, with_next });
            }
            Action::Store { address, value } => {
                next.threads[thread].buffer.pop_front();
                write(machine, &mut next, thread, address, value);
            }
            Action::Locked { address, written: Some(value), .. } => {
                write(machine, &mut next, thread, address, value);
            }
            Action::Lock => next.lock = Some(thread),
            Action::Unlock => next.lock = None,
            Action::Local
            | Action::Load { .. }
            | Action::Fence(_)
            | Action::Locked { written: None, .. }
            | Action::Fault(_) => {}
        }
    }
    let local = &mut next.threads[thread];
    local.control = effect.control;
    local.reservation.clone_from(&effect.reservation);
    if let Some((register, value)) = effect.register {
        local.registers[register] = value;
    }
    next
}

/// A value reaches memory, which ends the reservations of other threads that the cell belongs to.
fn write(machine: &Machine<'_>, state: &mut State, by: ThreadId, address: Value, value: Value) {
    let cell = machine.program().memory().cell(address).expect("only cells are ever written");
    if value == cell.initial {
        state.memory.remove(&address);
    } else {
        state.memory.insert(address, value);
    }
    let others = state.threads.indices().filter(|thread| *thread != by);
    for other in others {
        let reservation = &mut state.threads[other].reservation;
        if reservation.contains(&address) {
            reservation.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use program::index::Idx;
    use program::{Fault, FenceKind};

    fn thread(number: usize) -> ThreadId {
        ThreadId::new(number)
    }

    #[test]
    fn a_thread_sees_its_own_newest_buffered_store() {
        let program = program(vec![vec![store(X, 1), store(X, 2), load(0, X)], vec![load(0, X)]]);
        let moves = [run(0, 0), run(0, 1), run(0, 2), run(1, 0)];
        let (state, _) = after(&program, Model::Tso, &moves);
        assert_eq!(state.thread(thread(0)).registers()[r(0)], 2);
        assert_eq!(state.thread(thread(1)).registers()[r(0)], 0, "nobody else sees it");
    }

    #[test]
    fn stores_reach_memory_in_order() {
        let program = program(vec![vec![store(X, 1), store(Y, 2)]]);
        let (_, first) = after(&program, Model::Tso, &[run(0, 0), run(0, 1), commit(0)]);
        assert_eq!(first, [Action::Store { address: X, value: 1 }]);
        let moves = [run(0, 0), run(0, 1), commit(0), commit(0)];
        let (state, second) = after(&program, Model::Tso, &moves);
        assert_eq!(second, [Action::Store { address: Y, value: 2 }]);
        assert_eq!(state.changed_memory(), &[(X, 1), (Y, 2)].into());
        let moves = [run(0, 0), commit(0), commit(0)];
        check_blocked(&program, Model::Tso, &moves, NotEnabled::BufferEmpty);
    }

    #[test]
    fn memory_holds_only_what_changed() {
        let program = program(vec![vec![store(X, 1), store(X, 0)]]);
        let (state, _) = after(&program, Model::Sc, &[run(0, 0), run(0, 1)]);
        assert!(state.changed_memory().is_empty());
    }

    #[test]
    fn only_fences_that_order_stores_before_loads_wait() {
        for kind in FenceKind::ALL {
            let program = program(vec![vec![store(X, 1), Instruction::Fence(kind)]]);
            let moves = [run(0, 0), run(0, 1)];
            if matches!(kind, FenceKind::Full | FenceKind::StoreLoad) {
                check_blocked(&program, Model::Tso, &moves, NotEnabled::BufferNotEmpty);
            } else {
                after(&program, Model::Tso, &moves);
            }
            let (_, actions) = after(&program, Model::Tso, &[run(0, 0), commit(0), run(0, 1)]);
            assert_eq!(actions, [Action::Fence(kind)]);
            after(&program, Model::Sc, &moves);
        }
    }

    #[test]
    fn a_locked_section_keeps_others_from_memory() {
        let locked = NotEnabled::MemoryLocked { by: thread(0) };
        let section = vec![Instruction::Lock, store(X, 1), load(0, X), Instruction::Unlock];
        let other = vec![
            store(Y, 1),
            Instruction::Fence(FenceKind::Lightweight),
            store(Z, 1),
            load(0, Y),
            cas(0, X, 0, 1),
            store_seq_cst(X, 1),
            Instruction::Lock,
            store_exclusive(0, X, 1),
        ];
        // Issuing and computing go on; committing, and loading even from the own buffer, do not.
        let program = program(vec![section, other.clone()]);
        let filled = [run(0, 0), run(1, 0), run(1, 1), run(1, 2)];
        after(&program, Model::Tso, &filled);
        check_blocked(&program, Model::Tso, &[&filled[..], &[commit(1)]].concat(), locked);
        check_blocked(&program, Model::Tso, &[&filled[..], &[run(1, 3)]].concat(), locked);
        // Under SC a store reaches memory, so it waits too.
        check_blocked(&program, Model::Sc, &[run(0, 0), run(1, 0)], locked);
        // The holder itself is free, and its section ends when its buffer is empty.
        let inside = [run(0, 0), run(0, 1), run(0, 2), run(0, 3)];
        check_blocked(&program, Model::Tso, &inside, NotEnabled::BufferNotEmpty);
        let complete = [run(0, 0), run(0, 1), run(0, 2), commit(0), run(0, 3), run(1, 0)];
        assert_eq!(after(&program, Model::Tso, &complete).0.lock_holder(), None);

        for instruction in other.into_iter().skip(3) {
            let exclusive = matches!(instruction, Instruction::StoreExclusive { .. });
            let choice = if exclusive { Choice::Fail } else { Choice::Determined };
            let program = crate::sample::program(vec![vec![Instruction::Lock], vec![instruction]]);
            for model in [Model::Sc, Model::Tso] {
                check_blocked(&program, model, &[run(0, 0), choose(1, 0, choice)], locked);
            }
        }
    }

    #[test]
    fn locked_accesses_wait_for_the_buffer() {
        let instructions =
            [cas(0, Y, 0, 1), store_seq_cst(Y, 1), Instruction::Lock, Instruction::Unlock];
        for instruction in instructions {
            let program = program(vec![vec![store(X, 1), instruction]]);
            check_blocked(
                &program,
                Model::Tso,
                &[run(0, 0), run(0, 1)],
                NotEnabled::BufferNotEmpty,
            );
        }
        let program = program(vec![vec![store(X, 1), store_exclusive(0, X, 1)]]);
        let moves = [run(0, 0), choose(0, 1, Choice::Fail)];
        check_blocked(&program, Model::Tso, &moves, NotEnabled::BufferNotEmpty);
    }

    #[test]
    fn only_the_lock_holder_unlocks_and_it_locks_once() {
        let program =
            program(vec![vec![Instruction::Lock, Instruction::Lock], vec![Instruction::Unlock]]);
        let (_, actions) = after(&program, Model::Tso, &[run(0, 0), run(0, 1)]);
        assert_eq!(actions, [Action::Fault(Fault::LockHeld)]);
        let (state, actions) = after(&program, Model::Tso, &[run(0, 0), run(1, 0)]);
        assert_eq!(actions, [Action::Fault(Fault::LockNotHeld)]);
        assert_eq!(state.lock_holder(), Some(thread(0)));
    }

    #[test]
    fn sc_never_buffers() {
        let (state, actions) = after(&dekker(), Model::Sc, &[run(0, 0)]);
        let (address, value) = (X, 1);
        assert_eq!(actions, [Action::Issue { address, value }, Action::Store { address, value }]);
        assert!(state.buffers_are_empty());
        check_blocked(&dekker(), Model::Sc, &[run(0, 0), commit(0)], NotEnabled::BufferEmpty);
    }

    #[test]
    fn a_stopped_thread_still_drains() {
        let program =
            program(vec![vec![store(X, 1), Instruction::Assert(0.constant()), store(X, 2)]]);
        let fault = Fault::AssertionFailed;
        let (state, actions) = after(&program, Model::Tso, &[run(0, 0), run(0, 1)]);
        assert_eq!(actions, [Action::Fault(fault)]);
        let edge = EdgeId::new(1);
        assert_eq!(state.thread(thread(0)).control(), Control::Stopped { edge, fault });
        let (state, _) = after(&program, Model::Tso, &[run(0, 0), run(0, 1), commit(0)]);
        assert_eq!(state.changed_memory(), &[(X, 1)].into());
        let moves = [run(0, 0), run(0, 1), run(0, 2)];
        check_blocked(&program, Model::Tso, &moves, NotEnabled::Stopped);
    }
}
