//! Data races under SC.
//!
//! A data race is a state reachable under SC in which two threads are each about to access the same
//! cell, at least one of them writing, not both with locked accesses. Locked are updates,
//! sequentially consistent stores, exclusive stores, and everything inside a locked section. What an
//! update is about to do is what it would do in that state. That another thread is in a locked
//! section is not held against an access; otherwise no access inside a section would ever meet one
//! outside.
//!
//! *Reductions.* Whether two threads race in a state depends on their next accesses and on the cells
//! these are of, and local steps of others change neither; so local steps are taken eagerly and dead
//! registers forgotten. Sections are not run through, since states inside them count.
//!
//! *Persistent sets* ([`automata`]) keep all races although no state with a race is visible to them. From a
//! state that is explored, let `w` be a shortest run to a state in which `t` and `u` race by their steps `a`
//! and `b`, and let the set of threads `T` be explored first.
//!
//! - If a thread of `T` moves in `w`, the first such step is possible at once and independent of what comes
//!   before it in `w`. It is explored, and a shorter run to the race is left.
//! - Otherwise, if neither `t` nor `u` is in `T`, any step of `T` is independent of `w`, `a` and `b`: after
//!   it the same `w` leads to the race. That cannot go on for ever, since nobody is left for later for ever.
//! - Otherwise say `t` is in `T`. It does not move in `w`, so `a` is one of the next steps of `T`; what `b`
//!   touches is in conflict with it, and `u` may touch it, so `u` is in `T`, too. Neither moves in `w`, and `w`
//!   does not write what they are about to touch: they race here already.
//!
//! That holds for each pair of steps, whoever holds the memory lock: sets are closed under what threads may
//! touch, not under what they can do.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use explore::Progress;
use program::index::Idx;
use program::{EdgeId, Instruction, Order, Parameterised, Program, TemplateId, ThreadId, Value};
use semantics::{Choice, Control};

use crate::patterns::{Searched, search_for_races};
use crate::rules::{CellContext, Effect, Registers};
use crate::sc::{Cell, Sc, StateView};
use crate::verdict::Options;

/// An access that a thread is about to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The thread.
    pub thread: ThreadId,
    /// The edge.
    pub edge: EdgeId,
    /// The address.
    pub address: Value,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is a locked access.
    pub is_locked: bool,
}

impl Access {
    fn races_with(&self, other: &Self) -> bool {
        self.thread != other.thread
            && self.address == other.address
            && (self.writes || other.writes)
            && !(self.is_locked && other.is_locked)
    }
}

/// Two accesses that race in a state.
pub(crate) fn race(sc: &Sc<'_>, state: &impl StateView) -> Option<[Access; 2]> {
    races(sc, state).into_iter().next()
}

/// All pairs of accesses that race in a state.
fn races(sc: &Sc<'_>, state: &impl StateView) -> Vec<[Access; 2]> {
    let accesses: Vec<Access> =
        sc.threads().indices().flat_map(|thread| accesses(sc, state, thread)).collect();
    let mut pairs = Vec::new();
    for (number, one) in accesses.iter().enumerate() {
        let others = accesses[number + 1..].iter().filter(|other| one.races_with(other));
        pairs.extend(others.map(|other| [*one, *other]));
    }
    pairs
}

/// Two accesses that race in a state, one of them plain: in C11 and Rust the program has no meaning then.
pub(crate) fn undefined_race(sc: &Sc<'_>, state: &impl StateView) -> Option<[Access; 2]> {
    let is_plain = |one: &Access| {
        let template = sc.program().template(sc.threads()[one.thread].template);
        let access = template.edge(one.edge).instruction.memory_access();
        access.is_some_and(|(_, access)| access.order == Order::Plain)
    };
    races(sc, state).into_iter().find(|pair| pair.iter().any(is_plain))
}

/// An access in the text of a program.
pub type Place = (TemplateId, EdgeId);

/// Which accesses of a program race with one that is not atomic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainRaces {
    /// Pairs of accesses that race in some state under SC, at least one of them plain or volatile.
    pub pairs: BTreeSet<[Place; 2]>,
    /// Whether all states were looked at.
    pub is_complete: bool,
}

/// All races under SC in which an access is not atomic: in C and Rust their meaning is undefined.
pub fn plain_races(
    program: &Program,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<PlainRaces, Parameterised> {
    let found: Mutex<BTreeSet<[Place; 2]>> = Mutex::default();
    let is_plain = |(template, edge): Place| {
        let instruction = &program.template(template).edge(edge).instruction;
        let order = instruction.memory_access().map(|(_, access)| access.order);
        matches!(order, Some(Order::Plain | Order::Volatile))
    };
    // Nothing is looked for: what is met on the way is written down.
    let note = |sc: &Sc<'_>, state: &automata::View<'_, Sc<'_>>| {
        for pair in races(sc, state) {
            let mut places = pair.map(|one| (sc.threads()[one.thread].template, one.edge));
            if places.into_iter().any(is_plain) {
                places.sort_unstable();
                found.lock().unwrap_or_else(PoisonError::into_inner).insert(places);
            }
        }
        false
    };
    let (searched, _) = search_for_races(program, (options, 1), &mut watch, note)?;
    let is_complete = match searched {
        Searched::Exhausted(_) => true,
        Searched::Found(_) | Searched::Undecided(_) => false,
    };
    Ok(PlainRaces {
        pairs: found.into_inner().unwrap_or_else(PoisonError::into_inner),
        is_complete,
    })
}

/// The accesses that a thread is about to make, whoever holds the memory lock.
pub(crate) fn accesses(sc: &Sc<'_>, state: &impl StateView, thread: ThreadId) -> Vec<Access> {
    let local = state.local(thread);
    let Control::At(label) = local.control else { return Vec::new() };
    let class = sc.class_of(thread);
    let template = sc.program().template(sc.template_of(class));
    let registers = sc.registers(class, local);
    let mut found = Vec::new();
    for edge in template.outgoing(label) {
        let instruction = &template.edge(edge).instruction;
        let Some(Ok(address)) = registers.address(instruction) else { continue };
        let (held, is_reserved) = match state.content(Cell::Memory(address)) {
            Some(content) => (content.value, content.is_reserved_by(thread.index())),
            None => (sc.program().memory().cell(address).map_or(0, |cell| cell.initial), false),
        };
        let is_exclusive = matches!(instruction, Instruction::StoreExclusive { .. });
        let choice = if is_exclusive { Choice::Succeed } else { Choice::Determined };
        let is_reserved = is_reserved && local.reserved == Some((address, address));
        let writes = match registers.execute(instruction, choice, CellContext { held, is_reserved })
        {
            Effect::Done { written, .. } => written.is_some(),
            // What faults after it has read has read.
            Effect::Fault(_) if reads_first(&registers, instruction) => false,
            Effect::Fault(_) | Effect::Blocked => continue,
        };
        let is_locked = instruction.is_locked_access() || local.holds_lock;
        found.push(Access { thread, edge, address, writes, is_locked });
    }
    found
}

/// Whether an instruction that faults does so after it has read: it reads, and its operands are
/// fine.
fn reads_first(registers: &Registers<'_>, instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Load { .. } | Instruction::Update { .. })
        && instruction.expressions().into_iter().all(|expr| registers.can_evaluate(expr))
}
