//! What ports of `corpus/port` change, beside other ways to the same end: runs the `fencewright` beside it and prints a
//! table.
//!
//! ```text
//! cargo build --release -p fencewright
//! cargo run --release -p fencewright --example port_table -- corpus/port
//! ```
//!
//! For each program and machine: the port, the port that executions of the closed program need and prove (`--confirm`),
//! fences alone, and every shared access made `seq_cst`. Orders and fences are counted, and their cost by the table of
//! docs/port.md is in brackets.
//!
//! ```text
//! cargo run --release -p fencewright --example port_table -- --recordings FOLDER[:PROGRAM]…
//! ```
//!
//! prints for recorded builds of packages what a port would touch, and how long it takes to say so.

#![expect(clippy::print_stdout, reason = "a table for people")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Suite {
    program: Vec<Ported>,
}

#[derive(Deserialize)]
struct Ported {
    file: String,
    #[serde(default)]
    threads: Vec<String>,
}

const MACHINES: [&str; 3] = ["aarch64", "power", "riscv"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [first, recordings @ ..] if first == "--recordings" => packages(recordings),
        [folder] => corpus(Path::new(folder)),
        _ => {
            println!("the folder with `suite.toml`, or `--recordings` and recorded builds, please");
        }
    }
}

/// What ports of recorded builds touch.
fn packages(recordings: &[String]) {
    println!(
        "| program | machine | verdict | lines | events | delays | orders | fences | left | cost | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for recording in recordings {
        let (folder, program) = match recording.split_once(':') {
            Some((folder, program)) => (folder, Some(program)),
            None => (recording.as_str(), None),
        };
        for machine in MACHINES {
            let chosen = program.into_iter().flat_map(|program| ["--program", program]);
            let more: Vec<&str> = chosen.collect();
            let start = Instant::now();
            let answer = ask(machine, Path::new(folder), &more);
            let seconds = start.elapsed().as_secs_f64();
            let count = |what: &str| answer["repair"][what].as_array().map_or(0, Vec::len);
            println!(
                "| {} | {machine} | {} | {} | {} | {} | {} | {} | {} | {} | {seconds:.1} |",
                program.unwrap_or(folder),
                answer["verdict"].as_str().unwrap_or("no answer"),
                answer["lines"],
                answer["events"],
                answer["delays"],
                count("orders"),
                count("fences"),
                count("left"),
                answer["repair"]["cost"],
            );
        }
    }
}

/// What ports of a corpus change.
fn corpus(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("suite.toml")).expect("a manifest");
    let suite: Suite = toml::from_str(&text).expect("a manifest");
    println!(
        "| program | machine | port | port, confirmed | delays: static, confirmed, refuted | proven | fences only | `seq_cst` everywhere |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for program in &suite.program {
        for machine in MACHINES {
            let ask = |more: &[&str]| port(folder, program, machine, more);
            let (plain, confirmed) = (ask(&[]), ask(&["--confirm"]));
            let fences = ask(&["--fences-only"]);
            let everywhere = &plain["seq_cst_everywhere"];
            println!(
                "| {} | {machine} | {} | {} | {} | {} | {} | {} ({}) |",
                program.file,
                changed(&plain),
                changed(&confirmed),
                judged(&confirmed["enumerated"]),
                confirmed["proven"].as_u64().map_or_else(|| "–".to_owned(), |it| it.to_string()),
                changed(&fences),
                everywhere["accesses"],
                everywhere["cost"],
            );
        }
    }
}

/// The answer of `port` about a program of a corpus.
fn port(folder: &Path, program: &Ported, machine: &str, more: &[&str]) -> Value {
    let threads = program.threads.iter().flat_map(|thread| ["--thread", thread]);
    let more: Vec<&str> = threads.chain(more.iter().copied()).collect();
    ask(machine, &folder.join(&program.file), &more)
}

/// The answer of `port`.
fn ask(machine: &str, program: &Path, more: &[&str]) -> Value {
    let binary = std::env::current_exe().expect("our own name");
    let binary = binary.ancestors().nth(2).expect("the folder of a profile").join("fencewright");
    let output = Command::new(binary)
        .args(["port", "--format", "json", "--to", machine])
        .arg(program)
        .args(more)
        .output()
        .expect("fencewright can be started");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// How many orders and fences, and what they cost.
fn changed(answer: &Value) -> String {
    let repair = &answer["repair"];
    let count = |what: &str| repair[what].as_array().map_or(0, Vec::len);
    let left = match count("left") {
        0 => String::new(),
        left => format!(", {left} left"),
    };
    match (answer["verdict"].as_str(), count("orders"), count("fences")) {
        (Some("holds"), _, _) => "nothing".to_owned(),
        (Some(_), 0, fences) => format!("{fences} f{left} ({})", repair["cost"]),
        (Some(_), orders, 0) => format!("{orders} o{left} ({})", repair["cost"]),
        (Some(_), orders, fences) => format!("{orders} o, {fences} f{left} ({})", repair["cost"]),
        (None, _, _) => "no answer".to_owned(),
    }
}

fn judged(enumerated: &Value) -> String {
    match enumerated["static"].as_u64() {
        None => "–".to_owned(),
        Some(delays) => {
            format!("{delays}, {}, {}", enumerated["confirmed"], enumerated["refuted"])
        }
    }
}
