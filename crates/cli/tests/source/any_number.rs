//! Functions of a library that any number of threads run: `corpus/any/library`.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A function or two, and how many fences make them robust for every number of threads: none if they are.
const CASES: [(&str, &[&str], usize); 34] = [
    ("spinlock.c", &["use_lock*any"], 0),
    ("spinlock.c", &["use_and_wake*any"], 1),
    ("spinlock.rs", &["use_lock*any"], 0),
    ("spinlock.rs", &["use_and_wake*any"], 1),
    ("locks.c", &["ttas*any"], 0),
    ("locks.c", &["ttas_hint*any"], 1),
    ("locks.c", &["ticket*any"], 0),
    ("locks.c", &["ticket_look*any"], 1),
    ("locks.c", &["once*any"], 0),
    ("locks.c", &["use*any", "take_away"], 2),
    ("locks.c", &["read_locked*any", "write_locked*any"], 0),
    ("locks.c", &["read_flagged*any", "write_flagged"], 2),
    ("locks.c", &["ttas*any", "once*any"], 0),
    ("locks.rs", &["ttas*any"], 0),
    ("locks.rs", &["ttas_hint*any"], 1),
    ("locks.rs", &["ticket*any"], 0),
    ("locks.rs", &["ticket_look*any"], 1),
    ("locks.rs", &["once*any"], 0),
    ("locks.rs", &["read_flagged*any", "write_flagged"], 2),
    ("locks.rs", &["ttas*any", "once*any"], 0),
    ("readers.c", &["seq_write", "seq_read*any"], 0),
    ("readers.c", &["seq_write_until", "seq_read_stop*any"], 1),
    ("readers.c", &["nbw_write", "nbw_read*any"], 0),
    ("readers.c", &["nbw_write_acknowledged", "nbw_read_acknowledge*any"], 1),
    ("readers.c", &["rcu_write", "rcu_read*any"], 0),
    ("readers.c", &["rcu_write_plain", "rcu_read*any"], 1),
    ("readers.c", &["push*any", "pop*any"], 0),
    ("readers.c", &["push*any", "pop_plain*any"], 1),
    ("readers.c", &["produce", "consume", "observe*any"], 2),
    ("readers.c", &["produce_fenced", "consume_fenced", "observe*any"], 0),
    ("readers.rs", &["seq_write_until", "seq_read_stop*any"], 1),
    ("readers.rs", &["rcu_write", "rcu_read*any"], 0),
    ("readers.rs", &["push*any", "pop_plain*any"], 1),
    ("readers.rs", &["produce", "consume", "observe*any"], 2),
];

fn asked(command: &str, file: &str, threads: &[&str]) -> (Option<i32>, Value) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/any/library");
    let named = threads.iter().flat_map(|thread| ["--thread", thread]);
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .arg(command)
        .arg(folder.join(file))
        .args(named)
        .args(["--format", "json"])
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    let document = serde_json::from_slice(&output.stdout);
    let document = document.unwrap_or_else(|error| panic!("{file}, {threads:?}: {error}: {said}"));
    (output.status.code(), document)
}

#[test]
fn libraries_hold_for_every_number_of_threads_or_get_their_fences() {
    for (file, threads, fences) in CASES {
        let name = format!("{file}, {threads:?}");
        let (code, checked) = asked("check", file, threads);
        assert_eq!(code, Some(i32::from(fences > 0)), "{name}: {checked}");
        if fences > 0 {
            let (code, repaired) = asked("fence", file, threads);
            assert_eq!(code, Some(0), "{name}: {repaired}");
            let made = repaired["fences"].as_array().map_or(0, Vec::len);
            assert_eq!(made, fences, "{name}: {repaired}");
            assert_eq!(repaired["optimal"], true, "{name}: {repaired}");
        }
    }
}

#[test]
fn races_of_plain_accesses_are_told_of_any_number() {
    // A reader that leaves takes down the flag of all, and then a writer writes what another one reads.
    let (_, racy) = asked("check", "locks.c", &["read_flagged*any", "write_flagged"]);
    let (_, locked) = asked("check", "locks.c", &["ttas*any"]);
    let race = "a plain access races with";
    let looked = "were looked for with two copies of each thread of any number";
    let notes = |document: &Value| document["notes"].to_string();
    assert!(notes(&racy).contains(race) && notes(&racy).contains(looked), "{racy}");
    assert!(!notes(&locked).contains(race) && notes(&locked).contains(looked), "{locked}");
}
