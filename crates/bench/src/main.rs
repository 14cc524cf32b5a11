//! Fencewright and Spin on the same programs in the same run:
//!
//! ```text
//! cargo run --release -p fencewright-bench
//! ```
//!
//! Each of seven families of mutual exclusion algorithms is explored for a growing number of
//! threads, without reductions and with those that each side has. Both sides explore the same
//! automata, one instruction for each step; without reductions the numbers of states must be the
//! same, and the benchmark stops if they are not. A program that exceeds the budget of one side is
//! marked, and larger ones of its family are not tried by that side.
//!
//! Figures are processor seconds, medians of repeats that alternate between the two sides. Then two
//! threads of Fencewright are compared with one. With `--criteria` it is measured instead how `check`
//! scales, with `--fences` how `fence` does, and with `--buffers` how states of TSO are explored, which Spin
//! has no part in but for the ring, whose buffers are written out for it (`--corpus` asks about all programs of a folder); with `--peers` other tools for TSO are asked about
//! files that they read. All is printed and written to `docs/bench/`, to a file named after the day.

mod buffers;
mod by_fencewright;
mod by_spin;
mod cards;
mod criteria;
mod families;
mod fences;
mod machine;
mod measured;
mod peers;
mod processor_time;
mod scaling;
mod summary;
mod table;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use program::Program;

use by_fencewright::Fencewright;
use by_spin::Spin;
use families::{FAMILIES, Family};
use measured::{Budget, Explorer, Outcome, median};
use summary::summary;
use table::{Row, table};

/// Measures Fencewright and Spin on families of mutual exclusion algorithms.
#[derive(Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Arguments {
    /// The families, separated by commas; all of them by default
    #[arg(long, value_delimiter = ',', value_parser = family)]
    families: Vec<Family>,
    /// The greatest number of threads of a program
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(2..=8))]
    max_n: u32,
    /// How often each program is explored
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// How many processor seconds one exploration may take
    #[arg(long, default_value_t = 60)]
    budget_seconds: u64,
    /// How many GiB one exploration may use
    #[arg(long, default_value_t = 4)]
    budget_gib: u64,
    /// How many threads Fencewright uses; Spin uses one
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Measure robustness and persistence of the families instead
    #[arg(long)]
    criteria: bool,
    /// Measure the fences that the families need instead
    #[arg(long, conflicts_with = "criteria")]
    fences: bool,
    /// Measure the exploration of store buffers instead
    #[arg(long, conflicts_with_all = ["criteria", "fences"])]
    buffers: bool,
    /// Explore the store buffers of all programs in this folder that are not robust
    #[arg(long, value_name = "FOLDER", requires = "buffers")]
    corpus: Option<PathBuf>,
    /// Compare the graphics card with the processors instead, with this corpus
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["criteria", "fences", "buffers"])]
    cuda: Option<PathBuf>,
    /// Leave out the comparison of answers with those of the processors
    #[arg(long, requires = "cuda")]
    only_speed: bool,
    /// Ask Memorax, Dual-TSO and Nidhugg, as far as they are on the PATH, about the files in this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["criteria", "fences", "buffers", "cuda"])]
    peers: Option<PathBuf>,
    /// Leave out the comparison of two threads with one
    #[arg(long)]
    no_scaling: bool,
    /// Where the results are written to; by default `docs/bench/` and the date
    #[arg(long)]
    output: Option<PathBuf>,
}

fn family(name: &str) -> Result<Family, String> {
    let known = || FAMILIES.map(|family| family.name).join(", ");
    let found = FAMILIES.into_iter().find(|family| family.name == name);
    found.ok_or_else(|| format!("there are {}", known()))
}

fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    if arguments.families.is_empty() {
        arguments.families = FAMILIES.to_vec();
    }
    match deliver(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn deliver(arguments: &Arguments) -> std::io::Result<()> {
    let budget = Budget {
        time: Duration::from_secs(arguments.budget_seconds),
        memory: arguments.budget_gib << 30,
    };
    if arguments.criteria {
        let text = format!(
            "# `check` on families of programs, {}\n\n{}. Processor seconds of one run with one \
             thread; at most {} s and {} GiB for each. States are those of all searches, the ones \
             for a short witness included.\n\n{}",
            machine::today(),
            machine::description(),
            arguments.budget_seconds,
            arguments.budget_gib,
            criteria::table(arguments.max_n, &budget),
        );
        return write(arguments, "-criteria", &text);
    }
    if arguments.fences {
        let text = format!(
            "# `fence` on families of programs, {}\n\n{}. Processor seconds of one run with one \
             thread; at most {} s and {} GiB for each search. *Together*: one decision for all copies \
             of a thread; *apart*: one for each, which leaves no symmetry.\n\n{}",
            machine::today(),
            machine::description(),
            arguments.budget_seconds,
            arguments.budget_gib,
            fences::table(arguments.max_n, &budget),
        );
        return write(arguments, "-fences", &text);
    }
    if arguments.buffers {
        let text = format!(
            "# States with store buffers, {}\n\n{}. Whether an error can be reached under TSO, \
             with one thread: processor seconds of one run without reductions and one with all of \
             them, one after the other; at most {} s and {} GiB for each. A search that ends there \
             counts with what it has found (*>*).\n\n{}",
            machine::today(),
            machine::description(),
            arguments.budget_seconds,
            arguments.budget_gib,
            match &arguments.corpus {
                Some(folder) => buffers::corpus::table(folder, &budget)?,
                None => buffers::table(&budget),
            },
        );
        return write(arguments, "-buffers", &text);
    }
    if let Some(corpus) = &arguments.cuda {
        let text = format!(
            "# The graphics card and the processors, {}\n\n{}. Wall seconds of one run each, without \
             reductions, at most {} s on the card and {} s on processors; *search alone* leaves out building the automata and compiling \
             the kernels.\n\n{}",
            machine::today(),
            machine::description(),
            arguments.budget_seconds,
            cards::on_processors(budget.time).as_secs(),
            cards::text((!arguments.only_speed).then_some(corpus), budget.time)?,
        );
        return write(arguments, "-cuda", &text);
    }
    if let Some(folder) = &arguments.peers {
        let text = format!(
            "# Fencewright, Memorax, Dual-TSO and Nidhugg, {}\n\n{}. Processor seconds of each command, one run each, \
             at most {} s; under TSO with buffers of any length (Nidhugg: bounded programs).\n\n{}",
            machine::today(),
            machine::description(),
            arguments.budget_seconds,
            peers::text(folder, budget.time)?,
        );
        return write(arguments, "-peers", &text);
    }
    let rows = measure(arguments, &budget)?;
    let scaled = FAMILIES.into_iter().find(|family| family.name == scaling::FAMILY);
    let scaling = match scaled.filter(|_| !arguments.no_scaling) {
        Some(family) => format!("\n{}", scaling::scaling(family, arguments.repeats, &budget)?),
        None => String::new(),
    };
    let text = format!(
        "# Benchmark of {}\n\n{}. Processor seconds, median of {} runs; at most {} s and {} GiB for \
         each. Fencewright with {} thread(s).\n\n{}{scaling}\n{}",
        machine::today(),
        machine::description(),
        arguments.repeats,
        arguments.budget_seconds,
        arguments.budget_gib,
        arguments.threads,
        summary(&rows),
        table(&rows),
    );
    write(arguments, "", &text)
}

/// Prints the results and writes them to their file.
fn write(arguments: &Arguments, suffix: &str, text: &str) -> std::io::Result<()> {
    let folder = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/bench");
    let file = || folder().join(format!("{}{suffix}.md", machine::today()));
    let output = arguments.output.clone().unwrap_or_else(file);
    std::fs::write(&output, text)?;
    std::io::stdout().write_all(text.as_bytes())
}

fn measure(arguments: &Arguments, budget: &Budget) -> std::io::Result<Vec<Row>> {
    let (mut spin, mut ours) = (Spin::default(), Fencewright { threads: arguments.threads });
    let mut rows = Vec::new();
    for family in &arguments.families {
        for reductions in [false, true] {
            let (mut spin_last, mut our_last) = (Outcome::NotThere, Outcome::NotThere);
            for n in 2..=arguments.max_n {
                let program = family.program(n);
                let title = format!("{} {n}, reductions {reductions}", family.name);
                let (mut of_spin, mut of_ours) = (Vec::new(), Vec::new());
                for _ in 0..arguments.repeats {
                    again(&mut spin, &program, reductions, budget, spin_last, &mut of_spin);
                    again(&mut ours, &program, reductions, budget, our_last, &mut of_ours);
                }
                (spin_last, our_last) = (median(&of_spin), median(&of_ours));
                if !reductions {
                    assert_same_states(&title, spin_last, our_last);
                }
                let name = family.name;
                for (side, last) in [(spin.name(), spin_last), (ours.name(), our_last)] {
                    writeln!(std::io::stderr(), "{title}: {side}: {last:?}")?;
                }
                rows.push(Row { family: name, n, reductions, spin: spin_last, ours: our_last });
            }
        }
    }
    Ok(rows)
}

/// Explores a program once more, unless it or a smaller one of its family is known to be too much.
fn again(
    explorer: &mut impl Explorer,
    program: &Program,
    reductions: bool,
    budget: &Budget,
    smaller: Outcome,
    outcomes: &mut Vec<Outcome>,
) {
    let too_much = |outcome: &Outcome| matches!(outcome, Outcome::OverTime | Outcome::OverMemory);
    let outcome =
        match [Some(smaller), outcomes.last().copied()].into_iter().flatten().find(too_much) {
            Some(known) => known,
            None => explorer.run(program, reductions, budget),
        };
    outcomes.push(outcome);
}

fn assert_same_states(title: &str, spin: Outcome, ours: Outcome) {
    if let (Outcome::Explored(spin), Outcome::Explored(ours)) = (spin, ours) {
        assert_eq!(
            spin.states, ours.states,
            "{title}: Spin and Fencewright disagree on the states"
        );
    }
}
