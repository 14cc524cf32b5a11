//! How far commands go beyond their limits: runs the `fencewright` beside it on programs, with several
//! limits, and prints the worst.
//!
//! ```text
//! cargo build --release -p fencewright
//! cargo run --release -p fencewright --example overshoot -- corpus [FOLDER]...
//! ```
//!
//! Memory is what limits are about: what a process has written at most, less what it has for a program that needs
//! nothing. The kernel tells the most that was resident (`VmHWM`), to which the program's own text belongs, as far
//! as it was executed (`RssFile`), and counts as little as in other processes. So this is measured on Linux only.

#![expect(clippy::print_stdout, reason = "a table for people")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nobody waits longer.
const LONGEST: Duration = Duration::from_mins(1);
/// Rows of each table.
const ROWS: usize = 12;
const COMMANDS: [&[&str]; 5] = [
    &["check", "--criterion", "all"],
    &["fence"],
    &["reach", "--model", "tso"],
    &["outcomes"],
    &["outcomes", "--model", "power"],
];
/// Seconds and mebibytes.
const LIMITS: [(f64, usize); 4] = [(0.5, 1024), (2.0, 1024), (5.0, 16), (5.0, 64)];

struct Ran {
    what: String,
    seconds: f64,
    over: Duration,
    mebibytes: usize,
    peak: usize,
    code: Option<i32>,
}

fn main() {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut files = Vec::new();
    for folder in &folders {
        list(folder, &mut files);
    }
    files.sort();
    let binary = std::env::current_exe().expect("our own name");
    let binary = binary.ancestors().nth(2).expect("the folder of a profile").join("fencewright");
    // It ends so soon that it is not always seen.
    let base = (0..50).map(|_| run(&binary, &["show", "-"], None).1).max().unwrap_or(0);
    let mut all = Vec::new();
    for file in &files {
        for command in COMMANDS {
            for (seconds, mebibytes) in LIMITS {
                let limits = [format!("--timeout={seconds}"), format!("--max-memory={mebibytes}M")];
                let limits = limits.each_ref().map(String::as_str);
                let arguments = [command, &limits[..]].concat();
                let (elapsed, peak, code) = run(&binary, &arguments, Some(file));
                all.push(Ran {
                    what: format!("{} {}", arguments.join(" "), file.display()),
                    seconds,
                    over: elapsed.saturating_sub(Duration::from_secs_f64(seconds)),
                    mebibytes,
                    peak: peak.saturating_sub(base) >> 20,
                    code,
                });
                // What ended by itself does not come near the other limits.
                let is_quick = elapsed < Duration::from_millis(200) && peak < base + (8 << 20);
                if code != Some(3) && is_quick {
                    break;
                }
            }
        }
    }
    let unusual = all.iter().filter(|ran| !matches!(ran.code, Some(0..=3)));
    println!("{} runs, {} MiB for nothing", all.len(), base >> 20);
    println!("ended otherwise than with 0 to 3: {}", unusual.clone().count());
    unusual.for_each(|ran| println!("  {:?}  {}", ran.code, ran.what));
    let too_long = all.iter().filter(|ran| ran.over.as_secs_f64() > ran.seconds / 10.0 + 1.0);
    println!("more than a tenth and a second too long: {}", too_long.count());
    let too_large = all.iter().filter(|ran| ran.peak > ran.mebibytes * 11 / 10 + 1);
    println!("more than a tenth and 1 MiB too large: {}", too_large.count());
    println!("\nseconds beyond the limit");
    all.sort_by_key(|ran| std::cmp::Reverse(ran.over));
    for ran in all.iter().take(ROWS) {
        println!("  {:6.3}  {:?}  {}", ran.over.as_secs_f64(), ran.code, ran.what);
    }
    println!("\nmebibytes beyond the limit");
    all.sort_by_key(|ran| std::cmp::Reverse(ran.peak.saturating_sub(ran.mebibytes)));
    for ran in all.iter().take(ROWS) {
        println!("  {:6}  {:?}  {}", ran.peak.saturating_sub(ran.mebibytes), ran.code, ran.what);
    }
}

/// The programs in a folder and below.
fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        entries.flatten().for_each(|entry| list(&entry.path(), files));
    } else if path.extension().is_some_and(|extension| {
        ["fw", "litmus", "c", "rs", "txt"].iter().any(|known| extension == *known)
    }) {
        files.push(path.to_owned());
    }
}

/// How long a command ran, the most bytes it had, and how it ended.
fn run(binary: &Path, arguments: &[&str], file: Option<&Path>) -> (Duration, usize, Option<i32>) {
    let begun = Instant::now();
    let mut child = Command::new(binary)
        .args(arguments)
        .args(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("fencewright is built");
    let mut peak = 0;
    loop {
        peak = peak_of(&child).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().expect("it can be asked") {
            return (begun.elapsed(), peak, status.code());
        }
        if begun.elapsed() > LONGEST {
            child.kill().expect("it can be ended");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The most bytes that a process has written so far.
fn peak_of(child: &Child) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let kibibytes = |word: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(word))?;
        line.split_ascii_whitespace().next()?.parse::<usize>().ok()
    };
    // Text is loaded and stays: there was no more of it when the most was resident.
    let written = kibibytes("VmHWM:")?.saturating_sub(kibibytes("RssFile:")?);
    Some(written.max(kibibytes("RssAnon:")?) << 10)
}
