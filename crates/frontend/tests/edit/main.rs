//! Places in texts where something can be changed, and changes of texts: what a changed text means
//! is what the changed model means.
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names what it looks at")]

mod combined;
mod fences;
mod in_c;
mod insertion;
mod model;
mod properties;
mod refused;
mod shown;
mod shown_kinds;
mod shown_steps;
mod stores;
mod texts;

use frontend::edit::{Change, edit};
use frontend::{Language, Settings, load};
use program::{Diagnostics, FenceKind, Program, Sources};

/// What most fences are.
const FULL: FenceKind = FenceKind::Full;

/// The kinds of fences that the language of a text has, all of them in order.
fn kinds(language: Language, text: &str) -> &'static [FenceKind] {
    use FenceKind::{Acquire, Control, Full, Lightweight, LoadLoad, StoreStore};
    match language {
        Language::Fw => &FenceKind::ALL,
        Language::Litmus => match text.split_whitespace().next() {
            Some("X86" | "X86_64") => &[Full, StoreStore, LoadLoad],
            Some("AArch64") => &[Full, StoreStore, Acquire, Control],
            Some("ARM") => &[Full, StoreStore, Control],
            Some("PPC") => &[Full, Lightweight, StoreStore, Control],
            Some("RISCV") => &FenceKind::ALL,
            other => panic!("{other:?}"),
        },
        Language::Trencher | Language::Esop13 | Language::Esop15 | Language::Remmex => &[Full],
        Language::Rmm => &[Full, StoreStore, LoadLoad],
    }
}

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
    let is_fence =
        |change: &Change| matches!(change, Change::FenceBefore(..) | Change::FenceAfter(..));
    if language == Language::Fw && changes.iter().all(is_fence) {
        assert_eq!(without_inserted(text, changes), text);
    }
    edited
}

/// The changed text without what was inserted.
fn without_inserted(text: &str, changes: &[Change]) -> String {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let edited = frontend::edit::edited(&sources, source, Language::Fw, changes);
    let frontend::edit::Edited { mut text, inserted } = edited.expect("it was changed before");
    for range in inserted.into_iter().rev() {
        text.replace_range(range, "");
    }
    text
}
