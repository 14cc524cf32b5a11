//! Comparisons that only decide the branch right after them, as in lowered tests: they are printed
//! as one, and the generated register between them becomes no machine register.

use std::collections::BTreeSet;

use program::{Edge, Expr, Instruction, LabelId, RegisterId, Template};

/// The generated registers that are only ever read by a branch right after they are assigned.
pub(super) fn registers(template: &Template) -> BTreeSet<RegisterId> {
    let generated = template.registers().enumerate().filter(|(_, data)| data.generated);
    generated.map(|(id, _)| id).filter(|register| is_fused(template, *register)).collect()
}

fn is_fused(template: &Template, register: RegisterId) -> bool {
    let computed = |edge: &Edge| {
        edge.instruction.written_register() != Some(register)
            || matches!(edge.instruction, Instruction::Assign { .. })
    };
    let read_well = |edge: &Edge| {
        let read = edge.instruction.expressions().into_iter().flat_map(Expr::registers);
        let reads = read.into_iter().any(|read| read == register);
        !reads
            || matches!(edge.instruction, Instruction::Assume(_))
                && value(template, edge.from, register).is_some()
    };
    template.edges().iter().all(|edge| computed(edge) && read_well(edge))
}

/// What a register was given on the only way to a label.
pub(super) fn value(template: &Template, label: LabelId, register: RegisterId) -> Option<&Expr> {
    let mut incoming = template.edges().iter().filter(|edge| edge.to == label);
    let only = incoming.next().filter(|_| label != template.initial())?;
    match &only.instruction {
        Instruction::Assign { register: to, value }
            if *to == register
                && incoming.next().is_none()
                && template.outgoing(only.from).len() == 1
                && !value.registers().contains(&register) =>
        {
            Some(value)
        }
        Instruction::Assign { .. }
        | Instruction::Skip
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    }
}

/// The condition of a branch that leaves a label, with what decides it.
pub(super) fn condition(
    template: &Template,
    fused: &BTreeSet<RegisterId>,
    label: LabelId,
    condition: &Expr,
) -> Expr {
    let fused = condition.substitute(&mut |register| {
        let value = fused.get(&register).and_then(|it| value(template, label, *it));
        value.cloned().unwrap_or(Expr::Register(register))
    });
    match &fused {
        Expr::Unary(program::UnaryOp::Not, inner) => inner.negated(),
        Expr::Const(_)
        | Expr::Register(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => fused,
    }
}
