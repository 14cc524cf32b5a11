//! Plots as SVG: bars on a logarithmic axis, lines, and intervals. Light and dark follow the reader's system.

use std::fmt::Write;

use crate::overhead::Mean;
use crate::page::escaped;

const STYLE: &str = "<style>.p{fill:#fff}text{font:12px sans-serif;fill:#1b2a41}.g{stroke:#d5dbe4}.n{fill:#5a6472}.c0{fill:#8e7cc3;stroke:#8e7cc3}.c1{fill:#3b7dd8;stroke:#3b7dd8}\
.c2{fill:#2f9e62;stroke:#2f9e62}.c3{fill:#d9822b;stroke:#d9822b}.c4{fill:#c0392b;stroke:#c0392b}.c5{fill:#16a2a2;stroke:#16a2a2}.c6{fill:#7a5230;stroke:#7a5230}.c7{fill:#5d6d7e;stroke:#5d6d7e}\
.l{fill:none;stroke-width:2}.d{stroke-dasharray:5 4}@media(prefers-color-scheme:dark){.p{fill:#16191f}text{fill:#e8edf5}.g{stroke:#3a4250}.n{fill:#a9b3c1}}</style>";

/// Times below this are drawn as this: clocks say little about them.
const SHORTEST: f64 = 1e-4;

fn begin(width: f64, height: f64, title: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{title}</title>{STYLE}\
         <rect class=\"p\" width=\"{width}\" height=\"{height}\"/><text x=\"10\" y=\"18\">{title}</text>"
    )
}

/// How far along a logarithmic axis of so many decades from the shortest time on.
fn along(value: f64, decades: f64) -> f64 {
    ((value.max(SHORTEST) / SHORTEST).log10() / decades).min(1.0)
}

/// Decades that hold all values.
fn decades(values: impl Iterator<Item = f64>) -> f64 {
    let greatest = values.fold(SHORTEST * 10.0, f64::max);
    (greatest / SHORTEST).log10().ceil().max(1.0)
}

/// The marks of a logarithmic axis: where, and what they say.
fn marks(decades: f64) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    let mut exponent = 0.0;
    while exponent <= decades {
        let value = SHORTEST * 10.0_f64.powf(exponent);
        let said = if value < 0.5 { format!("{value:.4}") } else { format!("{value:.0}") };
        all.push((exponent / decades, said.trim_end_matches('0').trim_end_matches('.').to_owned()));
        exponent += 1.0;
    }
    // Whole tens lose their zeros above.
    for (at, said) in &mut all {
        let value = SHORTEST * 10.0_f64.powf(*at * decades);
        if value >= 0.5 {
            *said = format!("{value:.0}");
        }
    }
    all
}

/// Groups of bars, one for each series.
pub(crate) struct Bars {
    title: String,
    series: Vec<String>,
    groups: Vec<(String, Vec<Option<f64>>)>,
}

impl Bars {
    pub(crate) fn new<const N: usize>(title: &str, series: [&str; N]) -> Self {
        let series = series.map(|name| name.replace('`', "")).to_vec();
        Self { title: title.to_owned(), series, groups: Vec::new() }
    }

    pub(crate) fn push(&mut self, name: &str, values: Vec<Option<f64>>) {
        self.groups.push((name.to_owned(), values));
    }
}

/// Bars from left to right, the groups below each other.
pub(crate) fn bars(chart: &Bars) -> String {
    let (left, right, top, bar) = (190.0, 20.0, 56.0, 8.0);
    let series = chart.series.iter().fold(0.0, |count, _| count + 1.0);
    let group = bar * series + 6.0;
    let count = chart.groups.iter().fold(0.0, |count, _| count + 1.0);
    let (width, height) = (860.0, top + count * group + 30.0);
    let decades =
        decades(chart.groups.iter().flat_map(|(_, values)| values.iter().flatten().copied()));
    let across = width - left - right;
    let mut svg = begin(width, height, &chart.title);
    let mut x = left;
    for (number, name) in chart.series.iter().enumerate() {
        let _ = write!(
            svg,
            "<rect class=\"c{number}\" x=\"{x}\" y=\"28\" width=\"10\" height=\"10\"/><text x=\"{}\" y=\"38\">{}</text>",
            x + 14.0,
            escaped(name)
        );
        x += 220.0;
    }
    for (at, said) in marks(decades) {
        let x = left + at * across;
        let _ = write!(
            svg,
            "<path class=\"g\" d=\"M{x:.1} {top}V{:.1}\"/><text class=\"n\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{said}</text>",
            height - 26.0,
            height - 10.0
        );
    }
    let mut y = top;
    for (name, values) in &chart.groups {
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y + group / 2.0 + 2.0,
            escaped(name)
        );
        let mut at = y + 2.0;
        for (number, value) in values.iter().enumerate() {
            if let Some(value) = value {
                let long = (along(*value, decades) * across).max(1.0);
                let _ = write!(
                    svg,
                    "<rect class=\"c{number}\" x=\"{left}\" y=\"{at:.1}\" width=\"{long:.1}\" height=\"{:.1}\"/>",
                    bar - 1.0
                );
            }
            at += bar;
        }
        y += group;
    }
    svg.push_str("</svg>\n");
    svg
}

/// Lines over a number of processes.
pub(crate) struct Lines {
    title: String,
    lines: Vec<Line>,
}

struct Line {
    name: String,
    is_dashed: bool,
    /// Processes and seconds.
    points: Vec<(f64, f64)>,
}

impl Lines {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), lines: Vec::new() }
    }

    /// A line; lines of one name have one colour.
    pub(crate) fn push(&mut self, name: &str, is_dashed: bool, points: Vec<(f64, f64)>) {
        self.lines.push(Line { name: name.to_owned(), is_dashed, points });
    }
}

/// Lines with a logarithmic axis of seconds.
pub(crate) fn lines(chart: &Lines) -> String {
    let (left, right, top, bottom) = (70.0, 200.0, 34.0, 36.0);
    let (width, height) = (860.0, 420.0);
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let decades = decades(points().map(|(_, seconds)| *seconds));
    let most = points().map(|(at, _)| *at).fold(4.0, f64::max);
    let (across, down) = (width - left - right, height - top - bottom);
    let x_of = |at: f64| left + (at - 2.0) / (most - 2.0) * across;
    let y_of = |seconds: f64| top + (1.0 - along(seconds, decades)) * down;
    let mut svg = begin(width, height, &chart.title);
    for (at, said) in marks(decades) {
        let y = top + (1.0 - at) * down;
        let _ = write!(
            svg,
            "<path class=\"g\" d=\"M{left} {y:.1}H{:.1}\"/><text class=\"n\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{said}</text>",
            width - right,
            left - 6.0,
            y + 4.0
        );
    }
    let mut at = 2.0;
    while at <= most {
        let _ = write!(
            svg,
            "<text class=\"n\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{at}</text>",
            x_of(at),
            height - 12.0
        );
        at += 2.0;
    }
    let mut names: Vec<&str> = Vec::new();
    for Line { name, is_dashed, points } in &chart.lines {
        let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let path: Vec<String> = points
            .iter()
            .map(|(at, seconds)| format!("{:.1} {:.1}", x_of(*at), y_of(*seconds)))
            .collect();
        if !path.is_empty() {
            let dashed = if *is_dashed { " d" } else { "" };
            let _ = write!(
                svg,
                "<path class=\"c{number} l{dashed}\" style=\"fill:none\" d=\"M{}\"/>",
                path.join("L")
            );
        }
    }
    let mut y = top + 10.0;
    for (number, name) in names.iter().enumerate() {
        let _ = write!(
            svg,
            "<rect class=\"c{number}\" x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            width - right + 16.0,
            y - 9.0,
            width - right + 32.0,
            escaped(name)
        );
        y += 20.0;
    }
    svg.push_str("</svg>\n");
    svg
}

/// Means with their intervals.
pub(crate) struct Intervals {
    title: String,
    all: Vec<(String, Mean)>,
}

impl Intervals {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), all: Vec::new() }
    }

    /// A ratio to what is compared with.
    pub(crate) fn push(&mut self, name: &str, ratio: Mean) {
        self.all.push((name.to_owned(), ratio));
    }
}

/// Bars of how much more than 1 a ratio is, in per cent, with their intervals.
pub(crate) fn intervals(chart: &Intervals) -> String {
    let (left, right, top, row) = (190.0, 90.0, 34.0, 22.0);
    let count = chart.all.iter().fold(0.0, |count, _| count + 1.0);
    let (width, height) = (860.0, top + count * row + 14.0);
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let greatest = chart.all.iter().map(|(_, it)| percent(it.mean + it.half)).fold(1.0, f64::max);
    let least = chart.all.iter().map(|(_, it)| percent(it.mean - it.half)).fold(0.0, f64::min);
    let across = width - left - right;
    let x_of = |value: f64| left + (value - least) / (greatest - least) * across;
    let mut svg = begin(width, height, &chart.title);
    let zero = x_of(0.0);
    let _ = write!(svg, "<path class=\"g\" d=\"M{zero:.1} {top}V{:.1}\"/>", height - 8.0);
    let mut y = top + 4.0;
    for (name, ratio) in &chart.all {
        let (value, low, high) = (
            percent(ratio.mean),
            percent(ratio.mean - ratio.half),
            percent(ratio.mean + ratio.half),
        );
        let (from, to) = (zero.min(x_of(value)), zero.max(x_of(value)));
        let middle = y + 7.0;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><rect class=\"c1\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"14\"/>\
             <path class=\"c4\" d=\"M{:.1} {middle:.1}H{:.1}\" stroke-width=\"2\"/><text class=\"n\" x=\"{:.1}\" y=\"{:.1}\">{value:+.1} %</text>",
            left - 6.0,
            y + 11.0,
            escaped(name),
            (to - from).max(1.0),
            x_of(low),
            x_of(high),
            to.max(x_of(high)) + 6.0,
            y + 11.0,
        );
        y += row;
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_all_values_and_say_them() {
        assert!((decades([0.5, 31.7].into_iter()) - 6.0).abs() < 1e-9);
        let said: Vec<String> = marks(6.0).into_iter().map(|(_, said)| said).collect();
        assert_eq!(said, ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100"]);
        assert!((along(100.0, 6.0) - 1.0).abs() < 1e-9);
        assert!(along(0.0, 6.0).abs() < 1e-9);
    }

    #[test]
    fn plots_are_pictures_of_what_they_were_given() {
        let mut chart = Bars::new("a < b", ["`one`", "two"]);
        chart.push("p", vec![Some(1.0), None]);
        let svg = bars(&chart);
        assert!(svg.contains("<title>a &lt; b</title>") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.matches("<rect class=\"c").count(), 3, "two in the key, and one bar");
        let mut chart = Lines::new("t");
        chart.push("f", false, vec![(2.0, 0.1), (4.0, 1.0)]);
        chart.push("f", true, Vec::new());
        assert_eq!(lines(&chart).matches(" l\"").count(), 1);
        let mut chart = Intervals::new("t");
        chart.push("stack: heap", Mean { mean: 1.5, half: 0.1 });
        assert!(intervals(&chart).contains("+50.0 %"));
    }
}
