//! The first accesses of a thread: its labels, each as often as accesses may have been made there.

use std::collections::BTreeSet;

use program::{EdgeId, Instruction, LabelId, Template};

/// Where a step of an exact thread leads.
#[derive(Debug)]
pub(super) enum After {
    Exact(usize),
    Flat(LabelId),
}

/// The first accesses of a thread.
#[derive(Debug, Default)]
pub(super) struct Exact {
    /// Labels, each with how many accesses were made; the initial one first.
    pub(super) places: Vec<(LabelId, usize)>,
    pub(super) steps: Vec<(usize, EdgeId, After)>,
    /// Where the thread may be when it has made them all.
    pub(super) ends: BTreeSet<LabelId>,
}

impl Exact {
    pub(super) fn of(template: &Template, depth: usize) -> Self {
        let mut exact = Self::default();
        let mut begin = exact.place(template.initial(), 0, depth);
        if let After::Exact(first) = &mut begin {
            let mut from = *first;
            while let Some((label, made)) = exact.places.get(from).copied() {
                for id in template.outgoing(label) {
                    let edge = template.edge(id);
                    let counts = edge.instruction.memory_access().is_some()
                        || matches!(edge.instruction, Instruction::Lock | Instruction::Unlock);
                    let to = exact.place(edge.to, made + usize::from(counts), depth);
                    exact.steps.push((from, id, to));
                }
                from += 1;
            }
        }
        exact
    }

    fn place(&mut self, label: LabelId, made: usize, depth: usize) -> After {
        if made == depth {
            self.ends.insert(label);
            return After::Flat(label);
        }
        let known = self.places.iter().position(|place| *place == (label, made));
        After::Exact(known.unwrap_or_else(|| {
            self.places.push((label, made));
            self.places.len() - 1
        }))
    }
}
