//! Spin accepts the Promela of every program, and where it and the oracle both come to an end they
//! agree on assertions under SC.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use oracle::{Limits, MemoryModel, reachable_faults};
use program::Program;

use crate::{checked, suites};

/// What the oracle may spend on one program.
const LIMITS: Limits = Limits { max_states: 30_000, max_length: 200 };
/// What spin may spend: steps of one run, and seconds.
const SPIN_DEPTH: &str = "-m200000";
const SPIN_SECONDS: &str = "5";
/// Programs about 64-bit values, which Promela does not have.
const WIDE: &[&str] = &["parts-of-registers.litmus"];

fn run(folder: &Path, command: &str, arguments: &[&str]) -> Output {
    let output = Command::new(command).args(arguments).current_dir(folder).output();
    output.unwrap_or_else(|error| panic!("{command}: {error}; apt-get install spin gcc"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Every program of the corpus once, with its assertions on, in the first instance of its manifest.
fn programs() -> Vec<(PathBuf, Program)> {
    let mut programs = Vec::new();
    for (folder, suite) in suites() {
        for entry in &suite.program {
            let path = folder.join(&entry.file);
            let program = checked(&path, &entry.instance[0]);
            programs.push((path, program));
        }
    }
    programs
}

/// Whether spin finds a violated assertion; nothing if it does not come to an end.
fn spin_finds_a_fault(folder: &Path, name: &str) -> Option<bool> {
    let gcc = run(folder, "gcc", &["-O0", "-w", "-DVECTORSZ=8192", "-o", "pan", "pan.c"]);
    assert!(gcc.status.success(), "{name}: {}", said(&gcc));
    let pan = run(folder, "timeout", &[SPIN_SECONDS, "./pan", SPIN_DEPTH]);
    let report = said(&pan);
    if report.contains("assertion violated") {
        return (!report.contains("beyond_32_bits")).then_some(true);
    }
    let complete = pan.status.success()
        && !report.contains("max search depth too small")
        && !report.contains("Search not completed")
        && !report.contains("out of memory");
    complete.then_some(false)
}

#[test]
fn spin_accepts_every_program_and_agrees_with_the_oracle() {
    let programs = programs();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let agreed: usize = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let mine = programs.iter().enumerate().skip(worker).step_by(workers);
                scope.spawn(move || mine.filter(|(at, one)| agrees(*at, one)).count())
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a worker that agrees")).sum()
    });
    assert!(agreed > programs.len() / 2, "{agreed} of {}", programs.len());
}

/// A folder with what spin makes of a program.
fn prepared(folder: &str, name: &str, promela: &str) -> PathBuf {
    let folder = format!("fencewright-corpus-{}-{folder}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).expect("a folder for spin");
    std::fs::write(folder.join("program.pml"), promela).expect("a file for spin");
    let spin = run(&folder, "spin", &["-a", "program.pml"]);
    let accepted = spin.status.success() && !said(&spin).contains("rror");
    assert!(accepted, "{name}: {}\n{promela}", said(&spin));
    folder
}

/// Whether spin finds a violated assertion in a program; nothing if it does not come to an end.
pub(crate) fn finds_a_fault(folder: &str, name: &str, promela: &str) -> Option<bool> {
    let folder = prepared(folder, name, promela);
    let found = spin_finds_a_fault(&folder, name);
    std::fs::remove_dir_all(&folder).expect("the folder for spin can go");
    found
}

/// Whether both came to an end; they must agree if they did.
fn agrees(at: usize, (path, program): &(PathBuf, Program)) -> bool {
    let name = path.display().to_string();
    let promela = match frontend::promela::print(program) {
        Ok(promela) => promela,
        Err(errors) => {
            let wide = WIDE.iter().any(|wide| path.ends_with(wide));
            assert!(wide, "{name} has no Promela: {errors:#?}");
            return false;
        }
    };
    let folder = prepared(&at.to_string(), &name, &promela);
    let both = reachable_faults(program, MemoryModel::Sc, &LIMITS).ok().is_some_and(|faults| {
        let found = spin_finds_a_fault(&folder, &name);
        assert!(
            found.is_none_or(|found| found != faults.is_empty()),
            "{name}: spin says {found:?}"
        );
        found.is_some()
    });
    std::fs::remove_dir_all(&folder).expect("the folder for spin can go");
    both
}
