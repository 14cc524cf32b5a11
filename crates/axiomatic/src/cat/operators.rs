//! Operators, and the functions that a model need not define.

use std::rc::Rc;

use program::Span;

use super::evaluate::{Evaluated, Evaluator, Failure, failure};
use super::predefined::Primitive;
use super::syntax::{Binary, Unary};
use super::value::Value;
use crate::relation::{EventSet, Relation};

/// The greatest number of orders of one set.
const MOST_ORDERS: usize = 50_000;

impl Evaluator<'_> {
    pub(super) fn unary(&self, operator: Unary, operand: &Value, span: Span) -> Evaluated {
        let value = match (operator, operand) {
            (Unary::Identity, _) => {
                let set = as_set(operand, span)?;
                Relation::from_pairs(self.events(), set.iter().map(|event| (event, event)))
            }
            (Unary::Complement, Value::Set(set)) => {
                return Ok(Value::Set(self.everything() - *set));
            }
            (Unary::Complement, Value::Nothing) => return Ok(Value::Set(self.everything())),
            (Unary::Complement, Value::Relation(relation)) => {
                let all = self.everything();
                self.execution.product(all, all) - &**relation
            }
            (
                Unary::Complement | Unary::Star | Unary::Plus | Unary::Optional | Unary::Inverse,
                _,
            ) => {
                let relation = self.as_relation(operand, span)?;
                match operator {
                    Unary::Star => relation.reflexive_transitive(),
                    Unary::Plus => relation.transitive(),
                    Unary::Optional => relation.or_same(),
                    Unary::Inverse => relation.inverse(),
                    Unary::Identity | Unary::Complement => (*relation).clone(),
                }
            }
        };
        Ok(Value::relation(value))
    }

    pub(super) fn binary(
        &self,
        operator: Binary,
        left: Value,
        right: Value,
        span: Span,
    ) -> Evaluated {
        match operator {
            Binary::Add => self.add(left, right, span),
            Binary::Product => {
                let (from, to) = (as_set(&left, span)?, as_set(&right, span)?);
                Ok(Value::relation(self.execution.product(from, to)))
            }
            Binary::Sequence => {
                let left = self.as_relation(&left, span)?;
                Ok(Value::relation(left.then(&*self.as_relation(&right, span)?)))
            }
            Binary::Union => self.union(left, right, span),
            Binary::Intersection => match (&left, &right) {
                (Value::Nothing, set) | (set, Value::Nothing) if set.is_empty().is_some() => {
                    Ok(Value::Nothing)
                }
                (Value::Set(left), Value::Set(right)) => Ok(Value::Set(*left & *right)),
                (Value::Relation(left), Value::Relation(right)) => {
                    Ok(Value::relation(&**left & &**right))
                }
                (Value::Values(left), Value::Values(right)) => Ok(kept(left, right, true)),
                (_, _) => unlike("intersected", &left, &right, span),
            },
            Binary::Difference => match (&left, &right) {
                (Value::Nothing, set) if set.is_empty().is_some() => Ok(Value::Nothing),
                (set, Value::Nothing) if set.is_empty().is_some() => Ok(left),
                (Value::Set(left), Value::Set(right)) => Ok(Value::Set(*left - *right)),
                (Value::Relation(left), Value::Relation(right)) => {
                    Ok(Value::relation(&**left - &**right))
                }
                (Value::Values(left), Value::Values(right)) => Ok(kept(left, right, false)),
                (_, _) => unlike("subtracted", &left, &right, span),
            },
        }
    }

    fn union(&self, left: Value, right: Value, span: Span) -> Evaluated {
        match (&left, &right) {
            (Value::Nothing, set) if set.is_empty().is_some() => Ok(right),
            (set, Value::Nothing) if set.is_empty().is_some() => Ok(left),
            (Value::Set(left), Value::Set(right)) => Ok(Value::Set(*left | *right)),
            (Value::Relation(left), Value::Relation(right)) => {
                Ok(Value::relation(&**left | &**right))
            }
            (Value::Values(more), Value::Values(_)) => {
                let more: Vec<Value> = more.to_vec();
                more.into_iter().try_fold(right, |set, value| self.add(value, set, span))
            }
            (_, _) => unlike("united", &left, &right, span),
        }
    }

    /// A set with one element more.
    pub(super) fn add(&self, element: Value, set: Value, span: Span) -> Evaluated {
        match (element, set) {
            (Value::Event(event), Value::Nothing) => Ok(Value::Set(EventSet::only(event))),
            (Value::Event(event), Value::Set(set)) => Ok(Value::Set(set | EventSet::only(event))),
            (Value::Pair(from, to), Value::Nothing) => {
                Ok(Value::relation(Relation::from_pairs(self.events(), [(from, to)])))
            }
            (Value::Pair(from, to), Value::Relation(relation)) => {
                let one = Relation::from_pairs(self.events(), [(from, to)]);
                Ok(Value::relation(&*relation | one))
            }
            (
                value @ (Value::Set(_)
                | Value::Relation(_)
                | Value::Values(_)
                | Value::Tag(_)
                | Value::Tuple(_)),
                Value::Nothing,
            ) => Ok(Value::Values(Rc::new(vec![value]))),
            (
                value @ (Value::Nothing
                | Value::Set(_)
                | Value::Relation(_)
                | Value::Values(_)
                | Value::Tag(_)
                | Value::Tuple(_)),
                Value::Values(values),
            ) => {
                if values.iter().any(|known| known.same(&value) == Some(true)) {
                    return Ok(Value::Values(values));
                }
                let mut more = values.to_vec();
                more.insert(0, value);
                Ok(Value::Values(Rc::new(more)))
            }
            (element, set) => {
                failure(span, format!("{} is no element of {}", element.kind(), set.kind()))
            }
        }
    }

    pub(super) fn as_relation(&self, value: &Value, span: Span) -> Result<Rc<Relation>, Failure> {
        match value {
            Value::Relation(relation) => Ok(Rc::clone(relation)),
            Value::Nothing => Ok(Rc::new(Relation::empty(self.events()))),
            Value::Set(_)
            | Value::Values(_)
            | Value::Event(_)
            | Value::Pair(..)
            | Value::Tag(_)
            | Value::Tuple(_)
            | Value::Function(_)
            | Value::Primitive(_)
            | Value::Procedure(_) => {
                failure(span, format!("a relation is wanted, this is {}", value.kind()))
            }
        }
    }

    pub(super) fn primitive(
        &self,
        primitive: Primitive,
        argument: &Value,
        span: Span,
    ) -> Evaluated {
        match primitive {
            Primitive::Domain => {
                let relation = self.as_relation(argument, span)?;
                Ok(Value::Set(relation.pairs().map(|(from, _)| from).collect()))
            }
            Primitive::Range => {
                let relation = self.as_relation(argument, span)?;
                Ok(Value::Set(relation.pairs().map(|(_, to)| to).collect()))
            }
            Primitive::ByLocation => {
                let set = as_set(argument, span)?;
                Ok(self.by_location(set))
            }
            Primitive::Linearisations => {
                let Value::Tuple(parts) = argument else {
                    return failure(span, "linearisations are of a set and a relation");
                };
                let [set, relation] = parts.as_slice() else {
                    return failure(span, "linearisations are of a set and a relation");
                };
                let set = as_set(set, span)?;
                self.linearisations(set, &*self.as_relation(relation, span)?, span)
            }
        }
    }

    /// The events of a set that access memory, those of each address together.
    fn by_location(&self, set: EventSet) -> Value {
        let mut left = set & self.execution.accesses();
        let mut classes = Vec::new();
        while let Some(first) = left.iter().next() {
            let class = self.execution.same_address.successors(first) & left;
            classes.push(Value::Set(class));
            left = left - class;
        }
        if classes.is_empty() { Value::Nothing } else { Value::Values(Rc::new(classes)) }
    }

    /// The total orders of a set that contain a relation. Of the writes to one address there is one
    /// order, that of the execution: candidates differ in it.
    fn linearisations(&self, set: EventSet, relation: &Relation, span: Span) -> Evaluated {
        let within = relation.starting_in(set).ending_in(set);
        let here = self.execution.product(set, set);
        let same_address = set
            .iter()
            .next()
            .is_some_and(|first| (set - self.execution.same_address.successors(first)).is_empty());
        if same_address && (set - self.execution.writes).is_empty() {
            let order = &self.execution.co & &here;
            // Before an execution is complete, its order is not yet one, and agrees with anything.
            let both_ways = (&order | order.inverse()).or_same();
            let agrees = !(here - both_ways).is_empty() || (within - &order).is_empty();
            let orders = vec![Value::relation(order)];
            return Ok(if agrees { Value::Values(Rc::new(orders)) } else { Value::Nothing });
        }
        let mut orders = Vec::new();
        let mut chosen = Vec::new();
        self.extend(set, &within, &mut chosen, &mut orders, span)?;
        Ok(if orders.is_empty() { Value::Nothing } else { Value::Values(Rc::new(orders)) })
    }

    fn extend(
        &self,
        left: EventSet,
        relation: &Relation,
        chosen: &mut Vec<usize>,
        orders: &mut Vec<Value>,
        span: Span,
    ) -> Result<(), Failure> {
        if left.is_empty() {
            if orders.len() >= MOST_ORDERS {
                return failure(span, "there are too many orders of this set");
            }
            let pairs = chosen.iter().enumerate().flat_map(|(at, first)| {
                chosen[at + 1..].iter().map(move |second| (*first, *second))
            });
            orders.push(Value::relation(Relation::from_pairs(self.events(), pairs)));
            return Ok(());
        }
        let before = |event: usize| left.iter().any(|other| relation.contains(other, event));
        let next: Vec<usize> = left.iter().filter(|event| !before(*event)).collect();
        for event in next {
            chosen.push(event);
            self.extend(left - EventSet::only(event), relation, chosen, orders, span)?;
            chosen.pop();
        }
        Ok(())
    }
}

fn unlike(done: &str, left: &Value, right: &Value, span: Span) -> Evaluated {
    failure(span, format!("{} and {} cannot be {done}", left.kind(), right.kind()))
}

/// The values that are also in another set, or those that are not.
fn kept(values: &[Value], other: &[Value], common: bool) -> Value {
    let is_there =
        |value: &&Value| other.iter().any(|known| known.same(value) == Some(true)) == common;
    Value::Values(Rc::new(values.iter().filter(is_there).cloned().collect()))
}

/// A set of events.
fn as_set(value: &Value, span: Span) -> Result<EventSet, Failure> {
    match value {
        Value::Set(set) => Ok(*set),
        Value::Nothing => Ok(EventSet::EMPTY),
        Value::Event(event) => Ok(EventSet::only(*event)),
        Value::Relation(_)
        | Value::Values(_)
        | Value::Pair(..)
        | Value::Tag(_)
        | Value::Tuple(_)
        | Value::Function(_)
        | Value::Primitive(_)
        | Value::Procedure(_) => {
            failure(span, format!("a set of events is wanted, this is {}", value.kind()))
        }
    }
}
