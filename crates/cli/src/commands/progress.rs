//! How far a search has come, on one line that changes. In a pipe nobody would see it change, so
//! nothing is shown.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::output::Output;

/// Time between two looks of a person.
const BETWEEN: Duration = Duration::from_millis(200);

pub(super) struct Progress<'o> {
    output: Option<&'o mut Output>,
    next: Duration,
}

impl<'o> Progress<'o> {
    pub(super) fn new(output: &'o mut Output) -> Self {
        // What is over in a moment needs no line.
        Self { output: Output::shows_progress().then_some(output), next: BETWEEN * 2 }
    }

    pub(super) fn show(&mut self, now: &analysis::Progress) -> ControlFlow<()> {
        if now.elapsed < self.next {
            return ControlFlow::Continue(());
        }
        self.next = now.elapsed + BETWEEN;
        if let Some(output) = &mut self.output {
            output.progress(&line(now));
        }
        ControlFlow::Continue(())
    }

    pub(super) fn clear(&mut self) {
        if let Some(output) = &mut self.output {
            output.progress("");
        }
    }
}

fn line(now: &analysis::Progress) -> String {
    let doing = if now.tracing { "found; way there" } else { "searching" };
    let milliseconds = u64::try_from(now.elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let per_second = now.states.saturating_mul(1000) / milliseconds;
    format!(
        "{doing}: {} states ({}/s), {} to do, {}, {:.0} s",
        count(now.states),
        count(per_second),
        count(now.frontier),
        report::search_text::amount(now.bytes),
        now.elapsed.as_secs_f64()
    )
}

/// A number in few digits.
fn count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1000),
        10_000_000.. => format!("{}M", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_into_a_terminal() {
        let now = analysis::Progress {
            tracing: true,
            states: 9_999_999_999,
            depth: 100,
            frontier: 9_999_999,
            bytes: 1000 << 30,
            elapsed: Duration::from_secs(9999),
        };
        let line = line(&now);
        assert_eq!(
            line,
            "found; way there: 9999M states (1000k/s), 9999k to do, 1000.0 GiB, 9999 s"
        );
        assert!(line.len() < 80);
    }
}
