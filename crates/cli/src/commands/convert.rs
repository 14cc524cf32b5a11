//! `fencewright convert`.

use frontend::Language;
use program::{Diagnostic, Diagnostics, Program, Span};
use workspace::{Instrumentation as Asked, Refused};

use crate::arguments::{Convert, Format, Instrumentation, Target};
use crate::files;
use crate::input::{self, Given};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(convert: &Convert, output: &mut Output) -> Status {
    if convert.output.is_some() && convert.inputs.may_be_several() {
        return output.refuse("`--output` takes one program; convert them one by one");
    }
    let given = convert.arch != frontend::litmus::Target::X86;
    if given && convert.to != Target::Language(Language::Litmus) {
        return output.refuse("`--arch` is for `--to litmus`");
    }
    input::for_each(&convert.inputs, convert.format.into(), output, |given, output| {
        let translated = translate(convert, given)?;
        let loaded = given.loaded();
        let refuse = |errors| Refused { errors, sources: loaded.sources.clone() };
        let text = translated.and_then(|program| printed(convert, &loaded.file, &program));
        text.and_then(|text| deliver(convert, &text, output)).map_err(refuse)?;
        Ok(Status::Fine)
    })
}

/// The program that is to be printed: the given one, or an instrumented one, with an assertion that
/// fails where the goal is reached if the language has assertions that fail.
fn translate(
    convert: &Convert,
    given: &mut Given<'_>,
) -> Result<Result<Program, Diagnostics>, Refused> {
    let asked = match asked(convert) {
        Ok(None) => return Ok(Ok(given.loaded().program.clone())),
        Ok(Some(asked)) => asked,
        Err(errors) => return Ok(Err(errors)),
    };
    let id = given.id;
    let instrumented = given.ask(|workspace| workspace.instrumented(id, &asked))?;
    Ok(Ok(if can_fail(convert.to) { instrumented.with_assertion() } else { instrumented.program }))
}

/// What an instrumented program is to be asked about.
fn asked(convert: &Convert) -> Result<Option<Asked>, Diagnostics> {
    match (convert.instrument, &convert.attack, convert.single) {
        (None, ..) => Ok(None),
        (Some(Instrumentation::Robustness), Some(name), false) => {
            Ok(Some(Asked::Attack(name.clone())))
        }
        (Some(Instrumentation::Robustness), None, true) => Ok(Some(Asked::AllAttacks)),
        (Some(Instrumentation::Persistence), None, false) => Ok(Some(Asked::Persistence)),
        (Some(Instrumentation::Robustness), None, false) => Err(usage(
            "which attack is the program to be instrumented for?",
            "name one with `--attack THREAD:STORE:LOAD`, or try all with `--single`",
        )),
        (Some(_), Some(_), true) | (Some(Instrumentation::Persistence), ..) => Err(usage(
            "these options exclude each other",
            "`--instrument robustness` takes `--attack` or `--single`, \
             `--instrument persistence` neither",
        )),
    }
}

fn usage(message: &str, help: &str) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message).help(help)]
}

/// Whether a language has assertions that fail.
const fn can_fail(target: Target) -> bool {
    match target {
        Target::Promela | Target::Dot | Target::Language(Language::Fw | Language::Rmm) => true,
        Target::Language(
            Language::Litmus
            | Language::Trencher
            | Language::Esop13
            | Language::Esop15
            | Language::Remmex,
        ) => false,
    }
}

fn printed(convert: &Convert, file: &str, program: &Program) -> Result<String, Diagnostics> {
    let text = match convert.to {
        Target::Language(Language::Litmus) => frontend::litmus::print_for(program, convert.arch)?,
        Target::Language(language) => frontend::print(program, language)?,
        Target::Promela => frontend::promela::print(program)?,
        Target::Dot => report::dot::render(program),
    };
    Ok(match convert.format {
        Format::Text => text,
        Format::Json => report::json::conversion(file, convert.to.name(), &text),
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
