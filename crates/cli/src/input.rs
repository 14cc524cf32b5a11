//! Reading programs: files and standard input, their language, and what is wrong with them.

use std::io::Read;

use frontend::{Language, Settings};
use program::{Diagnostic, Diagnostics, Program, SourceId, Sources, Span};

use crate::arguments::{Format, Inputs};
use crate::output::Output;
use crate::status::Status;

/// A program that was read.
pub(crate) struct Loaded {
    /// The name to show.
    pub(crate) file: String,
    pub(crate) language: Language,
    pub(crate) sources: Sources,
    pub(crate) program: Program,
}

/// Does something with each input that can be read, and reports the others.
pub(crate) fn for_each(
    inputs: &Inputs,
    format: Format,
    output: &mut Output,
    mut act: impl FnMut(&Loaded, &mut Output) -> Status,
) -> Status {
    let mut status = Status::Fine;
    for file in &inputs.files {
        let mut sources = Sources::new();
        let loaded = load(file, inputs, &mut sources);
        let one = match loaded {
            Ok((language, program)) => {
                act(&Loaded { file: shown_name(file), language, sources, program }, output)
            }
            Err(errors) => {
                report(&shown_name(file), &errors, &sources, format, output);
                Status::BadInput
            }
        };
        status = status.max(one);
    }
    status
}

/// Reports what is wrong with an input.
pub(crate) fn report(
    file: &str,
    errors: &[Diagnostic],
    sources: &Sources,
    format: Format,
    output: &mut Output,
) {
    match format {
        Format::Text => output.message(&report::diagnostics::render(errors, sources, true)),
        Format::Json => output.result(&report::json::errors(file, errors, sources)),
    }
}

fn shown_name(file: &str) -> String {
    if file == "-" { "<stdin>".to_owned() } else { file.to_owned() }
}

fn load(
    file: &str,
    inputs: &Inputs,
    sources: &mut Sources,
) -> Result<(Language, Program), Diagnostics> {
    let source = read(file, sources)?;
    let detected = || Language::detect(file, sources.text(source));
    let Some(language) = inputs.lang.or_else(detected) else {
        let names = Language::ALL.map(Language::name).join(", ");
        let message = format!("cannot tell the language of {}", shown_name(file));
        let help = format!("name it with `--lang`: {names}");
        return Err(vec![Diagnostic::new(Span::NONE, message).help(help)]);
    };
    let settings = Settings { constants: inputs.constants.clone(), counts: inputs.counts.clone() };
    let program = frontend::load(sources, source, language, &settings)?;
    Ok((language, program))
}

fn read(file: &str, sources: &mut Sources) -> Result<SourceId, Diagnostics> {
    let name = shown_name(file);
    let problem = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let bytes = if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    let bytes = bytes.map_err(|error| problem(format!("cannot read {name}: {error}")))?;
    if bytes.len() > Sources::MAX_BYTES {
        return Err(problem(format!("{name} is larger than {} bytes", Sources::MAX_BYTES)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(sources.add(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let source = sources.add(name, text);
            let span = Span::new(source, at..at + '\u{fffd}'.len_utf8());
            Err(vec![
                Diagnostic::new(span, "this is not UTF-8 text")
                    .label("the first byte that is not")
                    .help("save the program as UTF-8"),
            ])
        }
    }
}
