//! Runs every program of some folders, or random ones, on this machine and prints what was seen: how many
//! final states, how many of them SC does not have, and what is impossible. Ends with an error if
//! anything is.
//!
//! `cargo run --release -p fencewright-confirm --example confirm_table -- RUNS FOLDER…`
//! `cargo run --release -p fencewright-confirm --example confirm_table -- RUNS --random SEED COUNT`

#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use analysis::{Limits, Options};
use confirm::{Ending, How, Judgement, Possible, generate, judge, run};
use frontend::{Language, Settings};
use oracle::generate::random::{Shape, random_programs};
use program::{Program, Sources};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(100_000);
    let rest: Vec<String> = arguments.collect();
    let mut total = Total::default();
    if let [option, seed, count] = rest.as_slice()
        && option == "--random"
    {
        let [seed, count] = [seed, count].map(|number| number.parse().unwrap_or(1));
        let shape = Shape { sections: false, exclusives: false, ..Shape::default() };
        let count = usize::try_from(count).unwrap_or(1);
        for (number, program) in random_programs(seed, shape).take(count).enumerate() {
            total.add(&format!("random {number}"), tried(&program, runs));
        }
    } else {
        let mut files = Vec::new();
        for folder in &rest {
            find(Path::new(folder), &mut files);
        }
        files.sort();
        for file in &files {
            let result = read(file).and_then(|program| tried(&program, runs));
            total.add(&file.display().to_string(), result);
        }
    }
    println!("{total:?}");
    ExitCode::from(u8::from(total.impossible > 0))
}

fn find(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(folder) = std::fs::read_dir(path) {
        folder.flatten().for_each(|entry| find(&entry.path(), files));
    } else if path.extension().is_some_and(|end| end == "litmus" || end == "fw") {
        files.push(path.to_owned());
    }
}

#[derive(Debug, Default)]
struct Total {
    programs: usize,
    refused: usize,
    undecided: usize,
    runs: u64,
    final_states: usize,
    not_under_sc: usize,
    runs_not_under_sc: u64,
    stuck: u64,
    impossible: usize,
}

impl Total {
    fn add(&mut self, name: &str, tried: Result<(u64, Judgement), String>) {
        let (runs, judgement) = match tried {
            Ok(done) => done,
            Err(why) => {
                self.refused += 1;
                println!("{name}: {why}");
                return;
            }
        };
        self.programs += 1;
        self.runs += runs;
        self.undecided += usize::from(judgement.possible.is_none());
        let (mut weak, mut often) = (0, 0);
        for (ending, count, judged) in &judgement.endings {
            match ending {
                Ending::Final(_) => self.final_states += 1,
                Ending::Stuck | Ending::Limit => self.stuck += count,
                Ending::Fault { .. } => {}
            }
            if judged.under_sc == Some(false) {
                weak += 1;
                often += count;
            }
            if matches!(judged.possible, Possible::NotExplored | Possible::NotRobust) {
                self.impossible += 1;
                println!("IMPOSSIBLE {name}: {count} {ending:?} {judged:?}");
            }
        }
        self.not_under_sc += weak;
        self.runs_not_under_sc += often;
        let all = judgement.weak.map_or_else(|| "?".to_owned(), |weak| weak.to_string());
        println!("{name}: {weak} of {all} weak states seen, {often} of {runs} runs");
    }
}

fn read(file: &Path) -> Result<Program, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut sources = Sources::new();
    let name = file.display().to_string();
    let source = sources.add(name.as_str(), text);
    let language = Language::detect(&name, sources.text(source)).ok_or("unknown language")?;
    let first = |errors: Vec<program::Diagnostic>| {
        errors.into_iter().next().map_or_else(String::new, |error| error.message)
    };
    frontend::load(&sources, source, language, &Settings::default()).map_err(first)
}

fn tried(program: &Program, runs: u64) -> Result<(u64, Judgement), String> {
    let test = generate(program).map_err(|why| why[0].label.clone())?;
    let how =
        How { runs, time: Duration::from_secs(10), processors: None, seed: 1, compiler: None };
    let seen = run(program, &test, &how).map_err(|failure| failure.to_string())?;
    let limits =
        Limits { deadline: Some(Instant::now() + Duration::from_secs(20)), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let judgement = judge(program, &seen, &options, |_| ControlFlow::Continue(()))
        .map_err(|parameterised| parameterised.to_string())?;
    Ok((seen.runs, judgement))
}
