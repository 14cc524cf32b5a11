//! The control flow of a thread, whatever its instruction set: labels before every line, edges
//! between them, and the places where a line can be inserted.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Diagnostic, Diagnostics, Edge, Insertion, InsertionPoint, Instruction, Label, LabelId,
    NoInsertion, Span, TemplateBuilder,
};

use super::ast::Name;
use super::parse::MAX_ERRORS;
use crate::suggest::did_you_mean;
use crate::token::shortened;

/// A line of a thread as far as control flow goes.
pub(super) struct OutlineLine<'a> {
    pub(super) span: Span,
    /// The label it may jump to.
    pub(super) target: Option<&'a Name>,
}

/// The template of a thread while it is built.
pub(super) struct Outline {
    pub(super) template: TemplateBuilder,
    inner_labels: usize,
    taken_labels: BTreeSet<String>,
    /// Whether jumps count lines, so that a new one would lead them elsewhere.
    pub(super) counts_lines: bool,
}

impl Outline {
    /// A thread of this name with these labels.
    pub(super) fn new(name: &Name, labels: &[(Name, usize)]) -> Self {
        Self {
            template: TemplateBuilder::new(&name.text, name.span),
            inner_labels: 0,
            taken_labels: labels.iter().map(|(name, _)| name.text.clone()).collect(),
            counts_lines: false,
        }
    }

    /// A label before each line and one at `end`, the end of the last thing in the column.
    pub(super) fn positions(
        &mut self,
        labels: &[(Name, usize)],
        lines: &[OutlineLine<'_>],
        targets: &[Option<usize>],
        end: Span,
    ) -> Vec<LabelId> {
        let mut names: BTreeMap<usize, &str> = BTreeMap::new();
        for (name, line) in labels {
            // Where several names stand, the one that is jumped to first is the interesting one.
            names.entry(*line).or_insert(&name.text);
        }
        for (line, target) in lines.iter().zip(targets) {
            if let (Some(name), Some(target)) = (&line.target, target) {
                names.insert(*target, &name.text);
            }
        }
        let mut positions = Vec::new();
        for number in 0..=lines.len() {
            let (span, offset) = match lines.get(number) {
                Some(line) => (line.span, line.span.start),
                None => (Span { start: end.end, ..end }, end.end),
            };
            let name = names.get(&number).map(|name| (*name).to_owned());
            let generated = name.is_none();
            let name = name.unwrap_or_else(|| self.fresh_name());
            positions.push(self.template.label(Label {
                name,
                generated,
                waiting: false,
                span,
                before: self.unless_counted(insertion(span, offset)),
            }));
        }
        positions
    }

    fn fresh_name(&mut self) -> String {
        loop {
            self.inner_labels += 1;
            let name = format!("q{}", self.inner_labels);
            if !self.taken_labels.contains(&name) {
                return name;
            }
        }
    }

    /// Edges that do these steps one after the other, to the end of an instruction.
    pub(super) fn emit(
        &mut self,
        (from, to): (LabelId, LabelId),
        steps: Vec<Instruction>,
        span: Span,
    ) {
        self.chain((from, to), steps, span, insertion(span, span.end));
    }

    /// Edges that do these steps one after the other.
    pub(super) fn chain(
        &mut self,
        (from, to): (LabelId, LabelId),
        steps: Vec<Instruction>,
        span: Span,
        after: Insertion,
    ) {
        let last = steps.len().saturating_sub(1);
        let mut from = from;
        for (number, step) in steps.into_iter().enumerate() {
            if number == last {
                self.edge(from, to, step, span, after);
            } else {
                let inner = self.inner_label(span);
                self.edge(from, inner, step, span, Err(NoInsertion::InsideExpression));
                from = inner;
            }
        }
    }

    pub(super) fn edge(
        &mut self,
        from: LabelId,
        to: LabelId,
        instruction: Instruction,
        span: Span,
        after: Insertion,
    ) {
        let after = self.unless_counted(after);
        self.template.edge(Edge { from, to, instruction, span, after });
    }

    /// Nothing is inserted between lines that are counted: all of them are as one statement.
    fn unless_counted(&self, insertion: Insertion) -> Insertion {
        if self.counts_lines { Err(NoInsertion::InsideExpression) } else { insertion }
    }

    /// A label in the middle of an instruction.
    pub(super) fn inner_label(&mut self, span: Span) -> LabelId {
        let name = self.fresh_name();
        let before = Err(NoInsertion::InsideExpression);
        self.template.label(Label { name, generated: true, waiting: false, span, before })
    }
}

/// For each line, the line it jumps to.
pub(super) fn targets(
    labels: &[(Name, usize)],
    lines: &[OutlineLine<'_>],
    errors: &mut Diagnostics,
) -> Vec<Option<usize>> {
    let places: BTreeMap<&str, usize> =
        labels.iter().map(|(name, line)| (name.text.as_str(), *line)).collect();
    let mut targets = Vec::new();
    for line in lines {
        let target = line.target.and_then(|name| {
            let found = places.get(name.text.as_str()).copied();
            if found.is_none() {
                let shown = shortened(&name.text);
                let message = format!("this thread has no label `{shown}`");
                let mut error = Diagnostic::new(name.span, message);
                if errors.len() < MAX_ERRORS {
                    error.help = did_you_mean(&shown, places.keys().copied())
                        .map(|like| format!("did you mean `{like}`?"));
                }
                errors.push(error);
            }
            found
        });
        targets.push(target);
    }
    targets
}

/// A place in the text of `span`'s source.
pub(super) fn insertion(span: Span, offset: u32) -> Insertion {
    span.source.map(|source| InsertionPoint { source, offset }).ok_or(NoInsertion::NoSource)
}
