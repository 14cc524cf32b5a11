//! Dependencies between accesses of one function that are certainly there in machine code.
//!
//! A dependency is claimed only where the text of LLVM's instructions has it and no identity of arithmetic
//! removes it: through casts, address computations and arithmetic whose operands do not come from the same
//! read, and through local variables whose value is certain (stored once in all, or last in the same block).
//! Choices (`phi`, `select`) and calls end it. A store depends by control on a read if it is executed only
//! on one side of a branch that the read decides, and the other side has no store that a compiler could
//! merge it with.
//!
//! What is assumed of the compiler: that it keeps a dependency that the program's text has, that is, it does
//! not replace a value that was read by one that it guesses or proves to be equal (as after `if (p == &x)`),
//! and does not drop a branch whose condition it cannot know. Loads and stores that are `volatile` or atomic
//! it neither removes nor doubles; of plain ones we assume the same, as the whole analysis is about accesses
//! as written.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "what is not named here ends a dependency, also in the future"
)]

use std::collections::BTreeMap;

use llvm::{BinaryOp, Call, Constant, Function, LocalId, Operand, Operation, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use events::DependencyKind;

use crate::flow::Flow;

/// An instruction: its block and its place there.
pub(crate) type Place = (u32, u32);

/// What an atomic operation that is a call is given: the argument that is the address, and the one that
/// is stored; and whether it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicCall {
    pub(crate) address: usize,
    pub(crate) value: Option<usize>,
    pub(crate) reads: bool,
}

/// What the accesses of a function depend on.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    pub(crate) of: BTreeMap<Place, Vec<(Place, DependencyKind)>>,
}

struct Finder<'f> {
    function: &'f Function,
    definitions: Vec<Option<Place>>,
    is_value: &'f dyn Fn(LocalId) -> bool,
    atomic: &'f dyn Fn(&Call) -> Option<AtomicCall>,
    stores: FxHashMap<LocalId, Vec<Place>>,
    known: FxHashMap<LocalId, FxHashSet<Place>>,
}

/// Deeper computations are not followed.
const DEEPEST: u32 = 40;

impl Dependencies {
    pub(crate) fn new(
        function: &Function,
        flow: &Flow,
        is_value: &dyn Fn(LocalId) -> bool,
        atomic: &dyn Fn(&Call) -> Option<AtomicCall>,
    ) -> Self {
        let mut finder = Finder {
            function,
            definitions: vec![None; function.locals.len()],
            is_value,
            atomic,
            stores: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        for (block, code) in (0_u32..).zip(&function.blocks) {
            for (index, instruction) in (0_u32..).zip(&code.instructions) {
                if let Some(local) = instruction.result {
                    finder.definitions[local.index()] = Some((block, index));
                }
                if let Operation::Store { address, .. } = &instruction.operation
                    && let Value::Local(local) = address.value
                {
                    finder.stores.entry(local).or_default().push((block, index));
                }
            }
        }
        let mut all = Self::default();
        for block in &flow.order {
            let code = &function.blocks[*block as usize];
            for (index, instruction) in (0_u32..).zip(&code.instructions) {
                let place = (*block, index);
                let mut found = Vec::new();
                let mut add = |finder: &mut Finder<'_>, operand: &Operand, kind| {
                    let sources = finder.operand(operand, place, 0);
                    found.extend(sources.into_iter().map(|source| (source, kind)));
                };
                match &instruction.operation {
                    Operation::Load { address, .. } => {
                        add(&mut finder, address, DependencyKind::Address);
                    }
                    Operation::Store { value, address, .. }
                    | Operation::AtomicRmw { value, address, .. } => {
                        add(&mut finder, address, DependencyKind::Address);
                        add(&mut finder, value, DependencyKind::Data);
                    }
                    Operation::CompareExchange { address, new, .. } => {
                        add(&mut finder, address, DependencyKind::Address);
                        add(&mut finder, new, DependencyKind::Data);
                    }
                    Operation::Call(call) => {
                        if let Some(known) = atomic(call) {
                            if let Some(address) = call.arguments.get(known.address) {
                                add(&mut finder, address, DependencyKind::Address);
                            }
                            if let Some(value) =
                                known.value.and_then(|value| call.arguments.get(value))
                            {
                                add(&mut finder, value, DependencyKind::Data);
                            }
                        }
                    }
                    _ => {}
                }
                found.retain(|(source, _)| *source != place);
                if !found.is_empty() {
                    found.sort_unstable();
                    found.dedup();
                    all.of.insert(place, found);
                }
            }
        }
        all.add_control(&mut finder, flow);
        all
    }

    fn add_control(&mut self, finder: &mut Finder<'_>, flow: &Flow) {
        let stores: Vec<(Place, llvm::TypeId, bool)> = finder.memory_stores();
        for branch in &flow.order {
            let code = &finder.function.blocks[*branch as usize];
            let Some(last) = code.instructions.last() else { continue };
            let (Operation::ConditionalBranch { condition: decides, .. }
            | Operation::Switch { value: decides, .. }) = &last.operation
            else {
                continue;
            };
            let index = u32::try_from(code.instructions.len() - 1).unwrap_or(0);
            let sources = finder.operand(decides, (*branch, index), 0);
            let mut sources: Vec<Place> = sources.into_iter().collect();
            sources.sort_unstable();
            if sources.is_empty() || flow.successors[*branch as usize].len() < 2 {
                continue;
            }
            for side in &flow.successors[*branch as usize] {
                if flow.predecessors[*side as usize][..] != [*branch] {
                    continue;
                }
                for (place, ty, is_kept) in &stores {
                    if !flow.dominates(*side, place.0) {
                        continue;
                    }
                    let is_merged = !is_kept
                        && stores.iter().any(|(other, of, _)| {
                            of == ty
                                && flow.successors[*branch as usize].iter().any(|another| {
                                    another != side
                                        && flow.predecessors[*another as usize][..] == [*branch]
                                        && flow.dominates(*another, other.0)
                                })
                        });
                    if !is_merged {
                        let found = self.of.entry(*place).or_default();
                        for source in &sources {
                            let one = (*source, DependencyKind::Control);
                            if source != place && !found.contains(&one) {
                                found.push(one);
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Finder<'_> {
    /// Stores to memory, with the type that they store and whether compilers keep them as they are.
    fn memory_stores(&self) -> Vec<(Place, llvm::TypeId, bool)> {
        let mut found = Vec::new();
        for (block, code) in (0_u32..).zip(&self.function.blocks) {
            for (index, instruction) in (0_u32..).zip(&code.instructions) {
                match &instruction.operation {
                    Operation::Store { value, address, volatile, ordering, .. } => {
                        let is_local = match address.value {
                            Value::Local(local) => (self.is_value)(local),
                            _ => false,
                        };
                        if !is_local {
                            let is_kept = *volatile || ordering.is_some();
                            found.push(((block, index), value.ty, is_kept));
                        }
                    }
                    Operation::Call(call) => {
                        if let Some(AtomicCall { value: Some(value), .. }) = (self.atomic)(call)
                            && let Some(value) = call.arguments.get(value)
                        {
                            found.push(((block, index), value.ty, true));
                        }
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The reads that an operand certainly comes from, as an instruction sees it.
    fn operand(&mut self, operand: &Operand, at: Place, depth: u32) -> FxHashSet<Place> {
        match operand.value {
            Value::Local(local) => self.local(local, at, depth),
            Value::Constant(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => FxHashSet::default(),
        }
    }

    fn local(&mut self, local: LocalId, _at: Place, depth: u32) -> FxHashSet<Place> {
        if let Some(known) = self.known.get(&local) {
            return known.clone();
        }
        let Some(place) = self.definitions[local.index()] else { return FxHashSet::default() };
        if depth > DEEPEST {
            return FxHashSet::default();
        }
        // A value that depends on itself is asked for again on the way.
        self.known.insert(local, FxHashSet::default());
        let found = self.defined(place, depth);
        self.known.insert(local, found.clone());
        found
    }

    fn defined(&mut self, place: Place, depth: u32) -> FxHashSet<Place> {
        let instruction = &self.function.blocks[place.0 as usize].instructions[place.1 as usize];
        let next = depth + 1;
        match &instruction.operation {
            Operation::Load { address, .. } => match address.value {
                Value::Local(variable) if (self.is_value)(variable) => {
                    match self.certain_store(variable, place) {
                        Some(store) => {
                            let code = &self.function.blocks[store.0 as usize];
                            match &code.instructions[store.1 as usize].operation {
                                Operation::Store { value, .. } => {
                                    let value = value.clone();
                                    self.operand(&value, store, next)
                                }
                                _ => FxHashSet::default(),
                            }
                        }
                        None => FxHashSet::default(),
                    }
                }
                _ => std::iter::once(place).collect(),
            },
            Operation::CompareExchange { .. } | Operation::AtomicRmw { .. } => {
                std::iter::once(place).collect()
            }
            Operation::Call(call) if (self.atomic)(call).is_some_and(|one| one.reads) => {
                std::iter::once(place).collect()
            }
            Operation::Cast { value, .. }
            | Operation::FNeg(value)
            | Operation::ExtractValue { aggregate: value, .. } => self.operand(value, place, next),
            Operation::GetElementPtr { base, indices, .. } => {
                let mut all = self.operand(base, place, next);
                for index in indices {
                    all.extend(self.operand(index, place, next));
                }
                all
            }
            Operation::Binary { op, left, right } => {
                let (one, two) =
                    (self.operand(left, place, next), self.operand(right, place, next));
                if removes(*op, right) || removes(*op, left) || !one.is_disjoint(&two) {
                    return FxHashSet::default();
                }
                one.union(&two).copied().collect()
            }
            Operation::Compare { left, right, .. }
            | Operation::FloatCompare { left, right, .. } => {
                let (one, two) =
                    (self.operand(left, place, next), self.operand(right, place, next));
                if !one.is_disjoint(&two) {
                    return FxHashSet::default();
                }
                one.union(&two).copied().collect()
            }
            _ => FxHashSet::default(),
        }
    }

    /// The store whose value a local variable certainly has where it is loaded.
    fn certain_store(&self, variable: LocalId, load: Place) -> Option<Place> {
        let stores = self.stores.get(&variable)?;
        if let [only] = stores[..] {
            return Some(only);
        }
        stores.iter().copied().filter(|store| store.0 == load.0 && store.1 < load.1).max()
    }
}

/// Whether an operation with this operand may have a result that does not depend on the other.
fn removes(op: BinaryOp, operand: &Operand) -> bool {
    let number = match operand.value {
        Value::Constant(Constant::Integer(number)) => number,
        Value::Constant(Constant::Zero | Constant::Null) => 0,
        Value::Constant(_) => return true,
        Value::Local(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => return false,
    };
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor => false,
        BinaryOp::Mul | BinaryOp::And | BinaryOp::UDiv | BinaryOp::SDiv => number == 0,
        BinaryOp::Or => number == -1,
        BinaryOp::URem | BinaryOp::SRem => number == 1 || number == 0,
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => number >= 8,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => true,
    }
}
