//! Which condition codes are needed where.

use super::syntax::{Operation, Unary};

pub(super) use super::super::condition_code::{Code, Condition, Source, holds};

/// A set of condition codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Codes(u8);

impl Codes {
    pub(super) fn iter(self) -> impl Iterator<Item = Code> {
        Code::ALL.into_iter().filter(move |code| self.contains(*code))
    }

    pub(super) const fn contains(self, code: Code) -> bool {
        self.0 & code.bit() != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn without_carry(self) -> Self {
        Self(self.0 & !Code::Below.bit())
    }

    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What an instruction does to the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Keeps,
    Sets,
    SetsAllButCarry,
    /// It sets them in a way that is not modelled.
    Spoils,
}

pub(super) const fn effect(operation: Operation) -> Effect {
    match operation {
        Operation::Arithmetic(_)
        | Operation::Compare
        | Operation::Test
        | Operation::CompareExchange
        | Operation::ExchangeAdd
        | Operation::Unary(Unary::Negate) => Effect::Sets,
        Operation::Unary(Unary::Increment | Unary::Decrement) => Effect::SetsAllButCarry,
        Operation::Shift(_) => Effect::Spoils,
        Operation::Unary(Unary::Complement)
        | Operation::Move
        | Operation::Exchange
        | Operation::UnlockedExchange
        | Operation::Jump
        | Operation::JumpIf(_)
        | Operation::MoveIf(_)
        | Operation::SetIf(_)
        | Operation::Fence(_)
        | Operation::Nothing
        | Operation::Return => Effect::Keeps,
    }
}

/// For each line, the codes that something after it uses before the flags are set again.
/// `successors` gives the lines that may follow a line.
pub(super) fn needed_after(
    operations: &[Operation],
    successors: impl Fn(usize) -> Vec<usize>,
) -> Vec<Codes> {
    let next: Vec<Vec<usize>> = (0..operations.len()).map(successors).collect();
    let mut previous: Vec<Vec<usize>> = vec![Vec::new(); operations.len()];
    for (line, next) in next.iter().enumerate() {
        for next in next.iter().filter(|next| **next < operations.len()) {
            previous[*next].push(line);
        }
    }
    let mut before = vec![Codes::default(); operations.len()];
    let mut after = before.clone();
    let mut due: Vec<usize> = (0..operations.len()).collect();
    while let Some(line) = due.pop() {
        let needed = next[line].iter().filter_map(|next| before.get(*next));
        after[line] = needed.fold(Codes::default(), |all, codes| all.union(*codes));
        let kept = match effect(operations[line]) {
            Effect::Keeps => after[line],
            Effect::Sets | Effect::Spoils => Codes::default(),
            Effect::SetsAllButCarry => Codes(after[line].0 & Code::Below.bit()),
        };
        let new = kept.union(used(operations[line]));
        if new != before[line] {
            before[line] = new;
            due.extend(&previous[line]);
        }
    }
    after
}

/// The codes that an instruction asks for.
const fn used(operation: Operation) -> Codes {
    match operation {
        Operation::JumpIf(condition)
        | Operation::MoveIf(condition)
        | Operation::SetIf(condition) => Codes(condition.code.bit()),
        Operation::Move
        | Operation::Arithmetic(_)
        | Operation::Unary(_)
        | Operation::Shift(_)
        | Operation::Compare
        | Operation::Test
        | Operation::Exchange
        | Operation::UnlockedExchange
        | Operation::CompareExchange
        | Operation::ExchangeAdd
        | Operation::Jump
        | Operation::Fence(_)
        | Operation::Nothing
        | Operation::Return => Codes(0),
    }
}
