//! The graph as the machine sees it: reads, writes and fences, made by `compile`.

use events::{ClassId, FunctionId, Graph, LocationSet, MemoryId, NodeId, PlaceId};
use program::{FenceKind, IndexVec, Span};

use crate::architecture::{Arch, Direction, Strength};
use crate::compile::Compiler;

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
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
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
    /// The locks that are certainly held, in ascending order; nothing for what takes or gives back a lock.
    pub held: Vec<MemoryId>,
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
        let mut compiler = Compiler::new(graph, arch, orders);
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
        for class in &self.graph.threads {
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
