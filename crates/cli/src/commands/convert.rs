//! `fencewright convert`.

use frontend::Language;
use program::{Diagnostic, Diagnostics, Span};

use crate::arguments::{Convert, Format, Target};
use crate::commands::instrument::instrumented;
use crate::files;
use crate::input::{self, Loaded};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(convert: &Convert, output: &mut Output) -> Status {
    if convert.output.is_some() && convert.inputs.may_be_several() {
        output.message("error: `--output` takes one program; convert them one by one\n");
        return Status::BadInput;
    }
    let given = convert.arch != frontend::litmus::Target::X86;
    if given && convert.to != Target::Language(Language::Litmus) {
        output.message("error: `--arch` is for `--to litmus`\n");
        return Status::BadInput;
    }
    input::for_each(&convert.inputs, convert.format, output, |loaded, output| {
        match translate(convert, loaded).and_then(|text| deliver(convert, &text, output)) {
            Ok(()) => Status::Fine,
            Err(errors) => {
                input::report(&loaded.file, &errors, &loaded.sources, convert.format, output);
                Status::BadInput
            }
        }
    })
}

fn translate(convert: &Convert, loaded: &Loaded) -> Result<String, Diagnostics> {
    let program = instrumented(convert, loaded)?;
    let text = match convert.to {
        Target::Language(Language::Litmus) => frontend::litmus::print_for(&program, convert.arch)?,
        Target::Language(language) => frontend::print(&program, language)?,
        Target::Promela => frontend::promela::print(&program)?,
        Target::Dot => report::dot::render(&program),
    };
    Ok(match convert.format {
        Format::Text => text,
        Format::Json => report::json::conversion(&loaded.file, convert.to.name(), &text),
    })
}

fn deliver(convert: &Convert, text: &str, output: &mut Output) -> Result<(), Diagnostics> {
    match &convert.output {
        None => {
            output.data(text);
            Ok(())
        }
        Some(path) => {
            files::write(path, text).map_err(|problem| vec![Diagnostic::new(Span::NONE, problem)])
        }
    }
}
