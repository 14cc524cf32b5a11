//! Races: data races, and the patterns of SC computations that betray a triangular race or a lack of
//! persistence.
//!
//! # Data races
//!
//! A data race is a state reachable under SC in which two threads are each about to access the same
//! address, at least one of them writing, not both with locked accesses. Locked are updates,
//! sequentially consistent stores, exclusive stores, and everything inside a locked section. What
//! an update is about to do is what it would do in that state: a compare-and-swap that would fail
//! reads, a blocking one that would block does nothing.
//!
//! That another thread is in a locked section is not held against an access here. Otherwise no
//! access inside a section would ever meet one outside, and a plain load would not race with a
//! section that writes.
//!
//! # Triangular races
//!
//! The pattern (Owens, ECOOP'10): an SC computation in which a thread stores to `y` through its buffer, then only loads and computes,
//! and arrives at a load of `x ≠ y` where another thread can write `x` as well.
//!
//! A write inside a locked section is several steps, so it is not "the next" step of a thread that
//! has not entered the section yet; and it may depend on what the section reads, which may be `y`.
//! So the two threads are run apart, from one common state: the first alone from before its store
//! up to the load, the other alone through its write, or through a whole section that contains one.
//! Without sections that is the same pattern: the first thread changes nothing but `y`, and whether
//! the other can write `x` depends on its own state and on `x` alone. A section that is never left
//! gives no race, since the store to `y` could not reach memory any more.
//!
//! # Fragility
//!
//! The pattern of ESOP'15 §7 for programs that are not persistent is the same, but the value of `x`
//! must change. There the other thread writes with a plain write; here, as in a triangular race, also
//! atomically or inside a section, since an atomic read-write of `x` that overtakes the store to
//! `y` makes a trace that is not one of SC either. What counts of a section is what it leaves in `x`.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use program::{Program, ThreadId, Value};

use crate::code::instantiate;
use crate::explore::explore_states;
use crate::intent::Intent;
use crate::interner::FastSet;
use crate::limits::{Exceeded, Limits};
use crate::machine::{Machine, State};
use crate::state::{Effect, MemoryModel};

/// Whether there is a data race.
pub fn has_data_race(program: &Program, limits: &Limits) -> Result<bool, Exceeded> {
    let code = instantiate(program)?;
    Ok(!is_race_free(&mut Machine::new(&code, limits), limits)?)
}

/// Whether the pattern of a triangular race occurs.
pub fn has_triangular_race(program: &Program, limits: &Limits) -> Result<bool, Exceeded> {
    let code = instantiate(program)?;
    any_sc_state(&mut Machine::new(&code, limits), limits, |machine, state| {
        occurs(machine, state, |load, write| load.address == write.address)
    })
}

/// Whether the pattern of a lack of persistence occurs.
pub fn has_fragility_pattern(program: &Program, limits: &Limits) -> Result<bool, Exceeded> {
    let code = instantiate(program)?;
    any_sc_state(&mut Machine::new(&code, limits), limits, |machine, state| {
        occurs(machine, state, |load, write| {
            load.address == write.address && load.value != write.value
        })
    })
}

pub(crate) fn is_race_free(machine: &mut Machine<'_>, limits: &Limits) -> Result<bool, Exceeded> {
    Ok(!any_sc_state(machine, limits, is_data_race)?)
}

fn any_sc_state(
    machine: &mut Machine<'_>,
    limits: &Limits,
    mut is_wanted: impl FnMut(&mut Machine<'_>, &State) -> Result<bool, Exceeded>,
) -> Result<bool, Exceeded> {
    machine.code.by_cells()?;
    let mut found = false;
    let mut visit = |machine: &mut Machine<'_>, state: &State| {
        found = is_wanted(machine, state)?;
        Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    explore_states(machine, MemoryModel::Sc, limits, &mut visit, &mut |_, _, _| {})?;
    Ok(found)
}

/// An access that a thread is about to make.
struct Pending {
    thread: ThreadId,
    address: Value,
    writes: bool,
    locked: bool,
}

fn is_data_race(machine: &mut Machine<'_>, state: &State) -> Result<bool, Exceeded> {
    let pending = pending_accesses(machine, state)?;
    Ok(pending.iter().enumerate().any(|(number, left)| {
        pending[number + 1..].iter().any(|right| {
            left.thread != right.thread
                && left.address == right.address
                && (left.writes || right.writes)
                && !(left.locked && right.locked)
        })
    }))
}

fn pending_accesses(machine: &mut Machine<'_>, state: &State) -> Result<Vec<Pending>, Exceeded> {
    let mut pending = Vec::new();
    for thread in machine.code.threads.indices() {
        for (edge, intent) in machine.intents(state, thread).iter() {
            let plain = matches!(intent, Intent::Load { .. } | Intent::Store { .. });
            let locked = !plain || machine.thread(state, thread).in_section;
            let attempts =
                machine.attempts(MemoryModel::Sc, state, thread, *edge, *intent, false)?;
            for (effect, _) in attempts {
                if let Some((address, writes)) = accessed(effect) {
                    pending.push(Pending { thread, address, writes, locked });
                }
            }
        }
    }
    Ok(pending)
}

/// The address that is accessed, and whether it is written.
fn accessed(effect: Effect) -> Option<(Value, bool)> {
    match effect {
        Effect::Read { address, .. } => Some((address, false)),
        Effect::Issue { address, .. }
        | Effect::Drain { address, .. }
        | Effect::Write { address, .. }
        | Effect::ReadWrite { address, .. } => Some((address, true)),
        Effect::Internal { .. } | Effect::Stop(_) => None,
    }
}

/// What memory holds at an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    address: Value,
    value: Value,
}

/// Whether from `state` a thread can load something after a store to another address, and another
/// thread can write something, so that `clashes` is true of the two.
fn occurs(
    machine: &mut Machine<'_>,
    state: &State,
    clashes: impl Fn(Content, Content) -> bool,
) -> Result<bool, Exceeded> {
    let threads: Vec<ThreadId> = machine.code.threads.indices().collect();
    if threads.iter().any(|thread| machine.thread(state, *thread).in_section) {
        return Ok(false);
    }
    for thread in &threads {
        let loads = loads_after_a_store(machine, state, *thread)?;
        if loads.is_empty() {
            continue;
        }
        for other in threads.iter().filter(|other| *other != thread) {
            let writes = possible_writes(machine, state, *other)?;
            if loads.iter().any(|load| writes.iter().any(|write| clashes(*load, *write))) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What a thread can load after a store, next from `state`, to another address, with nothing in
/// between that is not local or a load.
fn loads_after_a_store(
    machine: &mut Machine<'_>,
    state: &State,
    thread: ThreadId,
) -> Result<BTreeSet<Content>, Exceeded> {
    let mut loaded = BTreeSet::new();
    for (edge, intent) in machine.intents(state, thread).iter() {
        let Intent::Store { cells: stored, .. } = *intent else { continue };
        let mut waiting: Vec<State> = machine
            .attempts(MemoryModel::Sc, state, thread, *edge, *intent, false)?
            .into_iter()
            .map(|(_, next)| next)
            .collect();
        let mut seen: FastSet<State> = waiting.iter().cloned().collect();
        while let Some(state) = waiting.pop() {
            for (edge, intent) in machine.intents(&state, thread).iter() {
                match intent {
                    Intent::Load { cells, .. } if cells.address != stored.address => {
                        let address = cells.address;
                        let value = machine.read(&state, address);
                        loaded.insert(Content { address, value });
                    }
                    Intent::Load { .. } | Intent::Internal { .. } => {}
                    Intent::Stop(_)
                    | Intent::Fence
                    | Intent::Lock
                    | Intent::Unlock
                    | Intent::Store { .. }
                    | Intent::LockedStore { .. }
                    | Intent::Update { .. }
                    | Intent::StoreExclusive { .. } => continue,
                }
                let attempts =
                    machine.attempts(MemoryModel::Sc, &state, thread, *edge, *intent, false)?;
                for (_, next) in attempts {
                    if seen.insert(next.clone()) {
                        waiting.push(next);
                    }
                }
            }
        }
    }
    Ok(loaded)
}

/// What a thread can write next from `state`, or leave behind in what it writes within a section that
/// it enters next.
fn possible_writes(
    machine: &mut Machine<'_>,
    state: &State,
    thread: ThreadId,
) -> Result<BTreeSet<Content>, Exceeded> {
    let mut written = BTreeSet::new();
    let mut waiting = vec![(state.clone(), BTreeSet::new())];
    let mut seen: FastSet<(State, BTreeSet<Value>)> = FastSet::default();
    while let Some((state, so_far)) = waiting.pop() {
        let mut steps = Vec::new();
        machine.steps_of(MemoryModel::Sc, &state, thread, &mut |action, next| {
            steps.push((action, next));
        })?;
        for (action, next) in steps {
            let mut with_this: BTreeSet<Value> = so_far.clone();
            with_this.extend(
                accessed(action.effect).and_then(|(address, writes)| writes.then_some(address)),
            );
            if !machine.thread(&next, thread).in_section {
                written.extend(
                    with_this
                        .into_iter()
                        .map(|address| Content { address, value: machine.read(&next, address) }),
                );
            } else if seen.insert((next.clone(), with_this.clone())) {
                waiting.push((next, with_this));
            }
        }
    }
    Ok(written)
}
