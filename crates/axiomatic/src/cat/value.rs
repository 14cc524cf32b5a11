//! What expressions evaluate to.

use std::rc::Rc;
use std::sync::Arc;

use super::predefined::Primitive;
use super::syntax::{Function, Name, Procedure};
use crate::relation::{EventSet, Relation};

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `{}`: the empty set of anything.
    Nothing,
    /// A set of events.
    Set(EventSet),
    /// A relation between events.
    Relation(Rc<Relation>),
    /// A set of anything else, without repetition.
    Values(Rc<Vec<Value>>),
    Event(usize),
    Pair(usize, usize),
    Tag(Name),
    Tuple(Rc<Vec<Value>>),
    Function(Rc<Closure>),
    Primitive(Primitive),
    Procedure(Rc<ProcedureClosure>),
}

/// A function with what its names meant where it was written.
#[derive(Debug)]
pub(super) struct Closure {
    pub(super) function: Arc<Function>,
    pub(super) environment: Environment,
    /// The functions that are defined together with it, if it is recursive.
    pub(super) together: Option<Together>,
}

/// Functions that are defined together: each by its name.
pub(super) type Together = Rc<Vec<(Name, Arc<Function>)>>;

#[derive(Debug)]
pub(super) struct ProcedureClosure {
    pub(super) name: Name,
    pub(super) procedure: Arc<Procedure>,
    pub(super) environment: Environment,
}

/// What names mean, the newest meaning first.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment(Option<Rc<Node>>);

#[derive(Debug)]
struct Node {
    name: Name,
    value: Value,
    older: Environment,
}

impl Environment {
    #[must_use]
    pub(super) fn with(&self, name: Name, value: Value) -> Self {
        Self(Some(Rc::new(Node { name, value, older: self.clone() })))
    }

    pub(super) fn get(&self, name: Name) -> Option<&Value> {
        let mut at = self;
        while let Some(node) = &at.0 {
            if node.name == name {
                return Some(&node.value);
            }
            at = &node.older;
        }
        None
    }
}

/// Long lists end without recursion.
impl Drop for Environment {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            next = match Rc::try_unwrap(node) {
                Ok(mut node) => node.older.0.take(),
                Err(_) => None,
            };
        }
    }
}

impl Value {
    pub(super) fn relation(relation: Relation) -> Self {
        Self::Relation(Rc::new(relation))
    }

    /// The relation that it is, if it is one.
    pub(super) fn as_relation(&self) -> Option<&Relation> {
        match self {
            Self::Relation(relation) => Some(relation),
            Self::Set(_)
            | Self::Nothing
            | Self::Values(_)
            | Self::Event(_)
            | Self::Pair(..)
            | Self::Tag(_)
            | Self::Tuple(_)
            | Self::Function(_)
            | Self::Primitive(_)
            | Self::Procedure(_) => None,
        }
    }

    /// The pairs of a relation, or the events of a set, each paired with itself.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        if let Self::Set(set) = self {
            return set.iter().map(|event| (event, event)).collect();
        }
        self.as_relation().map_or_else(Vec::new, |relation| relation.pairs().collect())
    }

    /// What kind of value it is, for messages.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Nothing => "the empty set",
            Self::Set(_) => "a set of events",
            Self::Relation(_) => "a relation",
            Self::Values(_) => "a set of values",
            Self::Event(_) => "an event",
            Self::Pair(..) => "a pair of events",
            Self::Tag(_) => "a tag",
            Self::Tuple(_) => "a tuple",
            Self::Function(_) | Self::Primitive(_) => "a function",
            Self::Procedure(_) => "a procedure",
        }
    }

    /// Whether it is the same as another, if that can be said.
    pub(super) fn same(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => Some(true),
            (Self::Nothing, set) | (set, Self::Nothing) => set.is_empty(),
            (Self::Set(left), Self::Set(right)) => Some(left == right),
            (Self::Relation(left), Self::Relation(right)) => Some(left == right),
            (Self::Event(left), Self::Event(right)) => Some(left == right),
            (Self::Tag(left), Self::Tag(right)) => Some(left == right),
            (Self::Pair(a, b), Self::Pair(c, d)) => Some((a, b) == (c, d)),
            (Self::Values(left), Self::Values(right)) => {
                let all_in = |one: &[Self], other: &[Self]| {
                    one.iter().all(|value| other.iter().any(|o| value.same(o) == Some(true)))
                };
                Some(all_in(left, right) && all_in(right, left))
            }
            (Self::Tuple(left), Self::Tuple(right)) if left.len() == right.len() => left
                .iter()
                .zip(right.iter())
                .map(|(l, r)| l.same(r))
                .try_fold(true, |all, one| Some(all && one?)),
            (
                Self::Set(_)
                | Self::Relation(_)
                | Self::Values(_)
                | Self::Event(_)
                | Self::Pair(..)
                | Self::Tag(_)
                | Self::Tuple(_)
                | Self::Function(_)
                | Self::Primitive(_)
                | Self::Procedure(_),
                _,
            ) => None,
        }
    }

    /// Whether there is nothing in it, if it is a set of something.
    pub(super) fn is_empty(&self) -> Option<bool> {
        match self {
            Self::Nothing => Some(true),
            Self::Set(set) => Some(set.is_empty()),
            Self::Relation(relation) => Some(relation.is_empty()),
            Self::Values(values) => Some(values.is_empty()),
            Self::Event(_)
            | Self::Pair(..)
            | Self::Tag(_)
            | Self::Tuple(_)
            | Self::Function(_)
            | Self::Primitive(_)
            | Self::Procedure(_) => None,
        }
    }
}
