//! The corpus of histories: what its manifest says of linearizability and sequential consistency is what is
//! decided, and what is repaired.

use std::path::{Path, PathBuf};

use semantics::Model;
use workspace::{
    Conclusion, Enforced, Fence, FenceOutcome, Histories, InMemory, Inputs, ProgramId, Reach,
    SourceOptions, Workspace,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/histories")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("a file")
}

/// The programs of the manifest, as tables.
fn programs() -> Vec<toml::Table> {
    let manifest: toml::Table = toml::from_str(&read("suite.toml")).expect("a manifest");
    let programs = manifest["program"].as_array().expect("programs");
    programs.iter().map(|one| one.as_table().expect("a program").clone()).collect()
}

fn word<'a>(program: &'a toml::Table, key: &str) -> Option<&'a str> {
    program.get(key).map(|value| value.as_str().expect("a word"))
}

#[test]
fn the_manifest_names_every_program() {
    let programs = programs();
    for entry in &programs {
        assert!(["about", "known"].iter().all(|key| word(entry, key).is_some()));
    }
    let is_named = |name: &str| {
        let of = |entry: &toml::Table| {
            [word(entry, "file"), word(entry, "sequential")].contains(&Some(name))
        };
        programs.iter().any(of)
    };
    for entry in std::fs::read_dir(folder()).expect("a folder") {
        let name = entry.expect("a file").file_name().into_string().expect("a plain name");
        assert!(name == "suite.toml" || is_named(&name), "{name} is not in the manifest");
    }
}

#[test]
fn programs_are_as_the_manifest_says() {
    for entry in programs() {
        let file = word(&entry, "file").expect("a file");
        if let Some(functions) = entry.get("functions") {
            let functions = functions.as_array().expect("functions").iter();
            let operations =
                functions.map(|one| one.as_str().expect("a name").to_owned()).collect();
            let source = SourceOptions { operations, ..SourceOptions::default() };
            let path = folder().join(file).to_str().expect("a plain name").to_owned();
            let mut workspace = Workspace::default();
            let opened = workspace.open(&Inputs { source, ..Inputs::files([path]) });
            let [Ok(id)] = opened.as_slice() else { panic!("{file}: {opened:?}") };
            compare(&mut workspace, *id, &entry, None);
            continue;
        }
        let mut host = InMemory::new();
        let sequential = word(&entry, "sequential").map(PathBuf::from);
        if let Some(path) = &sequential {
            let name = path.display().to_string();
            host = host.with(&name, read(&name));
        }
        let mut workspace = Workspace::new(host);
        let id = workspace.text(file, &read(file)).expect("a program");
        compare(&mut workspace, id, &entry, sequential.as_ref());
    }
}

/// What the manifest says of a program, and what is decided and repaired.
fn compare(
    workspace: &mut Workspace,
    id: ProgramId,
    entry: &toml::Table,
    sequential: Option<&PathBuf>,
) {
    let file = word(entry, "file").expect("a file");
    for asked in [Histories::Linearizable, Histories::SequentiallyConsistent] {
        let Some(expected) = entry.get(asked.name()) else { continue };
        let expected = expected.as_table().expect("what is expected");
        let name = format!("{file} {}", asked.name());
        for (model, key) in [(Model::Sc, "sc"), (Model::Tso, "tso")] {
            let histories = Some(asked);
            let sequential = sequential.cloned();
            let question = Reach { histories, sequential, model, ..Reach::default() };
            let found = workspace.reach(id, &question).expect("an answer");
            let answer = match word(expected, key) {
                Some("yes") => Conclusion::Fine,
                Some("no") => Conclusion::Violated,
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(found.conclusion(), answer, "{name} {model:?}");
        }
        let enforced = Enforced::Histories(asked);
        let sequential = sequential.cloned();
        let question = Fence { enforced, sequential, ..Fence::default() };
        let found = workspace.fence(id, &question).expect("an answer");
        let fences = expected.get("fences").map(|fences| fences.as_integer().expect("a number"));
        match (&found.outcome, fences) {
            (FenceOutcome::Repaired { is_optimal, .. }, Some(fences)) => {
                assert!(is_optimal, "{name}");
                assert_eq!(i64::try_from(found.cost(found.made())), Ok(fences), "{name}");
            }
            (FenceOutcome::Unrepairable { .. }, None) => {}
            (other, expected) => panic!("{name}: {other:?} against {expected:?}"),
        }
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let mut workspace = Workspace::new(InMemory::new());
    let without = workspace.text("a.fw", "shared x; thread p { x = 1 }").expect("a program");
    let question = Reach { histories: Some(Histories::Linearizable), ..Reach::default() };
    let refused = workspace.reach(without, &question).expect_err("no operations");
    assert_eq!(refused.errors[0].message, "this program calls no operation");
    for (text, message) in [
        (
            "shared x; thread p { call a(); call b(); return }",
            "`b` is called inside of another operation",
        ),
        ("shared x; thread p { return }", "a return without a call before it"),
        (
            "shared x; thread p { call a(x); return }",
            "a local variable or a constant is needed here",
        ),
        (
            "shared x; thread p { local r; r = x; if r == 1 { call a() }; x = 1 }",
            "control gets here inside of an operation and outside of all",
        ),
    ] {
        let refused = workspace.text("b.fw", text).expect_err("an error");
        assert_eq!(refused.errors[0].message, message, "{text}");
        assert!(refused.errors[0].span.source.is_some(), "{text}");
    }
}
