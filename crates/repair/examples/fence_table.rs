//! Robustness, persistence and the same final states for each test of a folder of litmus tests: how many
//! fences each takes, none where it holds, beside a table of established verdicts and numbers:
//! `cargo run --release -p fencewright-repair --example fence_table -- FOLDER`, where
//! `FOLDER/verdicts.csv` is about the tests in `FOLDER/tests`. Empty cells are not established.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use analysis::{Criterion, Options};
use frontend::{Language, Settings, load};
use program::{Program, Sources};
use repair::checkers::Exact;
use repair::decision::fences;
use repair::{Outcome, Positions, Problem, cheapest_repair, costs};

#[expect(clippy::print_stdout, reason = "an example for the command line")]
fn main() -> ExitCode {
    let folder = std::env::args().nth(1).expect("a folder with litmus tests and verdicts.csv");
    let folder = Path::new(&folder);
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("a table of verdicts");
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let (mut compared, mut different) = (0, 0);
    println!("{:42} {:>12} {:>12} {:>12}", "fences for", "robustness", "persistence", "states");
    for row in lines {
        let program = read(&folder.join("tests").join(format!("{}.litmus", row[0])));
        let established = |name: &str| {
            let column = header.iter().position(|column| *column == name).expect("a column");
            row.get(column).copied().filter(|cell| !cell.is_empty())
        };
        let mut shown = Vec::new();
        for (criterion, verdict, minimum) in [
            (Criterion::Robustness, "trace_robust", "min_fences_trace"),
            (Criterion::Persistence, "persistent", "min_fences_persistence"),
            (Criterion::States, "state_robust", "min_fences_state"),
        ] {
            let ours = least(&program, criterion);
            let holds = if ours == 0 { "yes" } else { "no" };
            let pairs = [(verdict, holds.to_owned()), (minimum, ours.to_string())];
            let mut cell = ours.to_string();
            for (column, ours) in pairs {
                if let Some(theirs) = established(column) {
                    compared += 1;
                    if theirs != ours {
                        different += 1;
                        cell = format!("{ours} (≠ {theirs})");
                    }
                }
            }
            shown.push(cell);
        }
        println!("{:42} {:>12} {:>12} {:>12}", row[0], shown[0], shown[1], shown[2]);
    }
    println!("{compared} cells compared, {different} different");
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read(file: &Path) -> Program {
    let text = std::fs::read_to_string(file).expect("a test of the folder");
    let mut sources = Sources::new();
    let source = sources.add(file.display().to_string(), text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", file.display()))
}

fn least(program: &Program, criterion: Criterion) -> usize {
    let decisions = fences(program, Positions::AfterInstructions, true);
    let costs = costs::uniform(&decisions);
    let problem = Problem { program, decisions: &decisions, costs: &costs, preferences: &[] };
    let options = Options::default();
    let watch = |_: &_| ControlFlow::Continue(());
    let mut checker = Exact { criterion, options: &options, watch };
    let solved = cheapest_repair(&problem, &mut checker, false).expect("definite threads");
    match solved.outcome {
        Outcome::Repaired { sets, .. } => sets[0].len(),
        Outcome::Unrepairable(_) => panic!("fences everywhere enforce everything"),
        Outcome::Undecided { reason, .. } => panic!("{reason}"),
    }
}
