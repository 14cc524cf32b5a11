//! Instrumented programs against established verdicts: reads every litmus test of a folder, decides
//! robustness and persistence by whether a goal is reachable under SC, and prints what differs from
//! `verdicts.csv`.
//!
//! ```sh
//! cargo run --release -p fencewright-instrument --example litmus_table -- ../shared/corpus/litmus-x86
//! ```
//!
//! The exit code is 1 if anything differs.

#![expect(clippy::print_stdout, reason = "printing a table is what this program is for")]

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::process::ExitCode;

use frontend::{Language, Settings, load};
use instrument::{Goal, Impossible, Instrumented, persistence, robustness_single};
use program::{Program, Sources};
use semantics::{Machine, Model};

const MAX_STATES: usize = 1_000_000;

type Question = fn(&Program) -> Result<Instrumented, Impossible>;

/// The columns of the file, and what decides them.
const COLUMNS: [(&str, Question); 2] =
    [("trace_robust", robustness_single), ("persistent", persistence)];

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
    let (mut compared, mut different, mut beyond, mut most) = (0, 0, 0, 0);
    for line in lines {
        let row: BTreeMap<&str, &str> = header.iter().copied().zip(line.split(',')).collect();
        let name = row["name"];
        let program = read(&folder.join("tests").join(format!("{name}.litmus")));
        for (column, question) in COLUMNS {
            let established = row.get(column).copied().unwrap_or_default();
            let instrumented = question(&program).expect("there is room");
            match reaches(&instrumented) {
                None => {
                    beyond += 1;
                    println!("{name}: {column}: too many states");
                }
                Some((reached, states)) => {
                    most = most.max(states);
                    let ours = if reached { "no" } else { "yes" };
                    compared += usize::from(!established.is_empty());
                    if !established.is_empty() && established != ours {
                        different += 1;
                        println!("{name}: {column}: {ours}, established is {established}");
                    }
                }
            }
        }
    }
    println!(
        "{compared} cells compared, {different} different, {beyond} with too many states; at most \
         {most} states"
    );
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn read(file: &Path) -> Program {
    let text = std::fs::read_to_string(file).expect("a test of the folder");
    let mut sources = Sources::new();
    let source = sources.add(file.display().to_string(), text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", file.display()))
}

/// Whether the goal is reachable under SC, and how many states it took; nothing if there are too
/// many.
fn reaches(instrumented: &Instrumented) -> Option<(bool, usize)> {
    let machine = Machine::new(&instrumented.program, Model::Sc).expect("a definite program");
    let mut seen = HashSet::from([machine.initial()]);
    let mut waiting = VecDeque::from([machine.initial()]);
    while let Some(state) = waiting.pop_front() {
        if machine.in_memory(&state, instrumented.goal.address) == Some(Goal::VALUE) {
            return Some((true, seen.len()));
        }
        for taken in machine.moves(&state) {
            let (next, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
        if seen.len() > MAX_STATES {
            return None;
        }
    }
    Some((false, seen.len()))
}
