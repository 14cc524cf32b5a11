//! `fencewright cc`: a C compiler that takes notes.

use std::ffi::OsString;
use std::process::ExitCode;

use compiler::{Recorder, record};

use crate::output::Output;
use crate::status::Status;

/// Runs the real compiler and ends as it does.
pub(crate) fn run(arguments: &[OsString], output: &mut Output) -> ExitCode {
    let recorded = std::env::current_dir().map_err(|error| error.to_string()).and_then(|folder| {
        let recorder = Recorder::from_environment(&folder);
        record(&recorder, arguments, &folder, &mut std::io::stdin())
            .map_err(|failure| failure.to_string())
    });
    match recorded {
        Ok(recorded) => {
            for note in &recorded.notes {
                output.message(&format!("fencewright: {note}\n"));
            }
            ExitCode::from(recorded.code())
        }
        Err(problem) => {
            output.message(&format!("fencewright: {problem}\n"));
            Status::BadInput.exit_code()
        }
    }
}
