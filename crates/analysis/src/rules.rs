//! What an instruction does once the value it reads is known.
//!
//! These are the rules of [`program::instruction`] without any memory: whoever asks says what is
//! read, and decides when and where what is written arrives. They are written here a second time,
//! apart from `semantics`, so that a counterexample is found by one reading of the rules and
//! accepted by the other.

use program::{
    AccessWidth, Domain, Expr, Fault, IndexVec, Instruction, Memory, Register, RegisterId,
    Template, Update, Value,
};
use semantics::Choice;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It cannot be taken now.
    Blocked,
    /// It stops the thread.
    Fault(Fault),
    /// It is done: the register it writes, and the value it writes to the cell it accesses.
    Done { register: Option<(RegisterId, Value)>, written: Option<Value> },
}

/// What an instruction meets in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellContext {
    /// What the cell that it accesses holds, or all cells together.
    pub(crate) held: Value,
    /// Whether the thread has a reservation of that cell.
    pub(crate) is_reserved: bool,
}

/// The registers of a thread, and what they can hold.
#[derive(Clone, Copy)]
pub(crate) struct Registers<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) declared: &'a IndexVec<RegisterId, Register>,
    pub(crate) values: &'a IndexVec<RegisterId, Value>,
}

impl<'a> Registers<'a> {
    pub(crate) fn of(
        memory: &'a Memory,
        template: &'a Template,
        values: &'a IndexVec<RegisterId, Value>,
    ) -> Self {
        Self { memory, declared: template.registers(), values }
    }

    fn evaluate(self, expr: &Expr) -> Result<Value, Fault> {
        expr.evaluate(self.memory, self.values)
    }

    /// The value of an expression, if it has one.
    pub(crate) fn value(self, expr: &Expr) -> Option<Value> {
        self.evaluate(expr).ok()
    }

    /// Whether an expression has a value.
    pub(crate) fn can_evaluate(self, expr: &Expr) -> bool {
        self.evaluate(expr).is_ok()
    }

    fn receive(self, register: RegisterId, value: Value) -> Result<(RegisterId, Value), Fault> {
        Ok((register, self.declared[register].domain.admit(value)?))
    }

    /// The address of the cell that an instruction accesses, if it accesses one: the first, if several.
    pub(crate) fn address(self, instruction: &Instruction) -> Option<Result<Value, Fault>> {
        Some(self.accessed(instruction)?.map(|(address, _)| address))
    }

    /// The same, and what the cell can hold, or all cells together.
    pub(crate) fn accessed(
        self,
        instruction: &Instruction,
    ) -> Option<Result<(Value, Domain), Fault>> {
        let (address, access) = instruction.memory_access()?;
        Some(self.found_at(address, access.width))
    }

    fn found_at(self, address: &Expr, width: AccessWidth) -> Result<(Value, Domain), Fault> {
        if let AccessWidth::Across(int) = width {
            let address = self.evaluate(address)?;
            self.memory.footprint(address, width)?;
            return Ok((address, Domain::Wrapping(int)));
        }
        // An element is a cell of its location: that need not be looked for.
        if let Expr::Element(location, index) = address {
            let location = self.memory.location(*location);
            let address = location.address(self.evaluate(index)?)?;
            let fits = width.fits(location.domain);
            return if fits {
                Ok((address, location.domain))
            } else {
                Err(Fault::MixedSize { address })
            };
        }
        let address = self.evaluate(address)?;
        Ok((address, self.memory.accessed_cell(address, width)?.domain))
    }

    /// What an instruction does if this is what it meets. Taking and giving back the memory lock do
    /// nothing here, and reservations are neither made nor ended.
    pub(crate) fn execute(
        self,
        instruction: &Instruction,
        choice: Choice,
        met: CellContext,
    ) -> Effect {
        self.execute_at(self.accessed(instruction), instruction, choice, met)
    }

    /// The same, by somebody who knows what is accessed ([`Self::accessed`]).
    pub(crate) fn execute_at(
        self,
        accessed: Option<Result<(Value, Domain), Fault>>,
        instruction: &Instruction,
        choice: Choice,
        met: CellContext,
    ) -> Effect {
        let done = accessed.transpose().and_then(|accessed| {
            self.try_execute(accessed.map(|(_, domain)| domain), instruction, choice, met)
        });
        match done {
            Ok(Some((register, written))) => Effect::Done { register, written },
            Ok(None) => Effect::Blocked,
            Err(fault) => Effect::Fault(fault),
        }
    }

    #[expect(
        clippy::type_complexity,
        reason = "the register and the value written, for one caller"
    )]
    fn try_execute(
        self,
        accessed: Option<Domain>,
        instruction: &Instruction,
        choice: Choice,
        CellContext { held, is_reserved }: CellContext,
    ) -> Result<Option<(Option<(RegisterId, Value)>, Option<Value>)>, Fault> {
        let admitted = |value: Value| accessed.expect("an access").admit(value);
        let register = |register, value| Ok(Some((Some(self.receive(register, value)?), None)));
        match instruction {
            Instruction::Skip | Instruction::Fence(_) | Instruction::Lock | Instruction::Unlock => {
                Ok(Some((None, None)))
            }
            Instruction::Assign { register: to, value } => register(*to, self.evaluate(value)?),
            Instruction::Choose { register: to, .. } => match choice {
                Choice::Value(value) => register(*to, value),
                Choice::Determined | Choice::Succeed | Choice::Fail => Ok(None),
            },
            Instruction::Assume(condition) => {
                Ok((self.evaluate(condition)? != 0).then_some((None, None)))
            }
            Instruction::Assert(condition) => match self.evaluate(condition)? {
                0 => Err(Fault::AssertionFailed),
                _ => Ok(Some((None, None))),
            },
            Instruction::Load { register: to, .. } => register(*to, held),
            Instruction::Store { value, .. } => {
                Ok(Some((None, Some(admitted(self.evaluate(value)?)?))))
            }
            Instruction::StoreExclusive { status, value, .. } => {
                let value = admitted(self.evaluate(value)?)?;
                let succeeds = choice == Choice::Succeed;
                if succeeds && !is_reserved {
                    return Ok(None);
                }
                let status = self.receive(*status, Value::from(!succeeds))?;
                Ok(Some((Some(status), succeeds.then_some(value))))
            }
            Instruction::Update { result, update, .. } => {
                let new = match update {
                    Update::Exchange(new) => Some(self.evaluate(new)?),
                    Update::Fetch { op, operand } => Some(op.apply(held, self.evaluate(operand)?)?),
                    Update::CompareAndSwap { expected, new } => {
                        let (expected, new) = (self.evaluate(expected)?, self.evaluate(new)?);
                        (held == expected).then_some(new)
                    }
                    Update::BlockingReadWrite { expected, new } => {
                        let (expected, new) = (self.evaluate(expected)?, self.evaluate(new)?);
                        if held != expected {
                            return Ok(None);
                        }
                        Some(new)
                    }
                };
                let written = new.map(admitted).transpose()?;
                let received = result.map(|to| self.receive(to, held)).transpose()?;
                Ok(Some((received, written)))
            }
        }
    }
}
