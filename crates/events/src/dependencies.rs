//! Which reads an access surely depends on.
//!
//! A forward analysis over the labels of a template: for each register the reads that its value is
//! computed from on *every* path, and likewise the reads that a branch has been decided by, without and
//! with a control fence behind the branch. Paths are joined by intersection, so what is found is a
//! dependency of every execution; loops may only lose some.
//!
//! Left out, so that no architecture orders less than we say: what a condition of a selection picks,
//! the results of compare-and-swaps, and the success of exclusive stores (see
//! `axiomatic::flow` and the models there).

use std::collections::{BTreeMap, BTreeSet};

use program::{EdgeId, Expr, Instruction, LabelId, RegisterId, Template, Update};

use crate::graph::DependencyKind;

/// The most registers times labels for which dependencies are looked for; larger threads have none.
const MOST_WORK: usize = 4_000_000;

type Reads = BTreeSet<EdgeId>;

/// What is known at a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    registers: BTreeMap<RegisterId, Reads>,
    control: Reads,
    control_fence: Reads,
}

impl Known {
    fn of(&self, expr: &Expr) -> Reads {
        match expr {
            Expr::Const(_) => Reads::new(),
            Expr::Register(register) => self.registers.get(register).cloned().unwrap_or_default(),
            Expr::Element(_, operand) | Expr::Unary(_, operand) | Expr::Cast(_, operand) => {
                self.of(operand)
            }
            Expr::Binary(_, left, right) => &self.of(left) | &self.of(right),
            Expr::Select(operands) => {
                let [_, then, otherwise] = &**operands;
                &self.of(then) & &self.of(otherwise)
            }
        }
    }

    /// Keeps what is known on both ways; says whether something was lost.
    fn meet(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.registers.retain(|register, reads| {
            let others = other.registers.get(register);
            reads.retain(|read| others.is_some_and(|others| others.contains(read)));
            !reads.is_empty()
        });
        self.control.retain(|read| other.control.contains(read));
        self.control_fence.retain(|read| other.control_fence.contains(read));
        *self != before
    }

    fn set(&mut self, register: RegisterId, reads: Reads) {
        if reads.is_empty() {
            self.registers.remove(&register);
        } else {
            self.registers.insert(register, reads);
        }
    }

    /// A read is executed: what depended on its execution before depends on that one no more.
    fn again(&mut self, read: EdgeId) {
        self.registers.retain(|_, reads| {
            reads.remove(&read);
            !reads.is_empty()
        });
        self.control.remove(&read);
        self.control_fence.remove(&read);
    }

    /// What is known after an edge.
    fn after(&self, edge: EdgeId, instruction: &Instruction) -> Self {
        let mut next = self.clone();
        match instruction {
            Instruction::Skip
            | Instruction::Assert(_)
            | Instruction::Store { .. }
            | Instruction::Lock
            | Instruction::Unlock => {}
            Instruction::Assign { register, value } => next.set(*register, self.of(value)),
            Instruction::Choose { register, .. } => next.set(*register, Reads::new()),
            Instruction::Assume(condition) => next.control.extend(self.of(condition)),
            Instruction::Load { register, .. } => {
                next.again(edge);
                next.set(*register, Reads::from([edge]));
            }
            Instruction::StoreExclusive { status, .. } => next.set(*status, Reads::new()),
            Instruction::Update { result, update, .. } => {
                next.again(edge);
                if let Some(register) = result {
                    next.set(
                        *register,
                        match update {
                            Update::Exchange(_) | Update::Fetch { .. } => Reads::from([edge]),
                            Update::CompareAndSwap { .. } | Update::BlockingReadWrite { .. } => {
                                Reads::new()
                            }
                        },
                    );
                }
            }
            Instruction::Fence(kind) => match kind {
                program::FenceKind::Control => next.control_fence.extend(&self.control),
                program::FenceKind::Full
                | program::FenceKind::Lightweight
                | program::FenceKind::StoreStore
                | program::FenceKind::LoadLoad
                | program::FenceKind::LoadStore
                | program::FenceKind::StoreLoad
                | program::FenceKind::Acquire
                | program::FenceKind::Release => {}
            },
        }
        next
    }

    /// What an instruction depends on.
    fn dependencies(&self, instruction: &Instruction) -> Vec<(EdgeId, DependencyKind)> {
        let mut all = Vec::new();
        let mut add = |reads: Reads, kind| all.extend(reads.into_iter().map(|read| (read, kind)));
        let is_write = match instruction {
            Instruction::Load { address, .. } => {
                add(self.of(address), DependencyKind::Address);
                false
            }
            Instruction::Store { address, value, .. }
            | Instruction::StoreExclusive { address, value, .. } => {
                add(self.of(address), DependencyKind::Address);
                add(self.of(value), DependencyKind::Data);
                true
            }
            // What an update writes is computed from its own read too, and its parts are one instruction
            // on some machines: only its address counts.
            Instruction::Update { address, .. } => {
                add(self.of(address), DependencyKind::Address);
                true
            }
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => return all,
        };
        if is_write {
            add(self.control.clone(), DependencyKind::Control);
        }
        add(self.control_fence.clone(), DependencyKind::ControlFence);
        all
    }
}

/// For each edge, the edges whose reads it surely depends on.
pub(crate) fn dependencies(template: &Template) -> Vec<Vec<(EdgeId, DependencyKind)>> {
    let work = template.labels().len().saturating_mul(template.registers().len());
    if work > MOST_WORK {
        return template.edges().iter().map(|_| Vec::new()).collect();
    }
    let mut known: BTreeMap<LabelId, Known> = BTreeMap::new();
    known.insert(template.initial(), Known::default());
    let mut open = vec![template.initial()];
    while let Some(label) = open.pop() {
        for edge in template.outgoing(label) {
            let data = template.edge(edge);
            let next = known[&label].after(edge, &data.instruction);
            let is_new = if let Some(there) = known.get_mut(&data.to) {
                there.meet(&next)
            } else {
                known.insert(data.to, next);
                true
            };
            if is_new {
                open.push(data.to);
            }
        }
    }
    let of_edge = |edge: &program::Edge| {
        known.get(&edge.from).map_or_else(Vec::new, |known| known.dependencies(&edge.instruction))
    };
    template.edges().iter().map(of_edge).collect()
}
