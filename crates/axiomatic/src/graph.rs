//! An execution that grows: events are added at the ends of threads, and decisions about who reads from whom.
//!
//! Events are numbered as they come; an address gets its initial write when it is accessed for the first
//! time. The events of a thread keep their order among each other, so that for them greater numbers come
//! later. An execution that is complete is numbered anew, initial writes first, then thread by thread.

use std::collections::BTreeMap;

use program::index::Idx;
use program::{Program, ThreadId, Value};

use crate::coherence::{Communication, Contradiction};
use crate::event::Event;
use crate::execution::{Dependencies, Execution};
use crate::flow::Flow;
use crate::relation::{EventSet, Relation};
use crate::run::{LocalEvent, Partial};

/// Why events cannot be added.
pub(crate) enum NoRoom {
    /// They contradict coherence or atomicity.
    Contradiction,
    /// There are more than a set can hold.
    TooMany,
}

impl From<Contradiction> for NoRoom {
    fn from(_: Contradiction) -> Self {
        Self::Contradiction
    }
}

/// One kind of dependencies.
type Kind = fn(&mut Dependencies) -> &mut Relation;

/// An execution that grows.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) execution: Execution,
    pub(crate) decided: Communication,
    /// The events whose value is known.
    pub(crate) known: EventSet,
    /// The events of each thread, in its order.
    pub(crate) threads: Vec<Vec<usize>>,
    /// The initial write to each address.
    initial: BTreeMap<Value, usize>,
    /// The accesses to each address.
    accesses: BTreeMap<Value, EventSet>,
}

impl Graph {
    /// Without events. Perhaps reads of one address see its writes in their order.
    pub(crate) fn new(threads: usize, keeps_reads: bool) -> Self {
        let empty = || Relation::empty(0);
        let none = || Dependencies::none(0);
        Self {
            execution: Execution {
                events: Vec::new(),
                po: empty(),
                computed: none(),
                syntactic: none(),
                success: none(),
                rmw: empty(),
                fetch: empty(),
                rf: empty(),
                co: empty(),
                fr: empty(),
                open: EventSet::EMPTY,
                reads: EventSet::EMPTY,
                writes: EventSet::EMPTY,
                same_thread: empty(),
                same_address: empty(),
                same_access: empty(),
            },
            decided: Communication::nothing(keeps_reads),
            known: EventSet::EMPTY,
            threads: vec![Vec::new(); threads],
            initial: BTreeMap::new(),
            accesses: BTreeMap::new(),
        }
    }

    /// Brings what a thread has done up to date.
    pub(crate) fn update(
        &mut self,
        program: &Program,
        thread: ThreadId,
        done: &Partial,
    ) -> Result<(), NoRoom> {
        let of_thread = thread.index();
        let before = self.threads[of_thread].len();
        for (place, local) in done.events.iter().enumerate() {
            let event = match self.threads[of_thread].get(place) {
                Some(event) => *event,
                None => self.add_of(program, of_thread, local)?,
            };
            if place >= before {
                for other in local.access..place {
                    let other = self.threads[of_thread][other];
                    self.execution.same_access.insert(event, other);
                    self.execution.same_access.insert(other, event);
                    self.execution.po.remove(other, event);
                }
            }
            self.execution.events[event] = local.event;
            if local.known {
                self.known.insert(event);
            }
            self.depend(event, of_thread, local);
        }
        let numbers = &self.threads[of_thread];
        for (read, write) in &done.pairs {
            self.execution.rmw.insert(numbers[*read], numbers[*write]);
        }
        for (read, write) in &done.computed {
            self.execution.fetch.insert(numbers[*read], numbers[*write]);
        }
        self.decided.conclude(&self.execution)?;
        Ok(())
    }

    /// The threads with a read whose value is there to be known, and is not yet.
    pub(crate) fn learners(&self) -> Vec<usize> {
        let is_learner = |events: &Vec<usize>| {
            let mut unknown = events.iter().filter(|event| !self.known.contains(**event));
            unknown.any(|event| {
                let source =
                    self.execution.reads.contains(*event).then(|| self.decided.source(*event));
                source.flatten().is_some_and(|source| self.known.contains(source))
            })
        };
        (0..self.threads.len()).filter(|thread| is_learner(&self.threads[*thread])).collect()
    }

    /// Whether an event is a read without a source.
    pub(crate) fn is_open(&self, event: usize) -> bool {
        self.execution.reads.contains(event) && self.decided.source(event).is_none()
    }

    /// The writes to an address.
    pub(crate) fn written_at(&self, address: Value) -> EventSet {
        self.accesses.get(&address).copied().unwrap_or_default() & self.execution.writes
    }

    /// Whether all values are known.
    pub(crate) fn is_known(&self) -> bool {
        self.execution.events.len() == self.known.iter().count()
    }

    /// Those of some writes that a read can read from, as far as coherence says at once; and, if the cells of
    /// an access are accessed at once, as far as that does.
    ///
    /// Of the sources that the cells of one access can have together, those are left out that mix two writes
    /// which both cover two of the cells: whoever reads one of two such writes in a cell reads the same one,
    /// or a third, in the other. In the terms of the models: if the reader sees the newer of the two in one
    /// cell (`rfe`) and what it overwrites in the other (`fre`), it is both after and before it; and what its
    /// own thread wrote last to both cells it sees in both, unless it is overwritten in one, and then in both.
    /// Initial values are one write that covers everything.
    pub(crate) fn readable(&self, read: usize, sources: EventSet, at_once: bool) -> EventSet {
        let can = |source: &usize| {
            self.decided.can_read(&self.execution, read, *source)
                && (!at_once || self.agrees(read, *source))
        };
        sources.iter().filter(can).collect()
    }

    /// Whether a cell of an access can be read from a write, as the others are read.
    fn agrees(&self, read: usize, source: usize) -> bool {
        let Execution { events, same_access, .. } = &self.execution;
        let is_initial = |write: usize| events[write].thread.is_none();
        let covers = |write: usize, cell: usize| {
            let parts = same_access.successors(write) | EventSet::only(write);
            is_initial(write)
                || parts.iter().any(|part| events[part].address() == events[cell].address())
        };
        same_access.successors(read).iter().all(|other| {
            let Some(its) = self.decided.source(other) else { return true };
            let is_one =
                (is_initial(source) && is_initial(its)) || same_access.contains(source, its);
            is_one || !(covers(source, other) && covers(its, read))
        })
    }

    fn add_of(
        &mut self,
        program: &Program,
        thread: usize,
        local: &LocalEvent,
    ) -> Result<usize, NoRoom> {
        if let Some(address) = local.event.address() {
            self.know(program, address)?;
        }
        self.add(local.event, Some(thread))
    }

    /// Adds the initial write to an address, unless it is there.
    pub(crate) fn know(&mut self, program: &Program, address: Value) -> Result<(), NoRoom> {
        if !self.initial.contains_key(&address) {
            let cell = program.memory().cell(address).ok();
            let initial = Event::initial(address, cell.map_or(0, |cell| cell.initial));
            let number = self.add(initial, None)?;
            self.known.insert(number);
            self.initial.insert(address, number);
        }
        Ok(())
    }

    /// Adds an event at the end of a thread, or an initial write.
    fn add(&mut self, event: Event, thread: Option<usize>) -> Result<usize, NoRoom> {
        let number = self.execution.events.len();
        if number >= EventSet::MAX_EVENTS {
            return Err(NoRoom::TooMany);
        }
        let Execution {
            events,
            po,
            computed,
            syntactic,
            success,
            rmw,
            fetch,
            rf,
            co,
            fr,
            open: _,
            reads,
            writes,
            same_thread,
            same_address,
            same_access,
        } = &mut self.execution;
        events.push(event);
        for relation in [po, rmw, fetch, rf, co, fr, same_thread, same_address, same_access] {
            relation.grow();
        }
        for Dependencies { addr, data, ctrl } in [computed, syntactic, success] {
            for relation in [addr, data, ctrl] {
                relation.grow();
            }
        }
        if event.read().is_some() {
            reads.insert(number);
        }
        if event.written().is_some() {
            writes.insert(number);
        }
        if let Some(thread) = thread {
            let own: EventSet = self.threads[thread].iter().copied().collect();
            self.execution.po.insert_all(own, number);
            self.execution.same_thread.insert_all(own, number);
            self.execution.same_thread.insert_successors(number, own | EventSet::only(number));
            self.threads[thread].push(number);
        }
        if let Some(address) = event.address() {
            let there = self.accesses.entry(address).or_default();
            there.insert(number);
            let there = *there;
            self.execution.same_address.insert_all(there, number);
            self.execution.same_address.insert_successors(number, there);
        }
        self.decided.add(&self.execution)?;
        Ok(number)
    }

    fn depend(&mut self, event: usize, thread: usize, local: &LocalEvent) {
        let numbers = &self.threads[thread];
        let Execution { computed, syntactic, success, .. } = &mut self.execution;
        let flows: [(Flow, Kind); 3] = [
            (local.address, |all| &mut all.addr),
            (local.data, |all| &mut all.data),
            (local.control, |all| &mut all.ctrl),
        ];
        for (flow, kind) in flows {
            let here = |set: EventSet| set.iter().map(|place| numbers[place]).collect();
            kind(computed).insert_all(here(flow.plain), event);
            kind(syntactic).insert_all(here(flow.picked), event);
            kind(success).insert_all(here(flow.success), event);
        }
    }

    /// Lets a read read from a write.
    pub(crate) fn read_from(&mut self, read: usize, source: usize) -> Result<(), Contradiction> {
        self.decided.read_from(&self.execution, read, source)?;
        self.decided.conclude(&self.execution)
    }

    /// Lets all reads of a thread from a place on read the last write to their address, as far as they have a source.
    pub(crate) fn read_newest(&mut self, thread: usize, first: usize) -> Result<(), Contradiction> {
        let Self { execution, decided, threads, .. } = self;
        for read in &threads[thread][first..] {
            if !execution.reads.contains(*read) {
                continue;
            }
            let Some(source) = decided.source(*read) else { continue };
            for write in execution.writes_to(*read).iter().filter(|write| *write != source) {
                decided.order(execution, write, source)?;
            }
        }
        decided.conclude(execution)
    }

    /// What the reads of a thread return, by their places in it, where that is known.
    pub(crate) fn given(&self, thread: ThreadId) -> Vec<Option<Value>> {
        let of_event = |event: &usize| {
            let source = self.decided.source(*event)?;
            let (_, value) = self.execution.events[source].written()?;
            self.known.contains(source).then_some(value)
        };
        self.threads[thread.index()].iter().map(of_event).collect()
    }

    /// The writes that a read can read from: of other threads, and of its own the last before it.
    pub(crate) fn possible_sources(&self, read: usize) -> EventSet {
        let all = self.execution.writes_to(read);
        let own = all & self.execution.same_thread.successors(read);
        let last_own = own.last_before(read).map_or(EventSet::EMPTY, EventSet::only);
        (all - own) | last_own
    }

    /// The execution so far with what is decided, initial writes first, then thread by thread, and the
    /// decisions in these numbers.
    pub(crate) fn in_order(&self) -> (Execution, Communication) {
        let order: Vec<usize> =
            self.initial.values().chain(self.threads.iter().flatten()).copied().collect();
        let mut numbers = vec![0; order.len()];
        for (number, event) in order.iter().enumerate() {
            numbers[*event] = number;
        }
        let execution = self.execution.renumbered(&order, &numbers);
        (execution, self.decided.renumbered(&numbers))
    }
}
