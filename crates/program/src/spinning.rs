//! Loops without effect: what programs in languages wait in that have no word for waiting.
//!
//! A thread *spins* if it goes round in a loop that reads memory and changes none. Whether it ever leaves
//! the loop depends on what others do; a state in which all who have not ended spin or are blocked, and
//! nobody's loop changes anything or has a way out with what memory holds, is one that the program never
//! leaves, if every thread runs again and again and every store arrives. So such loops are marked like an
//! `await` ([`crate::Label::waiting`]), and who looks for deadlocks finds the rest. That an instruction may
//! leave memory as it is is enough here: whether it does is looked at in the state in question. Loops that
//! read no memory wait for nothing.

use crate::build::TemplateBuilder;
use crate::expr::Expr;
use crate::index::{Idx, LabelId};
use crate::instruction::{FetchOp, Instruction, Update};
use crate::loops::loops;
use crate::template::{Edge, Template};
use crate::whole::Program;

/// Whether memory can be the same after an instruction as before it, and nothing waits in a buffer.
fn can_change_nothing(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Fence(_) => true,
        Instruction::Update { update, .. } => match update {
            Update::Exchange(_) | Update::CompareAndSwap { .. } => true,
            Update::BlockingReadWrite { expected, new } => expected == new,
            Update::Fetch { op, operand } => match op {
                FetchOp::Add | FetchOp::Sub | FetchOp::Xor => {
                    !matches!(operand, Expr::Const(by) if *by != 0)
                }
                FetchOp::And
                | FetchOp::Or
                | FetchOp::Nand
                | FetchOp::Min
                | FetchOp::Max
                | FetchOp::MinAs(_)
                | FetchOp::MaxAs(_) => true,
            },
        },
        Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

/// The labels of the loops in which a thread can spin.
fn labels_of_spinning(labels: usize, edges: &[Edge]) -> Vec<LabelId> {
    let quiet = || edges.iter().filter(|edge| can_change_nothing(&edge.instruction));
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); labels];
    for edge in quiet() {
        successors[edge.from.index()].push(edge.to.index());
    }
    let found = loops(labels, |label| successors[label].clone());
    let mut loop_of = vec![None; labels];
    for (number, members) in found.iter().enumerate() {
        for label in members {
            loop_of[*label] = Some(number);
        }
    }
    let mut reads = vec![false; found.len()];
    for edge in quiet().filter(|edge| edge.instruction.memory_access().is_some()) {
        let (from, to) = (loop_of[edge.from.index()], loop_of[edge.to.index()]);
        if let Some(number) = from.filter(|_| from == to) {
            reads[number] = true;
        }
    }
    let spinning = found.iter().zip(reads).filter(|(_, reads)| *reads);
    spinning.flat_map(|(members, _)| members.iter().map(|label| LabelId::new(*label))).collect()
}

impl TemplateBuilder {
    /// Marks the labels of loops in which the thread can spin as places of waiting; whether there are any.
    pub fn wait_in_loops_without_effect(&mut self) -> bool {
        let spinning = labels_of_spinning(self.labels().len(), self.edges());
        for label in &spinning {
            self.labels_mut()[*label].waiting = true;
        }
        !spinning.is_empty()
    }
}

impl Program {
    /// The same program, whose threads wait in loops without effect.
    #[must_use]
    pub fn waiting_in_loops_without_effect(&self) -> Self {
        let waiting = |template: &Template| {
            let mut builder = TemplateBuilder::like(template);
            template.edges().iter().for_each(|edge| builder.edge(edge.clone()));
            builder.wait_in_loops_without_effect();
            builder.build(template.initial())
        };
        self.with_templates(self.templates().iter().map(waiting).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::RegisterId;
    use crate::{Access, Order, Span};

    fn load() -> Instruction {
        let (register, address) = (RegisterId::new(0), Expr::Const(1));
        Instruction::Load { register, address, access: Access::PLAIN }
    }

    fn update(update: Update) -> Instruction {
        let (address, access) = (Expr::Const(1), Access::with_order(Order::SeqCst));
        Instruction::Update { result: None, address, update, access }
    }

    /// The labels that are marked in a loop of these instructions, the first of which can be left out.
    fn marked(instructions: &[Instruction]) -> Vec<usize> {
        let mut builder = TemplateBuilder::new("t", Span::NONE);
        builder.integer_register("r");
        let labels: Vec<LabelId> = instructions.iter().map(|_| builder.named_label("l")).collect();
        let end = builder.named_label("end");
        for (at, instruction) in instructions.iter().enumerate() {
            let to = labels[(at + 1) % labels.len()];
            builder.bare_edge(labels[at], to, instruction.clone());
        }
        builder.bare_edge(labels[0], end, Instruction::Skip);
        builder.wait_in_loops_without_effect();
        let labels = builder.labels().iter().enumerate();
        labels.filter(|(_, label)| label.waiting).map(|(at, _)| at).collect()
    }

    #[test]
    fn only_rounds_that_read_and_can_change_nothing_are_spinning() {
        let number = |value| Expr::Const(value);
        let store =
            Instruction::Store { address: number(1), value: number(1), access: Access::PLAIN };
        let exchange = update(Update::Exchange(number(1)));
        let counting = update(Update::Fetch { op: FetchOp::Add, operand: number(1) });
        let nothing_added = update(Update::Fetch { op: FetchOp::Add, operand: number(0) });
        assert_eq!(marked(&[load(), Instruction::Assume(number(1))]), [0, 1]);
        assert_eq!(marked(&[exchange]), [0]);
        assert_eq!(marked(&[nothing_added]), [0]);
        assert_eq!(marked(&[counting]), []);
        assert_eq!(marked(&[load(), store]), []);
        assert_eq!(marked(&[load(), Instruction::Lock]), []);
        assert_eq!(marked(&[Instruction::Skip, Instruction::Skip]), []);
    }
}
