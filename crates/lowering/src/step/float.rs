//! Floating-point arithmetic of 32 and 64 bits. A number is the bits that it consists of; an operation is a call
//! of a function that calculates with them ([`crate::bodies`]). Numbers of other formats cannot be expressed.

use llvm::{BinaryOp, CastOp, FloatKind, FloatPredicate, Operand, Type, TypeId};
use program::Value;

use crate::call::Called;
use crate::function::FunctionInfo;
use crate::thread::{Cursor, Flow, Walk};
use crate::value::{self, Val};

/// What calls of operations are told apart by from others at the same place.
const OPERATION: u32 = 1 << 20;

/// How two numbers can compare.
const LESS: Value = 1;
const EQUAL: Value = 2;
const GREATER: Value = 4;
const UNORDERED: Value = 8;

/// An operation and what it is given.
pub(super) struct Operation {
    name: &'static str,
    /// The width of the format that it calculates in.
    bits: u32,
    given: Vec<Val>,
}

impl Walk<'_, '_, '_> {
    /// The width of a format that is calculated with.
    fn float_bits(&self, module: u32, ty: TypeId) -> Option<u32> {
        match self.world.linked.module(module).types.resolved(ty) {
            Type::Float(FloatKind::Float) => Some(32),
            Type::Float(FloatKind::Double) => Some(64),
            Type::Float(
                FloatKind::Half
                | FloatKind::BFloat
                | FloatKind::X86Fp80
                | FloatKind::Fp128
                | FloatKind::PpcFp128,
            )
            | Type::Void
            | Type::Label
            | Type::Metadata
            | Type::Token
            | Type::Other(_)
            | Type::Integer(_)
            | Type::Pointer { .. }
            | Type::Array { .. }
            | Type::Vector { .. }
            | Type::Struct { .. }
            | Type::Named(_)
            | Type::Function { .. } => None,
        }
    }

    pub(super) fn float_binary(
        &mut self,
        cursor: &Cursor,
        op: BinaryOp,
        left: &Operand,
        right: &Operand,
    ) -> Option<Operation> {
        let name = match op {
            BinaryOp::FAdd => "add",
            BinaryOp::FSub => "sub",
            BinaryOp::FMul => "mul",
            BinaryOp::FDiv => "div",
            BinaryOp::FRem
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::UDiv
            | BinaryOp::SDiv
            | BinaryOp::URem
            | BinaryOp::SRem
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor => return None,
        };
        let bits = self.float_bits(cursor.known.frame.function.module, left.ty)?;
        let given = vec![self.operand(cursor, left), self.operand(cursor, right)];
        Some(Operation { name, bits, given })
    }

    pub(super) fn float_compare(
        &mut self,
        cursor: &Cursor,
        predicate: FloatPredicate,
        left: &Operand,
        right: &Operand,
    ) -> Option<Operation> {
        let which = match predicate {
            FloatPredicate::False => 0,
            FloatPredicate::Oeq => EQUAL,
            FloatPredicate::Ogt => GREATER,
            FloatPredicate::Oge => GREATER | EQUAL,
            FloatPredicate::Olt => LESS,
            FloatPredicate::Ole => LESS | EQUAL,
            FloatPredicate::One => LESS | GREATER,
            FloatPredicate::Ord => LESS | EQUAL | GREATER,
            FloatPredicate::Ueq => EQUAL | UNORDERED,
            FloatPredicate::Ugt => GREATER | UNORDERED,
            FloatPredicate::Uge => GREATER | EQUAL | UNORDERED,
            FloatPredicate::Ult => LESS | UNORDERED,
            FloatPredicate::Ule => LESS | EQUAL | UNORDERED,
            FloatPredicate::Une => LESS | GREATER | UNORDERED,
            FloatPredicate::Uno => UNORDERED,
            FloatPredicate::True => LESS | EQUAL | GREATER | UNORDERED,
        };
        let bits = self.float_bits(cursor.known.frame.function.module, left.ty)?;
        let (left, right) = (self.operand(cursor, left), self.operand(cursor, right));
        Some(Operation { name: "is", bits, given: vec![left, right, Val::constant(which)] })
    }

    pub(super) fn float_cast(
        &mut self,
        cursor: &Cursor,
        op: CastOp,
        operand: &Operand,
        to: TypeId,
    ) -> Option<Operation> {
        let module = cursor.known.frame.function.module;
        let given = self.operand(cursor, operand);
        match op {
            CastOp::FpTrunc => {
                let widths = (self.float_bits(module, operand.ty), self.float_bits(module, to));
                (widths == (Some(64), Some(32))).then(|| Operation {
                    name: "narrow",
                    bits: 64,
                    given: vec![given],
                })
            }
            CastOp::FpExt => {
                let widths = (self.float_bits(module, operand.ty), self.float_bits(module, to));
                (widths == (Some(32), Some(64))).then(|| Operation {
                    name: "widen",
                    bits: 64,
                    given: vec![given],
                })
            }
            CastOp::FpToUi | CastOp::FpToSi => {
                let from = self.float_bits(module, operand.ty)?;
                let to = self.world.bits(module, to)?;
                to_integer(op == CastOp::FpToSi, from, to, given)
            }
            CastOp::UiToFp | CastOp::SiToFp => {
                let from = self.world.bits(module, operand.ty).filter(|bits| *bits <= 64)?;
                let bits = self.float_bits(module, to)?;
                let Val::Expr(number) = given else {
                    return Some(Operation { name: "of_signed", bits, given: vec![given] });
                };
                let (name, number) = if op == CastOp::SiToFp {
                    ("of_signed", value::sign_extend(from, 64, number)?)
                } else {
                    let number = value::zero_extend(from, 64, number)?;
                    ("of_unsigned", value::truncate(64, number)?)
                };
                Some(Operation { name, bits, given: vec![Val::Expr(number)] })
            }
            CastOp::Trunc
            | CastOp::ZExt
            | CastOp::SExt
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast => None,
        }
    }

    /// LLVM's functions that calculate with such numbers.
    pub(crate) fn float_intrinsic(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
    ) -> Option<Flow> {
        let module = cursor.known.frame.function.module;
        let bits = self.float_bits(module, called.arguments.first()?.ty)?;
        let given: Vec<Val> =
            (0..called.arguments.len()).map(|at| self.argument(cursor, called, at)).collect();
        let operation = called.name.trim_start_matches("llvm.").split(".f").next()?;
        let name = match operation {
            "fabs" => {
                let value = self.without_sign(bits, &given[0]);
                self.define(cursor, called.result, value);
                return Some(Flow::Next);
            }
            "fmuladd" => "muladd",
            "minnum" => "minnum",
            "maxnum" => "maxnum",
            _ => {
                let rest = called.name.trim_start_matches("llvm.");
                let is_signed = rest.starts_with("fptosi.sat.");
                if !is_signed && !rest.starts_with("fptoui.sat.") {
                    return None;
                }
                let to = self.world.bits(module, called.call.result_type)?;
                let operation = to_integer(is_signed, bits, to, given.into_iter().next()?)?;
                return self.calculate(cursor, operation);
            }
        };
        self.calculate(cursor, Operation { name, bits, given })
    }

    /// A number with its sign turned round.
    pub(super) fn negated(&mut self, cursor: &Cursor, operand: &Operand) -> Option<Val> {
        let bits = self.float_bits(cursor.known.frame.function.module, operand.ty)?;
        let Val::Expr(number) = self.operand(cursor, operand) else { return None };
        let sign = program::Expr::Const(-(1 << (bits - 1)));
        value::arithmetic(BinaryOp::Xor, bits, number, sign).map(Val::Expr)
    }

    #[expect(clippy::unused_self, reason = "as with everything else that is done with values")]
    fn without_sign(&self, bits: u32, given: &Val) -> Val {
        let Val::Expr(number) = given else { return given.clone() };
        let rest = program::Expr::Const((1 << (bits - 1)) - 1);
        value::arithmetic(BinaryOp::And, bits, number.clone(), rest)
            .map_or_else(super::compute::floating, Val::Expr)
    }

    /// Begins an operation; nothing if what it is given cannot be expressed.
    pub(super) fn calculate(&mut self, cursor: &mut Cursor, operation: Operation) -> Option<Flow> {
        let Operation { name, bits, given } = operation;
        if given.iter().any(|one| !matches!(one, Val::Expr(_) | Val::Undefined)) {
            return None;
        }
        let narrow = if bits == 32 { "_narrow" } else { "" };
        let name = format!("fencewright_float_{name}{narrow}");
        let item = self.world.linked.library_function(&name)?;
        Some(self.enter(cursor, item, given, OPERATION))
    }

    /// The same as an instruction: its operands, and values around it, must not change while it is calculated.
    pub(super) fn calculated(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        result: Option<llvm::LocalId>,
        operation: Option<Operation>,
    ) -> Flow {
        self.settle_all(cursor, info);
        let flow = operation.and_then(|operation| self.calculate(cursor, operation));
        flow.unwrap_or_else(|| {
            self.define(cursor, result, super::compute::floating());
            Flow::Next
        })
    }
}

/// A number without its fraction: what does not fit is the nearest that does.
fn to_integer(is_signed: bool, bits: u32, to: u32, given: Val) -> Option<Operation> {
    let int = value::int(to).filter(|_| (8..=64).contains(&to))?;
    let (name, given) = if is_signed {
        ("to_signed", vec![given, Val::constant(int.min()), Val::constant(int.max())])
    } else {
        let most = value::int(64)?.wrap((1 << to) - 1);
        let unused = Val::constant((64 - to).into());
        ("to_unsigned", vec![given, Val::constant(most), unused])
    };
    Some(Operation { name, bits, given })
}
