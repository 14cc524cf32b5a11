//! Two registers of 32 bits that are accessed as one number of 64, the first being the lower half.

use program::BinaryOp;

use super::super::machine::signed;
use super::syntax::{Register, Step, Term};
use super::term;

/// The register that takes what is in both before it is divided.
pub(in crate::litmus) fn both(first: &Register, second: &Register) -> Register {
    match first {
        Register::Named { .. } => first.with_bits(64),
        Register::Zero { .. } => second.with_bits(64),
    }
}

/// Divides what was read into both registers.
pub(in crate::litmus) fn halves(read: &Register, first: &Register, second: &Register) -> [Step; 2] {
    let all = term(read.clone()).unsigned(64);
    let upper = Term::binary(BinaryOp::Shr, all, Term::Number(32));
    let lower = term(read.with_bits(32));
    let assign = |to: &Register, value| Step::Assign { to: to.clone(), value };
    // The register that holds both is overwritten last.
    if *read == first.with_bits(64) {
        [assign(second, upper), assign(first, lower)]
    } else {
        [assign(first, lower), assign(second, upper)]
    }
}

/// What two registers of 32 bits are as one number.
pub(in crate::litmus) fn together(first: &Register, second: &Register) -> Term {
    let low = term(first.clone()).unsigned(32);
    let high = Term::binary(BinaryOp::Shl, term(second.clone()), Term::Number(32));
    Term::Cast(signed(64), Box::new(Term::binary(BinaryOp::BitOr, high, low)))
}
