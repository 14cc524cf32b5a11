//! Which orders and fences the executions of a closed program need.
//!
//! The static audit knows no values, so it has no answer about a program whose orders are right only because a lock works or
//! a node is not read before it is published. Where all executions can be enumerated, each fence is left out and each
//! order made weaker, the weakest first, as long as every execution on every machine is still one of SC. A weaker order
//! and a fence that goes only add executions, so what was needed in one trial is needed in all later ones: of what
//! remains no order can be weaker and no fence go, and all that was changed, together, is proven by the last trial that
//! succeeded. Fences can stand for orders, and orders for fences: either is tried first, and the cheaper rest is told.
//!
//! What x86 gives would change with the orders, so TSO is no reference here.

use std::collections::{BTreeMap, BTreeSet};

use axiomatic::Respected;
use cycles::orders::{failing, is_at_least, orders_of};
use cycles::{Arch, Groups, NodeRef, Reference};
use events::{Access, Graph};
use frontend::edit::{Change as TextChange, NewOrder};
use program::{Diagnostic, Diagnostics, Order, Program, Span};
use web_time::Instant;

use super::audit::{Audit, AuditedFence, AuditedOrder, FENCE, Looked, NoAudit};
use super::refined::{Proof, proven};
use super::texts::Edges;
use super::{Cycles, Executions};

/// The program with changes, if they can be written.
pub(super) type Rereading<'a, E> = dyn Fn(&[TextChange]) -> Result<Option<Program>, E> + 'a;

/// An error if executions cannot be asked.
pub(super) fn fits(question: &Cycles) -> Result<(), Diagnostics> {
    if question.audit.is_none()
        || question.executions != Executions::Asked
        || question.reference == Reference::Sc
    {
        return Ok(());
    }
    let message = "executions say which orders are needed compared with SC only: what x86 gives changes with the orders";
    Err(vec![Diagnostic::new(Span::NONE, message).help("leave out `--confirm`")])
}

/// Weakens orders and takes fences out as long as the enumerator proves the rest.
pub(super) fn by_executions<E>(
    graph: &Graph,
    archs: &[Arch],
    (question, respected): (&Cycles, Respected),
    can_write: &dyn Fn(TextChange) -> bool,
    rereading: &Rereading<'_, E>,
) -> Result<Result<Audit, NoAudit>, E> {
    let groups = Groups::new(graph);
    let looked_at = Looked::at(graph, &groups, &BTreeMap::new(), can_write);
    let name = |node: NodeRef| graph.functions[node.0].name.clone();
    let span = |node: NodeRef| graph.functions[node.0].nodes[node.1].span;
    let mut audit = Audit {
        archs: archs.to_vec(),
        orders: Vec::new(),
        fences: Vec::new(),
        executions: Some(0),
    };
    let mut seen = BTreeSet::new();
    for (node, kind) in &looked_at.fences {
        if seen.insert(span(*node)) {
            let (function, span) = (name(*node), span(*node));
            audit.fences.push(AuditedFence { function, span, kind: *kind, is_needed: true });
        }
    }
    let mut kinds = Vec::new();
    for (node, (access, kind)) in &looked_at.orders {
        let (order, failing) = (access.order, failing(access, access.order));
        let change = NewOrder { span: span(*node), kind: *kind, from: order, order, failing };
        audit.orders.push(AuditedOrder { function: name(*node), change });
        kinds.push(*access);
    }
    let trial = |audit: &Audit| -> Result<Result<u64, NoAudit>, E> {
        let Some(program) = rereading(&audit.changes())? else { return Ok(Err(NoAudit::Unclear)) };
        Ok(judged(&program, archs, question, respected))
    };
    match trial(&audit)? {
        Ok(executions) => audit.executions = Some(executions),
        Err(why) => return Ok(Err(why)),
    }
    let mut best: Option<(u64, Audit)> = None;
    for first in [First::Fences, First::Orders] {
        let mut least = audit.clone();
        for part in first.parts() {
            match part {
                First::Fences => without_fences(&mut least, &trial)?,
                First::Orders => {
                    if !with_weaker_orders(&mut least, &kinds, question, &trial)? {
                        return Ok(Err(NoAudit::OutOfTime));
                    }
                }
            }
        }
        let price = |order: &AuditedOrder, access: &Access| {
            let order = order.change.order;
            archs.iter().map(|arch| arch.order_cost(access.kind, order)).max().unwrap_or(0)
        };
        let orders = least.orders.iter().zip(&kinds).map(|(order, access)| price(order, access));
        let fences = least.fences.iter().filter(|fence| fence.is_needed).map(|_| FENCE);
        let cost = orders.chain(fences).sum();
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, least));
        }
    }
    let Some((_, mut audit)) = best else { return Ok(Err(NoAudit::Unclear)) };
    audit.orders.sort_by_key(|order| order.change);
    audit.fences.sort_by_key(|fence| fence.span);
    Ok(Ok(audit))
}

/// What is tried first; orders can stand for fences, and fences for orders.
#[derive(Clone, Copy)]
enum First {
    Fences,
    Orders,
}

impl First {
    const fn parts(self) -> [Self; 2] {
        match self {
            Self::Fences => [Self::Fences, Self::Orders],
            Self::Orders => [Self::Orders, Self::Fences],
        }
    }
}

/// The candidate executions that prove what remains, or why it is not proven.
type Trial<'a, E> = dyn Fn(&Audit) -> Result<Result<u64, NoAudit>, E> + 'a;

fn without_fences<E>(audit: &mut Audit, trial: &Trial<'_, E>) -> Result<(), E> {
    for number in 0..audit.fences.len() {
        let mut other = audit.clone();
        other.fences[number].is_needed = false;
        if let Ok(executions) = trial(&other)? {
            *audit = Audit { executions: Some(executions), ..other };
        }
    }
    Ok(())
}

/// Whether there was time for all.
fn with_weaker_orders<E>(
    audit: &mut Audit,
    kinds: &[&Access],
    question: &Cycles,
    trial: &Trial<'_, E>,
) -> Result<bool, E> {
    for (number, access) in kinds.iter().enumerate() {
        let weaker = std::iter::once(&Order::Relaxed).chain(orders_of(access.kind));
        for order in weaker.copied() {
            if question.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
            if is_at_least(order, access.order) || !is_at_least(access.order, order) {
                continue;
            }
            let mut other = audit.clone();
            let change = &mut other.orders[number].change;
            (change.order, change.failing) = (order, failing(access, order));
            if let Ok(executions) = trial(&other)? {
                *audit = Audit { executions: Some(executions), ..other };
                break;
            }
        }
    }
    Ok(true)
}

/// The candidate executions of a program on all machines, if all that a machine allows are ones of SC.
fn judged(
    program: &Program,
    archs: &[Arch],
    question: &Cycles,
    respected: Respected,
) -> Result<u64, NoAudit> {
    let mut all = 0;
    for arch in archs.iter().copied() {
        let question = Cycles { arch, ..question.clone() };
        match proven((program, &Edges::new()), &question, respected) {
            Ok(Proof::Enumerated { executions, .. }) => all += executions,
            Ok(Proof::Open(why)) => return Err(NoAudit::Open { arch, why }),
            Err(_) => return Err(NoAudit::Weak { arch }),
        }
    }
    Ok(all)
}
