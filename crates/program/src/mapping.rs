//! What compilers make of the accesses and fences of a language, architecture by architecture.
//!
//! C11's and Rust's orders are no instructions. A program in a language is asked about on a machine as
//! the code that a compiler for it emits:
//!
//! - Power: Batty, Memarian, Owens, Sarkar, Sewell, "Clarifying and compiling C/C++ concurrency: from
//!   C++11 to POWER" (POPL 2012), Fig. 1; GCC and LLVM emit the same.
//! - `ARMv7`: the mappings of the same group, with `dmb`.
//! - `AArch64`: LLVM and GCC for `armv8-a`: updates are a loop of a load-exclusive and a store-exclusive.
//!   An `acquire` load is `LDAPR`, which compilers use from `armv8.3-a` on and which orders less than the
//!   `LDAR` of earlier versions. With the large system extensions (`armv8.1-a`) updates are one
//!   instruction, which orders more around it, but has no branch on what it compares.
//! - RISC-V: the ISA manual, volume I, table "Mappings from C/C++ primitives to RISC-V primitives"
//!   (A.6 in the unprivileged manual 20191213), which the psABI adopts: fences beside plain accesses, since
//!   `.aq` and `.rl` exist on AMOs, `lr` and `sc` alone.
//!
//! A program that consists of an architecture's own instructions ([`crate::Program::architecture`]) is
//! asked about there as it stands.

use crate::instruction::{Access, FenceKind, FetchOp, Order, Update};

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Architecture {
    /// x86, of 32 or 64 bits.
    X86,
    /// Power.
    Power,
    /// Arm with 32 bits: A32.
    Arm,
    /// Arm with 64 bits: A64.
    AArch64,
    /// RISC-V.
    RiscV,
}

/// What is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Power.
    Power,
    /// `ARMv7`.
    ArmV7,
    /// Any version of 64-bit Arm.
    AArch64,
    /// 64-bit Arm with the large system extensions.
    AArch64Lse,
    /// RISC-V with the extension A.
    RiscV,
}

/// What follows an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum After {
    /// Nothing.
    Nothing,
    /// A fence.
    Fence(FenceKind),
    /// A branch on what was read, and a control fence (`cmpw; bne; isync`).
    Branch,
}

/// A load or a store as it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The fence before it.
    pub before: Option<FenceKind>,
    /// The order of the instruction itself.
    pub order: Order,
    /// What follows.
    pub after: After,
}

/// How an update is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updating {
    /// As one instruction of this order.
    Instruction(Order),
    /// As a loop of an exclusive load and an exclusive store, of these orders. A comparison is a branch
    /// between them.
    Loop {
        /// The order of the load.
        load: Order,
        /// The order of the store.
        store: Order,
    },
}

/// An update as it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledUpdate {
    /// The fence before it.
    pub before: Option<FenceKind>,
    /// The update itself.
    pub updating: Updating,
    /// What follows, unless a comparison fails.
    pub after: After,
    /// What follows a comparison that fails.
    pub after_failure: After,
}

impl Compiled {
    /// An instruction of an order, with nothing around it.
    pub const fn alone(order: Order) -> Self {
        Self { before: None, order, after: After::Nothing }
    }
}

/// How strong an order is, as far as mappings distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SeqCst,
}

impl Strength {
    const fn acquires(self) -> bool {
        match self {
            Self::Acquire | Self::AcquireRelease | Self::SeqCst => true,
            Self::Relaxed | Self::Release => false,
        }
    }

    const fn releases(self) -> bool {
        match self {
            Self::Release | Self::AcquireRelease | Self::SeqCst => true,
            Self::Relaxed | Self::Acquire => false,
        }
    }
}

/// What follows an update on `ARMv7`.
const fn arm_barrier(strength: Strength) -> After {
    if strength.acquires() { After::Fence(FenceKind::Full) } else { After::Nothing }
}

const fn strength(order: Order) -> Strength {
    match order {
        Order::Plain | Order::Volatile | Order::Relaxed => Strength::Relaxed,
        Order::Acquire => Strength::Acquire,
        Order::Release => Strength::Release,
        Order::AcquireRelease => Strength::AcquireRelease,
        Order::SeqCst => Strength::SeqCst,
    }
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 5] =
        [Self::Power, Self::ArmV7, Self::AArch64, Self::AArch64Lse, Self::RiscV];

    /// An exclusive load of an order, which is an instruction in every instruction set.
    pub const fn load_exclusive(self, order: Order) -> Compiled {
        match self {
            Self::Power | Self::ArmV7 => self.load(order),
            Self::AArch64 | Self::AArch64Lse | Self::RiscV => Compiled::alone(order),
        }
    }

    /// An exclusive store of an order.
    pub const fn store_exclusive(self, order: Order) -> Compiled {
        match self {
            Self::Power | Self::ArmV7 => self.store(order),
            Self::AArch64 | Self::AArch64Lse | Self::RiscV => Compiled::alone(order),
        }
    }

    /// A load of an order.
    pub const fn load(self, order: Order) -> Compiled {
        let plain = Compiled::alone(Order::Plain);
        match (self, strength(order)) {
            (_, Strength::Relaxed | Strength::Release) => plain,
            (Self::Power, Strength::Acquire | Strength::AcquireRelease) => {
                Compiled { after: After::Branch, ..plain }
            }
            (Self::Power, Strength::SeqCst) => {
                Compiled { before: Some(FenceKind::Full), after: After::Branch, ..plain }
            }
            (Self::ArmV7, _) => Compiled { after: After::Fence(FenceKind::Full), ..plain },
            (Self::AArch64 | Self::AArch64Lse, Strength::Acquire | Strength::AcquireRelease) => {
                Compiled { order: Order::Acquire, ..plain }
            }
            (Self::AArch64 | Self::AArch64Lse, Strength::SeqCst) => {
                Compiled { order: Order::SeqCst, ..plain }
            }
            (Self::RiscV, Strength::Acquire | Strength::AcquireRelease) => {
                Compiled { after: After::Fence(FenceKind::Acquire), ..plain }
            }
            (Self::RiscV, Strength::SeqCst) => Compiled {
                before: Some(FenceKind::Full),
                after: After::Fence(FenceKind::Acquire),
                ..plain
            },
        }
    }

    /// A store of an order.
    pub const fn store(self, order: Order) -> Compiled {
        let plain = Compiled::alone(Order::Plain);
        match (self, strength(order)) {
            (_, Strength::Relaxed | Strength::Acquire) => plain,
            (Self::Power, Strength::Release | Strength::AcquireRelease) => {
                Compiled { before: Some(FenceKind::Lightweight), ..plain }
            }
            (Self::Power, Strength::SeqCst) => Compiled { before: Some(FenceKind::Full), ..plain },
            (Self::ArmV7, Strength::Release | Strength::AcquireRelease) => {
                Compiled { before: Some(FenceKind::Full), ..plain }
            }
            (Self::ArmV7, Strength::SeqCst) => Compiled {
                before: Some(FenceKind::Full),
                after: After::Fence(FenceKind::Full),
                ..plain
            },
            (Self::AArch64 | Self::AArch64Lse, _) => Compiled { order: Order::Release, ..plain },
            (Self::RiscV, _) => Compiled { before: Some(FenceKind::Release), ..plain },
        }
    }

    /// An update with the orders of an access.
    ///
    /// The instructions have an order that is enough whether a comparison succeeds or fails. The barrier
    /// after them differs by how it ends, so that nothing follows a failure that is relaxed: LLVM emits
    /// this for `ARMv7`. A compiler that does not tell the two ends apart orders more.
    pub const fn update(self, access: Access, update: &Update) -> CompiledUpdate {
        let success = strength(access.order);
        let failure = match access.failure {
            None => success,
            Some(failure) => strength(failure),
        };
        let strength = strength(access.order_either_way());
        let (acquires, releases) = (strength.acquires(), strength.releases());
        let bare = Updating::Loop { load: Order::Plain, store: Order::Plain };
        match self {
            Self::Power => CompiledUpdate {
                before: match strength {
                    Strength::Relaxed | Strength::Acquire => None,
                    Strength::Release | Strength::AcquireRelease => Some(FenceKind::Lightweight),
                    Strength::SeqCst => Some(FenceKind::Full),
                },
                updating: bare,
                after: if acquires { After::Branch } else { After::Nothing },
                after_failure: if failure.acquires() { After::Branch } else { After::Nothing },
            },
            Self::ArmV7 => CompiledUpdate {
                before: if success.releases() { Some(FenceKind::Full) } else { None },
                updating: bare,
                after: arm_barrier(success),
                after_failure: arm_barrier(failure),
            },
            Self::AArch64 => CompiledUpdate {
                before: None,
                updating: Updating::Loop {
                    load: if acquires { Order::Acquire } else { Order::Plain },
                    store: if releases { Order::Release } else { Order::Plain },
                },
                after: After::Nothing,
                after_failure: After::Nothing,
            },
            Self::AArch64Lse => CompiledUpdate {
                before: None,
                updating: Updating::Instruction(one_instruction(strength)),
                after: After::Nothing,
                after_failure: After::Nothing,
            },
            Self::RiscV => CompiledUpdate {
                before: None,
                updating: if is_amo(update) {
                    Updating::Instruction(one_instruction(strength))
                } else {
                    Updating::Loop {
                        load: match strength {
                            Strength::Relaxed | Strength::Release => Order::Plain,
                            Strength::Acquire | Strength::AcquireRelease => Order::Acquire,
                            Strength::SeqCst => Order::AcquireRelease,
                        },
                        store: if releases { Order::Release } else { Order::Plain },
                    }
                },
                after: After::Nothing,
                after_failure: After::Nothing,
            },
        }
    }

    /// A fence of a kind; kinds that the target does not have become the weakest that order as much.
    pub const fn fence(self, kind: FenceKind) -> FenceKind {
        match self {
            Self::Power => match kind {
                FenceKind::Full | FenceKind::StoreLoad => FenceKind::Full,
                FenceKind::Lightweight
                | FenceKind::LoadLoad
                | FenceKind::LoadStore
                | FenceKind::Acquire
                | FenceKind::Release => FenceKind::Lightweight,
                FenceKind::StoreStore | FenceKind::Control => kind,
            },
            Self::ArmV7 => match kind {
                FenceKind::Full
                | FenceKind::StoreLoad
                | FenceKind::Lightweight
                | FenceKind::LoadLoad
                | FenceKind::LoadStore
                | FenceKind::Acquire
                | FenceKind::Release => FenceKind::Full,
                FenceKind::StoreStore | FenceKind::Control => kind,
            },
            Self::AArch64 | Self::AArch64Lse => match kind {
                FenceKind::Full
                | FenceKind::StoreLoad
                | FenceKind::Lightweight
                | FenceKind::Release => FenceKind::Full,
                FenceKind::LoadLoad | FenceKind::LoadStore | FenceKind::Acquire => {
                    FenceKind::Acquire
                }
                FenceKind::StoreStore | FenceKind::Control => kind,
            },
            Self::RiscV => kind,
        }
    }
}

const fn one_instruction(strength: Strength) -> Order {
    match strength {
        Strength::Relaxed => Order::Plain,
        Strength::Acquire => Order::Acquire,
        Strength::Release => Order::Release,
        Strength::AcquireRelease | Strength::SeqCst => Order::AcquireRelease,
    }
}

/// Whether RISC-V has an AMO for an update.
pub const fn is_amo(update: &Update) -> bool {
    match update {
        Update::Exchange(_) => true,
        Update::Fetch { op, .. } => match op {
            FetchOp::Add
            | FetchOp::Sub
            | FetchOp::And
            | FetchOp::Or
            | FetchOp::Xor
            | FetchOp::Min
            | FetchOp::Max
            | FetchOp::MinAs(_)
            | FetchOp::MaxAs(_) => true,
            FetchOp::Nand => false,
        },
        Update::CompareAndSwap { .. } | Update::BlockingReadWrite { .. } => false,
    }
}
