//! `cargo run --release --example agreed -- FOLDER [SECONDS]` asks about all nets of a folder and compares with the
//! answers in its `expected.tsv`: lines of a suite (a folder), a name, `safe`, `unsafe` or something else if there
//! is no agreed answer, separated by tabs. A net is a `.spec`, a `.tts` with its `.prop`, or both.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a table for people")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use coverability::{Answer, Direction, Net, Statistics, cover, spec, tts};
use explore::Limits;

/// What became of the nets of a suite.
#[derive(Default)]
struct Tally {
    nets: usize,
    agreed: usize,
    /// Answers where there is no agreed one.
    new: usize,
    undecided: usize,
    contradicted: usize,
    time: Duration,
    longest: (Duration, String),
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("a folder with `expected.tsv` is wanted");
        return ExitCode::from(2);
    };
    let seconds = arguments.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(30);
    let folder = Path::new(&folder);
    let expected = match std::fs::read_to_string(folder.join("expected.tsv")) {
        Ok(expected) => expected,
        Err(error) => {
            eprintln!("expected.tsv: {error}");
            return ExitCode::from(2);
        }
    };
    let mut suites: BTreeMap<String, Tally> = BTreeMap::new();
    for line in expected.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(suite), Some(name), Some(answer)) =
            (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        for kind in ["spec", "tts"] {
            let path = folder.join(suite).join(format!("{name}.{kind}"));
            if path.exists() {
                let tally = suites.entry(format!("{suite}, .{kind}")).or_default();
                one(&path, answer, Duration::from_secs(seconds), tally);
            }
        }
    }
    println!(
        "\n| suite | nets | as agreed | without an agreed answer | undecided | contradicted | seconds | longest |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (suite, tally) in &suites {
        let Tally { nets, agreed, new, undecided, contradicted, time, longest } = tally;
        let (time, most) = (time.as_secs_f64(), longest.0.as_secs_f64());
        println!(
            "| {suite} | {nets} | {agreed} | {new} | {undecided} | {contradicted} | {time:.2} | {most:.3}, {} |",
            longest.1
        );
    }
    let is_fine = suites.values().all(|tally| tally.contradicted == 0 && tally.undecided == 0);
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(path: &Path, expected: &str, time: Duration, tally: &mut Tally) {
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into());
    tally.nets += 1;
    let net = match read(path) {
        Ok(net) => net,
        Err(error) => {
            println!("{}: {error}", path.display());
            tally.undecided += 1;
            return;
        }
    };
    let started = Instant::now();
    let limits = Limits { deadline: Some(started + time), ..Limits::default() };
    let (answer, did) = cover(&net, Direction::Both, &limits, &mut |_| ControlFlow::Continue(()));
    let elapsed = started.elapsed();
    tally.time += elapsed;
    if elapsed > tally.longest.0 {
        tally.longest = (elapsed, name.clone());
    }
    let said = match &answer {
        Answer::NotCoverable => "safe",
        Answer::Coverable(_) => "unsafe",
        Answer::Stopped(_) => "undecided",
    };
    match (said, expected) {
        ("undecided", _) => tally.undecided += 1,
        (said, expected) if said == expected => tally.agreed += 1,
        (_, "safe" | "unsafe") => tally.contradicted += 1,
        (_, _) => tally.new += 1,
    }
    let Statistics { tested, minimal, .. } = did;
    println!(
        "{name}\t{}\t{}\t{}\t{said}\t{expected}\t{tested}\t{minimal}\t{:.3}",
        path.extension().unwrap_or_default().to_string_lossy(),
        net.places.len(),
        net.transitions.len(),
        elapsed.as_secs_f64()
    );
}

fn read(path: &Path) -> Result<Net, String> {
    let text = |path: &Path| std::fs::read_to_string(path).map_err(|error| error.to_string());
    let wrong = |error: coverability::ReadError| format!("{error:?}");
    if path.extension().is_some_and(|kind| kind == "spec") {
        return spec::read(&text(path)?).map_err(wrong);
    }
    let mut net = tts::read(&text(path)?).map_err(wrong)?;
    let target = tts::read_property(&text(&path.with_extension("prop"))?, &net).map_err(wrong)?;
    net.targets = vec![target];
    Ok(net)
}
