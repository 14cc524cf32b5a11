//! Memory that nobody has written yet.
//!
//! What `malloc` returns, and what the variables of a call of C hold at first, may be anything. A program whose result
//! depends on it has a mistake, and no value that we could choose says what it does: the answer is *undecided* if a
//! value is used that nobody wrote. Copying is no use: structures are copied with what lies between their fields.
//!
//! - **Variables in registers**: that a part was not written is known like a constant, way by way ([`Val::Undefined`]),
//!   and moves with copies. Only variables are watched of which an analysis of their function does not show
//!   that they are written first ([`may_be_read_unwritten`]): ways that differ in nothing else need not be kept apart.
//! - **Memory** is filled with a pattern at first ([`fresh`]). Whoever loads the pattern gives up, and so does who reads
//!   it from a variable to which it was copied. A program that stores the pattern itself makes the answer
//!   undecided without need; none is wrong.
//!
//! Not noticed are words of which a part was written, such as bit-fields beside others, and what a variable in memory
//! holds when its function is called again.
//!
//! Rust moves values by loads and stores where C copies structures, among them halves that nobody wrote, such as the
//! pointer of `None`. There a load only makes its register one of the *suspects*: they are looked at where they are used, and what
//! they are moved to is suspected in turn.

use std::collections::{BTreeMap, BTreeSet};

use llvm::{Function, LocalId, Operand, Operation, Type, Types, Value as Given};
use program::{BinaryOp, Expr, Instruction, RegisterId, Value};

use super::{Cursor, Flow, Limit, Purpose, Slot, Spot, Walk};
use crate::flow::Touch;
use crate::function::terminator;
use crate::object::Objects;
use crate::uses::for_each_use;
use crate::value::{self, PrivateId, Val};
use crate::world::Facts;

/// Every byte of memory that nobody has written: no text in UTF-8 contains it, and few numbers do.
pub(crate) const FRESH: u8 = 0xc1;

/// What so many bytes hold that nobody has written.
pub(crate) fn fresh(bytes: u32) -> Value {
    let pattern = (0..bytes.min(8)).fold(0, |pattern, _| (pattern << 8) | Value::from(FRESH));
    value::int(bytes * 8).map_or(pattern, |int| int.wrap(pattern))
}

/// The local an operand is.
fn local(operand: &Operand) -> Option<LocalId> {
    match operand.value {
        Given::Local(local) => Some(local),
        Given::Constant(_)
        | Given::Block(_)
        | Given::Asm(_)
        | Given::Metadata(_)
        | Given::MetadataText(_) => None,
    }
}

/// The variables of a function that may be read before they are written, as far as one sees. Of those that are only
/// loaded and stored as a whole one sees it on all ways through the function.
pub(crate) fn may_be_read_unwritten(function: &Function, types: &Types) -> BTreeSet<LocalId> {
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let variables = instructions()
        .filter(|instruction| matches!(instruction.operation, Operation::Alloca { .. }))
        .filter_map(|instruction| instruction.result);
    let variables: BTreeSet<LocalId> = variables.collect();
    // Compilers before LLVM 15 cast addresses.
    let mut same: BTreeMap<LocalId, LocalId> = variables.iter().map(|one| (*one, *one)).collect();
    let mut found = BTreeSet::new();
    for instruction in instructions() {
        let whole = if let Operation::Load { address, .. } = &instruction.operation {
            local(address)
        } else if let Operation::Store { value, address, .. } = &instruction.operation {
            local(address).filter(|address| local(value) != Some(*address))
        } else if let Operation::Cast { op: llvm::CastOp::BitCast, value, .. } =
            &instruction.operation
        {
            local(value)
        } else {
            None
        };
        // Nobody knows which part of a structure or a union is meant behind a cast.
        if let Operation::Alloca { ty, .. } = &instruction.operation
            && !matches!(
                types.resolved(*ty),
                Type::Integer(_) | Type::Pointer { .. } | Type::Float(_)
            )
        {
            found.extend(instruction.result);
        }
        if let (Operation::Cast { .. }, Some(cast)) = (&instruction.operation, instruction.result)
            && let Some(variable) = whole.and_then(|whole| same.get(&whole)).copied()
        {
            same.insert(cast, variable);
        }
        for_each_use(&instruction.operation, |used| {
            if let Some(variable) = same.get(&used)
                && whole != Some(used)
            {
                found.insert(*variable);
            }
        });
    }
    let variable = |address: &Operand| local(address).and_then(|local| same.get(&local)).copied();
    let whole: BTreeSet<LocalId> = variables.difference(&found).copied().collect();
    let mut before: Vec<BTreeSet<LocalId>> = vec![BTreeSet::new(); function.blocks.len()];
    let mut due = Vec::new();
    if let Some(entry) = before.first_mut() {
        *entry = whole;
        due.push(0);
    }
    while let Some(block) = due.pop() {
        let mut unwritten = before[block].clone();
        for instruction in &function.blocks[block].instructions {
            if let Operation::Load { address, .. } = &instruction.operation {
                found.extend(variable(address).filter(|one| unwritten.contains(one)));
            } else if let Operation::Store { address, .. } = &instruction.operation
                && let Some(one) = variable(address)
            {
                unwritten.remove(&one);
            }
        }
        for next in terminator(function, block).map(Operation::successors).unwrap_or_default() {
            let known = before[next.index()].len();
            before[next.index()].extend(&unwritten);
            if before[next.index()].len() > known {
                due.push(next.index());
            }
        }
    }
    found
}

/// Whether a value that is loaded is only there to keep bits beside those that are written: a bit-field is stored.
fn keeps_neighbours(function: &Function, loaded: LocalId) -> bool {
    let users = |of: LocalId| {
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        instructions.filter(move |instruction| {
            let mut is_used = false;
            for_each_use(&instruction.operation, |one| is_used |= one == of);
            is_used
        })
    };
    let mut masks = users(loaded).peekable();
    masks.peek().is_some()
        && masks.all(|mask| match (&mask.operation, mask.result) {
            (Operation::Binary { op: llvm::BinaryOp::And, right, .. }, Some(masked)) => {
                local(right).is_none()
                    && users(masked).all(|user| {
                        matches!(
                            user.operation,
                            Operation::Binary { op: llvm::BinaryOp::Or, .. }
                                | Operation::Store { .. }
                        )
                    })
            }
            _ => false,
        })
}

/// The operands of an instruction that must have been written.
fn used(operation: &Operation) -> Vec<&Operand> {
    match operation {
        Operation::Load { address, .. }
        | Operation::Store { address, .. }
        | Operation::IndirectBranch { address, .. } => vec![address],
        Operation::CompareExchange { address, expected, new, .. } => vec![address, expected, new],
        Operation::AtomicRmw { address, value, .. } => vec![address, value],
        Operation::GetElementPtr { base, indices, .. } => {
            std::iter::once(base).chain(indices).collect()
        }
        Operation::Binary { left, right, .. }
        | Operation::Compare { left, right, .. }
        | Operation::FloatCompare { left, right, .. } => vec![left, right],
        Operation::Cast { value, .. }
        | Operation::FNeg(value)
        | Operation::ConditionalBranch { condition: value, .. }
        | Operation::Select { condition: value, .. }
        | Operation::Switch { value, .. } => vec![value],
        // What moves a value does not use it; what calls do is up to who is called.
        Operation::Alloca { .. }
        | Operation::Fence { .. }
        | Operation::Phi { .. }
        | Operation::Freeze(_)
        | Operation::ExtractValue { .. }
        | Operation::InsertValue { .. }
        | Operation::ExtractElement { .. }
        | Operation::InsertElement { .. }
        | Operation::ShuffleVector { .. }
        | Operation::VaArg { .. }
        | Operation::Call(_)
        | Operation::Invoke { .. }
        | Operation::CallBranch { .. }
        | Operation::LandingPad { .. }
        | Operation::Branch(_)
        | Operation::Return(_)
        | Operation::Resume(_)
        | Operation::Unreachable
        | Operation::Other(_) => Vec::new(),
    }
}

impl Facts {
    /// Notes which accesses may be of memory that somebody has to write first.
    pub(crate) fn learn_unwritten(&mut self, objects: &Objects, touches: &[Touch]) {
        for touch in touches {
            let is_of_program = touch.origin.purpose == Purpose::Access;
            if is_of_program
                && touch.places.objects().any(|one| objects.get(one).may_be_unwritten())
            {
                self.is_new |= self.unwritten.insert(touch.spot);
            }
        }
    }
}

impl Walk<'_, '_, '_> {
    /// A variable begins: nobody has written it.
    pub(crate) fn begin_variable(&mut self, cursor: &mut Cursor, variable: LocalId, id: PrivateId) {
        let info = self.world.info(cursor.known.frame.function);
        if !info.may_be_read_unwritten.contains(&variable) {
            return;
        }
        for (at, _) in self.world.facts.parts.get(&id).into_iter().flatten() {
            cursor.known.slots.insert(Slot::Part(id, *at), Val::Undefined);
        }
    }

    /// Gives up if an instruction uses what nobody has written.
    pub(super) fn uses_unwritten(
        &mut self,
        cursor: &mut Cursor,
        operation: &Operation,
    ) -> Option<Flow> {
        self.look_at_suspects(cursor, operation);
        let is_unwritten = |operand: &&Operand| Self::is_unwritten(cursor, operand);
        let unwritten = used(operation).into_iter().find(is_unwritten).and_then(local)?;
        if keeps_neighbours(self.function(cursor.known.frame.function), unwritten) {
            return None;
        }
        Some(self.give_up(cursor, Limit::Unwritten))
    }

    /// Gives up where an instruction uses a suspect that nobody has written.
    fn look_at_suspects(&mut self, cursor: &mut Cursor, operation: &Operation) {
        if self.suspects.is_empty() {
            return;
        }
        let module = cursor.known.frame.function.module;
        for operand in used(operation) {
            let value = local(operand).and_then(|local| cursor.known.frame.locals.get(&local));
            if let Some(Val::Expr(Expr::Register(register))) = value
                && self.suspects.contains(register)
                && let Some(bytes) = self.world.size(module, operand.ty)
            {
                let found = Expr::Register(*register);
                self.must_not_be_fresh(cursor, found, u32::try_from(bytes).unwrap_or(8));
            }
        }
    }

    /// Notes that a part of a variable in registers is given a value that nobody may have written.
    pub(crate) fn note_moved(&mut self, value: &Expr, part: (PrivateId, i64)) {
        if let Expr::Register(register) = value
            && self.suspects.contains(register)
        {
            let facts = &mut self.world.facts;
            facts.is_new |= facts.copied.insert(part);
        }
    }

    fn is_in_rust(&self, cursor: &Cursor) -> bool {
        self.world.is_rust(cursor.known.frame.function.module)
    }

    /// Whether nobody has written what an operand is.
    pub(crate) fn is_unwritten(cursor: &Cursor, operand: &Operand) -> bool {
        let value = local(operand).and_then(|local| cursor.known.frame.locals.get(&local));
        matches!(value, Some(Val::Undefined))
    }

    /// Notes that a part of a variable in registers is copied from where perhaps nobody has written.
    pub(crate) fn note_copied(
        &mut self,
        cursor: &Cursor,
        (variable, first): (PrivateId, i64),
        (from, key): (&Val, u32),
        at: u64,
    ) {
        let Ok(at) = i64::try_from(at) else { return };
        let objects = &self.world.objects;
        let facts = &self.world.facts;
        let is_perhaps_unwritten = match from {
            Val::Private(other, offset) => facts.copied.contains(&(*other, offset + at)),
            Val::Expr(Expr::Const(address)) => objects
                .at(*address)
                .is_some_and(|(object, _)| objects.get(object).may_be_unwritten()),
            Val::Expr(_) => facts
                .targets
                .get(&(self.point(cursor), key))
                .is_some_and(|all| all.objects().any(|one| objects.get(one).may_be_unwritten())),
            Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => false,
        };
        if is_perhaps_unwritten {
            let facts = &mut self.world.facts;
            facts.is_new |= facts.copied.insert((variable, first + at));
        }
    }

    /// After a part of a variable in registers is read: gives up if it was copied from where nobody had written.
    pub(crate) fn must_be_written_before_copied(
        &mut self,
        cursor: &mut Cursor,
        part: (PrivateId, i64),
        value: &Val,
        bytes: u32,
    ) {
        if self.purpose == Purpose::Access
            && self.world.facts.copied.contains(&part)
            && let Val::Expr(found) = value
            && !matches!(found, Expr::Const(_))
        {
            if let Expr::Register(register) = found
                && self.is_in_rust(cursor)
            {
                self.suspects.insert(*register);
            } else {
                self.must_not_be_fresh(cursor, found.clone(), bytes);
            }
        }
    }

    fn must_not_be_fresh(&mut self, cursor: &mut Cursor, found: Expr, bytes: u32) {
        let is_fresh = Expr::binary(BinaryOp::Eq, found, Expr::Const(fresh(bytes)));
        let mut beyond = self.branch(cursor, is_fresh.clone());
        self.give_up(&mut beyond, Limit::Unwritten);
        self.emit(cursor, Instruction::Assume(is_fresh.negated()));
    }

    /// After a load: gives up if it has found what nobody has written.
    pub(crate) fn must_be_written(
        &mut self,
        cursor: &mut Cursor,
        spot: Spot,
        (register, result): (RegisterId, Option<LocalId>),
        bytes: u32,
    ) {
        if self.purpose != Purpose::Access || !self.world.facts.unwritten.contains(&spot) {
            return;
        }
        let function = self.function(cursor.known.frame.function);
        if result.is_some_and(|result| keeps_neighbours(function, result)) {
            return;
        }
        if self.is_in_rust(cursor) {
            self.suspects.insert(register);
            return;
        }
        self.must_not_be_fresh(cursor, Expr::Register(register), bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_holds_a_pattern_of_every_width() {
        let table = [(1, -63), (2, -15_935), (4, -1_044_266_559), (8, -4_485_090_715_960_753_727)];
        for (bytes, expected) in table {
            assert_eq!(fresh(bytes), expected, "{bytes} bytes");
        }
    }
}
