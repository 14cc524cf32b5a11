//! IMM: the intermediate memory model between languages and machines.
//!
//! Anton Podkopaev, Ori Lahav, Viktor Vafeiadis: "Bridging the gap between programming languages and
//! hardware weak memory models" (POPL 2019), §3, with the sequentially consistent accesses that the
//! mechanised version of the paper adds. Like RC11, but load buffering is forbidden only where
//! dependencies, fences or orders stand between: *global ordering*, `ar = rfe ∪ bob ∪ ppo ∪ detour ∪ psc`
//! is acyclic, takes the place of NO-THIN-AIR. Dependencies are those of the program text.
//!
//! Every access is atomic here, at least relaxed; there are no races. Updates are the paper's *normal*
//! ones, not the strong ones. The expected value of a compare-and-swap is a dependency of what it
//! writes (`casdep`).

use crate::axiom::Axiom;
use crate::event::Event;
use crate::execution::Execution;
use crate::limits::NoAnswer;
use crate::model::rc11::{Modes, coherence, extended_coherence, partial_sc};
use crate::relation::Relation;

/// The axioms.
pub(super) fn axioms(execution: &Execution) -> Result<Vec<Axiom>, NoAnswer> {
    let modes = Modes::of(execution)?;
    let happens_before = happens_before(execution, &modes);
    let psc = partial_sc(execution, &modes, &happens_before);
    let order = order(execution, &modes, &happens_before);
    Ok(vec![
        coherence(execution, happens_before),
        Axiom::acyclic("SC", vec![("psc", psc)]),
        Axiom::acyclic("global ordering", order),
    ])
}

/// Whether the axioms hold.
pub(super) fn allows(execution: &Execution) -> Result<bool, NoAnswer> {
    // Fences that C does not have are refused wherever they are.
    let _ = Modes::of(execution)?;
    Ok(execution.is_sc() || axioms(execution)?.iter().all(Axiom::holds))
}

/// `hb = (sb ∪ sw)⁺` with `sw = release; (rfi ∪ (sb|loc)?; rfe); (sb; [F])?; [E ⊒ acq]`,
/// `release = [E ⊒ rel]; ([F]; sb)?; rs` and `rs = [W]; (sb|loc; [W] ∪ ((sb|loc)?; rf; rmw)*)`.
fn happens_before(execution: &Execution, modes: &Modes) -> Relation {
    let Execution { po, writes, rf, rmw, .. } = execution;
    let po_loc = execution.po_loc();
    let continued = po_loc.or_same().then(rf).then(rmw).reflexive_transitive();
    let release_sequence = (po_loc.ending_in(*writes) | continued).starting_in(*writes);
    let from_release = po.starting_in(modes.fences).or_same().starting_in(modes.release);
    let to_acquire = po.ending_in(modes.fences).or_same().ending_in(modes.acquire);
    let read = execution.rfi() | po_loc.or_same().then(&execution.rfe());
    let synchronises_with = from_release.then(&release_sequence).then(&read).then(&to_acquire);
    (po | synchronises_with).transitive()
}

/// What `ar` is made of.
fn order(
    execution: &Execution,
    modes: &Modes,
    happens_before: &Relation,
) -> Vec<(&'static str, Relation)> {
    let hb = happens_before;
    let sc_fences = modes.fences & modes.seq_cst;
    let between_fences = hb.then(&extended_coherence(execution)).then(hb);
    let detour = execution.coe().then(&execution.rfe()) & &execution.po;
    vec![
        ("rfe", execution.rfe()),
        ("bob", barrier_ordered(execution, modes)),
        ("ppo", preserved(execution)),
        ("detour", detour),
        ("psc", between_fences.starting_in(sc_fences).ending_in(sc_fences)),
    ]
}

/// `bob = sb; [W^rel] ∪ [W^rel]; sb|loc; [W] ∪ sb; [F] ∪ [F]; sb ∪ [R^acq]; sb`.
fn barrier_ordered(execution: &Execution, modes: &Modes) -> Relation {
    let Execution { po, reads, writes, .. } = execution;
    let release = *writes & modes.release;
    po.ending_in(release)
        | execution.po_loc().starting_in(release).ending_in(*writes)
        | po.ending_in(modes.fences)
        | po.starting_in(modes.fences)
        | po.starting_in(*reads & modes.acquire)
}

/// `ppo = [R]; (data ∪ ctrl ∪ addr; sb? ∪ rfi ∪ rmw; sb? ∪ [R^ex]; sb ∪ casdep)⁺; [W]`.
fn preserved(execution: &Execution) -> Relation {
    let Execution { po, reads, writes, rmw, syntactic, .. } = execution;
    let exclusive =
        *reads & execution.events_with(|event: &Event| event.is_update() || event.is_exclusive());
    let steps = &syntactic.data
        | &syntactic.ctrl
        | syntactic.addr.then(&po.or_same())
        | execution.rfi()
        | rmw.then(&po.or_same())
        | po.starting_in(exclusive);
    steps.transitive().starting_in(*reads).ending_in(*writes)
}
