//! The options that all searches share: limits, threads, reductions, and who searches.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use clap::builder::{RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use workspace::{Budget, Depth, Limits, Options, Reductions};

#[derive(Args, Debug)]
#[command(next_help_heading = "Limits and search")]
pub(crate) struct Search {
    /// Stop when the command uses this many bytes of memory (K, M, G for KiB, MiB, GiB) [default: what
    /// the machine or the container has left]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<usize>,

    /// Stop after this many seconds, counting the whole command: compilers, all searches, all inputs
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Stop each search after this many states, or candidate executions under models that enumerate
    /// them
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub(crate) max_states: Option<u64>,

    /// Number of worker threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Reductions of the state space: `all` (the default), `none`, or some of dead-registers, local-steps,
    /// locked-sections, partial-order and symmetry, separated by commas
    #[arg(long, hide_short_help = true, value_name = "LIST", value_parser = reductions)]
    pub(crate) reductions: Option<Reductions>,

    /// The limits, from when the command began.
    #[arg(skip)]
    pub(crate) limits: Limits,
}

impl Search {
    /// The limits are counted from now on.
    pub(crate) fn begin(&mut self, now: Instant) {
        let Self { max_memory: memory, timeout: time, max_states: states, .. } = *self;
        self.limits = Budget { memory, time, states }.from_now(now);
    }

    /// How Fencewright searches.
    pub(crate) fn options(&self) -> Options {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            reductions: self.reductions(),
            threads: self.threads.map_or_else(processors, usize::from),
            limits: self.limits,
            ..Options::default()
        }
    }

    fn reductions(&self) -> Reductions {
        self.reductions.unwrap_or(Reductions::ALL)
    }

    /// The options that were given and say how states are explored in parallel, or in part.
    pub(crate) fn ways_to_explore(&self) -> impl Iterator<Item = &'static str> {
        let threads = self.threads.map(|_| "--threads");
        threads.into_iter().chain(self.reductions.map(|_| "--reductions"))
    }

    /// An option that was given and says something of states, of which there are none in static answers.
    pub(crate) fn about_states(&self) -> Option<&'static str> {
        self.max_states.map(|_| "--max-states").or_else(|| self.ways_to_explore().next())
    }

    /// Why Spin cannot search like that.
    pub(crate) fn problem_of_spin(&self) -> Option<&'static str> {
        if self.max_states.is_some() {
            return Some("spin has no limit on states; use `--max-memory` or `--timeout`");
        }
        let is_all_or_nothing = [Reductions::ALL, Reductions::NONE].contains(&self.reductions());
        (!is_all_or_nothing).then_some(
            "spin has reductions of its own; use `--reductions all` or `--reductions none`",
        )
    }
}

/// How many accesses of other threads an abstraction keeps exact.
pub(crate) fn depth() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(0..=1000)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Fencewright itself
    Fencewright,
    /// Spin, compiled with gcc: one thread, no limit on states, its own reductions or none
    Spin,
    /// Fencewright on an NVIDIA graphics card: no reductions except that local steps run at once
    Cuda,
}

impl From<Engine> for workspace::Engine {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Fencewright => Self::Fencewright,
            Engine::Spin => Self::Spin,
            Engine::Cuda => Self::Cuda,
        }
    }
}

/// The depth that `--abstract` asks for, with or without a number.
pub(crate) fn asked_depth(given: Option<usize>) -> Depth {
    given.map_or(Depth::USUAL, Depth::Fixed)
}

pub(crate) fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        Some(_) | None => (text, 0),
    };
    let number = digits.parse::<usize>().ok();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "expected a number of bytes such as 500M or 20G".to_owned())
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds such as 60 or 0.5".to_owned())
}

fn reductions(text: &str) -> Result<Reductions, String> {
    match text {
        "all" => return Ok(Reductions::ALL),
        "none" => return Ok(Reductions::NONE),
        _ => {}
    }
    let mut chosen = Reductions::NONE;
    for name in text.split(',') {
        match name.trim() {
            "dead-registers" => chosen.dead_registers = true,
            "local-steps" => chosen.local_steps = true,
            "locked-sections" => chosen.locked_sections = true,
            "partial-order" => chosen.partial_order = true,
            "symmetry" => chosen.symmetry = true,
            other => {
                return Err(format!(
                    "there is no reduction `{other}`: there are dead-registers, local-steps, \
                     locked-sections, partial-order and symmetry"
                ));
            }
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(size("512"), Ok(512));
        assert_eq!(size("64k"), Ok(64 << 10));
        assert_eq!(size("20G"), Ok(20 << 30));
        for wrong in ["", "G", "-1", "1.5G", "99999999999999999999", "99999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_may_be_fractions() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "-1", "nan", "inf", "1e99"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reductions_can_be_listed() {
        let two = Reductions { symmetry: true, local_steps: true, ..Reductions::NONE };
        assert_eq!(reductions("local-steps, symmetry"), Ok(two));
        assert_eq!(reductions("all"), Ok(Reductions::ALL));
        assert!(reductions("some").is_err());
    }
}
