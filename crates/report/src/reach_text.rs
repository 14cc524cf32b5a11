//! Whether something can be reached, for people: the verdict first, then the run that shows it, then
//! what the search did.

use std::fmt::Write;

use analysis::{Ending, Execution};
use program::{Program, Sources};
use semantics::{Machine, Model};

use crate::reach::{Answer, Outcome};
use crate::run_text;
use crate::search_text::{doubt, figures};
use crate::terminal::line;

/// An answer about one input.
pub fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &Answer,
    colour: bool,
) -> String {
    let file = &line(file);
    let model = match answer.model {
        Model::Sc => "SC",
        Model::Tso => "TSO",
    };
    let mut text = match &answer.outcome {
        Outcome::Holds(_) => {
            let why = answer.reason_to_hold().map_or_else(String::new, |why| format!("  {why}\n"));
            format!("{file}: holds under {model}: {}\n{why}", never(&answer.looked_for))
        }
        Outcome::Violated(execution) => {
            let machine = Machine::new(program, execution.computation.model)
                .expect("a run of a program with a definite number of threads");
            let found = found(program, execution, &machine);
            let run = run_text::render(program, sources, execution, &machine, colour);
            let no_buffer = match (answer.model, execution.computation.model) {
                (Model::Tso, Model::Sc) => " (and no store has to wait in a buffer)",
                (Model::Tso, Model::Tso) | (Model::Sc, _) => "",
            };
            format!("{file}: violated under {model}: {found}{no_buffer}\n\n{run}\n")
        }
        Outcome::Undecided { reason, at, advice } => {
            let doubt = doubt(*at, advice.as_deref(), sources, colour);
            format!("{file}: undecided under {model}: {reason}\n{doubt}")
        }
    };
    if answer.statistics.states > 0 {
        let _ = writeln!(text, "  {}", figures(&answer.statistics, answer.engine));
    }
    text
}

fn never(looked_for: &[&str]) -> String {
    match looked_for {
        [] => "nothing was looked for".to_owned(),
        ["goal"] => "the goal cannot be reached".to_owned(),
        [one] => format!("no {one} can be reached"),
        [first @ .., last] => format!("no {} or {last} can be reached", first.join(", ")),
    }
}

fn found(program: &Program, execution: &Execution, machine: &Machine<'_>) -> String {
    match &execution.ending {
        Ending::Fault { thread, edge, fault } | Ending::Limit { thread, edge, fault } => {
            let why = machine.template(*thread).why(*edge, *fault);
            format!("{}: {why}", machine.threads()[*thread].name)
        }
        Ending::Deadlock(_) => "a deadlock can be reached".to_owned(),
        Ending::Goal | Ending::StepLimit => "the goal can be reached".to_owned(),
        Ending::Terminated => {
            let quantifier =
                program.question().condition.as_ref().map(|(quantifier, _)| quantifier);
            let by = quantifier.map_or_else(String::new, |it| format!(" that `{it}` rules out"));
            format!("a final state{by} can be reached")
        }
    }
}
