//! The options of `fencewright outcomes`.

use std::path::PathBuf;

use axiomatic::Model;
use clap::{Args, ValueEnum};

use workspace::ModelChoice;

use super::Inputs;
use super::cycles::Reference;
use super::search::Search;
use crate::form::Form;

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright outcomes sb.litmus                 `*` marks states not under SC
  fencewright outcomes sb.litmus --model sc
  fencewright outcomes queue.fw --model power    would it work there?
  fencewright outcomes queue.fw --model aarch64 --reference tso
  fencewright outcomes queue.c --model rc11      is it correct C?
  fencewright outcomes sb.litmus --model my.cat  under a model of your own
  fencewright outcomes sb.litmus --show '0:EAX=0 /\\ 1:EAX=0'
  fencewright outcomes sb.fw --show 'p.r == 0 && q.r == 0' --format litmus

Exit code 1: a `forall` or `~exists` of the program does not hold, or there is no state for `--show`; \
3: not all final states are known. An `exists` is a question, and either answer is fine. See \
`fencewright explain docs/outcomes.md`.";

#[derive(Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct Outcomes {
    /// The memory model: sc, tso, pso, rmo, power, armv7, aarch64, aarch64-lse, riscv, rc11, imm, or a file
    /// in cat, herd's language for models; by default that of a litmus test's language or architecture, and
    /// `tso` for everything else. Under `sc` and `tso` states are explored, under the others executions
    /// enumerated
    #[arg(long, value_name = "MODEL|FILE.cat", value_parser = asked_model)]
    pub(crate) model: Option<ModelChoice>,

    /// Reference model: final states that it does not allow are marked
    #[arg(long, value_enum, default_value = "sc")]
    pub(crate) reference: Reference,

    /// Show how the program reaches a final state in which this is true, or why it cannot: in herd's syntax
    /// (`0:EAX=0 /\ y=2`) or in that of `.fw` (`p.r == 0 && y == 2`)
    #[arg(long, value_name = "CONDITION")]
    pub(crate) show: Option<String>,

    /// Rounds of a loop to follow where executions are enumerated, that is, under all models but `sc` and
    /// `tso`; by default up to 16, as long as that is little work. Rounds in which a thread only waits do
    /// not count
    #[arg(long, value_name = "ROUNDS")]
    pub(crate) unroll: Option<usize>,

    #[command(flatten)]
    pub(crate) search: Search,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: OutcomesFormat,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

/// The form of final states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutcomesFormat {
    /// For people
    Text,
    /// For machines: one JSON document per input, one per line
    Json,
    /// A page with the states, and the run or the executions of `--show`: one file, no network
    Html,
    /// The execution of `--show`, or those that are forbidden with the cycles that forbid them, as pictures
    Svg,
    /// The same pictures for graphviz
    Dot,
    /// The program as a litmus test that asks for the state of `--show`, for herd7 and litmus7
    Litmus,
}

impl OutcomesFormat {
    /// The form of what is said where there is no answer.
    pub(crate) const fn form(self) -> Form {
        match self {
            // Nothing can be said in a litmus test.
            Self::Text | Self::Litmus => Form::Text,
            Self::Json => Form::Json,
            Self::Html => Form::Html,
            Self::Svg => Form::Svg,
            Self::Dot => Form::Dot,
        }
    }
}

fn asked_model(text: &str) -> Result<ModelChoice, String> {
    if let Some(model) = Model::from_name(text) {
        return Ok(ModelChoice::BuiltIn(model));
    }
    let path = PathBuf::from(text);
    if path.extension().is_some_and(|extension| extension == "cat") {
        return Ok(ModelChoice::File(path));
    }
    let names = Model::ALL.map(Model::name);
    let is_like = |name: &&str| name.starts_with(text) || text.starts_with(name);
    let like = names.into_iter().find(|name| !text.is_empty() && is_like(name));
    let like =
        like.map_or_else(String::new, |name| format!("\n\n  tip: a similar name is `{name}`"));
    Err(format!("there are {}, and models in files that end in `.cat`{like}", names.join(", ")))
}
