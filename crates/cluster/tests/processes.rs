//! Processes that talk through sockets: the test starts itself again, as a worker.

mod common;

use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use analysis::{Engine, Options, Query, Reductions, Report, Searcher, Verdict, reach};
use cluster::{Cluster, Gathering, Hosts, Patience, serve};
use common::{Shape, asked, expected, is_goal, random_tables, told};
use explore::Limits;
use explore::tables::{Unsuitable, Wanted};
use frontend::{Language, Settings, load};
use program::Sources;

/// What tells a process that it is a worker, with its number.
const WORKER: &str = "FENCEWRIGHT_TEST_WORKER";

const SHAPE: Shape =
    Shape { words: 2, components: 4, local_bits: 3, shared_bits: 2, unknown: None };
/// Too many states to be done at once.
const LARGE: Shape =
    Shape { words: 1, components: 6, local_bits: 4, shared_bits: 3, unknown: None };

fn gathering() -> Gathering {
    let patience = Patience { gathering: Duration::from_secs(30), silence: Duration::from_secs(2) };
    Gathering { identity: "test".to_owned(), key: "key".to_owned(), patience }
}

/// Not a test of its own: what the others start.
#[test]
fn a_worker() {
    let Ok(leader) = std::env::var(WORKER) else { return };
    let (number, leader) = leader.split_once(' ').expect("a number and an address");
    let number = number.parse().expect("a number");
    // Whether it was told to end or lost somebody is for the other side to say.
    let _ = serve(&gathering(), leader, number, "127.0.0.1:0");
}

fn start(processes: usize, threads: usize) -> Cluster {
    let cluster = gathering().start(processes, threads, |process, address| {
        let mut command = Command::new(std::env::current_exe().expect("the test has a name"));
        command.args(["--exact", "a_worker"]).env(WORKER, format!("{process} {address}"));
        command.stdout(Stdio::null());
        command
    });
    cluster.expect("processes can be started")
}

#[test]
fn processes_search_as_one_thread_does() {
    for (processes, threads) in [(2, 1), (4, 1), (2, 2)] {
        let cluster = start(processes, threads);
        let mut random = fastrand::Rng::with_seed(7);
        let mut found = 0;
        for round in 0..8 {
            let tables = random_tables(&mut random, SHAPE);
            let goal = is_goal([30, 3000][round % 2]);
            let wanted = [Wanted::Nearest(2), Wanted::All][round / 2 % 2];
            let question = (wanted, Limits::default());
            let (answer, statistics) = expected::<2>(&tables, question, goal);
            let search = asked(&cluster, &tables, question, goal).expect("nobody is lost");
            let (heard, did) = told(&tables, &search, goal);
            assert_eq!(heard, answer, "{processes} processes, round {round}");
            found += usize::from(matches!(heard, common::Told::Found(..)));
            assert_eq!(did.states, statistics.states);
            assert_eq!(did.transitions, statistics.transitions);
            assert_eq!(did.depth, statistics.depth);
        }
        assert!(found > 0);
    }
}

/// Programs of the corpus, with constants.
const PROGRAMS: [(&str, &[(&str, i128)]); 13] = [
    ("mutex/peterson.fw", &[("CHECK", 1)]),
    ("mutex/dekker.fw", &[("CHECK", 1)]),
    ("mutex/dijkstra.fw", &[("N", 2), ("CHECK", 1)]),
    ("mutex/bakery.fw", &[("N", 2), ("CHECK", 1)]),
    ("mutex/szymanski.fw", &[("N", 2), ("CHECK", 1)]),
    ("mutex/burns.fw", &[("N", 2), ("CHECK", 1)]),
    ("mutex/simple-dekker.fw", &[]),
    ("mutex/lamport-fast-1.fw", &[("N", 2)]),
    ("mutex/lamport-fast-2.fw", &[("N", 2)]),
    ("mutex/peterson-fenced.fw", &[]),
    ("mutex/dekker-fenced.fw", &[]),
    ("mutex/burns-fenced.fw", &[]),
    ("mutex/dijkstra-fenced.fw", &[]),
];

#[test]
fn programs_of_the_corpus_are_searched_as_by_one_process() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let tables = Box::leak(Box::new(start(3, 1)));
    let searcher = Some(Searcher { engine: Engine::Cluster, tables });
    let query = Query { faults: true, deadlocks: true, ..Query::default() };
    let mut states = 0;
    for (file, constants) in PROGRAMS {
        let text = std::fs::read_to_string(corpus.join(file)).expect("it is in the corpus");
        let mut sources = Sources::new();
        let source = sources.add(file, &text);
        let constants = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let settings = Settings { constants, ..Settings::default() };
        let program = load(&sources, source, Language::Fw, &settings).expect("a program");
        for local_steps in [false, true] {
            let reductions = Reductions { local_steps, ..Reductions::NONE };
            let here = Options { reductions, threads: 1, ..Options::default() };
            // Small ones are not left to the processors.
            let there = Options { searcher, probe_states: 0, ..here };
            let said = |options: &Options| {
                let report = reach(&program, &query, options, |_| ControlFlow::Continue(()));
                let Report { verdict, statistics } = report.expect("definite threads");
                let said = match verdict {
                    Verdict::Holds(_) => "holds".to_owned(),
                    Verdict::Violated(_) => "violated".to_owned(),
                    Verdict::Undecided(reason) => reason.to_string(),
                };
                (said, statistics.states, statistics.transitions, statistics.depth)
            };
            let expected = said(&here);
            assert_eq!(said(&there), expected, "{file}, local steps: {local_steps}");
            states += expected.1;
        }
    }
    assert!(states > 3000, "{states}");
}

/// What is said of a search in which somebody does something to a process.
fn disturbed(signal: &str) -> (Unsuitable, Duration) {
    let cluster = start(3, 1);
    let mut tables = random_tables(&mut fastrand::Rng::with_seed(5), LARGE);
    for component in &mut tables.components {
        component.marks.fill(explore::tables::mark::EXPAND_IF_ALL);
    }
    let victim = cluster.started()[1].to_string();
    let signal = signal.to_owned();
    let kill = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        let kill = Command::new("kill").args([&signal, &victim]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        Instant::now()
    });
    let question = (Wanted::Nearest(1), Limits::default());
    let search = asked(&cluster, &tables, question, |_| false);
    let now = Instant::now();
    let since = kill.join().expect("the victim was there");
    let lost = search.expect_err("somebody was lost");
    // And nobody waits for the next one.
    let again = asked(&cluster, &tables, question, |_| false);
    assert!(again.is_err());
    (lost, now.saturating_duration_since(since))
}

#[test]
fn a_killed_process_is_an_error() {
    let (Unsuitable(why), after) = disturbed("-KILL");
    assert!(why.contains("process 2") && why.contains("signal: 9"), "{why}");
    assert!(after < Duration::from_secs(2), "{after:?}");
}

#[test]
fn a_process_that_says_nothing_is_an_error() {
    let (Unsuitable(why), after) = disturbed("-STOP");
    assert!(why.contains("process 2") && why.contains("nothing was heard"), "{why}");
    assert!(after < Duration::from_secs(8), "{after:?}");
}

#[test]
fn who_does_not_come_is_named() {
    let mut gathering = gathering();
    gathering.patience.gathering = Duration::from_millis(300);
    let hosts = Hosts::parse("127.0.0.1:0\n127.0.0.1:9").expect("two hosts");
    let missing = gathering.lead_hosts(&hosts, 1).expect_err("nobody comes");
    assert_eq!(missing.0, "did not come within 0.3 s: process 1 (127.0.0.1:9)");
    let nobody = gathering.start(2, 1, |_, _| Command::new("false"));
    let ended = nobody.expect_err("it ends");
    assert_eq!(ended.0, "process 1 ended at once: exit status: 1");
}
