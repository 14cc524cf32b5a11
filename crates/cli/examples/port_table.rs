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

#![expect(clippy::print_stdout, reason = "a table for people")]

use std::path::{Path, PathBuf};
use std::process::Command;

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
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        println!("the folder with `suite.toml`, please");
        return;
    };
    let text = std::fs::read_to_string(folder.join("suite.toml")).expect("a manifest");
    let suite: Suite = toml::from_str(&text).expect("a manifest");
    println!(
        "| program | machine | port | port, confirmed | delays: static, confirmed, refuted | executions that prove it | fences only | `seq_cst` everywhere |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for program in &suite.program {
        for machine in MACHINES {
            let ask = |more: &[&str]| port(&folder, program, machine, more);
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

/// The answer of `port`.
fn port(folder: &Path, program: &Ported, machine: &str, more: &[&str]) -> Value {
    let binary = std::env::current_exe().expect("our own name");
    let binary = binary.ancestors().nth(2).expect("the folder of a profile").join("fencewright");
    let output = Command::new(binary)
        .args(["port", "--format", "json", "--to", machine])
        .arg(folder.join(&program.file))
        .args(program.threads.iter().flat_map(|thread| ["--thread", thread]))
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
