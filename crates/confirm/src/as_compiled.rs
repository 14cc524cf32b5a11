//! A program in C as its compiler made it, run many times.
//!
//! Here nothing stands between the program and the machine: `main` runs in a process of its own, again and
//! again, and how the process ends is counted. Threads are pinned and wait a moment for each other when they
//! are created, by way of the linker (`--wrap=pthread_create`); all else is the program's own. What is seen is about
//! the program and its compiler together, so it is compared with nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::process;
use crate::run::{Failure, GRACE, How, compile, finished, processors, temporary};

/// How runs of a program ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// How many runs there were.
    pub runs: u64,
    /// On how many processors.
    pub processors: usize,
    /// How long it took.
    pub elapsed: Duration,
    /// How they ended, each with how often.
    pub ends: BTreeMap<ProcessEnd, u64>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessEnd {
    /// With this code.
    Exit(u8),
    /// By this signal.
    Signal(u8),
    /// It was still running after two seconds, and was stopped.
    Late,
}

impl ProcessEnd {
    /// Whether something went wrong.
    pub const fn is_failure(self) -> bool {
        !matches!(self, Self::Exit(0))
    }
}

impl Counted {
    /// In how many runs something went wrong.
    pub fn failed(&self) -> u64 {
        self.ends.iter().filter(|(end, _)| end.is_failure()).map(|(_, count)| count).sum()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next()?.split(' ').collect();
        let ["runs", runs, "processors", processors, "seconds", seconds] = head.as_slice() else {
            return None;
        };
        let elapsed = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        let (runs, processors) = (runs.parse().ok()?, processors.parse().ok()?);
        let mut ends = BTreeMap::new();
        loop {
            let words: Vec<&str> = lines.next()?.split(' ').collect();
            let (end, count) = match words.as_slice() {
                ["done"] => return Some(Self { runs, processors, elapsed, ends }),
                ["exit", code, count] => (ProcessEnd::Exit(code.parse().ok()?), count),
                ["signal", number, count] => (ProcessEnd::Signal(number.parse().ok()?), count),
                ["late", _, count] => (ProcessEnd::Late, count),
                _ => return None,
            };
            ends.insert(end, count.parse().ok()?);
        }
    }
}

/// Compiles C files with these flags into one program, and runs it.
pub fn run_as_compiled(files: &[PathBuf], flags: &[String], how: &How) -> Result<Counted, Failure> {
    let processors = processors(how)?;
    let folder = temporary()?;
    let wrapper = folder.path().join("fencewright-wrapper.c");
    let executable = folder.path().join("program");
    std::fs::write(&wrapper, include_str!("as_compiled.c"))
        .map_err(|error| Failure::Files(wrapper.clone(), error))?;
    compile(how, folder.path(), |command| {
        command
            .arg("-O2")
            .args(flags)
            .args(["-pthread", "-Wl,--wrap=main,--wrap=pthread_create", "-o"])
            .arg(&executable)
            .args(files)
            .arg(&wrapper);
    })?;
    let mut command = Command::new(&executable);
    let seconds = how.time.as_secs().max(1);
    command
        .env("FENCEWRIGHT_RUNS", how.runs.min(1 << 30).to_string())
        .env("FENCEWRIGHT_SECONDS", seconds.to_string())
        .env("FENCEWRIGHT_PROCESSORS", processors.to_string());
    let ended = process::run_from(&mut command, folder, how.time + GRACE)
        .map_err(|error| Failure::Files(executable.clone(), error))?;
    finished(ended, Counted::parse)
}
