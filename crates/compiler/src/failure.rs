//! What can go wrong, as data. Every message says what happened and, where there is something to
//! do about it, what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no LLVM IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// An input or an overridden file does not exist.
    Missing(PathBuf),
    /// A file or folder cannot be read or written.
    Unreachable {
        /// What was tried, as in "cannot *read*".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A text is not UTF-8.
    NotText(PathBuf),
    /// The kind of an input is known, and not supported.
    Unsupported {
        /// The input.
        path: PathBuf,
        /// Why, and what to do instead.
        reason: &'static str,
    },
    /// The kind of an input is not known.
    UnknownKind(PathBuf),
    /// A file that describes how to compile others cannot be understood.
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A flag that cannot be passed on.
    Flag {
        /// The flag.
        flag: String,
        /// Why not.
        reason: &'static str,
    },
    /// There are several programs to choose from, or the one that was chosen is not there.
    Choice {
        /// What has to be chosen, with the reason.
        question: String,
        /// What there is.
        among: Vec<String>,
    },
    /// No compiler was found.
    NoCompiler {
        /// Which one.
        tool: &'static str,
        /// What was looked for, in this order.
        tried: Vec<String>,
        /// How to get one.
        advice: &'static str,
    },
    /// A program could not be started.
    NotStarted {
        /// The whole command line.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// A compiler ended with an error.
    Compiler {
        /// The whole command line.
        command: String,
        /// Where it ran: relative names in its messages are meant from there.
        folder: PathBuf,
        /// How it ended.
        status: String,
        /// All that it wrote to its standard error.
        message: String,
    },
    /// A compiler was content, but there is no IR.
    Nothing {
        /// Of what there is none.
        of: String,
        /// Why that may be.
        reason: &'static str,
    },
}

impl Failure {
    /// The failure of reading or writing `path`.
    pub(crate) fn io(doing: &'static str, path: &Path, error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::NotFound && doing == "read" {
            Self::Missing(path.to_owned())
        } else {
            Self::Unreachable { doing, path: path.to_owned(), reason: error.to_string() }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "{}: there is no such file", path.display()),
            Self::Unreachable { doing, path, reason } => {
                write!(f, "cannot {doing} {}: {reason}", path.display())
            }
            Self::NotText(path) => write!(f, "{}: not a text in UTF-8", path.display()),
            Self::Unsupported { path, reason } => write!(f, "{}: {reason}", path.display()),
            Self::UnknownKind(path) => {
                write!(f, "{}: unsupported file type; {READABLE}", path.display())
            }
            Self::Malformed { path, reason } => write!(f, "{}: {reason}", path.display()),
            Self::Flag { flag, reason } => write!(f, "the compiler flag '{flag}' {reason}"),
            Self::Choice { question, among } if among.is_empty() => {
                write!(f, "{question}; there are none")
            }
            Self::Choice { question, among } => {
                write!(f, "{question}; there are: {}", listed(among))
            }
            Self::NoCompiler { tool, tried, advice } => {
                write!(f, "{tool} was not found (tried {}); {advice}", tried.join(", "))
            }
            Self::NotStarted { command, reason } => {
                write!(f, "cannot start a program: {reason}\n  command: {command}")
            }
            Self::Compiler { command, status, message, .. } => {
                write!(
                    f,
                    "{}\nthe compiler ended with {status}\n  command: {command}",
                    message.trim_end()
                )
            }
            Self::Nothing { of, reason } => write!(f, "{of}: no LLVM IR was written; {reason}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Names in a sentence; of many, the first.
pub(crate) fn listed<Name: AsRef<str>>(names: &[Name]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &rest
}

/// What [`crate::Input::of`] recognises.
const READABLE: &str = "what is read: models and litmus tests (.fw, .litmus), .c and .rs files, .ll files (LLVM IR as text), a folder with \
                        a Cargo.toml or that file, compile_commands.json, and a recording";
