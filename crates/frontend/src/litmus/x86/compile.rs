//! Instructions for steps that are no single instruction, in programs that were not read from a
//! litmus test: values go through a scratch register.
//!
//! Fences that TSO does not need and no x86 instruction stands for (acquire, release, control and
//! the like) are left out.
#![expect(clippy::wildcard_enum_match_arm, reason = "a matcher names the shapes it knows")]

use program::{
    Access, Architecture, BinaryOp, Diagnostic, Diagnostics, Domain, Edge, Expr, FenceKind,
    FetchOp, Instruction, Order, RegisterId, UnaryOp, Update,
};

use super::super::fence;
use super::flags::{Code, Condition};
use super::print_line::{Names, Slot};
use super::register;
use super::select::{self, flag_code, is_temporary};
use super::thread::accumulator;

type Lines = Vec<String>;

/// The instructions for one edge.
pub(super) fn step(names: &Names<'_>, edge: &Edge, errors: &mut Diagnostics) -> Lines {
    step_or(names, edge).unwrap_or_else(|what| {
        let message = format!("{what} cannot be written as a litmus test");
        errors.push(Diagnostic::new(edge.span, message));
        Vec::new()
    })
}

/// The instructions for one edge, or what it is that has none.
fn step_or(names: &Names<'_>, edge: &Edge) -> Result<Lines, &'static str> {
    let found = match &edge.instruction {
        Instruction::Skip => Some(vec![names.bare("nop")]),
        Instruction::Assign { register, value } => assign(names, *register, value),
        Instruction::Load { register, address, access } if !access.exclusive => {
            load(names, *register, address, *access)
        }
        Instruction::Store { address, value, access } => store(names, address, value, *access),
        Instruction::Update { update: Update::BlockingReadWrite { .. }, .. } => {
            return Err("a blocking read-write");
        }
        Instruction::Update { result, address, update, access } => {
            atomic(names, *result, address, update, *access)
        }
        Instruction::Fence(kind) => Some(fence(names, *kind)),
        Instruction::Choose { .. } => return Err("a nondeterministic value"),
        Instruction::Assume(_) => return Err("waiting"),
        Instruction::Assert(_) => return Err("an assertion"),
        Instruction::Lock | Instruction::Unlock => return Err("a locked section"),
        Instruction::Load { .. } | Instruction::StoreExclusive { .. } => {
            return Err("an exclusive access");
        }
    };
    found.ok_or_else(|| match edge.instruction.memory_access() {
        Some((address, _)) if names.memory(address).is_none() => "an access to this address",
        Some(_) => "this access",
        None => "this computation",
    })
}

/// The comparison before a conditional jump, if two edges are one; the first is the jump.
pub(super) fn branch(names: &Names<'_>, first: &Edge, second: &Edge) -> Option<(Lines, Condition)> {
    let (Instruction::Assume(taken), Instruction::Assume(otherwise)) =
        (&first.instruction, &second.instruction)
    else {
        return None;
    };
    if taken.negated() != *otherwise {
        return None;
    }
    let (op, left, right) = match taken {
        Expr::Register(register) => {
            if let Some(code) = flag_code(&names.template.registers()[*register]) {
                return Some((Vec::new(), Condition { code, negated: false }));
            }
            (BinaryOp::Ne, taken, &Expr::Const(0))
        }
        Expr::Unary(UnaryOp::Not, inner) => {
            if let Expr::Register(register) = **inner
                && let Some(code) = flag_code(&names.template.registers()[register])
            {
                return Some((Vec::new(), Condition { code, negated: true }));
            }
            (BinaryOp::Eq, &**inner, &Expr::Const(0))
        }
        Expr::Binary(op, left, right) => (*op, &**left, &**right),
        _ => return None,
    };
    let (op, left, right) = match left {
        Expr::Const(_) => (swapped(op)?, right, left),
        _ => (op, left, right),
    };
    let Expr::Register(register) = left else { return None };
    let bits = names.register_bits(*register);
    let is_unsigned = match names.template.registers()[*register].domain {
        Domain::Wrapping(int) => !int.signed(),
        Domain::Integer | Domain::Range { .. } => false,
    };
    let condition = match (op, is_unsigned) {
        (BinaryOp::Eq, _) => Condition { code: Code::Equal, negated: false },
        (BinaryOp::Ne, _) => Condition { code: Code::Equal, negated: true },
        (BinaryOp::Lt, false) => Condition { code: Code::Less, negated: false },
        (BinaryOp::Ge, false) => Condition { code: Code::Less, negated: true },
        (BinaryOp::Le, false) => Condition { code: Code::LessOrEqual, negated: false },
        (BinaryOp::Gt, false) => Condition { code: Code::LessOrEqual, negated: true },
        (BinaryOp::Lt, true) => Condition { code: Code::Below, negated: false },
        (BinaryOp::Ge, true) => Condition { code: Code::Below, negated: true },
        (BinaryOp::Le, true) => Condition { code: Code::BelowOrEqual, negated: false },
        (BinaryOp::Gt, true) => Condition { code: Code::BelowOrEqual, negated: true },
        _ => return None,
    };
    if let Expr::Const(value) = right {
        // A constant that the register cannot hold would be compared as another one.
        names.template.registers()[*register].domain.contains(*value).then_some(())?;
    }
    let operands = [names.read(left, bits)?, names.read(right, bits)?];
    Some((vec![names.line("cmp", bits, &[&operands[0], &operands[1]])], condition))
}

const fn swapped(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Eq | BinaryOp::Ne => Some(op),
        BinaryOp::Lt => Some(BinaryOp::Gt),
        BinaryOp::Gt => Some(BinaryOp::Lt),
        BinaryOp::Le => Some(BinaryOp::Ge),
        BinaryOp::Ge => Some(BinaryOp::Le),
        _ => None,
    }
}

/// What TSO orders anyway needs no instruction.
fn fence(names: &Names<'_>, kind: FenceKind) -> Lines {
    let kind = if kind.orders_store_before_load() { FenceKind::Full } else { kind };
    let written = fence::instruction(Architecture::X86, kind);
    written.map(|mnemonic| names.bare(mnemonic)).into_iter().collect()
}

/// The scratch register, whole and as an operand of this width.
fn scratch(names: &Names<'_>, bits: u8) -> Option<String> {
    Some(names.decorated(register::part_name(names.scratch?, bits)?))
}

/// A program's own register; not one that only stands for part of an instruction.
fn own_register(names: &Names<'_>, register: RegisterId, bits: u8) -> Option<String> {
    let data = &names.template.registers()[register];
    if is_temporary(data) || flag_code(data).is_some() || names.register_bits(register) != bits {
        return None;
    }
    names.slot(Slot { register, bits, high: false })
}

/// Puts the value of an expression into a register that it does not mention.
fn compute(names: &Names<'_>, to: &str, value: &Expr, bits: u8) -> Option<Lines> {
    if let Some(from) = names.stored(value, bits) {
        return Some(vec![names.line("mov", bits, &[to, &from])]);
    }
    let mut lines = Vec::new();
    match value {
        Expr::Binary(op, left, right) => {
            let mnemonic = match op {
                BinaryOp::Add => "add",
                BinaryOp::Sub => "sub",
                BinaryOp::BitAnd => "and",
                BinaryOp::BitOr => "or",
                BinaryOp::BitXor => "xor",
                _ => return None,
            };
            lines.extend(compute(names, to, left, bits)?);
            lines.push(names.line(mnemonic, bits, &[to, &names.read(right, bits)?]));
        }
        Expr::Unary(op, operand) => {
            let mnemonic = match op {
                UnaryOp::Neg => "neg",
                UnaryOp::BitNot => "not",
                UnaryOp::Not => return None,
            };
            lines.extend(compute(names, to, operand, bits)?);
            lines.push(names.line(mnemonic, bits, &[to]));
        }
        _ => return None,
    }
    Some(lines)
}

/// A value as an operand, through the scratch register if need be.
fn operand(names: &Names<'_>, value: &Expr, bits: u8) -> Option<(Lines, String)> {
    if let Some(simple) = names.stored(value, bits) {
        return Some((Vec::new(), simple));
    }
    let register = scratch(names, bits)?;
    Some((compute(names, &register, value, bits)?, register))
}

fn assign(names: &Names<'_>, register: RegisterId, value: &Expr) -> Option<Lines> {
    let bits = names.register_bits(register);
    let to = own_register(names, register, bits)?;
    if !value.registers().contains(&register) {
        return compute(names, &to, value, bits);
    }
    let (mut lines, from) = operand(names, value, bits)?;
    lines.push(names.line("mov", bits, &[&to, &from]));
    Some(lines)
}

/// Sign or zero extension would need instructions that herd does not have.
fn same_width(names: &Names<'_>, register: RegisterId, bits: u8) -> Option<()> {
    (names.register_bits(register) == bits).then_some(())
}

fn load(names: &Names<'_>, register: RegisterId, address: &Expr, access: Access) -> Option<Lines> {
    let bits = names.access_bits(address, access.width)?;
    same_width(names, register, bits)?;
    let to = own_register(names, register, bits)?;
    Some(vec![names.line("mov", bits, &[&to, &names.memory(address)?])])
}

fn store(names: &Names<'_>, address: &Expr, value: &Expr, access: Access) -> Option<Lines> {
    let bits = names.access_bits(address, access.width)?;
    let memory = names.memory(address)?;
    if access.order == Order::SeqCst {
        let register = scratch(names, bits)?;
        let mut lines = compute(names, &register, value, bits)?;
        lines.push(names.line("xchg", bits, &[&memory, &register]));
        return Some(lines);
    }
    let (mut lines, from) = operand(names, value, bits)?;
    lines.push(names.line("mov", bits, &[&memory, &from]));
    Some(lines)
}

fn atomic(
    names: &Names<'_>,
    result: Option<RegisterId>,
    address: &Expr,
    update: &Update,
    access: Access,
) -> Option<Lines> {
    let bits = names.access_bits(address, access.width)?;
    let memory = names.memory(address)?;
    let register = scratch(names, bits)?;
    let (mut lines, from) = match update {
        Update::Exchange(value) => {
            let mut lines = compute(names, &register, value, bits)?;
            lines.push(names.line("xchg", bits, &[&memory, &register]));
            (lines, register)
        }
        Update::Fetch { op, operand: value } if result.is_none() => {
            let (mut lines, from) = operand(names, value, bits)?;
            lines.push(select::locked_line(names, *op, &from, &memory, bits)?);
            (lines, from)
        }
        Update::Fetch { op: FetchOp::Add, operand: value } => {
            let mut lines = compute(names, &register, value, bits)?;
            lines.push(names.line("lock xadd", bits, &[&memory, &register]));
            (lines, register)
        }
        Update::Fetch { op: FetchOp::Sub, operand: value } => {
            let mut lines = compute(names, &register, value, bits)?;
            lines.push(names.line("neg", bits, &[&register]));
            lines.push(names.line("lock xadd", bits, &[&memory, &register]));
            (lines, register)
        }
        Update::CompareAndSwap { expected, new } => {
            let whole = accumulator(names.dialect).whole;
            let holds_variable = names.registers.iter().any(|name| *name == Some(whole));
            if holds_variable {
                return None;
            }
            let comparand = names.decorated(register::part_name(whole, bits)?);
            let mut lines = compute(names, &comparand, expected, bits)?;
            lines.extend(compute(names, &register, new, bits)?);
            lines.push(names.line("lock cmpxchg", bits, &[&memory, &register]));
            (lines, comparand)
        }
        Update::Fetch { .. } | Update::BlockingReadWrite { .. } => return None,
    };
    if let Some(result) = result {
        let to = own_register(names, result, bits)?;
        lines.push(names.line("mov", bits, &[&to, &from]));
    }
    Some(lines)
}
