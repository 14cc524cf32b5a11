//! What an abstract event graph consists of.

use program::{FenceKind, IndexVec, InsertionPoint, Order, Span};

program::index_types! {
    /// A function.
    FunctionId "f";
    /// A node of one function.
    NodeId "n";
    /// A class of threads.
    ClassId "c";
    /// A class of memory.
    MemoryId "m";
    /// A place for a fence.
    PlaceId "p";
}

/// An abstract event graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The functions.
    pub functions: IndexVec<FunctionId, Function>,
    /// The classes of threads.
    pub threads: IndexVec<ClassId, ThreadClass>,
    /// The classes of shared memory.
    pub locations: IndexVec<MemoryId, Location>,
    /// Where fences can be put.
    pub places: IndexVec<PlaceId, Place>,
    /// Which classes may run at the same time: a symmetric matrix. A class with several instances that
    /// run together is parallel to itself.
    pub parallel: IndexVec<ClassId, IndexVec<ClassId, bool>>,
}

/// Threads that start in the same function.
#[derive(Clone, Debug)]
pub struct ThreadClass {
    /// What a thread is called.
    pub name: String,
    /// Where it starts.
    pub entry: FunctionId,
    /// How many there are.
    pub instances: Instances,
}

/// How many threads of a class may run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instances {
    /// At most this many.
    Exactly(u32),
    /// Any number.
    Many,
}

/// A class of memory: what may-alias sets are made of. Two classes have no byte in common.
#[derive(Clone, Debug)]
pub struct Location {
    /// What it is called.
    pub name: String,
    /// Where it is declared or allocated.
    pub span: Span,
}

/// A place where a fence can be put.
#[derive(Clone, Debug)]
pub struct Place {
    /// The place in the text, if there is one.
    pub point: Option<InsertionPoint>,
    /// On which side of the text at `span` it is.
    pub side: Side,
    /// The text it stands beside.
    pub span: Span,
}

/// A side of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Just before it.
    Before,
    /// Just after it.
    After,
}

/// A function: a control-flow graph of nodes.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub entry: NodeId,
    /// Where it returns; a function that never does has a node that nothing leads to.
    pub exit: NodeId,
    /// The nodes.
    pub nodes: IndexVec<NodeId, Node>,
}

/// A step of a function.
#[derive(Clone, Debug)]
pub struct Node {
    /// What happens.
    pub action: Action,
    /// What may come next.
    pub successors: Vec<NodeId>,
    /// The text it stands for.
    pub span: Span,
    /// Where a fence can be put that is passed right after this node, and only there.
    pub place: Option<PlaceId>,
    /// The reads of the same function that this access surely depends on, on every path.
    pub depends_on: Vec<Dependency>,
    /// Whether no other thread runs while this node is executed.
    pub alone: bool,
    /// The locks that are certainly held by this thread alone, each the class of one concrete lock, in ascending
    /// order; none where a lock is taken or given back.
    pub held: Vec<MemoryId>,
}

/// What happens at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing that other threads see.
    Skip,
    /// An access to memory that may be shared.
    Access(Access),
    /// A fence.
    Fence(FenceKind),
    /// A call of one of these functions.
    Call(Vec<FunctionId>),
}

/// An access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What it does.
    pub kind: AccessKind,
    /// Its order in its language, or as an instruction.
    pub order: Order,
    /// What it may hit.
    pub locations: LocationSet,
    /// Whether the set has one class, and the class is one single cell while the program runs: two such
    /// accesses of one class surely hit the same cell.
    pub must: bool,
    /// Whether it is of an integer or an address that lies where machines access one at once: what is not atomic can
    /// be made so.
    pub aligned: bool,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Reads, and reserves the address.
    ReadExclusive,
    /// Writes.
    Write,
    /// Writes if the reservation stands.
    WriteExclusive,
    /// Reads and writes at once.
    Update {
        /// Whether it may write nothing: a compare-and-swap.
        may_fail: bool,
        /// Whether what was read is used.
        keeps_result: bool,
        /// The order of a compare-and-swap that fails, if it has its own.
        failure: Option<Order>,
        /// Whether RISC-V has one instruction for it.
        is_amo: bool,
    },
}

/// Classes of memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LocationSet {
    /// These, in ascending order, each once.
    Some(Vec<MemoryId>),
    /// All that come before this one. What is known outside of a program comes first, and is long to list.
    Before(MemoryId),
    /// Any shared memory.
    Any,
}

impl LocationSet {
    /// Whether an access to one may hit what an access to the other hits.
    pub fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any | Self::Before(_), Self::Any | Self::Before(_)) => true,
            (Self::Any, Self::Some(set)) | (Self::Some(set), Self::Any) => !set.is_empty(),
            (Self::Before(end), Self::Some(set)) | (Self::Some(set), Self::Before(end)) => {
                set.first().is_some_and(|first| first < end)
            }
            (Self::Some(left), Self::Some(right)) => {
                let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
                while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
                    match one.cmp(other) {
                        std::cmp::Ordering::Equal => return true,
                        std::cmp::Ordering::Less => drop(left.next()),
                        std::cmp::Ordering::Greater => drop(right.next()),
                    }
                }
                false
            }
        }
    }
}

/// A dependency on a read of the same function. It holds between an execution of the access and the last
/// execution of the read before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The read.
    pub on: NodeId,
    /// How.
    pub kind: DependencyKind,
}

/// How an access depends on a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// Its address is computed from what was read.
    Address,
    /// What it writes is computed from what was read.
    Data,
    /// A branch on what was read comes before it.
    Control,
    /// A branch on what was read and then a control fence come before it.
    ControlFence,
}
