//! What workers would send each other, and how even their work would be: a simulation on the state graphs of
//! real programs, for 2 to 1,024 workers; and what this machine takes for the same with one thread of
//! `explore` and with processes of the cluster. As Markdown.
//!
//! `cargo run -p fencewright-cluster --example exchange -- CORPUS`

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use analysis::{Engine, Options, Query, Reductions, Searcher, reach};
use cluster::simulation::encoded;
use cluster::{Cluster, Gathering, Patience, owner, serve};
use explore::tables::{Request, TableEngine, TableSearch, Tables, Tabulated, Unsuitable, Wanted};
use explore::{Limits, search};
use frontend::{Language, Settings, load};
use program::Sources;

/// Programs, numbers of threads, and whether local steps are reduced.
const PROGRAMS: [(&str, i128, bool); 4] = [
    ("mutex/dijkstra.fw", 3, false),
    ("mutex/filter.fw", 3, true),
    ("mutex/szymanski.fw", 3, true),
    ("mutex/burns.fw", 3, false),
];
/// States in a batch, as in the engine.
const BATCH: usize = 1 << 13;

/// Keeps the tables that it was asked about last: those that turned out to be complete.
#[derive(Debug)]
struct Recorder {
    last: Mutex<Option<Tables>>,
    engine: Cluster,
}

impl TableEngine for Recorder {
    fn search(&self, tables: &Tables, request: Request<'_>) -> Result<TableSearch, Unsuitable> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(tables.clone());
        self.engine.search(tables, request)
    }
}

/// The tables of a program.
fn tables(
    corpus: &Path,
    (file, n, local_steps): (&str, i128, bool),
) -> Result<Tables, Box<dyn Error>> {
    let text = std::fs::read_to_string(corpus.join(file))?;
    let mut sources = Sources::new();
    let source = sources.add(file, &text);
    let constants = vec![("N".to_owned(), n)];
    let settings = Settings { constants, ..Settings::default() };
    let program = load(&sources, source, Language::Fw, &settings).map_err(|_| "not a program")?;
    let engine = Cluster::of_threads(1).map_err(|why| why.0)?;
    let recorder: &'static Recorder =
        Box::leak(Box::new(Recorder { last: Mutex::new(None), engine }));
    let searcher = Some(Searcher { engine: Engine::Cluster, tables: recorder });
    let reductions = Reductions { local_steps, ..Reductions::NONE };
    let options = Options { searcher, reductions, ..Options::default() };
    let query = Query { faults: true, deadlocks: true, ..Query::default() };
    let _ = reach(&program, &query, &options, |_| ControlFlow::Continue(()));
    let tables = recorder.last.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(tables.ok_or("no tables")?)
}

/// A state graph: states in the order they are found, levels as ranges of these, and steps.
struct Graph {
    words: usize,
    states: Vec<Vec<u64>>,
    levels: Vec<std::ops::Range<usize>>,
    /// For each state its successors but for itself.
    steps: Vec<Vec<usize>>,
    transitions: usize,
}

fn graph(tables: &Tables) -> Graph {
    let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut graph = Graph {
        words: tables.words,
        states: Vec::new(),
        levels: Vec::new(),
        steps: Vec::new(),
        transitions: 0,
    };
    for state in tables.initial.chunks_exact(tables.words) {
        number(&mut numbers, &mut graph.states, state);
    }
    let mut begin = 0;
    while begin < graph.states.len() {
        let level = begin..graph.states.len();
        begin = level.end;
        for at in level.clone() {
            let state = graph.states[at].clone();
            let mut steps = Vec::new();
            let _ = tables.successors(&state, |next| {
                graph.transitions += 1;
                if next != state.as_slice() {
                    steps.push(number(&mut numbers, &mut graph.states, next));
                }
            });
            graph.steps.push(steps);
        }
        graph.levels.push(level);
    }
    graph
}

fn number(
    numbers: &mut HashMap<Vec<u64>, usize>,
    states: &mut Vec<Vec<u64>>,
    state: &[u64],
) -> usize {
    if let Some(&number) = numbers.get(state) {
        return number;
    }
    numbers.insert(state.to_vec(), states.len());
    states.push(state.to_vec());
    states.len() - 1
}

/// What so many workers would do, if these bits of a state say who owns it: the share of transitions sent,
/// bytes per transition, per state sent and states per batch, how much more the fullest has than the
/// mean, and how well all are used if everybody waits at the end of a level.
fn simulated(graph: &Graph, mask: &[u64], workers: usize) -> [f64; 6] {
    let owner_of = |state: &Vec<u64>| {
        let counts: Vec<u64> = state.iter().zip(mask).map(|(word, mask)| word & mask).collect();
        owner(&counts, workers)
    };
    let owners: Vec<usize> = graph.states.iter().map(owner_of).collect();
    let (mut sent, mut bytes, mut batches, mut longest) = (0, 0, 0, 0);
    let mut owned = vec![0_usize; workers];
    for level in &graph.levels {
        let mut here = vec![0_usize; workers];
        let mut outgoing: Vec<(usize, usize)> = Vec::new();
        for at in level.clone() {
            here[owners[at]] += 1;
            let away = graph.steps[at].iter().filter(|&&next| owners[next] != owners[at]);
            outgoing.extend(away.map(|&next| (owners[at] * workers + owners[next], next)));
        }
        longest += here.iter().copied().max().unwrap_or(0);
        for (all, here) in owned.iter_mut().zip(&here) {
            *all += here;
        }
        sent += outgoing.len();
        // Stable: within a batch as they were found.
        outgoing.sort_by_key(|&(pair, _)| pair);
        for same in outgoing.chunk_by(|one, other| one.0 == other.0) {
            for batch in same.chunks(BATCH) {
                let mut states: Vec<u64> = batch
                    .iter()
                    .flat_map(|&(_, next)| graph.states[next].iter().copied())
                    .collect();
                bytes += encoded(graph.words, &mut states).len();
                batches += 1;
            }
        }
    }
    let states = graph.states.len();
    let ratio = |one: usize, other: usize| {
        let (one, other) = (u32::try_from(one), u32::try_from(other));
        f64::from(one.unwrap_or(u32::MAX)) / f64::from(other.unwrap_or(u32::MAX).max(1))
    };
    let most = owned.iter().copied().max().unwrap_or(0);
    [
        100.0 * ratio(sent, graph.transitions),
        ratio(bytes, graph.transitions),
        ratio(bytes, sent),
        ratio(sent, batches),
        ratio(most * workers, states),
        100.0 * ratio(states, longest * workers),
    ]
}

/// All bits of a state, and all but the local states of every other thread.
fn masks(tables: &Tables) -> [Vec<u64>; 2] {
    let all = vec![u64::MAX; tables.words];
    let mut some = all.clone();
    for component in tables.components.iter().skip(1).step_by(2) {
        let field = component.field;
        some[usize::from(field.word)] &= !(((1 << field.bits) - 1) << field.shift);
    }
    [all, some]
}

/// What one thread of `explore` takes, and processes of the cluster.
fn measured(tables: &Tables, graph: &Graph) -> Result<String, Box<dyn Error>> {
    fn one<const W: usize>(tables: &Tables) -> f64 {
        let started = Instant::now();
        let mut system = Tabulated { tables, is_goal: |_: &[u64]| false };
        search::<W, _>(&mut system, 1, &Limits::default(), |_| ControlFlow::Continue(()));
        started.elapsed().as_secs_f64()
    }
    let alone = match tables.words {
        1 => one::<1>(tables),
        2 => one::<2>(tables),
        3 => one::<3>(tables),
        _ => one::<4>(tables),
    };
    let mut row = format!("{} | {} | {alone:.3} |", graph.states.len(), graph.transitions);
    for processes in [1, 2, 4] {
        let gathering = gathering();
        let program = std::env::current_exe()?;
        let cluster = gathering.start(processes, 1, |process, address| {
            let mut command = Command::new(&program);
            command.args(["worker", address]).arg(process.to_string());
            command
        });
        let cluster = cluster.map_err(|why| why.0)?;
        let started = Instant::now();
        let request = Request {
            wanted: Wanted::Nearest(1),
            limits: Limits::default(),
            is_goal: &mut |_| false,
            watch: &mut |_| ControlFlow::Continue(()),
        };
        let search = cluster.search(tables, request).map_err(|why| why.0)?;
        let seconds = started.elapsed().as_secs_f64();
        if search.statistics.states != graph.states.len() as u64 {
            return Err("another number of states".into());
        }
        let bytes = cluster.exchanged().bytes;
        let per = |bytes: u64| {
            let transitions = u32::try_from(graph.transitions).unwrap_or(u32::MAX);
            f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / f64::from(transitions)
        };
        let _ = write!(row, " {seconds:.3} ({:.1}) | {:.2} |", seconds / alone, per(bytes));
    }
    Ok(row)
}

fn gathering() -> Gathering {
    Gathering { identity: "exchange".to_owned(), key: String::new(), patience: Patience::default() }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [worker, leader, process] = &arguments[..]
        && worker == "worker"
    {
        return Ok(
            serve(&gathering(), leader, process.parse()?, "127.0.0.1:0").map_err(|why| why.0)?
        );
    }
    let [corpus] = &arguments[..] else { return Err("expected the corpus".into()) };
    let mut out = std::io::stdout();
    let mut times = String::new();
    for (file, n, local_steps) in PROGRAMS {
        let tables = tables(Path::new(corpus), (file, n, local_steps))?;
        let graph = graph(&tables);
        let (states, depth) = (graph.states.len(), graph.levels.len() - 1);
        writeln!(
            out,
            "\n{file}, N = {n}: {states} states of {} words, {} transitions, depth {depth}\n\n\
             | workers | transitions sent | bytes / transition | bytes / state sent | states / batch | \
             most / mean states | use of workers | by half of the threads: sent | bytes / transition | \
             most / mean states | use of workers |\n|---|---|---|---|---|---|---|---|---|---|---|",
            graph.words, graph.transitions,
        )?;
        for workers in (1..=10).map(|power| 1 << power) {
            let [all, some] = masks(&tables);
            let [sent, bytes, each, batch, most, used] = simulated(&graph, &all, workers);
            let [less, fewer, _, _, more, worse] = simulated(&graph, &some, workers);
            writeln!(
                out,
                "| {workers} | {sent:.1} % | {bytes:.2} | {each:.2} | {batch:.0} | {most:.2} | {used:.0} % | \
                 {less:.1} % | {fewer:.2} | {more:.2} | {worse:.0} % |"
            )?;
        }
        let _ = writeln!(times, "| {file}, N = {n} | {}", measured(&tables, &graph)?);
    }
    writeln!(
        out,
        "\n| program | states | transitions | explore, 1 thread: s | 1 process: s (times) | B/transition | \
         2 processes | B/transition | 4 processes | B/transition |\n|---|---|---|---|---|---|---|---|---|---|\n{times}"
    )?;
    Ok(())
}
