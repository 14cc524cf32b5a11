//! The manifests of the corpus are well-formed and complete, and nothing contradicts them: random
//! runs, `reach`, the oracle where it can enumerate, instrumented programs under SC, and spin.
//! `corpus/README.md` describes them.

mod by_check;
mod by_fence;
mod by_instrumentation;
mod by_oracle;
mod by_outcomes;
mod by_reach;
mod by_spin;
mod by_tso;
mod clients;
mod consistency;
mod random_runs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use frontend::{Language, Settings, load};
use program::{Diagnostics, Program, Sources};
use serde::Deserialize;

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
        // The tests for weak machines come with verdicts of their own; programs in C and Rust, those
        // to be ported, those without a bound, those of any number of threads and histories have tests of
        // their own, and clients of libraries an example.
        .filter(|folder| !folder.join("verdicts.csv").exists())
        .filter(|folder| {
            let others = ["any", "c", "clients", "histories", "peers", "port", "rust", "unbounded"];
            !others.iter().any(|name| folder.ends_with(name))
        })
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
    let language = Language::detect(sources.name(source), "").expect("a language by its extension");
    load(&sources, source, language, &Settings { constants, ..Settings::default() })
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
