//! `AArch64`: multi-copy atomic Arm.
//!
//! Pulte, Flur, Deacon, French, Sarkar, Sewell: "Simplifying ARM concurrency: multicopy-atomic
//! axiomatic and operational models for `ARMv8`" (POPL 2018), in the form that the Arm Architecture
//! Reference Manual (DDI 0487, B2.3) has since given it: *local write successor* in place of the
//! paper's rules that end in `coi` and `fri`; *dependency through registers and memory*; *pick
//! dependencies* for `CSEL` and `CAS`, which order less than others; and *atomic-ordered-before*,
//! which leads from the read of an update to an acquire that reads its write. The requirements are
//! *internal visibility* and *atomic* ([`Execution::is_coherent`], [`Execution::is_atomic`]), and
//!
//! *external visibility*: `ob = obs ∪ lob` is acyclic.
//!
//! Accesses across cells (*mixed-size* ones; first in Flur, Sarkar, Pulte, Nienhuis, Maranget, Gray, Sezgin,
//! Batty and Sewell: "Mixed-size concurrency: ARM, POWER, C/C++11, and SC", POPL 2017) have an event for
//! each cell, and what observes one, or is a local write successor of one, does so of the whole
//! single-copy-atomic access (`obs; sca-class?` and `lwfs; sca-class` in the official model). What a
//! thread reads from its own writes orders the cells that it reads there alone. And a read comes before what a later read of one
//! of its cells sees overwritten elsewhere (`haz-ob` in the official model since 2023), on which Linux's queued spinlock relies.
//!
//! Orders: `SeqCst` on a load is `LDAR`, `Acquire` on a load `LDAPR`; an exclusive load that acquires is
//! `LDAXR`, a store that releases `STLR` or `STLXR`; updates have the suffixes `A` and `L`. An update of
//! a test whose result nobody receives is one of the instructions without a result (`STADD`, or `SWP` to
//! `WZR`): it does not acquire and `dmb ld` does not order it. `dmb ld` is [`FenceKind::Acquire`], `dmb st`
//! [`FenceKind::StoreStore`], every other `dmb` is full. The orders and fences of a language are compiled
//! first (`program::mapping`).

use program::{FenceKind, Order};

use crate::axiom::Axiom;
use crate::event::{Event, Origin};
use crate::execution::Execution;
use crate::model::fences::ordered_by_fences;
use crate::model::orders::{acquires, releasing_writes};
use crate::relation::{EventSet, Relation};

/// External visibility.
pub(super) fn axioms(execution: &Execution) -> Vec<Axiom> {
    let mut parts = vec![
        ("rfe", execution.at_once(execution.rfe())),
        ("coe", execution.at_once(execution.coe())),
        ("fre", execution.at_once(execution.fre())),
    ];
    if !execution.same_access.is_empty() {
        parts.push(("haz", hazard_ordered(execution)));
    }
    parts.extend(Local::new(execution).ordered_before());
    vec![Axiom::acyclic("external visibility", parts)]
}

/// Explicit-hazard-ordered-before, where it adds something: `[R]; po-loc; [R]; sca-class?; fre; sca-class?`. Of
/// two reads of one cell the earlier one comes before whatever the access of the later one sees overwritten, in
/// any of its cells.
fn hazard_ordered(execution: &Execution) -> Relation {
    let Execution { reads, same_access, .. } = execution;
    let again = execution.po_loc().starting_in(*reads).ending_in(*reads);
    let other_cells = again.then(same_access);
    execution.at_once((again | other_cells).then(&execution.fre()))
}

/// The relations within threads.
struct Local<'a> {
    execution: &'a Execution,
    /// Reads that acquire, `RCsc` (`A`) or `RCpc` (`Q`).
    acquire: EventSet,
    /// Reads that acquire, `RCsc`.
    acquire_rcsc: EventSet,
    /// Writes that release (`L`).
    release: EventSet,
    /// Local read successor: from a write to the reads of its thread that read it (`lrs`).
    read_successor: Relation,
}

impl<'a> Local<'a> {
    fn new(execution: &'a Execution) -> Self {
        let reads =
            |property: fn(&Event) -> bool| execution.reads & execution.events_with(property);
        Self {
            execution,
            acquire: reads(|event| is_acquire_rcsc(event) || is_acquire_rcpc(event)),
            acquire_rcsc: reads(is_acquire_rcsc),
            release: releasing_writes(execution),
            read_successor: execution.rfi(),
        }
    }

    /// What locally-ordered-before is made of, and pick-locally-ordered-before.
    fn ordered_before(&self) -> Vec<(&'static str, Relation)> {
        let mut parts = vec![
            ("lws", self.execution.at_once(self.write_successor())),
            ("dob", self.dependency_ordered()),
            ("pob", self.pick_ordered()),
            ("aob", self.atomic_ordered()),
            ("bob", self.barrier_ordered()),
        ];
        let all = parts.iter().fold(self.execution.nothing(), |all, (_, part)| all | part);
        let local = all.transitive();
        let picked = self.pick_dependency().then(&local).ending_in(self.execution.writes);
        parts.push(("pick-lob", picked));
        parts
    }

    /// Local write successor (`lws`).
    fn write_successor(&self) -> Relation {
        self.execution.po_loc().ending_in(self.execution.writes)
    }

    /// Dependency-ordered-before (`dob`).
    fn dependency_ordered(&self) -> Relation {
        let Execution { po, reads, writes, computed, .. } = self.execution;
        let through = self.through_updates();
        let addr = through.then(&computed.addr);
        let data = through.then(&computed.data);
        let ctrl = through.then(&computed.ctrl);
        let instruction_barrier = self.execution.fences(FenceKind::Control);
        let speculative = &ctrl | addr.then(po);
        &addr
            | &data
            | ctrl.ending_in(*writes)
            | addr.then(&self.execution.po_accesses()).ending_in(*writes)
            | speculative.ending_in(instruction_barrier).then(po).ending_in(*reads)
            | (addr | data).then(&self.read_successor)
    }

    /// Pick-ordered-before (`pob`).
    fn pick_ordered(&self) -> Relation {
        let Execution { po, reads, writes, syntactic, .. } = self.execution;
        // What a write of the thread hands on to its reads starts no dependency.
        let through = self.through_memory().starting_in(*reads);
        let addr = through.then(&syntactic.addr);
        let ctrl = through.then(&syntactic.ctrl);
        let instruction_barrier = self.execution.fences(FenceKind::Control);
        let speculative = &ctrl | addr.then(po);
        self.pick_dependency().ending_in(*writes)
            | addr.then(&self.execution.po_accesses()).ending_in(*writes)
            | speculative.ending_in(instruction_barrier).then(po).ending_in(*reads)
    }

    /// Pick dependencies of all sorts, from reads. Dependencies without a pick are among them: what
    /// they order is ordered already.
    fn pick_dependency(&self) -> Relation {
        let Execution { syntactic, .. } = self.execution;
        let last =
            &syntactic.addr | &syntactic.data | syntactic.ctrl.ending_in(self.execution.accesses());
        let through = self.through_memory();
        (through.then(&last) | through).starting_in(self.execution.reads)
    }

    /// From a read to itself, and to the reads that its value reaches through an update that computes
    /// with it and a local read successor.
    fn through_updates(&self) -> Relation {
        self.execution.fetch.then(&self.read_successor).reflexive_transitive()
    }

    /// From a read to itself, and to the reads that its value reaches through registers and memory,
    /// or that it picks.
    fn through_memory(&self) -> Relation {
        let Execution { syntactic, fetch, .. } = self.execution;
        let step = &syntactic.addr | &syntactic.data | fetch | &self.read_successor;
        step.starting_in(self.execution.accesses())
            .reflexive_transitive()
            .ending_in(self.execution.reads)
    }

    /// Atomic-ordered-before (`aob`).
    fn atomic_ordered(&self) -> Relation {
        let Execution { rmw, .. } = self.execution;
        rmw | rmw.then(&self.read_successor).ending_in(self.acquire)
    }

    /// Barrier-ordered-before (`bob`).
    fn barrier_ordered(&self) -> Relation {
        let po = self.execution.po_accesses();
        let updates = self.execution.events_with(Event::is_update);
        let acquire_release =
            self.execution.rmw.starting_in(self.acquire_rcsc & updates).ending_in(self.release);
        let after_acquire_release: EventSet =
            acquire_release.pairs().map(|(_, write)| write).collect();
        let loads = self.execution.reads - self.execution.events_with(has_no_result);
        self.full_fences()
            | ordered_by_fences(self.execution, loads)
            | po.starting_in(self.acquire)
            | po.ending_in(self.release)
            | po.starting_in(self.release).ending_in(self.acquire_rcsc)
            | po.starting_in(after_acquire_release)
    }

    /// A full fence orders also reads without a result.
    fn full_fences(&self) -> Relation {
        self.execution.separated_by(self.execution.fences(FenceKind::Full))
    }
}

/// Whether a read is `RCsc`.
fn is_acquire_rcsc(event: &Event) -> bool {
    match event.origin {
        Origin::Ordinary => event.order == Order::SeqCst,
        Origin::Exclusive => acquires(event.order),
        Origin::Update { keeps_result } => keeps_result && acquires(event.order),
        Origin::Initial => false,
    }
}

/// Whether a read is `RCpc`.
fn is_acquire_rcpc(event: &Event) -> bool {
    match event.origin {
        Origin::Ordinary => event.order == Order::Acquire,
        Origin::Exclusive | Origin::Update { .. } | Origin::Initial => false,
    }
}

/// Whether an event belongs to an update whose result nobody receives.
fn has_no_result(event: &Event) -> bool {
    match event.origin {
        Origin::Update { keeps_result } => !keeps_result,
        Origin::Ordinary | Origin::Exclusive | Origin::Initial => false,
    }
}
