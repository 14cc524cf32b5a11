//! Accesses that stand in one place of a text: copies of a thread share it, so whatever is changed there is
//! changed in all of them, and is one decision.

use std::collections::BTreeMap;

use events::{Action, Graph};
use program::SourceId;
use rustc_hash::FxHashMap;

use crate::machine::NodeRef;

/// The accesses and fences of a graph, by where they stand.
#[derive(Clone, Debug)]
pub struct Groups {
    of: FxHashMap<NodeRef, usize>,
    members: Vec<Vec<NodeRef>>,
}

/// A place in a text and what stands there; or a node without a text.
type Key = Result<(SourceId, u32, u32, String), NodeRef>;

impl Groups {
    /// The groups of a graph.
    pub fn new(graph: &Graph) -> Self {
        let mut groups = Self { of: FxHashMap::default(), members: Vec::new() };
        let mut numbers: BTreeMap<Key, usize> = BTreeMap::new();
        for (function, data) in graph.functions.enumerate() {
            for (node, data) in data.nodes.enumerate() {
                let what = match &data.action {
                    Action::Access(access) => format!("{:?} {:?}", access.kind, access.order),
                    Action::Fence(kind) => format!("{kind:?}"),
                    Action::Skip | Action::Call(_) => continue,
                };
                let (start, end) = (data.span.start, data.span.end);
                let source = data.span.source.ok_or((function, node));
                let key = source.map(|source| (source, start, end, what));
                let number = *numbers.entry(key).or_insert_with(|| {
                    groups.members.push(Vec::new());
                    groups.members.len() - 1
                });
                groups.members[number].push((function, node));
                groups.of.insert((function, node), number);
            }
        }
        groups
    }

    /// The first of those that stand where this one does.
    pub fn first(&self, node: NodeRef) -> NodeRef {
        self.members(node).first().copied().unwrap_or(node)
    }

    /// All that stand where this one does.
    pub fn members(&self, node: NodeRef) -> &[NodeRef] {
        self.of.get(&node).map_or(&[], |number| &self.members[*number])
    }
}
