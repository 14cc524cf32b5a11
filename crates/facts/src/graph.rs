//! The event graph: for every instance of a function that a thread executes and in which something happens
//! to shared memory, the control flow between these events.
//!
//! A place in source belongs to the last events of its statement: to those from which control leaves it. An
//! edge back to where the control flow has been leaves the statement, too. Where a macro hides other ways out of a
//! statement, its place is where control comes out normally, and belongs to no event.

use std::collections::BTreeMap;
use std::rc::Rc;

use events::{
    Access, AccessKind, Action, Dependency, DependencyKind, FunctionId, Graph, Instances,
    LocationSet, MemoryId, Node, NodeId, Place, PlaceId, Side, ThreadClass,
};
use linkage::effects::Clause;
use linkage::leaving::{At, Leaving};
use linkage::{Item, Position, Positions, left_unseen};
use llvm::MetadataId;
use program::index::Idx;
use program::{IndexVec, Order, SourceId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::{Happening, RawAccess};
use crate::bits::Bits;
use crate::code::{Code, called};
use crate::dependencies::{AtomicCall, Dependencies};
use crate::locations::Locations;
use crate::locks::Locks;
use crate::pointers::Pointers;
use crate::subscripts::Definitions;
use crate::threads::Threads;

/// Where something stands: in source, and the statement after which a fence can be put.
type Standing = (Span, Option<PlaceId>);

/// The same with all that is known of the position.
type Placed = (Position, Option<PlaceId>);

/// How many subscripts the address of a load has where it is located, if that is known.
type Loaded = Option<usize>;

pub(crate) struct Builder<'a, 'l, 'm, 't> {
    pub(crate) pointers: &'a Pointers<'l, 'm>,
    pub(crate) codes: &'a [Code],
    pub(crate) threads: &'a Threads,
    pub(crate) locks: &'a Locks,
    pub(crate) locations: &'a mut Locations,
    pub(crate) alone: &'a [Vec<Vec<bool>>],
    pub(crate) positions: Positions<'t>,
    standings: FxHashMap<(u32, MetadataId, Option<Loaded>), Placed>,
    places: FxHashMap<(SourceId, u32), PlaceId>,
    dependencies: FxHashMap<Item, Rc<Dependencies>>,
    unseen: FxHashMap<Item, Rc<Unseen>>,
    lock_locations: Vec<Option<MemoryId>>,
    functions: Vec<Option<FunctionId>>,
    graph: Graph,
}

/// The statements of a function that control leaves in ways that the text does not show.
#[derive(Default)]
struct Unseen {
    places: FxHashSet<PlaceId>,
    /// Where control comes out normally.
    ends: BTreeMap<At, Vec<PlaceId>>,
}

/// A node before it has its number.
struct Draft {
    node: Node,
    /// The instruction that it is of, if it is an access; the place in the order of blocks.
    source: Option<(u32, u32)>,
    block: u32,
}

impl<'a, 'l, 'm, 't> Builder<'a, 'l, 'm, 't> {
    pub(crate) fn new(
        pointers: &'a Pointers<'l, 'm>,
        codes: &'a [Code],
        threads: &'a Threads,
        locks: &'a Locks,
        locations: &'a mut Locations,
        alone: &'a [Vec<Vec<bool>>],
        positions: Positions<'t>,
    ) -> Self {
        let lock_locations: Vec<Option<MemoryId>> =
            locks.all.iter().map(|(object, offset)| locations.at(*object, *offset)).collect();
        // Two locks in one location are not told apart.
        let is_one = |lock: &MemoryId| {
            lock_locations.iter().flatten().filter(|other| *other == lock).count() == 1
        };
        let lock_locations =
            lock_locations.iter().map(|location| location.filter(is_one)).collect();
        Self {
            pointers,
            codes,
            threads,
            locks,
            locations,
            alone,
            positions,
            standings: FxHashMap::default(),
            places: FxHashMap::default(),
            dependencies: FxHashMap::default(),
            unseen: FxHashMap::default(),
            lock_locations,
            functions: Vec::new(),
            graph: Graph::default(),
        }
    }

    pub(crate) fn build(mut self) -> Graph {
        let loud = self.loud();
        let mut next = 0;
        self.functions = loud
            .iter()
            .map(|is_loud| {
                is_loud.then(|| {
                    next += 1;
                    FunctionId::new(next - 1)
                })
            })
            .collect();
        for instance in (0_u32..).take(self.codes.len()) {
            if loud[instance as usize] {
                let function = self.function(instance);
                self.graph.functions.push(function);
            }
        }
        for class in &self.threads.classes {
            let entry = self.functions[class.entry as usize].unwrap_or(FunctionId::new(0));
            let instances = if class.is_many { Instances::Many } else { Instances::Exactly(1) };
            self.graph.threads.push(ThreadClass { name: class.name.clone(), entry, instances });
        }
        let rows = self.threads.parallel.iter().map(|row| row.iter().copied().collect());
        self.graph.parallel = rows.collect();
        self.graph.locations = self.locations.named(self.pointers);
        self.graph
    }

    /// The instances in which, or in whose callees, something happens; and those that threads begin with.
    fn loud(&mut self) -> Vec<bool> {
        let count = self.codes.len();
        let mut loud = vec![false; count];
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut queue = Vec::new();
        for (instance, code) in (0_u32..).zip(self.codes) {
            if self.threads.executed_by[instance as usize].is_empty() {
                continue;
            }
            for (_, happening) in code.all() {
                for callee in called(self.pointers, happening) {
                    callers[callee as usize].push(instance);
                }
                let is_event = match happening {
                    Happening::Access(access) => {
                        self.locations.of(self.pointers, access).is_some() || drains_on_x86(access)
                    }
                    Happening::Fence(_) => true,
                    Happening::Calls(_)
                    | Happening::CallsOutside
                    | Happening::Creates(_)
                    | Happening::Joins(_)
                    | Happening::Locks(_)
                    | Happening::Unlocks(_)
                    | Happening::Stops => false,
                };
                if is_event && !loud[instance as usize] {
                    loud[instance as usize] = true;
                    queue.push(instance);
                }
            }
        }
        while let Some(instance) = queue.pop() {
            for caller in &callers[instance as usize] {
                if !std::mem::replace(&mut loud[*caller as usize], true) {
                    queue.push(*caller);
                }
            }
        }
        for class in &self.threads.classes {
            loud[class.entry as usize] = true;
        }
        loud
    }

    fn function(&mut self, instance: u32) -> events::Function {
        let item = self.pointers.instances[instance as usize].item;
        let codes = self.codes;
        let code = &codes[instance as usize];
        let held = self.locks.held_in_blocks(self.pointers, instance, code);
        let unseen = self.unseen(item, code);
        let mut drafts: Vec<Draft> = Vec::new();
        // The entry and the exit, then what happens.
        drafts.push(draft(Action::Skip, 0));
        drafts.push(draft(Action::Skip, u32::MAX));
        let mut starts = vec![None; code.blocks.len()];
        for block in &code.flow.order {
            drafts.push(draft(Action::Skip, code.flow.number[*block as usize]));
            starts[*block as usize] = Some(drafts.len() - 1);
        }
        if let Some(first) = code.flow.order.first().and_then(|block| starts[*block as usize]) {
            drafts[0].node.successors.push(NodeId::new(first));
        }
        let function = self.pointers.function(item);
        let definitions = Definitions::new(function);
        for block in &code.flow.order {
            let Some(mut at) = starts[*block as usize] else { continue };
            let mut goes_on = true;
            let instructions = &function.blocks[*block as usize].instructions;
            let mut ends = unseen.ends.range((*block, 0)..=(*block, u32::MAX)).peekable();
            for (number, (index, alternatives)) in code.blocks[*block as usize].iter().enumerate() {
                let instruction = &instructions[*index as usize];
                let is_alone = self.alone[instance as usize][*block as usize][number];
                let held = held.get(block).map(|states| &states[number]);
                let number_of_block = code.flow.number[*block as usize];
                while let Some((_, places)) = ends.next_if(|(end, _)| end.1 <= *index) {
                    at = self.leave(&mut drafts, at, places, number_of_block);
                }
                let loaded =
                    matches!(instruction.operation, llvm::Operation::Load { .. }).then(|| {
                        definitions
                            .subscripts(self.pointers.linked.module(item.module), instruction)
                    });
                let (span, place) = self.standing(item.module, instruction.location, loaded);
                let standing = (span, place.filter(|place| !unseen.places.contains(place)));
                let is_locking = alternatives
                    .iter()
                    .flatten()
                    .any(|one| matches!(one, Happening::Locks(_) | Happening::Unlocks(_)));
                let context = Context {
                    place: (*block, *index),
                    number: number_of_block,
                    is_alone,
                    held: if is_locking { Vec::new() } else { self.held(held) },
                    standing,
                };
                let mut ends = Vec::new();
                for sequence in alternatives {
                    let mut end = Some(at);
                    for happening in sequence {
                        let Some(from) = end else { break };
                        end = self.happen(&mut drafts, from, happening, &context);
                    }
                    ends.extend(end);
                }
                ends.sort_unstable();
                ends.dedup();
                match ends[..] {
                    [] => {
                        goes_on = false;
                        break;
                    }
                    [end] => at = end,
                    _ => {
                        drafts.push(draft(Action::Skip, context.number));
                        let join = drafts.len() - 1;
                        for end in ends {
                            connect(&mut drafts, end, join);
                        }
                        at = join;
                    }
                }
            }
            if !goes_on {
                continue;
            }
            for (_, places) in ends {
                at = self.leave(&mut drafts, at, places, code.flow.number[*block as usize]);
            }
            for target in &code.flow.successors[*block as usize] {
                if let Some(target) = starts[*target as usize] {
                    connect(&mut drafts, at, target);
                }
            }
            let last = instructions.last().map(|one| &one.operation);
            if matches!(last, Some(llvm::Operation::Return(_) | llvm::Operation::Resume(_))) {
                connect(&mut drafts, at, 1);
            }
        }
        self.add_dependencies(item, code, &mut drafts);
        only_where_statements_are_left(&mut drafts, &self.graph.places);
        let nodes = without_idle_nodes(&drafts);
        let name = linkage::names::shown(self.pointers.linked.name(item));
        events::Function { name, entry: NodeId::new(0), exit: NodeId::new(1), nodes }
    }

    fn held(&self, held: Option<&Bits>) -> Vec<MemoryId> {
        let all = held.into_iter().flat_map(Bits::iter);
        let mut found: Vec<MemoryId> =
            all.filter_map(|lock| self.lock_locations[lock as usize]).collect();
        found.sort_unstable();
        found
    }

    /// Adds what happens after a node; nothing if nothing follows.
    fn happen(
        &mut self,
        drafts: &mut Vec<Draft>,
        from: usize,
        happening: &Happening,
        context: &Context,
    ) -> Option<usize> {
        let action = match happening {
            Happening::Access(access) => {
                let (locations, must) = match self.locations.of(self.pointers, access) {
                    Some(touched) => touched,
                    None if drains_on_x86(access) => (LocationSet::Some(Vec::new()), false),
                    None => return Some(from),
                };
                let RawAccess { kind, order, aligned, .. } = *access;
                Action::Access(Access { kind, order, locations, must, aligned })
            }
            Happening::Fence(order) => Action::Fence(*order),
            Happening::Calls(_) | Happening::CallsOutside => {
                let callees = called(self.pointers, happening);
                let mut all: Vec<FunctionId> =
                    callees.iter().filter_map(|one| self.functions[*one as usize]).collect();
                all.sort_unstable();
                all.dedup();
                if all.is_empty() {
                    return Some(from);
                }
                // Some of those that may be called do nothing, and external code need not call anything.
                let is_optional = callees.iter().any(|one| self.functions[*one as usize].is_none())
                    || matches!(happening, Happening::CallsOutside);
                if is_optional {
                    let call = push(drafts, from, Action::Call(all), context);
                    let join = push(drafts, call, Action::Skip, context);
                    connect(drafts, from, join);
                    return Some(join);
                }
                Action::Call(all)
            }
            Happening::Stops => return None,
            Happening::Creates(_)
            | Happening::Joins(_)
            | Happening::Locks(_)
            | Happening::Unlocks(_) => return Some(from),
        };
        Some(push(drafts, from, action, context))
    }

    fn standing(
        &mut self,
        module: u32,
        location: Option<MetadataId>,
        loaded: Option<Loaded>,
    ) -> Standing {
        let Some(location) = location else { return (Span::NONE, None) };
        let (position, place) = self.position(module, location, loaded);
        (position.span, place)
    }

    fn position(&mut self, module: u32, location: MetadataId, loaded: Option<Loaded>) -> Placed {
        if let Some(known) = self.standings.get(&(module, location, loaded)) {
            return *known;
        }
        let whole = self.pointers.linked.module(module);
        let position = match loaded {
            Some(subscripts) => self.positions.of_load(whole, Some(location), subscripts),
            None => self.positions.of(whole, Some(location)),
        };
        let position = position.unwrap_or(Position::NOWHERE);
        let standing = (position, position.place.map(|place| self.place(&place)));
        self.standings.insert((module, location, loaded), standing);
        standing
    }

    /// The statements of a function with ways out that the text does not show.
    fn unseen(&mut self, item: Item, code: &Code) -> Rc<Unseen> {
        if let Some(known) = self.unseen.get(&item) {
            return known.clone();
        }
        let function = self.pointers.function(item);
        let found = left_unseen(function, |(block, index)| {
            let instruction = &function.blocks[block as usize].instructions[index as usize];
            Some(self.position(item.module, instruction.location?, None).0)
        });
        let mut unseen = Unseen::default();
        for (place, Leaving { normally, from, .. }) in found {
            let place = self.place(&place);
            unseen.places.insert(place);
            let before = &code.flow.predecessors[normally.0 as usize];
            // What comes from elsewhere passes no fence there.
            if normally.1 > 0 || before.iter().all(|block| from.contains(block)) {
                unseen.ends.entry(normally).or_default().push(place);
            }
        }
        let unseen = Rc::new(unseen);
        self.unseen.insert(item, unseen.clone());
        unseen
    }

    /// Adds the places of statements that are left here.
    fn leave(
        &self,
        drafts: &mut Vec<Draft>,
        mut at: usize,
        places: &[PlaceId],
        block: u32,
    ) -> usize {
        for place in places {
            let mut left = draft(Action::Skip, block);
            (left.node.place, left.node.span) = (Some(*place), self.graph.places[*place].span);
            drafts.push(left);
            let next = drafts.len() - 1;
            connect(drafts, at, next);
            at = next;
        }
        at
    }

    fn place(&mut self, place: &linkage::Place) -> PlaceId {
        let next = PlaceId::new(self.graph.places.len());
        let id = *self.places.entry((place.point.source, place.point.offset)).or_insert(next);
        if id == next {
            let (point, span) = (Some(place.point), place.span);
            self.graph.places.push(Place { point, side: Side::After, span });
        }
        id
    }

    fn add_dependencies(&mut self, item: Item, code: &Code, drafts: &mut [Draft]) {
        let mut nodes: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
        for (at, draft) in drafts.iter().enumerate() {
            if let Some(source) = draft.source {
                nodes.entry(source).or_default().push(at);
            }
        }
        if nodes.len() < 2 {
            return;
        }
        let dependencies = self.dependencies_of(item, code);
        for (place, all) in &dependencies.of {
            // An instruction that is several accesses has no one of which this is sure.
            let Some([target]) = nodes.get(place).map(|all| &all[..]) else { continue };
            let mut found = Vec::new();
            for (source, kind) in all {
                let Some([from]) = nodes.get(source).map(|all| &all[..]) else { continue };
                let reads = kind_of(&drafts[*from]).is_some_and(|kind| kind != AccessKind::Write);
                let is_fit = match (kind, kind_of(&drafts[*target])) {
                    (DependencyKind::Address | DependencyKind::ControlFence, Some(_)) => true,
                    (DependencyKind::Data | DependencyKind::Control, Some(kind)) => {
                        kind != AccessKind::Read
                    }
                    (_, None) => false,
                };
                if reads && is_fit {
                    found.push(Dependency { on: NodeId::new(*from), kind: *kind });
                }
            }
            found.sort_unstable();
            drafts[*target].node.depends_on = found;
        }
    }

    fn dependencies_of(&mut self, item: Item, code: &Code) -> Rc<Dependencies> {
        if let Some(known) = self.dependencies.get(&item) {
            return known.clone();
        }
        let pointers = self.pointers;
        let function = pointers.function(item);
        let atomic = |call: &llvm::Call| {
            let symbol = linkage::symbol_of(&call.callee)?;
            let callee = pointers.linked.resolve(item.module, symbol);
            let name = pointers.linked.name(callee);
            let clauses = pointers.library.clauses(name, pointers.linked.has_body(callee))?;
            let atomic = |clause: &Clause| {
                if let Clause::Loads { address, .. } = clause {
                    Some(AtomicCall { address: *address, value: None, reads: true })
                } else if let Clause::Stores { value, address, .. } = clause {
                    Some(AtomicCall { address: *address, value: Some(*value), reads: false })
                } else if let Clause::Exchanges { value, address, .. } = clause {
                    Some(AtomicCall { address: *address, value: Some(*value), reads: true })
                } else {
                    None
                }
            };
            clauses.iter().find_map(atomic)
        };
        let shape = pointers.instances.iter().find(|one| one.item == item).map(|one| &one.shape);
        let is_value = |local| shape.is_some_and(|shape| shape.values.contains_key(&local));
        let found = Rc::new(Dependencies::new(function, &code.flow, &is_value, &atomic));
        self.dependencies.insert(item, found.clone());
        found
    }
}

/// What is the same for all that happens at an instruction.
struct Context {
    place: (u32, u32),
    number: u32,
    is_alone: bool,
    held: Vec<MemoryId>,
    standing: Standing,
}

/// Whether x86 empties the store buffer for an access, whatever it hits: a locked instruction. What a port has to keep
/// depends on it, also where no other thread touches the memory.
const fn drains_on_x86(access: &RawAccess) -> bool {
    match access.kind {
        AccessKind::Update { .. } => true,
        AccessKind::Write => matches!(access.order, Order::SeqCst),
        AccessKind::Read | AccessKind::ReadExclusive | AccessKind::WriteExclusive => false,
    }
}

fn draft(action: Action, block: u32) -> Draft {
    let node = Node {
        action,
        successors: Vec::new(),
        span: Span::NONE,
        place: None,
        depends_on: Vec::new(),
        alone: false,
        held: Vec::new(),
    };
    Draft { node, source: None, block }
}

fn push(drafts: &mut Vec<Draft>, from: usize, action: Action, context: &Context) -> usize {
    let source = matches!(action, Action::Access(_)).then_some(context.place);
    let mut new = draft(action, context.number);
    new.source = source;
    new.node.alone = context.is_alone;
    new.node.held.clone_from(&context.held);
    (new.node.span, new.node.place) = context.standing;
    drafts.push(new);
    let at = drafts.len() - 1;
    connect(drafts, from, at);
    at
}

fn connect(drafts: &mut [Draft], from: usize, to: usize) {
    let to = NodeId::new(to);
    if !drafts[from].node.successors.contains(&to) {
        drafts[from].node.successors.push(to);
    }
}

fn kind_of(draft: &Draft) -> Option<AccessKind> {
    match &draft.node.action {
        Action::Access(access) => Some(access.kind),
        Action::Skip | Action::Fence(_) | Action::Call(_) => None,
    }
}

/// Keeps places only where statements are left. From an event that is not the last of its statement on every way, as
/// the first condition of `a && b`, ways that leave the statement get a node of their own with the place. Statements in
/// it, as in `a && { b; true }`, are part of it: it is left behind them.
fn only_where_statements_are_left(
    drafts: &mut Vec<Draft>,
    places: &IndexVec<PlaceId, events::Place>,
) {
    for at in 0..drafts.len() {
        let Some(place) = drafts[at].node.place else { continue };
        let within = within_statement(drafts, at, (place, places[place].span));
        if within.is_empty() {
            continue;
        }
        drafts[at].node.place = None;
        let is_within = |node: usize| within.contains(&node);
        for from in within.iter().copied().chain([at]) {
            // What follows has the place itself.
            if from != at && drafts[from].node.place == Some(place) {
                continue;
            }
            for number in 0..drafts[from].node.successors.len() {
                let to = drafts[from].node.successors[number];
                if is_within(to.index()) {
                    continue;
                }
                let mut left = draft(Action::Skip, drafts[from].block);
                (left.node.place, left.node.span) = (Some(place), drafts[at].node.span);
                left.node.successors.push(to);
                drafts.push(left);
                drafts[from].node.successors[number] = NodeId::new(drafts.len() - 1);
            }
        }
    }
}

/// The nodes after an event from which its statement goes on: idle ones, and the next events of the statement.
fn within_statement(
    drafts: &[Draft],
    at: usize,
    (place, statement): (PlaceId, Span),
) -> Vec<usize> {
    let is_inside = |span: Span| {
        let is_text = span.source.is_some() && span.source == statement.source;
        is_text && span.start >= statement.start && span.end <= statement.end
    };
    let mut seen = vec![at];
    let mut queue = vec![at];
    // For each node that was met, what comes before it.
    let mut before: Vec<(usize, usize)> = Vec::new();
    let mut open = Vec::new();
    while let Some(one) = queue.pop() {
        for next in &drafts[one].node.successors {
            let next = next.index();
            // Back to where control has been, the statement begins again.
            if drafts[next].block < drafts[one].block
                || (drafts[next].block == drafts[one].block && next <= at && next != 1)
            {
                continue;
            }
            let is_idle = matches!(drafts[next].node.action, Action::Skip);
            let is_inner = is_inside(drafts[next].node.span);
            let is_its_own = drafts[next].node.place == Some(place);
            if !(is_its_own || is_inner || (drafts[next].node.place.is_none() && is_idle)) {
                continue;
            }
            before.push((next, one));
            if is_its_own || is_inner {
                open.push(next);
            }
            // What follows an event with the same place is asked of that.
            if !is_its_own && !seen.contains(&next) {
                seen.push(next);
                queue.push(next);
            }
        }
    }
    let mut within: Vec<usize> = Vec::new();
    while let Some(one) = open.pop() {
        if one != at && !within.contains(&one) {
            within.push(one);
            open.extend(before.iter().filter(|(node, _)| *node == one).map(|(_, from)| *from));
        }
    }
    within
}

/// Leaves out nodes at which nothing happens, without a place, that lead to one other, and those that nothing leads to.
fn without_idle_nodes(drafts: &[Draft]) -> IndexVec<NodeId, Node> {
    let count = drafts.len();
    let resolve = |start: usize| {
        let mut at = start;
        for _ in 0..count {
            let node = &drafts[at].node;
            let is_idle = at > 1 && matches!(node.action, Action::Skip) && node.place.is_none();
            match node.successors[..] {
                [next] if is_idle && next.index() != at => at = next.index(),
                _ => break,
            }
        }
        at
    };
    let mut is_needed = vec![false; count];
    let mut queue = vec![0, 1];
    while let Some(at) = queue.pop() {
        if std::mem::replace(&mut is_needed[at], true) {
            continue;
        }
        queue.extend(drafts[at].node.successors.iter().map(|next| resolve(next.index())));
    }
    let mut numbers = vec![None; count];
    let mut next = 0;
    for at in 0..count {
        if is_needed[at] {
            numbers[at] = Some(NodeId::new(next));
            next += 1;
        }
    }
    let mut nodes = IndexVec::new();
    for at in 0..count {
        if !is_needed[at] {
            continue;
        }
        let mut node = drafts[at].node.clone();
        let mut successors: Vec<NodeId> =
            node.successors.iter().filter_map(|next| numbers[resolve(next.index())]).collect();
        let mut seen = Vec::new();
        successors.retain(|one| {
            let is_new = !seen.contains(one);
            seen.push(*one);
            is_new
        });
        node.successors = successors;
        node.depends_on = node
            .depends_on
            .iter()
            .filter_map(|one| numbers[one.on.index()].map(|on| Dependency { on, kind: one.kind }))
            .collect();
        nodes.push(node);
    }
    nodes
}
