//! Lowering conditions on states on the way: of the program itself, or of one that exists already, in
//! whatever language it was written.

use program::{Diagnostic, Diagnostics, Program, Proposition, StateProposition};

use super::super::ast::{self, InState};
use super::names::Globals;
use super::question::Scope;
use crate::suggest::did_you_mean;

/// The condition, or all that is wrong with it.
pub(in super::super) fn goal(
    goal: &ast::Proposition<InState>,
    program: &Program,
) -> Result<StateProposition, Diagnostics> {
    in_scope(program, true, |scope, errors| scope.goal(goal, errors))
}

/// The condition on final states, or all that is wrong with it.
pub(in super::super) fn condition(
    condition: &ast::Proposition<ast::Equals>,
    program: &Program,
) -> Result<Proposition, Diagnostics> {
    in_scope(program, false, |scope, errors| scope.proposition(condition, errors))
}

fn in_scope<P>(
    program: &Program,
    names_any: bool,
    lower: impl FnOnce(&Scope<'_>, &mut Diagnostics) -> P,
) -> Result<P, Diagnostics> {
    let mut errors = Vec::new();
    let scope = Scope {
        globals: &Globals::of_program(program),
        memory: program.memory(),
        templates: program.templates(),
        names_any,
    };
    let lowered = lower(&scope, &mut errors);
    if errors.is_empty() { Ok(lowered) } else { Err(errors) }
}

/// What is true of every state, or of none.
const fn constant(truth: bool) -> StateProposition {
    if truth { StateProposition::All(Vec::new()) } else { StateProposition::Any(Vec::new()) }
}

impl Scope<'_> {
    /// A statement about states on the way.
    pub(super) fn goal(
        &self,
        goal: &ast::Proposition<InState>,
        errors: &mut Diagnostics,
    ) -> StateProposition {
        let mut inner = |part: &ast::Proposition<InState>| self.goal(part, errors);
        match goal {
            ast::Proposition::Constant(truth) => constant(*truth),
            ast::Proposition::Not(part) => StateProposition::Not(Box::new(inner(part))),
            ast::Proposition::And(left, right) => {
                StateProposition::All(vec![inner(left), inner(right)])
            }
            ast::Proposition::Or(left, right) => {
                StateProposition::Any(vec![inner(left), inner(right)])
            }
            ast::Proposition::Implies(left, right) => {
                let not_left = StateProposition::Not(Box::new(inner(left)));
                StateProposition::Any(vec![not_left, inner(right)])
            }
            // What is wrong has been reported.
            ast::Proposition::Simple(simple) => {
                self.in_state(simple, errors).unwrap_or(constant(false))
            }
        }
    }

    fn in_state(&self, simple: &InState, errors: &mut Diagnostics) -> Option<StateProposition> {
        match simple {
            InState::At { thread, index, label } => {
                let (template, copy) = self.thread(thread, index.as_deref(), errors)?;
                let labels = self.templates[template].labels();
                let Some((found, _)) = labels.enumerate().find(|(_, it)| it.name == label.text)
                else {
                    let message = format!("thread `{}` has no label `{}`", thread.text, label.text);
                    let like =
                        did_you_mean(&label.text, labels.iter().map(|label| label.name.as_str()));
                    let help = match like {
                        Some(like) => format!("did you mean `{like}`?"),
                        None => "`fencewright show` prints the labels of a program".to_owned(),
                    };
                    errors.push(Diagnostic::new(label.span, message).help(help));
                    return None;
                };
                Some(StateProposition::At { template, copy, label: found })
            }
            InState::Equals(observed, value) => {
                let seen = self.observable(observed, errors);
                let value = self.globals.constant(value, errors)?;
                Some(StateProposition::Equals(seen?, value))
            }
            InState::Less(observed, value) => {
                let seen = self.observable(observed, errors);
                let value = self.globals.constant(value, errors)?;
                Some(StateProposition::Less(seen?, value))
            }
            InState::AtMost(observed, value) => {
                let seen = self.observable(observed, errors);
                let value = self.globals.constant(value, errors)?;
                Some(StateProposition::Less(seen?, value + 1))
            }
        }
    }
}
