//! Choosing one instruction for one or several steps: the inverse of lowering ([`super::instruction`]).
//!
//! What is chosen here lowers to exactly the steps it was chosen for. The generated registers of
//! lowered tests (`tmp32`, `flag_equal`) are recognised by name; they never become machine
//! registers.
#![expect(clippy::wildcard_enum_match_arm, reason = "a matcher names the shapes it knows")]

use program::{
    Access, BinaryOp, Domain, Expr, FenceKind, FetchOp, Instruction, Order, Register, RegisterId,
    UnaryOp, Update, Value,
};

use super::super::machine::{signed, unsigned};
use super::flags::{self, Code, Condition, Source};
use super::mnemonic;
use super::print_line::{Names, Slot};

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
struct Temporary<'a> {
    register: RegisterId,
    bits: u8,
    origin: Origin<'a>,
}

enum Origin<'a> {
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
        Some(temporary) => with_temporary(names, rest, &set, temporary),
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
        Instruction::Fence(kind) => names.bare(match kind {
            FenceKind::Full => "mfence",
            FenceKind::StoreStore => "sfence",
            FenceKind::LoadLoad => "lfence",
            _ => return None,
        }),
        _ => return None,
    };
    Some((1, text))
}

fn is_accumulator(names: &Names<'_>, register: RegisterId) -> bool {
    matches!(names.registers[register], Some("EAX" | "rax"))
}

fn locked(
    names: &Names<'_>,
    op: FetchOp,
    operand: &Expr,
    memory: &str,
    bits: u8,
) -> Option<String> {
    match (op, operand) {
        (FetchOp::Add, Expr::Const(1)) => Some(names.line("lock inc", bits, &[memory])),
        (FetchOp::Sub, Expr::Const(1)) => Some(names.line("lock dec", bits, &[memory])),
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
        FetchOp::Nand | FetchOp::Min | FetchOp::Max => return None,
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

fn with_temporary(
    names: &Names<'_>,
    rest: &[&Instruction],
    set: &[(Code, &Expr)],
    temporary: &Temporary<'_>,
) -> Option<(usize, String)> {
    let bits = temporary.bits;
    let old = Expr::Register(temporary.register);
    // `register = tmp` at the end.
    let taken = |step: Option<&&Instruction>| match step {
        Some(Instruction::Assign { register, value }) => {
            let (slot, value) = destination(names, *register, value);
            (*value == old && slot.bits == bits).then_some(slot)
        }
        _ => None,
    };
    match &temporary.origin {
        Origin::Load { address, access } => {
            if names.access_bits(address, access.width)? != bits {
                return None;
            }
            let memory = names.memory(address)?;
            if let Some(Instruction::Store { address: to, value, access: how }) = rest.first()
                && to == *address
                && how == *access
            {
                if let Some(slot) = taken(rest.get(1)) {
                    let register = names.slot(slot)?;
                    if names.stored_slot(value, bits) == Some(slot) {
                        return Some((2, names.line("uxch", bits, &[&memory, &register])));
                    }
                    if let Expr::Binary(BinaryOp::Add, left, right) = value
                        && **left == old
                        && names.read_slot(right, bits) == Some(slot)
                    {
                        return Some((2, names.line("xadd", bits, &[&memory, &register])));
                    }
                }
                let text = modified(names, value, &old, bits, &memory, set, None)?;
                return Some((1, text));
            }
            if let Some(Instruction::Assign { register, value }) = rest.first() {
                if set.is_empty()
                    && let Some(slot) = taken(rest.first())
                {
                    return Some((1, names.line("mov", bits, &[&names.slot(slot)?, &memory])));
                }
                let (slot, value) = destination(names, *register, value);
                if slot.bits == bits
                    && value.registers().contains(&temporary.register)
                    && let Some(current) = current(names, slot)
                {
                    let to = names.slot(slot)?;
                    let source = Some((temporary.register, memory.as_str()));
                    let text = modified(names, value, &current, bits, &to, set, source)
                        .or_else(|| conditional_move(names, value, &current, &to, bits, source))?;
                    return Some((1, text));
                }
            }
            comparison(names, set, Some((temporary.register, &memory))).map(|text| (0, text))
        }
        Origin::Saved(value) => {
            let to = names.read_slot(value, bits)?;
            let Some(Instruction::Assign { register, value: written }) = rest.first() else {
                return None;
            };
            let (slot, written) = destination(names, *register, written);
            let from = taken(rest.get(1))?;
            let operands = [&*names.slot(to)?, &*names.slot(from)?];
            if slot == to && names.stored_slot(written, bits) == Some(from) {
                return Some((2, names.line("xchg", bits, &operands)));
            }
            if let Expr::Binary(BinaryOp::Add, left, right) = written
                && slot == to
                && **left == old
                && names.read_slot(right, bits) == Some(from)
            {
                return Some((2, names.line("xadd", bits, &operands)));
            }
            None
        }
        Origin::Update { address, update } => {
            let memory = names.memory(address)?;
            match update {
                Update::Exchange(value) => {
                    let slot = taken(rest.first())?;
                    let same = set.is_empty() && names.stored_slot(value, bits) == Some(slot);
                    same.then_some(())?;
                    Some((1, names.line("xchg", bits, &[&memory, &names.slot(slot)?])))
                }
                Update::Fetch { op: FetchOp::Add, operand }
                    if taken(rest.first()).is_some()
                        && taken(rest.first()) == names.read_slot(operand, bits) =>
                {
                    let register = names.slot(taken(rest.first())?)?;
                    Some((1, names.line("lock xadd", bits, &[&memory, &register])))
                }
                Update::Fetch { op, operand } => {
                    let carry = set.iter().any(|(code, _)| needs_carry(*code));
                    let one = *operand == Expr::Const(1);
                    let text = match op {
                        FetchOp::Add if one && carry => {
                            names.line("lock add", bits, &[&memory, "$1"])
                        }
                        FetchOp::Sub if one && carry => {
                            names.line("lock sub", bits, &[&memory, "$1"])
                        }
                        _ => locked(names, *op, operand, &memory, bits)?,
                    };
                    (!set.is_empty()).then_some((0, text))
                }
                Update::CompareAndSwap { expected, new } => {
                    let slot = taken(rest.first())?;
                    let expects = names.read_slot(expected, bits) == Some(slot);
                    (expects && is_accumulator(names, slot.register)).then_some(())?;
                    let new = names.slot(names.stored_slot(new, bits)?)?;
                    Some((1, names.line("lock cmpxchg", bits, &[&memory, &new])))
                }
                Update::BlockingReadWrite { .. } => None,
            }
        }
    }
}

/// The part of a register that an assignment writes, and the value it is given.
fn destination<'a>(names: &Names<'_>, register: RegisterId, value: &'a Expr) -> (Slot, &'a Expr) {
    let bits = names.register_bits(register);
    let slot = |bits, high| Slot { register, bits, high };
    match value {
        Expr::Cast(int, inner) if bits == 64 && *int == unsigned(32) => (slot(32, false), inner),
        Expr::Binary(BinaryOp::BitOr, kept, part) => {
            let Expr::Binary(BinaryOp::BitAnd, old, mask) = &**kept else {
                return (slot(bits, false), value);
            };
            let keeps = |mask_of: Value| {
                **old == Expr::Register(register) && **mask == Expr::Const(!mask_of)
            };
            match &**part {
                Expr::Cast(int, inner) if !int.signed() && keeps((*int).max()) => {
                    (slot(int.bits(), false), inner)
                }
                Expr::Binary(BinaryOp::Shl, part, by) if **by == Expr::Const(8) => match &**part {
                    Expr::Cast(int, inner) if *int == unsigned(8) && keeps((*int).max() << 8) => {
                        (slot(8, true), inner)
                    }
                    _ => (slot(bits, false), value),
                },
                _ => (slot(bits, false), value),
            }
        }
        _ => (slot(bits, false), value),
    }
}

/// A part of a register as its own instructions read it.
fn current(names: &Names<'_>, slot: Slot) -> Option<Expr> {
    let register = Expr::Register(slot.register);
    let part =
        if slot.high { Expr::binary(BinaryOp::Shr, register, Expr::Const(8)) } else { register };
    let whole = names.register_bits(slot.register) == slot.bits;
    Some(if whole { part } else { Expr::Cast(signed(slot.bits), Box::new(part)) })
}

fn assignment(
    names: &Names<'_>,
    register: RegisterId,
    value: &Expr,
    set: &[(Code, &Expr)],
) -> Option<String> {
    let (slot, value) = destination(names, register, value);
    let to = names.slot(slot)?;
    let current = current(names, slot)?;
    if set.is_empty() {
        if let Some(from) = names.stored(value, slot.bits) {
            return Some(names.line("mov", slot.bits, &[&to, &from]));
        }
        if slot.bits == 8
            && let Some(condition) = condition(names, value)
        {
            let mnemonic = format!("set{}", mnemonic::condition_suffix(condition));
            return Some(names.line(&mnemonic, 8, &[&to]));
        }
        if let Some(text) = conditional_move(names, value, &current, &to, slot.bits, None) {
            return Some(text);
        }
    }
    modified(names, value, &current, slot.bits, &to, set, None)
}

fn condition(names: &Names<'_>, value: &Expr) -> Option<Condition> {
    let (register, negated) = match value {
        Expr::Register(register) => (register, false),
        Expr::Unary(UnaryOp::Not, inner) => match &**inner {
            Expr::Register(register) => (register, true),
            _ => return None,
        },
        _ => return None,
    };
    let code = flag_code(&names.template.registers()[*register])?;
    Some(Condition { code, negated })
}

fn conditional_move(
    names: &Names<'_>,
    value: &Expr,
    current: &Expr,
    to: &str,
    bits: u8,
    loaded: Option<(RegisterId, &str)>,
) -> Option<String> {
    let Expr::Select(operands) = value else { return None };
    let [test, from, otherwise] = &**operands;
    let condition = condition(names, test)?;
    let from = match loaded {
        Some((register, memory)) if *from == Expr::Register(register) => memory.to_owned(),
        _ => names.read(from, bits)?,
    };
    let mnemonic = format!("cmov{}", mnemonic::condition_suffix(condition));
    (otherwise == current).then(|| names.line(&mnemonic, bits, &[to, &from]))
}

/// An instruction that makes `value` of the old value of its destination `to`.
fn modified(
    names: &Names<'_>,
    value: &Expr,
    old: &Expr,
    bits: u8,
    to: &str,
    set: &[(Code, &Expr)],
    loaded: Option<(RegisterId, &str)>,
) -> Option<String> {
    let carry = set.iter().any(|(code, _)| needs_carry(*code));
    let zero = || Expr::Const(0);
    let (text, source) = match value {
        Expr::Unary(UnaryOp::Neg, inner) if **inner == *old => {
            let source = Source::Difference { left: zero(), right: old.clone(), bits };
            (names.line("neg", bits, &[to]), Some(source))
        }
        Expr::Unary(UnaryOp::BitNot, inner) if **inner == *old => {
            (names.line("not", bits, &[to]), None)
        }
        Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, left, by) => {
            let Expr::Const(by) = **by else { return None };
            let logical = Expr::Cast(unsigned(bits), Box::new(old.clone()));
            let left_shift = matches!(value, Expr::Binary(BinaryOp::Shl, ..));
            let mnemonic = match (left_shift, **left == *old, **left == logical) {
                (true, true, _) => "shl",
                (false, true, _) => "sar",
                (false, false, true) => "shr",
                _ => return None,
            };
            let in_range = (0..if bits == 64 { 64 } else { 32 }).contains(&by);
            (in_range.then(|| names.line(mnemonic, bits, &[to, &format!("${by}")]))?, None)
        }
        Expr::Binary(op, left, right) if **left == *old => {
            let (mnemonic, short) = match op {
                BinaryOp::Add => ("add", Some("inc")),
                BinaryOp::Sub => ("sub", Some("dec")),
                BinaryOp::BitAnd => ("and", None),
                BinaryOp::BitOr => ("or", None),
                BinaryOp::BitXor => ("xor", None),
                _ => return None,
            };
            let text = match (short, &**right) {
                (Some(short), Expr::Const(1)) if !carry => names.line(short, bits, &[to]),
                (_, Expr::Register(register))
                    if loaded.is_some_and(|(loaded, _)| loaded == *register) =>
                {
                    names.line(mnemonic, bits, &[to, loaded?.1])
                }
                _ => names.line(mnemonic, bits, &[to, &names.read(right, bits)?]),
            };
            let (left, right) = ((**left).clone(), (**right).clone());
            let source = match op {
                BinaryOp::Add => Source::Sum { left, right, bits },
                BinaryOp::Sub => Source::Difference { left, right, bits },
                _ => Source::Difference { left: value.clone(), right: zero(), bits },
            };
            (text, Some(source))
        }
        _ => return None,
    };
    let sets_these = set.iter().all(|(code, expr)| {
        source.as_ref().is_some_and(|source| flags::holds(*code, source) == **expr)
    });
    sets_these.then_some(text)
}

const fn needs_carry(code: Code) -> bool {
    matches!(code, Code::Below | Code::BelowOrEqual)
}

/// `cmp` or `test`.
fn comparison(
    names: &Names<'_>,
    set: &[(Code, &Expr)],
    loaded: Option<(RegisterId, &str)>,
) -> Option<String> {
    let (code, expr) = set.first()?;
    let (left, right) = compared(*code, expr)?;
    let operand = |value: &Expr, bits| match (value, loaded) {
        (Expr::Register(register), Some((loaded, memory))) if *register == loaded => {
            Some(memory.to_owned())
        }
        _ => names.read(value, bits),
    };
    let bits = match loaded {
        Some((register, _)) => names.register_bits(register),
        None => read_bits(names, &left).or_else(|| read_bits(names, &right))?,
    };
    let right =
        if let Expr::Const(value) = right { Expr::Const(signed(bits).wrap(value)) } else { right };
    let source = Source::Difference { left: left.clone(), right: right.clone(), bits };
    if !set.iter().all(|(code, expr)| flags::holds(*code, &source) == **expr) {
        return None;
    }
    if let Expr::Binary(BinaryOp::BitAnd, first, second) = &left
        && right == Expr::Const(0)
    {
        let operands = [operand(first, bits)?, operand(second, bits)?];
        return Some(names.line("test", bits, &[&operands[0], &operands[1]]));
    }
    let operands = [operand(&left, bits)?, operand(&right, bits)?];
    Some(names.line("cmp", bits, &[&operands[0], &operands[1]]))
}

/// The operands of the comparison that this expression asks about.
fn compared(code: Code, expr: &Expr) -> Option<(Expr, Expr)> {
    let Expr::Binary(_, left, right) = expr else { return None };
    let bare = |side: &Expr| match side {
        Expr::Cast(int, inner) if !int.signed() => (**inner).clone(),
        other => other.clone(),
    };
    match code {
        Code::Equal | Code::Less | Code::LessOrEqual => Some(((**left).clone(), (**right).clone())),
        Code::Below | Code::BelowOrEqual => Some((bare(left), bare(right))),
        Code::Sign | Code::Overflow => {
            let Expr::Cast(_, difference) = &**left else { return None };
            let Expr::Binary(BinaryOp::Sub, left, right) = &**difference else { return None };
            Some(((**left).clone(), (**right).clone()))
        }
    }
}

/// How wide a register operand is.
fn read_bits(names: &Names<'_>, value: &Expr) -> Option<u8> {
    match value {
        Expr::Register(register) => Some(names.register_bits(*register)),
        Expr::Cast(int, _) => Some(int.bits()),
        Expr::Binary(BinaryOp::BitAnd, left, right) => {
            read_bits(names, left).or_else(|| read_bits(names, right))
        }
        _ => None,
    }
}
