//! Input languages: each is parsed into a syntax of its own and lowered into the one
//! [`program::Program`]; nothing downstream ever asks which language it was.
//!
//! This crate knows nothing about memory models or analyses, and reads no files: it is given
//! texts.

mod suggest;
pub mod trencher;

use program::{Diagnostics, Program, SourceId, Sources, Value};

/// An input language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Fencewright's own modelling language.
    Fw,
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
        Language::Fw => {
            let _ = settings;
            Err(vec![])
        }
        Language::Trencher => trencher::load(sources, source),
    }
}
