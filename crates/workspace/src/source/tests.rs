//! Tests of a Cargo package as programs.
//!
//! Cargo runs all tests of a target in one process, each in a thread of its own. They are to have
//! nothing to do with each other, and each can be run alone; so each is a program, whose main thread
//! runs the function. As `cargo test` does by itself, tests that are to be ignored are left out unless they are
//! named; so are those that are to panic, for which an error is no error.

use std::path::Path;

use lowering::{Entry, Test};
use patch::Syntax;
use program::{Diagnostic, Diagnostics, Span};

use super::text::{Known, decode};
use crate::host::Host;
use crate::inputs::SourceOptions;

/// The attribute of a test in which an error is no error.
const SHOULD_PANIC: &str = "#[should_panic]";

/// Which tests are asked about.
#[derive(Debug)]
pub(super) struct Asked {
    /// Of this integration test; or those in the library or program itself.
    target: Option<String>,
    /// This one; or all that `cargo test` runs.
    name: Option<String>,
}

/// The tests that were asked for.
pub(super) struct Chosen {
    pub(super) tests: Vec<Test>,
    /// What was left out, one sentence each.
    pub(super) notes: Vec<String>,
}

/// The integration test that is asked about.
pub(super) fn target(options: &SourceOptions) -> Option<String> {
    let test = options.test.as_deref()?;
    Some(test.split_once("::").map_or(test, |(target, _)| target).to_owned())
}

impl Asked {
    /// What options ask for.
    pub(super) fn of(options: &SourceOptions) -> Option<Self> {
        let name = match (&options.test, &options.unit_tests) {
            (Some(test), _) => test.split_once("::").map(|(_, name)| name.to_owned()),
            (None, Some(name)) => Some(name.clone()).filter(|name| !name.is_empty()),
            (None, None) => return None,
        };
        Some(Self { target: target(options), name })
    }

    /// Whether one test is asked about.
    pub(super) fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// The option that asks for one test.
    pub(super) fn option(&self, name: &str) -> String {
        match &self.target {
            Some(target) => format!("--test {target}::{name}"),
            None => format!("--unit-tests={name}"),
        }
    }

    /// Chooses by name, or all that `cargo test` would run.
    pub(super) fn choose(
        &self,
        host: &dyn Host,
        found: Vec<Test>,
        known: &Known,
    ) -> Result<Chosen, Diagnostics> {
        let names = found.iter().map(Test::name).collect::<Vec<_>>().join(", ");
        if let Some(name) = &self.name {
            let tests: Vec<Test> = found.into_iter().filter(|test| test.name() == name).collect();
            if tests.is_empty() {
                let help = format!("the tests are: {names}");
                return Err(problem(format!("there is no test `{name}`"), help));
            }
            let panics = |test: &&Test| attribute(host, test, known) == Some(SHOULD_PANIC);
            let note = |test: &Test| {
                format!("`{}` is marked `{SHOULD_PANIC}`: it passes if it fails", test.name())
            };
            let notes = tests.iter().filter(panics).map(note).collect();
            return Ok(Chosen { tests, notes });
        }
        let (mut tests, mut notes) = (Vec::new(), Vec::new());
        for test in found {
            match attribute(host, &test, known) {
                None => tests.push(test),
                Some(attribute) => notes.push(format!(
                    "`{}` is marked `{attribute}` and was left out; `{}` checks it",
                    test.name(),
                    self.option(test.name())
                )),
            }
        }
        if tests.is_empty() {
            let help = if names.is_empty() {
                "there are no functions marked `#[test]`".to_owned()
            } else {
                format!("name one of {names} as in `{}`", self.option("NAME"))
            };
            return Err(problem("there is no test that `cargo test` runs".to_owned(), help));
        }
        Ok(Chosen { tests, notes })
    }
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
fn attribute(host: &dyn Host, test: &Test, known: &Known) -> Option<&'static str> {
    let language = known.language(&test.file)?;
    let text = decode(host.read(Path::new(&test.file)).ok()?)?.text;
    let syntax = Syntax::parse(&text, language);
    let attributes = syntax.attributes_at(test.line);
    let has = |start: &str| attributes.iter().any(|attribute| attribute.starts_with(start));
    if has("#[ignore") {
        Some("#[ignore]")
    } else if has("#[should_panic") {
        Some(SHOULD_PANIC)
    } else {
        None
    }
}

fn problem(message: String, help: String) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message).help(help)]
}
