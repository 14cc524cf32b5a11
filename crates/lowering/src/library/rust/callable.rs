//! What a type that can be called stands for.
//!
//! `spawn::<F, T>` says by the name of `F` what it runs. A name is not always enough: functions of one
//! name in two blocks of a function, and the closures in them, are called alike. Then it is the one
//! that `spawn::<F, T>` itself leads to first.

use std::collections::{HashMap, HashSet, VecDeque};

use llvm::{Constant, ConstantExpression, Operand, Operation, SymbolId, Value};

use linkage::names::{self, normal};
use linkage::{Item, Linked};

/// All functions that types can stand for, by the names of the types.
pub(crate) struct Callables(HashMap<String, Vec<Candidate>>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct Candidate {
    item: Item,
    /// Whether it is the shim that takes a closure by value. A closure that is not used up takes a
    /// reference.
    is_shim: bool,
}

impl Callables {
    pub(crate) fn new(linked: &Linked<'_>) -> Self {
        let mut found: HashMap<String, Vec<Candidate>> = HashMap::new();
        for item in linked.all_items() {
            if linked.function(item).is_none_or(|function| function.blocks.is_empty()) {
                continue;
            }
            let Some(name) = llvm::demangled(linked.name(item)) else { continue };
            let shim = names::called_once(&name);
            let candidate = Candidate { item, is_shim: shim.is_some() };
            found.entry(normal(shim.unwrap_or(&name))).or_default().push(candidate);
        }
        Self(found)
    }

    /// What a type stands for where `caller` calls it.
    pub(crate) fn of(&self, linked: &Linked<'_>, ty: &str, caller: Item) -> Option<Item> {
        let all = self.0.get(&normal(ty))?;
        let of_kind = |is_shim: bool| all.iter().filter(move |one| one.is_shim == is_shim);
        match (all.as_slice(), of_kind(true).count(), of_kind(false).count()) {
            ([only], ..) => Some(only.item),
            // The shim of that very function.
            (_, 1, 1) => of_kind(true).next().map(|one| one.item),
            _ => {
                let is_one = |item: &Item| all.iter().any(|one| one.item == *item);
                nearest(linked, caller, is_one)
            }
        }
    }
}

/// The first function that one leads to, by calls or by what it refers to, for which something is true.
pub(crate) fn nearest(
    linked: &Linked<'_>,
    from: Item,
    is_wanted: impl Fn(&Item) -> bool,
) -> Option<Item> {
    let mut seen = HashSet::from([from]);
    let mut next = VecDeque::from([from]);
    while let Some(item) = next.pop_front() {
        for symbol in referred_to(linked, item) {
            let item = linked.resolve(item.module, symbol);
            if seen.insert(item) {
                if is_wanted(&item) {
                    return Some(item);
                }
                next.push_back(item);
            }
        }
    }
    None
}

/// The symbols in the body of a function or in what a variable starts with, in their order.
pub(crate) fn referred_to(linked: &Linked<'_>, item: Item) -> Vec<SymbolId> {
    let mut found = Vec::new();
    if let Some(initialiser) = linked.global(item).and_then(|global| global.initialiser.as_ref()) {
        in_constant(initialiser, &mut found);
    }
    let blocks = linked.function(item).map(|function| function.blocks.as_slice());
    for instruction in blocks.into_iter().flatten().flat_map(|block| &block.instructions) {
        if let Operation::Call(call)
        | Operation::Invoke { call, .. }
        | Operation::CallBranch { call, .. } = &instruction.operation
        {
            in_value(&call.callee, &mut found);
        }
        instruction.operation.for_each_value(&mut |_, value| in_value(value, &mut found));
    }
    found
}

fn in_value(value: &Value, found: &mut Vec<SymbolId>) {
    match value {
        Value::Constant(constant) => in_constant(constant, found),
        Value::Local(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => {}
    }
}

fn in_constant(constant: &Constant, found: &mut Vec<SymbolId>) {
    let mut all = |operands: &[Operand]| {
        for operand in operands {
            in_value(&operand.value, found);
        }
    };
    match constant {
        Constant::Symbol(symbol) => found.push(*symbol),
        Constant::Array(parts) | Constant::Vector(parts) | Constant::Struct(parts) => all(parts),
        Constant::Expression(expression) => match &**expression {
            ConstantExpression::GetElementPtr { base: value, .. }
            | ConstantExpression::Cast { value, .. } => in_value(&value.value, found),
            ConstantExpression::Binary { left, right, .. }
            | ConstantExpression::Compare { left, right, .. } => {
                in_value(&left.value, found);
                in_value(&right.value, found);
            }
            ConstantExpression::Select { then, otherwise, .. } => {
                in_value(&then.value, found);
                in_value(&otherwise.value, found);
            }
        },
        Constant::Integer(_)
        | Constant::Number(_)
        | Constant::Null
        | Constant::Undef
        | Constant::Poison
        | Constant::Zero
        | Constant::NoToken
        | Constant::Bytes(_)
        | Constant::BlockAddress(..)
        | Constant::Other(_) => {}
    }
}
