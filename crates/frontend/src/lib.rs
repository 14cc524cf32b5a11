//! Input languages: each is parsed into a syntax of its own and lowered into the one
//! [`program::Program`]; nothing downstream ever asks which language it was.
//!
//! This crate knows nothing about memory models or analyses, and reads no files: it is given
//! texts.

pub mod fw;
pub mod trencher;

mod suggest;

use program::{Diagnostic, Diagnostics, Program, SourceId, Sources, Span, Value};

/// How many errors of one file are reported.
const MAX_ERRORS: usize = 100;

/// An input language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Fencewright's own modelling language.
    Fw,
    /// The input language of Trencher and Persist.
    Trencher,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::Fw, Self::Trencher];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fw => "fw",
            Self::Trencher => "trencher",
        }
    }

    /// The language of a text, by the extension of its file and, where that says nothing, by how
    /// the text begins.
    pub fn detect(file: &str, text: &str) -> Option<Self> {
        match file.rsplit_once('.').map(|(_, extension)| extension) {
            Some("fw") => Some(Self::Fw),
            Some("trencher") => Some(Self::Trencher),
            Some(_) | None if trencher::looks_like_trencher(text) => Some(Self::Trencher),
            Some(_) | None if fw::looks_like_fw(text) => Some(Self::Fw),
            Some(_) | None => None,
        }
    }
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
    let loaded = match language {
        Language::Fw => fw::load(sources, source, settings),
        Language::Trencher => {
            nothing_to_set(settings, language).and_then(|()| trencher::load(sources, source))
        }
    };
    loaded.map_err(as_many_as_anyone_reads)
}

/// The first errors, and how many more there are.
fn as_many_as_anyone_reads(mut errors: Diagnostics) -> Diagnostics {
    let more = errors.len().saturating_sub(MAX_ERRORS);
    if more > 0 {
        errors.truncate(MAX_ERRORS);
        errors.push(Diagnostic::new(Span::NONE, format!("there are {more} more errors")));
    }
    errors
}

/// The text of a program in a language, or everything that the language cannot express.
pub fn print(program: &Program, language: Language) -> Result<String, Diagnostics> {
    match language {
        Language::Fw => Ok(fw::print(program)),
        Language::Trencher => trencher::print(program),
    }
}

/// Only `.fw` has constants.
fn nothing_to_set(settings: &Settings, language: Language) -> Result<(), Diagnostics> {
    let unknown = settings.constants.iter().map(|(name, _)| {
        let message = format!("there is no constant `{name}` to set");
        let help = format!("programs in the language `{}` have no constants", language.name());
        Diagnostic::new(Span::NONE, message).help(help)
    });
    let errors: Diagnostics = unknown.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
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
