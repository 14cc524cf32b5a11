//! Orders of accesses as decisions beside fences: which there are, and which of them order two accesses.
//!
//! What an order means on a machine is told by `compile` alone: an access with another order is compiled again,
//! by itself, to reads, writes and the fences around them. On `AArch64` an order is a property of the instruction,
//! on Power, `ARMv7` and RISC-V it is a fence before or after it, or a branch. So it may order two accesses
//! because it is one of them, or because it stands on the path between them.
//!
//! One case needs two decisions: on `AArch64` a release store stays before an acquire load of the kind `LDAR`,
//! that is a `seq_cst` one, and on RISC-V two annotated AMOs stay in order. *Both, or something else* is two
//! rows: the first or something else, and the second or something else.

use std::collections::{BTreeMap, BTreeSet};

use events::{Access, AccessKind, Action, Graph, LocationSet, MemoryId};
use program::{FenceKind, Order};
use rustc_hash::FxHashMap;

use crate::architecture::Strength;
use crate::compile::{Compiler, Piece};
use crate::machine::{Changed, EventId, Machine, NodeRef};
use crate::order::Passed;

/// The orders of a kind of access that are stronger than relaxed, the weakest first. What acquires and releases
/// is two decisions at once.
pub const fn orders_of(kind: AccessKind) -> &'static [Order] {
    match kind {
        AccessKind::Read | AccessKind::ReadExclusive => &[Order::Acquire, Order::SeqCst],
        AccessKind::Write | AccessKind::WriteExclusive => &[Order::Release, Order::SeqCst],
        AccessKind::Update { .. } => {
            &[Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst]
        }
    }
}

const fn acquires(order: Order) -> bool {
    match order {
        Order::Acquire | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => false,
    }
}

const fn releases(order: Order) -> bool {
    match order {
        Order::Release | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Acquire => false,
    }
}

/// The weakest order that is at least as strong as both.
pub fn both(one: Order, other: Order) -> Order {
    if one == Order::SeqCst || other == Order::SeqCst {
        return Order::SeqCst;
    }
    match (acquires(one) || acquires(other), releases(one) || releases(other)) {
        (true, true) => Order::AcquireRelease,
        (true, false) => Order::Acquire,
        (false, true) => Order::Release,
        (false, false) => one.max(other),
    }
}

/// Whether an order is at least as strong as another.
pub fn is_at_least(one: Order, other: Order) -> bool {
    let is_weak = |order: Order| !acquires(order) && !releases(order);
    is_weak(other) || both(one, other) == one
}

/// The order of a read by an update of an order.
const fn of_read(order: Order) -> Order {
    match order {
        Order::SeqCst => Order::SeqCst,
        Order::Acquire | Order::AcquireRelease => Order::Acquire,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => Order::Relaxed,
    }
}

/// The order of a compare-and-swap that fails, if the access has another order than it was given: a stronger one
/// is stronger in both cases, a weaker one leaves no failure stronger than it was.
pub fn failing(access: &Access, order: Order) -> Option<Order> {
    match access.kind {
        AccessKind::Update { may_fail: true, failure, .. } if order == access.order => failure,
        AccessKind::Update { may_fail: true, failure, .. } => {
            let own = failure.unwrap_or_else(|| of_read(access.order));
            let read = of_read(order);
            let is_stronger = is_at_least(order, access.order) || is_at_least(own, read);
            Some(if is_stronger { read } else { own })
        }
        AccessKind::Update { may_fail: false, .. }
        | AccessKind::Read
        | AccessKind::ReadExclusive
        | AccessKind::Write
        | AccessKind::WriteExclusive => None,
    }
}

/// The least orders with which locks order what is done under them, for each access that takes or gives back a lock which
/// is certainly held somewhere.
pub fn of_locks(graph: &Graph) -> BTreeMap<NodeRef, Order> {
    let nodes = || {
        graph.functions.enumerate().flat_map(|(function, data)| {
            data.nodes.enumerate().map(move |(node, data)| ((function, node), data))
        })
    };
    let locks: BTreeSet<MemoryId> =
        nodes().flat_map(|(_, data)| data.held.iter().copied()).collect();
    let locks = LocationSet::Some(locks.into_iter().collect());
    let order = |action: &Action| match action {
        Action::Access(access) if access.locations.meets(&locks) => match access.kind {
            AccessKind::Read | AccessKind::ReadExclusive => None,
            AccessKind::Update { .. } => Some(Order::Acquire),
            AccessKind::Write | AccessKind::WriteExclusive => Some(Order::Release),
        },
        Action::Access(_) | Action::Skip | Action::Fence(_) | Action::Call(_) => None,
    };
    nodes().filter_map(|(node, data)| Some((node, order(&data.action)?))).collect()
}

/// The access of a node.
pub(crate) fn access_of<'m>(machine: &'m Machine<'_>, node: NodeRef) -> Option<&'m Access> {
    match &machine.graph.functions[node.0].nodes[node.1].action {
        Action::Access(access) => Some(access),
        Action::Skip | Action::Fence(_) | Action::Call(_) => None,
    }
}

/// The order that an access is compiled with.
pub(crate) fn order_of(machine: &Machine<'_>, node: NodeRef) -> Option<Order> {
    let access = access_of(machine, node)?;
    Some(machine.changed.orders.get(&node).copied().unwrap_or(access.order))
}

/// What accesses are compiled to with other orders.
#[derive(Default)]
pub(crate) struct Pieces {
    known: FxHashMap<(NodeRef, Order), Piece>,
}

impl Pieces {
    fn of(&mut self, machine: &Machine<'_>, node: NodeRef, order: Order) -> &Piece {
        self.known.entry((node, order)).or_insert_with(|| {
            let mut changed = Changed::default();
            changed.orders.insert(node, order);
            Compiler::new(machine.graph, machine.settings, &changed).piece(node)
        })
    }
}

/// Two accesses that are not ordered, and what is between them.
pub(crate) struct Pair<'p> {
    pub(crate) first: EventId,
    pub(crate) second: EventId,
    pub(crate) needs: Strength,
    pub(crate) passed: &'p Passed,
}

/// Which orders of accesses order a pair.
#[derive(Default)]
pub(crate) struct Ordering {
    /// Each alone.
    pub(crate) alone: Vec<(NodeRef, Order)>,
    /// One of these together with one of those.
    pub(crate) together: Option<[Vec<(NodeRef, Order)>; 2]>,
}

/// Finds the orders that order a pair, among those that may be given.
pub(crate) fn ordering(
    machine: &Machine<'_>,
    pieces: &mut Pieces,
    pair: &Pair<'_>,
    may_be: &dyn Fn(NodeRef, Order) -> bool,
) -> Ordering {
    let mut path = vec![pair.first];
    path.extend(&pair.passed.events);
    path.push(pair.second);
    let (first_node, second_node) =
        (machine.events[pair.first].node, machine.events[pair.second].node);
    let mut nodes: Vec<NodeRef> = path.iter().map(|event| machine.events[*event].node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut found = Ordering::default();
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    for node in nodes {
        let (Some(access), Some(now)) = (access_of(machine, node), order_of(machine, node)) else {
            continue;
        };
        for order in orders_of(access.kind) {
            if is_at_least(now, *order) || !may_be(node, *order) {
                continue;
            }
            let decision = (node, *order);
            let order = both(now, *order);
            let piece = pieces.of(machine, node, order).clone();
            if orders(machine, pair, &path, node, &piece) {
                found.alone.push(decision);
            } else {
                if node == first_node {
                    of_first.push(decision);
                }
                if node == second_node {
                    of_second.push(decision);
                }
            }
        }
    }
    found.together = together(machine, pieces, pair, of_first, of_second);
    found
}

/// Whether what a node is compiled to orders a pair on a path through it.
fn orders(
    machine: &Machine<'_>,
    pair: &Pair<'_>,
    path: &[EventId],
    node: NodeRef,
    piece: &Piece,
) -> bool {
    let direction = machine.events[pair.second].direction;
    let is_enough = |kind: &FenceKind| machine.by_fence(*kind, pair.first, direction) >= pair.needs;
    let of_node = |event: EventId| machine.events[event].node == node;
    let is_write = |event: EventId| number_in_node(machine, event) > 0;
    for step in path.windows(2) {
        let (from, to) = (step[0], step[1]);
        // From the read of an update to its write.
        let is_within = of_node(from) && of_node(to) && is_write(to) && !is_write(from);
        if of_node(from) {
            let number = number_in_node(machine, from);
            let is_last = number + 1 == piece.events.len();
            let after = match piece.events.get(number) {
                Some((_, after)) if is_within || is_last => after,
                Some(_) | None => &piece.after_failure,
            };
            if after.iter().any(is_enough) {
                return true;
            }
        }
        if of_node(to) && !is_within && piece.before.iter().any(is_enough) {
            return true;
        }
    }
    let attributes = |event: EventId| match piece.events.get(number_in_node(machine, event)) {
        Some((attributes, _)) if of_node(event) => *attributes,
        Some(_) | None => machine.events[event].attributes,
    };
    machine.by_attributes(attributes(pair.first), attributes(pair.second)) >= pair.needs
}

/// Which of the events of its node an event is.
fn number_in_node(machine: &Machine<'_>, event: EventId) -> usize {
    let node = machine.events[event].node;
    let before = program::index::Idx::index(event).checked_sub(1);
    let before: Option<EventId> = before.map(program::index::Idx::new);
    usize::from(before.is_some_and(|before| machine.events[before].node == node))
}

/// The orders of the first and of the second access that are enough together.
fn together(
    machine: &Machine<'_>,
    pieces: &mut Pieces,
    pair: &Pair<'_>,
    of_first: Vec<(NodeRef, Order)>,
    of_second: Vec<(NodeRef, Order)>,
) -> Option<[Vec<(NodeRef, Order)>; 2]> {
    let mut attributes = |event: EventId, decision: Option<(NodeRef, Order)>| match decision {
        None => machine.events[event].attributes,
        Some((node, order)) => {
            let now = order_of(machine, node).unwrap_or(Order::Plain);
            let piece = pieces.of(machine, node, both(now, order));
            let number = number_in_node(machine, event);
            piece.events.get(number).map_or(machine.events[event].attributes, |(it, _)| *it)
        }
    };
    // The strongest of one side, so that nothing is missed.
    let strongest = |all: &[(NodeRef, Order)]| all.iter().copied().max_by_key(|(_, order)| *order);
    let (first, second) = (strongest(&of_first), strongest(&of_second));
    let with_first = attributes(pair.first, first);
    let with_second = attributes(pair.second, second);
    let mut is_enough = |one: Option<(NodeRef, Order)>, other: Option<(NodeRef, Order)>| {
        let one = one.map_or(with_first, |one| attributes(pair.first, Some(one)));
        let other = other.map_or(with_second, |other| attributes(pair.second, Some(other)));
        machine.by_attributes(one, other) >= pair.needs
    };
    let firsts: Vec<_> = of_first.into_iter().filter(|one| is_enough(Some(*one), None)).collect();
    let seconds: Vec<_> =
        of_second.into_iter().filter(|other| is_enough(None, Some(*other))).collect();
    (!firsts.is_empty() && !seconds.is_empty()).then_some([firsts, seconds])
}
