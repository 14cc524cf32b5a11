//! The options of `fencewright fence`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use repair::Positions;
use workspace::{Criterion, Histories};

use super::cycles::{Cycles, Method};
use super::search::{Search, asked_depth, depth};
use super::{Inputs, ReportFormat};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright fence peterson.fw                       the fewest fences, and why
  fencewright fence peterson.fw --diff | patch -p0    insert them
  fencewright fence peterson.fw --write repaired.fw
  fencewright fence queue.fw --criterion persistence  often fewer fences
  fencewright fence queue.fw --compare                what each criterion costs
  fencewright fence queue.fw --criterion linearizability
  fencewright fence queue.fw --cost profile           the fewest executed fences
  fencewright fence queue.fw --minimise-existing      which fences do I need?

The repaired program is read and checked again before it is shown. See `fencewright explain docs/fence.md` for what a \
fence can be, what it costs, and why nothing cheaper works.";

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[command(next_help_heading = "Question")]
pub(crate) struct Fence {
    /// Property to enforce
    #[arg(long, value_enum, value_name = "NAME", default_value = "robustness")]
    pub(crate) criterion: Enforced,

    /// For `linearizability` and `operations`: compare with the operations of this model (`.fw`), each run
    /// alone, instead of those of the program itself
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    pub(crate) sequential: Option<PathBuf>,

    /// Report which existing fences, locked stores and exchanges with unused results can be removed
    #[arg(long, alias = "minimize-existing", conflicts_with_all = ["positions", "with_locked_stores", "algorithm"])]
    pub(crate) minimise_existing: bool,

    /// Enumerate all executions of the closed program, with loops up to a bound, to find which orders and fences are
    /// needed (`--minimise-existing` with `--method static`, or on machines other than x86)
    #[arg(long, hide_short_help = true, requires = "minimise_existing")]
    pub(crate) confirm: bool,

    /// Where fences can stand: after single instructions, or at labels, where all paths through the label
    /// meet
    #[arg(long, hide_short_help = true, value_enum, default_value = "after-instruction")]
    pub(crate) positions: Position,

    /// Decide for each copy of a thread separately, as the tables of the papers do
    #[arg(long, hide_short_help = true)]
    pub(crate) per_instance: bool,

    /// Also consider turning a store into an atomic exchange (XCHG)
    #[arg(long)]
    pub(crate) with_locked_stores: bool,

    /// Cost of an exchange, in fences, for `--with-locked-stores` and `--minimise-existing` [default: 1]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) locked_store_cost: Option<u32>,

    /// Cost of a fence: `uniform`, 1; `loops`, ten times as much for each loop around it; `profile`, as often as it
    /// is executed in random runs; or a file with costs by lines
    #[arg(long, value_name = "COST", default_value = "uniform")]
    pub(crate) cost: Cost,

    /// Seed of the random runs of `--cost profile`
    #[arg(long, hide_short_help = true, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Show all sets of fences with the lowest cost
    #[arg(long)]
    pub(crate) all: bool,

    /// Algorithm that chooses the fences
    #[arg(long, hide_short_help = true, value_enum, default_value = "optimal")]
    pub(crate) algorithm: Algorithm,

    /// For persistence: decide by abstraction, one thread at a time, the others exact only for their first K
    /// accesses (0 to 1000). Repairs are sound but may use more fences than necessary
    #[arg(
        long = "abstract", hide_short_help = true,
        value_name = "K",
        num_args = 0..=1,
        require_equals = true,
        value_parser = depth()
    )]
    #[expect(clippy::option_option, reason = "not given, given without K, given with K")]
    pub(crate) abstraction: Option<Option<usize>>,

    /// Show what safety, persistence and robustness cost, side by side
    #[arg(long, hide_short_help = true, conflicts_with_all = ["write", "diff", "list", "minimise_existing", "abstraction"])]
    pub(crate) compare: bool,

    /// List the candidate places and their costs, then exit
    #[arg(long, conflicts_with_all = ["write", "diff"])]
    pub(crate) list: bool,

    /// Write the repaired program to a file; given an existing folder, write all changed files into it
    /// under their names. The program itself is never overwritten
    #[arg(long, value_name = "OUT", help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    /// Print the repair as a unified diff
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(crate) diff: bool,

    /// How a fence is written in C and Rust [default: standard]
    #[arg(
        long = "fence-text",
        hide_short_help = true,
        value_enum,
        value_name = "HOW",
        help_heading = "Output"
    )]
    pub(crate) written_as: Option<FenceText>,

    #[command(flatten)]
    pub(crate) cycles: Cycles,

    #[command(flatten)]
    pub(crate) search: Search,

    /// Repair the files in place, if they have no uncommitted changes in git
    #[arg(long, conflicts_with_all = ["write", "diff", "list"], help_heading = "Output")]
    pub(crate) in_place: bool,

    /// With `--in-place`: also change files that are untracked or have uncommitted changes
    #[arg(long, requires = "in_place", help_heading = "Output")]
    pub(crate) force: bool,

    /// With `--format sarif`: fail only on findings that are not in this earlier document
    #[arg(long, hide_short_help = true, value_name = "FILE", help_heading = "Output")]
    pub(crate) baseline: Option<std::path::PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

impl Fence {
    /// Where fences can stand in event graphs.
    pub(crate) const fn event_positions(&self) -> events::Positions {
        match self.positions {
            Position::AfterInstruction => events::Positions::AfterInstructions,
            Position::Label => events::Positions::Labels,
        }
    }

    /// The question that is asked.
    pub(crate) fn question(&self) -> workspace::Fence {
        workspace::Fence {
            enforced: self.criterion.into(),
            sequential: self.sequential.clone(),
            minimise_existing: self.minimise_existing,
            positions: match self.positions {
                Position::AfterInstruction => Positions::AfterInstructions,
                Position::Label => Positions::Labels,
            },
            per_instance: self.per_instance,
            with_locked_stores: self.with_locked_stores,
            locked_store_cost: self.locked_store_cost.unwrap_or(1),
            cost: match &self.cost {
                Cost::Uniform => workspace::Cost::Uniform,
                Cost::Loops => workspace::Cost::Loops,
                Cost::Profile => workspace::Cost::Profile { seed: self.seed },
                Cost::File(path) => workspace::Cost::File(path.clone()),
            },
            all: self.all,
            algorithm: self.algorithm.into(),
            abstraction: self.abstraction.map(asked_depth),
            fence_text: self.written_as.map(Into::into),
            needs_text: self.write.is_some() || self.in_place || self.diff,
            options: workspace::Options {
                critical_cycles: self.cycles.method != Method::Exact,
                ..self.search.options()
            },
        }
    }
}

/// What is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Enforced {
    /// Every TSO execution has the trace of an SC execution
    Robustness,
    /// No triangular race: no store overtaken while another thread writes what is loaded
    Trf,
    /// Every TSO execution has the program orders and the store order of an SC execution
    Persistence,
    /// TSO ends in the final states of SC; where buffers stay short, or another criterion implies it
    States,
    /// Nothing goes wrong under TSO that does not under SC: assertions, accesses outside every object,
    /// and what `never` and `always` rule out; for buffers of any length if data is finite
    Safety,
    /// Every history of operations (`call`, `return`) is linearizable under TSO
    Linearizability,
    /// A sequential order explains the results of operations under TSO, whatever their order in time
    Operations,
    /// No data race: fences cannot repair that
    Drf,
}

impl From<Enforced> for workspace::Enforced {
    fn from(enforced: Enforced) -> Self {
        match enforced {
            Enforced::Robustness => Self::Criterion(Criterion::Robustness),
            Enforced::Trf => Self::Criterion(Criterion::Trf),
            Enforced::Persistence => Self::Criterion(Criterion::Persistence),
            Enforced::States => Self::Criterion(Criterion::States),
            Enforced::Drf => Self::Criterion(Criterion::Drf),
            Enforced::Safety => Self::Safety,
            Enforced::Linearizability => Self::Histories(Histories::Linearizable),
            Enforced::Operations => Self::Histories(Histories::SequentiallyConsistent),
        }
    }
}

/// How a fence is written in C and Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FenceText {
    /// `atomic_thread_fence(memory_order_seq_cst)`, `fence(Ordering::SeqCst)`
    Standard,
    /// `mfence` as inline assembly
    Mfence,
}

impl From<FenceText> for patch::FenceText {
    fn from(text: FenceText) -> Self {
        match text {
            FenceText::Standard => Self::SEQ_CST,
            FenceText::Mfence => Self::MFENCE,
        }
    }
}

/// Where fences can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Position {
    /// After a single instruction (ESOP'15)
    AfterInstruction,
    /// Before everything that leaves a label (ESOP'13)
    Label,
}

/// How fences are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// Cheapest sets that eliminate the violations found so far, until there are no others
    Optimal,
    /// Attack by attack (ESOP'13): as cheap, for robustness
    Esop13,
    /// Growing sets (ESOP'15, Algorithm 1): no fence is superfluous, but others may be cheaper
    Esop15,
}

impl From<Algorithm> for workspace::Algorithm {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Optimal => Self::Optimal,
            Algorithm::Esop13 => Self::Esop13,
            Algorithm::Esop15 => Self::Esop15,
        }
    }
}

/// What a fence costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    Uniform,
    Loops,
    Profile,
    File(PathBuf),
}

impl std::str::FromStr for Cost {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "uniform" => Self::Uniform,
            "loops" => Self::Loops,
            "profile" => Self::Profile,
            file => Self::File(PathBuf::from(file)),
        })
    }
}
