//! The engine beside Spin, and the solver.
//!
//! Of each family of the benchmark (`cargo run --release -p fencewright-bench`, which goes on to larger ones) the
//! largest member that Spin explores in seconds without reductions, and with reductions the next one, too. Both sides
//! explore the same automata; without reductions the numbers of states must be the same.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use solver::cheapest_hitting_set_by;

use crate::Scale;
use crate::asked::{seconds, timed};
use crate::by_fencewright::Fencewright;
use crate::by_spin::Spin;
use crate::families::{FAMILIES, Family};
use crate::measured::{Budget, Explorer, Measured, Outcome, median};
use crate::page::{Column, Section, Table};

/// Threads of the families, in their order.
const THREADS: [u32; FAMILIES.len()] = [3, 2, 3, 3, 4, 4, 4];
/// How often each program is explored, the two sides in turn.
const REPEATS: usize = 3;
/// What one exploration, or one problem, may take.
const BUDGET: Duration = Duration::from_secs(20);
const MEMORY: u64 = 3 << 30;
/// Columns of the generated problems of the solver; there are twice as many rows.
const COLUMNS: [usize; 6] = [25, 50, 100, 200, 400, 800];

/// Both tables.
pub(crate) fn section(scale: &Scale) -> Section {
    let budget = Budget { time: BUDGET.min(scale.limit), memory: MEMORY };
    let mut columns =
        vec![Column::name("family"), Column::name("threads"), Column::name("reductions")];
    let mut sides = (Spin::default(), Fencewright { threads: 1 });
    for side in [sides.0.name(), sides.1.name()] {
        let titles = ["states", "CPU s", "s", "bytes per state"];
        columns.extend(titles.map(|title| Column::measured(&format!("{side}: {title}"))));
    }
    let ratios = ["Spin's CPU time per state", "for the question", "with its compilation"];
    columns.extend(ratios.map(Column::measured));
    let mut engines = Table { columns, rows: Vec::new() };
    for (family, threads) in FAMILIES.into_iter().zip(THREADS).take(scale.rows) {
        for (n, reductions) in [(threads, false), (threads, true), (threads + 1, true)] {
            engines.rows.push(explored(family, n, reductions, &budget, &mut sides));
        }
    }
    let mut columns = vec![Column::name("problem"), Column::name("columns"), Column::name("rows")];
    columns.extend(["columns that hit all", "s"].map(Column::measured));
    let mut solver = Table { columns, rows: Vec::new() };
    for (kind, generate) in [("neighbouring columns", problem as Generator), ("any three", triples)]
    {
        for count in COLUMNS.into_iter().take(scale.rows) {
            solver.rows.push(solved(kind, generate, count, budget.time));
        }
    }
    let text = format!(
        "First, whether mutual exclusion can fail under SC, by Spin and by Fencewright with one thread, without and with the reductions that each has: medians of {REPEATS} runs, \
        at most {} s each. The columns on the right say how many times as much Spin takes. Larger members and more threads are in [docs/bench](../bench/2026-11-16.md). Then the cheapest set \
        of columns that has one in every row, which is what places fences: rows of 3 to 6 neighbouring columns of costs 1 to 4, as fences give them, and rows of any three columns of cost 1, which are \
        hard for every solver.",
        budget.time.as_secs()
    );
    Section::new("engines", "Engine and solver", &text).table(engines).table(solver)
}

fn explored(
    family: Family,
    n: u32,
    reductions: bool,
    budget: &Budget,
    (spin, ours): &mut (Spin, Fencewright),
) -> Vec<String> {
    let program = family.program(n);
    let (mut by_spin, mut by_ours) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        by_spin.push(spin.run(&program, reductions, budget));
        by_ours.push(ours.run(&program, reductions, budget));
        // What did not end once will not end another time.
        if by_spin.iter().chain(&by_ours).any(|outcome| outcome.explored().is_none()) {
            break;
        }
    }
    let (by_spin, by_ours) = (median(&by_spin), median(&by_ours));
    let both = by_spin.explored().zip(by_ours.explored());
    if let Some((spin, ours)) = both.filter(|_| !reductions) {
        assert_eq!(spin.states, ours.states, "{} for {n} threads", family.name);
    }
    let mut cells = vec![family.name.to_owned(), n.to_string()];
    cells.push(if reductions { "on" } else { "off" }.to_owned());
    for outcome in [by_spin, by_ours] {
        cells.extend(cells_of(outcome));
    }
    let ratios = both.map(|(spin, ours)| {
        let per_state = |measured: Measured| measured.cpu_seconds / counted(measured.states);
        let compiled = spin.cpu_seconds + spin.preparation_seconds;
        [
            per_state(spin) / per_state(ours),
            spin.cpu_seconds / ours.cpu_seconds,
            compiled / (ours.cpu_seconds + ours.preparation_seconds),
        ]
    });
    match ratios {
        Some(ratios) => cells.extend(ratios.map(|ratio| format!("{ratio:.1}×"))),
        None => cells.extend(["–"; 3].map(str::to_owned)),
    }
    cells
}

fn cells_of(outcome: Outcome) -> [String; 4] {
    match outcome {
        Outcome::Explored(measured) => [
            measured.states.to_string(),
            seconds(measured.cpu_seconds),
            seconds(measured.wall_seconds),
            format!("{:.0}", counted(measured.bytes) / counted(measured.states)),
        ],
        Outcome::OverTime => ["over time", "–", "–", "–"].map(str::to_owned),
        Outcome::OverMemory => ["over memory", "–", "–", "–"].map(str::to_owned),
        Outcome::NotThere => ["–"; 4].map(str::to_owned),
    }
}

/// A number of states or bytes; what is above four billion is exact to ten digits.
fn counted(number: u64) -> f64 {
    let low = number & u64::from(u32::MAX);
    let part = |half: u64| f64::from(u32::try_from(half).expect("half of it"));
    part(number >> 32) * 2.0_f64.powi(32) + part(low)
}

/// Makes costs and rows for so many columns.
type Generator = fn(usize) -> (Vec<u64>, Vec<BTreeSet<usize>>);

fn solved(kind: &str, generate: Generator, columns: usize, limit: Duration) -> Vec<String> {
    let (costs, rows) = generate(columns);
    let asked =
        timed(1, || cheapest_hitting_set_by(&costs, &rows, &[], Some(Instant::now() + limit)));
    let chosen = match &asked.answer {
        Ok(Some(set)) => set.len().to_string(),
        Ok(None) => "none".to_owned(),
        Err(_) => "over time".to_owned(),
    };
    let sizes = [columns, rows.len()].map(|size| size.to_string());
    let cells = [kind.to_owned()].into_iter().chain(sizes);
    cells.chain([chosen, seconds(asked.seconds)]).collect()
}

/// Rows of few neighbouring columns, always the same: like those of fences.
fn problem(columns: usize) -> (Vec<u64>, Vec<BTreeSet<usize>>) {
    let mut random = fastrand::Rng::with_seed(28);
    let costs = (0..columns).map(|_| random.u64(1..=4)).collect();
    let row = |random: &mut fastrand::Rng| {
        let first = random.usize(0..columns);
        (0..random.usize(3..=6)).map(|step| (first + step * step) % columns).collect()
    };
    (costs, (0..2 * columns).map(|_| row(&mut random)).collect())
}

/// Rows of any three columns.
fn triples(columns: usize) -> (Vec<u64>, Vec<BTreeSet<usize>>) {
    let mut random = fastrand::Rng::with_seed(28);
    let row = |random: &mut fastrand::Rng| (0..3).map(|_| random.usize(0..columns)).collect();
    (vec![1; columns], (0..2 * columns).map(|_| row(&mut random)).collect())
}
