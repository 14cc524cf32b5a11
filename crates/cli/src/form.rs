//! The form of what is said where there is no answer: an input that cannot be read, or a question that a limit ends. Whoever
//! asked for a document gets one in every case.

use std::ffi::{OsStr, OsString};

use program::{Diagnostic, Sources};

use crate::arguments::Format;
use crate::output::{Output, Said};

/// For whom something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    Html,
    Svg,
    Dot,
    Sarif,
    Github,
}

impl From<Format> for Form {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

impl Form {
    /// What some arguments ask for, as they were typed: that must be known before they are understood, and also if they
    /// never are.
    pub(crate) fn typed(arguments: &[OsString]) -> Self {
        let mut own = arguments.iter().skip(1).take_while(|word| *word != "--").peekable();
        // A compiler gets all its arguments as they are.
        if own.peek().is_some_and(|word| *word == "cc") {
            return Self::Text;
        }
        let mut form = Self::Text;
        while let Some(word) = own.next() {
            let value = match word.to_str().and_then(|word| word.strip_prefix("--format=")) {
                Some(value) => Some(OsStr::new(value)),
                None if word == "--format" => own.peek().map(|word| word.as_os_str()),
                None => None,
            };
            if let Some(value) = value {
                form = Self::named(value);
            }
        }
        form
    }

    fn named(value: &OsStr) -> Self {
        match value.to_str() {
            Some("json") => Self::Json,
            Some("html") => Self::Html,
            Some("svg") => Self::Svg,
            Some("dot") => Self::Dot,
            Some("sarif") => Self::Sarif,
            Some("github") => Self::Github,
            Some(_) | None => Self::Text,
        }
    }

    /// That a question is undecided: in a text, and as a document of JSON.
    pub(crate) fn undecided(self, file: &str, text: String, json: impl FnOnce() -> String) -> Said {
        match self {
            Self::Text => Said::Text(text),
            Self::Json => Said::Data(json()),
            Self::Html => Said::Page(report::html::undecided(file, &text)),
            Self::Svg => Said::Data(report::pictures::told(&text)),
            Self::Dot => Said::Data(report::pictures::told_dot(file, &text)),
            Self::Sarif => Said::Findings(report::sarif::undecided(text.trim_end())),
            Self::Github => Said::Data(report::github::undecided(file, text.trim_end())),
        }
    }

    /// What is wrong with an input, which has these files. People are told on standard error, whatever the document is.
    pub(crate) fn errors(
        self,
        (file, files): (&str, &[String]),
        errors: &[Diagnostic],
        sources: &Sources,
        output: &mut Output,
    ) {
        let text = || report::diagnostics::render(errors, sources, true);
        let document = match self {
            Self::Text => None,
            Self::Json => {
                output.data(&report::json::errors(file, files, errors, sources));
                return;
            }
            Self::Html => Some(Said::Page(report::html::error(file, &text()))),
            Self::Svg => Some(Said::Data(report::pictures::told(&text()))),
            Self::Dot => Some(Said::Data(report::pictures::told_dot(file, &text()))),
            Self::Sarif => Some(Said::Findings(report::sarif::errors(errors, sources))),
            Self::Github => Some(Said::Data(report::github::errors(file, errors, sources))),
        };
        output.message(&text());
        if let Some(document) = document {
            output.say(document);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_format_before_flags_of_compilers_counts() {
        let form = |line: &str| {
            let words = std::iter::once("fencewright").chain(line.split(' '));
            Form::typed(&words.map(OsString::from).collect::<Vec<_>>())
        };
        for line in
            ["check --format json --al x.fw", "check x --format=json", "nothing --format json"]
        {
            assert_eq!(form(line), Form::Json, "{line}");
        }
        for line in [
            "check x.fw",
            "check x --format",
            "check x --format text",
            "check x.c -- --format json",
            "cc --format json",
        ] {
            assert_eq!(form(line), Form::Text, "{line}");
        }
    }
}
