//! The options of `fencewright confirm`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::search::seconds;
use super::{Format, Inputs};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright confirm sb.litmus                     does this machine show it?
  fencewright confirm queue.c --runs 100000
  fencewright confirm queue.c --as-compiled -- -O3  `main` as compiled
  fencewright confirm sb.fw --keep tests && cc -O1 -pthread tests/sb.confirm.c

The test performs the accesses of the program as Fencewright read it, one x86 instruction each. An outcome that \
is not observed may still be possible. Exit code 1: something wrong, or not possible under SC, was observed; 2: \
something was observed that Fencewright calls impossible, which is a bug; 3: it is not known what is possible. See \
`fencewright explain docs/confirm.md`.";

#[derive(Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct Confirm {
    /// Run a program in C as its compiler makes it, `main` and all, and count how it ends; flags for
    /// the compiler follow `--` (after -O2)
    #[arg(long, conflicts_with_all = [
        "lang", "constants", "counts", "entries", "init", "operations", "max_recursion", "max_allocations",
        "max_amounts", "max_threads", "reuse_memory", "args", "assumptions", "clang", "rustc", "release", "lib", "bin", "example",
        "test", "unit_tests", "package", "features", "no_default_features", "program", "no_cache",
        "seed", "keep",
    ])]
    pub(crate) as_compiled: bool,

    /// Stop after this many runs of the program
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: u64,

    /// Stop after this many seconds: half of them for running the program, the rest for computing what is
    /// possible
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// Use at most this many processors
    #[arg(long, value_name = "N")]
    pub(crate) processors: Option<NonZeroUsize>,

    /// Seed of the random delays and choices
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// The C compiler for the test; by default cc, gcc or clang
    #[arg(long, value_name = "FILE")]
    pub(crate) cc: Option<PathBuf>,

    /// Keep the generated test, a C program, in this folder: NAME.confirm.c
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}
