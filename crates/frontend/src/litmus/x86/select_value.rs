//! Choosing instructions by the value they compute: the inverse of how a value is written to a
//! register, of arithmetic, and of comparisons.
#![expect(clippy::wildcard_enum_match_arm, reason = "a matcher names the shapes it knows")]

use program::{BinaryOp, Expr, RegisterId, UnaryOp, Value};

use super::super::machine::{signed, unsigned};
use super::flags::{self, Code, Condition, Source};
use super::mnemonic;
use super::print_line::{Names, Slot};
use super::select::flag_code;

/// The part of a register that an assignment writes, and the value it is given.
pub(super) fn destination<'a>(
    names: &Names<'_>,
    register: RegisterId,
    value: &'a Expr,
) -> (Slot, &'a Expr) {
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
pub(super) fn current(names: &Names<'_>, slot: Slot) -> Expr {
    let register = Expr::Register(slot.register);
    let part =
        if slot.high { Expr::binary(BinaryOp::Shr, register, Expr::Const(8)) } else { register };
    let whole = names.register_bits(slot.register) == slot.bits;
    if whole { part } else { Expr::Cast(signed(slot.bits), Box::new(part)) }
}

pub(super) fn assignment(
    names: &Names<'_>,
    register: RegisterId,
    value: &Expr,
    set: &[(Code, &Expr)],
) -> Option<String> {
    let (slot, value) = destination(names, register, value);
    let to = names.slot(slot)?;
    let current = current(names, slot);
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

pub(super) fn conditional_move(
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
pub(super) fn modified(
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

pub(super) const fn needs_carry(code: Code) -> bool {
    matches!(code, Code::Below | Code::BelowOrEqual)
}

/// `cmp` or `test`.
pub(super) fn comparison(
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
