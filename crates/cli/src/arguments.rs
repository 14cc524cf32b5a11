//! The command line: every command and option with its help, in one place.

pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod cluster;
mod common;
pub(crate) mod confirm;
mod costs;
pub(crate) mod cover;
pub(crate) mod cycles;
pub(crate) mod fence;
pub(crate) mod outcomes;
pub(crate) mod port;
pub(crate) mod reach;
pub(crate) mod search;
pub(crate) mod source;
pub(crate) mod step;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use program::Value;
use workspace::words::integer;

use batch::{Batch, Merge};
use check::Check;
use cluster::Worker;
use confirm::Confirm;
use cover::Cover;
use fence::Fence;
use outcomes::Outcomes;
use port::Port;
use reach::Reach;

use crate::form::Form;

/// The options of every command, which stand behind its own.
const GENERAL: &str = "General";

/// The version, with the commit if that is known.
const VERSION: &str = env!("FENCEWRIGHT_VERSION");

const EXIT_CODES: &str = "\
Exit codes:
  0  holds, repaired, or done; also if comments in the source accept every violation
  1  violated
  2  bad input or usage
  3  undecided
With several inputs the exit code is the most severe: 2, then 1, then 3, then 0.";

/// Does your concurrent program behave on weak-memory hardware as it does under sequential
/// consistency?
#[derive(Debug, Parser)]
#[command(version, long_version = VERSION, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN", help_heading = GENERAL)]
    pub(crate) color: Color,

    /// Print the verdicts only, one line per question
    #[arg(short, long, global = true, help_heading = GENERAL)]
    pub(crate) quiet: bool,

    /// Read options from this file [default: fencewright.toml in this folder or in one above it]
    #[arg(long, global = true, value_name = "FILE", help_heading = GENERAL)]
    pub(crate) config: Option<PathBuf>,

    /// Ignore fencewright.toml
    #[arg(long, hide_short_help = true, global = true, conflicts_with = "config", help_heading = GENERAL)]
    pub(crate) no_config: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// If the output is a terminal
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check whether a program behaves on TSO hardware as under sequential consistency
    #[command(after_help = check::EXAMPLES)]
    Check(Box<Check>),

    /// Find the cheapest fences that make a program behave on TSO hardware as under SC
    #[command(after_help = fence::EXAMPLES)]
    Fence(Box<Fence>),

    /// Explore all states for errors, deadlocks and goals, by default under SC, and show the run that leads there
    #[command(after_help = reach::EXAMPLES)]
    Reach(Box<Reach>),

    /// List the final states that a memory model allows: SC, TSO, Arm, Power, RISC-V, C11 or a `.cat` file; by default
    /// the model of the test, otherwise TSO
    #[command(after_help = outcomes::EXAMPLES)]
    Outcomes(Box<Outcomes>),

    /// Port code from x86 to Arm, Power or RISC-V: the smallest change that keeps what x86 orders
    #[command(after_help = port::EXAMPLES)]
    Port(Box<Port>),

    /// Run a program once under a random schedule, by default under TSO, and show the run
    #[command(after_help = "\
Examples:
  fencewright simulate peterson.fw               one run on TSO hardware
  fencewright simulate peterson.fw --model sc    one run under SC
  fencewright simulate peterson.fw --tries 1000  the first of 1000 that fails
  fencewright simulate peterson.fw --seed 7      always the same run

A run that goes wrong gives exit code 1: a failed assertion, an access outside every object, a \
final state that a `never` or an `always` of the program rules out. A run that does not go wrong \
proves nothing; a deadlock is shown but is not wrong by itself.")]
    Simulate(Simulate),

    /// Run a program by hand, by default under TSO: choose each step, undo, replay a witness
    #[command(after_help = step::EXAMPLES)]
    Step(Box<step::Step>),

    /// Print Fencewright's internal model of a program
    #[command(after_help = "\
Examples:
  fencewright show peterson.fw
  fencewright show peterson.fw --format svg            a picture of the control flow
  fencewright show peterson.fw --format svg --events   the shared accesses
  fencewright show --set N=4 filter.fw
  cat program.txt | fencewright show -")]
    Show(Show),

    /// Translate programs into another language
    #[command(after_help = "\
Examples:
  fencewright convert peterson.fw --to trencher
  fencewright convert program.txt --to fw -o program.fw
  fencewright convert peterson.fw --to promela -o peterson.pml
  fencewright convert peterson.fw --to dot | dot -Tsvg -o peterson.svg
  fencewright convert sb.fw --to litmus --arch aarch64
  fencewright convert sb.fw --to fw --instrument robustness --attack p:12:13
  fencewright convert sb.fw --to promela --instrument robustness --single

Run an instrumented program under SC: an assertion in it can fail if and only if the attack \
is feasible, or the program is not robust, or not persistent. See `fencewright explain docs/instrument.md`.")]
    Convert(Convert),

    /// Explain a term or a code of the JSON output, or print a page of the documentation
    #[command(after_help = "\
Examples:
  fencewright explain robustness
  fencewright explain triangular race
  fencewright explain buffer_grows   a code of the JSON output
  fencewright explain docs/check.md  a page of the documentation
  fencewright explain                list all terms, codes and pages")]
    Explain {
        /// The term, the code or the page
        #[arg(value_name = "TERM|CODE|PAGE")]
        asked: Vec<String>,
    },

    /// Run a program many times on this machine, and compare what happens with what should be possible
    #[command(after_help = confirm::EXAMPLES)]
    Confirm(Box<Confirm>),

    /// Decide whether a Petri net or thread-transition system can cover a target
    #[command(after_help = cover::EXAMPLES)]
    Cover(Box<Cover>),

    /// Place fences in many packages by static analysis, several at once, with a summary
    #[command(after_help = batch::EXAMPLES)]
    Batch(Box<Batch>),

    /// Merge the answers of several commands with `--shard`
    #[command(after_help = batch::MERGE_EXAMPLES)]
    Merge(Merge),

    /// Serve the searches of a command on another machine; runs on every host of a cluster
    #[command(after_help = cluster::EXAMPLES)]
    Worker(Worker),

    /// Compile like the C compiler, and record what is compiled for the other commands
    #[command(
        disable_help_flag = true,
        disable_version_flag = true,
        after_help = "\
Examples:
  make CC=\"fencewright cc\"                              build, and record it
  fencewright check fencewright-recording --program memcached --thread worker

The real compiler is `cc`, or the one that FENCEWRIGHT_CC names; all arguments are passed on to it. The \
recording is the folder fencewright-recording, or the one that FENCEWRIGHT_RECORDING names. See \
`fencewright explain docs/source.md`."
    )]
    Cc {
        /// Arguments for the compiler
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<std::ffi::OsString>,
    },

    /// Show the cache of compiled programs and its size, or clear it
    #[command(after_help = "\
Examples:
  fencewright cache                                    the folder and its size
  fencewright cache --clear                            remove everything in it

The folder is the one that FENCEWRIGHT_CACHE names, or else ~/.cache/fencewright.
See `fencewright explain docs/source.md`.")]
    Cache {
        /// Remove everything except what another process is using
        #[arg(long)]
        clear: bool,
    },

    /// Serve an editor over the language server protocol, on standard input and output
    #[command(after_help = "\
Findings appear when a file is opened or saved; hovering shows the run behind a finding, and a quick fix inserts the \
proven repair. The folder editors/vscode has an extension, and explains how to set up other editors. See `fencewright explain docs/reports.md`.")]
    Lsp,

    /// Write the manual, one page per command
    #[command(after_help = "\
Examples:
  fencewright man ~/.local/share/man/man1
  fencewright man /usr/local/share/man/man1")]
    Man {
        /// The folder for the pages
        folder: PathBuf,
    },

    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  fencewright completions bash > ~/.local/share/bash-completion/completions/fencewright
  fencewright completions zsh > ~/.zfunc/_fencewright  with ~/.zfunc in $fpath, before compinit
  fencewright completions fish > ~/.config/fish/completions/fencewright.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Which programs, and how to read them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct Inputs {
    /// Programs, or folders with programs; `-` is standard input. C files together are one program
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Input language, if it cannot be detected; `c`, `rust` and `llvm` (LLVM IR as text) are for standard input
    #[arg(long, value_name = "LANGUAGE", value_parser = language_parser())]
    pub(crate) lang: Option<Lang>,

    /// Where standard input lies, as a file for compilers.
    #[arg(skip)]
    pub(crate) standard_input: Option<PathBuf>,

    /// Set a constant of the program
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) constants: Vec<(String, Value)>,

    /// Set the number of copies of a thread declared with `[*]`
    #[arg(long = "count", value_name = "THREAD=COPIES", value_parser = name_and_count)]
    pub(crate) counts: Vec<(String, u32)>,

    /// Analyse only every Nth program, starting with the Ith; `merge` combines parts that were written with
    /// `--format json`
    #[arg(long, hide_short_help = true, value_name = "I/N", value_parser = batch::shard)]
    pub(crate) shard: Option<batch::Shard>,

    #[command(flatten)]
    pub(crate) source: source::SourceOptions,
}

impl Inputs {
    /// The same as plain data.
    pub(crate) fn plain(&self) -> workspace::Inputs {
        workspace::Inputs {
            files: self.files.clone(),
            standard_input: self.standard_input.clone(),
            language: self.lang.and_then(Lang::of_model),
            constants: self.constants.clone(),
            counts: self.counts.clone(),
            source: self.source.plain(),
        }
    }

    /// Whether more than one program may be meant.
    pub(crate) fn may_be_several(&self) -> bool {
        self.plain().may_be_several()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For machines: one JSON document per input, one per line
    Json,
}

/// The form of an answer that can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// For machines: one JSON document per input, one per line
    Json,
    /// A page to step through the run, with the source and a picture: one file, no network
    Html,
    /// A picture of what happens before what
    Svg,
    /// The same picture for graphviz
    Dot,
    /// Findings for code hosts and editors: SARIF 2.1.0
    Sarif,
    /// Findings as GitHub shows them at the lines of a change
    Github,
}

/// The form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// For people
    Text,
    /// For machines: one JSON document per input, one per line
    Json,
    /// A picture of the control flow, threads side by side
    Svg,
    /// The automata of the threads for graphviz
    Dot,
}

impl ShowFormat {
    /// The form of what is said where there is no answer.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self::Text => Form::Text,
            Self::Json => Form::Json,
            Self::Svg => Form::Svg,
            Self::Dot => Form::Dot,
        }
    }
}

/// The form of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// For people
    Text,
    /// For machines: one JSON document per input, one per line
    Json,
    /// A page to step through the run, with the source and a picture: one file, no network
    Html,
    /// A picture of what happens before what
    Svg,
    /// The same picture for graphviz
    Dot,
}

impl RunFormat {
    /// The form of what is said where there is no answer.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self::Text => Form::Text,
            Self::Json => Form::Json,
            Self::Html => Form::Html,
            Self::Svg => Form::Svg,
            Self::Dot => Form::Dot,
        }
    }

    /// Why this cannot be written about so many inputs.
    pub(crate) fn contradiction(self, inputs: &Inputs) -> Option<String> {
        match self {
            Self::Text | Self::Json | Self::Html | Self::Dot => None,
            Self::Svg => one_file("svg", inputs),
        }
    }
}

/// Findings are compared in one form.
pub(crate) const NO_BASELINE: &str = "`--baseline` compares findings; add `--format sarif`";

/// Why a file about one program cannot be written.
pub(crate) fn one_file(format: &str, inputs: &Inputs) -> Option<String> {
    let problem =
        format!("`--format {format}` writes one file about one program; give them one by one");
    inputs.may_be_several().then_some(problem)
}

impl ReportFormat {
    /// The form of what is said where there is no answer.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self::Text => Form::Text,
            Self::Json => Form::Json,
            Self::Html => Form::Html,
            Self::Svg => Form::Svg,
            Self::Dot => Form::Dot,
            Self::Sarif => Form::Sarif,
            Self::Github => Form::Github,
        }
    }

    /// Why this cannot be written about so many inputs.
    pub(crate) fn contradiction(self, inputs: &Inputs) -> Option<String> {
        match self {
            Self::Text | Self::Json | Self::Html | Self::Dot | Self::Github | Self::Sarif => None,
            Self::Svg => one_file("svg", inputs),
        }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Show {
    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: ShowFormat,

    /// Draw the event graph instead of the control flow (`--format svg` or `dot`): the shared accesses of each thread,
    /// and which of them may communicate
    #[arg(long, help_heading = "Output")]
    pub(crate) events: bool,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct Convert {
    /// What to translate into: a language, `promela` for spin (with SC semantics), or `dot` for a
    /// picture of the control flow
    #[arg(long, value_name = "LANGUAGE", value_parser = target_parser())]
    pub(crate) to: Target,

    /// For `--to litmus`: the architecture of the test; loop-free programs only
    #[arg(long, value_name = "ARCHITECTURE", default_value = "x86", value_parser = arch_parser())]
    pub(crate) arch: frontend::litmus::Target,

    /// Emit an instrumented program whose assertion fails under SC if and only if the property is
    /// violated under TSO:
    #[arg(long, value_enum, value_name = "CRITERION")]
    pub(crate) instrument: Option<Instrumentation>,

    /// For `--instrument robustness`: the attack, with the store and the load by line or label
    #[arg(long, value_name = "THREAD:STORE:LOAD", requires = "instrument")]
    pub(crate) attack: Option<String>,

    /// For `--instrument robustness`: all attacks in one program
    #[arg(long, requires = "instrument")]
    pub(crate) single: bool,

    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

/// What an instrumented program is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Instrumentation {
    /// Are there TSO computations with traces that SC does not have?
    Robustness,
    /// Are there TSO runs with program and store orders that SC does not have together?
    Persistence,
}

/// What a program can be translated into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Language(frontend::Language),
    Promela,
    Dot,
}

impl Target {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Language(language) => language.name(),
            Self::Promela => "promela",
            Self::Dot => "dot",
        }
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct Simulate {
    /// The memory model
    #[arg(long, value_enum, default_value = "tso")]
    pub(crate) model: Model,

    /// Seed of the random schedule
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Try this many schedules, starting with the seed, and print the first that goes wrong, or else the
    /// first that shows what the program's `exists` asks for
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) tries: u64,

    /// Stop a run after this many steps
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub(crate) max_steps: usize,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: RunFormat,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Model {
    /// Sequential consistency
    Sc,
    /// Total store ordering, as on x86
    Tso,
}

impl From<Model> for semantics::Model {
    fn from(model: Model) -> Self {
        match model {
            Model::Sc => Self::Sc,
            Model::Tso => Self::Tso,
        }
    }
}

/// A language that programs can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lang {
    /// One of models.
    Model(frontend::Language),
    C,
    Rust,
    Llvm,
}

impl Lang {
    fn all() -> Vec<Self> {
        let models = frontend::Language::ALL.map(Self::Model);
        models.into_iter().chain([Self::C, Self::Rust, Self::Llvm]).collect()
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Model(language) => language.name(),
            Self::C => "c",
            Self::Rust => "rust",
            Self::Llvm => "llvm",
        }
    }

    /// If it is one of models.
    const fn of_model(self) -> Option<frontend::Language> {
        match self {
            Self::Model(language) => Some(language),
            Self::C | Self::Rust | Self::Llvm => None,
        }
    }

    /// The extension of its files, if they are for compilers.
    pub(crate) const fn extension(self) -> Option<&'static str> {
        match self {
            Self::Model(_) => None,
            Self::C => Some("c"),
            Self::Rust => Some("rs"),
            Self::Llvm => Some("ll"),
        }
    }
}

fn language_parser() -> impl TypedValueParser<Value = Lang> {
    let all = Lang::all();
    PossibleValuesParser::new(all.iter().map(|language| language.name())).map(move |name| {
        *all.iter().find(|language| language.name() == name).expect("a possible value")
    })
}

fn arch_parser() -> impl TypedValueParser<Value = frontend::litmus::Target> {
    let all = frontend::litmus::Target::ALL;
    PossibleValuesParser::new(all.map(frontend::litmus::Target::name)).map(move |name| {
        all.into_iter().find(|target| target.name() == name).expect("a possible value")
    })
}

fn target_parser() -> impl TypedValueParser<Value = Target> {
    let languages = frontend::Language::ALL.map(Target::Language);
    let all: Vec<Target> = languages.into_iter().chain([Target::Promela, Target::Dot]).collect();
    PossibleValuesParser::new(all.iter().map(|target| target.name()).collect::<Vec<_>>()).map(
        move |name| *all.iter().find(|target| target.name() == name).expect("a possible value"),
    )
}

fn name_and_value(text: &str) -> Result<(String, Value), String> {
    let (name, value) = split(text)?;
    let number = integer(value).filter(|value| program::value::is_at_rest(*value));
    number
        .map(|number| (name, number))
        .ok_or_else(|| "the value must be a 64-bit integer such as 42, -1 or 0x2a".to_owned())
}

fn name_and_count(text: &str) -> Result<(String, u32), String> {
    let (name, count) = split(text)?;
    let count = count.parse().ok().filter(|count| *count <= program::Program::MAX_THREADS);
    count.map(|count| (name, count)).ok_or_else(|| {
        format!("the number of copies must be 0 to {}", program::Program::MAX_THREADS)
    })
}

fn split(text: &str) -> Result<(String, &str), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value)),
        Some(_) | None => Err("expected NAME=VALUE".to_owned()),
    }
}
