//! The options of `fencewright cover`.

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use workspace::{Budget, Limits};

use super::Format;
use super::search::{seconds, size};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright cover mutex.spec                  a Petri net as mist writes it
  fencewright cover stack.tts                   with the target in stack.prop
  fencewright cover stack.tts --target '3|7,7'  shared state 3, two threads in 7
  fencewright cover mutex.spec --direction backward --timeout 60

A marking covers a target if it has at least as many tokens in every place. A net may start with any number \
of tokens in some places, so that one question is about any number of threads. Exit code 1 (violated): a target \
can be covered, and the run is shown; 0 (holds): none can, for any number; 3 (undecided): a limit ended the search. See `fencewright explain docs/any-number.md`.";

#[derive(Args, Debug)]
pub(crate) struct Cover {
    /// Nets: `.spec` files of mist, or `.tts` files of BFC
    #[arg(required = true, value_name = "NET")]
    pub(crate) files: Vec<String>,

    /// For a `.tts` file: the shared state and the local states to reach at once, instead of those in
    /// the `.prop` file beside it
    #[arg(long, value_name = "S|L,…")]
    pub(crate) target: Option<String>,

    /// Direction of the search
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) direction: Direction,

    /// Use at most this many bytes (K, M, G for KiB, MiB, GiB); by default what the machine or the container
    /// has left
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<usize>,

    /// Stop after this many seconds, for all nets together
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,

    /// The limits, from when the command began.
    #[arg(skip)]
    pub(crate) limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Direction {
    /// Both side by side: the first to reach a verdict decides
    Both,
    /// From the targets, over minimal markings: always decides, given time and memory
    Backward,
    /// From the initial marking, over instances of growing size: finds a smallest one
    Forward,
}

impl Cover {
    /// The limits are counted from now on.
    pub(crate) fn begin(&mut self, now: Instant) {
        let (memory, time) = (self.max_memory, self.timeout);
        self.limits = Budget { memory, time, states: None }.from_now(now);
    }

    pub(crate) fn question(&self) -> workspace::Cover {
        workspace::Cover {
            target: self.target.clone(),
            direction: match self.direction {
                Direction::Both => workspace::cover::Direction::Both,
                Direction::Backward => workspace::cover::Direction::Backward,
                Direction::Forward => workspace::cover::Direction::Forward,
            },
            limits: self.limits,
        }
    }
}
