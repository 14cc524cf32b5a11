//! The oracle against established verdicts: reads every litmus test of a folder, decides each
//! column of its `verdicts.csv` by enumeration, and prints the table with what differs.
//!
//! ```sh
//! cargo run --release -p fencewright-oracle --example oracle_table -- ../shared/corpus/litmus-x86
//! ```
//!
//! Fences are counted as `MFENCE`s between instructions. "State" compares final states. A test that
//! is too large to enumerate is listed as such; an empty cell of the file is not established and
//! not compared. The exit code is 1 if anything differs.

#![expect(clippy::print_stdout, reason = "printing a table is what this program is for")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use frontend::{Language, Settings, load};
use oracle::{Candidate, Criterion, Exceeded, Limits, Place, Position, holds, minimum_fences};
use program::{InsertionPoint, Program, Sources};

const LIMITS: Limits = Limits { max_states: 3_000_000, max_length: 200 };

/// The columns of the file: whether a criterion holds, and how many fences enforce it.
const COLUMNS: [(&str, &str, Criterion); 3] = [
    ("trace_robust", "min_fences_trace", Criterion::Robust),
    ("persistent", "min_fences_persistence", Criterion::Persistent),
    ("state_robust", "min_fences_state", Criterion::SameEnds),
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
    let (mut compared, mut different, mut beyond) = (0, 0, 0);
    println!("{:40}  robust  persistent  states", "test");
    for line in lines {
        let row: BTreeMap<&str, &str> = header.iter().copied().zip(line.split(',')).collect();
        let name = row["name"];
        let file = folder.join("tests").join(format!("{name}.litmus"));
        let program = read(&file);
        let mut shown = Vec::new();
        for (verdict, minimum, criterion) in COLUMNS {
            match decide(&program, criterion) {
                Err(exceeded) => {
                    beyond += 1;
                    shown.push(exceeded.to_string());
                }
                Ok((holds, fences)) => {
                    let mut cell = format!("{}/{fences}", if holds { "yes" } else { "no" });
                    let ours = [
                        (verdict, if holds { "yes" } else { "no" }.to_owned()),
                        (minimum, fences.to_string()),
                    ];
                    for (column, ours) in ours {
                        let established = row.get(column).copied().unwrap_or_default();
                        if !established.is_empty() {
                            compared += 1;
                            if established != ours {
                                different += 1;
                                let _ = write!(cell, " (≠ {established})");
                            }
                        }
                    }
                    shown.push(cell);
                }
            }
        }
        println!("{name:40}  {}", shown.join("   "));
    }
    println!("{compared} cells compared, {different} different, {beyond} too large to enumerate");
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn read(file: &Path) -> Program {
    let text = std::fs::read_to_string(file).expect("a test of the folder");
    let mut sources = Sources::new();
    let source = sources.add(file.display().to_string(), text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", file.display()))
}

/// Whether a criterion holds, and the least number of fences that enforces it.
fn decide(program: &Program, criterion: Criterion) -> Result<(bool, usize), Exceeded> {
    if holds(program, criterion, &LIMITS)? {
        return Ok((true, 0));
    }
    let fences =
        minimum_fences(program, criterion, &between_instructions(program), |_| 1, &LIMITS)?;
    Ok((false, fences.expect("fences everywhere enforce everything").len()))
}

/// One decision for each place between two instructions of a thread.
fn between_instructions(program: &Program) -> Vec<Candidate> {
    let mut places: BTreeMap<InsertionPoint, Candidate> = BTreeMap::new();
    let threads = program.threads().expect("litmus tests have definite threads");
    for (thread, data) in threads.enumerate() {
        for (edge, data) in program.template(data.template).edges().enumerate() {
            if let Ok(point) = data.after {
                let position = Position { thread, place: Place::After(edge) };
                places.entry(point).or_default().push(position);
            }
        }
    }
    places.into_values().collect()
}
