//! Dead registers.
//!
//! A register is dead at a label if on every path from there it is written before it is read, or
//! never read again. Its value has no influence on anything that follows, so all its values may be
//! taken for one. Two states that differ in dead registers only have the same futures: forgetting
//! them is a bisimulation, which preserves everything but the registers themselves; those that a
//! condition looks at are kept alive where it looks at them.

use program::index::Idx;
use program::{IndexVec, LabelId, RegisterId, Template};

/// When somebody looks at a register from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Looked {
    /// When its thread has ended.
    AtTheEnd,
    /// At any time.
    Always,
}

/// For each label and register whether its value can still matter. `looked` says when somebody
/// looks at a register from outside.
pub(crate) fn live_registers(
    template: &Template,
    looked: &dyn Fn(RegisterId) -> Option<Looked>,
) -> IndexVec<LabelId, Vec<bool>> {
    let registers = template.registers().len();
    let ends = |label| template.outgoing(label).len() == 0;
    let mut live: IndexVec<LabelId, Vec<bool>> = template
        .labels()
        .indices()
        .map(|label| {
            let looked_at = |register| match looked(RegisterId::new(register)) {
                Some(Looked::Always) => true,
                Some(Looked::AtTheEnd) => ends(label),
                None => false,
            };
            (0..registers).map(looked_at).collect()
        })
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().as_slice().iter().rev() {
            let mut before = live[edge.to].clone();
            if let Some(written) = edge.instruction.written_register() {
                before[written.index()] = looked(written) == Some(Looked::Always);
            }
            for register in edge.instruction.expressions().iter().flat_map(|expr| expr.registers())
            {
                before[register.index()] = true;
            }
            for (known, new) in live[edge.from].iter_mut().zip(before) {
                changed |= new && !*known;
                *known |= new;
            }
        }
    }
    live
}
