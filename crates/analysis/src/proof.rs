//! How it is known that something holds.
//!
//! A proof has two parts: what it rests on ([`Basis`]), which is data for whoever tells or checks it, and
//! the evidence that the program is all of what was written ([`Whole`]). Without the second there is no
//! proof, so bounds of a translation cannot be forgotten on any way to *holds*.

use crate::criterion::Criterion;
use crate::whole::Whole;

/// Who explored states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// Fencewright itself.
    #[default]
    Fencewright,
    /// The real Spin.
    Spin,
    /// Fencewright on a graphics card.
    Cuda,
    /// Fencewright on several processes or machines.
    Cluster,
}

impl Engine {
    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fencewright => "fencewright",
            Self::Spin => "spin",
            Self::Cuda => "cuda",
            Self::Cluster => "cluster",
        }
    }

    /// Its name in a sentence.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Fencewright => "Fencewright",
            Self::Spin => "Spin",
            Self::Cuda => "the graphics card",
            Self::Cluster => "the cluster",
        }
    }
}

/// What a proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Control flow alone: no store can wait until a load follows.
    ControlFlow,
    /// No critical cycle contains a store and a later load that may be reordered: whatever values are.
    NoCriticalCycle,
    /// All states were explored, and none shows the contrary.
    Exhausted {
        /// By whom.
        engine: Engine,
    },
    /// Coverability: the number of copies in each local state is counted, and no number of them gets there.
    AnyNumber,
    /// Load buffers instead of store buffers: backward over minimal configurations, whatever the length of
    /// buffers.
    AnyLength,
    /// An abstraction with more behaviours shows nothing to the contrary.
    Abstraction {
        /// For how many accesses other threads were exact; nothing if each thread by itself was enough.
        depth: Option<usize>,
    },
    /// Another criterion holds, and implies it; of a question about TSO, if SC has the same answer.
    ImpliedBy {
        /// The criterion.
        criterion: Criterion,
        /// How that is known.
        basis: Box<Basis>,
    },
}

impl Basis {
    /// All states were explored by Fencewright itself.
    pub const EXPLORED: Self = Self::Exhausted { engine: Engine::Fencewright };
}

/// That something holds, of the program and of all that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    basis: Basis,
    whole: Whole,
}

impl Proof {
    /// A proof of something about a program that is all of what was written.
    pub const fn new(basis: Basis, whole: Whole) -> Self {
        Self { basis, whole }
    }

    /// What it rests on.
    pub const fn basis(&self) -> &Basis {
        &self.basis
    }

    /// That the program is all of what was written.
    pub const fn whole(&self) -> Whole {
        self.whole
    }

    /// The proof of what a criterion implies, of which this is a proof.
    #[must_use]
    pub fn implies(self, criterion: Criterion) -> Self {
        let Self { basis, whole } = self;
        Self { basis: Basis::ImpliedBy { criterion, basis: Box::new(basis) }, whole }
    }

    /// The criterion that implies it, if that is how it is known.
    pub const fn implied_by(&self) -> Option<Criterion> {
        match &self.basis {
            Basis::ImpliedBy { criterion, .. } => Some(*criterion),
            Basis::ControlFlow
            | Basis::NoCriticalCycle
            | Basis::AnyNumber
            | Basis::AnyLength
            | Basis::Exhausted { .. }
            | Basis::Abstraction { .. } => None,
        }
    }
}
