//! Models: what a port changes in them, and that their executions need it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::asked;

/// A model, what a port changes in it on a machine (orders, fences), and the same with fences alone.
type Model = (&'static str, &'static str, (usize, usize), usize);

const MODELS: [Model; 9] = [
    // Store buffering: x86 shows it, too.
    ("t0 { local r; x = 1; r = y } t1 { local r; y = 1; r = x }", "power", (0, 0), 0),
    // With locked accesses between: x86 keeps both pairs.
    (
        "t0 { local r; x = 1; xchg(l, 1, relaxed); r = y } t1 { local r; y = 1; fence; r = x }",
        "power",
        (0, 1),
        1,
    ),
    (
        "t0 { local r; store(x, 1, seq_cst); r = y } t1 { local r; store(y, 1, seq_cst); r = x }",
        "power",
        (0, 2),
        2,
    ),
    // What is full on x86 is full there.
    (
        "t0 { local r; x = 1; fence; r = y } t1 { local r; y = 1; fence; r = x }",
        "aarch64",
        (0, 0),
        0,
    ),
    // Message passing.
    (
        "t0 { store(x, 1, relaxed); store(y, 1, relaxed) }
         t1 { local r, s; r = load(y, relaxed); s = load(x, relaxed) }",
        "aarch64",
        (2, 0),
        2,
    ),
    (
        "t0 { store(x, 1, relaxed); store(y, 1, release) }
         t1 { local r, s; r = load(y, acquire); s = load(x, relaxed) }",
        "riscv",
        (0, 0),
        0,
    ),
    // Load buffering, with a dependency on one side.
    ("t0 { local r; r = x; y = r } t1 { local r; r = y; x = 1 }", "aarch64", (1, 0), 1),
    // Independent reads of independent writes.
    (
        "t0 { store(x, 1, relaxed) } t1 { store(y, 1, relaxed) }
         t2 { local r, s; r = load(x, acquire); s = load(y, acquire) }
         t3 { local r, s; r = load(y, acquire); s = load(x, acquire) }",
        "power",
        (0, 2),
        2,
    ),
    // A lock of relaxed accesses: no bound is enough for its executions, so all static delays are ordered.
    (
        "t0 { while xchg(l, 1, relaxed) == 1 { }; x = x + 1; store(l, 0, relaxed) }
         t1 { while xchg(l, 1, relaxed) == 1 { }; x = x + 1; store(l, 0, relaxed) }",
        "aarch64",
        (2, 2),
        6,
    ),
];

/// Models: what a port changes, and that it is what their executions need.
#[test]
fn models_are_ported() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("models");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for (number, (threads, machine, changes, fences)) in MODELS.iter().enumerate() {
        let file = folder.join(format!("model-{number}.fw"));
        let mut text = format!("shared x, y, l\n{threads}\n");
        for thread in 0..4 {
            text = text.replace(&format!("t{thread} {{"), &format!("\nthread t{thread} {{"));
        }
        std::fs::write(&file, &text).expect("a file");
        let weak = |file: &Path| {
            let asked_for = ["outcomes", "--model", machine, "--reference", "tso"];
            let states = asked(&asked_for, file)["only_weak"].as_array().expect("states").clone();
            states.contains(&Value::Bool(true))
        };
        let is_changed = *changes != (0, 0);
        let checked = ["check", "--method", "static", "--arch", machine, "--reference", "tso"];
        let verdict = asked(&checked, &file)["verdict"].clone();
        assert_eq!(verdict, if is_changed { "undecided" } else { "holds" }, "{machine}:\n{text}");
        for (more, wanted) in [(None, *changes), (Some("--fences-only"), (0, *fences))] {
            let written = folder.join(format!("ported-{number}.fw"));
            let path = written.to_str().expect("a path");
            let port = ["port", "--to", machine, "--confirm", "--write", path];
            let said = asked(&[&port[..], more.as_slice()].concat(), &file);
            let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
            let found = (count("orders"), count("fences"));
            let verdict = if is_changed { "repaired" } else { "holds" };
            if found != wanted || said["verdict"] != verdict {
                wrong.push(format!("{machine}, {more:?}, {found:?}, {}:\n{text}", said["verdict"]));
            } else if is_changed && weak(&written) {
                wrong.push(format!("{machine}, {more:?} shows more than x86:\n{text}"));
            }
        }
        if weak(&file) && !is_changed {
            wrong.push(format!("{machine} shows more than x86:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
