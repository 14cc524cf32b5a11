//! The instructions of `AArch64` tests: the A64 instruction set with the large system extensions
//! (LSE) and the `RCpc` loads, in the syntax of the Arm Architecture Reference Manual as far as
//! herd's tests use it.
//!
//! # What instructions become
//!
//! - A load-acquire (`LDAR`, `LDAXR`) is a load of order [`program::Order::SeqCst`]: the `RCsc`
//!   acquire, which is also ordered after earlier store-releases. `LDAPR` (`LDAPUR`) is a load of order
//!   [`program::Order::Acquire`] (`RCpc`). A store-release (`STLR`, `STLXR`) has order
//!   [`program::Order::Release`]. Exclusives are exclusive accesses.
//! - LSE atomics are one [`program::Instruction::Update`]; `A` makes it an acquire, `L` a release, `AL`
//!   both. As the manual has it, `SWP` and `LD<op>` that load into the zero register are no
//!   acquires, nor are `ST<op>`; `CAS` is one all the same. `LDCLR` is an "and" with the complement.
//!   Where a test has an unsigned minimum or maximum, all cells of that width hold unsigned numbers;
//!   one that has signed ones of the same width as well is refused.
//! - `DMB` and `DSB` are as in [`super::arm`], `ISB` is a control fence.
//! - Instructions that set flags from bits (`ANDS`, `TST`) clear carry and overflow; the carry of a
//!   sum is set where it does not fit, that of a difference where nothing is borrowed.
//! - `W1` is the lower half of `X1`; writing it clears the upper half. A register of which a thread
//!   uses only `W1` has 32 bits.
//! - `CSEL` and its kin are an [`program::Expr::Select`] that mentions the flag and both operands.
//! - `LDP` and `STP` are two accesses, `LDXP` and `CASP` of `W` registers one of 64 bits; those of
//!   `X` registers, of 128 bits, are refused ([`pair`]), and so is `CLREX`.
//! - `BL`, `BLR`, `BR`, `RET` and `ADR` work within a thread ([`super::load_store`]).

mod atomic;
mod bits;
mod compute;
mod control;
mod instruction;
mod memory;
mod mnemonic;
mod mnemonic_atomic;
mod pair;
mod print;
mod print_update;

use super::arm::numbered;
use super::condition_code::Code;
use super::load_store::syntax::{Line, Register};
use super::load_store::{Cell, InstructionSet};
use crate::token::Parsed;

pub(super) use print::Printer;

/// The A64 instruction set.
pub(super) struct AArch64;

impl InstructionSet for AArch64 {
    fn pointer_bits(&self) -> u8 {
        64
    }

    fn registers_are_alike(&self) -> bool {
        false
    }

    fn register(&self, name: &str) -> Option<Register> {
        let upper = name.to_ascii_uppercase();
        let bits = match upper.as_bytes().first()? {
            b'X' => 64,
            b'W' => 32,
            b'S' if upper == "SP" => {
                return Some(Register::Named { whole: "SP".to_owned(), bits: Some(64) });
            }
            _ => return None,
        };
        match &upper[1..] {
            "ZR" => Some(Register::Zero { bits }),
            digits => {
                let number = numbered(digits, 30)?;
                Some(Register::Named { whole: format!("X{number}"), bits: Some(bits) })
            }
        }
    }

    /// Locations may be called `x0`; only a capital letter tells a register.
    fn reserves(&self, name: &str) -> bool {
        name.starts_with(['X', 'W']) && self.register(name).is_some()
    }

    fn example_register(&self) -> &'static str {
        "X1"
    }

    fn register_names(&self) -> Vec<String> {
        let numbered = (0..=30).flat_map(|number| [format!("X{number}"), format!("W{number}")]);
        numbered.chain(["XZR".to_owned(), "WZR".to_owned()]).collect()
    }

    fn mnemonics(&self) -> Vec<&'static str> {
        mnemonic::all()
    }

    fn initial_codes(&self) -> &'static [Code] {
        super::arm::condition::INITIAL
    }

    fn line(&self, cell: &mut Cell<'_>) -> Parsed<Line> {
        instruction::line(cell)
    }
}
