//! Accesses compiled to reads, writes and fences.
//!
//! What a compiler emits for each order is `program::mapping`; x86, PSO and RMO are as
//! `program::instruction` says: updates and `seq_cst` stores are locked, so that nothing passes them
//! (RMO: a full fence on either side). An update is a read and then a write, each an event; one that may
//! fail can also go on after its read.

use events::{AccessKind, Action, DependencyKind, FunctionId, Graph, LocationSet, NodeId};
use program::index::Idx;
use program::mapping::{After, Compiled, CompiledUpdate, Target, Updating};
use program::{Access, Expr, FenceKind, IndexVec, Order, Update};

use crate::architecture::{Arch, Direction};
use crate::machine::{
    Acquire, Attributes, Changed, Does, Event, EventId, NodeRef, Orders, Settings, Step, StepId,
};
use crate::orders::failing;
use crate::reference::Reference;

pub(crate) struct Compiler<'g> {
    graph: &'g Graph,
    arch: Arch,
    target: Option<Target>,
    orders: Orders,
    reference: Reference,
    dependencies: bool,
    changed: &'g Changed,
    /// For each class of memory, whether a lock there orders what is done under it.
    orders_as_lock: Vec<bool>,
    pub(crate) events: IndexVec<EventId, Event>,
    pub(crate) steps: IndexVec<StepId, Step>,
    /// For each node of the function, its first step.
    first: Vec<StepId>,
    /// For each node of the function, its read.
    reads: Vec<Option<EventId>>,
}

/// Which memory, if it is a lock, orders what is done under it. On x86 every lock does; elsewhere it must be taken
/// by updates that acquire and given back by what releases.
fn orders_as_lock(graph: &Graph, settings: Settings, changed: &Changed) -> Vec<bool> {
    let is_sure = settings.arch == Arch::X86;
    let is_in_language = settings.orders == Orders::OfLanguage;
    let mut found = vec![is_sure || is_in_language; graph.locations.len()];
    if is_sure {
        return found;
    }
    for (function, data) in graph.functions.enumerate() {
        for (node, data) in data.nodes.enumerate() {
            let Action::Access(access) = &data.action else { continue };
            let order = changed.orders.get(&(function, node)).copied().unwrap_or(access.order);
            let is_ordered = match (access.kind, order) {
                (AccessKind::Read | AccessKind::ReadExclusive, _)
                | (AccessKind::Update { .. }, Order::Acquire)
                | (_, Order::Release | Order::AcquireRelease | Order::SeqCst) => true,
                (
                    AccessKind::Write | AccessKind::WriteExclusive | AccessKind::Update { .. },
                    Order::Plain | Order::Volatile | Order::Relaxed | Order::Acquire,
                ) => false,
            };
            if let (false, LocationSet::Some(set)) = (is_ordered, &access.locations) {
                for memory in set {
                    found[memory.index()] = false;
                }
            }
        }
    }
    found
}

/// The steps of a node: where it begins, and the steps that lead on from it.
struct Steps {
    first: StepId,
    last: Vec<StepId>,
}

impl<'g> Compiler<'g> {
    pub(crate) fn new(graph: &'g Graph, settings: Settings, changed: &'g Changed) -> Self {
        let Settings { arch, orders, reference, dependencies } = settings;
        let target = match orders {
            Orders::OfLanguage => arch.target(),
            Orders::OfInstructions => None,
        };
        let (events, steps) = (IndexVec::new(), IndexVec::new());
        let (first, reads) = (Vec::new(), Vec::new());
        let orders_as_lock = orders_as_lock(graph, settings, changed);
        Self {
            graph,
            arch,
            target,
            orders,
            reference,
            dependencies,
            changed,
            orders_as_lock,
            events,
            steps,
            first,
            reads,
        }
    }

    /// Compiles a function, and returns its first step.
    pub(crate) fn function(&mut self, function: FunctionId) -> StepId {
        let graph = self.graph;
        let data = &graph.functions[function];
        self.first.clear();
        self.reads = data.nodes.iter().map(|_| None).collect();
        let mut pieces: IndexVec<NodeId, Steps> = IndexVec::new();
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
            pieces.push(Steps { first: steps[0], last });
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
            if node_data.depends_on.is_empty() || !self.dependencies {
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
                    (DependencyKind::Address, _)
                    | (
                        DependencyKind::Data
                        | DependencyKind::Control
                        | DependencyKind::ControlFence,
                        Direction::Write,
                    ) => true,
                    (DependencyKind::Data | DependencyKind::Control, Direction::Read) => false,
                    (DependencyKind::ControlFence, Direction::Read) => {
                        self.arch.has_control_fences()
                    }
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

    /// The order of an access, and that of a compare-and-swap that fails.
    fn orders_of(&self, node: NodeRef, access: &events::Access) -> (Order, Option<Order>) {
        let failure = match access.kind {
            AccessKind::Update { failure, .. } => failure,
            AccessKind::Read
            | AccessKind::ReadExclusive
            | AccessKind::Write
            | AccessKind::WriteExclusive => None,
        };
        match self.changed.orders.get(&node) {
            None => (access.order, failure),
            Some(order) => (*order, failing(access, *order)),
        }
    }

    fn step(&mut self, function: FunctionId, does: Does) -> StepId {
        let successors = Vec::new();
        self.steps.push(Step { does, successors, place: None, function, waits: false, gone: None })
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
            Action::Fence(kind) => {
                let is_gone = self.changed.without.contains(&(function, node));
                let does = if is_gone { Does::Nothing } else { Does::Fence(*kind) };
                let fence = self.step(function, does);
                let is_compared = self.reference != Reference::Sc
                    && !self.changed.added.contains(&(function, node));
                self.steps[fence].gone = is_gone.then_some(((function, node), *kind));
                self.steps[fence].waits = is_compared && kind.orders_store_before_load();
                steps.push(fence);
            }
            Action::Call(callees) => steps.push(self.step(function, Does::Call(callees.clone()))),
            Action::Access(access) => {
                let (order, failure) = self.orders_of((function, node), access);
                let mut emit =
                    Emit { compiler: self, function, node, access, order, failure, steps };
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

/// What a node is compiled to: reads, writes and the fences around them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    /// The fences before the first event.
    pub(crate) before: Vec<FenceKind>,
    /// The events, each with the fences after it: the last one's are those after success.
    pub(crate) events: Vec<(Attributes, Vec<FenceKind>)>,
    /// The fences after the read of an update that writes nothing.
    pub(crate) after_failure: Vec<FenceKind>,
}

impl Compiler<'_> {
    /// What one access is compiled to.
    pub(crate) fn piece(mut self, (function, node): NodeRef) -> Piece {
        self.reads = self.graph.functions[function].nodes.iter().map(|_| None).collect();
        let mut steps = Vec::new();
        let ends = self.node(function, node, &mut steps);
        let mut piece = Piece::default();
        for step in &steps {
            match self.steps[*step].does {
                Does::Event(event) => {
                    piece.events.push((self.events[event].attributes, Vec::new()));
                }
                Does::Fence(kind) => match piece.events.last_mut() {
                    Some((_, after)) => after.push(kind),
                    None => piece.before.push(kind),
                },
                Does::Nothing | Does::Call(_) | Does::Return => {}
            }
        }
        for end in ends.into_iter().flatten().filter(|end| !steps.contains(end)) {
            if let Does::Fence(kind) = self.steps[end].does {
                piece.after_failure.push(kind);
            }
        }
        piece
    }
}

struct Emit<'c, 'g, 's> {
    compiler: &'c mut Compiler<'g>,
    function: FunctionId,
    node: NodeId,
    access: &'g events::Access,
    /// Its order, and that of a compare-and-swap that fails.
    order: Order,
    failure: Option<Order>,
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
        let locked = compiler.reference.locks(direction, self.access.order, special.atomic);
        compiler.steps[step].waits = locked;
        let release = releases && (!is_read || (special.atomic && compiler.arch == Arch::RiscV));
        compiler.events.push(Event {
            step,
            direction,
            locations: self.access.locations.clone(),
            must: self.access.must,
            alone: data.alone,
            held: data
                .held
                .iter()
                .copied()
                .filter(|lock| compiler.orders_as_lock[lock.index()])
                .collect(),
            node: (self.function, self.node),
            span: data.span,
            attributes: Attributes {
                direction,
                acquire,
                release,
                branch: special.branch,
                atomic: special.atomic,
            },
            locked,
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
        let order = self.order;
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
        let order = self.order;
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
            (Arch::Pso, Direction::Write) if releases => {
                Compiled { before: Some(FenceKind::StoreStore), ..plain }
            }
            (Arch::Rmo, Direction::Write) if releases => {
                Compiled { before: Some(FenceKind::Release), ..plain }
            }
            (Arch::Rmo, Direction::Read) if acquires => {
                Compiled { after: After::Fence(FenceKind::Acquire), ..plain }
            }
            (Arch::X86 | Arch::Pso | Arch::Rmo, _) => plain,
            (Arch::Power | Arch::ArmV7 | Arch::AArch64 | Arch::AArch64Lse | Arch::RiscV, _) => {
                Compiled::alone(order)
            }
        }
    }

    fn update(&mut self) -> Option<Vec<StepId>> {
        let AccessKind::Update { may_fail, keeps_result, is_amo, .. } = self.access.kind else {
            return None;
        };
        let (order, failure) = (self.order, self.failure);
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
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
struct Special {
    atomic: bool,
    is_update: bool,
    unused: bool,
    branch: bool,
}
