//! For tests only: an oracle for small programs. It enumerates all computations under SC and TSO
//! that end with empty buffers and decides every question from its definition, by comparing sets.
//!
//! It shares no code with the rest of the project but the program model, so an error in an analysis
//! has nothing here to hide behind. Speed comes from small programs and compact states, not from
//! theorems. Where enumeration ends it says so ([`Exceeded`]) and never guesses.
//!
//! - [`verdicts()`], [`holds`]: data-race freedom, triangular-race freedom, trace robustness,
//!   persistence, equal states.
//! - [`has_data_race`], [`has_triangular_race`], [`has_fragility_pattern`]: data races, and the patterns
//!   of SC computations that betray triangular races and a lack of persistence.
//! - [`has_happens_before_cycle`]: the characterisation of robustness by cycles.
//! - [`plain_configurations`], [`final_states`], [`reachable_errors`], [`reachable_faults`],
//!   [`has_deadlock`], [`answer`]: what is reachable.
//! - [`breaks_within`]: criteria about traces, as far as computations of a certain length show, for
//!   programs with loops.
//! - [`minimum_fences`]: the least number of fences.
//! - [`generate`]: programs to ask about, random ones that shrink and all tiny ones; [`Census`]: what
//!   is in them.

pub mod generate;

mod census;
mod code;
mod deadlock;
mod explore;
mod fences;
mod happens_before;
mod intent;
mod interner;
mod limits;
mod machine;
mod outcomes;
mod race;
mod state;
mod step;
mod trace;
mod verdicts;

pub use census::{Census, Feature};
pub use code::{Place, Position};
pub use deadlock::has_deadlock;
pub use fences::{Candidate, edge_candidates, label_candidates, minimum_fences};
pub use happens_before::has_happens_before_cycle;
pub use limits::{Exceeded, Limits};
pub use outcomes::{
    Answer, Configuration, ThreadConfiguration, answer, final_states, plain_configurations,
    reachable_errors, reachable_faults,
};
pub use race::{has_data_race, has_fragility_pattern, has_triangular_race};
pub use state::MemoryModel;
pub use verdicts::{Criterion, Verdicts, breaks_within, holds, verdicts};
