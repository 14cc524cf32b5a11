//! What goes wrong under TSO, by load buffers alone and by all methods, for models given as files:
//! `cargo run --release -p fencewright-analysis --example any_length -- FILE…`.

#![expect(clippy::print_stdout, reason = "an example is a command")]

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::{Limits, Options, Query, Verdict, reach_under, reach_with_load_buffers};
use frontend::{Language, Settings, load};
use program::Sources;
use semantics::Model;

fn word<Evidence>(verdict: &Verdict<Evidence>) -> String {
    match verdict {
        Verdict::Holds(proof) => format!("holds ({:?})", proof.basis()),
        Verdict::Violated(_) => "violated".to_owned(),
        Verdict::Undecided(reason) => format!("undecided: {reason}"),
    }
}

fn main() {
    let nobody = |_: &analysis::Progress| ControlFlow::Continue(());
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).expect("a file");
        let mut sources = Sources::new();
        let source = sources.add(&file, &text);
        let program = match load(&sources, source, Language::Fw, &Settings::default()) {
            Ok(program) => program,
            Err(errors) => {
                println!("{file}: {errors:?}");
                continue;
            }
        };
        let query = Query { faults: true, question: true, ..Query::default() };
        let limits = || {
            let deadline = Some(Instant::now() + Duration::from_mins(1));
            Options { limits: Limits { deadline, ..Limits::default() }, ..Options::default() }
        };
        let started = Instant::now();
        let alone = reach_with_load_buffers(&program, &query, &limits(), nobody).expect("definite");
        let took = started.elapsed();
        let (said, configurations) = alone.map_or(("not asked".to_owned(), 0), |report| {
            (word(&report.verdict), report.statistics.states)
        });
        println!("{file}: load buffers: {said}, {configurations} configurations, {took:.2?}");
        let started = Instant::now();
        let all = reach_under(&program, &query, Model::Tso, &limits(), nobody).expect("definite");
        println!("{file}: all methods: {}, {:.2?}", word(&all.verdict), started.elapsed());
    }
}
