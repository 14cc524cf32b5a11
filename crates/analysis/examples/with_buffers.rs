//! States, time and memory of searches with buffers: `with_buffers FILE.fw…`, by hand.

use std::ops::ControlFlow;
use std::time::Instant;

use analysis::{Options, Query, outcomes, reach_with_buffers};
use frontend::{Language, Settings, load};
use program::Sources;
use semantics::Model;

#[expect(clippy::print_stdout, reason = "a tool for the terminal")]
fn main() {
    let nobody = |_: &analysis::Progress| ControlFlow::Continue(());
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{path}: cannot be read");
            continue;
        };
        let mut sources = Sources::new();
        let source = sources.add(&path, text);
        let Ok(program) = load(&sources, source, Language::Fw, &Settings::default()) else {
            println!("{path}: cannot be understood");
            continue;
        };
        let options = Options::default();
        let query = Query { faults: true, deadlocks: true, question: true, goal: None };
        let started = Instant::now();
        if let Ok(report) = reach_with_buffers(&program, &query, &options, nobody) {
            let states = report.statistics.states;
            println!("{path}: reach: {states} states, {:?}", started.elapsed());
        }
        let started = Instant::now();
        if let Ok(found) = outcomes(&program, Model::Tso, &options, nobody) {
            let (states, ends) = (found.statistics.states, found.found.len());
            println!("{path}: outcomes: {ends} of {states} states, {:?}", started.elapsed());
        }
    }
}
