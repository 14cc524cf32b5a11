//! The answers of the graphics card beside those of the processors: about the corpus, about random programs, and about
//! random tables of every width, since the kernels' text is another one for each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use analysis::{Limits, Options, Verdict};
use explore::tables::Wanted;
use fastrand::Rng;
use frontend::{Language, Settings, load};
use gpu::Room;
use oracle::generate::random::{Shape, random_programs};
use program::{Program, Sources};
use testkit::engines::{Question, Told, asked, expected, figures, told};
use testkit::tables::{Shape as Size, random_tables};

use super::{Card, Searched, reductions, searched};

/// Programs of the comparison have no more states than this.
const FEW: u64 = 3_000_000;
/// Random programs.
const RANDOM: usize = 100;
const SEED: u64 = 27;
/// Room for them: sets grow and queues overflow.
const SMALL: Room = Room {
    first: 1 << 8,
    most: 1 << 23,
    queue: 1 << 12,
    part: 1 << 16,
    look: 1 << 12,
    pass: 1 << 22,
    scout: 1 << 8,
};

/// Room for random tables.
const TINY: Room = Room {
    first: 64,
    most: 1 << 15,
    queue: 100,
    part: 1 << 10,
    look: 1 << 7,
    pass: 1 << 16,
    scout: 0,
};
/// Threads that ask.
const WORKERS: usize = 8;
/// Words of a state have so many bits for numbers, and up to so many more that nothing uses.
const USED: u8 = 15;
const UNUSED: std::ops::RangeInclusive<u8> = 0..=63 - USED;

/// Whether both found the same.
#[derive(Default)]
struct Comparison {
    compared: usize,
    differences: Vec<String>,
    /// What one of both did not decide, by the reason.
    undecided: BTreeMap<String, usize>,
}

impl Comparison {
    fn add(&mut self, one: Compared) {
        match one {
            Compared::Same => self.compared += 1,
            Compared::Different(what) => {
                self.compared += 1;
                self.differences.push(what);
            }
            Compared::Undecided(why) => *self.undecided.entry(why).or_default() += 1,
            Compared::NotAsked => {}
        }
    }
}

/// What became of one question.
enum Compared {
    Same,
    Different(String),
    Undecided(String),
    /// The program has no definite threads.
    NotAsked,
}

/// What the comparison came to, as Markdown.
pub(super) fn lines(corpus: &Path) -> std::io::Result<Vec<String>> {
    let programs = programs(corpus)?;
    let questions: Vec<(&(String, Program), bool)> =
        programs.iter().flat_map(|program| [(program, false), (program, true)]).collect();
    let about_program = |card: &'static Card, at: usize| {
        let ((name, program), local_steps) = questions[at];
        about_program(card, name, program, local_steps)
    };
    let widths: Vec<(usize, u8)> =
        [1, 2].into_iter().flat_map(|words| UNUSED.map(move |bits| (words, bits))).collect();
    let about_table = |card: &'static Card, at: usize| about_table(card, widths[at]);
    let of_programs = compare(SMALL, questions.len(), about_program)?;
    let of_tables = compare(TINY, widths.len(), about_table)?;
    let programs = format!("the corpus and {RANDOM} random programs");
    let mut lines = Vec::new();
    for (what, found) in
        [(programs, of_programs), ("random tables of every width".to_owned(), of_tables)]
    {
        let Comparison { compared, differences, undecided } = found;
        lines.push(format!(
            "{compared} searches compared, of {what}: verdict, states, transitions and depth differ in {}.\n",
            differences.len(),
        ));
        lines.extend(differences.iter().map(|difference| format!("- {difference}")));
        let not_decided =
            |(why, count): (&String, &usize)| format!("- not decided, {count}: {why}");
        lines.extend(undecided.iter().map(not_decided));
        lines.push(String::new());
    }
    Ok(lines)
}

/// Asks so many questions: most of the time goes by while kernels are compiled, by processors.
fn compare(
    room: Room,
    questions: usize,
    ask: impl Fn(&'static Card, usize) -> Compared + Sync,
) -> std::io::Result<Comparison> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Comparison::default());
    let work = || -> std::io::Result<()> {
        let (card, _) = Card::open(room)?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= questions {
                return Ok(());
            }
            let one = ask(card, at);
            found.lock().unwrap_or_else(PoisonError::into_inner).add(one);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(WORKERS);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("it does not panic"))
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The programs of the corpus, and random ones.
fn programs(corpus: &Path) -> std::io::Result<Vec<(String, Program)>> {
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
    Ok(programs)
}

fn about_program(
    card: &'static Card,
    name: &str,
    program: &Program,
    local_steps: bool,
) -> Compared {
    let limits = Limits { states: Some(FEW), ..Limits::default() };
    let reductions = reductions(local_steps);
    let here = Options { reductions, limits, ..Options::default() };
    let there = Options { searcher: Some(card.searcher()), probe_states: 0, ..here };
    let (Some(here), Some(there)) =
        (searched(program, true, &here), searched(program, true, &there))
    else {
        return Compared::NotAsked;
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
        return Compared::Undecided(kind.clone());
    }
    if here == there {
        Compared::Same
    } else {
        Compared::Different(format!("{name}: {here:?} here, {there:?} on the card"))
    }
}

fn about_table(card: &Card, (words, unused_bits): (usize, u8)) -> Compared {
    let seed = u64::from(unused_bits) * 2 + words as u64;
    let mut random = Rng::with_seed(seed);
    let shape = Size { local_bits: 3, shared_bits: 3, unused_bits, ..Size::new(words, 3) };
    let tables = random_tables(&mut random, shape);
    let wanted = if seed % 4 < 2 { Wanted::All } else { Wanted::Nearest(1) };
    let question = Question::new(wanted, 97);
    let (expected, statistics) = expected(&tables, &question);
    let search = match asked(card, &tables, &question) {
        Ok(search) => search,
        Err(why) => return Compared::Undecided(why.0),
    };
    let heard = match told(&tables, &search, &question) {
        Some(Told::Stopped(limit)) => return Compared::Undecided(format!("{limit:?}")),
        None => return Compared::Undecided("no path".to_owned()),
        Some(heard @ (Told::Exhausted(_) | Told::Found(..) | Told::Unknown)) => heard,
    };
    let (here, there) = (figures(&statistics), figures(&search.statistics));
    if heard == expected && here == there {
        return Compared::Same;
    }
    let widths = &tables.widths;
    Compared::Different(format!("tables of {widths:?} bits: {here:?} here, {there:?} on the card"))
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
