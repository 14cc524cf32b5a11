//! The options of `fencewright reach`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use workspace::{Histories, Relocking};

use super::cluster::Clustered;
use super::search::{Engine, Search};
use super::{Inputs, Model, ReportFormat};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright reach peterson.fw                errors, deadlocks, final states
  fencewright reach peterson.fw --goal 'p[0]@critical && p[1]@critical'
  fencewright reach queue.fw --model tso --histories linearizability
  fencewright reach queue.fw --goal 'head > 3 || p[1].r == -1'
  fencewright reach large.fw --max-memory 20G --timeout 600
  fencewright reach peterson.fw --engine spin  let spin decide
  fencewright reach large.fw --processes 4     with four processes
  fencewright reach large.fw --cluster hosts   on several machines

Exit code 1 (violated): something was found, and the run that leads there is shown. 0 (holds): nothing \
can be reached. 3 (undecided): a limit ended the search.";

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(next_help_heading = "Question")]
pub(crate) struct Reach {
    /// Search for a state in which this is true: labels (`p[0]@critical`), shared variables
    /// (`x == 1`, `a[2] != 0`) and locals (`p[0].r < 3`), with `&&`, `||`, `!`, `=>`
    #[arg(long, value_name = "CONDITION")]
    pub(crate) goal: Option<String>,

    /// Search for failed assertions and other errors; by default errors, deadlocks and forbidden final
    /// states are all searched for
    #[arg(long)]
    pub(crate) faults: bool,

    /// Search for deadlocks: no thread can take a step, and some thread is waiting
    #[arg(long)]
    pub(crate) deadlocks: bool,

    /// Search for final states that the program's `never` or `always` rules out
    #[arg(long)]
    pub(crate) final_states: bool,

    /// Search for a history of operations (`call`, `return`) that no sequential order explains
    #[arg(
        long,
        value_enum,
        value_name = "SENSE",
        conflicts_with_all = ["goal", "faults", "deadlocks", "final_states", "no_deadlocks"]
    )]
    pub(crate) histories: Option<Sense>,

    /// Compare histories with the operations of this model (`.fw`), each run alone, instead of those of
    /// the program itself
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "histories")]
    pub(crate) sequential: Option<PathBuf>,

    /// Do not search for deadlocks
    #[arg(long, hide_short_help = true, conflicts_with = "deadlocks")]
    pub(crate) no_deadlocks: bool,

    /// The memory model
    #[arg(long, value_enum, default_value = "sc")]
    pub(crate) model: Model,

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

impl Reach {
    /// Where the question is about deadlocks alone, taking a lock twice is one; an error would hide it.
    pub(crate) fn relocking(&self) -> Relocking {
        if self.deadlocks && !self.faults && !self.final_states {
            Relocking::Hangs
        } else {
            Relocking::Fails
        }
    }

    /// The question that is asked: what was named, or else everything that is wrong in any program.
    pub(crate) fn question(&self) -> workspace::Reach {
        let is_named = self.goal.is_some() || self.faults || self.deadlocks || self.final_states;
        workspace::Reach {
            goal: self.goal.clone(),
            faults: !is_named || self.faults,
            deadlocks: (!is_named || self.deadlocks) && !self.no_deadlocks,
            final_states: !is_named || self.final_states,
            histories: self.histories.map(Into::into),
            sequential: self.sequential.clone(),
            model: self.model.into(),
            engine: if self.clustered.is_asked_for() {
                workspace::Engine::Cluster
            } else {
                self.engine.into()
            },
            options: self.search.options(),
        }
    }
}

/// In which sense a sequential order must explain a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sense {
    /// Operations that do not overlap keep their order (Herlihy and Wing)
    Linearizability,
    /// Operations of one thread keep their order
    Operations,
}

impl From<Sense> for Histories {
    fn from(sense: Sense) -> Self {
        match sense {
            Sense::Linearizability => Self::Linearizable,
            Sense::Operations => Self::SequentiallyConsistent,
        }
    }
}
