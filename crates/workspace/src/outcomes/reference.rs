//! Final states compared with those of TSO: what x86 gives.

use std::ops::ControlFlow;

use analysis::final_states::{FinalStates, final_states};
use analysis::tso_only::Seen;
use analysis::{Options, Progress};
use axiomatic::Model;
use program::{Parameterised, Program};

/// Marks what TSO does not have, in place of what SC does not have.
pub(super) fn compare_with_tso(
    (program, seen): (&Program, Seen),
    states: &mut FinalStates,
    options: &Options,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(), Parameterised> {
    let tso = final_states(program, Model::Tso, seen, options, watch)?;
    let is_complete = tso.doubt.is_none();
    let is_comparable = tso.shown == states.shown;
    let only_weak = |is_there: bool| {
        if is_there { Some(false) } else { is_complete.then_some(true) }
    };
    for state in &mut states.states {
        let is_there = tso.states.iter().any(|other| other.values == state.values);
        state.only_weak = if is_comparable { only_weak(is_there) } else { None };
    }
    for error in &mut states.errors {
        let is_same = |other: &analysis::final_states::FailedRun| {
            (other.thread, other.edge) == (error.thread, error.edge)
        };
        let is_there = tso.errors.iter().any(is_same);
        error.only_weak = only_weak(is_there);
    }
    states.statistics.include(&tso.statistics);
    Ok(())
}
