//! The instructions of `RISCV` tests: RV64 with the extensions M (multiplication) and A (atomics),
//! in the syntax of the RISC-V manuals as far as herd's tests use it.
//!
//! # What instructions become
//!
//! - Plain loads and stores are plain. `.aq` makes an access of order [`program::Order::Acquire`],
//!   `.rl` of order [`program::Order::Release`], both of order [`program::Order::AcquireRelease`]; this goes
//!   for `lr`, `sc` and the AMOs, and for herd's `lw.aq` and `sw.rl`. A load or a store with both is
//!   one with its own order and a fence ([`memory`]).
//! - `lr` and `sc` are exclusive accesses, an AMO is one [`program::Instruction::Update`]. Where a test
//!   has an unsigned minimum or maximum, all cells of that width hold unsigned numbers; one that has
//!   signed ones of the same width as well is refused.
//! - `fence` becomes the fence kinds that together order what its two sets say ([`fence`]); `i` and
//!   `o` (devices) order nothing here. `fence.tso` is a lightweight fence, `fence.i` a control
//!   fence.
//! - Registers have 64 bits; `x0` is zero. Loads of words extend the sign.

mod atomic;
mod compute;
mod control;
mod fence;
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

/// The RISC-V instruction set.
pub(super) struct RiscV;

/// The names of the calling convention, in the order of the registers.
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

impl InstructionSet for RiscV {
    fn pointer_bits(&self) -> u8 {
        64
    }

    fn registers_are_alike(&self) -> bool {
        true
    }

    fn register(&self, name: &str) -> Option<Register> {
        let by_number = || numbered(name.strip_prefix('x')?, 31).map(usize::from);
        let named = NAMES.iter().position(|known| *known == name);
        let frame_pointer = || (name == "fp").then_some(8);
        match named.or_else(frame_pointer).or_else(by_number)? {
            0 => Some(Register::Zero { bits: 64 }),
            number => Some(Register::Named { whole: format!("x{number}"), bits: Some(64) }),
        }
    }

    /// Locations may be called `a0` or `x1`; nothing in a test would take them for registers.
    fn reserves(&self, _: &str) -> bool {
        false
    }

    fn example_register(&self) -> &'static str {
        "x5"
    }

    fn register_names(&self) -> Vec<String> {
        let numbered = (0..=31).map(|number| format!("x{number}"));
        numbered.chain(NAMES.map(str::to_owned)).collect()
    }

    fn mnemonics(&self) -> Vec<&'static str> {
        mnemonic::all()
    }

    fn initial_codes(&self) -> &'static [Code] {
        &[]
    }

    fn line(&self, cell: &mut Cell<'_>) -> Parsed<Line> {
        instruction::line(cell)
    }
}
