//! A compiler wrapper that records a build: `make CC=…/cc`.

#![expect(clippy::print_stderr, reason = "it is a program")]

use std::process::ExitCode;

use compiler::{Recorder, record};

fn main() -> ExitCode {
    let folder = match std::env::current_dir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("fencewright: {error}");
            return ExitCode::from(2);
        }
    };
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match record(&Recorder::from_environment(&folder), &arguments, &folder, &mut std::io::stdin()) {
        Ok(recorded) => {
            recorded.notes.iter().for_each(|note| eprintln!("fencewright: {note}"));
            ExitCode::from(recorded.code())
        }
        Err(failure) => {
            eprintln!("fencewright: {failure}");
            ExitCode::from(2)
        }
    }
}
