//! The `fencewright` command: the only part of the project that reads files, writes to a terminal
//! and ends with an exit code.

mod arguments;
mod commands;
mod files;
mod input;
mod misplaced;
mod output;
mod source;
mod status;
mod supervision;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use arguments::{Arguments, Command};
use output::Output;
use status::Status;

fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    let mut output = Output::new(arguments.color);
    if let Some(limits) = arguments.command.begin(Instant::now()) {
        supervision::begin(limits, &output);
    }
    let status = match &arguments.command {
        Command::Show(show) => commands::show::run(show, &mut output),
        Command::Convert(convert) => commands::convert::run(convert, &mut output),
        Command::Check(check) => commands::check::run(check, &mut output),
        Command::Fence(fence) => commands::fence::run(fence, &mut output),
        Command::Reach(reach) => commands::reach::run(reach, &mut output),
        Command::Outcomes(outcomes) => commands::outcomes::run(outcomes, &mut output),
        Command::Confirm(confirm) => commands::confirm::run(confirm, &mut output),
        Command::Simulate(simulate) => commands::simulate::run(simulate, &mut output),
        Command::Cc { arguments } => return commands::cc::run(arguments, &mut output),
        Command::Cache { clear } => commands::cache::run(*clear, &mut output),
        Command::Completions { shell } => commands::completions::run(*shell, &mut output),
    };
    let status = if output.has_failed() { Status::BadInput } else { status };
    // From here on nobody else ends the process.
    output.desk().close();
    status.exit_code()
}
