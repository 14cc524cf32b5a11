//! Changes of a program: fences put in, and instructions that become others.
//!
//! "Inserting a fence" is what the papers define: at a label (ESOP'13, §7), everything that left the
//! label leaves a fresh one, and a fence leads there; after an instruction (ESOP'15, §9), it leads to a
//! fresh label, and a fence leads on from there.

use std::collections::{BTreeMap, BTreeSet};

use crate::build::TemplateBuilder;
use crate::index::{EdgeId, Idx, IndexVec, LabelId, TemplateId};
use crate::instruction::{FenceKind, Instruction};
use crate::source::{NoInsertion, Span};
use crate::template::{Edge, Label, Template};
use crate::whole::Program;

/// A change of a thread template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A fence before everything that leaves a label.
    FenceBefore(LabelId, FenceKind),
    /// A fence after an instruction.
    FenceAfter(EdgeId, FenceKind),
    /// An instruction becomes this one, which waits for an empty buffer.
    Become(EdgeId, Instruction),
}

/// A program with changes.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The program.
    pub program: Program,
    /// For each edge, the one it was; nothing for fences that were put in.
    origin: IndexVec<TemplateId, Vec<Option<EdgeId>>>,
}

impl Changed {
    /// What an edge was before the changes.
    pub fn origin(&self, template: TemplateId, edge: EdgeId) -> Option<EdgeId> {
        self.origin[template].get(edge.index()).copied().flatten()
    }

    /// What an edge has become.
    pub fn now(&self, template: TemplateId, edge: EdgeId) -> EdgeId {
        let edges = &self.origin[template];
        let at = edges.iter().position(|origin| *origin == Some(edge));
        EdgeId::new(at.expect("no edge is taken away"))
    }
}

/// Makes changes.
pub fn apply<'c>(
    program: &Program,
    changes: impl IntoIterator<Item = &'c (TemplateId, Change)>,
) -> Changed {
    let mut of_template: BTreeMap<TemplateId, Vec<&Change>> = BTreeMap::new();
    for (template, change) in changes {
        of_template.entry(*template).or_default().push(change);
    }
    let mut origin = IndexVec::new();
    let templates = program.templates().enumerate().map(|(id, template)| {
        let changes = of_template.get(&id).map_or(&[][..], Vec::as_slice);
        let (template, of_edges) = changed(template, changes);
        origin.push(of_edges);
        template
    });
    let program = program.with_templates(templates.collect());
    Changed { program, origin }
}

fn changed(template: &Template, changes: &[&Change]) -> (Template, Vec<Option<EdgeId>>) {
    if changes.is_empty() {
        return (template.clone(), template.edges().indices().map(Some).collect());
    }
    let mut before: BTreeMap<LabelId, BTreeSet<FenceKind>> = BTreeMap::new();
    let mut after: BTreeMap<EdgeId, BTreeSet<FenceKind>> = BTreeMap::new();
    let mut becomes = BTreeMap::new();
    for change in changes {
        match change {
            Change::FenceBefore(label, kind) => {
                before.entry(*label).or_default().insert(*kind);
            }
            Change::FenceAfter(edge, kind) => {
                after.entry(*edge).or_default().insert(*kind);
            }
            Change::Become(edge, instruction) => {
                becomes.insert(*edge, instruction);
            }
        }
    }
    let mut builder = TemplateBuilder::like(template);
    let mut edges: Vec<(Edge, Option<EdgeId>)> = Vec::new();
    let mut behind = BTreeMap::new();
    for (label, kinds) in before {
        let mut last = label;
        for kind in kinds {
            let fresh = fresh_label(&mut builder, &template.labels()[label]);
            edges.push((fence(last, fresh, kind), None));
            last = fresh;
        }
        behind.insert(label, last);
        builder.move_boundary(label, last);
    }
    for (id, edge) in template.edges().enumerate() {
        let from = behind.get(&edge.from).copied().unwrap_or(edge.from);
        let instruction = becomes.get(&id).map_or(&edge.instruction, |other| *other).clone();
        // The last fence leads to where the edge did.
        let mut to = edge.to;
        for kind in after.get(&id).into_iter().flatten().rev() {
            let fresh = fresh_label(&mut builder, &template.labels()[edge.to]);
            edges.push((fence(fresh, to, *kind), None));
            to = fresh;
        }
        edges.push((Edge { from, to, instruction, ..edge.clone() }, Some(id)));
    }
    // A template keeps its edges in the order of the labels they leave.
    edges.sort_by_key(|(edge, _)| edge.from);
    let origin = edges.iter().map(|(_, origin)| *origin).collect();
    for (edge, _) in edges {
        builder.edge(edge);
    }
    (builder.build(template.initial()), origin)
}

fn fence(from: LabelId, to: LabelId, kind: FenceKind) -> Edge {
    let instruction = Instruction::Fence(kind);
    Edge { from, to, instruction, span: Span::NONE, after: Err(NoInsertion::NoSource) }
}

fn fresh_label(builder: &mut TemplateBuilder, like: &Label) -> LabelId {
    let name = format!("{}_{}", like.name, builder.labels().len());
    let before = Err(NoInsertion::NoSource);
    builder.label(Label { name, generated: true, before, ..like.clone() })
}
