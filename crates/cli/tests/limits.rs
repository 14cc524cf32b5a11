//! Limits hold for the whole command, whatever it does inside. Machines are busy, so the bounds here are
//! generous; the example `overshoot` measures.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// More than any command here may take on a busy machine, and less than it would take without limits.
const PATIENCE: Duration = Duration::from_secs(20);

/// A loop that only takes time, between a store and a load.
const DELAY: &str = "shared x, y
thread p { local r: u64, i: u64; x = 1; while i < 99999999999 { i = i + 1 }; r = y }
thread q { local r: u64, i: u64; y = 1; while i < 99999999999 { i = i + 1 }; r = x }
";
/// Many beginnings.
const CHOICES: &str = "shared x
thread p { local r; r = choose(0..=50000); x = r }
thread q { local r; r = choose(0..=50000); x = r }
";
/// Many ways by oneself.
const WAYS: &str = "shared x
thread p { local i: u32, s: u32; x = 1; while i < 5000 { i = i + 1; s = 0;
    while s < 5000 { s = s + choose(1..=2) } }; i = x }
thread q { local r; x = 2; r = x }
";
/// Counters whose contents nobody can foresee.
const COUNTERS: &str = "shared x: u32, y: u32
thread p { loop { x = x + 1; y = x } }
thread q { loop { x = x + 3; y = x } }
";
/// Many states, few in each thread.
const STATES: &str = "shared x, y, z
thread p[4] { local a, b, c, i; while i < 6 { i = i + 1; x = i; a = y; y = a + 1; b = z; z = b + 1; c = x } }
";
/// Many candidate executions.
const EXECUTIONS: &str = "shared x
thread p { local r, s, t; x = 1; r = x; x = 2; s = x; x = 3; t = x }
thread q { local r, s, t; x = 11; r = x; x = 12; s = x; x = 13; t = x }
thread s { local r, s, t; x = 21; r = x; x = 22; s = x; x = 23; t = x }
thread u { local r, s, t; x = 31; r = x; x = 32; s = x; x = 33; t = x }
";
/// More calls than can be inlined: only the translation takes time and memory.
const CALLS: &str = "static volatile int x;
#define TWICE(f, g) static void f(void) { g(); g(); }
static void a(void) { x = x + 1; }
TWICE(b, a) TWICE(c, b) TWICE(d, c) TWICE(e, d) TWICE(f, e) TWICE(g, f) TWICE(h, g) TWICE(i, h) TWICE(j, i)
TWICE(k, j) TWICE(l, k) TWICE(m, l) TWICE(n, m) TWICE(o, n) TWICE(p, o) TWICE(q, p) TWICE(r, q) TWICE(s, r)
int main(void) { s(); }
";
const STORE_BUFFERING: &str = "shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; r = x }
";

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits");
    std::fs::create_dir_all(&folder).expect("a folder");
    // Written whole, for tests run side by side.
    let (path, draft) = (folder.join(name), draft_in(&folder, name));
    std::fs::write(&draft, text).expect("a file");
    std::fs::rename(&draft, &path).expect("the same folder");
    path
}

fn draft_in(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{:?}", std::thread::current().id()))
}

struct Ran {
    code: Option<i32>,
    said: String,
    elapsed: Duration,
    /// The most memory it had, where that can be told.
    peak: Option<usize>,
}

fn fencewright(arguments: &[&str], files: &[&Path]) -> Ran {
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .current_dir(ROOT)
        .args(arguments)
        .args(files)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("fencewright can be started");
    let mut peak = None;
    let code = loop {
        peak = peak_of(&child).max(peak);
        if let Some(status) = child.try_wait().expect("it can be asked") {
            break status.code();
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("it can be ended");
            panic!("{arguments:?} {files:?} has not ended after {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut said = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut said).expect("text");
    Ran { code, said, elapsed: begun.elapsed(), peak }
}

/// The most bytes that a process has written so far: the text of the program does not count.
fn peak_of(child: &Child) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let kibibytes = |word: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(word))?;
        line.split_ascii_whitespace().next()?.parse::<usize>().ok()
    };
    let written = kibibytes("VmHWM:")?.saturating_sub(kibibytes("RssFile:")?);
    Some(written.max(kibibytes("RssAnon:")?) << 10)
}

fn undecided(arguments: &[&str], files: &[&Path], reason: &str) -> Ran {
    let ran = fencewright(arguments, files);
    assert_eq!(ran.code, Some(3), "{arguments:?} {files:?}: {}", ran.said);
    assert!(ran.said.contains(reason), "{arguments:?} {files:?}: {}", ran.said);
    ran
}

#[test]
fn time_is_up_whatever_is_done() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&["check"], "delay.fw", DELAY),
        (&["check", "--criterion", "all", "--format", "json"], "delay.fw", DELAY),
        (&["reach"], "choices.fw", CHOICES),
        (&["reach"], "ways.fw", WAYS),
        (&["fence"], "counters.fw", COUNTERS),
        (&["outcomes"], "states.fw", STATES),
        (&["outcomes", "--model", "power"], "executions.fw", EXECUTIONS),
    ];
    for (arguments, name, text) in cases {
        let arguments = [*arguments, &["--timeout", "0.5"]].concat();
        let ran = undecided(&arguments, &[&file(name, text)], "the time limit was reached");
        assert!(ran.elapsed >= Duration::from_millis(450), "{arguments:?}: {:?}", ran.elapsed);
    }
    undecided(&["check", "--timeout", "0.5"], &[&file("calls.c", CALLS)], "time limit");
    // This is ended while control flow is looked at, which nobody interrupts.
    let many = Path::new("corpus/mutex/bakery.fw");
    undecided(&["check", "--set", "N=1000", "--timeout", "0.5"], &[many], "time limit");
}

#[test]
fn memory_is_kept() {
    // It ends so soon that one look may come before it has what it needs.
    let base = |small: &Path| {
        let peaks =
            (0..20).filter_map(|_| fencewright(&["check", "--timeout", "60"], &[small]).peak);
        peaks.max()
    };
    let of_models = base(&file("sb.fw", STORE_BUFFERING));
    // What library functions do is known of every program in C.
    let of_source = base(&file("empty.c", "int main(void) {}"));
    let cases: &[(&[&str], &str, &str, usize)] = &[
        (&["reach"], "choices.fw", CHOICES, 16),
        (&["reach"], "choices.fw", CHOICES, 40),
        (&["outcomes", "--model", "sc"], "states.fw", STATES, 16),
        (&["outcomes", "--model", "sc"], "states.fw", STATES, 40),
        (&["outcomes", "--model", "aarch64"], "executions.fw", EXECUTIONS, 40),
        (&["check", "--criterion", "states", "--format", "json"], "states.fw", STATES, 40),
        (&["check"], "calls.c", CALLS, 40),
    ];
    for (arguments, name, text, megabytes) in cases {
        let limit = format!("{megabytes}M");
        let arguments = [*arguments, &["--max-memory", &limit, "--timeout", "15"]].concat();
        let ran = undecided(&arguments, &[&file(name, text)], " limit was reached");
        let base = if Path::new(name).extension().is_some_and(|end| end == "c") {
            of_source
        } else {
            of_models
        };
        if let Some((peak, base)) = ran.peak.zip(base) {
            let most = (megabytes << 20) * 11 / 10 + base + (2 << 20);
            assert!(peak <= most, "{arguments:?}: {peak} bytes, {most} would be fine");
        }
    }
}

#[test]
fn several_inputs_share_one_limit() {
    let (delay, sb) = (file("delay.fw", DELAY), file("sb.fw", STORE_BUFFERING));
    let arguments = ["check", "--format", "json", "--timeout", "0.5"];
    let ran = undecided(&arguments, &[&delay, &delay, &delay], "the time limit was reached");
    assert_eq!(ran.said.lines().count(), 3, "{}", ran.said);
    for line in ran.said.lines() {
        let document: serde_json::Value = serde_json::from_str(line).expect("a document");
        assert_eq!(document["schema"], "fencewright.check/2");
        assert_eq!(document["results"][0]["verdict"], "undecided");
    }
    let ran = fencewright(&arguments, &[&sb, &delay]);
    assert_eq!((ran.code, ran.said.lines().count()), (Some(1), 2), "{}", ran.said);
}

#[cfg(target_os = "linux")]
#[test]
fn compilers_are_ended_and_leave_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    let slow = file("slow-clang", "#!/bin/sh\nsleep 100\n");
    std::fs::set_permissions(&slow, std::fs::Permissions::from_mode(0o755)).expect("our file");
    let source = file("empty.c", "int main(void) { return 0; }\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits-temporary");
    std::fs::create_dir_all(&folder).expect("a folder");
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["check", "--no-cache", "--timeout", "0.5", "--clang"])
        .args([&slow, &source])
        .env("TMPDIR", &folder)
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the time limit was reached"), "{said}");
    assert!(begun.elapsed() < PATIENCE);
    let left: Vec<_> = std::fs::read_dir(&folder).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Where addresses are limited, the end is an answer too.
#[cfg(target_os = "linux")]
#[test]
fn few_addresses_are_a_limit_on_memory() {
    for (model, kilobytes) in [("tso", 150_000), ("sc", 150_000), ("tso", 400_000)] {
        let command = format!(
            "ulimit -v {kilobytes}; exec {} outcomes {} --model {model} --timeout 10",
            env!("CARGO_BIN_EXE_fencewright"),
            file("states.fw", STATES).display()
        );
        let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(" limit was reached"), "{said}");
    }
}

#[test]
fn options_that_make_no_difference_are_refused() {
    let sb = file("sb.fw", STORE_BUFFERING);
    for model in ["sc", "pso", "power", "armv7", "aarch64", "riscv"] {
        // Final states under SC are explored, those of weaker models are enumerated.
        let expected = if model == "sc" { 0 } else { 2 };
        for option in [["--threads", "2"], ["--reductions", "none"]] {
            let arguments = [&["outcomes", "--model", model], &option[..]].concat();
            assert_eq!(fencewright(&arguments, &[&sb]).code, Some(expected), "{arguments:?}");
        }
        let ran = fencewright(&["outcomes", "--model", model, "--max-states", "1"], &[&sb]);
        assert_eq!(ran.code, Some(3), "{model}: {}", ran.said);
    }
}

/// What is large needs no limit to come to an end soon.
#[test]
fn large_texts_are_read_and_huge_ones_are_not_written() {
    let names: Vec<String> = (0..50_000).map(|number| format!("r{number}")).collect();
    let many = format!("shared x\nthread p {{ local {}; x = 1 }}\n", names.join(", "));
    assert_eq!(fencewright(&["check"], &[&file("many-locals.fw", &many)]).code, Some(0));
    for initial in ["", " = 7"] {
        let huge = format!("shared a[1000000000]{initial}\nthread p {{ local r; r = a[7] }}\n");
        let huge = file("huge.fw", &huge);
        let ran = fencewright(&["convert", "--to", "litmus"], &[&huge]);
        assert_eq!((ran.code, ran.said.as_str()), (Some(2), ""));
    }
}
