//! A candidate execution for people: what each thread reads and writes, and how that hangs together.

use axiomatic::Execution;
use axiomatic::event::{Effect, Event};
use frontend::fw::Notation;
use program::{Program, Sources};

use crate::outcomes::relations;
use crate::table::align;

/// The events, one per line, and the relations between them, one pair per line.
pub(crate) fn render(program: &Program, sources: &Sources, execution: &Execution) -> String {
    let notation = Notation::new(program);
    let threads = program.threads().unwrap_or_default();
    let cell = |event: &Event| match event.effect {
        Effect::Read { address, value } | Effect::Write { address, value } => {
            format!("{} = {value}", program.memory().cell_name(address))
        }
        Effect::Fence(_) | Effect::FailedExclusive => String::new(),
    };
    let header = ["event", "line", "thread", "instruction", "does"].map(str::to_owned).to_vec();
    let mut rows = vec![header];
    for (number, event) in execution.events.iter().enumerate() {
        let thread = event.thread.and_then(|thread| threads.get(thread));
        let edge = thread.zip(event.edge).map(|(thread, edge)| {
            let data = program.template(thread.template).edge(edge);
            (thread.template, data)
        });
        let line = edge.and_then(|(_, edge)| Some((edge.span.source?, edge.span.start)));
        let does = match event.effect {
            _ if thread.is_none() => cell(event),
            Effect::Read { .. } => format!("reads {}", cell(event)),
            Effect::Write { .. } => format!("writes {}", cell(event)),
            Effect::Fence(_) => String::new(),
            Effect::FailedExclusive => "fails".to_owned(),
        };
        rows.push(vec![
            letter(number),
            line.map_or_else(String::new, |(source, at)| {
                sources.line_column(source, at).0.to_string()
            }),
            thread.map_or_else(|| "initially".to_owned(), |thread| thread.name.clone()),
            edge.map_or_else(String::new, |(template, edge)| notation.instruction(template, edge)),
            does,
        ]);
    }
    let mut text = align(&rows, 2);
    text.push('\n');
    let mut rows = Vec::new();
    for (relation, pairs) in relations(execution) {
        for (number, (from, to)) in pairs.into_iter().enumerate() {
            // The name stands only in the first row.
            let name = if number == 0 { relation } else { "" };
            let why = told(relation, &execution.events[from], &cell);
            rows.push(vec![name.to_owned(), format!("{} → {}", letter(from), letter(to)), why]);
        }
    }
    text.push_str(&align(&rows, 2));
    text
}

/// What a pair of a relation means, where that is short.
fn told(relation: &str, from: &Event, cell: &impl Fn(&Event) -> String) -> String {
    match relation {
        "rf" => format!("{} is read", cell(from)),
        "co" => format!("{} is overwritten", cell(from)),
        "fr" => format!("{} was read before this is written", cell(from)),
        "addr" => "the address depends on what was read".to_owned(),
        "data" => "the value depends on what was read".to_owned(),
        "ctrl" => "a branch before it depends on what was read".to_owned(),
        "rmw" => "one atomic access".to_owned(),
        _ => String::new(),
    }
}

/// What an event is called: a, b, …, z, a1, b1, ….
pub(crate) fn letter(number: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn events_have_short_names() {
        assert_eq!([0, 25, 26, 53].map(letter), ["a", "z", "a1", "b2"]);
    }
}
