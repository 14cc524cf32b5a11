//! The options of `fencewright check`.

use clap::{Args, ValueEnum};

use workspace::{CheckMethod, Criterion};

use super::cycles::{Cycles, Method};
use super::search::{Engine, Search, asked_depth, depth};
use super::{Format, Inputs};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright check peterson.fw                        robustness: do I need a fence?
  fencewright check peterson.fw --criterion all        all criteria, strictest first
  fencewright check queue.fw --criterion trf,persistence
  fencewright check queue.fw --criterion persistence --abstract=2
  fencewright check peterson.fw --per-attack           which store can be delayed past which load
  fencewright check peterson.fw --format dot | dot -Tsvg -o cycle.svg
  fencewright check peterson.fw --engine spin          let spin decide
  fencewright check lock.c --thread 'use_lock*any'      for any number of threads

Where a criterion is violated (exit code 1) a run shows it, checked step by step before it is
printed. See docs/check.md for what the criteria mean and how to read a run. A thread `p[*]` of
a model is any number of copies: the answer is for all numbers at once, and a violation is shown in
the smallest instance (docs/any-number.md).";

#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) inputs: Inputs,

    /// In what sense the program must not differ from SC; can be given several times or as a list
    /// with commas
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "robustness"
    )]
    pub(crate) criterion: Vec<Criteria>,

    /// Also ask about each attack by itself: a store that is delayed past a load
    #[arg(long)]
    pub(crate) per_attack: bool,

    /// Decide persistence by abstraction: one thread at a time, the others exact only for their
    /// first K accesses (0 to 1000); without K more and more of them. Can only show that it holds; the program
    /// itself is tried as well, as far as it is small
    #[arg(
        long = "abstract",
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

    /// Who searches
    #[arg(long, value_enum, default_value = "fencewright")]
    pub(crate) engine: Engine,

    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: WitnessFormat,
}

impl Check {
    /// The question that is asked.
    pub(crate) fn question(&self) -> workspace::Check {
        let mut criteria: Vec<Criterion> =
            self.criterion.iter().flat_map(|named| named.meant()).copied().collect();
        criteria.sort_unstable();
        criteria.dedup();
        let method = match (self.engine, self.abstraction) {
            (Engine::Spin, _) => CheckMethod::Spin,
            (Engine::Fencewright, Some(depth)) => CheckMethod::Abstraction(asked_depth(depth)),
            (Engine::Fencewright, None) => match self.cycles.method {
                Method::Auto | Method::Static => CheckMethod::Auto,
                Method::Exact => CheckMethod::Exact,
            },
        };
        workspace::Check {
            criteria,
            method,
            per_attack: self.per_attack,
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
    /// TSO reaches the states of SC; known where another criterion implies it
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

/// The form of an answer that comes with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WitnessFormat {
    /// For people
    Text,
    /// For machines: one JSON document per input, one per line
    Json,
    /// A picture of what happens before what, for each violation
    Dot,
}

impl WitnessFormat {
    /// The form of messages about inputs that cannot be read.
    pub(crate) const fn of_errors(self) -> Format {
        match self {
            Self::Text | Self::Dot => Format::Text,
            Self::Json => Format::Json,
        }
    }
}
