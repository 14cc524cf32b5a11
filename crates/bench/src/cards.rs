//! The graphics card against the processors, in one run: first that both find the same, over the corpus
//! and on random programs, then how fast.

use std::cell::Cell;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use analysis::{Engine, Limits, Options, Query, Reductions, Report, Searcher, Verdict, reach};
use frontend::{Language, Settings, load};
use gpu::Room;
use oracle::generate::random::{Shape, random_programs};
use program::{Program, Sources};

use crate::families::FAMILIES;

/// The families and numbers of threads that are measured.
const MEASURED: [(&str, u32); 11] = [
    ("filter", 3),
    ("szymanski", 4),
    ("dijkstra", 4),
    ("ticket", 5),
    ("burns", 5),
    ("burns", 6),
    ("filter", 4),
    ("bakery", 4),
    ("simple-dekker", 6),
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
};

/// What a search found and did.
struct Searched {
    report: Report,
    /// States and seconds of the search alone, as far as somebody was told.
    alone: (u64, f64),
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
    let started = Instant::now();
    let report = reach(program, &query, options, watch).ok()?;
    Some(Searched { report, alone: alone.get(), seconds: started.elapsed().as_secs_f64() })
}

/// Without reductions, or with that of local steps alone.
fn reductions(local_steps: bool) -> Reductions {
    Reductions { local_steps, ..Reductions::NONE }
}

/// Compares both over the corpus and on random programs; what differs.
fn differences(card: Searcher, corpus: &Path) -> std::io::Result<(usize, Vec<String>)> {
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
    let mut compared = 0;
    let mut differences = Vec::new();
    for (name, program) in &programs {
        for local_steps in [false, true] {
            let limits = Limits { states: Some(FEW), ..Limits::default() };
            let reductions = reductions(local_steps);
            let here = Options { reductions, limits, ..Options::default() };
            let there = Options { searcher: Some(card), first_look: 0, ..here };
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
            // What the card refuses it does not answer wrongly.
            if !is_decided(&here.0) || !is_decided(&there.0) {
                continue;
            }
            compared += 1;
            if here != there {
                differences.push(format!("{name}: {here:?} here, {there:?} on the card"));
            }
        }
    }
    Ok((compared, differences))
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

/// Runs it all, as Markdown.
pub(crate) fn text(corpus: &Path, budget: Duration) -> std::io::Result<String> {
    let open = |room| {
        let card = gpu::Cuda::open(room).map_err(|why| std::io::Error::other(why.to_string()))?;
        std::io::Result::Ok(Searcher { engine: Engine::Cuda, tables: Box::leak(Box::new(card)) })
    };
    let (compared, differences) = differences(open(SMALL)?, corpus)?;
    let card = open(Room::default())?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines = vec![format!(
        "{compared} searches compared, over the corpus and of {RANDOM} random programs: verdict, states, \
         transitions and depth differ in {}.\n",
        differences.len()
    )];
    lines.extend(differences.iter().map(|difference| format!("- {difference}")));
    lines.push(format!(
        "| program | states | depth | 1 core: s | M/s | {processors} cores: s | M/s | B/state | card: s | \
         search alone: s | M/s | B/state |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
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
fn row((name, n): (&str, u32), processors: usize, card: Searcher, budget: Duration) -> String {
    let family = FAMILIES.into_iter().find(|family| family.name == name).expect("a family");
    let program = family.program(n);
    let mut cells = Vec::new();
    let mut found = None;
    for (threads, searcher) in [(1, None), (processors, None), (1, Some(card))] {
        let budget = if searcher.is_some() { budget } else { budget / 4 };
        let limits = Limits {
            deadline: Some(Instant::now() + budget),
            memory: explore::available_memory(),
            ..Limits::default()
        };
        let reductions = reductions(false);
        let options = Options { reductions, threads, limits, searcher, ..Options::default() };
        let searched = searched(&program, false, &options).expect("definite threads");
        let did = searched.report.statistics;
        let seconds = searched.seconds;
        let per_state = format!("{:.1}", ratio(did.peak_bytes as u64, did.states));
        let rate = |states: u64, seconds: f64| {
            format!("{:.1}", ratio(states, 1_000_000) / seconds.max(1e-9))
        };
        match &searched.report.verdict {
            Verdict::Holds(_) | Verdict::Violated(_) => {
                found = Some((did.states, did.depth));
                cells.push(format!("{seconds:.2}"));
            }
            Verdict::Undecided(reason) => cells.push(format!("> {seconds:.2} ({reason})")),
        }
        match (searcher, threads) {
            (Some(_), _) => {
                let (states, seconds) = searched.alone;
                cells.extend([format!("{seconds:.2}"), rate(states, seconds), per_state]);
            }
            (None, 1) => cells.push(rate(did.states, seconds)),
            (None, _) => cells.extend([rate(did.states, seconds), per_state]),
        }
    }
    let none = || "– | –".to_owned();
    let found = found.map_or_else(none, |(states, depth)| format!("{states} | {depth}"));
    format!("| {name} {n} | {found} | {} |", cells.join(" | "))
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn ratio(of: u64, to: u64) -> f64 {
    of as f64 / to.max(1) as f64
}
