//! Instructions, and what each means for a store buffer.
//!
//! The set is that of the ESOP'13 paper (Fig. 1: load, store, fence, assignment, blocking
//! assumption) and the ESOP'15 paper (Fig. 8: blocking atomic read-write), plus checked
//! assertions, nondeterministic values, the atomic operations of real languages and the locked
//! sections of Trencher's input.
//!
//! # What accesses mean under TSO
//!
//! The model is x86-TSO, with C11 orders as compilers map them to x86:
//!
//! - A **load** of any order reads the newest buffered store of its own thread to the address, or
//!   memory if there is none.
//! - A **store** is put into the buffer, except a `seq_cst` one, which is an exchange whose result
//!   is dropped: it waits until the buffer is empty and writes memory at once.
//! - An **update** ([`Instruction::Update`]: compare-and-swap, exchange, fetch-and-op, `arw`) of
//!   any order waits until the buffer is empty, then reads and writes memory in one step. A failed
//!   compare-and-swap is a locked read: it waits for the buffer and stores nothing.
//! - An **exclusive** load is a load that also reserves its address. A store of another thread to
//!   the address that reaches memory ends the reservation. An **exclusive store** waits until the
//!   buffer is empty; if the reservation stands it may write memory at once and succeed, and it
//!   may always fail and write nothing. Either way the reservation is gone. (x86 has no such
//!   pair; this is a load-reserved and a store-conditional on a machine with TSO buffers.)
//! - A **fence** waits until the buffer is empty if its kind orders stores before later loads
//!   ([`FenceKind::orders_store_before_load`]); every other kind orders nothing that TSO does not
//!   order already, and does nothing.
//! - A **locked section** ([`Instruction::Lock`] to [`Instruction::Unlock`]): both ends wait until
//!   the buffer is empty; in between no other thread reads or writes memory, though it may compute
//!   and fill its buffer. It does not load from its buffer either, as in x86-TSO, and an access that is an
//!   error waits as one that is none.
//!
//! An instruction finds the cell at its address, evaluates its operands from left to right, reads,
//! and puts the results where they belong; the first fault on this way stops the thread, and then
//! nothing is written. The expected value of a compare-and-swap is compared exactly: it is not
//! wrapped to the cell's width.
//!
//! The width of an access must be that of the cell it hits, if the cell has a declared width; other
//! widths are a fault, since a cell is never torn. An access *across* cells ([`AccessWidth::Across`])
//! covers several at once: all of its cells are read, or reach memory, in one step, and each cell is read
//! as if it were accessed alone, so a load takes from its thread's buffer what is newest there of each
//! cell and the rest from memory. (That is what herd's `x86tso-mixed.cat` says by axioms: `rfi` orders
//! nothing, and whoever observes one cell of an access observes all. Processors that wait until a store
//! has left the buffer when it covers only a part of a load do less.) It is reserved if all its cells are.

use std::fmt;

use crate::expr::{BinaryOp, Expr};
use crate::index::RegisterId;
use crate::value::{Domain, Fault, IntType, Value};

/// The order of an access in its source language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// An ordinary access.
    Plain,
    /// A `volatile` access: the compiler keeps it, the machine sees an ordinary one.
    Volatile,
    /// Atomic without ordering.
    Relaxed,
    /// Ordered before what follows.
    Acquire,
    /// Ordered after what precedes.
    Release,
    /// Both; for updates and exclusive accesses.
    AcquireRelease,
    /// Sequentially consistent.
    SeqCst,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Volatile => "volatile",
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcquireRelease => "acq_rel",
            Self::SeqCst => "seq_cst",
        })
    }
}

/// How many bytes an access covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessWidth {
    /// As many as the cell that it hits.
    Cell,
    /// This many, which are one cell.
    Bytes(u8),
    /// As many as this type has, in one cell or in several neighbouring ones ([`crate::footprint`]).
    Across(IntType),
}

impl AccessWidth {
    /// Whether an access of this width hits a cell with this domain as a whole.
    pub fn fits(self, domain: Domain) -> bool {
        match (self, domain) {
            (Self::Bytes(bytes), Domain::Wrapping(int)) => {
                u32::from(bytes) * 8 == int.bits().into()
            }
            (Self::Across(int), Domain::Wrapping(cell)) => int.bits() == cell.bits(),
            (Self::Across(_), Domain::Integer | Domain::Range { .. }) => false,
            (Self::Bytes(_) | Self::Cell, _) => true,
        }
    }
}

/// The attributes of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// Its order.
    pub order: Order,
    /// Its width.
    pub width: AccessWidth,
    /// Whether a load reserves its address for a later exclusive store.
    pub exclusive: bool,
    /// The order of a compare-and-swap that fails, if it is not that of the read of one that succeeds.
    pub failure: Option<Order>,
}

impl Access {
    /// An ordinary access.
    pub const PLAIN: Self =
        Self { order: Order::Plain, width: AccessWidth::Cell, exclusive: false, failure: None };

    /// An access of this order, otherwise ordinary.
    pub const fn with_order(order: Order) -> Self {
        Self { order, ..Self::PLAIN }
    }

    /// This access as that of a compare-and-swap that has an order of its own if it fails.
    #[must_use]
    pub const fn failing(self, failure: Order) -> Self {
        let is_alike = matches!(
            (self.order, failure),
            (Order::SeqCst, Order::SeqCst)
                | (Order::Acquire | Order::AcquireRelease, Order::Acquire)
                | (Order::Relaxed | Order::Release, Order::Relaxed)
        );
        Self { failure: if is_alike { None } else { Some(failure) }, ..self }
    }

    /// The least order that is enough whether a compare-and-swap succeeds or fails.
    pub const fn order_either_way(self) -> Order {
        match (self.order, self.failure) {
            (_, Some(Order::SeqCst)) => Order::SeqCst,
            (Order::Release | Order::AcquireRelease, Some(Order::Acquire)) => Order::AcquireRelease,
            (Order::Plain | Order::Volatile | Order::Relaxed, Some(Order::Acquire)) => {
                Order::Acquire
            }
            (order, _) => order,
        }
    }
}

/// The kind of a fence: a closed set that covers the architectures Fencewright knows. A fence with
/// the effect of two kinds is written as two fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FenceKind {
    /// Everything before it is ordered before everything after it: x86 `mfence`, Power `sync`,
    /// Arm `dmb sy`, RISC-V `fence rw,rw`, a `seq_cst` fence of C11.
    Full,
    /// All but a store before a later load: Power `lwsync`, RISC-V `fence.tso`.
    Lightweight,
    /// Stores before later stores: x86 `sfence`, Arm `dmb st`, Power `eieio`.
    StoreStore,
    /// Loads before later loads: x86 `lfence`, RISC-V `fence r,r`.
    LoadLoad,
    /// Loads before later stores: RISC-V `fence r,w`.
    LoadStore,
    /// Stores before later loads: RISC-V `fence w,r`.
    StoreLoad,
    /// Loads before everything later: Arm `dmb ld`, RISC-V `fence r,rw`, an acquire fence of C11.
    Acquire,
    /// Everything before later stores: RISC-V `fence rw,w`, a release fence of C11.
    Release,
    /// Earlier branches before later accesses: Power `isync`, Arm `isb`.
    Control,
}

impl FenceKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Full,
        Self::Lightweight,
        Self::StoreStore,
        Self::LoadLoad,
        Self::LoadStore,
        Self::StoreLoad,
        Self::Acquire,
        Self::Release,
        Self::Control,
    ];

    /// Whether an earlier store reaches memory before a later load: under TSO, whether the fence
    /// waits for an empty buffer.
    pub const fn orders_store_before_load(self) -> bool {
        match self {
            Self::Full | Self::StoreLoad => true,
            Self::Lightweight
            | Self::StoreStore
            | Self::LoadLoad
            | Self::LoadStore
            | Self::Acquire
            | Self::Release
            | Self::Control => false,
        }
    }
}

/// The operation of a fetch-and-op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FetchOp {
    /// Adds.
    Add,
    /// Subtracts.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Complement of the bitwise and.
    Nand,
    /// Keeps the lesser.
    Min,
    /// Keeps the greater.
    Max,
    /// Keeps the lesser of two numbers of a type, whatever memory holds them as.
    MinAs(IntType),
    /// Keeps the greater of two numbers of a type, whatever memory holds them as.
    MaxAs(IntType),
}

impl FetchOp {
    /// All operations that do not name a type.
    pub const ALL: [Self; 8] =
        [Self::Add, Self::Sub, Self::And, Self::Or, Self::Xor, Self::Nand, Self::Min, Self::Max];

    /// The same of numbers without a sign, if it compares.
    #[must_use]
    pub fn of_unsigned(self, bits: u8) -> Self {
        match (self, IntType::new(bits, false)) {
            (Self::Min | Self::MinAs(_), Some(int)) => Self::MinAs(int),
            (Self::Max | Self::MaxAs(_), Some(int)) => Self::MaxAs(int),
            (other, _) => other,
        }
    }

    /// The type whose numbers it compares, if it does, in a cell that holds values of a type.
    #[must_use]
    pub const fn compared(self, held: IntType) -> IntType {
        match self {
            Self::MinAs(int) | Self::MaxAs(int) => int,
            Self::Add
            | Self::Sub
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Nand
            | Self::Min
            | Self::Max => held,
        }
    }

    /// What is written when `old` was read.
    pub fn apply(self, old: Value, operand: Value) -> Result<Value, Fault> {
        match self {
            Self::Add => BinaryOp::Add.apply(old, operand),
            Self::Sub => BinaryOp::Sub.apply(old, operand),
            Self::And => Ok(old & operand),
            Self::Or => Ok(old | operand),
            Self::Xor => Ok(old ^ operand),
            Self::Nand => Ok(!(old & operand)),
            Self::Min => Ok(old.min(operand)),
            Self::Max => Ok(old.max(operand)),
            Self::MinAs(int) => Ok(int.wrap(old).min(int.wrap(operand))),
            Self::MaxAs(int) => Ok(int.wrap(old).max(int.wrap(operand))),
        }
    }
}

/// What an atomic read-modify-write does with the value it read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Update {
    /// Writes a value.
    Exchange(Expr),
    /// Combines the value read with an operand; the result wraps if the cell's domain does.
    Fetch {
        /// The operation.
        op: FetchOp,
        /// Its right operand.
        operand: Expr,
    },
    /// Writes `new` if the value read is `expected`, otherwise nothing.
    CompareAndSwap {
        /// The value compared with.
        expected: Expr,
        /// The value written on success.
        new: Expr,
    },
    /// Writes `new` if the value read is `expected`, otherwise blocks (ESOP'15 `arw`).
    BlockingReadWrite {
        /// The value waited for.
        expected: Expr,
        /// The value written.
        new: Expr,
    },
}

/// What an edge of a thread does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instruction {
    /// Nothing.
    Skip,
    /// `register ← value`.
    Assign {
        /// The register written.
        register: RegisterId,
        /// Its new value.
        value: Expr,
    },
    /// `register ←` any value from `low` to `high`, both included.
    Choose {
        /// The register written.
        register: RegisterId,
        /// The least value.
        low: Value,
        /// The greatest value.
        high: Value,
    },
    /// Blocks unless the condition is true (not zero). Both papers write it `assert` or `assume`.
    Assume(Expr),
    /// A checked property: a fault unless the condition is true.
    Assert(Expr),
    /// `register ← mem[address]`.
    Load {
        /// The register written.
        register: RegisterId,
        /// The address read.
        address: Expr,
        /// How.
        access: Access,
    },
    /// `mem[address] ← value`.
    Store {
        /// The address written.
        address: Expr,
        /// The value written.
        value: Expr,
        /// How; never exclusive.
        access: Access,
    },
    /// An exclusive store: `mem[address] ← value` and `status ← 0` if the reservation stands, or
    /// `status ← 1` and no store.
    StoreExclusive {
        /// The register that receives 0 on success and 1 on failure.
        status: RegisterId,
        /// The address written.
        address: Expr,
        /// The value written.
        value: Expr,
        /// How; always exclusive.
        access: Access,
    },
    /// An atomic read-modify-write of `mem[address]`.
    Update {
        /// The register that receives the value read, if any does. (None does for a
        /// [`Update::BlockingReadWrite`], which reads what it expects.)
        result: Option<RegisterId>,
        /// The address read and written.
        address: Expr,
        /// What is written.
        update: Update,
        /// How; never exclusive.
        access: Access,
    },
    /// A fence.
    Fence(FenceKind),
    /// Takes the memory lock.
    Lock,
    /// Gives the memory lock back.
    Unlock,
}

impl Instruction {
    /// Whether, under TSO, this waits until the thread's buffer is empty.
    pub const fn drains_buffer(&self) -> bool {
        match self {
            Self::Fence(kind) => kind.orders_store_before_load(),
            Self::Store { access, .. } => matches!(access.order, Order::SeqCst),
            Self::Update { .. } | Self::StoreExclusive { .. } | Self::Lock | Self::Unlock => true,
            Self::Skip
            | Self::Assign { .. }
            | Self::Choose { .. }
            | Self::Assume(_)
            | Self::Assert(_)
            | Self::Load { .. } => false,
        }
    }

    /// Whether this is one atomic access to memory that no store buffer delays.
    pub const fn is_locked_access(&self) -> bool {
        match self {
            Self::Store { access, .. } => matches!(access.order, Order::SeqCst),
            Self::Update { .. } | Self::StoreExclusive { .. } => true,
            Self::Skip
            | Self::Assign { .. }
            | Self::Choose { .. }
            | Self::Assume(_)
            | Self::Assert(_)
            | Self::Load { .. }
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock => false,
        }
    }

    /// The address accessed and how, if memory is accessed.
    pub const fn memory_access(&self) -> Option<(&Expr, &Access)> {
        match self {
            Self::Load { address, access, .. }
            | Self::Store { address, access, .. }
            | Self::StoreExclusive { address, access, .. }
            | Self::Update { address, access, .. } => Some((address, access)),
            Self::Skip
            | Self::Assign { .. }
            | Self::Choose { .. }
            | Self::Assume(_)
            | Self::Assert(_)
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock => None,
        }
    }

    /// The register this writes, if any.
    pub const fn written_register(&self) -> Option<RegisterId> {
        match self {
            Self::Assign { register, .. }
            | Self::Choose { register, .. }
            | Self::Load { register, .. }
            | Self::StoreExclusive { status: register, .. } => Some(*register),
            Self::Update { result, .. } => *result,
            Self::Skip
            | Self::Assume(_)
            | Self::Assert(_)
            | Self::Store { .. }
            | Self::Fence(_)
            | Self::Lock
            | Self::Unlock => None,
        }
    }

    /// The expressions evaluated, in the order of evaluation.
    pub fn expressions(&self) -> Vec<&Expr> {
        self.operands().collect()
    }

    /// The same, one after the other.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let operands = match self {
            Self::Skip | Self::Choose { .. } | Self::Fence(_) | Self::Lock | Self::Unlock => {
                [None; 3]
            }
            Self::Assign { value: only, .. }
            | Self::Assume(only)
            | Self::Assert(only)
            | Self::Load { address: only, .. } => [Some(only), None, None],
            Self::Store { address, value, .. } | Self::StoreExclusive { address, value, .. } => {
                [Some(address), Some(value), None]
            }
            Self::Update { address, update, .. } => match update {
                Update::Exchange(value) | Update::Fetch { operand: value, .. } => {
                    [Some(address), Some(value), None]
                }
                Update::CompareAndSwap { expected, new }
                | Update::BlockingReadWrite { expected, new } => {
                    [Some(address), Some(expected), Some(new)]
                }
            },
        };
        operands.into_iter().flatten()
    }
}
