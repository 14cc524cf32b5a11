//! The arguments as they were typed, and what is wrong with them.
//!
//! Where JSON is asked for, errors of usage are a document like those of inputs, so that a reader of one format needs
//! no other. That must be known before the arguments are understood, and also if they never are.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::arguments::{Arguments, Color};
use crate::configuration;
use crate::form::Form;
use crate::output::Output;
use crate::status::Status;

/// What was asked, as documents for programs say it.
pub(crate) struct Asked {
    /// How errors of usage are told.
    pub(crate) form: Form,
    /// The arguments, those of `fencewright.toml` included, but for the part of many programs that was asked for: the
    /// parts put together are what one command would have written.
    pub(crate) arguments: Vec<String>,
}

impl Asked {
    fn of(given: &[OsString]) -> Self {
        let mut arguments = Vec::new();
        let mut rest = given.iter().skip(1);
        while let Some(argument) = rest.next() {
            if argument == "--" {
                arguments.push(argument.to_string_lossy().into_owned());
                arguments.extend(rest.map(|flag| flag.to_string_lossy().into_owned()));
                break;
            }
            if argument == "--shard" {
                rest.next();
            } else if !argument.to_string_lossy().starts_with("--shard=") {
                arguments.push(argument.to_string_lossy().into_owned());
            }
        }
        Self { form: Form::typed(given), arguments }
    }

    /// The arguments as they would be typed.
    pub(crate) fn in_a_line(&self) -> String {
        shlex::try_join(self.arguments.iter().map(String::as_str)).unwrap_or_default()
    }
}

/// The arguments, understood and as they are.
pub(crate) struct Understood {
    pub(crate) arguments: Arguments,
    pub(crate) asked: Asked,
}

/// What was typed, or how the process ends because of what is wrong with it.
pub(crate) fn understood() -> Result<Understood, ExitCode> {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let configured = configuration::configured(&typed).map_err(|problem| {
        let problem = report::terminal::text(&format!("{problem}\n"), false);
        end(Asked::of(&typed), &clap::Error::raw(ErrorKind::Io, problem))
    })?;
    let given = configured.arguments;
    let arguments = Arguments::try_parse_from(&given).map_err(|mut error| {
        advise(&mut error);
        if let Some(file) = &configured.file
            && Arguments::try_parse_from(&typed).is_ok()
        {
            let text = format!("{}: {}", file.display(), error.render());
            let text = report::terminal::text(&text.replacen("error: ", "", 1), false);
            return end(Asked::of(&given), &clap::Error::raw(error.kind(), text));
        }
        // Errors quote arguments as they are, and what an argument controls a terminal with.
        let shown: Vec<String> =
            given.iter().map(|one| report::terminal::line(&one.to_string_lossy())).collect();
        if given.iter().zip(&shown).all(|(given, shown)| given == shown.as_str()) {
            return end(Asked::of(&given), &error);
        }
        match Arguments::try_parse_from(&shown) {
            Err(same) if same.kind() == error.kind() => end(Asked::of(&given), &same),
            Err(_) | Ok(_) => {
                let text = report::terminal::text(&error.render().to_string(), false);
                end(Asked::of(&given), &clap::Error::raw(error.kind(), text))
            }
        }
    })?;
    Ok(Understood { arguments, asked: Asked::of(&given) })
}

/// Tells an error, or the help that was asked for, and says how the process ends.
fn end(asked: Asked, error: &clap::Error) -> ExitCode {
    match asked.form {
        Form::Json if error.use_stderr() => {
            let (problem, help) = parts(&error.render().to_string());
            let document = report::json::misuse(&problem, help.as_deref());
            Output::new(Color::Never, false, asked).data(&document);
            Status::BadInput.exit_code()
        }
        Form::Text
        | Form::Json
        | Form::Html
        | Form::Svg
        | Form::Dot
        | Form::Sarif
        | Form::Github => error.exit(),
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
    fn arguments_are_those_of_the_whole() {
        let check = |line: &str, expected: &str| {
            let words = std::iter::once("fencewright").chain(line.split(' '));
            let asked = Asked::of(&words.map(OsString::from).collect::<Vec<_>>());
            assert_eq!(asked.in_a_line(), expected);
        };
        check("check a.fw --shard 1/2 --format json", "check a.fw --format json");
        check("check --shard=1/2 a.c -- --shard", "check a.c -- --shard");
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
