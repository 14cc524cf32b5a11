//! Texts with the changes of a repair, and which of their fences are new.
//!
//! A repaired program is compared with what the program showed before. A full fence that was inserted for the sake of the
//! machine waits for the store buffer of x86, too; but x86 never had it. If it counted there, TSO would forbid executions
//! that the program has had all along, and a repair that is right would look as if something were left. So the fences of
//! a repaired text are told apart: one that stands in an inserted piece of text is new. Of a fence in a macro or a
//! library, and of one whose piece was written anew, nothing is known; then it counts as an old one, which asks for more.

use std::collections::BTreeSet;
use std::ops::Range;

use cycles::NodeRef;
use events::{Action, Graph, ProgramGraph};
use frontend::Language;
use frontend::edit::{Change as TextChange, edited};
use patch::Origins;
use program::{Diagnostics, EdgeId, Instruction, Program, SourceId, Sources, Span, TemplateId};

use crate::fence::text::edited_in_source;
use crate::inputs::Loaded;
use crate::source::Compilation;

/// Texts, by their numbers.
pub(super) type Texts = Vec<(SourceId, String)>;

/// Fences of a program.
pub(super) type Edges = BTreeSet<(TemplateId, EdgeId)>;

/// Changed texts.
#[derive(Clone, Debug, Default)]
pub(super) struct NewTexts {
    /// The texts.
    pub(super) texts: Texts,
    /// What was inserted, by the names of the texts.
    inserted: Vec<(String, Range<usize>)>,
    /// Where things stood before, by the names of the texts.
    origins: Vec<(String, Origins)>,
}

impl NewTexts {
    /// The text of a model with changes, if they can be written; an error if somebody wants it and they cannot.
    pub(super) fn of_model(
        (loaded, language): (&Loaded, Language),
        changes: &[TextChange],
        is_wanted: bool,
    ) -> Result<Option<Self>, Diagnostics> {
        let source = program::index::Idx::new(0);
        match edited(&loaded.sources, source, language, changes) {
            Ok(edited) => {
                let name = loaded.sources.name(source);
                let inserted = edited.inserted.into_iter().map(|range| (name.to_owned(), range));
                let (texts, inserted) = (vec![(source, edited.text)], inserted.collect());
                Ok(Some(Self { texts, inserted, origins: Vec::new() }))
            }
            Err(errors) if is_wanted => Err(errors),
            Err(_) => Ok(None),
        }
    }

    /// The same of texts in C and Rust.
    pub(super) fn of_sources(
        (sources, compilation): (&Sources, &Compilation),
        changes: &[TextChange],
        is_wanted: bool,
    ) -> Result<Option<Self>, Diagnostics> {
        let made = edited_in_source(sources, compilation, None, (changes, &[]), is_wanted);
        let all = match made {
            Ok(all) => all,
            Err(errors) if is_wanted => return Err(errors),
            Err(_) => return Ok(None),
        };
        let mut new = Self::default();
        for (source, edited) in all {
            let name = sources.name(source);
            new.inserted.extend(edited.inserted.into_iter().map(|range| (name.to_owned(), range)));
            new.origins.push((name.to_owned(), edited.origins));
            new.texts.push((source, edited.text));
        }
        Ok(Some(new))
    }

    /// Where something in the changed texts of C and Rust stood before.
    pub(super) fn before(&self, sources: &Sources, again: &Sources, span: Span) -> Option<Span> {
        let name = again.name(span.source?);
        let source = sources.names().position(|known| known == name)?;
        let source: SourceId = program::index::Idx::new(source);
        let (start, end) = (span.start as usize, span.end as usize);
        let origins = self.origins.iter().find(|(of, _)| of == name).map(|(_, origins)| origins);
        let at = origins.map_or(start..end, |origins| origins.of(start)..origins.of(end));
        Some(Span::new(source, at))
    }

    /// Whether what stands here was inserted, as far as is known.
    fn is_new(&self, sources: &Sources, span: Span) -> bool {
        let Some(source) = span.source else { return false };
        let (name, at) = (sources.name(source), span.start as usize..span.end as usize);
        let is_in = |(of, range): &(String, Range<usize>)| {
            of == name && range.start <= at.start && at.end <= range.end
        };
        !at.is_empty() && self.inserted.iter().any(is_in)
    }

    /// The new fences of the graph of these texts: all, if there were none before.
    pub(super) fn nodes(
        &self,
        before: &Graph,
        graph: &Graph,
        sources: &Sources,
    ) -> BTreeSet<NodeRef> {
        let had_none = fences(before).next().is_none();
        let is_new = |(_, span): &(NodeRef, Span)| had_none || self.is_new(sources, *span);
        fences(graph).filter(is_new).map(|(node, _)| node).collect()
    }

    /// The new fences of the program that these texts are: all, if there were none before.
    pub(super) fn edges(&self, before: &Program, program: &Program, sources: &Sources) -> Edges {
        let had_none = fences_of(before).next().is_none();
        let is_new =
            |(_, span): &((TemplateId, EdgeId), Span)| had_none || self.is_new(sources, *span);
        fences_of(program).filter(is_new).map(|(edge, _)| edge).collect()
    }
}

/// The fences of a graph, and where they stand.
fn fences(graph: &Graph) -> impl Iterator<Item = (NodeRef, Span)> + '_ {
    graph.functions.enumerate().flat_map(|(function, data)| {
        let is_fence = |data: &events::Node| matches!(data.action, Action::Fence(_));
        let nodes = data.nodes.enumerate().filter(move |(_, data)| is_fence(data));
        nodes.map(move |(node, data)| ((function, node), data.span))
    })
}

/// The fences of a program, and where they stand.
fn fences_of(program: &Program) -> impl Iterator<Item = ((TemplateId, EdgeId), Span)> + '_ {
    program.templates().enumerate().flat_map(|(template, data)| {
        let is_fence = |data: &program::Edge| matches!(data.instruction, Instruction::Fence(_));
        let edges = data.edges().enumerate().filter(move |(_, data)| is_fence(data));
        edges.map(move |(edge, data)| ((template, edge), data.span))
    })
}

/// Fences of a model as nodes of its graph.
pub(super) fn nodes_of(edges: &Edges, graph: &ProgramGraph) -> BTreeSet<NodeRef> {
    let mut nodes = BTreeSet::new();
    for (class, thread) in graph.graph.threads.enumerate() {
        let template = graph.templates[class];
        for (node, edge) in graph.edges[class].enumerate() {
            if edge.is_some_and(|edge| edges.contains(&(template, edge))) {
                nodes.insert((thread.entry, node));
            }
        }
    }
    nodes
}
