//! LLVM's own functions.

use llvm::{BinaryOp, IntegerPredicate};
use program::{BinaryOp as Op, Expr, FenceKind, Instruction};

use crate::call::Called;
use crate::step::wide::WIDE;
use crate::thread::{Cursor, Flow, Scratch, Walk};
use crate::value::{self, Val};

impl Walk<'_, '_, '_> {
    pub(crate) fn intrinsic(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let name = called.name.trim_start_matches("llvm.");
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("memcpy") || starts("memmove") {
            let (to, from, size) = (
                self.argument(cursor, called, 0),
                self.argument(cursor, called, 1),
                self.argument(cursor, called, 2),
            );
            self.copy(cursor, &to, &from, &size);
        } else if starts("memset") {
            let (to, byte, size) = (
                self.argument(cursor, called, 0),
                self.argument(cursor, called, 1),
                self.argument(cursor, called, 2),
            );
            self.fill(cursor, &to, &byte, &size);
        } else if starts("trap") || starts("debugtrap") || starts("ubsantrap") {
            return self.fail(cursor);
        } else if starts("x86.sse2.mfence") {
            self.emit(cursor, Instruction::Fence(FenceKind::Full));
        } else if starts("x86.sse2.lfence") {
            self.emit(cursor, Instruction::Fence(FenceKind::LoadLoad));
        } else if starts("x86.sse.sfence") {
            self.emit(cursor, Instruction::Fence(FenceKind::StoreStore));
        } else if starts("threadlocal.address") {
            let value = self.thread_local(cursor, called);
            self.define(cursor, called.result, value);
        } else if starts("expect") || starts("ssa.copy") || starts("launder.") || starts("strip.") {
            let value = self.argument(cursor, called, 0);
            self.define(cursor, called.result, value);
        } else if starts("objectsize") {
            self.define(cursor, called.result, Val::constant(-1));
        } else if starts("is.constant") {
            self.define(cursor, called.result, Val::constant(0));
        } else if let Some(flow) = self.float_intrinsic(cursor, called) {
            return flow;
        } else if let Some(value) = self.vector_intrinsic(cursor, called, name) {
            self.define(cursor, called.result, value);
        } else if let Some(value) = self.arithmetic_intrinsic(cursor, called, name) {
            self.define(cursor, called.result, value);
        } else if is_silent(name) {
            self.define(cursor, called.result, Val::Undefined);
        } else if starts("va_start") {
            self.error(
                cursor,
                "a function that looks at its unnamed arguments is not understood",
                "give it as many arguments as it is called with",
            );
            return Flow::Over;
        } else if called.result.is_none() {
            // It is there for what it does, and not for what it returns.
            let message = format!("what LLVM's function `{}` does is not known", called.name);
            self.error(cursor, message, "rewrite the statement");
            return Flow::Over;
        } else {
            let value = Val::Inexpressible(format!("LLVM's function `{}`", called.name).into());
            self.define(cursor, called.result, value);
        }
        Flow::Next
    }

    fn arithmetic_intrinsic(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        name: &str,
    ) -> Option<Val> {
        let module = cursor.known.frame.function.module;
        let bits = self.world.bits(module, called.arguments.first()?.ty)?;
        let (operation, _) = name.rsplit_once('.')?;
        let left = self.argument(cursor, called, 0);
        if bits == WIDE {
            let kind = match operation {
                "uadd.with.overflow" => BinaryOp::Add,
                "usub.with.overflow" => BinaryOp::Sub,
                "umul.with.overflow" => BinaryOp::Mul,
                _ => return None,
            };
            let right = self.argument(cursor, called, 1);
            return self.wide_overflowing(cursor, kind, &left, &right);
        }
        let left = self.expr(cursor, left);
        if operation == "abs" {
            let negated = value::arithmetic(BinaryOp::Sub, bits, Expr::Const(0), left.clone())?;
            let is_negative = Expr::binary(Op::Lt, left.clone(), Expr::Const(0));
            return Some(Val::Expr(value::fold(Expr::Select(Box::new([
                is_negative,
                negated,
                left,
            ])))));
        }
        if let "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" = operation {
            return Some(match left {
                Expr::Const(known) => counted(operation, bits, known),
                Expr::Register(_)
                | Expr::Element(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => {
                    let pattern = value::zero_extend(bits, 64, left)?;
                    self.counted_when_run(cursor, operation, bits, pattern)?
                }
            });
        }
        let right = self.argument(cursor, called, 1);
        let right = self.expr(cursor, right);
        let min_max = |op, is_signed: bool| {
            let wrapped =
                |expr| if is_signed { Some(expr) } else { value::zero_extend(bits, 64, expr) };
            let expr = Expr::binary(op, wrapped(left.clone())?, wrapped(right.clone())?);
            Some(Val::Expr(value::fold(value::wrap(value::int(bits)?, expr))))
        };
        match operation {
            "smin" => return min_max(Op::Min, true),
            "smax" => return min_max(Op::Max, true),
            "umin" => return min_max(Op::Min, false),
            "umax" => return min_max(Op::Max, false),
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => {
                return saturated(operation, bits, left, right);
            }
            "fshl" | "fshr" => {
                let by = self.argument(cursor, called, 2).as_constant()?;
                return funnel(operation, bits, left, right, by);
            }
            _ => {}
        }
        if let Some(is_less) = match operation.split('.').next() {
            Some("scmp") => Some(IntegerPredicate::Slt),
            Some("ucmp") => Some(IntegerPredicate::Ult),
            Some(_) | None => None,
        } {
            // −1, 0 or 1: less, equal, greater.
            let less = value::compare(is_less, bits, left.clone(), right.clone())?;
            let greater = value::compare(is_less, bits, right, left)?;
            return Some(Val::Expr(value::fold(Expr::binary(Op::Sub, greater, less))));
        }
        let (sign, rest) = operation.split_at(1);
        let (op, plain) = match rest {
            "add.with.overflow" => (BinaryOp::Add, Op::Add),
            "sub.with.overflow" => (BinaryOp::Sub, Op::Sub),
            "mul.with.overflow" => (BinaryOp::Mul, Op::Mul),
            _ => return None,
        };
        let wrapped = value::arithmetic(op, bits, left.clone(), right.clone())?;
        let exact =
            |expr| if sign == "s" { Some(expr) } else { value::zero_extend(bits, 64, expr) };
        let overflow = if (sign, plain) == ("u", Op::Mul) {
            // The product of two 64-bit numbers without a sign is no value of the model; what fits beside
            // a factor is.
            let most = Expr::Const((1 << bits) - 1);
            let factor = Expr::binary(Op::Max, exact(right)?, Expr::Const(1));
            Expr::binary(Op::Gt, exact(left)?, Expr::binary(Op::Div, most, factor))
        } else {
            let result = Expr::binary(plain, exact(left)?, exact(right)?);
            Expr::binary(Op::Ne, result, exact(wrapped.clone())?)
        };
        let overflow = value::fold(overflow);
        Some(Val::Aggregate(vec![Val::Expr(wrapped), Val::Expr(overflow)]))
    }

    /// What is counted in the bits of a number, or made of its bytes.
    fn counted_when_run(
        &mut self,
        cursor: &mut Cursor,
        operation: &str,
        bits: u32,
        pattern: Expr,
    ) -> Option<Val> {
        let one = Expr::Const(1);
        let expr = match operation {
            "ctpop" => ones(pattern),
            // The ones below the lowest one.
            "cttz" => {
                let negated = Expr::unary(program::UnaryOp::Neg, pattern.clone());
                let lowest = Expr::binary(Op::BitAnd, pattern, negated);
                let below = Expr::binary(Op::Sub, lowest, one);
                ones(value::zero_extend(bits, 64, value::wrap(value::int(bits)?, below))?)
            }
            // All bits below the highest one become ones.
            "ctlz" => {
                let mut smeared = pattern;
                for (by, number) in [1, 2, 4, 8, 16, 32].into_iter().zip(0..) {
                    let held = self.held_apart(cursor, smeared, Scratch::Smeared(number));
                    let shifted = Expr::binary(Op::Shr, held.clone(), Expr::Const(by));
                    smeared = Expr::binary(Op::BitOr, held, shifted);
                }
                // A register has a sign.
                let smeared = self.held_apart(cursor, smeared, Scratch::Smeared(6));
                let smeared = value::zero_extend(bits, 64, smeared)?;
                Expr::binary(Op::Sub, Expr::Const(bits.into()), ones(smeared))
            }
            "bswap" => {
                let byte = |at: u32| {
                    let low = Expr::binary(Op::Shr, pattern.clone(), Expr::Const((8 * at).into()));
                    let byte = Expr::binary(Op::BitAnd, low, Expr::Const(0xff));
                    let to = Expr::Const((bits - 8 - 8 * at).into());
                    Expr::binary(Op::Shl, byte, to)
                };
                let join = |left, right| Expr::binary(Op::BitOr, left, right);
                (0..bits / 8).map(byte).reduce(join)?
            }
            _ => {
                let what = format!("`{operation}` of what is not constant");
                return Some(Val::Inexpressible(what.into()));
            }
        };
        Some(Val::Expr(value::fold(value::wrap(value::int(bits)?, expr))))
    }

    /// A thread's own copy of the variable that the argument names.
    pub(crate) fn thread_local(&mut self, cursor: &Cursor, called: &Called<'_>) -> Val {
        let shared = self.argument(cursor, called, 0);
        self.own_copy(&shared).unwrap_or(shared)
    }

    /// The address of a thread's own copy, if an address is that of a thread-local variable.
    pub(crate) fn own_copy(&mut self, address: &Val) -> Option<Val> {
        let (object, offset) = self.world.objects.at(address.as_constant()?)?;
        let crate::object::ObjectKey::Global(item) = *self.world.objects.key(object) else {
            return None;
        };
        if !self.world.linked.global(item)?.thread_local {
            return None;
        }
        let (number, copies) = (self.spec.number, self.spec.copies);
        let own = self.world.thread_local_object(item, number, copies);
        let base = self.own_address(own, 1);
        Some(Val::Expr(value::sum(base, Expr::Const(offset.into()))))
    }
}

/// A sum or a difference that stays in the range of its type.
fn saturated(operation: &str, bits: u32, left: Expr, right: Expr) -> Option<Val> {
    let is_signed = operation.starts_with('s');
    let exact = |expr| if is_signed { Some(expr) } else { value::zero_extend(bits, 64, expr) };
    let (low, high) =
        if is_signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let op = if operation.ends_with("add.sat") { Op::Add } else { Op::Sub };
    let exact = Expr::binary(op, exact(left)?, exact(right)?);
    let bounded = Expr::binary(Op::Max, exact, Expr::Const(low));
    let bounded = Expr::binary(Op::Min, bounded, Expr::Const(high));
    Some(Val::Expr(value::fold(value::wrap(value::int(bits)?, bounded))))
}

/// Two numbers side by side, shifted by a known distance: a half of what comes out.
fn funnel(operation: &str, bits: u32, left: Expr, right: Expr, by: i128) -> Option<Val> {
    let width = i128::from(bits);
    let by = by.rem_euclid(width);
    if by == 0 {
        return Some(Val::Expr(if operation == "fshl" { left } else { right }));
    }
    let by = if operation == "fshl" { by } else { width - by };
    let high = value::arithmetic(BinaryOp::Shl, bits, left, Expr::Const(by))?;
    let low = value::arithmetic(BinaryOp::LShr, bits, right, Expr::Const(width - by))?;
    Some(Val::Expr(value::arithmetic(BinaryOp::Or, bits, high, low)?))
}

/// How many bits of a number without a sign are set: sums of pairs, of four and of eight bits, and then
/// of all bytes by one product.
fn ones(number: Expr) -> Expr {
    let binary = Expr::binary;
    let masked = |expr, mask| binary(Op::BitAnd, expr, Expr::Const(mask));
    let shifted = |expr: &Expr, by| binary(Op::Shr, expr.clone(), Expr::Const(by));
    let pairs = masked(shifted(&number, 1), 0x5555_5555_5555_5555);
    let pairs = binary(Op::Sub, number, pairs);
    let fours = masked(shifted(&pairs, 2), 0x3333_3333_3333_3333);
    let fours = binary(Op::Add, masked(pairs, 0x3333_3333_3333_3333), fours);
    let bytes = binary(Op::Add, fours.clone(), shifted(&fours, 4));
    let bytes = masked(bytes, 0x0f0f_0f0f_0f0f_0f0f);
    let product = binary(Op::Mul, bytes, Expr::Const(0x0101_0101_0101_0101));
    masked(shifted(&product, 56), 0xff)
}

fn counted(operation: &str, bits: u32, known: i128) -> Val {
    let pattern = known & ((1 << bits) - 1);
    let result = match operation {
        "ctpop" => i128::from(pattern.count_ones()),
        "ctlz" => i128::from(pattern.leading_zeros()) - i128::from(128 - bits),
        "cttz" => i128::from(pattern.trailing_zeros().min(bits)),
        "bswap" => pattern.swap_bytes() >> (128 - bits),
        _ => pattern.reverse_bits() >> (128 - bits),
    };
    value::int(bits).map_or(Val::Undefined, |int| Val::constant(int.wrap(result)))
}

/// Intrinsics that do nothing that matters here.
fn is_silent(name: &str) -> bool {
    let prefixes = [
        "dbg.",
        "lifetime.",
        "assume",
        "prefetch",
        "stacksave",
        "stackrestore",
        "donothing",
        "invariant.",
        "experimental.noalias",
        "va_end",
        "va_copy",
        "x86.sse2.pause",
        "sideeffect",
        "pseudoprobe",
        "annotation",
        "var.annotation",
        "fake.use",
    ];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}
