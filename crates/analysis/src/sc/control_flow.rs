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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use fastrand::Rng;
    use program::{Access, FenceKind, Order, Span, TemplateBuilder, Update, Value};

    use super::*;

    /// Labels and edges at random, in any order.
    fn random_template(rng: &mut Rng) -> Template {
        let mut template = TemplateBuilder::new("p", Span::NONE);
        let register = template.integer_register("r");
        let labels: Vec<LabelId> =
            (0..rng.usize(2..7)).map(|number| template.named_label(format!("l{number}"))).collect();
        for _ in 0..rng.usize(1..11) {
            let address = Expr::Const(Value::from(rng.u8(0..3)));
            let access = |order| Access::with_order(order);
            let store = |address, order| Instruction::Store {
                address,
                value: Expr::Const(1),
                access: access(order),
            };
            let instruction = match rng.u8(0..7) {
                0 | 1 => Instruction::Load { register, address, access: access(Order::Plain) },
                2 => store(address, Order::Plain),
                3 => store(address, Order::SeqCst),
                4 => Instruction::Fence(FenceKind::Full),
                5 => Instruction::Update {
                    result: None,
                    address,
                    update: Update::Exchange(Expr::Const(1)),
                    access: access(Order::Plain),
                },
                _ => Instruction::Skip,
            };
            let (from, to) = (labels[rng.usize(..labels.len())], labels[rng.usize(..labels.len())]);
            template.bare_edge(from, to, instruction);
        }
        template.build(labels[0])
    }

    /// The labels on the ways from a label over some of the edges, itself included.
    fn reached(
        template: &Template,
        from: LabelId,
        over: impl Fn(EdgeId, &Instruction) -> bool,
    ) -> BTreeSet<LabelId> {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(label) = open.pop() {
            for id in template.outgoing(label) {
                let edge = template.edge(id);
                if over(id, &edge.instruction) && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        seen
    }

    /// What is computed for all labels at once is what following all ways from each of them finds.
    #[test]
    fn what_is_ahead_is_what_the_ways_from_there_lead_to() {
        let mut rng = Rng::with_seed(3);
        let (mut with_loads, mut with_pivots, mut endless) = (0, 0, 0);
        for _ in 0..2000 {
            let template = random_template(&mut rng);
            let leaves = |labels: &BTreeSet<LabelId>, which: &dyn Fn(&Instruction) -> bool| {
                let edges = labels.iter().flat_map(|label| template.outgoing(*label));
                edges.into_iter().any(|edge| which(&template.edge(edge).instruction))
            };
            let (loads, pivots) = (loads_ahead(&template), pivots(&template));
            let (ends, ahead) = (labels_that_can_end(&template), Ahead::of(&template));
            let is_load = |one: &Instruction| matches!(one, Instruction::Load { .. });
            let load_follows = |label: LabelId| {
                leaves(&reached(&template, label, |_, one| !one.drains_buffer()), &is_load)
            };
            for label in template.labels().indices() {
                assert_eq!(loads[label], load_follows(label), "{label:?} of {template:#?}");
                let is_pivot = template.outgoing(label).map(|id| template.edge(id)).any(|edge| {
                    let is_store = matches!(&edge.instruction, Instruction::Store { access, .. }
                        if access.order == Order::Plain);
                    is_store && load_follows(edge.to)
                });
                assert_eq!(pivots[label], is_pivot, "{label:?} of {template:#?}");
                let all = reached(&template, label, |_, _| true);
                let can_end = all.iter().any(|one| template.outgoing(*one).len() == 0);
                assert_eq!(ends[label], can_end, "{label:?} of {template:#?}");
                let mut accesses: BTreeMap<&Expr, Mode> = BTreeMap::new();
                for edge in all.iter().flat_map(|one| template.outgoing(*one)) {
                    let instruction = &template.edge(edge).instruction;
                    let Some((address, _)) = instruction.memory_access() else { continue };
                    let mode = accesses.entry(address).or_insert(Mode::Read);
                    *mode = if is_load(instruction) { *mode } else { Mode::Update };
                }
                let found = ahead.from(label).map(|(at, mode)| (ahead.accesses[at].0, mode));
                let found: Vec<(&Expr, Mode)> = found.collect();
                let different: BTreeMap<&Expr, Mode> = found.iter().copied().collect();
                assert_eq!(found.len(), different.len(), "{label:?} of {template:#?}");
                assert_eq!(different, accesses, "{label:?} of {template:#?}");
                with_loads += usize::from(loads[label]);
                with_pivots += usize::from(pivots[label]);
                endless += usize::from(!ends[label]);
            }
        }
        assert!(with_loads > 2000 && with_pivots > 300 && endless > 1000);
    }

    #[test]
    fn without_the_edges_that_close_loops_there_is_no_loop() {
        let mut rng = Rng::with_seed(4);
        let mut loops = 0;
        for _ in 0..2000 {
            let template = random_template(&mut rng);
            let closes = loop_closing_edges(&template);
            loops += closes.iter().filter(|closes| **closes).count();
            for label in reached(&template, template.initial(), |_, _| true) {
                for id in template.outgoing(label) {
                    let back = reached(&template, template.edge(id).to, |edge, _| !closes[edge]);
                    assert!(closes[id] || !back.contains(&label), "{id:?} of {template:#?}");
                    let can_return = reached(&template, template.edge(id).to, |_, _| true);
                    assert!(!closes[id] || can_return.contains(&label), "{id:?} of {template:#?}");
                }
            }
        }
        assert!(loops > 1000, "{loops}");
    }
}
