//! What a thread would do next, as far as the thread alone decides it: expressions are evaluated,
//! memory is not looked at yet.
//!
//! The meaning of every instruction is that of `program::instruction`. Where it leaves the order
//! of faults open, the expressions come first, in their order, then the cell hit, then what is
//! put into it (also by an exclusive store that could fail instead). An instruction that faults has no other effect than to stop its thread, except that
//! a value it read before (a load or an update whose result does not fit) was read.

use program::{
    AccessWidth, EdgeId, Expr, Fault, FetchOp, Footprint, Instruction, Order, RegisterId, Update,
    Value,
};

use crate::code::{Code, ThreadCode};
use crate::limits::{Exceeded, Limits};
use crate::state::ThreadState;

/// What an update makes of the value it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Exchange(Value),
    Fetch(FetchOp, Value),
    CompareAndSwap { expected: Value, new: Value },
    BlockingReadWrite { expected: Value, new: Value },
}

/// What a thread would do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// A step that concerns nobody else; the register written gets this value.
    Internal { assigned: Option<(RegisterId, Value)> },
    /// It stops.
    Stop(Fault),
    /// It waits until its buffer is empty.
    Fence,
    /// It takes the memory lock.
    Lock,
    /// It gives the memory lock back.
    Unlock,
    /// It reads through the buffer.
    Load { register: RegisterId, cells: Footprint, reserve: bool },
    /// It writes through the buffer.
    Store { cells: Footprint, value: Value },
    /// It waits for the buffer and writes memory.
    LockedStore { cells: Footprint, value: Value },
    /// It waits for the buffer, then reads and writes memory in one step.
    Update { result: Option<RegisterId>, cells: Footprint, change: Change },
    /// It waits for the buffer, then writes memory if its reservation stands, or fails.
    StoreExclusive { status: RegisterId, cells: Footprint, value: Value },
}

/// What `state` would do next: nothing if it has ended or stopped, or only waits for a condition
/// that is false.
pub(crate) fn intents(
    code: &Code,
    limits: &Limits,
    state: &ThreadState,
) -> Result<Vec<(EdgeId, Intent)>, Exceeded> {
    if state.fault.is_some() {
        return Ok(Vec::new());
    }
    let thread = &code.threads[state.thread];
    let mut all = Vec::new();
    for edge in &thread.outgoing[state.label] {
        let instruction = &thread.edges[*edge].instruction;
        if let Instruction::Choose { register, low, high } = instruction {
            if usize::try_from(high - low).map_or(true, |more| more >= limits.max_states) {
                return Err(Exceeded::States);
            }
            all.extend((*low..=*high).map(|value| (*edge, assign(thread, *register, Ok(value)))));
        } else {
            match intent(code, state, instruction) {
                Ok(Some(intent)) => all.push((*edge, intent)),
                Ok(None) => {}
                Err(fault) => all.push((*edge, Intent::Stop(fault))),
            }
        }
    }
    Ok(all)
}

fn assign(thread: &ThreadCode, register: RegisterId, value: Result<Value, Fault>) -> Intent {
    match value.and_then(|value| thread.domains[register].admit(value)) {
        Ok(value) => Intent::Internal { assigned: Some((register, value)) },
        Err(fault) => Intent::Stop(fault),
    }
}

fn intent(
    code: &Code,
    state: &ThreadState,
    instruction: &Instruction,
) -> Result<Option<Intent>, Fault> {
    let eval = |expr: &Expr| expr.evaluate(&code.memory, &state.registers);
    let cells = |address: &Expr, width: AccessWidth| code.memory.footprint(eval(address)?, width);
    let intent = match instruction {
        Instruction::Assign { register, value } => {
            assign(&code.threads[state.thread], *register, eval(value))
        }
        Instruction::Choose { .. } => unreachable!("a choice is many intents"),
        Instruction::Assume(condition) if eval(condition)? == 0 => return Ok(None),
        Instruction::Assert(condition) if eval(condition)? == 0 => {
            return Err(Fault::AssertionFailed);
        }
        Instruction::Load { register, address, access } => {
            let cells = cells(address, access.width)?;
            Intent::Load { register: *register, cells, reserve: access.exclusive }
        }
        Instruction::Store { address, value, access } => {
            let cells = cells(address, access.width)?;
            let value = cells.admit(eval(value)?)?;
            if access.order == Order::SeqCst {
                Intent::LockedStore { cells, value }
            } else {
                Intent::Store { cells, value }
            }
        }
        Instruction::StoreExclusive { status, address, value, access } => {
            let cells = cells(address, access.width)?;
            let value = cells.admit(eval(value)?)?;
            Intent::StoreExclusive { status: *status, cells, value }
        }
        Instruction::Update { result, address, update, access } => {
            let cells = cells(address, access.width)?;
            let change = match update {
                Update::Exchange(value) => Change::Exchange(eval(value)?),
                Update::Fetch { op, operand } => Change::Fetch(*op, eval(operand)?),
                Update::CompareAndSwap { expected, new } => {
                    Change::CompareAndSwap { expected: eval(expected)?, new: eval(new)? }
                }
                Update::BlockingReadWrite { expected, new } => {
                    Change::BlockingReadWrite { expected: eval(expected)?, new: eval(new)? }
                }
            };
            Intent::Update { result: *result, cells, change }
        }
        Instruction::Fence(kind) if kind.orders_store_before_load() => Intent::Fence,
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_) => Intent::Internal { assigned: None },
        Instruction::Lock if state.in_section => return Err(Fault::LockHeld),
        Instruction::Lock => Intent::Lock,
        Instruction::Unlock if state.in_section => Intent::Unlock,
        Instruction::Unlock => return Err(Fault::LockNotHeld),
    };
    Ok(Some(intent))
}
