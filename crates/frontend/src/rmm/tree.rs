//! Small pieces of the tree of `.fw`.

use std::collections::BTreeSet;

use program::{BinaryOp, Span, Value};

use super::ast;
use crate::fw::ast::{
    Domain, Expr, ExprKind, File, Initial, Name, Place, Question, RangeExpr, Shared, Stmt, StmtKind,
};

pub(crate) fn empty_file() -> File {
    File {
        name: None,
        constants: Vec::new(),
        unbounded_memory: false,
        shared: Vec::new(),
        threads: Vec::new(),
        question: Question::default(),
        errors: Vec::new(),
        doubtful: BTreeSet::new(),
    }
}

pub(super) fn name(name: &ast::Name) -> Name {
    Name { text: name.text.clone(), span: name.span }
}

pub(crate) const fn number(value: Value, span: Span) -> Expr {
    Expr { kind: ExprKind::Number(value), span, depth: 0 }
}

pub(crate) fn place(place: Place) -> Expr {
    let span = place.span();
    Expr { kind: ExprKind::Place(place), span, depth: 0 }
}

pub(crate) fn variable(text: &str, span: Span) -> Expr {
    place(Place::Named { name: Name { text: text.to_owned(), span }, index: None })
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let depth = left.depth.max(right.depth) + 1;
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span, depth }
}

/// That a value without effect is in a range.
pub(super) fn within(value: &Expr, (low, high): (Value, Value)) -> Expr {
    let span = value.span;
    binary(
        BinaryOp::And,
        binary(BinaryOp::Le, number(low, span), copy(value)),
        binary(BinaryOp::Le, copy(value), number(high, span)),
    )
}

/// A copy of a value made of registers and numbers.
pub(super) fn copy(value: &Expr) -> Expr {
    let kind = match &value.kind {
        ExprKind::Number(number) => ExprKind::Number(*number),
        ExprKind::Place(Place::Named { name, index }) => ExprKind::Place(Place::Named {
            name: name.clone(),
            index: index.as_ref().map(|index| Box::new(copy(index))),
        }),
        ExprKind::Place(Place::Mem { address, span }) => {
            ExprKind::Place(Place::Mem { address: Box::new(copy(address)), span: *span })
        }
        ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(copy(operand))),
        ExprKind::Binary(op, left, right) => {
            ExprKind::Binary(*op, Box::new(copy(left)), Box::new(copy(right)))
        }
        ExprKind::AddressOf(_)
        | ExprKind::Select(_)
        | ExprKind::Cast(..)
        | ExprKind::Choose(_)
        | ExprKind::Load { .. }
        | ExprKind::Update { .. } => unreachable!("no value of this language"),
    };
    Expr { kind, span: value.span, depth: value.depth }
}

pub(crate) fn domain(range: (Value, Value), span: Span) -> Domain {
    Domain::Range(Box::new(self::range(range, span)))
}

fn range((low, high): (Value, Value), span: Span) -> RangeExpr {
    RangeExpr { low: number(low, span), high: number(high, span), inclusive: true, span }
}

/// What something starts with; if that is any value, the least.
pub(super) fn initial(data: &ast::Data) -> Expr {
    let least = data.domain.map_or(0, |(low, _)| low);
    number(data.initial.unwrap_or(least), data.name.span)
}

pub(super) fn shared(data: &ast::Data) -> Shared {
    Shared {
        name: name(&data.name),
        length: None,
        domain: data.domain.map(|range| domain(range, data.name.span)),
        initial: Some(Initial::One(initial(data))),
        base: None,
        stride: None,
        parts: None,
    }
}

/// A variable that is 0 and becomes 1.
pub(super) fn flag(text: &str, base: Value) -> Shared {
    Shared {
        name: Name { text: text.to_owned(), span: Span::NONE },
        length: None,
        domain: Some(domain((0, 1), Span::NONE)),
        initial: None,
        base: Some(number(base, Span::NONE)),
        stride: None,
        parts: None,
    }
}

pub(super) fn set(flag: &str) -> Stmt {
    let name = Name { text: flag.to_owned(), span: Span::NONE };
    let to = Place::Named { name, index: None };
    statement(StmtKind::Assign { to, value: number(1, Span::NONE) }, Span::NONE)
}

pub(super) fn wait_for(flag: &str) -> Stmt {
    let is_set = binary(BinaryOp::Eq, variable(flag, Span::NONE), number(1, Span::NONE));
    statement(StmtKind::Assume(is_set), Span::NONE)
}

/// Any value of its domain for something declared.
pub(super) fn choose(to: Place, data: &ast::Data) -> Stmt {
    let span = data.name.span;
    let bounds = data.domain.unwrap_or((0, 0));
    let kind = ExprKind::Choose(Box::new(range(bounds, span)));
    let value = Expr { kind, span, depth: 1 };
    statement(StmtKind::Assign { to, value }, Span { source: None, ..span })
}

pub(crate) const fn statement(kind: StmtKind, span: Span) -> Stmt {
    Stmt { labels: Vec::new(), kind, span }
}
