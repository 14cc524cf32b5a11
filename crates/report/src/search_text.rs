//! What the answers of all searches say in the same words: what was explored, and what keeps an
//! answer from being known.

use std::fmt::Write;

use analysis::Statistics;
use program::{Diagnostic, Sources, Span};

use crate::diagnostics;

/// What keeps an answer from being known: the place, if there is one, and what to do.
pub(crate) fn doubt(at: Span, advice: Option<&str>, sources: &Sources, colour: bool) -> String {
    let mut text = String::new();
    if at.source.is_some() {
        let error = Diagnostic::new(at, "the search cannot continue here");
        let rendered = diagnostics::render(&[error], sources, colour);
        let _ = write!(text, "\n{}\n\n", rendered.trim_end());
    }
    if let Some(advice) = advice {
        let _ = writeln!(text, "  {advice}");
    }
    text
}

pub(crate) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What a search did, in one line.
pub(crate) fn figures(statistics: &Statistics, engine: &str) -> String {
    format!(
        "{engine} explored {}, {} deep, in {} and {:.2} s",
        counted(statistics.states, "state"),
        counted(statistics.depth, "step"),
        amount(statistics.peak_bytes),
        statistics.elapsed.as_secs_f64()
    )
}

/// A number of bytes as people say it.
pub fn amount(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut tenths, mut unit) = (bytes.saturating_mul(10) / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_have_one_digit_after_the_point() {
        let said = [0, 1023, 1024, 1536, 10 << 20, 5 << 40].map(amount);
        assert_eq!(said, ["0.0 KiB", "0.9 KiB", "1.0 KiB", "1.5 KiB", "10.0 MiB", "5.0 TiB"]);
    }
}
