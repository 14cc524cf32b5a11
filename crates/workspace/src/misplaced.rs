//! Options that say nothing about the input they are given with. Who gives an option expects it to
//! matter, so one that would be ignored is an error that says what to do instead. Options are called as
//! the command line and the documentation call them.

use compiler::Input;
use frontend::litmus::Arch;
use lowering::Lifetimes;
use program::index::Idx;
use program::{Diagnostic, Diagnostics, Span};

use crate::inputs::{Inputs, Loaded};

/// What an input is, as far as options are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Model,
    C,
    Rust,
    Package,
    Recording,
    Llvm,
}

impl Kind {
    const fn of(input: &Input) -> Self {
        match input {
            Input::C(_) | Input::Database(_) => Self::C,
            Input::Rust(_) => Self::Rust,
            Input::Llvm(_) => Self::Llvm,
            Input::Package(_) => Self::Package,
            Input::Recording(_) => Self::Recording,
        }
    }
}

/// Kinds of input with their name.
type Kinds = (&'static [Kind], &'static str);

const MODELS: Kinds = (&[Kind::Model], "models");
const SOURCE: Kinds = (
    &[Kind::C, Kind::Rust, Kind::Package, Kind::Recording, Kind::Llvm],
    "programs in C, Rust and LLVM IR",
);
const C: Kinds = (&[Kind::C, Kind::Recording], "programs in C");
const RUST: Kinds = (&[Kind::Rust, Kind::Package], "programs in Rust");
const PACKAGES: Kinds = (&[Kind::Package], "Cargo packages");
const RECORDINGS: Kinds = (&[Kind::Recording], "recordings by `fencewright cc`");

const LEAVE_OUT: &str = "leave it out";
const NAME_PACKAGE: &str = "name the folder of a package, or its `Cargo.toml`";

/// An error if a program is a test of another architecture than x86: an answer about TSO is none about
/// that. (`outcomes` knows the models of all of them.)
pub(crate) fn for_x86(loaded: &Loaded, asked: &str) -> Result<(), Diagnostics> {
    let name = match loaded.architecture() {
        None | Some(Arch::X86 | Arch::X86_64 | Arch::C) => return Ok(()),
        Some(Arch::AArch64) => "AArch64",
        Some(Arch::Arm) => "ARM",
        Some(Arch::Ppc) => "Power",
        Some(Arch::RiscV) => "RISC-V",
    };
    let source = Idx::new(0);
    let first_line = loaded.sources.text(source).lines().next().map_or(0, str::len);
    let message = format!("this is a test for {name}, and {asked} is about TSO (x86)");
    Err(vec![Diagnostic::new(Span::new(source, 0..first_line), message).help(format!(
        "`fencewright outcomes` lists what {name} allows; `fencewright convert --to litmus` makes an \
         x86 test of it"
    ))])
}

/// An error if an option was given that is not for models.
pub(crate) fn for_model(inputs: &Inputs) -> Result<(), Diagnostics> {
    refuse(inputs, &[Kind::Model])
}

/// An error if an option was given that is for none of these files of one program.
pub(crate) fn for_source(inputs: &Inputs, files: &[Input]) -> Result<(), Diagnostics> {
    refuse(inputs, &files.iter().map(Kind::of).collect::<Vec<_>>())
}

fn refuse(inputs: &Inputs, kinds: &[Kind]) -> Result<(), Diagnostics> {
    let source = &inputs.source;
    let threads = "a model says itself which threads it has, and `--count` how many";
    let constants = "`--set NAME=VALUE` gives a constant of a model another value";
    let options: [(&str, bool, Kinds, &str); 26] = [
        ("--set", !inputs.constants.is_empty(), MODELS, "pass `-- -DN=1` to the compiler"),
        ("--count", !inputs.counts.is_empty(), MODELS, "name threads by `--thread 'FUNCTION*2'`"),
        ("--thread", !source.entries.is_empty(), SOURCE, threads),
        ("--init", source.init.is_some(), SOURCE, LEAVE_OUT),
        (
            "--operation",
            !source.operations.is_empty(),
            SOURCE,
            "a model marks operations by `call` and `return`",
        ),
        ("--max-recursion", source.max_recursion.is_some(), SOURCE, LEAVE_OUT),
        ("--max-allocations", source.max_allocations.is_some(), SOURCE, LEAVE_OUT),
        ("--max-amounts", source.max_amounts.is_some(), SOURCE, LEAVE_OUT),
        ("--max-threads", source.max_threads.is_some(), SOURCE, LEAVE_OUT),
        ("--reuse-memory", source.lifetimes == Lifetimes::Reused, SOURCE, LEAVE_OUT),
        ("--args", source.args.is_some(), SOURCE, constants),
        ("--assume", !source.assumptions.is_empty(), SOURCE, LEAVE_OUT),
        ("--clang", source.clang.is_some(), C, LEAVE_OUT),
        ("--rustc", source.rustc.is_some(), RUST, LEAVE_OUT),
        ("--lib", source.lib, PACKAGES, NAME_PACKAGE),
        ("--bin", source.bin.is_some(), PACKAGES, NAME_PACKAGE),
        ("--example", source.example.is_some(), PACKAGES, NAME_PACKAGE),
        ("--test", source.test.is_some(), PACKAGES, NAME_PACKAGE),
        ("--unit-tests", source.unit_tests.is_some(), PACKAGES, NAME_PACKAGE),
        ("--package", source.package.is_some(), PACKAGES, NAME_PACKAGE),
        ("--features", !source.features.is_empty(), PACKAGES, NAME_PACKAGE),
        ("--no-default-features", source.no_default_features, PACKAGES, NAME_PACKAGE),
        ("--release", source.release, RUST, LEAVE_OUT),
        ("--program", source.program.is_some(), RECORDINGS, "name the folder of a recording"),
        ("--no-cache", source.no_cache, SOURCE, LEAVE_OUT),
        // That LLVM IR needs no compiler is said where there are compilers.
        ("-- FLAGS", !source.flags.is_empty(), SOURCE, constants),
    ];
    let is_misplaced = |(_, is_given, (meant, _), _): &&(&str, bool, Kinds, &str)| {
        *is_given && !kinds.iter().any(|kind| meant.contains(kind))
    };
    match options.iter().find(is_misplaced) {
        None => Ok(()),
        Some((name, _, (_, meant), instead)) => {
            let message = format!("`{name}` is for {meant}");
            Err(vec![Diagnostic::new(Span::NONE, message).help(*instead)])
        }
    }
}
