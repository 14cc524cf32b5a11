//! Places in texts where something can be changed, and changes of texts: what a changed text means
//! is what the changed model means.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names what it looks at")]

mod combined;
mod fences;
mod insertion;
mod model;
mod properties;
mod refused;
mod shown;
mod shown_steps;
mod stores;
mod texts;

use frontend::edit::{Change, edit};
use frontend::{Language, Settings, load};
use program::{Diagnostics, Program, Sources};

fn parse(language: Language, text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, language, &Settings::default())
        .unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

/// The text with changes.
fn changed(language: Language, text: &str, changes: &[Change]) -> Result<String, Diagnostics> {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    edit(&sources, source, language, changes)
}

/// The text with changes that are possible. No comment of it is lost.
fn edited(language: Language, text: &str, changes: &[Change]) -> String {
    let edited = changed(language, text, changes)
        .unwrap_or_else(|errors| panic!("{changes:?}\n{text}\n{errors:#?}"));
    let comments = texts::comments(language, text);
    assert_eq!(comments, texts::comments(language, &edited), "{text}\n{edited}");
    edited
}
