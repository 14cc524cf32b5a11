//! Choosing one instruction for one or several steps: the inverse of lowering ([`super::instruction`]).
//!
//! What is chosen here lowers to exactly the steps it was chosen for. The generated registers of
//! lowered tests (`tmp32`, `flag_equal`) are recognised by name; they never become machine
//! registers.
#![expect(clippy::wildcard_enum_match_arm, reason = "a matcher names the shapes it knows")]

use program::{
    Access, Architecture, Domain, Expr, FetchOp, Instruction, Order, Register, RegisterId, Update,
};

use super::super::fence;
use super::super::machine::unsigned;
use super::flags::Code;
use super::print_line::Names;
use super::select_memory;
use super::select_value::{assignment, comparison};

/// Whether lowering a test made up this register for values on the way.
pub(super) fn is_temporary(register: &Register) -> bool {
    register.generated
        && match register.domain {
            Domain::Wrapping(int) => int.signed() && register.name == format!("tmp{}", int.bits()),
            Domain::Integer | Domain::Range { .. } => false,
        }
}

/// The condition code that a generated register holds.
pub(super) fn flag_code(register: &Register) -> Option<Code> {
    let code = Code::ALL.into_iter().find(|code| code.name() == register.name)?;
    (register.generated && register.domain == Domain::Wrapping(unsigned(1))).then_some(code)
}

/// A value taken from memory, or saved, on the way.
pub(super) struct Temporary<'a> {
    pub(super) register: RegisterId,
    pub(super) bits: u8,
    pub(super) origin: Origin<'a>,
}

pub(super) enum Origin<'a> {
    Load { address: &'a Expr, access: &'a Access },
    Saved(&'a Expr),
    Update { address: &'a Expr, update: &'a Update },
}

/// One instruction for the first of these steps and as many after it as belong to it, and how
/// many those are.
pub(super) fn instruction(names: &Names<'_>, steps: &[&Instruction]) -> Option<(usize, String)> {
    let temporary = temporary(names, steps.first()?);
    let mut next = usize::from(temporary.is_some());
    let mut set: Vec<(Code, &Expr)> = Vec::new();
    while let Some(Instruction::Assign { register, value }) = steps.get(next).copied()
        && let Some(code) = flag_code(&names.template.registers()[*register])
    {
        set.push((code, value));
        next += 1;
    }
    let rest = &steps[next..];
    let chosen = match &temporary {
        None if set.is_empty() => direct(names, rest),
        None => without_memory(names, rest, &set),
        Some(temporary) => select_memory::instruction(names, rest, &set, temporary),
    };
    chosen.map(|(more, text)| (next + more, text))
}

fn temporary<'a>(names: &Names<'_>, step: &'a Instruction) -> Option<Temporary<'a>> {
    let (register, origin) = match step {
        Instruction::Load { register, address, access } => {
            (*register, Origin::Load { address, access })
        }
        Instruction::Assign { register, value } => (*register, Origin::Saved(value)),
        Instruction::Update { result: Some(register), address, update, .. } => {
            (*register, Origin::Update { address, update })
        }
        _ => return None,
    };
    let found = is_temporary(&names.template.registers()[register]);
    let bits = names.register_bits(register);
    found.then_some(Temporary { register, bits, origin })
}

/// An instruction that needs no value on the way and sets no flags.
fn direct(names: &Names<'_>, steps: &[&Instruction]) -> Option<(usize, String)> {
    let text = match *steps.first()? {
        Instruction::Assign { register, value } => assignment(names, *register, value, &[])?,
        Instruction::Load { register, address, access } => {
            let bits = names.access_bits(address, access.width)?;
            let to = names.read(&Expr::Register(*register), bits)?;
            if access.exclusive {
                return None;
            }
            names.line("mov", bits, &[&to, &names.memory(address)?])
        }
        Instruction::Store { address, value, access } if access.order != Order::SeqCst => {
            let bits = names.access_bits(address, access.width)?;
            names.line("mov", bits, &[&names.memory(address)?, &names.stored(value, bits)?])
        }
        Instruction::Update { result, address, update, access } => {
            let bits = names.access_bits(address, access.width)?;
            let memory = names.memory(address)?;
            match (result, update) {
                (None, Update::Fetch { op, operand }) => {
                    locked(names, *op, operand, &memory, bits)?
                }
                (Some(result), Update::Exchange(value)) if *value == Expr::Register(*result) => {
                    names.line("xchg", bits, &[&memory, &names.read(value, bits)?])
                }
                (Some(result), Update::Fetch { op: FetchOp::Add, operand })
                    if *operand == Expr::Register(*result) =>
                {
                    names.line("lock xadd", bits, &[&memory, &names.read(operand, bits)?])
                }
                (Some(result), Update::CompareAndSwap { expected, new })
                    if *expected == Expr::Register(*result)
                        && is_accumulator(names, *result)
                        && names.register_bits(*result) == bits =>
                {
                    let new = names.slot(names.stored_slot(new, bits)?)?;
                    names.line("lock cmpxchg", bits, &[&memory, &new])
                }
                _ => return None,
            }
        }
        Instruction::Fence(kind) => names.bare(fence::instruction(Architecture::X86, *kind)?),
        _ => return None,
    };
    Some((1, text))
}

pub(super) fn is_accumulator(names: &Names<'_>, register: RegisterId) -> bool {
    matches!(names.registers[register], Some("EAX" | "rax"))
}

pub(super) fn locked(
    names: &Names<'_>,
    op: FetchOp,
    operand: &Expr,
    memory: &str,
    bits: u8,
) -> Option<String> {
    match (op, operand) {
        (FetchOp::Add, Expr::Const(1)) => Some(names.line("lock inc", bits, &[memory])),
        (FetchOp::Sub, Expr::Const(1)) => Some(names.line("lock dec", bits, &[memory])),
        (FetchOp::Xor, Expr::Const(-1)) => Some(names.line("lock not", bits, &[memory])),
        _ => locked_line(names, op, &names.read(operand, bits)?, memory, bits),
    }
}

/// A locked operation with this operand.
pub(super) fn locked_line(
    names: &Names<'_>,
    op: FetchOp,
    operand: &str,
    memory: &str,
    bits: u8,
) -> Option<String> {
    let mnemonic = match op {
        FetchOp::Add => "lock add",
        FetchOp::Sub => "lock sub",
        FetchOp::And => "lock and",
        FetchOp::Or => "lock or",
        FetchOp::Xor => "lock xor",
        FetchOp::Nand | FetchOp::Min | FetchOp::Max | FetchOp::MinAs(_) | FetchOp::MaxAs(_) => {
            return None;
        }
    };
    Some(names.line(mnemonic, bits, &[memory, operand]))
}

/// A comparison of registers, or arithmetic whose flags are used.
fn without_memory(
    names: &Names<'_>,
    rest: &[&Instruction],
    set: &[(Code, &Expr)],
) -> Option<(usize, String)> {
    if let Some(Instruction::Assign { register, value }) = rest.first()
        && let Some(text) = assignment(names, *register, value, set)
    {
        return Some((1, text));
    }
    comparison(names, set, None).map(|text| (0, text))
}
