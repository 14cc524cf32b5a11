//! An abstract event graph as a picture: a column for each thread with its shared accesses and fences, arrows of
//! program order between them, and a line (`com`) between accesses of different threads that may hit the same memory
//! and of which one writes: between these rf, co or fr is possible. Where copies of a thread run beside each other
//! two of them are drawn.

use std::collections::BTreeSet;

use events::{AccessKind, Action, ClassId, Function, Graph, LocationSet, Node, NodeId};
use program::Sources;
use program::index::Idx;
use workspace::{Life, life};

use crate::cycles_text::kind;
use crate::fence::excerpt;
use crate::picture::{Arrow, Column, EventBox, Picture};
use crate::reading_order::reading_order;

/// The graph of a program with this name.
pub(crate) fn of_graph(name: &str, graph: &Graph, sources: &Sources) -> Picture {
    let (mut columns, mut arrows) = (Vec::new(), Vec::new());
    let mut drawn: Vec<(ClassId, Vec<(String, NodeId)>)> = Vec::new();
    for (class, thread) in graph.threads.enumerate() {
        let function = &graph.functions[thread.entry];
        let events = events(function);
        let copies = if graph.parallel[class][class] { 2 } else { 1 };
        for copy in 0..copies {
            let id = |node: NodeId| format!("c{}_{copy}n{}", class.index(), node.index());
            let boxes = events.iter().map(|node| {
                let data = &function.nodes[*node];
                event(graph, sources, (data, &thread.name), id(*node))
            });
            let another = if copy > 0 { " (another one)" } else { "" };
            columns
                .push(Column { name: format!("{}{another}", thread.name), boxes: boxes.collect() });
            for from in &events {
                let next = next_events(function, *from);
                arrows
                    .extend(next.into_iter().map(|to| Arrow::new(id(*from), id(to), "po", false)));
            }
            drawn.push((class, events.iter().map(|node| (id(*node), *node)).collect()));
        }
    }
    for (number, (class, nodes)) in drawn.iter().enumerate() {
        for (other_class, others) in &drawn[number + 1..] {
            if !graph.parallel[*class][*other_class] {
                continue;
            }
            let node = |class: ClassId, node: NodeId| {
                &graph.functions[graph.threads[class].entry].nodes[node]
            };
            for (from, one) in nodes {
                for (to, other) in others {
                    if compete(node(*class, *one), node(*other_class, *other)) {
                        let arrow = Arrow::new(from.clone(), to.clone(), "com", false);
                        arrows.push(Arrow { is_directed: false, ..arrow });
                    }
                }
            }
        }
    }
    Picture { title: format!("event graph of {name}"), columns, arrows, omitted: 0 }
}

const fn is_event(node: &Node) -> bool {
    match node.action {
        Action::Skip => false,
        Action::Access(_) | Action::Fence(_) | Action::Call(_) => true,
    }
}

/// The events of a function in the order in which people read them.
fn events(function: &Function) -> Vec<NodeId> {
    let leads_to = |node: usize| -> Vec<usize> {
        let next = &function.nodes[NodeId::new(node)].successors;
        next.iter().map(|next| next.index()).collect()
    };
    let order = reading_order(function.nodes.len(), function.entry.index(), leads_to);
    order.into_iter().map(NodeId::new).filter(|node| is_event(&function.nodes[*node])).collect()
}

/// The events that can come next.
fn next_events(function: &Function, from: NodeId) -> BTreeSet<NodeId> {
    let (mut found, mut passed) = (BTreeSet::new(), BTreeSet::new());
    let mut left = function.nodes[from].successors.clone();
    while let Some(node) = left.pop() {
        if is_event(&function.nodes[node]) {
            found.insert(node);
        } else if passed.insert(node) {
            left.extend(&function.nodes[node].successors);
        }
    }
    found
}

/// Whether two accesses may hit the same memory, and one of them writes.
fn compete(one: &Node, other: &Node) -> bool {
    let (Action::Access(one), Action::Access(other)) = (&one.action, &other.action) else {
        return false;
    };
    let reads = |kind: AccessKind| match kind {
        AccessKind::Read | AccessKind::ReadExclusive => true,
        AccessKind::Write | AccessKind::WriteExclusive | AccessKind::Update { .. } => false,
    };
    !(reads(one.kind) && reads(other.kind)) && one.locations.meets(&other.locations)
}

/// An event of a thread.
fn event(graph: &Graph, sources: &Sources, (node, thread): (&Node, &str), id: String) -> EventBox {
    let mut code = excerpt(sources, node.span);
    let does = match &node.action {
        Action::Skip => String::new(),
        Action::Access(access) => {
            let letter = match access.kind {
                AccessKind::Read | AccessKind::ReadExclusive => "R",
                AccessKind::Write | AccessKind::WriteExclusive => "W",
                AccessKind::Update { .. } => "RW",
            };
            let memory = memory(graph, &access.locations);
            match life(&memory) {
                None => format!("{letter} {memory}"),
                // What stands there is not what begins or ends the thread.
                Some(Life::Start(of)) if of == thread => {
                    code.clear();
                    format!("{thread} starts")
                }
                Some(Life::End(of)) if of == thread => {
                    code.clear();
                    format!("{thread} ends")
                }
                Some(Life::Start(of)) => format!("{of} is created"),
                Some(Life::End(of)) => format!("{of} has ended"),
            }
        }
        Action::Fence(fence) => format!("F {}", kind(*fence)),
        Action::Call(functions) => {
            let names: Vec<&str> =
                functions.iter().map(|function| graph.functions[*function].name.as_str()).collect();
            format!("call {}", names.join("|"))
        }
    };
    let line = node.span.source.map(|source| sources.line_column(source, node.span.start).0);
    EventBox {
        id,
        line: line.map_or_else(String::new, |line| line.to_string()),
        code,
        effect: does,
        is_shown: false,
    }
}

/// What an access may hit.
fn memory(graph: &Graph, locations: &LocationSet) -> String {
    /// How many names are told.
    const MOST: usize = 3;
    match locations {
        LocationSet::Any | LocationSet::Before(_) => "any shared memory".to_owned(),
        LocationSet::Some(all) => {
            let names = all.iter().take(MOST).map(|one| graph.locations[*one].name.as_str());
            let more = if all.len() > MOST { "|…" } else { "" };
            format!("{}{more}", names.collect::<Vec<_>>().join("|"))
        }
    }
}
