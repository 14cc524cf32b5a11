//! Analyses of programs. What they find is data, and a computation they present has been accepted
//! by [`semantics::replay()`].

pub mod abstraction;
pub mod criterion;
pub mod evidence;
pub mod execution;
pub mod final_states;
pub mod histories;
pub mod outcomes;
pub mod parameterised;
pub mod portfolio;
pub mod proof;
pub mod reach;
pub mod robustness;
pub mod simulate;
pub mod triage;
pub mod tso_only;
mod under_tso;
pub mod verdict;
pub mod violations;
pub mod whole;

mod buffers;
mod duality;
mod failing;
mod kept_locks;
mod overtaking;
mod patterns;
pub mod race;
mod rules;
mod sc;

pub use abstraction::{Depth, persistence_by_abstraction};
pub use criterion::Criterion;
pub use evidence::Evidence;
pub use execution::{Ending, Execution, FinalState, Waiting, final_state};
pub use explore::{
    Limit, Limits, Lookout, Progress, available_addresses, available_memory, memory_in_use,
    time_to_fill,
};
pub use final_states::{FinalStates, final_states};
pub use histories::{Histories, History, histories};
pub use outcomes::{Comparison, Error, Outcome, Outcomes, compare, outcomes};
pub use portfolio::{Checked, check, same_states_as_sc};
pub use proof::{Basis, Engine, Proof};
pub use race::{PlainRaces, plain_races};
pub use reach::{Query, Report, accept, first_error, known_under_tso, reach};
pub use robustness::robustness;
pub use sc::dead_results;
pub use simulate::simulate;
pub use under_tso::{reach_under, reach_with_buffers, reach_with_load_buffers};
pub use verdict::{Options, Reason, Reductions, Searcher, Statistics, Verdict, Watch};
pub use violations::violations;
pub use whole::{Whole, whole};
