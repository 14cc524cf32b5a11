//! Our own litmus tests in `corpus/litmus-weak`, with the verdicts written down there.

use std::path::Path;

use axiomatic::{Limits, Model, Observation, outcomes};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

fn is_allowed(program: &Program, model: Model) -> bool {
    let outcomes = outcomes(program, model, &Limits::default()).expect("litmus tests are small");
    outcomes.answer(program).expect("litmus tests ask").observation != Observation::Never
}

#[test]
fn the_corpus_has_the_verdicts_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak");
    let table = std::fs::read_to_string(folder.join("verdicts.csv")).expect("a table of verdicts");
    let mut different = Vec::new();
    for line in table.lines().skip(1) {
        let [file, verdict, sc_verdict] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("three columns: {line}");
        };
        let model = match file.split('/').next() {
            Some("aarch64") => Model::AArch64,
            Some("arm") => Model::ArmV7,
            Some("ppc") => Model::Power,
            Some("riscv") => Model::RiscV,
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
    assert!(different.is_empty(), "{different:#?}");
}
