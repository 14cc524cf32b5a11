//! Observation abstraction by flattening (ESOP'15, §10).
//!
//! For a thread p the *flattened* program of depth k keeps p as it is. Every other thread is exact
//! for its first k accesses to memory and memory locks (steps that touch neither are not counted);
//! then its registers are forgotten, and what remains is where it may be and what it may write.
//!
//! # Where the paper is not followed
//!
//! Read literally, the paper replaces after k steps every statement by `skip` but writes and atomic
//! read-writes to variables that p reads. That is unsound in two ways:
//!
//! - *A write whose value, or address, depends on a register* would use what the register held
//!   after k steps. Here it becomes a choice of constants: all that the register can hold at this
//!   place ([`flow`]). If these are not few and the cell has no small declared range, there is no
//!   flattened program ([`NoFiniteRange`]).
//! - *The first k steps of one thread may read what another one writes later*, to a variable that p
//!   never reads; that write is gone. Here the variables whose writes stay, the *observed* cells,
//!   are those that p reads and those that other threads read while they are exact. (Threads that
//!   never write an observed cell are left out, and what they read does not count.)
//!
//! What a thread may write after k accesses, as a set of sequences ([`language`]), becomes the least
//! automaton with these sequences. Each instruction on the way becomes one or several, or nothing is
//! seen of it ([`visible`]):
//!
//! - assignments, choices, assumptions, assertions, loads, fences: nothing is seen (assumptions that
//!   are never true by [`flow`] are not passed);
//! - a store, also a sequentially consistent one: a store of each possible constant to each possible
//!   observed cell; nothing, if it may be another cell;
//! - an exclusive store: the same, or nothing;
//! - an exchange or a fetch-and-op: for each value that the cell may hold, and each constant, a
//!   blocking read-write from the one to what the instruction makes of both; if these are too many,
//!   stores;
//! - a blocking read-write: the same for each pair of constants; a compare-and-swap: the same, or
//!   nothing. If what is expected can be anything, stores;
//! - the ends of a locked section: they stay.
//!
//! One register is not forgotten at once: the one that receives the result of an update, until the
//! thread accesses memory again. A blocking read-write tells which value was there, so whoever tries
//! to take a lock knows whether it has it.
//!
//! # Why it is sound
//!
//! *P ⊑ₚ Aₚ.* Let s be a state of P and t one of Aₚ. They correspond if p has the same local state
//! in both (and, in a run that is TSO for p alone, the same buffer); observed cells hold the same
//! value, with the same reservations of p and of exact threads; the same thread holds the memory
//! lock (a thread that was left out apart, see below); and each other thread r has made i < k
//! accesses and has the same local state in t, or has made k or more, is at a label q, and t has it
//! in a state of the automaton whose set has q in it, with what is recalled true of s, or that allows
//! more. Initial states correspond. Every step from s leads to a state that corresponds to one that t can reach:
//!
//! - A step of p reads observed cells, its buffer, its registers and whether the lock is free, so it
//!   can be made from t. What it writes is the same.
//! - A step of r while it is exact reads observed cells, so it can be made; a write to cells that
//!   are not observed may be skipped, as nobody who is not forgotten reads them. The k-th access
//!   leads to the automaton.
//! - A later step of r writes an observed cell a with value v: a is among its possible addresses and
//!   v results of its possible constants ([`flow`] over-approximates all SC states, and other threads
//!   than p are SC here), so the automaton has it. An update reads a, which is observed and holds in t
//!   what it holds in s, so the blocking read-write from that value is not blocked, and the value is
//!   what is recalled. If nothing observed is written, t stays, and the set has the next label in it;
//!   of what is recalled an assumption removes only values with which it is false. The ends of
//!   sections are made in t as well.
//! - A fault in s stops r; t stays, r makes no more steps in s. A fault that keeps the lock keeps it
//!   in t. A fault of p, or of an exact thread, happens in t.
//! - A thread that was left out writes no observed cell. Its steps are not seen. While it holds the
//!   memory lock in s nobody does in t, where others can do more.
//!
//! So p makes the same steps and sees the same writes to cells that it reads, in the same order,
//! which is the paper's ⊑ₚ (with other writes between them that the paper hides).
//!
//! *Persistence.* If P is not persistent, there is by Theorem 1 (with e₂ as in [`mod@super::persistence`])
//! a state s, reachable under SC, in which nobody holds the lock, some p stores to y, walks alone to
//! a load of x ≠ y that returns v, and another thread r could from s write x next, or in a section
//! that it enters next, so that x is v′ ≠ v. Let t correspond to s. Then p can make the same walk in
//! Aₚ, since it reads observed cells. x is observed, so r was not left out, and its write, or the
//! writes to observed cells of its section with both ends, can be made from t: they leave the same
//! v′ in x. No lock is held in t. So Aₚ has the pattern with pivot p. **If no Aₚ has the pattern with
//! pivot p, P is persistent.** The converse does not hold.
//!
//! An overflow of p or of an exact thread is still found in Aₚ; one of a forgotten thread is any
//! value, so that what is said of Aₚ is true for unbounded integers.

mod draft;
mod exact;
mod flow;
mod language;
mod possible;
mod visible;

use std::collections::{BTreeMap, BTreeSet};

use program::index::Idx;
use program::{
    Access, EdgeId, Instruction, LabelId, Parameterised, Program, ProgramBuilder, Register, Span,
    ThreadId, Value,
};

use crate::rewrite::with_constant;
use draft::{Draft, alone};
use exact::{After, Exact};
use flow::Flow;
use language::Language;
use possible::Possible;
pub use visible::NoFiniteRange;

/// A program that can be flattened around each of its threads.
#[derive(Debug)]
pub struct Flattening<'p> {
    flow: Flow<'p>,
}

/// A flattened program.
#[derive(Clone, Debug)]
pub struct Flattened {
    /// The program. It asks nothing about final states.
    pub program: Program,
    /// The thread that is exact.
    pub pivot: ThreadId,
}

impl<'p> Flattening<'p> {
    /// Finds out what the threads can write.
    pub fn new(program: &'p Program) -> Result<Self, Parameterised> {
        Ok(Self { flow: Flow::new(program)? })
    }

    /// What a cell can hold for an access under SC, if that is known and not much.
    pub fn can_hold(&self, address: Value, access: Access) -> Option<BTreeSet<Value>> {
        self.flow.held(address, access).few().cloned()
    }

    /// Whether another thread may write a cell.
    pub fn others_may_write(&self, thread: ThreadId, address: Value) -> bool {
        let cell = BTreeSet::from([address]);
        let mut others = self.flow.threads.indices().filter(|other| *other != thread);
        others.any(|other| self.may_write(other, &cell))
    }

    /// The program flattened around a thread, with the others exact for `depth` accesses.
    pub fn around(&self, pivot: ThreadId, depth: usize) -> Result<Flattened, NoFiniteRange> {
        if let Some(at) = self.flow.program().access_across() {
            return Err(NoFiniteRange { at, address: true });
        }
        let others: Vec<ThreadId> =
            self.flow.threads.indices().filter(|thread| *thread != pivot).collect();
        let mut cells = BTreeSet::new();
        for edge in self.flow.template(pivot).edges().indices() {
            self.observe(pivot, edge, &mut cells)?;
        }
        let mut drafts: BTreeMap<ThreadId, Exact> = BTreeMap::new();
        // Who writes what is observed matters, and then what it reads is observed.
        while let Some(thread) = others
            .iter()
            .copied()
            .find(|thread| !drafts.contains_key(thread) && self.may_write(*thread, &cells))
        {
            let exact = Exact::of(self.flow.template(thread), depth);
            for edge in exact.steps.iter().map(|(_, edge, _)| *edge) {
                self.observe(thread, edge, &mut cells)?;
            }
            drafts.insert(thread, exact);
        }
        let mut kinds: Vec<(ThreadId, Draft, u32)> = Vec::new();
        for (thread, exact) in &drafts {
            let draft = self.draft(*thread, exact, &cells)?;
            match kinds.iter_mut().find(|(_, other, _)| *other == draft) {
                Some((_, _, count)) => *count += 1,
                None => kinds.push((*thread, draft, 1)),
            }
        }
        Ok(self.build(pivot, kinds))
    }

    /// Adds the cells that an edge reads.
    fn observe(
        &self,
        thread: ThreadId,
        edge: EdgeId,
        cells: &mut BTreeSet<Value>,
    ) -> Result<(), NoFiniteRange> {
        let edge = self.flow.template(thread).edge(edge);
        match visible::reads(&self.flow, thread, edge) {
            None => Ok(()),
            Some(Possible::Few(addresses)) => {
                let memory = self.flow.program().memory();
                cells.extend(addresses.into_iter().filter(|cell| memory.cell(*cell).is_ok()));
                Ok(())
            }
            Some(Possible::Any) => Err(NoFiniteRange { at: edge.span, address: true }),
        }
    }

    fn may_write(&self, thread: ThreadId, cells: &BTreeSet<Value>) -> bool {
        let mut edges = self.flow.template(thread).edges().iter();
        edges.any(|edge| visible::may_write(&self.flow, thread, edge, cells))
    }

    /// What becomes of a thread.
    fn draft(
        &self,
        thread: ThreadId,
        exact: &Exact,
        cells: &BTreeSet<Value>,
    ) -> Result<Draft, NoFiniteRange> {
        let template = self.flow.template(thread);
        let copy = self.flow.threads[thread].copy;
        let identity = template.identity().map(|identity| (identity.register, identity.of(copy)));
        let language = Language::new(&self.flow, thread, cells, &exact.ends)?;
        // Exact places first, then the states of the automaton.
        let places = exact.places.len();
        let state = |label: &LabelId| places + language.begins[label];
        let mut edges = Vec::new();
        for (from, id, to) in &exact.steps {
            let edge = template.edge(*id);
            let is_unseen = matches!(edge.instruction, Instruction::Store { .. })
                && !visible::may_write(&self.flow, thread, edge, cells);
            let instruction = if is_unseen {
                Instruction::Skip
            } else {
                with_constant(&edge.instruction, identity)
            };
            let to = match to {
                After::Exact(place) => *place,
                After::Flat(label) => state(label),
            };
            edges.push((*from, to, instruction, edge.span));
        }
        for (from, writes) in language.states.iter().enumerate() {
            for (write, to) in writes {
                edges.push((places + from, places + to, write.clone(), Span::NONE));
            }
        }
        let registers: &[Register] =
            if places == 0 { &[] } else { template.registers().as_slice() };
        Ok(Draft {
            registers: registers.iter().cloned().collect(),
            labels: places + language.states.len(),
            initial: if places == 0 { state(&template.initial()) } else { 0 },
            edges,
        })
    }

    fn build(&self, pivot: ThreadId, kinds: Vec<(ThreadId, Draft, u32)>) -> Flattened {
        let program = self.flow.program();
        let name = &self.flow.threads[pivot].name;
        let mut builder = ProgramBuilder::new(
            format!("{} flattened around {name}", program.name()),
            program.memory().outside(),
        );
        for location in program.memory().locations() {
            builder.location(location.clone());
        }
        builder.template(alone(self.flow.template(pivot), self.flow.threads[pivot].copy));
        for (thread, draft, count) in kinds {
            builder.template(
                draft.template(&format!("like {}", self.flow.threads[thread].name), count),
            );
        }
        let program = builder
            .build()
            .unwrap_or_else(|defects| panic!("a flattened program is not valid: {defects:?}"));
        Flattened { program, pivot: ThreadId::new(0) }
    }
}
