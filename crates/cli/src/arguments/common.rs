//! What commands have in common, for whoever treats all of them alike: one list of all commands.

use std::path::PathBuf;
use std::time::Instant;

use workspace::{Limits, ModelChoice, Relocking};

use super::fence::Enforced;
use super::outcomes::{Outcomes, OutcomesFormat};
use super::search::Search;
use super::{Command, Format, Inputs, ReportFormat};

/// Parts of a command, as far as it has them.
#[derive(Default)]
struct Common<'a> {
    /// The programs that it is about.
    inputs: Option<&'a mut Inputs>,
    /// Whether freed memory matters to the question, if programs are read for one.
    freed_memory_matters: Option<bool>,
    /// What becomes of a thread that takes a lock which it holds already.
    relocking: Relocking,
    /// How it searches, and its limits.
    search: Option<&'a mut Search>,
    /// Whether it starts compilers or tests although it has no limits, which an interrupt has to end.
    starts_others: bool,
    /// Whether questions are answered, in text for people.
    is_answered_in_text: bool,
    /// The findings that are known already.
    baseline: Option<&'a PathBuf>,
}

impl Command {
    fn common(&mut self) -> Common<'_> {
        match self {
            Self::Check(check) => Common {
                freed_memory_matters: Some(check.finds_errors()),
                relocking: Relocking::Fails,
                starts_others: false,
                is_answered_in_text: check.format == ReportFormat::Text,
                inputs: Some(&mut check.inputs),
                search: Some(&mut check.search),
                baseline: check.baseline.as_ref(),
            },
            Self::Fence(fence) => Common {
                freed_memory_matters: Some(matches!(
                    fence.criterion,
                    Enforced::States | Enforced::Safety
                )),
                relocking: Relocking::Fails,
                starts_others: false,
                is_answered_in_text: fence.format == ReportFormat::Text && !fence.diff,
                inputs: Some(&mut fence.inputs),
                search: Some(&mut fence.search),
                baseline: fence.baseline.as_ref(),
            },
            Self::Reach(reach) => Common {
                freed_memory_matters: Some(true),
                relocking: reach.relocking(),
                starts_others: false,
                is_answered_in_text: reach.format == ReportFormat::Text,
                inputs: Some(&mut reach.inputs),
                search: Some(&mut reach.search),
                baseline: reach.baseline.as_ref(),
            },
            Self::Outcomes(outcomes) => Common {
                freed_memory_matters: Some(is_explored(outcomes)),
                relocking: Relocking::Fails,
                starts_others: false,
                is_answered_in_text: outcomes.format == OutcomesFormat::Text,
                inputs: Some(&mut outcomes.inputs),
                search: Some(&mut outcomes.search),
                baseline: None,
            },
            Self::Port(port) => Common {
                is_answered_in_text: port.format == Format::Text && !port.diff,
                inputs: Some(&mut port.inputs),
                search: Some(&mut port.search),
                ..Common::default()
            },
            Self::Simulate(simulate) => Common {
                freed_memory_matters: Some(true),
                inputs: Some(&mut simulate.inputs),
                starts_others: true,
                ..Common::default()
            },
            Self::Show(show) => {
                Common { inputs: Some(&mut show.inputs), starts_others: true, ..Common::default() }
            }
            Self::Convert(convert) => Common {
                inputs: Some(&mut convert.inputs),
                starts_others: true,
                ..Common::default()
            },
            Self::Confirm(_) => Common { starts_others: true, ..Common::default() },
            // The limits of these are about runs of other programs, or they look at them themselves.
            Self::Batch(_)
            | Self::Cover(_)
            | Self::Step(_)
            | Self::Cc { .. }
            | Self::Cache { .. }
            | Self::Merge(_)
            | Self::Worker(_)
            | Self::Lsp
            | Self::Explain { .. }
            | Self::Man { .. }
            | Self::Completions { .. } => Common::default(),
        }
    }

    /// Tells the reader of programs whether freed memory matters to the question. Whether TSO differs from SC
    /// is asked of the accesses as they are written, and weaker models enumerate executions, for which it
    /// would be too much.
    pub(crate) fn say_what_matters(&mut self) {
        let Common { inputs, freed_memory_matters, relocking, .. } = self.common();
        if let (Some(inputs), Some(matters)) = (inputs, freed_memory_matters) {
            inputs.source.looks_at_lifetimes = matters;
            inputs.source.relocking = relocking;
        }
    }

    /// Begins now: what is limited is counted from here on. The limits that are watched from now on, perhaps none at
    /// all: then interrupts alone are.
    pub(crate) fn begin(&mut self, now: Instant) -> Option<Limits> {
        if let Self::Cover(cover) = self {
            cover.begin(now);
        }
        let Common { search, starts_others, .. } = self.common();
        match search {
            Some(search) => {
                search.begin(now);
                Some(search.limits)
            }
            None => starts_others.then(Limits::default),
        }
    }

    /// Whether questions are answered, in text for people.
    pub(crate) fn is_answered_in_text(&mut self) -> bool {
        self.common().is_answered_in_text
    }

    /// The findings that are known already.
    pub(crate) fn baseline(&mut self) -> Option<&PathBuf> {
        self.common().baseline
    }

    /// The programs that it is about.
    pub(crate) fn inputs_mut(&mut self) -> Option<&mut Inputs> {
        self.common().inputs
    }
}

/// Whether states are explored under the model that is asked for, and executions are not enumerated.
fn is_explored(outcomes: &Outcomes) -> bool {
    match &outcomes.model {
        None => true,
        Some(ModelChoice::BuiltIn(model)) => {
            matches!(model, axiomatic::Model::Sc | axiomatic::Model::Tso)
        }
        Some(ModelChoice::File(_)) => false,
    }
}
