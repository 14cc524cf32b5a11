//! Lowering a thread: its registers, labels and edges.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Boundary, Count, Diagnostic, Diagnostics, Domain, Edge, Identity, IndexVec, Insertion,
    InsertionPoint, Instruction, Label, LabelId, NoInsertion, Program, Register, RegisterId, Span,
    Template, TemplateBuilder, Value,
};

use program::validate::access_problems;

use super::super::ast::{self, Block, Replication, StmtKind};
use super::names::{Globals, Meaning};
use super::stmt::{Entry, EntryKind};
use crate::suggest::did_you_mean;

/// The template of a thread; `count` is for one of any number. Errors leave some valid template, which nobody will see.
pub(super) fn template(
    thread: &ast::Thread,
    count: Option<u32>,
    globals: &Globals,
    errors: &mut Diagnostics,
) -> Template {
    let mut lowering = Lowering {
        names: globals.clone(),
        errors,
        template: TemplateBuilder::new(&thread.name.text, thread.name.span),
        labels: IndexVec::new(),
        label_names: BTreeMap::new(),
        edges: Vec::new(),
        boundaries: BTreeMap::new(),
        register_names: BTreeSet::new(),
        temporaries: Vec::new(),
        temporaries_used: BTreeSet::new(),
        loops: Vec::new(),
        past_indices: BTreeSet::new(),
        in_atomic: false,
    };
    lowering.replication(&thread.replication, count);
    lowering.declare_labels(&thread.body);
    let end = lowering.fresh_label(
        Span { start: thread.body.span.end.saturating_sub(1), ..thread.body.span },
        at(thread.body.span, thread.body.span.end.saturating_sub(1)),
    );
    let initial = lowering.body(&thread.body, end);
    lowering.finish(initial)
}

/// The loop around a statement.
pub(super) struct Loop {
    pub(super) head: LabelId,
    pub(super) exit: LabelId,
    pub(super) in_atomic: bool,
}

pub(super) struct Lowering<'a> {
    pub(super) names: Globals,
    pub(super) errors: &'a mut Diagnostics,
    pub(super) template: TemplateBuilder,
    /// The names of the registers, if any was asked for.
    pub(super) register_names: BTreeSet<String>,
    /// Labels as they are made; those that nothing uses are dropped in the end.
    pub(super) labels: IndexVec<LabelId, Label>,
    pub(super) label_names: BTreeMap<String, LabelId>,
    pub(super) edges: Vec<Edge>,
    /// Where operations are called and return.
    pub(super) boundaries: BTreeMap<LabelId, Boundary>,
    /// Registers for intermediate values; each statement uses them anew.
    temporaries: Vec<RegisterId>,
    temporaries_used: BTreeSet<RegisterId>,
    pub(super) loops: Vec<Loop>,
    /// Registers of indices of `for` loops that are over.
    pub(super) past_indices: BTreeSet<RegisterId>,
    pub(super) in_atomic: bool,
}

/// A place in the text of `span`'s source.
pub(super) fn at(span: Span, offset: u32) -> Insertion {
    span.source.map(|source| InsertionPoint { source, offset }).ok_or(NoInsertion::NoSource)
}

impl Lowering<'_> {
    fn replication(&mut self, replication: &Replication, count: Option<u32>) {
        let max = Value::from(Program::MAX_THREADS);
        match replication {
            Replication::One => {}
            Replication::Any => self.template.count(count.map_or(Count::Any, Count::Exactly)),
            Replication::AnyIndex(name, low) => {
                self.template.count(count.map_or(Count::Any, Count::Exactly));
                let low = low.as_ref().map(|low| (self.names.constant(low, self.errors), low.span));
                let (first, span) = low.unwrap_or((Some(0), name.span));
                let register = self.template.integer_register(&name.text);
                let first = first.unwrap_or(0);
                if Domain::Integer.contains(first) && Domain::Integer.contains(first + max) {
                    self.template.identity(Identity { register, first });
                } else {
                    self.errors.push(Diagnostic::new(span, "these indices do not fit"));
                }
                self.names.declare(name, Meaning::Index(register), self.errors);
            }
            Replication::Copies(copies) => {
                let count = self.names.constant(copies, self.errors);
                self.set_count(count, copies.span);
            }
            Replication::Index(name, range) => {
                let bounds = self.names.range(range, self.errors);
                let (low, high) = bounds.unwrap_or((0, 0));
                // An empty range is no copies; a hugely empty one must not underflow.
                let count = (high - low + 1).clamp(0, max + 1);
                self.set_count(Some(count), range.span);
                let register = self.template.integer_register(&name.text);
                if Domain::Integer.contains(low) && Domain::Integer.contains(low + count) {
                    self.template.identity(Identity { register, first: low });
                } else {
                    self.errors.push(Diagnostic::new(range.span, "these indices do not fit"));
                }
                self.names.declare(name, Meaning::Index(register), self.errors);
            }
        }
    }

    fn set_count(&mut self, count: Option<Value>, span: Span) {
        let Some(count) = count else { return };
        match u32::try_from(count) {
            Ok(number) if number <= Program::MAX_THREADS => {
                self.template.count(Count::Exactly(number));
            }
            _ => self.errors.push(
                Diagnostic::new(span, "a thread cannot have this many copies")
                    .help(format!("0 to {} are possible", Program::MAX_THREADS)),
            ),
        }
    }

    /// All labels of the thread, so that a `goto` can lead forward, and all names of locals, so
    /// that generated ones keep away from them.
    fn declare_labels(&mut self, body: &Block) {
        let mut blocks = vec![body];
        let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
        while let Some(block) = blocks.pop() {
            for statement in &block.statements {
                for (number, label) in statement.labels.iter().enumerate() {
                    let is_last = number + 1 == statement.labels.len();
                    if let Some(first) = spans.insert(&label.name.text, label.name.span) {
                        let message = format!("label `{}` is defined twice", label.name.text);
                        let error = Diagnostic::new(label.name.span, message);
                        self.errors.push(error.related(first, "first defined here"));
                        continue;
                    }
                    let id = self.labels.push(Label {
                        name: label.name.text.clone(),
                        generated: false,
                        waiting: label.waiting,
                        span: label.name.span,
                        before: if is_last {
                            at(statement.span, statement.span.start)
                        } else {
                            Err(NoInsertion::NoTextOfItsOwn)
                        },
                    });
                    self.label_names.insert(label.name.text.clone(), id);
                }
                // In reverse, because the last one pushed is visited first.
                blocks.extend(nested_blocks(&statement.kind).into_iter().rev());
            }
        }
    }

    fn body(&mut self, body: &Block, end: LabelId) -> LabelId {
        let entry = self.block_entry(body, end, true);
        self.statements(body, entry, end, true);
        entry.label
    }

    /// The label where a `goto` leads, if there is one.
    pub(super) fn goto_target(&mut self, name: &ast::Name) -> Option<LabelId> {
        if let Some(label) = self.label_names.get(&name.text) {
            return Some(*label);
        }
        let mut error =
            Diagnostic::new(name.span, format!("this thread has no label `{}`", name.text));
        error.help = did_you_mean(&name.text, self.label_names.keys().map(String::as_str))
            .map(|like| format!("did you mean `{like}`?"));
        self.errors.push(error);
        None
    }

    /// A label that stands for no name in the source.
    pub(super) fn fresh_label(&mut self, span: Span, before: Insertion) -> LabelId {
        self.labels.push(Label {
            name: String::new(),
            generated: true,
            waiting: false,
            span,
            before,
        })
    }

    /// A label in the middle of a statement.
    pub(super) fn inner_label(&mut self, span: Span) -> LabelId {
        self.fresh_label(span, Err(NoInsertion::InsideExpression))
    }

    pub(super) fn emit(
        &mut self,
        (from, to): (LabelId, LabelId),
        instruction: Instruction,
        span: Span,
        after: Insertion,
    ) {
        let problems = access_problems(&instruction).into_iter();
        self.errors.extend(problems.map(|problem| Diagnostic::new(span, problem)));
        self.edges.push(Edge { from, to, instruction, span, after });
    }

    /// A register for an intermediate value of the current statement.
    pub(super) fn temporary(&mut self, domain: Domain) -> RegisterId {
        let registers = self.template.registers();
        let free = self.temporaries.iter().copied().find(|register| {
            registers[*register].domain == domain && !self.temporaries_used.contains(register)
        });
        let register = free.unwrap_or_else(|| {
            let initial = if domain.contains(0) { 0 } else { domain.bounds().0 };
            let register = self.template.register(Register {
                name: String::new(),
                initial,
                domain,
                generated: true,
            });
            self.temporaries.push(register);
            register
        });
        self.temporaries_used.insert(register);
        register
    }

    /// Between statements no intermediate value is alive.
    pub(super) fn forget_temporaries(&mut self) {
        self.temporaries_used.clear();
    }

    /// Names what was generated, drops code that nothing leads to, and builds the template.
    fn finish(mut self, initial: LabelId) -> Template {
        let used = self.reached(initial);
        self.edges.retain(|edge| used.contains(&edge.from));
        let mut kept: BTreeMap<LabelId, LabelId> = BTreeMap::new();
        let mut number = 0;
        for (id, label) in self.labels.enumerate() {
            if label.generated && !used.contains(&id) {
                continue;
            }
            let mut label = label.clone();
            while label.name.is_empty()
                || (label.generated && self.label_names.contains_key(&label.name))
            {
                number += 1;
                label.name = format!("L{number}");
            }
            kept.insert(id, self.template.label(label));
        }
        self.name_temporaries();
        for edge in self.edges {
            self.template.edge(Edge { from: kept[&edge.from], to: kept[&edge.to], ..edge });
        }
        for (label, boundary) in self.boundaries {
            if let Some(label) = kept.get(&label) {
                self.template.boundary(*label, boundary);
            }
        }
        self.template.build(kept[&initial])
    }

    /// The labels that can be reached from the initial one or from one with a name.
    fn reached(&self, initial: LabelId) -> BTreeSet<LabelId> {
        let mut leads: BTreeMap<LabelId, Vec<LabelId>> = BTreeMap::new();
        for edge in &self.edges {
            leads.entry(edge.from).or_default().push(edge.to);
        }
        let mut next: Vec<LabelId> = self.label_names.values().copied().collect();
        next.push(initial);
        let mut reached: BTreeSet<LabelId> = next.iter().copied().collect();
        while let Some(label) = next.pop() {
            for to in leads.get(&label).into_iter().flatten() {
                if reached.insert(*to) {
                    next.push(*to);
                }
            }
        }
        reached
    }

    fn name_temporaries(&mut self) {
        let mut number = 0;
        for register in &self.temporaries {
            let name = loop {
                number += 1;
                let name = format!("t{number}");
                if !self.names.knows(&name) {
                    break name;
                }
            };
            self.template.registers_mut()[*register].name = name;
        }
    }

    /// The entry of the first statement of a block that ends at `exit`.
    pub(super) fn block_entry(&mut self, block: &Block, exit: LabelId, head: bool) -> Entry {
        match block.statements.iter().find(|s| !self.takes_no_step(s, head)) {
            Some(statement) => self.statement_entry(statement),
            None => Entry { label: exit, kind: EntryKind::Forced },
        }
    }
}

/// The blocks directly inside a statement.
pub(crate) fn nested_blocks(kind: &StmtKind) -> Vec<&Block> {
    match kind {
        StmtKind::If { then, otherwise, .. } => {
            std::iter::once(then).chain(otherwise.as_ref()).collect()
        }
        StmtKind::While { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::Loop(body)
        | StmtKind::Atomic(body)
        | StmtKind::Sequence(body) => vec![body],
        StmtKind::Either(branches) => branches.iter().collect(),
        StmtKind::Skip
        | StmtKind::Stop
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Local(_)
        | StmtKind::Assign { .. }
        | StmtKind::Await(_)
        | StmtKind::Assume(_)
        | StmtKind::Assert(_)
        | StmtKind::Fence(_)
        | StmtKind::LockMemory
        | StmtKind::UnlockMemory
        | StmtKind::Store { .. }
        | StmtKind::BlockingReadWrite { .. }
        | StmtKind::Call(_)
        | StmtKind::Invoke { .. }
        | StmtKind::Respond(_) => Vec::new(),
    }
}
