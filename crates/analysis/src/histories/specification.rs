//! What a specification makes possible: SC states in which operations run alone.
//!
//! A [`Point`] is a state of the specification in which no thread is in the middle of an operation, with the
//! threads whose operation has been called and not been executed yet. Sets of points that explain a history
//! are *closed*: a called operation may be executed at any time, and what threads do outside of operations
//! happens at any time. A set gets a number, and what an event makes of it is computed once.
//!
//! What a thread does outside of operations without touching memory it does at once, since nobody can tell;
//! loops are an exception, so that a thread that turns round for ever keeps nobody else from moving.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use explore::Lookout;
use indexmap::IndexSet;
use program::{
    Boundary, EdgeId, IndexVec, Instruction, LabelId, Parameterised, Program, TemplateId, ThreadId,
};
use semantics::{Control, Machine, Model, Move, State};

use super::Event;
use crate::sc::loop_closing_edges;
use crate::verdict::{Options, Reason};

/// The most states of a specification that are looked at for one event.
const MOST: usize = 1 << 17;

/// A state of the specification, and whose operations are called and not yet executed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Point {
    state: State,
    called: BTreeSet<ThreadId>,
}

/// What explains a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Explained {
    /// The points with this number.
    By(usize),
    /// Nothing.
    ByNone,
    /// That is not known.
    Unknown,
}

/// What was computed so far.
#[derive(Default)]
struct Known {
    sets: IndexSet<Vec<Point>>,
    after: HashMap<(usize, ThreadId, Event), Explained>,
    /// Why something is unknown, if anything is.
    doubt: Option<Reason>,
}

/// What each thread called and got back.
pub(super) type Logs = Vec<Vec<Event>>;

/// A program whose operations run alone.
pub(super) struct Specification<'p> {
    machine: Machine<'p>,
    /// For each thread that is observed the one of the same name here.
    own: IndexVec<ThreadId, ThreadId>,
    closing: IndexVec<TemplateId, IndexVec<EdgeId, bool>>,
    options: Options,
    known: Mutex<Known>,
}

impl<'p> Specification<'p> {
    pub(super) fn new(
        observed: &Program,
        program: &'p Program,
        options: &Options,
    ) -> Result<Self, Parameterised> {
        let machine = Machine::new(program, Model::Sc)?;
        let same = |thread: &program::Thread| {
            let mut all = machine.threads().enumerate();
            all.find(|(_, one)| one.name == thread.name).map(|(id, _)| id).expect("asked before")
        };
        let own = observed.threads()?.iter().map(same).collect();
        let closing = program.templates().iter().map(loop_closing_edges).collect();
        Ok(Self { machine, own, closing, options: *options, known: Mutex::default() })
    }

    /// What explains that nothing has happened.
    pub(super) fn beginning(&self) -> Explained {
        let initial = Point { state: self.machine.initial(), called: BTreeSet::new() };
        let closed = self.closed(vec![initial]);
        numbered(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner), closed)
    }

    /// Why something is unknown, if anything is.
    pub(super) fn doubt(&self) -> Option<Reason> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).doubt.clone()
    }

    /// What explains a history that these points explained and that goes on with this event.
    pub(super) fn after(&self, set: usize, thread: ThreadId, event: &Event) -> Explained {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (set, thread, event.clone());
        if let Some(explained) = known.after.get(&key) {
            return explained.clone();
        }
        let points = known.sets[set].clone();
        let own = self.own[thread];
        let next = points.into_iter().filter_map(|point| self.with(point, own, event));
        let closed = self.closed(next.collect());
        let explained = numbered(&mut known, closed);
        known.after.insert(key, explained.clone());
        explained
    }

    /// The point after a call or return of a thread, if it allows that.
    fn with(&self, mut point: Point, thread: ThreadId, event: &Event) -> Option<Point> {
        let (label, boundary) = self.boundary(&point.state, thread)?;
        let registers = point.state.thread(thread).registers();
        let same = Event::at(boundary, self.machine.program().memory(), registers) == *event;
        match boundary {
            Boundary::Call { .. } => (same && point.called.insert(thread)).then_some(point),
            Boundary::Return { .. } if same => {
                point.state = self.passed(&point.state, thread, label);
                Some(point)
            }
            Boundary::Return { .. } => None,
        }
    }

    /// Where a thread calls an operation or returns, if it is there.
    fn boundary(&self, state: &State, thread: ThreadId) -> Option<(LabelId, &'p Boundary)> {
        match state.thread(thread).control() {
            Control::At(label) => {
                Some((label, self.machine.template(thread).boundaries().get(&label)?))
            }
            Control::Stopped { .. } => None,
        }
    }

    /// The state after the one edge that leaves a boundary.
    fn passed(&self, state: &State, thread: ThreadId, label: LabelId) -> State {
        let edge = self.machine.template(thread).outgoing(label).next().expect("a valid program");
        let choice = semantics::Choice::Determined;
        let taken = Move::Execute { thread, edge, choice };
        self.machine.apply(state, taken).expect("it does nothing").0
    }

    /// All points that these come to without a call or return, themselves included.
    fn closed(&self, mut open: Vec<Point>) -> Result<Vec<Point>, Reason> {
        let mut lookout = Lookout::new(&self.options.limits);
        let (mut seen, mut kept) = (HashSet::new(), BTreeSet::new());
        while let Some(point) = open.pop() {
            if !seen.insert(point.clone()) {
                continue;
            }
            lookout.step().map_err(Reason::Limit)?;
            if seen.len() > MOST {
                return Err(Reason::SequentialRuns { states: MOST });
            }
            let with = |state| Point { state, called: point.called.clone() };
            if let Some(next) = self.at_once(&point.state)? {
                open.extend(next.into_iter().map(with));
                continue;
            }
            for thread in self.machine.threads().indices() {
                match self.boundary(&point.state, thread) {
                    None => open.extend(self.steps(&point.state, thread)?.into_iter().map(with)),
                    Some((_, Boundary::Call { .. })) if point.called.contains(&thread) => {
                        let mut called = point.called.clone();
                        called.remove(&thread);
                        let ways = self.executed(&point.state, thread)?;
                        open.extend(
                            ways.into_iter().map(|state| Point { state, called: called.clone() }),
                        );
                    }
                    Some(_) => {}
                }
            }
            kept.insert(point);
        }
        Ok(kept.into_iter().collect())
    }

    /// The states that follow by local steps of one thread outside of operations, if there is one that can
    /// make them at once.
    fn at_once(&self, state: &State) -> Result<Option<Vec<State>>, Reason> {
        for thread in self.machine.threads().indices() {
            let Control::At(label) = state.thread(thread).control() else { continue };
            let template = self.machine.template(thread);
            let id = self.machine.threads()[thread].template;
            let is_local = |edge: EdgeId| {
                !self.closing[id][edge] && is_local(&template.edge(edge).instruction)
            };
            if template.boundaries().contains_key(&label) || !template.outgoing(label).all(is_local)
            {
                continue;
            }
            let next = self.steps(state, thread)?;
            if !next.is_empty() {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// The states after one step of a thread.
    fn steps(&self, state: &State, thread: ThreadId) -> Result<Vec<State>, Reason> {
        let moves = self.machine.moves(state).filter(|taken| taken.thread() == thread);
        moves
            .map(|taken| {
                let (next, _) =
                    self.machine.apply(state, taken).expect("offered moves are enabled");
                match next.thread(thread).control() {
                    Control::Stopped { edge, fault } if fault.is_limit() => {
                        Err(Reason::stopped(self.machine.template(thread), edge))
                    }
                    Control::Stopped { .. } | Control::At(_) => Ok(next),
                }
            })
            .collect()
    }

    /// The states after the operation that a thread has called, from its call to its return, alone.
    fn executed(&self, state: &State, thread: ThreadId) -> Result<Vec<State>, Reason> {
        let Some((label, _)) = self.boundary(state, thread) else { return Ok(Vec::new()) };
        let begun = self.passed(state, thread, label);
        let mut lookout = Lookout::new(&self.options.limits);
        let (mut seen, mut done) = (HashSet::from([begun.clone()]), Vec::new());
        let mut open = vec![begun];
        while let Some(state) = open.pop() {
            if self.boundary(&state, thread).is_some() {
                done.push(state);
                continue;
            }
            lookout.step().map_err(Reason::Limit)?;
            for next in self.steps(&state, thread)? {
                if seen.len() > MOST {
                    return Err(Reason::SequentialRuns { states: MOST });
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Ok(done)
    }

    /// What threads may have called and got back when all have ended, in the order of the threads that
    /// are observed.
    pub(super) fn all_logs(&self) -> Result<BTreeSet<Logs>, Reason> {
        let mut lookout = Lookout::new(&self.options.limits);
        let nothing: Logs = self.machine.threads().iter().map(|_| Vec::new()).collect();
        let mut open = vec![(self.machine.initial(), nothing)];
        let (mut seen, mut all) = (HashSet::new(), BTreeSet::new());
        while let Some((state, logs)) = open.pop() {
            if !seen.insert((state.clone(), logs.clone())) {
                continue;
            }
            lookout.step().map_err(Reason::Limit)?;
            if seen.len() > MOST {
                return Err(Reason::SequentialRuns { states: MOST });
            }
            if let Some(next) = self.at_once(&state)? {
                open.extend(next.into_iter().map(|state| (state, logs.clone())));
                continue;
            }
            let mut threads = self.machine.threads().indices();
            if threads.all(|thread| self.machine.has_ended(&state, thread)) {
                all.insert(self.own.iter().map(|own| logs[index(*own)].clone()).collect());
                continue;
            }
            for thread in self.machine.threads().indices() {
                let Some((_, call)) = self.boundary(&state, thread) else {
                    let next = self.steps(&state, thread)?;
                    open.extend(next.into_iter().map(|state| (state, logs.clone())));
                    continue;
                };
                let memory = self.machine.program().memory();
                let called = Event::at(call, memory, state.thread(thread).registers());
                for done in self.executed(&state, thread)? {
                    let Some((label, back)) = self.boundary(&done, thread) else { continue };
                    let result = Event::at(back, memory, done.thread(thread).registers());
                    let mut logs = logs.clone();
                    logs[index(thread)].extend([called.clone(), result]);
                    open.push((self.passed(&done, thread, label), logs));
                }
            }
        }
        Ok(all)
    }
}

/// The number of a closed set of points, which is noted.
fn numbered(known: &mut Known, closed: Result<Vec<Point>, Reason>) -> Explained {
    match closed {
        Ok(points) if points.is_empty() => Explained::ByNone,
        Ok(points) => Explained::By(known.sets.insert_full(points).0),
        Err(reason) => {
            known.doubt.get_or_insert(reason);
            Explained::Unknown
        }
    }
}

fn index(thread: ThreadId) -> usize {
    program::index::Idx::index(thread)
}

/// Whether an instruction touches neither memory nor its lock.
fn is_local(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_) => true,
        Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}
