//! The graphics card against the processors, in one run: first that both find the same, over the corpus
//! and on random programs, then how fast.

mod answers;

use std::cell::Cell;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use analysis::{Engine, Limits, Options, Query, Reductions, Report, Searcher, Verdict, reach};
use explore::tables::{Request, TableEngine, TableSearch, Tables, Unsuitable};
use gpu::{Cuda, Room};
use program::Program;

use crate::families::FAMILIES;

/// The families and numbers of threads that are measured.
const MEASURED: [(&str, u32); 11] = [
    ("filter", 3),
    ("dijkstra", 4),
    ("ticket", 5),
    ("burns", 5),
    ("szymanski", 4),
    ("burns", 6),
    ("simple-dekker", 6),
    ("bakery", 4),
    ("filter", 4),
    ("dijkstra", 5),
    ("szymanski", 5),
];

/// A card that notes what it was asked last.
#[derive(Debug)]
struct Card {
    engine: gpu::Engine<Cuda>,
    asked: Mutex<Option<(Instant, u32)>>,
}

impl Card {
    /// A card, and how long it took to open it.
    fn open(room: Room) -> std::io::Result<(&'static Self, f64)> {
        let began = Instant::now();
        let engine = Cuda::open(room).map_err(|why| std::io::Error::other(why.to_string()))?;
        let card = Self { engine, asked: Mutex::new(None) };
        Ok((Box::leak(Box::new(card)), began.elapsed().as_secs_f64()))
    }

    const fn searcher(&'static self) -> Searcher {
        Searcher { engine: Engine::Cuda, tables: self }
    }

    /// When it was asked last, and the bits of a state.
    fn asked(&self) -> Option<(Instant, u32)> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TableEngine for Card {
    fn search(&self, tables: &Tables, request: Request<'_>) -> Result<TableSearch, Unsuitable> {
        let bits = tables.widths.iter().sum();
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), bits));
        self.engine.search(tables, request)
    }
}

/// What a search found and did.
struct Searched {
    report: Report,
    /// States and seconds of the search alone, as far as somebody was told.
    alone: (u64, f64),
    began: Instant,
    seconds: f64,
}

fn searched(program: &Program, deadlocks: bool, options: &Options) -> Option<Searched> {
    let query = Query { faults: true, deadlocks, ..Query::default() };
    let alone = Cell::new((0, 0.0));
    let watch = |progress: &analysis::Progress| {
        if !progress.tracing {
            alone.set((progress.states, progress.elapsed.as_secs_f64()));
        }
        ControlFlow::Continue(())
    };
    let began = Instant::now();
    let report = reach(program, &query, options, watch).ok()?;
    Some(Searched { report, alone: alone.get(), began, seconds: began.elapsed().as_secs_f64() })
}

/// Without reductions, or with that of local steps alone.
fn reductions(local_steps: bool) -> Reductions {
    Reductions { local_steps, ..Reductions::NONE }
}

/// What processors may take of a budget.
pub(crate) fn on_processors(budget: Duration) -> Duration {
    budget * 2 / 5
}

/// Runs it all, as Markdown; without a corpus, answers are not compared.
pub(crate) fn text(corpus: Option<&Path>, budget: Duration) -> std::io::Result<String> {
    let (card, opened) = Card::open(Room::default())?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines = vec![format!("The card was opened in {opened:.2} s.\n")];
    if let Some(corpus) = corpus {
        lines.extend(answers::lines(corpus)?);
    }
    lines.push(format!(
        "| program | bits | states | depth | 1 core: s | M/s | B/state | {processors} cores: s | M/s | B/state | \
         card: s | automata: s | compiling: s | reserving: s | search alone: s | M/s | B/state |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    ));
    for line in &lines {
        writeln!(std::io::stderr(), "{line}")?;
    }
    for (name, n) in MEASURED {
        let row = row((name, n), processors, card, budget);
        writeln!(std::io::stderr(), "{row}")?;
        lines.push(row);
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

/// One program by one core, by all, and on the card.
fn row((name, n): (&str, u32), processors: usize, card: &'static Card, budget: Duration) -> String {
    let family = FAMILIES.into_iter().find(|family| family.name == name).expect("a family");
    let program = family.program(n);
    let mut cells = Vec::new();
    let mut found = None;
    for (threads, searcher) in [(1, None), (processors, None), (1, Some(card.searcher()))] {
        let budget = if searcher.is_some() { budget } else { on_processors(budget) };
        let limits = Limits {
            deadline: Some(Instant::now() + budget),
            memory: explore::available_memory(),
            ..Limits::default()
        };
        let reductions = reductions(false);
        let options = Options { reductions, threads, limits, searcher, ..Options::default() };
        let searched = searched(&program, false, &options).expect("definite threads");
        let did = searched.report.statistics;
        let mut seconds = searched.seconds;
        let mut states = did.states;
        match &searched.report.verdict {
            Verdict::Holds(_) | Verdict::Violated(_) => {
                found = Some((did.states, did.depth));
                cells.push(format!("{seconds:.2}"));
            }
            Verdict::Undecided(reason) => cells.push(format!("> {seconds:.2} ({reason})")),
        }
        if searcher.is_some() {
            let asked = card.asked().map_or(searched.began, |(when, _)| when);
            let automata = asked.saturating_duration_since(searched.began).as_secs_f64();
            let gpu::StartUp { compiling, reserving } = card.engine.last_start_up();
            (states, seconds) = searched.alone;
            cells.extend(
                [automata, compiling.as_secs_f64(), reserving.as_secs_f64(), seconds]
                    .map(|seconds| format!("{seconds:.2}")),
            );
        }
        cells.push(format!("{:.1}", ratio(states, 1_000_000) / seconds.max(1e-9)));
        cells.push(format!("{:.1}", ratio(did.peak_bytes as u64, did.states)));
    }
    let bits = card.asked().map_or(0, |(_, bits)| bits);
    let none = || "– | –".to_owned();
    let found = found.map_or_else(none, |(states, depth)| format!("{states} | {depth}"));
    format!("| {name} {n} | {bits} | {found} | {} |", cells.join(" | "))
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn ratio(of: u64, to: u64) -> f64 {
    of as f64 / to.max(1) as f64
}
