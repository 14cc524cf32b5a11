//! Answers for code hosts and editors: SARIF, workflow commands, edits.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn said(arguments: &[&str], code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .current_dir(ROOT)
        .env("FENCEWRIGHT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings-cache"))
        .output()
        .expect("the command runs");
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {wrong}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The results of a SARIF document, after everything was looked at that the standard requires of one.
fn results(arguments: &[&str], code: i32) -> Vec<Value> {
    let text = said(&[arguments, &["--format", "sarif"]].concat(), code);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    let [run] = document["runs"].as_array().expect("runs").as_slice() else { panic!("one run") };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "Fencewright");
    let rules = driver["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results").clone();
    for result in &results {
        let index =
            usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        assert!(!result["message"]["text"].as_str().expect("a message").is_empty());
        let mut places: Vec<&Value> =
            result["locations"].as_array().expect("places").iter().collect();
        places.extend(result["relatedLocations"].as_array().into_iter().flatten());
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            let steps = flow["threadFlows"][0]["locations"].as_array().expect("steps");
            assert!(!steps.is_empty());
            places.extend(steps.iter().map(|step| &step["location"]));
        }
        for place in places {
            let physical = &place["physicalLocation"];
            let uri = physical["artifactLocation"]["uri"].as_str().expect("a reference");
            assert!(Path::new(ROOT).join(uri).is_file(), "{uri}");
            let region = &physical["region"];
            let number =
                |name: &str| region[name].as_u64().unwrap_or_else(|| panic!("{name}: {region}"));
            let (start, end) = (number("startLine"), number("endLine"));
            assert!(start >= 1 && start <= end, "{region}");
            assert!(start < end || number("startColumn") <= number("endColumn"), "{region}");
        }
    }
    results
}

#[test]
fn violations_are_results_with_places_and_the_run() {
    let found = results(&["check", "corpus/c/peterson.c", "--criterion", "all"], 1);
    let rules: Vec<&str> = found.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    let all = ["data-race", "triangular-race", "not-robust", "not-persistent", "other-states"];
    assert_eq!(rules, all);
    assert!(found.iter().all(|result| result["codeFlows"].is_array()));
    assert_eq!(found[2]["locations"][0]["physicalLocation"]["region"]["startLine"], 25);
    // A store reaches memory where it was issued.
    let steps = found[2]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    let arrivals = steps.iter().map(|step| &step["location"]).filter(|location| {
        let said = location["message"]["text"].as_str().expect("a message");
        said.ends_with(": turn = 1 reaches memory") || said.ends_with(": turn = 0 reaches memory")
    });
    let lines: Vec<&Value> =
        arrivals.map(|location| &location["physicalLocation"]["region"]["startLine"]).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| **line == 25), "{lines:?}");
    let [reached] = &results(&["reach", "corpus/c/peterson.c", "--model", "tso"], 1)[..] else {
        panic!("one result")
    };
    assert_eq!(reached["ruleId"], "error");
    assert_eq!(results(&["check", "corpus/mutex/dekker-fenced.fw"], 0), Vec::<Value>::new());
    let undecided = results(&["check", "corpus/mutex/dekker.fw", "--max-states", "1"], 3);
    assert_eq!(undecided[0]["level"], "warning");
    let cycles = results(&["check", "corpus/mutex/dekker.fw", "--method", "static"], 3);
    assert_eq!(cycles[0]["ruleId"], "critical-cycle");
}

#[test]
fn static_results_list_orders_and_fences() {
    let file = "corpus/port/c/message-passing.c";
    let fence = ["fence", "--method", "static", "--arch", "aarch64"];
    let port = [&fence[..], &["--reference", "tso", "--with-orders", file]].concat();
    let found = results(&port, 0);
    let said: Vec<_> = found
        .iter()
        .map(|one| {
            let line = &one["locations"][0]["physicalLocation"]["region"]["startLine"];
            let text = one["message"]["text"].as_str().expect("a message");
            assert_eq!(one["level"], "error");
            assert!(one["relatedLocations"].is_array(), "{one}");
            format!("{line} {}: {text}", one["ruleId"].as_str().expect("a rule"))
        })
        .collect();
    assert_eq!(
        said,
        [
            "11 weak-order: on aarch64 this access must be release, not plain",
            "17 weak-order: on aarch64 this access must be acquire, not plain",
        ]
    );
    // The changes belong together.
    assert!(found[0]["fixes"].is_array() && found[1]["fixes"].is_null());
    let fences = results(&[&fence[..], &["corpus/mutex/dekker.fw"]].concat(), 0);
    assert_eq!(fences[0]["ruleId"], "missing-fence", "{fences:?}");
    assert!(fences[0]["fixes"].is_array());
    // Three orders, that of a counter of one thread among them, and a fence.
    let excess = ["corpus/port/c/message-passing-excess.c", "--minimise-existing"];
    let notes = results(&[&fence[..], &excess].concat(), 0);
    let rules: Vec<_> = notes.iter().map(|one| (&one["ruleId"], &one["level"])).collect();
    assert_eq!(rules.len(), 4, "{notes:?}");
    assert!(rules.iter().all(|(rule, level)| *rule == "more-than-needed" && *level == "note"));
}

/// Replaces regions of lines and columns, from the last to the first.
fn repaired(text: &str, replacements: &[Value]) -> String {
    let mut text = text.to_owned();
    for replacement in replacements.iter().rev() {
        let region = &replacement["deletedRegion"];
        let offset = |line: &str, column: &str| {
            let number = |name: &str| {
                usize::try_from(region[name].as_u64().expect("a number")).expect("small")
            };
            let before: usize =
                text.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
            let rest = &text[before..];
            before + rest.chars().take(number(column) - 1).map(char::len_utf8).sum::<usize>()
        };
        let range = offset("startLine", "startColumn")..offset("endLine", "endColumn");
        text.replace_range(range, replacement["insertedContent"]["text"].as_str().expect("a text"));
    }
    text
}

#[test]
fn fixes_make_the_repaired_program() {
    for (file, fences) in [("corpus/c/peterson.c", 1), ("corpus/mutex/dekker.fw", 2)] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(file)).expect("readable");
        let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings-repaired");
        let _ = std::fs::remove_file(&written);
        let path = written.display().to_string();
        let document = said(&["fence", file, "--format", "json", "--write", &path], 0);
        let wanted = std::fs::read_to_string(&written).expect("written");
        let document: Value = serde_json::from_str(&document).expect("JSON");
        let mut edited = text.clone();
        for edit in document["edits"].as_array().expect("edits").iter().rev() {
            assert_eq!(edit["file"], file);
            let number = |name: &str| {
                usize::try_from(edit[name].as_u64().expect("a number")).expect("small")
            };
            let range = number("offset")..number("offset") + number("length");
            edited.replace_range(range, edit["text"].as_str().expect("a text"));
        }
        assert_eq!(edited, wanted, "{file}: edits");
        let found = results(&["fence", file], 0);
        assert_eq!(found.len(), fences, "{file}");
        let changes = &found[0]["fixes"][0]["artifactChanges"][0];
        let replacements = changes["replacements"].as_array().expect("replacements");
        assert_eq!(repaired(&text, replacements), wanted, "{file}: fixes");
    }
}

/// The pictures of the documentation, and the commands that draw them.
#[test]
fn pictures_of_the_documentation_are_what_is_drawn() {
    let forbidden = "corpus/litmus-weak/aarch64/2+2w+dmbs.litmus";
    let queue = "corpus/mutex/simple-dekker.fw";
    for (name, arguments, code) in [
        ("peterson.svg", &["check", "corpus/mutex/peterson.fw", "--format", "svg"][..], 1),
        ("forbidden.svg", &["outcomes", forbidden, "--show", "x=1 /\\ y=1", "--format", "svg"], 1),
        ("control-flow.svg", &["show", queue, "--format", "svg"], 0),
        ("events.svg", &["show", queue, "--events", "--format", "svg"], 0),
    ] {
        let path = Path::new(ROOT).join("docs/pictures").join(name);
        let drawn = said(arguments, code);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &drawn).expect("writable");
        }
        let there = std::fs::read_to_string(path).expect("a picture");
        assert!(there == drawn, "{name}: draw it again: {arguments:?}");
    }
}

/// Each instruction is a box, and what can follow it an arrow; accesses of different threads that may communicate are
/// connected.
#[test]
fn control_flow_and_event_graphs_are_drawn() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drawn");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("drawn.fw");
    let text = "shared x, y, z\nthread p { local r; x = 1; fence; r = y }\n\
                thread q[2] { local s; while s == 0 { s = x }; y = 1; z = 1 }\n";
    std::fs::write(&file, text).expect("a file");
    let file = file.display().to_string();
    let count = |picture: &str, what: &str| picture.matches(what).count();

    let flow = said(&["show", &file, "--format", "svg"], 0);
    // Three and an end; two ways at the loop, its load, two stores and an end.
    assert_eq!(count(&flow, "class=\"box"), 4 + 6, "{flow}");
    assert_eq!(count(&flow, "class=\"arrow po"), 3 + 6, "{flow}");
    assert!(flow.contains(">q (2 copies)<") && flow.contains(">2: fence<"), "{flow}");
    let automata = said(&["show", &file, "--format", "dot"], 0);
    assert_eq!(automata, said(&["convert", &file, "--to", "dot"], 0));

    let events = said(&["show", &file, "--events", "--format", "svg"], 0);
    assert_eq!(count(&events, "class=\"box"), 3 + 2 * 3, "{events}");
    // p: two; q: around the loop and on, twice.
    assert_eq!(count(&events, "class=\"arrow po"), 2 + 2 * 3, "{events}");
    // x and y between p and each q; y and z between the two.
    assert_eq!(count(&events, "class=\"arrow other"), 2 * 2 + 2, "{events}");
    assert!(events.contains(">F full<") && events.contains(">q (another one)<"), "{events}");
    let graph = said(&["show", &file, "--events", "--format", "dot"], 0);
    assert_eq!(count(&graph, "label=\"com\", dir=none"), 6, "{graph}");
    assert_eq!(count(&graph, "label=\"po\""), 8, "{graph}");
    said(&["show", &file, "--events"], 2);
    // Threads of C begin and end where no text says so.
    let peterson = said(&["show", "corpus/c/peterson.c", "--events", "--format", "svg"], 0);
    for effect in [">count[0] is created<", ">count[0] starts<", ">count[1] has ended<"] {
        assert!(peterson.contains(effect), "{effect}: {peterson}");
    }
    assert!(!peterson.contains(": arg<") && !peterson.contains("start of"), "{peterson}");
}

#[test]
fn pictures_of_long_runs_show_their_ends() {
    let run =
        ["simulate", "corpus/mutex/peterson-fenced.fw", "--model", "sc", "--max-steps", "3000"];
    let picture = said(&[&run[..], &["--format", "svg"]].concat(), 0);
    assert_eq!(picture.matches("class=\"box").count(), 48);
    assert!(picture.contains(" other events are not drawn"), "the rest is counted");
}

#[test]
fn annotations_stand_at_lines() {
    let files = ["corpus/mutex/peterson.fw", "corpus/mutex/dekker-fenced.fw"];
    let text = said(&["check", files[0], files[1], "--format", "github"], 1);
    let lines: Vec<&str> = text.lines().collect();
    let [one] = lines.as_slice() else { panic!("{text}") };
    let begins =
        "::error file=corpus/mutex/peterson.fw,line=15,col=5,title=fencewright not-robust::";
    assert!(one.starts_with(begins), "{one}");
    // One document is about all of them.
    assert_eq!(results(&["check", files[0], files[1]], 1).len(), 1);
}
