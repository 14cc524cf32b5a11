//! Questions about programs of the corpus, with their times.
//!
//! Times are seconds by the clock of one thread; a question that takes less than a tenth of a second is asked again,
//! and the shortest time counts, since machines do other things too.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use workspace::{
    Budget, FenceAnswer, FenceOutcome, Inputs, Limits, Options, ProgramId, Verdict, Workspace,
};

/// An answer, and how long it took.
pub(crate) struct Timed<T> {
    pub(crate) answer: T,
    pub(crate) seconds: f64,
}

/// Asks, and asks again so many times where that is quick.
pub(crate) fn timed<T>(again: usize, mut ask: impl FnMut() -> T) -> Timed<T> {
    let mut once = || {
        let start = Instant::now();
        let answer = ask();
        Timed { answer, seconds: start.elapsed().as_secs_f64() }
    };
    let mut best = once();
    for _ in 0..again {
        if best.seconds < 0.1 {
            let again = once();
            if again.seconds < best.seconds {
                best = again;
            }
        }
    }
    best
}

/// One thread, and so much time from now on.
pub(crate) fn options(limit: Duration) -> Options {
    let limits: Limits = Budget { time: Some(limit), ..Budget::default() }.from_now(Instant::now());
    Options { limits, threads: 1, ..Options::default() }
}

/// A fresh workspace with a program of the corpus, of which nothing is known yet.
pub(crate) fn opened(
    root: &Path,
    file: &str,
    set: &BTreeMap<String, i64>,
) -> (Workspace<'static>, ProgramId) {
    let path = root.join("corpus").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let constants = set.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
    let inputs = Inputs { constants, ..Inputs::default() };
    let mut workspace = Workspace::default();
    let id = workspace.text_as(file, &text, &inputs);
    let id = id.unwrap_or_else(|refused| panic!("{file}: {:?}", refused.errors));
    (workspace, id)
}

/// How many fences there are in an answer, or why not.
pub(crate) fn fences(answer: &FenceAnswer) -> String {
    match &answer.outcome {
        FenceOutcome::Repaired { sets, .. } => sets.first().map_or(0, Vec::len).to_string(),
        FenceOutcome::Unrepairable { .. } => "no repair".to_owned(),
        FenceOutcome::Undecided { at_least, .. } => format!("≥ {at_least}"),
    }
}

/// Whether it holds.
pub(crate) const fn verdict<E>(verdict: &Verdict<E>) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Undecided(_) => "undecided",
    }
}

/// Seconds as a cell of a table.
pub(crate) fn seconds(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { format!("{value:.3}") }
}
