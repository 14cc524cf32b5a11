//! Atomic updates.

use crate::step::wide::{self, WIDE};
use crate::thread::{Cursor, Scratch, Spot, Walk};
use crate::value::{self, Val};
use llvm::{LocalId, Operand, RmwOp};
use program::{Access, Expr, FenceKind, FetchOp, Instruction, IntType, Order, Update};

impl Walk<'_, '_, '_> {
    pub(super) fn compare_exchange(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Operand,
        expected: &Operand,
        new: &Operand,
        (success, failure): (Order, Order),
    ) {
        let module = cursor.known.frame.function.module;
        let size = self.world.size(module, new.ty).unwrap_or(0);
        let address = self.operand(cursor, address);
        if self.world.bits(module, new.ty) == Some(WIDE) {
            let given = [expected, new].map(|one| self.operand(cursor, one));
            let [expected, new] = given.map(|one| self.pair(cursor, &one));
            let (Some(expected), Some(new)) = (expected, new) else {
                self.define(cursor, result, Val::Inexpressible("a number of 128 bits".into()));
                return;
            };
            let (old, success) =
                self.compare_and_swap_pair(cursor, (&address, 64), expected, new, true);
            let swapped = Val::Aggregate(vec![wide::joined(old), Val::Expr(success)]);
            self.define(cursor, result, swapped);
            return;
        }
        let expected = self.expr_of(cursor, expected);
        let new = self.expr_of(cursor, new);
        let Some(how) = self.failing(cursor, success, failure) else { return };
        let swapped = self.compare_and_swap(cursor, result, &address, size, expected, new, how);
        if let Some((old, success)) = swapped {
            self.define(cursor, result, Val::Aggregate(vec![Val::Expr(old), Val::Expr(success)]));
        }
    }

    /// A compare-and-swap; what it read, and whether it wrote.
    #[expect(clippy::too_many_arguments, reason = "where to, where, how wide, what, how")]
    pub(crate) fn compare_and_swap(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Val,
        size: u64,
        expected: Expr,
        new: Expr,
        how: Access,
    ) -> Option<(Expr, Expr)> {
        let is = |old: &Expr, expected: Expr| {
            value::fold(Expr::binary(program::BinaryOp::Eq, old.clone(), expected))
        };
        if let Val::Private(private, offset) = address {
            let width = u32::try_from(size).unwrap_or(0);
            let old = self.read_private(cursor, *private, *offset, width);
            let old = self.expr(cursor, old);
            let old = self.held_apart(cursor, old, Scratch::Old);
            // The expected value may be read from the variable itself, which is written next.
            let success = is(&old, expected);
            let success = if self.may_change(&Val::Expr(success.clone())) {
                self.held_apart(cursor, success, Scratch::Success)
            } else {
                success
            };
            let written = value::fold(Expr::Select(Box::new([success.clone(), new, old.clone()])));
            self.write_private(cursor, *private, *offset, width, Val::Expr(written));
            self.emit(cursor, Instruction::Fence(FenceKind::Full));
            return Some((old, success));
        }
        let expected = self.held(cursor, expected);
        let update = Update::CompareAndSwap { expected: expected.clone(), new };
        let old = self.update(cursor, result, address, size, update, how)?;
        let success = is(&old, expected);
        Some((old, success))
    }

    /// The orders of a compare-and-swap, which on failure is a load.
    pub(crate) fn failing(
        &mut self,
        cursor: &Cursor,
        success: Order,
        failure: Order,
    ) -> Option<Access> {
        match failure {
            Order::Relaxed | Order::Acquire | Order::SeqCst => {
                Some(Access::with_order(success).failing(failure))
            }
            Order::Plain | Order::Volatile | Order::Release | Order::AcquireRelease => {
                self.error(
                    cursor,
                    format!("a compare-and-swap that fails cannot be {failure}"),
                    "it can be relaxed, acquire or seq_cst",
                );
                None
            }
        }
    }

    /// An atomic update of memory, with the orders of an access; what it read.
    pub(crate) fn update(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Val,
        size: u64,
        update: Update,
        how: Access,
    ) -> Option<Expr> {
        let narrow = u8::try_from(size).ok().filter(|size| (1..=8).contains(size));
        let Some(narrow) = narrow else {
            self.error(
                cursor,
                format!("an atomic access of {size} bytes cannot be expressed"),
                "accesses are at most 8 bytes wide",
            );
            return None;
        };
        let address = self.expr(cursor, address.clone());
        let int = value::int(u32::from(narrow) * 8).expect("at most 64 bits");
        let register = if let Some(local) = result {
            self.result_register(cursor, local, 0, int)
        } else {
            self.scratch(cursor, Scratch::Found, program::Domain::Wrapping(int))
        };
        let access = Access { width: self.width_at(cursor, &address, narrow), ..how };
        self.must_be_writable(cursor, &address, u32::from(narrow));
        self.guard(cursor, &address, u32::from(narrow));
        let spot = Spot::new(self.point(cursor), &address, u32::from(narrow));
        let step = Instruction::Update { result: Some(register), address, update, access };
        self.emit(cursor, step);
        self.must_be_written(cursor, spot, (register, None), u32::from(narrow));
        Some(Expr::Register(register))
    }

    pub(crate) fn atomic_rmw(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        op: RmwOp,
        address: &Operand,
        value: &Operand,
        order: Order,
    ) {
        let module = cursor.known.frame.function.module;
        let size = self.world.size(module, value.ty).unwrap_or(0);
        let address = self.operand(cursor, address);
        if self.world.bits(module, value.ty) == Some(WIDE) {
            let operand = self.operand(cursor, value);
            let old = self.wide_rmw(cursor, op, &address, &operand);
            self.define(cursor, result, old);
            return;
        }
        let operand = self.expr_of(cursor, value);
        let value = self.rmw(cursor, result, op, &address, size, operand, order);
        self.define(cursor, result, value);
    }

    /// A read-modify-write; what it read.
    #[expect(clippy::too_many_arguments, reason = "what, where, how wide, with what, how")]
    pub(crate) fn rmw(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        op: RmwOp,
        address: &Val,
        size: u64,
        operand: Expr,
        order: Order,
    ) -> Val {
        let fetch = match op {
            RmwOp::Xchg => None,
            RmwOp::Add => Some(FetchOp::Add),
            RmwOp::Sub => Some(FetchOp::Sub),
            RmwOp::And => Some(FetchOp::And),
            RmwOp::Nand => Some(FetchOp::Nand),
            RmwOp::Or => Some(FetchOp::Or),
            RmwOp::Xor => Some(FetchOp::Xor),
            RmwOp::Max => Some(FetchOp::Max),
            RmwOp::Min => Some(FetchOp::Min),
            RmwOp::UMax => unsigned(size).map(FetchOp::MaxAs),
            RmwOp::UMin => unsigned(size).map(FetchOp::MinAs),
            RmwOp::FAdd
            | RmwOp::FSub
            | RmwOp::FMax
            | RmwOp::FMin
            | RmwOp::FMaximum
            | RmwOp::FMinimum
            | RmwOp::UIncWrap
            | RmwOp::UDecWrap
            | RmwOp::USubCond
            | RmwOp::USubSat => {
                self.error(
                    cursor,
                    format!("the atomic operation {op:?} cannot be expressed"),
                    "use a loop with compare-and-swap",
                );
                return Val::Undefined;
            }
        };
        if let Val::Private(private, offset) = address {
            let width = u32::try_from(size).unwrap_or(0);
            let old = self.read_private(cursor, *private, *offset, width);
            let old = self.expr(cursor, old);
            let old = self.held_apart(cursor, old, Scratch::Old);
            let new = match fetch {
                None => Some(operand),
                Some(fetch) => combined(fetch, width * 8, &old, &operand),
            };
            let new = new.map_or_else(|| crate::private::inexpressible(width), Val::Expr);
            self.write_private(cursor, *private, *offset, width, new);
            self.emit(cursor, Instruction::Fence(FenceKind::Full));
            return Val::Expr(old);
        }
        let update = match fetch {
            None => Update::Exchange(operand),
            Some(op) => Update::Fetch { op, operand },
        };
        let how = Access::with_order(order);
        self.update(cursor, result, address, size, update, how).map_or(Val::Undefined, Val::Expr)
    }
}

/// The numbers without a sign of so many bytes.
fn unsigned(size: u64) -> Option<IntType> {
    u8::try_from(size * 8).ok().and_then(|bits| IntType::new(bits, false))
}

/// What a fetch-and-op writes.
pub(super) fn combined(op: FetchOp, bits: u32, old: &Expr, operand: &Expr) -> Option<Expr> {
    use program::BinaryOp as Op;
    let int = value::int(bits)?;
    let plain = |op| value::wrap(int, Expr::binary(op, old.clone(), operand.clone()));
    Some(value::fold(match op {
        FetchOp::Add => plain(Op::Add),
        FetchOp::Sub => plain(Op::Sub),
        FetchOp::And => plain(Op::BitAnd),
        FetchOp::Or => plain(Op::BitOr),
        FetchOp::Xor => plain(Op::BitXor),
        FetchOp::Nand => Expr::unary(program::UnaryOp::BitNot, plain(Op::BitAnd)),
        FetchOp::Min => plain(Op::Min),
        FetchOp::Max => plain(Op::Max),
        FetchOp::MinAs(_) => {
            value::extreme_without_sign(Op::Min, bits, old.clone(), operand.clone())?
        }
        FetchOp::MaxAs(_) => {
            value::extreme_without_sign(Op::Max, bits, old.clone(), operand.clone())?
        }
    }))
}
