//! Mnemonics of A32, with the condition and the `S` they may end with.

use program::{BinaryOp, Order};

use super::super::load_store::syntax::{Condition, Extension};
use super::condition;
use super::several::Several;
use super::shift::Shift;

/// What an instruction does, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// `MOV`, or its complement.
    Move {
        complement: bool,
    },
    /// `MOVT`.
    MoveTop,
    Arithmetic {
        op: BinaryOp,
        complement: bool,
        reverse: bool,
    },
    Shift(Shift),
    Compare(Compared),
    Load {
        bits: u8,
        extension: Extension,
        order: Order,
        exclusive: bool,
    },
    Store {
        bits: u8,
        order: Order,
    },
    StoreExclusive {
        bits: u8,
        order: Order,
    },
    /// An access to several registers.
    Several(Several),
    Branch,
    BranchIfZero {
        negated: bool,
    },
    Return,
    Nothing,
    /// What cannot be modelled, and what to write instead.
    Refused(&'static str, &'static str),
}

/// What flags are set from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Difference,
    Sum,
    And,
    ExclusiveOr,
}

const fn arithmetic(op: BinaryOp) -> Operation {
    Operation::Arithmetic { op, complement: false, reverse: false }
}

const fn load(bits: u8, extension: Extension) -> Operation {
    Operation::Load { bits, extension, order: Order::Plain, exclusive: false }
}

const fn ordered_load(bits: u8, order: Order, exclusive: bool) -> Operation {
    Operation::Load { bits, extension: Extension::Zero, order, exclusive }
}

const fn store(bits: u8, order: Order) -> Operation {
    Operation::Store { bits, order }
}

const fn store_exclusive(bits: u8, order: Order) -> Operation {
    Operation::StoreExclusive { bits, order }
}

const fn several(loads: bool, upward: bool, before: bool) -> Operation {
    Operation::Several(Several::Multiple { loads, upward, before })
}

const TABLE: [(&str, Operation); 73] = [
    ("mov", Operation::Move { complement: false }),
    ("movw", Operation::Move { complement: false }),
    ("mvn", Operation::Move { complement: true }),
    ("movt", Operation::MoveTop),
    ("add", arithmetic(BinaryOp::Add)),
    ("sub", arithmetic(BinaryOp::Sub)),
    ("rsb", Operation::Arithmetic { op: BinaryOp::Sub, complement: false, reverse: true }),
    ("mul", arithmetic(BinaryOp::Mul)),
    ("and", arithmetic(BinaryOp::BitAnd)),
    ("orr", arithmetic(BinaryOp::BitOr)),
    ("eor", arithmetic(BinaryOp::BitXor)),
    ("bic", Operation::Arithmetic { op: BinaryOp::BitAnd, complement: true, reverse: false }),
    ("lsl", Operation::Shift(Shift::Left)),
    ("lsr", Operation::Shift(Shift::LogicalRight)),
    ("asr", Operation::Shift(Shift::ArithmeticRight)),
    ("ror", Operation::Shift(Shift::Rotate)),
    ("cmp", Operation::Compare(Compared::Difference)),
    ("cmn", Operation::Compare(Compared::Sum)),
    ("tst", Operation::Compare(Compared::And)),
    ("teq", Operation::Compare(Compared::ExclusiveOr)),
    ("ldr", load(32, Extension::Zero)),
    ("ldrb", load(8, Extension::Zero)),
    ("ldrh", load(16, Extension::Zero)),
    ("ldrsb", load(8, Extension::Sign)),
    ("ldrsh", load(16, Extension::Sign)),
    ("lda", ordered_load(32, Order::SeqCst, false)),
    ("ldab", ordered_load(8, Order::SeqCst, false)),
    ("ldah", ordered_load(16, Order::SeqCst, false)),
    ("ldrex", ordered_load(32, Order::Plain, true)),
    ("ldrexb", ordered_load(8, Order::Plain, true)),
    ("ldrexh", ordered_load(16, Order::Plain, true)),
    ("ldaex", ordered_load(32, Order::SeqCst, true)),
    ("ldaexb", ordered_load(8, Order::SeqCst, true)),
    ("ldaexh", ordered_load(16, Order::SeqCst, true)),
    ("str", store(32, Order::Plain)),
    ("strb", store(8, Order::Plain)),
    ("strh", store(16, Order::Plain)),
    ("stl", store(32, Order::Release)),
    ("stlb", store(8, Order::Release)),
    ("stlh", store(16, Order::Release)),
    ("strex", store_exclusive(32, Order::Plain)),
    ("strexb", store_exclusive(8, Order::Plain)),
    ("strexh", store_exclusive(16, Order::Plain)),
    ("stlex", store_exclusive(32, Order::Release)),
    ("stlexb", store_exclusive(8, Order::Release)),
    ("stlexh", store_exclusive(16, Order::Release)),
    ("b", Operation::Branch),
    ("cbz", Operation::BranchIfZero { negated: false }),
    ("cbnz", Operation::BranchIfZero { negated: true }),
    ("bx", Operation::Return),
    ("nop", Operation::Nothing),
    ("ldrd", Operation::Several(Several::LoadPair)),
    ("strd", Operation::Several(Several::StorePair)),
    ("ldrexd", Operation::Several(Several::LoadExclusivePair { order: Order::Plain })),
    ("ldaexd", Operation::Several(Several::LoadExclusivePair { order: Order::SeqCst })),
    ("strexd", Operation::Several(Several::StoreExclusivePair { order: Order::Plain })),
    ("stlexd", Operation::Several(Several::StoreExclusivePair { order: Order::Release })),
    ("ldm", several(true, true, false)),
    ("ldmia", several(true, true, false)),
    ("ldmib", several(true, true, true)),
    ("ldmda", several(true, false, false)),
    ("ldmdb", several(true, false, true)),
    ("ldmfd", several(true, true, false)),
    ("stm", several(false, true, false)),
    ("stmia", several(false, true, false)),
    ("stmib", several(false, true, true)),
    ("stmda", several(false, false, false)),
    ("stmdb", several(false, false, true)),
    ("stmfd", several(false, false, true)),
    ("push", Operation::Several(Several::Push)),
    ("pop", Operation::Several(Several::Pop)),
    ("swp", Operation::Refused("the deprecated swap", "write an exclusive load and store")),
    ("clrex", Operation::Refused("giving up a reservation", "leave the exclusive load out")),
];

/// A mnemonic taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mnemonic {
    pub(super) operation: Operation,
    pub(super) condition: Option<Condition>,
    pub(super) sets_flags: bool,
}

/// What a mnemonic, in lower case, means.
pub(super) fn find(word: &str) -> Option<Mnemonic> {
    let conditional = || {
        let (stem, suffix) = word.split_at_checked(word.len().checked_sub(2)?)?;
        let condition = Some(condition::find(suffix)?);
        stemmed(stem).map(|found| Mnemonic { condition, ..found })
    };
    stemmed(word).or_else(conditional)
}

/// A mnemonic without condition.
fn stemmed(word: &str) -> Option<Mnemonic> {
    let exact =
        |word: &str| TABLE.iter().find(|(name, _)| *name == word).map(|(_, operation)| *operation);
    if let Some(operation) = exact(word) {
        return Some(Mnemonic { operation, condition: None, sets_flags: false });
    }
    let operation = exact(word.strip_suffix('s')?)?;
    let computes = match operation {
        Operation::Move { .. } | Operation::Arithmetic { .. } | Operation::Shift(_) => true,
        Operation::MoveTop
        | Operation::Compare(_)
        | Operation::Load { .. }
        | Operation::Store { .. }
        | Operation::StoreExclusive { .. }
        | Operation::Several(_)
        | Operation::Branch
        | Operation::BranchIfZero { .. }
        | Operation::Return
        | Operation::Nothing
        | Operation::Refused(..) => false,
    };
    computes.then_some(Mnemonic { operation, condition: None, sets_flags: true })
}

/// Mnemonics worth suggesting.
pub(super) fn all() -> Vec<&'static str> {
    let barriers = ["dmb", "dsb", "isb", "beq", "bne"];
    TABLE.iter().map(|(name, _)| *name).chain(barriers).collect()
}
