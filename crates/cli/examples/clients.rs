//! The table of clients: what `check` says of small programs that use widely used crates and libraries, analysed
//! together with them, and whether that is what the manifest argues. Crates come from the registry, and C headers
//! from packages of the system (`libck-dev`, `liburcu-dev`), so it is no test.
//!
//! ```text
//! cargo build -p fencewright
//! cargo run -p fencewright --example clients -- [PART OF A NAME]...
//! ```
//!
//! It ends with 1 if an answer contradicts the manifest; *undecided* and refusals are listed, and no contradiction.

#![expect(clippy::print_stdout, reason = "a table for people")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde::Deserialize;

/// What one client may take.
const LIMITS: [&str; 4] = ["--timeout", "60", "--max-memory", "4G"];

#[derive(Deserialize)]
struct Suite {
    client: Vec<Client>,
}

#[derive(Deserialize)]
struct Client {
    name: String,
    /// The feature of the package that the binary of this name needs.
    feature: Option<String>,
    /// Or a file in C, and flags for its compiler.
    file: Option<String>,
    #[serde(default)]
    flags: Vec<String>,
    /// What the answer rests on.
    #[serde(default)]
    assume: Vec<String>,
    /// What is asked, and the answer.
    expected: BTreeMap<String, String>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/clients")
}

impl Client {
    fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        command.args(["check", "--no-config", "--format", "json"]).args(LIMITS);
        command.args(self.assume.iter().flat_map(|one| ["--assume", one]));
        match (&self.feature, &self.file) {
            (Some(feature), _) => {
                command.current_dir(corpus().join("crates"));
                command.args([".", "--bin", &self.name, "--features", feature]);
            }
            (None, Some(file)) => {
                command.current_dir(corpus().join("c")).arg(file);
                if !self.flags.is_empty() {
                    command.arg("--").args(&self.flags);
                }
            }
            (None, None) => panic!("{}: neither a feature nor a file", self.name),
        }
        command
    }
}

/// What an answer says: verdicts by what was asked, and all states that were explored.
fn verdicts(answer: &serde_json::Value) -> (BTreeMap<String, String>, u64) {
    let mut found = BTreeMap::new();
    let mut states = 0;
    for (list, name) in [("results", "criterion"), ("triage", "matter")] {
        for one in answer[list].as_array().into_iter().flatten() {
            let asked = one[name].as_str().unwrap_or_default().to_owned();
            let verdict = one["verdict"].as_str().unwrap_or_default().to_owned();
            states += one["statistics"]["states"].as_u64().unwrap_or(0);
            found.insert(asked, verdict);
        }
    }
    (found, states)
}

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(corpus().join("suite.toml")).expect("a manifest");
    let suite: Suite = toml::from_str(&text).expect("a manifest");
    let binary = std::env::current_exe().expect("our own name");
    let binary = binary.ancestors().nth(2).expect("the folder of a profile").join("fencewright");
    let is_wanted = |client: &&Client| {
        wanted.is_empty() || wanted.iter().any(|part| client.name.contains(part.as_str()))
    };
    let (mut answered, mut all, mut contradictions) = (0, 0, 0);
    println!("| client | answer | states | seconds |\n|---|---|---:|---:|");
    for client in suite.client.iter().filter(is_wanted) {
        all += 1;
        let begin = Instant::now();
        let output = client.command(&binary).output().expect("build fencewright first");
        let seconds = begin.elapsed().as_secs_f64();
        let answer = serde_json::from_slice(&output.stdout).unwrap_or(serde_json::Value::Null);
        let (found, states) = verdicts(&answer);
        let is = |asked: &str, verdict: &str| found.get(asked).is_some_and(|one| one == verdict);
        let wrong: Vec<&str> = client
            .expected
            .iter()
            .filter(|(asked, verdict)| !is(asked, verdict) && !is(asked, "undecided"))
            .filter(|(asked, _)| found.contains_key(*asked))
            .map(|(asked, _)| asked.as_str())
            .collect();
        let open: Vec<&str> = client
            .expected
            .keys()
            .filter(|asked| found.get(*asked).is_none_or(|verdict| verdict == "undecided"))
            .map(String::as_str)
            .collect();
        let said = if !wrong.is_empty() {
            contradictions += 1;
            format!("CONTRADICTS the manifest: {}", wrong.join(", "))
        } else if found.is_empty() {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let error = error.lines().find(|line| line.starts_with("error")).unwrap_or("error");
            format!("refused: {}", error.trim_start_matches("error: "))
        } else if !open.is_empty() {
            format!("undecided: {}", open.join(", "))
        } else {
            answered += 1;
            let robust = if is("robustness", "holds") { "robust" } else { "not robust" };
            let harm: Vec<&str> = ["races", "errors", "final_states"]
                .into_iter()
                .filter(|asked| is(asked, "violated"))
                .collect();
            if harm.is_empty() { format!("no harm, {robust}") } else { harm.join(", ") }
        };
        println!("| {} | {said} | {states} | {seconds:.1} |", client.name);
    }
    println!("\n{answered} of {all} answered as the manifest says, {contradictions} otherwise");
    if contradictions > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
