//! What `reach` has to say about one input, whoever found it out.

use analysis::{Ending, Execution, Statistics};
use program::Span;
use semantics::Model;

/// An answer, ready to be told.
pub struct Answer {
    /// The memory model that was asked about.
    pub model: Model,
    /// Who searched.
    pub engine: &'static str,
    /// What was looked for: nouns for `no … can be reached`.
    pub looked_for: Vec<&'static str>,
    /// What came out.
    pub outcome: Outcome,
    /// What the search did.
    pub statistics: Statistics,
}

/// What came out.
pub enum Outcome {
    /// Nothing that was looked for can be reached.
    Holds,
    /// Something can, by this run.
    Violated(Execution),
    /// That is not known.
    Undecided {
        /// Why.
        reason: String,
        /// What in the program is the reason, if something is.
        at: Span,
        /// What to do about it.
        advice: Option<String>,
    },
}

/// What a run found, in one word for machines.
pub(crate) const fn found(ending: &Ending) -> &'static str {
    match ending {
        Ending::Fault { .. } | Ending::Limit { .. } => "fault",
        Ending::Deadlock(_) => "deadlock",
        Ending::Goal | Ending::StepLimit => "goal",
        Ending::Terminated => "final_state",
    }
}
