//! Traces: what remains of a computation when the interleaving is forgotten (ESOP'13, Section 3;
//! the construction is in Appendix A of the extended version).
//!
//! A node is an action together with the edge it came from. The issue of a store and its arrival
//! in memory are one node, placed at the issue in program order and at the arrival in store order.
//! A locked access is one node that reads, writes, or does both. An instruction that faults after
//! reading memory gives two nodes: what it read, and the fault. An access across cells gives a node for
//! each cell; they are one *block*, as those of a locked section are.
//!
//! Appendix A first lets a load read the last store in memory and corrects that when an older
//! buffered store of its own thread arrives. We look into the buffer at once. The result is the
//! same when all buffers have been emptied: the buffered stores to that address arrive in order,
//! so the last correction made is for the newest of those the load had before it, the very one it
//! read. (Appendix A corrects only loads with the value stored; an older store with the same value
//! is overridden by the newer.) As long as a store is buffered it has no place in the store order,
//! so a run has a trace only if it is drained. (It may have none ever: when another thread ends, or
//! faults, with the memory lock in hand, the store waits for good.)

use std::collections::{BTreeMap, VecDeque};

use program::index::Idx;
use program::{EdgeId, Fault, FenceKind, IndexVec, ThreadId, Value};

use crate::action::{Action, Move};
use crate::replay::Run;

/// A node of a trace; numbered in the order in which instructions were executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl Idx for NodeId {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn index(self) -> usize {
        self.0
    }
}

/// Where a value read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// It is the initial value of the cell.
    Initial,
    /// This node wrote it.
    Node(NodeId),
}

/// What happened at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A local step.
    Local,
    /// A load.
    Load {
        /// The address.
        address: Value,
        /// The value read.
        value: Value,
        /// Where it comes from.
        source: Source,
    },
    /// A store, from its issue to its arrival in memory.
    Store {
        /// The address.
        address: Value,
        /// The value written.
        value: Value,
    },
    /// A locked access.
    Update {
        /// The address.
        address: Value,
        /// The value read and where it comes from.
        read: Option<(Value, Source)>,
        /// The value written.
        written: Option<Value>,
    },
    /// A fence.
    Fence(FenceKind),
    /// The memory lock was taken.
    Lock,
    /// The memory lock was given back.
    Unlock,
    /// The thread stopped.
    Fault(Fault),
}

impl Event {
    /// The address read and where the value comes from, if memory was read.
    pub const fn read(&self) -> Option<(Value, Source)> {
        match self {
            Self::Load { address, source, .. }
            | Self::Update { address, read: Some((_, source)), .. } => Some((*address, *source)),
            Self::Local
            | Self::Store { .. }
            | Self::Update { read: None, .. }
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock
            | Self::Fault(_) => None,
        }
    }
}

/// A node of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The thread.
    pub thread: ThreadId,
    /// The edge executed.
    pub edge: EdgeId,
    /// What happened.
    pub event: Event,
}

/// A run that has no trace: a store of this thread has not reached memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undrained {
    /// The thread.
    pub thread: ThreadId,
}

/// The trace of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    nodes: IndexVec<NodeId, Node>,
    program_order: IndexVec<ThreadId, Vec<NodeId>>,
    arrivals: Vec<NodeId>,
    store_order: BTreeMap<Value, Vec<NodeId>>,
    /// For each node the first one of the same access.
    accesses: IndexVec<NodeId, NodeId>,
}

impl Trace {
    /// The trace of a run that ends with empty buffers.
    pub fn of(run: &Run<'_>) -> Result<Self, Undrained> {
        let mut building = Building::new(run);
        for step in run.steps() {
            match step.taken {
                Move::Execute { thread, edge, .. } => {
                    let first = NodeId::new(building.trace.nodes.len());
                    for action in &step.actions {
                        building.add(thread, edge, (*action, first));
                    }
                }
                Move::Commit { thread } => {
                    for _ in &step.actions {
                        building.arrive(thread);
                    }
                }
            }
        }
        match building.buffered.enumerate().find(|(_, buffer)| !buffer.is_empty()) {
            Some((thread, _)) => Err(Undrained { thread }),
            None => Ok(building.trace),
        }
    }

    /// All nodes, in the order in which instructions were executed.
    pub const fn nodes(&self) -> &IndexVec<NodeId, Node> {
        &self.nodes
    }

    /// The nodes of each thread, in program order.
    pub const fn program_order(&self) -> &IndexVec<ThreadId, Vec<NodeId>> {
        &self.program_order
    }

    /// All writes in the order in which they reached memory. TSO has this one order for all
    /// addresses, but happens-before uses only what it says about each address alone.
    pub fn arrivals(&self) -> &[NodeId] {
        &self.arrivals
    }

    /// The store order: for each address written, the writes in the order in which they reached
    /// memory.
    pub const fn store_order(&self) -> &BTreeMap<Value, Vec<NodeId>> {
        &self.store_order
    }

    /// For each node, the block it belongs to, named by one of its nodes: the nodes from a
    /// [`Event::Lock`] to its [`Event::Unlock`], or to the end of the thread if there is none, are
    /// one block, named by the lock; those of one access across cells are one, named by its first node;
    /// every other node is a block of its own.
    pub fn blocks(&self) -> IndexVec<NodeId, NodeId> {
        let mut blocks: IndexVec<NodeId, NodeId> = self.nodes.indices().collect();
        for nodes in &self.program_order {
            let mut section = None;
            for node in nodes {
                let event = self.nodes[*node].event;
                if event == Event::Lock {
                    section = Some(*node);
                }
                blocks[*node] = section.unwrap_or(self.accesses[*node]);
                if event == Event::Unlock {
                    section = None;
                }
            }
        }
        blocks
    }
}

/// A trace under construction, and the nodes whose store is still buffered.
struct Building {
    trace: Trace,
    buffered: IndexVec<ThreadId, VecDeque<(NodeId, Value)>>,
}

impl Building {
    fn new(run: &Run<'_>) -> Self {
        let threads = run.machine().threads();
        Self {
            trace: Trace {
                nodes: IndexVec::new(),
                program_order: threads.iter().map(|_| Vec::new()).collect(),
                arrivals: Vec::new(),
                store_order: BTreeMap::new(),
                accesses: IndexVec::new(),
            },
            buffered: threads.iter().map(|_| VecDeque::new()).collect(),
        }
    }

    /// Adds what an action of a move does whose first node is this one.
    fn add(&mut self, thread: ThreadId, edge: EdgeId, (action, first): (Action, NodeId)) {
        let event = match action {
            // The node was made at the issue.
            Action::Store { .. } => return self.arrive(thread),
            Action::Issue { address, value } => Event::Store { address, value },
            Action::Local => Event::Local,
            Action::Load { address, value } => {
                Event::Load { address, value, source: self.source(thread, address) }
            }
            Action::Locked { address, read, written } => {
                let read = read.map(|value| (value, self.source(thread, address)));
                Event::Update { address, read, written }
            }
            Action::Fence(kind) => Event::Fence(kind),
            Action::Lock => Event::Lock,
            Action::Unlock => Event::Unlock,
            Action::Fault(fault) => Event::Fault(fault),
        };
        let node = self.trace.nodes.push(Node { thread, edge, event });
        let is_fault = matches!(event, Event::Fault(_));
        self.trace.accesses.push(if is_fault { node } else { first });
        self.trace.program_order[thread].push(node);
        match action {
            Action::Issue { address, .. } => self.buffered[thread].push_back((node, address)),
            Action::Locked { address, written: Some(_), .. } => self.written(node, address),
            Action::Local
            | Action::Store { .. }
            | Action::Load { .. }
            | Action::Locked { written: None, .. }
            | Action::Fence(_)
            | Action::Lock
            | Action::Unlock
            | Action::Fault(_) => {}
        }
    }

    /// The oldest buffered store of a thread reaches memory.
    fn arrive(&mut self, thread: ThreadId) {
        let (node, address) =
            self.buffered[thread].pop_front().expect("a run stores only what was issued");
        self.written(node, address);
    }

    fn written(&mut self, node: NodeId, address: Value) {
        self.trace.arrivals.push(node);
        self.trace.store_order.entry(address).or_default().push(node);
    }

    /// Where a read of `address` by `thread` takes its value from now. A locked access finds its
    /// buffer empty.
    fn source(&self, thread: ThreadId, address: Value) -> Source {
        let own = self.buffered[thread].iter().rev().find(|(_, buffered)| *buffered == address);
        let in_memory = || self.trace.store_order.get(&address).and_then(|order| order.last());
        own.map(|(node, _)| node)
            .or_else(in_memory)
            .map_or(Source::Initial, |node| Source::Node(*node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::sample::*;
    use program::{Instruction, Program};

    fn trace(program: &Program, moves: &[Move]) -> Trace {
        Trace::of(&performed(program, Model::Tso, moves)).expect("a drained run")
    }

    fn node(number: usize) -> NodeId {
        NodeId::new(number)
    }

    #[test]
    fn a_store_is_one_node_at_its_issue() {
        let trace = trace(&dekker(), &dekker_run());
        let events: Vec<Event> = trace.nodes().iter().map(|node| node.event).collect();
        let source = Source::Initial;
        assert_eq!(
            events,
            [
                Event::Store { address: X, value: 1 },
                Event::Load { address: Y, value: 0, source },
                Event::Store { address: Y, value: 1 },
                Event::Load { address: X, value: 0, source },
            ]
        );
        assert_eq!(
            trace.program_order().as_slice(),
            [vec![node(0), node(1)], vec![node(2), node(3)]]
        );
        assert_eq!(trace.arrivals(), [node(2), node(0)]);
        assert_eq!(trace.store_order(), &[(X, vec![node(0)]), (Y, vec![node(2)])].into());
    }

    #[test]
    fn a_load_reads_from_its_own_buffer_or_from_memory() {
        let program = program(vec![
            vec![store(X, 1), store(X, 1), load(0, X), load(0, X)],
            vec![store(X, 1)],
        ]);
        let moves = [
            run(0, 0),
            run(0, 1),
            run(0, 2),
            commit(0),
            commit(0),
            run(1, 0),
            commit(1),
            run(0, 3),
        ];
        let trace = trace(&program, &moves);
        let source = |number| trace.nodes()[node(number)].event.read();
        assert_eq!(source(2), Some((X, Source::Node(node(1)))), "the newest of its own thread");
        assert_eq!(source(4), Some((X, Source::Node(node(3)))), "the last in memory");
        assert_eq!(trace.store_order()[&X], [node(0), node(1), node(3)]);
    }

    #[test]
    fn an_update_reads_and_writes_in_one_node() {
        let program =
            program(vec![vec![store(X, 1)], vec![cas(0, X, 1, 2)], vec![cas(0, X, 7, 3)]]);
        let trace = trace(&program, &[run(0, 0), commit(0), run(1, 0), run(2, 0)]);
        let update = |number| trace.nodes()[node(number)].event;
        let read = Some((1, Source::Node(node(0))));
        assert_eq!(update(1), Event::Update { address: X, read, written: Some(2) });
        let read = Some((2, Source::Node(node(1))));
        assert_eq!(update(2), Event::Update { address: X, read, written: None });
        assert_eq!(trace.store_order()[&X], [node(0), node(1)]);
    }

    #[test]
    fn a_buffered_store_has_no_place() {
        let program = dekker();
        let run = performed(&program, Model::Tso, &[run(1, 0), run(1, 1)]);
        assert_eq!(Trace::of(&run), Err(Undrained { thread: ThreadId::new(1) }));
    }

    #[test]
    fn sections_are_blocks() {
        let instructions = vec![
            Instruction::Skip,
            Instruction::Lock,
            load(0, X),
            Instruction::Unlock,
            Instruction::Skip,
            Instruction::Lock,
            load(0, X),
        ];
        let moves: Vec<Move> = (0..instructions.len()).map(|edge| run(0, edge)).collect();
        let trace = trace(&program(vec![instructions]), &moves);
        let blocks: Vec<usize> = trace.blocks().iter().map(|block| block.index()).collect();
        assert_eq!(blocks, [0, 1, 1, 1, 4, 5, 5]);
    }
}
