//! Lowering statements. Each is given the label where it begins and the label where it ends.

use program::{
    Boundary, Diagnostic, Expr, Instruction, LabelId, NoInsertion, Register, Span, Update,
};

use super::super::ast::{self, Block, Place, Stmt, StmtKind};
use super::expr::access;
use super::names::Meaning;
use super::thread::{Loop, Lowering, at, nested_blocks};

/// Where a statement begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) label: LabelId,
    pub(super) kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// Nothing else leaves the label, so a loop can use it as its head.
    Own,
    /// Other branches of an `either` leave the label too.
    Shared,
    /// The statement decides where control is (a `goto`), and it is there already.
    Forced,
}

impl Lowering<'_> {
    /// Lowers the statements of a block. `head` says that they are the first of the thread.
    pub(super) fn statements(&mut self, block: &Block, entry: Entry, exit: LabelId, head: bool) {
        let mut pending: Option<(&Stmt, Entry)> = None;
        let mut head = head;
        for statement in &block.statements {
            if self.takes_no_step(statement, head) {
                self.without_step(statement);
                continue;
            }
            head = false;
            let begins = match pending {
                None => entry,
                Some(_) => self.statement_entry(statement),
            };
            if let Some((previous, from)) = pending {
                self.statement(previous, from, begins.label);
            }
            pending = Some((statement, begins));
        }
        match pending {
            Some((last, from)) => self.statement(last, from, exit),
            None if entry.kind == EntryKind::Forced => {}
            None => {
                let inside = at(block.span, block.span.start + 1);
                self.emit((entry.label, exit), Instruction::Skip, block.span, inside);
            }
        }
    }

    /// Whether a statement costs no step: a declaration (values from the head of the thread are the
    /// registers' initial ones), or an `if` that constants rule out.
    pub(super) fn takes_no_step(&self, statement: &Stmt, head: bool) -> bool {
        if !statement.labels.is_empty() {
            return false;
        }
        if let StmtKind::Local(locals) = &statement.kind {
            return locals.iter().all(|local| match &local.initial {
                None => true,
                Some(initial) => head && self.is_constant(initial),
            });
        }
        if let StmtKind::If { condition, then, otherwise: None } = &statement.kind {
            return self.constant_truth(condition) == Some(false) && !has_label(then);
        }
        false
    }

    fn without_step(&mut self, statement: &Stmt) {
        if let StmtKind::If { condition, then, .. } = &statement.kind {
            self.names.check(condition, self.errors);
            let behind = self.inner_label(then.span);
            self.unreachable(then, behind);
        } else {
            self.declare(statement, true);
        }
    }

    /// Lowers a block that nothing leads to but, perhaps, a `goto` to a label inside it.
    pub(super) fn unreachable(&mut self, block: &Block, exit: LabelId) {
        let label = self.inner_label(block.span);
        self.statements(block, Entry { label, kind: EntryKind::Own }, exit, false);
    }

    /// The label where a statement wants to begin.
    pub(super) fn statement_entry(&mut self, statement: &Stmt) -> Entry {
        let forced = |label| Entry { label, kind: EntryKind::Forced };
        if let Some(label) = statement.labels.first() {
            // A label defined twice has been reported; either definition will do.
            return forced(self.label_names[&label.name.text]);
        }
        let around = self.loops.last();
        let target = if let StmtKind::Goto(name) = &statement.kind {
            // An unknown label is reported when the statement itself is lowered.
            self.label_names.get(&name.text).copied()
        } else if matches!(statement.kind, StmtKind::Break) {
            around.map(|around| around.exit)
        } else if matches!(statement.kind, StmtKind::Continue) {
            around.map(|around| around.head)
        } else {
            None
        };
        if let Some(label) = target {
            return forced(label);
        }
        let label = self.fresh_label(statement.span, at(statement.span, statement.span.start));
        Entry { label, kind: EntryKind::Own }
    }

    fn statement(&mut self, statement: &Stmt, mut entry: Entry, exit: LabelId) {
        self.forget_temporaries();
        if self.in_atomic && !statement.labels.is_empty() {
            self.forbidden_in_atomic(statement.labels[0].name.span, "a label");
        }
        for label in &statement.labels {
            let own = self.label_names[&label.name.text];
            if entry.label != own {
                let text = Err(NoInsertion::NoTextOfItsOwn);
                self.emit((entry.label, own), Instruction::Skip, label.name.span, text);
            }
            entry = Entry { label: own, kind: EntryKind::Own };
        }
        let span = statement.span;
        let after = at(span, span.end);
        let from = entry.label;
        match &statement.kind {
            StmtKind::Skip => self.emit((from, exit), Instruction::Skip, span, after),
            StmtKind::Stop => self.stop(entry, span),
            StmtKind::Goto(name) => {
                if self.in_atomic {
                    self.forbidden_in_atomic(span, "`goto`");
                }
                let target = self.goto_target(name);
                self.jump(entry, target, span);
            }
            StmtKind::Break => {
                let target = self.loop_around(span, "break").map(|(_, exit)| exit);
                self.jump(entry, target, span);
            }
            StmtKind::Continue => {
                let target = self.loop_around(span, "continue").map(|(head, _)| head);
                self.jump(entry, target, span);
            }
            StmtKind::Local(locals) => self.initialised_locals(statement, locals, from, exit),
            StmtKind::Assign { to, value } => self.assign(to, value, (from, exit), span, after),
            StmtKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_ref(), (entry, exit), span);
            }
            StmtKind::While { condition, body } if self.constant_truth(condition) == Some(true) => {
                self.names.check(condition, self.errors);
                self.endless_loop(body, entry, exit, span);
            }
            StmtKind::While { condition, body } => {
                self.while_loop(condition, body, entry, exit, span);
            }
            StmtKind::Loop(body) => self.endless_loop(body, entry, exit, span),
            StmtKind::For { index, range, body } => {
                self.counting_loop(index, range, body, (from, exit), span);
            }
            StmtKind::Either(branches) => {
                for branch in branches {
                    let entry = Entry { label: from, kind: EntryKind::Shared };
                    self.statements(branch, entry, exit, false);
                }
            }
            StmtKind::Atomic(body) => self.atomic(body, from, exit, span),
            StmtKind::Await(condition) => self.wait(condition, entry, exit, span),
            StmtKind::Assume(condition) => {
                if self.in_atomic {
                    self.forbidden_in_atomic(span, "`assume`");
                }
                let (at, condition) = self.value_at(condition, from);
                self.emit((at, exit), Instruction::Assume(condition), span, after);
            }
            StmtKind::Assert(condition) => {
                let (at, condition) = self.value_at(condition, from);
                self.emit((at, exit), Instruction::Assert(condition), span, after);
            }
            StmtKind::Fence(kind) => {
                self.emit((from, exit), Instruction::Fence(*kind), span, after);
            }
            StmtKind::LockMemory => self.emit((from, exit), Instruction::Lock, span, after),
            StmtKind::UnlockMemory => self.emit((from, exit), Instruction::Unlock, span, after),
            StmtKind::Store { to, value, attributes } => {
                let access = access(attributes);
                self.store(to, value, access, (from, exit), span, after);
            }
            StmtKind::BlockingReadWrite { place, expected, new, attributes } => {
                if self.in_atomic {
                    self.forbidden_in_atomic(span, "`arw`");
                }
                let access = access(attributes);
                let mut at = from;
                let address = self.address(place, &mut at);
                let expected = self.value(expected, &mut at);
                let new = self.value(new, &mut at);
                let update = Update::BlockingReadWrite { expected, new };
                let instruction = Instruction::Update { result: None, address, update, access };
                self.emit((at, exit), instruction, span, after);
            }
            StmtKind::Call(call) => self.call(call, (from, exit), span, after),
            StmtKind::Invoke { operation, arguments } => {
                self.invoke(&operation.text, arguments, (entry, exit), span);
            }
            StmtKind::Respond(results) => self.respond(results, (entry, exit), span),
            StmtKind::Sequence(parts) => self.sequence(parts, (entry, exit), span),
        }
    }

    /// Statements that are one in the text.
    fn sequence(&mut self, parts: &Block, (entry, exit): (Entry, LabelId), span: Span) {
        let (labels, edges) = (self.labels.len(), self.edges.len());
        self.statements(parts, entry, exit, false);
        for label in self.labels.iter_mut().skip(labels) {
            label.before = Err(NoInsertion::InsideExpression);
        }
        for edge in &mut self.edges[edges..] {
            let leaves = edge.to == exit;
            edge.after =
                if leaves { at(span, span.end) } else { Err(NoInsertion::InsideExpression) };
        }
    }

    fn invoke(&mut self, name: &str, arguments: &[ast::Expr], ends: (Entry, LabelId), span: Span) {
        let operation = name.to_owned();
        let arguments = self.plain_values(arguments);
        self.boundary(Boundary::Call { operation, arguments }, ends, span);
    }

    fn respond(&mut self, results: &[ast::Expr], ends: (Entry, LabelId), span: Span) {
        let results = self.plain_values(results);
        self.boundary(Boundary::Return { results }, ends, span);
    }

    /// The call or the return of an operation: a label of its own, and a step that does nothing.
    fn boundary(&mut self, boundary: Boundary, (entry, exit): (Entry, LabelId), span: Span) {
        if self.in_atomic {
            self.forbidden_in_atomic(span, "the call or return of an operation");
        }
        let from = match entry.kind {
            EntryKind::Own | EntryKind::Forced => entry.label,
            EntryKind::Shared => {
                let own = self.fresh_label(span, Err(NoInsertion::NoTextOfItsOwn));
                self.emit((entry.label, own), Instruction::Skip, span, at(span, span.start));
                own
            }
        };
        self.boundaries.insert(from, boundary);
        self.emit((from, exit), Instruction::Skip, span, at(span, span.end));
    }

    /// Arguments and results: local variables and constants.
    fn plain_values(&mut self, values: &[ast::Expr]) -> Vec<Expr> {
        let mut plain = Vec::new();
        for value in values {
            plain.push(self.plain_value(value));
        }
        plain
    }

    fn plain_value(&mut self, value: &ast::Expr) -> Expr {
        let ast::ExprKind::Place(Place::Named { name, index: None }) = &value.kind else {
            return Expr::Const(self.names.constant(value, self.errors).unwrap_or(0));
        };
        match self.names.resolve(name, self.errors) {
            Some(Meaning::Constant(constant)) => Expr::Const(constant),
            Some(Meaning::Register(register) | Meaning::Index(register)) => {
                Expr::Register(register)
            }
            Some(meaning @ (Meaning::Scalar(_) | Meaning::Array(_))) => {
                let message = "a local variable or a constant is needed here";
                self.errors.push(
                    Diagnostic::new(value.span, message)
                        .label(format!("this is {}", meaning.noun()))
                        .help("load it into a `local` variable first"),
                );
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }

    pub(super) fn jump(&mut self, entry: Entry, target: Option<LabelId>, span: Span) {
        if entry.kind != EntryKind::Forced
            && let Some(target) = target
        {
            self.emit((entry.label, target), Instruction::Skip, span, at(span, span.start));
        }
    }

    fn stop(&mut self, entry: Entry, span: Span) {
        if self.in_atomic {
            self.forbidden_in_atomic(span, "`stop`");
        }
        if entry.kind == EntryKind::Shared {
            let end = self.fresh_label(span, Err(NoInsertion::NoTextOfItsOwn));
            self.emit((entry.label, end), Instruction::Skip, span, at(span, span.start));
        }
    }

    fn loop_around(&mut self, span: Span, word: &str) -> Option<(LabelId, LabelId)> {
        let Some(Loop { head, exit, in_atomic }) = self.loops.last() else {
            self.errors.push(Diagnostic::new(span, format!("`{word}` outside a loop")));
            return None;
        };
        let targets = (*head, *exit);
        if self.in_atomic && !in_atomic {
            self.forbidden_in_atomic(span, &format!("`{word}` out of it"));
        }
        Some(targets)
    }

    pub(super) fn forbidden_in_atomic(&mut self, span: Span, what: &str) {
        let message = format!("{what} is not possible inside `atomic`");
        let help = "other threads wait until the block has run to its end";
        self.errors.push(Diagnostic::new(span, message).help(help));
    }

    /// Declares the variables of a `local`. With `initial` their values are those that the
    /// registers start with; otherwise they are assigned where the declaration stands.
    fn declare(&mut self, statement: &Stmt, initial: bool) {
        let StmtKind::Local(locals) = &statement.kind else { return };
        for local in locals {
            let domain = local.domain.as_ref().map(|domain| self.names.domain(domain, self.errors));
            let domain = domain.unwrap_or(program::Domain::Integer);
            let start = match &local.initial {
                Some(value) if initial => {
                    self.names.constant_in(value, domain, &local.name.text, self.errors)
                }
                Some(_) | None if domain.contains(0) => 0,
                Some(_) | None => domain.bounds().0,
            };
            let name = self.register_name(&local.name.text);
            let register =
                self.template.register(Register { name, initial: start, domain, generated: false });
            self.names.declare(&local.name, Meaning::Register(register), self.errors);
        }
    }

    /// A name declared twice has been reported; the second register still needs one of its own.
    pub(super) fn register_name(&mut self, name: &str) -> String {
        if self.register_names.is_empty() {
            let known = self.template.registers().iter().map(|register| register.name.clone());
            self.register_names.extend(known);
        }
        let mut name = name.to_owned();
        while !self.register_names.insert(name.clone()) {
            name.push('\'');
        }
        name
    }

    fn initialised_locals(
        &mut self,
        statement: &Stmt,
        locals: &[ast::Local],
        from: LabelId,
        exit: LabelId,
    ) {
        self.declare(statement, false);
        let assigned: Vec<_> =
            locals.iter().filter_map(|local| Some((local, local.initial.as_ref()?))).collect();
        let mut from = from;
        for (number, (local, value)) in assigned.iter().enumerate() {
            let last = number + 1 == assigned.len();
            let span = local.name.span.to(value.span);
            let (to, after) = if last {
                (exit, at(statement.span, statement.span.end))
            } else {
                (self.inner_label(span), Err(NoInsertion::InsideExpression))
            };
            let place = Place::Named { name: local.name.clone(), index: None };
            self.assign(&place, value, (from, to), span, after);
            from = to;
        }
        if assigned.is_empty() {
            let after = at(statement.span, statement.span.end);
            self.emit((from, exit), Instruction::Skip, statement.span, after);
        }
    }
}

/// Whether a `goto` could lead into a block.
fn has_label(block: &Block) -> bool {
    block.statements.iter().any(|statement| {
        !statement.labels.is_empty() || nested_blocks(&statement.kind).into_iter().any(has_label)
    })
}
