//! Which of equally cheap changes people prefer: on the cold path, next to the store that must not wait, and
//! in words that are there already.
//!
//! A preference is a small number, less for what is better. It decides only between sets that cost the same
//! ([`Problem`](crate::Problem)). In this order count: how deep in loops a change is, how many places of
//! concrete threads it changes, and whether an order is strengthened (of a fence that is there, then of a
//! store) or a fence put in, directly behind a store or farther away.

use std::collections::VecDeque;

use program::{IndexVec, Instruction, LabelId, Order, Program, Template, TemplateId};

use crate::costs::loop_depth;
use crate::decision::{Decision, Kind};
use program::Change;

/// More than the preferences of all changes of a set together: up to a hundred changes are told apart.
pub const SCALE: u64 = 10_000;

/// The greatest preference.
pub const WORST: u64 = 99;

const PER_LOOP: u64 = 20;
const MOST_LOOPS: u64 = 3;
const PER_INSTANCE: u64 = 6;
const MOST_INSTANCES: u64 = 4;

/// How far behind what people prefer each decision is.
pub fn preferences(program: &Program, decisions: &[Decision]) -> Vec<u64> {
    let depths = crate::costs::depths(program);
    let near: IndexVec<TemplateId, IndexVec<LabelId, bool>> =
        program.templates().iter().map(behind_a_store).collect();
    let of = |decision: &Decision| {
        let loops = u64::from(loop_depth(program, &depths, decision)).min(MOST_LOOPS);
        let instances = u64::from(decision.instances.saturating_sub(1)).min(MOST_INSTANCES);
        let form = match decision.kind {
            Kind::StrongerFence | Kind::OldFence | Kind::OldLockedStore | Kind::OldExchange => 0,
            Kind::LockedStore => 1,
            Kind::FenceBefore | Kind::FenceAfter => {
                let is_near = |(template, change): &(TemplateId, Change)| match change {
                    Change::FenceBefore(label, _) => near[*template][*label],
                    Change::FenceAfter(edge, _) | Change::Become(edge, _) => {
                        let edge = program.template(*template).edge(*edge);
                        is_store(&edge.instruction) || near[*template][edge.from]
                    }
                };
                if decision.changes.iter().any(is_near) { 2 } else { 3 }
            }
        };
        loops * PER_LOOP + instances * PER_INSTANCE + form
    };
    decisions.iter().map(of).collect()
}

/// Whether an instruction puts something into the store buffer.
fn is_store(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Store { access, .. } if access.order != Order::SeqCst)
}

/// For each label, whether a store leads there without another statement between.
fn behind_a_store(template: &Template) -> IndexVec<LabelId, bool> {
    let mut behind: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    let mut open: VecDeque<LabelId> = VecDeque::new();
    let mut reach = |label: LabelId, open: &mut VecDeque<LabelId>| {
        if !std::mem::replace(&mut behind[label], true) {
            open.push_back(label);
        }
    };
    for edge in template.edges().iter().filter(|edge| is_store(&edge.instruction)) {
        // Whoever leaves the statement with the store has passed a place already.
        if edge.after.is_err() {
            reach(edge.to, &mut open);
        }
    }
    while let Some(label) = open.pop_front() {
        for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
            if edge.after.is_err() {
                reach(edge.to, &mut open);
            }
        }
    }
    behind
}
