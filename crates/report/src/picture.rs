//! An execution as a picture: threads as columns, events from top to bottom, relations as arrows. What DOT and
//! SVG and HTML draw; none of them knows where the events come from.
//!
//! Relations have the short names of the literature everywhere: `po` (program order), `rf` (reads from), `co`
//! (coherence, the order of stores), `fr` (from-read: what was read is overwritten later); `section` leads back within
//! a locked section.

use analysis::Evidence;
use program::index::Idx;
use program::{Program, Sources};
use semantics::{Edge, Event, Node, NodeId, Relation, Trace};

use crate::check::{contradiction, drawn_together, machine};
use crate::narrator::Narrator;
use crate::reordering::Reordering;

/// Pictures with more events show those that matter alone.
const MOST: usize = 48;

/// What is drawn.
pub(crate) struct Picture {
    /// What stands above it.
    pub(crate) title: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) arrows: Vec<Arrow>,
    /// How many events are not drawn.
    pub(crate) omitted: usize,
}

/// A thread.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) boxes: Vec<EventBox>,
}

/// An event.
pub(crate) struct EventBox {
    /// What arrows call it.
    pub(crate) id: String,
    /// The line of its instruction, if it has one.
    pub(crate) line: String,
    /// The instruction.
    pub(crate) code: String,
    /// What happens there.
    pub(crate) effect: String,
    /// Whether the violation passes it.
    pub(crate) is_shown: bool,
}

/// A pair of a relation.
pub(crate) struct Arrow {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The name of the relation.
    pub(crate) relation: String,
    /// Whether it is part of the violation.
    pub(crate) is_shown: bool,
    /// Whether it has a direction.
    pub(crate) is_directed: bool,
}

/// A relation of traces, as the literature calls it.
pub(crate) const fn short_name(relation: Relation) -> &'static str {
    match relation {
        Relation::ProgramOrder => "po",
        Relation::StoreOrder => "co",
        Relation::Source => "rf",
        Relation::Conflict => "fr",
        Relation::SameSection => "section",
    }
}

/// What shows a violation; nothing where only a run does.
pub(crate) fn of_evidence(
    program: &Program,
    sources: &Sources,
    evidence: &Evidence,
    title: String,
) -> Option<Picture> {
    let machine = machine(program, evidence.execution());
    let narrator = Narrator::new(program, sources, &machine);
    let (trace, shown) = match evidence {
        Evidence::Cycle(witness) => (&witness.trace, drawn_together(&witness.cycle)),
        Evidence::Overtaking(overtaking) => {
            (&overtaking.trace, contradiction(&machine, overtaking))
        }
        Evidence::Race(race) => (&race.trace, Vec::new()),
        Evidence::TsoOnly(elsewhere) => {
            let reordering = Reordering::of(program, &elsewhere.execution.computation)?;
            return Some(of_reordering(&narrator, &reordering, title));
        }
    };
    let orders_all_stores = match evidence {
        Evidence::Cycle(_) | Evidence::Race(_) | Evidence::TsoOnly(_) => false,
        Evidence::Overtaking(_) => true,
    };
    let mut picture = of_trace(&narrator, trace, &shown, orders_all_stores, title);
    if let Evidence::Race(race) = evidence {
        for (number, access) in race.accesses.iter().enumerate() {
            let column = &mut picture.columns[access.thread.index()];
            column.boxes.push(EventBox {
                id: format!("next{number}"),
                line: narrator.line_of(access.thread, access.edge),
                code: narrator.written(access.thread, access.edge),
                effect: "comes next".to_owned(),
                is_shown: true,
            });
        }
        picture.arrows.push(Arrow {
            from: "next0".to_owned(),
            to: "next1".to_owned(),
            relation: "race".to_owned(),
            is_shown: true,
            is_directed: false,
        });
    }
    Some(picture)
}

/// The trace of a run, with the edges that matter.
pub(crate) fn of_trace(
    narrator: &Narrator<'_>,
    trace: &Trace,
    shown: &[Edge],
    orders_all_stores: bool,
    title: String,
) -> Picture {
    let mut edges = happens_before(trace, orders_all_stores);
    for edge in shown {
        if !edges.contains(edge) {
            edges.push(*edge);
        }
    }
    let on_cycle = |node: NodeId| shown.iter().any(|edge| edge.from == node || edge.to == node);
    let matters = |node: NodeId| {
        on_cycle(node)
            || edges.iter().any(|edge| {
                edge.relation != Relation::ProgramOrder
                    && (edge.from == node && on_cycle(edge.to)
                        || edge.to == node && on_cycle(edge.from))
            })
    };
    let is_local = |node: NodeId| matches!(trace.nodes()[node].event, Event::Local);
    let events: Vec<NodeId> = trace.nodes().indices().filter(|node| !is_local(*node)).collect();
    // Of a long run without a cycle the end matters most.
    let first = events[events.len().saturating_sub(MOST)..].first().copied();
    let is_drawn = |node: NodeId| {
        let is_chosen = if events.len() <= MOST {
            true
        } else if shown.is_empty() {
            first.is_some_and(|first| node >= first)
        } else {
            matters(node)
        };
        is_chosen && !is_local(node) || on_cycle(node)
    };
    let name = |node: NodeId| format!("n{}", node.index());
    let mut columns = Vec::new();
    let mut arrows = Vec::new();
    let mut omitted = 0;
    for (thread, nodes) in trace.program_order().enumerate() {
        let mut boxes = Vec::new();
        let mut last: Option<NodeId> = None;
        for node in nodes {
            if !is_drawn(*node) {
                omitted += usize::from(!is_local(*node));
                continue;
            }
            let data = &trace.nodes()[*node];
            let (code, effect) = narrator.code_and_effect(data);
            boxes.push(EventBox {
                id: name(*node),
                line: narrator.line_of(thread, data.edge),
                code,
                effect,
                is_shown: on_cycle(*node),
            });
            if let Some(last) = last {
                let is_shown = shown.iter().any(|edge| (edge.from, edge.to) == (last, *node));
                arrows.push(Arrow::new(name(last), name(*node), "po", is_shown));
            }
            last = Some(*node);
        }
        columns.push(Column { name: narrator.machine.threads()[thread].name.clone(), boxes });
    }
    for edge in &edges {
        let is_shown = shown.contains(edge);
        let is_po = edge.relation == Relation::ProgramOrder;
        let (from, to) = (name(edge.from), name(edge.to));
        // Program order between neighbours is there already.
        let is_there = arrows.iter().any(|arrow| (&arrow.from, &arrow.to) == (&from, &to) && is_po);
        if is_drawn(edge.from) && is_drawn(edge.to) && !is_there && (!is_po || is_shown) {
            arrows.push(Arrow::new(from, to, short_name(edge.relation), is_shown));
        }
    }
    Picture { title, columns, arrows, omitted }
}

/// The trace of a run, with the cycle that no SC run has.
pub(crate) fn of_reordering(
    narrator: &Narrator<'_>,
    reordering: &Reordering,
    title: String,
) -> Picture {
    of_trace(narrator, &reordering.trace, &reordering.cycle, false, title)
}

/// Happens-before; where the order of all stores counts, that order instead of one for each address.
fn happens_before(trace: &Trace, orders_all_stores: bool) -> Vec<Edge> {
    let mut edges = trace.happens_before();
    if orders_all_stores {
        edges.retain(|edge| edge.relation != Relation::StoreOrder);
        edges.extend(trace.arrivals().windows(2).map(|pair| Edge {
            from: pair[0],
            to: pair[1],
            relation: Relation::StoreOrder,
        }));
    }
    edges
}

impl Arrow {
    pub(crate) fn new(from: String, to: String, relation: &str, is_shown: bool) -> Self {
        Self { from, to, relation: relation.to_owned(), is_shown, is_directed: true }
    }
}

impl Narrator<'_> {
    /// The instruction of a node, and what happened there.
    fn code_and_effect(&self, node: &Node) -> (String, String) {
        let told = self.node(node);
        match told.split_once("  ") {
            Some((code, effect)) => (code.to_owned(), effect.trim_start().to_owned()),
            None => (told, String::new()),
        }
    }
}
