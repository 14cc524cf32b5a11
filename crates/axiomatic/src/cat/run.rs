//! The statements of a model, run on an execution.
//!
//! # Choices
//!
//! In herd `with co from S` goes on once for each order in `S`. Here an execution comes with its `co`,
//! and a choice that orders writes to one address must agree with it: other orders belong to
//! other candidates. What remains is a real choice, as of the order of all sequentially consistent
//! accesses: an execution is allowed if it is for one of them.

use program::Span;

use super::evaluate::{Evaluator, Failure, bind, failure};
use super::syntax::{Check, Consequence, Name, Property, Statement};
use super::value::{Environment, ProcedureClosure, Value};
use crate::axiom::{Violation, shortest_cycle};
use crate::axioms::{Flag, Judgement};

use std::rc::Rc;
use std::sync::Arc;

/// What the statements so far say.
#[derive(Clone)]
struct SoFar {
    names: Environment,
    flags: Vec<Flag>,
}

/// Whether an execution is still allowed.
enum Next {
    GoOn,
    Forbidden,
}

impl Evaluator<'_> {
    /// What a model says.
    pub(super) fn judge(&self, statements: &[Statement]) -> Result<Judgement, Failure> {
        self.from(statements, SoFar { names: Environment::default(), flags: Vec::new() })
    }

    /// What the statements say, given what those before them said.
    fn from(&self, statements: &[Statement], mut so_far: SoFar) -> Result<Judgement, Failure> {
        for (number, statement) in statements.iter().enumerate() {
            if let Statement::Choose { name, set } = statement {
                let choices = self.choices(set, &so_far.names)?;
                return self.for_some(*name, choices, &statements[number + 1..], &so_far);
            }
            match self.statement(statement, &mut so_far)? {
                Next::GoOn => {}
                Next::Forbidden => return Ok(Judgement::Forbidden),
            }
        }
        Ok(Judgement::Allowed(so_far.flags))
    }

    fn for_some(
        &self,
        name: Name,
        choices: Vec<Value>,
        rest: &[Statement],
        so_far: &SoFar,
    ) -> Result<Judgement, Failure> {
        let mut all: Option<Vec<Flag>> = None;
        for choice in choices {
            let names = so_far.names.with(name, choice);
            let flags = so_far.flags.clone();
            match self.from(rest, SoFar { names, flags })? {
                Judgement::Forbidden => {}
                Judgement::Allowed(flags) => {
                    let all = all.get_or_insert_default();
                    for flag in flags {
                        if all.iter().all(|known| known.name != flag.name) {
                            all.push(flag);
                        }
                    }
                }
            }
        }
        Ok(all.map_or(Judgement::Forbidden, Judgement::Allowed))
    }

    /// What can be chosen from a set.
    fn choices(
        &self,
        set: &super::syntax::Expr,
        names: &Environment,
    ) -> Result<Vec<Value>, Failure> {
        let values = match self.expr(set, names)? {
            Value::Nothing => return Ok(Vec::new()),
            Value::Values(values) => values.to_vec(),
            other @ (Value::Set(_)
            | Value::Relation(_)
            | Value::Event(_)
            | Value::Pair(..)
            | Value::Tag(_)
            | Value::Tuple(_)
            | Value::Function(_)
            | Value::Primitive(_)
            | Value::Procedure(_)) => {
                return failure(
                    set.span,
                    format!("a set of values to choose from is wanted, this is {}", other.kind()),
                );
            }
        };
        Ok(values.into_iter().filter(|value| self.agrees_with_coherence(value)).collect())
    }

    fn agrees_with_coherence(&self, value: &Value) -> bool {
        let Value::Relation(relation) = value else { return true };
        let writes = self.execution.writes;
        let ordered = relation.starting_in(writes).ending_in(writes) & &self.execution.same_address;
        (ordered - &self.execution.co).is_empty()
    }

    fn statement(&self, statement: &Statement, so_far: &mut SoFar) -> Result<Next, Failure> {
        let names = &so_far.names;
        match statement {
            Statement::Let { recursive, bindings, while_it_holds: None, span } => {
                so_far.names = self.bind_all(*recursive, bindings, names, *span)?;
            }
            Statement::Let { bindings, while_it_holds: Some(check), span, .. } => {
                let flags = so_far.flags.clone();
                let mut holds = |names: &Environment| {
                    let mut inner = SoFar { names: names.clone(), flags: flags.clone() };
                    Ok(matches!(self.check(check, &mut inner)?, Next::GoOn))
                };
                match self.bind_while(bindings, names, *span, &mut holds)? {
                    Some(after) => so_far.names = after,
                    None => return Ok(Next::Forbidden),
                }
                return self.check(check, so_far);
            }
            Statement::Check(check) => return self.check(check, so_far),
            Statement::Procedure { name, procedure } => {
                let closure = ProcedureClosure {
                    name: *name,
                    procedure: Arc::clone(procedure),
                    environment: names.clone(),
                };
                so_far.names = names.with(*name, Value::Procedure(Rc::new(closure)));
            }
            Statement::Call { name, argument, span } => {
                let argument = self.expr(argument, names)?;
                return self.call(*name, argument, *span, so_far);
            }
            Statement::ForAll { name, set, body } => {
                let mut left = self.expr(set, names)?;
                while let Some((first, others)) = self.taken_apart(&left, set.span)? {
                    let inner = so_far.names.with(*name, first);
                    match self.block(body, inner, so_far)? {
                        Next::GoOn => left = others,
                        Next::Forbidden => return Ok(Next::Forbidden),
                    }
                }
            }
            Statement::Match { scrutinee, clauses, otherwise } => {
                let tag = self.tag(scrutinee, names)?;
                let clause = clauses.iter().find(|(of, _)| *of == tag).map(|(_, body)| body);
                let Some(body) = clause.or(otherwise.as_ref()) else {
                    let why = format!("no case for '{}", self.names.text(tag));
                    return failure(scrutinee.span, why);
                };
                return self.block(body, names.clone(), so_far);
            }
            Statement::Enumeration { name, tags } => {
                let tags = tags.iter().map(|tag| Value::Tag(*tag)).collect();
                so_far.names = names.with(*name, Value::Values(Rc::new(tags)));
            }
            // Only between statements, where `from` deals with it.
            Statement::Choose { set, .. } => return failure(set.span, "a choice in a block"),
        }
        Ok(Next::GoOn)
    }

    /// Statements whose names nobody else sees.
    fn block(
        &self,
        body: &[Statement],
        names: Environment,
        so_far: &mut SoFar,
    ) -> Result<Next, Failure> {
        let mut inner = SoFar { names, flags: std::mem::take(&mut so_far.flags) };
        for statement in body {
            match self.statement(statement, &mut inner)? {
                Next::GoOn => {}
                Next::Forbidden => return Ok(Next::Forbidden),
            }
        }
        so_far.flags = inner.flags;
        Ok(Next::GoOn)
    }

    fn call(
        &self,
        name: Name,
        argument: Value,
        span: Span,
        so_far: &mut SoFar,
    ) -> Result<Next, Failure> {
        let Some(Value::Procedure(closure)) = so_far.names.get(name).cloned() else {
            let why = format!("`{}` is no procedure", self.names.text(name));
            return failure(span, why);
        };
        let mut names = closure.environment.clone();
        if closure.procedure.recursive {
            names = names.with(closure.name, Value::Procedure(Rc::clone(&closure)));
        }
        let names = bind(&closure.procedure.parameter, argument, &names, span)?;
        self.deeper(span)?;
        let next = self.block(&closure.procedure.body, names, so_far);
        self.shallower();
        next
    }

    fn check(&self, check: &Check, so_far: &mut SoFar) -> Result<Next, Failure> {
        let span = check.value.span;
        let value = self.expr(&check.value, &so_far.names)?;
        let holds = match (check.property, &value) {
            (Property::Acyclic, _) => self.as_relation(&value, span)?.is_acyclic(),
            (Property::Irreflexive, _) => self.as_relation(&value, span)?.is_irreflexive(),
            (Property::Empty, _) => match value.is_empty() {
                Some(is_empty) => is_empty,
                None => return failure(span, format!("{} is never empty", value.kind())),
            },
        };
        let holds = holds != check.negated;
        let undefined = match check.consequence {
            Consequence::Forbids if !holds => {
                self.forbidden_by(|| violation(check, &value));
                return Ok(Next::Forbidden);
            }
            Consequence::Asserts if !holds => {
                return failure(span, "what the model asserts is not true");
            }
            Consequence::Flags if holds => false,
            Consequence::Undefines if !holds => true,
            Consequence::Forbids
            | Consequence::Asserts
            | Consequence::Flags
            | Consequence::Undefines => return Ok(Next::GoOn),
        };
        let pairs = value.pairs();
        let name = check
            .name
            .clone()
            .unwrap_or_else(|| (if undefined { "undefined" } else { "flag" }).to_owned());
        so_far.flags.push(Flag { name, undefined, pairs });
        Ok(Next::GoOn)
    }
}

/// Why a check that forbids an execution fails.
fn violation(check: &Check, value: &Value) -> Violation {
    let pairs = value.pairs();
    let steps = match value.as_relation().and_then(shortest_cycle) {
        Some(cycle) => cycle,
        None => pairs.into_iter().take(1).collect(),
    };
    let cycle = steps.into_iter().map(|(from, to)| (from, String::new(), to)).collect();
    let axiom = check.name.clone().unwrap_or_else(|| "a requirement of the model".to_owned());
    Violation { axiom, cycle }
}
