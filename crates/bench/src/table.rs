//! Results as a Markdown table.

use std::fmt::Write;

use crate::measured::{Measured, Outcome};

/// One program, explored in one way by both sides.
pub(crate) struct Row {
    pub(crate) family: &'static str,
    pub(crate) n: u32,
    pub(crate) reductions: bool,
    pub(crate) spin: Outcome,
    pub(crate) ours: Outcome,
}

const HEAD: &str = "\
| family | n | reductions | spin: states | CPU s | wall s | M/s | B/state | + spin, gcc | Fencewright: states | CPU s | wall s | M/s | B/state | CPU time per state | whole query | with compilation |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    for row in rows {
        let reductions = if row.reductions { "on" } else { "off" };
        let preparation = row
            .spin
            .explored()
            .map_or("–".to_owned(), |spin| format!("{:.2}", spin.preparation_seconds));
        let printed = ratios(row).map(|ratios| {
            let Ratios { per_state, whole_query, with_compilation } = ratios;
            format!("{per_state:.1}× | {whole_query:.1}× | {with_compilation:.1}×")
        });
        let printed = printed.unwrap_or_else(|| "– | – | –".to_owned());
        let _ = writeln!(
            text,
            "| {} | {} | {reductions} | {} | {preparation} | {} | {printed} |",
            row.family,
            row.n,
            side(row.spin),
            side(row.ours),
        );
    }
    text
}

/// States, seconds of processors and of the clock, millions of states per second and bytes per state.
fn side(outcome: Outcome) -> String {
    match outcome {
        Outcome::Explored(measured) => {
            let states = number(measured.states);
            let speed = states / measured.cpu_seconds / 1e6;
            let bytes = bytes_per_state(measured);
            let count = grouped(measured.states);
            let (cpu, wall) = (measured.cpu_seconds, measured.wall_seconds);
            format!("{count} | {cpu:.3} | {wall:.3} | {speed:.2} | {bytes:.0}")
        }
        Outcome::OverTime => "over time | – | – | – | –".to_owned(),
        Outcome::OverMemory => "over memory | – | – | – | –".to_owned(),
        Outcome::NotThere => "– | – | – | – | –".to_owned(),
    }
}

/// How many times the time Spin needs.
pub(crate) struct Ratios {
    pub(crate) per_state: f64,
    pub(crate) whole_query: f64,
    /// With spin and gcc.
    pub(crate) with_compilation: f64,
}

/// The ratios of a row, if both sides explored the program.
pub(crate) fn ratios(row: &Row) -> Option<Ratios> {
    let (spin, ours) = (row.spin.explored()?, row.ours.explored()?);
    let per_state = |measured: Measured| measured.cpu_seconds / number(measured.states);
    let compiled = |measured: Measured| measured.cpu_seconds + measured.preparation_seconds;
    Some(Ratios {
        per_state: per_state(spin) / per_state(ours),
        whole_query: spin.cpu_seconds / ours.cpu_seconds,
        with_compilation: compiled(spin) / compiled(ours),
    })
}

pub(crate) fn bytes_per_state(measured: Measured) -> f64 {
    number(measured.bytes) / number(measured.states)
}

/// A count, as exactly as a table needs it.
fn number(count: u64) -> f64 {
    let low = u32::try_from(count & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    let high = u32::try_from(count >> 32).unwrap_or(u32::MAX);
    f64::from(high) * 4_294_967_296.0 + f64::from(low)
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_how_many_times_as_long_spin_takes() {
        let measured = |states, seconds, preparation_seconds| {
            let example = Measured::example(states, seconds, 8);
            Outcome::Explored(Measured { preparation_seconds, ..example })
        };
        let (spin, ours) = (measured(2_000_000, 4.0, 2.0), measured(1_000_000, 0.5, 0.0));
        let row = Row { family: "filter", n: 3, reductions: true, spin, ours };
        let printed = table(&[row]);
        let expected = "| filter | 3 | on | 2,000,000 | 4.000 | 4.000 | 0.50 | 8 | 2.00 | \
                        1,000,000 | 0.500 | 0.500 | 2.00 | 8 | 4.0× | 8.0× | 12.0× |\n";
        assert_eq!(printed.strip_prefix(HEAD), Some(expected));
        assert_eq!(HEAD.lines().next().map(|line| line.matches('|').count()), Some(18));
    }
}
