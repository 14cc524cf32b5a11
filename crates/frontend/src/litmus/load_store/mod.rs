//! What the load-store architectures have in common: instructions that compute touch registers
//! alone, and memory is touched by loads, stores and atomic updates only.
//!
//! An instruction set ([`InstructionSet`]) reads the operands of an instruction and says in
//! [`syntax`] what it does: steps over terms of registers, and where control goes on. Everything
//! else is done here: the registers of a thread and how wide they are ([`declare`]), condition
//! flags, and the lowering of steps into the program model ([`thread`], [`step`]).
//!
//! # What is kept
//!
//! - Every register that an instruction reads occurs in the expression it becomes, also where the
//!   value does not depend on it (`EOR W1,W0,W0`): that is an address or data dependency.
//! - A conditional branch becomes two `assume` edges whose conditions mention the register, or the
//!   flag, that it tests. A comparison assigns to a generated register for each condition code
//!   that the thread uses anywhere (`flag_equal`, …), by an expression over its operands.
//! - A load into the zero register is a load into the generated register `discarded`.
//! - Calls, returns and jumps to computed addresses of code lead to the lines of the thread whose
//!   addresses it takes ([`code`]).
//! - An instruction that loads less than the register has goes through a generated register
//!   (`tmp32`), since the rest of the register is cleared.

mod cell;
mod code;
mod declare;
mod decode;
pub(super) mod halves;
pub(super) mod print;
mod relative;
mod step;
pub(super) mod syntax;
mod thread;

use program::{Diagnostics, Template};

use super::ast::Column;
use super::condition_code::Code as ConditionCode;
use super::machine::{Context, Machine, Mention};
pub(super) use cell::{Cell, term};
pub(super) use print::print;
use syntax::{Code, Line, Register};

/// An instruction set.
pub(super) trait InstructionSet {
    /// How wide an address is.
    fn pointer_bits(&self) -> u8;

    /// Whether the registers of a thread are either all 32 or all 64 bits wide, since their names
    /// do not say.
    fn registers_are_alike(&self) -> bool;

    /// The register of this name.
    fn register(&self, name: &str) -> Option<Register>;

    /// Whether a location cannot have this name.
    fn reserves(&self, name: &str) -> bool {
        self.register(name).is_some()
    }

    /// A register, for messages.
    fn example_register(&self) -> &'static str;

    /// The registers worth suggesting.
    fn register_names(&self) -> Vec<String>;

    /// Mnemonics worth suggesting.
    fn mnemonics(&self) -> Vec<&'static str>;

    /// The condition codes that hold before any flag is set, all flags being clear.
    fn initial_codes(&self) -> &'static [ConditionCode];

    /// Reads an instruction, its mnemonic being the next token.
    fn line(&self, cell: &mut Cell<'_>) -> crate::token::Parsed<Line>;
}

/// The machine of an instruction set.
pub(super) struct LoadStore<I>(pub(super) I);

impl<I: InstructionSet> Machine for LoadStore<I> {
    type Code = Code;

    fn pointer_bits(&self) -> u8 {
        self.0.pointer_bits()
    }

    fn register(&self, name: &str) -> Option<(String, u8)> {
        match find(&self.0, name)? {
            Register::Zero { .. } => None,
            Register::Named { whole, bits } => Some((whole, bits.unwrap_or(64))),
        }
    }

    fn reserves(&self, name: &str) -> bool {
        self.0.reserves(name)
    }

    fn example_register(&self) -> &'static str {
        self.0.example_register()
    }

    fn decode(&self, column: &Column<'_>, errors: &mut Diagnostics) -> Code {
        decode::code(&self.0, column, errors)
    }

    fn mentions(&self, code: &Code) -> Vec<Mention> {
        code.lines.iter().flat_map(Line::mentions).collect()
    }

    fn thread(&self, code: &Code, context: &Context<'_>, errors: &mut Diagnostics) -> Template {
        thread::template(&self.0, code, context, errors)
    }
}

/// The register of this name; one with `%` is symbolic and always exists.
fn find(isa: &(impl InstructionSet + ?Sized), name: &str) -> Option<Register> {
    match name.strip_prefix('%') {
        Some(_) => Some(Register::Named { whole: name.to_owned(), bits: None }),
        None => isa.register(name),
    }
}
