//! The x86-64 instructions that compilers emit for C without optimisation, as plain data.

mod mnemonic;
mod operand;
mod text;

pub(crate) use text::parse;

use std::collections::BTreeMap;

/// Where the first variable lies. What is below belongs to nobody.
pub(crate) const DATA: u64 = 0x1000;
/// The address of the first instruction; the next has the next address.
pub(crate) const CODE: u64 = 0x4000_0000;

/// A program, loaded.
#[derive(Debug)]
pub(crate) struct Image {
    /// The instructions of all functions, one after another.
    pub(crate) code: Vec<Instruction>,
    /// The variables, from [`DATA`] on.
    pub(crate) data: Vec<u8>,
    /// What the own variables of a thread hold at first.
    pub(crate) thread_local: Vec<u8>,
    /// Addresses of variables and of instructions by their names; of thread-local variables the distance
    /// from the end of those of a thread.
    pub(crate) symbols: BTreeMap<String, u64>,
}

/// How many bytes an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    Byte,
    Word,
    Long,
    Quad,
}

impl Width {
    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Self::Byte => 1,
            Self::Word => 2,
            Self::Long => 4,
            Self::Quad => 8,
        }
    }

    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Byte => 8,
            Self::Word => 16,
            Self::Long => 32,
            Self::Quad => 64,
        }
    }

    pub(crate) const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The highest bit of a value.
    pub(crate) const fn sign(self, value: u64) -> bool {
        value >> (self.bits() - 1) & 1 == 1
    }

    /// A value of this width as one of 64 bits, with its sign.
    pub(crate) const fn extended(self, value: u64) -> i64 {
        let shift = 64 - self.bits();
        (value << shift).cast_signed() >> shift
    }
}

/// Numbers of general registers, as the processor counts them.
pub(crate) mod register {
    pub(crate) const RAX: usize = 0;
    pub(crate) const RCX: usize = 1;
    pub(crate) const RDX: usize = 2;
    pub(crate) const RSP: usize = 4;
    pub(crate) const RBP: usize = 5;
    pub(crate) const RSI: usize = 6;
    pub(crate) const RDI: usize = 7;
    /// Registers that a function may leave with any content, except those of its result.
    pub(crate) const CLOBBERED: [usize; 7] = [RCX, RSI, RDI, 8, 9, 10, 11];
}

/// A register, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    pub(crate) number: usize,
    pub(crate) width: Width,
    /// The second byte: `%ah` and its like.
    pub(crate) is_high: bool,
}

/// An address, from what registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) displacement: u64,
    pub(crate) base: Option<usize>,
    /// A register and its factor.
    pub(crate) index: Option<(usize, u64)>,
    /// Whether it is counted from the end of the thread's own variables (`%fs`).
    pub(crate) is_thread_local: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Immediate(u64),
    Register(Register),
    Memory(Address),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    AddWithCarry,
    Subtract,
    SubtractWithBorrow,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
    Increment,
    Decrement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Left,
    /// With zeros.
    Right,
    /// With the sign.
    Arithmetic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Equal,
    Below,
    BelowOrEqual,
    Less,
    LessOrEqual,
    Negative,
    Overflow,
    /// An even number of ones in the lowest byte.
    Parity,
}

/// A condition, or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) condition: Condition,
    pub(crate) is_negated: bool,
}

/// Functions that are not in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Create,
    Join,
    Exit,
    Lock,
    Unlock,
    TryLock,
    Allocate,
    AllocateArray,
    Free,
    Fail,
    /// Waits until the four bytes at an address are at least a number.
    AwaitAtLeast,
    /// It does nothing that can be seen, and returns 0.
    Nothing,
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The instruction with this number.
    At(usize),
    Computed(Operand),
    Library(Library),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    Move {
        width: Width,
        from: Operand,
        to: Operand,
    },
    /// To a wider register, with the sign or with zeros.
    Extend {
        from_width: Width,
        from: Operand,
        to: Register,
        is_signed: bool,
    },
    LoadAddress {
        from: Address,
        to: Register,
    },
    Binary {
        op: Binary,
        width: Width,
        from: Operand,
        to: Operand,
        is_locked: bool,
    },
    /// Sets flags as a subtraction does.
    Compare {
        width: Width,
        from: Operand,
        to: Operand,
    },
    /// Sets flags as a conjunction does.
    TestBits {
        width: Width,
        from: Operand,
        to: Operand,
    },
    Unary {
        op: Unary,
        width: Width,
        to: Operand,
        is_locked: bool,
    },
    Shift {
        op: Shift,
        width: Width,
        count: Operand,
        to: Operand,
    },
    Multiply {
        from: Operand,
        factor: Operand,
        to: Register,
    },
    /// `%rdx:%rax`, or `%ax` for bytes.
    MultiplyWide {
        width: Width,
        from: Operand,
        is_signed: bool,
    },
    Divide {
        width: Width,
        from: Operand,
        is_signed: bool,
    },
    /// Fills `%rdx` with the sign of `%rax`.
    SpreadSign {
        width: Width,
    },
    Set {
        test: Test,
        to: Operand,
    },
    MoveIf {
        test: Test,
        width: Width,
        from: Operand,
        to: Register,
    },
    Jump(Target),
    JumpIf {
        test: Test,
        to: usize,
    },
    Call(Target),
    Return,
    Push(Operand),
    Pop(Register),
    Leave,
    /// With memory, a locked instruction.
    Exchange {
        register: Register,
        with: Operand,
    },
    ExchangeAdd {
        register: Register,
        to: Operand,
        is_locked: bool,
    },
    CompareExchange {
        register: Register,
        to: Operand,
        is_locked: bool,
    },
    Fence,
    Nothing,
    /// `ud2`: what must not be reached.
    Trap,
}
