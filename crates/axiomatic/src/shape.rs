//! Which programs have candidate executions here: those without locked sections; and what they can write.

use program::{Edge, EdgeId, IndexVec, Instruction, LabelId, Program, Template, TemplateId};

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

/// How many writes an execution can have at most, where each edge in a loop is taken so many times more.
pub(crate) fn most_writes(program: &Program, unroll: usize) -> usize {
    let writes = |template: TemplateId| -> usize {
        let template = program.template(template);
        let in_loops = edges_in_loops(template);
        let writing = template.edges().enumerate().filter(|(_, edge)| can_write(&edge.instruction));
        writing.map(|(edge, _)| if in_loops[edge] { unroll + 1 } else { 1 }).sum()
    };
    let threads = program.threads().unwrap_or_default();
    threads.iter().map(|thread| writes(thread.template)).sum()
}

/// Which edges a thread can come back to.
pub(crate) fn edges_in_loops(template: &Template) -> IndexVec<EdgeId, bool> {
    let leads_back = |edge: &Edge| {
        let mut seen: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
        let mut open = vec![edge.to];
        while let Some(label) = open.pop() {
            if label == edge.from {
                return true;
            }
            if !std::mem::replace(&mut seen[label], true) {
                open.extend(template.outgoing(label).map(|edge| template.edge(edge).to));
            }
        }
        false
    };
    template.edges().iter().map(|edge| can_write(&edge.instruction) && leads_back(edge)).collect()
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

/// Whether an instruction can write memory.
pub(crate) const fn can_write(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. } => true,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}
