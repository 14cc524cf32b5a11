//! The syntax of the ESOP'15 paper (Figure 8), as its Figure 2 writes it:
//!
//! ```text
//! program simple vars x, y procs
//! process p1 regs $r1 init q1 begin
//!   q1: x = 2; goto q2
//!   q2: $r1 = y; goto q3
//! end
//! ```
//!
//! A fence is written `fence`, or `fn` as in the paper's text. Shared variables become declared
//! scalars; nothing else has an address. Files are named `….esop15`.

use program::{Diagnostics, Program, SourceId, Sources};

use crate::edit::{Edited, Plan};
use crate::papers::{self, Syntax};

/// The program that a text describes, or all that is wrong with it.
pub fn load(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    papers::load(sources, source, Syntax::Esop15)
}

/// The program in this syntax, or all of it that the syntax cannot express.
///
/// What is printed means the same under SC and TSO. It parses to the same program if that uses
/// only what the syntax has words for; otherwise fences that do nothing under TSO become `skip`,
/// orders other than `seq_cst` are left out, a choice becomes alternatives, each copy of a thread
/// a process of its own, and addresses, which no program of this syntax can see, are forgotten.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    papers::print(program, Syntax::Esop15)
}

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(sources: &Sources, source: SourceId, plan: Plan) -> Result<Edited, Diagnostics> {
    papers::edit(sources, source, Syntax::Esop15, plan)
}

/// Whether a text seems to be in this syntax.
pub fn looks_like(text: &str) -> bool {
    papers::has_words(text, &["process", "init", "begin"])
}
