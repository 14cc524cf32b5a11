//! In which order to print the labels of a thread, and whether it has loops.

use std::collections::BTreeSet;

use program::{Edge, LabelId, Template};

/// The labels in an order in which all edges lead forward, and the edges that do not let them.
/// After a label comes, if possible, where its last edge leads.
pub(super) fn topological(template: &Template) -> (Vec<LabelId>, Vec<&Edge>) {
    let mut order: Vec<LabelId> = Vec::new();
    let mut open: BTreeSet<LabelId> = BTreeSet::new();
    let mut seen: BTreeSet<LabelId> = BTreeSet::new();
    let mut loops = Vec::new();
    let roots = std::iter::once(template.initial()).chain(template.labels().indices());
    for root in roots {
        if !seen.insert(root) {
            continue;
        }
        open.insert(root);
        let mut finished: Vec<LabelId> = Vec::new();
        let mut stack = vec![(root, template.outgoing(root))];
        while let Some((label, edges)) = stack.last_mut() {
            let Some(edge) = edges.next() else {
                open.remove(label);
                finished.push(*label);
                stack.pop();
                continue;
            };
            let edge = template.edge(edge);
            if open.contains(&edge.to) {
                loops.push(edge);
            } else if seen.insert(edge.to) {
                open.insert(edge.to);
                stack.push((edge.to, template.outgoing(edge.to)));
            }
        }
        order.extend(finished.into_iter().rev());
    }
    (order, loops)
}
