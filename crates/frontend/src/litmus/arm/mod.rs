//! The instructions of `ARM` tests: the A32 instruction set of Armv7 and Armv8, in the syntax of the
//! Arm Architecture Reference Manual as far as herd's tests use it.
//!
//! # What instructions become
//!
//! - `LDR`, `STR` and their byte and halfword forms are plain accesses; `LDA` is a load of order
//!   [`program::Order::SeqCst`] (the `RCsc` acquire), `STL` a store of order
//!   [`program::Order::Release`]. `LDREX`, `STREX`, `LDAEX` and `STLEX` are their exclusive forms.
//! - `DMB` and `DSB` of any domain (`SY`, `ISH`, `OSH`, `NSH`) are full fences; their `LD` forms
//!   order loads before everything later, their `ST` forms stores before stores ([`barrier`]).
//!   `ISB` is a control fence.
//! - A computation with a condition (`MOVEQ`) selects the new or the old value; an access with one
//!   (`STRNE`) is a branch around it.
//! - Accesses to several registers are one access for each ([`several`]), exclusive ones a single one of 64 bits.
//! - `CLREX` and `SWP` are refused.

pub(super) mod addressing;
pub(super) mod barrier;
pub(super) mod condition;
mod instruction;
mod memory;
mod mnemonic;
mod several;
pub(super) mod shift;

use super::condition_code::Code;
use super::load_store::syntax::{Line, Register};
use super::load_store::{Cell, InstructionSet};
use crate::token::Parsed;

/// The A32 instruction set.
pub(super) struct Arm;

impl InstructionSet for Arm {
    fn pointer_bits(&self) -> u8 {
        32
    }

    fn registers_are_alike(&self) -> bool {
        true
    }

    fn register(&self, name: &str) -> Option<Register> {
        let upper = name.to_ascii_uppercase();
        let number = match upper.as_str() {
            "SP" => 13,
            "LR" => 14,
            "PC" => return None,
            _ => numbered(upper.strip_prefix('R')?, 14)?,
        };
        Some(Register::Named { whole: format!("R{number}"), bits: Some(32) })
    }

    fn example_register(&self) -> &'static str {
        "R1"
    }

    fn register_names(&self) -> Vec<String> {
        (0..=14).map(|number| format!("R{number}")).collect()
    }

    fn mnemonics(&self) -> Vec<&'static str> {
        mnemonic::all()
    }

    fn initial_codes(&self) -> &'static [Code] {
        condition::INITIAL
    }

    fn line(&self, cell: &mut Cell<'_>) -> Parsed<Line> {
        instruction::line(cell)
    }
}

/// The number that these digits are, if it is at most `greatest` and written without zeros before
/// it.
pub(super) fn numbered(digits: &str, greatest: u8) -> Option<u8> {
    let plain = digits == "0" || !digits.starts_with('0');
    let number =
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    (plain && number <= greatest).then_some(number)
}
