//! Programs that rely on the order of x86, ported to other machines: how much is changed is what `corpus/port`
//! says, the ported text needs no further change, and compilers take it.

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
    known: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changed {
    orders: usize,
    fences: usize,
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
    let text = std::fs::read_to_string(corpus().join("suite.toml")).expect("a manifest");
    let suite: Suite = toml::from_str(&text).expect("a manifest");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ports");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for program in &suite.program {
        assert!(!program.known.is_empty(), "{}", program.file);
        let file = corpus().join(&program.file);
        let machines =
            [("aarch64", program.aarch64), ("power", program.power), ("riscv", program.riscv)];
        for (arch, expected) in machines {
            let (verdict, changed) = answer(&port(program, &file, arch, &["--format", "json"]));
            let is_changed = expected != Changed { orders: 0, fences: 0 };
            let wanted = if is_changed { "repaired" } else { "holds" };
            if (verdict.as_str(), changed) != (wanted, expected) {
                wrong.push(format!("{} on {arch}: {verdict}, {changed:?}", program.file));
                continue;
            }
            if !is_changed {
                continue;
            }
            let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
            let written = folder.join(format!("{arch}_{name}"));
            let path = written.to_str().expect("a path");
            let output = port(program, &file, arch, &["--write", path]);
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
fn every_program_is_in_the_manifest() {
    let text = std::fs::read_to_string(corpus().join("suite.toml")).expect("a manifest");
    let suite: Suite = toml::from_str(&text).expect("a manifest");
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
