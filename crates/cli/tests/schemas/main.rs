//! Documents for machines are what their published schemas say: those of the documented commands, of programs of
//! the corpus in every language and for every question, of errors; and SARIF is what its standard says.
//!
//! `sarif-2.1.0.json` is the schema that OASIS publishes with the standard, unchanged.

mod validator;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use validator::errors;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn run(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .current_dir(ROOT)
        .env("FENCEWRIGHT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas-cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A command need not read it.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// `UPDATE_EXPECT=1` writes the files.
#[test]
fn published_schemas_are_those_of_the_types() {
    let folder = Path::new(ROOT).join("docs/schemas");
    let mut files = Vec::new();
    for (name, schema) in report::json::schemas() {
        let file = format!("{}.json", name.replace('/', "-"));
        let path = folder.join(&file);
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&path, &text).expect("writable");
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(published == text, "{file} is not what the types are; UPDATE_EXPECT=1 writes it");
        files.push(file);
    }
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(files.contains(&name), "docs/schemas/{name} is no schema of ours");
    }
}

/// The published schemas by name, each made strict: a document may not have a member that its schema does not name.
fn schemas() -> BTreeMap<String, Value> {
    let folder = Path::new(ROOT).join("docs/schemas");
    let mut schemas = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a file");
        let mut schema: Value = serde_json::from_str(&text).expect("JSON");
        let name = schema["title"].as_str().expect("a title").to_owned();
        forbid_others(&mut schema);
        schemas.insert(name, schema);
    }
    schemas
}

/// Makes members that are not named an error, in every object that names some.
fn forbid_others(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(forbid_others);
            if members.get("properties").is_some_and(Value::is_object)
                && members.get("type") == Some(&json!("object"))
            {
                members.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(forbid_others),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Validates every line, and returns the names of the schemas.
fn validate(schemas: &BTreeMap<String, Value>, what: &str, printed: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for line in printed.lines() {
        let document: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{what}: {error}"));
        let name = document["schema"].as_str().unwrap_or_else(|| panic!("{what}: no schema"));
        let schema = schemas.get(name).unwrap_or_else(|| panic!("{what}: {name} is not published"));
        let wrong = errors(schema, &document);
        assert!(wrong.is_empty(), "{what}: {name}:\n{}\n{line}", wrong.join("\n"));
        if name != "fencewright.batch/1" {
            assert_eq!(document["version"], env!("CARGO_PKG_VERSION"), "{what}");
        }
        seen.insert(name.to_owned());
    }
    assert!(!seen.is_empty(), "{what} printed nothing");
    seen
}

/// The commands of the documents that print JSON.
fn documented() -> Vec<Vec<String>> {
    let folders = ["", "docs", "docs/guide", "docs/guide/course", "crates/cli/tests/cmd"];
    let mut commands = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder");
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(file).expect("a file");
            let lines = text.lines().filter_map(|line| line.strip_prefix("$ fencewright "));
            let lines = lines.filter(|line| line.contains("--format json"));
            commands.extend(lines.map(|line| shlex::split(line).expect("words")));
        }
    }
    assert!(commands.len() > 20, "{}", commands.len());
    commands
}

/// Questions about programs in every language.
const ASKED: [&str; 28] = [
    "check crates/cli/tests/cmd/suppressed.fw crates/cli/tests/cmd/suppressed.c",
    "show corpus/mutex/peterson.fw corpus/litmus/sb.litmus corpus/c/peterson.c",
    "convert --to fw corpus/litmus/sb.litmus",
    "simulate corpus/mutex/peterson.fw",
    "simulate corpus/c/peterson.c",
    "check corpus/mutex/peterson.fw --criterion all",
    "check corpus/mutex/peterson.fw --delays",
    "check corpus/litmus/sb.litmus --per-attack",
    "check corpus/c/peterson.c",
    "check corpus/c/peterson.c --criterion all",
    "check corpus/mutex/peterson.fw --timeout 0",
    "check corpus/any/ticket-check.fw",
    "check corpus/mutex/peterson.fw --arch aarch64",
    "check crates/cli/tests/cmd/sb-asserted.fw --arch aarch64 --delays",
    "check corpus/c/peterson.c --method static --arch power",
    "fence corpus/c/peterson.c",
    "fence corpus/mutex/peterson.fw --all",
    "fence corpus/mutex/peterson.fw --algorithm esop13",
    "fence corpus/mutex/peterson.fw --arch aarch64",
    "fence corpus/mutex/peterson.fw --arch all --minimise-existing",
    "port corpus/port/c/message-passing.c --to aarch64",
    "reach corpus/c/peterson.c --model tso",
    "reach corpus/mutex/peterson.fw --model tso --timeout 0",
    "outcomes corpus/litmus/sb.litmus --show '0:EAX=0 && 1:EAX=0'",
    "outcomes corpus/litmus/sb.litmus --model sc --show '0:EAX=0 && 1:EAX=0'",
    "outcomes crates/cli/tests/cmd/mp-race.litmus",
    "outcomes corpus/litmus/sb.litmus --model aarch64 --timeout 0",
    "outcomes no-such-file.litmus",
];

#[test]
fn documents_are_what_their_schemas_say() {
    let schemas = schemas();
    let mut seen = BTreeSet::new();
    let asked = ASKED.iter().map(|line| {
        let mut words = shlex::split(line).expect("words");
        words.extend(["--format".to_owned(), "json".to_owned()]);
        words
    });
    for words in documented().into_iter().chain(asked) {
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        seen.append(&mut validate(&schemas, &words.join(" "), &run(&arguments, "")));
    }
    // What this machine does, what several packages have, and what a compiler complains of.
    let unseen: Vec<&String> = schemas.keys().filter(|name| !seen.contains(*name)).collect();
    let elsewhere =
        ["fencewright.batch/1", "fencewright.confirm-as-compiled/1", "fencewright.confirm/1"];
    assert_eq!(unseen, elsewhere);
    let confirmed = [
        vec!["confirm", "corpus/litmus/sb.litmus", "--runs", "1000"],
        vec!["confirm", "corpus/c/peterson.c", "--as-compiled", "--runs", "2"],
    ];
    for words in confirmed {
        let words = [words, vec!["--format", "json"]].concat();
        validate(&schemas, &words.join(" "), &run(&words, ""));
    }
    let list = "crates/cli/tests/cmd/packages.list";
    validate(&schemas, "batch", &run(&["batch", list, "--format", "json"], ""));
}

#[test]
fn errors_of_compilers_have_places() {
    let schemas = schemas();
    let check = |language: &str, text: &str, expected: &[(u64, u64, &str)]| {
        let printed = run(&["check", "-", "--lang", language, "--format", "json"], text);
        validate(&schemas, language, &printed);
        let document: Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(document["file"], "<stdin>");
        let errors = document["errors"].as_array().expect("errors");
        let found: Vec<(u64, u64, &str)> = errors
            .iter()
            .filter(|error| error["file"] == "<stdin>")
            .filter_map(|error| {
                let number = |name: &str| error[name].as_u64();
                Some((number("line")?, number("column")?, error["message"].as_str()?))
            })
            .collect();
        assert_eq!(found, expected, "{printed}");
        assert!(!printed.contains("stdin.c") && !printed.contains("stdin.rs"), "{printed}");
    };
    check(
        "c",
        "int x;\nint main(void) { y = 1; return 0; }\n",
        &[(2, 18, "use of undeclared identifier 'y'")],
    );
    check(
        "rust",
        "fn main() {\n    missing();\n}\n",
        &[(2, 5, "cannot find function `missing` in this scope [E0425]")],
    );
}

/// What is wrong with a program in several files is said about all of them.
#[test]
fn errors_name_the_files_of_a_program() {
    let files = ["corpus/c/peterson.c", "corpus/c/dekker.c"];
    let printed = run(&["check", files[0], files[1], "--format", "json"], "");
    validate(&schemas(), "two programs", &printed);
    let document: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(document["schema"], "fencewright.errors/1");
    assert_eq!(document["files"], json!(files), "{printed}");
    let one = run(&["show", "crates/cli/tests/cmd/wrong.fw", "--format", "json"], "");
    let document: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(document.get("files"), None, "{one}");
}

/// What is wrong with the arguments is a document too, whoever notices it.
#[test]
fn errors_of_usage_are_documents() {
    let schemas = schemas();
    let model = "corpus/mutex/peterson.fw";
    let cases: &[(&[&str], &str)] = &[
        (
            &["check", model, "--format", "json", "--nothing"],
            "unexpected argument '--nothing' found",
        ),
        (&["check", "--format=json"], "required arguments were not provided: <FILE>"),
        (&["frobnicate", "--format", "json"], "unrecognized subcommand 'frobnicate'"),
        (&["reach", model, "--format", "json", "--model", "power"], "invalid value 'power'"),
        (
            &["reach", model, "--format", "json", "--baseline", "x"],
            "`--baseline` compares findings",
        ),
        (&["convert", model, "--to", "fw", "--format", "json", "--arch", "ppc"], "`--arch` is for"),
        (&["check", model, "--format", "json", "--config", "none.toml"], "cannot read none.toml"),
    ];
    for (arguments, says) in cases {
        let printed = run(arguments, "");
        validate(&schemas, says, &printed);
        let document: Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(document["schema"], "fencewright.errors/1");
        assert_eq!(document.get("file"), None);
        let error = &document["errors"][0];
        assert_eq!(error["code"], "usage", "{printed}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(says), "{printed}");
    }
}

/// Relations have one name everywhere.
#[test]
fn relations_have_the_names_of_the_literature() {
    let short = ["po", "rf", "co", "fr", "section"];
    for line in ["check corpus/mutex/peterson.fw", "check crates/cli/tests/cmd/section.fw"] {
        let mut arguments: Vec<&str> = line.split(' ').collect();
        arguments.extend(["--format", "json"]);
        let document: Value = serde_json::from_str(&run(&arguments, "")).expect("JSON");
        let cycle = document["results"][0]["witness"]["cycle"].as_array().expect("a cycle");
        assert!(cycle.len() >= 4, "{document}");
        for edge in cycle {
            let relation = edge["relation"].as_str().expect("a name");
            assert!(short.contains(&relation), "{relation}");
        }
    }
}

#[test]
fn programs_for_compilers_come_by_standard_input() {
    let text =
        std::fs::read_to_string(Path::new(ROOT).join("corpus/c/peterson.c")).expect("a file");
    let asked = |command: &str| -> Value {
        let printed = run(&[command, "-", "--lang", "c", "--format", "json"], &text);
        serde_json::from_str(&printed).expect("JSON")
    };
    let checked = asked("check");
    let triage = checked["triage"].as_array().expect("a triage");
    assert!(triage.iter().any(|one| one["verdict"] == "violated"), "{checked}");
    assert!(triage.iter().all(|one| one["witness"]["steps"].as_array().is_none_or(|steps| {
        steps.iter().all(|step| step["file"].is_null() || step["file"] == "<stdin>")
    })));
    // The repaired text is compiled again in its place.
    let fenced = asked("fence");
    assert_eq!(fenced["verdict"], "repaired", "{fenced}");
    assert_eq!(fenced["edits"][0]["file"], "<stdin>");
}

#[test]
fn every_format_has_a_document_for_every_verdict() {
    // What holds, what is violated, what a limit leaves undecided, and what cannot be read.
    let programs = [
        "corpus/mutex/peterson-fenced.fw",
        "corpus/mutex/peterson.fw",
        "corpus/mutex/peterson.fw --timeout 0",
        "crates/cli/tests/cmd/wrong.fw",
    ];
    let questions = ["check", "check --arch power", "fence", "fence --arch power", "reach"];
    for format in ["json", "html", "svg", "dot", "sarif"] {
        for (question, program) in
            questions.iter().flat_map(|question| programs.map(|program| (question, program)))
        {
            let line = format!("{question} {program} --format {format}");
            let printed = run(&line.split(' ').collect::<Vec<_>>(), "");
            let (begin, end) = match format {
                "html" => ("<!doctype html>\n", "</html>\n"),
                "svg" => ("<svg ", "</svg>\n"),
                "dot" => ("", "}\n"),
                _ => ("{", "}\n"),
            };
            assert!(printed.starts_with(begin) && printed.ends_with(end), "{line}:\n{printed}");
        }
    }
    let suppressed =
        run(&["check", "crates/cli/tests/cmd/suppressed.fw", "--format", "github"], "");
    assert!(
        suppressed.starts_with("::notice ") && suppressed.contains("(suppressed)"),
        "{suppressed}"
    );
    let refused = run(&["check", "crates/cli/tests/cmd/wrong.fw", "--format", "github"], "");
    assert!(refused.starts_with("::error "), "{refused}");
}

#[test]
fn findings_are_sarif() {
    let schema: Value = serde_json::from_str(include_str!("sarif-2.1.0.json")).expect("JSON");
    for line in [
        "check corpus/c/peterson.c --criterion all",
        "check corpus/c/peterson.c corpus/rust/peterson.rs",
        "check corpus/mutex/peterson.fw --arch power",
        "check corpus/mutex/peterson.fw --timeout 0",
        "fence corpus/c/peterson.c",
        "fence corpus/mutex/peterson.fw --arch power",
        "reach corpus/c/peterson.c --model tso",
        "check corpus/mutex/peterson-fenced.fw",
        "check crates/cli/tests/cmd/suppressed.fw",
        "check crates/cli/tests/cmd/wrong.fw",
        "check corpus/mutex/peterson.fw --arch power --timeout 0",
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["--format", "sarif"]).collect();
        let document: Value = serde_json::from_str(&run(&arguments, "")).expect("JSON");
        let wrong = errors(&schema, &document);
        assert!(wrong.is_empty(), "{line}:\n{}", wrong.join("\n"));
    }
}
