//! What touches no memory: addresses, arithmetic, comparisons, casts, structures.

use crate::initial::ORDER;
use crate::step::wide;
use crate::thread::{Cursor, Walk};
use crate::value::{self, Val};
use llvm::{CastOp, IntegerPredicate, Operand, TypeId};
use program::{BinaryOp, Expr, Failure, Value};

impl Walk<'_, '_, '_> {
    pub(crate) fn element(
        &mut self,
        cursor: &Cursor,
        module: u32,
        element: TypeId,
        base: &Operand,
        indices: &[Val],
    ) -> Val {
        let base = self.operand(cursor, base);
        let indices: Vec<Val> = indices
            .iter()
            .map(|index| match index {
                Val::Undefined => Val::constant(0),
                Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_) => {
                    index.clone()
                }
            })
            .collect();
        let mut indexed = Vec::new();
        let offset = self.world.element_offset(module, element, &indices, &mut indexed);
        let Some(offset) = offset else {
            return Val::Inexpressible("the address of this element".into());
        };
        self.note_indexed(indexed);
        match (base, offset) {
            (Val::Expr(base), offset) => Val::Expr(value::sum(base, offset)),
            (Val::Private(private, at), Expr::Const(by)) => match i64::try_from(by) {
                Ok(by) => Val::Private(private, at + by),
                Err(_) => Val::Undefined,
            },
            (base @ Val::Private(..), offset) => {
                let base = self.expr(cursor, base);
                Val::Expr(value::sum(base, offset))
            }
            (base @ (Val::Undefined | Val::Aggregate(_) | Val::Inexpressible(_)), _) => base,
        }
    }

    pub(super) fn binary(
        &mut self,
        cursor: &mut Cursor,
        op: llvm::BinaryOp,
        left: &Operand,
        right: &Operand,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let ty = left.ty;
        let (left, right) = (self.operand(cursor, left), self.operand(cursor, right));
        if let Some((_, lane)) = self.lanes_of(module, ty) {
            return self.by_lanes(&left, &right, |walk, left, right| {
                walk.binary_of(cursor, op, lane, left, right)
            });
        }
        let Some(bits) = self.world.bits(module, ty) else { return floating() };
        self.binary_of(cursor, op, bits, left, right)
    }

    fn binary_of(
        &mut self,
        cursor: &mut Cursor,
        op: llvm::BinaryOp,
        bits: u32,
        left: Val,
        right: Val,
    ) -> Val {
        if bits == wide::WIDE {
            return self.wide_binary(cursor, op, &left, &right);
        }
        // Address arithmetic by hand.
        match (op, &left, &right) {
            (llvm::BinaryOp::Add, Val::Private(private, at), by)
            | (llvm::BinaryOp::Add, by, Val::Private(private, at))
                if let Some(by) = by.as_constant().and_then(|by| i64::try_from(by).ok()) =>
            {
                return Val::Private(*private, at + by);
            }
            (llvm::BinaryOp::Sub, Val::Private(one, from), Val::Private(other, to))
                if one == other =>
            {
                return Val::constant(Value::from(from - to));
            }
            _ => {}
        }
        for operand in [&left, &right] {
            if let Val::Inexpressible(_) = operand {
                return operand.clone();
            }
        }
        let (left, right) = (self.expr(cursor, left), self.expr(cursor, right));
        self.must_have_a_result(cursor, op, bits, &left, &right);
        value::arithmetic(op, bits, left, right).map_or_else(
            || Val::Inexpressible(format!("arithmetic on {bits} bits").into()),
            Val::Expr,
        )
    }

    /// Before an operation that has no result for some numbers, where machines do one thing or another: an error if
    /// these are given. Rust checks it by itself, and what it shifts by is masked. An optimiser shifts by too much where
    /// the result does not matter.
    fn must_have_a_result(
        &mut self,
        cursor: &mut Cursor,
        op: llvm::BinaryOp,
        bits: u32,
        left: &Expr,
        right: &Expr,
    ) {
        use llvm::BinaryOp::{AShr, LShr, SDiv, SRem, Shl};
        let metadata = &self.world.linked.module(cursor.known.frame.function.module).metadata;
        if metadata.is_rust() {
            return;
        }
        let (is_right, failure) = if matches!(op, Shl | LShr | AShr) && metadata.is_as_written() {
            let width = Expr::Const(bits.into());
            let is_less = value::compare(IntegerPredicate::Ult, bits, right.clone(), width);
            (is_less, Failure::ShiftTooFar)
        } else if matches!(op, SDiv | SRem) && !matches!(right, Expr::Const(by) if *by != -1) {
            let is =
                |one: &Expr, other| Expr::binary(BinaryOp::Eq, one.clone(), Expr::Const(other));
            let least = is(left, -(1 << (bits - 1)));
            let is_wrong = value::fold(Expr::binary(BinaryOp::And, least, is(right, -1)));
            (Some(value::fold(is_wrong.negated())), Failure::QuotientTooLarge)
        } else {
            return;
        };
        match is_right {
            Some(Expr::Const(truth)) if truth != 0 => {}
            Some(is_right) => self.emit(cursor, failure.unless(is_right)),
            None => {}
        }
    }

    pub(super) fn compare(
        &mut self,
        cursor: &Cursor,
        predicate: IntegerPredicate,
        left: &Operand,
        right: &Operand,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let ty = left.ty;
        let (left, right) = (self.operand(cursor, left), self.operand(cursor, right));
        if let Some((_, lane)) = self.lanes_of(module, ty) {
            return self.by_lanes(&left, &right, |walk, left, right| {
                walk.compare_of(cursor, predicate, lane, left, right)
            });
        }
        let is_ordering = !matches!(predicate, IntegerPredicate::Eq | IntegerPredicate::Ne);
        if is_ordering && self.world.are_apart(module, ty, &left, &right) {
            return Val::Inexpressible(ORDER.into());
        }
        let bits = self.world.bits(module, ty).unwrap_or(64);
        self.compare_of(cursor, predicate, bits, left, right)
    }

    fn compare_of(
        &mut self,
        cursor: &Cursor,
        predicate: IntegerPredicate,
        bits: u32,
        left: Val,
        right: Val,
    ) -> Val {
        use IntegerPredicate::{Eq, Ne};
        if bits == wide::WIDE {
            return self.wide_compare(cursor, predicate, &left, &right);
        }
        match (&left, &right) {
            (Val::Private(one, from), Val::Private(other, to)) if one == other => {
                let (from, to) = (Expr::Const(Value::from(*from)), Expr::Const(Value::from(*to)));
                return value::compare(predicate, 64, from, to).map_or(Val::Undefined, Val::Expr);
            }
            // A variable is neither at address 0 nor where another object is.
            (Val::Private(..), Val::Private(..) | Val::Expr(Expr::Const(_)))
            | (Val::Expr(Expr::Const(_)), Val::Private(..))
                if matches!(predicate, Eq | Ne) =>
            {
                return Val::constant(Value::from(predicate == Ne));
            }
            (Val::Inexpressible(_), _) => return left,
            (_, Val::Inexpressible(_)) => return right,
            _ => {}
        }
        let (left, right) = (self.expr(cursor, left), self.expr(cursor, right));
        value::compare(predicate, bits, left, right).map_or_else(
            || Val::Inexpressible(format!("a number of {bits} bits").into()),
            Val::Expr,
        )
    }

    pub(super) fn cast(
        &mut self,
        cursor: &Cursor,
        op: CastOp,
        operand: &Operand,
        to: TypeId,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let given = self.operand(cursor, operand);
        let lanes = (self.lanes_of(module, operand.ty), self.lanes_of(module, to));
        match (op, lanes) {
            (CastOp::BitCast, (Some(_), _) | (_, Some(_))) => {
                return self.same_bits(cursor, module, (operand.ty, to), given);
            }
            (_, (Some((_, from)), Some((_, to)))) => {
                return self.by_lane(&given, |walk, one| {
                    walk.cast_of(cursor, op, one, (Some(from), Some(to)))
                });
            }
            _ => {}
        }
        let bits = (self.world.bits(module, operand.ty), self.world.bits(module, to));
        self.cast_of(cursor, op, given, bits)
    }

    pub(super) fn cast_of(
        &mut self,
        cursor: &Cursor,
        op: CastOp,
        given: Val,
        (from_bits, to_bits): (Option<u32>, Option<u32>),
    ) -> Val {
        match op {
            CastOp::BitCast | CastOp::AddrSpaceCast => given,
            CastOp::FpTrunc
            | CastOp::FpExt
            | CastOp::FpToUi
            | CastOp::FpToSi
            | CastOp::UiToFp
            | CastOp::SiToFp => floating(),
            CastOp::Trunc
            | CastOp::ZExt
            | CastOp::SExt
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr => {
                let (Some(from), Some(to)) = (from_bits, to_bits) else {
                    return Val::Inexpressible("a vector".into());
                };
                if from == to {
                    return given;
                }
                if let Val::Undefined | Val::Inexpressible(_) = given {
                    return given;
                }
                if from == wide::WIDE || to == wide::WIDE {
                    return self.wide_cast(cursor, op, given, (from, to));
                }
                let expr = self.expr(cursor, given);
                let cast = match op {
                    CastOp::SExt => value::sign_extend(from, to, expr),
                    CastOp::Trunc
                    | CastOp::ZExt
                    | CastOp::PtrToInt
                    | CastOp::PtrToAddr
                    | CastOp::IntToPtr
                    | CastOp::BitCast
                    | CastOp::AddrSpaceCast
                    | CastOp::FpTrunc
                    | CastOp::FpExt
                    | CastOp::FpToUi
                    | CastOp::FpToSi
                    | CastOp::UiToFp
                    | CastOp::SiToFp => {
                        if to < from {
                            value::truncate(to, expr)
                        } else {
                            value::zero_extend(from, to, expr)
                        }
                    }
                };
                cast.map_or_else(
                    || Val::Inexpressible(format!("a number of {to} bits").into()),
                    Val::Expr,
                )
            }
        }
    }

    pub(super) fn select(
        &mut self,
        cursor: &Cursor,
        condition: &Operand,
        then: &Operand,
        otherwise: &Operand,
    ) -> Val {
        let condition = self.operand(cursor, condition);
        let (then, otherwise) = (self.operand(cursor, then), self.operand(cursor, otherwise));
        if let Val::Aggregate(conditions) = condition {
            let both = self.by_lanes(&then, &otherwise, |_, then, otherwise| {
                Val::Aggregate(vec![then, otherwise])
            });
            return self.by_lanes(&Val::Aggregate(conditions), &both, |walk, condition, both| {
                let Val::Aggregate(mut both) = both else { return both };
                let (otherwise, then) = (both.pop(), both.pop());
                let (then, otherwise) = (then.unwrap_or(Val::Undefined), otherwise);
                let condition = walk.expr(cursor, condition);
                walk.either(cursor, &condition, then, otherwise.unwrap_or(Val::Undefined))
            });
        }
        if let Some(known) = condition.as_constant() {
            return if known == 0 { otherwise } else { then };
        }
        if then == otherwise {
            return then;
        }
        let condition = self.expr(cursor, condition);
        self.either(cursor, &condition, then, otherwise)
    }

    /// One of two values; of structures, part by part.
    fn either(&mut self, cursor: &Cursor, condition: &Expr, then: Val, otherwise: Val) -> Val {
        if let (Val::Aggregate(some), Val::Aggregate(others)) = (&then, &otherwise)
            && some.len() == others.len()
        {
            let parts = some.iter().zip(others);
            let parts = parts
                .map(|(one, other)| self.either(cursor, condition, one.clone(), other.clone()));
            return Val::Aggregate(parts.collect());
        }
        let condition = condition.clone();
        let (then, otherwise) = (self.expr(cursor, then), self.expr(cursor, otherwise));
        Val::Expr(value::fold(Expr::Select(Box::new([condition, then, otherwise]))))
    }

    pub(super) fn with_inserted(
        &mut self,
        module: u32,
        ty: TypeId,
        whole: Val,
        part: Val,
        indices: &[u32],
    ) -> Val {
        let Some((first, rest)) = indices.split_first() else { return part };
        let elements = self.world.elements(module, ty).unwrap_or_default();
        let mut parts = match whole {
            Val::Aggregate(parts) => parts,
            Val::Expr(_) | Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => {
                vec![Val::Undefined; elements.len()]
            }
        };
        let at = *first as usize;
        if let (Some(slot), Some((element, _))) = (parts.get_mut(at), elements.get(at)) {
            let inner = std::mem::replace(slot, Val::Undefined);
            let inner = self.with_inserted(module, *element, inner, part, rest);
            parts[at] = inner;
        }
        Val::Aggregate(parts)
    }
}

pub(super) fn floating() -> Val {
    Val::Inexpressible("floating-point arithmetic".into())
}
