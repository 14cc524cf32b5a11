//! Two registers that are accessed as one number, the first being the lower half: two of 32 bits as 64, two of 64 as 128.

use program::BinaryOp;

use super::super::machine::signed;
use super::syntax::{Register, Step, Term};
use super::term;

/// How many bits each of two registers has.
fn each(first: &Register) -> u8 {
    first.bits().unwrap_or(32)
}

/// How many bits both registers have together.
pub(in crate::litmus) fn bits(first: &Register) -> u8 {
    2 * each(first)
}

/// The register that takes what is in both before it is divided: one of them, unless neither is wide enough.
pub(in crate::litmus) fn both(first: &Register, second: &Register) -> Register {
    match first {
        _ if each(first) == 64 => Register::Named { whole: "pair".to_owned(), bits: Some(128) },
        Register::Named { .. } => first.with_bits(64),
        Register::Zero { .. } => second.with_bits(64),
    }
}

/// Divides what was read into both registers.
pub(in crate::litmus) fn halves(read: &Register, first: &Register, second: &Register) -> [Step; 2] {
    let bits = each(first);
    let all = term(read.clone());
    let all = if bits == 32 { all.unsigned(64) } else { all };
    let upper = Term::binary(BinaryOp::Shr, all, Term::Number(bits.into()));
    let lower = term(read.with_bits(bits));
    let assign = |to: &Register, value| Step::Assign { to: to.clone(), value };
    // The register that holds both is overwritten last.
    if *read == first.with_bits(64) {
        [assign(second, upper), assign(first, lower)]
    } else {
        [assign(first, lower), assign(second, upper)]
    }
}

/// What two registers are as one number.
pub(in crate::litmus) fn together(first: &Register, second: &Register) -> Term {
    let bits = each(first);
    let low = term(first.clone()).unsigned(bits);
    let high = Term::binary(BinaryOp::Shl, term(second.clone()), Term::Number(bits.into()));
    Term::Cast(signed(2 * bits), Box::new(Term::binary(BinaryOp::BitOr, high, low)))
}
