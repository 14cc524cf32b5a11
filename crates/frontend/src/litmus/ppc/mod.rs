//! The instructions of `PPC` tests: the Power instruction set, in the syntax of the Power ISA as far
//! as herd's tests use it.
//!
//! # What instructions become
//!
//! - All loads and stores are plain; `lwarx` and `stwcx.` (and `ldarx`, `stdcx.`, …) are exclusive
//!   accesses. `stwcx.` says in the field `cr0` whether it succeeded.
//! - `sync` (`hwsync`) is a full fence, `lwsync` a lightweight one, `eieio` orders stores before
//!   stores, `isync` is a control fence.
//! - A comparison sets one of eight condition fields; a branch that names none asks `cr0`. An
//!   instruction that ends with a dot compares its result with zero.
//! - The registers of a thread have 32 bits unless it uses an instruction for doublewords, or an
//!   initial value needs more.
//! - `r0` as the base of an address, or as the operand of `addi`, is the number 0.
//! - Hints to the cache (`dcbf`, `dcbt`) do nothing, since memory is coherent with them or without.
//! - `lmw`, `stmw`, changes of instructions (`icbi`) and conditional traps are refused.

mod compute;
mod control;
mod instruction;
mod memory;
mod mnemonic;
mod print;
mod print_update;

use super::arm::numbered;
use super::condition_code::Code;
use super::load_store::syntax::{Line, Register};
use super::load_store::{Cell, InstructionSet};
use crate::token::Parsed;

pub(super) use print::Printer;

/// The Power instruction set.
pub(super) struct Ppc;

impl InstructionSet for Ppc {
    fn pointer_bits(&self) -> u8 {
        64
    }

    fn registers_are_alike(&self) -> bool {
        true
    }

    fn register(&self, name: &str) -> Option<Register> {
        let number = numbered(name.strip_prefix(['r', 'R'])?, 31)?;
        Some(Register::Named { whole: format!("r{number}"), bits: None })
    }

    fn example_register(&self) -> &'static str {
        "r1"
    }

    fn register_names(&self) -> Vec<String> {
        (0..=31).map(|number| format!("r{number}")).collect()
    }

    fn mnemonics(&self) -> Vec<&'static str> {
        mnemonic::all()
    }

    fn initial_codes(&self) -> &'static [Code] {
        &[Code::LessOrEqual]
    }

    fn line(&self, cell: &mut Cell<'_>) -> Parsed<Line> {
        instruction::line(cell)
    }
}

/// Whether a register is `r0`, which as a base stands for zero.
fn is_zero_as_base(register: &Register) -> bool {
    matches!(register, Register::Named { whole, .. } if whole == "r0")
}
