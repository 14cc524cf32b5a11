//! The options of `fencewright check`.

use clap::{Args, ValueEnum};

use workspace::{CheckMethod, Criterion};

use super::cluster::Clustered;
use super::cycles::{Cycles, Method};
use super::search::{Engine, Search, asked_depth, depth};
use super::{Inputs, ReportFormat};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright check peterson.fw                     do I need a fence?
  fencewright check queue.c                         races, errors, results first
  fencewright check peterson.fw --criterion all     all, strictest first
  fencewright check queue.fw --criterion trf,persistence
  fencewright check queue.fw --criterion persistence --abstract=2
  fencewright check peterson.fw --per-attack        stores that loads overtake
  fencewright check peterson.fw --delays            which static delays are real
  fencewright check peterson.fw --format dot | dot -Tsvg -o cycle.svg
  fencewright check peterson.fw --engine spin       let spin decide
  fencewright check lock.c --thread 'use_lock*any'  for any number of threads

Where a criterion is violated (exit code 1) a run shows it, checked step by step before it is \
printed. See `fencewright explain docs/check.md` for what the criteria mean and how to read a run. A thread `p[*]` of \
a model is any number of copies: the answer is for all numbers at once, and a violation is shown in \
the smallest instance (`fencewright explain docs/any-number.md`).";

#[derive(Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct Check {
    /// Property to check; repeat it or separate several by commas. Without it a model is checked for
    /// robustness, and a program in C or Rust for what matters to its author, the worst first: data
    /// races, errors, final states that SC does not have, and robustness
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub(crate) criterion: Vec<Criteria>,

    /// Also decide each attack separately: a store that is delayed past a load
    #[arg(long, hide_short_help = true)]
    pub(crate) per_attack: bool,

    /// Also list the pairs of accesses that static critical cycles leave open, each with the result of a
    /// search: confirmed, with a run, or refuted; on machines other than x86 all executions are enumerated,
    /// with loops up to a bound
    #[arg(long)]
    pub(crate) delays: bool,

    /// Decide persistence by abstraction: one thread at a time, the others exact only for their
    /// first K accesses (0 to 1000); without K, for growing K. The abstraction can only prove
    /// the property; a bounded search of the program itself runs alongside to find violations
    #[arg(
        long = "abstract", hide_short_help = true,
        value_name = "K",
        num_args = 0..=1,
        require_equals = true,
        value_parser = depth()
    )]
    #[expect(clippy::option_option, reason = "not given, given without K, given with K")]
    pub(crate) abstraction: Option<Option<usize>>,

    #[command(flatten)]
    pub(crate) cycles: Cycles,

    #[command(flatten)]
    pub(crate) search: Search,

    /// Search engine
    #[arg(
        long,
        hide_short_help = true,
        value_enum,
        default_value = "fencewright",
        help_heading = "Limits and search"
    )]
    pub(crate) engine: Engine,

    #[command(flatten)]
    pub(crate) clustered: Clustered,

    /// With `--format sarif`: fail only on findings that are not in this earlier document
    #[arg(long, hide_short_help = true, value_name = "FILE", help_heading = "Output")]
    pub(crate) baseline: Option<std::path::PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

impl Check {
    /// Whether the answer covers errors, and with them uses of freed memory: where final states are asked about, or
    /// what matters to the author of a program. Every use of memory then also reads whether that memory is alive.
    /// These reads can hide no violation of another criterion, since they only add accesses. Nor do they add one where
    /// memory is never misused: under SC they all come before the memory is freed, in every run in the same order, and
    /// never at once with it. The same is true of local variables of calls that return.
    pub(crate) fn finds_errors(&self) -> bool {
        let question = self.question();
        let can_be_what_matters = match question.method {
            CheckMethod::Auto | CheckMethod::Exact => !self.cycles.is_static(),
            CheckMethod::Abstraction(_) | CheckMethod::Spin => false,
        };
        match question.criteria.as_slice() {
            [] => can_be_what_matters && !question.per_attack && !question.delays,
            criteria => criteria.contains(&Criterion::States),
        }
    }

    /// The question that is asked.
    pub(crate) fn question(&self) -> workspace::Check {
        let mut criteria: Vec<Criterion> =
            self.criterion.iter().flat_map(|named| named.meant()).copied().collect();
        criteria.sort_unstable();
        criteria.dedup();
        let method = match (self.engine, self.abstraction) {
            (Engine::Spin, _) => CheckMethod::Spin,
            (Engine::Fencewright | Engine::Cuda, Some(depth)) => {
                CheckMethod::Abstraction(asked_depth(depth))
            }
            (Engine::Fencewright | Engine::Cuda, None) => match self.cycles.method {
                Method::Auto | Method::Static => CheckMethod::Auto,
                Method::Exact => CheckMethod::Exact,
            },
        };
        workspace::Check {
            criteria,
            method,
            per_attack: self.per_attack,
            delays: self.delays,
            options: self.search.options(),
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Criteria {
    /// Every TSO execution has the trace of an SC execution
    Robustness,
    /// No triangular race: no store overtaken while another thread writes what is loaded
    Trf,
    /// No data race under SC
    Drf,
    /// Every TSO execution has the program orders and the store order of an SC execution
    Persistence,
    /// TSO ends in the final states and errors of SC, and in no others
    States,
    /// All of them
    All,
}

impl Criteria {
    /// The criteria that are meant.
    pub(crate) const fn meant(self) -> &'static [Criterion] {
        match self {
            Self::Robustness => &[Criterion::Robustness],
            Self::Trf => &[Criterion::Trf],
            Self::Drf => &[Criterion::Drf],
            Self::Persistence => &[Criterion::Persistence],
            Self::States => &[Criterion::States],
            Self::All => &Criterion::ALL,
        }
    }
}
