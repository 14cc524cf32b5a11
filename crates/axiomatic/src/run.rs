//! Runs: the ways a thread can go from its start to its end, with a value guessed for each read.
//!
//! What an instruction computes is what `program::instruction` says. A run goes as far as it can: to the
//! end of the thread, to a fault, to a bound, or to where the thread waits, perhaps for ever. Only the
//! first leads to a final state. The others matter to what else can happen: whether a fault or a bound is
//! met in an execution depends on what the other threads have done until then.
//!
//! # Dependencies
//!
//! Every condition that decides whether a thread goes on (`Assume`, `Assert`, and the comparison
//! of a blocking read-write) is a branch: what follows has a control dependency on the reads it
//! comes from. The register with the status of an exclusive store depends on no read, but on the
//! store itself ([`Flow::success`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::{
    EdgeId, Fault, Footprint, IndexVec, LabelId, RegisterId, Template, Thread, ThreadId, Value,
};

use crate::choice::Needs;
use crate::event::Event;
use crate::flow::{Flow, Registers};
use crate::limits::{Bound, Budget, Limits, NoAnswer};
use crate::loops::{Arrival, Loops, Visit};
use crate::relation::EventSet;
use crate::step::{Stepper, Stop};
use crate::values::{Past, Task, Values, Whole, WriteSet, Written};

/// An event of a run, and where its address, its value and its being reached come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEvent {
    pub(crate) event: Event,
    pub(crate) address: Flow,
    pub(crate) data: Flow,
    pub(crate) control: Flow,
    /// What its value has to do with.
    pub(crate) past: Past,
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

/// What a thread did. Events are numbered from 0 in program order.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) ending: Ending,
    pub(crate) events: Vec<LocalEvent>,
    /// The reads and writes of atomic updates and of pairs of exclusives.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The reads and writes of updates that compute what they write from what they read.
    pub(crate) computed: Vec<(usize, usize)>,
    pub(crate) registers: IndexVec<RegisterId, Value>,
    /// What it takes from other threads, and what it gives them.
    pub(crate) needs: Needs,
}

/// A run that has not ended yet.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    pub(crate) label: LabelId,
    pub(crate) registers: Registers,
    pub(crate) control: Flow,
    /// The first read of the exclusive load that the next exclusive store can be paired with, and the
    /// cells it reads.
    pub(crate) reservation: Option<(usize, Footprint)>,
    pub(crate) events: Vec<LocalEvent>,
    /// What writes across cells write as a whole, by their first events.
    pub(crate) wholes: BTreeMap<usize, Whole>,
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) computed: Vec<(usize, usize)>,
    /// The writes of something that comes from themselves: if there is one, this is no run.
    pub(crate) circular: EventSet,
    /// The instructions that can write and that it came to, and the same as a set.
    pub(crate) taken: Vec<EdgeId>,
    pub(crate) done: WriteSet,
    /// The heads of loops that it came to, the last one first.
    pub(crate) visited: Option<Rc<Visit>>,
}

impl Partial {
    fn start(template: &Template, copy: u32) -> Self {
        let values = template.initial_registers(copy);
        let flows = values.iter().map(|_| Flow::default()).collect();
        Self {
            label: template.initial(),
            registers: Registers { values, flows },
            control: Flow::default(),
            reservation: None,
            events: Vec::new(),
            wholes: BTreeMap::new(),
            pairs: Vec::new(),
            computed: Vec::new(),
            circular: EventSet::EMPTY,
            taken: Vec::new(),
            done: WriteSet::EMPTY,
            visited: None,
        }
    }

    /// Adds an event and returns its number.
    pub(crate) fn push(
        &mut self,
        event: Event,
        address: Flow,
        data: Flow,
        past: Past,
    ) -> Result<usize, Stop> {
        if self.events.len() >= EventSet::MAX_EVENTS {
            return Err(Stop::Bound(Bound::Events));
        }
        let (control, access) = (self.control, self.events.len());
        self.events.push(LocalEvent { event, address, data, control, past, access });
        Ok(access)
    }

    /// Takes back the events from this number on.
    pub(crate) fn truncate(&mut self, number: usize) {
        self.events.truncate(number);
        self.wholes.retain(|write, _| *write < number);
        self.pairs.retain(|(_, write)| *write < number);
        self.computed.retain(|(_, write)| *write < number);
        self.circular = self.circular.iter().filter(|event| *event < number).collect();
    }

    /// How often it came to an instruction that can write.
    pub(crate) fn times(&self, edge: EdgeId) -> usize {
        self.taken.iter().filter(|taken| **taken == edge).count()
    }

    /// The writes that what these reads return necessarily comes from.
    pub(crate) fn sources(&self, reads: EventSet) -> WriteSet {
        let of = |read: usize| self.events[read].past.sources;
        reads.iter().fold(WriteSet::EMPTY, |all, read| all | of(read))
    }

    /// The writes to a cell that necessarily precede what is written there now.
    pub(crate) fn before(&self, cell: Value) -> WriteSet {
        let is_there = |event: &Event| {
            let accessed = event.written().or_else(|| event.read());
            accessed.is_some_and(|(address, _)| address == cell)
        };
        let there = self.events.iter().filter(|local| is_there(&local.event));
        there.fold(WriteSet::EMPTY, |all, local| all | local.past.before)
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

/// What is found about one thread.
pub(crate) struct Found {
    pub(crate) runs: Vec<Run>,
    /// What is written, also in runs that come to no end.
    pub(crate) written: BTreeSet<Written>,
}

/// All runs of a thread in which each read returns one of the values that its cell can hold.
pub(crate) fn runs(
    task: &Task<'_>,
    id: ThreadId,
    thread: &Thread,
    values: &Values,
    budget: &mut Budget<'_>,
) -> Result<Found, NoAnswer> {
    let template = task.program.template(thread.template);
    let loops = Loops::new(template);
    let start = template.initial_registers(thread.copy);
    let mut open = vec![Partial::start(template, thread.copy)];
    let mut stepper = Stepper::new(task, template, id, values);
    let mut runs = Vec::new();
    let mut looked_at = 0;
    while let Some(mut partial) = open.pop() {
        budget.step()?;
        looked_at += 1;
        let Limits { max_runs, .. } = budget.limits;
        // Unfinished runs count too, a few per finished one: there are as many as there are steps.
        if runs.len() > max_runs || looked_at > max_runs.saturating_mul(100) {
            return Err(NoAnswer::TooManyRuns { thread: thread.name.clone() });
        }
        let edges = template.outgoing(partial.label);
        if edges.len() == 0 {
            for (register, data) in template.registers().enumerate() {
                if data.generated {
                    partial.registers.values[register] = start[register];
                }
            }
            partial.end(Ending::Terminated, &mut runs);
            continue;
        }
        if loops.is_head(partial.label) {
            match loops.arrive(&partial, task) {
                Arrival::Anew => {}
                Arrival::Stutter => continue,
                Arrival::Bound => {
                    let label = &template.labels()[partial.label];
                    let (label, span) = (label.name.clone(), label.span);
                    let bound = Bound::Rounds { thread: thread.name.clone(), label, span };
                    partial.end(Ending::Bound(bound), &mut runs);
                    continue;
                }
            }
            partial.clone().end(Ending::Waiting, &mut runs);
            partial.visited = Some(Rc::new(Visit::of(&partial)));
        }
        let mut goes_on = false;
        let mut waits = false;
        for edge in edges {
            let after = stepper.step(&partial, edge)?;
            waits |= after.waits;
            goes_on |= !after.runs.is_empty() || !after.ends.is_empty();
            for (until, ending) in after.ends {
                until.end(ending, &mut runs);
            }
            open.extend(after.runs);
        }
        if waits || !goes_on || task.stops_anywhere {
            partial.end(Ending::Waiting, &mut runs);
        }
    }
    let written = stepper.written();
    Ok(Found { runs, written })
}

impl Partial {
    /// Ends the run here, unless it is none.
    fn end(self, ending: Ending, runs: &mut Vec<Run>) {
        if self.circular.is_empty() {
            let Self { events, pairs, computed, registers, .. } = self;
            let needs = Needs::of(&events, &pairs);
            runs.push(Run { ending, events, pairs, computed, registers: registers.values, needs });
        }
    }
}
