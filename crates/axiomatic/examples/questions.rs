//! How much work a model is on some programs: final states, errors, questions to the axioms, and time.
//!
//! `cargo run --release -p fencewright-axiomatic --example questions -- MODEL SECONDS FILE…`, where the files are `.fw` or
//! litmus tests. Programs in C become `.fw` by `fencewright convert FILE.c --to fw`; then every register is told, so
//! that there are more final states than of the program in C.

#![allow(clippy::print_stdout, reason = "a program to be run by hand")]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use axiomatic::{Limits, Model, outcomes_while};
use frontend::{Language, Settings, load};
use program::Sources;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, seconds, files @ ..] = arguments.as_slice() else {
        return println!("usage: questions MODEL SECONDS FILE...");
    };
    let (Some(model), Ok(seconds)) = (Model::from_name(model), seconds.parse()) else {
        return println!("the model is one of those of `outcomes --model`, the limit a number");
    };
    println!("| {model} | final states | errors | questions | seconds | |");
    println!("|---|---|---|---|---|---|");
    for file in files {
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        println!("| `{name}` | {} |", answer(file, model, Duration::from_secs(seconds)));
    }
}

/// The rest of the line of a file.
fn answer(file: &str, model: Model, limit: Duration) -> String {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return format!("{error}"),
    };
    let is_litmus = Path::new(file).extension().is_some_and(|extension| extension == "litmus");
    let language = if is_litmus { Language::Litmus } else { Language::Fw };
    let mut sources = Sources::new();
    let source = sources.add(file, text);
    let program = match load(&sources, source, language, &Settings::default()) {
        Ok(program) => program,
        Err(errors) => {
            return errors.first().map_or_else(String::new, |error| error.message.clone());
        }
    };
    let begun = Instant::now();
    let mut go_on = || {
        if begun.elapsed() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = outcomes_while(&program, model, &Limits::default(), &mut go_on);
    let seconds = begun.elapsed().as_secs_f64();
    match found {
        Ok(found) => {
            let (states, errors) = (found.states.len(), found.errors.len());
            let bound = if found.bound.is_some() { "bound" } else { "exact" };
            format!("{states} | {errors} | {} | {seconds:.2} | {bound}", found.candidates)
        }
        Err(why) => format!("| | | {seconds:.2} | {why}"),
    }
}
