//! The graphics card against the processors, in one run: first that both find the same, over the corpus
//! and on random programs, then how fast.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use analysis::{Engine, Limits, Options, Query, Reductions, Report, Searcher, Verdict, reach};
use explore::tables::{Request, TableEngine, TableSearch, Tables, Unsuitable};
use frontend::{Language, Settings, load};
use gpu::{Cuda, Room};
use oracle::generate::random::{Shape, random_programs};
use program::{Program, Sources};

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

/// Programs of the comparison have no more states than this.
const FEW: u64 = 3_000_000;
const RANDOM: usize = 100;
const SEED: u64 = 27;
/// Room for them.
const SMALL: Room = Room {
    first: 1 << 8,
    most: 1 << 23,
    queue: 1 << 12,
    part: 1 << 16,
    look: 1 << 12,
    pass: 1 << 22,
    scout: 1 << 8,
};

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

/// Whether both found the same.
#[derive(Default)]
struct Comparison {
    compared: usize,
    differences: Vec<String>,
    /// What one of both did not decide, by the reason.
    undecided: BTreeMap<String, usize>,
}

/// Compares both over the corpus and on random programs.
fn comparison(card: Searcher, corpus: &Path) -> std::io::Result<Comparison> {
    let mut programs = Vec::new();
    let mut files = Vec::new();
    list(corpus, &mut files)?;
    files.sort();
    for file in files {
        let mut sources = Sources::new();
        let text = std::fs::read_to_string(&file)?;
        let source = sources.add(file.display().to_string(), &text);
        if let Ok(program) = load(&sources, source, Language::Fw, &Settings::default()) {
            programs.push((file.display().to_string(), program));
        }
    }
    for (number, program) in random_programs(SEED, Shape::LOOPING).take(RANDOM).enumerate() {
        programs.push((format!("random {number}"), program));
    }
    let mut found = Comparison::default();
    for (name, program) in &programs {
        for local_steps in [false, true] {
            let limits = Limits { states: Some(FEW), ..Limits::default() };
            let reductions = reductions(local_steps);
            let here = Options { reductions, limits, ..Options::default() };
            let there = Options { searcher: Some(card), probe_states: 0, ..here };
            let (Some(here), Some(there)) =
                (searched(program, true, &here), searched(program, true, &there))
            else {
                continue;
            };
            let kind = |searched: &Searched| match &searched.report.verdict {
                Verdict::Holds(_) => "holds".to_owned(),
                Verdict::Violated(_) => "violated".to_owned(),
                Verdict::Undecided(reason) => reason.to_string(),
            };
            let figures = |searched: &Searched| {
                let did = searched.report.statistics;
                (kind(searched), did.states, did.transitions, did.depth)
            };
            let (here, there) = (figures(&here), figures(&there));
            let is_decided = |kind: &str| kind == "holds" || kind == "violated";
            // What the card refuses it does not answer wrongly, but it has to be known what that is.
            if let Some(kind) = [&here.0, &there.0].into_iter().find(|kind| !is_decided(kind)) {
                *found.undecided.entry(kind.clone()).or_default() += 1;
                continue;
            }
            found.compared += 1;
            if here != there {
                found.differences.push(format!("{name}: {here:?} here, {there:?} on the card"));
            }
        }
    }
    Ok(found)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "fw") {
            files.push(path);
        }
    }
    Ok(())
}

/// What processors may take of a budget.
pub(crate) fn on_processors(budget: Duration) -> Duration {
    budget * 3 / 5
}

/// Runs it all, as Markdown; without a corpus, answers are not compared.
pub(crate) fn text(corpus: Option<&Path>, budget: Duration) -> std::io::Result<String> {
    let (card, opened) = Card::open(Room::default())?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines = vec![format!("The card was opened in {opened:.2} s.\n")];
    if let Some(corpus) = corpus {
        let (small, _) = Card::open(SMALL)?;
        let Comparison { compared, differences, undecided } = comparison(small.searcher(), corpus)?;
        lines.push(format!(
            "{compared} searches compared, over the corpus and of {RANDOM} random programs: verdict, states, \
             transitions and depth differ in {}.\n",
            differences.len(),
        ));
        lines.extend(differences.iter().map(|difference| format!("- {difference}")));
        let not_decided =
            |(why, count): (&String, &usize)| format!("- not decided, {count}: {why}");
        lines.extend(undecided.iter().map(not_decided));
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
