//! Critical cycles in DOT: a column for each thread that a cycle visits, its accesses from top to bottom.
//! What the machine may reorder is red.

use std::fmt::Write;

use cycles::answer::{ShownAccess, ShownVisit};
use program::Sources;
use workspace::CyclesAnswer;

use crate::cycles_text::{communication, letter, memory};
use crate::dot::quoted;
use crate::fence::excerpt;

/// A picture of the cycles of an answer: all if they were asked for, otherwise one for each delay shown.
pub fn render(file: &str, sources: &Sources, answer: &CyclesAnswer) -> String {
    let mut text = format!("digraph {} {{\n", quoted(file));
    text.push_str("  node [shape=plaintext, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\"];\n");
    let shown: Vec<&[ShownVisit]> = match &answer.cycles {
        Some((cycles, _)) => cycles.iter().map(Vec::as_slice).collect(),
        None => answer.found.shown.iter().map(|delay| delay.cycle.as_slice()).collect(),
    };
    for (number, cycle) in shown.into_iter().enumerate() {
        draw(&mut text, sources, cycle, number);
    }
    text.push_str("}\n");
    text
}

fn draw(text: &mut String, sources: &Sources, cycle: &[ShownVisit], number: usize) {
    let label = |access: &ShownAccess| {
        let line = access.span.source.map_or_else(String::new, |source| {
            let (line, _) = sources.line_column(source, access.span.start);
            format!("\n{}:{line}: {}", sources.name(source), excerpt(sources, access.span))
        });
        quoted(&format!("{} {}{line}", letter(access.direction), memory(access)))
    };
    let _ = writeln!(text, "  subgraph cluster_{number} {{");
    for (at, visit) in cycle.iter().enumerate() {
        let _ = writeln!(text, "    subgraph cluster_{number}_{at} {{");
        let _ = writeln!(text, "      label={};", quoted(&visit.thread));
        let _ = writeln!(text, "      c{number}_{at}_0 [label={}];", label(&visit.first));
        if let Some(second) = &visit.second {
            let _ = writeln!(text, "      c{number}_{at}_1 [label={}];", label(second));
            let colour = if at == 0 { ", color=red, fontcolor=red" } else { "" };
            let _ = writeln!(
                text,
                "      c{number}_{at}_0 -> c{number}_{at}_1 [label=\"po\"{colour}];"
            );
        }
        text.push_str("    }\n");
    }
    for (at, visit) in cycle.iter().enumerate() {
        let next = (at + 1) % cycle.len();
        let last = usize::from(visit.second.is_some());
        let _ = writeln!(
            text,
            "    c{number}_{at}_{last} -> c{number}_{next}_0 [label=\"{}\"];",
            communication(visit.then)
        );
    }
    text.push_str("  }\n");
}
