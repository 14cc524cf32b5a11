//! Static delays for people, with what the enumerator says of each.

use std::fmt::Write;

use axiomatic::Does;
use frontend::fw::Notation;
use program::{Edge, Instruction, TemplateId};
use workspace::cycles::{Confirmed, Judgement};

use crate::execution_text;
use crate::table::align;

/// The delays: how many, a table, and an execution that shows one.
pub(crate) fn render(confirmed: &Confirmed) -> String {
    let Confirmed { program, sources, pairs, weak, doubt, executions } = confirmed;
    let notation = Notation::new(program);
    let mut text = format!("\n  {}\n", counts(confirmed));
    if !pairs.is_empty() {
        let header = ["", "thread", "line", "access", "line", "access that may overtake it"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for pair in pairs {
            let mut row = vec![word(&pair.judgement).to_owned(), pair.thread.clone()];
            for (edge, does) in [pair.first, pair.second] {
                let data = program.template(pair.template).edge(edge);
                let line =
                    data.span.source.map(|source| sources.line_column(source, data.span.start).0);
                row.push(line.map_or_else(String::new, |line| line.to_string()));
                row.push(access(&notation, pair.template, does, data));
            }
            rows.push(row);
        }
        text.push_str(&align(&rows, 4));
    }
    let confirming = pairs.iter().find_map(|pair| match &pair.judgement {
        Judgement::Confirmed(execution) => Some(&**execution),
        Judgement::Refuted | Judgement::Undecided => None,
    });
    if let Some(execution) = confirming.or(weak.as_ref()) {
        text.push_str("\n  an execution that the machine has and the reference does not:\n\n");
        for line in execution_text::render(program, sources, execution).lines() {
            let indent = if line.is_empty() { "" } else { "  " };
            let _ = writeln!(text, "{indent}{line}");
        }
    }
    let _ = writeln!(text, "\n  {executions} candidate executions");
    if let Some(doubt) = doubt {
        let _ = writeln!(text, "  not all of them: {doubt}");
    }
    text
}

/// An instruction, and whether it is its read or its write that is meant, if it has both.
fn access(notation: &Notation, template: TemplateId, does: Does, edge: &Edge) -> String {
    let instruction = notation.instruction(template, edge);
    match (&edge.instruction, does) {
        (Instruction::Update { .. }, Does::Reads) => format!("{instruction} (its read)"),
        (Instruction::Update { .. }, Does::Writes) => format!("{instruction} (its write)"),
        (
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock,
            _,
        ) => instruction,
    }
}

/// The three numbers, and a fourth if something is open.
pub(crate) fn counts(confirmed: &Confirmed) -> String {
    let (yes, no, open) = confirmed.counts();
    let all = confirmed.pairs.len();
    let open = if open == 0 { String::new() } else { format!(", {open} undecided") };
    format!("delays of the closed program: {all} static, {yes} confirmed, {no} refuted{open}")
}

/// What became of a delay.
pub(crate) const fn word(judgement: &Judgement) -> &'static str {
    match judgement {
        Judgement::Confirmed(_) => "confirmed",
        Judgement::Refuted => "refuted",
        Judgement::Undecided => "undecided",
    }
}
