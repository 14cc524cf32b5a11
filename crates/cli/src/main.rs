//! The `fencewright` command: it parses arguments, asks a [`workspace::Workspace`], has `report` render
//! the answer, and ends with an exit code. It alone writes files and to a terminal.

mod arguments;
mod commands;
mod configuration;
mod engines;
mod files;
mod folders;
mod input;
mod output;
mod progress;
mod standard_input;
mod status;
mod supervision;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use arguments::{Arguments, Command};
use output::Output;
use status::Status;

/// The arguments; what is wrong with them is told, and ends the process.
fn arguments() -> Arguments {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let configured = configuration::configured(&typed).unwrap_or_else(|problem| {
        let problem = report::terminal::text(&format!("{problem}\n"), false);
        clap::Error::raw(ErrorKind::Io, problem).exit()
    });
    let given = configured.arguments;
    Arguments::try_parse_from(&given).unwrap_or_else(|mut error| {
        advise(&mut error);
        if let Some(file) = &configured.file
            && Arguments::try_parse_from(&typed).is_ok()
        {
            let text = format!("{}: {}", file.display(), error.render());
            let text = text.replacen("error: ", "", 1);
            clap::Error::raw(error.kind(), report::terminal::text(&text, false)).exit();
        }
        // Errors quote arguments as they are, and what an argument controls a terminal with.
        let shown: Vec<String> =
            given.iter().map(|one| report::terminal::line(&one.to_string_lossy())).collect();
        if given.iter().zip(&shown).all(|(given, shown)| given == shown.as_str()) {
            error.exit();
        }
        match Arguments::try_parse_from(&shown) {
            Err(same) if same.kind() == error.kind() => same.exit(),
            Err(_) | Ok(_) => {
                let text = report::terminal::text(&error.render().to_string(), false);
                clap::Error::raw(error.kind(), text).exit()
            }
        }
    })
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

fn main() -> ExitCode {
    let mut arguments = arguments();
    arguments.command.say_what_matters();
    let mut output = Output::new(arguments.color, arguments.quiet);
    if let Some(columns) = Output::columns() {
        report::terminal::set_columns(columns);
    }
    let mut _kept = None;
    if let Some(inputs) = arguments.command.inputs_mut() {
        match standard_input::keep(inputs) {
            Ok(folder) => _kept = folder,
            Err(problem) => {
                output.message(&format!("error: {}\n", report::terminal::line(&problem)));
                return Status::BadInput.exit_code();
            }
        }
        let walked = folders::walk(&inputs.files);
        if let Some(note) = walked.note {
            output.message(&note);
        }
        inputs.files = walked.files;
    }
    if let Some(limits) = arguments.command.begin(Instant::now()) {
        supervision::begin(limits, &output);
    }
    let status = match &arguments.command {
        Command::Show(show) => commands::show::run(show, &mut output),
        Command::Convert(convert) => commands::convert::run(convert, &mut output),
        Command::Check(check) => commands::check::run(check, &mut output),
        Command::Fence(fence) => commands::fence::run(fence, &mut output),
        Command::Port(port) => commands::cycles::port(port, &mut output),
        Command::Batch(batch) => commands::batch::run(batch, &mut output),
        Command::Merge(merge) => commands::merge::run(merge, &mut output),
        Command::Worker(worker) => commands::worker::run(worker, &mut output),
        Command::Reach(reach) => commands::reach::run(reach, &mut output),
        Command::Outcomes(outcomes) => commands::outcomes::run(outcomes, &mut output),
        Command::Confirm(confirm) => commands::confirm::run(confirm, &mut output),
        Command::Cover(cover) => commands::cover::run(cover, &mut output),
        Command::Simulate(simulate) => commands::simulate::run(simulate, &mut output),
        Command::Step(step) => commands::step::run(step, &mut output),
        Command::Cc { arguments } => return commands::cc::run(arguments, &mut output),
        Command::Cache { clear } => commands::cache::run(*clear, &mut output),
        Command::Lsp => commands::lsp::run(&mut output),
        Command::Explain { asked } => commands::explain::run(asked, &mut output),
        Command::Man { folder } => commands::manual::run(folder, &mut output),
        Command::Completions { shell } => commands::completions::run(*shell, &mut output),
    };
    output.pages();
    let status = match output.findings(arguments.command.baseline().map(PathBuf::as_path)) {
        Ok(Some(new)) if status != Status::BadInput => new,
        Ok(_) => status,
        Err(problem) => {
            output.message(&format!("error: {}\n", report::terminal::line(&problem)));
            Status::BadInput
        }
    };
    if arguments.command.is_answered_in_text()
        && let Some(summary) = output.desk().summary()
    {
        output.message(&summary);
    }
    let status = if output.has_failed() { Status::BadInput } else { status };
    // From here on nobody else ends the process.
    let desk = output.desk();
    desk.close();
    if desk.is_interrupted() {
        return ExitCode::from(supervision::INTERRUPTED);
    }
    status.exit_code()
}
