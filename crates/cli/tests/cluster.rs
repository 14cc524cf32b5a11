//! Several processes for one question, and several parts of many: the answers are those of one.

use std::process::{Command, Output};

use serde_json::Value;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");

fn fencewright(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
    command.args(arguments).current_dir(CORPUS);
    command.output().expect("fencewright can be started")
}

/// What is the same whoever searches.
fn said(arguments: &[&str]) -> Vec<(Value, [Value; 3], Option<i32>)> {
    let output = fencewright(arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let documents = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    documents
        .map(|document| {
            let figures = ["states", "transitions", "depth"];
            let figures = figures.map(|figure| document["statistics"][figure].clone());
            (document["verdict"].clone(), figures, output.status.code())
        })
        .collect()
}

#[test]
fn processes_answer_as_one_does() {
    let mut arguments = vec!["reach", "--no-config", "--format", "json"];
    arguments.extend(["--reductions", "local-steps", "--set", "N=3"]);
    arguments.extend(["mutex/dijkstra.fw", "mutex/burns.fw"]);
    let alone = said(&arguments);
    arguments.extend(["--processes", "2"]);
    let together = said(&arguments);
    assert_eq!(together, alone);
    assert_eq!(together.len(), 2);
    // More than what is searched before others are asked.
    assert!(alone.iter().any(|(_, [states, ..], _)| states.as_u64() > Some(4096)), "{alone:?}");
}

#[test]
fn who_cannot_be_reached_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = folder.path().join("hosts");
    std::fs::write(&hosts, "127.0.0.1:1\nelsewhere\n").expect("it can be written");
    let hosts = hosts.display().to_string();
    let output = fencewright(&["reach", "mutex/peterson.fw", "--cluster", &hosts]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("line 2: `elsewhere` is not host:port"), "{told}");
    assert_eq!(output.status.code(), Some(2));
    let output = fencewright(&["worker", "--cluster", &hosts, "--process", "1"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn parts_of_a_list_are_merged_into_what_the_whole_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/packages.list");
    let mut files = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        let file = folder.path().join(part.replace('/', "-")).display().to_string();
        let shard = ["batch", list, "--arch", "x86,power", "--shard", part, "--results", &file];
        fencewright(&shard);
        files.push(file);
    }
    let merged = |files: &[String]| {
        let mut arguments = vec!["merge", "--list", list, "--format", "json"];
        arguments.extend(files.iter().map(String::as_str));
        let output = fencewright(&arguments);
        let rows = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let rows: Vec<(Value, Value, Value)> = rows
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .map(|row| (row["package"].clone(), row["arch"].clone(), row["verdict"].clone()))
            .collect();
        (rows, told)
    };
    let (rows, told) = merged(&files);
    let expected = [
        ("message passing", "power", "repaired"),
        ("message passing", "x86", "holds"),
        ("nothing", "power", "refused"),
        ("nothing", "x86", "refused"),
    ];
    assert_eq!(rows, expected.map(|(name, arch, is)| (name.into(), arch.into(), is.into())));
    assert_eq!(told, "");
    // A part that has not run is missed: it has the questions 1 and 4.
    let (rows, told) = merged(&files[1..]);
    assert_eq!(rows.len(), 2);
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.contains("there is no result for message passing on x86"), "{told}");
}

/// A suite in parts: merged they are what one command says, and a missing or torn part is noticed.
#[test]
fn parts_of_a_suite_are_merged_into_what_the_whole_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs =
        ["peterson.fw", "peterson-fenced.fw", "dekker.fw", "dekker-fenced.fw", "none.fw"]
            .map(|name| format!("mutex/{name}"));
    let answers = |command: &[&str], part: Option<&str>| {
        let mut arguments = command.to_vec();
        arguments.extend(["--no-config", "--format", "json"]);
        arguments.extend(programs.iter().map(String::as_str));
        arguments.extend(part.into_iter().flat_map(|part| ["--shard", part]));
        fencewright(&arguments)
    };
    let merged = |files: &[String]| {
        let mut arguments = vec!["merge", "--format", "json"];
        arguments.extend(files.iter().map(String::as_str));
        let output = fencewright(&arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (verdicts(&output.stdout), told, output.status.code())
    };
    for command in [&["check"][..], &["reach"], &["fence", "--compare"]] {
        let whole = answers(command, None);
        let mut files = Vec::new();
        for part in ["1/3", "2/3", "3/3"] {
            let file = folder.path().join(part.replace('/', "-"));
            std::fs::write(&file, answers(command, Some(part)).stdout).expect("it can be written");
            files.push(file.display().to_string());
        }
        let mut expected = verdicts(&whole.stdout);
        expected.sort_by_key(|(file, _)| file.to_string());
        let (rows, told, code) = merged(&files);
        assert_eq!((rows, told.as_str()), (expected.clone(), ""), "{command:?}");
        assert_eq!(code, whole.status.code(), "{command:?}");
        let (rows, told, _) = merged(&files[..2]);
        assert!(rows.len() < expected.len(), "{command:?}");
        assert_eq!(told, "note: part 3 of 3 is not there\n", "{command:?}");
        // The last line is what makes a part whole.
        let text = std::fs::read_to_string(&files[1]).expect("it was written");
        let (end, _) = text.trim_end().rsplit_once('\n').expect("several lines");
        std::fs::write(&files[1], format!("{end}\n")).expect("it can be written");
        let (rows, told, code) = merged(&files);
        assert_eq!(rows, expected, "{command:?}");
        assert!(told.contains("has no end"), "{command:?}: {told}");
        assert!(code == Some(1) || code == Some(3), "{command:?}: {code:?}");
    }
    // Different questions are not merged, and nothing is taken for an answer that is none.
    let [check, reach] = ["check", "reach"].map(|command| {
        let file = folder.path().join(command);
        let part = if command == "check" { "1/2" } else { "2/2" };
        std::fs::write(&file, answers(&[command], Some(part)).stdout).expect("it can be written");
        file.display().to_string()
    });
    let output = fencewright(&["merge", "--format", "json", &check, &reach]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(document["schema"], "fencewright.errors/1");
    assert!(document.to_string().contains("it was asked `reach"), "{document}");
    assert_eq!(output.status.code(), Some(2));
}

/// Of each document the program, and what is said of it.
fn verdicts(text: &[u8]) -> Vec<(Value, [Value; 3])> {
    let text = String::from_utf8_lossy(text).into_owned();
    let documents = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    documents
        .map(|document| {
            let said = ["verdict", "criterion", "schema"].map(|member| document[member].clone());
            (document["file"].clone(), said)
        })
        .collect()
}
