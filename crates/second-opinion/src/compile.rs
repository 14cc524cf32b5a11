//! C to assembly, by a compiler of the machine.

use std::process::Command;

use crate::Problem;

/// A compiler of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// It evaluates the operands of an expression in the order that the LLVM IR of clang shows.
    Clang,
    /// Its order may be another, so that it is a second opinion only where C leaves no choice.
    Gcc,
}

/// Nothing is optimised, so every access stands in the text; no vectors, no red zone below the stack pointer,
/// no tables of jumps; addresses are numbers.
const FLAGS: [&str; 12] = [
    "-S",
    "-O0",
    "-w",
    "-std=gnu11",
    "-fno-pic",
    "-mno-red-zone",
    "-mgeneral-regs-only",
    "-fno-jump-tables",
    "-fno-stack-protector",
    "-fcf-protection=none",
    "-fno-asynchronous-unwind-tables",
    "-fwrapv",
];

impl Compiler {
    const fn command(self) -> &'static str {
        match self {
            Self::Clang => "clang",
            Self::Gcc => "gcc",
        }
    }

    /// The assembly of a C text.
    pub(crate) fn assembly(self, text: &str) -> Result<String, Problem> {
        let failed = |error: std::io::Error| {
            Problem::Wrong(format!("{} cannot be run: {error}", self.command()))
        };
        let folder = tempfile::tempdir().map_err(failed)?;
        let source = folder.path().join("program.c");
        std::fs::write(&source, text).map_err(failed)?;
        let output = Command::new(self.command())
            .args(FLAGS)
            .args(["-o", "-"])
            .arg(&source)
            .output()
            .map_err(failed)?;
        if !output.status.success() {
            return Err(Problem::Wrong(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
