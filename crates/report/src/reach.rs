//! What `reach` has to say about one input, whoever found it out.

use analysis::{Criterion, Ending, Execution, Statistics};
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
    /// Why what holds under SC holds under TSO: the program satisfies this criterion.
    pub because: Option<Criterion>,
    /// What the search did.
    pub statistics: Statistics,
}

/// What came out: nothing that was looked for can be reached, or something can, by this run.
pub type Outcome = crate::outcome::Outcome<Execution>;

/// What a run found, in one word for machines.
pub(crate) const fn found(ending: &Ending) -> &'static str {
    match ending {
        Ending::Fault { .. } | Ending::Limit { .. } => "fault",
        Ending::Deadlock(_) => "deadlock",
        Ending::Goal | Ending::StepLimit => "goal",
        Ending::Terminated => "final_state",
    }
}

impl Answer {
    /// Why what holds under SC holds under TSO.
    pub(crate) const fn reason_to_hold(&self) -> Option<&'static str> {
        match self.because {
            Some(Criterion::Drf) => Some("it has no data race, so TSO adds nothing"),
            Some(Criterion::Trf) => Some("it has no triangular race, so TSO adds nothing"),
            Some(Criterion::Robustness) => Some("the program is robust, so TSO adds nothing"),
            Some(Criterion::Persistence) => Some("the program is persistent, so TSO adds nothing"),
            Some(Criterion::States) => Some("TSO has the states of SC"),
            None => None,
        }
    }
}
