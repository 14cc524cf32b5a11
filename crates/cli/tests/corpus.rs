//! The manifests of the corpus are well-formed and complete, and random runs contradict nothing
//! they say. `corpus/README.md` describes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use analysis::simulate::{Ending, simulate};
use frontend::{Language, Settings, load};
use program::{Diagnostics, Program, Sources};
use semantics::Model;
use serde::Deserialize;

/// Runs of each instance under SC, and how long they may be.
const SC_RUNS: u64 = 40;
const SC_STEPS: usize = 500;
/// Runs under TSO among which one must go wrong where the manifest says so. They go wrong early.
const TSO_RUNS: u64 = 3000;
const TSO_STEPS: usize = 600;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    about: String,
    program: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    about: String,
    origin: String,
    instance: Vec<Instance>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Instance {
    set: BTreeMap<String, i64>,
    drf: Answer,
    trf: Answer,
    robustness: Answer,
    persistence: Answer,
    assertions_sc: Assertions,
    assertions_tso: Assertions,
    fences: Option<Fences>,
    known: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Yes,
    No,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Assertions {
    Hold,
    Fail,
    Unknown,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fences {
    robustness: Option<u32>,
    persistence: Option<u32>,
    trf: Option<u32>,
}

/// Every manifest, with its folder.
fn suites() -> Vec<(PathBuf, Suite)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let suites: Vec<_> = entries(&corpus)
        .into_iter()
        .filter(|folder| folder.is_dir())
        .map(|folder| {
            let manifest = read(&folder.join("suite.toml"));
            let suite = toml::from_str(&manifest)
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            (folder, suite)
        })
        .collect();
    assert!(!suites.is_empty());
    suites
}

/// What a folder holds, in the order of the names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(folder).expect("the folder can be listed");
    let mut paths: Vec<PathBuf> =
        listing.map(|entry| entry.expect("the entry can be read").path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn load_with(path: &Path, set: &BTreeMap<String, i64>) -> Result<Program, Diagnostics> {
    let mut sources = Sources::new();
    let source = sources.add(path.display().to_string(), read(path));
    let constants = set.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
    load(&sources, source, Language::Fw, &Settings { constants })
}

/// The instance with its assertions on, if they have to be switched on.
fn checked(path: &Path, instance: &Instance) -> Program {
    let mut set = instance.set.clone();
    set.insert("CHECK".to_owned(), 1);
    load_with(path, &set)
        .or_else(|_| load_with(path, &instance.set))
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()))
}

/// Calls `test` for every instance of the corpus.
fn for_each_instance(mut test: impl FnMut(&Path, &Instance)) {
    for (folder, suite) in suites() {
        for entry in &suite.program {
            for instance in &entry.instance {
                test(&folder.join(&entry.file), instance);
            }
        }
    }
}

#[test]
fn manifests_list_every_program_once_and_say_something_about_it() {
    for (folder, suite) in suites() {
        assert!(!suite.about.is_empty(), "{}", folder.display());
        let mut listed: Vec<PathBuf> =
            suite.program.iter().map(|entry| folder.join(&entry.file)).collect();
        listed.sort();
        let present: Vec<PathBuf> = entries(&folder)
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "fw"))
            .collect();
        assert_eq!(listed, present);
        for entry in &suite.program {
            assert!(!entry.about.is_empty() && !entry.origin.is_empty(), "{}", entry.file);
            assert!(!entry.instance.is_empty(), "{}", entry.file);
        }
    }
}

#[test]
fn instances_load() {
    for_each_instance(|path, instance| {
        if let Err(errors) = load_with(path, &instance.set) {
            panic!("{} {:?}: {errors:#?}", path.display(), instance.set);
        }
    });
}

/// Data-race freedom implies triangular-race freedom, which implies robustness; robust and
/// persistent programs have the same reachable states as under SC.
#[test]
fn answers_are_consistent() {
    for_each_instance(|path, instance| {
        let name = format!("{} {:?}", path.display(), instance.set);
        assert!(!instance.known.is_empty(), "{name}");
        assert!(instance.drf != Answer::Yes || instance.trf == Answer::Yes, "{name}");
        assert!(instance.trf != Answer::Yes || instance.robustness == Answer::Yes, "{name}");
        let like_sc = [instance.robustness, instance.persistence].contains(&Answer::Yes);
        assert!(!like_sc || instance.assertions_sc == instance.assertions_tso, "{name}");
        if let Some(fences) = &instance.fences {
            let agree = |answer: Answer, fences: Option<u32>| match (answer, fences) {
                (_, None) => true,
                (Answer::Yes, Some(count)) => count == 0,
                (Answer::No, Some(count)) => count > 0,
                (Answer::Unknown, Some(_)) => false,
            };
            assert!(agree(instance.robustness, fences.robustness), "{name}");
            assert!(agree(instance.persistence, fences.persistence), "{name}");
            assert!(agree(instance.trf, fences.trf), "{name}");
        }
    });
}

#[test]
fn assertions_hold_in_random_runs_under_sc() {
    for_each_instance(|path, instance| {
        if instance.assertions_sc != Assertions::Hold {
            return;
        }
        let program = checked(path, instance);
        for seed in 0..SC_RUNS {
            let run = simulate(&program, Model::Sc, seed, SC_STEPS).expect("a definite program");
            let fine = !matches!(run.ending, Ending::Fault { .. } | Ending::Limit { .. });
            assert!(fine, "{} {:?}, seed {seed}: {:?}", path.display(), instance.set, run.ending);
        }
    });
}

#[test]
fn assertions_that_fail_under_tso_fail_in_some_random_run() {
    for_each_instance(|path, instance| {
        if instance.assertions_tso != Assertions::Fail {
            return;
        }
        let program = checked(path, instance);
        let fails = |seed: &u64| {
            let run = simulate(&program, Model::Tso, *seed, TSO_STEPS).expect("a definite program");
            matches!(run.ending, Ending::Fault { .. })
        };
        let found = (0..TSO_RUNS).find(fails);
        assert!(found.is_some(), "{} {:?}", path.display(), instance.set);
    });
}
