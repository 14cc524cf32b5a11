//! Which memory may be forgotten when nobody can get there any more, and who knows the way.
//!
//! `automata` says why forgetting is right whatever is guessed here. The guess: a thread gets to an object whose address is in
//! one of its registers, or in its code from where it is on. What is only compared gives nobody a pointer, so conditions do not
//! count; lifetimes and widths of accesses are checked by comparing a pointer with all objects that there are.

use std::collections::BTreeSet;

use program::{
    BinaryOp, Expr, IndexVec, Instruction, LabelId, Outside, Program, Template, TemplateId, Value,
};
use semantics::Control;

use super::ownership::{ADDRESSES, Claim, extents};
use super::{Cell, Content, Local, Sc};

/// That nobody reads what was forgotten is claimed for all memory at once.
pub(super) const FORGETTING: Claim = Claim::MAX;

/// An object with more cells is not forgotten.
const MOST_CELLS: u64 = 64;

/// The most objects.
const MOST: usize = u64::BITS as usize;

/// The memory that may be forgotten.
pub(super) struct Forgettable {
    /// The first and the last address of each object, sorted.
    objects: Vec<(Value, Value)>,
    /// For each label of each template the objects that the code from there on names, as bits.
    named: IndexVec<TemplateId, IndexVec<LabelId, u64>>,
}

impl Forgettable {
    /// What may be forgotten of a program if somebody looks at these cells from outside; nothing if that is not worth it.
    pub(super) fn of(program: &Program, seen: &[Value]) -> Option<Self> {
        let memory = program.memory();
        if memory.outside() != Outside::Fault {
            return None;
        }
        let observed = program.question().observables();
        let observed = observed.iter().flat_map(|observable| observable.cells(memory));
        let seen: BTreeSet<Value> =
            seen.iter().copied().chain(observed).chain(program.end_of_process()).collect();
        let cells = |first: Value, last: Value| -> u64 {
            let inside = memory.locations().iter();
            let inside = inside.filter(|location| (first..=last).contains(&location.base));
            inside.map(program::Location::cells).fold(0, u64::saturating_add)
        };
        let mut objects = extents(program);
        objects.retain(|(first, last)| {
            seen.range(*first..=*last).next().is_none() && cells(*first, *last) <= MOST_CELLS
        });
        // The heap is behind all else.
        objects.drain(..objects.len().saturating_sub(MOST));
        if objects.is_empty() {
            return None;
        }
        let mut forgettable = Self { objects, named: IndexVec::new() };
        forgettable.named =
            program.templates().iter().map(|one| forgettable.named_by(program, one)).collect();
        Some(forgettable)
    }

    /// The number of the object that an address belongs to.
    fn at(&self, address: Value) -> Option<usize> {
        let number = self.objects.partition_point(|(first, _)| *first <= address).checked_sub(1)?;
        (address <= self.objects[number].1).then_some(number)
    }

    /// The object that a value may be a pointer to, as a bit.
    fn pointed_to(&self, value: Value) -> u64 {
        let is_small = value < self.objects[0].0;
        let object = if is_small { None } else { self.at(value.rem_euclid(ADDRESSES)) };
        object.map_or(0, |number| 1 << number)
    }

    /// The objects that the code from each label on names.
    fn named_by(&self, program: &Program, template: &Template) -> IndexVec<LabelId, u64> {
        let mut named: IndexVec<LabelId, u64> = template.labels().iter().map(|_| 0).collect();
        let of_edge = |instruction: &Instruction| match instruction {
            Instruction::Assume(_) | Instruction::Assert(_) => 0,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => {
                instruction.operands().fold(0, |all, operand| all | self.named_in(program, operand))
            }
        };
        let edges: Vec<(LabelId, LabelId, u64)> = template
            .edges()
            .iter()
            .map(|edge| (edge.from, edge.to, of_edge(&edge.instruction)))
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to, here) in edges.iter().rev() {
                let all = named[*from] | named[*to] | here;
                changed |= all != named[*from];
                named[*from] = all;
            }
        }
        named
    }

    /// The objects to which the value of an expression may be a pointer because of what is written in it.
    fn named_in(&self, program: &Program, expr: &Expr) -> u64 {
        match expr {
            Expr::Const(value) => self.pointed_to(*value),
            Expr::Register(_) => 0,
            Expr::Element(location, index) => {
                self.pointed_to(program.memory().location(*location).base)
                    | self.named_in(program, index)
            }
            Expr::Unary(_, operand) | Expr::Cast(_, operand) => self.named_in(program, operand),
            Expr::Select(operands) => {
                let [_, then, otherwise] = &**operands;
                self.named_in(program, then) | self.named_in(program, otherwise)
            }
            Expr::Binary(op, left, right) => match op {
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::And
                | BinaryOp::Or => 0,
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Rem
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Min
                | BinaryOp::Max => self.named_in(program, left) | self.named_in(program, right),
            },
        }
    }
}

impl Sc<'_> {
    /// See [`automata::Threads::forgettable`].
    pub(super) fn forgettable_content(
        &self,
        cell: Cell,
        initial: Content,
    ) -> Option<(u8, Content)> {
        let Cell::Memory(address) = cell else { return None };
        let number = self.forgettable.as_ref()?.at(address)?;
        Some((u8::try_from(number).ok()?, Content { is_forgotten: true, ..initial }))
    }

    /// See [`automata::Threads::knows`].
    pub(super) fn known_objects(&self, class: usize, local: &Local) -> u64 {
        let Some(forgettable) = &self.forgettable else { return 0 };
        // A thread that has stopped goes nowhere.
        let Control::At(label) = local.control else { return 0 };
        local
            .registers
            .iter()
            .fold(forgettable.named[self.template_of(class)][label], |all, value| {
                all | forgettable.pointed_to(*value)
            })
    }

    /// See [`automata::Threads::leads_to`].
    pub(super) fn objects_behind(&self, content: &Content) -> u64 {
        let Some(forgettable) = &self.forgettable else { return 0 };
        if content.is_forgotten {
            return 0;
        }
        let values = std::iter::once(&content.value).chain(&content.others);
        values.fold(0, |all, value| all | forgettable.pointed_to(*value))
    }
}
