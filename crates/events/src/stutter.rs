//! Rounds of loops that change nothing: busy waiting.
//!
//! A loop that only reads, and whose registers are written again before they are used when it begins anew,
//! is where it was after each round but the last. Without these rounds an execution is an execution of the
//! same program with the same final state (`axiomatic` leaves them out too, and has the proof). So the
//! edges that begin another round are not needed in the graph, unless one asks about traces, in which each
//! read counts.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{Edge, EdgeId, Expr, Instruction, LabelId, RegisterId, Template};

/// The most registers times labels for which rounds are looked at.
const MOST_WORK: usize = 4_000_000;

/// The edges that begin another round of a loop that only waits.
pub(crate) fn waiting_again(template: &Template) -> BTreeSet<EdgeId> {
    let mut again = BTreeSet::new();
    if template.labels().len().saturating_mul(template.registers().len()) > MOST_WORK {
        return again;
    }
    let live = live(template);
    // A loop that is more than waiting may contain loops that are not: without its head these are left.
    let mut heads: BTreeSet<LabelId> = BTreeSet::new();
    loop {
        let before = heads.len();
        for component in loops(template, &heads) {
            match only_waits(template, &component, &live) {
                Ok(edges) => again.extend(edges),
                Err(entered) => heads.extend(entered),
            }
        }
        if heads.len() == before {
            return again;
        }
    }
}

/// The edges that begin another round of a loop, if it only waits; otherwise the labels where it is
/// entered.
fn only_waits(
    template: &Template,
    component: &BTreeSet<LabelId>,
    live: &[BTreeSet<RegisterId>],
) -> Result<Vec<EdgeId>, BTreeSet<LabelId>> {
    let is_inside = |edge: &Edge| {
        is_silent(&edge.instruction)
            && component.contains(&edge.from)
            && component.contains(&edge.to)
    };
    let edges = || template.edges().enumerate().filter(|(_, edge)| is_inside(edge));
    let written: BTreeSet<RegisterId> =
        edges().filter_map(|(_, edge)| edge.instruction.written_register()).collect();
    let entered: BTreeSet<LabelId> = component
        .iter()
        .copied()
        .filter(|label| {
            let mut into = template.edges().iter().filter(|edge| edge.to == *label);
            *label == template.initial() || into.any(|edge| !is_inside(edge))
        })
        .collect();
    match entered.iter().copied().collect::<Vec<_>>()[..] {
        [head] if live[head.index()].is_disjoint(&written) => {
            Ok(edges().filter(|(_, edge)| edge.to == head).map(|(id, _)| id).collect())
        }
        _ => Err(entered),
    }
}

/// Whether an instruction changes nothing but registers, and always does the same.
const fn is_silent(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Load { access, .. } => !access.exclusive,
        // A fence orders what is around it, and a round that is left out takes that order along: what the
        // machine allowed with it, it allows without it.
        Instruction::Assign { .. }
        | Instruction::Assume(_)
        | Instruction::Skip
        | Instruction::Fence(_) => true,
        Instruction::Choose { .. }
        | Instruction::Assert(_)
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

/// For each label, the registers whose values there may still be used.
fn live(template: &Template) -> Vec<BTreeSet<RegisterId>> {
    let mut live: Vec<BTreeSet<RegisterId>> =
        template.labels().iter().map(|_| BTreeSet::new()).collect();
    let is_last = |label: LabelId| template.outgoing(label).len() == 0;
    // What a thread ends with is part of the final state.
    for label in template.labels().indices().filter(|label| is_last(*label)) {
        live[label.index()] = template.registers().indices().collect();
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in template.edges().as_slice().iter().rev() {
            let mut before = live[edge.to.index()].clone();
            if let Some(register) = edge.instruction.written_register() {
                before.remove(&register);
            }
            for expression in edge.instruction.operands() {
                expression.visit(&mut |part| {
                    if let Expr::Register(register) = part {
                        before.insert(*register);
                    }
                });
            }
            let there = &mut live[edge.from.index()];
            let count = there.len();
            there.extend(before);
            changed |= there.len() > count;
        }
    }
    live
}

/// The sets of labels that are strongly connected by what changes nothing, without some labels.
fn loops(template: &Template, without: &BTreeSet<LabelId>) -> Vec<BTreeSet<LabelId>> {
    let successors = |label: usize| {
        let edges = template.outgoing(LabelId::new(label)).map(|edge| template.edge(edge));
        let silent = edges
            .filter(|edge| is_silent(&edge.instruction))
            .filter(|edge| !without.contains(&edge.from) && !without.contains(&edge.to));
        silent.map(|edge| edge.to.index()).collect()
    };
    let components = program::loops::loops(template.labels().len(), successors);
    components.into_iter().map(|labels| labels.into_iter().map(LabelId::new).collect()).collect()
}
