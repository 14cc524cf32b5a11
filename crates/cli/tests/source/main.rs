//! The programs in C and Rust of the corpus, compiled by the real compilers: verdicts, assertions,
//! races and minima as their manifests say, which is as for the `.fw` programs they are like; and
//! repaired texts compile. `corpus/README.md` describes the manifests.

mod any_number;
mod asked;
mod bad_input;
mod bounds;
mod compilers;
mod deadlocks;
mod entries;
mod freed;
mod futexes;
mod manifest;
mod misuse;
mod outside;
mod packages;
mod panics;
mod recording;
mod results;
mod signals;
mod told;
mod unseen;
mod unwritten;
mod weak_models;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use asked::Opened;
use manifest::{Assertions, Case, Minimise, cases};
use patch::FenceText;
use semantics::Model;
use serde_json::Value;
use workspace::{Criterion, Enforced, Fence, Lifetimes};

fn fencewright(arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .output()
        .expect("fencewright can be started")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("(nothing)")
}

/// What differs from the manifest.
fn differences(case: &Case) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, expected: &str, actual: &str| {
        if expected != actual {
            found.push(format!("{}: {what}: expected {expected}, got {actual}", case.name));
        }
    };
    let instance = &case.instance;
    let mut opened = Opened::of(case, Lifetimes::Checked)?;
    let checked = opened.check()?;
    let expected = [
        ("drf", instance.drf),
        ("trf", Some(instance.trf)),
        ("robustness", Some(instance.robustness)),
        ("persistence", Some(instance.persistence)),
    ];
    for (criterion, expected) in expected {
        let results = checked["results"].as_array().into_iter().flatten();
        let actual = results
            .filter(|result| text(result, "criterion") == criterion)
            .map(|result| text(result, "verdict"))
            .next();
        if let Some(expected) = expected {
            compare(criterion, expected.verdict(), actual.unwrap_or("(nothing)"));
        }
    }
    // Whatever is known of the whole program without executing it must be true of it.
    if asked::holds_by_cycles(case)? {
        compare("robustness by critical cycles", instance.robustness.verdict(), "holds");
    }
    let races = checked["notes"].as_array().into_iter().flatten();
    let races = races.filter(|note| text(note, "code").ends_with("_race")).count();
    if let Some(expected) = instance.plain_races {
        compare("plain races", expected.word(), if races > 0 { "yes" } else { "no" });
    }
    let models =
        [("sc", Model::Sc, instance.assertions_sc), ("tso", Model::Tso, instance.assertions_tso)];
    for (name, model, expected) in models {
        let reached = opened.reach(model)?;
        if expected != Assertions::Unknown {
            let actual = text(&reached, "verdict");
            compare(&format!("assertions, {name}"), expected.verdict(), actual);
        }
    }
    let statements = &instance.statements;
    let mut opened = Opened::of(case, Lifetimes::Ignored)?;
    let minima = [
        (Criterion::Robustness, statements.robustness),
        (Criterion::Persistence, statements.persistence),
        (Criterion::Trf, statements.trf),
    ];
    for (criterion, expected) in minima {
        let question = Fence { enforced: Enforced::Criterion(criterion), ..Fence::default() };
        let fenced = opened.fence(question)?;
        compare(
            &format!("fences, {criterion}"),
            &expected.to_string(),
            &fenced["cost"].to_string(),
        );
    }
    if let Some(Minimise { existing, needed, fences, release, stores }) = case.minimise {
        let minimised = opened.fence(Fence { minimise_existing: true, ..Fence::default() })?;
        let count = |key: &str| minimised[key].as_array().map_or(0, Vec::len);
        let (kept, removable) = (count("fences"), count("removable"));
        let actual = format!("{kept} of {}", kept + removable);
        compare("needed", &format!("{needed} of {existing}"), &actual);
        let of_kind = |kind: &str| {
            let removable = minimised["removable"].as_array().into_iter().flatten();
            removable.filter(|one| text(one, "kind") == kind).count()
        };
        let actual = [of_kind("full"), of_kind("locked"), of_kind("exchange")];
        compare("not needed", &format!("{:?}", [fences, release, stores]), &format!("{actual:?}"));
    }
    Ok(found)
}

/// Repairs a program of one file and compiles the repaired text with every compiler there is.
fn repaired_text_compiles(case: &Case, folder: &Path) -> Result<(), String> {
    let [file] = case.files.as_slice() else { return Ok(()) };
    if file.is_dir() || case.instance.statements.robustness == 0 {
        return Ok(());
    }
    let mut opened = Opened::of(case, Lifetimes::Ignored)?;
    for (how, fence_text) in [("standard", FenceText::SEQ_CST), ("mfence", FenceText::MFENCE)] {
        let name = file.file_name().expect("a file").to_string_lossy();
        let repaired = folder.join(format!("{how}-{name}"));
        std::fs::write(&repaired, opened.repaired(fence_text)?)
            .map_err(|error| error.to_string())?;
        let is_rust = file.extension().is_some_and(|extension| extension == "rs");
        let compilers: &[&[&str]] = if is_rust {
            &[&["rustc", "--edition", "2021", "--emit", "metadata", "--out-dir"]]
        } else {
            &[
                &["clang", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"],
                &["gcc", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"],
            ]
        };
        for command in compilers {
            let mut compiler = Command::new(command[0]);
            compiler.args(&command[1..]);
            if is_rust {
                compiler.arg(folder).args(["--crate-name", "repaired"]);
            }
            let output = compiler.arg(&repaired).output().map_err(|error| error.to_string())?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(format!("{}: {}: {said}", repaired.display(), command[0]));
            }
        }
    }
    Ok(())
}

/// Does something with every case, two at a time, and gathers what goes wrong.
fn for_each_case(language: &str, work: impl Fn(&Case) -> Vec<String> + Sync) {
    let cases = cases(language);
    assert!(cases.len() > 40, "there are only {} programs", cases.len());
    let next = AtomicUsize::new(0);
    let problems: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = work(case);
                    problems.lock().expect("nobody panics").extend(found);
                }
            });
        }
    });
    let problems = problems.into_inner().expect("nobody panics");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn as_the_manifest_says(language: &str) {
    for_each_case(language, |case| match differences(case) {
        Ok(found) => found,
        Err(problem) => vec![problem],
    });
}

fn repaired_texts_compile(language: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("repaired-{language}"));
    std::fs::create_dir_all(&folder).expect("a folder for repaired texts");
    for_each_case(language, |case| {
        repaired_text_compiles(case, &folder).err().into_iter().collect()
    });
}

#[test]
fn programs_in_c_are_what_their_manifest_says() {
    as_the_manifest_says("c");
}

#[test]
fn programs_in_rust_are_what_their_manifest_says() {
    as_the_manifest_says("rust");
}

#[test]
fn repaired_programs_in_c_compile() {
    repaired_texts_compile("c");
}

#[test]
fn repaired_programs_in_rust_compile() {
    repaired_texts_compile("rust");
}

/// A program in C or Rust and the `.fw` program it is like have the same verdicts.
#[test]
fn manifests_agree_with_those_of_the_models() {
    let models = manifest::models();
    let mut compared = 0;
    for case in ["c", "rust"].into_iter().flat_map(cases) {
        let Some(like) = &case.like else { continue };
        let model = models.get(like).unwrap_or_else(|| panic!("{}: no {like}", case.name));
        let own = [case.instance.trf, case.instance.robustness, case.instance.persistence];
        let agrees = model.contains(&own);
        assert!(agrees, "{}: {own:?}, but {like} has {model:?}", case.name);
        compared += 1;
    }
    assert!(compared > 50, "only {compared} have a model");
}
