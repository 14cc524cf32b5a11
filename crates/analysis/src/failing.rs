//! Where control flow lets a thread run into an error.

use program::{
    BinaryOp, Domain, Expr, IndexVec, Instruction, LabelId, Memory, RegisterId, Template, Value,
};

/// For each label whether a way leads from there to an instruction that may fail.
pub(crate) fn labels_that_can_fail(
    memory: &Memory,
    template: &Template,
) -> IndexVec<LabelId, bool> {
    let mut can: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    for edge in template.edges().iter() {
        can[edge.from] |= may_fail(memory, template, &edge.instruction);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().as_slice().iter().rev() {
            changed |= can[edge.to] && !can[edge.from];
            can[edge.from] |= can[edge.to];
        }
    }
    can
}

/// Whether an instruction may be an error, for any values of registers and memory.
fn may_fail(memory: &Memory, template: &Template, instruction: &Instruction) -> bool {
    let is_range = |domain: Domain| matches!(domain, Domain::Range { .. });
    let receives = |register: RegisterId| is_range(template.registers()[register].domain);
    let operands = instruction.expressions().into_iter().any(|expr| has_no_value(memory, expr));
    let access = instruction.memory_access().is_some_and(|(address, access)| {
        let cell = constant(memory, address)
            .and_then(|address| memory.accessed_cell(address, access.width).ok());
        match (cell, address) {
            (Some(cell), _) => is_range(cell.domain),
            // Whether there is such an element is a question about the index.
            (None, Expr::Element(location, index)) => {
                let location = memory.location(*location);
                constant(memory, index).is_some()
                    || is_range(location.domain)
                    || !access.width.fits(location.domain)
            }
            (None, _) => true,
        }
    });
    let by_itself = match instruction {
        Instruction::Assert(condition) => {
            constant(memory, condition).is_none_or(|value| value == 0)
        }
        Instruction::Lock | Instruction::Unlock => true,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_) => false,
    };
    by_itself || operands || access || instruction.written_register().is_some_and(receives)
}

/// Whether an expression may have no value.
fn has_no_value(memory: &Memory, expr: &Expr) -> bool {
    if constant(memory, expr).is_some() {
        return false;
    }
    let mut may = false;
    expr.visit(&mut |part| {
        may |= match part {
            Expr::Element(location, index) => constant(memory, index)
                .is_none_or(|index| memory.location(*location).address(index).is_err()),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
                constant(memory, by).is_none_or(|by| by == 0)
            }
            Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, _, by) => {
                constant(memory, by).is_none_or(|by| by < 0)
            }
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => false,
        };
    });
    may
}

/// The value of an expression in which there are no registers.
fn constant(memory: &Memory, expr: &Expr) -> Option<Value> {
    if !expr.registers().is_empty() {
        return None;
    }
    expr.evaluate(memory, &IndexVec::new()).ok()
}
