//! A program as a graph in DOT: the control-flow automaton of each thread.

use std::fmt::Write;

use frontend::fw::Notation;
use program::index::Idx;
use program::{LabelId, Program, Template, TemplateId};

/// The automata of all threads, side by side. The initial label is bold; labels where a thread
/// ends have a double border.
pub fn render(program: &Program) -> String {
    let notation = Notation::new(program);
    let mut text = format!("digraph {} {{\n", quoted(program.name()));
    text.push_str("  node [shape=box, style=rounded, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\"];\n");
    for (id, template) in program.templates().enumerate() {
        thread(&mut text, id, template, &notation);
    }
    text.push_str("}\n");
    text
}

fn thread(text: &mut String, id: TemplateId, template: &Template, notation: &Notation) {
    let node = |label: LabelId| format!("t{}_{}", id.index(), label.index());
    let _ = writeln!(text, "  subgraph cluster_{} {{", id.index());
    let _ = writeln!(text, "    label={};", quoted(template.name()));
    for (label, data) in template.labels().enumerate() {
        let mut attributes = format!("label={}", quoted(&data.name));
        if label == template.initial() {
            attributes.push_str(", penwidth=3");
        }
        if template.outgoing(label).len() == 0 {
            attributes.push_str(", peripheries=2");
        }
        let _ = writeln!(text, "    {} [{attributes}];", node(label));
    }
    for edge in template.edges() {
        let label = quoted(&notation.instruction(id, edge));
        let _ = writeln!(text, "    {} -> {} [label={label}];", node(edge.from), node(edge.to));
    }
    text.push_str("  }\n");
}

/// A string of DOT.
pub(crate) fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
