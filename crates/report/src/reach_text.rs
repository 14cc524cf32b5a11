//! Whether something can be reached, for people: the verdict first, then the run that shows it, then
//! what the search did.

use std::fmt::Write;

use analysis::{Ending, Execution, Statistics};
use program::{Diagnostic, Program, Sources};
use semantics::{Machine, Model};

use crate::reach::{Answer, Outcome};
use crate::{diagnostics, run_text};

/// An answer about one input.
pub fn render(
    file: &str,
    program: &Program,
    sources: &Sources,
    answer: &Answer,
    colour: bool,
) -> String {
    let model = match answer.model {
        Model::Sc => "SC",
        Model::Tso => "TSO",
    };
    let mut text = match &answer.outcome {
        Outcome::Holds => {
            format!("{file}: holds under {model}: {}\n", never(&answer.looked_for))
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
            let mut text = format!("{file}: undecided under {model}: {reason}\n");
            if at.source.is_some() {
                let error = Diagnostic::new(*at, "the search cannot go on here");
                let rendered = diagnostics::render(&[error], sources, colour);
                let _ = write!(text, "\n{}\n\n", rendered.trim_end());
            }
            if let Some(advice) = advice {
                let _ = writeln!(text, "  {advice}");
            }
            text
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

fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn found(program: &Program, execution: &Execution, machine: &Machine<'_>) -> String {
    match &execution.ending {
        Ending::Fault { thread, fault, .. } | Ending::Limit { thread, fault, .. } => {
            format!("{}: {fault}", machine.threads()[*thread].name)
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

/// What a search did, in one line.
fn figures(statistics: &Statistics, engine: &str) -> String {
    format!(
        "{engine} explored {}, {} deep, in {} and {:.2} s",
        counted(statistics.states, "state"),
        counted(statistics.depth, "step"),
        amount(statistics.peak_bytes),
        statistics.elapsed.as_secs_f64()
    )
}

/// A number of bytes as people say it.
pub fn amount(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut tenths, mut unit) = (bytes.saturating_mul(10) / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_have_one_digit_after_the_point() {
        let said = [0, 1023, 1024, 1536, 10 << 20, 5 << 40].map(amount);
        assert_eq!(said, ["0.0 KiB", "0.9 KiB", "1.0 KiB", "1.5 KiB", "10.0 MiB", "5.0 TiB"]);
    }
}
