//! What instructions compute, and the flags they leave.

use super::Stop;
use crate::assembly::{Binary, Condition, Shift, Test, Unary, Width};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "so has the processor")]
pub(super) struct Flags {
    pub(super) carry: bool,
    pub(super) zero: bool,
    pub(super) sign: bool,
    pub(super) overflow: bool,
    pub(super) parity: bool,
}

impl Flags {
    /// Those that only say something about a result.
    fn of(width: Width, result: u64) -> Self {
        Self {
            carry: false,
            zero: result & width.mask() == 0,
            sign: width.sign(result),
            overflow: false,
            parity: (result & 0xff).count_ones().is_multiple_of(2),
        }
    }

    pub(super) fn bits(self) -> u8 {
        let all = [self.carry, self.zero, self.sign, self.overflow, self.parity];
        all.iter().rev().fold(0, |bits, flag| bits << 1 | u8::from(*flag))
    }

    pub(super) fn satisfy(self, test: Test) -> bool {
        let holds = match test.condition {
            Condition::Equal => self.zero,
            Condition::Below => self.carry,
            Condition::BelowOrEqual => self.carry || self.zero,
            Condition::Less => self.sign != self.overflow,
            Condition::LessOrEqual => self.zero || self.sign != self.overflow,
            Condition::Negative => self.sign,
            Condition::Overflow => self.overflow,
            Condition::Parity => self.parity,
        };
        holds != test.is_negated
    }
}

/// `to op from`: the result and the flags.
pub(super) fn binary(op: Binary, width: Width, to: u64, from: u64, carry: bool) -> (u64, Flags) {
    let (to, from) = (to & width.mask(), from & width.mask());
    let carry = u64::from(carry);
    match op {
        Binary::Add => sum(width, to, from, 0),
        Binary::AddWithCarry => sum(width, to, from, carry),
        Binary::Subtract => difference(width, to, from, 0),
        Binary::SubtractWithBorrow => difference(width, to, from, carry),
        Binary::And => (to & from, Flags::of(width, to & from)),
        Binary::Or => (to | from, Flags::of(width, to | from)),
        Binary::Xor => (to ^ from, Flags::of(width, to ^ from)),
    }
}

fn sum(width: Width, to: u64, from: u64, carry: u64) -> (u64, Flags) {
    let exact = u128::from(to) + u128::from(from) + u128::from(carry);
    let result = to.wrapping_add(from).wrapping_add(carry) & width.mask();
    let overflow = width.sign(to) == width.sign(from) && width.sign(result) != width.sign(to);
    let carry = exact > u128::from(width.mask());
    (result, Flags { carry, overflow, ..Flags::of(width, result) })
}

fn difference(width: Width, to: u64, from: u64, borrow: u64) -> (u64, Flags) {
    let result = to.wrapping_sub(from).wrapping_sub(borrow) & width.mask();
    let overflow = width.sign(to) != width.sign(from) && width.sign(result) != width.sign(to);
    let carry = u128::from(to) < u128::from(from) + u128::from(borrow);
    (result, Flags { carry, overflow, ..Flags::of(width, result) })
}

pub(super) fn unary(op: Unary, width: Width, to: u64, flags: Flags) -> (u64, Flags) {
    match op {
        Unary::Not => (!to & width.mask(), flags),
        Unary::Negate => difference(width, 0, to & width.mask(), 0),
        Unary::Increment => {
            let (result, new) = sum(width, to & width.mask(), 1, 0);
            (result, Flags { carry: flags.carry, ..new })
        }
        Unary::Decrement => {
            let (result, new) = difference(width, to & width.mask(), 1, 0);
            (result, Flags { carry: flags.carry, ..new })
        }
    }
}

/// A shift by nothing changes no flag. Overflow is defined for shifts by one alone.
pub(super) fn shift(op: Shift, width: Width, to: u64, count: u64, flags: Flags) -> (u64, Flags) {
    let count = u32::try_from(count & if width == Width::Quad { 63 } else { 31 }).unwrap_or(0);
    let to = to & width.mask();
    if count == 0 {
        return (to, flags);
    }
    let (result, carry) = match op {
        Shift::Left => {
            let exact = u128::from(to) << count;
            (to.checked_shl(count).unwrap_or(0), exact >> width.bits() & 1 == 1)
        }
        Shift::Right => (to >> count, to >> (count - 1) & 1 == 1),
        Shift::Arithmetic => {
            let wide = i128::from(width.extended(to));
            let low = |value: i128| (value & i128::from(u64::MAX)).cast_unsigned();
            let result = u64::try_from(low(wide >> count)).unwrap_or(0);
            (result, wide >> (count - 1) & 1 == 1)
        }
    };
    let result = result & width.mask();
    let overflow = match op {
        Shift::Left => width.sign(result) != carry,
        Shift::Right => width.sign(to),
        Shift::Arithmetic => false,
    };
    (result, Flags { carry, overflow, ..Flags::of(width, result) })
}

/// The low half of a product and its flags: whether it is the whole product.
pub(super) fn product(width: Width, left: u64, right: u64) -> (u64, Flags) {
    let exact = i128::from(width.extended(left)) * i128::from(width.extended(right));
    let result = left.wrapping_mul(right) & width.mask();
    let is_cut = exact != i128::from(width.extended(result));
    (result, Flags { carry: is_cut, overflow: is_cut, ..Flags::of(width, result) })
}

/// Both halves of a product, the high one first.
pub(super) fn wide_product(width: Width, left: u64, right: u64, is_signed: bool) -> (u64, u64) {
    let exact = if is_signed {
        (i128::from(width.extended(left)) * i128::from(width.extended(right))).cast_unsigned()
    } else {
        u128::from(left & width.mask()) * u128::from(right & width.mask())
    };
    (part(exact >> width.bits(), width), part(exact, width))
}

/// The flags that go with it: whether the low half is not all of it.
pub(super) fn flags_of_product(width: Width, high: u64, low: u64, is_signed: bool) -> Flags {
    let rest = if is_signed && width.sign(low) { width.mask() } else { 0 };
    let is_cut = high != rest;
    Flags { carry: is_cut, overflow: is_cut, ..Flags::of(width, low) }
}

/// Quotient and remainder of a number in two halves.
pub(super) fn quotient(
    width: Width,
    high: u64,
    low: u64,
    divisor: u64,
    is_signed: bool,
) -> Result<(u64, u64), Stop> {
    let dividend = u128::from(high & width.mask()) << width.bits() | u128::from(low & width.mask());
    let fault = || Stop::Wrong("a division faults".to_owned());
    if is_signed {
        let shift = 128 - 2 * width.bits();
        let dividend = (dividend << shift).cast_signed() >> shift;
        let divisor = i128::from(width.extended(divisor));
        let quotient = dividend.checked_div(divisor).ok_or_else(fault)?;
        let result = part(quotient.cast_unsigned(), width);
        if i128::from(width.extended(result)) != quotient {
            return Err(fault());
        }
        Ok((result, part((dividend % divisor).cast_unsigned(), width)))
    } else {
        let divisor = u128::from(divisor & width.mask());
        let quotient = dividend.checked_div(divisor).ok_or_else(fault)?;
        if quotient > u128::from(width.mask()) {
            return Err(fault());
        }
        Ok((part(quotient, width), part(dividend % divisor, width)))
    }
}

/// The lowest bits.
fn part(value: u128, width: Width) -> u64 {
    u64::try_from(value & u128::from(width.mask())).unwrap_or(0)
}
