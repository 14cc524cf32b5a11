//! Our own litmus tests in `corpus/litmus-weak`, with the verdicts written down there.

use std::path::Path;

use axiomatic::{Limits, Model, Observation, outcomes};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

fn is_allowed(program: &Program, model: Model) -> bool {
    let outcomes = outcomes(program, model, &Limits::default()).expect("litmus tests are small");
    outcomes.answer(program).expect("litmus tests ask").observation != Observation::Never
}

/// What differs from the table in a folder, which has the columns `file`, `verdict` and `sc_verdict` first.
fn different(folder: &Path) -> (usize, Vec<String>) {
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("a table of verdicts");
    let mut different = Vec::new();
    for line in table.lines().skip(1) {
        let [file, verdict, sc_verdict, ..] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("three columns: {line}");
        };
        let model = match file.split('/').next() {
            Some("aarch64") => Model::AArch64,
            Some("arm") => Model::ArmV7,
            Some("ppc") => Model::Power,
            Some("riscv") => Model::RiscV,
            Some("x86") => Model::Tso,
            Some(_) | None => panic!("an architecture: {line}"),
        };
        let text = std::fs::read_to_string(folder.join(file)).expect("a test");
        let mut sources = Sources::new();
        let source = sources.add(file, text);
        let program = load(&sources, source, Language::Litmus, &Settings::default())
            .unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
        for (model, verdict) in [(model, verdict), (Model::Sc, sc_verdict)] {
            let ours = if is_allowed(&program, model) { "Allowed" } else { "Forbidden" };
            if ours != verdict {
                different.push(format!("{file}: {model}: {ours}, written down: {verdict}"));
            }
        }
    }
    (table.lines().count() - 1, different)
}

/// How many files lie in the folders of a folder.
fn tests_in(folder: &Path) -> usize {
    let entries = |folder: &Path| {
        std::fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path())
    };
    entries(folder).filter(|path| path.is_dir()).map(|path| entries(&path).count()).sum()
}

#[test]
fn the_corpus_has_the_verdicts_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak");
    let (_, different) = different(&folder);
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn the_literature_has_the_verdicts_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-literature");
    let (count, different) = different(&folder);
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(count, tests_in(&folder), "every test has a verdict");
}
