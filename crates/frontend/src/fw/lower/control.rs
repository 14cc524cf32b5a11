//! Lowering control flow: conditions, loops, atomic blocks and waiting.

use program::{
    BinaryOp, Diagnostic, Domain, Expr, Insertion, Instruction, LabelId, NoInsertion, Register,
    RegisterId, Span, UnaryOp,
};

use super::super::ast::{self, Block, ExprKind, StmtKind};
use super::expr::reads_memory;
use super::names::Meaning;
use super::stmt::{Entry, EntryKind};
use super::thread::{Loop, Lowering, at, nested_blocks};

/// The insertion points behind the two outcomes of a condition.
#[derive(Clone, Copy)]
pub(super) struct Outcomes {
    pub(super) if_true: (LabelId, Insertion),
    pub(super) if_false: (LabelId, Insertion),
}

impl Lowering<'_> {
    pub(super) fn if_statement(
        &mut self,
        condition: &ast::Expr,
        then: &Block,
        otherwise: Option<&Block>,
        (entry, exit): (Entry, LabelId),
        span: Span,
    ) {
        if let Some(truth) = self.constant_truth(condition) {
            self.names.check(condition, self.errors);
            let (taken, other) =
                if truth { (Some(then), otherwise) } else { (otherwise, Some(then)) };
            if let Some(other) = other {
                self.unreachable(other, exit);
            }
            match taken {
                Some(taken) => self.statements(taken, entry, exit, false),
                None => self.jump(entry, Some(exit), span),
            }
            return;
        }
        let from = entry.label;
        let then_entry = self.block_entry(then, exit, false);
        let else_entry = otherwise.map(|block| self.block_entry(block, exit, false));
        let inside = |block: &Block| at(block.span, block.span.start + 1);
        // The block of an `else if` has no braces, and so no text before its `if`.
        let else_text = match otherwise.zip(else_entry) {
            Some((block, _)) if !starts_with_if(block) => inside(block),
            Some((_, entry)) => {
                if entry.kind == EntryKind::Own {
                    self.labels[entry.label].before = Err(NoInsertion::NoTextOfItsOwn);
                }
                Err(NoInsertion::NoTextOfItsOwn)
            }
            None => Err(NoInsertion::NoTextOfItsOwn),
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

    pub(super) fn while_loop(
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
        // After the loop come also those who leave it by `break`; and a body without braces ends where the loop
        // does.
        let is_bare = body.statements.last().is_some_and(|last| last.span.end == span.end);
        let behind = if has_break(body) || is_bare {
            Err(NoInsertion::NoTextOfItsOwn)
        } else {
            at(span, span.end)
        };
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

    pub(super) fn endless_loop(&mut self, body: &Block, entry: Entry, exit: LabelId, span: Span) {
        let first = body.statements.iter().find(|statement| !self.takes_no_step(statement, false));
        let (head, begins) = match first {
            // A label on the first statement of the body is the head of the loop.
            Some(first) if !first.labels.is_empty() => {
                let label = self.label_names[&first.labels[0].name.text];
                let text = Err(NoInsertion::NoTextOfItsOwn);
                self.emit((entry.label, label), Instruction::Skip, span, text);
                (label, EntryKind::Forced)
            }
            Some(first) => {
                let head = self.loop_head(entry, span, at(first.span, first.span.start));
                (head, EntryKind::Own)
            }
            None => {
                let inside = at(body.span, body.span.start + 1);
                (self.loop_head(entry, span, inside), EntryKind::Own)
            }
        };
        let begins = Entry { label: head, kind: begins };
        self.loops.push(Loop { head, exit, in_atomic: self.in_atomic });
        self.statements(body, begins, head, false);
        self.loops.pop();
    }

    /// `for k in low..high`: assigns, compares and increments the local variable `k`.
    pub(super) fn counting_loop(
        &mut self,
        index: &ast::Name,
        range: &ast::RangeExpr,
        body: &Block,
        (from, exit): (LabelId, LabelId),
        span: Span,
    ) {
        let register = self.loop_index(index);
        for bound in [&range.low, &range.high] {
            if reads_memory(bound, &self.names) {
                let message = "the range of a `for` loop cannot read shared memory";
                let help = "assign the bound to a `local` variable first";
                self.errors.push(Diagnostic::new(bound.span, message).help(help));
            }
        }
        let unplaced = Err(NoInsertion::NoTextOfItsOwn);
        let head = self.fresh_label(span, Err(NoInsertion::LoopHead));
        let next = self.fresh_label(span, Err(NoInsertion::LoopHead));
        let (from, low) = self.value_at(&range.low, from);
        let start = Instruction::Assign { register, value: low };
        self.emit((from, head), start, index.span.to(range.low.span), unplaced);

        self.loops.push(Loop { head: next, exit, in_atomic: self.in_atomic });
        let body_entry = self.block_entry(body, next, false);
        let (head_end, high) = self.value_at(&range.high, head);
        let op = if range.inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let goes_on = Expr::binary(op, Expr::Register(register), high);
        let ends = Instruction::Assume(goes_on.negated());
        let inside = at(body.span, body.span.start + 1);
        let behind = if has_break(body) { unplaced } else { at(span, span.end) };
        let goes_on = Instruction::Assume(goes_on);
        self.emit((head_end, body_entry.label), goes_on, range.span, inside);
        self.emit((head_end, exit), ends, range.span, behind);
        self.statements(body, body_entry, next, false);
        self.loops.pop();

        self.past_indices.insert(register);
        let one_more = Expr::binary(BinaryOp::Add, Expr::Register(register), Expr::Const(1));
        let increment = Instruction::Assign { register, value: one_more };
        self.emit((next, head), increment, index.span, unplaced);
    }

    /// The register of a loop's index: a new local variable, or that of an earlier loop which is
    /// over.
    fn loop_index(&mut self, index: &ast::Name) -> RegisterId {
        if let Some(Meaning::Register(register)) = self.names.meaning(&index.text)
            && self.past_indices.remove(&register)
        {
            return register;
        }
        let name = self.register_name(&index.text);
        let register = self.template.register(Register {
            name,
            initial: 0,
            domain: Domain::Integer,
            generated: false,
        });
        self.names.declare(index, Meaning::Register(register), self.errors);
        register
    }

    pub(super) fn atomic(&mut self, body: &Block, from: LabelId, exit: LabelId, span: Span) {
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
    pub(super) fn wait(&mut self, condition: &ast::Expr, entry: Entry, exit: LabelId, span: Span) {
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
        if let Some(truth) = self.constant_truth(condition) {
            self.names.check(condition, self.errors);
            let (to, after) = if truth { if_true } else { if_false };
            return self.emit((from, to), Instruction::Skip, condition.span, after);
        }
        match &condition.kind {
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
            ExprKind::Number(_)
            | ExprKind::Place(_)
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
                let negated = value.negated();
                self.emit((from, to_true), Instruction::Assume(value), condition.span, after_true);
                let instruction = Instruction::Assume(negated);
                self.emit((from, to_false), instruction, condition.span, after_false);
            }
        }
    }
}

fn starts_with_if(block: &Block) -> bool {
    block.statements.first().is_some_and(|first| first.span == block.span)
}

/// Whether a `break` inside `body` leaves the loop of which it is the body: one in an inner loop
/// leaves that one.
fn has_break(body: &Block) -> bool {
    body.statements.iter().any(|statement| {
        let inner_loop = matches!(
            statement.kind,
            StmtKind::While { .. } | StmtKind::Loop(_) | StmtKind::For { .. }
        );
        matches!(statement.kind, StmtKind::Break)
            || (!inner_loop && nested_blocks(&statement.kind).into_iter().any(has_break))
    })
}
