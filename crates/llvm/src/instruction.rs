//! Instructions, terminators among them.

use crate::constant::{Operand, Value};
use crate::index::{BlockId, LocalId, MetadataId, TypeId};

/// An instruction of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The value it defines, unless it is `void`.
    pub result: Option<LocalId>,
    /// What it does.
    pub operation: Operation,
    /// The `DILocation` that its `!dbg` names.
    pub location: Option<MetadataId>,
}

/// How an atomic access is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ordering {
    /// `unordered`
    Unordered,
    /// `monotonic`
    Monotonic,
    /// `acquire`
    Acquire,
    /// `release`
    Release,
    /// `acq_rel`
    AcquireRelease,
    /// `seq_cst`
    SequentiallyConsistent,
}

/// Integer and floating-point arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are LLVM's own names")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// Casts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are LLVM's own names")]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    PtrToAddr,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

/// Comparisons of integers and pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are LLVM's own names")]
pub enum IntegerPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Comparisons of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are LLVM's own names")]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// What an `atomicrmw` does with the value it read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "these are LLVM's own names")]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    FMaximum,
    FMinimum,
    UIncWrap,
    UDecWrap,
    USubCond,
    USubSat,
}

/// Inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asm {
    /// The template, decoded.
    pub text: String,
    /// The constraints, decoded.
    pub constraints: String,
    /// Whether it has effects beyond its outputs.
    pub side_effect: bool,
    /// Whether it is in Intel's syntax.
    pub intel: bool,
}

/// A call: of a function, a pointer or inline assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is returned.
    pub result_type: TypeId,
    /// The type of the function, where it is written out: it must be if the function is variadic.
    pub function_type: Option<TypeId>,
    /// What is called.
    pub callee: Value,
    /// The arguments.
    pub arguments: Vec<Operand>,
    /// The types that `elementtype(T)`, `sret(T)`, `byval(T)` give to arguments, by position.
    pub argument_types: Vec<(usize, TypeId)>,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `alloca`
    Alloca {
        /// Of what.
        ty: TypeId,
        /// How many, if not one.
        count: Option<Operand>,
        /// The alignment in bytes, if it is given.
        align: Option<u64>,
    },
    /// `load`
    Load {
        /// What is read.
        ty: TypeId,
        /// From where.
        address: Operand,
        /// Whether it is volatile.
        volatile: bool,
        /// How it is ordered if it is atomic.
        ordering: Option<Ordering>,
        /// Whether it is ordered only against signal handlers of its own thread.
        single_thread: bool,
        /// The alignment in bytes, if it is given.
        align: Option<u64>,
    },
    /// `store`
    Store {
        /// What is written.
        value: Operand,
        /// To where.
        address: Operand,
        /// Whether it is volatile.
        volatile: bool,
        /// How it is ordered if it is atomic.
        ordering: Option<Ordering>,
        /// Whether it is ordered only against signal handlers of its own thread.
        single_thread: bool,
        /// The alignment in bytes, if it is given.
        align: Option<u64>,
    },
    /// `cmpxchg`; its result is `{ T, i1 }`.
    CompareExchange {
        /// Where.
        address: Operand,
        /// The value compared with.
        expected: Operand,
        /// The value written on success.
        new: Operand,
        /// Whether it may fail for no reason.
        weak: bool,
        /// Whether it is volatile.
        volatile: bool,
        /// The order on success.
        success: Ordering,
        /// The order on failure.
        failure: Ordering,
        /// Whether it is ordered only against signal handlers of its own thread.
        single_thread: bool,
    },
    /// `atomicrmw`
    AtomicRmw {
        /// What is done.
        op: RmwOp,
        /// Where.
        address: Operand,
        /// The operand.
        value: Operand,
        /// Whether it is volatile.
        volatile: bool,
        /// The order.
        ordering: Ordering,
        /// Whether it is ordered only against signal handlers of its own thread.
        single_thread: bool,
    },
    /// `fence`
    Fence {
        /// The order.
        ordering: Ordering,
        /// Whether it concerns only signal handlers of its own thread.
        single_thread: bool,
    },
    /// `getelementptr`
    GetElementPtr {
        /// The type that the first index counts.
        element: TypeId,
        /// The pointer.
        base: Operand,
        /// The indices.
        indices: Vec<Operand>,
    },
    /// Arithmetic.
    Binary {
        /// Which.
        op: BinaryOp,
        /// The left operand.
        left: Operand,
        /// The right operand, of the same type.
        right: Operand,
    },
    /// `fneg`
    FNeg(Operand),
    /// `icmp`
    Compare {
        /// Which.
        predicate: IntegerPredicate,
        /// The left operand.
        left: Operand,
        /// The right operand, of the same type.
        right: Operand,
    },
    /// `fcmp`
    FloatCompare {
        /// Which.
        predicate: FloatPredicate,
        /// The left operand.
        left: Operand,
        /// The right operand, of the same type.
        right: Operand,
    },
    /// A cast.
    Cast {
        /// Which.
        op: CastOp,
        /// Of what.
        value: Operand,
        /// To what.
        to: TypeId,
    },
    /// `select`
    Select {
        /// Whether the first.
        condition: Operand,
        /// Then.
        then: Operand,
        /// Otherwise.
        otherwise: Operand,
    },
    /// `phi`
    Phi {
        /// The type.
        ty: TypeId,
        /// The value for each block that leads here.
        incoming: Vec<(Value, BlockId)>,
    },
    /// `freeze`
    Freeze(Operand),
    /// `extractvalue`
    ExtractValue {
        /// From what.
        aggregate: Operand,
        /// Which part.
        indices: Vec<u32>,
    },
    /// `insertvalue`
    InsertValue {
        /// Into what.
        aggregate: Operand,
        /// What.
        value: Operand,
        /// Which part.
        indices: Vec<u32>,
    },
    /// `extractelement`
    ExtractElement {
        /// From what.
        vector: Operand,
        /// Which.
        index: Operand,
    },
    /// `insertelement`
    InsertElement {
        /// Into what.
        vector: Operand,
        /// What.
        value: Operand,
        /// Which.
        index: Operand,
    },
    /// `shufflevector`
    ShuffleVector {
        /// The first vector.
        left: Operand,
        /// The second vector.
        right: Operand,
        /// Which elements.
        mask: Operand,
    },
    /// `va_arg`
    VaArg {
        /// The list.
        list: Operand,
        /// The type of the argument.
        ty: TypeId,
    },
    /// `call`
    Call(Call),
    /// `invoke`: a call that ends its block.
    Invoke {
        /// The call.
        call: Call,
        /// Where it goes on.
        normal: BlockId,
        /// Where it goes if something is thrown.
        unwind: BlockId,
    },
    /// `callbr`: inline assembly with jumps.
    CallBranch {
        /// The call.
        call: Call,
        /// Where it falls through to.
        normal: BlockId,
        /// Where it may jump to.
        indirect: Vec<BlockId>,
    },
    /// `landingpad`
    LandingPad {
        /// The type of what is caught.
        ty: TypeId,
    },
    /// `br label`
    Branch(BlockId),
    /// `br i1`
    ConditionalBranch {
        /// Whether the first.
        condition: Operand,
        /// Then.
        then: BlockId,
        /// Otherwise.
        otherwise: BlockId,
    },
    /// `switch`
    Switch {
        /// What is looked at.
        value: Operand,
        /// Where it goes if nothing else fits.
        default: BlockId,
        /// Constants and where they lead.
        cases: Vec<(Operand, BlockId)>,
    },
    /// `indirectbr`
    IndirectBranch {
        /// Where to.
        address: Operand,
        /// All it can be.
        targets: Vec<BlockId>,
    },
    /// `ret`
    Return(Option<Operand>),
    /// `resume`
    Resume(Operand),
    /// `unreachable`
    Unreachable,
    /// What is not understood, as its text: exception handling of Windows and the future.
    Other(String),
}

impl Operation {
    /// Whether it ends its block. For what is not understood, only where it stands can tell.
    pub const fn is_terminator(&self) -> bool {
        match self {
            Self::Invoke { .. }
            | Self::CallBranch { .. }
            | Self::Branch(_)
            | Self::ConditionalBranch { .. }
            | Self::Switch { .. }
            | Self::IndirectBranch { .. }
            | Self::Return(_)
            | Self::Resume(_)
            | Self::Unreachable => true,
            Self::Alloca { .. }
            | Self::Load { .. }
            | Self::Store { .. }
            | Self::CompareExchange { .. }
            | Self::AtomicRmw { .. }
            | Self::Fence { .. }
            | Self::GetElementPtr { .. }
            | Self::Binary { .. }
            | Self::FNeg(_)
            | Self::Compare { .. }
            | Self::FloatCompare { .. }
            | Self::Cast { .. }
            | Self::Select { .. }
            | Self::Phi { .. }
            | Self::Freeze(_)
            | Self::ExtractValue { .. }
            | Self::InsertValue { .. }
            | Self::ExtractElement { .. }
            | Self::InsertElement { .. }
            | Self::ShuffleVector { .. }
            | Self::VaArg { .. }
            | Self::Call(_)
            | Self::LandingPad { .. }
            | Self::Other(_) => false,
        }
    }

    /// Calls a function with every block that is mentioned.
    pub(crate) fn for_each_block_mut(&mut self, change: &mut impl FnMut(&mut BlockId)) {
        match self {
            Self::Phi { incoming, .. } => {
                for (_, block) in incoming {
                    change(block);
                }
            }
            Self::Call(call) => call.for_each_block_mut(change),
            Self::Invoke { call, normal, unwind } => {
                call.for_each_block_mut(change);
                change(normal);
                change(unwind);
            }
            Self::CallBranch { call, normal, indirect } => {
                call.for_each_block_mut(change);
                change(normal);
                indirect.iter_mut().for_each(change);
            }
            Self::Branch(target) => change(target),
            Self::ConditionalBranch { then, otherwise, .. } => {
                change(then);
                change(otherwise);
            }
            Self::Switch { default, cases, .. } => {
                change(default);
                for (_, block) in cases {
                    change(block);
                }
            }
            Self::IndirectBranch { targets, .. } => targets.iter_mut().for_each(change),
            Self::Return(_)
            | Self::Resume(_)
            | Self::Unreachable
            | Self::Alloca { .. }
            | Self::Load { .. }
            | Self::Store { .. }
            | Self::CompareExchange { .. }
            | Self::AtomicRmw { .. }
            | Self::Fence { .. }
            | Self::GetElementPtr { .. }
            | Self::Binary { .. }
            | Self::FNeg(_)
            | Self::Compare { .. }
            | Self::FloatCompare { .. }
            | Self::Cast { .. }
            | Self::Select { .. }
            | Self::Freeze(_)
            | Self::ExtractValue { .. }
            | Self::InsertValue { .. }
            | Self::ExtractElement { .. }
            | Self::InsertElement { .. }
            | Self::ShuffleVector { .. }
            | Self::VaArg { .. }
            | Self::LandingPad { .. }
            | Self::Other(_) => {}
        }
    }
}

impl Call {
    fn for_each_block_mut(&mut self, change: &mut impl FnMut(&mut BlockId)) {
        for argument in &mut self.arguments {
            if let Value::Block(block) = &mut argument.value {
                change(block);
            }
        }
    }
}
