//! Which orders and fences that are there are stronger than needed.
//!
//! All orders of atomic accesses become relaxed and all fences go, as far as that can be written; and the cheapest
//! of them that are needed come back: one integer program, as for a repair, for all machines that are asked about
//! at once. What the program is compared with is that of the program as it was. So what can be weaker, all of it
//! together, is proven: no critical cycle has a delay then. A program that has delays as it is has no such proof.
//!
//! A lock orders what is done under it only if it acquires and releases, so it is also tried to begin with locks that
//! do; the cheaper of the two answers is told.

use std::collections::BTreeMap;

use cycles::orders::{failing, is_at_least, of_locks};
use cycles::{
    Analysis, Arch, Changed, Costs, Groups, NodeRef, Orders, Placement, Settings, place_for_all,
};
use events::{Action, Graph};
use frontend::edit::{AccessKind as TextKind, Change as TextChange, NewOrder};
use program::{Diagnostics, FenceKind, Order, Span};

use super::orders::kind_in_text;
use super::{Cycles, not_repaired};

/// What a fence that is there costs, where something must be said: as much as a full one.
pub(super) const FENCE: u64 = 4;

/// An access whose order was looked at.
#[derive(Clone, Debug)]
pub struct AuditedOrder {
    /// The function it is in.
    pub function: String,
    /// Where it stands, and what it does.
    pub change: NewOrder,
}

impl AuditedOrder {
    /// Whether a weaker order is enough.
    pub fn is_weaker(&self) -> bool {
        self.change.order != self.change.from
    }
}

/// A fence that was looked at.
#[derive(Clone, Debug)]
pub struct AuditedFence {
    /// The function it is in.
    pub function: String,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: FenceKind,
    /// Whether it is needed.
    pub is_needed: bool,
}

/// What can be weaker.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The machines it is about.
    pub archs: Vec<Arch>,
    /// The accesses with an order.
    pub orders: Vec<AuditedOrder>,
    /// The fences.
    pub fences: Vec<AuditedFence>,
    /// The candidate executions that prove it, if not critical cycles do.
    pub executions: Option<u64>,
}

/// Why nothing is known.
#[derive(Clone, Debug)]
pub enum NoAudit {
    /// The program has delays as it is.
    Delays {
        /// On this machine.
        arch: Arch,
        /// How many.
        delays: usize,
    },
    /// It has executions that SC does not have, as it is.
    Weak {
        /// On this machine.
        arch: Arch,
    },
    /// Not all its executions are known.
    Open {
        /// On this machine.
        arch: Arch,
        /// Why.
        why: String,
    },
    /// What is needed is not only what is there: an order that counts together with several others.
    Unclear,
    /// Time was up.
    OutOfTime,
}

impl Audit {
    /// What can be weaker, as changes of a text.
    pub fn changes(&self) -> Vec<TextChange> {
        let orders = self.orders.iter().filter(|order| order.is_weaker());
        let fences = self.fences.iter().filter(|fence| !fence.is_needed);
        orders
            .map(|order| TextChange::Order(order.change))
            .chain(fences.map(|fence| TextChange::RemoveFence(fence.span)))
            .collect()
    }
}

/// How graphs are compiled: the meaning of orders, and whether dependencies count.
pub(super) type How = (Orders, bool);

const fn settings(question: &Cycles, arch: Arch, (orders, dependencies): How) -> Settings {
    Settings { arch, orders, reference: question.reference, dependencies }
}

/// Looks at what is there.
pub(super) fn audit(
    graph: &Graph,
    archs: &[Arch],
    question: &Cycles,
    how: How,
    can_write: &dyn Fn(TextChange) -> bool,
) -> Result<Audit, NoAudit> {
    for arch in archs {
        let analysis =
            Analysis::compiled(graph, settings(question, *arch, how), Changed::default());
        let nothing = analysis.nothing_put();
        if !analysis.is_robust(&nothing) {
            let delays = analysis.count_delays(&nothing);
            return Err(NoAudit::Delays { arch: *arch, delays });
        }
    }
    let groups = Groups::new(graph);
    // A lock has to acquire and release where it orders what is done under it; perhaps it is cheaper if it need not.
    let locks = of_locks(graph);
    let nothing = BTreeMap::new();
    let mut best: Option<(u64, Looked<'_>, Placement)> = None;
    for weakest in [&nothing, &locks] {
        if weakest.is_empty() && best.is_some() {
            continue;
        }
        let looked_at = Looked::at(graph, &groups, weakest, can_write);
        let (cost, placement) = looked_at.least(graph, archs, question, how)?;
        let is_better = best.as_ref().is_none_or(|(least, ..)| cost < *least);
        if placement.left.is_empty() && is_better {
            best = Some((cost, looked_at, placement));
        }
    }
    let Some((_, looked_at, placement)) = best else { return Err(NoAudit::Unclear) };
    let name = |node: NodeRef| graph.functions[node.0].name.clone();
    let span = |node: NodeRef| graph.functions[node.0].nodes[node.1].span;
    let mut orders: Vec<AuditedOrder> = looked_at
        .orders
        .iter()
        .map(|(node, (access, kind))| {
            let enough = placement.changed.orders.get(node).copied().unwrap_or(access.order);
            let order = if is_at_least(enough, access.order) { access.order } else { enough };
            let (span, from, failing) = (span(*node), access.order, failing(access, order));
            let change = NewOrder { span, kind: *kind, from, order, failing };
            AuditedOrder { function: name(*node), change }
        })
        .collect();
    orders.sort_by_key(|order| order.change);
    let mut fences: Vec<AuditedFence> = looked_at
        .fences
        .iter()
        .map(|(node, kind)| AuditedFence {
            function: name(*node),
            span: span(*node),
            kind: *kind,
            is_needed: !placement.changed.without.contains(node),
        })
        .collect();
    fences.sort_by_key(|fence| fence.span);
    Ok(Audit { archs: archs.to_vec(), orders, fences, executions: None })
}

/// What can be weaker or go, each place in the text once.
pub(super) struct Looked<'g> {
    pub(super) orders: BTreeMap<NodeRef, (&'g events::Access, TextKind)>,
    pub(super) fences: Vec<(NodeRef, FenceKind)>,
    weakest: Changed,
}

impl<'g> Looked<'g> {
    /// All that can be written, as weak as it can be: relaxed, or as these orders.
    pub(super) fn at(
        graph: &'g Graph,
        groups: &Groups,
        least: &BTreeMap<NodeRef, Order>,
        can_write: &dyn Fn(TextChange) -> bool,
    ) -> Self {
        let mut looked =
            Self { orders: BTreeMap::new(), fences: Vec::new(), weakest: Changed::default() };
        for (function, data) in graph.functions.enumerate() {
            for (node, data) in data.nodes.enumerate() {
                let node = (function, node);
                if groups.first(node) != node {
                    continue;
                }
                match &data.action {
                    Action::Access(access) => {
                        let Some(kind) = kind_in_text(access.kind) else { continue };
                        let (span, from) = (data.span, access.order);
                        let least = least.get(&node).copied();
                        let least = least.filter(|least| is_at_least(from, *least));
                        let order = least.unwrap_or(Order::Relaxed);
                        let failing = failing(access, order);
                        let change = NewOrder { span, kind, from, order, failing };
                        if from > Order::Relaxed && can_write(TextChange::Order(change)) {
                            looked.orders.insert(node, (access, kind));
                            for member in groups.members(node) {
                                looked.weakest.orders.insert(*member, order);
                            }
                        }
                    }
                    Action::Fence(kind) => {
                        if can_write(TextChange::RemoveFence(data.span)) {
                            looked.fences.push((node, *kind));
                            looked.weakest.without.extend(groups.members(node));
                        }
                    }
                    Action::Skip | Action::Call(_) => {}
                }
            }
        }
        looked
    }

    /// The cheapest orders and fences that must come back, and what is there then costs.
    fn least(
        &self,
        graph: &Graph,
        archs: &[Arch],
        question: &Cycles,
        how: How,
    ) -> Result<(u64, Placement), NoAudit> {
        let analyses: Vec<Analysis<'_>> = archs
            .iter()
            .map(|arch| {
                let changed = self.weakest.clone();
                Analysis::compiled(graph, settings(question, *arch, how), changed)
            })
            .collect();
        let analyses: Vec<&Analysis<'_>> = analyses.iter().collect();
        let price = |access: &events::Access, order: Order| {
            archs.iter().map(|arch| arch.order_cost(access.kind, order)).max().unwrap_or(1).max(1)
        };
        let order = |node: NodeRef, order: Order| {
            let (access, _) = self.orders.get(&node)?;
            is_at_least(access.order, order).then(|| price(access, order))
        };
        let existing = |node: NodeRef| self.weakest.without.contains(&node).then_some(FENCE);
        let costs = Costs { kinds: &[], weight: &|_| 1, order: &order, existing: &existing };
        let placement = place_for_all(&analyses, &costs, question.deadline);
        let placement = placement.map_err(|_| NoAudit::OutOfTime)?;
        let kept = self.orders.iter().filter_map(|(node, (access, _))| {
            let least = *self.weakest.orders.get(node)?;
            (least > Order::Relaxed).then(|| price(access, least))
        });
        Ok((placement.cost + kept.sum::<u64>(), placement))
    }
}

/// Nothing is called enough that is not looked at again, as it would be read.
pub(super) fn must_be_robust(
    graph: &Graph,
    archs: &[Arch],
    question: &Cycles,
    how: How,
) -> Result<(), Diagnostics> {
    let is_robust = |arch: &Arch| {
        let analysis =
            Analysis::compiled(graph, settings(question, *arch, how), Changed::default());
        analysis.is_robust(&analysis.nothing_put())
    };
    if archs.iter().all(is_robust) { Ok(()) } else { Err(not_repaired()) }
}
