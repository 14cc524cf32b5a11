//! The instructions of `X86` and `X86_64` tests.
//!
//! Both dialects share one syntax tree ([`syntax`]) once their operands are in order: `X86` writes
//! the destination first and `[x]` for memory, `X86_64` writes it last and `(x)`. In `X86_64`,
//! `cmovcc` and, as herd has it, `cmpxchg (x),%rbx` have the destination first all the same;
//! `cmpxchg` and `xadd` also accept the order of the GNU assembler.
//!
//! # What instructions become
//!
//! - Every instruction is at least one edge; jumps and `ret` are edges that do nothing.
//! - A locked operation, and any `xchg` with memory, is one [`program::Instruction::Update`].
//!   Without the prefix it is a load followed by a store; a failed `cmpxchg` then stores nothing.
//!   `uxch` is herd's exchange that is not locked.
//! - `mfence` is a full fence, `sfence` and `lfence` order stores and loads; TSO needs neither.
//!   Non-temporal moves leave the TSO model and are refused.
//! - A condition code that some jump, `cmovcc` or `setcc` uses is computed where the flags are
//!   set, into a generated register ([`flags`]); all flags start clear. There is no parity flag.
//! - A register of `X86_64` whose upper half a thread never uses, and that is not declared
//!   (`int64_t 0:rax`), is a 32-bit register here, so its values show as herd's. Otherwise writing `eax` clears the upper half of `rax`, and
//!   writing `ax`, `al` or `ah` keeps the rest.

mod allocate;
mod check;
mod compile;
mod declare;
mod decode;
mod edit;
mod exchange;
mod flags;
mod instruction;
mod mnemonic;
mod operand;
mod print;
mod print_line;
mod register;
mod select;
mod select_memory;
mod select_value;
mod syntax;
mod thread;

use program::{Diagnostics, Template};

use super::ast::Column;
use super::machine::{Context, Machine, Mention};
use syntax::Code;

pub(super) use allocate::{dialect, fits_32_bits};
pub(super) use edit::{Store, locked, unlocked};
pub(super) use print::threads;

/// How instructions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `X86`: 32 bits, `MOV EAX,[x]`.
    Intel,
    /// `X86_64`: `movl (x),%eax`.
    Att,
}

impl Machine for Dialect {
    type Code = Code;

    fn pointer_bits(&self) -> u8 {
        match self {
            Self::Intel => 32,
            Self::Att => 64,
        }
    }

    fn register(&self, name: &str) -> Option<(String, u8)> {
        register::find(*self, bare(name)).map(|part| (part.whole.to_owned(), part.bits))
    }

    fn example_register(&self) -> &'static str {
        match self {
            Self::Intel => "EAX",
            Self::Att => "rax",
        }
    }

    fn decode(&self, column: &Column<'_>, errors: &mut Diagnostics) -> Code {
        decode::code(*self, column, errors)
    }

    fn mentions(&self, code: &Code) -> Vec<Mention> {
        code.lines.iter().flat_map(syntax::Line::mentions).collect()
    }

    fn thread(&self, code: &Code, context: &Context<'_>, errors: &mut Diagnostics) -> Template {
        thread::template(*self, code, context, errors)
    }
}

/// A register's name without the `%` that the AT&T dialect writes before it.
fn bare(name: &str) -> &str {
    name.strip_prefix('%').unwrap_or(name)
}
