//! The threads of a program as finite automata over what they do to memory and to their load buffers.
//!
//! A node is a local state of a thread together with its newest own messages that still stand in its load
//! buffer, oldest first, and with its stranded stores, if it has any ([`super`] says what they are). Values that a load may find are all that somebody
//! writes to the cell, or that it holds in the beginning; they are found by going round until there are no new
//! ones. That is an upper bound: nodes and edges that no run of the program has do no harm, and runs that the
//! program has are all there.
//!
//! An own message matters only to a thread that loads the cell, so others are not kept. The same is true of a
//! stranded store; but that there is one is remembered, since the thread's buffer is never empty again.
//!
//! Steps that touch neither memory nor the buffer are taken at once, as the reduction of `automata` does that
//! has this name.

use automata::{Effect, Mark, Mode, Step, Threads};
use explore::{Limit, Lookout};
use indexmap::IndexMap;
use program::index::Idx;
use program::{Fault, Instruction, ThreadId, Value};
use rustc_hash::{FxBuildHasher, FxHashSet};
use semantics::{Choice, Control, Model};

use crate::buffers::is_buffered;
use crate::sc::{Cell, Content, Local, Name, Sc};

type Numbered<Key, Held> = IndexMap<Key, Held, FxBuildHasher>;

/// More cells than this are not followed,
const MOST_CELLS: u16 = 1 << 12;
/// nor more values of one cell,
const MOST_VALUES: usize = 1 << 7;
/// nor more nodes of one thread,
const MOST_NODES: usize = 1 << 15;
/// nor more edges of one thread.
const MOST_EDGES: usize = 1 << 19;
/// More steps on all edges together are not kept.
const MOST_STEPS: usize = 1 << 23;

/// Who has reserved every cell in addition: a write of the cell ends the reservation, and is seen by that.
const NOBODY: usize = usize::MAX;

/// Why there are no automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// A limit was reached.
    Limit(Limit),
    /// Data has no end, as far as is seen.
    Data,
}

impl From<Limit> for TooMuch {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// A cell and one of its values, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Held {
    pub(super) cell: u16,
    pub(super) value: u16,
}

/// What an edge does to memory and to the load buffer of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Nothing; or it loads what an own message or a stranded store says; or it strands a store.
    Alone,
    /// It writes memory, and appends an own message if the thread ever loads the cell; the older one of the
    /// cell, which was this one, counts no more.
    Store {
        /// What is written.
        held: Held,
        /// Whether there is a message.
        kept: bool,
        /// Which own message it replaces.
        replaced: Option<usize>,
    },
    /// It deletes so many own messages, and loads the message that is then the oldest.
    Load {
        /// What is loaded.
        held: Held,
        /// How many own messages are deleted before.
        deleted: usize,
    },
    /// It deletes so many own messages, and then a claim to a cell, which it holds from then on.
    Claim {
        /// What is claimed.
        cell: u16,
        /// How many own messages are deleted before.
        deleted: usize,
    },
    /// It is done with an empty buffer, on memory itself.
    Drained {
        /// What memory must hold.
        read: Option<Held>,
        /// What it holds afterwards, if that is something else. (Where threads reserve cells also if it is not.)
        written: Option<Held>,
    },
}

impl Kind {
    /// What memory holds afterwards that it may not have held before.
    pub(super) const fn written(self) -> Option<Held> {
        match self {
            Self::Store { held, .. } => Some(held),
            Self::Drained { written, .. } => written,
            Self::Alone | Self::Load { .. } | Self::Claim { .. } => None,
        }
    }
}

/// An edge.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) kind: Kind,
    /// Whether it is possible only if no other thread holds the memory lock.
    pub(super) needs_memory: bool,
    /// The step, and the local ones that follow at once.
    pub(super) names: Vec<Name>,
}

/// A local state, own messages and stranded stores.
pub(crate) struct Node {
    pub(super) mark: Mark,
    /// The edges that lead here.
    pub(super) into: Vec<u32>,
    steps: Vec<Known>,
}

/// A step, and for how many values of its cell it was asked.
struct Known {
    step: Step<Cell, Name>,
    way: Way,
    cell: Option<u16>,
    asked: usize,
}

/// How a step has to do with the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Alone,
    Stores,
    Loads,
    Drains,
}

/// What a thread has stored that it may still find in its buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stored {
    /// Its own messages, oldest first.
    own: Vec<Held>,
    /// The newest stranded store to each cell that it loads, by cells; nothing before the first store is stranded.
    pub(super) stranded: Option<Vec<Held>>,
    /// The cell that it claims.
    pub(super) claim: Option<u16>,
}

impl Stored {
    /// With one more stranded store, which is kept if the thread loads the cell.
    fn strand(&self, held: Held, kept: bool) -> Self {
        let mut stranded = self.stranded.clone().unwrap_or_default();
        stranded.retain(|older| older.cell != held.cell);
        stranded.extend(kept.then_some(held));
        stranded.sort_unstable();
        Self { own: self.own.clone(), stranded: Some(stranded), claim: None }
    }

    /// What the newest stranded store to a cell has written.
    fn stranded_at(&self, cell: u16) -> Option<Held> {
        self.stranded.iter().flatten().find(|held| held.cell == cell).copied()
    }
}

type Key = (Local, Stored);

/// One thread.
pub(crate) struct Automaton {
    class: usize,
    pub(super) nodes: Numbered<Key, Node>,
    pub(super) edges: Vec<Edge>,
    known: FxHashSet<(u32, u32, Kind)>,
    /// Where it begins, and the local steps to there.
    pub(super) initial: Vec<(u32, Vec<Name>)>,
    /// Whether it ever holds the memory lock.
    pub(super) can_hold_lock: bool,
    /// The cells that it loads without draining its buffer.
    loads: FxHashSet<u16>,
}

impl Automaton {
    pub(super) fn local(&self, node: u32) -> &Local {
        &self.nodes.get_index(node as usize).expect("a node").0.0
    }

    pub(super) fn own(&self, node: u32) -> &[Held] {
        &self.stored(node).own
    }

    fn stored(&self, node: u32) -> &Stored {
        &self.nodes.get_index(node as usize).expect("a node").0.1
    }

    pub(super) fn holds_lock(&self, node: u32) -> bool {
        self.local(node).holds_lock
    }

    /// The nodes at which nothing is claimed.
    pub(super) fn unclaiming(&self) -> impl Iterator<Item = (u32, &Key, &Node)> {
        let nodes = (0u32..).zip(&self.nodes).map(|(at, (key, node))| (at, key, node));
        nodes.filter(|(_, (_, stored), _)| stored.claim.is_none())
    }

    pub(super) fn claim(&self, node: u32) -> Option<u16> {
        self.stored(node).claim
    }
}

/// All threads, and what the cells may hold: first what they hold in the beginning.
pub(crate) struct Automata<'s, 'p> {
    sc: &'s Sc<'p>,
    pub(super) threads: Vec<Automaton>,
    pub(super) cells: Numbered<Value, Numbered<Value, ()>>,
    /// The most values of a cell; a write of another one is a limit.
    confined: Option<usize>,
    /// Whether stores may be stranded.
    strands: bool,
    /// Whether threads claim cells.
    pub(super) has_claims: bool,
    /// How many steps all edges have.
    steps: usize,
}

impl<'s, 'p> Automata<'s, 'p> {
    /// The automata of a program that has no accesses across cells.
    pub(super) fn of(
        sc: &'s Sc<'p>,
        confined: Option<usize>,
        strands: bool,
        lookout: &mut Lookout,
    ) -> Result<Self, TooMuch> {
        let mut loads = vec![FxHashSet::default(); sc.threads().len()];
        let mut cells = IndexMap::default();
        loop {
            let has_claims = sc.has_exclusives();
            let mut all =
                Self { sc, threads: Vec::new(), cells, confined, strands, has_claims, steps: 0 };
            for (thread, loads) in loads.into_iter().enumerate() {
                all.begin(thread, loads)?;
            }
            let mut is_more = true;
            let mut loads_more = false;
            while is_more && !loads_more {
                is_more = false;
                for thread in 0..all.threads.len() {
                    let loaded = all.threads[thread].loads.len();
                    is_more |= all.round(thread, lookout)?;
                    loads_more |= loaded < all.threads[thread].loads.len();
                }
            }
            if !loads_more {
                return Ok(all);
            }
            // Own messages of these cells were not kept: once more from the beginning.
            loads = all.threads.into_iter().map(|one| one.loads).collect();
            cells = all.cells;
        }
    }

    fn begin(&mut self, thread: usize, loads: FxHashSet<u16>) -> Result<(), TooMuch> {
        let class = self.sc.class_of(ThreadId::new(thread));
        self.threads.push(Automaton {
            class,
            nodes: IndexMap::default(),
            edges: Vec::new(),
            known: FxHashSet::default(),
            initial: Vec::new(),
            can_hold_lock: false,
            loads,
        });
        for (local, names) in self.rests(class, self.sc.initial(thread), Vec::new())? {
            let node = self.node(thread, (local, Stored::default()))?;
            self.threads[thread].initial.push((node, names));
        }
        Ok(())
    }

    fn node(&mut self, thread: usize, key: Key) -> Result<u32, TooMuch> {
        let automaton = &mut self.threads[thread];
        if let Some(number) = automaton.nodes.get_index_of(&key) {
            return Ok(u32::try_from(number).expect("few nodes"));
        }
        if automaton.nodes.len() >= MOST_NODES {
            return Err(TooMuch::Data);
        }
        let class = automaton.class;
        let mark = self.sc.mark(class, &key.0);
        automaton.can_hold_lock |= key.0.holds_lock;
        let steps = if mark.goal { Vec::new() } else { self.sc.steps(class, &key.0) };
        let mut known = Vec::with_capacity(steps.len());
        for step in steps {
            let step = self.known(thread, step)?;
            let instruction = self.instruction(class, &step.step);
            if fits(instruction, &step, key.1.claim) {
                known.push(step);
            }
        }
        let steps = known;
        let node = Node { mark, into: Vec::new(), steps };
        let (number, _) = self.threads[thread].nodes.insert_full(key, node);
        Ok(u32::try_from(number).expect("few nodes"))
    }

    fn known(&mut self, thread: usize, step: Step<Cell, Name>) -> Result<Known, TooMuch> {
        let instruction = self.instruction(self.threads[thread].class, &step);
        let address = step.cells.iter().find_map(|(cell, _)| match cell {
            Cell::Memory(address) => Some(*address),
            Cell::Lock | Cell::Published(_) => None,
        });
        let cell = address.map(|address| self.cell(address)).transpose()?;
        let way = match instruction {
            drains if drains.drains_buffer() => Way::Drains,
            // One that fails touches nothing.
            store if is_buffered(Model::Tso, store) && cell.is_some() => Way::Stores,
            Instruction::Load { .. } if cell.is_some() => Way::Loads,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => Way::Alone,
        };
        if let (Way::Loads, Some(cell)) = (way, cell) {
            self.threads[thread].loads.insert(cell);
        }
        Ok(Known { step, way, cell, asked: 0 })
    }

    fn instruction(&self, class: usize, step: &Step<Cell, Name>) -> &'p Instruction {
        let (edge, _) = step.name;
        &self.sc.program().template(self.sc.template_of(class)).edge(edge).instruction
    }

    /// The number of a cell.
    fn cell(&mut self, address: Value) -> Result<u16, TooMuch> {
        let number = self.cells.get_index_of(&address).unwrap_or_else(|| {
            let initial = self.sc.initial_content(Cell::Memory(address)).value;
            let values = [(initial, ())].into_iter().collect();
            self.cells.insert_full(address, values).0
        });
        u16::try_from(number).ok().filter(|number| *number < MOST_CELLS).ok_or(TooMuch::Data)
    }

    /// The number of a value of a cell, unless the cell is confined to others.
    fn value(&mut self, cell: u16, value: Value) -> Result<Option<u16>, TooMuch> {
        let values = &mut self.cells[cell as usize];
        let is_full = self.confined.is_some_and(|most| values.len() >= most);
        if is_full && !values.contains_key(&value) {
            return Ok(None);
        }
        let (number, _) = values.insert_full(value, ());
        if values.len() > MOST_VALUES {
            return Err(TooMuch::Data);
        }
        Ok(Some(u16::try_from(number).expect("few values")))
    }

    /// Asks for what was not asked of a thread; whether there was anything.
    fn round(&mut self, thread: usize, lookout: &mut Lookout) -> Result<bool, TooMuch> {
        let mut is_new = false;
        let mut node = 0;
        while node < self.threads[thread].nodes.len() {
            for step in 0..self.threads[thread].nodes[node].steps.len() {
                lookout.step()?;
                is_new |= self.ask(thread, node, step)?;
            }
            node += 1;
        }
        Ok(is_new)
    }

    fn ask(&mut self, thread: usize, node: usize, step: usize) -> Result<bool, TooMuch> {
        let known = &self.threads[thread].nodes[node].steps[step];
        let reads = known
            .step
            .cells
            .iter()
            .any(|(cell, mode)| matches!(cell, Cell::Memory(_)) && *mode != Mode::Overwrite)
            && !is_exclusive_store(self.instruction(self.threads[thread].class, &known.step));
        let values = match (known.way, known.cell) {
            (Way::Loads | Way::Drains, Some(cell)) if reads => self.cells[cell as usize].len(),
            (Way::Alone | Way::Stores | Way::Loads | Way::Drains, _) => 1,
        };
        let asked = known.asked;
        if asked >= values {
            return Ok(false);
        }
        self.threads[thread].nodes[node].steps[step].asked = values;
        for number in asked..values {
            self.ask_for((thread, node, step), number, reads)?;
        }
        Ok(true)
    }

    /// What a step does if its cell holds a value.
    fn ask_for(
        &mut self,
        (thread, node, step): (usize, usize, usize),
        number: usize,
        reads: bool,
    ) -> Result<(), TooMuch> {
        let known = &self.threads[thread].nodes[node].steps[step];
        let (step, way, cell) = (known.step.clone(), known.way, known.cell);
        let stored = self.threads[thread].stored(u32::try_from(node).expect("few nodes")).clone();
        let held =
            cell.map(|cell| Held { cell, value: u16::try_from(number).expect("few values") });
        let at = (thread, node);
        let has_claims = self.has_claims;
        match (way, held) {
            (Way::Alone, _) => {
                self.follow(at, &step, None, |_, _| Some((Kind::Alone, stored.clone())))
            }
            (Way::Stores, held) => {
                let kept = held.is_some_and(|held| self.threads[thread].loads.contains(&held.cell));
                if stored.stranded.is_none() {
                    self.follow(at, &step, held, |_, after| {
                        let held = after?;
                        let mut later = stored.clone();
                        let mut own = stored.own.iter();
                        let replaced = own.position(|one| kept && one.cell == held.cell);
                        replaced.map(|at| later.own.remove(at));
                        later.own.extend(kept.then_some(held));
                        Some((Kind::Store { held, kept, replaced }, later))
                    })?;
                }
                if self.strands && stored.claim.is_none() {
                    self.follow(at, &step, held, |_, after| {
                        Some((Kind::Alone, stored.strand(after?, kept)))
                    })?;
                }
                Ok(())
            }
            (Way::Loads, Some(held)) if stored.stranded_at(held.cell).is_some() => {
                if number > 0 {
                    return Ok(());
                }
                let seen = stored.stranded_at(held.cell);
                self.follow(at, &step, seen, |_, _| Some((Kind::Alone, stored.clone())))
            }
            (Way::Loads, held) => {
                if number == 0 && stored.claim.is_none() && self.reserves(thread, &step) {
                    self.claim(at, held.map_or(0, |held| held.cell))?;
                }
                let of_cell = |one: &Held| held.is_some_and(|held| held.cell == one.cell);
                let newest = stored.own.iter().rposition(of_cell);
                if let Some(newest) = newest.filter(|_| number == 0) {
                    let seen = Some(stored.own[newest]);
                    self.follow(at, &step, seen, |_, _| Some((Kind::Alone, stored.clone())))?;
                }
                let Some(held) = held else { return Ok(()) };
                for deleted in newest.map_or(0, |at| at + 1)..=stored.own.len() {
                    self.follow(at, &step, Some(held), |_, _| {
                        let own = stored.own[deleted..].to_vec();
                        Some((Kind::Load { held, deleted }, Stored { own, ..stored.clone() }))
                    })?;
                }
                Ok(())
            }
            // Its buffer is never empty again.
            (Way::Drains, _) if stored.stranded.is_some() => Ok(()),
            (Way::Drains, held) => {
                let ends_claim =
                    is_exclusive_store(self.instruction(self.threads[thread].class, &step));
                let claim = stored.claim.filter(|_| !ends_claim);
                self.follow(at, &step, held, |before, after| {
                    let read = before.filter(|_| reads);
                    let written = after.filter(|after| has_claims || Some(*after) != read);
                    Some((Kind::Drained { read, written }, Stored { claim, ..Stored::default() }))
                })
            }
        }
    }

    /// Adds the edges of a step with a cell that holds this. What they do is told by whoever asks, from what
    /// the cell held and holds afterwards, if it is written.
    fn follow(
        &mut self,
        (thread, node): (usize, usize),
        step: &Step<Cell, Name>,
        held: Option<Held>,
        does: impl Fn(Option<Held>, Option<Held>) -> Option<(Kind, Stored)>,
    ) -> Result<(), TooMuch> {
        let class = self.threads[thread].class;
        let from = u32::try_from(node).expect("few nodes");
        let gives_back = *self.instruction(class, step) == Instruction::Unlock;
        let value = |held: Held| {
            let values = &self.cells[held.cell as usize];
            *values.get_index(held.value as usize).expect("a value").0
        };
        let local = self.threads[thread].local(from).clone();
        let own = self.sc.thread_of(class).zip(local.reserved);
        let contents: Vec<Content> = step
            .cells
            .iter()
            .map(|(cell, _)| match cell {
                Cell::Lock => Content::of(Value::from(gives_back)),
                Cell::Published(_) => Content::of(0),
                Cell::Memory(address) => Content::of(held.map_or(0, value))
                    .reserved(own.into_iter().chain([(NOBODY, (*address, *address))])),
            })
            .collect();
        let contents: Vec<&Content> = contents.iter().collect();
        let Effect::Done(next, after) = self.sc.effect(class, &local, step, &contents) else {
            return Ok(());
        };
        let mut written = None;
        let mut is_beyond = false;
        for ((cell, mode), content) in step.cells.iter().zip(after) {
            if let Cell::Memory(address) = cell
                && mode.writes()
                && !content.is_reserved_by(NOBODY)
            {
                let cell = self.cell(*address)?;
                let value = self.value(cell, content.value)?;
                is_beyond |= value.is_none();
                written = value.map(|value| Held { cell, value });
            }
        }
        let needs_memory = step.cells.iter().any(|(cell, _)| *cell == Cell::Lock);
        if is_beyond {
            return self.stop_beyond((thread, from), step, held, needs_memory);
        }
        let Some((kind, stored)) = does(held, written) else { return Ok(()) };
        // What is not claimed may be written by others, and then its reservation is gone.
        let reserved = next.reserved.filter(|_| stored.claim.is_some());
        let next = Local { reserved, ..next };
        for (rest, names) in self.rests(class, next, vec![step.name])? {
            let to = self.node(thread, (rest, stored.clone()))?;
            self.connect(thread, Edge { from, to, kind, needs_memory, names })?;
        }
        Ok(())
    }

    /// Adds an edge, unless it is there.
    fn connect(&mut self, thread: usize, edge: Edge) -> Result<(), TooMuch> {
        let automaton = &mut self.threads[thread];
        let Edge { from, to, kind, .. } = edge;
        if (from == to && kind == Kind::Alone) || !automaton.known.insert((from, to, kind)) {
            return Ok(());
        }
        self.steps += edge.names.len();
        if automaton.edges.len() >= MOST_EDGES || self.steps > MOST_STEPS {
            return Err(TooMuch::Data);
        }
        let number = u32::try_from(automaton.edges.len()).expect("few edges");
        automaton.nodes[to as usize].into.push(number);
        automaton.edges.push(edge);
        Ok(())
    }

    /// Whether a step is an exclusive load.
    fn reserves(&self, thread: usize, step: &Step<Cell, Name>) -> bool {
        let instruction = self.instruction(self.threads[thread].class, step);
        matches!(instruction, Instruction::Load { access, .. } if access.exclusive)
    }

    /// Adds the edges by which a thread comes to hold a claim.
    fn claim(&mut self, (thread, node): (usize, usize), cell: u16) -> Result<(), TooMuch> {
        let from = u32::try_from(node).expect("few nodes");
        let (local, stored) = self.threads[thread].nodes.get_index(node).expect("a node").0.clone();
        for deleted in 0..=stored.own.len() {
            let own = stored.own[deleted..].to_vec();
            let claims = Stored { own, claim: Some(cell), ..stored.clone() };
            let to = self.node(thread, (local.clone(), claims))?;
            let kind = Kind::Claim { cell, deleted };
            let names = Vec::new();
            self.connect(thread, Edge { from, to, kind, needs_memory: false, names })?;
        }
        Ok(())
    }

    /// Adds the edge of a step that writes a value which its cell is confined not to hold: it is possible
    /// when the step is, and the thread gets no further.
    fn stop_beyond(
        &mut self,
        (thread, from): (usize, u32),
        step: &Step<Cell, Name>,
        held: Option<Held>,
        needs_memory: bool,
    ) -> Result<(), TooMuch> {
        let drains = self.instruction(self.threads[thread].class, step).drains_buffer();
        let reads = |(cell, mode): &(Cell, Mode)| matches!(cell, Cell::Memory(_)) && mode.reads();
        let read = held.filter(|_| step.cells.iter().any(reads));
        let (kind, stored) = if drains {
            (Kind::Drained { read, written: None }, Stored::default())
        } else {
            (Kind::Alone, self.threads[thread].stored(from).clone())
        };
        let mut stopped = self.threads[thread].local(from).clone();
        let (edge, _) = step.name;
        stopped.control = Control::Stopped { edge, fault: Fault::Overflow };
        let to = self.node(thread, (stopped, stored))?;
        self.connect(thread, Edge { from, to, kind, needs_memory, names: vec![step.name] })
    }

    /// Where a thread can be when it has taken all steps that touch nothing but itself, and by which. One that
    /// goes round and round by itself rests where it began.
    fn rests(
        &self,
        class: usize,
        from: Local,
        names: Vec<Name>,
    ) -> Result<Vec<(Local, Vec<Name>)>, TooMuch> {
        // Each with the one it was met from, and by which step.
        let mut known: Numbered<Local, Option<(usize, Name)>> = IndexMap::default();
        known.insert(from.clone(), None);
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some((local, _)) = known.get_index(at) {
            let local = local.clone();
            let mark = self.sc.mark(class, &local);
            let steps = self.sc.steps(class, &local);
            let is_alone = |step: &Step<Cell, Name>| {
                step.cells.is_empty() && !self.instruction(class, step).drains_buffer()
            };
            let mut passed = false;
            if !(mark.goal || mark.noted || mark.visible) && steps.iter().all(is_alone) {
                for step in &steps {
                    if let Effect::Done(next, _) = self.sc.effect(class, &local, step, &[]) {
                        known.entry(next).or_insert(Some((at, step.name)));
                        passed = true;
                    }
                }
            }
            if !passed {
                found.push(at);
            }
            if known.len() > MOST_NODES {
                return Err(TooMuch::Data);
            }
            at += 1;
        }
        let mut rests: Vec<(Local, Vec<Name>)> = Vec::with_capacity(found.len());
        let mut steps = 0;
        for rest in found {
            let (mut way, mut at) = (Vec::new(), rest);
            while let Some((before, name)) = known[at] {
                way.push(name);
                at = before;
            }
            steps += names.len() + way.len();
            if steps > MOST_STEPS {
                return Err(TooMuch::Data);
            }
            let local = known.get_index(rest).expect("it was met").0.clone();
            let way = names.iter().copied().chain(way.into_iter().rev());
            rests.push((local, way.collect()));
        }
        if rests.is_empty() {
            rests.push((from, names));
        }
        Ok(rests)
    }
}

fn is_exclusive_store(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::StoreExclusive { .. })
}

/// Whether a step is of a run in which a claim is held only if the next exclusive store succeeds.
fn fits(instruction: &Instruction, known: &Known, claim: Option<u16>) -> bool {
    let (_, choice) = known.step.name;
    match instruction {
        Instruction::StoreExclusive { .. } if choice == Choice::Succeed => known.cell == claim,
        Instruction::StoreExclusive { .. } => claim.is_none(),
        Instruction::Load { access, .. } if access.exclusive => {
            claim.is_none() || known.cell == claim
        }
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => true,
    }
}
