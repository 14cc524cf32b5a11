//! One instruction of a run: the values it computes, the events it makes (accesses to memory:
//! [`crate::access`]), and the dependencies it hands on. Where a value is chosen, a read is guessed
//! or an exclusive store may succeed or fail, a run becomes several.

use std::collections::BTreeSet;

use program::{
    Access, Cell, EdgeId, Expr, Fault, Instruction, Order, Program, RegisterId, Target, Template,
    ThreadId, Value,
};

use crate::event::{Effect, Event, Origin};
use crate::flow::Flow;
use crate::limits::NoAnswer;
use crate::run::{Partial, PossibleFault};
use crate::values::{Values, WriteSet, Written};

/// Nondeterministic assignments with more values than this are not tried out.
const MOST_CHOICES: u128 = 1 << 16;

/// Why a run goes no further.
pub(crate) enum Stop {
    Blocked,
    Fault(Fault),
    NoAnswer(NoAnswer),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<NoAnswer> for Stop {
    fn from(why: NoAnswer) -> Self {
        Self::NoAnswer(why)
    }
}

/// Steps of one thread.
pub(crate) struct Stepper<'a> {
    program: &'a Program,
    template: &'a Template,
    pub(crate) thread: ThreadId,
    pub(crate) values: &'a Values,
    /// What the program is compiled for, unless it is asked about as it stands.
    pub(crate) target: Option<Target>,
    /// The writes of this thread.
    own: WriteSet,
    faults: BTreeSet<PossibleFault>,
    written: BTreeSet<Written>,
}

impl<'a> Stepper<'a> {
    pub(crate) fn new(
        program: &'a Program,
        template: &'a Template,
        thread: ThreadId,
        values: &'a Values,
        target: Option<Target>,
    ) -> Self {
        Self {
            program,
            template,
            thread,
            values,
            target,
            own: values.of(thread),
            faults: BTreeSet::new(),
            written: BTreeSet::new(),
        }
    }

    /// The faults met, and everything that was written, also in runs that came to no end.
    pub(crate) fn met(self) -> (BTreeSet<PossibleFault>, BTreeSet<Written>) {
        (self.faults, self.written)
    }

    /// The instructions of this thread that write and that a run has not come to yet.
    pub(crate) fn to_come(&self, partial: &Partial) -> WriteSet {
        let edges = partial.events.iter().filter_map(|local| local.event.edge);
        edges.fold(self.own, |rest, edge| rest - self.values.only(self.thread, edge))
    }

    /// Adds to `open` what becomes of a run that takes an edge.
    pub(crate) fn step(
        &mut self,
        partial: &Partial,
        edge_id: EdgeId,
        open: &mut Vec<Partial>,
    ) -> Result<(), NoAnswer> {
        let edge = self.template.edge(edge_id);
        let mut next = partial.clone();
        next.label = edge.to;
        for result in self.instruction(next, edge_id, &edge.instruction) {
            match result {
                Ok(next) => {
                    for (number, local) in next.events.iter().enumerate().skip(partial.events.len())
                    {
                        if let Some((address, value)) = local.event.written()
                            && !next.circular.contains(number)
                        {
                            self.written.insert(Written { address, value, past: local.past });
                        }
                    }
                    open.push(next);
                }
                Err(Stop::Blocked) => {}
                Err(Stop::NoAnswer(why)) => return Err(why),
                Err(Stop::Fault(fault)) if fault.is_limit() => {
                    let span = edge.span;
                    return Err(match self.template.bound(edge_id) {
                        Some(what) => NoAnswer::Bound { what: what.to_owned(), span },
                        None => NoAnswer::Overflow { span },
                    });
                }
                Err(Stop::Fault(fault)) => {
                    self.faults.insert(PossibleFault { thread: self.thread, edge: edge_id, fault });
                }
            }
        }
        Ok(())
    }

    fn instruction(
        &self,
        mut next: Partial,
        edge: EdgeId,
        instruction: &Instruction,
    ) -> Vec<Result<Partial, Stop>> {
        match instruction {
            Instruction::Skip => vec![Ok(next)],
            Instruction::Assign { register, value } => {
                let result = self.evaluate(&next, value).and_then(|(value, flow)| {
                    self.receive(&mut next, *register, value, flow)?;
                    Ok(next)
                });
                vec![result]
            }
            Instruction::Choose { low, high, .. } if high.abs_diff(*low) >= MOST_CHOICES => {
                let thread = self.template.name().to_owned();
                vec![Err(NoAnswer::TooManyRuns { thread }.into())]
            }
            Instruction::Choose { register, low, high } => (*low..=*high)
                .map(|value| {
                    let mut next = next.clone();
                    self.receive(&mut next, *register, value, Flow::default())?;
                    Ok(next)
                })
                .collect(),
            Instruction::Assume(condition) => {
                let result = match self.evaluate(&next, condition) {
                    Ok((0, _)) => Err(Stop::Blocked),
                    Ok((_, flow)) => {
                        next.control = next.control.and(flow);
                        Ok(next)
                    }
                    Err(stop) => Err(stop),
                };
                vec![result]
            }
            Instruction::Assert(condition) => {
                let result = match self.evaluate(&next, condition) {
                    Ok((0, _)) => Err(Fault::AssertionFailed.into()),
                    Ok((_, flow)) => {
                        next.control = next.control.and(flow);
                        Ok(next)
                    }
                    Err(stop) => Err(stop),
                };
                vec![result]
            }
            Instruction::Load { register, address, access } => {
                self.load(&next, edge, *register, address, *access)
            }
            Instruction::Store { address, value, access } => {
                vec![self.store(next, edge, address, value, *access)]
            }
            Instruction::StoreExclusive { status, address, value, access } => [true, false]
                .map(|succeeds| {
                    let operands = (address, value, *access);
                    self.store_exclusive(next.clone(), edge, *status, operands, succeeds)
                })
                .into(),
            Instruction::Update { result, address, update, access } => {
                self.update(&next, edge, *result, address, update, *access)
            }
            Instruction::Fence(kind) => {
                let kind = self.target.map_or(*kind, |target| target.fence(*kind));
                vec![self.fence(&mut next, edge, kind).map(|()| next).map_err(Stop::from)]
            }
            // Refused before any run is looked at.
            Instruction::Lock | Instruction::Unlock => vec![Err(Stop::Blocked)],
        }
    }

    pub(crate) fn event(
        &self,
        edge: EdgeId,
        effect: Effect,
        order: Order,
        origin: Origin,
    ) -> Event {
        Event { thread: Some(self.thread), edge: Some(edge), effect, order, origin }
    }

    /// The value of an expression and where it comes from.
    pub(crate) fn evaluate(&self, at: &Partial, expr: &Expr) -> Result<(Value, Flow), Stop> {
        let memory = self.program.memory();
        let value = expr.evaluate(memory, &at.registers.values)?;
        Ok((value, at.registers.flow(memory, expr)))
    }

    /// The address of an access, the cell there, and where the address comes from.
    pub(crate) fn access(
        &self,
        at: &Partial,
        address: &Expr,
        access: Access,
    ) -> Result<(Value, Cell, Flow), Stop> {
        let (address, flow) = self.evaluate(at, address)?;
        let cell = self.program.memory().accessed_cell(address, access.width)?;
        Ok((address, cell, flow))
    }

    pub(crate) fn receive(
        &self,
        next: &mut Partial,
        register: RegisterId,
        value: Value,
        flow: Flow,
    ) -> Result<(), Stop> {
        let domain = self.template.registers()[register].domain;
        next.registers.values[register] = domain.admit(value)?;
        next.registers.flows[register] = flow;
        Ok(())
    }
}
