//! The graph as the machine sees it: accesses compiled to reads, writes and fences.
//!
//! What a compiler emits for each order is `program::mapping`; x86, PSO and RMO are as
//! `program::instruction` says: updates and `seq_cst` stores are locked, so that nothing passes them
//! (RMO: a full fence on either side). An update is a read and then a write, each an event; one that may
//! fail can also go on after its read.

use events::{
    AccessKind, Action, ClassId, DependencyKind, FunctionId, Graph, LocationSet, NodeId, PlaceId,
};
use program::index::Idx;
use program::mapping::{After, Compiled, CompiledUpdate, Target, Updating};
use program::{Access, Expr, FenceKind, IndexVec, Order, Span, Update};

use crate::architecture::{Arch, Direction, Strength};

program::index_types! {
    /// A read or a write.
    EventId "ev";
    /// A step of the compiled graph.
    StepId "s";
}

/// How orders are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orders {
    /// As those of a language, which are compiled.
    OfLanguage,
    /// As those of the architecture's own instructions.
    OfInstructions,
}

/// Whether a read keeps later accesses back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acquire {
    /// It does not.
    No,
    /// It does, but earlier releases may pass it (`RCpc`).
    ProcessorConsistent,
    /// It does, and earlier releases do not pass it (`RCsc`).
    SequentiallyConsistent,
}

/// A read or a write of a machine.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its step.
    pub step: StepId,
    /// Whether it reads or writes.
    pub direction: Direction,
    /// What it may hit.
    pub locations: LocationSet,
    /// Whether it surely hits what others with the same single class hit.
    pub must: bool,
    /// Whether no other thread runs beside it.
    pub alone: bool,
    /// Where it is in the graph.
    pub node: (FunctionId, NodeId),
    /// The text it stands for.
    pub span: Span,
    pub(crate) acquire: Acquire,
    /// Whether earlier accesses come before it.
    pub(crate) release: bool,
    /// Whether a branch on it and a control fence follow.
    pub(crate) branch: bool,
    /// Whether RISC-V counts it as an AMO, `lr` or `sc`.
    pub(crate) atomic: bool,
    /// Whether it is the read of an instruction without a result.
    pub(crate) unused: bool,
    /// The reads that it depends on.
    pub(crate) depends_on: Vec<EventId>,
}

/// A step of the compiled graph.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) does: Does,
    pub(crate) successors: Vec<StepId>,
    /// A place for a fence after it.
    pub(crate) place: Option<PlaceId>,
    pub(crate) function: FunctionId,
}

#[derive(Clone, Debug)]
pub(crate) enum Does {
    Nothing,
    Event(EventId),
    Fence(FenceKind),
    Call(Vec<FunctionId>),
    /// The function returns.
    Return,
}

/// The compiled graph.
#[derive(Clone, Debug)]
pub struct Machine<'g> {
    /// What it was compiled from.
    pub graph: &'g Graph,
    /// For which architecture.
    pub arch: Arch,
    /// The reads and writes.
    pub events: IndexVec<EventId, Event>,
    pub(crate) steps: IndexVec<StepId, Step>,
    /// For each function, where it begins.
    pub(crate) entries: IndexVec<FunctionId, StepId>,
    /// For each function, the steps that call it.
    pub(crate) callers: IndexVec<FunctionId, Vec<StepId>>,
    /// For each class of threads, the functions that it may execute.
    pub(crate) executed: IndexVec<ClassId, IndexVec<FunctionId, bool>>,
    /// For each step, whether some thread may execute it.
    pub(crate) reachable: IndexVec<StepId, bool>,
}

impl<'g> Machine<'g> {
    /// Compiles a graph.
    pub fn new(graph: &'g Graph, arch: Arch, orders: Orders) -> Self {
        let mut compiler = Compiler {
            graph,
            arch,
            target: match orders {
                Orders::OfLanguage => arch.target(),
                Orders::OfInstructions => None,
            },
            orders,
            events: IndexVec::new(),
            steps: IndexVec::new(),
            first: Vec::new(),
            reads: Vec::new(),
        };
        let mut entries = IndexVec::new();
        for function in graph.functions.indices() {
            let entry = compiler.function(function);
            entries.push(entry);
        }
        let Compiler { events, steps, .. } = compiler;
        let mut machine = Self {
            graph,
            arch,
            events,
            steps,
            entries,
            callers: graph.functions.iter().map(|_| Vec::new()).collect(),
            executed: IndexVec::new(),
            reachable: IndexVec::new(),
        };
        machine.find_calls();
        machine
    }

    fn find_calls(&mut self) {
        for (step, data) in self.steps.enumerate() {
            if let Does::Call(callees) = &data.does {
                for callee in callees {
                    self.callers[*callee].push(step);
                }
            }
        }
        self.reachable = self.steps.iter().map(|_| false).collect();
        for class in self.graph.threads.iter() {
            let mut executed: IndexVec<FunctionId, bool> =
                self.graph.functions.iter().map(|_| false).collect();
            let mut seen: IndexVec<StepId, bool> = self.steps.iter().map(|_| false).collect();
            executed[class.entry] = true;
            let mut open = vec![self.entries[class.entry]];
            while let Some(step) = open.pop() {
                if std::mem::replace(&mut seen[step], true) {
                    continue;
                }
                self.reachable[step] = true;
                open.extend(&self.steps[step].successors);
                if let Does::Call(callees) = &self.steps[step].does {
                    for callee in callees {
                        executed[*callee] = true;
                        open.push(self.entries[*callee]);
                    }
                }
            }
            self.executed.push(executed);
        }
    }

    /// The events of a class of threads that other threads may run beside.
    pub fn events_of(&self, class: ClassId) -> impl Iterator<Item = EventId> + '_ {
        self.events.enumerate().filter_map(move |(id, event)| {
            let is_there = self.executed[class][event.node.0] && self.reachable[event.step];
            (is_there && !event.alone).then_some(id)
        })
    }

    /// Whether two events surely hit the same cell.
    pub fn surely_same(&self, one: EventId, other: EventId) -> bool {
        let (one, other) = (&self.events[one], &self.events[other]);
        one.must && other.must && one.locations == other.locations
    }

    /// How strongly two events of a thread are ordered whatever is between them, dependencies aside.
    pub(crate) fn by_orders(&self, first: EventId, second: EventId) -> Strength {
        let (first, second) = (&self.events[first], &self.events[second]);
        let by_itself = self.arch.by_itself(first.direction, second.direction);
        let is_ordered = match self.arch {
            Arch::X86 | Arch::Pso | Arch::Rmo | Arch::Power | Arch::ArmV7 => false,
            Arch::AArch64 | Arch::AArch64Lse => {
                first.acquire != Acquire::No
                    || second.release
                    || (first.release && second.acquire == Acquire::SequentiallyConsistent)
            }
            Arch::RiscV => {
                let is_rcsc =
                    |event: &Event| event.atomic && (event.acquire != Acquire::No || event.release);
                first.acquire != Acquire::No
                    || second.release
                    || (is_rcsc(first) && is_rcsc(second))
            }
        };
        let by_order = if is_ordered { Strength::Full } else { Strength::None };
        let by_branch = if first.branch { self.arch.by_dependency() } else { Strength::None };
        by_itself.max(by_order).max(by_branch)
    }

    /// How strongly a fence between two events orders them.
    pub(crate) fn by_fence(&self, kind: FenceKind, first: EventId, second: Direction) -> Strength {
        let first = &self.events[first];
        if first.unused && kind != FenceKind::Full {
            return Strength::None;
        }
        self.arch.by_fence(kind, first.direction, second)
    }
}

struct Compiler<'g> {
    graph: &'g Graph,
    arch: Arch,
    target: Option<Target>,
    orders: Orders,
    events: IndexVec<EventId, Event>,
    steps: IndexVec<StepId, Step>,
    /// For each node of the function, its first step.
    first: Vec<StepId>,
    /// For each node of the function, its read.
    reads: Vec<Option<EventId>>,
}

/// The steps of a node: where it begins, and the steps that lead on from it.
struct Piece {
    first: StepId,
    last: Vec<StepId>,
}

impl Compiler<'_> {
    fn function(&mut self, function: FunctionId) -> StepId {
        let graph = self.graph;
        let data = &graph.functions[function];
        self.first.clear();
        self.reads = data.nodes.iter().map(|_| None).collect();
        let mut pieces: IndexVec<NodeId, Piece> = IndexVec::new();
        for (node, node_data) in data.nodes.enumerate() {
            let mut steps = Vec::new();
            let last = self.node(function, node, &mut steps);
            let last: Vec<StepId> = match last {
                Some(more) => more,
                None => steps.last().copied().into_iter().collect(),
            };
            for pair in steps.windows(2) {
                self.steps[pair[0]].successors.push(pair[1]);
            }
            for step in &last {
                self.steps[*step].place = node_data.place;
            }
            if node == data.exit {
                self.steps[steps[0]].does = Does::Return;
            }
            pieces.push(Piece { first: steps[0], last });
        }
        for (node, node_data) in data.nodes.enumerate() {
            for step in pieces[node].last.clone() {
                let next = node_data.successors.iter().map(|next| pieces[*next].first);
                self.steps[step].successors.extend(next);
            }
        }
        self.dependencies(function);
        pieces[data.entry].first
    }

    /// Which events depend on which reads, as far as that orders them on some architecture.
    fn dependencies(&mut self, function: FunctionId) {
        let data = &self.graph.functions[function];
        for (node, node_data) in data.nodes.enumerate() {
            if node_data.depends_on.is_empty() {
                continue;
            }
            let on: Vec<(EventId, DependencyKind)> = node_data
                .depends_on
                .iter()
                .filter_map(|dependency| {
                    let read = self.reads[dependency.on.index()]?;
                    Some((read, dependency.kind))
                })
                .collect();
            for event in self.events_of_node(function, node) {
                let direction = self.events[event].direction;
                let counts = |kind: DependencyKind| match (kind, direction) {
                    (DependencyKind::Address | DependencyKind::ControlFence, _)
                    | (DependencyKind::Data | DependencyKind::Control, Direction::Write) => true,
                    (DependencyKind::Data | DependencyKind::Control, Direction::Read) => false,
                };
                let reads = on.iter().filter(|(_, kind)| counts(*kind)).map(|(read, _)| *read);
                self.events[event].depends_on = reads.collect();
            }
        }
    }

    fn events_of_node(&self, function: FunctionId, node: NodeId) -> Vec<EventId> {
        // The events of a node are next to each other, after its first step.
        let mut found = Vec::new();
        let mut step = Some(self.first[node.index()]);
        while let Some(at) = step {
            let Some(data) = self.steps.get(at) else { break };
            if let Does::Event(event) = data.does {
                if self.events[event].node != (function, node) {
                    break;
                }
                found.push(event);
            }
            let next = StepId::new(at.index() + 1);
            let is_other = self.first.get(node.index() + 1).is_some_and(|first| *first == next);
            step = (!is_other).then_some(next);
        }
        found
    }

    fn step(&mut self, function: FunctionId, does: Does) -> StepId {
        self.steps.push(Step { does, successors: Vec::new(), place: None, function })
    }

    /// The steps of a node, one after the other; and those that lead on, if not the last alone.
    fn node(
        &mut self,
        function: FunctionId,
        node: NodeId,
        steps: &mut Vec<StepId>,
    ) -> Option<Vec<StepId>> {
        let graph = self.graph;
        let data = &graph.functions[function].nodes[node];
        self.first.push(StepId::new(self.steps.len()));
        match &data.action {
            Action::Skip => steps.push(self.step(function, Does::Nothing)),
            Action::Fence(kind) => steps.push(self.step(function, Does::Fence(*kind))),
            Action::Call(callees) => steps.push(self.step(function, Does::Call(callees.clone()))),
            Action::Access(access) => {
                let mut emit = Emit { compiler: self, function, node, access, steps };
                match access.kind {
                    AccessKind::Read => emit.single(Direction::Read, false),
                    AccessKind::ReadExclusive => emit.single(Direction::Read, true),
                    AccessKind::Write => emit.single(Direction::Write, false),
                    AccessKind::WriteExclusive => emit.single(Direction::Write, true),
                    AccessKind::Update { .. } => return emit.update(),
                }
            }
        }
        None
    }
}

struct Emit<'c, 'g, 's> {
    compiler: &'c mut Compiler<'g>,
    function: FunctionId,
    node: NodeId,
    access: &'g events::Access,
    steps: &'s mut Vec<StepId>,
}

impl Emit<'_, '_, '_> {
    fn fence(&mut self, kind: FenceKind) {
        let step = self.compiler.step(self.function, Does::Fence(kind));
        self.steps.push(step);
    }

    fn after(&mut self, after: After) {
        match after {
            After::Fence(kind) => self.fence(kind),
            After::Nothing | After::Branch => {}
        }
    }

    fn event(&mut self, direction: Direction, order: Order, special: Special) -> EventId {
        let compiler = &mut *self.compiler;
        let data = &compiler.graph.functions[self.function].nodes[self.node];
        let id = EventId::new(compiler.events.len());
        let step = compiler.step(self.function, Does::Event(id));
        let is_read = direction == Direction::Read;
        // An AMO of RISC-V is one operation: both parts have its orders.
        let is_one = special.atomic && special.is_update && compiler.arch == Arch::RiscV;
        let acquires = matches!(order, Order::Acquire | Order::AcquireRelease | Order::SeqCst);
        let releases = matches!(order, Order::Release | Order::AcquireRelease | Order::SeqCst);
        let acquire = match (is_read || is_one) && acquires && !special.unused {
            false => Acquire::No,
            // Plain loads: `LDAPR` for acquire, `LDAR` for seq_cst.
            true if order == Order::Acquire && !special.atomic => Acquire::ProcessorConsistent,
            true => Acquire::SequentiallyConsistent,
        };
        // `lr.aqrl`: a read may release on RISC-V.
        let release = releases && (!is_read || (special.atomic && compiler.arch == Arch::RiscV));
        compiler.events.push(Event {
            step,
            direction,
            locations: self.access.locations.clone(),
            must: self.access.must,
            alone: data.alone,
            node: (self.function, self.node),
            span: data.span,
            acquire,
            release,
            branch: special.branch,
            atomic: special.atomic,
            unused: special.unused,
            depends_on: Vec::new(),
        });
        if is_read {
            compiler.reads[self.node.index()] = Some(id);
        }
        self.steps.push(step);
        id
    }

    /// A load or a store.
    fn single(&mut self, direction: Direction, exclusive: bool) {
        let order = self.access.order;
        let compiled = match (self.compiler.target, direction, exclusive) {
            (Some(target), Direction::Read, false) => target.load(order),
            (Some(target), Direction::Read, true) => target.load_exclusive(order),
            (Some(target), Direction::Write, false) => target.store(order),
            (Some(target), Direction::Write, true) => target.store_exclusive(order),
            (None, _, _) => self.natively(direction, exclusive),
        };
        if let Some(kind) = compiled.before {
            self.fence(kind);
        }
        let branch = compiled.after == After::Branch;
        let special = Special { atomic: exclusive, branch, ..Special::default() };
        self.event(direction, compiled.order, special);
        self.after(compiled.after);
    }

    /// A load or a store where orders are not compiled by the table.
    fn natively(&self, direction: Direction, exclusive: bool) -> Compiled {
        let order = self.access.order;
        let locked = Compiled {
            before: Some(FenceKind::Full),
            order: Order::Plain,
            after: After::Fence(FenceKind::Full),
        };
        let plain = Compiled::alone(Order::Plain);
        let releases = matches!(order, Order::Release | Order::AcquireRelease | Order::SeqCst);
        let acquires = matches!(order, Order::Acquire | Order::AcquireRelease | Order::SeqCst);
        match (self.compiler.arch, direction) {
            (Arch::X86 | Arch::Pso | Arch::Rmo, Direction::Write)
                if exclusive || order == Order::SeqCst =>
            {
                locked
            }
            (Arch::X86, _) | (Arch::Pso, Direction::Read) => plain,
            (Arch::Pso, Direction::Write) if releases => {
                Compiled { before: Some(FenceKind::StoreStore), ..plain }
            }
            (Arch::Rmo, Direction::Write) if releases => {
                Compiled { before: Some(FenceKind::Release), ..plain }
            }
            (Arch::Rmo, Direction::Read) if acquires => {
                Compiled { after: After::Fence(FenceKind::Acquire), ..plain }
            }
            (Arch::Pso | Arch::Rmo, _) => plain,
            (Arch::Power | Arch::ArmV7 | Arch::AArch64 | Arch::AArch64Lse | Arch::RiscV, _) => {
                Compiled::alone(order)
            }
        }
    }

    fn update(&mut self) -> Option<Vec<StepId>> {
        let AccessKind::Update { may_fail, keeps_result, failure, is_amo } = self.access.kind
        else {
            return None;
        };
        let order = self.access.order;
        let compiled = match (self.compiler.target, self.compiler.arch) {
            (Some(target), _) => {
                let access = Access { failure, ..Access::with_order(order) };
                // Which update it is matters for RISC-V's AMOs alone.
                let zero = || Expr::Const(0);
                let update = if is_amo {
                    Update::Exchange(zero())
                } else {
                    Update::CompareAndSwap { expected: zero(), new: zero() }
                };
                target.update(access, &update)
            }
            (None, Arch::X86 | Arch::Pso | Arch::Rmo) => CompiledUpdate {
                before: Some(FenceKind::Full),
                updating: Updating::Instruction(Order::Plain),
                after: After::Fence(FenceKind::Full),
                after_failure: After::Fence(FenceKind::Full),
            },
            (None, Arch::Power | Arch::ArmV7 | Arch::AArch64 | Arch::AArch64Lse | Arch::RiscV) => {
                CompiledUpdate {
                    before: None,
                    updating: Updating::Instruction(order),
                    after: After::Nothing,
                    after_failure: After::Nothing,
                }
            }
        };
        if let Some(kind) = compiled.before {
            self.fence(kind);
        }
        let (read_order, write_order, is_update) = match compiled.updating {
            Updating::Instruction(order) => (order, order, true),
            Updating::Loop { load, store } => (load, store, false),
        };
        // What is compiled from a language keeps its result in a register.
        let unused = is_update
            && !keeps_result
            && self.compiler.orders == Orders::OfInstructions
            && matches!(self.compiler.arch, Arch::AArch64 | Arch::AArch64Lse);
        let branch = compiled.after == After::Branch && compiled.after_failure == After::Branch;
        let special = Special { atomic: true, is_update, unused, branch };
        let is_full = is_update && write_order == Order::AcquireRelease && !unused && !may_fail;
        let surrounded = is_full && self.compiler.arch == Arch::RiscV;
        if surrounded {
            self.fence(FenceKind::Full);
        }
        self.event(Direction::Read, read_order, special);
        let mut ends = Vec::new();
        if may_fail {
            let read = *self.steps.last()?;
            match compiled.after_failure {
                After::Fence(kind) => {
                    let fence = self.compiler.step(self.function, Does::Fence(kind));
                    self.compiler.steps[read].successors.push(fence);
                    ends.push(fence);
                }
                After::Nothing | After::Branch => {
                    let end = self.compiler.step(self.function, Does::Nothing);
                    self.compiler.steps[read].successors.push(end);
                    ends.push(end);
                }
            }
        }
        // Arm, large system extensions: everything before an update that acquires and releases comes
        // before its write, and what follows comes after.
        let divided = is_full && matches!(self.compiler.arch, Arch::AArch64 | Arch::AArch64Lse);
        if divided {
            self.fence(FenceKind::Full);
        }
        self.event(Direction::Write, write_order, special);
        self.after(compiled.after);
        if divided || surrounded {
            self.fence(FenceKind::Full);
        }
        ends.push(*self.steps.last()?);
        Some(ends)
    }
}

/// What is particular about an event.
#[derive(Clone, Copy, Default)]
struct Special {
    atomic: bool,
    is_update: bool,
    unused: bool,
    branch: bool,
}
