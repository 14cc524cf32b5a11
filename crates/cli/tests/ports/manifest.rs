//! `corpus/port`: how much is changed is what the manifest says, the ported text needs no further change, and compilers
//! take it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    program: Vec<Ported>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ported {
    file: String,
    #[serde(default)]
    threads: Vec<String>,
    aarch64: Changed,
    power: Changed,
    riscv: Changed,
    /// What is changed with `--confirm`, if not the same.
    confirmed: Option<Machines>,
    /// Whether critical cycles alone repair it in part only, so that executions are asked anyway.
    #[serde(default)]
    by_executions: bool,
    known: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machines {
    aarch64: Changed,
    power: Changed,
    riscv: Changed,
}

impl Machines {
    const fn all(self) -> [(&'static str, Changed); 3] {
        [("aarch64", self.aarch64), ("power", self.power), ("riscv", self.riscv)]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changed {
    orders: usize,
    fences: usize,
}

impl Ported {
    const fn machines(&self) -> Machines {
        Machines { aarch64: self.aarch64, power: self.power, riscv: self.riscv }
    }
}

fn suite() -> Suite {
    let text = std::fs::read_to_string(corpus().join("suite.toml")).expect("a manifest");
    toml::from_str(&text).expect("a manifest")
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/port")
}

/// What `port` says of a program, with some more arguments.
fn port(program: &Ported, file: &Path, arch: &str, more: &[&str]) -> Output {
    let threads = program.threads.iter().flat_map(|thread| ["--thread", thread]);
    Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["port", "--to", arch])
        .arg(file)
        .args(threads)
        .args(more)
        .output()
        .expect("fencewright can be started")
}

/// The verdict, and how much is changed.
fn answer(output: &Output) -> (String, Changed) {
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
    let changed = Changed { orders: count("orders"), fences: count("fences") };
    (said["verdict"].as_str().expect("a verdict").to_owned(), changed)
}

/// Whether another compiler than the one that was used takes a text.
fn is_taken(file: &Path) -> bool {
    let mut compiler = if file.extension().is_some_and(|extension| extension == "c") {
        let mut gcc = Command::new("gcc");
        gcc.args(["-fsyntax-only", "-pthread"]);
        gcc
    } else {
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "--emit=metadata", "--out-dir"]);
        rustc.arg(file.parent().expect("a folder"));
        rustc
    };
    compiler.arg(file).status().expect("the compiler can be started").success()
}

#[test]
fn ports_are_what_the_manifest_says_and_need_no_more() {
    let suite = suite();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ports");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for program in &suite.program {
        assert!(!program.known.is_empty(), "{}", program.file);
        let file = corpus().join(&program.file);
        // On the other machines `--confirm` is tested.
        let machines = if program.by_executions { 1 } else { 3 };
        for (arch, expected) in program.machines().all().into_iter().take(machines) {
            let is_changed = expected != Changed { orders: 0, fences: 0 };
            let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
            let written = folder.join(format!("{arch}_{name}"));
            let path = written.to_str().expect("a path");
            let more: &[&str] = if is_changed { &["--write", path] } else { &[] };
            let output = port(program, &file, arch, &[&["--format", "json"], more].concat());
            let (verdict, changed) = answer(&output);
            let wanted = if is_changed { "repaired" } else { "holds" };
            if (verdict.as_str(), changed) != (wanted, expected) {
                wrong.push(format!("{} on {arch}: {verdict}, {changed:?}", program.file));
                continue;
            }
            if !is_changed {
                continue;
            }
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let (verdict, _) = answer(&port(program, &written, arch, &["--format", "json"]));
            if verdict != "holds" || !is_taken(&written) {
                wrong.push(format!("{} as ported to {arch}: {verdict}", program.file));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn executions_are_not_asked_against_the_will_of_the_user() {
    let mut looked_at = 0;
    for program in suite().program.iter().filter(|program| program.by_executions) {
        let file = corpus().join(&program.file);
        let output = port(program, &file, "aarch64", &["--confirm=never", "--format", "json"]);
        assert_eq!(answer(&output).0, "undecided", "{}", program.file);
        looked_at += 1;
    }
    assert!(looked_at > 0);
}

/// The bounded clients of the corpus: the port that their executions ask for is proven by those of the ported program.
#[test]
fn executions_prove_the_ports_that_they_ask_for() {
    let mut wrong = Vec::new();
    for program in &suite().program {
        let file = corpus().join(&program.file);
        for (arch, expected) in program.confirmed.unwrap_or(program.machines()).all() {
            let output = port(program, &file, arch, &["--confirm", "--format", "json"]);
            let (verdict, changed) = answer(&output);
            let is_changed = expected != Changed { orders: 0, fences: 0 };
            let wanted = if is_changed { "repaired" } else { "holds" };
            let said: Value = serde_json::from_slice(&output.stdout).expect("a document");
            let is_proven = !is_changed || said["proven"].as_u64().is_some_and(|count| count > 0);
            let enumerated = &said["enumerated"];
            let is_known = !is_changed || enumerated["undecided"] == 0;
            if (verdict.as_str(), changed) != (wanted, expected) || !is_proven || !is_known {
                wrong.push(format!("{} on {arch}: {verdict}, {changed:?}", program.file));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Orders that are stronger than needed, in the C and Rust that ports write.
const PLANTED: [(&str, &str); 6] = [
    ("__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST"),
    ("__ATOMIC_ACQUIRE", "__ATOMIC_SEQ_CST"),
    ("memory_order_release", "memory_order_seq_cst"),
    ("memory_order_acquire", "memory_order_seq_cst"),
    ("Ordering::Release", "Ordering::SeqCst"),
    ("Ordering::Acquire", "Ordering::SeqCst"),
];

/// The orders that an audit looked at, and how many of them it finds too strong.
fn audited(program: &Ported, file: &Path) -> (usize, usize) {
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["fence", "--minimise-existing", "--method", "static", "--arch", "aarch64"])
        .args(["--reference", "tso", "--format", "json"])
        .arg(file)
        .args(program.threads.iter().flat_map(|thread| ["--thread", thread]))
        .output()
        .expect("fencewright can be started");
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let orders = said["audit"]["orders"].as_array().expect("orders");
    (orders.len(), orders.iter().filter(|order| order["has"] != order["needs"]).count())
}

/// Ports of programs that need no fence, with every order one step too strong: the audit finds them all. Of the ports
/// themselves it finds none too strong.
#[test]
fn the_audit_finds_planted_orders_and_no_needed_one() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("planted");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut looked_at = 0;
    for program in suite().program {
        if program.aarch64.fences > 0 || program.aarch64.orders == 0 || program.by_executions {
            continue;
        }
        let file = corpus().join(&program.file);
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let ported = folder.join(name);
        let path = ported.to_str().expect("a path");
        let output = port(&program, &file, "aarch64", &["--write", path]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (orders, weaker) = audited(&program, &ported);
        assert!(orders >= program.aarch64.orders, "{}", program.file);
        assert_eq!(weaker, 0, "{} as ported", program.file);
        let mut text = std::fs::read_to_string(&ported).expect("the port");
        let planted: usize = PLANTED.iter().map(|(needed, _)| text.matches(needed).count()).sum();
        for (needed, strong) in PLANTED {
            text = text.replace(needed, strong);
        }
        let stronger = folder.join(format!("planted_{name}"));
        std::fs::write(&stronger, text).expect("a file");
        let (_, weaker) = audited(&program, &stronger);
        assert_eq!(weaker, planted, "{} with orders that are too strong", program.file);
        looked_at += planted;
    }
    assert!(looked_at > 10, "{looked_at} orders were planted");
}

/// Orders that are right only because of what is read: critical cycles say nothing of them, and executions find what is too
/// strong on every machine.
#[test]
fn executions_say_which_orders_are_too_strong() {
    let file = corpus().join("audit/treiber-excess.c");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("planted");
    std::fs::create_dir_all(&folder).expect("a folder");
    let written = folder.join("treiber.c");
    let asked = |more: &[&str], file: &Path| -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .args(["fence", "--minimise-existing", "--method", "static", "--arch", "all"])
            .args(["--format", "json"])
            .args(more)
            .arg(file)
            .output()
            .expect("fencewright can be started");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    };
    assert_eq!(asked(&[], &file)["verdict"], "undecided");
    let said = asked(&["--confirm", "--write", written.to_str().expect("a path")], &file);
    assert!(said["audit"]["proven"].as_u64().is_some_and(|executions| executions > 0), "{said}");
    let orders = said["audit"]["orders"].as_array().expect("orders");
    let needs: Vec<&str> = orders.iter().filter_map(|order| order["needs"].as_str()).collect();
    assert_eq!(needs, ["relaxed", "release", "acquire"], "{said}");
    let again = asked(&["--confirm"], &written);
    let orders = again["audit"]["orders"].as_array().expect("orders");
    assert!(orders.iter().all(|order| order["has"] == order["needs"]), "{again}");
}

#[test]
fn every_program_is_in_the_manifest() {
    let suite = suite();
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for program in &suite.program {
        *listed.entry(program.file.as_str()).or_default() += 1;
    }
    for language in ["c", "rust"] {
        let files = std::fs::read_dir(corpus().join(language)).expect("a folder");
        for file in files {
            let name = file.expect("an entry").file_name();
            let name = format!("{language}/{}", name.to_str().expect("a name"));
            assert_eq!(listed.remove(name.as_str()), Some(1), "{name}");
        }
    }
    assert_eq!(listed, BTreeMap::new());
}
