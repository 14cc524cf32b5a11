//! The sequences of writes that can be seen of a thread whose registers are forgotten.
//!
//! Such a thread reads nothing, so all that matters is which finite sequences of visible
//! instructions it can execute; two automata with the same sequences are as good as each other, and
//! the least deterministic one has the fewest states. If it has too many, one state that allows
//! everything at any time allows more and is right as well.

use std::collections::{BTreeMap, BTreeSet};

use program::index::Idx;
use program::{Instruction, LabelId, ThreadId, Value};

use super::flow::Flow;
use super::visible::{NoFiniteRange, Visible, visible};

/// A deterministic automaton over instructions; every state is final.
#[derive(Debug)]
pub(crate) struct Language {
    /// For each label of the thread the state there, if it was asked for.
    pub(crate) begins: BTreeMap<LabelId, usize>,
    pub(crate) states: Vec<BTreeMap<Instruction, usize>>,
}

/// More sets of labels than these are not told apart.
const MOST_STATES: usize = 256;

impl Language {
    /// What is seen of a thread from each of these labels on.
    pub(crate) fn new(
        flow: &Flow<'_>,
        thread: ThreadId,
        cells: &BTreeSet<Value>,
        begins: &BTreeSet<LabelId>,
    ) -> Result<Self, NoFiniteRange> {
        let template = flow.template(thread);
        let mut moves: Vec<Vec<(Visible, LabelId)>> = Vec::new();
        for label in template.labels().indices() {
            let mut from = Vec::new();
            for edge in template.outgoing(label) {
                from.push((visible(flow, thread, edge, cells)?, template.edge(edge).to));
            }
            moves.push(from);
        }
        Ok(Self::determined(&moves, begins)
            .unwrap_or_else(|| Self::everything(&moves, begins))
            .minimal())
    }

    fn determined(moves: &[Vec<(Visible, LabelId)>], begins: &BTreeSet<LabelId>) -> Option<Self> {
        let mut numbers: BTreeMap<BTreeSet<LabelId>, usize> = BTreeMap::new();
        let mut sets: Vec<BTreeSet<LabelId>> = Vec::new();
        let mut number = |set: BTreeSet<LabelId>, sets: &mut Vec<BTreeSet<LabelId>>| {
            *numbers.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            })
        };
        let begins = begins
            .iter()
            .map(|label| (*label, number(silently(moves, BTreeSet::from([*label])), &mut sets)))
            .collect();
        let mut states = Vec::new();
        while let Some(set) = sets.get(states.len()) {
            let mut to: BTreeMap<&Instruction, BTreeSet<LabelId>> = BTreeMap::new();
            for (seen, target) in set.iter().flat_map(|label| &moves[label.index()]) {
                for write in &seen.writes {
                    to.entry(write).or_default().insert(*target);
                }
            }
            let leave = |(write, targets): (&Instruction, BTreeSet<LabelId>)| {
                (write.clone(), number(silently(moves, targets), &mut sets))
            };
            let state = to.into_iter().map(leave).collect();
            states.push(state);
            if sets.len() > MOST_STATES {
                return None;
            }
        }
        Some(Self { begins, states })
    }

    fn everything(moves: &[Vec<(Visible, LabelId)>], begins: &BTreeSet<LabelId>) -> Self {
        let writes = moves.iter().flatten().flat_map(|(seen, _)| &seen.writes);
        Self {
            begins: begins.iter().map(|label| (*label, 0)).collect(),
            states: vec![writes.map(|write| (write.clone(), 0)).collect()],
        }
    }

    /// The automaton with states that allow the same joined: blocks are split until the states of
    /// one agree.
    fn minimal(&self) -> Self {
        let mut block = vec![0; self.states.len()];
        let mut count = 1;
        loop {
            let mut numbers = BTreeMap::new();
            let split: Vec<usize> = (0..self.states.len())
                .map(|state| {
                    let to = self.states[state].iter().map(|(write, to)| (write, block[*to]));
                    let key = (block[state], to.collect::<Vec<_>>());
                    let next = numbers.len();
                    *numbers.entry(key).or_insert(next)
                })
                .collect();
            let more = numbers.len();
            block = split;
            if more == count {
                break;
            }
            count = more;
        }
        let mut states = vec![BTreeMap::new(); count];
        for (state, to) in self.states.iter().enumerate() {
            states[block[state]] =
                to.iter().map(|(write, to)| (write.clone(), block[*to])).collect();
        }
        let begins = self.begins.iter().map(|(label, state)| (*label, block[*state])).collect();
        Self { begins, states }
    }
}

/// The labels that can be reached from these with nothing seen.
fn silently(moves: &[Vec<(Visible, LabelId)>], mut set: BTreeSet<LabelId>) -> BTreeSet<LabelId> {
    let mut open: Vec<LabelId> = set.iter().copied().collect();
    while let Some(label) = open.pop() {
        for (seen, to) in &moves[label.index()] {
            if seen.silent && set.insert(*to) {
                open.push(*to);
            }
        }
    }
    set
}
