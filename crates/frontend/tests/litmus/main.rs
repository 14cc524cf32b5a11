//! Litmus tests: what they lower to, how they print, and what is said about wrong input.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use frontend::{Language, Settings, fw, litmus, load};
use program::{Diagnostics, Program, Sources, canonical};
use proptest::prelude::*;

mod corpora;
mod errors;
mod lowering;
mod printing;
mod properties;
mod weak_errors;
mod weak_lowering;
mod weak_printing;

fn parse(text: &str) -> Result<Program, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let source = sources.add("test.litmus", text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .map_err(|errors| (sources, errors))
}

fn parsed(text: &str) -> Program {
    parse(text).unwrap_or_else(|(sources, errors)| panic!("{}", shown(&sources, &errors)))
}

fn shown(sources: &Sources, errors: &Diagnostics) -> String {
    let mut text = String::new();
    for error in errors {
        if let Some(source) = error.span.source {
            let (line, column) = sources.line_column(source, error.span.start);
            let _ = write!(text, "{line}:{column}: ");
        }
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        let _ = writeln!(text, "{}{help}", error.message);
    }
    text
}

/// Printing a test and reading it again must give the same program.
fn round_trip(text: &str) -> Result<String, String> {
    let program = parse(text).map_err(|(sources, errors)| shown(&sources, &errors))?;
    let printed = litmus::print(&program).map_err(|errors| format!("cannot print: {errors:#?}"))?;
    let again = parse(&printed)
        .map_err(|(sources, errors)| format!("{printed}\n{}", shown(&sources, &errors)))?;
    match canonical::difference(&program, &again) {
        None => Ok(printed),
        Some(difference) => Err(format!("{printed}\n{difference}")),
    }
}

fn corpus(folder: &str) -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "litmus"))
        .collect();
    files.sort();
    Some(files)
}

fn round_trips(files: &[PathBuf]) {
    let mut failures = String::new();
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(file).expect("a readable file");
        assert!(litmus::looks_like(&text), "{}", file.display());
        if let Err(failure) = round_trip(&text) {
            count += 1;
            let _ = writeln!(failures, "{}: {failure}", file.display());
        }
    }
    assert!(failures.is_empty(), "{count} of {} tests fail\n{failures}", files.len());
}
/// The lowered program in the modelling language, with its question.
fn check(text: &str, expected: &Expect) {
    let program = parsed(text);
    let mut lowered = fw::print(&program);
    let question = program.question();
    if !question.observed.is_empty() {
        let _ = writeln!(lowered, "observed {:?}", question.observed);
    }
    if let Some(filter) = &question.filter {
        let _ = writeln!(lowered, "filter {filter:?}");
    }
    if let Some((quantifier, proposition)) = &question.condition {
        let _ = writeln!(lowered, "{quantifier} {proposition:?}");
    }
    expected.assert_eq(&lowered);
}

fn check_printed(text: &str, expected: &Expect) {
    expected.assert_eq(&round_trip(text).unwrap_or_else(|failure| panic!("{failure}")));
}

fn check_errors(text: &str, expected: &Expect) {
    let (sources, errors) = parse(text).expect_err("an error");
    expected.assert_eq(&shown(&sources, &errors));
}
