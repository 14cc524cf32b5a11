//! Mnemonics of Power.

use program::{BinaryOp, FenceKind, UnaryOp};

use super::super::arm::shift::Shift;
use super::super::condition_code::Code;
use super::super::load_store::syntax::{Condition, Extension, Flag};

/// What an instruction does, its operands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Compute(Compute),
    Compare {
        bits: u8,
        is_unsigned: bool,
        immediate: bool,
    },
    Load {
        bits: u8,
        extension: Extension,
        form: Form,
    },
    Store {
        bits: u8,
        form: Form,
    },
    LoadReserve {
        bits: u8,
    },
    StoreConditional {
        bits: u8,
    },
    Fence(FenceKind),
    Jump,
    Branch(Condition),
    Return,
    Nothing,
    /// A hint to the cache, which its address follows: memory is coherent with it or without it.
    Cache,
    /// What cannot be modelled.
    Refused(&'static str),
}

/// How the address of an access is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// `r1,r2` and not `0(r1)`.
    pub(super) indexed: bool,
    /// Whether the base register receives the address.
    pub(super) updates: bool,
}

/// Instructions on registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compute {
    /// `li`, or `lis`, which shifts by 16.
    Immediate {
        shift: u8,
    },
    Move,
    Unary(UnaryOp),
    Binary(Binary),
    /// With a number, shifted left; the register can be the number zero if it is `r0`.
    WithImmediate {
        op: BinaryOp,
        shift: u8,
        zero_base: bool,
    },
    Shift {
        shift: Shift,
        bits: u8,
        immediate: bool,
    },
    Extend(u8),
    /// Rotated left and cut out.
    Rotate(Rotate),
    /// `mfcr`.
    ConditionRegister,
}

/// How a rotated register is cut out, and what its operands say: the rotation if it is given, then
/// what is missing of the first and the last bit, counted from the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rotate {
    pub(super) bits: u8,
    /// Whether a rotation is given.
    pub(super) by: bool,
    /// The first bit, if it is not given.
    pub(super) first: Option<u8>,
    /// The last bit, if it is not given.
    pub(super) last: Option<u8>,
    /// Whether what is not cut out stays as it was.
    pub(super) inserts: bool,
}

const fn rotate(bits: u8, by: bool, first: Option<u8>, last: Option<u8>) -> Operation {
    Operation::Compute(Compute::Rotate(Rotate { bits, by, first, last, inserts: false }))
}

const INSERT: Rotate = Rotate { bits: 32, by: true, first: None, last: None, inserts: true };

/// An operation on two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) op: BinaryOp,
    pub(super) reverse: bool,
    pub(super) complement_right: bool,
    pub(super) complement_result: bool,
}

const fn binary(op: BinaryOp) -> Operation {
    let (reverse, complement_right, complement_result) = (false, false, false);
    let binary = Binary { op, reverse, complement_right, complement_result };
    Operation::Compute(Compute::Binary(binary))
}

const fn complement(op: BinaryOp, right: bool) -> Operation {
    let (complement_right, complement_result) = (right, !right);
    let binary = Binary { op, reverse: false, complement_right, complement_result };
    Operation::Compute(Compute::Binary(binary))
}

const fn immediate(op: BinaryOp, shift: u8, zero_base: bool) -> Operation {
    Operation::Compute(Compute::WithImmediate { op, shift, zero_base })
}

const fn shift(shift: Shift, bits: u8, immediate: bool) -> Operation {
    Operation::Compute(Compute::Shift { shift, bits, immediate })
}

const fn compare(bits: u8, is_unsigned: bool, immediate: bool) -> Operation {
    Operation::Compare { bits, is_unsigned, immediate }
}

const SUBTRACT_FROM: Binary =
    Binary { op: BinaryOp::Sub, reverse: true, complement_right: false, complement_result: false };

const SEVERAL: Operation = Operation::Refused("an access to several registers at once");

const TABLE: [(&str, Operation); 88] = [
    ("li", Operation::Compute(Compute::Immediate { shift: 0 })),
    ("lis", Operation::Compute(Compute::Immediate { shift: 16 })),
    ("mr", Operation::Compute(Compute::Move)),
    ("neg", Operation::Compute(Compute::Unary(UnaryOp::Neg))),
    ("not", Operation::Compute(Compute::Unary(UnaryOp::BitNot))),
    ("add", binary(BinaryOp::Add)),
    ("sub", binary(BinaryOp::Sub)),
    ("subf", Operation::Compute(Compute::Binary(SUBTRACT_FROM))),
    ("mullw", binary(BinaryOp::Mul)),
    ("mulld", binary(BinaryOp::Mul)),
    ("and", binary(BinaryOp::BitAnd)),
    ("or", binary(BinaryOp::BitOr)),
    ("xor", binary(BinaryOp::BitXor)),
    ("nand", complement(BinaryOp::BitAnd, false)),
    ("nor", complement(BinaryOp::BitOr, false)),
    ("eqv", complement(BinaryOp::BitXor, false)),
    ("andc", complement(BinaryOp::BitAnd, true)),
    ("orc", complement(BinaryOp::BitOr, true)),
    ("addi", immediate(BinaryOp::Add, 0, true)),
    ("addis", immediate(BinaryOp::Add, 16, true)),
    ("subi", immediate(BinaryOp::Sub, 0, true)),
    ("mulli", immediate(BinaryOp::Mul, 0, false)),
    ("andi.", immediate(BinaryOp::BitAnd, 0, false)),
    ("andis.", immediate(BinaryOp::BitAnd, 16, false)),
    ("ori", immediate(BinaryOp::BitOr, 0, false)),
    ("oris", immediate(BinaryOp::BitOr, 16, false)),
    ("xori", immediate(BinaryOp::BitXor, 0, false)),
    ("xoris", immediate(BinaryOp::BitXor, 16, false)),
    ("slw", shift(Shift::Left, 32, false)),
    ("srw", shift(Shift::LogicalRight, 32, false)),
    ("sraw", shift(Shift::ArithmeticRight, 32, false)),
    ("sld", shift(Shift::Left, 64, false)),
    ("srd", shift(Shift::LogicalRight, 64, false)),
    ("srad", shift(Shift::ArithmeticRight, 64, false)),
    ("slwi", shift(Shift::Left, 32, true)),
    ("srwi", shift(Shift::LogicalRight, 32, true)),
    ("srawi", shift(Shift::ArithmeticRight, 32, true)),
    ("sldi", shift(Shift::Left, 64, true)),
    ("srdi", shift(Shift::LogicalRight, 64, true)),
    ("sradi", shift(Shift::ArithmeticRight, 64, true)),
    ("extsb", Operation::Compute(Compute::Extend(8))),
    ("extsh", Operation::Compute(Compute::Extend(16))),
    ("extsw", Operation::Compute(Compute::Extend(32))),
    ("rlwinm", rotate(32, true, None, None)),
    ("rlwimi", Operation::Compute(Compute::Rotate(INSERT))),
    ("rotlwi", rotate(32, true, Some(0), Some(31))),
    ("clrlwi", rotate(32, false, None, Some(31))),
    ("rldicl", rotate(64, true, None, Some(63))),
    ("rldicr", rotate(64, true, Some(0), None)),
    ("rotldi", rotate(64, true, Some(0), Some(63))),
    ("clrldi", rotate(64, false, None, Some(63))),
    ("mfcr", Operation::Compute(Compute::ConditionRegister)),
    ("dcbf", Operation::Cache),
    ("dcbst", Operation::Cache),
    ("dcbt", Operation::Cache),
    ("dcbtst", Operation::Cache),
    ("icbi", Operation::Refused("a change of instructions")),
    ("dcbz", Operation::Refused("clearing a cache block")),
    ("tlbsync", Operation::Refused("a translation of addresses")),
    ("mtcrf", Operation::Refused("setting the condition register")),
    ("stq", SEVERAL),
    ("cmpw", compare(32, false, false)),
    ("cmpwi", compare(32, false, true)),
    ("cmplw", compare(32, true, false)),
    ("cmplwi", compare(32, true, true)),
    ("cmpd", compare(64, false, false)),
    ("cmpdi", compare(64, false, true)),
    ("cmpld", compare(64, true, false)),
    ("cmpldi", compare(64, true, true)),
    ("lbarx", Operation::LoadReserve { bits: 8 }),
    ("lharx", Operation::LoadReserve { bits: 16 }),
    ("lwarx", Operation::LoadReserve { bits: 32 }),
    ("ldarx", Operation::LoadReserve { bits: 64 }),
    ("stbcx.", Operation::StoreConditional { bits: 8 }),
    ("sthcx.", Operation::StoreConditional { bits: 16 }),
    ("stwcx.", Operation::StoreConditional { bits: 32 }),
    ("stdcx.", Operation::StoreConditional { bits: 64 }),
    ("sync", Operation::Fence(FenceKind::Full)),
    ("hwsync", Operation::Fence(FenceKind::Full)),
    ("lwsync", Operation::Fence(FenceKind::Lightweight)),
    ("eieio", Operation::Fence(FenceKind::StoreStore)),
    ("isync", Operation::Fence(FenceKind::Control)),
    ("b", Operation::Jump),
    ("blr", Operation::Return),
    ("nop", Operation::Nothing),
    ("lmw", SEVERAL),
    ("stmw", SEVERAL),
    ("lq", SEVERAL),
];

/// The branches, with the condition that each asks for.
pub(super) const BRANCHES: [(&str, Code, bool); 8] = [
    ("beq", Code::Equal, false),
    ("bne", Code::Equal, true),
    ("blt", Code::Less, false),
    ("bge", Code::Less, true),
    ("bnl", Code::Less, true),
    ("ble", Code::LessOrEqual, false),
    ("bng", Code::LessOrEqual, false),
    ("bgt", Code::LessOrEqual, true),
];

/// A load or a store: the stem, then `u` for update, then `x` for indexed.
fn access(word: &str) -> Option<Operation> {
    let (rest, indexed) = word.strip_suffix('x').map_or((word, false), |rest| (rest, true));
    let (stem, updates) = rest.strip_suffix('u').map_or((rest, false), |rest| (rest, true));
    let form = Form { indexed, updates };
    let load = |bits, extension| Some(Operation::Load { bits, extension, form });
    match stem {
        "lbz" => load(8, Extension::Zero),
        "lhz" => load(16, Extension::Zero),
        "lha" => load(16, Extension::Sign),
        "lwz" => load(32, Extension::Zero),
        "lwa" => load(32, Extension::Sign),
        "ld" => load(64, Extension::Zero),
        "stb" => Some(Operation::Store { bits: 8, form }),
        "sth" => Some(Operation::Store { bits: 16, form }),
        "stw" => Some(Operation::Store { bits: 32, form }),
        "std" => Some(Operation::Store { bits: 64, form }),
        _ => None,
    }
}

/// What a mnemonic, in lower case, does, and whether it compares its result with zero.
pub(super) fn find(word: &str) -> Option<(Operation, bool)> {
    let exact = |word: &str| TABLE.iter().find(|(name, _)| *name == word);
    if let Some((name, operation)) = exact(word) {
        return Some((*operation, name.starts_with("and") && name.ends_with('.')));
    }
    if let Some((_, code, negated)) = BRANCHES.iter().find(|(name, _, _)| *name == word) {
        let condition = Condition { flag: Flag { field: 0, code: *code }, negated: *negated };
        return Some((Operation::Branch(condition), false));
    }
    if let Some(operation) = access(word) {
        return Some((operation, false));
    }
    let (_, operation) = exact(word.strip_suffix('.')?)?;
    matches!(operation, Operation::Compute(_)).then_some((*operation, true))
}

/// Mnemonics worth suggesting.
pub(super) fn all() -> Vec<&'static str> {
    let accesses = ["lwz", "lwzx", "stw", "stwx", "lbz", "lhz", "ld", "stb", "sth", "std"];
    let branches = BRANCHES.iter().map(|(name, _, _)| *name);
    TABLE.iter().map(|(name, _)| *name).chain(accesses).chain(branches).collect()
}
