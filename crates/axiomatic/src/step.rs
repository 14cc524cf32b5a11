//! One instruction of a run: the values it computes as far as they are known, the events it makes (accesses
//! to memory: [`crate::access`]), and the dependencies it hands on.

use program::{
    Access, EdgeId, Expr, Fault, Footprint, Instruction, Order, RegisterId, Target, Value,
};

use crate::event::{Effect, Event, Origin};
use crate::flow::Flow;
use crate::limits::{Bound, NoAnswer};
use crate::log::{Ask, Log, NOWHERE};
use crate::range::{Range, fits, range};
use crate::relation::EventSet;
use crate::run::{Partial, Wait, Walker};

/// Nondeterministic assignments with more values than this are not tried out.
const MOST_CHOICES: u128 = 1 << 16;

/// Why a run goes no further.
pub(crate) enum Stop {
    /// It has to know what these reads return.
    Blocked(EventSet),
    Asks {
        ask: Ask,
        answers: Vec<Value>,
        promise: bool,
    },
    /// It goes wrong, as was promised; how is not known yet.
    Failing,
    /// It does not keep what was promised.
    Impossible,
    /// It waits for another thread.
    Waits,
    /// It waits for another thread to write one of these.
    WaitsFor(Vec<Wait>),
    Fault(Fault),
    Bound(Bound),
    NoAnswer(NoAnswer),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A value, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) value: Option<Value>,
    /// Where it lies in any case.
    pub(crate) range: Range,
}

impl Held {
    pub(crate) const fn known(value: Value) -> Self {
        Self { value: Some(value), range: (value, value) }
    }
}

/// Steps of one thread.
pub(crate) struct Stepper<'a> {
    pub(crate) walker: &'a Walker<'a>,
    pub(crate) log: &'a Log,
    /// What its reads return, by their numbers as events, where that is known.
    pub(crate) given: &'a [Option<Value>],
}

impl Stepper<'_> {
    /// What the program is compiled for, unless it is asked about as it stands.
    pub(crate) const fn target(&self) -> Option<Target> {
        self.walker.task.target
    }

    /// The answer to a question that anything answers.
    pub(crate) fn choose(
        &self,
        at: &Partial,
        ask: Ask,
        answers: impl FnOnce() -> Vec<Value>,
    ) -> Result<Value, Stop> {
        let answer = self.log.get(at.steps, ask);
        answer.ok_or_else(|| Stop::Asks { ask, answers: answers(), promise: false })
    }

    /// The answer to a question that values answer: what is known, or what is promised.
    pub(crate) fn promised(
        &self,
        at: &Partial,
        ask: Ask,
        known: Option<bool>,
    ) -> Result<bool, Stop> {
        let promise = self.log.get(at.steps, ask).map(|answer| answer != 0);
        match (known, promise) {
            (Some(known), Some(promise)) if known != promise => Err(Stop::Impossible),
            (Some(answer), _) | (None, Some(answer)) => Ok(answer),
            (None, None) => Err(Stop::Asks { ask, answers: vec![1, 0], promise: true }),
        }
    }

    /// The same, where the answer is whether something can be done at all.
    pub(crate) fn possible<T>(
        &self,
        at: &Partial,
        ask: Ask,
        known: Option<Result<T, Fault>>,
    ) -> Result<Option<T>, Stop> {
        let is_possible = self.promised(at, ask, known.as_ref().map(Result::is_ok))?;
        match known {
            Some(Ok(result)) => Ok(Some(result)),
            Some(Err(fault)) => Err(fault.into()),
            None if is_possible => Ok(None),
            None => Err(Stop::Failing),
        }
    }

    pub(crate) fn instruction(&self, next: &mut Partial, edge: EdgeId) -> Result<(), Stop> {
        match &self.walker.template.edge(edge).instruction {
            Instruction::Skip => Ok(()),
            Instruction::Assign { register, value } => {
                let (value, flow) = self.evaluate(next, value, Ask::Evaluates(0))?;
                self.receive(next, *register, value, flow)
            }
            Instruction::Choose { low, high, .. } if high.abs_diff(*low) >= MOST_CHOICES => {
                let thread = self.walker.template.name().to_owned();
                Err(Stop::NoAnswer(NoAnswer::TooManyRuns { thread }))
            }
            Instruction::Choose { register, low, high } => {
                let value = self.choose(next, Ask::Value, || (*low..=*high).collect())?;
                self.receive(next, *register, Held::known(value), Flow::default())
            }
            Instruction::Assume(condition) => {
                let (value, flow) = self.needed(next, condition)?;
                if value == 0 {
                    let was_chosen = self.log.get(next.steps, Ask::Edge).is_some();
                    return Err(if was_chosen { Stop::Impossible } else { Stop::Waits });
                }
                next.control = next.control.and(flow);
                Ok(())
            }
            Instruction::Assert(condition) => {
                let (value, flow) = self.needed(next, condition)?;
                if value == 0 {
                    return Err(Fault::AssertionFailed.into());
                }
                next.control = next.control.and(flow);
                Ok(())
            }
            Instruction::Load { register, address, access } => {
                self.load(next, edge, *register, address, *access)
            }
            Instruction::Store { address, value, access } => {
                self.store(next, edge, address, value, *access)
            }
            Instruction::StoreExclusive { status, address, value, access } => {
                self.store_exclusive(next, edge, *status, (address, value, *access))
            }
            Instruction::Update { result, address, update, access } => {
                self.update(next, edge, *result, address, update, *access)
            }
            Instruction::Fence(kind) => {
                let kind = self.target().map_or(*kind, |target| target.fence(*kind));
                self.fence(next, edge, kind)
            }
            // Refused before any run is looked at.
            Instruction::Lock | Instruction::Unlock => Err(Stop::Waits),
        }
    }

    pub(crate) fn event(
        &self,
        edge: EdgeId,
        effect: Effect,
        order: Order,
        origin: Origin,
    ) -> Event {
        Event { thread: Some(self.walker.id), edge: Some(edge), effect, order, origin }
    }

    /// The value of an expression that decides where a thread goes or what it accesses, and where it comes
    /// from.
    pub(crate) fn needed(&self, at: &Partial, expr: &Expr) -> Result<(Value, Flow), Stop> {
        let memory = self.walker.task.program.memory();
        if !at.registers.knows(memory, expr) {
            return Err(Stop::Blocked(at.registers.flow(memory, expr).picked));
        }
        let value = expr.evaluate(memory, &at.registers.values)?;
        Ok((value, at.registers.flow(memory, expr)))
    }

    /// The value of an expression as far as it is known, and where it comes from.
    pub(crate) fn evaluate(
        &self,
        at: &mut Partial,
        expr: &Expr,
        ask: Ask,
    ) -> Result<(Held, Flow), Stop> {
        let memory = self.walker.task.program.memory();
        let flow = at.registers.flow(memory, expr);
        if at.registers.knows(memory, expr) {
            let value = expr.evaluate(memory, &at.registers.values);
            // It is known, so what comes back is.
            let value = self.possible(at, ask, Some(value))?.unwrap_or_default();
            return Ok((Held::known(value), flow));
        }
        at.provisional |= has_selection(expr);
        let registers = self.walker.template.registers();
        let of_register = |register: RegisterId| {
            if at.registers.known[register] {
                let value = at.registers.values[register];
                (value, value)
            } else {
                registers[register].domain.bounds()
            }
        };
        let range = range(memory, expr, &of_register);
        if range.is_some() {
            let _ = self.promised(at, ask, Some(true))?;
        } else {
            let _: Option<()> = self.possible(at, ask, None)?;
        }
        let anything = (Value::MIN, Value::MAX);
        Ok((Held { value: None, range: range.unwrap_or(anything) }, flow))
    }

    /// The cells of an access after which the thread may go on before its address is known, and where the
    /// address comes from.
    pub(crate) fn early_access(
        &self,
        at: &mut Partial,
        address: &Expr,
        access: Access,
    ) -> Result<(Footprint, Flow), Stop> {
        let memory = self.walker.task.program.memory();
        let promise = self.log.get(at.steps, Ask::Address);
        if at.registers.knows(memory, address) {
            let found = self.access(at, address, access);
            return match (found, promise) {
                (Ok((cells, _)), Some(promised)) if cells.address != promised => {
                    Err(Stop::Impossible)
                }
                (Err(Stop::Fault(_)), Some(promised)) if promised != NOWHERE => {
                    Err(Stop::Impossible)
                }
                (found, _) => found,
            };
        }
        if self.walker.task.waits_for_addresses {
            return self.access(at, address, access);
        }
        let flow = at.registers.flow(memory, address);
        at.provisional |= has_selection(address);
        match promise {
            Some(NOWHERE) => Err(Stop::Failing),
            Some(promised) => Ok((memory.footprint(promised, access.width)?, flow)),
            None => {
                let number: u64 = memory.locations().iter().map(program::Location::cells).sum();
                if u128::from(number) >= MOST_CHOICES {
                    let thread = self.walker.template.name().to_owned();
                    return Err(Stop::NoAnswer(NoAnswer::TooManyRuns { thread }));
                }
                let locations = memory.locations().iter();
                let cells = locations.flat_map(|location| {
                    let index = 0..Value::from(location.cells());
                    index.filter_map(|index| location.address(index).ok())
                });
                let answers = cells.chain([NOWHERE]).collect();
                Err(Stop::Asks { ask: Ask::Address, answers, promise: true })
            }
        }
    }

    /// The cells of an access, and where its address comes from.
    pub(crate) fn access(
        &self,
        at: &Partial,
        address: &Expr,
        access: Access,
    ) -> Result<(Footprint, Flow), Stop> {
        let (address, flow) = self.needed(at, address)?;
        Ok((self.walker.task.program.memory().footprint(address, access.width)?, flow))
    }

    pub(crate) fn receive(
        &self,
        next: &mut Partial,
        register: RegisterId,
        held: Held,
        flow: Flow,
    ) -> Result<(), Stop> {
        let domain = self.walker.template.registers()[register].domain;
        let value = match held.value {
            Some(value) => self.possible(next, Ask::Receives, Some(domain.admit(value)))?,
            None if fits(domain, held.range) => {
                let _ = self.promised(next, Ask::Receives, Some(true))?;
                None
            }
            None => self.possible(next, Ask::Receives, None)?,
        };
        next.registers.values[register] = value.unwrap_or_default();
        next.registers.known[register] = value.is_some();
        next.registers.flows[register] = flow;
        Ok(())
    }

    /// What memory holds where a value is written.
    pub(crate) fn admit(&self, at: &Partial, cells: Footprint, held: Held) -> Result<Held, Stop> {
        match held.value {
            Some(value) => {
                let admitted = self.possible(at, Ask::Fits, Some(cells.admit(value)))?;
                Ok(Held::known(admitted.unwrap_or_default()))
            }
            None if fits(cells.cell.domain, held.range) => {
                let _ = self.promised(at, Ask::Fits, Some(true))?;
                Ok(held)
            }
            None => {
                let _: Option<()> = self.possible(at, Ask::Fits, None)?;
                Ok(held)
            }
        }
    }
}

/// Whether an expression selects one of two values.
fn has_selection(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |inner| found |= matches!(inner, Expr::Select(_)));
    found
}
