//! The least number of fences for each test of a folder of litmus tests, beside a table of established
//! ones: `cargo run --release -p fencewright-repair --example litmus_table -- FOLDER`, where
//! `FOLDER/verdicts.csv` (for the tests in `FOLDER/tests`) has columns `name`, `min_fences_trace`,
//! `min_fences_persistence` and `min_fences_state`.

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
    for row in lines {
        let program = read(&folder.join("tests").join(format!("{}.litmus", row[0])));
        for (criterion, name) in [
            (Criterion::Robustness, "min_fences_trace"),
            (Criterion::Persistence, "min_fences_persistence"),
            (Criterion::States, "min_fences_state"),
        ] {
            let column = header.iter().position(|column| *column == name).expect("a column");
            let established = row.get(column).copied().unwrap_or_default();
            if established.is_empty() {
                continue;
            }
            compared += 1;
            let ours = least(&program, criterion);
            if established != ours.to_string() {
                different += 1;
                println!("{}: {criterion} takes {ours}, established {established}", row[0]);
            }
        }
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
    let problem = Problem { program, decisions: &decisions, costs: &costs };
    let options = Options::default();
    let watch = |_: &_| ControlFlow::Continue(());
    let mut checker = Exact { criterion, options: &options, watch };
    let solved = cheapest_repair(&problem, &mut checker, false).expect("definite threads");
    match solved.outcome {
        Outcome::Repaired(sets) => sets[0].len(),
        Outcome::Unrepairable(_) => panic!("fences everywhere enforce everything"),
        Outcome::Undecided { reason, .. } => panic!("{reason}"),
    }
}
