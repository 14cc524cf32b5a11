//! Runs: the ways a thread can go from its start to its end, with a value guessed for each read.
//!
//! What an instruction computes is what `program::instruction` says. A run that blocks or faults
//! is no run: it ends in no final state, and the faults are reported beside the outcomes.
//!
//! # Dependencies
//!
//! Every condition that decides whether a thread goes on (`Assume`, `Assert`, and the comparison
//! of a blocking read-write) is a branch: what follows has a control dependency on the reads it
//! comes from. The register with the status of an exclusive store depends on no read, but on the
//! store itself ([`Flow::success`]).

use std::collections::BTreeSet;

use program::{
    EdgeId, Fault, IndexVec, LabelId, Program, RegisterId, Target, Template, Thread, ThreadId,
    Value,
};

use crate::event::Event;
use crate::flow::{Flow, Registers};
use crate::limits::{Budget, Limits, NoAnswer};
use crate::relation::EventSet;
use crate::step::Stepper;
use crate::values::{Past, Values, WriteSet, Written};

/// An event of a run, and where its address, its value and its being reached come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEvent {
    pub(crate) event: Event,
    pub(crate) address: Flow,
    pub(crate) data: Flow,
    pub(crate) control: Flow,
    /// What its value has to do with.
    pub(crate) past: Past,
}

/// What a thread did. Events are numbered from 0 in program order.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) events: Vec<LocalEvent>,
    /// The reads and writes of atomic updates and of pairs of exclusives.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The reads and writes of updates that compute what they write from what they read.
    pub(crate) computed: Vec<(usize, usize)>,
    pub(crate) registers: IndexVec<RegisterId, Value>,
}

/// A run that has not ended yet.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    pub(crate) label: LabelId,
    pub(crate) registers: Registers,
    pub(crate) control: Flow,
    /// The exclusive load that the next exclusive store can be paired with, and its address.
    pub(crate) reservation: Option<(usize, Value)>,
    pub(crate) events: Vec<LocalEvent>,
    pub(crate) pairs: Vec<(usize, usize)>,
    pub(crate) computed: Vec<(usize, usize)>,
    /// The writes of something that comes from themselves: if there is one, this is no run.
    pub(crate) circular: EventSet,
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
            pairs: Vec::new(),
            computed: Vec::new(),
            circular: EventSet::EMPTY,
        }
    }

    /// Adds an event and returns its number.
    pub(crate) fn push(
        &mut self,
        event: Event,
        address: Flow,
        data: Flow,
        past: Past,
    ) -> Result<usize, NoAnswer> {
        if self.events.len() >= EventSet::MAX_EVENTS {
            return Err(NoAnswer::TooManyEvents);
        }
        self.events.push(LocalEvent { event, address, data, control: self.control, past });
        Ok(self.events.len() - 1)
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
    /// The faults that end other runs.
    pub(crate) faults: BTreeSet<PossibleFault>,
    /// What is written, also in runs that come to no end.
    pub(crate) written: BTreeSet<Written>,
}

/// All runs of a thread in which each read returns one of the values that its cell can hold.
pub(crate) fn runs(
    program: &Program,
    id: ThreadId,
    thread: &Thread,
    values: &Values,
    target: Option<Target>,
    budget: &mut Budget<'_>,
) -> Result<Found, NoAnswer> {
    let template = program.template(thread.template);
    let mut open = vec![Partial::start(template, thread.copy)];
    let mut stepper = Stepper::new(program, template, id, values, target);
    let mut runs = Vec::new();
    let mut looked_at = 0;
    while let Some(partial) = open.pop() {
        budget.step()?;
        looked_at += 1;
        let Limits { max_runs, .. } = budget.limits;
        // Unfinished runs count too, a few per finished one: there are as many as there are steps.
        if runs.len() > max_runs || looked_at > max_runs.saturating_mul(100) {
            return Err(NoAnswer::TooManyRuns { thread: thread.name.clone() });
        }
        let edges = template.outgoing(partial.label);
        if edges.len() == 0 {
            if !partial.circular.is_empty() {
                continue;
            }
            let Partial { events, pairs, computed, registers, .. } = partial;
            runs.push(Run { events, pairs, computed, registers: registers.values });
            continue;
        }
        for edge in edges {
            stepper.step(&partial, edge, &mut open)?;
        }
    }
    let (faults, written) = stepper.met();
    Ok(Found { runs, faults, written })
}

impl Run {
    /// What it writes: addresses and values.
    pub(crate) fn written(&self) -> impl Iterator<Item = (Value, Value)> {
        self.events.iter().filter_map(|local| local.event.written())
    }

    /// What it reads: addresses and values.
    pub(crate) fn read(&self) -> impl Iterator<Item = (Value, Value)> {
        self.events.iter().filter_map(|local| local.event.read())
    }
}
