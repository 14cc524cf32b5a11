//! Operations of an object that threads share: where they are called and where they return.
//!
//! A label can be a [`Boundary`]: the one edge that leaves it is a `Skip`, and taking that edge is the call
//! of an operation, or its return. What lies between is how the operation is implemented; a thread is
//! either inside one operation or outside all. The calls and returns of a run, with their arguments and
//! results and in the order in which they happen, are its *history* (Herlihy and Wing, TOPLAS 1990, who
//! say invocation and response).

use std::collections::BTreeMap;

use crate::expr::Expr;
use crate::index::{LabelId, RegisterId};
use crate::instruction::Instruction;
use crate::source::Span;
use crate::template::Template;

/// What happens where a label is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// An operation is called.
    Call {
        /// Its name.
        operation: String,
        /// Its arguments: registers and constants.
        arguments: Vec<Expr>,
    },
    /// The operation returns.
    Return {
        /// Its results: registers and constants.
        results: Vec<Expr>,
    },
}

impl Boundary {
    /// The arguments or results.
    pub fn values(&self) -> &[Expr] {
        match self {
            Self::Call { arguments, .. } => arguments,
            Self::Return { results } => results,
        }
    }

    /// The registers that it mentions.
    pub fn registers(&self) -> impl Iterator<Item = RegisterId> + '_ {
        self.values().iter().flat_map(Expr::registers)
    }

    /// The same with other expressions.
    #[must_use]
    pub fn with_expressions(&self, change: &dyn Fn(&Expr) -> Expr) -> Self {
        match self {
            Self::Call { operation, arguments } => Self::Call {
                operation: operation.clone(),
                arguments: arguments.iter().map(change).collect(),
            },
            Self::Return { results } => {
                Self::Return { results: results.iter().map(change).collect() }
            }
        }
    }
}

/// What is wrong with the operations of a template, and where.
pub(crate) fn problems(template: &Template) -> Vec<(String, Span)> {
    let mut problems = Vec::new();
    for (label, boundary) in template.boundaries() {
        let span = template.labels().get(*label).map_or(template.span(), |label| label.span);
        let edges: Vec<_> = match template.labels().get(*label) {
            Some(_) => template.outgoing(*label).map(|edge| template.edge(edge)).collect(),
            None => Vec::new(),
        };
        if edges.len() != 1 || edges[0].instruction != Instruction::Skip {
            problems.push(("a call or return stands alone".to_owned(), span));
        }
        let is_known = |expr: &Expr| match expr {
            Expr::Const(_) => true,
            Expr::Register(register) => template.registers().get(*register).is_some(),
            Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => false,
        };
        if !boundary.values().iter().all(is_known) {
            let message = "arguments and results of operations are local variables and constants";
            problems.push((message.to_owned(), span));
        }
    }
    if problems.is_empty() {
        problems.extend(misplaced(template));
    }
    problems
}

/// Calls inside of an operation, returns outside of all, and labels that can be reached from both.
fn misplaced(template: &Template) -> Option<(String, Span)> {
    if template.boundaries().is_empty() {
        return None;
    }
    let mut inside: BTreeMap<LabelId, bool> = BTreeMap::from([(template.initial(), false)]);
    let mut open = vec![template.initial()];
    while let Some(label) = open.pop() {
        let span = template.labels()[label].span;
        let is_inside = match (template.boundaries().get(&label), inside[&label]) {
            (None, is_inside) => is_inside,
            (Some(Boundary::Call { .. }), false) => true,
            (Some(Boundary::Return { .. }), true) => false,
            (Some(Boundary::Call { operation, .. }), true) => {
                let message = format!("`{operation}` is called inside of another operation");
                return Some((message, span));
            }
            (Some(Boundary::Return { .. }), false) => {
                return Some(("a return without a call before it".to_owned(), span));
            }
        };
        for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
            match inside.insert(edge.to, is_inside) {
                None => open.push(edge.to),
                Some(before) if before == is_inside => {}
                Some(_) => {
                    let message = "control gets here inside of an operation and outside of all";
                    return Some((message.to_owned(), template.labels()[edge.to].span));
                }
            }
        }
    }
    None
}
