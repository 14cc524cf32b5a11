//! What a thread does: its events in program order, as far as they follow from what its reads return.
//!
//! What an instruction computes is what `program::instruction` says. A thread is followed as far as it gets
//! without being asked anything ([`crate::log`]). It gets past a read whose value is not known yet: what
//! depends on that value is not known either, and what does not depend on it happens all the same. It stops
//! where an address or a branch needs such a value. A run goes as far as it can: to the end of the thread, to
//! a fault, to a bound, or to where the thread waits, perhaps for ever. Only the first leads to a final
//! state. The others matter to what else can happen.
//!
//! # Dependencies
//!
//! Every condition that decides whether a thread goes on (`Assume`, `Assert`, and the comparison
//! of a blocking read-write) is a branch: what follows has a control dependency on the reads it
//! comes from. The register with the status of an exclusive store depends on no read, but on the
//! store itself ([`Flow::success`]).

use std::rc::Rc;

use program::{
    EdgeId, Fault, Footprint, IndexVec, Instruction, LabelId, RegisterId, Template, Thread,
    ThreadId, Update, Value,
};

use crate::event::Event;
use crate::flow::{Flow, Registers};
use crate::limits::{Bound, NoAnswer};
use crate::log::{Ask, Log};
use crate::loops::{Arrival, Loops, Visit};
use crate::relation::EventSet;
use crate::step::{Stepper, Stop};
use crate::task::Task;

/// An event of a run, and where its address, its value and its being reached come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEvent {
    pub(crate) event: Event,
    /// Whether the value that it reads or writes is known.
    pub(crate) known: bool,
    pub(crate) address: Flow,
    pub(crate) data: Flow,
    pub(crate) control: Flow,
    /// The number of the first event of the same access: another one only if it lies across cells.
    pub(crate) access: usize,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// The thread has ended.
    Terminated,
    /// It waits for something, or goes round in a loop that does.
    Waiting,
    /// It went wrong.
    Fault(PossibleFault),
    /// It would go on, but was not followed any further.
    Bound(Bound),
}

/// Where a thread has got to.
#[derive(Clone, Debug)]
pub(crate) enum Pause {
    /// To where it needs to know what these reads return.
    Blocked(EventSet),
    /// To a question.
    Asks {
        ask: Ask,
        answers: Vec<Value>,
        /// Whether the answer will be known once all values are.
        promise: bool,
    },
    /// To where it waits for another thread to write one of these.
    WaitsFor(Vec<Wait>),
    /// To where it fails, though how is not known yet.
    Failing,
    /// As far as it goes.
    Ended(Ending),
    /// Nowhere: the answers in its log contradict what it does.
    Impossible,
}

/// What an update waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    /// The place of its edge among those that leave the label.
    pub(crate) place: Value,
    pub(crate) cells: Footprint,
    pub(crate) expected: Value,
}

/// What a thread has done. Events are numbered from 0 in program order.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) done: Partial,
    pub(crate) pause: Pause,
}

/// A run up to some step.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    pub(crate) label: LabelId,
    /// How many steps have been taken.
    pub(crate) steps: usize,
    pub(crate) registers: Registers,
    pub(crate) control: Flow,
    /// The first read of the exclusive load that the next exclusive store can be paired with, and the
    /// cells it reads.
    pub(crate) reservation: Option<(usize, Footprint)>,
    pub(crate) events: Vec<LocalEvent>,
    /// The reads and writes of atomic updates and of pairs of exclusives.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The reads and writes of updates that compute what they write from what they read.
    pub(crate) computed: Vec<(usize, usize)>,
    /// The heads of loops that it came to, the last one first.
    pub(crate) visited: Option<Rc<Visit>>,
    /// Whether some dependency or order of its events is not known yet.
    pub(crate) provisional: bool,
    /// If it goes round for ever in a loop that only reads, the first event of the last round.
    pub(crate) idle_from: Option<usize>,
}

impl Partial {
    fn start(template: &Template, copy: u32) -> Self {
        let values = template.initial_registers(copy);
        let flows = values.iter().map(|_| Flow::default()).collect();
        let known = values.iter().map(|_| true).collect();
        Self {
            label: template.initial(),
            steps: 0,
            registers: Registers { values, known, flows },
            control: Flow::default(),
            reservation: None,
            events: Vec::new(),
            pairs: Vec::new(),
            computed: Vec::new(),
            visited: None,
            provisional: false,
            idle_from: None,
        }
    }

    /// Adds an event and returns its number.
    pub(crate) fn push(
        &mut self,
        event: Event,
        known: bool,
        address: Flow,
        data: Flow,
    ) -> Result<usize, Stop> {
        if self.events.len() >= EventSet::MAX_EVENTS {
            return Err(Stop::Bound(Bound::Events));
        }
        let (control, access) = (self.control, self.events.len());
        self.events.push(LocalEvent { event, known, address, data, control, access });
        Ok(access)
    }
}

/// A fault that some run of a thread leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PossibleFault {
    /// The thread.
    pub thread: ThreadId,
    /// The instruction.
    pub edge: EdgeId,
    /// The fault.
    pub fault: Fault,
}

/// A thread to be followed.
pub(crate) struct Walker<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) id: ThreadId,
    name: &'a str,
    pub(crate) template: &'a Template,
    loops: Loops,
    start: Partial,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(task: &'a Task<'a>, id: ThreadId, thread: &'a Thread) -> Self {
        let template = task.program.template(thread.template);
        let start = Partial::start(template, thread.copy);
        Self { task, id, name: &thread.name, template, loops: Loops::new(template), start }
    }

    /// That it does nothing.
    pub(crate) fn none(&self) -> Run {
        Run { done: self.start.clone(), pause: Pause::Ended(Ending::Terminated) }
    }

    /// How far it gets with these answers, if its reads return these values, by their numbers as events.
    pub(crate) fn run(&self, log: &Log, given: &[Option<Value>]) -> Result<Run, NoAnswer> {
        let mut done = self.start.clone();
        let stepper = Stepper { walker: self, log, given };
        loop {
            let from = done.label;
            let edge = match self.next(&mut done, &stepper) {
                Ok(Some(edge)) => edge,
                Ok(None) => {
                    for (register, data) in self.template.registers().enumerate() {
                        if data.generated {
                            done.registers.values[register] = self.start.registers.values[register];
                            done.registers.known[register] = true;
                        }
                    }
                    return Ok(Run { done, pause: Pause::Ended(Ending::Terminated) });
                }
                Err(stop) => {
                    let pause = self.paused(stop, None)?;
                    return Ok(Run { done, pause });
                }
            };
            if let Err(stop) = stepper.instruction(&mut done, edge) {
                done.label = from;
                let pause = self.paused(stop, Some(edge))?;
                return Ok(Run { done, pause });
            }
            done.label = self.template.edge(edge).to;
            done.steps += 1;
        }
    }

    /// The edge it takes next, unless it has ended.
    fn next(&self, done: &mut Partial, stepper: &Stepper<'_>) -> Result<Option<EdgeId>, Stop> {
        let edges: Vec<EdgeId> = self.template.outgoing(done.label).collect();
        if edges.is_empty() {
            return Ok(None);
        }
        if self.loops.is_head(done.label) {
            self.come_to_head(done, stepper)?;
        }
        if self.task.stops_anywhere && stepper.choose(done, Ask::GoesOn, || vec![1, 0])? == 0 {
            return Err(Stop::Waits);
        }
        let edge = match self.waits(done, &edges, stepper)? {
            Some(waits) => {
                let place = stepper.log.get(done.steps, Ask::Takes);
                let place = place.ok_or(Stop::WaitsFor(waits))?;
                let taken = usize::try_from(place).ok().and_then(|place| edges.get(place));
                taken.copied().ok_or(Stop::Impossible)?
            }
            None => self.chosen(done, &edges, stepper)?,
        };
        Ok(Some(edge))
    }

    /// What it waits for, if it can do nothing else here.
    fn waits(
        &self,
        done: &Partial,
        edges: &[EdgeId],
        stepper: &Stepper<'_>,
    ) -> Result<Option<Vec<Wait>>, Stop> {
        let mut waits = Vec::new();
        for (edge, place) in edges.iter().zip(0..) {
            let Instruction::Update {
                address,
                update: Update::BlockingReadWrite { expected, .. },
                access,
                ..
            } = &self.template.edge(*edge).instruction
            else {
                return Ok(None);
            };
            let (cells, expected) =
                (stepper.access(done, address, *access), stepper.needed(done, expected));
            match (cells, expected) {
                (Ok((cells, _)), Ok((expected, _))) => waits.push(Wait { place, cells, expected }),
                (Err(Stop::Fault(_)), _) | (_, Err(Stop::Fault(_))) => return Ok(None),
                (Err(stop), _) | (_, Err(stop)) => return Err(stop),
            }
        }
        Ok(Some(waits))
    }

    fn come_to_head(&self, done: &mut Partial, stepper: &Stepper<'_>) -> Result<(), Stop> {
        let (arrival, is_open) = self.loops.arrive(done, self.task);
        let known = (!is_open).then_some(!matches!(arrival, Arrival::Stutter));
        let is_anew = stepper.promised(done, Ask::Anew, known)?;
        if !is_anew || matches!(arrival, Arrival::Bound) {
            done.idle_from = crate::loops::idle_from(done);
        }
        if !is_anew {
            return Err(Stop::Waits);
        }
        if matches!(arrival, Arrival::Bound) {
            let label = &self.template.labels()[done.label];
            let (label, span) = (label.name.clone(), label.span);
            return Err(Stop::Bound(Bound::Rounds { thread: self.name.to_owned(), label, span }));
        }
        done.visited = Some(Rc::new(Visit::of(done)));
        Ok(())
    }

    /// Which of several edges is taken. Where all of them are branches on the same registers, these have to be
    /// known: whichever is taken, what follows depends on them.
    fn chosen(
        &self,
        done: &Partial,
        edges: &[EdgeId],
        stepper: &Stepper<'_>,
    ) -> Result<EdgeId, Stop> {
        if let [only] = edges {
            return Ok(*only);
        }
        let answer = stepper.log.get(done.steps, Ask::Edge);
        if let Some(place) = answer.filter(|answer| *answer != NO_EDGE) {
            let chosen = usize::try_from(place).ok().and_then(|place| edges.get(place));
            return chosen.copied().ok_or(Stop::Impossible);
        }
        let memory = self.task.program.memory();
        let mut options = Vec::new();
        let mut branches: Vec<Vec<RegisterId>> = Vec::new();
        let mut needed = !EventSet::EMPTY;
        for (place, edge) in edges.iter().enumerate() {
            if let Instruction::Assume(condition) = &self.template.edge(*edge).instruction {
                if !done.registers.knows(memory, condition) {
                    let mut registers = condition.registers();
                    registers.sort_unstable();
                    registers.dedup();
                    branches.push(registers);
                    needed = needed & done.registers.flow(memory, condition).picked;
                } else if condition.evaluate(memory, &done.registers.values) == Ok(0) {
                    continue;
                }
            }
            options.push(place);
        }
        if answer.is_some() {
            // None of them can be taken, as was promised.
            return Err(match options.len() {
                0 => Stop::Waits,
                open if open == branches.len() => Stop::Blocked(needed),
                _ => Stop::Impossible,
            });
        }
        match options.as_slice() {
            [] => Err(Stop::Waits),
            [only] => Ok(edges[*only]),
            [_, ..] if branches.len() == options.len() && all_equal(&branches) => {
                Err(Stop::Blocked(needed))
            }
            [_, ..] => {
                let places = options.iter().filter_map(|place| Value::try_from(*place).ok());
                let none = (branches.len() == options.len()).then_some(NO_EDGE);
                let answers = places.chain(none).collect();
                Err(Stop::Asks { ask: Ask::Edge, answers, promise: !branches.is_empty() })
            }
        }
    }

    fn paused(&self, stop: Stop, edge: Option<EdgeId>) -> Result<Pause, NoAnswer> {
        Ok(match stop {
            Stop::Blocked(reads) => Pause::Blocked(reads),
            Stop::Asks { ask, answers, promise } => Pause::Asks { ask, answers, promise },
            Stop::WaitsFor(waits) => Pause::WaitsFor(waits),
            Stop::Failing => Pause::Failing,
            Stop::Impossible => Pause::Impossible,
            Stop::Waits => Pause::Ended(Ending::Waiting),
            Stop::Bound(bound) => Pause::Ended(Ending::Bound(bound)),
            Stop::NoAnswer(why) => return Err(why),
            Stop::Fault(fault) => {
                let Some(edge) = edge else { return Ok(Pause::Impossible) };
                Pause::Ended(self.failed(edge, fault))
            }
        })
    }

    /// The end of a run that goes wrong, or that leaves a range that nobody declared.
    fn failed(&self, edge: EdgeId, fault: Fault) -> Ending {
        if !fault.is_limit() {
            return Ending::Fault(PossibleFault { thread: self.id, edge, fault });
        }
        let span = self.template.edge(edge).span;
        Ending::Bound(match self.template.bound(edge) {
            Some(what) => Bound::FrontEnd { what: what.to_owned(), span },
            None => Bound::Overflow { span },
        })
    }
}

/// The answer that no edge can be taken.
const NO_EDGE: Value = -1;

fn all_equal(all: &[Vec<RegisterId>]) -> bool {
    all.windows(2).all(|pair| pair[0] == pair[1])
}

impl Run {
    /// Whether the thread goes no further.
    pub(crate) const fn has_stopped(&self) -> bool {
        match self.pause {
            Pause::Failing | Pause::Ended(_) | Pause::Impossible => true,
            Pause::Blocked(_) | Pause::Asks { .. } | Pause::WaitsFor(_) => false,
        }
    }

    /// The registers at the end.
    pub(crate) fn registers(&self) -> IndexVec<RegisterId, Value> {
        self.done.registers.values.clone()
    }
}
