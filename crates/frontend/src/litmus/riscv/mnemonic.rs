//! Mnemonics of RISC-V.

use program::{BinaryOp, FenceKind, FetchOp, Order};

use super::super::load_store::syntax::Extension;

/// What an instruction does, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Compute(Compute),
    Load {
        bits: u8,
        extension: Extension,
        order: Order,
    },
    Store {
        bits: u8,
        order: Order,
    },
    LoadReserved {
        bits: u8,
        order: Order,
    },
    StoreConditional {
        bits: u8,
        order: Order,
    },
    Atomic {
        change: AtomicChange,
        bits: u8,
        order: Order,
    },
    /// `fence`, whose sets follow.
    Fence,
    FenceOf(FenceKind),
    Branch(Branch),
    Jump,
    Return,
    Nothing,
    /// What cannot be modelled, and what to do instead.
    Refused(&'static str, &'static str),
}

/// Instructions on registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compute {
    /// `li`, or `lui`, which shifts by 12.
    Immediate {
        shift: u8,
    },
    Move,
    Not,
    Negate {
        word: bool,
    },
    /// `sext.w`.
    SignExtendWord,
    /// Of two registers, or of a register and a number; of the lower halves if it is of words.
    Arithmetic {
        op: Arithmetic,
        immediate: bool,
        word: bool,
    },
    /// `seqz` and `snez`.
    IsZero {
        negated: bool,
    },
}

/// An operation with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Plain(BinaryOp),
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Less,
    LessUnsigned,
}

/// What an AMO writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomicChange {
    Swap,
    Fetch(FetchOp),
}

/// A conditional branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) op: BinaryOp,
    pub(super) is_unsigned: bool,
    /// Whether a register is compared with zero and not with another.
    pub(super) with_zero: bool,
}

const fn branch(op: BinaryOp, is_unsigned: bool) -> Operation {
    Operation::Branch(Branch { op, is_unsigned, with_zero: false })
}

const fn branch_zero(op: BinaryOp) -> Operation {
    Operation::Branch(Branch { op, is_unsigned: false, with_zero: true })
}

const TABLE: [(&str, Operation); 33] = [
    ("li", Operation::Compute(Compute::Immediate { shift: 0 })),
    ("lui", Operation::Compute(Compute::Immediate { shift: 12 })),
    ("mv", Operation::Compute(Compute::Move)),
    ("not", Operation::Compute(Compute::Not)),
    ("neg", Operation::Compute(Compute::Negate { word: false })),
    ("negw", Operation::Compute(Compute::Negate { word: true })),
    ("sext.w", Operation::Compute(Compute::SignExtendWord)),
    ("seqz", Operation::Compute(Compute::IsZero { negated: false })),
    ("snez", Operation::Compute(Compute::IsZero { negated: true })),
    ("fence", Operation::Fence),
    ("fence.tso", Operation::FenceOf(FenceKind::Lightweight)),
    ("fence.i", Operation::FenceOf(FenceKind::Control)),
    ("beq", branch(BinaryOp::Eq, false)),
    ("bne", branch(BinaryOp::Ne, false)),
    ("blt", branch(BinaryOp::Lt, false)),
    ("bge", branch(BinaryOp::Ge, false)),
    ("bgt", branch(BinaryOp::Gt, false)),
    ("ble", branch(BinaryOp::Le, false)),
    ("bltu", branch(BinaryOp::Lt, true)),
    ("bgeu", branch(BinaryOp::Ge, true)),
    ("bgtu", branch(BinaryOp::Gt, true)),
    ("bleu", branch(BinaryOp::Le, true)),
    ("beqz", branch_zero(BinaryOp::Eq)),
    ("bnez", branch_zero(BinaryOp::Ne)),
    ("bltz", branch_zero(BinaryOp::Lt)),
    ("bgez", branch_zero(BinaryOp::Ge)),
    ("bgtz", branch_zero(BinaryOp::Gt)),
    ("blez", branch_zero(BinaryOp::Le)),
    ("j", Operation::Jump),
    ("ret", Operation::Return),
    ("nop", Operation::Nothing),
    ("jal", Operation::Refused("a call", "jump with `j`")),
    ("jalr", Operation::Refused("a computed jump", "jump with `j`")),
];

/// Operations on two registers, with whether they exist with a number (`addi`) and on words
/// (`addw`).
const ARITHMETIC: [(&str, Arithmetic, bool, bool); 12] = [
    ("add", Arithmetic::Plain(BinaryOp::Add), true, true),
    ("sub", Arithmetic::Plain(BinaryOp::Sub), false, true),
    ("mul", Arithmetic::Plain(BinaryOp::Mul), false, true),
    ("and", Arithmetic::Plain(BinaryOp::BitAnd), true, false),
    ("or", Arithmetic::Plain(BinaryOp::BitOr), true, false),
    ("xor", Arithmetic::Plain(BinaryOp::BitXor), true, false),
    ("sll", Arithmetic::ShiftLeft, true, true),
    ("srl", Arithmetic::ShiftRight, true, true),
    ("sra", Arithmetic::ShiftRightSigned, true, true),
    ("slt", Arithmetic::Less, true, false),
    ("sltu", Arithmetic::LessUnsigned, false, false),
    ("sltiu", Arithmetic::LessUnsigned, false, false),
];

fn arithmetic(word: &str) -> Option<Operation> {
    let make =
        |op, immediate, word| Operation::Compute(Compute::Arithmetic { op, immediate, word });
    for (name, op, with_number, of_words) in ARITHMETIC {
        let Some(suffix) = word.strip_prefix(name) else { continue };
        match suffix {
            "" => return Some(make(op, name == "sltiu", false)),
            "i" if with_number => return Some(make(op, true, false)),
            "w" if of_words => return Some(make(op, false, true)),
            "iw" if of_words && with_number => return Some(make(op, true, true)),
            _ => {}
        }
    }
    None
}

/// A load or a store without its order.
fn access(stem: &str, order: Order) -> Option<Operation> {
    let load = |bits, extension| Some(Operation::Load { bits, extension, order });
    match stem {
        "lb" => load(8, Extension::Sign),
        "lbu" => load(8, Extension::Zero),
        "lh" => load(16, Extension::Sign),
        "lhu" => load(16, Extension::Zero),
        "lw" => load(32, Extension::Sign),
        "lwu" => load(32, Extension::Zero),
        "ld" => load(64, Extension::Sign),
        "sb" => Some(Operation::Store { bits: 8, order }),
        "sh" => Some(Operation::Store { bits: 16, order }),
        "sw" => Some(Operation::Store { bits: 32, order }),
        "sd" => Some(Operation::Store { bits: 64, order }),
        _ => atomic(stem, order),
    }
}

/// `lr.w`, `sc.d` or `amoadd.w`.
fn atomic(stem: &str, order: Order) -> Option<Operation> {
    let (name, width) = stem.split_once('.')?;
    let bits = match width {
        "w" => 32,
        "d" => 64,
        _ => return None,
    };
    let fetch = |op| Some(Operation::Atomic { change: AtomicChange::Fetch(op), bits, order });
    match name {
        "lr" => Some(Operation::LoadReserved { bits, order }),
        "sc" => Some(Operation::StoreConditional { bits, order }),
        "amoswap" => Some(Operation::Atomic { change: AtomicChange::Swap, bits, order }),
        "amoadd" => fetch(FetchOp::Add),
        "amoand" => fetch(FetchOp::And),
        "amoor" => fetch(FetchOp::Or),
        "amoxor" => fetch(FetchOp::Xor),
        "amomin" => fetch(FetchOp::Min),
        "amomax" => fetch(FetchOp::Max),
        "amominu" => fetch(FetchOp::Min.of_unsigned(bits)),
        "amomaxu" => fetch(FetchOp::Max.of_unsigned(bits)),
        _ => None,
    }
}

/// What a mnemonic, in lower case, does.
pub(super) fn find(word: &str) -> Option<Operation> {
    if let Some((_, operation)) = TABLE.iter().find(|(name, _)| *name == word) {
        return Some(*operation);
    }
    let orders = [
        (".aqrl", Order::AcquireRelease),
        (".aq.rl", Order::AcquireRelease),
        (".aq", Order::Acquire),
        (".rl", Order::Release),
    ];
    let ordered = orders.iter().find_map(|(suffix, order)| {
        let stem = word.strip_suffix(suffix)?;
        access(stem, *order)
    });
    ordered.or_else(|| access(word, Order::Plain)).or_else(|| arithmetic(word))
}

/// Mnemonics worth suggesting.
pub(super) fn all() -> Vec<&'static str> {
    let more = [
        "lb",
        "lbu",
        "lh",
        "lhu",
        "lw",
        "lwu",
        "ld",
        "sb",
        "sh",
        "sw",
        "sd",
        "lr.w",
        "lr.d",
        "sc.w",
        "sc.d",
        "amoswap.w",
        "amoadd.w",
        "amoand.w",
        "amoor.w",
        "amoxor.w",
        "addi",
        "andi",
        "ori",
        "xori",
        "slli",
        "srli",
        "srai",
        "addiw",
        "addw",
        "subw",
    ];
    let arithmetic = ARITHMETIC.iter().map(|(name, _, _, _)| *name);
    TABLE.iter().map(|(name, _)| *name).chain(arithmetic).chain(more).collect()
}
