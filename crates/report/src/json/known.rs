//! How an answer is known, and what it rests on, as every document says it.

use analysis::{Basis, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::Premises;

/// What a proof rests on.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "method", rename_all = "snake_case")]
pub(super) enum KnownBy {
    ControlFlow,
    NoCriticalCycle,
    AnyNumber,
    AnyLength,
    Exhausted { engine: &'static str },
    Abstraction { depth: Option<usize> },
    ImpliedBy { criterion: &'static str, known_by: Box<KnownBy> },
}

impl KnownBy {
    pub(super) fn of(basis: &Basis) -> Self {
        match basis {
            Basis::ControlFlow => Self::ControlFlow,
            Basis::NoCriticalCycle => Self::NoCriticalCycle,
            Basis::AnyNumber => Self::AnyNumber,
            Basis::AnyLength => Self::AnyLength,
            Basis::Exhausted { engine } => Self::Exhausted { engine: engine.name() },
            Basis::Abstraction { depth } => Self::Abstraction { depth: *depth },
            Basis::ImpliedBy { criterion, basis } => {
                Self::ImpliedBy { criterion: criterion.name(), known_by: Box::new(Self::of(basis)) }
            }
        }
    }

    /// Of what holds.
    pub(super) fn of_verdict<E>(verdict: &Verdict<E>) -> Option<Self> {
        match verdict {
            Verdict::Holds(proof) => Some(Self::of(proof.basis())),
            Verdict::Violated(_) | Verdict::Undecided(_) => None,
        }
    }
}

/// What an answer about a program in C or Rust rests on.
#[derive(Serialize, JsonSchema)]
pub(super) struct Rests<'a> {
    bounds: Bounds,
    assumed: &'a [String],
    unknown: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct Bounds {
    recursion: u32,
    allocations: u32,
    amounts: u32,
    threads: u32,
}

impl<'a> Rests<'a> {
    pub(super) fn on(premises: &'a Premises) -> Option<Self> {
        let bounds = premises.bounds?;
        let bounds = Bounds {
            recursion: bounds.recursion,
            allocations: bounds.allocations,
            amounts: bounds.amounts,
            threads: bounds.threads,
        };
        Some(Self { bounds, assumed: &premises.assumed, unknown: &premises.unknown })
    }
}
