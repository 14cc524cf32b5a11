//! Input languages: each is parsed into a syntax of its own and lowered into the one
//! [`program::Program`]; nothing downstream ever asks which language it was.
//!
//! This crate knows nothing about memory models or analyses, and reads no files: it is given
//! texts.

pub mod fw;
pub mod litmus;
pub mod trencher;

mod suggest;

use program::{Diagnostics, Program, SourceId, Sources, Value};

/// An input language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Fencewright's own modelling language.
    Fw,
    /// Litmus tests in the format of herd.
    Litmus,
    /// The input language of Trencher and Persist.
    Trencher,
}

/// What a user can set from outside a program.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// New values for the program's constants.
    pub constants: Vec<(String, Value)>,
}

/// The program that a source text describes, or all that is wrong with it.
pub fn load(
    sources: &Sources,
    source: SourceId,
    language: Language,
    settings: &Settings,
) -> Result<Program, Diagnostics> {
    match language {
        Language::Fw => fw::load(sources, source, settings),
        Language::Litmus => litmus::load(sources, source),
        Language::Trencher => trencher::load(sources, source),
    }
}

/// The name of a file without folders and extension: what a program is called that says nothing
/// else.
fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}
