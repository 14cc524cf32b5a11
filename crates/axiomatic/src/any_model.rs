//! A model of either sort: built in, or read from a file.

use std::fmt;

use program::Target;

use crate::axiom::Violation;
use crate::axioms::{AccessesAcross, Axioms, Judgement, SilentUpdates};
use crate::cat::CatModel;
use crate::execution::Execution;
use crate::limits::NoAnswer;
use crate::model::Model;

/// A memory model.
#[derive(Clone, Debug)]
pub enum AnyModel {
    /// One that is built in.
    BuiltIn(Model),
    /// One that was read from a file.
    File(CatModel),
}

impl AnyModel {
    fn axioms(&self) -> &dyn Axioms {
        match self {
            Self::BuiltIn(model) => model,
            Self::File(model) => model,
        }
    }
}

impl From<Model> for AnyModel {
    fn from(model: Model) -> Self {
        Self::BuiltIn(model)
    }
}

impl From<CatModel> for AnyModel {
    fn from(model: CatModel) -> Self {
        Self::File(model)
    }
}

impl Axioms for AnyModel {
    fn name(&self) -> &str {
        self.axioms().name()
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        self.axioms().judge(execution)
    }

    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        self.axioms().why_not(execution)
    }

    fn target(&self) -> Option<Target> {
        self.axioms().target()
    }

    fn accesses_across(&self) -> AccessesAcross {
        self.axioms().accesses_across()
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        self.axioms().keeps_reads_of_one_address()
    }

    fn waits_for_addresses(&self) -> bool {
        self.axioms().waits_for_addresses()
    }

    fn is_monotone(&self) -> bool {
        self.axioms().is_monotone()
    }

    fn lets_threads_go_on(&self) -> bool {
        self.axioms().lets_threads_go_on()
    }

    fn judges_parts_alone(&self) -> bool {
        self.axioms().judges_parts_alone()
    }

    fn silent_updates(&self) -> SilentUpdates {
        self.axioms().silent_updates()
    }

    fn raises_flags(&self) -> bool {
        self.axioms().raises_flags()
    }

    fn flags_depend_on_coherence(&self) -> bool {
        self.axioms().flags_depend_on_coherence()
    }
}

impl fmt::Display for AnyModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
