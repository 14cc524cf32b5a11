//! One instance of each benchmark: the engine with and without reductions, and the solver.
//!
//! The benchmarks themselves, with Spin beside ours, are `cargo run --release -p fencewright-bench`; their results are
//! in `docs/bench`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use solver::cheapest_hitting_set;
use workspace::{Options, Reach, Reductions};

use crate::Scale;
use crate::asked::{opened, options, seconds, timed, verdict};
use crate::page::{Column, Section, Table};

/// The families, of a size that takes seconds at most.
const FAMILIES: [(&str, u32); 7] = [
    ("mutex/filter.fw", 3),
    ("mutex/bakery.fw", 3),
    ("mutex/szymanski.fw", 3),
    ("mutex/dijkstra.fw", 3),
    ("mutex/burns.fw", 4),
    ("mutex/simple-dekker.fw", 4),
    ("locks/ticket.fw", 3),
];
/// How often a quick question is asked again.
const AGAIN: usize = 2;
/// Columns and rows of the generated problems of the solver.
const PROBLEMS: [(usize, usize); 3] = [(20, 40), (40, 80), (60, 120)];

/// Both tables.
pub(crate) fn section(root: &Path, scale: &Scale) -> Section {
    let mut columns = vec![Column::name("question"), Column::name("size")];
    columns.extend(["answer", "states or rows", "s", "millions per s"].map(Column::measured));
    let mut table = Table { columns, rows: Vec::new() };
    for (file, n) in FAMILIES {
        for (name, reductions) in [("none", Reductions::NONE), ("all", Reductions::ALL)] {
            table.rows.push(explored(root, scale, file, n, (name, reductions)));
        }
    }
    for (columns, rows) in PROBLEMS {
        let (costs, sets) = problem(columns, rows);
        let asked = timed(AGAIN, || cheapest_hitting_set(&costs, &sets, &[]));
        let chosen = asked.answer.map_or("none".to_owned(), |set| format!("{} columns", set.len()));
        let size = format!("{columns} columns, 3 to 6 in a row");
        let cells = ["cheapest hitting set".to_owned(), size, chosen, rows.to_string()];
        table
            .rows
            .push(cells.into_iter().chain([seconds(asked.seconds), "–".to_owned()]).collect());
    }
    let text = "Whether an assertion of mutual exclusion can fail under SC, with one thread, without and with reductions; and the cheapest set that hits generated rows, which is what places fences. Sizes are small, so that this part takes seconds: it says nothing about how either scales. The whole benchmarks, with Spin in the same run, are in [docs/bench](../bench/2026-11-16.md).";
    Section::new("engines", "Engine and solver", text).table(table)
}

fn explored(
    root: &Path,
    scale: &Scale,
    file: &str,
    n: u32,
    (name, reductions): (&str, Reductions),
) -> Vec<String> {
    let set = BTreeMap::from([("N".to_owned(), i64::from(n)), ("CHECK".to_owned(), 1)]);
    let asked = timed(AGAIN, || {
        let (mut workspace, id) = opened(root, file, &set);
        let options = Options { reductions, ..options(scale.limit) };
        let reach = Reach { deadlocks: false, final_states: false, options, ..Reach::default() };
        workspace.reach(id, &reach).unwrap_or_else(|refused| panic!("{file}: {:?}", refused.errors))
    });
    let states = asked.answer.statistics.states;
    let counted = u32::try_from(states).map_or(f64::from(u32::MAX), f64::from);
    vec![
        format!("`{file}`"),
        format!("{n} threads, reductions: {name}"),
        verdict(&asked.answer.verdict).to_owned(),
        states.to_string(),
        seconds(asked.seconds),
        format!("{:.1}", counted / asked.seconds / 1e6),
    ]
}

/// A problem like those of fences: rows of few neighbouring columns, always the same.
fn problem(columns: usize, rows: usize) -> (Vec<u64>, Vec<BTreeSet<usize>>) {
    let mut random = fastrand::Rng::with_seed(28);
    let costs = (0..columns).map(|_| random.u64(1..=4)).collect();
    let row = |random: &mut fastrand::Rng| {
        let first = random.usize(0..columns);
        (0..random.usize(3..=6)).map(|step| (first + step * step) % columns).collect()
    };
    (costs, (0..rows).map(|_| row(&mut random)).collect())
}
