//! `fencewright man`: the pages of the manual, made of the same help.

use std::path::Path;

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(folder: &Path, output: &mut Output) -> Status {
    match write(folder) {
        Ok(pages) => {
            output.text(&format!(
                "{pages} pages written to {}\n",
                report::terminal::line(&folder.display().to_string())
            ));
            Status::Fine
        }
        Err(problem) => output.refuse(&problem),
    }
}

/// Writes a page for the program and one for each command; how many.
fn write(folder: &Path) -> Result<usize, String> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let command = Arguments::command();
    let pages = command.get_subcommands().count() + 1;
    clap_mangen::generate_to(command, folder)
        .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
    Ok(pages)
}
