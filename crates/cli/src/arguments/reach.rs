//! The options of `fencewright reach`.

use std::num::NonZeroUsize;
use std::time::Duration;

use analysis::Reductions;
use clap::{Args, ValueEnum};

use super::{Format, Inputs, Model};

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

    /// Use so many bytes for states at most (K, M, G for KiB, MiB, GiB); by default what the machine
    /// or the container has left
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<usize>,

    /// Search for so many seconds at most
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Store so many states at most
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,

    /// Search with so many threads; by default one for each processor
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// How to explore fewer states: `all`, `none`, or some of dead-registers, local-steps,
    /// locked-sections, partial-order and symmetry, separated by commas
    #[arg(long, value_name = "LIST", default_value = "all", value_parser = reductions)]
    pub(crate) reductions: Reductions,

    /// Who searches
    #[arg(long, value_enum, default_value = "fencewright")]
    pub(crate) engine: Engine,

    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Fencewright itself
    Fencewright,
    /// The real spin, with gcc: one thread, no limit on states, its own reductions or none
    Spin,
}

fn size(text: &str) -> Result<usize, String> {
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

fn seconds(text: &str) -> Result<Duration, String> {
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
