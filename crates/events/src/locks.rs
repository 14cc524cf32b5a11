//! Locks of models: cells that are taken by waiting for one value and writing another, and given back by storing
//! the first again, as `arw(lock, 0, 1)` and `lock = 0` do.
//!
//! A cell is a lock if nothing else may write it, and every store that gives it back is executed by who holds it,
//! on all paths. Then at most one thread is between the two at any time: whoever waits finds the value only
//! after the holder's store. What is certainly held is found by data flow, as usual.

use std::collections::BTreeMap;

use program::{Expr, IndexVec, Instruction, Order, Update, Value};

use crate::graph::{AccessKind, Action, Graph, LocationSet, MemoryId, Node, NodeId};

/// What an instruction would do to a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locking {
    /// Waits for this value, and writes another.
    Takes(Value),
    /// Stores this value.
    Stores(Value),
}

impl Locking {
    /// What an instruction does.
    pub(crate) fn of(instruction: &Instruction) -> Option<Self> {
        match instruction {
            Instruction::Update {
                update:
                    Update::BlockingReadWrite { expected: Expr::Const(from), new: Expr::Const(to) },
                access,
                ..
            } if from != to && access.order != Order::Release => Some(Self::Takes(*from)),
            Instruction::Store { value: Expr::Const(value), .. } => Some(Self::Stores(*value)),
            Instruction::Update { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Load { .. }
            | Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => None,
        }
    }
}

/// For each function, what each of its nodes would do to a lock.
pub(crate) type Lockings = Vec<IndexVec<NodeId, Option<Locking>>>;

/// Says at each node which locks are held.
pub(crate) fn add_held(graph: &mut Graph, lockings: &Lockings) {
    let mut locks = candidates(graph, lockings);
    while !locks.is_empty() {
        let held: Vec<Held> = graph
            .functions
            .iter()
            .zip(lockings)
            .map(|(function, lockings)| held(function, lockings, &locks))
            .collect();
        // Who gives back what it does not hold is no user of a lock.
        let mut wrong: Vec<MemoryId> = Vec::new();
        for ((function, lockings), held) in graph.functions.iter().zip(lockings).zip(&held) {
            for (node, data) in function.nodes.enumerate() {
                if let (Some(lock), Some(Locking::Stores(_)), Some(held)) =
                    (cell(data), lockings[node], &held[node])
                    && locks.contains_key(&lock)
                    && !held.contains(&lock)
                {
                    wrong.push(lock);
                }
            }
        }
        if wrong.is_empty() {
            for (function, held) in graph.functions.iter_mut().zip(held) {
                for (node, held) in held.enumerate() {
                    let data = &mut function.nodes[node];
                    let is_locking = cell(data).is_some_and(|cell| locks.contains_key(&cell));
                    if !is_locking {
                        data.held = held.clone().unwrap_or_default();
                    }
                }
            }
            return;
        }
        locks.retain(|lock, _| !wrong.contains(lock));
    }
}

/// The one cell that an access hits.
fn cell(node: &Node) -> Option<MemoryId> {
    match &node.action {
        Action::Access(access) if access.must => match &access.locations {
            LocationSet::Some(set) => set.first().copied(),
            LocationSet::Before(_) | LocationSet::Any => None,
        },
        Action::Access(_) | Action::Skip | Action::Fence(_) | Action::Call(_) => None,
    }
}

/// Cells that are written like locks, and the value that they have when they are free.
fn candidates(graph: &Graph, lockings: &Lockings) -> BTreeMap<MemoryId, Value> {
    let mut locks: BTreeMap<MemoryId, Value> = BTreeMap::new();
    let all = || {
        graph
            .functions
            .iter()
            .zip(lockings)
            .flat_map(|(function, lockings)| function.nodes.iter().zip(lockings))
    };
    for (node, locking) in all() {
        if let (Some(cell), Some(Locking::Takes(free))) = (cell(node), locking) {
            locks.insert(cell, *free);
        }
    }
    for (node, locking) in all() {
        let Action::Access(access) = &node.action else { continue };
        if matches!(access.kind, AccessKind::Read | AccessKind::ReadExclusive) {
            continue;
        }
        let cell = cell(node);
        let is_fit = |lock: MemoryId, free: Value| match locking {
            Some(Locking::Takes(value) | Locking::Stores(value)) => {
                cell == Some(lock) && *value == free
            }
            None => false,
        };
        locks.retain(|lock, free| {
            !access.locations.meets(&LocationSet::Some(vec![*lock])) || is_fit(*lock, *free)
        });
    }
    locks
}

/// For each node that can be reached, the locks that are held before it.
type Held = IndexVec<NodeId, Option<Vec<MemoryId>>>;

fn held(
    function: &crate::graph::Function,
    lockings: &IndexVec<NodeId, Option<Locking>>,
    locks: &BTreeMap<MemoryId, Value>,
) -> Held {
    let mut held: Held = function.nodes.iter().map(|_| None).collect();
    held[function.entry] = Some(Vec::new());
    let mut open = vec![function.entry];
    while let Some(at) = open.pop() {
        let Some(mut now) = held[at].clone() else { continue };
        let node = &function.nodes[at];
        if let (Some(lock), Some(locking)) = (cell(node), lockings[at])
            && locks.contains_key(&lock)
        {
            now.retain(|other| *other != lock);
            if matches!(locking, Locking::Takes(_)) {
                now.push(lock);
                now.sort();
            }
        }
        for next in &node.successors {
            let is_new = match &mut held[*next] {
                Some(known) => {
                    let before = known.len();
                    known.retain(|lock| now.contains(lock));
                    known.len() < before
                }
                unknown @ None => {
                    *unknown = Some(now.clone());
                    true
                }
            };
            if is_new {
                open.push(*next);
            }
        }
    }
    held
}
