//! The manifests of programs in C and Rust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    #[serde(rename = "about")]
    _about: String,
    program: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "origin")]
    _origin: String,
    like: Option<String>,
    minimise: Option<Minimise>,
    instance: Vec<Instance>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instance {
    #[serde(default)]
    pub(crate) threads: Vec<String>,
    pub(crate) drf: Option<Answer>,
    pub(crate) trf: Answer,
    pub(crate) robustness: Answer,
    pub(crate) persistence: Answer,
    pub(crate) assertions_sc: Assertions,
    pub(crate) assertions_tso: Assertions,
    #[serde(rename = "fences")]
    _fences: Fences,
    pub(crate) statements: Fences,
    pub(crate) plain_races: Option<Answer>,
    #[serde(rename = "known")]
    _known: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    Yes,
    No,
}

impl Answer {
    pub(crate) const fn verdict(self) -> &'static str {
        match self {
            Self::Yes => "holds",
            Self::No => "violated",
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Assertions {
    Hold,
    Fail,
    Unknown,
}

impl Assertions {
    pub(crate) const fn verdict(self) -> &'static str {
        match self {
            Self::Hold => "holds",
            Self::Fail => "violated",
            Self::Unknown => "undecided",
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fences {
    pub(crate) robustness: u32,
    pub(crate) persistence: u32,
    pub(crate) trf: u32,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Minimise {
    pub(crate) existing: usize,
    pub(crate) needed: usize,
    /// Of what is not needed: fences.
    #[serde(default)]
    pub(crate) fences: usize,
    /// Stores that could be release stores.
    #[serde(default)]
    pub(crate) release: usize,
    /// Exchanges that could be stores.
    #[serde(default)]
    pub(crate) stores: usize,
}

/// One program with one choice of threads.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) like: Option<String>,
    pub(crate) minimise: Option<Minimise>,
    pub(crate) instance: Instance,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All cases of a language; every source of its folder is in one.
pub(crate) fn cases(language: &str) -> Vec<Case> {
    let folder = corpus().join(language);
    let suite: Suite = toml::from_str(&read(&folder.join("suite.toml")))
        .unwrap_or_else(|error| panic!("{language}: {error}"));
    let mut cases = Vec::new();
    let mut mentioned = Vec::new();
    for entry in suite.program {
        let files: Vec<String> = entry.file.into_iter().chain(entry.files).collect();
        mentioned.extend(files.iter().map(|file| folder.join(file)));
        for instance in entry.instance {
            cases.push(Case {
                name: files.join(" "),
                files: files.iter().map(|file| folder.join(file)).collect(),
                like: entry.like.clone(),
                minimise: entry.minimise,
                instance,
            });
        }
    }
    for listed in std::fs::read_dir(&folder).expect("a folder of the corpus") {
        let path = listed.expect("an entry").path();
        let is_source = path.extension().is_some_and(|found| found == "c" || found == "rs");
        let is_known = mentioned.contains(&path);
        assert!(!is_source || is_known, "{} is in no manifest", path.display());
    }
    cases
}

/// The verdicts of the `.fw` programs, by file: triangular races, robustness, persistence.
pub(crate) fn models() -> BTreeMap<String, Vec<[Answer; 3]>> {
    let mut models = BTreeMap::new();
    for folder in ["mutex", "locks", "protocols", "structures", "shapes"] {
        let manifest: toml::Table =
            toml::from_str(&read(&corpus().join(folder).join("suite.toml"))).expect("a manifest");
        for program in manifest["program"].as_array().expect("programs") {
            let file = program["file"].as_str().expect("a file");
            let verdicts = program["instance"].as_array().expect("instances").iter();
            let verdicts = verdicts.filter_map(|instance| {
                let answer = |key: &str| match instance[key].as_str() {
                    Some("yes") => Some(Answer::Yes),
                    Some("no") => Some(Answer::No),
                    Some(_) | None => None,
                };
                Some([answer("trf")?, answer("robustness")?, answer("persistence")?])
            });
            models.insert(format!("{folder}/{file}"), verdicts.collect());
        }
    }
    models
}
