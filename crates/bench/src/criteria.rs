//! How `check` scales: robustness and persistence of the families, without and with fences.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::Instant;

use analysis::{Criterion, Limits, Options, Verdict, check};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

use crate::measured::Budget;
use crate::processor_time::processor_time;

/// A family in two versions: without fences, and with fences that make it robust.
pub(crate) struct Pair {
    pub(crate) name: &'static str,
    pub(crate) texts: [&'static str; 2],
}

macro_rules! pair {
    ($name:literal) => {
        Pair {
            name: $name,
            texts: [
                include_str!(concat!("../../../corpus/mutex/", $name, ".fw")),
                include_str!(concat!("../../../corpus/mutex/", $name, "-fenced.fw")),
            ],
        }
    };
}

pub(crate) const PAIRS: [Pair; 6] = [
    pair!("simple-dekker"),
    pair!("burns"),
    pair!("dijkstra"),
    pair!("szymanski"),
    pair!("bakery"),
    pair!("filter"),
];

pub(crate) fn program(name: &str, text: &str, n: u32) -> Program {
    let mut sources = Sources::new();
    let source = sources.add(name, text);
    let constants = vec![("N".to_owned(), n.into())];
    let settings = Settings { constants, ..Settings::default() };
    load(&sources, source, Language::Fw, &settings)
        .unwrap_or_else(|errors| panic!("{name} for {n} threads: {errors:#?}"))
}

/// The table, up to so many threads of a program.
pub(crate) fn table(max_n: u32, budget: &Budget) -> String {
    let mut text = String::from(
        "| program | n | criterion | verdict | states | CPU s | MiB |\n|---|---|---|---|---|---|---|\n",
    );
    for pair in &PAIRS {
        for (title, source) in [("", pair.texts[0]), (" fenced", pair.texts[1])] {
            for criterion in [Criterion::Robustness, Criterion::Persistence] {
                for n in 2..=max_n {
                    let (row, decided) =
                        row(&format!("{}{title}", pair.name), source, n, criterion, budget);
                    text.push_str(&row);
                    if !decided {
                        break;
                    }
                }
            }
        }
    }
    text
}

fn row(title: &str, source: &str, n: u32, criterion: Criterion, budget: &Budget) -> (String, bool) {
    let program = program(title, source, n);
    let memory = usize::try_from(budget.memory).ok();
    let deadline = Some(Instant::now() + budget.time);
    let limits = Limits { memory, deadline, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let started = processor_time(true);
    let answers = check(&program, &[criterion], &options, |_| ControlFlow::Continue(()))
        .unwrap_or_else(|error| panic!("{title}: {error}"));
    let spent = processor_time(true).zip(started).map(|(now, then)| now.saturating_sub(then));
    let answer = &answers[0];
    let (verdict, decided) = match &answer.verdict {
        Verdict::Holds(_) => ("holds".to_owned(), true),
        Verdict::Violated(_) => ("violated".to_owned(), true),
        Verdict::Undecided(reason) => (format!("undecided: {reason}"), false),
    };
    let mut row = String::new();
    let _ = writeln!(
        row,
        "| {title} | {n} | {criterion} | {verdict} | {} | {:.3} | {:.1} |",
        answer.statistics.states,
        spent.map_or(f64::NAN, |spent| spent.as_secs_f64()),
        mebibytes(answer.statistics.peak_bytes),
    );
    (row, decided)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
