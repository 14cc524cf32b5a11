//! The same for all programs of a folder that are not robust: only these are explored with their buffers.
//!
//! Asked is what `reach --model tso` asks by default: errors, deadlocks and final states that are ruled out. Programs whose
//! buffers grow forever are left out, since they have no number of states.

use std::fmt::Write;
use std::io::Result;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use analysis::{Basis, Limits, Options, Query, Reductions, Report, Verdict, robustness};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

use super::{answer, explored, number};
use crate::measured::Budget;
use crate::peers::collect;

/// Programs with fewer states than this are counted, but have no row: they take less than what a search needs to begin.
const ROW: u64 = 2_000;

/// Two searches.
struct Measured {
    name: String,
    answer: &'static str,
    all: (u64, Duration),
    reduced: (u64, Duration),
}

impl Measured {
    fn rate(&self) -> f64 {
        number(self.all.0) / self.all.1.as_secs_f64() / 1e6
    }

    fn faster(&self) -> f64 {
        self.all.1.as_secs_f64() / self.reduced.1.as_secs_f64()
    }
}

/// The table, and what it comes to.
pub(crate) fn table(folder: &Path, budget: &Budget) -> Result<String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut measured = Vec::new();
    let (mut over, mut growing) = (Vec::new(), 0);
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
        let Some(program) = read(file) else { continue };
        if !is_not_robust(&program, budget) {
            continue;
        }
        let query = Query { faults: true, deadlocks: true, question: true, ..Query::default() };
        let (reduced, time) = explored(&program, &query, Reductions::ALL, budget);
        if grows(&reduced) {
            growing += 1;
            continue;
        }
        let (all, all_time) = explored(&program, &query, Reductions::NONE, budget);
        let is_undecided = |report: &Report| matches!(report.verdict, Verdict::Undecided(_));
        if is_undecided(&all) || is_undecided(&reduced) {
            over.push(name);
            continue;
        }
        let of_reduced = answer(&reduced.verdict);
        assert_eq!(answer(&all.verdict), of_reduced, "{name}");
        let (states, fewer) = (all.statistics.states, reduced.statistics.states);
        let (all, reduced) = ((states, all_time), (fewer, time));
        measured.push(Measured { name, answer: of_reduced, all, reduced });
    }
    measured.sort_by_key(|one| std::cmp::Reverse(one.all.0));
    Ok(told(&measured, &over, growing))
}

fn told(measured: &[Measured], over: &[String], growing: usize) -> String {
    let mut text = String::from(
        "| program | answer | all states | CPU s | M/s | reduced | CPU s | fewer | faster |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let large: Vec<&Measured> = measured.iter().filter(|one| one.all.0 >= ROW).collect();
    for one in &large {
        let Measured { name, answer, all, reduced } = one;
        let _ = writeln!(
            text,
            "| {name} | {answer} | {} | {:.4} | {:.2} | {} | {:.4} | {:.0} | {:.0} |",
            all.0,
            all.1.as_secs_f64(),
            one.rate(),
            reduced.0,
            reduced.1.as_secs_f64(),
            number(all.0) / number(reduced.0),
            one.faster(),
        );
    }
    let sum = |of: fn(&Measured) -> (u64, Duration)| {
        let add = |(states, time): (u64, Duration), (more, longer)| (states + more, time + longer);
        measured.iter().map(of).fold((0, Duration::ZERO), add)
    };
    let (all, reduced) = (sum(|one| one.all), sum(|one| one.reduced));
    let more = measured.iter().filter(|one| one.reduced.0 > one.all.0).count();
    let _ = writeln!(
        text,
        "\n{} programs are not robust and have finitely many states; those with at least {ROW} have a row. \
         All together: {} states in {:.2} CPU s without reductions ({:.2} million a second), {} in {:.2} s with them ({:.0} times \
         fewer, {:.0} times faster). {more} have more states with reductions. {growing} have buffers that grow forever; {} were not \
         done without reductions{}{}.",
        measured.len(),
        all.0,
        all.1.as_secs_f64(),
        number(all.0) / all.1.as_secs_f64() / 1e6,
        reduced.0,
        reduced.1.as_secs_f64(),
        number(all.0) / number(reduced.0),
        all.1.as_secs_f64() / reduced.1.as_secs_f64(),
        over.len(),
        if over.is_empty() { "" } else { ": " },
        over.join(", "),
    );
    text
}

/// Whether an answer is about buffers without a bound.
fn grows(report: &Report) -> bool {
    match &report.verdict {
        Verdict::Holds(proof) => matches!(proof.basis(), Basis::AnyLength),
        Verdict::Undecided(reason) => matches!(reason, analysis::Reason::BufferGrows { .. }),
        Verdict::Violated(_) => false,
    }
}

fn is_not_robust(program: &Program, budget: &Budget) -> bool {
    let deadline = Some(Instant::now() + budget.time);
    let memory = usize::try_from(budget.memory).ok();
    let limits = Limits { deadline, memory, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    robustness(program, &options, |_| ControlFlow::Continue(()))
        .is_ok_and(|report| matches!(report.verdict, Verdict::Violated(_)))
}

/// The program in a file; nothing if it is not one, or one with any number of threads.
fn read(file: &Path) -> Option<Program> {
    let text = std::fs::read_to_string(file).ok()?;
    let name = file.display().to_string();
    let language = Language::detect(&name, &text)?;
    let mut sources = Sources::new();
    let source = sources.add(name, &text);
    let is_model = file.extension().is_some_and(|it| it == language.name());
    load(&sources, source, language, &Settings::default()).ok().filter(|_| is_model)
}
