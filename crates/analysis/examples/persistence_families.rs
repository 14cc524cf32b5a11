//! Persistence of the families of ESOP'15, Fig. 16, by abstraction and by exploring the program:
//!
//! ```text
//! cargo run --release -p fencewright-analysis --example persistence_families > docs/bench/DATE-persistence.md
//! ```
//!
//! Each member is decided in a process of its own, so that processor time and peak memory are its
//! own. A program that takes more than 60 seconds or 8 GiB has no larger ones after it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the command line")]

use std::ops::ControlFlow;
use std::process::Command;
use std::time::Duration;

use analysis::abstraction::DecidedBy;
use analysis::{Criterion, Depth, Limits, Options, Verdict, check, persistence_by_abstraction};
use frontend::{Language, Settings, load};
use program::{Program, Sources, Value};

/// Programs that differ in the number of threads.
struct Family {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    /// The constants of the member with n threads.
    constants: fn(Value) -> Vec<(&'static str, Value)>,
}

macro_rules! family {
    ($name:literal, $file:literal, $constants:expr) => {
        Family {
            name: $name,
            file: $file,
            text: include_str!(concat!("../../../corpus/", $file)),
            constants: $constants,
        }
    };
}

const FAMILIES: [Family; 8] = [
    family!("partial Dekker", "mutex/dekker-pairs-fenced.fw", |n| vec![("PAIRS", n / 2)]),
    family!("Burns", "mutex/burns-fenced.fw", |n| vec![("N", n)]),
    family!("Dijkstra", "mutex/dijkstra-fenced.fw", |n| vec![("N", n)]),
    family!("Szymanski", "mutex/szymanski-fenced.fw", |n| vec![("N", n)]),
    family!("double-checked locking", "locks/double-checked.fw", |n| vec![("N", n)]),
    family!("increasing sequence", "protocols/inc-sequence.fw", |n| vec![("N", n)]),
    family!("Pgsql", "protocols/pgsql-persistent.fw", |n| vec![("N", n - 1)]),
    family!("seqlock", "protocols/seqlock.fw", |n| vec![("N", n - 1)]),
];

const SIZES: [Value; 5] = [2, 4, 6, 8, 10];
/// That of the paper.
const DEPTH: usize = 2;

const HEADER: &str = "\
# Persistence by abstraction

The eight families of Fig. 16 of the ESOP'15 paper, in versions that are persistent: by abstraction
(`check --criterion persistence --abstract=2`; 2 is the paper's k) and by exploring the program itself
(without `--abstract`), on one core, for at most 60 s by the clock and 8 GiB. *n* is the number of
threads. \"Shown\": all threads were excluded as pivots. States are the sum over all flattened programs;
0 where each thread by itself is excluded, whatever the others do, so that nothing was flattened and k
did not matter.

`cargo run --release -p fencewright-analysis --example persistence_families` prints this.
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => all(),
        [family, n, how] => {
            let family: usize = family.parse().expect("a number");
            one(&FAMILIES[family], n.parse().expect("a number"), how == "abstract");
        }
        _ => eprintln!("no arguments: see the header of the source"),
    }
}

fn all() {
    println!("{HEADER}");
    println!(
        "| family | n | abstract | states | CPU s | peak MiB | program | states | CPU s | peak MiB |"
    );
    println!("|---|--:|---|--:|--:|--:|---|--:|--:|--:|");
    for (number, family) in FAMILIES.iter().enumerate() {
        let mut fits = true;
        for n in SIZES {
            let by_abstraction = child(number, n, "abstract");
            let by_program =
                if fits { child(number, n, "program") } else { "– | | | |".to_owned() };
            fits &= by_program.starts_with("holds");
            println!("| {} | {n} | {by_abstraction} {by_program}", family.name);
        }
        eprintln!("{} ({}) done", family.name, family.file);
    }
}

/// What a process of its own says about one member.
fn child(family: usize, n: Value, how: &str) -> String {
    let myself = std::env::current_exe().expect("the path of this program");
    let mut command = Command::new(myself);
    command.args([&family.to_string(), &n.to_string(), how]);
    let output = command.output().expect("a process can be started");
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if said.is_empty() { format!("failed ({}) | | | |", output.status) } else { said }
}

fn program(family: &Family, n: Value) -> Program {
    let mut sources = Sources::new();
    let source = sources.add(family.name, family.text);
    let constants = (family.constants)(n);
    let constants = constants.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let settings = Settings { constants, ..Settings::default() };
    load(&sources, source, Language::Fw, &settings)
        .unwrap_or_else(|errors| panic!("{} for {n} threads: {errors:#?}", family.name))
}

fn one(family: &Family, n: Value, by_abstraction: bool) {
    let program = program(family, n);
    let limits = Limits {
        memory: Some(8 << 30),
        deadline: Some(std::time::Instant::now() + Duration::from_mins(1)),
        ..Limits::default()
    };
    let options = Options { limits, ..Options::default() };
    let go_on = |_: &_| ControlFlow::Continue(());
    let (said, states) = if by_abstraction {
        let depth = Depth::Fixed(DEPTH);
        let report = persistence_by_abstraction(&program, depth, &options, go_on);
        let report = report.expect("a definite program");
        let said = match (&report.verdict, report.decided_by) {
            (Verdict::Holds(_), DecidedBy::Abstraction { .. }) => "shown".to_owned(),
            (Verdict::Holds(_), _) => "not shown (holds)".to_owned(),
            (Verdict::Violated(_), _) => "violated".to_owned(),
            (Verdict::Undecided(reason), _) => format!("not shown: {reason}"),
        };
        (said, report.statistics.states)
    } else {
        let answers = check(&program, &[Criterion::Persistence], &options, go_on);
        let answer = &answers.expect("a definite program")[0];
        let said = match &answer.verdict {
            Verdict::Holds(_) => "holds".to_owned(),
            Verdict::Violated(_) => "violated".to_owned(),
            Verdict::Undecided(reason) => reason.to_string(),
        };
        (said, answer.statistics.states)
    };
    println!("{said} | {states} | {:.2} | {} |", processor_seconds(), peak_mebibytes());
}

/// The processor time of this process, as Linux counts it.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11).take(2);
    // In hundredths of a second.
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that this process had, in MiB.
fn peak_mebibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kibibytes = line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    kibibytes.unwrap_or(0) / 1024
}
