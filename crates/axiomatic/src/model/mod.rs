//! The models: one file each, written over the relations of an [`Execution`].
//!
//! All of them have the axioms *sc per location* ([`Execution::is_coherent`]) and *atomicity*
//! ([`Execution::is_atomic`]); candidates that violate these are never proposed
//! (`crate::coherence`), so what stands in the files is what the models differ in. RMO alone lets two reads of
//! one address see its writes in the wrong order.

mod aarch64;
mod armv7;
mod fences;
mod herding_cats;
mod imm;
pub(crate) mod orders;
mod power;
mod pso;
mod rc11;
mod riscv;
mod rmo;
mod sc;
mod tso;

use std::fmt;

use program::Target;

use crate::axiom::{Axiom, Violation};
use crate::axioms::{AccessesAcross, Axioms, Judgement, SilentUpdates};
use crate::execution::Execution;
use crate::limits::NoAnswer;

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order: x86, SPARC TSO.
    Tso,
    /// Partial store order: SPARC PSO.
    Pso,
    /// Relaxed memory order: SPARC RMO.
    Rmo,
    /// Power.
    Power,
    /// Arm before multi-copy atomicity: `ARMv7`.
    ArmV7,
    /// Arm with multi-copy atomicity: `AArch64`.
    AArch64,
    /// The same, for programs whose updates are compiled to single instructions.
    AArch64Lse,
    /// RISC-V: RVWMO.
    RiscV,
    /// C, C++ and Rust: RC11.
    Rc11,
    /// The intermediate model between languages and machines: IMM.
    Imm,
}

impl Model {
    /// All models.
    pub const ALL: [Self; 11] = [
        Self::Sc,
        Self::Tso,
        Self::Pso,
        Self::Rmo,
        Self::Power,
        Self::ArmV7,
        Self::AArch64,
        Self::AArch64Lse,
        Self::RiscV,
        Self::Rc11,
        Self::Imm,
    ];

    /// The models of machines.
    pub const MACHINES: [Self; 9] = [
        Self::Sc,
        Self::Tso,
        Self::Pso,
        Self::Rmo,
        Self::Power,
        Self::ArmV7,
        Self::AArch64,
        Self::AArch64Lse,
        Self::RiscV,
    ];

    /// What it is called on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
            Self::Pso => "pso",
            Self::Rmo => "rmo",
            Self::Power => "power",
            Self::ArmV7 => "armv7",
            Self::AArch64 => "aarch64",
            Self::AArch64Lse => "aarch64-lse",
            Self::RiscV => "riscv",
            Self::Rc11 => "rc11",
            Self::Imm => "imm",
        }
    }

    /// The model with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }
}

impl Model {
    /// The axioms beyond *sc per location* and *atomicity*.
    pub(crate) fn axioms(self, execution: &Execution) -> Vec<Axiom> {
        match self {
            Self::Sc => sc::axioms(execution),
            Self::Tso => tso::axioms(execution),
            Self::Pso => pso::axioms(execution),
            Self::Rmo => rmo::axioms(execution),
            Self::Power => power::axioms(execution),
            Self::ArmV7 => armv7::axioms(execution),
            Self::AArch64 | Self::AArch64Lse => aarch64::axioms(execution),
            Self::RiscV => riscv::axioms(execution),
            Self::Rc11 => rc11::axioms(execution).unwrap_or_default(),
            Self::Imm => imm::axioms(execution).unwrap_or_default(),
        }
    }
}

impl Axioms for Model {
    fn name(&self) -> &str {
        Self::name(*self)
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        let allows = match self {
            Self::Rc11 => return rc11::judge(execution),
            Self::Imm => imm::allows(execution)?,
            Self::Sc => self.axioms(execution).iter().all(Axiom::holds),
            Self::Tso
            | Self::Pso
            | Self::Rmo
            | Self::Power
            | Self::ArmV7
            | Self::AArch64
            | Self::AArch64Lse
            | Self::RiscV => execution.is_sc() || self.axioms(execution).iter().all(Axiom::holds),
        };
        Ok(Judgement::allowed(allows))
    }

    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        self.axioms(execution).iter().find_map(Axiom::violation)
    }

    fn target(&self) -> Option<Target> {
        match self {
            Self::Sc | Self::Tso | Self::Pso | Self::Rmo | Self::Rc11 | Self::Imm => None,
            Self::Power => Some(Target::Power),
            Self::ArmV7 => Some(Target::ArmV7),
            Self::AArch64 => Some(Target::AArch64),
            Self::AArch64Lse => Some(Target::AArch64Lse),
            Self::RiscV => Some(Target::RiscV),
        }
    }

    fn accesses_across(&self) -> AccessesAcross {
        match self {
            Self::Sc | Self::Tso | Self::AArch64 | Self::AArch64Lse => AccessesAcross::AtOnce,
            // The manuals of Power, RISC-V and SPARC say too little, ARMv7's model was never made for
            // mixed sizes, and the models of languages know objects, not bytes.
            Self::Pso
            | Self::Rmo
            | Self::Power
            | Self::ArmV7
            | Self::RiscV
            | Self::Rc11
            | Self::Imm => AccessesAcross::Unsettled,
        }
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        *self != Self::Rmo
    }

    fn waits_for_addresses(&self) -> bool {
        *self != Self::Rmo
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn lets_threads_go_on(&self) -> bool {
        true
    }

    fn judges_parts_alone(&self) -> bool {
        true
    }

    fn silent_updates(&self) -> SilentUpdates {
        match self {
            Self::Sc | Self::Tso | Self::Pso => SilentUpdates::Go,
            Self::Rmo | Self::AArch64 | Self::AArch64Lse | Self::RiscV => {
                SilentUpdates::GoIfAcquiring
            }
            Self::Power | Self::ArmV7 | Self::Rc11 | Self::Imm => SilentUpdates::Stay,
        }
    }

    fn raises_flags(&self) -> bool {
        match self {
            Self::Rc11 => true,
            Self::Sc
            | Self::Tso
            | Self::Pso
            | Self::Rmo
            | Self::Power
            | Self::ArmV7
            | Self::AArch64
            | Self::AArch64Lse
            | Self::RiscV
            | Self::Imm => false,
        }
    }

    fn flags_depend_on_coherence(&self) -> bool {
        // Data races depend on `hb = (sb ∪ sw)⁺`, which RC11 defines without `mo`.
        false
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
