//! The options of `fencewright step`.

use clap::Args;

use super::{Inputs, Model};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright step peterson.fw                         in the terminal
  fencewright step peterson.fw --witness               a run that only TSO has
  fencewright step peterson.fw --load run.json         a run written as JSON
  printf 'p[0]\\nflush p[0]\\nstate\\n' | fencewright step peterson.fw

At each step you choose which thread moves next, or whose oldest store leaves its store buffer. The steps \
offered are those that the memory model allows, and no others. Where standard input is not a terminal it \
is read as commands, one per line, and the answers are plain text; `help` lists the commands. Exit code \
2: a command could not be executed.";

#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct Step {
    /// The memory model
    #[arg(long, value_enum, default_value = "tso")]
    pub(crate) model: Model,

    /// Seed of random steps
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Begin with a run that TSO allows and SC does not
    #[arg(long, conflicts_with = "load")]
    pub(crate) witness: bool,

    /// Begin with the run in this file, written by `--format json`
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<String>,

    /// Run these commands first; may be repeated
    #[arg(long = "do", value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}
