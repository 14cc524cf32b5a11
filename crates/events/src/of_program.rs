//! The graph of a program of the model: one function for each kind of thread, without calls.
//!
//! Copies of a template that differ by an identity are threads of different kinds, since an identity
//! decides which cells are accessed. Labels and edges are nodes. Branches that cannot be taken with the
//! values that registers may have are left out.
//!
//! A locked section is one step for other threads: what comes before one of its accesses comes before all of
//! them. So program order leads from its end back to its beginning too, past the fences at both.

use std::collections::{BTreeMap, BTreeSet};

use program::index::Idx;
use program::mapping::is_amo;
use program::{
    Access as ModelAccess, Count, EdgeId, Expr, FenceKind, IndexVec, Insertion, InsertionPoint,
    Instruction, LabelId, LocationId, NoInsertion, Program, Span, Template, TemplateId, Update,
    Value,
};

use crate::dependencies::dependencies;
use crate::graph::{
    Access, AccessKind, Action, ClassId, Dependency, DependencyKind, Function, FunctionId, Graph,
    Instances, Location, LocationSet, MemoryId, Node, NodeId, Place, PlaceId, Side, ThreadClass,
};
use crate::locks::{Locking, Lockings, add_held};
use crate::stutter::waiting_again;
use crate::values::{Addresses, Analysis, Variant};

/// Where fences can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// After instructions (ESOP'15).
    AfterInstructions,
    /// Before labels (ESOP'13).
    Labels,
}

/// Which rounds of loops count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// All: each read is part of a trace.
    All,
    /// Those that change something: rounds of busy waiting have no effect on what comes after.
    Effective,
}

/// What a place is in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// Before everything that leaves a label.
    Before(LabelId),
    /// After an edge.
    After(EdgeId),
}

/// The graph of a program, and what of the program its parts are.
#[derive(Clone, Debug)]
pub struct ProgramGraph {
    /// The graph.
    pub graph: Graph,
    /// For each place, what it is in each template that has it.
    pub places: IndexVec<PlaceId, Vec<(TemplateId, At)>>,
    /// For each class of threads, its template.
    pub templates: IndexVec<ClassId, TemplateId>,
    /// For each class of threads, the edge that each node is.
    pub edges: IndexVec<ClassId, IndexVec<NodeId, Option<EdgeId>>>,
}

/// The graph of a program.
pub fn of_program(program: &Program, positions: Positions, rounds: Rounds) -> ProgramGraph {
    let mut kinds = Vec::new();
    for (id, template) in program.templates().enumerate() {
        match (template.count(), template.identity()) {
            (Count::Exactly(0), _) => {}
            (Count::Exactly(count), None) => kinds.push((id, None, Instances::Exactly(count))),
            (Count::Exactly(count), Some(_)) => {
                kinds.extend((0..count).map(|copy| (id, Some(copy), Instances::Exactly(1))));
            }
            (Count::Any, _) => kinds.push((id, None, Instances::Many)),
        }
    }
    let variant = |(id, copy, _): &(TemplateId, Option<u32>, Instances)| {
        let template = program.template(*id);
        let identity = template.identity().zip(*copy).map(|(identity, copy)| identity.of(copy));
        Variant { template, identity }
    };
    let variants: Vec<Variant<'_>> = kinds.iter().map(variant).collect();
    let values = Analysis::new(program, &variants);
    let mut builder = Builder::new(program, positions, rounds);
    for (number, (id, copy, instances)) in kinds.iter().enumerate() {
        builder.thread(*id, *copy, *instances, &values, number);
    }
    builder.finish()
}

/// What identifies a place: one in the text, or one of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Text(InsertionPoint, Side),
    Own(TemplateId, At),
}

struct Builder<'p> {
    program: &'p Program,
    positions: Positions,
    rounds: Rounds,
    result: ProgramGraph,
    keys: BTreeMap<Key, PlaceId>,
    cells: BTreeMap<Value, MemoryId>,
    /// Locations with too many cells to tell them apart.
    large: BTreeMap<LocationId, MemoryId>,
    /// What would be done to locks.
    lockings: Lockings,
}

/// The most cells of a location that are told apart.
const MOST_CELLS: u64 = 64;

impl<'p> Builder<'p> {
    fn new(program: &'p Program, positions: Positions, rounds: Rounds) -> Self {
        let result = ProgramGraph {
            graph: Graph::default(),
            places: IndexVec::new(),
            templates: IndexVec::new(),
            edges: IndexVec::new(),
        };
        let (keys, cells, large) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let lockings = Lockings::new();
        Self { program, positions, rounds, result, keys, cells, large, lockings }
    }

    fn finish(mut self) -> ProgramGraph {
        let classes = self.result.graph.threads.len();
        let instances: Vec<Instances> =
            self.result.graph.threads.iter().map(|class| class.instances).collect();
        self.result.graph.parallel = (0..classes)
            .map(|one| {
                let with_itself = instances[one] > Instances::Exactly(1);
                (0..classes).map(|other| one != other || with_itself).collect()
            })
            .collect();
        add_held(&mut self.result.graph, &self.lockings);
        self.result
    }

    fn thread(
        &mut self,
        id: TemplateId,
        copy: Option<u32>,
        instances: Instances,
        values: &Analysis<'_>,
        number: usize,
    ) {
        let template = self.program.template(id);
        let name = match copy {
            Some(copy) => template.copy_name(copy),
            None => template.name().to_owned(),
        };
        let labels = template.labels().len();
        let node_of_label = |label: LabelId| NodeId::new(label.index());
        let node_of_edge = |edge: EdgeId| NodeId::new(labels + edge.index());
        let depends_on = dependencies(template);
        let sections = sections(template);
        let waiting_again = match self.rounds {
            Rounds::All => BTreeSet::new(),
            Rounds::Effective => waiting_again(template),
        };
        let mut nodes: IndexVec<NodeId, Node> = IndexVec::new();
        let exit = NodeId::new(labels + template.edges().len());
        let can_pass = |edge: EdgeId| match &template.edge(edge).instruction {
            Instruction::Assume(condition) => values.may_pass(number, condition),
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => true,
        };
        for (label, data) in template.labels().enumerate() {
            let outgoing: Vec<EdgeId> = template.outgoing(label).collect();
            let place = match self.positions {
                // Where nothing leaves, a fence orders nothing.
                Positions::Labels if !outgoing.is_empty() => {
                    let span = template.edge(outgoing[0]).span;
                    self.place(id, At::Before(label), data.before, Side::Before, span)
                }
                Positions::Labels | Positions::AfterInstructions => None,
            };
            let successors = if outgoing.is_empty() {
                vec![exit]
            } else {
                outgoing.into_iter().filter(|edge| can_pass(*edge)).map(node_of_edge).collect()
            };
            let (action, depends_on) = (Action::Skip, Vec::new());
            nodes.push(Node {
                action,
                successors,
                span: data.span,
                place,
                depends_on,
                alone: false,
                held: Vec::new(),
            });
        }
        for (edge, data) in template.edges().enumerate() {
            let action = self.action(&data.instruction, values, number);
            let place = if self.has_place_after(template, data.to) {
                self.place(id, At::After(edge), data.after, Side::After, data.span)
            } else {
                None
            };
            let dependency = |(on, kind): &(EdgeId, DependencyKind)| Dependency {
                on: node_of_edge(*on),
                kind: *kind,
            };
            nodes.push(Node {
                action,
                successors: if waiting_again.contains(&edge) {
                    Vec::new()
                } else {
                    let begins = sections.get(&edge).into_iter().flatten();
                    begins.map(|edge| node_of_edge(*edge)).chain([node_of_label(data.to)]).collect()
                },
                span: data.span,
                place,
                depends_on: depends_on[edge.index()].iter().map(dependency).collect(),
                alone: false,
                held: Vec::new(),
            });
        }
        let end = idle(template.span());
        nodes.push(end);
        let of_node = |node: NodeId| {
            let edge = node.index().checked_sub(labels).map(EdgeId::new);
            edge.filter(|edge| edge.index() < template.edges().len())
        };
        let edges: IndexVec<NodeId, Option<EdgeId>> = nodes.indices().map(of_node).collect();
        let locking = |edge: &Option<EdgeId>| {
            edge.and_then(|edge| Locking::of(&template.edge(edge).instruction))
        };
        self.lockings.push(edges.iter().map(locking).collect());
        let entry = node_of_label(template.initial());
        let function = Function { name: name.clone(), entry, exit, nodes };
        let entry: FunctionId = self.result.graph.functions.push(function);
        self.result.graph.threads.push(ThreadClass { name, entry, instances });
        self.result.templates.push(id);
        self.result.edges.push(edges);
    }

    /// Whether a place after an edge that leads to a label is offered: before labels, only where a label
    /// has no place of its own.
    fn has_place_after(&self, template: &Template, to: LabelId) -> bool {
        match (self.positions, template.labels()[to].before) {
            (Positions::AfterInstructions, _)
            | (Positions::Labels, Err(NoInsertion::LoopHead | NoInsertion::NoTextOfItsOwn)) => true,
            (
                Positions::Labels,
                Ok(_) | Err(NoInsertion::InsideExpression | NoInsertion::NoSource),
            ) => false,
        }
    }

    fn place(
        &mut self,
        template: TemplateId,
        at: At,
        insertion: Insertion,
        side: Side,
        span: Span,
    ) -> Option<PlaceId> {
        let key = match insertion {
            Ok(point) => Key::Text(point, side),
            Err(NoInsertion::NoSource) => Key::Own(template, at),
            Err(
                NoInsertion::InsideExpression | NoInsertion::LoopHead | NoInsertion::NoTextOfItsOwn,
            ) => return None,
        };
        let result = &mut self.result;
        let place = *self.keys.entry(key).or_insert_with(|| {
            result.places.push(Vec::new());
            result.graph.places.push(Place { point: insertion.ok(), side, span })
        });
        let all = &mut self.result.places[place];
        if !all.contains(&(template, at)) {
            all.push((template, at));
        }
        Some(place)
    }

    fn action(
        &mut self,
        instruction: &Instruction,
        values: &Analysis<'_>,
        number: usize,
    ) -> Action {
        let mut access = |kind, address: &Expr, access: &ModelAccess| {
            let (locations, must) = self.locations(&values.addresses(number, address));
            let order = access.order;
            Action::Access(Access { kind, order, locations, must, aligned: true })
        };
        match instruction {
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_) => Action::Skip,
            Instruction::Load { address, access: how, .. } => {
                let kind = if how.exclusive { AccessKind::ReadExclusive } else { AccessKind::Read };
                access(kind, address, how)
            }
            Instruction::Store { address, access: how, .. } => {
                access(AccessKind::Write, address, how)
            }
            Instruction::StoreExclusive { address, access: how, .. } => {
                access(AccessKind::WriteExclusive, address, how)
            }
            Instruction::Update { result, address, update, access: how } => {
                let may_fail = match update {
                    Update::CompareAndSwap { .. } => true,
                    Update::BlockingReadWrite { .. }
                    | Update::Exchange(_)
                    | Update::Fetch { .. } => false,
                };
                let (failure, is_amo) = (how.failure, is_amo(update));
                let keeps_result = result.is_some();
                let kind = AccessKind::Update { may_fail, keeps_result, failure, is_amo };
                access(kind, address, how)
            }
            Instruction::Fence(kind) => Action::Fence(*kind),
            // Both ends wait until everything before is done.
            Instruction::Lock | Instruction::Unlock => Action::Fence(FenceKind::Full),
        }
    }

    fn locations(&mut self, addresses: &Addresses) -> (LocationSet, bool) {
        match addresses {
            Addresses::Any => (LocationSet::Any, false),
            Addresses::Within(location) => {
                let data = self.program.memory().location(*location);
                if data.cells() > MOST_CELLS {
                    return (LocationSet::Some(vec![self.large(*location)]), false);
                }
                let cells = (0..data.cells())
                    .filter_map(|index| data.address(Value::from(u32::try_from(index).ok()?)).ok());
                let mut set: Vec<MemoryId> = cells.map(|address| self.cell(address).0).collect();
                set.sort();
                let must = set.len() == 1;
                (LocationSet::Some(set), must)
            }
            Addresses::Cells(cells) => {
                let hit = cells.iter().filter(|cell| self.program.memory().cell(**cell).is_ok());
                let hit: Vec<Value> = hit.copied().collect();
                let found: Vec<(MemoryId, bool)> =
                    hit.into_iter().map(|address| self.cell(address)).collect();
                let must = found.len() == 1 && found[0].1;
                let mut set: Vec<MemoryId> = found.into_iter().map(|(id, _)| id).collect();
                set.sort();
                set.dedup();
                (LocationSet::Some(set), must)
            }
        }
    }

    fn large(&mut self, location: LocationId) -> MemoryId {
        let data = self.program.memory().location(location);
        let locations = &mut self.result.graph.locations;
        *self.large.entry(location).or_insert_with(|| {
            locations.push(Location { name: format!("{}[…]", data.name), span: data.span })
        })
    }

    /// The class of a cell, and whether it has no other.
    fn cell(&mut self, address: Value) -> (MemoryId, bool) {
        let memory = self.program.memory();
        let place = memory.place(address);
        if let Some((location, _)) = place
            && memory.location(location).cells() > MOST_CELLS
        {
            return (self.large(location), false);
        }
        let span = place.map_or(Span::NONE, |(location, _)| memory.location(location).span);
        let locations = &mut self.result.graph.locations;
        let id = *self
            .cells
            .entry(address)
            .or_insert_with(|| locations.push(Location { name: memory.cell_name(address), span }));
        (id, true)
    }
}

/// A node at which nothing happens, and that leads nowhere.
const fn idle(span: Span) -> Node {
    Node {
        action: Action::Skip,
        successors: Vec::new(),
        span,
        place: None,
        depends_on: Vec::new(),
        alone: false,
        held: Vec::new(),
    }
}

/// For each edge that ends a locked section, the edges that may have begun it.
fn sections(template: &Template) -> BTreeMap<EdgeId, Vec<EdgeId>> {
    let mut ends: BTreeMap<EdgeId, Vec<EdgeId>> = BTreeMap::new();
    let is =
        |edge: EdgeId, instruction: &Instruction| template.edge(edge).instruction == *instruction;
    for begin in template.edges().indices().filter(|edge| is(*edge, &Instruction::Lock)) {
        let mut seen = BTreeSet::new();
        let mut open = vec![template.edge(begin).to];
        while let Some(label) = open.pop() {
            if !seen.insert(label) {
                continue;
            }
            for edge in template.outgoing(label) {
                if is(edge, &Instruction::Unlock) {
                    ends.entry(edge).or_default().push(begin);
                } else {
                    open.push(template.edge(edge).to);
                }
            }
        }
    }
    ends
}
