//! Statements about states on the way, not only about final ones: what a search can look for.
//!
//! [`Proposition`](crate::condition::Proposition) speaks of final states, where every thread is at
//! its end and only values are left to see. Here a thread may also be *at a label*. A thread that a
//! fault has stopped is at no label.

use crate::condition::Observable;
use crate::index::{LabelId, TemplateId};
use crate::value::Value;
use crate::whole::Program;

/// A statement about one state of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateProposition {
    /// A thread is at a label.
    At {
        /// The thread's template.
        template: TemplateId,
        /// Which copy of it, from 0.
        copy: u32,
        /// The label.
        label: LabelId,
    },
    /// The value seen is this one.
    Equals(Observable, Value),
    /// The value seen is less than this one.
    Less(Observable, Value),
    /// The proposition is false.
    Not(Box<StateProposition>),
    /// Each of them is true.
    All(Vec<StateProposition>),
    /// At least one of them is true.
    Any(Vec<StateProposition>),
}

/// Something that a [`StateProposition`] looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Watched {
    /// Whether a thread is at a label.
    Label {
        /// The thread's template.
        template: TemplateId,
        /// Which copy of it, from 0.
        copy: u32,
        /// The label.
        label: LabelId,
    },
    /// A value.
    Value(Observable),
}

impl StateProposition {
    /// Whether it is true of a state in which `at` says who is where and `seen` gives the values.
    pub fn holds(
        &self,
        at: &impl Fn(TemplateId, u32, LabelId) -> bool,
        seen: &impl Fn(Observable) -> Value,
    ) -> bool {
        match self {
            Self::At { template, copy, label } => at(*template, *copy, *label),
            Self::Equals(observable, value) => seen(*observable) == *value,
            Self::Less(observable, value) => seen(*observable) < *value,
            Self::Not(inner) => !inner.holds(at, seen),
            Self::All(parts) => parts.iter().all(|part| part.holds(at, seen)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(at, seen)),
        }
    }

    /// Calls `visit` on everything it looks at, left to right, as often as it does.
    pub fn visit(&self, visit: &mut impl FnMut(Watched)) {
        match self {
            Self::At { template, copy, label } => {
                visit(Watched::Label { template: *template, copy: *copy, label: *label });
            }
            Self::Equals(observable, _) | Self::Less(observable, _) => {
                visit(Watched::Value(*observable));
            }
            Self::Not(inner) => inner.visit(visit),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.visit(visit);
                }
            }
        }
    }

    /// The same proposition about other labels and values. A label stays a label and a value a value.
    #[must_use]
    pub fn map(&self, with: &impl Fn(Watched) -> Watched) -> Self {
        let value = |observable| match with(Watched::Value(observable)) {
            Watched::Value(other) => other,
            Watched::Label { .. } => observable,
        };
        match self {
            Self::At { template, copy, label } => {
                let (template, copy, label) = (*template, *copy, *label);
                match with(Watched::Label { template, copy, label }) {
                    Watched::Label { template, copy, label } => Self::At { template, copy, label },
                    Watched::Value(_) => Self::At { template, copy, label },
                }
            }
            Self::Equals(observable, number) => Self::Equals(value(*observable), *number),
            Self::Less(observable, number) => Self::Less(value(*observable), *number),
            Self::Not(inner) => Self::Not(Box::new(inner.map(with))),
            Self::All(parts) => Self::All(parts.iter().map(|part| part.map(with)).collect()),
            Self::Any(parts) => Self::Any(parts.iter().map(|part| part.map(with)).collect()),
        }
    }

    /// The first thing it looks at that the program does not have.
    pub fn missing_in(&self, program: &Program) -> Option<Watched> {
        let mut missing = None;
        self.visit(&mut |watched| {
            if missing.is_none() && !watched.exists_in(program) {
                missing = Some(watched);
            }
        });
        missing
    }
}

impl Watched {
    fn exists_in(self, program: &Program) -> bool {
        match self {
            Self::Label { template, copy, label } => {
                program.has_copy(template, copy)
                    && program.template(template).labels().get(label).is_some()
            }
            Self::Value(observable) => observable.exists_in(program),
        }
    }
}
