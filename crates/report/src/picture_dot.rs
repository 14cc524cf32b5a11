//! Pictures of executions in DOT: a box of events for each thread, what matters in red.

use std::fmt::Write;

use crate::dot::quoted;
use crate::picture::{Arrow, Column, Picture};

/// One graph for some pictures.
pub(crate) fn graph(name: &str, pictures: &[Picture]) -> String {
    let mut text = format!("digraph {} {{\n", quoted(name));
    text.push_str(
        "  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    for (number, picture) in pictures.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{number} {{");
        let _ = writeln!(text, "    label={};", quoted(&picture.title));
        for (at, column) in picture.columns.iter().enumerate() {
            thread(&mut text, number, at, column);
        }
        for arrow in &picture.arrows {
            edge(&mut text, number, arrow);
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// A graph that is a text.
pub(crate) fn text(name: &str, text: &str) -> String {
    // Lines that end so are set to the left.
    let label = format!("{}\n", quoted(text)).replace("\\n", "\\l");
    let (name, label) = (quoted(name), label.trim_end().trim_end_matches('"'));
    format!(
        "digraph {name} {{\n  node [shape=plaintext, fontname=\"monospace\"];\n  said [label={label}\\l\"];\n}}\n"
    )
}

fn thread(text: &mut String, number: usize, at: usize, column: &Column) {
    let _ = writeln!(text, "    subgraph cluster_{number}_{at} {{");
    let _ = writeln!(text, "      label={};", quoted(&column.name));
    for one in &column.boxes {
        let line = if one.line.is_empty() { String::new() } else { format!("{}: ", one.line) };
        let effect =
            if one.effect.is_empty() { String::new() } else { format!("\n{}", one.effect) };
        let label = quoted(&format!("{line}{}{effect}", one.code));
        let colour = if one.is_shown { ", color=red" } else { "" };
        let _ = writeln!(text, "      {}_{number} [label={label}{colour}];", one.id);
    }
    text.push_str("    }\n");
}

fn edge(text: &mut String, number: usize, arrow: &Arrow) {
    let Arrow { from, to, relation, is_shown, is_directed } = arrow;
    let style = match relation.as_str() {
        "rf" => ", style=dashed",
        "fr" => ", style=dotted",
        "co" => ", style=bold",
        _ => "",
    };
    let colour = if *is_shown { ", color=red, fontcolor=red, penwidth=2" } else { "" };
    let direction = if *is_directed { "" } else { ", dir=none" };
    let label = quoted(relation);
    let _ = writeln!(
        text,
        "    {from}_{number} -> {to}_{number} [label={label}{style}{direction}{colour}];"
    );
}
