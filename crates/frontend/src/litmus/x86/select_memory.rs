//! Choosing one instruction for steps that go through a temporary: read-modify-writes, operands
//! in memory, exchanges, and locked operations whose flags are used.

use program::{Access, BinaryOp, Expr, FetchOp, Instruction, Update};

use super::flags::Code;
use super::print_line::{Names, Slot};
use super::select::{Origin, Temporary, is_accumulator, locked, locked_line};
use super::select_value::{
    comparison, conditional_move, current, destination, modified, needs_carry,
};

/// The steps after the temporary was filled and the flags were set.
type Rest<'a> = [&'a Instruction];

/// One instruction for a temporary, these flags, and as many of the steps after them as belong to
/// it, and how many those are.
pub(super) fn instruction(
    names: &Names<'_>,
    rest: &Rest<'_>,
    set: &[(Code, &Expr)],
    temporary: &Temporary<'_>,
) -> Option<(usize, String)> {
    match &temporary.origin {
        Origin::Load { address, access } => loaded(names, rest, set, temporary, (address, access)),
        Origin::Saved(value) => saved(names, rest, temporary, value),
        Origin::Update { address, update } => {
            updated(names, rest, set, temporary, &names.memory(address)?, update)
        }
    }
}

/// The register that a step fills from the temporary, if it does.
fn taken(
    names: &Names<'_>,
    temporary: &Temporary<'_>,
    step: Option<&&Instruction>,
) -> Option<Slot> {
    let Some(Instruction::Assign { register, value }) = step else { return None };
    let (slot, value) = destination(names, *register, value);
    let fills = *value == Expr::Register(temporary.register) && slot.bits == temporary.bits;
    fills.then_some(slot)
}

fn loaded(
    names: &Names<'_>,
    rest: &Rest<'_>,
    set: &[(Code, &Expr)],
    temporary: &Temporary<'_>,
    (address, access): (&Expr, &Access),
) -> Option<(usize, String)> {
    let bits = temporary.bits;
    if names.access_bits(address, access.width)? != bits || access.exclusive {
        return None;
    }
    let memory = names.memory(address)?;
    let source = Some((temporary.register, memory.as_str()));
    match rest.first() {
        Some(Instruction::Store { address: to, value, access: how })
            if to == address && how == access =>
        {
            let old = Expr::Register(temporary.register);
            if let Some(slot) = taken(names, temporary, rest.get(1))
                && let Some(mnemonic) = exchanging(names, value, &old, slot)
            {
                return Some((2, names.line(mnemonic, bits, &[&memory, &names.slot(slot)?])));
            }
            modified(names, value, &old, bits, &memory, set, None).map(|text| (1, text))
        }
        step @ Some(Instruction::Assign { register, value }) => {
            if set.is_empty()
                && let Some(slot) = taken(names, temporary, step)
            {
                return Some((1, names.line("mov", bits, &[&names.slot(slot)?, &memory])));
            }
            let (slot, value) = destination(names, *register, value);
            if slot.bits == bits && value.registers().contains(&temporary.register) {
                let (to, current) = (names.slot(slot)?, current(names, slot));
                return modified(names, value, &current, bits, &to, set, source)
                    .or_else(|| conditional_move(names, value, &current, &to, bits, source))
                    .map(|text| (1, text));
            }
            compared(names, set, temporary, &memory)
        }
        Some(_) | None => compared(names, set, temporary, &memory),
    }
}

/// A comparison with memory. One whose flags nothing uses is only a load.
fn compared(
    names: &Names<'_>,
    set: &[(Code, &Expr)],
    temporary: &Temporary<'_>,
    memory: &str,
) -> Option<(usize, String)> {
    let text = if set.is_empty() {
        names.line("cmp", temporary.bits, &[memory, "$0"])
    } else {
        comparison(names, set, Some((temporary.register, memory)))?
    };
    Some((0, text))
}

/// The exchange that writes `value` where `old` was, and then puts `old` into a register.
fn exchanging(names: &Names<'_>, value: &Expr, old: &Expr, register: Slot) -> Option<&'static str> {
    if names.stored_slot(value, register.bits) == Some(register) {
        return Some("uxch");
    }
    let Expr::Binary(BinaryOp::Add, left, right) = value else { return None };
    let adds = **left == *old && names.read_slot(right, register.bits) == Some(register);
    adds.then_some("xadd")
}

/// Exchanges between registers.
fn saved(
    names: &Names<'_>,
    rest: &Rest<'_>,
    temporary: &Temporary<'_>,
    value: &Expr,
) -> Option<(usize, String)> {
    let bits = temporary.bits;
    let to = names.read_slot(value, bits)?;
    let Some(Instruction::Assign { register, value: written }) = rest.first() else {
        return None;
    };
    let (slot, written) = destination(names, *register, written);
    let from = taken(names, temporary, rest.get(1))?;
    let old = Expr::Register(temporary.register);
    let mnemonic = match exchanging(names, written, &old, from)? {
        // Nothing is locked between registers.
        "uxch" => "xchg",
        other => other,
    };
    let operands = [names.slot(to)?, names.slot(from)?];
    (slot == to).then(|| (2, names.line(mnemonic, bits, &[&operands[0], &operands[1]])))
}

fn updated(
    names: &Names<'_>,
    rest: &Rest<'_>,
    set: &[(Code, &Expr)],
    temporary: &Temporary<'_>,
    memory: &str,
    update: &Update,
) -> Option<(usize, String)> {
    let bits = temporary.bits;
    let taken = taken(names, temporary, rest.first());
    match update {
        Update::Exchange(value) => {
            let slot = taken?;
            let same = set.is_empty() && names.stored_slot(value, bits) == Some(slot);
            let register = names.slot(slot)?;
            same.then(|| (1, names.line("xchg", bits, &[memory, &register])))
        }
        Update::Fetch { op: FetchOp::Add, operand }
            if taken.is_some() && taken == names.read_slot(operand, bits) =>
        {
            Some((1, names.line("lock xadd", bits, &[memory, &names.slot(taken?)?])))
        }
        Update::Fetch { op, operand } if !set.is_empty() => {
            // `inc` and `dec` do not set the carry flag, `not` sets none.
            let carry = set.iter().any(|(code, _)| needs_carry(*code));
            let text = if carry || *op == FetchOp::Xor {
                locked_line(names, *op, &names.read(operand, bits)?, memory, bits)?
            } else {
                locked(names, *op, operand, memory, bits)?
            };
            Some((0, text))
        }
        Update::CompareAndSwap { expected, new } => {
            let slot = taken?;
            let expects = names.read_slot(expected, bits) == Some(slot);
            let new = names.slot(names.stored_slot(new, bits)?)?;
            (expects && is_accumulator(names, slot.register))
                .then(|| (1, names.line("lock cmpxchg", bits, &[memory, &new])))
        }
        Update::Fetch { .. } | Update::BlockingReadWrite { .. } => None,
    }
}
