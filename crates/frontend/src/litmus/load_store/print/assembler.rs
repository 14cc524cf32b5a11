//! What printing asks of an architecture: instructions as text.

use program::{FenceKind, FetchOp, IntType, Order, Value};

use super::super::super::machine::Arch;

/// Rows of a column.
pub(in crate::litmus) type Lines = Vec<String>;

/// A machine register: its number in [`Assembler::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::litmus) struct Reg(pub(in crate::litmus) usize);

/// The right operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Operand {
    Register(Reg),
    Number(Value),
}

/// An operation on two operands, modulo the width of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Arithmetic {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,
    /// With the sign.
    ShiftRight,
}

/// A comparison of signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Relation {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Greater,
}

/// An address: a register that holds one, with another and a number added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) struct Address {
    pub(in crate::litmus) base: Reg,
    pub(in crate::litmus) index: Option<Reg>,
    pub(in crate::litmus) offset: Value,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) struct How {
    pub(in crate::litmus) int: IntType,
    /// What is enough for a compare-and-swap, whether it succeeds or fails.
    pub(in crate::litmus) order: Order,
    /// What is enough for one that fails.
    pub(in crate::litmus) failure: Order,
    pub(in crate::litmus) exclusive: bool,
}

/// An atomic update with its operands in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::litmus) enum Rmw {
    Exchange(Reg),
    Fetch(FetchOp, Reg),
    CompareAndSwap { expected: Reg, new: Reg },
}

/// Registers that an instruction sequence may use for itself, and names of labels.
pub(in crate::litmus) struct Spare {
    pub(in crate::litmus) registers: [Reg; 2],
    pub(in crate::litmus) labels: [String; 2],
}

/// The instructions of an architecture.
pub(in crate::litmus) trait Assembler {
    fn arch(&self) -> Arch;

    /// All registers that can be used, as a condition names them.
    fn registers(&self) -> Vec<String>;

    /// Whether a number can be the right operand of an operation.
    fn takes_number(&self, op: Arithmetic, value: Value) -> bool;

    /// Whether a number can be the right operand of a comparison.
    fn compares_with(&self, value: Value) -> bool;

    fn constant(&self, to: Reg, value: Value) -> Lines;

    fn copy(&self, to: Reg, from: Reg) -> Lines;

    fn arithmetic(&self, op: Arithmetic, to: Reg, left: Reg, right: Operand) -> Lines;

    /// Whether [`Assembler::truth`] computes the difference of its operands, which then must fit.
    fn compares_by_difference(&self) -> bool;

    /// Puts 1 or 0 into a register; neither it nor the spare one is an operand.
    fn truth(&self, relation: Relation, to: Reg, operands: (Reg, Reg), spare: Reg) -> Lines;

    /// Puts the first value into a register if the test is not zero, otherwise the second, in one
    /// or two instructions; nothing if it takes more.
    fn select(&self, to: Reg, test: Reg, values: (Reg, Reg)) -> Option<Lines>;

    /// Makes the low bits of a register a number of a type.
    fn extend(&self, to: Reg, from: Reg, int: IntType) -> Lines;

    /// Adds a register of the program to an address.
    fn add_index(&self, to: Reg, base: Reg, index: Reg) -> Lines;

    /// Adds a number to an address.
    fn add_offset(&self, to: Reg, base: Reg, offset: Value) -> Lines;

    /// Whether such an access can have this address.
    fn reaches(&self, address: Address, how: How) -> bool;

    /// A load; the register receives the exact value.
    fn load(&self, to: Reg, address: Address, how: How) -> Lines;

    fn store(&self, value: Reg, address: Address, how: How) -> Lines;

    /// An exclusive store; the status is 0 or 1.
    fn store_exclusive(
        &self,
        status: Reg,
        value: Reg,
        address: Address,
        how: How,
        spare: &Spare,
    ) -> Lines;

    /// An atomic update at the address in a register; the old value is put into `old`, which is no
    /// operand. Nothing if there is no such instruction.
    fn update(&self, old: Reg, address: Reg, rmw: Rmw, how: How, spare: &Spare) -> Option<Lines>;

    fn fence(&self, kind: FenceKind) -> Lines;

    fn branch(&self, relation: Relation, left: Reg, right: Operand, label: &str) -> Lines;

    fn jump(&self, label: &str) -> String;

    /// Whether there are exclusive accesses of so many bits.
    fn reserves(&self, bits: u8) -> bool;

    /// Whether it computes the minimum or maximum of unsigned numbers of so many bits.
    fn compares_unsigned(&self, bits: u8) -> bool;

    fn nothing(&self) -> String;
}

/// Whether an order makes an access an acquire.
pub(in crate::litmus) const fn acquires(order: Order) -> bool {
    match order {
        Order::Acquire | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => false,
    }
}

/// Whether an order makes an access a release.
pub(in crate::litmus) const fn releases(order: Order) -> bool {
    match order {
        Order::Release | Order::AcquireRelease | Order::SeqCst => true,
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Acquire => false,
    }
}
