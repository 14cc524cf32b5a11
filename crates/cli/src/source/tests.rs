//! Tests of a Cargo package as programs.
//!
//! Cargo runs all tests of a target in one process, each in a thread of its own. They are to have
//! nothing to do with each other, and each can be run alone; so each is a program, whose main thread
//! runs the function. As `cargo test` does by itself, tests that are to be ignored are left out unless they are
//! named; so are those that are to panic, for which an error is no error.

use lowering::{Entry, Test};
use patch::Syntax;
use program::{Diagnostic, Diagnostics, Span};

use super::text::{Known, decode};

/// The tests that were asked for.
pub(super) struct Chosen {
    pub(super) tests: Vec<Test>,
    /// What was left out, one sentence each.
    pub(super) notes: Vec<String>,
}

/// The name of a target and, behind `::`, of one of its tests.
pub(super) fn parts(asked: &str) -> (&str, Option<&str>) {
    asked.split_once("::").map_or((asked, None), |(target, test)| (target, Some(test)))
}

/// Chooses by name, or all that `cargo test` would run.
pub(super) fn choose(
    found: Vec<Test>,
    target: &str,
    named: Option<&str>,
    known: &Known,
) -> Result<Chosen, Diagnostics> {
    let names = found.iter().map(Test::name).collect::<Vec<_>>().join(", ");
    if let Some(name) = named {
        let tests: Vec<Test> = found.into_iter().filter(|test| test.name() == name).collect();
        return match tests.as_slice() {
            [] => Err(problem(
                format!("`{target}` has no test `{name}`"),
                format!("its tests are: {names}"),
            )),
            [_, ..] => Ok(Chosen { tests, notes: Vec::new() }),
        };
    }
    let (mut tests, mut notes) = (Vec::new(), Vec::new());
    for test in found {
        match attribute(&test, known) {
            None => tests.push(test),
            Some(attribute) => notes.push(format!(
                "`{0}` is marked `{attribute}` and was left out; `--test {target}::{0}` checks it",
                test.name()
            )),
        }
    }
    if tests.is_empty() {
        let help = if names.is_empty() {
            "there are none".to_owned()
        } else {
            format!("name one of {names} as in `--test {target}::NAME`")
        };
        return Err(problem(format!("`{target}` has no test that `cargo test` runs"), help));
    }
    Ok(Chosen { tests, notes })
}

/// The thread that a test is; an error if whether it passes is not decided by an error in it.
pub(super) fn entry(test: &Test) -> Result<Entry, Diagnostics> {
    if test.returns {
        return Err(problem(
            format!("the test `{}` returns a value that says whether it passed", test.name()),
            "let it return nothing, and unwrap what is in it".to_owned(),
        ));
    }
    let function = test.function.clone();
    Ok(Entry { function, arguments: Vec::new(), copies: 1, is_first: false })
}

/// The attribute for which a test is left out, as its author wrote it.
fn attribute(test: &Test, known: &Known) -> Option<&'static str> {
    let language = known.language(&test.file)?;
    let text = decode(std::fs::read(&test.file).ok()?)?.text;
    let syntax = Syntax::parse(&text, language);
    let attributes = syntax.attributes_at(test.line);
    let has = |start: &str| attributes.iter().any(|attribute| attribute.starts_with(start));
    if has("#[ignore") {
        Some("#[ignore]")
    } else if has("#[should_panic") {
        Some("#[should_panic]")
    } else {
        None
    }
}

fn problem(message: String, help: String) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message).help(help)]
}
