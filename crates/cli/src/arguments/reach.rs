//! The options of `fencewright reach`.

use clap::Args;

use super::search::{Engine, Search};
use super::{Inputs, Model, ReportFormat};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright reach peterson.fw                        assertions, deadlocks, final states
  fencewright reach peterson.fw --goal 'p[0]@critical && p[1]@critical'
  fencewright reach queue.fw --goal 'head > 3 || p[1].r == -1'
  fencewright reach large.fw --max-memory 20G --timeout 600
  fencewright reach peterson.fw --engine spin          let spin decide

What can be reached is violated (exit code 1), and the run that leads there is shown. What cannot is
holds (0). Where a limit ends the search, it is undecided (3).";

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Reach {
    #[command(flatten)]
    pub(crate) inputs: Inputs,

    /// Look for a state in which this is true: labels (`p[0]@critical`), shared variables
    /// (`x == 1`, `a[2] != 0`) and locals (`p[0].r < 3`), with `&&`, `||`, `!`, `=>`
    #[arg(long, value_name = "CONDITION")]
    pub(crate) goal: Option<String>,

    /// Look for failed assertions and other errors; without any of these options all but a goal is
    /// looked for
    #[arg(long)]
    pub(crate) faults: bool,

    /// Look for deadlocks: nobody can get any further, and some thread waits
    #[arg(long)]
    pub(crate) deadlocks: bool,

    /// Look for final states that the program's `never` or `always` rules out
    #[arg(long)]
    pub(crate) final_states: bool,

    /// Do not look for deadlocks
    #[arg(long, conflicts_with = "deadlocks")]
    pub(crate) no_deadlocks: bool,

    /// The memory model
    #[arg(long, value_enum, default_value = "sc")]
    pub(crate) model: Model,

    #[command(flatten)]
    pub(crate) search: Search,

    /// Who searches
    #[arg(long, value_enum, default_value = "fencewright")]
    pub(crate) engine: Engine,

    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

impl Reach {
    /// The question that is asked: what was named, or else everything that is wrong in any program.
    pub(crate) fn question(&self) -> workspace::Reach {
        let is_named = self.goal.is_some() || self.faults || self.deadlocks || self.final_states;
        workspace::Reach {
            goal: self.goal.clone(),
            faults: !is_named || self.faults,
            deadlocks: (!is_named || self.deadlocks) && !self.no_deadlocks,
            final_states: !is_named || self.final_states,
            model: self.model.into(),
            engine: self.engine.into(),
            options: self.search.options(),
        }
    }
}
