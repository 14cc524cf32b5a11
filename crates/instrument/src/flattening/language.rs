//! The sequences of writes that can be seen of a thread whose registers are forgotten.
//!
//! Such a thread reads nothing, so all that matters is which finite sequences of visible
//! instructions it can execute; two automata with the same sequences are as good as each other, and
//! the least deterministic one has the fewest states. If it has too many, one state that allows
//! everything at any time allows more and is right as well.

use std::collections::{BTreeMap, BTreeSet};

use program::{Instruction, LabelId, ThreadId, Value};

use super::flow::Flow;
use super::visible::{NoFiniteRange, Recall, visible};

/// A deterministic automaton over instructions; every state is final.
#[derive(Debug)]
pub(crate) struct Language {
    /// For each label of the thread the state there, if it was asked for.
    pub(crate) begins: BTreeMap<LabelId, usize>,
    pub(crate) states: Vec<BTreeMap<Instruction, usize>>,
}

/// What is known of a thread.
type Node = (LabelId, Recall);

/// For each node where it can go with which instruction, or with nothing that can be seen.
type Moves = BTreeMap<Node, Vec<(Option<Instruction>, Node)>>;

/// More sets of nodes than these are not told apart.
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
        let mut moves = Moves::new();
        let mut open: Vec<Node> = begins.iter().map(|label| (*label, None)).collect();
        while let Some(node) = open.pop() {
            if moves.contains_key(&node) {
                continue;
            }
            let mut from = Vec::new();
            for edge in template.outgoing(node.0) {
                let to = template.edge(edge).to;
                let seen = visible(flow, thread, edge, &node.1, cells)?;
                from.extend(seen.into_iter().map(|(write, recall)| (write, (to, recall))));
            }
            open.extend(from.iter().map(|(_, node)| node.clone()));
            moves.insert(node, from);
        }
        Ok(Self::determined(&moves, begins)
            .unwrap_or_else(|| Self::everything(&moves, begins))
            .minimal())
    }

    fn determined(moves: &Moves, begins: &BTreeSet<LabelId>) -> Option<Self> {
        let mut numbers: BTreeMap<BTreeSet<&Node>, usize> = BTreeMap::new();
        let mut sets: Vec<BTreeSet<&Node>> = Vec::new();
        let begins = begins.iter().map(|label| {
            let (node, _) = moves.get_key_value(&(*label, None)).expect("all are there");
            (*label, number(silently(moves, BTreeSet::from([node])), &mut numbers, &mut sets))
        });
        let begins = begins.collect();
        let mut states = Vec::new();
        while let Some(set) = sets.get(states.len()) {
            let mut to: BTreeMap<&Instruction, BTreeSet<&Node>> = BTreeMap::new();
            for (write, target) in set.iter().flat_map(|node| &moves[*node]) {
                if let Some(write) = write {
                    to.entry(write).or_default().insert(target);
                }
            }
            let leave = |(write, targets): (&Instruction, BTreeSet<_>)| {
                (write.clone(), number(silently(moves, targets), &mut numbers, &mut sets))
            };
            let state = to.into_iter().map(leave).collect();
            states.push(state);
            if sets.len() > MOST_STATES {
                return None;
            }
        }
        Some(Self { begins, states })
    }

    fn everything(moves: &Moves, begins: &BTreeSet<LabelId>) -> Self {
        let writes = moves.values().flatten().filter_map(|(write, _)| write.clone());
        Self {
            begins: begins.iter().map(|label| (*label, 0)).collect(),
            states: vec![writes.map(|write| (write, 0)).collect()],
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

/// The number of a set, a new one if it is new.
fn number<'a>(
    set: BTreeSet<&'a Node>,
    numbers: &mut BTreeMap<BTreeSet<&'a Node>, usize>,
    sets: &mut Vec<BTreeSet<&'a Node>>,
) -> usize {
    *numbers.entry(set).or_insert_with_key(|set| {
        sets.push(set.clone());
        sets.len() - 1
    })
}

/// The nodes that can be reached from these with nothing seen.
fn silently<'a>(moves: &'a Moves, mut set: BTreeSet<&'a Node>) -> BTreeSet<&'a Node> {
    let mut open: Vec<&Node> = set.iter().copied().collect();
    while let Some(node) = open.pop() {
        for (write, to) in &moves[node] {
            if write.is_none() && set.insert(to) {
                open.push(to);
            }
        }
    }
    set
}
