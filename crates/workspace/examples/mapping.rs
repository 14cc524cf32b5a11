//! What compilers make of the orders of C and Rust, on whole programs: every final state and every error that a
//! machine shows is one that RC11 allows.
//!
//! `cargo run --release -p fencewright-workspace --example mapping -- SECONDS FILE…` asks about each program, by its
//! `main` and with all of its loops, under RC11 and under every machine that the orders are compiled for
//! (`program::mapping`), at most so many seconds for each. It prints a line for each program and fails if a
//! machine shows more. Programs with data races may do anything, so there is nothing to compare; where not all
//! executions under RC11 are known there is nothing to compare with.
#![expect(clippy::print_stdout, reason = "a table for people")]

use std::process::ExitCode;
use std::time::Duration;

use axiomatic::Model;
use mapping::{Comparison, compared};
use workspace::{Inputs, Workspace};

#[path = "../tests/shared/mapping.rs"]
mod mapping;

fn names(models: &[Model]) -> String {
    models.iter().map(|model| model.name()).collect::<Vec<_>>().join(", ")
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(Ok(seconds)) = arguments.next().map(|text| text.parse()) else {
        println!("usage: mapping SECONDS FILE...");
        return ExitCode::FAILURE;
    };
    let (mut compared_with, mut wrong) = (0, 0);
    for file in arguments {
        let mut workspace = Workspace::default();
        let opened = workspace.open(&Inputs::files([file.as_str()]));
        let Some(Ok(id)) = opened.first() else {
            println!("{file}: not read");
            continue;
        };
        let program = &workspace.program(*id).program;
        match compared(program, Duration::from_secs(seconds)) {
            Comparison::Within(models, states) => {
                compared_with += models.len();
                println!("{file}: {states} states under RC11; within on {}", names(&models));
            }
            Comparison::Nothing(why) => println!("{file}: nothing to compare with ({why})"),
            Comparison::Beyond(models) => {
                wrong += 1;
                println!("{file}: BEYOND RC11 on {}", names(&models));
            }
        }
    }
    println!("{compared_with} comparisons, {wrong} programs beyond RC11");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
