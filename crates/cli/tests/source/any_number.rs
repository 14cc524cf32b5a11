//! Functions of a library that any number of threads run: `corpus/any/library`.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A function or two, and how many fences make them robust for every number of threads: none if they are.
const CASES: [(&str, &[&str], usize); 46] = [
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
    ("locks.rs", &["use_it*any", "take_away"], 2),
    ("locks.rs", &["read_locked*any", "write_locked*any"], 0),
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
    ("readers.rs", &["seq_write", "seq_read*any"], 0),
    ("readers.rs", &["seq_write_until", "seq_read_stop*any"], 1),
    ("readers.rs", &["nbw_write", "nbw_read*any"], 0),
    ("readers.rs", &["nbw_write_acknowledged", "nbw_read_acknowledge*any"], 1),
    ("readers.rs", &["rcu_write", "rcu_read*any"], 0),
    ("readers.rs", &["rcu_write_plain", "rcu_read*any"], 1),
    ("readers.rs", &["push*any", "pop*any"], 0),
    ("readers.rs", &["push*any", "pop_plain*any"], 1),
    ("readers.rs", &["produce", "consume", "observe*any"], 2),
    ("readers.rs", &["produce_fenced", "consume_fenced", "observe*any"], 0),
    ("owners.c", &["recursive(self)*any"], 0),
    ("owners.c", &["biased(self)*any"], 2),
    ("owners.rs", &["recursive(self)*any"], 0),
    ("owners.rs", &["biased(self)*any"], 2),
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
    let race = "plain_race";
    let looked = "were looked for with two copies of each thread of any number";
    let notes = |document: &Value| document["notes"].to_string();
    assert!(notes(&racy).contains(race) && notes(&racy).contains(looked), "{racy}");
    assert!(!notes(&locked).contains(race) && notes(&locked).contains(looked), "{locked}");
}

#[test]
fn identities_are_names_in_c_and_rust() {
    for file in ["owners.c", "owners.rs"] {
        let errors = |thread: &str| asked("reach", file, &[thread]).1;
        assert_eq!(errors("recursive(self)*any")["verdict"], "holds", "{file}");
        let careless = errors("careless(self)*any");
        assert_eq!(careless["verdict"], "violated", "{file}");
        assert_eq!(careless["instance"]["counts"]["careless"], 2, "{file}: {careless}");
        // One copy is the first, and of several each is another.
        assert_eq!(errors("careless(self)")["verdict"], "holds", "{file}");
        assert_eq!(errors("careless(self)*2")["verdict"], "violated", "{file}");
    }
}

#[test]
fn identities_that_are_more_than_names_are_refused_where_they_stand() {
    let refused = [
        ("claim(self)*any", "are stored and compared by `==` and `!=` only", 75),
        ("narrow(self)*any", "do not fit into i8; at least 32 bits are wanted", 83),
    ];
    for (thread, message, line) in refused {
        let (code, document) = asked("check", "owners.c", &[thread]);
        assert_eq!(code, Some(2), "{thread}: {document}");
        let error = &document["errors"][0];
        let said = error["message"].as_str().unwrap_or_default();
        assert!(said.contains(message), "{thread}: {document}");
        assert_eq!(error["line"], line, "{thread}: {document}");
        // Of a number of copies there are no such rules.
        let counted = thread.replace("*any", "*2");
        assert!(asked("check", "owners.c", &[&counted]).0 != Some(2), "{counted}");
    }
}
