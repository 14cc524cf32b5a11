//! All executions of a program, built event by event, each once.
//!
//! Threads are followed as far as they get without an answer ([`crate::run`]); their events make one graph
//! ([`crate::graph`]). Then one thing is decided, and threads are followed on: which of the writes that are
//! there a read reads from, or that it reads from none of these (it is *passed*, and waits for writes that
//! come later); or what a thread asks. A model whose axioms can only become violated by more
//! ([`Axioms::is_monotone`]) is asked after each decision about a source, and if it forbids what is there,
//! nothing more is decided. In the manner of `GenMC` and its like (Kokologiannakis, Marmanis, Gladstein,
//! Vafeiadis: "Truly stateless, optimal dynamic partial order reduction", POPL 2022; for hardware:
//! Kokologiannakis, Vafeiadis: "HMC", ASPLOS 2020), executions are built from graphs that are consistent, and
//! not from the values that reads might return. We deviate: where these revisit a read when a new
//! write comes, here the read has been left open for it.
//!
//! *No execution is found twice.* What is decided next depends on the graph alone, and of the alternatives an
//! execution belongs to exactly one: its read has one source, which is one of those that are there or none of
//! them, and its threads keep to one answer.
//!
//! *No execution is left out.* Follow an execution that the model allows: choose the source that a read has in
//! it if that is there, and pass the read otherwise; answer as it does. Every graph on the way is part of
//! the execution, with its events at the beginnings of threads, so it is coherent, and a
//! monotone model allows it. A read is passed only if another thread may still write to its address,
//! which is so. What remains is that the way does not end before the execution is complete. If it
//! ended, every thread that has not stopped would need for a branch or an address the value of a read
//! that comes, through `rf` and data, from a read that was passed, and whose source is a write that a
//! thread has not come to, since that in turn waits for such a value. In other words there would be a cycle
//! of `rf`, data dependencies, and the orders from a read to the writes after a branch or an address that
//! depend on it. All models here forbid that: machines keep these orders, RC11 forbids cycles of `po` and
//! `rf`, IMM has them in its `ppo`. (Of a model in a file it is assumed: values come from somewhere.) Only RMO
//! lets writes pass accesses before them whose addresses are not known; there an address is one of the
//! questions that values will answer ([`Axioms::waits_for_addresses`]). Such questions are asked last, so they hold up
//! nothing either.
//!
//! *Of executions that differ in which of several equal threads does what* one is enough, if whoever is told
//! about them says so ([`crate::symmetry`]).
//!
//! *Executions in which a thread does not end* are followed too, as long as they can show something: an error,
//! a bound, a flag. An error, or a bound, is met if an execution exists in which one thread runs into
//! it and the others have gone as far as they have: to their end, round in a loop that changes nothing, or
//! into something of the kind themselves. No other prefixes need to be looked at under the built-in models: a
//! thread that can take a step in an allowed execution can take it so that the longer execution is
//! allowed too (it reads what is newest, and its exclusive stores fail). Of a model in a file that is not
//! known, and a thread may be anywhere.
//!
//! So let an execution go on from where the error is met, every step reading what is newest, until each of the other threads has
//! ended, or fails, or waits, or goes round in a loop without changing anything, and take out all rounds that change nothing but
//! the last. Those that write nothing can come after everything else, and then all their reads read the last write to their
//! address. Hence, of such executions, only these are followed (`Exploration::settle`): a round that writes nothing and
//! with which a thread ends, be it that it leads back to the same state or, once a bound is known, that it is one
//! round too many, reads what is newest; and a thread does not wait for a value that is there and stays there
//! (`Exploration::is_hopeless`). Of a bound that is known nothing more is to be learnt, and what an error needs of that
//! thread are writes of it, with what comes before them, which is not in a round that writes nothing. A flag, such as
//! a race, may be about such a round itself: where there are flags, all are followed.
//!
//! *What is decided first* are the reads whose values threads need to get further: often, what other reads return does
//! not matter any more then.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use program::index::Idx;
use program::{IndexVec, LabelId, Thread, ThreadId, Value};

use crate::axioms::{AccessesAcross, Axioms, Judgement};
use crate::coherence::{Communication, Contradiction};
use crate::execution::Execution;
use crate::future::{Ahead, Future};
use crate::graph::{Graph, NoRoom};
use crate::limits::{Budget, NoAnswer};
use crate::log::{Ask, Log};
use crate::relation::EventSet;
use crate::run::{Ending, Pause, Run, Wait, Walker};
use crate::search::Progress;
use crate::symmetry::Alike;
use crate::task::Task;

/// Who is told about executions.
pub(crate) trait Leaves {
    /// Whether something can be learnt from executions in which some thread does not end, if threads
    /// have come so far, and each may still come to this.
    fn cares(&self, runs: &[Rc<Run>], ahead: &dyn Fn(usize) -> Ahead) -> bool;

    /// Whether it is known that a thread comes to a bound.
    fn knows_bound(&self) -> bool;

    /// An execution in which every thread has gone as far as it goes, and every read has a source. `co` may
    /// still be open, and the model has not been asked about all of it.
    fn leaf(
        &mut self,
        asked: Asked<'_, '_>,
        execution: Execution,
        decided: &Communication,
        runs: &[Rc<Run>],
    ) -> Progress;
}

/// The model, how often it may be asked, and how often it was.
pub(crate) struct Asked<'a, 'w> {
    pub(crate) axioms: &'a dyn Axioms,
    pub(crate) budget: &'a mut Budget<'w>,
    pub(crate) candidates: &'a mut u64,
}

impl Asked<'_, '_> {
    /// What the model says of an execution with what is decided.
    pub(crate) fn judge(
        &mut self,
        execution: &mut Execution,
        decided: &Communication,
    ) -> Result<Judgement, NoAnswer> {
        *self.candidates += 1;
        if *self.candidates > self.budget.limits.max_executions {
            return Err(NoAnswer::TooManyExecutions);
        }
        decided.fill(execution);
        self.axioms.judge(execution)
    }
}

/// A search for all executions of a program.
pub(crate) struct Exploration<'a, 'w> {
    task: &'a Task<'a>,
    axioms: &'a dyn Axioms,
    budget: &'a mut Budget<'w>,
    walkers: Vec<Walker<'a>>,
    future: Future,
    /// Whether the cells of an access are known to be accessed at once.
    at_once: bool,
    /// Which threads do the same, if one execution stands for all that differ in which of these does what.
    pub(crate) alike: Alike,
    /// How often the model was asked.
    pub(crate) candidates: u64,
    /// Whether there were executions with more events than a set can hold.
    pub(crate) too_long: bool,
    graphs: u64,
    newest: Newest,
}

/// In which rounds that write nothing, and with which a thread ends, it is taken to read what is newest.
#[derive(Clone, Copy, PartialEq)]
enum Newest {
    /// In none.
    Nowhere,
    /// In those that lead back to the same state.
    InStutters,
    /// Also in those beyond a bound, since it is known that one is met.
    InLastRounds,
}

/// What is decided so far, and what follows.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) logs: Vec<Rc<Log>>,
    pub(crate) runs: Vec<Rc<Run>>,
    pub(crate) graph: Graph,
    /// For each read that was passed, the writes that it does not read from.
    pub(crate) passed: BTreeMap<usize, EventSet>,
    /// The reads that are not passed any more.
    pub(crate) due: EventSet,
    /// For each thread that waits, the writes that do not end its waiting.
    pub(crate) ignored: Vec<EventSet>,
}

/// What is decided next.
enum Next {
    /// Which of these a read reads from; and whether it may be one that is not there yet.
    Source { read: usize, sources: EventSet, may_pass: bool },
    /// Whether a thread that waits takes one of these edges, with what is there now.
    Wake { thread: usize, places: Vec<Value> },
    /// What a thread asks.
    Answer { thread: ThreadId, ask: Ask, answers: Vec<Value> },
    /// Nothing: it is complete.
    Complete,
    /// Nothing, and it never will be.
    DeadEnd,
}

const GO_ON: Progress = Ok(ControlFlow::Continue(()));

impl<'a, 'w> Exploration<'a, 'w> {
    pub(crate) fn new(
        task: &'a Task<'a>,
        axioms: &'a dyn Axioms,
        threads: &'a IndexVec<ThreadId, Thread>,
        budget: &'a mut Budget<'w>,
    ) -> Result<Self, NoAnswer> {
        let future = Future::new(task.program, threads).map_err(NoAnswer::Parameterised)?;
        let walker = |(id, thread): (ThreadId, &'a Thread)| Walker::new(task, id, thread);
        let walkers = threads.enumerate().map(walker).collect();
        Ok(Self {
            task,
            axioms,
            budget,
            walkers,
            future,
            at_once: axioms.accesses_across() == AccessesAcross::AtOnce,
            alike: Alike::none(),
            candidates: 0,
            too_long: false,
            graphs: 0,
            newest: if task.stops_anywhere || axioms.raises_flags() {
                Newest::Nowhere
            } else {
                Newest::InStutters
            },
        })
    }

    /// Shows all executions of some threads. The others have ended before they began.
    pub(crate) fn run(&mut self, threads: &[usize], leaves: &mut dyn Leaves) -> Progress {
        let log = Rc::new(Log::default());
        let start = |(number, walker): (usize, &Walker<'_>)| {
            let run =
                if threads.contains(&number) { walker.run(&log, &[])? } else { walker.none() };
            Ok(Rc::new(run))
        };
        let runs: Vec<Rc<Run>> =
            self.walkers.iter().enumerate().map(start).collect::<Result<_, _>>()?;
        let mut state = State {
            logs: vec![log; self.walkers.len()],
            runs,
            graph: Graph::new(self.walkers.len(), self.axioms.keeps_reads_of_one_address()),
            passed: BTreeMap::new(),
            due: EventSet::EMPTY,
            ignored: vec![EventSet::EMPTY; self.walkers.len()],
        };
        if self.follow(&mut state, threads.to_vec())? {
            self.explore(&state, leaves)
        } else {
            GO_ON
        }
    }

    /// Follows these threads, and others that learn from them. Says whether that is possible.
    fn follow(&mut self, state: &mut State, mut threads: Vec<usize>) -> Result<bool, NoAnswer> {
        while let Some(thread) = threads.pop() {
            let id = ThreadId::new(thread);
            let run = self.walkers[thread].run(&state.logs[thread], &state.graph.given(id))?;
            if matches!(run.pause, Pause::Impossible) {
                return Ok(false);
            }
            let waits: &[Wait] = match &run.pause {
                Pause::WaitsFor(waits) => waits,
                Pause::Blocked(_)
                | Pause::Asks { .. }
                | Pause::Failing
                | Pause::Ended(_)
                | Pause::Impossible => &[],
            };
            let program = self.task.program;
            let updated = state.graph.update(program, id, &run.done).and_then(|()| {
                let mut cells = waits.iter().flat_map(|wait| wait.cells.addresses());
                cells.try_for_each(|address| state.graph.know(program, address))
            });
            match updated {
                Ok(()) => {}
                Err(NoRoom::Contradiction) => return Ok(false),
                Err(NoRoom::TooMany) => {
                    self.too_long = true;
                    return Ok(false);
                }
            }
            state.runs[thread] = Rc::new(run);
            for other in state.graph.learners() {
                if !threads.contains(&other) {
                    threads.push(other);
                }
            }
        }
        Ok(self.settle(state).is_ok())
    }

    /// Lets threads that go round for ever, changing nothing, read what is newest.
    fn settle(&self, state: &mut State) -> Result<(), Contradiction> {
        if self.newest == Newest::Nowhere {
            return Ok(());
        }
        for (thread, run) in state.runs.iter().enumerate() {
            let Some(first) = run.done.idle_from else { continue };
            let stays = match &run.pause {
                Pause::Ended(Ending::Waiting) => true,
                Pause::Ended(Ending::Bound(_)) => self.newest == Newest::InLastRounds,
                Pause::Ended(Ending::Terminated | Ending::Fault(_))
                | Pause::Blocked(_)
                | Pause::Asks { .. }
                | Pause::WaitsFor(_)
                | Pause::Failing
                | Pause::Impossible => false,
            };
            if stays {
                state.graph.read_newest(thread, first)?;
            }
        }
        Ok(())
    }

    fn explore(&mut self, state: &State, leaves: &mut dyn Leaves) -> Progress {
        self.budget.step()?;
        self.graphs += 1;
        if self.graphs > self.budget.limits.max_executions {
            return Err(NoAnswer::TooManyExecutions);
        }
        let live = self.live(state, None);
        let may_end = |(run, is_live): (&Rc<Run>, &bool)| match run.pause {
            Pause::Ended(Ending::Terminated) => true,
            Pause::Blocked(_) | Pause::Asks { .. } | Pause::WaitsFor(_) => *is_live,
            Pause::Ended(Ending::Waiting | Ending::Fault(_) | Ending::Bound(_))
            | Pause::Failing
            | Pause::Impossible => false,
        };
        let all_may_end = state.runs.iter().zip(&live).all(may_end);
        if self.is_hopeless(state, &live) {
            return GO_ON;
        }
        let ahead = |thread: usize| self.ahead(state, &live, thread);
        if !all_may_end && !leaves.cares(&state.runs, &ahead) {
            return GO_ON;
        }
        match self.next(state) {
            Next::DeadEnd => GO_ON,
            Next::Complete => {
                let (execution, decided) = state.graph.in_order();
                let Self { axioms, budget, candidates, .. } = self;
                let asked = Asked { axioms: *axioms, budget, candidates };
                let progress = leaves.leaf(asked, execution, &decided, &state.runs);
                if self.newest == Newest::InStutters && leaves.knows_bound() {
                    self.newest = Newest::InLastRounds;
                }
                progress
            }
            Next::Wake { thread, places } => {
                for place in places {
                    let mut next = state.clone();
                    let (step, before) =
                        (state.runs[thread].done.steps, state.graph.threads[thread].len());
                    next.logs[thread] = Rc::new(state.logs[thread].with(step, Ask::Takes, place));
                    if !self.follow(&mut next, vec![thread])? {
                        continue;
                    }
                    let reads = next.graph.execution.reads;
                    let new = next.graph.threads[thread][before..].iter();
                    let first = new.copied().find(|event| reads.contains(*event));
                    if let Some(read) = first {
                        next.passed.insert(read, state.ignored[thread]);
                        next.due.insert(read);
                    }
                    if self.explore(&next, leaves)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                let mut next = state.clone();
                next.ignored[thread] = next.ignored[thread] | state.graph.execution.writes;
                self.explore(&next, leaves)
            }
            Next::Answer { thread, ask, answers } => {
                let thread = thread.index();
                for answer in answers {
                    let mut next = state.clone();
                    let step = state.runs[thread].done.steps;
                    next.logs[thread] = Rc::new(state.logs[thread].with(step, ask, answer));
                    if self.follow(&mut next, vec![thread])?
                        && self.explore(&next, leaves)?.is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                GO_ON
            }
            Next::Source { read, sources, may_pass } => {
                let is_forced = !may_pass && sources.iter().nth(1).is_none();
                for source in self.alike.representatives(state, read, sources).iter() {
                    let mut next = state.clone();
                    if next.graph.read_from(read, source).is_err() {
                        continue;
                    }
                    next.passed.remove(&read);
                    let learners = next.graph.learners();
                    if !self.follow(&mut next, learners)?
                        || (!is_forced && !self.allows(&mut next)?)
                    {
                        continue;
                    }
                    if self.explore(&next, leaves)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                if !may_pass {
                    return GO_ON;
                }
                let mut next = state.clone();
                let passed = next.passed.entry(read).or_default();
                *passed = *passed | state.graph.possible_sources(read);
                self.explore(&next, leaves)
            }
        }
    }

    /// Whether the model may allow what is decided.
    fn allows(&mut self, state: &mut State) -> Result<bool, NoAnswer> {
        let is_provisional = |run: &Rc<Run>| run.done.provisional;
        if !self.axioms.is_monotone() || state.runs.iter().any(is_provisional) {
            return Ok(true);
        }
        let Self { axioms, budget, candidates, .. } = self;
        let mut asked = Asked { axioms: *axioms, budget, candidates };
        let Graph { execution, decided, .. } = &mut state.graph;
        Ok(asked.judge(execution, decided)?.is_allowed())
    }

    /// What is decided next: free choices, then reads, first those that are not passed, those with few sources
    /// first, then what values will answer. What is not passed brings values, by which threads get further
    /// and fewer reads are passed.
    fn next(&self, state: &State) -> Next {
        if let Some(answer) = asking(state, false) {
            return answer;
        }
        let mut best: Option<((bool, bool, usize), Next)> = None;
        let mut is_open = false;
        for (events, run) in state.graph.threads.iter().zip(&state.runs) {
            let needed = needed(state, events, run);
            let mut is_first = true;
            for read in events.iter().filter(|event| state.graph.is_open(**event)) {
                is_open = true;
                let known = state.passed.get(read).copied().unwrap_or_default();
                let sources = state.graph.possible_sources(*read) - known;
                let is_next = is_first && (needed.is_empty() || needed.contains(*read));
                if !is_next && known.is_empty() {
                    continue;
                }
                let sources = self.readable(state, *read, sources);
                let may_pass = !state.due.contains(*read) && self.may_pass(state, *read);
                if sources.is_empty() && !may_pass {
                    return Next::DeadEnd;
                }
                if sources.is_empty() && !known.is_empty() {
                    continue;
                }
                is_first = false;
                let number = (may_pass, needed.is_empty(), sources.iter().count());
                if best.as_ref().is_none_or(|(least, _)| number < *least) {
                    best = Some((number, Next::Source { read: *read, sources, may_pass }));
                }
            }
        }
        for thread in 0..state.runs.len() {
            let places = state.wakes(thread);
            let number = (true, false, places.len() + 1);
            if !places.is_empty() && best.as_ref().is_none_or(|(least, _)| number < *least) {
                best = Some((number, Next::Wake { thread, places }));
            }
        }
        if let Some(((may_pass, ..), next)) = best {
            // Each cell of an access could be passed by itself, for an update whose comparison is still open:
            // that is asked first.
            let compares = |asked: &Next| matches!(asked, Next::Answer { ask: Ask::Compares, .. });
            let first = asking(state, true).filter(compares);
            return first.filter(|_| may_pass && is_across(state, &next)).unwrap_or(next);
        }
        if let Some(answer) = asking(state, true) {
            return answer;
        }
        let has_ended = |run: &Rc<Run>| matches!(run.pause, Pause::Ended(_) | Pause::WaitsFor(_));
        let is_complete = !is_open && state.graph.is_known() && state.runs.iter().all(has_ended);
        if is_complete { Next::Complete } else { Next::DeadEnd }
    }

    /// Whether a write may still come that a read could read from, if it were to read from none of those that
    /// are there.
    fn may_pass(&self, state: &State, read: usize) -> bool {
        let event = &state.graph.execution.events[read];
        let (Some(address), Some(of)) = (event.address(), event.thread) else { return false };
        let live = self.live(state, Some(read));
        if state.graph.execution.rmw.successors(read).is_empty() {
            return self.may_be_written(state, &live, of.index(), address);
        }
        // What an update reads comes before what it writes. Whoever writes a value that it waited for got that from a
        // write before it, and the first one of those from a write that is no such exchange: one that is there.
        let events = &state.graph.execution.events;
        let own = state.graph.execution.same_thread.successors(read);
        let later: EventSet = own.iter().filter(|event| *event > read).collect();
        let others = state.graph.written_at(address) - later;
        if !others.iter().all(|write| state.graph.known.contains(write)) {
            return self.may_be_written(state, &live, of.index(), address);
        }
        let held =
            others.iter().filter_map(|write| events[write].written()).map(|(_, value)| value);
        let threads: Vec<(ThreadId, LabelId)> = state
            .runs
            .iter()
            .enumerate()
            .filter(|(thread, _)| *thread != of.index() && live[*thread])
            .map(|(thread, run)| (ThreadId::new(thread), run.done.label))
            .collect();
        self.future.may_overwrite(&threads, address, &held.collect())
    }

    /// Those of some writes that a read can read from.
    fn readable(&self, state: &State, read: usize, sources: EventSet) -> EventSet {
        state.graph.readable(read, sources, self.at_once)
    }

    /// Whether a live thread other than this one may write to an address.
    fn may_be_written(&self, state: &State, live: &[bool], of: usize, address: Value) -> bool {
        state.runs.iter().enumerate().any(|(thread, run)| {
            thread != of
                && live[thread]
                && self.future.may_write(ThreadId::new(thread), run.done.label, address)
        })
    }

    /// The threads that may get further, perhaps if one more read is passed. One that needs the value of a read
    /// that was passed gets no further unless a write comes from one that does, and one that waits likewise.
    fn live(&self, state: &State, passed: Option<usize>) -> Vec<bool> {
        let needs: Vec<Needs> =
            (0..state.runs.len()).map(|thread| self.needs(state, thread, passed)).collect();
        let mut live: Vec<bool> =
            needs.iter().map(|needs| matches!(needs, Needs::Nothing)).collect();
        loop {
            let more = (0..live.len()).find(|thread| {
                let may_come =
                    |address: &Value| self.may_be_written(state, &live, *thread, *address);
                !live[*thread]
                    && match &needs[*thread] {
                        Needs::Nothing => true,
                        Needs::Stopped => false,
                        Needs::All(addresses) => addresses.iter().all(may_come),
                        Needs::One(addresses) => addresses.iter().any(may_come),
                    }
            });
            match more {
                Some(thread) => live[thread] = true,
                None => return live,
            }
        }
    }

    /// Where a thread may still come.
    fn ahead(&self, state: &State, live: &[bool], thread: usize) -> Ahead {
        if !live[thread] {
            return Ahead::default();
        }
        let may_change = |address: Value| {
            let mut threads = state.runs.iter().zip(live).enumerate();
            threads.any(|(thread, (run, live))| {
                *live && self.future.may_change(ThreadId::new(thread), run.done.label, address)
            })
        };
        let may_come = |address: Value, value: Value| {
            let there = state.graph.written_at(address);
            let initial = self.task.program.memory().cell(address).map(|cell| cell.initial);
            initial == Ok(value)
                || there.iter().any(|write| {
                    let written = state.graph.execution.events[write].written();
                    let is_other = written.is_none_or(|(_, there)| there != value);
                    !(state.graph.known.contains(write) && is_other)
                })
                || may_change(address)
        };
        let label = state.runs[thread].done.label;
        self.future.ahead(ThreadId::new(thread), label, &may_come)
    }

    /// Whether no execution has this beginning: a thread needs a value that never comes, or waits for one that is
    /// there and stays there.
    fn is_hopeless(&self, state: &State, live: &[bool]) -> bool {
        state.runs.iter().enumerate().any(|(thread, run)| match &run.pause {
            Pause::Blocked(_) => !live[thread],
            Pause::WaitsFor(waits) => {
                self.newest != Newest::Nowhere
                    && !state.ignored[thread].is_empty()
                    && state.wakes(thread).is_empty()
                    && waits.iter().any(|wait| state.stays(wait))
                    && !waits
                        .iter()
                        .any(|wait| self.may_be_written(state, live, thread, wait.cells.address))
            }
            Pause::Asks { .. } | Pause::Failing | Pause::Ended(_) | Pause::Impossible => false,
        })
    }

    /// What a thread needs, perhaps if one more read is passed.
    fn needs(&self, state: &State, thread: usize, passed: Option<usize>) -> Needs {
        match &state.runs[thread].pause {
            Pause::Asks { .. } => Needs::Nothing,
            Pause::Failing | Pause::Ended(_) | Pause::Impossible => Needs::Stopped,
            Pause::WaitsFor(waits) => {
                if state.wakes(thread).is_empty() {
                    Needs::One(waits.iter().map(|wait| wait.cells.address).collect())
                } else {
                    Needs::Nothing
                }
            }
            Pause::Blocked(reads) => {
                let is_passed = |event: &usize| {
                    let is_closed = |known: &EventSet| {
                        let new = state.graph.possible_sources(*event) - *known;
                        state.graph.is_open(*event) && self.readable(state, *event, new).is_empty()
                    };
                    passed == Some(*event) || state.passed.get(event).is_some_and(is_closed)
                };
                let events = reads.iter().map(|place| state.graph.threads[thread][place]);
                let address = |event: usize| state.graph.execution.events[event].address();
                let addresses: Vec<Value> = events.filter(is_passed).filter_map(address).collect();
                if addresses.is_empty() { Needs::Nothing } else { Needs::All(addresses) }
            }
        }
    }
}

/// The reads that a thread needs to get further and that nothing is decided about.
fn needed(state: &State, events: &[usize], run: &Run) -> EventSet {
    let Pause::Blocked(reads) = &run.pause else { return EventSet::EMPTY };
    let all = reads.iter().map(|place| events[place]);
    let is_undecided =
        |event: &usize| state.graph.is_open(*event) && !state.passed.contains_key(event);
    all.filter(is_undecided).collect()
}

/// Whether the source of one of several cells of an access is decided.
fn is_across(state: &State, next: &Next) -> bool {
    let Next::Source { read, .. } = next else { return false };
    !state.graph.execution.same_access.successors(*read).is_empty()
}

/// What a thread needs to get further.
enum Needs {
    Nothing,
    /// It gets no further.
    Stopped,
    /// That others write to all of these addresses.
    All(Vec<Value>),
    /// That others write to one of these addresses.
    One(Vec<Value>),
}

impl State {
    /// The edges that a thread which waits can take with what is there now and was not ignored.
    fn wakes(&self, thread: usize) -> Vec<Value> {
        let Pause::WaitsFor(waits) = &self.runs[thread].pause else { return Vec::new() };
        let can = |wait: &&Wait| {
            let there = self.graph.written_at(wait.cells.address) - self.ignored[thread];
            there.iter().any(|write| {
                let written = self.graph.execution.events[write].written();
                let is_whole = wait.cells.cells == 1 && self.graph.known.contains(write);
                !is_whole || written.is_none_or(|(_, value)| value == wait.expected)
            })
        };
        waits.iter().filter(can).map(|wait| wait.place).collect()
    }
}

impl State {
    /// Whether what is waited for is there, and nothing that is there can overwrite it.
    fn stays(&self, wait: &Wait) -> bool {
        let Graph { execution, decided, known, .. } = &self.graph;
        let all = self.graph.written_at(wait.cells.address);
        let holds = |write: usize| {
            let written = execution.events[write].written();
            known.contains(write) && written.is_some_and(|(_, value)| value == wait.expected)
        };
        wait.cells.cells == 1
            && all.iter().any(|write| {
                holds(write)
                    && !all.iter().any(|other| !holds(other) && !decided.is_before(other, write))
            })
    }
}

/// What a thread asks, if one does: something that values will answer, or not.
fn asking(state: &State, promised: bool) -> Option<Next> {
    state.runs.iter().enumerate().find_map(|(thread, run)| match &run.pause {
        Pause::Asks { ask, answers, promise } if *promise == promised => Some(Next::Answer {
            thread: ThreadId::new(thread),
            ask: *ask,
            answers: answers.clone(),
        }),
        Pause::Asks { .. }
        | Pause::Blocked(_)
        | Pause::WaitsFor(_)
        | Pause::Failing
        | Pause::Ended(_)
        | Pause::Impossible => None,
    })
}
