//! What the control flow of a template says about any of its runs.

use program::index::Idx;
use program::{EdgeId, Expr, IndexVec, Instruction, LabelId, Template};

use automata::Mode;
use rustc_hash::FxBuildHasher;

type IndexSet<K> = indexmap::IndexSet<K, FxBuildHasher>;

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
pub(crate) struct Ahead<'p> {
    accesses: IndexSet<(&'p Expr, Mode)>,
    /// For each, the number of the one that has the same address and the other mode.
    twins: Vec<Option<usize>>,
    /// One label after the other, which of them follow, as bits of so many words each: a long program
    /// has as many accesses as labels.
    from: Vec<u64>,
    words: usize,
}

impl<'p> Ahead<'p> {
    pub(crate) fn of(template: &'p Template) -> Self {
        let mut accesses = IndexSet::default();
        let access = |instruction: &'p Instruction| {
            let (address, _) = instruction.memory_access()?;
            let only_reads =
                matches!(instruction, Instruction::Load { access, .. } if !access.exclusive);
            let mode = if only_reads { Mode::Read } else { Mode::Update };
            Some(accesses.insert_full((address, mode)).0)
        };
        let own: Vec<Option<usize>> =
            template.edges().iter().map(|edge| &edge.instruction).map(access).collect();
        let words = accesses.len().div_ceil(64);
        let mut from = vec![0; words * template.labels().len()];
        for (edge, access) in template.edges().iter().zip(&own) {
            if let Some(access) = access {
                from[edge.from.index() * words + access / 64] |= 1 << (access % 64);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in template.edges().as_slice().iter().rev() {
                for word in 0..words {
                    let after = from[edge.to.index() * words + word];
                    let before = &mut from[edge.from.index() * words + word];
                    changed |= after & !*before != 0;
                    *before |= after;
                }
            }
        }
        let other = |mode| if mode == Mode::Read { Mode::Update } else { Mode::Read };
        let twin =
            |(address, mode): &(&'p Expr, Mode)| accesses.get_index_of(&(*address, other(*mode)));
        let twins = accesses.iter().map(twin).collect();
        Self { accesses, twins, from, words }
    }

    /// The addresses of all accesses.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &'p Expr> {
        self.accesses.iter().map(|(address, _)| *address)
    }

    /// Those that can follow from a label on, by number; of two that have the same address the first,
    /// with what both do.
    pub(crate) fn from(&self, label: LabelId) -> impl Iterator<Item = (usize, Mode)> {
        let bits = &self.from[label.index() * self.words..][..self.words];
        let is_ahead = |at: usize| bits[at / 64] >> (at % 64) & 1 == 1;
        self.accesses.iter().enumerate().filter_map(move |(at, (_, mode))| {
            match self.twins[at].filter(|twin| is_ahead(*twin)) {
                _ if !is_ahead(at) => None,
                None => Some((at, *mode)),
                Some(twin) => (at < twin).then_some((at, Mode::Update)),
            }
        })
    }
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
