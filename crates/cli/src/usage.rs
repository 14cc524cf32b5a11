//! The arguments as they were typed, and what is wrong with them.
//!
//! Where JSON is asked for, errors of usage are a document like those of inputs, so that a reader of one format needs
//! no other. That must be known before the arguments are understood, and also if they never are.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::arguments::{Arguments, Color};
use crate::configuration;
use crate::output::Output;
use crate::status::Status;

/// For whom errors of usage are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people, on standard error.
    Text,
    /// For programs, on standard output.
    Json,
}

impl Form {
    /// What some arguments ask for.
    fn of(arguments: &[OsString]) -> Self {
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
                form = if value == "json" { Self::Json } else { Self::Text };
            }
        }
        form
    }
}

/// The arguments, and how errors of usage are told.
pub(crate) struct Understood {
    pub(crate) arguments: Arguments,
    pub(crate) form: Form,
}

/// What was typed, or how the process ends because of what is wrong with it.
pub(crate) fn understood() -> Result<Understood, ExitCode> {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let configured = configuration::configured(&typed).map_err(|problem| {
        let problem = report::terminal::text(&format!("{problem}\n"), false);
        end(Form::of(&typed), &clap::Error::raw(ErrorKind::Io, problem))
    })?;
    let given = configured.arguments;
    let form = Form::of(&given);
    let arguments = Arguments::try_parse_from(&given).map_err(|mut error| {
        advise(&mut error);
        if let Some(file) = &configured.file
            && Arguments::try_parse_from(&typed).is_ok()
        {
            let text = format!("{}: {}", file.display(), error.render());
            let text = report::terminal::text(&text.replacen("error: ", "", 1), false);
            return end(form, &clap::Error::raw(error.kind(), text));
        }
        // Errors quote arguments as they are, and what an argument controls a terminal with.
        let shown: Vec<String> =
            given.iter().map(|one| report::terminal::line(&one.to_string_lossy())).collect();
        if given.iter().zip(&shown).all(|(given, shown)| given == shown.as_str()) {
            return end(form, &error);
        }
        match Arguments::try_parse_from(&shown) {
            Err(same) if same.kind() == error.kind() => end(form, &same),
            Err(_) | Ok(_) => {
                let text = report::terminal::text(&error.render().to_string(), false);
                end(form, &clap::Error::raw(error.kind(), text))
            }
        }
    })?;
    Ok(Understood { arguments, form })
}

/// Tells an error, or the help that was asked for, and says how the process ends.
fn end(form: Form, error: &clap::Error) -> ExitCode {
    match form {
        Form::Json if error.use_stderr() => {
            let (problem, help) = parts(&error.render().to_string());
            let document = report::json::misuse(&problem, help.as_deref());
            Output::new(Color::Never, false, form).data(&document);
            Status::BadInput.exit_code()
        }
        Form::Text | Form::Json => error.exit(),
    }
}

/// What an error says is wrong, in a line, and what it says can be done.
fn parts(rendered: &str) -> (String, Option<String>) {
    let in_a_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = rendered.split("\n\n").map(in_a_line).filter(|text| {
        !(text.is_empty() || text.starts_with("Usage:") || text.starts_with("For more information"))
    });
    let problem = paragraphs.next().unwrap_or_default();
    let tips: Vec<String> =
        paragraphs.map(|text| text.trim_start_matches("tip: ").to_owned()).collect();
    let problem = problem.trim_start_matches("error: ").to_owned();
    (problem, (!tips.is_empty()).then(|| tips.join("; ")))
}

/// Better advice than to pass something unknown as a value: here that would be a flag for a compiler.
fn advise(error: &mut clap::Error) {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(_) | None => None,
    };
    let kind = error.kind();
    let advice = if kind == ErrorKind::UnknownArgument {
        let unknown = text(error, ContextKind::InvalidArg).unwrap_or_default();
        let formats = ["json", "html", "svg", "dot", "sarif", "github"];
        error.remove(ContextKind::Suggested);
        let format = unknown.strip_prefix("--").filter(|name| formats.contains(name));
        format.map(|name| format!("use '--format {name}'"))
    } else if kind == ErrorKind::InvalidSubcommand {
        let unknown = text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
        let is_input = std::path::Path::new(&unknown).exists();
        is_input.then(|| format!("to check a program, use 'fencewright check {unknown}'"))
    } else if kind == ErrorKind::MissingRequiredArgument
        && std::env::args_os().any(|word| word == "--")
    {
        Some("files come before '--'; what follows it are flags for the compiler".to_owned())
    } else {
        None
    };
    if let Some(advice) = advice {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_format_before_flags_of_compilers_counts() {
        let form = |line: &str| {
            let words = std::iter::once("fencewright").chain(line.split(' '));
            Form::of(&words.map(OsString::from).collect::<Vec<_>>())
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

    #[test]
    fn errors_are_split_into_what_is_wrong_and_what_to_do() {
        let rendered = "error: unexpected argument '--al' found\n\n  tip: a similar argument exists: '--all'\n\n\
                        Usage: fencewright check --all <FILE>...\n\nFor more information, try '--help'.\n";
        let (problem, help) = parts(rendered);
        assert_eq!(problem, "unexpected argument '--al' found");
        assert_eq!(help.as_deref(), Some("a similar argument exists: '--all'"));
        let required =
            "error: the following required arguments were not provided:\n  <FILE>...\n\nUsage: x\n";
        let (problem, help) = parts(required);
        assert_eq!(problem, "the following required arguments were not provided: <FILE>...");
        assert_eq!(help, None);
    }
}
