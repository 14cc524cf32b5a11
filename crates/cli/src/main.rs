//! The `fencewright` command: it parses arguments, asks a [`workspace::Workspace`], has `report` render
//! the answer, and ends with an exit code. It alone writes files and to a terminal.

mod arguments;
mod commands;
mod configuration;
mod engines;
mod files;
mod folders;
mod form;
mod input;
mod output;
mod progress;
mod standard_input;
mod status;
mod supervision;
mod usage;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arguments::Command;
use output::Output;
use status::Status;

fn main() -> ExitCode {
    let usage::Understood { mut arguments, asked } = match usage::understood() {
        Ok(understood) => understood,
        Err(ended) => return ended,
    };
    arguments.command.say_what_matters();
    let mut output = Output::new(arguments.color, arguments.quiet, asked);
    if let Some(columns) = Output::columns() {
        report::terminal::set_columns(columns);
    }
    let mut _kept = None;
    if let Some(inputs) = arguments.command.inputs_mut() {
        match standard_input::keep(inputs) {
            Ok(folder) => _kept = folder,
            Err(problem) => return output.refuse(&problem).exit_code(),
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
        Err(problem) => output.refuse(&problem),
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
