//! Fencewright beside Memorax, Dual-TSO and Nidhugg on the same files, each as its users start it.
//!
//! For every `.rmm` file: whether a forbidden state can be reached under TSO, and how many stores have to be
//! locked or fences put in so that none can. For every `.c` file: whether an assertion can fail under TSO. Files are given
//! by whoever has them; none of the peers' are kept here. Peers are found on the `PATH`; one that is not there is said to be
//! missing. Figures are processor seconds of the whole command, with everything that it starts, to a hundredth. The
//! benchmark stops if two answers contradict each other.
//!
//! Memorax is asked to take registers into its automata first (`--rff`): without that its backward searches can overlook
//! states that are reached, and its sets can be too small (docs/bench/2026-11-18-peers.md).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{read_dir, read_to_string};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The unit of `/proc`.
const TICK: Duration = Duration::from_millis(10);

/// What a command said, and what it took.
struct Answer {
    text: String,
    time: Duration,
}

/// How one tool is asked one question.
struct Asked {
    tool: &'static str,
    column: &'static str,
    arguments: &'static [&'static str],
    read: fn(&str) -> Option<String>,
}

const ABOUT_RMM: [Asked; 6] = [
    Asked {
        tool: "fencewright",
        column: "Fencewright `reach`",
        arguments: &["reach", "--model", "tso", "--no-deadlocks"],
        read: verdict,
    },
    Asked {
        tool: "memorax",
        column: "Memorax `-a sb`",
        arguments: &["-a", "sb", "--rff", "reach"],
        read: reachable,
    },
    Asked {
        tool: "memorax",
        column: "Dual-TSO `-a dual`",
        arguments: &["-a", "dual", "--rff", "reach"],
        read: reachable,
    },
    Asked {
        tool: "memorax",
        column: "`-a pdual`, any number",
        arguments: &["-a", "pdual", "reach"],
        read: reachable,
    },
    Asked {
        tool: "fencewright",
        column: "Fencewright fences",
        arguments: &["fence", "--criterion", "safety", "--per-instance"],
        read: cost,
    },
    Asked {
        tool: "memorax",
        column: "Memorax locked writes",
        arguments: &["-a", "sb", "--rff", "--fmin", "cost", "--max-solutions", "1", "fencins"],
        read: smallest_set,
    },
];

const ABOUT_C: [Asked; 2] = [
    Asked {
        tool: "fencewright",
        column: "Fencewright `reach`",
        arguments: &["reach", "--model", "tso", "--faults"],
        read: verdict,
    },
    Asked { tool: "nidhuggc", column: "Nidhugg `--tso`", arguments: &["--tso"], read: assertion },
];

/// The tables for all files in a folder.
pub(crate) fn text(folder: &Path, limit: Duration) -> Result<String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut text = String::new();
    for (extension, asked) in [("rmm", &ABOUT_RMM[..]), ("c", &ABOUT_C[..])] {
        let of_kind: Vec<&PathBuf> = files
            .iter()
            .filter(|file| file.extension().is_some_and(|it| it == extension))
            .collect();
        if !of_kind.is_empty() {
            let _ = writeln!(text, "{}", table(folder, &of_kind, asked, limit)?);
        }
    }
    Ok(text)
}

/// Adds all files below a folder.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn table(folder: &Path, files: &[&PathBuf], asked: &[Asked], limit: Duration) -> Result<String> {
    let mut text = String::from("| program |");
    for one in asked {
        let _ = write!(text, " {} | CPU s |", one.column);
    }
    let _ = writeln!(text, "\n|---{}|", "|---|---".repeat(asked.len()));
    for file in files {
        let shown = file.strip_prefix(folder).unwrap_or(file).with_extension("");
        let _ = write!(text, "| {} |", shown.display());
        let mut verdicts: BTreeMap<&str, &str> = BTreeMap::new();
        for one in asked {
            let answer = ask(one, file, limit)?;
            let (said, time) = match &answer {
                None => ("missing".to_owned(), "–".to_owned()),
                Some(answer) => {
                    let said = (one.read)(&answer.text)
                        .unwrap_or_else(|| without_answer(answer, limit).to_owned());
                    (said, format!("{:.2}", answer.time.as_secs_f64()))
                }
            };
            let _ = write!(text, " {said} | {time} |");
            for known in ["holds", "violated"] {
                // Any number of processes is another question.
                if said == known && !one.column.contains("any number") {
                    verdicts.insert(known, one.column);
                }
            }
        }
        text.push('\n');
        if let [(_, one), (_, other)] = verdicts.iter().collect::<Vec<_>>()[..] {
            let message = format!("{}: {one} and {other} contradict each other", shown.display());
            return Err(Error::other(message));
        }
    }
    Ok(text)
}

/// Runs a tool, if it is there.
fn ask(asked: &Asked, file: &Path, limit: Duration) -> Result<Option<Answer>> {
    let before = time_of_children();
    let limited = format!("ulimit -t {}; exec \"$@\"", limit.as_secs().max(1));
    let output = Command::new("sh")
        .args(["-c", &limited, "sh", asked.tool])
        .args(asked.arguments)
        .arg(file)
        .stdin(Stdio::null())
        .output()?;
    // What the shell says of a command that is not there.
    if output.status.code() == Some(127) {
        return Ok(None);
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Some(Answer { text, time: time_of_children().saturating_sub(before) }))
}

/// Why a tool gave no answer, as far as that can be told.
fn without_answer(answer: &Answer, limit: Duration) -> &'static str {
    // The limit ends a command a little before or after it.
    let is_late = answer.time + limit / 10 >= limit;
    let is_refused = answer.text.to_lowercase().contains("error");
    match (is_late, is_refused) {
        (true, _) => "over time",
        (false, true) => "refused",
        (false, false) => "no answer",
    }
}

/// The processor time of all that this process has started and that has ended.
fn time_of_children() -> Duration {
    let text = read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(13).take(2).filter_map(|it| it.parse::<u32>().ok());
    TICK * ticks.sum::<u32>()
}

fn verdict(text: &str) -> Option<String> {
    let line = text.lines().next()?;
    let said = ["holds", "violated", "undecided"]
        .into_iter()
        .find(|word| line.split([' ', ':']).any(|part| part == *word));
    said.map(str::to_owned)
}

fn reachable(text: &str) -> Option<String> {
    let said = text.lines().find_map(|line| line.trim().strip_prefix("Reachable:"))?.trim();
    Some(if said == "Yes" { "violated" } else { "holds" }.to_owned())
}

fn assertion(text: &str) -> Option<String> {
    let is_wrong = text.contains("Assertion violation") || text.contains("Error detected");
    let is_right = text.contains("No errors were detected");
    (is_wrong || is_right).then(|| if is_wrong { "violated" } else { "holds" }.to_owned())
}

/// The number of fences that Fencewright puts in.
fn cost(text: &str) -> Option<String> {
    let line = text.lines().next()?;
    if let Some((_, rest)) = line.split_once(", cost ") {
        return Some(rest.chars().take_while(char::is_ascii_digit).collect());
    }
    line.contains("holds").then(|| "0".to_owned())
}

/// The size of the first set that Memorax finds; a choice in it counts once.
fn smallest_set(text: &str) -> Option<String> {
    if let Some((_, rest)) = text.split_once("#0: {") {
        let set = rest.split('}').next()?.trim();
        let size = if set.is_empty() { 0 } else { set.split(',').count() };
        return Some(size.to_string());
    }
    text.contains("Found 0 synchronization sets").then(|| "none".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(verdict("x.rmm: holds under TSO: no error").as_deref(), Some("holds"));
        assert_eq!(verdict("error: expected `{`"), None);
        let text = "Reachability analysis results:\n  Reachable:             Yes\n";
        assert_eq!(reachable(text).as_deref(), Some("violated"));
        let text = "x: safety repaired under TSO: 2 changes, cost 2 (nothing cheaper works)\n";
        assert_eq!(cost(text).as_deref(), Some("2"));
        assert_eq!(smallest_set("#0: {A, (B|C)}\n#1: {D}").as_deref(), Some("2"));
        assert_eq!(smallest_set("#0: {}").as_deref(), Some("0"));
        let limit = Duration::from_secs(10);
        let answer = |text: &str, seconds: u64| Answer {
            text: text.to_owned(),
            time: Duration::from_secs(seconds),
        };
        assert_eq!(without_answer(&answer("Error: Bad token", 1), limit), "refused");
        assert_eq!(without_answer(&answer("", 10), limit), "over time");
        assert_eq!(without_answer(&answer("", 1), limit), "no answer");
    }
}
