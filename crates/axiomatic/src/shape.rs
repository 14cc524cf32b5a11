//! Which programs have candidate executions here: those without locked sections.

use program::{Instruction, Program};

use crate::axioms::{AccessesAcross, Axioms};
use crate::limits::NoAnswer;

/// Refuses programs with a locked section, and accesses across cells where a model does not know them.
pub(crate) fn check(program: &Program, axioms: &dyn Axioms) -> Result<(), NoAnswer> {
    if let (Some(span), AccessesAcross::Unsettled) =
        (program.access_across(), axioms.accesses_across())
    {
        return Err(NoAnswer::AccessAcross { model: axioms.name().to_owned(), span });
    }
    program.templates().iter().try_for_each(|template| {
        let section = template.edges().iter().find(|edge| is_section_end(&edge.instruction));
        match section {
            None => Ok(()),
            Some(edge) => Err(NoAnswer::LockedSection {
                template: template.name().to_owned(),
                span: edge.span,
            }),
        }
    })
}

const fn is_section_end(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Lock | Instruction::Unlock => true,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_) => false,
    }
}
