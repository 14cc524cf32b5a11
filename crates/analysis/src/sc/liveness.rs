//! Dead registers.
//!
//! A register is dead at a label if on every path from there it is written before it is read, or
//! never read again. Its value has no influence on anything that follows, so all its values may be
//! taken for one. Two states that differ in dead registers only have the same futures: forgetting
//! them is a bisimulation, which preserves everything but the registers themselves; those that a
//! condition looks at are kept alive where it looks at them. A copy to a register that is dead is no
//! reading, as long as copying cannot fail.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{
    Domain, EdgeId, Expr, IndexVec, Instruction, LabelId, Observable, Program, RegisterId,
    Template, TemplateId,
};

/// When somebody looks at a register from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Looked {
    /// When its thread has ended.
    AtTheEnd,
    /// At any time.
    Always,
}

/// The instructions whose results nobody uses: they are dead at once, and the program's question does
/// not ask for them.
pub fn dead_results(program: &Program) -> BTreeSet<(TemplateId, EdgeId)> {
    let observed = program.question().observables();
    let mut dead = BTreeSet::new();
    for (id, template) in program.templates().enumerate() {
        let is_observed = |wanted: RegisterId| {
            observed.iter().any(|observable| match observable {
                Observable::Register { template, register, .. } => {
                    (*template, *register) == (id, wanted)
                }
                Observable::Cell(_) => false,
            })
        };
        let looked = |register| is_observed(register).then_some(Looked::AtTheEnd);
        let live = live_registers(template, &looked);
        let is_dead = |edge: EdgeId| {
            let data = template.edge(edge);
            let written = data.instruction.written_register();
            written.is_some_and(|register| !live[data.to][register.index()])
        };
        let edges = template.edges().indices().filter(|edge| is_dead(*edge));
        dead.extend(edges.map(|edge| (id, edge)));
    }
    dead
}

/// Whether an instruction only copies to a register that is dead afterwards, and cannot fail.
fn is_idle_copy(
    template: &Template,
    instruction: &Instruction,
    after: &[bool],
    looked: &dyn Fn(RegisterId) -> Option<Looked>,
) -> bool {
    let Instruction::Assign { register, value } = instruction else { return false };
    let mut copied = value;
    while let Expr::Cast(_, inner) = copied {
        copied = inner;
    }
    let wraps = matches!(template.registers()[*register].domain, Domain::Wrapping(_));
    let is_copy = matches!(copied, Expr::Register(_) | Expr::Const(_));
    wraps && is_copy && !after[register.index()] && looked(*register) != Some(Looked::Always)
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
    let used: Vec<Vec<RegisterId>> = template
        .edges()
        .iter()
        .map(|edge| edge.instruction.expressions().into_iter().flat_map(Expr::registers).collect())
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (edge, used) in template.edges().as_slice().iter().zip(&used).rev() {
            let written = edge.instruction.written_register();
            let is_idle = is_idle_copy(template, &edge.instruction, &live[edge.to], looked);
            for register in (0..registers).map(RegisterId::new) {
                let survives = written != Some(register) && live[edge.to][register.index()];
                let is_used = !is_idle && used.contains(&register);
                if (survives || is_used) && !live[edge.from][register.index()] {
                    live[edge.from][register.index()] = true;
                    changed = true;
                }
            }
        }
    }
    live
}
