//! The graph as the machine sees it: reads, writes and fences, made by `compile`.

use std::collections::{BTreeMap, BTreeSet};

use events::{ClassId, FunctionId, Graph, LocationSet, MemoryId, NodeId, PlaceId};
use program::index::Idx;
use program::{FenceKind, IndexVec, Order, Span};

use crate::architecture::{Arch, Direction, Strength};
use crate::bits::Bits;
use crate::compile::Compiler;
use crate::reference::Reference;

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

/// What of an event orders it with others of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) direction: Direction,
    pub(crate) acquire: Acquire,
    /// Whether earlier accesses come before it.
    pub(crate) release: bool,
    /// Whether a branch on it and a control fence follow.
    pub(crate) branch: bool,
    /// Whether RISC-V counts it as an AMO, `lr` or `sc`.
    pub(crate) atomic: bool,
}

/// A node of the graph.
pub type NodeRef = (FunctionId, NodeId);

/// What is compiled otherwise than the graph says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The orders of accesses.
    pub orders: BTreeMap<NodeRef, Order>,
    /// Fences that are taken away. What the program is compared with still has them.
    pub without: BTreeSet<NodeRef>,
    /// Fences that were put in. What the program is compared with does not have them.
    pub added: BTreeSet<NodeRef>,
}

/// How a graph is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// For which architecture.
    pub arch: Arch,
    /// How orders are meant.
    pub orders: Orders,
    /// What its executions are compared with.
    pub reference: Reference,
    /// Whether dependencies order accesses. A compiler may take away those of a source text.
    pub dependencies: bool,
}

/// A read or a write of a machine.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
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
    pub(crate) attributes: Attributes,
    /// Whether nothing passes it under what the program is compared with.
    pub(crate) locked: bool,
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
    /// Whether it waits for all earlier writes under what the program is compared with.
    pub(crate) waits: bool,
    /// The fence that was taken away here.
    pub(crate) gone: Option<(NodeRef, FenceKind)>,
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
    /// How it was compiled.
    pub settings: Settings,
    /// For which architecture.
    pub arch: Arch,
    /// What its executions are compared with.
    pub reference: Reference,
    /// What is compiled otherwise than the graph says.
    pub changed: Changed,
    /// The reads and writes.
    pub events: IndexVec<EventId, Event>,
    pub(crate) steps: IndexVec<StepId, Step>,
    /// The fences that are there only for comparison.
    gone: Vec<StepId>,
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
    pub fn new(graph: &'g Graph, settings: Settings, changed: Changed) -> Self {
        let mut compiler = Compiler::new(graph, settings, &changed);
        let mut entries = IndexVec::new();
        for function in graph.functions.indices() {
            let entry = compiler.function(function);
            entries.push(entry);
        }
        let Compiler { events, steps, .. } = compiler;
        let is_gone = |step: &Step| step.waits && matches!(step.does, Does::Nothing);
        let gone = steps.enumerate().filter(|(_, step)| is_gone(step)).map(|(id, _)| id).collect();
        let mut machine = Self {
            graph,
            settings,
            arch: settings.arch,
            reference: settings.reference,
            changed,
            gone,
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

    /// How many events there are, and fences for comparison: columns of sets.
    pub(crate) fn columns(&self) -> usize {
        self.events.len() + self.gone.len()
    }

    /// The column of a fence that is there only for comparison.
    pub(crate) fn column_of_fence(&self, step: StepId) -> Option<usize> {
        self.gone.binary_search(&step).ok().map(|at| self.events.len() + at)
    }

    /// The step of a column.
    pub(crate) fn step_of(&self, column: usize) -> StepId {
        match column.checked_sub(self.events.len()) {
            None => self.events[EventId::new(column)].step,
            Some(at) => self.gone[at],
        }
    }

    /// The columns at which something waits, by what the program is compared with, and the machine may not.
    pub(crate) fn waiting(&self) -> Bits {
        let mut waiting = Bits::new(self.columns());
        for (event, _) in self.events.enumerate().filter(|(_, data)| data.locked) {
            waiting.insert(event.index());
        }
        for column in self.events.len()..self.columns() {
            waiting.insert(column);
        }
        waiting
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

    /// Whether two events of a thread are kept in order, by what the program is compared with, only if something
    /// waits between them.
    pub(crate) fn needs_waiting(&self, first: &Event, second: &Event) -> bool {
        self.reference.needs_waiting(first.direction, second.direction)
            && !first.locked
            && !second.locked
    }

    /// Whether later events of a direction are kept in order after one only if something waits between them, or
    /// they are locked.
    pub(crate) fn must_wait(&self, first: EventId, second: Direction) -> bool {
        let first = &self.events[first];
        self.reference.needs_waiting(first.direction, second) && !first.locked
    }

    /// How strongly two events of a thread are ordered whatever is between them, dependencies aside.
    pub(crate) fn by_orders(&self, first: EventId, second: EventId) -> Strength {
        self.by_attributes(self.events[first].attributes, self.events[second].attributes)
    }

    /// How strongly events with such attributes are.
    pub(crate) fn by_attributes(&self, first: Attributes, second: Attributes) -> Strength {
        let by_itself = self.arch.by_itself(first.direction, second.direction);
        let is_ordered = match self.arch {
            Arch::X86 | Arch::Pso | Arch::Rmo | Arch::Power | Arch::ArmV7 => false,
            Arch::AArch64 | Arch::AArch64Lse => {
                first.acquire != Acquire::No
                    || second.release
                    || (first.release && second.acquire == Acquire::SequentiallyConsistent)
            }
            Arch::RiscV => {
                let is_rcsc = |event: Attributes| {
                    event.atomic && (event.acquire != Acquire::No || event.release)
                };
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
