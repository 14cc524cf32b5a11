//! The syntax of the ESOP'13 paper (Figure 1), as its Figure 2 writes it:
//!
//! ```text
//! program Dekker
//! thread t1 regs r1 init l0 begin
//!   l0: mem[x] <- 1; goto l1;
//!   l1: r1 <- mem[y]; goto l2;
//! end
//! ```
//!
//! The arrow may be `<-`, `:=` or `←`. As in the paper, `assert` blocks (the model's assumption),
//! and every value is an address; `papers::lower` says what `x` is. Files are named `….esop13`.

use program::{Diagnostics, Program, SourceId, Sources};

use crate::edit::{Edited, Plan};
use crate::papers::{self, Syntax};

/// The program that a text describes, or all that is wrong with it.
pub fn load(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    papers::load(sources, source, Syntax::Esop13)
}

/// The program in this syntax, or all of it that the syntax cannot express.
///
/// What is printed means the same under SC and TSO. It parses to the same program if that uses
/// only what the syntax has words for; otherwise `skip` and fences that do nothing under TSO become
/// `assert 1`, orders other than `seq_cst` are left out, a choice becomes alternatives, each copy
/// of a thread a thread of its own, and declared locations move to symbolic addresses if no
/// address is ever computed (otherwise they are printed as the numbers that they are).
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    papers::print(program, Syntax::Esop13)
}

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(sources: &Sources, source: SourceId, plan: Plan) -> Result<Edited, Diagnostics> {
    papers::edit(sources, source, Syntax::Esop13, plan)
}

/// Whether a text seems to be in this syntax.
pub fn looks_like(text: &str) -> bool {
    papers::has_words(text, &["thread", "init", "begin"]) && !papers::has_words(text, &["process"])
}
