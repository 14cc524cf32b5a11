//! Mnemonics of A64.

use program::{BinaryOp, FetchOp, Order};

use super::super::arm::shift::{self, Shift};
use super::super::load_store::syntax::Extension;
use super::bits::{self, Bits};
use super::mnemonic_atomic::ordered_atomic;
use super::pair::{PAIRS, Pair};

/// What an instruction does, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Compute(Compute),
    Load {
        bits: Option<u8>,
        extension: Extension,
        order: Order,
        addresses: Addresses,
    },
    LoadExclusive {
        bits: Option<u8>,
        order: Order,
    },
    Store {
        bits: Option<u8>,
        order: Order,
        addresses: Addresses,
    },
    StoreExclusive {
        bits: Option<u8>,
        order: Order,
    },
    Atomic {
        atomic: Atomic,
        bits: Option<u8>,
        order: Order,
    },
    /// An access to two registers.
    Pair(Pair),
    Control(Control),
    Nothing,
    /// What cannot be modelled, and what to do instead.
    Refused(&'static str, &'static str),
}

/// Which addresses an access can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addresses {
    All,
    /// `[X1]` alone.
    Simple,
}

/// Instructions on registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compute {
    Bits(Bits),
    /// `ADR`.
    CodeAddress,
    Move {
        complement: bool,
    },
    /// `MOVK`.
    MoveKeep,
    Negate,
    Arithmetic {
        op: BinaryOp,
        complement: bool,
        sets_flags: bool,
    },
    Shift(Shift),
    /// `SXTW` and the like.
    Extend {
        bits: u8,
        signed: bool,
    },
    Compare(Compared),
    Select(Otherwise),
    /// `CSET`, or `CSETM`, which sets all bits.
    Set {
        all_bits: bool,
    },
    /// `CINC` and the like: the operand, changed if the condition holds.
    ChangeIf(Otherwise),
}

/// What flags are set from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Difference,
    Sum,
    And,
}

/// What becomes of the operand that is selected if the condition does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    Same,
    Increment,
    Invert,
    Negate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atomic {
    Swap,
    CompareAndSwap,
    Fetch { op: FetchOp, unsigned: bool, complement: bool, keeps_old: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Branch,
    IfZero {
        negated: bool,
    },
    IfBit {
        negated: bool,
    },
    Return,
    /// `BL`.
    Call,
    /// `BR` and `BLR`.
    To {
        links: bool,
    },
}

const fn arithmetic(op: BinaryOp, complement: bool, sets_flags: bool) -> Operation {
    Operation::Compute(Compute::Arithmetic { op, complement, sets_flags })
}

const fn load(bits: Option<u8>, extension: Extension) -> Operation {
    Operation::Load { bits, extension, order: Order::Plain, addresses: Addresses::All }
}

const fn ordered_load(bits: Option<u8>, order: Order) -> Operation {
    let extension = Extension::Zero;
    Operation::Load { bits, extension, order, addresses: Addresses::Simple }
}

const fn store(bits: Option<u8>) -> Operation {
    Operation::Store { bits, order: Order::Plain, addresses: Addresses::All }
}

const fn unscaled(bits: Option<u8>, order: Order) -> Operation {
    Operation::Load { bits, extension: Extension::Zero, order, addresses: Addresses::All }
}

const fn unscaled_store(bits: Option<u8>, order: Order) -> Operation {
    Operation::Store { bits, order, addresses: Addresses::All }
}

const TABLE: [(&str, Operation); 57] = [
    ("mov", Operation::Compute(Compute::Move { complement: false })),
    ("movz", Operation::Compute(Compute::Move { complement: false })),
    ("movn", Operation::Compute(Compute::Move { complement: true })),
    ("mvn", Operation::Compute(Compute::Move { complement: true })),
    ("movk", Operation::Compute(Compute::MoveKeep)),
    ("neg", Operation::Compute(Compute::Negate)),
    ("add", arithmetic(BinaryOp::Add, false, false)),
    ("adds", arithmetic(BinaryOp::Add, false, true)),
    ("sub", arithmetic(BinaryOp::Sub, false, false)),
    ("subs", arithmetic(BinaryOp::Sub, false, true)),
    ("and", arithmetic(BinaryOp::BitAnd, false, false)),
    ("ands", arithmetic(BinaryOp::BitAnd, false, true)),
    ("bic", arithmetic(BinaryOp::BitAnd, true, false)),
    ("bics", arithmetic(BinaryOp::BitAnd, true, true)),
    ("orr", arithmetic(BinaryOp::BitOr, false, false)),
    ("orn", arithmetic(BinaryOp::BitOr, true, false)),
    ("eor", arithmetic(BinaryOp::BitXor, false, false)),
    ("eon", arithmetic(BinaryOp::BitXor, true, false)),
    ("sxtw", Operation::Compute(Compute::Extend { bits: 32, signed: true })),
    ("sxth", Operation::Compute(Compute::Extend { bits: 16, signed: true })),
    ("sxtb", Operation::Compute(Compute::Extend { bits: 8, signed: true })),
    ("uxtw", Operation::Compute(Compute::Extend { bits: 32, signed: false })),
    ("uxth", Operation::Compute(Compute::Extend { bits: 16, signed: false })),
    ("uxtb", Operation::Compute(Compute::Extend { bits: 8, signed: false })),
    ("cmp", Operation::Compute(Compute::Compare(Compared::Difference))),
    ("cmn", Operation::Compute(Compute::Compare(Compared::Sum))),
    ("tst", Operation::Compute(Compute::Compare(Compared::And))),
    ("csel", Operation::Compute(Compute::Select(Otherwise::Same))),
    ("csinc", Operation::Compute(Compute::Select(Otherwise::Increment))),
    ("csinv", Operation::Compute(Compute::Select(Otherwise::Invert))),
    ("csneg", Operation::Compute(Compute::Select(Otherwise::Negate))),
    ("cset", Operation::Compute(Compute::Set { all_bits: false })),
    ("csetm", Operation::Compute(Compute::Set { all_bits: true })),
    ("cinc", Operation::Compute(Compute::ChangeIf(Otherwise::Increment))),
    ("cinv", Operation::Compute(Compute::ChangeIf(Otherwise::Invert))),
    ("cneg", Operation::Compute(Compute::ChangeIf(Otherwise::Negate))),
    ("ldr", load(None, Extension::Zero)),
    ("ldrb", load(Some(8), Extension::Zero)),
    ("ldrh", load(Some(16), Extension::Zero)),
    ("ldrsb", load(Some(8), Extension::Sign)),
    ("ldrsh", load(Some(16), Extension::Sign)),
    ("ldrsw", load(Some(32), Extension::Sign)),
    ("str", store(None)),
    ("strb", store(Some(8))),
    ("strh", store(Some(16))),
    ("b", Operation::Control(Control::Branch)),
    ("cbz", Operation::Control(Control::IfZero { negated: false })),
    ("cbnz", Operation::Control(Control::IfZero { negated: true })),
    ("tbz", Operation::Control(Control::IfBit { negated: false })),
    ("tbnz", Operation::Control(Control::IfBit { negated: true })),
    ("ret", Operation::Control(Control::Return)),
    ("bl", Operation::Control(Control::Call)),
    ("br", Operation::Control(Control::To { links: false })),
    ("blr", Operation::Control(Control::To { links: true })),
    ("adr", Operation::Compute(Compute::CodeAddress)),
    ("nop", Operation::Nothing),
    ("clrex", Operation::Refused("giving up a reservation", "leave it out")),
];

/// Accesses with a byte and a halfword form that ends with `b` and `h`.
const SIZED: [&str; 11] =
    ["ldar", "ldapr", "ldxr", "ldaxr", "stlr", "stxr", "stlxr", "ldur", "stur", "ldapur", "stlur"];

fn sized(stem: &str, bits: Option<u8>) -> Option<Operation> {
    Some(match stem {
        "ldar" => ordered_load(bits, Order::SeqCst),
        "ldapr" => ordered_load(bits, Order::Acquire),
        "ldxr" => Operation::LoadExclusive { bits, order: Order::Plain },
        "ldaxr" => Operation::LoadExclusive { bits, order: Order::SeqCst },
        "stlr" => Operation::Store { bits, order: Order::Release, addresses: Addresses::Simple },
        "stxr" => Operation::StoreExclusive { bits, order: Order::Plain },
        "stlxr" => Operation::StoreExclusive { bits, order: Order::Release },
        "ldur" => unscaled(bits, Order::Plain),
        "stur" => unscaled_store(bits, Order::Plain),
        "ldapur" => unscaled(bits, Order::Acquire),
        "stlur" => unscaled_store(bits, Order::Release),
        _ => return None,
    })
}

/// What a mnemonic, in lower case, does.
pub(super) fn find(word: &str) -> Option<Operation> {
    if let Some((_, operation)) = TABLE.iter().find(|(name, _)| *name == word) {
        return Some(*operation);
    }
    if let Some((_, pair)) = PAIRS.iter().find(|(name, _)| *name == word) {
        return Some(Operation::Pair(*pair));
    }
    if let Some(bits) = bits::find(word) {
        return Some(Operation::Compute(Compute::Bits(bits)));
    }
    if let Some(shift) = shift::find(word.strip_suffix('v').unwrap_or(word)) {
        return Some(Operation::Compute(Compute::Shift(shift)));
    }
    let width = match word.as_bytes().last()? {
        b'b' => Some(8),
        b'h' => Some(16),
        _ => None,
    };
    let stem = width.and_then(|_| word.get(..word.len() - 1));
    sized(word, None)
        .or_else(|| ordered_atomic(word, None))
        .or_else(|| sized(stem?, width))
        .or_else(|| ordered_atomic(stem?, width))
        .or_else(|| beyond(word))
}

/// Beginnings of what cannot be modelled.
const BEYOND: [(&[&str], &str); 7] = [
    (&["svc", "hvc", "smc", "udf", "brk", "eret"], "an exception"),
    (&["mrs", "msr"], "a system register"),
    (&["tlbi", "at", "dc", "ic", "sys"], "the maintenance of caches and translations"),
    (&["pac", "aut", "xpac"], "the authentication of pointers"),
    (&["ldg", "stg", "st2g", "stzg", "irg", "addg", "subg", "gmi"], "a memory tag"),
    (&["gcs"], "a guarded control stack"),
    (
        &[
            "movi", "ld1", "ld2", "ld3", "ld4", "st1", "st2", "st3", "st4", "ldap1", "stl1", "dup",
            "ptrue", "while", "index", "cnt", "smst", "cterm", "rdvl", "addvl", "mova", "fmov",
        ],
        "a vector",
    ),
];

/// Why a mnemonic, in lower case, is not known, if that is plain.
fn beyond(word: &str) -> Option<Operation> {
    let begins = |(starts, _): &&(&[&str], &str)| match *starts {
        // Short names are whole ones.
        ["tlbi", ..] => starts.contains(&word),
        starts => starts.iter().any(|start| word.starts_with(start)),
    };
    let (_, what) = BEYOND.iter().find(begins)?;
    Some(Operation::Refused(what, "single accesses to memory of 8 to 64 bits can be"))
}

/// Mnemonics worth suggesting.
pub(super) fn all() -> Vec<&'static str> {
    let more = [
        "b.eq", "b.ne", "dmb", "dsb", "isb", "lsl", "lsr", "asr", "ror", "swp", "swpa", "swpl",
        "swpal", "cas", "casa", "casl", "casal", "ldadd", "ldclr", "ldeor", "ldset", "ldsmax",
        "ldsmin", "stadd", "stclr", "steor", "stset",
    ];
    let table = TABLE.iter().map(|(name, _)| *name);
    let pairs = PAIRS.iter().map(|(name, _)| *name);
    table.chain(SIZED).chain(more).chain(bits::names()).chain(pairs).collect()
}
