//! RC11: the repaired model of C, C++ and Rust.
//!
//! Ori Lahav, Viktor Vafeiadis, Jeehoon Kang, Chung-Kil Hur, Derek Dreyer: "Repairing sequential
//! consistency in C/C++11" (PLDI 2017), Definition 1: COHERENCE, ATOMICITY, SC and NO-THIN-AIR, with
//! `sb` for our `po`, `mo` for `co` and `rb` for `fr`. C++20 took over the condition SC; NO-THIN-AIR
//! is the paper's own, and stronger than what compilers do: relaxed load buffering is forbidden here,
//! and allowed on Arm, Power and RISC-V.
//!
//! A plain or volatile access is not atomic. If two threads access a cell, one of them writes, one of
//! the accesses is not atomic and neither happens before the other, the program has a data race and no
//! defined behaviour at all. An atomic update without an order is relaxed. A compare-and-swap that
//! fails is a read of the order that it has for failure (C17 7.17.7.4). Fences that C does not have are
//! refused.

use program::{FenceKind, Order};

use crate::axiom::Axiom;
use crate::axioms::{Flag, Judgement};
use crate::event::{Effect, Event};
use crate::execution::Execution;
use crate::limits::NoAnswer;
use crate::relation::{EventSet, Relation};

/// The name of the flag that races raise.
pub(super) const DATA_RACE: &str = "data race";

/// The axioms.
pub(super) fn axioms(execution: &Execution) -> Result<Vec<Axiom>, NoAnswer> {
    let modes = Modes::of(execution)?;
    let happens_before = happens_before(execution, &modes);
    let psc = partial_sc(execution, &modes, &happens_before);
    let dependent = vec![("sb", execution.po.clone()), ("rf", execution.rf.clone())];
    Ok(vec![
        coherence(execution, happens_before),
        Axiom::acyclic("SC", vec![("psc", psc)]),
        Axiom::acyclic("no thin air", dependent),
    ])
}

/// Whether the axioms hold, and whether there is a race.
pub(super) fn judge(execution: &Execution) -> Result<Judgement, NoAnswer> {
    let modes = Modes::of(execution)?;
    if !execution.is_sc() && !axioms(execution)?.iter().all(Axiom::holds) {
        return Ok(Judgement::Forbidden);
    }
    let happens_before = happens_before(execution, &modes);
    let races: Vec<(usize, usize)> = races(execution, &modes, &happens_before).pairs().collect();
    let flags = if races.is_empty() {
        Vec::new()
    } else {
        vec![Flag { name: DATA_RACE.to_owned(), undefined: true, pairs: races }]
    };
    Ok(Judgement::Allowed(flags))
}

/// The events by their orders.
pub(super) struct Modes {
    pub(super) fences: EventSet,
    /// Accesses that are atomic, of any order.
    pub(super) atomic: EventSet,
    /// Events whose order is at least release.
    pub(super) release: EventSet,
    /// Events whose order is at least acquire.
    pub(super) acquire: EventSet,
    pub(super) seq_cst: EventSet,
}

impl Modes {
    /// Unless there is a fence without an order of C.
    pub(super) fn of(execution: &Execution) -> Result<Self, NoAnswer> {
        let mut modes = Self {
            fences: EventSet::EMPTY,
            atomic: EventSet::EMPTY,
            release: EventSet::EMPTY,
            acquire: EventSet::EMPTY,
            seq_cst: EventSet::EMPTY,
        };
        for (number, event) in execution.events.iter().enumerate() {
            let Some(order) = order(event)? else { continue };
            match event.effect {
                Effect::Fence(_) => modes.fences.insert(number),
                Effect::Read { .. } | Effect::Write { .. } => modes.atomic.insert(number),
                Effect::FailedExclusive => {}
            }
            let (release, acquire, seq_cst) = match order {
                Order::Plain | Order::Volatile | Order::Relaxed => (false, false, false),
                Order::Acquire => (false, true, false),
                Order::Release => (true, false, false),
                Order::AcquireRelease => (true, true, false),
                Order::SeqCst => (true, true, true),
            };
            let sets = [
                (release, &mut modes.release),
                (acquire, &mut modes.acquire),
                (seq_cst, &mut modes.seq_cst),
            ];
            for (is_in, set) in sets {
                if is_in {
                    set.insert(number);
                }
            }
        }
        Ok(modes)
    }
}

/// The order of a fence or of an atomic access.
fn order(event: &Event) -> Result<Option<Order>, NoAnswer> {
    let kind = match event.effect {
        Effect::FailedExclusive => return Ok(None),
        Effect::Read { .. } | Effect::Write { .. } => {
            return Ok(match event.order {
                Order::Plain | Order::Volatile => event.is_update().then_some(Order::Relaxed),
                Order::Relaxed
                | Order::Acquire
                | Order::Release
                | Order::AcquireRelease
                | Order::SeqCst => Some(event.order),
            });
        }
        Effect::Fence(kind) => kind,
    };
    match kind {
        FenceKind::Full => Ok(Some(Order::SeqCst)),
        FenceKind::Lightweight => Ok(Some(Order::AcquireRelease)),
        FenceKind::Acquire => Ok(Some(Order::Acquire)),
        FenceKind::Release => Ok(Some(Order::Release)),
        FenceKind::StoreStore
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::StoreLoad
        | FenceKind::Control => Err(NoAnswer::Model {
            why: "C has fences that acquire, release, do both, or are sequentially consistent; \
                  there is one of another kind"
                .to_owned(),
        }),
    }
}

/// Extended coherence order: `eco = (rf ∪ mo ∪ rb)⁺`.
pub(super) fn extended_coherence(execution: &Execution) -> Relation {
    execution.com().transitive()
}

/// COHERENCE: `hb; eco?` is irreflexive.
pub(super) fn coherence(execution: &Execution, happens_before: Relation) -> Axiom {
    let eco = extended_coherence(execution).or_same();
    Axiom::irreflexive("coherence", ("hb", happens_before), ("eco", eco))
}

/// `hb = (sb ∪ sw)⁺`.
fn happens_before(execution: &Execution, modes: &Modes) -> Relation {
    (&execution.po | synchronises_with(execution, modes)).transitive()
}

/// `sw = [E ⊒ rel]; ([F]; sb)?; rs; rf; [R ⊒ rlx]; (sb; [F])?; [E ⊒ acq]`.
fn synchronises_with(execution: &Execution, modes: &Modes) -> Relation {
    let po = &execution.po;
    let from_release = po.starting_in(modes.fences).or_same().starting_in(modes.release);
    let to_acquire = po.ending_in(modes.fences).or_same().ending_in(modes.acquire);
    from_release
        .then(&release_sequence(execution, modes))
        .then(&execution.rf.ending_in(modes.atomic))
        .then(&to_acquire)
}

/// `rs = [W]; (sb|loc)?; [W ⊒ rlx]; (rf; rmw)*`.
fn release_sequence(execution: &Execution, modes: &Modes) -> Relation {
    let continued = execution.rf.then(&execution.rmw).reflexive_transitive();
    execution
        .po_loc()
        .or_same()
        .starting_in(execution.writes)
        .ending_in(execution.writes & modes.atomic)
        .then(&continued)
}

/// Partial SC: `psc = psc_base ∪ psc_F`, with
/// `scb = sb ∪ sb|≠loc; hb; sb|≠loc ∪ hb|loc ∪ mo ∪ rb`,
/// `psc_base = ([E^sc] ∪ [F^sc]; hb?); scb; ([E^sc] ∪ hb?; [F^sc])` and
/// `psc_F = [F^sc]; (hb ∪ hb; eco; hb); [F^sc]`.
pub(super) fn partial_sc(
    execution: &Execution,
    modes: &Modes,
    happens_before: &Relation,
) -> Relation {
    let hb = happens_before;
    let fences = modes.fences & modes.seq_cst;
    let elsewhere = &execution.po - &execution.same_address;
    let before = &execution.po
        | elsewhere.then(hb).then(&elsewhere)
        | (hb & &execution.same_address)
        | &execution.co
        | &execution.fr;
    let same = execution.nothing().or_same();
    let from = same.starting_in(modes.seq_cst) | hb.or_same().starting_in(fences);
    let to = same.ending_in(modes.seq_cst) | hb.or_same().ending_in(fences);
    let between_fences = hb | hb.then(&extended_coherence(execution)).then(hb);
    from.then(&before).then(&to) | between_fences.starting_in(fences).ending_in(fences)
}

/// Two accesses of different threads to one cell, one of them a write, one not atomic, neither before
/// the other; each pair once.
fn races(execution: &Execution, modes: &Modes, happens_before: &Relation) -> Relation {
    let initial = execution.events_with(|event| event.thread.is_none());
    let accesses = execution.accesses() - initial;
    let all = |from, to| execution.product(from, to);
    let writes = execution.writes;
    let conflict = (all(accesses, writes) | all(writes, accesses)) & &execution.same_address;
    let conflict = execution.external(&conflict).starting_in(accesses).ending_in(accesses);
    let ordered = happens_before | happens_before.inverse() | all(modes.atomic, modes.atomic);
    let races = conflict - ordered;
    let once = races.pairs().filter(|(first, second)| first < second);
    Relation::from_pairs(execution.events.len(), once)
}
