//! Refusals: memory and threads that the system does not give.
//!
//! An allocation may fail, and so may the creation of a thread whose creator looks at what the call returns. The way
//! on with null, or with an error, is followed like any other. On many programs it soon ends: they access null, assert
//! that there is memory, or abort. A thread that does so before it next synchronises (by an atomic access, a lock, a
//! thread that it creates or joins) has run out of memory: the process ends there, and that is no error of the
//! program. A thread that has synchronised has recovered, and from then on its errors count. A fence by itself is no
//! synchronisation: otherwise a fence that a repair puts in would add errors.
//!
//! What such a thread does before it ends is explored, for others may see it. Where it does nothing that anybody could
//! see, nothing happens in the run up to there that could not happen if the call had succeeded and the thread were
//! slow: the way is dropped, and the program is what it would be if the call never failed.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{BinaryOp, Edge, Expr, Instruction, LabelId, Order, Span, Value};

use super::emit::no_integer;
use super::{Cursor, Flow, Origin, Walk};
use crate::call::Called;
use crate::function::FunctionInfo;
use crate::uses::for_each_use;
use crate::value;
use llvm::{LocalId, Operation};

/// Nothing lies at these addresses: a field of a structure that is not there is at one of them.
const NULL_PAGE: Value = 4096;

/// Whether others may learn from a step what its thread did before.
fn synchronises(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Load { access, .. } | Instruction::Store { access, .. } => {
            !matches!(access.order, Order::Plain | Order::Volatile)
        }
        Instruction::Update { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Lock
        | Instruction::Unlock => true,
        Instruction::Fence(_)
        | Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_) => false,
    }
}

/// Whether nobody else sees a step, and it is no error and no bound.
fn is_silent(instruction: &Instruction) -> bool {
    match instruction {
        // A fence has the stores before it reach memory, which they may do at any time.
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Choose { .. }
        | Instruction::Fence(_) => true,
        Instruction::Assign { value, .. } => *value != no_integer(),
        Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

impl Walk<'_, '_, '_> {
    /// A call may be refused here, unless the user states that it succeeds: `give` says what it returns then.
    pub(crate) fn may_be_refused(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        give: impl FnOnce(&mut Self, &mut Cursor),
    ) {
        if self.world.summaries.succeeds(called.name) {
            return;
        }
        let mut way = self.branch(cursor, Expr::Const(1));
        self.refusals.push((self.edges.len() - 1, called.name.to_owned()));
        way.known.is_refused = true;
        give(self, &mut way);
        way.known.frame.index += 1;
        self.set_aside(way);
    }

    /// Whether the program does anything with what a call returns.
    pub(crate) fn is_looked_at(&mut self, cursor: &Cursor, result: Option<LocalId>) -> bool {
        let function = cursor.known.frame.function;
        let info = self.world.info(function);
        let Some(result) = result else { return false };
        let blocks = self.function(function).blocks.iter();
        blocks.flat_map(|block| &block.instructions).any(|instruction| {
            let mut is_used = false;
            for_each_use(&instruction.operation, |local| is_used |= local == result);
            is_used && !is_put_away(&instruction.operation, &info)
        })
    }

    /// Whether an access that is about to be made is one of null, by a thread that has run out of memory; where that
    /// is not known yet, the way on is the one on which it is not.
    pub(super) fn runs_out_by(&mut self, cursor: &mut Cursor, instruction: &Instruction) {
        let Some((address, _)) = instruction.memory_access() else { return };
        let from = Expr::binary(BinaryOp::Ge, address.clone(), Expr::Const(0));
        let to = Expr::binary(BinaryOp::Lt, address.clone(), Expr::Const(NULL_PAGE));
        match value::fold(Expr::binary(BinaryOp::And, from, to)) {
            Expr::Const(0) => {}
            Expr::Const(_) => {
                self.run_out(cursor);
            }
            is_null @ (Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..)) => {
                let mut null = self.branch(cursor, is_null.clone());
                self.run_out(&mut null);
                self.emit(cursor, Instruction::Assume(is_null.negated()));
            }
        }
    }

    /// The way ends, for want of memory. What is still said of it is said of a place that nothing leads to.
    pub(crate) fn run_out(&mut self, cursor: &mut Cursor) -> Flow {
        self.run_outs.push(cursor.clone());
        cursor.at = self.label(Span::NONE);
        cursor.arrived_by = None;
        cursor.is_over = true;
        Flow::Over
    }

    /// Who synchronises has recovered.
    pub(super) fn recover(cursor: &mut Cursor, instruction: &Instruction) {
        if synchronises(instruction) {
            cursor.known.is_refused = false;
        }
    }

    /// Drops refusals after which a thread runs out of memory before anybody could see anything of it, and ends the
    /// process where other ways run out.
    pub(super) fn settle_refusals(&mut self) {
        if self.refusals.is_empty() {
            return;
        }
        let vain = self.vain();
        let mut dropped = BTreeSet::new();
        let (vain_ones, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.refusals)
            .into_iter()
            .partition(|(edge, _)| vain[self.edges[*edge].to.index()]);
        dropped.extend(vain_ones.into_iter().map(|(edge, _)| edge));
        let reached = self.reached(&dropped);
        for (edge, function) in kept {
            let Edge { from, span, .. } = self.edges[edge];
            if reached[from.index()] {
                self.world.fallible.entry(function).or_insert(span);
            }
        }
        for mut cursor in std::mem::take(&mut self.run_outs) {
            if reached[cursor.at.index()] {
                cursor.known.is_refused = false;
                self.end_process(&mut cursor);
                self.emit(&mut cursor, Instruction::Assume(Expr::Const(0)));
            }
        }
        let reached = self.reached(&dropped);
        self.keep_edges(|number, edge| !dropped.contains(&number) && reached[edge.from.index()]);
    }

    /// From which labels a thread runs out of memory whatever it does, and nobody sees anything of it.
    fn vain(&self) -> Vec<bool> {
        let labels = self.builder.labels().len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); labels];
        // Ways on from a label that lead, or may lead, elsewhere.
        let mut others = vec![0usize; labels];
        for edge in &self.edges {
            others[edge.from.index()] += 1;
            if is_silent(&edge.instruction) {
                before[edge.to.index()].push(edge.from.index());
            }
        }
        let mut vain = vec![false; labels];
        let ends = self.run_outs.iter().map(|cursor| cursor.at.index());
        let mut found: Vec<usize> = ends.filter(|label| others[*label] == 0).collect();
        while let Some(label) = found.pop() {
            if std::mem::replace(&mut vain[label], true) {
                continue;
            }
            for from in &before[label] {
                others[*from] -= 1;
                if others[*from] == 0 {
                    found.push(*from);
                }
            }
        }
        vain
    }

    /// The labels that a thread can come to without some edges.
    fn reached(&self, without: &BTreeSet<usize>) -> Vec<bool> {
        let mut after: Vec<Vec<LabelId>> = vec![Vec::new(); self.builder.labels().len()];
        for (number, edge) in self.edges.iter().enumerate() {
            if !without.contains(&number) {
                after[edge.from.index()].push(edge.to);
            }
        }
        let mut reached = vec![false; after.len()];
        let mut found = vec![LabelId::new(0)];
        while let Some(label) = found.pop() {
            if !std::mem::replace(&mut reached[label.index()], true) {
                found.extend(&after[label.index()]);
            }
        }
        reached
    }

    /// Keeps some edges, and what is known of them by their numbers.
    fn keep_edges(&mut self, is_kept: impl Fn(usize, &Edge) -> bool) {
        let old: Vec<(Edge, Origin)> = std::mem::take(&mut self.edges)
            .into_iter()
            .zip(std::mem::take(&mut self.origins))
            .collect();
        let mut new = vec![None; old.len()];
        for (number, (edge, origin)) in old.into_iter().enumerate() {
            if is_kept(number, &edge) {
                new[number] = Some(self.edges.len());
                self.edges.push(edge);
                self.origins.push(origin);
            }
        }
        self.started.retain_mut(|(_, edge)| new[*edge].map(|kept| *edge = kept).is_some());
        self.outside.retain_mut(|(edge, _)| new[*edge].map(|kept| *edge = kept).is_some());
    }
}

/// Whether an instruction only puts a value into a variable that nobody reads.
fn is_put_away(operation: &Operation, info: &FunctionInfo) -> bool {
    if let Operation::Store { address, .. } = operation
        && let llvm::Value::Local(variable) = address.value
    {
        return info.unread.contains(&variable);
    }
    false
}
