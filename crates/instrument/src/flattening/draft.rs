//! Threads of a flattened program.

use program::index::Idx;
use program::{
    Count, Edge, Identity, IndexVec, Instruction, LabelId, NoInsertion, Register, RegisterId, Span,
    Template, TemplateBuilder,
};

/// One copy of a template, by itself.
pub(super) fn alone(template: &Template, copy: u32) -> Template {
    let mut builder = TemplateBuilder::new(template.name(), template.span());
    if let Some(identity) = template.identity() {
        builder.identity(Identity { first: identity.of(copy), ..identity });
    }
    for register in template.registers() {
        builder.register(register.clone());
    }
    for label in template.labels() {
        builder.label(label.clone());
    }
    for edge in template.edges() {
        builder.edge(edge.clone());
    }
    builder.build(template.initial())
}

/// A thread before it has a name, so that equal ones can be found.
#[derive(Debug, PartialEq)]
pub(super) struct Draft {
    pub(super) registers: IndexVec<RegisterId, Register>,
    pub(super) labels: usize,
    pub(super) initial: usize,
    pub(super) edges: Vec<(usize, usize, Instruction, Span)>,
}

impl Draft {
    pub(super) fn template(self, name: &str, count: u32) -> Template {
        let mut builder = TemplateBuilder::new(name, Span::NONE);
        builder.count(Count::Exactly(count));
        for register in self.registers {
            builder.register(register);
        }
        for number in 0..self.labels {
            builder.named_label(format!("q{number}"));
        }
        for (from, to, instruction, span) in self.edges {
            builder.edge(Edge {
                from: LabelId::new(from),
                to: LabelId::new(to),
                instruction,
                span,
                after: Err(NoInsertion::NoSource),
            });
        }
        builder.build(LabelId::new(self.initial))
    }
}
