//! Threads that may never give the memory lock back.
//!
//! Such a thread keeps all others from memory for good, and under TSO their stores in their buffers. Then a
//! deadlock under SC and one under TSO are different things: a thread that waits under SC because it wants to
//! store may issue the store under TSO and go on, and one that waits under TSO because its buffer never becomes
//! empty may have gone another way under SC, where it could not store. That no thread does so is seen from
//! the text of the locked sections alone, on the safe side.

use program::{Expr, IndexVec, Instruction, LabelId, Program, Template, UnaryOp, Update};

use crate::failing::edges_that_can_fail;

/// Whether some thread may stay in a locked section forever without getting any further.
pub(crate) fn lock_may_be_kept(program: &Program) -> bool {
    program.templates().iter().any(|template| {
        let fails = edges_that_can_fail(program.memory(), template);
        let inside = inside(template);
        let mut labels = template.labels().indices().filter(|label| inside[*label]);
        labels.any(|label| {
            let mut edges = template.outgoing(label);
            template.labels()[label].waiting
                || !is_always_left(template, label)
                // It has the lock, so giving it back is no error.
                || edges.any(|edge| {
                    fails[edge] && template.edge(edge).instruction != Instruction::Unlock
                })
        })
    })
}

/// For each label whether a thread may hold the lock there.
fn inside(template: &Template) -> IndexVec<LabelId, bool> {
    let mut inside: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let locks = template.edges().iter().filter(|edge| edge.instruction == Instruction::Lock);
    let mut open: Vec<LabelId> = locks.map(|edge| edge.to).collect();
    while let Some(label) = open.pop() {
        if std::mem::replace(&mut inside[label], true) {
            continue;
        }
        let edges = template.outgoing(label).map(|edge| template.edge(edge));
        let stays = edges.filter(|edge| edge.instruction != Instruction::Unlock);
        open.extend(stays.map(|edge| edge.to));
    }
    inside
}

/// Whether some edge of a label can always be taken.
fn is_always_left(template: &Template, label: LabelId) -> bool {
    let mut conditions: Vec<&Expr> = Vec::new();
    for edge in template.outgoing(label) {
        match &template.edge(edge).instruction {
            Instruction::Assume(condition) => conditions.push(condition),
            Instruction::Update { update: Update::BlockingReadWrite { .. }, .. } => {}
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => return true,
        }
    }
    // Of a condition and its negation one is true.
    conditions.iter().any(|one| {
        conditions.iter().any(
            |other| matches!(other, Expr::Unary(UnaryOp::Not, negated) if negated.as_ref() == *one),
        )
    })
}
