//! Histories of operations, for people.

use std::fmt::Write;

use analysis::Histories;
use analysis::histories::{Event, History};
use program::Value;
use semantics::Machine;

/// What is wrong with a history, in a few words.
pub(crate) const fn unexplained(asked: Histories) -> &'static str {
    match asked {
        Histories::Linearizable => {
            "no sequential order of the operations explains this history and keeps the order of those that do not overlap"
        }
        Histories::SequentiallyConsistent => {
            "no sequential order of the operations explains this history, though only the order within each thread must be kept"
        }
    }
}

/// What is looked for.
pub(crate) const fn noun(asked: Histories) -> &'static str {
    match asked {
        Histories::Linearizable => "history that is not linearizable",
        Histories::SequentiallyConsistent => "history that is not sequentially consistent",
    }
}

/// The calls and returns, one per line, each thread in a column of its own.
pub(crate) fn lines(history: &History, machine: &Machine<'_>) -> String {
    let values = |values: &[Value]| {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        values.join(", ")
    };
    let mut text = format!("{}:\n", unexplained(history.asked));
    for one in &history.occurrences {
        let name = &machine.threads()[one.thread].name;
        let event = match &one.event {
            Event::Call { operation, arguments } => {
                format!("calls {operation}({})", values(arguments))
            }
            Event::Return { results } if results.is_empty() => "returns".to_owned(),
            Event::Return { results } => format!("returns {}", values(results)),
        };
        let _ = writeln!(text, "  {name} {event}");
    }
    text
}
