//! The program as a whole, and its concrete threads.

use std::fmt;

use crate::condition::Question;
use crate::index::{IndexVec, TemplateId, ThreadId};
use crate::instruction::AccessWidth;
use crate::mapping::Architecture;
use crate::memory::Memory;
use crate::source::Span;
use crate::template::{Count, Edge, Template};
use crate::value::Value;

/// A concurrent program: shared memory and threads. Immutable; a transformation makes a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) memory: Memory,
    pub(crate) templates: IndexVec<TemplateId, Template>,
    pub(crate) question: Question,
    pub(crate) architecture: Option<Architecture>,
    pub(crate) end_of_process: Option<Value>,
}

/// A concrete thread: one copy of one template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The template.
    pub template: TemplateId,
    /// Which copy of it, from 0.
    pub copy: u32,
    /// Its name: that of the template, with the identity or the number of the copy in brackets
    /// where there are several.
    pub name: String,
}

/// A program that stands for infinitely many: this template may have any number of copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameterised {
    /// The template without a count.
    pub template: TemplateId,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Parameterised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread `{}` can have any number of copies: give a count", self.name)
    }
}

impl Program {
    /// The greatest number of concrete threads.
    pub const MAX_THREADS: u32 = 1000;

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shared memory.
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Its thread templates.
    pub const fn templates(&self) -> &IndexVec<TemplateId, Template> {
        &self.templates
    }

    /// What it asks about its final states.
    pub const fn question(&self) -> &Question {
        &self.question
    }

    /// The architecture whose instructions it consists of; none for a program in a language, whose
    /// accesses and fences are compiled first ([`crate::mapping`]).
    pub const fn architecture(&self) -> Option<Architecture> {
        self.architecture
    }

    /// The address of the cell that holds something else than 0 once the process has ended: from then on
    /// nobody waits any more, and there is no deadlock. None if there is no such end.
    pub const fn end_of_process(&self) -> Option<Value> {
        self.end_of_process
    }

    /// Where something may be accessed across several cells, if anything is.
    pub fn access_across(&self) -> Option<Span> {
        let mut edges = self.templates.iter().flat_map(Template::edges);
        let is_across = |edge: &&Edge| {
            let access = edge.instruction.memory_access();
            access.is_some_and(|(_, access)| matches!(access.width, AccessWidth::Across(_)))
        };
        edges.find(is_across).map(|edge| edge.span)
    }

    /// One thread template.
    #[inline]
    pub fn template(&self, template: TemplateId) -> &Template {
        &self.templates[template]
    }

    /// Whether there is such a thread: a template with more than `copy` copies, and not with any
    /// number of them.
    pub fn has_copy(&self, template: TemplateId, copy: u32) -> bool {
        self.templates.get(template).is_some_and(|template| match template.count {
            Count::Exactly(count) => copy < count,
            Count::Any => false,
        })
    }

    /// The concrete threads, template by template, if every template has a count.
    pub fn threads(&self) -> Result<IndexVec<ThreadId, Thread>, Parameterised> {
        let mut threads = IndexVec::new();
        for (id, template) in self.templates.enumerate() {
            let Count::Exactly(count) = template.count else {
                return Err(Parameterised { template: id, name: template.name.clone() });
            };
            for copy in 0..count {
                let name = template.copy_name(copy);
                threads.push(Thread { template: id, copy, name });
            }
        }
        Ok(threads)
    }
}
