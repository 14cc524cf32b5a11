//! What is to be enumerated.

use program::{Architecture, Program, Target};

use crate::axioms::{Axioms, SilentUpdates};

/// A program, and how its threads are followed.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) program: &'a Program,
    /// What it is compiled for, unless it is asked about as it stands.
    pub(crate) target: Option<Target>,
    /// How often a run may come to the head of a loop.
    pub(crate) unroll: usize,
    /// Whether rounds of a loop that change nothing may be left out.
    pub(crate) leaves_stutters_out: bool,
    /// Whether such a round may have updates that write what they read.
    pub(crate) silent_updates: SilentUpdates,
    /// Whether a thread may be anywhere when another one comes to an end.
    pub(crate) stops_anywhere: bool,
    /// Whether writes wait until the addresses before them are known.
    pub(crate) waits_for_addresses: bool,
}

impl<'a> Task<'a> {
    /// To follow loops so often, as a model lets threads be followed.
    pub(crate) fn new(program: &'a Program, axioms: &dyn Axioms, unroll: usize) -> Self {
        Self {
            program,
            target: compiled_for(program, axioms),
            unroll,
            leaves_stutters_out: axioms.is_monotone(),
            silent_updates: axioms.silent_updates(),
            stops_anywhere: !axioms.lets_threads_go_on(),
            waits_for_addresses: axioms.waits_for_addresses(),
        }
    }
}

/// What a program is compiled for before a model is asked: nothing if it consists of the instructions of
/// that architecture already.
fn compiled_for(program: &Program, axioms: &dyn Axioms) -> Option<Target> {
    let target = axioms.target()?;
    let own = match target {
        Target::AArch64 | Target::AArch64Lse => Architecture::AArch64,
        Target::RiscV => Architecture::RiscV,
        // Their instructions have no orders, except those of later versions, which become fences.
        Target::Power | Target::ArmV7 => return Some(target),
    };
    (program.architecture() != Some(own)).then_some(target)
}
