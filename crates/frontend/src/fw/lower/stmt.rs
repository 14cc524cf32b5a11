//! Lowering statements. Each is given the label where it begins and the label where it ends.

use program::{
    BinaryOp, Diagnostic, Expr, Insertion, Instruction, LabelId, NoInsertion, Register, Span,
    UnaryOp, Update,
};

use super::super::ast::{self, Block, ExprKind, Place, Stmt, StmtKind};
use super::expr::{access, reads_memory};
use super::names::Meaning;
use super::thread::{Loop, Lowering, at};

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

/// The insertion points behind the two outcomes of a condition.
#[derive(Clone, Copy)]
pub(super) struct Outcomes {
    pub(super) if_true: (LabelId, Insertion),
    pub(super) if_false: (LabelId, Insertion),
}

impl Lowering<'_> {
    /// Lowers the statements of a block. `head` says that they are the first of the thread.
    pub(super) fn statements(&mut self, block: &Block, entry: Entry, exit: LabelId, head: bool) {
        let mut pending: Option<(&Stmt, Entry)> = None;
        let mut head = head;
        for statement in &block.statements {
            if self.is_declaration(statement, head) {
                self.declare(statement, true);
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
                let inside = at(block.span, block.span.end.saturating_sub(1));
                self.emit((entry.label, exit), Instruction::Skip, block.span, inside);
            }
        }
    }

    /// Whether a statement only declares variables and costs no step: values from the head of the
    /// thread are the registers' initial ones.
    pub(super) fn is_declaration(&self, statement: &Stmt, head: bool) -> bool {
        let StmtKind::Local(locals) = &statement.kind else { return false };
        statement.labels.is_empty()
            && locals.iter().all(|local| match &local.initial {
                None => true,
                Some(initial) => head && self.is_constant(initial),
            })
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
                self.if_statement(condition, then, otherwise.as_ref(), from, exit);
            }
            StmtKind::While { condition, body } if is_true(condition) => {
                self.endless_loop(body, entry, exit, span);
            }
            StmtKind::While { condition, body } => {
                self.while_loop(condition, body, entry, exit, span);
            }
            StmtKind::Loop(body) => self.endless_loop(body, entry, exit, span),
            StmtKind::Either(branches) => {
                for branch in branches {
                    let entry = Entry { label: from, kind: EntryKind::Shared };
                    self.statements(branch, entry, exit, false);
                }
            }
            StmtKind::Atomic(body) => self.atomic(body, from, exit, span),
            StmtKind::Await(condition) => self.wait(condition, entry, exit, span),
            StmtKind::Assume(condition) => {
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
        }
    }

    fn jump(&mut self, entry: Entry, target: Option<LabelId>, span: Span) {
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

    fn forbidden_in_atomic(&mut self, span: Span, what: &str) {
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
            let register = self.template.register(Register {
                name: self.register_name(&local.name.text),
                initial: start,
                domain,
                generated: false,
            });
            self.names.declare(&local.name, Meaning::Register(register), self.errors);
        }
    }

    /// A name declared twice has been reported; the second register still needs one of its own.
    fn register_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.template.registers().iter().any(|register| register.name == name) {
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

    fn if_statement(
        &mut self,
        condition: &ast::Expr,
        then: &Block,
        otherwise: Option<&Block>,
        from: LabelId,
        exit: LabelId,
    ) {
        let then_entry = self.block_entry(then, exit, false);
        let else_entry = otherwise.map(|block| self.block_entry(block, exit, false));
        let inside = |block: &Block| at(block.span, block.span.start + 1);
        // The block of an `else if` has no braces, and so no text before its `if`.
        let else_text = match otherwise {
            Some(block) if !starts_with_if(block) => inside(block),
            Some(_) | None => Err(NoInsertion::NoTextOfItsOwn),
        };
        self.branch(
            condition,
            from,
            Outcomes {
                if_true: (then_entry.label, inside(then)),
                if_false: (else_entry.map_or(exit, |entry| entry.label), else_text),
            },
        );
        self.statements(then, then_entry, exit, false);
        if let Some((block, entry)) = otherwise.zip(else_entry) {
            self.statements(block, entry, exit, false);
        }
    }

    /// The head of a loop that begins at `entry`.
    fn loop_head(&mut self, entry: Entry, span: Span, before: Insertion) -> LabelId {
        if entry.kind == EntryKind::Own {
            self.labels[entry.label].before = before;
            return entry.label;
        }
        let head = self.fresh_label(span, before);
        self.emit((entry.label, head), Instruction::Skip, span, at(span, span.start));
        head
    }

    fn while_loop(
        &mut self,
        condition: &ast::Expr,
        body: &Block,
        entry: Entry,
        exit: LabelId,
        span: Span,
    ) {
        let head = self.loop_head(entry, span, Err(NoInsertion::LoopHead));
        self.loops.push(Loop { head, exit, in_atomic: self.in_atomic });
        let body_entry = self.block_entry(body, head, false);
        // After the loop come also those who leave it by `break`.
        let behind =
            if has_break(body) { Err(NoInsertion::NoTextOfItsOwn) } else { at(span, span.end) };
        self.branch(
            condition,
            head,
            Outcomes {
                if_true: (body_entry.label, at(body.span, body.span.start + 1)),
                if_false: (exit, behind),
            },
        );
        self.statements(body, body_entry, head, false);
        self.loops.pop();
    }

    fn endless_loop(&mut self, body: &Block, entry: Entry, exit: LabelId, span: Span) {
        let first = body.statements.iter().find(|statement| !self.is_declaration(statement, false));
        let before = first
            .map_or(at(body.span, body.span.start + 1), |first| at(first.span, first.span.start));
        let mut head = self.loop_head(entry, span, before);
        let begins = match first {
            // A label on the first statement of the body is the head of the loop.
            Some(first) if !first.labels.is_empty() => {
                let label = self.label_names[&first.labels[0].name.text];
                let text = Err(NoInsertion::NoTextOfItsOwn);
                self.emit((head, label), Instruction::Skip, span, text);
                head = label;
                Entry { label, kind: EntryKind::Forced }
            }
            Some(_) | None => Entry { label: head, kind: EntryKind::Own },
        };
        self.loops.push(Loop { head, exit, in_atomic: self.in_atomic });
        self.statements(body, begins, head, false);
        self.loops.pop();
    }

    fn atomic(&mut self, body: &Block, from: LabelId, exit: LabelId, span: Span) {
        if self.in_atomic {
            self.forbidden_in_atomic(span, "another `atomic`");
        }
        let was_atomic = std::mem::replace(&mut self.in_atomic, true);
        let inside = self.inner_label(span);
        let end = self.fresh_label(span, at(body.span, body.span.end.saturating_sub(1)));
        let start = at(body.span, body.span.start + 1);
        self.emit((from, inside), Instruction::Lock, span, start);
        self.statements(body, Entry { label: inside, kind: EntryKind::Own }, end, false);
        self.emit((end, exit), Instruction::Unlock, span, at(span, span.end));
        self.in_atomic = was_atomic;
    }

    /// `await`: a busy wait, as on real machines, at labels marked as waiting.
    fn wait(&mut self, condition: &ast::Expr, entry: Entry, exit: LabelId, span: Span) {
        if self.in_atomic {
            self.forbidden_in_atomic(span, "`await`");
        }
        let head = self.loop_head(entry, span, Err(NoInsertion::LoopHead));
        let first_inner = self.labels.len();
        if reads_memory(condition, &self.names) {
            self.branch(
                condition,
                head,
                Outcomes {
                    if_true: (exit, at(span, span.end)),
                    if_false: (head, Err(NoInsertion::InsideExpression)),
                },
            );
        } else {
            // What no other thread can change is not worth looking at twice.
            let (from, condition) = self.value_at(condition, head);
            self.labels[head].before = at(span, span.start);
            self.emit((from, exit), Instruction::Assume(condition), span, at(span, span.end));
        }
        self.labels[head].waiting = true;
        for label in self.labels.iter_mut().skip(first_inner) {
            label.waiting = true;
        }
    }

    /// Edges from `from` that lead to one label if a condition is true and to another if not.
    /// What reads memory is evaluated left to right and no further than needed.
    pub(super) fn branch(&mut self, condition: &ast::Expr, from: LabelId, outcomes: Outcomes) {
        let Outcomes { if_true, if_false } = outcomes;
        let inner = Err(NoInsertion::InsideExpression);
        match &condition.kind {
            ExprKind::Number(value) => {
                let (to, after) = if *value != 0 { if_true } else { if_false };
                self.emit((from, to), Instruction::Skip, condition.span, after);
            }
            ExprKind::Unary(UnaryOp::Not, operand) if reads_memory(operand, &self.names) => {
                let swapped = Outcomes { if_true: if_false, if_false: if_true };
                self.branch(operand, from, swapped);
            }
            ExprKind::Binary(BinaryOp::And, left, right) if reads_memory(right, &self.names) => {
                let middle = self.inner_label(right.span);
                self.branch(left, from, Outcomes { if_true: (middle, inner), if_false });
                self.branch(right, middle, outcomes);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if reads_memory(right, &self.names) => {
                let middle = self.inner_label(right.span);
                self.branch(left, from, Outcomes { if_true, if_false: (middle, inner) });
                self.branch(right, middle, outcomes);
            }
            ExprKind::Place(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(_)
            | ExprKind::Cast(..)
            | ExprKind::Choose(_)
            | ExprKind::Load { .. }
            | ExprKind::Update { .. } => {
                let (from, value) = self.value_at(condition, from);
                let (to_true, after_true) = if_true;
                let (to_false, after_false) = if_false;
                let negated = negate(value.clone());
                self.emit((from, to_true), Instruction::Assume(value), condition.span, after_true);
                let instruction = Instruction::Assume(negated);
                self.emit((from, to_false), instruction, condition.span, after_false);
            }
        }
    }
}

/// What is true exactly where `condition` is false.
pub(crate) fn negate(condition: Expr) -> Expr {
    match condition {
        Expr::Binary(op, left, right) => match op.negated() {
            Some(negated) => Expr::Binary(negated, left, right),
            None => Expr::unary(UnaryOp::Not, Expr::Binary(op, left, right)),
        },
        Expr::Unary(UnaryOp::Not, operand) => *operand,
        other @ (Expr::Const(_)
        | Expr::Register(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Select(_)
        | Expr::Cast(..)) => Expr::unary(UnaryOp::Not, other),
    }
}

fn is_true(condition: &ast::Expr) -> bool {
    matches!(condition.kind, ExprKind::Number(value) if value != 0)
}

fn starts_with_if(block: &Block) -> bool {
    block.statements.first().is_some_and(|first| first.span == block.span)
}

/// Whether a `break` inside `body` leaves the loop of which it is the body.
fn has_break(body: &Block) -> bool {
    body.statements.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::If { then, otherwise, .. } => {
            has_break(then) || otherwise.as_ref().is_some_and(has_break)
        }
        StmtKind::Either(branches) => branches.iter().any(has_break),
        StmtKind::Atomic(body) => has_break(body),
        // A `break` in an inner loop leaves that one.
        StmtKind::While { .. }
        | StmtKind::Loop(_)
        | StmtKind::Skip
        | StmtKind::Stop
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
        | StmtKind::Call(_) => false,
    })
}
