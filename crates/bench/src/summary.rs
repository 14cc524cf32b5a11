//! What a table comes to: the least, the median and the greatest of each figure.

use std::fmt::Write;

use crate::table::{Ratios, Row, bytes_per_state, ratios};

/// States from which on the speed per state is compared: below, what happens once counts.
const MANY: u64 = 1_000_000;
/// Seconds of Spin from which on its start no longer counts.
const NOT_ONLY_START: f64 = 0.05;

/// What a figure is called, its unit, and the figure of a row, if the row has it.
type Figure = (&'static str, &'static str, fn(&Row) -> Option<f64>);

const FIGURES: [Figure; 6] = [
    ("Spin's time per state, without reductions, a million states and more", "×", |row| {
        let is_many = row.ours.explored()?.states >= MANY;
        (!row.reductions && is_many).then(|| ratios(row))?.map(|ratios| ratios.per_state)
    }),
    ("Spin's time for the whole query, with reductions", "×", |row| with_reductions(row, 0.0)),
    (
        "Spin's time for the whole query, with reductions, where Spin takes 50 ms and more",
        "×",
        |row| with_reductions(row, NOT_ONLY_START),
    ),
    ("Spin's time with compilation, with reductions", "×", |row| {
        row.reductions.then(|| ratios(row))?.map(|ratios| ratios.with_compilation)
    }),
    ("bytes per state, without reductions, a million states and more", "", |row| {
        let ours = row.ours.explored()?;
        (!row.reductions && ours.states >= MANY).then(|| bytes_per_state(ours))
    }),
    ("bytes per state, with reductions, a million states and more", "", |row| {
        let ours = row.ours.explored()?;
        (row.reductions && ours.states >= MANY).then(|| bytes_per_state(ours))
    }),
];

fn with_reductions(row: &Row, at_least: f64) -> Option<f64> {
    let is_counted = row.reductions && row.spin.explored()?.cpu_seconds >= at_least;
    is_counted.then(|| ratios(row))?.map(|Ratios { whole_query, .. }| whole_query)
}

/// The summary as a Markdown table; figures of no program are left out.
pub(crate) fn summary(rows: &[Row]) -> String {
    let mut text = "| | programs | least | median | greatest |\n|---|---|---|---|---|\n".to_owned();
    for (name, unit, figure) in FIGURES {
        let mut figures: Vec<f64> = rows.iter().filter_map(figure).collect();
        figures.sort_unstable_by(f64::total_cmp);
        if let (Some(least), Some(greatest)) = (figures.first(), figures.last()) {
            let median = figures[figures.len() / 2];
            let count = figures.len();
            let _ = writeln!(
                text,
                "| {name} | {count} | {least:.1}{unit} | {median:.1}{unit} | {greatest:.1}{unit} |"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::{Measured, Outcome};

    #[test]
    fn only_what_is_comparable_counts() {
        let measured = |states, seconds| Outcome::Explored(Measured::example(states, seconds, 12));
        let row = |reductions, spin, ours| Row { family: "filter", n: 3, reductions, spin, ours };
        let rows = [
            row(false, measured(2_000_000, 4.0), measured(2_000_000, 0.5)),
            row(false, measured(3_000_000, 9.0), measured(3_000_000, 0.5)),
            row(false, measured(1000, 0.1), measured(1000, 0.1)),
            row(true, Outcome::OverTime, measured(7_000_000, 2.0)),
            row(true, measured(1000, 0.01), measured(100, 0.001)),
            row(true, measured(9000, 0.9), measured(100, 0.001)),
        ];
        let text = summary(&rows);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        let ends = [
            "| 2 | 8.0× | 18.0× | 18.0× |",
            "| 2 | 10.0× | 900.0× | 900.0× |",
            "| 1 | 900.0× | 900.0× | 900.0× |",
            "| 2 | 10.0× | 900.0× | 900.0× |",
            "| 2 | 12.0 | 12.0 | 12.0 |",
            "| 1 | 12.0 | 12.0 | 12.0 |",
        ];
        assert_eq!(lines.len(), ends.len());
        for (line, end) in lines.iter().zip(ends) {
            assert!(line.ends_with(end), "{line}");
        }
    }
}
