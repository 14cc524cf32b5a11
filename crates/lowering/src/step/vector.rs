//! Vectors: structures of lanes, each a number of its own. What is done with a vector is done with each lane; an
//! access to memory is one to each lane, as with any other structure, for nobody promises that it is one.

use llvm::{Operand, Type, TypeId};
use program::{BinaryOp, Expr};

use crate::call::Called;
use crate::thread::{Cursor, Walk};
use crate::value::{self, Val};

/// More lanes than these has no vector that is followed.
const MOST_LANES: usize = 16;

fn inexpressible() -> Val {
    Val::Inexpressible("a vector".into())
}

impl Walk<'_, '_, '_> {
    /// How many lanes a vector of integers or pointers has, and how wide they are.
    pub(super) fn lanes_of(&self, module: u32, ty: TypeId) -> Option<(usize, u32)> {
        let Type::Vector { length, element, .. } =
            self.world.linked.module(module).types.resolved(ty)
        else {
            return None;
        };
        let length = usize::try_from(*length).ok().filter(|length| *length <= MOST_LANES)?;
        Some((length, self.world.bits(module, *element)?))
    }

    /// Does something with each lane of a vector.
    pub(super) fn by_lane(
        &mut self,
        vector: &Val,
        mut each: impl FnMut(&mut Self, Val) -> Val,
    ) -> Val {
        match vector {
            Val::Aggregate(lanes) => {
                Val::Aggregate(lanes.iter().map(|lane| each(self, lane.clone())).collect())
            }
            Val::Undefined => Val::Undefined,
            Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_) => inexpressible(),
        }
    }

    /// Does something with each pair of lanes of two vectors.
    pub(super) fn by_lanes(
        &mut self,
        left: &Val,
        right: &Val,
        mut each: impl FnMut(&mut Self, Val, Val) -> Val,
    ) -> Val {
        let lanes = |vector: &Val, count: usize| match vector {
            Val::Aggregate(lanes) => Some(lanes.clone()),
            Val::Undefined => Some(vec![Val::Undefined; count]),
            Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_) => None,
        };
        let count = |vector: &Val| match vector {
            Val::Aggregate(lanes) => lanes.len(),
            Val::Expr(_) | Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => 0,
        };
        let count = count(left).max(count(right));
        match (lanes(left, count), lanes(right, count)) {
            (Some(left), Some(right)) if left.len() == right.len() => Val::Aggregate(
                left.into_iter().zip(right).map(|(left, right)| each(self, left, right)).collect(),
            ),
            _ => inexpressible(),
        }
    }

    /// One lane.
    pub(super) fn lane(&mut self, cursor: &Cursor, vector: &Operand, index: &Operand) -> Val {
        let index = self.operand(cursor, index).as_constant();
        let index = index.and_then(|index| usize::try_from(index).ok());
        match (self.operand(cursor, vector), index) {
            (Val::Aggregate(lanes), Some(index)) => {
                lanes.get(index).cloned().unwrap_or(Val::Undefined)
            }
            (Val::Undefined, _) => Val::Undefined,
            (Val::Aggregate(_) | Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_), _) => {
                inexpressible()
            }
        }
    }

    /// A vector with one lane replaced.
    pub(super) fn with_lane(
        &mut self,
        cursor: &Cursor,
        vector: &Operand,
        value: &Operand,
        index: &Operand,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let index = self.operand(cursor, index).as_constant();
        let index = index.and_then(|index| usize::try_from(index).ok());
        let count = self.world.elements(module, vector.ty).map_or(0, |all| all.len());
        let mut lanes = match self.operand(cursor, vector) {
            Val::Aggregate(lanes) => lanes,
            Val::Undefined => vec![Val::Undefined; count],
            Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_) => return inexpressible(),
        };
        match index.filter(|index| *index < lanes.len() && count <= MOST_LANES) {
            Some(index) => {
                lanes[index] = self.operand(cursor, value);
                Val::Aggregate(lanes)
            }
            None => inexpressible(),
        }
    }

    /// Lanes of two vectors, in any order.
    pub(super) fn shuffled(
        &mut self,
        cursor: &Cursor,
        left: &Operand,
        right: &Operand,
        mask: &Operand,
    ) -> Val {
        let module = cursor.known.frame.function.module;
        let count = self.world.elements(module, left.ty).map_or(0, |all| all.len());
        let wanted = self.world.elements(module, mask.ty).map_or(0, |all| all.len());
        let mut lanes = Vec::new();
        for vector in [left, right] {
            match self.operand(cursor, vector) {
                Val::Aggregate(some) if some.len() == count => lanes.extend(some),
                Val::Undefined => lanes.extend(vec![Val::Undefined; count]),
                Val::Aggregate(_) | Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_) => {
                    return inexpressible();
                }
            }
        }
        let mask = match self.operand(cursor, mask) {
            Val::Aggregate(mask) => mask,
            Val::Undefined => vec![Val::Undefined; wanted],
            Val::Expr(_) | Val::Private(..) | Val::Inexpressible(_) => return inexpressible(),
        };
        if mask.len() > MOST_LANES {
            return inexpressible();
        }
        let chosen = mask.iter().map(|which| match which {
            Val::Undefined => Some(Val::Undefined),
            Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_) => {
                let which = usize::try_from(which.as_constant()?).ok()?;
                lanes.get(which).cloned()
            }
        });
        chosen.collect::<Option<Vec<Val>>>().map_or_else(inexpressible, Val::Aggregate)
    }

    /// The same bits as a vector of other lanes, or as a number.
    pub(super) fn same_bits(
        &mut self,
        cursor: &Cursor,
        module: u32,
        (from, to): (TypeId, TypeId),
        given: Val,
    ) -> Val {
        if matches!(given, Val::Undefined | Val::Inexpressible(_)) {
            return given;
        }
        let shape = |walk: &Self, ty| {
            let of_lanes = walk.lanes_of(module, ty);
            of_lanes.or_else(|| walk.world.bits(module, ty).map(|bits| (1, bits)))
        };
        let (Some((_, narrow)), Some((count, wide))) = (shape(self, from), shape(self, to)) else {
            return inexpressible();
        };
        let lanes = match given {
            Val::Aggregate(lanes) => lanes,
            other @ (Val::Expr(_) | Val::Private(..)) => vec![other],
            Val::Undefined | Val::Inexpressible(_) => return given,
        };
        if wide > 64 || narrow > 64 {
            return inexpressible();
        }
        let mut made = Vec::new();
        for at in 0..count {
            let first = u32::try_from(at).unwrap_or(0) * wide;
            let Some(lane) = self.bits_at(cursor, &lanes, narrow, first, wide) else {
                return inexpressible();
            };
            made.push(Val::Expr(lane));
        }
        let is_vector = self.lanes_of(module, to).is_some();
        if is_vector { Val::Aggregate(made) } else { made.swap_remove(0) }
    }

    /// The bits `first..first + wide` of lanes side by side, the first one lowest.
    fn bits_at(
        &mut self,
        cursor: &Cursor,
        lanes: &[Val],
        narrow: u32,
        first: u32,
        wide: u32,
    ) -> Option<Expr> {
        let int = value::int(wide)?;
        let mut whole: Option<Expr> = None;
        for (lane, at) in lanes.iter().zip((0..).step_by(narrow as usize)) {
            if at + narrow <= first || at >= first + wide {
                continue;
            }
            let lane = self.expr(cursor, lane.clone());
            let lane = value::zero_extend(narrow, 64, lane)?;
            let part = if at >= first {
                value::fold(Expr::binary(BinaryOp::Shl, lane, Expr::Const((at - first).into())))
            } else {
                value::fold(Expr::binary(BinaryOp::Shr, lane, Expr::Const((first - at).into())))
            };
            whole = Some(match whole {
                Some(whole) => value::fold(Expr::binary(BinaryOp::BitOr, whole, part)),
                None => part,
            });
        }
        Some(value::fold(value::wrap(int, whole?)))
    }

    /// LLVM's functions of vectors.
    pub(crate) fn vector_intrinsic(
        &mut self,
        cursor: &Cursor,
        called: &Called<'_>,
        name: &str,
    ) -> Option<Val> {
        let module = cursor.known.frame.function.module;
        let (_, bits) = self.lanes_of(module, called.arguments.first()?.ty)?;
        let Val::Aggregate(lanes) = self.argument(cursor, called, 0) else { return None };
        // The highest bit of each byte.
        if name == "x86.sse2.pmovmskb.128" {
            let mut mask = Expr::Const(0);
            for (lane, at) in lanes.into_iter().zip(0..) {
                let lane = self.expr(cursor, lane);
                let sign = value::fold(Expr::binary(BinaryOp::Lt, lane, Expr::Const(0)));
                let bit = value::fold(Expr::binary(BinaryOp::Shl, sign, Expr::Const(at)));
                mask = value::fold(Expr::binary(BinaryOp::BitOr, mask, bit));
            }
            return Some(Val::Expr(mask));
        }
        let op = match name.strip_prefix("vector.reduce.")?.split('.').next()? {
            "add" => llvm::BinaryOp::Add,
            "mul" => llvm::BinaryOp::Mul,
            "and" => llvm::BinaryOp::And,
            "or" => llvm::BinaryOp::Or,
            "xor" => llvm::BinaryOp::Xor,
            _ => return None,
        };
        let mut all = lanes.into_iter().map(|lane| self.expr(cursor, lane));
        let first = all.next()?;
        let whole = all.try_fold(first, |whole, lane| value::arithmetic(op, bits, whole, lane))?;
        Some(Val::Expr(whole))
    }
}
