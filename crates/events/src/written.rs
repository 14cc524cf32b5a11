//! Which addresses the instructions of each thread may write, without the rest of the graph.

use program::{Expr, IndexVec, Instruction, Parameterised, Program, Template, ThreadId};

use crate::values::{Addresses, Analysis, Variant};

/// For each thread and each of its edges, in their order, what the edge may write: nothing if it writes nothing.
pub type Writing = IndexVec<ThreadId, Vec<Option<Addresses>>>;

/// What the edges of each thread may write. Of accesses across cells nothing is known here: they may hit
/// anything.
pub fn written(program: &Program) -> Result<Writing, Parameterised> {
    let threads = program.threads()?;
    let variants: Vec<Variant<'_>> = threads
        .iter()
        .map(|thread| {
            let template = program.template(thread.template);
            Variant { template, identity: template.identity().map(|it| it.of(thread.copy)) }
        })
        .collect();
    if program.access_across().is_some() {
        let anything = |template: &Template| {
            let edges = template.edges().iter();
            edges.map(|edge| address(&edge.instruction).map(|_| Addresses::Any)).collect()
        };
        return Ok(variants.iter().map(|variant| anything(variant.template)).collect());
    }
    let values = Analysis::new(program, &variants);
    let of_variant = |(number, variant): (usize, &Variant<'_>)| {
        let edges = variant.template.edges().iter();
        edges
            .map(|edge| address(&edge.instruction).map(|address| values.addresses(number, address)))
            .collect()
    };
    Ok(variants.iter().enumerate().map(of_variant).collect())
}

/// The address that an instruction may write to.
const fn address(instruction: &Instruction) -> Option<&Expr> {
    match instruction {
        Instruction::Store { address, .. }
        | Instruction::StoreExclusive { address, .. }
        | Instruction::Update { address, .. } => Some(address),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    }
}
