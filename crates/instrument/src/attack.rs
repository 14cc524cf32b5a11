//! Attacks (ESOP'13, Definition 1), and those that control flow alone refutes.

use program::{EdgeId, IndexVec, Instruction, LabelId, Parameterised, Program, Template, ThreadId};

/// An attack: a thread whose store is delayed past its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attack {
    /// The attacker.
    pub thread: ThreadId,
    /// The store, an edge of the thread's template that can be delayed.
    pub store: EdgeId,
    /// The load, an edge of the same template.
    pub load: EdgeId,
}

/// Whether an instruction is a store that a buffer can delay.
pub(crate) const fn is_delayable(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Store { .. }) && !instruction.drains_buffer()
}

pub(crate) const fn is_load(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Load { .. })
}

/// All candidates: each store that can be delayed with each load of the same thread.
pub fn attacks(program: &Program) -> Result<Vec<Attack>, Parameterised> {
    let mut all = Vec::new();
    for (thread, concrete) in program.threads()?.enumerate() {
        let edges = program.template(concrete.template).edges();
        let which = |what: fn(&Instruction) -> bool| {
            edges.enumerate().filter(move |(_, edge)| what(&edge.instruction)).map(|(id, _)| id)
        };
        for store in which(is_delayable) {
            all.extend(which(is_load).map(|load| Attack { thread, store, load }));
        }
    }
    Ok(all)
}

/// Whether every path from the store to the load passes an instruction that waits for an empty
/// buffer, or there is no path at all (column NR1 of Table 2 of ESOP'13). Such an attack is not
/// feasible.
///
/// # Panics
///
/// If the attack is not of this program.
pub fn refuted_by_control_flow(program: &Program, attack: &Attack) -> bool {
    let threads = program.threads().expect("an attack has a definite thread");
    let template = program.template(threads[attack.thread].template);
    let start = template.edge(attack.store).to;
    !reached_without_draining(template, start)[template.edge(attack.load).from]
}

fn reached_without_draining(template: &Template, start: LabelId) -> IndexVec<LabelId, bool> {
    let mut reached: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    reached[start] = true;
    let mut waiting = vec![start];
    while let Some(label) = waiting.pop() {
        for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
            if !edge.instruction.drains_buffer() && !reached[edge.to] {
                reached[edge.to] = true;
                waiting.push(edge.to);
            }
        }
    }
    reached
}
