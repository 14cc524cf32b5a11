//! Happens-before, and its cycles (ESOP'13, Section 3).
//!
//! Happens-before is the union of program order, store order, source, and conflict: a read comes
//! before the writes that replace what it read. Lemma 1 of the paper: a TSO trace is an SC trace
//! if and only if happens-before has no cycle.
//!
//! # Locked sections
//!
//! The paper has none. SC runs the nodes of a section (from a lock to its unlock) without memory
//! accesses of other threads in between, so cycles are looked for in the graph in which each
//! section is contracted to one node ([`Trace::blocks`]). The lemma then holds as before:
//!
//! - Without a cycle, a topological order of the contracted graph, sections in one piece, is an SC
//!   computation with the same trace: by store order and conflict each read finds its source in
//!   memory, nobody needs the lock while a section runs, and an exclusive store that succeeded has
//!   no foreign store between its load's source and itself. A section that never ends must come
//!   last; it can, because in a drained run all other accesses were made before its lock was taken,
//!   so that no edge leaves it.
//! - In an SC computation every happens-before edge points forward. A cycle through a section
//!   would leave it to another thread's access, which comes after the unlock, or by program order,
//!   which does too, and then could not come back.
//!
//! An access across cells is a section of its nodes: one step of SC.

use std::collections::{BTreeMap, VecDeque};

use program::IndexVec;
use program::index::Idx;

use crate::trace::{NodeId, Source, Trace};

/// Why one node happens before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// The thread executes one before the other.
    ProgramOrder,
    /// Both write one address, in this order.
    StoreOrder,
    /// One reads what the other wrote.
    Source,
    /// One reads a value that the other replaces.
    Conflict,
    /// Both are in one locked section: what one of them precedes, all of them do. Only
    /// [`Trace::cycle`] uses this, to lead from where a cycle enters a section back to where it
    /// leaves it.
    SameSection,
}

/// An edge of happens-before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// What happens before.
    pub from: NodeId,
    /// What happens after.
    pub to: NodeId,
    /// Why.
    pub relation: Relation,
}

impl Trace {
    /// Edges whose transitive closure is that of happens-before: of program and store order those
    /// between neighbours, and of the conflicts of a read the one with the first write after its
    /// source.
    pub fn happens_before(&self) -> Vec<Edge> {
        let in_order = |order: &[NodeId], relation| -> Vec<Edge> {
            order.windows(2).map(|pair| Edge { from: pair[0], to: pair[1], relation }).collect()
        };
        let program_order =
            self.program_order().iter().flat_map(|nodes| in_order(nodes, Relation::ProgramOrder));
        let store_order =
            self.store_order().values().flat_map(|nodes| in_order(nodes, Relation::StoreOrder));
        let overwriters = self.overwriters();
        let reads = self.nodes().enumerate().flat_map(|(node, what)| {
            let read = what.event.read();
            let source = read.and_then(|(_, source)| match source {
                Source::Initial => None,
                Source::Node(from) => Some(Edge { from, to: node, relation: Relation::Source }),
            });
            let conflict = read
                .and_then(|(address, source)| match source {
                    Source::Initial => self.store_order().get(&address)?.first().copied(),
                    Source::Node(from) => overwriters[from],
                })
                // An update replaces what it read itself.
                .filter(|overwriter| *overwriter != node)
                .map(|to| Edge { from: node, to, relation: Relation::Conflict });
            source.into_iter().chain(conflict)
        });
        program_order.chain(store_order).chain(reads).collect()
    }

    /// For each write, the next one to the same address.
    fn overwriters(&self) -> IndexVec<NodeId, Option<NodeId>> {
        let mut next: IndexVec<NodeId, Option<NodeId>> =
            self.nodes().iter().map(|_| None).collect();
        for order in self.store_order().values() {
            for pair in order.windows(2) {
                next[pair[0]] = Some(pair[1]);
            }
        }
        next
    }

    /// A happens-before cycle, if there is one: each edge starts where the one before it ends, and
    /// the first where the last ends. Neighbouring steps of program order are drawn together. No
    /// other cycle has fewer edges before that.
    pub fn cycle(&self) -> Option<Vec<Edge>> {
        let blocks = self.blocks();
        let mut leaving: IndexVec<NodeId, Vec<Edge>> =
            self.nodes().iter().map(|_| Vec::new()).collect();
        for edge in self.happens_before() {
            if blocks[edge.from] != blocks[edge.to] {
                leaving[blocks[edge.from]].push(edge);
            }
        }
        let mut shortest: Option<Vec<Edge>> = None;
        for block in not_sorted(&leaving, &blocks) {
            let limit = shortest.as_ref().map_or(usize::MAX, Vec::len);
            shortest = shortest_cycle_through(block, &leaving, &blocks, limit).or(shortest);
        }
        Some(draw_together(&joined(&shortest?)))
    }
}

/// The blocks that no topological order reaches: those on a cycle or after one.
fn not_sorted(
    leaving: &IndexVec<NodeId, Vec<Edge>>,
    blocks: &IndexVec<NodeId, NodeId>,
) -> Vec<NodeId> {
    let mut entering: IndexVec<NodeId, usize> = leaving.iter().map(|_| 0).collect();
    for edge in leaving.iter().flatten() {
        entering[blocks[edge.to]] += 1;
    }
    let mut sources: Vec<NodeId> =
        entering.enumerate().filter(|(_, count)| **count == 0).map(|(node, _)| node).collect();
    while let Some(block) = sources.pop() {
        for edge in &leaving[block] {
            let to = blocks[edge.to];
            entering[to] -= 1;
            if entering[to] == 0 {
                sources.push(to);
            }
        }
    }
    entering.enumerate().filter(|(_, count)| **count > 0).map(|(node, _)| node).collect()
}

/// A cycle through `start` with as few edges as possible and fewer than `limit`, found by
/// breadth-first search.
fn shortest_cycle_through(
    start: NodeId,
    leaving: &IndexVec<NodeId, Vec<Edge>>,
    blocks: &IndexVec<NodeId, NodeId>,
    limit: usize,
) -> Option<Vec<Edge>> {
    let mut reached_by: BTreeMap<NodeId, Edge> = BTreeMap::new();
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((block, distance)) = queue.pop_front() {
        if distance + 1 >= limit {
            return None;
        }
        for edge in &leaving[block] {
            let to = blocks[edge.to];
            if to == start {
                let mut cycle = vec![*edge];
                let mut at = block;
                while at != start {
                    cycle.push(reached_by[&at]);
                    at = blocks[reached_by[&at].from];
                }
                cycle.reverse();
                return Some(cycle);
            }
            reached_by.entry(to).or_insert_with(|| {
                queue.push_back((to, distance + 1));
                *edge
            });
        }
    }
    None
}

/// The cycle with the gaps inside locked sections filled.
fn joined(cycle: &[Edge]) -> Vec<Edge> {
    let following = cycle.iter().skip(1).chain(cycle.first());
    let mut joined = Vec::new();
    for (edge, next) in cycle.iter().zip(following) {
        joined.push(*edge);
        // Within one section, that is one thread, nodes are numbered in program order.
        let relation = match edge.to.index().cmp(&next.from.index()) {
            std::cmp::Ordering::Equal => continue,
            std::cmp::Ordering::Less => Relation::ProgramOrder,
            std::cmp::Ordering::Greater => Relation::SameSection,
        };
        joined.push(Edge { from: edge.to, to: next.from, relation });
    }
    joined
}

/// The cycle, started so that no chain of program order is cut, with each such chain drawn as one
/// edge.
fn draw_together(cycle: &[Edge]) -> Vec<Edge> {
    let starts_chain = |at: usize| {
        let before = cycle[(at + cycle.len() - 1) % cycle.len()];
        cycle[at].relation == Relation::ProgramOrder && before.relation != Relation::ProgramOrder
    };
    let start = (0..cycle.len()).find(|at| starts_chain(*at)).unwrap_or(0);
    let mut drawn: Vec<Edge> = Vec::new();
    for edge in cycle[start..].iter().chain(&cycle[..start]) {
        match drawn.last_mut() {
            Some(last)
                if last.relation == Relation::ProgramOrder
                    && edge.relation == Relation::ProgramOrder =>
            {
                last.to = edge.to;
            }
            Some(_) | None => drawn.push(*edge),
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use crate::{Model, Move};
    use program::{Instruction, Program};

    fn trace(program: &Program, moves: &[Move]) -> Trace {
        Trace::of(&performed(program, Model::Tso, moves)).expect("a drained run")
    }

    /// Edges as numbers of nodes and initials of relations: po, st, src, cf, section.
    fn drawn(edges: &[Edge]) -> Vec<String> {
        let draw = |edge: &Edge| {
            let relation = match edge.relation {
                Relation::ProgramOrder => "po",
                Relation::StoreOrder => "st",
                Relation::Source => "src",
                Relation::Conflict => "cf",
                Relation::SameSection => "section",
            };
            format!("{} {relation} {}", edge.from.index(), edge.to.index())
        };
        edges.iter().map(draw).collect()
    }

    #[test]
    fn figure_3_has_the_cycle_of_the_paper() {
        let trace = trace(&dekker(), &dekker_run());
        assert_eq!(drawn(&trace.happens_before()), ["0 po 1", "2 po 3", "1 cf 2", "3 cf 0"]);
        assert_eq!(drawn(&trace.cycle().unwrap()), ["0 po 1", "1 cf 2", "2 po 3", "3 cf 0"]);
    }

    #[test]
    fn reads_come_after_their_source_and_before_what_replaces_it() {
        let program = program(vec![
            vec![store(X, 1), store(X, 2)],
            vec![load(0, X)],
            vec![cas(0, X, 1, 5)],
            vec![cas(0, X, 1, 5)],
        ]);
        let moves = [run(0, 0), commit(0), run(1, 0), run(2, 0), run(3, 0), run(0, 1), commit(0)];
        let trace = trace(&program, &moves);
        let mut edges = drawn(&trace.happens_before());
        edges.sort();
        assert_eq!(
            edges,
            [
                "0 po 4",  // the two stores
                "0 src 1", // the load reads the first store
                "0 src 2", // so does the update
                "0 st 2",
                "1 cf 2", // which replaces what the load read, but is in no conflict with itself
                "2 src 3", // the failed update reads the update
                "2 st 4", "3 cf 4",
            ]
        );
        assert_eq!(trace.cycle(), None);
    }

    #[test]
    fn a_cycle_draws_program_order_together() {
        let skip = || Instruction::Skip;
        let program = program(vec![
            vec![store(X, 1), skip(), skip(), load(1, Y)],
            vec![store(Y, 1), load(2, X)],
        ]);
        let moves = [
            run(0, 0),
            run(0, 1),
            run(0, 2),
            run(0, 3),
            run(1, 0),
            commit(1),
            run(1, 1),
            commit(0),
        ];
        let cycle = trace(&program, &moves).cycle().unwrap();
        assert_eq!(drawn(&cycle), ["0 po 3", "3 cf 4", "4 po 5", "5 cf 0"]);
    }

    #[test]
    fn a_section_is_entered_and_left_anywhere() {
        // The second thread reads Y before the section writes it, and its store to Z arrives after
        // the section has read it. The section is too late for one and too early for the other.
        let section = vec![Instruction::Lock, load(0, Z), store(Y, 1), Instruction::Unlock];
        let program = program(vec![section, vec![store(Z, 1), load(0, Y)]]);
        let moves = [
            run(1, 0),
            run(1, 1),
            run(0, 0),
            run(0, 1),
            run(0, 2),
            commit(0),
            run(0, 3),
            commit(1),
        ];
        let cycle = trace(&program, &moves).cycle().unwrap();
        assert_eq!(drawn(&cycle), ["0 po 1", "1 cf 4", "4 section 3", "3 cf 0"]);
    }
}
