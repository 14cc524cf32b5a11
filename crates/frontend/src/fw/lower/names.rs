//! What names mean outside threads, and constant expressions.

use std::collections::{BTreeMap, BTreeSet};

use program::value::is_at_rest;
use program::{
    BinaryOp, Diagnostic, Diagnostics, Domain, LocationId, Program, RegisterId, Span, Value,
};

use super::super::ast::{self, ExprKind, Place};
use crate::suggest::did_you_mean;
use crate::token::shortened;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Constant(Value),
    Scalar(LocationId),
    Array(LocationId),
    /// A local variable.
    Register(RegisterId),
    /// The index over which a thread is replicated.
    Index(RegisterId),
}

impl Meaning {
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Constant(_) => "a constant",
            Self::Scalar(_) => "a shared variable",
            Self::Array(_) => "a shared array",
            Self::Register(_) => "a local variable",
            Self::Index(_) => "the index of the thread",
        }
    }
}

/// The names declared so far.
#[derive(Clone, Debug)]
pub(super) struct Globals {
    names: BTreeMap<String, (Meaning, Span)>,
    /// What those locations can hold that hold more than an undeclared integer does.
    wide: BTreeMap<LocationId, Domain>,
    doubtful: BTreeSet<String>,
    /// Whether names can still be declared.
    is_open: bool,
}

impl Globals {
    pub(super) fn new(doubtful: BTreeSet<String>) -> Self {
        Self { names: BTreeMap::new(), wide: BTreeMap::new(), doubtful, is_open: true }
    }

    /// The names of what all threads of a program share. Its constants are in it no more.
    pub(super) fn of_program(program: &Program) -> Self {
        let mut globals = Self { is_open: false, ..Self::new(BTreeSet::new()) };
        for (id, location) in program.memory().locations().enumerate() {
            let meaning =
                if location.length.is_some() { Meaning::Array(id) } else { Meaning::Scalar(id) };
            globals.names.insert(location.name.clone(), (meaning, location.span));
        }
        globals
    }

    pub(super) fn declare(&mut self, name: &ast::Name, meaning: Meaning, errors: &mut Diagnostics) {
        if let Some((first, span)) = self.names.get(&name.text) {
            errors.push(
                Diagnostic::new(name.span, format!("`{}` is declared twice", name.text))
                    .related(*span, format!("first declared here, as {}", first.noun())),
            );
        } else {
            self.names.insert(name.text.clone(), (meaning, name.span));
        }
    }

    /// Remembers what a location can hold.
    pub(super) fn holds(&mut self, location: LocationId, domain: Domain) {
        let (low, high) = domain.bounds();
        if !(Domain::Integer.contains(low) && Domain::Integer.contains(high)) {
            self.wide.insert(location, domain);
        }
    }

    /// What a register must be able to hold to receive the value of an access or a choice.
    pub(super) fn domain_of(&self, expr: &ast::Expr) -> Domain {
        let place = match &expr.kind {
            ExprKind::Place(place)
            | ExprKind::Load { from: place, .. }
            | ExprKind::Update { place, .. } => place,
            ExprKind::Choose(range) => {
                let bounds = self.range(range, &mut Vec::new());
                let wide = |(low, high)| {
                    !(Domain::Integer.contains(low) && Domain::Integer.contains(high))
                };
                return match bounds {
                    Some((low, high)) if low <= high && wide((low, high)) => {
                        Domain::Range { low, high }
                    }
                    Some(_) | None => Domain::Integer,
                };
            }
            ExprKind::Number(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(_)
            | ExprKind::Cast(..) => return Domain::Integer,
        };
        let Place::Named { name, .. } = place else { return Domain::Integer };
        match self.meaning(&name.text) {
            Some(Meaning::Scalar(location) | Meaning::Array(location)) => {
                self.wide.get(&location).copied().unwrap_or(Domain::Integer)
            }
            Some(Meaning::Constant(_) | Meaning::Register(_) | Meaning::Index(_)) | None => {
                Domain::Integer
            }
        }
    }

    /// Whether something has this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// What a name means, if anything.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).map(|(meaning, _)| *meaning)
    }

    /// Whether a name stands for shared memory.
    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|(meaning, _)| match meaning {
            Meaning::Scalar(_) | Meaning::Array(_) => true,
            Meaning::Constant(_) | Meaning::Register(_) | Meaning::Index(_) => false,
        })
    }

    /// Whether a name stands for a constant.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        matches!(self.names.get(name), Some((Meaning::Constant(_), _)))
    }

    /// What a name means; an unknown one is reported.
    pub(super) fn resolve(&self, name: &ast::Name, errors: &mut Diagnostics) -> Option<Meaning> {
        if let Some((meaning, _)) = self.names.get(&name.text) {
            return Some(*meaning);
        }
        if !self.doubtful.contains(&name.text) {
            let text = shortened(&name.text);
            let like = did_you_mean(&name.text, self.names.keys().map(String::as_str));
            let help = match like {
                Some(like) => format!("did you mean `{like}`?"),
                None if self.is_open => format!(
                    "declare it: `shared {text}` for all threads, `local {text}` in this one"
                ),
                None => "`fencewright show` prints the names of a program".to_owned(),
            };
            errors.push(Diagnostic::new(name.span, format!("unknown name `{text}`")).help(help));
        }
        None
    }

    /// Reports unknown names in an expression that is not lowered.
    pub(super) fn check(&self, expr: &ast::Expr, errors: &mut Diagnostics) {
        let place = |place: &Place, errors: &mut Diagnostics| match place {
            Place::Named { name, index } => {
                self.resolve(name, errors);
                if let Some(index) = index {
                    self.check(index, errors);
                }
            }
            Place::Mem { address, .. } => self.check(address, errors),
        };
        match &expr.kind {
            ExprKind::Number(_) => {}
            ExprKind::Place(it) | ExprKind::AddressOf(it) | ExprKind::Load { from: it, .. } => {
                place(it, errors);
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => {
                self.check(operand, errors);
            }
            ExprKind::Binary(_, left, right) => {
                self.check(left, errors);
                self.check(right, errors);
            }
            ExprKind::Select(operands) => {
                for operand in operands.iter() {
                    self.check(operand, errors);
                }
            }
            ExprKind::Choose(range) => {
                self.check(&range.low, errors);
                self.check(&range.high, errors);
            }
            ExprKind::Update { place: it, arguments, .. } => {
                place(it, errors);
                for argument in arguments {
                    self.check(argument, errors);
                }
            }
        }
    }

    /// The value of a constant expression; what is not constant is reported.
    pub(super) fn constant(&self, expr: &ast::Expr, errors: &mut Diagnostics) -> Option<Value> {
        let result = match &expr.kind {
            ExprKind::Number(value) => Ok(*value),
            ExprKind::Place(Place::Named { name, index: None }) => {
                match self.resolve(name, errors)? {
                    Meaning::Constant(value) => Ok(value),
                    meaning @ (Meaning::Scalar(_)
                    | Meaning::Array(_)
                    | Meaning::Register(_)
                    | Meaning::Index(_)) => {
                        errors.push(
                            Diagnostic::new(expr.span, "a constant is needed here")
                                .label(format!("this is {}", meaning.noun())),
                        );
                        return None;
                    }
                }
            }
            ExprKind::Unary(op, operand) => op.apply(self.constant(operand, errors)?),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = self.constant(left, errors)? != 0;
                // As everywhere, one side can be enough.
                if left == (*op == BinaryOp::Or) {
                    Ok(Value::from(left))
                } else {
                    Ok(Value::from(self.constant(right, errors)? != 0))
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.constant(left, errors), self.constant(right, errors));
                op.apply(left?, right?)
            }
            ExprKind::Cast(int, operand) => Ok(int.wrap(self.constant(operand, errors)?)),
            ExprKind::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                let chosen = if self.constant(condition, errors)? != 0 { then } else { otherwise };
                return self.constant(chosen, errors);
            }
            ExprKind::Place(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Choose(_)
            | ExprKind::Load { .. }
            | ExprKind::Update { .. } => {
                errors.push(Diagnostic::new(expr.span, "a constant is needed here"));
                return None;
            }
        };
        match result {
            Ok(value) if is_at_rest(value) => Some(value),
            Ok(value) => {
                errors.push(Diagnostic::new(expr.span, format!("{value} does not fit in 64 bits")));
                None
            }
            Err(fault) => {
                errors.push(Diagnostic::new(expr.span, fault.to_string()));
                None
            }
        }
    }

    /// The constant that `name`, which has this domain, starts with.
    pub(super) fn constant_in(
        &self,
        expr: &ast::Expr,
        domain: Domain,
        name: &str,
        errors: &mut Diagnostics,
    ) -> Value {
        let (low, high) = domain.bounds();
        match self.constant(expr, errors) {
            Some(value) if domain.contains(value) => value,
            Some(value) => {
                let message = format!("`{name}` cannot start with {value}");
                let label = format!("it holds {low} to {high}");
                errors.push(Diagnostic::new(expr.span, message).label(label));
                low
            }
            None => low,
        }
    }

    /// The least and the greatest value of a range; an empty one is returned as it is.
    pub(super) fn range(
        &self,
        range: &ast::RangeExpr,
        errors: &mut Diagnostics,
    ) -> Option<(Value, Value)> {
        let low = self.constant(&range.low, errors);
        let high = self.constant(&range.high, errors);
        Some((low?, high? - Value::from(!range.inclusive)))
    }

    /// A range that has at least one value.
    pub(super) fn nonempty_range(
        &self,
        range: &ast::RangeExpr,
        errors: &mut Diagnostics,
    ) -> Option<(Value, Value)> {
        let (low, high) = self.range(range, errors)?;
        if low <= high {
            return Some((low, high));
        }
        let help = "`a..b` ends before `b`; `a..=b` includes it";
        errors.push(Diagnostic::new(range.span, "this range is empty").help(help));
        None
    }

    pub(super) fn domain(&self, domain: &ast::Domain, errors: &mut Diagnostics) -> Domain {
        match domain {
            ast::Domain::Int(int) => Domain::Wrapping(*int),
            ast::Domain::Range(range) => self
                .nonempty_range(range, errors)
                .map_or(Domain::Integer, |(low, high)| Domain::Range { low, high }),
        }
    }
}
