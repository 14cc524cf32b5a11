//! Which programs have candidate executions here: those without loops and locked sections.

use program::{IndexVec, Instruction, LabelId, Program, Template, TemplateId};

use crate::limits::NoAnswer;

/// Refuses programs with a loop or a locked section.
pub(crate) fn check(program: &Program) -> Result<(), NoAnswer> {
    program.templates().iter().try_for_each(|template| {
        if let Some(label) = label_in_a_loop(template) {
            let label = &template.labels()[label];
            return Err(NoAnswer::Loop {
                template: template.name().to_owned(),
                label: label.name.clone(),
                span: label.span,
            });
        }
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

/// How many writes an execution can have at most: each edge is taken at most once.
pub(crate) fn most_writes(program: &Program) -> usize {
    let writes = |template: TemplateId| {
        let edges = program.template(template).edges().iter();
        edges.filter(|edge| can_write(&edge.instruction)).count()
    };
    let threads = program.threads().unwrap_or_default();
    threads.iter().map(|thread| writes(thread.template)).sum()
}

/// A label that a thread can come back to, if there is one.
fn label_in_a_loop(template: &Template) -> Option<LabelId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Never,
        /// On the path from the initial label to the one looked at.
        OnPath,
        Done,
    }
    let mut seen: IndexVec<LabelId, Seen> = template.labels().iter().map(|_| Seen::Never).collect();
    // Each label on the path with the edges that are still to be followed.
    let mut path = vec![(template.initial(), template.outgoing(template.initial()))];
    seen[template.initial()] = Seen::OnPath;
    while let Some((label, edges)) = path.last_mut() {
        let Some(edge) = edges.next() else {
            seen[*label] = Seen::Done;
            path.pop();
            continue;
        };
        let to = template.edge(edge).to;
        match seen[to] {
            Seen::OnPath => return Some(to),
            Seen::Done => {}
            Seen::Never => {
                seen[to] = Seen::OnPath;
                path.push((to, template.outgoing(to)));
            }
        }
    }
    None
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
