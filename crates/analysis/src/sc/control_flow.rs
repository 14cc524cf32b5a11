//! What the control flow of a template says about any of its runs.

use program::index::Idx;
use program::{EdgeId, Expr, IndexVec, Instruction, LabelId, Template};

use automata::Mode;

/// For each edge whether it closes a loop: a back edge of a depth-first search from the beginning.
/// Every cycle has one.
pub(crate) fn loop_closing_edges(template: &Template) -> IndexVec<EdgeId, bool> {
    let labels = template.labels().len();
    let mut closes: IndexVec<EdgeId, bool> = template.edges().iter().map(|_| false).collect();
    let (mut on_path, mut done) = (vec![false; labels], vec![false; labels]);
    let mut path = vec![(template.initial(), template.outgoing(template.initial()))];
    on_path[template.initial().index()] = true;
    while let Some((label, edges)) = path.last_mut() {
        let Some(edge) = edges.next() else {
            on_path[label.index()] = false;
            done[label.index()] = true;
            path.pop();
            continue;
        };
        let to = template.edge(edge).to;
        if on_path[to.index()] {
            closes[edge] = true;
        } else if !done[to.index()] {
            on_path[to.index()] = true;
            path.push((to, template.outgoing(to)));
        }
    }
    closes
}

/// The accesses that can follow from each label on.
pub(crate) fn accesses_ahead(template: &Template) -> IndexVec<LabelId, Vec<(Expr, Mode)>> {
    let accesses_of = |from: LabelId| {
        let mut seen = vec![false; template.labels().len()];
        let mut open = vec![from];
        let mut accesses: Vec<(Expr, Mode)> = Vec::new();
        while let Some(label) = open.pop() {
            if std::mem::replace(&mut seen[label.index()], true) {
                continue;
            }
            for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
                open.push(edge.to);
                if let Some((address, _)) = edge.instruction.memory_access() {
                    let only_reads = matches!(
                        edge.instruction,
                        Instruction::Load { access, .. } if !access.exclusive
                    );
                    let mode = if only_reads { Mode::Read } else { Mode::Update };
                    if !accesses.iter().any(|known| *known == (address.clone(), mode)) {
                        accesses.push((address.clone(), mode));
                    }
                }
            }
        }
        accesses
    };
    template.labels().indices().map(accesses_of).collect()
}

/// For each label whether a load can follow with nothing in between that empties the buffer.
pub(crate) fn loads_ahead(template: &Template) -> IndexVec<LabelId, bool> {
    let mut ahead: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().as_slice().iter().rev() {
            let leads = matches!(edge.instruction, Instruction::Load { .. })
                || !edge.instruction.drains_buffer() && ahead[edge.to];
            changed |= leads && !ahead[edge.from];
            ahead[edge.from] |= leads;
        }
    }
    ahead
}

/// For each label whether a store that a buffer can delay leaves it, and a load can follow with
/// nothing in between that empties the buffer.
pub(crate) fn pivots(template: &Template) -> IndexVec<LabelId, bool> {
    let ahead = loads_ahead(template);
    let is_pivot = |label| {
        template.outgoing(label).map(|edge| template.edge(edge)).any(|edge| {
            matches!(edge.instruction, Instruction::Store { .. })
                && !edge.instruction.drains_buffer()
                && ahead[edge.to]
        })
    };
    template.labels().indices().map(is_pivot).collect()
}

/// For each label whether a way leads from there to an end.
pub(crate) fn labels_that_can_end(template: &Template) -> IndexVec<LabelId, bool> {
    let ends = |label| template.outgoing(label).len() == 0;
    let mut can: IndexVec<LabelId, bool> = template.labels().indices().map(ends).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().as_slice().iter().rev() {
            changed |= can[edge.to] && !can[edge.from];
            can[edge.from] |= can[edge.to];
        }
    }
    can
}
