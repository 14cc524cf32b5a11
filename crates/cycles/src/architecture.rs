//! What each architecture keeps in order by itself, and what its fences add: one table.
//!
//! Rows are pairs of accesses in program order to different addresses; the entries say how strongly a
//! pair is ordered. On a multi-copy atomic machine a pair is ordered or it is not. On Power and `ARMv7`
//! there are three strengths, and which of them a cycle needs where is the subject of
//! [`crate::critical`].
//!
//! Sources: the models of the crate `axiomatic`, which name theirs; RMO is that of the SPARC
//! Architecture Manual, version 9, appendix D.

use events::AccessKind;
use program::{Architecture as InstructionSet, FenceKind, Order, Target};

/// An architecture whose reorderings are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arch {
    /// x86: total store order.
    X86,
    /// SPARC's partial store order.
    Pso,
    /// SPARC's relaxed memory order.
    Rmo,
    /// Power.
    Power,
    /// Arm with 32 bits.
    ArmV7,
    /// Arm with 64 bits.
    AArch64,
    /// Arm with 64 bits and the large system extensions.
    AArch64Lse,
    /// RISC-V.
    RiscV,
}

/// Whether an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// How strongly two accesses of a thread are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Not at all.
    None,
    /// The thread performs them in this order: preserved program order.
    Preserved,
    /// And every other thread that sees the second has what came before the first: a lightweight,
    /// cumulative fence.
    Light,
    /// And everything that was seen before is everywhere: a full fence; the only strength of a
    /// multi-copy atomic machine.
    Full,
}

use Direction::{Read, Write};
use Strength::{Full, Light, Preserved};

impl Arch {
    /// All architectures.
    pub const ALL: [Self; 8] = [
        Self::X86,
        Self::Pso,
        Self::Rmo,
        Self::Power,
        Self::ArmV7,
        Self::AArch64,
        Self::AArch64Lse,
        Self::RiscV,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86",
            Self::Pso => "pso",
            Self::Rmo => "rmo",
            Self::Power => "power",
            Self::ArmV7 => "armv7",
            Self::AArch64 => "aarch64",
            Self::AArch64Lse => "aarch64-lse",
            Self::RiscV => "riscv",
        }
    }

    /// What programs in a language are compiled for; nothing where the accesses of a language are
    /// ordered as `program::instruction` says.
    pub const fn target(self) -> Option<Target> {
        match self {
            Self::X86 | Self::Pso | Self::Rmo => None,
            Self::Power => Some(Target::Power),
            Self::ArmV7 => Some(Target::ArmV7),
            Self::AArch64 => Some(Target::AArch64),
            Self::AArch64Lse => Some(Target::AArch64Lse),
            Self::RiscV => Some(Target::RiscV),
        }
    }

    /// Whether instructions of this set are its own.
    pub fn has_instructions_of(self, set: InstructionSet) -> bool {
        match self {
            Self::X86 => set == InstructionSet::X86,
            Self::Pso | Self::Rmo => false,
            Self::Power => set == InstructionSet::Power,
            Self::ArmV7 => set == InstructionSet::Arm,
            Self::AArch64 | Self::AArch64Lse => set == InstructionSet::AArch64,
            Self::RiscV => set == InstructionSet::RiscV,
        }
    }

    /// Whether a write becomes visible to all other threads at once.
    pub const fn is_multi_copy_atomic(self) -> bool {
        match self {
            Self::X86 | Self::Pso | Self::Rmo | Self::AArch64 | Self::AArch64Lse | Self::RiscV => {
                true
            }
            Self::Power | Self::ArmV7 => false,
        }
    }

    /// Whether two reads of one address stay in order. RMO alone lets the second see an older write.
    pub const fn keeps_reads_of_one_address(self) -> bool {
        match self {
            Self::Rmo => false,
            Self::X86
            | Self::Pso
            | Self::Power
            | Self::ArmV7
            | Self::AArch64
            | Self::AArch64Lse
            | Self::RiscV => true,
        }
    }

    /// How strongly accesses to different addresses are ordered without a fence or a dependency.
    pub const fn by_itself(self, first: Direction, second: Direction) -> Strength {
        match (self, first, second) {
            (Self::X86 | Self::Pso, Read, _) | (Self::X86, Write, Write) => Full,
            (Self::X86, Write, Read)
            | (Self::Pso, Write, _)
            | (
                Self::Rmo
                | Self::Power
                | Self::ArmV7
                | Self::AArch64
                | Self::AArch64Lse
                | Self::RiscV,
                _,
                _,
            ) => Strength::None,
        }
    }

    /// How strongly a dependency of the second access on the first orders them, where it does.
    pub const fn by_dependency(self) -> Strength {
        match self {
            Self::Power | Self::ArmV7 => Preserved,
            Self::X86 | Self::Pso | Self::Rmo | Self::AArch64 | Self::AArch64Lse | Self::RiscV => {
                Full
            }
        }
    }

    /// Whether a control fence behind a branch on a read orders the read and later reads: `isync`, `isb`. `fence.i` of
    /// RISC-V orders no accesses to data, and SPARC has no such instruction.
    pub const fn has_control_fences(self) -> bool {
        match self {
            Self::Power | Self::ArmV7 | Self::AArch64 | Self::AArch64Lse => true,
            Self::X86 | Self::Pso | Self::Rmo | Self::RiscV => false,
        }
    }

    /// How strongly a fence between two accesses orders them. Kinds that the architecture does not have
    /// stand for what they are compiled to.
    pub const fn by_fence(self, kind: FenceKind, first: Direction, second: Direction) -> Strength {
        let kind = match self.target() {
            Some(target) => target.fence(kind),
            None => kind,
        };
        match self {
            // Fences of x86 and SPARC, and of RISC-V, order what their kind says; so do those of AArch64.
            Self::X86 | Self::Pso | Self::Rmo | Self::AArch64 | Self::AArch64Lse | Self::RiscV => {
                if orders(kind, first, second) {
                    Full
                } else {
                    Strength::None
                }
            }
            Self::Power => {
                match kind {
                    FenceKind::Full => Full,
                    FenceKind::Lightweight | FenceKind::StoreStore => {
                        if orders(kind, first, second) { Light } else { Strength::None }
                    }
                    // A control fence orders only behind a branch, which is a dependency.
                    FenceKind::Control
                    | FenceKind::LoadLoad
                    | FenceKind::LoadStore
                    | FenceKind::StoreLoad
                    | FenceKind::Acquire
                    | FenceKind::Release => Strength::None,
                }
            }
            Self::ArmV7 => match kind {
                FenceKind::Full | FenceKind::StoreStore => {
                    if orders(kind, first, second) {
                        Full
                    } else {
                        Strength::None
                    }
                }
                FenceKind::Control
                | FenceKind::Lightweight
                | FenceKind::LoadLoad
                | FenceKind::LoadStore
                | FenceKind::StoreLoad
                | FenceKind::Acquire
                | FenceKind::Release => Strength::None,
            },
        }
    }

    /// The kinds of fences that can be put in, the cheapest first, each with what it costs by default.
    ///
    /// Costs are relative, after the folklore that a full fence is a few times as expensive as what
    /// orders less. Dependencies and branches with control fences are not offered: a compiler may take
    /// away those that a source text has, and none can be relied on.
    pub const fn fences(self) -> &'static [(FenceKind, u64)] {
        use FenceKind::{
            Acquire, Full as Sync, Lightweight, LoadLoad, LoadStore, Release, StoreLoad, StoreStore,
        };
        match self {
            Self::X86 => &[(Sync, 4)],
            Self::Rmo | Self::RiscV => &[
                (LoadLoad, 2),
                (LoadStore, 2),
                (StoreStore, 2),
                (Acquire, 2),
                (Release, 2),
                (Lightweight, 3),
                (StoreLoad, 4),
                (Sync, 4),
            ],
            Self::Power => &[(StoreStore, 2), (Lightweight, 2), (Sync, 4)],
            Self::Pso | Self::ArmV7 => &[(StoreStore, 2), (Sync, 4)],
            Self::AArch64 | Self::AArch64Lse => &[(StoreStore, 2), (Acquire, 2), (Sync, 4)],
        }
    }
}

impl Arch {
    /// What an access of an order costs more than a relaxed one, by default.
    ///
    /// By what compilers emit for it (`program::mapping`), on the scale of [`Arch::fences`]: a fence that an order
    /// stands for is priced a little below that fence, since it orders no more than is asked for and the
    /// compiler knows what it is there for. An order that is part of an instruction, as on `AArch64`, is the
    /// cheapest; a `seq_cst` access costs less than a full fence and an order, but two of them more.
    pub const fn order_cost(self, kind: AccessKind, order: Order) -> u64 {
        let is_update = match kind {
            AccessKind::Update { .. } => true,
            AccessKind::Read
            | AccessKind::ReadExclusive
            | AccessKind::Write
            | AccessKind::WriteExclusive => false,
        };
        match (self, order) {
            (_, Order::Plain | Order::Volatile | Order::Relaxed) => 0,
            // Updates are locked anyway; loads and stores but for `seq_cst` stores are ordinary ones.
            (Self::X86, _) if is_update => 0,
            (Self::X86, Order::SeqCst) => 4,
            (Self::X86, Order::Acquire | Order::Release | Order::AcquireRelease) => 0,
            // `dmb` before or after; `LDAR` and `STLR`, or a fence of RISC-V, in full.
            (Self::ArmV7, Order::Acquire | Order::Release)
            | (Self::AArch64 | Self::AArch64Lse | Self::RiscV, Order::SeqCst) => 3,
            (Self::ArmV7, Order::AcquireRelease) => 6,
            (Self::ArmV7, Order::SeqCst) => 7,
            // `lwsync` before, a branch and `isync` after; `sync`.
            (Self::Power | Self::Pso | Self::Rmo, Order::SeqCst) => 5,
            (
                Self::Pso
                | Self::Rmo
                | Self::Power
                | Self::AArch64
                | Self::AArch64Lse
                | Self::RiscV,
                Order::Acquire | Order::Release,
            ) => 1,
            (
                Self::Pso
                | Self::Rmo
                | Self::Power
                | Self::AArch64
                | Self::AArch64Lse
                | Self::RiscV,
                Order::AcquireRelease,
            ) => 2,
        }
    }
}

/// Whether a fence of a kind orders two accesses around it, by what its kind says.
const fn orders(kind: FenceKind, first: Direction, second: Direction) -> bool {
    match kind {
        FenceKind::Full => true,
        FenceKind::Lightweight => !matches!((first, second), (Write, Read)),
        FenceKind::StoreStore => matches!((first, second), (Write, Write)),
        FenceKind::LoadLoad => matches!((first, second), (Read, Read)),
        FenceKind::LoadStore => matches!((first, second), (Read, Write)),
        FenceKind::StoreLoad => matches!((first, second), (Write, Read)),
        FenceKind::Acquire => matches!(first, Read),
        FenceKind::Release => matches!(second, Write),
        FenceKind::Control => false,
    }
}
