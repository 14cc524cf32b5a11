//! How `fence` scales: the fewest fences of the families for robustness and persistence, for all copies
//! of a thread together and for each copy by itself.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::Instant;

use analysis::{Criterion, Limits, Options};
use program::Program;
use repair::checkers::Exact;
use repair::decision::fences;
use repair::{Outcome, Positions, Problem, cheapest_repair, costs};

use crate::criteria::{PAIRS, mebibytes, program};
use crate::measured::Budget;
use crate::processor_time::processor_time;

/// The table, up to so many threads of a program.
pub(crate) fn table(max_n: u32, budget: &Budget) -> String {
    let mut text = String::from(
        "| program | n | copies | criterion | fences | searches | states | CPU s | MiB |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for pair in &PAIRS {
        for together in [true, false] {
            for criterion in [Criterion::Robustness, Criterion::Persistence] {
                for n in 2..=max_n {
                    let program = program(pair.name, pair.texts[0], n);
                    let (row, decided) = row(pair.name, &program, n, criterion, together, budget);
                    text.push_str(&row);
                    if !decided {
                        break;
                    }
                }
            }
        }
    }
    text
}

fn row(
    name: &str,
    program: &Program,
    n: u32,
    criterion: Criterion,
    together: bool,
    budget: &Budget,
) -> (String, bool) {
    let apart = program.with_copies_apart().unwrap_or_else(|error| panic!("{name}: {error}"));
    let program = if together { program } else { &apart };
    let memory = usize::try_from(budget.memory).ok();
    let deadline = Some(Instant::now() + budget.time);
    let limits = Limits { memory, deadline, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let started = processor_time(true);
    let decisions = fences(program, Positions::AfterInstructions, together);
    let costs = costs::uniform(&decisions);
    let problem = Problem { program, decisions: &decisions, costs: &costs, preferences: &[] };
    let watch = |_: &_| ControlFlow::Continue(());
    let mut checker = Exact { criterion, options: &options, watch };
    let solved = cheapest_repair(&problem, &mut checker, false)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let spent = processor_time(true).zip(started).map(|(now, then)| now.saturating_sub(then));
    let (found, decided) = match &solved.outcome {
        Outcome::Repaired { sets, .. } => (sets[0].len().to_string(), true),
        Outcome::Unrepairable(_) => panic!("{name}: there is a place after every store"),
        Outcome::Undecided { reason, candidate } => {
            (format!("at least {}: {reason}", candidate.len()), false)
        }
    };
    let copies = if together { "together" } else { "apart" };
    let mut row = String::new();
    let _ = writeln!(
        row,
        "| {name} | {n} | {copies} | {criterion} | {found} | {} | {} | {:.3} | {:.1} |",
        solved.searches,
        solved.statistics.states,
        spent.map_or(f64::NAN, |spent| spent.as_secs_f64()),
        mebibytes(solved.statistics.peak_bytes),
    );
    (row, decided)
}
