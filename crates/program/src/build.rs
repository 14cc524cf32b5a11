//! Building programs. A program that [`ProgramBuilder::build`] returns is valid.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::condition::{Observable, Question};
use crate::goal::Watched;
use crate::index::{EdgeId, Idx, IndexVec, LabelId, LocationId, RegisterId, TemplateId};
use crate::instruction::Instruction;
use crate::mapping::Architecture;
use crate::memory::{Location, Memory, Outside};
use crate::operation::Boundary;
use crate::source::{NoInsertion, Span};
use crate::template::{Count, Edge, Identity, Label, Register, Template};
use crate::validate::Defect;
use crate::value::{Domain, Value};
use crate::whole::{Parameterised, Program, Thread};

/// Collects a program.
#[derive(Debug)]
pub struct ProgramBuilder {
    name: String,
    locations: IndexVec<LocationId, Location>,
    outside: Outside,
    templates: IndexVec<TemplateId, Template>,
    question: Question,
    architecture: Option<Architecture>,
    end_of_process: Option<Value>,
}

impl ProgramBuilder {
    /// A program without locations and threads.
    pub fn new(name: impl Into<String>, outside: Outside) -> Self {
        Self {
            name: name.into(),
            locations: IndexVec::new(),
            outside,
            templates: IndexVec::new(),
            question: Question::default(),
            architecture: None,
            end_of_process: None,
        }
    }

    /// Adds a location.
    pub fn location(&mut self, location: Location) -> LocationId {
        self.locations.push(location)
    }

    /// The memory so far.
    pub fn memory(&self) -> Memory {
        Memory::new(self.locations.clone(), self.outside)
    }

    /// The thread templates so far.
    pub const fn templates(&self) -> &IndexVec<TemplateId, Template> {
        &self.templates
    }

    /// Adds a thread template.
    pub fn template(&mut self, template: Template) -> TemplateId {
        self.templates.push(template)
    }

    /// Sets what the program asks about its final states.
    pub fn question(&mut self, question: Question) {
        self.question = question;
    }

    /// Says whose instructions the program consists of.
    pub const fn architecture(&mut self, architecture: Architecture) {
        self.architecture = Some(architecture);
    }

    /// Says which cell tells that the process has ended, so that nobody waits any more.
    pub const fn end_of_process(&mut self, address: Value) {
        self.end_of_process = Some(address);
    }

    /// The program, or everything that is wrong with it.
    pub fn build(self) -> Result<Program, Vec<Defect>> {
        let program = Program {
            name: self.name,
            memory: Memory::new(self.locations, self.outside),
            templates: self.templates,
            question: self.question,
            architecture: self.architecture,
            end_of_process: self.end_of_process,
        };
        let defects = program.validate();
        if defects.is_empty() { Ok(program) } else { Err(defects) }
    }
}

/// Collects a thread template.
#[derive(Debug)]
pub struct TemplateBuilder {
    name: String,
    is_named_apart: bool,
    span: Span,
    count: Count,
    identity: Option<Identity>,
    registers: IndexVec<RegisterId, Register>,
    labels: IndexVec<LabelId, Label>,
    edges: Vec<Edge>,
    boundaries: BTreeMap<LabelId, Boundary>,
}

impl TemplateBuilder {
    /// A template with one copy and nothing in it.
    pub fn new(name: impl Into<String>, span: Span) -> Self {
        Self {
            name: name.into(),
            is_named_apart: false,
            span,
            count: Count::Exactly(1),
            identity: None,
            registers: IndexVec::new(),
            labels: IndexVec::new(),
            edges: Vec::new(),
            boundaries: BTreeMap::new(),
        }
    }

    /// A template that begins like another: its name, copies, registers, labels and where operations are
    /// called and return, but no edges.
    pub fn like(template: &Template) -> Self {
        Self {
            name: template.name.clone(),
            is_named_apart: template.is_named_apart,
            span: template.span,
            count: template.count,
            identity: template.identity,
            registers: template.registers.clone(),
            labels: template.labels.clone(),
            edges: Vec::new(),
            boundaries: template.boundaries.clone(),
        }
    }

    /// Sets the number of copies.
    pub const fn count(&mut self, count: Count) {
        self.count = count;
    }

    /// Sets how the copies differ.
    pub const fn identity(&mut self, identity: Identity) {
        self.identity = Some(identity);
    }

    /// Adds a register.
    pub fn register(&mut self, register: Register) -> RegisterId {
        self.registers.push(register)
    }

    /// Adds a register that starts with zero and holds any integer.
    pub fn integer_register(&mut self, name: impl Into<String>) -> RegisterId {
        self.registers.push(Register {
            name: name.into(),
            initial: 0,
            domain: Domain::Integer,
            generated: false,
        })
    }

    /// The registers so far.
    pub const fn registers(&self) -> &IndexVec<RegisterId, Register> {
        &self.registers
    }

    /// The registers so far, to complete what became known later.
    pub const fn registers_mut(&mut self) -> &mut IndexVec<RegisterId, Register> {
        &mut self.registers
    }

    /// Adds a label.
    pub fn label(&mut self, label: Label) -> LabelId {
        self.labels.push(label)
    }

    /// Adds a label that has a name but no text.
    pub fn named_label(&mut self, name: impl Into<String>) -> LabelId {
        self.labels.push(Label {
            name: name.into(),
            generated: false,
            waiting: false,
            span: Span::NONE,
            before: Err(NoInsertion::NoSource),
        })
    }

    /// The labels so far.
    pub const fn labels(&self) -> &IndexVec<LabelId, Label> {
        &self.labels
    }

    /// The labels so far, to complete what became known later.
    pub const fn labels_mut(&mut self) -> &mut IndexVec<LabelId, Label> {
        &mut self.labels
    }

    /// Adds an edge.
    pub fn edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    /// Adds an edge that has no text.
    pub fn bare_edge(&mut self, from: LabelId, to: LabelId, instruction: Instruction) {
        self.edges.push(Edge {
            from,
            to,
            instruction,
            span: Span::NONE,
            after: Err(NoInsertion::NoSource),
        });
    }

    /// Says that leaving a label is the call or the return of an operation.
    pub fn boundary(&mut self, label: LabelId, boundary: Boundary) {
        self.boundaries.insert(label, boundary);
    }

    /// Moves the call or the return at a label to another.
    pub fn move_boundary(&mut self, from: LabelId, to: LabelId) {
        if let Some(boundary) = self.boundaries.remove(&from) {
            self.boundaries.insert(to, boundary);
        }
    }

    /// The edges so far, in the order they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The template, starting at `initial`. Every edge must lead between labels of this builder.
    pub fn build(self, initial: LabelId) -> Template {
        let mut edges = self.edges;
        edges.sort_by_key(|edge| edge.from);
        let mut outgoing: IndexVec<LabelId, Range<u32>> = IndexVec::new();
        let mut next = 0;
        for label in self.labels.indices() {
            let start = next;
            while edges.get(next).is_some_and(|edge| edge.from == label) {
                next += 1;
            }
            let bound = |at: usize| u32::try_from(at).expect("fewer than 2^32 edges");
            outgoing.push(bound(start)..bound(next));
        }
        assert!(
            next == edges.len() && edges.iter().all(|edge| edge.to.index() < self.labels.len()),
            "an edge of a template leads between labels of another"
        );
        Template {
            name: self.name,
            is_named_apart: self.is_named_apart,
            span: self.span,
            count: self.count,
            identity: self.identity,
            registers: self.registers,
            labels: self.labels,
            initial,
            edges: edges.into_iter().collect::<IndexVec<EdgeId, Edge>>(),
            outgoing,
            boundaries: self.boundaries,
        }
    }
}

impl Program {
    /// The same program with other templates, which keep the registers that the program's question
    /// mentions. Debug builds check the result.
    #[must_use]
    pub fn with_templates(&self, templates: IndexVec<TemplateId, Template>) -> Self {
        let program = Self { templates, ..self.clone() };
        debug_assert_eq!(program.validate(), [], "a transformation made an invalid program");
        program
    }

    /// The same program with another question, about registers and cells that it has. Debug builds
    /// check the result.
    #[must_use]
    pub fn with_question(&self, question: Question) -> Self {
        let program = Self { question, ..self.clone() };
        debug_assert_eq!(program.validate(), [], "a transformation made an invalid program");
        program
    }

    /// The same program in which every concrete thread has a template of its own, named like it; the
    /// threads keep their order.
    pub fn with_copies_apart(&self) -> Result<Self, Parameterised> {
        let threads = self.threads()?;
        let apart = threads.iter().map(|thread| {
            let template = &self.templates[thread.template];
            let identity = template
                .identity
                .map(|identity| Identity { first: identity.of(thread.copy), ..identity });
            let (name, count) = (thread.name.clone(), Count::Exactly(1));
            Template { name, is_named_apart: true, count, identity, ..template.clone() }
        });
        let own = |template, copy| {
            let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
            let found = threads.enumerate().find(|(_, thread)| is_it(thread));
            found.map_or(template, |(id, _)| TemplateId::new(id.index()))
        };
        let mut question = self.question.map(&|observable| match observable {
            memory @ (Observable::Cell(_) | Observable::Across(..)) => memory,
            Observable::Register { template, copy, register } => {
                Observable::Register { template: own(template, copy), copy: 0, register }
            }
        });
        question.forbidden = question.forbidden.map(|forbidden| {
            forbidden.map(&|watched| match watched {
                Watched::Label { template, copy, label } => {
                    Watched::Label { template: own(template, copy), copy: 0, label }
                }
                Watched::Value(_) => watched,
            })
        });
        let program = Self { templates: apart.collect(), question, ..self.clone() };
        debug_assert_eq!(program.validate(), [], "a transformation made an invalid program");
        Ok(program)
    }

    /// The same program with `count` copies of `template`.
    #[must_use]
    pub fn with_count(&self, template: TemplateId, count: u32) -> Self {
        let mut templates = self.templates.clone();
        templates[template] = templates[template].with_count(Count::Exactly(count));
        self.with_templates(templates)
    }
}
