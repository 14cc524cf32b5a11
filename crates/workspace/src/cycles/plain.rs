//! Plain accesses of C that stay as they are, although an order would be cheaper than a fence.
//!
//! Not every access that the machine does at once can be made atomic in the text: not one of a bit-field, and not one of a
//! structure that fits into a register. What an access is of, the IR does not say, and the compiler does: when it
//! refuses a repaired text, all plain accesses whose order could be written are made atomic in one trial, and those at
//! which it finds an error are left alone; and so on with the rest, until it is content.
//!
//! An assignment becomes a call. Compilers evaluate what is assigned before where it goes, and the arguments of a call
//! from left to right; so loads on both sides change places. Where that matters, assignments with several accesses in
//! them are left alone, then all assignments; and if the text still does something else, all plain accesses. Of a program
//! with many plain accesses a repair is not looked for that often: those assignments in which something changes places
//! are left alone from the start.

use std::collections::{BTreeMap, BTreeSet};

use cycles::answer::Repair;
use events::{Access, AccessKind, Action, Graph};
use frontend::edit::{Change as TextChange, NewOrder};
use program::{Order, SourceId, Sources, Span};

use super::orders::kind_in_text;
use crate::fence::text::edited_in_source;
use crate::host::Host;
use crate::source::Compilation;

/// Where accesses stand that are left alone.
pub(super) type LeftAlone = BTreeSet<Span>;

/// Whether an access is not atomic.
pub(super) fn is_plain(access: &Access) -> bool {
    access.order < Order::Relaxed
}

/// The plain accesses of a graph, and where they stand.
fn plain(graph: &Graph) -> impl Iterator<Item = (Span, &Access)> {
    graph.functions.iter().flat_map(|function| &function.nodes).filter_map(|node| {
        match &node.action {
            Action::Access(access) if is_plain(access) => Some((node.span, access)),
            Action::Access(_) | Action::Skip | Action::Fence(_) | Action::Call(_) => None,
        }
    })
}

/// Where all of them stand.
pub(super) fn all(graph: &Graph) -> LeftAlone {
    plain(graph).map(|(span, _)| span).collect()
}

/// The plain accesses that compilers cannot make atomic, among those whose order could be written.
pub(super) fn refused(
    graph: &Graph,
    (sources, compilation): (&Sources, &Compilation),
    host: &dyn Host,
    can_write: &dyn Fn(TextChange) -> bool,
) -> LeftAlone {
    let mut of_source: BTreeMap<SourceId, BTreeSet<TextChange>> = BTreeMap::new();
    for (span, access) in plain(graph).filter(|(_, access)| access.aligned) {
        let (Some(source), Some(kind)) = (span.source, kind_in_text(access.kind)) else { continue };
        let (from, order) = (access.order, Order::Relaxed);
        let change = TextChange::Order(NewOrder { span, kind, from, order, failing: None });
        let all = of_source.entry(source).or_default();
        if !all.contains(&change) && can_write(change) {
            all.insert(change);
        }
    }
    let mut refused = LeftAlone::new();
    loop {
        of_source.retain(|_, rest| !rest.is_empty());
        let mut texts = Vec::new();
        for (source, rest) in &mut of_source {
            let all: Vec<TextChange> = rest.iter().copied().collect();
            let made = edited_in_source(sources, compilation, None, (&all, &[]), false);
            if let Ok([(_, edited)]) = made.as_deref() {
                texts.push((*source, edited.clone()));
            } else {
                refused.extend(all.into_iter().map(span));
                rest.clear();
            }
        }
        if texts.is_empty() {
            break;
        }
        let others: Vec<(&str, &str)> = texts
            .iter()
            .map(|(source, edited)| (sources.name(*source), edited.text.as_str()))
            .collect();
        let Some(errors) = compilation.errors_in(host, &others) else { break };
        // Errors that are in none of them may be about all.
        let is_elsewhere = errors.iter().all(Vec::is_empty);
        for ((source, edited), errors) in texts.into_iter().zip(errors) {
            let rest = of_source.entry(source).or_default();
            if errors.is_empty() && !is_elsewhere {
                continue;
            }
            let all: Vec<TextChange> = rest.iter().copied().collect();
            let at = errors.into_iter().map(|error| edited.origins.of(error));
            let found: BTreeSet<Span> = at.flat_map(|at| innermost(&all, at)).collect();
            let is_refused =
                |change: &TextChange| found.is_empty() || found.contains(&span(*change));
            refused.extend(all.iter().copied().filter(is_refused).map(span));
            rest.retain(|change| !is_refused(change));
        }
    }
    refused
}

const fn span(change: TextChange) -> Span {
    match change {
        TextChange::Order(change) => change.span,
        TextChange::LockStore(span)
        | TextChange::RemoveFence(span)
        | TextChange::UnlockStore(span) => span,
        TextChange::FenceBefore(..) | TextChange::FenceAfter(..) => Span::NONE,
    }
}

/// Where the changes stand that a place is about: those that begin there, or the least around it.
fn innermost(changes: &[TextChange], at: usize) -> Vec<Span> {
    let spans = || changes.iter().map(|change| span(*change));
    let begin: Vec<Span> = spans().filter(|span| span.start as usize == at).collect();
    if !begin.is_empty() {
        return begin;
    }
    let around = spans().filter(|span| (span.start as usize..=span.end as usize).contains(&at));
    around.min_by_key(|span| span.end - span.start).into_iter().collect()
}

/// The plain assignments in which a call would change the order of what happens: something in them stands before something
/// else, and happens after it.
pub(super) fn in_another_order(graph: &Graph) -> LeftAlone {
    let mut found = LeftAlone::new();
    for function in &graph.functions {
        // What happens, as it stands in the text, each with its number in the order of execution.
        let mut texts: Vec<(Span, usize)> = Vec::new();
        for (number, node) in function.nodes.iter().enumerate() {
            match node.action {
                Action::Access(_) | Action::Call(_) => texts.push((node.span, number)),
                Action::Skip | Action::Fence(_) => {}
            }
        }
        texts.sort_unstable_by_key(|(span, number)| (span.source, span.start, *number));
        for node in &function.nodes {
            let Action::Access(access) = &node.action else { continue };
            if !is_plain(access) || access.kind != AccessKind::Write {
                continue;
            }
            let whole = node.span;
            let begin = (whole.source, whole.start);
            let first = texts.partition_point(|(span, _)| (span.source, span.start) < begin);
            let begins_inside =
                |span: &Span| span.source == whole.source && span.start <= whole.end;
            let rest = texts[first..].iter().take_while(|(span, _)| begins_inside(span));
            let inside = rest.filter(|(span, _)| *span != whole && is_inside(*span, whole));
            if !inside.map(|(_, number)| number).is_sorted() {
                found.insert(whole);
            }
        }
    }
    found
}

fn is_inside(span: Span, whole: Span) -> bool {
    span.source == whole.source && whole.start <= span.start && span.end <= whole.end
}

/// What is left alone because a repaired text does not do what was ordered: the plain assignments that the repair changes
/// and that have several accesses in them; if none has, all that it changes; if there are none, all plain accesses. Nothing
/// if it changes no plain access.
pub(super) fn evaluated_otherwise(graph: &Graph, repair: &Repair) -> LeftAlone {
    let mut assignments = LeftAlone::new();
    let mut several = LeftAlone::new();
    let mut has_plain = false;
    for order in repair.orders.iter().filter(|order| order.from < Order::Relaxed) {
        has_plain = true;
        let nodes = &graph.functions[order.node.0].nodes;
        let is_write = |node: &events::Node| match &node.action {
            Action::Access(access) => access.kind == AccessKind::Write,
            Action::Skip | Action::Fence(_) | Action::Call(_) => false,
        };
        if !is_write(&nodes[order.node.1]) {
            continue;
        }
        let whole = order.span;
        let is_inside = |node: &&events::Node| {
            matches!(node.action, Action::Access(_))
                && node.span != whole
                && is_inside(node.span, whole)
        };
        assignments.insert(whole);
        if nodes.iter().filter(is_inside).count() > 1 {
            several.insert(whole);
        }
    }
    match (several.is_empty(), assignments.is_empty()) {
        (false, _) => several,
        (true, false) => assignments,
        (true, true) if has_plain => all(graph),
        (true, true) => LeftAlone::new(),
    }
}
