//! Searches with store buffers: all states of TSO, and those that the reductions leave.
//!
//! The programs are some of the corpus that end, are not robust, and so have to be explored with their
//! buffers. Both searches are made in the same run, one after the other, so that their ratio means
//! something on a busy machine too; the benchmark stops if their answers differ. With a folder ([`corpus`]) all its
//! programs are asked.

pub(crate) mod corpus;

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::{Limits, Options, Query, Reductions, Report, Verdict, reach_with_buffers};
use frontend::{Language, Settings, load};
use program::{Program, Sources, Value};

use crate::by_fencewright::Fencewright;
use crate::by_spin::Spin;
use crate::measured::{Budget, Explorer, Outcome};
use crate::processor_time::processor_time;

/// A program and its constants.
struct Case {
    name: &'static str,
    text: &'static str,
    constants: &'static [(&'static str, Value)],
}

macro_rules! case {
    ($name:literal, $file:literal, $constants:expr) => {
        Case {
            name: $name,
            text: include_str!(concat!("../../../corpus/", $file)),
            constants: $constants,
        }
    };
}

const CASES: [Case; 9] = [
    case!("Chase–Lev", "structures/chase-lev.fw", &[("CHECK", 1)]),
    case!("Chase–Lev, two thieves", "structures/chase-lev.fw", &[("CHECK", 1), ("THIEVES", 2)]),
    case!("Cilk's THE", "structures/cilk-the.fw", &[]),
    case!("idempotent FIFO", "structures/iwsq-fifo.fw", &[]),
    case!("idempotent anchor", "structures/iwsq-anchor.fw", &[]),
    case!("Michael–Scott", "structures/michael-scott.fw", &[]),
    case!("seqlock", "protocols/seqlock.fw", &[]),
    Case { name: "ring, 2 slots, 6 values", text: RING, constants: &[("SLOTS", 2), ("VALUES", 6)] },
    Case { name: "ring, 8 slots, 16 values", text: RING, constants: &[] },
];

const RING: &str = include_str!("spsc-ring.fw");

fn program(case: &Case) -> Program {
    let mut sources = Sources::new();
    let source = sources.add(case.name, case.text);
    let constants = case.constants.iter().map(|(name, value)| ((*name).to_owned(), *value));
    let settings = Settings { constants: constants.collect(), ..Settings::default() };
    load(&sources, source, Language::Fw, &settings)
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", case.name))
}

/// The table.
pub(crate) fn table(budget: &Budget) -> String {
    let mut text = String::from(
        "| program | answer | all states | CPU s | M/s | reduced | CPU s | fewer | faster |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for case in &CASES {
        let program = program(case);
        let query = Query { faults: true, ..Query::default() };
        let (all, all_time) = explored(&program, &query, Reductions::NONE, budget);
        let (reduced, time) = explored(&program, &query, Reductions::ALL, budget);
        let answer = answer(&reduced.verdict);
        let of_all = self::answer(&all.verdict);
        let is_undecided = |report: &Report| matches!(report.verdict, Verdict::Undecided(_));
        assert!(
            answer == of_all || is_undecided(&all) || is_undecided(&reduced),
            "{}: {answer}, but {of_all} without reductions",
            case.name
        );
        let (of_all, of_reduced) = (all.statistics.states, reduced.statistics.states);
        let more = if is_undecided(&all) { "> " } else { "" };
        let _ = writeln!(
            text,
            "| {} | {answer} | {more}{of_all} | {:.3} | {:.2} | {of_reduced} | {:.3} | {more}{:.0} | {more}{:.0} |",
            case.name,
            all_time.as_secs_f64(),
            number(of_all) / all_time.as_secs_f64() / 1e6,
            time.as_secs_f64(),
            number(of_all) / number(of_reduced),
            all_time.as_secs_f64() / time.as_secs_f64(),
        );
    }
    text.push_str(&by_spin(budget));
    text
}

/// The small ring with its buffers written out, explored by Spin and by Fencewright under SC, each with its
/// reductions.
fn by_spin(budget: &Budget) -> String {
    let written_out = Case {
        name: "ring, 2 slots, 6 values, buffers written out",
        text: include_str!("spsc-ring-buffers.fw"),
        constants: &[],
    };
    let program = program(&written_out);
    let explorers: [&mut dyn Explorer; 2] = [&mut Spin::default(), &mut Fencewright { threads: 1 }];
    let mut text = String::from(
        "\nThe small ring with its buffers written out in arrays, under SC:\n\n\
         | explorer | all states | CPU s | reduced | CPU s |\n|---|---|---|---|---|\n",
    );
    for explorer in explorers {
        let _ = write!(text, "| {} |", explorer.name());
        for reductions in [false, true] {
            let _ = match explorer.run(&program, reductions, budget) {
                Outcome::Explored(measured) => {
                    write!(text, " {} | {:.3} |", measured.states, measured.cpu_seconds)
                }
                Outcome::OverTime => write!(text, " over time | – |"),
                Outcome::OverMemory => write!(text, " over memory | – |"),
                Outcome::NotThere => write!(text, " missing | – |"),
            };
        }
        text.push('\n');
    }
    text
}

fn answer(verdict: &Verdict<analysis::Execution>) -> &'static str {
    match verdict {
        Verdict::Holds(_) => "holds",
        Verdict::Violated(_) => "violated",
        Verdict::Undecided(_) => "undecided",
    }
}

fn explored(
    program: &Program,
    query: &Query,
    reductions: Reductions,
    budget: &Budget,
) -> (Report, Duration) {
    let memory = usize::try_from(budget.memory).ok();
    let deadline = Some(Instant::now() + budget.time);
    let limits = Limits { memory, deadline, ..Limits::default() };
    let options = Options { limits, reductions, ..Options::default() };
    let started = processor_time(true);
    let report = reach_with_buffers(program, query, &options, |_| ControlFlow::Continue(()))
        .unwrap_or_else(|error| panic!("{error}"));
    let spent = processor_time(true).zip(started).map(|(now, then)| now.saturating_sub(then));
    (report, spent.unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
const fn number(states: u64) -> f64 {
    states as f64
}
