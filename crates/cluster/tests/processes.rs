//! Processes that talk through sockets: the test starts itself again, as a worker.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use analysis::{Engine, Limits, Options, Query, Reductions, Report, Searcher, Verdict, reach};
use cluster::{Cluster, Gathering, Hosts, Patience, serve};
use explore::tables::{Unsuitable, Wanted, mark};
use frontend::{Language, Settings, load};
use program::{Program, Sources};
use testkit::engines::{Question, asked, compare};
use testkit::tables::{Shape, random_tables};

/// What tells a process that it is a worker, with its number.
const WORKER: &str = "FENCEWRIGHT_TEST_WORKER";

/// Too many states to be done at once.
const LARGE: Shape = Shape { local_bits: 4, shared_bits: 3, ..Shape::new(1, 6) };

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
        compare(&start(processes, threads), 2, 40).assert_varied(40);
    }
}

/// Programs of the corpus have no more states than this here.
const FEW: u64 = 1_000;

/// All models of the corpus that have no parameters.
fn models() -> Vec<(String, Program)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut folders = vec![corpus];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fw") {
                files.push(path);
            }
        }
    }
    files.sort();
    let load = |file: PathBuf| {
        let mut sources = Sources::new();
        let name = file.display().to_string();
        let source = sources.add(&name, std::fs::read_to_string(&file).expect("a text"));
        Some((name, load(&sources, source, Language::Fw, &Settings::default()).ok()?))
    };
    files.into_iter().filter_map(load).collect()
}

/// Verdict, states, transitions and depth, or why there is none; nothing if the program has no definite threads.
fn said(program: &Program, options: &Options) -> Option<Result<(bool, [u64; 3]), String>> {
    let query = Query { faults: true, deadlocks: true, question: true, goal: None };
    let report = reach(program, &query, options, |_| ControlFlow::Continue(())).ok()?;
    let Report { verdict, statistics } = report;
    let holds = match verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Undecided(reason) => return Some(Err(reason.to_string())),
    };
    Some(Ok((holds, [statistics.states, statistics.transitions, statistics.depth])))
}

#[test]
fn programs_of_the_corpus_are_searched_as_by_one_process() {
    let models = models();
    let (mut held, mut violated, mut explored, mut refused) = (0, 0, 0, BTreeMap::new());
    for processes in [2, 4] {
        let tables = Box::leak(Box::new(start(processes, 1)));
        let searcher = Some(Searcher { engine: Engine::Cluster, tables });
        for (file, program) in &models {
            // Each number of processes with other tables: what the processes do depends on these alone.
            let local_steps = processes == 4;
            let reductions = Reductions { local_steps, ..Reductions::NONE };
            let limits = Limits { states: Some(FEW), ..Limits::default() };
            let here = Options { reductions, limits, threads: 1, ..Options::default() };
            let Some(Ok((holds, figures))) = said(program, &here) else { continue };
            // Small ones are not left to the processors.
            let there = Options { searcher, probe_states: 0, ..here };
            match said(program, &there).expect("it has definite threads") {
                Ok(together) => assert_eq!(together, (holds, figures), "{file} by {processes}"),
                Err(reason) => {
                    refused.entry(reason).or_insert_with(Vec::new).push(file.clone());
                    continue;
                }
            }
            *(if holds { &mut held } else { &mut violated }) += 1;
            explored += figures[0];
        }
    }
    // Its local states are too many for tables, with either reductions.
    let refused: Vec<(String, Vec<String>)> = refused.into_iter().collect();
    let [(why, files)] = &refused[..] else { panic!("{refused:#?}") };
    assert!(why.contains("more local states than can be found out before the search"), "{why}");
    assert!(files.len() == 2 && files[0] == files[1], "{files:?}");
    assert!(files[0].ends_with("locks/spinlock-counter.fw"), "{files:?}");
    assert!(held > 100 && violated > 5 && explored > 25_000, "{held} {violated} {explored}");
}

/// What is said of a search in which somebody does something to a process.
fn disturbed(signal: &str) -> (Unsuitable, Duration) {
    let cluster = start(3, 1);
    let mut tables = random_tables(&mut fastrand::Rng::with_seed(5), LARGE);
    for component in &mut tables.components {
        component.marks.fill(mark::EXPAND_IF_ALL);
    }
    let victim = cluster.started()[1].to_string();
    let signal = signal.to_owned();
    let kill = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        let kill = Command::new("kill").args([&signal, &victim]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        Instant::now()
    });
    let question = Question::new(Wanted::Nearest(1), u64::MAX);
    let search = asked(&cluster, &tables, &question);
    let now = Instant::now();
    let since = kill.join().expect("the victim was there");
    let lost = search.expect_err("somebody was lost");
    // And nobody waits for the next one.
    let again = asked(&cluster, &tables, &question);
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
