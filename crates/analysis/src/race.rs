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

use program::index::Idx;
use program::{EdgeId, Instruction, ThreadId, Value};
use semantics::{Choice, Control};

use crate::rules::{Effect, Met, Registers};
use crate::sc::{Cell, Sc, Situation};

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
pub(crate) fn race(sc: &Sc<'_>, state: &impl Situation) -> Option<[Access; 2]> {
    let accesses: Vec<Access> =
        sc.threads().indices().flat_map(|thread| accesses(sc, state, thread)).collect();
    accesses.iter().enumerate().find_map(|(number, one)| {
        let other = accesses[number + 1..].iter().find(|other| one.races_with(other))?;
        Some([*one, *other])
    })
}

/// The accesses that a thread is about to make, whoever holds the memory lock.
fn accesses(sc: &Sc<'_>, state: &impl Situation, thread: ThreadId) -> Vec<Access> {
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
            Some(content) => (content.value, content.reserved_by.contains(&thread.index())),
            None => (sc.program().memory().cell(address).map_or(0, |cell| cell.initial), false),
        };
        let is_exclusive = matches!(instruction, Instruction::StoreExclusive { .. });
        let choice = if is_exclusive { Choice::Succeed } else { Choice::Determined };
        let is_reserved = is_reserved && local.reserved == Some(address);
        let writes = match registers.execute(instruction, choice, Met { held, is_reserved }) {
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
