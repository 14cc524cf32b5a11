//! The names that a model need not define.
//!
//! Sets and relations have the names of herd. The fences of each kind also go by the words of `.fw`
//! (`fence.full`, `fence.store_store`, …), and what an architecture has no instruction for is in none
//! of its sets: a model that speaks of `DMB.LD` knows nothing of a fence between loads alone. So the
//! sets of an architecture hold the nearest kind that orders as much.

use program::{FenceKind, Order};

use super::value::Value;
use super::vocabulary::Vocabulary;
use crate::event::{Effect, Event, Origin};
use crate::execution::{Dependencies, Execution};
use crate::relation::{EventSet, Relation};

/// A function that a model need not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Domain,
    Range,
    ByLocation,
    Linearisations,
}

/// What a name means on an execution, if it means anything.
pub(super) fn value(execution: &Execution, vocabulary: Vocabulary, name: &str) -> Option<Value> {
    let primitive = match name {
        "domain" => Some(Primitive::Domain),
        "range" => Some(Primitive::Range),
        "classes-loc" => Some(Primitive::ByLocation),
        "linearisations" => Some(Primitive::Linearisations),
        _ => None,
    };
    primitive
        .map(Value::Primitive)
        .or_else(|| relation(execution, vocabulary, name).map(Value::relation))
        .or_else(|| set(execution, vocabulary, name).map(Value::Set))
}

fn relation(execution: &Execution, vocabulary: Vocabulary, name: &str) -> Option<Relation> {
    let all: EventSet = (0..execution.events.len()).collect();
    let id = || execution.nothing().or_same();
    let internal = || &execution.same_thread | id();
    let amo = || execution.rmw.starting_in(execution.events_with(Event::is_update));
    Some(match name {
        "po" => execution.po.clone(),
        "rf" => execution.rf.clone(),
        "co" => execution.co.clone(),
        "fr" => execution.fr.clone(),
        "loc" | "same-loc" => execution.same_address.clone(),
        "int" => internal(),
        "ext" => execution.product(all, all) - internal(),
        "id" => id(),
        "sm" => &execution.same_access | id(),
        "si" | "same-instance" | "same-instr" => {
            let (sm, amo) = (&execution.same_access | id(), amo());
            let all = sm.then(&amo).then(&sm);
            &all | all.inverse() | sm
        }
        "rfi" => execution.rfi(),
        "rfe" => execution.rfe(),
        "coi" => execution.internal(&execution.co),
        "coe" => execution.coe(),
        "fri" => execution.internal(&execution.fr),
        "fre" => execution.fre(),
        "po-loc" => execution.po_loc(),
        "com" => execution.com(),
        "rmw" => execution.rmw.clone(),
        "amo" => amo(),
        "lxsx" => &execution.rmw - amo(),
        "iico_data" => execution.fetch.clone(),
        "iico_ctrl" => amo() - &execution.fetch,
        "iico_order" | "lo" => execution.nothing(),
        "addr" => dependency(execution, vocabulary, |all| &all.addr),
        "data" => dependency(execution, vocabulary, |all| &all.data),
        "ctrl" => dependency(execution, vocabulary, |all| &all.ctrl),
        "pick-addr-dep" => execution.syntactic.addr.clone(),
        "pick-data-dep" => execution.syntactic.data.clone(),
        "pick-ctrl-dep" => execution.syntactic.ctrl.clone(),
        _ => return None,
    })
}

/// Arm tells values that are computed from a read from those that are picked by one; RISC-V has
/// dependencies on the success of a store-conditional too.
fn dependency(
    execution: &Execution,
    vocabulary: Vocabulary,
    kind: fn(&Dependencies) -> &Relation,
) -> Relation {
    match vocabulary {
        Vocabulary::AArch64 => kind(&execution.computed).clone(),
        Vocabulary::RiscV => kind(&execution.syntactic) | kind(&execution.success),
        Vocabulary::X86 | Vocabulary::Arm | Vocabulary::Power | Vocabulary::C | Vocabulary::Any => {
            kind(&execution.syntactic).clone()
        }
    }
}

fn set(execution: &Execution, vocabulary: Vocabulary, name: &str) -> Option<EventSet> {
    let Execution { reads, writes, .. } = *execution;
    let with = |property: fn(&Event) -> bool| execution.events_with(property);
    let ordered = |order: Order| with(|_| true) & execution.events_with(|e| of_order(e, order));
    Some(match name {
        "R" => reads,
        "W" => writes,
        "M" => reads | writes,
        "F" => with(|event| matches!(event.effect, Effect::Fence(_))),
        "IW" => with(|event| event.origin == Origin::Initial),
        "FW" => writes.iter().filter(|write| execution.co.successors(*write).is_empty()).collect(),
        "Exp" => with(|_| true),
        // What executions here do not have: branches as events, single events that read and write,
        // accesses that no instruction makes, locks.
        "emptyset" | "Sc" | "B" | "BR" | "BCC" | "RMW" | "NExp" | "Imp" | "I" | "T" | "FAULT"
        | "SPURIOUS" | "CON" | "LK" | "LS" | "UL" | "LKW" | "TLBI" | "DC.CVAU" | "EXC-ENTRY"
        | "EXC-RET" | "SVC" => EventSet::EMPTY,
        "X" => {
            with(|event| event.is_exclusive() || event.is_update()) | locked(execution, vocabulary)
        }
        "AMO" => with(Event::is_update),
        "failed-exclusive" => with(|event| event.effect == Effect::FailedExclusive),
        "NoRet" => reads & with(|event| event.origin == Origin::Update { keeps_result: false }),
        "A" => match vocabulary {
            Vocabulary::C => (reads | writes) - ordered(Order::Plain),
            Vocabulary::X86 | Vocabulary::Power | Vocabulary::Arm => return None,
            Vocabulary::AArch64 | Vocabulary::RiscV | Vocabulary::Any => {
                reads & with(is_acquire_rcsc)
            }
        },
        "Q" => reads & with(is_acquire_rcpc),
        "L" => writes & with(|event| releases(event.order)),
        "Acq" => with(|event| annotated(event) && event.order == Order::Acquire),
        "Rel" => with(|event| annotated(event) && event.order == Order::Release),
        "AcqRel" => with(|event| {
            annotated(event) && matches!(event.order, Order::AcquireRelease | Order::SeqCst)
        }),
        "NA" => (reads | writes) & ordered(Order::Plain),
        "RLX" => ordered(Order::Relaxed),
        "ACQ" => ordered(Order::Acquire),
        "REL" => ordered(Order::Release),
        "ACQ_REL" => ordered(Order::AcquireRelease),
        "SC" => ordered(Order::SeqCst),
        _ => return fence(execution, vocabulary, name),
    })
}

/// Whether an event has an order of C: accesses that are not atomic and fences have one too, and an
/// atomic update without an order is relaxed.
fn of_order(event: &Event, order: Order) -> bool {
    let own = match (event.effect, event.order) {
        (Effect::Fence(kind), _) => match kind {
            FenceKind::Full => Order::SeqCst,
            FenceKind::Lightweight => Order::AcquireRelease,
            FenceKind::Acquire => Order::Acquire,
            FenceKind::Release => Order::Release,
            FenceKind::StoreStore
            | FenceKind::LoadLoad
            | FenceKind::LoadStore
            | FenceKind::StoreLoad
            | FenceKind::Control => return false,
        },
        (Effect::FailedExclusive, _) => return false,
        (Effect::Read { .. } | Effect::Write { .. }, Order::Plain | Order::Volatile) => {
            if event.is_update() { Order::Relaxed } else { Order::Plain }
        }
        (Effect::Read { .. } | Effect::Write { .. }, order) => order,
    };
    own == order
}

/// On x86 a store of C that is sequentially consistent is an exchange.
fn locked(execution: &Execution, vocabulary: Vocabulary) -> EventSet {
    match vocabulary {
        Vocabulary::X86 => {
            execution.writes & execution.events_with(|event| event.order == Order::SeqCst)
        }
        Vocabulary::Arm
        | Vocabulary::AArch64
        | Vocabulary::Power
        | Vocabulary::RiscV
        | Vocabulary::C
        | Vocabulary::Any => EventSet::EMPTY,
    }
}

/// Whether an order is one that an instruction has.
const fn annotated(event: &Event) -> bool {
    match event.effect {
        Effect::Read { .. } | Effect::Write { .. } => true,
        Effect::Fence(_) | Effect::FailedExclusive => false,
    }
}

const fn acquires(order: Order) -> bool {
    match order {
        Order::Acquire | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => false,
    }
}

const fn releases(order: Order) -> bool {
    match order {
        Order::Release | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Acquire => false,
    }
}

/// `LDAR`, `LDAXR`, and the updates with an `A` that have a result.
fn is_acquire_rcsc(event: &Event) -> bool {
    match event.origin {
        Origin::Ordinary => event.order == Order::SeqCst,
        Origin::Exclusive => acquires(event.order),
        Origin::Update { keeps_result } => keeps_result && acquires(event.order),
        Origin::Initial => false,
    }
}

/// `LDAPR`.
fn is_acquire_rcpc(event: &Event) -> bool {
    event.origin == Origin::Ordinary && event.order == Order::Acquire
}

/// The fences that go by a name.
fn fence(execution: &Execution, vocabulary: Vocabulary, name: &str) -> Option<EventSet> {
    let name = match (vocabulary, name) {
        (Vocabulary::Arm, "DMB.SY" | "DMB.ISH" | "DMB.OSH") => "DMB",
        (_, name) => name,
    };
    let (_, kinds) = FENCES.iter().find(|(names, _)| names.contains(&name))?;
    Some(kinds.iter().fold(EventSet::EMPTY, |all, kind| all | execution.fences(*kind)))
}

use FenceKind::{
    Acquire, Control, Full, Lightweight, LoadLoad, LoadStore, Release, StoreLoad, StoreStore,
};

/// Names, and the kinds of fences that go by them.
const FENCES: &[(&[&str], &[FenceKind])] = &[
    (&["fence.full", "Fence.rw.rw"], &[Full]),
    (&["fence.lightweight", "Fence.tso"], &[Lightweight]),
    (&["fence.store_store", "Fence.w.w", "SFENCE", "EIEIO"], &[StoreStore]),
    (&["DMB.ST", "DMB.ISHST", "DMB.OSHST"], &[StoreStore]),
    (&["fence.load_load", "Fence.r.r", "LFENCE"], &[LoadLoad]),
    (&["fence.load_store", "Fence.r.w"], &[LoadStore]),
    (&["fence.store_load", "Fence.w.r"], &[StoreLoad]),
    (&["fence.acquire", "Fence.r.rw"], &[Acquire]),
    (&["fence.release", "Fence.rw.w"], &[Release]),
    (&["fence.control", "ISYNC", "ISB", "Fence.i"], &[Control]),
    (&["MFENCE", "SYNC"], &[Full, StoreLoad]),
    (&["LWSYNC"], &[Lightweight, LoadLoad, LoadStore, Acquire, Release]),
    (&["DMB"], &[Full, Lightweight, LoadLoad, LoadStore, StoreLoad, Acquire, Release]),
    (&["DMB.SY", "DMB.ISH", "DMB.OSH"], &[Full, Lightweight, StoreLoad, Release]),
    (&["DMB.LD", "DMB.ISHLD", "DMB.OSHLD"], &[Acquire, LoadLoad, LoadStore]),
    // A `DSB` orders accesses as the `DMB` of the same name does, and is one here.
    (&["DSB", "DSB.SY", "DSB.ISH", "DSB.OSH", "DSB.LD", "DSB.ISHLD", "DSB.OSHLD"], &[]),
    (&["DSB.ST", "DSB.ISHST", "DSB.OSHST"], &[]),
    // Two fences of other kinds.
    (&["Fence.rw.r", "Fence.w.rw"], &[]),
];
