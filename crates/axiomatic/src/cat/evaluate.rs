//! The value of an expression on an execution.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use program::Span;

use super::parser::Names;
use super::predefined;
use super::syntax::{Binding, Condition, Expr, Function, Kind, MatchSet, Name, Pattern};
use super::value::{Closure, Environment, Together, Value};
use super::vocabulary::Vocabulary;
use crate::axiom::Violation;
use crate::execution::Execution;
use crate::relation::{EventSet, Relation};

/// How deep expressions may stand in each other and functions call each other, together.
const DEEPEST: usize = 1500;

/// Why an expression has no value.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) span: Span,
    pub(super) why: String,
}

pub(super) type Evaluated = Result<Value, Failure>;

/// An execution on which a model is evaluated.
pub(super) struct Evaluator<'a> {
    pub(super) execution: &'a Execution,
    pub(super) names: &'a Names,
    pub(super) vocabulary: Vocabulary,
    /// What the predefined names that were asked for mean.
    predefined: RefCell<HashMap<Name, Option<Value>>>,
    depth: Cell<usize>,
    /// Whether to find out why an execution is forbidden, and why it is.
    explains: bool,
    violated: RefCell<Option<Violation>>,
}

pub(super) fn failure<T>(span: Span, why: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { span, why: why.into() })
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(execution: &'a Execution, names: &'a Names, vocabulary: Vocabulary) -> Self {
        let predefined = RefCell::default();
        let violated = RefCell::default();
        let (depth, explains) = (Cell::new(0), false);
        Self { execution, names, vocabulary, predefined, depth, explains, violated }
    }

    /// The same, with reasons.
    pub(super) fn explaining(self) -> Self {
        Self { explains: true, ..self }
    }

    /// Why the execution is forbidden, if it was found to be and if that was asked for.
    pub(super) fn why_not(self) -> Option<Violation> {
        self.violated.take()
    }

    /// Remembers why the execution is forbidden.
    pub(super) fn forbidden_by(&self, why: impl FnOnce() -> Violation) {
        if self.explains {
            self.violated.replace(Some(why()));
        }
    }

    pub(super) fn events(&self) -> usize {
        self.execution.events.len()
    }

    pub(super) fn everything(&self) -> EventSet {
        (0..self.events()).collect()
    }

    pub(super) fn expr(&self, expr: &Expr, names: &Environment) -> Evaluated {
        self.deeper(expr.span)?;
        let value = self.value(expr, names);
        self.shallower();
        value
    }

    fn value(&self, expr: &Expr, names: &Environment) -> Evaluated {
        let span = expr.span;
        match &expr.kind {
            Kind::Name(name) => self.name(*name, span, names),
            Kind::Tag(tag) => Ok(Value::Tag(*tag)),
            Kind::EmptyRelation => Ok(Value::relation(Relation::empty(self.events()))),
            Kind::Everything => Ok(Value::Set(self.everything())),
            Kind::Elements(elements) => {
                let mut set = Value::Nothing;
                for element in elements {
                    set = self.add(self.expr(element, names)?, set, span)?;
                }
                Ok(set)
            }
            Kind::Tuple(parts) => {
                let parts: Result<Vec<Value>, Failure> =
                    parts.iter().map(|part| self.expr(part, names)).collect();
                Ok(Value::Tuple(Rc::new(parts?)))
            }
            Kind::Unary(operator, operand) => {
                self.unary(*operator, &self.expr(operand, names)?, span)
            }
            Kind::Binary(operator, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (self.expr(left, names)?, self.expr(right, names)?);
                self.binary(*operator, left, right, span)
            }
            Kind::Apply(both) => {
                let [function, argument] = &**both;
                let function = self.expr(function, names)?;
                let argument = self.expr(argument, names)?;
                self.apply(&function, argument, span)
            }
            Kind::Function(function) => Ok(Value::Function(Rc::new(Closure {
                function: Arc::clone(function),
                environment: names.clone(),
                together: None,
            }))),
            Kind::Let { recursive, bindings, body } => {
                let names = self.bind_all(*recursive, bindings, names, span)?;
                self.expr(body, &names)
            }
            Kind::If(parts) => {
                let (condition, then, otherwise) = &**parts;
                let chosen = if self.condition(condition, span, names)? { then } else { otherwise };
                self.expr(chosen, names)
            }
            Kind::Try(both) => {
                let [tried, otherwise] = &**both;
                self.expr(tried, names).or_else(|_| self.expr(otherwise, names))
            }
            Kind::MatchTag { scrutinee, clauses, otherwise } => {
                let tag = self.tag(scrutinee, names)?;
                let clause = clauses.iter().find(|(of, _)| *of == tag).map(|(_, value)| value);
                match clause.or(otherwise.as_deref()) {
                    Some(value) => self.expr(value, names),
                    None => failure(span, format!("no case for '{}", self.names.text(tag))),
                }
            }
            Kind::MatchSet(parts) => self.match_set(parts, names),
        }
    }

    fn name(&self, name: Name, span: Span, names: &Environment) -> Evaluated {
        if let Some(value) = names.get(name) {
            return Ok(value.clone());
        }
        let mut known = self.predefined.borrow_mut();
        let value = known.entry(name).or_insert_with(|| {
            predefined::value(self.execution, self.vocabulary, self.names.text(name))
        });
        match value {
            Some(value) => Ok(value.clone()),
            None => failure(span, format!("`{}` is not defined", self.names.text(name))),
        }
    }

    pub(super) fn tag(&self, expr: &Expr, names: &Environment) -> Result<Name, Failure> {
        match self.expr(expr, names)? {
            Value::Tag(tag) => Ok(tag),
            other @ (Value::Nothing
            | Value::Set(_)
            | Value::Relation(_)
            | Value::Values(_)
            | Value::Event(_)
            | Value::Pair(..)
            | Value::Tuple(_)
            | Value::Function(_)
            | Value::Primitive(_)
            | Value::Procedure(_)) => {
                failure(expr.span, format!("a tag is wanted, this is {}", other.kind()))
            }
        }
    }

    fn match_set(&self, parts: &MatchSet, names: &Environment) -> Evaluated {
        let MatchSet { scrutinee, empty, element, rest, more } = parts;
        let set = self.expr(scrutinee, names)?;
        let Some((first, others)) = self.taken_apart(&set, scrutinee.span)? else {
            return self.expr(empty, names);
        };
        let mut inner = names.clone();
        for (name, value) in [(element, first), (rest, others)] {
            if let Some(name) = name {
                inner = inner.with(*name, value);
            }
        }
        self.expr(more, &inner)
    }

    /// An element of a set and the others, unless it is empty.
    pub(super) fn taken_apart(
        &self,
        set: &Value,
        span: Span,
    ) -> Result<Option<(Value, Value)>, Failure> {
        Ok(match set {
            Value::Nothing => None,
            Value::Set(events) => events
                .iter()
                .next()
                .map(|first| (Value::Event(first), Value::Set(*events - EventSet::only(first)))),
            Value::Relation(relation) => relation.pairs().next().map(|(from, to)| {
                let one = Relation::from_pairs(self.events(), [(from, to)]);
                (Value::Pair(from, to), Value::relation(&**relation - &one))
            }),
            Value::Values(values) => values
                .split_first()
                .map(|(first, others)| (first.clone(), Value::Values(Rc::new(others.to_vec())))),
            Value::Event(_)
            | Value::Pair(..)
            | Value::Tag(_)
            | Value::Tuple(_)
            | Value::Function(_)
            | Value::Primitive(_)
            | Value::Procedure(_) => {
                return failure(span, format!("a set is wanted, this is {}", set.kind()));
            }
        })
    }

    fn condition(
        &self,
        condition: &Condition,
        span: Span,
        names: &Environment,
    ) -> Result<bool, Failure> {
        let incomparable = |left: &Value, right: &Value| {
            failure(span, format!("{} cannot be compared with {}", left.kind(), right.kind()))
        };
        match condition {
            Condition::Known(holds) => Ok(*holds),
            Condition::Equal(left, right) => {
                let (left, right) = (self.expr(left, names)?, self.expr(right, names)?);
                left.same(&right).map_or_else(|| incomparable(&left, &right), Ok)
            }
            Condition::Subset(left, right) => {
                let (left, right) = (self.expr(left, names)?, self.expr(right, names)?);
                match (&left, &right) {
                    (Value::Nothing, _) => Ok(true),
                    (Value::Set(left), Value::Set(right)) => Ok((*left - *right).is_empty()),
                    (Value::Relation(left), Value::Relation(right)) => {
                        Ok((&**left - &**right).is_empty())
                    }
                    (_, Value::Nothing) => {
                        left.is_empty().map_or_else(|| incomparable(&left, &right), Ok)
                    }
                    (_, _) => incomparable(&left, &right),
                }
            }
            Condition::Member(element, set) => {
                let (element, set) = (self.expr(element, names)?, self.expr(set, names)?);
                match (&element, &set) {
                    (_, Value::Nothing) => Ok(false),
                    (Value::Event(event), Value::Set(set)) => Ok(set.contains(*event)),
                    (Value::Pair(from, to), Value::Relation(relation)) => {
                        Ok(relation.contains(*from, *to))
                    }
                    (_, Value::Values(values)) => {
                        Ok(values.iter().any(|value| value.same(&element) == Some(true)))
                    }
                    (_, _) => incomparable(&element, &set),
                }
            }
        }
    }

    /// The value of a function.
    pub(super) fn apply(&self, function: &Value, argument: Value, span: Span) -> Evaluated {
        let closure = match function {
            Value::Primitive(primitive) => return self.primitive(*primitive, &argument, span),
            Value::Function(closure) => closure,
            Value::Nothing
            | Value::Set(_)
            | Value::Relation(_)
            | Value::Values(_)
            | Value::Event(_)
            | Value::Pair(..)
            | Value::Tag(_)
            | Value::Tuple(_)
            | Value::Procedure(_) => {
                return failure(span, format!("a function is wanted, this is {}", function.kind()));
            }
        };
        let mut names = closure.environment.clone();
        if let Some(together) = &closure.together {
            names = with_recursive(&names, together);
        }
        let names = bind(&closure.function.parameter, argument, &names, span)?;
        self.expr(&closure.function.body, &names)
    }

    pub(super) fn deeper(&self, span: Span) -> Result<(), Failure> {
        if self.depth.get() >= DEEPEST {
            return failure(span, "functions call each other too deep");
        }
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    pub(super) fn shallower(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// The names of a definition beside those known before.
    pub(super) fn bind_all(
        &self,
        recursive: bool,
        bindings: &[Binding],
        names: &Environment,
        span: Span,
    ) -> Result<Environment, Failure> {
        if recursive {
            let after = self.bind_while(bindings, names, span, &mut |_| Ok(true))?;
            return Ok(after.unwrap_or_else(|| names.clone()));
        }
        let mut after = names.clone();
        for Binding { pattern, value } in bindings {
            after = bind(pattern, self.expr(value, names)?, &after, value.span)?;
        }
        Ok(after)
    }

    /// Functions may call each other; relations and sets are the least that satisfy their equations. There are
    /// none if something does not hold on the way to them.
    pub(super) fn bind_while(
        &self,
        bindings: &[Binding],
        names: &Environment,
        span: Span,
        holds: Holds<'_>,
    ) -> Result<Option<Environment>, Failure> {
        let mut all = Vec::new();
        for Binding { pattern, value } in bindings {
            match pattern {
                Pattern::One(Some(name)) => all.push((*name, value)),
                Pattern::One(None) | Pattern::Many(_) => {
                    return failure(value.span, "what is recursive needs a name of its own");
                }
            }
        }
        let functions: Vec<(Name, Arc<Function>)> = all
            .iter()
            .filter_map(|(name, value)| {
                let Kind::Function(function) = &value.kind else { return None };
                Some((*name, Arc::clone(function)))
            })
            .collect();
        if functions.len() == all.len() {
            return Ok(Some(with_recursive(names, &Rc::new(functions))));
        }
        if !functions.is_empty() {
            return failure(span, "functions and relations that are defined by each other");
        }
        self.least_solution(&all, names, holds)
    }

    fn least_solution(
        &self,
        equations: &[(Name, &Expr)],
        names: &Environment,
        holds: Holds<'_>,
    ) -> Result<Option<Environment>, Failure> {
        let mut values = vec![Value::Nothing; equations.len()];
        // A set or relation grows at most as often as it has elements.
        let most = equations.len() * self.events() * (self.events() + 1) + 1;
        for _ in 0..=most {
            let mut inner = names.clone();
            for ((name, _), value) in equations.iter().zip(&values) {
                inner = inner.with(*name, value.clone());
            }
            if !holds(&inner)? {
                return Ok(None);
            }
            let mut stable = true;
            for ((_, equation), value) in equations.iter().zip(&mut values) {
                let next = self.expr(equation, &inner)?;
                stable &= next.same(value) == Some(true);
                *value = next;
            }
            if stable {
                let mut after = names.clone();
                for ((name, _), value) in equations.iter().zip(values) {
                    after = after.with(*name, value);
                }
                return Ok(Some(after));
            }
        }
        let span = equations.first().map_or(Span::NONE, |(_, value)| value.span);
        failure(span, "this recursion has no least solution")
    }
}

/// What is asked in every step of a recursion.
pub(super) type Holds<'h> = &'h mut dyn FnMut(&Environment) -> Result<bool, Failure>;

/// Functions that are defined together, beside what was known before.
fn with_recursive(names: &Environment, together: &Together) -> Environment {
    let mut after = names.clone();
    for (name, function) in together.iter() {
        let closure = Closure {
            function: Arc::clone(function),
            environment: names.clone(),
            together: Some(Rc::clone(together)),
        };
        after = after.with(*name, Value::Function(Rc::new(closure)));
    }
    after
}

/// What names mean once a value is taken apart by a pattern.
pub(super) fn bind(
    pattern: &Pattern,
    value: Value,
    names: &Environment,
    span: Span,
) -> Result<Environment, Failure> {
    match (pattern, value) {
        (Pattern::One(None), _) => Ok(names.clone()),
        (Pattern::One(Some(name)), value) => Ok(names.with(*name, value)),
        (Pattern::Many(parts), Value::Tuple(values)) if values.len() == parts.len() => {
            let mut after = names.clone();
            for (name, value) in parts.iter().zip(values.iter()) {
                if let Some(name) = name {
                    after = after.with(*name, value.clone());
                }
            }
            Ok(after)
        }
        (Pattern::Many(parts), other) => failure(
            span,
            format!("a tuple of {} values is wanted, this is {}", parts.len(), other.kind()),
        ),
    }
}
