//! Which addresses the instructions of each thread may write, or access at all, without the rest of the graph.

use std::collections::BTreeSet;

use program::{Access, Expr, IndexVec, Instruction, Parameterised, Program, Template, ThreadId};

use crate::values::{Addresses, Analysis, Variant};

/// For each thread and each of its edges, in their order, what the edge may write: nothing if it writes nothing.
pub type Writing = IndexVec<ThreadId, Vec<Option<Addresses>>>;

/// What the edges of each thread may write. Where there are accesses across cells the value analysis does not
/// know what memory holds, and only addresses that are computed from nothing are known.
pub fn written(program: &Program) -> Result<Writing, Parameterised> {
    addresses(program, address)
}

/// The same for what they may access.
pub fn accessed(program: &Program) -> Result<Writing, Parameterised> {
    addresses(program, |instruction| {
        instruction.memory_access().map(|(address, access)| (address, *access))
    })
}

fn addresses(
    program: &Program,
    address: for<'i> fn(&'i Instruction) -> Option<(&'i Expr, Access)>,
) -> Result<Writing, Parameterised> {
    let threads = program.threads()?;
    let variants: Vec<Variant<'_>> = threads
        .iter()
        .map(|thread| {
            let template = program.template(thread.template);
            Variant { template, identity: template.identity().map(|it| it.of(thread.copy)) }
        })
        .collect();
    if program.access_across().is_some() {
        let of_template = |template: &Template| {
            let edges = template.edges().iter();
            edges.map(|edge| address(&edge.instruction).map(|it| fixed(program, it))).collect()
        };
        return Ok(variants.iter().map(|variant| of_template(variant.template)).collect());
    }
    let values = Analysis::new(program, &variants);
    let of_variant = |(number, variant): (usize, &Variant<'_>)| {
        let edges = variant.template.edges().iter();
        let written = |(address, _): (&Expr, Access)| values.addresses(number, address);
        edges.map(|edge| address(&edge.instruction).map(written)).collect()
    };
    Ok(variants.iter().enumerate().map(of_variant).collect())
}

/// The cells of an access whose address no register has to do with.
fn fixed(program: &Program, (address, access): (&Expr, Access)) -> Addresses {
    if !address.registers().is_empty() {
        return Addresses::Any;
    }
    let memory = program.memory();
    let cells = address
        .evaluate(memory, &IndexVec::new())
        .and_then(|address| memory.footprint(address, access.width));
    // What faults writes nothing.
    Addresses::Cells(cells.map_or_else(|_| BTreeSet::new(), |cells| cells.addresses().collect()))
}

/// The address that an instruction may write to, and how.
const fn address(instruction: &Instruction) -> Option<(&Expr, Access)> {
    match instruction {
        Instruction::Store { address, access, .. }
        | Instruction::StoreExclusive { address, access, .. }
        | Instruction::Update { address, access, .. } => Some((address, *access)),
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
