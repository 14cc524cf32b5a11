//! Abstract event graphs (CAV'14 §5): plain data; knows no language and no architecture.
//!
//! A graph is a set of functions, each a control-flow graph whose nodes are events; threads begin in some
//! of them, and calls refer to others. Loops are cycles of `successors`. Which accesses may compete follows
//! from their locations, from who runs beside whom ([`Graph::parallel`]), and from [`Node::alone`].

macro_rules! index_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index with this number.
            pub fn new(number: usize) -> Self {
                Self(u32::try_from(number).expect("graphs have fewer than 2^32 parts"))
            }

            /// The number of this index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index_types! {
    /// A function of a graph.
    FunctionId;
    /// A node of a function.
    NodeId;
    /// A location of a graph.
    LocationId;
    /// A file of a graph.
    FileId;
    /// A place of a graph where a fence can be put.
    PlaceId;
}

/// An abstract event graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Control-flow graphs whose nodes are events; calls refer to functions.
    pub functions: Vec<Function>,
    /// Entry points and how many instances can run.
    pub threads: Vec<ThreadClass>,
    /// Classes of memory: what may-alias sets refer to.
    pub locations: Vec<Location>,
    /// Who may run in parallel with whom: thread class by thread class, also with itself when there are
    /// several instances.
    pub parallel: Vec<Vec<bool>>,
    /// Source files by name.
    pub files: Vec<String>,
    /// Where a fence can be put in source.
    pub places: Vec<Place>,
}

/// Threads that run the same code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadClass {
    /// A name for people.
    pub name: String,
    /// Where they begin.
    pub entry: FunctionId,
    /// How many can run.
    pub instances: Instances,
}

/// How many threads of a class can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instances {
    /// One.
    One,
    /// Any number.
    Many,
}

/// A class of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// A name for people.
    pub name: String,
}

/// A place in source where a fence can be put: chosen, it stands behind every node that has this place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The byte of the text where the fence goes.
    pub offset: u32,
    /// The line of the statement that it follows, from 1.
    pub line: u32,
    /// The column of that statement, from 1.
    pub column: u32,
}

/// A function as a control-flow graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// A name for people.
    pub name: String,
    /// Where it begins.
    pub entry: NodeId,
    /// Where it returns.
    pub exit: NodeId,
    /// Its nodes.
    pub nodes: Vec<Node>,
}

/// A node of a control-flow graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What happens.
    pub action: Action,
    /// What may come next.
    pub successors: Vec<NodeId>,
    /// Where it stands in source.
    pub span: Option<Span>,
    /// Where a fence can be put in source right after this node; nothing if nowhere.
    pub place: Option<PlaceId>,
    /// The reads that this certainly depends on.
    pub depends_on: Vec<Dependency>,
    /// Whether no other thread runs beside it.
    pub alone: bool,
    /// The locks that are certainly held, each the location of one concrete lock, in order.
    pub held: Vec<LocationId>,
}

/// A position in source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The line from 1.
    pub line: u32,
    /// The column from 1, or 0 if it is not known.
    pub column: u32,
}

/// What happens at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing; fences that only compilers heed are nothing.
    Skip,
    /// An access to shared memory.
    Access(Access),
    /// A fence.
    Fence(FenceOrder),
    /// A call of one of these functions.
    Call(Vec<FunctionId>),
}

/// An access to shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it reads or writes.
    pub kind: AccessKind,
    /// How it is ordered.
    pub order: Order,
    /// What it may access.
    pub locations: LocationSet,
    /// Whether the set is a singleton and the location is one concrete memory cell: two such accesses are
    /// surely to the same cell.
    pub must: bool,
}

/// Kinds of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic read-modify-write.
    Update,
}

/// Orders of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Not atomic.
    Plain,
    /// Relaxed.
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

/// What an access may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationSet {
    /// Any shared location.
    Any,
    /// One of these, in order and each once.
    Of(Vec<LocationId>),
}

/// What an access depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dependency {
    /// A read in the same function.
    pub from: NodeId,
    /// How.
    pub kind: DependencyKind,
}

/// Kinds of dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependencyKind {
    /// The address comes from the read.
    Address,
    /// What is written comes from the read.
    Data,
    /// Whether it is executed comes from the read.
    Control,
}

/// Fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FenceOrder {
    /// A language's acquire fence.
    Acquire,
    /// A language's release fence.
    Release,
    /// A language's acquire and release fence.
    AcqRel,
    /// A language's sequentially consistent fence.
    SeqCst,
    /// A fence of an architecture, written in assembly.
    Named(HardwareFence),
}

/// Fences of architectures, by their instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are the names of instructions")]
pub enum HardwareFence {
    Mfence,
    Lfence,
    Sfence,
    Sync,
    Lwsync,
    Isync,
    Eieio,
    Dmb,
    DmbSt,
    DmbLd,
    Dsb,
    DsbSt,
    DsbLd,
    Isb,
    FenceRwRw,
    FenceRwW,
    FenceRRw,
    FenceRR,
    FenceWW,
    FenceWR,
    FenceRW,
    FenceTso,
    FenceI,
}
