//! The options for programs in C, Rust and LLVM IR.

use std::path::PathBuf;

use clap::Args;
use lowering::{Entry, Lifetimes, Relocking, Summary};
use workspace::Assumption;
use workspace::words::{Asked, entry, thread};

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(next_help_heading = "C and Rust programs")]
pub(crate) struct SourceOptions {
    /// Run this function as a thread, instead of the threads that `main` creates: a function, its arguments, how many
    /// copies; for example `consumer`, `'producer*2'`, `'worker(&queue, 3)'`; `'push*any'` for any number of
    /// copies, all numbers at once; `'lock(self)*any'` gives each copy its identity: 1, 2 and so on
    #[arg(long = "thread", value_name = "FUNCTION(ARGUMENTS)*N", value_parser = thread)]
    pub(crate) entries: Vec<Asked>,

    /// Treat this function as an operation: its calls and returns form the histories that `--histories` checks; may
    /// be repeated
    #[arg(long = "operation", value_name = "FUNCTION")]
    pub(crate) operations: Vec<String>,

    /// Run this function before the threads named by `--thread`, to set things up
    #[arg(long, value_name = "FUNCTION(ARGUMENTS)", value_parser = entry, requires = "entries")]
    pub(crate) init: Option<Entry>,

    /// Recursion limit per function; deeper recursion makes the answer undecided [default: 4]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) max_recursion: Option<u32>,

    /// Limit on allocations per thread and call site; more make the answer undecided [default: 4]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) max_allocations: Option<u32>,

    /// Limit on the distinct sizes, not known beforehand, that one call site may allocate, copy or fill; more make
    /// the answer undecided [default: 4]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12))]
    pub(crate) max_amounts: Option<u32>,

    /// Limit on the threads that one thread may create at one call site; four times as many are possible in all, and
    /// more make the answer undecided [default: 16]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=48))]
    pub(crate) max_threads: Option<u32>,

    /// Let the allocator reuse freed memory, as real ones do: the same address can come back (ABA)
    #[arg(long, hide_short_help = true)]
    pub(crate) reuse_memory: bool,

    /// Whether the question is one that freed memory matters to; which question it is says so.
    #[arg(skip)]
    pub(crate) looks_at_lifetimes: bool,

    /// What becomes of a thread that takes a lock which it holds already; the question says so, too.
    #[arg(skip)]
    pub(crate) relocking: Relocking,

    /// Arguments of `main` after the program's name, split as by a shell [default: any number of any
    /// arguments]
    #[arg(long, value_name = "'A B C'", value_parser = arguments, conflicts_with = "entries")]
    pub(crate) args: Option<Arguments>,

    /// State what a function without a body does; for example `'configured returns 0..=1'`, `'log does nothing'`,
    /// `'fill writes 2'`, `'each calls 2 with 3'`, `'g_thread_new creates 2 with 3'`,
    /// `'g_thread_join joins 1'`; `@FILE` for a file with one of these on each line
    #[arg(long = "assume", value_name = "FUNCTION DOES | @FILE", value_parser = assumption)]
    pub(crate) assumptions: Vec<Assumption>,

    /// The clang to use
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub(crate) clang: Option<PathBuf>,

    /// The rustc to use
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub(crate) rustc: Option<PathBuf>,

    /// Analyse the package's library
    #[arg(long, hide_short_help = true, conflicts_with_all = ["bin", "example", "test"])]
    pub(crate) lib: bool,

    /// Analyse this binary target of the package
    #[arg(long, hide_short_help = true, value_name = "NAME", conflicts_with_all = ["example", "test"])]
    pub(crate) bin: Option<String>,

    /// Analyse this example of the package
    #[arg(long, hide_short_help = true, value_name = "NAME", conflicts_with = "test")]
    pub(crate) example: Option<String>,

    /// Analyse the tests of this integration test, each by itself, or one of them
    #[arg(long, hide_short_help = true, value_name = "NAME[::FUNCTION]")]
    pub(crate) test: Option<String>,

    /// Analyse the unit tests of the library or of the binary named by `--bin`, each by itself, or one
    /// of them
    #[arg(
        hide_short_help = true,
        long,
        value_name = "FUNCTION",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["test", "example"]
    )]
    pub(crate) unit_tests: Option<String>,

    /// Analyse this package of the workspace
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub(crate) package: Option<String>,

    /// Enable these features of the Cargo package, separated by commas
    #[arg(long, hide_short_help = true, value_name = "FEATURES", value_delimiter = ',')]
    pub(crate) features: Vec<String>,

    /// Disable the default features of the Cargo package
    #[arg(long, hide_short_help = true)]
    pub(crate) no_default_features: bool,

    /// Analyse Rust without debug assertions and overflow checks, as `cargo build --release`
    #[arg(long, hide_short_help = true)]
    pub(crate) release: bool,

    /// Analyse this executable or library of a recording made by `fencewright cc`
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub(crate) program: Option<String>,

    /// Recompile everything, even what has not changed
    #[arg(long, hide_short_help = true)]
    pub(crate) no_cache: bool,

    /// Flags for the compiler
    #[arg(last = true, value_name = "COMPILER FLAGS")]
    pub(crate) flags: Vec<String>,
}

/// The arguments of a program.
#[derive(Clone, Debug)]
pub(crate) struct Arguments(pub(crate) Vec<String>);

fn arguments(text: &str) -> Result<Arguments, String> {
    let words = shlex::split(text).ok_or("a quotation mark is never closed")?;
    if words.iter().any(|word| word.contains('\0')) {
        return Err("an argument has no NUL in it".to_owned());
    }
    Ok(Arguments(words))
}

fn assumption(text: &str) -> Result<Assumption, String> {
    match text.trim().strip_prefix('@') {
        Some(file) => Ok(Assumption::InFile(PathBuf::from(file))),
        None => Summary::parse(text).map(Assumption::Stated),
    }
}

impl SourceOptions {
    /// What is made of memory that is given back.
    fn lifetimes(&self) -> Lifetimes {
        match (self.reuse_memory, self.looks_at_lifetimes) {
            (true, _) => Lifetimes::Reused,
            (false, true) => Lifetimes::Checked,
            (false, false) => Lifetimes::Ignored,
        }
    }

    /// The same as plain data.
    pub(crate) fn plain(&self) -> workspace::SourceOptions {
        workspace::SourceOptions {
            entries: self.entries.iter().map(|one| one.entry.clone()).collect(),
            any_number: self
                .entries
                .iter()
                .enumerate()
                .filter(|(_, one)| one.is_any)
                .map(|(number, _)| number)
                .collect(),
            init: self.init.clone(),
            operations: self.operations.clone(),
            max_recursion: self.max_recursion,
            max_allocations: self.max_allocations,
            max_amounts: self.max_amounts,
            max_threads: self.max_threads,
            lifetimes: self.lifetimes(),
            relocking: self.relocking,
            args: self.args.clone().map(|Arguments(words)| words),
            assumptions: self.assumptions.clone(),
            clang: self.clang.clone(),
            rustc: self.rustc.clone(),
            lib: self.lib,
            bin: self.bin.clone(),
            example: self.example.clone(),
            test: self.test.clone(),
            unit_tests: self.unit_tests.clone(),
            package: self.package.clone(),
            features: self.features.clone(),
            no_default_features: self.no_default_features,
            release: self.release,
            program: self.program.clone(),
            no_cache: self.no_cache,
            flags: self.flags.clone(),
        }
    }
}
