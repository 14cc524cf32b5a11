//! One instruction of a run: the values it computes, the events it makes (accesses to memory:
//! [`crate::access`]), and the dependencies it hands on. Where a value is chosen, a read is guessed
//! or an exclusive store may succeed or fail, a run becomes several.

use std::collections::BTreeSet;

use program::{
    Access, EdgeId, Expr, Fault, Footprint, Instruction, Order, Program, RegisterId, Target,
    Template, ThreadId, Update, Value,
};

use crate::event::{Effect, Event, Origin};
use crate::flow::Flow;
use crate::limits::{Bound, NoAnswer};
use crate::run::{Ending, LocalEvent, Partial, PossibleFault};
use crate::shape;
use crate::values::{Task, Values, Written};

/// Nondeterministic assignments with more values than this are not tried out.
const MOST_CHOICES: u128 = 1 << 16;

/// Why a run goes no further.
pub(crate) enum Stop {
    Blocked,
    Fault(Fault),
    /// A fault of an instruction that has read something already.
    FaultAfter(Box<Partial>, Fault),
    Bound(Bound),
    NoAnswer(NoAnswer),
}

impl Stop {
    /// The same, of an instruction that had come so far.
    pub(crate) fn after(self, partial: Partial) -> Self {
        match self {
            Self::Fault(fault) | Self::FaultAfter(_, fault) => {
                Self::FaultAfter(Box::new(partial), fault)
            }
            Self::Blocked | Self::Bound(_) | Self::NoAnswer(_) => self,
        }
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
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
    /// Whether the cells of an access are known to be accessed at once.
    pub(crate) reads_at_once: bool,
    written: BTreeSet<Written>,
}

/// What becomes of a run that takes an edge.
#[derive(Default)]
pub(crate) struct Stepped {
    pub(crate) runs: Vec<Partial>,
    /// How it ends at the edge, in other cases.
    pub(crate) ends: Vec<(Partial, Ending)>,
    /// Whether the edge may have to wait for another thread.
    pub(crate) waits: bool,
}

impl<'a> Stepper<'a> {
    pub(crate) fn new(
        task: &Task<'a>,
        template: &'a Template,
        thread: ThreadId,
        values: &'a Values,
    ) -> Self {
        let Task { program, target, reads_at_once, .. } = *task;
        let written = BTreeSet::new();
        Self { program, template, thread, values, target, reads_at_once, written }
    }

    /// Everything that was written, also in runs that came to no end.
    pub(crate) fn written(self) -> BTreeSet<Written> {
        self.written
    }

    /// What becomes of a run that takes an edge.
    pub(crate) fn step(&mut self, partial: &Partial, edge_id: EdgeId) -> Result<Stepped, NoAnswer> {
        let edge = self.template.edge(edge_id);
        let mut next = partial.clone();
        next.label = edge.to;
        let mut stepped = Stepped { waits: waits(&edge.instruction), ..Stepped::default() };
        for result in self.instruction(next, edge_id, &edge.instruction) {
            match result {
                Ok(mut next) => {
                    if shape::can_write(&edge.instruction) {
                        let times = next.times(edge_id);
                        next.done = next.done | self.values.only(self.thread, edge_id, times);
                        next.taken.push(edge_id);
                    }
                    for (number, local) in next.events.iter().enumerate().skip(partial.events.len())
                    {
                        if let Some((address, value)) = local.event.written()
                            && !next.circular.contains(number)
                        {
                            let LocalEvent { past, access, .. } = *local;
                            let whole = next.wholes.get(&access).copied();
                            self.written.insert(Written { address, value, whole, past });
                        }
                    }
                    stepped.runs.push(next);
                }
                Err(Stop::Blocked) => {}
                Err(Stop::NoAnswer(why)) => return Err(why),
                Err(Stop::Bound(bound)) => {
                    stepped.ends.push((partial.clone(), Ending::Bound(bound)));
                }
                Err(Stop::Fault(fault)) => {
                    stepped.ends.push((partial.clone(), self.failed(edge_id, fault)));
                }
                Err(Stop::FaultAfter(read, fault)) => {
                    stepped.ends.push((*read, self.failed(edge_id, fault)));
                }
            }
        }
        Ok(stepped)
    }

    /// The end of a run that goes wrong, or that leaves a range that nobody declared.
    fn failed(&self, edge: EdgeId, fault: Fault) -> Ending {
        if !fault.is_limit() {
            return Ending::Fault(PossibleFault { thread: self.thread, edge, fault });
        }
        let span = self.template.edge(edge).span;
        Ending::Bound(match self.template.bound(edge) {
            Some(what) => Bound::FrontEnd { what: what.to_owned(), span },
            None => Bound::Overflow { span },
        })
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
                vec![Err(Stop::NoAnswer(NoAnswer::TooManyRuns { thread }))]
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
                vec![self.fence(&mut next, edge, kind).map(|()| next)]
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

    /// The cells of an access, and where its address comes from.
    pub(crate) fn access(
        &self,
        at: &Partial,
        address: &Expr,
        access: Access,
    ) -> Result<(Footprint, Flow), Stop> {
        let (address, flow) = self.evaluate(at, address)?;
        Ok((self.program.memory().footprint(address, access.width)?, flow))
    }

    /// What a cell holds at the start.
    pub(crate) fn initial(&self, address: Value) -> Value {
        self.program.memory().cell(address).map_or(0, |cell| cell.initial)
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

/// Whether an instruction waits for what another thread does.
const fn waits(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Update { update, .. } => matches!(update, Update::BlockingReadWrite { .. }),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}
