//! How many loops a place for a fence is in: what is in a loop is executed more often than what is around it.
//!
//! A node is in a loop if it lies on a cycle, and in a further one if it still does without the nodes where the
//! cycles of the first are entered. A function is in the loops of the calls of it, those calls that are in
//! most; functions that call each other are one loop more.

use events::{Action, Function, FunctionId, Graph, NodeId, PlaceId};
use program::IndexVec;
use program::index::Idx;

use crate::reach::components;

/// For each place of a graph, how many loops it is in.
pub fn loop_depths(graph: &Graph) -> IndexVec<PlaceId, u32> {
    let within: IndexVec<FunctionId, Vec<u32>> = graph.functions.iter().map(in_function).collect();
    let around = around(graph, &within);
    let mut depths: IndexVec<PlaceId, u32> = graph.places.iter().map(|_| 0).collect();
    for (id, function) in graph.functions.enumerate() {
        for (number, node) in function.nodes.enumerate() {
            let Some(place) = node.place else { continue };
            // It is in every loop that both ends of a way out are in.
            let depth = |next: &NodeId| within[id][next.index()].min(within[id][number.index()]);
            let depth = node.successors.iter().map(depth).max().unwrap_or(0);
            depths[place] = depths[place].max(depth + around[id]);
        }
    }
    depths
}

/// How many loops of its function each node is in.
fn in_function(function: &Function) -> Vec<u32> {
    let count = function.nodes.len();
    let mut depths = vec![0; count];
    let mut next: Vec<Vec<usize>> = function
        .nodes
        .iter()
        .map(|node| node.successors.iter().map(|one| one.index()).collect())
        .collect();
    loop {
        let mut number_of = vec![usize::MAX; count];
        let mut entered = vec![false; count];
        let mut is_any = false;
        let all = components(count, |node, at| next[node].get(at).copied());
        for (number, component) in all.iter().enumerate() {
            let is_loop = match component[..] {
                [one] => next[one].contains(&one),
                _ => true,
            };
            if is_loop {
                is_any = true;
                for node in component {
                    depths[*node] += 1;
                    number_of[*node] = number;
                }
            }
        }
        if !is_any {
            return depths;
        }
        // Where each is entered: at one node at least.
        let mut has_entry = vec![false; all.len()];
        for (from, targets) in next.iter().enumerate() {
            for to in targets {
                if number_of[*to] != usize::MAX && number_of[*to] != number_of[from] {
                    entered[*to] = true;
                    has_entry[number_of[*to]] = true;
                }
            }
        }
        for (number, component) in all.iter().enumerate() {
            let is_loop = component.first().is_some_and(|one| number_of[*one] == number);
            if is_loop
                && !has_entry[number]
                && let Some(first) = component.iter().min()
            {
                entered[*first] = true;
            }
        }
        for targets in &mut next {
            targets.retain(|to| !entered[*to]);
        }
        for (node, is_entered) in entered.iter().enumerate() {
            if *is_entered {
                next[node].clear();
            }
        }
    }
}

/// How many loops each function is called in.
fn around(graph: &Graph, within: &IndexVec<FunctionId, Vec<u32>>) -> IndexVec<FunctionId, u32> {
    let mut calls: Vec<Vec<(usize, u32)>> = vec![Vec::new(); graph.functions.len()];
    for (id, function) in graph.functions.enumerate() {
        for (number, node) in function.nodes.enumerate() {
            if let Action::Call(callees) = &node.action {
                let depth = within[id][number.index()];
                calls[id.index()].extend(callees.iter().map(|callee| (callee.index(), depth)));
            }
        }
    }
    let mut around: IndexVec<FunctionId, u32> = graph.functions.iter().map(|_| 0).collect();
    let mut all = components(calls.len(), |one, at| calls[one].get(at).map(|call| call.0));
    // Callers first.
    all.reverse();
    for component in all {
        let is_recursive = component
            .iter()
            .any(|one| calls[*one].iter().any(|(callee, _)| component.contains(callee)));
        let known = component.iter().map(|one| around[FunctionId::new(*one)]).max().unwrap_or(0);
        for one in &component {
            around[FunctionId::new(*one)] = known + u32::from(is_recursive);
        }
        for one in &component {
            let own = around[FunctionId::new(*one)];
            for (callee, depth) in &calls[*one] {
                if !component.contains(callee) {
                    let there = &mut around[FunctionId::new(*callee)];
                    *there = (*there).max(own + depth);
                }
            }
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use events::{Node, Place, Side};
    use program::Span;

    use super::*;

    fn function(graph: &mut Graph, nodes: &[(&[usize], Action)]) -> FunctionId {
        let nodes: IndexVec<NodeId, Node> = nodes
            .iter()
            .map(|(successors, action)| {
                let place = Place { point: None, side: Side::After, span: Span::NONE };
                Node {
                    action: action.clone(),
                    successors: successors.iter().map(|at| NodeId::new(*at)).collect(),
                    span: Span::NONE,
                    place: Some(graph.places.push(place)),
                    depends_on: Vec::new(),
                    alone: false,
                    held: Vec::new(),
                }
            })
            .collect();
        let exit = NodeId::new(nodes.len() - 1);
        let name = String::new();
        graph.functions.push(Function { name, entry: NodeId::new(0), exit, nodes })
    }

    #[test]
    fn loops_around_places_are_counted() {
        let mut graph = Graph::default();
        let skip = || Action::Skip;
        let (recursive, called) = (FunctionId::new(1), FunctionId::new(2));
        // 1 to 4 are a loop, 2 and 3 another in it, left from 3 to 4.
        function(
            &mut graph,
            &[
                (&[1], skip()),
                (&[2], skip()),
                (&[3], Action::Call(vec![called])),
                (&[2, 4], skip()),
                (&[1, 5], Action::Call(vec![recursive])),
                (&[], skip()),
            ],
        );
        function(&mut graph, &[(&[1], Action::Call(vec![recursive])), (&[], skip())]);
        function(&mut graph, &[(&[1], skip()), (&[1, 2], skip()), (&[], skip())]);
        let depths: Vec<u32> = loop_depths(&graph).into_iter().collect();
        assert_eq!(depths, [0, 1, 2, 2, 1, 0, 2, 2, 2, 3, 2]);
    }
}
