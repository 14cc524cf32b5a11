//! `check` against established verdicts: reads every litmus test of a folder, decides robustness and
//! persistence, directly and by searching the instrumented programs, and prints what differs from
//! `verdicts.csv`.
//!
//! ```sh
//! cargo run --release -p fencewright-analysis --example check_table -- ../shared/corpus/litmus-x86
//! ```
//!
//! Plain states are decided by exploring all of them under both models; where robustness or persistence
//! implies that they are the same, the established column must say so too. The exit code is 1 if
//! anything differs.

#![expect(clippy::print_stdout, reason = "printing a table is what this program is for")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use analysis::{Criterion, Options, Progress, Query, Reason, Verdict, check, compare, reach};
use frontend::{Language, Settings, load};
use instrument::{Goal, Instrumented, persistence, robustness_single};
use program::{Observable, Program, Sources, StateProposition};

/// The columns of the file, and what decides them.
const COLUMNS: [(&str, Criterion); 3] = [
    ("trace_robust", Criterion::Robustness),
    ("persistent", Criterion::Persistence),
    ("state_robust", Criterion::States),
];

fn main() -> ExitCode {
    let folder =
        std::env::args().nth(1).unwrap_or_else(|| "../shared/corpus/litmus-x86".to_owned());
    let folder = Path::new(&folder);
    let Ok(csv) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        println!("{} has no verdicts.csv", folder.display());
        return ExitCode::from(2);
    };
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let (mut compared, mut different, mut undecided) = (0, 0, 0);
    let (mut all, mut longest) = (Duration::ZERO, (Duration::ZERO, String::new()));
    let criteria = COLUMNS.map(|(_, criterion)| criterion);
    for line in lines {
        let row: BTreeMap<&str, &str> = header.iter().copied().zip(line.split(',')).collect();
        let name = row["name"];
        let program = read(&folder.join("tests").join(format!("{name}.litmus")));
        let started = Instant::now();
        let answers =
            check(&program, &criteria, &Options::default(), |_| ControlFlow::Continue(()))
                .expect("litmus tests have definite threads");
        let took = started.elapsed();
        all += took;
        longest = longest.max((took, name.to_owned()));
        for (column, instrumented) in
            [("trace_robust", robustness_single(&program)), ("persistent", persistence(&program))]
        {
            let instrumented = instrumented.expect("there is room");
            let established = row.get(column).copied().unwrap_or_default();
            match cannot_reach(&instrumented) {
                Err(reason) => {
                    undecided += 1;
                    println!("{name}: {column}, instrumented: undecided: {reason}");
                }
                Ok(holds) => {
                    let ours = if holds { "yes" } else { "no" };
                    compared += usize::from(!established.is_empty());
                    if !established.is_empty() && established != ours {
                        different += 1;
                        println!("{name}: {column}, instrumented: {ours}, not {established}");
                    }
                }
            }
        }
        match same_states(&program) {
            Err(reason) => {
                undecided += 1;
                println!("{name}: state_robust: undecided: {reason}");
            }
            Ok(same) => {
                let established = row.get("state_robust").copied().unwrap_or_default();
                let ours = if same { "yes" } else { "no" };
                compared += usize::from(!established.is_empty());
                if !established.is_empty() && established != ours {
                    different += 1;
                    println!("{name}: state_robust, explored: {ours}, not {established}");
                }
            }
        }
        for answer in answers {
            let columns = COLUMNS.iter().filter(|(_, criterion)| *criterion == answer.criterion);
            for (column, criterion) in columns {
                let established = row.get(column).copied().unwrap_or_default();
                let ours = match &answer.verdict {
                    Verdict::Holds(_) => "yes",
                    Verdict::Violated(_) => "no",
                    Verdict::Undecided(reason) => {
                        if *criterion != Criterion::States {
                            undecided += 1;
                            println!("{name}: {column}: undecided: {reason}");
                        }
                        continue;
                    }
                };
                compared += usize::from(!established.is_empty());
                if !established.is_empty() && established != ours {
                    different += 1;
                    println!("{name}: {column}: {ours}, established is {established}");
                }
            }
        }
    }
    println!(
        "{compared} cells compared, {different} different, {undecided} undecided; `check` took \
         {:.2} s, at most {:.3} s ({})",
        all.as_secs_f64(),
        longest.0.as_secs_f64(),
        longest.1
    );
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Whether TSO has the final states of SC, by exploring both.
fn same_states(program: &Program) -> Result<bool, Reason> {
    let watch = |_: &Progress| ControlFlow::Continue(());
    let both = compare(program, &Options::default(), watch).expect("definite threads");
    match (both.only_under_tso(), &both.tso.complete) {
        (Ok(new), _) if !new.is_empty() => Ok(false),
        (Ok(_), Ok(_)) => Ok(true),
        (Ok(_), Err(reason)) | (Err(reason), _) => Err(reason.clone()),
    }
}

/// Whether the goal of an instrumented program cannot be reached.
fn cannot_reach(instrumented: &Instrumented) -> Result<bool, Reason> {
    let suc = Observable::Cell(instrumented.goal.address);
    let goal = Some(StateProposition::Equals(suc, Goal::VALUE));
    let query = Query { goal, ..Query::default() };
    let watch = |_: &Progress| ControlFlow::Continue(());
    let report = reach(&instrumented.program, &query, &Options::default(), watch);
    match report.expect("litmus tests have definite threads").verdict {
        Verdict::Holds(_) => Ok(true),
        Verdict::Violated(_) => Ok(false),
        Verdict::Undecided(reason) => Err(reason),
    }
}

fn read(file: &Path) -> Program {
    let text = std::fs::read_to_string(file).expect("a test of the folder");
    let mut sources = Sources::new();
    let source = sources.add(file.display().to_string(), text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", file.display()))
}
