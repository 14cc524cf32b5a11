//! Orders of accesses as decisions: which can be written into a text, what they cost, and the changes of texts
//! and programs that they are.

use std::cell::RefCell;
use std::collections::HashMap;

use cycles::answer::ShownOrder;
use cycles::orders::{both, failing};
use cycles::{NodeRef, Reference};
use events::{AccessKind, Action, Graph, ProgramGraph};
use frontend::edit::{AccessKind as TextKind, Change as TextChange, NewOrder, edit};
use patch::{Syntax, can_reorder};
use program::change::Change;
use program::index::Idx;
use program::{Access, Order, Program, SourceId, Sources, Span, TemplateId};

use super::Cycles;
use super::plain::is_plain;
use crate::fence::text::{in_source, in_text};
use crate::inputs::{Loaded, Origin};
use crate::source::Compilation;

/// Whether a change of an order, or a fence that goes, can be written.
pub(super) type CanWrite<'a> = Box<dyn Fn(TextChange) -> bool + 'a>;

/// Whether a change of C or Rust can be written.
pub(super) fn in_sources<'a>(sources: &'a Sources, compilation: &'a Compilation) -> CanWrite<'a> {
    let read: RefCell<HashMap<SourceId, Syntax>> = RefCell::new(HashMap::new());
    let known: RefCell<HashMap<TextChange, bool>> = RefCell::new(HashMap::new());
    let can_write = move |change: TextChange| {
        let span = match change {
            TextChange::Order(change) => change.span,
            TextChange::RemoveFence(span) => span,
            TextChange::FenceBefore(..)
            | TextChange::FenceAfter(..)
            | TextChange::LockStore(_)
            | TextChange::UnlockStore(_) => return false,
        };
        let Some(source) = span.source else { return false };
        if matches!(change, TextChange::RemoveFence(_)) {
            return in_source(sources, compilation, None, (&[change], &[]), false).is_ok();
        }
        let TextChange::Order(change) = change else { return false };
        let mut read = read.borrow_mut();
        let syntax = read.entry(source).or_insert_with(|| {
            let language = compilation.language(sources.name(source));
            Syntax::parse(sources.text(source), language)
        });
        can_reorder(syntax, in_text(&change)).is_ok()
    };
    // The same is asked for each place that decisions are looked for, and searched for in a tree.
    Box::new(move |change: TextChange| {
        let asked = known.borrow().get(&change).copied();
        asked.unwrap_or_else(|| {
            let can = can_write(change);
            known.borrow_mut().insert(change, can);
            can
        })
    })
}

/// Whether a change of a model can be written.
pub(super) fn in_model(loaded: &Loaded) -> CanWrite<'_> {
    Box::new(move |change: TextChange| match &loaded.origin {
        Origin::Text(language, _) => {
            edit(&loaded.sources, SourceId::new(0), *language, &[change]).is_ok()
        }
        Origin::Compiled(_) => false,
    })
}

pub(super) const fn kind_in_text(kind: AccessKind) -> Option<TextKind> {
    match kind {
        AccessKind::Read => Some(TextKind::Load),
        AccessKind::Write => Some(TextKind::Store),
        AccessKind::Update { .. } => Some(TextKind::Update),
        AccessKind::ReadExclusive | AccessKind::WriteExclusive => None,
    }
}

/// What it costs to give an access an order beside the one it has, if that can be written and it is not left alone.
pub(super) fn price(
    question: &Cycles,
    graph: &Graph,
    (can_write, is_left_alone): (&dyn Fn(TextChange) -> bool, &dyn Fn(Span) -> bool),
    (function, node): NodeRef,
    order: Order,
) -> Option<u64> {
    let data = &graph.functions[function].nodes[node];
    let Action::Access(access) = &data.action else { return None };
    let kind = kind_in_text(access.kind)?;
    // Under TSO a `seq_cst` store would be a stronger one than the program had.
    let is_locked = question.reference == Reference::Tso && order == Order::SeqCst;
    let is_left = is_plain(access) && (!access.aligned || is_left_alone(data.span));
    if !question.orders || is_left || (is_locked && access.kind == AccessKind::Write) {
        return None;
    }
    let to = both(access.order, order);
    let (span, from, failing) = (data.span, access.order, failing(access, to));
    can_write(TextChange::Order(NewOrder { span, kind, from, order: to, failing })).then(|| {
        let own = question.order_costs.iter().rev().find(|(other, _)| *other == order);
        own.map_or_else(|| question.arch.order_cost(access.kind, order), |(_, cost)| *cost).max(1)
    })
}

/// Orders as changes of a text.
pub(super) fn changes(graph: &Graph, orders: &[ShownOrder]) -> Vec<TextChange> {
    let change = |order: &ShownOrder| {
        let data = &graph.functions[order.node.0].nodes[order.node.1];
        let Action::Access(access) = &data.action else { return None };
        Some(TextChange::Order(NewOrder {
            span: order.span,
            kind: kind_in_text(access.kind)?,
            from: order.from,
            order: order.to,
            failing: order.failing,
        }))
    };
    orders.iter().filter_map(change).collect()
}

/// Orders as changes of a program.
pub(super) fn in_program(
    program: &Program,
    graph: &ProgramGraph,
    orders: &cycles::Changed,
) -> Vec<(TemplateId, Change)> {
    let mut changes = Vec::new();
    for ((function, node), order) in &orders.orders {
        let class = Idx::new(function.index());
        let Action::Access(access) = &graph.graph.functions[*function].nodes[*node].action else {
            continue;
        };
        let Some(edge) = graph.edges[class][*node] else { continue };
        let template = graph.templates[class];
        let failure = failing(access, *order);
        let change = |_: &program::Expr, how: Access| Access { order: *order, failure, ..how };
        let instruction = &program.template(template).edge(edge).instruction;
        let change = Change::Become(edge, instruction.rewritten(&Clone::clone, &change));
        if !changes.contains(&(template, change.clone())) {
            changes.push((template, change));
        }
    }
    changes
}
