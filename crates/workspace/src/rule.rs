//! What kinds of findings there are, by names that stay: those of SARIF, of editors, and of comments that accept them
//! ([`crate::suppression`]).

use analysis::{Criterion, Ending};

use crate::triage::Matter;

/// What kind of finding something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A criterion is violated.
    Violated(Criterion),
    /// An access that is not atomic races.
    PlainRace,
    /// An assertion can fail, or memory can be misused.
    Error,
    /// A deadlock can be reached.
    Deadlock,
    /// A final state that the program rules out can be reached.
    FinalState,
    /// The goal that was asked for can be reached.
    Goal,
    /// A history of operations is possible that no sequential order explains.
    History,
    /// A fence is missing.
    MissingFence,
    /// An access needs a stronger order.
    WeakOrder,
    /// A fence can go, or an order be weaker.
    MoreThanNeeded,
    /// A critical cycle has a delay.
    CriticalCycle,
    /// The question could not be answered.
    Undecided,
    /// The program could not be read.
    Input,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::PlainRace,
        Self::Violated(Criterion::Drf),
        Self::Violated(Criterion::Trf),
        Self::Violated(Criterion::Robustness),
        Self::Violated(Criterion::Persistence),
        Self::Violated(Criterion::States),
        Self::Error,
        Self::Deadlock,
        Self::FinalState,
        Self::Goal,
        Self::History,
        Self::MissingFence,
        Self::WeakOrder,
        Self::MoreThanNeeded,
        Self::CriticalCycle,
        Self::Undecided,
        Self::Input,
    ];

    /// A name that stays.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Violated(Criterion::Drf) => "data-race",
            Self::Violated(Criterion::Trf) => "triangular-race",
            Self::Violated(Criterion::Robustness) => "not-robust",
            Self::Violated(Criterion::Persistence) => "not-persistent",
            Self::Violated(Criterion::States) => "other-states",
            Self::PlainRace => "undefined-race",
            Self::Error => "error",
            Self::Deadlock => "deadlock",
            Self::FinalState => "final-state",
            Self::Goal => "goal",
            Self::History => "history",
            Self::MissingFence => "missing-fence",
            Self::WeakOrder => "weak-order",
            Self::MoreThanNeeded => "more-than-needed",
            Self::CriticalCycle => "critical-cycle",
            Self::Undecided => "undecided",
            Self::Input => "input",
        }
    }

    /// Whether a comment in the source can accept a finding of this kind. Where nothing is known there is nothing to
    /// accept, and a goal is what was asked for.
    pub const fn can_be_accepted(self) -> bool {
        match self {
            Self::Goal | Self::Undecided | Self::Input => false,
            Self::Violated(_)
            | Self::PlainRace
            | Self::Error
            | Self::Deadlock
            | Self::FinalState
            | Self::History
            | Self::MissingFence
            | Self::WeakOrder
            | Self::MoreThanNeeded
            | Self::CriticalCycle => true,
        }
    }

    /// The kind that has this name and can be accepted.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.can_be_accepted() && rule.id() == name)
    }

    /// What a run shows that ends like this.
    pub const fn of_ending(ending: &Ending) -> Self {
        match ending {
            Ending::Fault { .. } | Ending::Limit { .. } => Self::Error,
            Ending::Deadlock(_) => Self::Deadlock,
            Ending::Goal | Ending::StepLimit => Self::Goal,
            Ending::History(_) => Self::History,
            Ending::Terminated => Self::FinalState,
        }
    }

    /// What is found where something that matters to an author is violated, if that is an error by this run.
    pub const fn of_matter(matter: Matter, ending: &Ending) -> Self {
        match matter {
            Matter::Races => Self::PlainRace,
            Matter::Errors => Self::of_ending(ending),
            Matter::Results => Self::Violated(Criterion::States),
            Matter::Visibility => Self::Violated(Criterion::Robustness),
        }
    }
}
