//! Input languages: each is parsed into a syntax of its own and lowered into the one
//! [`program::Program`]; nothing downstream ever asks which language it was.
//!
//! This crate knows nothing about memory models or analyses, and reads no files: it is given
//! texts.

pub mod edit;
pub mod esop13;
pub mod esop15;
pub mod fw;
pub mod litmus;
pub mod promela;
pub mod remmex;
pub mod rmm;
pub mod trencher;

mod final_state;
mod operators;
mod papers;
mod print_expr;
mod suggest;
mod token;

use program::{Diagnostic, Diagnostics, Program, SourceId, Sources, Span, Value};

pub use final_state::{Told, Words, condition};

/// How many errors of one file are reported.
const MAX_ERRORS: usize = 100;

/// An input language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Fencewright's own modelling language.
    Fw,
    /// Litmus tests in the format of herd.
    Litmus,
    /// The input language of Trencher and Persist.
    Trencher,
    /// The syntax of the ESOP'13 paper.
    Esop13,
    /// The syntax of the ESOP'15 paper.
    Esop15,
    /// The input language of Memorax.
    Rmm,
    /// The input language of Remmex.
    Remmex,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 7] = [
        Self::Fw,
        Self::Litmus,
        Self::Trencher,
        Self::Esop13,
        Self::Esop15,
        Self::Rmm,
        Self::Remmex,
    ];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fw => "fw",
            Self::Litmus => "litmus",
            Self::Trencher => "trencher",
            Self::Esop13 => "esop13",
            Self::Esop15 => "esop15",
            Self::Rmm => "rmm",
            Self::Remmex => "remmex",
        }
    }

    /// The language of a text, by the extension of its file and, where that says nothing, by how
    /// the text begins.
    pub fn detect(file: &str, text: &str) -> Option<Self> {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension);
        let named = |language: &Self| Some(language.name()) == extension;
        Self::ALL.into_iter().find(named).or_else(|| {
            // The papers' programs begin with the word `program`, as those of `.fw` may.
            if litmus::looks_like(text) {
                Some(Self::Litmus)
            } else if rmm::looks_like(text) {
                Some(Self::Rmm)
            } else if remmex::looks_like(text) {
                Some(Self::Remmex)
            } else if trencher::looks_like(text) {
                Some(Self::Trencher)
            } else if esop15::looks_like(text) {
                Some(Self::Esop15)
            } else if esop13::looks_like(text) {
                Some(Self::Esop13)
            } else if fw::looks_like(text) {
                Some(Self::Fw)
            } else {
                None
            }
        })
    }
}

/// What a user can set from outside a program.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// New values for the program's constants.
    pub constants: Vec<(String, Value)>,
    /// Numbers of copies for threads that can have any number.
    pub counts: Vec<(String, u32)>,
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
        Language::Litmus => without(settings, || litmus::load(sources, source)),
        Language::Trencher => without(settings, || trencher::load(sources, source)),
        Language::Esop13 => without(settings, || esop13::load(sources, source)),
        Language::Esop15 => without(settings, || esop15::load(sources, source)),
        Language::Rmm => without(settings, || rmm::load(sources, source)),
        Language::Remmex => without(settings, || remmex::load(sources, source)),
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
        Language::Litmus => litmus::print(program),
        Language::Trencher => trencher::print(program),
        Language::Esop13 => esop13::print(program),
        Language::Esop15 => esop15::print(program),
        Language::Rmm => rmm::print(program),
        Language::Remmex => remmex::print(program),
    }
}

/// Loads a program of a language in which there is nothing to set and nothing to count.
fn without(
    settings: &Settings,
    load: impl FnOnce() -> Result<Program, Diagnostics>,
) -> Result<Program, Diagnostics> {
    let unknown = settings.constants.iter().map(|(name, _)| {
        Diagnostic::new(Span::NONE, format!("there is no constant `{name}` to set"))
            .help("only programs in the language `fw` have constants")
    });
    let uncounted = settings.counts.iter().map(|(name, _)| {
        Diagnostic::new(Span::NONE, format!("there is no thread `{name}` to count"))
            .help("only programs in the language `fw` have threads of any number")
    });
    let errors: Diagnostics = unknown.chain(uncounted).collect();
    if errors.is_empty() { load() } else { Err(errors) }
}

/// Lines for a comment in a language that cannot ask about final states: what the program asks.
fn unasked_question(program: &Program) -> Vec<String> {
    let question = fw::Notation::new(program).question(program);
    // Names may contain anything; nothing may end the comment.
    let harmless = |line: &str| line.replace("*/", "* /").replace(char::is_control, "_");
    let lines = question.lines().filter(|line| !line.is_empty());
    lines.map(|line| format!("left out: {}", harmless(line))).collect()
}

/// The name of a file without folders and extension: what a program is called that says nothing
/// else.
fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name).trim_matches(['<', '>']);
    match file.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}
