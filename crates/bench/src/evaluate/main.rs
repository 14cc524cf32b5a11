//! The papers' evaluations, with ours beside them:
//!
//! ```text
//! cargo run --release -p fencewright-bench --bin evaluate
//! ```
//!
//! writes `docs/evaluation/`: a page in Markdown and one in HTML, pictures, what was measured as data, and what fences
//! cost on this machine. Parts can be measured one after the other (`--only`): the pages have what was measured of each
//! last. Published numbers and the programs that stand for those of the papers are data (`published.toml`); each column
//! says whether its cells are measured or published. `--quick` measures a little of everything, for the tests.
//!
//! | section | paper | what is measured |
//! |---|---|---|
//! | `esop13` | ESOP'13, Table 2 | queries and fences by the paper's algorithm; its time and that of the default one |
//! | `esop15` | ESOP'15, Table 1 | fences and times for persistence, robustness, and statically |
//! | `scaling` | ESOP'15, Fig. 16 | time over the number of processes, concrete and abstract |
//! | `static` | CAV'14, Fig. 10 | fences and times for each machine, and by all policies |
//! | `packages` | CAV'14, Fig. 11 | the same of packages that were compiled (`--packages`) |
//! | `overhead` | CAV'14, Fig. 1 | user time of a stack and a queue with the fences of each placement |
//! | `costs` | | what a fence, a locked store and each order cost here |
//! | `engines` | | the engine beside Spin on each family of `docs/bench`, and the solver |

mod asked;
#[path = "../by_fencewright.rs"]
mod by_fencewright;
#[path = "../by_spin.rs"]
mod by_spin;
mod costs;
mod data;
mod engines;
#[path = "../families.rs"]
mod families;
#[path = "../machine.rs"]
mod machine;
#[path = "../measured.rs"]
mod measured;
mod models;
mod overhead;
mod packages;
mod page;
mod plot;
#[path = "../processor_time.rs"]
mod processor_time;
mod scaling;
mod statically;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use page::{Measurement, Page};

/// Regenerates the tables and figures of the papers, with ours beside them.
#[derive(Parser)]
struct Arguments {
    /// The sections, separated by commas; all of them by default
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// How often each program of the overhead section is run
    #[arg(long, default_value_t = 100)]
    runs: usize,
    /// How many seconds one question about one program may take
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// A list of compiled packages, as `docs/evaluation/packages.sh` writes it
    #[arg(long, value_name = "LIST")]
    packages: Option<PathBuf>,
    /// Measure a little of everything: the first rows, few runs, short limits
    #[arg(long)]
    quick: bool,
    /// The folder that the results are written to; by default `docs/evaluation`
    #[arg(long)]
    output: Option<PathBuf>,
}

/// A part of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Esop13,
    Esop15,
    Scaling,
    Static,
    Packages,
    Overhead,
    Costs,
    Engines,
}

impl Part {
    /// Its name, as `--only` takes it.
    fn name(self) -> String {
        let value = self.to_possible_value().expect("no part is left out");
        value.get_name().to_owned()
    }
}

/// How much is measured.
struct Scale {
    /// What one question may take.
    limit: Duration,
    /// The most rows of a table.
    rows: usize,
    /// The most programs that are compiled.
    programs: usize,
    /// How often a question that is answered quickly is asked again.
    again: usize,
    /// How often a program is run.
    runs: usize,
    /// How many operations each thread of a program that is run makes.
    operations: u32,
    /// The most threads of a family.
    most_threads: u32,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match deliver(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn deliver(arguments: &Arguments) -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = arguments.output.clone().unwrap_or_else(|| root.join("docs/evaluation"));
    std::fs::create_dir_all(&output)?;
    let limit = Duration::from_secs(arguments.seconds);
    let full = Scale {
        limit,
        rows: usize::MAX,
        programs: usize::MAX,
        again: 2,
        runs: arguments.runs.max(2),
        operations: 2_000_000,
        most_threads: 10,
    };
    let quick = Scale {
        limit: limit.min(Duration::from_secs(5)),
        rows: 2,
        programs: 1,
        again: 0,
        runs: 3,
        operations: 10_000,
        most_threads: 4,
    };
    let scale = if arguments.quick { quick } else { full };
    let published = data::published();
    let compiled = arguments.packages.as_deref().map(packages::listed).transpose()?;
    let compiled = compiled.unwrap_or_default();
    let wanted: &[Part] =
        if arguments.only.is_empty() { Part::value_variants() } else { &arguments.only };
    let names: Vec<String> = Part::value_variants().iter().map(|part| part.name()).collect();
    for part in wanted {
        writeln!(std::io::stderr(), "{part:?} …")?;
        let sections = match part {
            Part::Esop13 => vec![models::esop13(&published, &root, &scale)],
            Part::Esop15 => vec![models::esop15(&published, &root, &scale)],
            Part::Scaling => vec![scaling::section(&published, &root, &scale)],
            Part::Static => statically::sections(&published, &root, &scale),
            Part::Packages => packages::sections(&published, &compiled, &scale),
            Part::Overhead => vec![overhead::section(&scale)?],
            Part::Costs => vec![costs::section(&output)?],
            Part::Engines => vec![engines::section(&scale)],
        };
        let (date, machine) = (machine::today(), machine::description());
        Measurement { date, machine, sections }.keep(&output, &part.name())?;
        // What is measured is not lost if a later part is interrupted.
        Page::of_kept(&output, names.iter().map(String::as_str))?.write(&output)?;
    }
    Ok(())
}
