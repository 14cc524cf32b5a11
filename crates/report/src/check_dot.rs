//! Violations as graphs in DOT: what happens before what, one box for each thread, what shows the
//! violation in red.

use std::fmt::Write;

use analysis::{Evidence, Verdict};
use program::index::Idx;
use program::{Program, Sources};
use semantics::{Edge, NodeId, Relation, Trace};

use workspace::CheckAnswer;

use crate::check::{contradiction, drawn_together, headline, machine, meaning, shown_in, verdict};
use crate::check_text::word;
use crate::dot::quoted;
use crate::narrator::Narrator;

/// A comment for each criterion, and a graph for each that is violated.
pub fn render(file: &str, program: &Program, sources: &Sources, answer: &CheckAnswer) -> String {
    let mut text = String::new();
    for finding in &answer.results {
        let (criterion, word) = (finding.criterion, word(&finding.verdict));
        let said = match &finding.verdict {
            Verdict::Holds(_) => meaning(criterion).to_owned(),
            Verdict::Violated(evidence) => headline(shown_in(program, finding), evidence),
            Verdict::Undecided(reason) => reason.to_string(),
        };
        let title = format!("{file}: {}", verdict(criterion, word, &said));
        let _ = writeln!(text, "// {title}");
        if let Verdict::Violated(evidence) = &finding.verdict {
            text.push_str(&graph(shown_in(program, finding), sources, evidence, &title));
        }
    }
    text
}

fn graph(program: &Program, sources: &Sources, evidence: &Evidence, title: &str) -> String {
    let machine = machine(program, evidence.execution());
    let narrator = Narrator::new(program, sources, &machine);
    let (trace, shown) = match evidence {
        Evidence::Cycle(witness) => (&witness.trace, drawn_together(&witness.cycle)),
        Evidence::Overtaking(overtaking) => {
            (&overtaking.trace, contradiction(&machine, overtaking))
        }
        Evidence::Race(race) => (&race.trace, Vec::new()),
        Evidence::Elsewhere(elsewhere) => match &elsewhere.trace {
            Some(trace) => (trace, Vec::new()),
            None => return String::new(),
        },
    };
    let mut text = format!("digraph {} {{\n  label={};\n", quoted(program.name()), quoted(title));
    text.push_str("  node [shape=box, fontname=\"monospace\"];\n");
    for (thread, nodes) in trace.program_order().enumerate() {
        let name = quoted(&machine.threads()[thread].name);
        let _ = writeln!(text, "  subgraph cluster_{} {{\n    label={name};", thread.index());
        for node in nodes {
            let data = &trace.nodes()[*node];
            let line = narrator.line_of(thread, data.edge);
            let label = quoted(&format!("{line}: {}", narrator.node(data)));
            let colour = if is_on(&shown, *node) { ", color=red" } else { "" };
            let _ = writeln!(text, "    n{} [label={label}{colour}];", node.index());
        }
        if let Evidence::Race(race) = evidence {
            for (number, access) in race.accesses.iter().enumerate() {
                if access.thread == thread {
                    let line = narrator.line_of(thread, access.edge);
                    let label = narrator.instruction(thread, access.edge);
                    let label = quoted(&format!("{line}: {label}"));
                    let _ = writeln!(text, "    next{number} [label={label}, color=red];");
                }
            }
        }
        text.push_str("  }\n");
    }
    for edge in edges(trace, evidence) {
        let is_shown = shown.contains(&edge);
        text.push_str(&arrow(&edge, is_shown));
    }
    for edge in shown.iter().filter(|edge| !edges(trace, evidence).contains(edge)) {
        text.push_str(&arrow(edge, true));
    }
    if let Evidence::Race(_) = evidence {
        text.push_str("  next0 -> next1 [label=\"race\", dir=none, color=red];\n");
    }
    text.push_str("}\n");
    text
}

fn is_on(cycle: &[Edge], node: NodeId) -> bool {
    cycle.iter().any(|edge| edge.from == node)
}

/// Happens-before; where the order of all stores counts, that order instead of one for each address.
fn edges(trace: &Trace, evidence: &Evidence) -> Vec<Edge> {
    let mut edges = trace.happens_before();
    match evidence {
        Evidence::Cycle(_) | Evidence::Race(_) | Evidence::Elsewhere(_) => {}
        Evidence::Overtaking(_) => {
            edges.retain(|edge| edge.relation != Relation::StoreOrder);
            edges.extend(trace.arrivals().windows(2).map(|pair| Edge {
                from: pair[0],
                to: pair[1],
                relation: Relation::StoreOrder,
            }));
        }
    }
    edges
}

fn arrow(edge: &Edge, is_shown: bool) -> String {
    let (label, style) = match edge.relation {
        Relation::ProgramOrder => ("", "solid"),
        Relation::StoreOrder => ("store order", "bold"),
        Relation::Source => ("reads from", "dashed"),
        Relation::Conflict => ("overwritten by", "dotted"),
        Relation::SameSection => ("same section", "dashed"),
    };
    let colour = if is_shown { ", color=red, penwidth=2" } else { "" };
    let (from, to) = (edge.from.index(), edge.to.index());
    format!("  n{from} -> n{to} [label=\"{label}\", style={style}{colour}];\n")
}
