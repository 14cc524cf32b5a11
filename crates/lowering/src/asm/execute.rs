//! What single instructions of x86 do to registers, flags and memory.

use llvm::{BinaryOp as Llvm, RmwOp};
use program::{Access, BinaryOp, Expr, FenceKind, Instruction, Order, Value};

use crate::asm::condition::Flags;
use crate::asm::constraint::Constraint;
use crate::asm::mnemonic::{BitChange, Change, Operation};
use crate::asm::operands::{Bound, Operands};
use crate::asm::text::{Line, Written};
use crate::thread::{Cursor, Scratch, Walk};
use crate::value::{self, Val};

/// Why an instruction cannot be carried out.
pub(super) type Trouble = &'static str;

pub(super) const NOT_UNDERSTOOD: Trouble = "is not understood";
const UNKNOWN_VALUE: Trouble = "uses a value that is not known";
const NO_WIDTH: Trouble = "does not say how wide its operands are";
const TOO_WIDE: Trouble = "is wider than 8 bytes";

/// Where an operand is.
#[derive(Clone)]
enum Place {
    Register(usize),
    Memory(Val),
    /// The thread's own stack, which nobody else looks at.
    Stack,
    Number(Value),
}

impl Walk<'_, '_, '_> {
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(super) fn carry_out(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        constraints: &[Constraint],
        line: &Line,
        operation: Operation,
        bits: Option<u32>,
    ) -> Result<(), Trouble> {
        if line.is_locked && !can_be_locked(operation) {
            return Err(NOT_UNDERSTOOD);
        }
        match (operation, line.operands.as_slice()) {
            (Operation::Fence(kind), []) => self.emit(cursor, Instruction::Fence(kind)),
            (Operation::Nothing, _) => {}
            (Operation::Unknown, _) => {
                operands.forget(constraints, &format!("what `{}` gives", line.mnemonic));
            }
            (Operation::Serialise, []) => {
                self.emit(cursor, Instruction::Fence(FenceKind::Full));
                operands.forget(constraints, &format!("what `{}` gives", line.mnemonic));
            }
            (Operation::CompareExchangePair(half), [to]) => {
                self.compare_exchange_pair(cursor, operands, line, to, half)?;
            }
            (Operation::Move, [to, from]) => {
                let bits = width(operands, bits, &[to, from])?;
                let value = self.read(cursor, operands, from, bits)?;
                self.write(cursor, operands, to, bits, value)?;
            }
            (Operation::Widen { from: narrow, is_signed }, [to, from]) => {
                let narrow = width(operands, narrow, &[from])?;
                let bits = width(operands, bits, &[to])?;
                let value = self.read_expr(cursor, operands, from, narrow)?;
                let wide = if is_signed {
                    value::sign_extend(narrow, bits, value)
                } else {
                    value::zero_extend(narrow, bits, value)
                };
                self.write(cursor, operands, to, bits, Val::Expr(wide.ok_or(NOT_UNDERSTOOD)?))?;
            }
            (Operation::Set(condition), [to]) => {
                let value = operands.flags.holds(condition).ok_or(UNKNOWN_VALUE)?;
                self.write(cursor, operands, to, 8, Val::Expr(value))?;
            }
            (Operation::Compare | Operation::Test, [left, right]) => {
                let bits = width(operands, bits, &[left, right])?;
                let left = self.read_expr(cursor, operands, left, bits)?;
                let right = self.read_expr(cursor, operands, right, bits)?;
                operands.flags = if operation == Operation::Compare {
                    comparison(bits, &left, &right)
                } else {
                    logical(bits, Llvm::And, left, right)
                };
            }
            (Operation::Borrow, [to, from]) if to == from => {
                let bits = width(operands, bits, &[to])?;
                let carry = operands.flags.carry.clone().ok_or(UNKNOWN_VALUE)?;
                let value = value::fold(Expr::unary(program::UnaryOp::Neg, carry));
                self.write(cursor, operands, to, bits, Val::Expr(value))?;
            }
            (Operation::Exchange, [one, other]) => {
                let bits = width(operands, bits, &[one, other])?;
                self.exchange(cursor, operands, one, other, bits)?;
            }
            (Operation::ExchangeAdd, [to, from]) => {
                let bits = width(operands, bits, &[to, from])?;
                let operand = self.read_expr(cursor, operands, from, bits)?;
                let (old, new) =
                    self.change(cursor, operands, line, to, bits, Change::Add, &operand)?;
                operands.flags = Flags::of_result(&new);
                self.write(cursor, operands, from, bits, Val::Expr(old))?;
            }
            (Operation::Change(change), [to]) => {
                let operand = match change {
                    Change::Increment | Change::Decrement => Expr::Const(1),
                    Change::Not => Expr::Const(-1),
                    Change::Negate => Expr::Const(0),
                    Change::Add | Change::Sub | Change::And | Change::Or | Change::Xor => {
                        return Err(NOT_UNDERSTOOD);
                    }
                };
                let bits = width(operands, bits, &[to])?;
                let (old, new) = self.change(cursor, operands, line, to, bits, change, &operand)?;
                // `not` leaves the flags alone, and counting the carry.
                let carry = match change {
                    Change::Not => return Ok(()),
                    Change::Negate => {
                        Some(value::fold(Expr::binary(BinaryOp::Ne, old, Expr::Const(0))))
                    }
                    Change::Increment
                    | Change::Decrement
                    | Change::Add
                    | Change::Sub
                    | Change::And
                    | Change::Or
                    | Change::Xor => operands.flags.carry.take(),
                };
                operands.flags = Flags { carry, ..Flags::of_result(&new) };
            }
            (Operation::Change(change), [to, from]) => {
                let bits = width(operands, bits, &[to, from])?;
                let is_zero = *from == Written::Immediate(0)
                    && matches!(change, Change::Add | Change::Sub | Change::Or | Change::Xor);
                if line.is_locked && is_zero && is_stack(to) {
                    self.emit(cursor, Instruction::Fence(FenceKind::Full));
                    operands.flags = Flags::default();
                    return Ok(());
                }
                // A register from itself: nothing but a zero, whatever was in it.
                let operand = if change == Change::Xor && to == from {
                    self.write(cursor, operands, to, bits, Val::constant(0))?;
                    Expr::Const(0)
                } else {
                    self.read_expr(cursor, operands, from, bits)?
                };
                let (old, new) = self.change(cursor, operands, line, to, bits, change, &operand)?;
                operands.flags = match change {
                    Change::Sub => comparison(bits, &old, &operand),
                    Change::And | Change::Or | Change::Xor => {
                        Flags { carry: Some(Expr::Const(0)), ..Flags::of_result(&new) }
                    }
                    Change::Add => Flags {
                        carry: value::compare(llvm::IntegerPredicate::Ult, bits, new.clone(), old),
                        ..Flags::of_result(&new)
                    },
                    Change::Increment | Change::Decrement | Change::Not | Change::Negate => {
                        return Err(NOT_UNDERSTOOD);
                    }
                };
            }
            (Operation::CompareExchange, [to, from]) => {
                let bits = width(operands, bits, &[to, from])?;
                self.compare_exchange_in(cursor, operands, line, to, from, bits)?;
            }
            (Operation::Bit(change), [to, from]) => {
                let bits = width(operands, bits, &[to, from])?;
                self.bit(cursor, operands, line, change, to, from, bits)?;
            }
            _ => return Err(NOT_UNDERSTOOD),
        }
        Ok(())
    }

    fn place(&mut self, operands: &mut Operands, written: &Written) -> Result<Place, Trouble> {
        Ok(match written {
            Written::Immediate(number) => Place::Number(*number),
            Written::Register(name, _) => Place::Register(operands.register(name)),
            Written::Operand(number, _) => match operands.bound.get(*number) {
                Some(Bound::Register(register, _)) => Place::Register(*register),
                Some(Bound::Memory(address, _)) => Place::Memory(address.clone()),
                Some(Bound::Flag) | None => return Err(NOT_UNDERSTOOD),
            },
            Written::Memory { .. } if is_stack(written) => Place::Stack,
            Written::Memory { base, index, displacement, .. } => {
                let mut address = self.address_in(operands, base)?;
                if let Some((index, scale)) = index {
                    let (Val::Expr(base), Val::Expr(index)) =
                        (address, self.address_in(operands, index)?)
                    else {
                        return Err(UNKNOWN_VALUE);
                    };
                    address = Val::Expr(value::sum(base, value::times(index, *scale)));
                }
                Place::Memory(match address {
                    Val::Expr(base) => Val::Expr(value::sum(base, Expr::Const(*displacement))),
                    Val::Private(private, at) => {
                        let by = i64::try_from(*displacement).map_err(|_| NOT_UNDERSTOOD)?;
                        Val::Private(private, at + by)
                    }
                    Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {
                        return Err(UNKNOWN_VALUE);
                    }
                })
            }
        })
    }

    /// What a register holds that is part of an address.
    fn address_in(&mut self, operands: &mut Operands, written: &Written) -> Result<Val, Trouble> {
        match self.place(operands, written)? {
            Place::Register(register) => operands.read(register, 64).ok_or(UNKNOWN_VALUE),
            Place::Memory(_) | Place::Stack | Place::Number(_) => Err(NOT_UNDERSTOOD),
        }
    }

    fn read(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        written: &Written,
        bits: u32,
    ) -> Result<Val, Trouble> {
        match self.place(operands, written)? {
            Place::Number(number) => {
                let int = value::int(bits).ok_or(NOT_UNDERSTOOD)?;
                Ok(Val::constant(int.wrap(number)))
            }
            Place::Register(register) => operands.read(register, bits).ok_or(UNKNOWN_VALUE),
            Place::Memory(address) => Ok(self.load_in(cursor, operands, &address, bits)),
            Place::Stack => Err(NOT_UNDERSTOOD),
        }
    }

    fn load_in(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        address: &Val,
        bits: u32,
    ) -> Val {
        let number = operands.number();
        let size = u64::from(bits / 8);
        let value = self.load_bytes(cursor, None, number, address, size, Order::Volatile);
        match value {
            Val::Expr(expr) if self.may_change(&Val::Expr(expr.clone())) => {
                Val::Expr(self.held_apart(cursor, expr, Scratch::AssemblyValue(number)))
            }
            value @ (Val::Expr(_)
            | Val::Private(..)
            | Val::Aggregate(_)
            | Val::Undefined
            | Val::Inexpressible(_)) => value,
        }
    }

    /// The same as a number.
    fn read_expr(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        written: &Written,
        bits: u32,
    ) -> Result<Expr, Trouble> {
        match self.read(cursor, operands, written, bits)? {
            Val::Undefined => Err(UNKNOWN_VALUE),
            value @ (Val::Expr(_)
            | Val::Private(..)
            | Val::Aggregate(_)
            | Val::Inexpressible(_)) => Ok(self.expr(cursor, value)),
        }
    }

    fn write(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        written: &Written,
        bits: u32,
        value: Val,
    ) -> Result<(), Trouble> {
        match self.place(operands, written)? {
            Place::Register(register) => operands.write(register, bits, value),
            Place::Memory(address) => {
                self.store_bytes(cursor, &address, u64::from(bits / 8), value, Order::Volatile);
            }
            Place::Stack | Place::Number(_) => return Err(NOT_UNDERSTOOD),
        }
        Ok(())
    }

    /// What a locked operation read, in a place of its own: there may be another such operation.
    fn kept(&mut self, cursor: &mut Cursor, operands: &mut Operands, old: Expr) -> Expr {
        match operands.number() {
            1 => old,
            number => self.held_apart(cursor, old, Scratch::AssemblyValue(number)),
        }
    }

    fn exchange(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        one: &Written,
        other: &Written,
        bits: u32,
    ) -> Result<(), Trouble> {
        let (memory, register) = match (self.place(operands, one)?, self.place(operands, other)?) {
            (Place::Memory(memory), Place::Register(_)) => (memory, other),
            (Place::Register(_), Place::Memory(memory)) => (memory, one),
            (Place::Register(left), Place::Register(right)) => {
                let was = operands.read(left, bits).ok_or(UNKNOWN_VALUE)?;
                let is = operands.read(right, bits).ok_or(UNKNOWN_VALUE)?;
                operands.write(left, bits, is);
                operands.write(right, bits, was);
                return Ok(());
            }
            (Place::Memory(_) | Place::Register(_) | Place::Stack | Place::Number(_), _) => {
                return Err(NOT_UNDERSTOOD);
            }
        };
        let new = self.read_expr(cursor, operands, register, bits)?;
        let size = u64::from(bits / 8);
        let old = self.rmw(cursor, None, RmwOp::Xchg, &memory, size, new, Order::SeqCst);
        let old = self.expr(cursor, old);
        let old = self.kept(cursor, operands, old);
        self.write(cursor, operands, register, bits, Val::Expr(old))
    }

    /// Changes a register or memory, in one step or in two; what was there and what is.
    #[expect(clippy::too_many_arguments, reason = "what, where, how wide, with what")]
    fn change(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        line: &Line,
        to: &Written,
        bits: u32,
        change: Change,
        operand: &Expr,
    ) -> Result<(Expr, Expr), Trouble> {
        let place = self.place(operands, to)?;
        let (op, arithmetic) = match change {
            Change::Add | Change::Increment => (Some(RmwOp::Add), Llvm::Add),
            Change::Sub | Change::Decrement => (Some(RmwOp::Sub), Llvm::Sub),
            Change::And => (Some(RmwOp::And), Llvm::And),
            Change::Or => (Some(RmwOp::Or), Llvm::Or),
            Change::Xor | Change::Not => (Some(RmwOp::Xor), Llvm::Xor),
            Change::Negate => (None, Llvm::Sub),
        };
        let changed = |old: &Expr| {
            let (left, right) = match change {
                Change::Negate => (operand.clone(), old.clone()),
                Change::Add
                | Change::Sub
                | Change::And
                | Change::Or
                | Change::Xor
                | Change::Increment
                | Change::Decrement
                | Change::Not => (old.clone(), operand.clone()),
            };
            value::arithmetic(arithmetic, bits, left, right).ok_or(NOT_UNDERSTOOD)
        };
        match (place, line.is_locked) {
            (Place::Memory(address), true) if let Some(op) = op => {
                let size = u64::from(bits / 8);
                let operand = operand.clone();
                let old = self.rmw(cursor, None, op, &address, size, operand, Order::SeqCst);
                let old = self.expr(cursor, old);
                let old = self.kept(cursor, operands, old);
                let new = changed(&old)?;
                Ok((old, new))
            }
            (place @ (Place::Memory(_) | Place::Register(_)), is_locked) => {
                if is_locked {
                    let Place::Memory(_) = place else { return Err(NOT_UNDERSTOOD) };
                    self.emit(cursor, Instruction::Lock);
                }
                let old = self.read_expr(cursor, operands, to, bits)?;
                let new = changed(&old)?;
                self.write(cursor, operands, to, bits, Val::Expr(new.clone()))?;
                if is_locked {
                    self.emit(cursor, Instruction::Unlock);
                }
                Ok((old, new))
            }
            (Place::Stack | Place::Number(_), _) => Err(NOT_UNDERSTOOD),
        }
    }

    fn compare_exchange_in(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        line: &Line,
        to: &Written,
        from: &Written,
        bits: u32,
    ) -> Result<(), Trouble> {
        let accumulator = Written::Register("ax", bits);
        let expected = self.read_expr(cursor, operands, &accumulator, bits)?;
        let new = self.read_expr(cursor, operands, from, bits)?;
        let size = u64::from(bits / 8);
        let old = match (self.place(operands, to)?, line.is_locked) {
            (Place::Memory(address), true) => {
                let swapped = self.compare_and_swap(
                    cursor,
                    None,
                    &address,
                    size,
                    expected.clone(),
                    new,
                    Access::with_order(Order::SeqCst),
                );
                let (old, _) = swapped.ok_or(NOT_UNDERSTOOD)?;
                self.kept(cursor, operands, old)
            }
            (Place::Memory(_) | Place::Register(_), false) => {
                // Without `lock` the old value is written back if it is another.
                let old = self.read_expr(cursor, operands, to, bits)?;
                let is = Expr::binary(BinaryOp::Eq, old.clone(), expected.clone());
                let written = Expr::Select(Box::new([is, new, old.clone()]));
                self.write(cursor, operands, to, bits, Val::Expr(value::fold(written)))?;
                old
            }
            (Place::Register(_) | Place::Stack | Place::Number(_), _) => {
                return Err(NOT_UNDERSTOOD);
            }
        };
        operands.flags = comparison(bits, &expected, &old);
        self.write(cursor, operands, &accumulator, bits, Val::Expr(old))
    }

    /// Compares two neighbouring words with `dx` and `ax`, and puts `cx` and `bx` there if they are the same. No
    /// instruction of the model is so wide: a locked section is as good as the prefix, which waits for the
    /// buffer and keeps others away.
    fn compare_exchange_pair(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        line: &Line,
        to: &Written,
        half: u32,
    ) -> Result<(), Trouble> {
        let Place::Memory(low) = self.place(operands, to)? else { return Err(NOT_UNDERSTOOD) };
        // What nobody has set may be anything, for instance nothing.
        let mut given = |walk: &mut Self, name: &'static str| -> Result<Expr, Trouble> {
            let value = walk.read(cursor, operands, &Written::Register(name, half), half)?;
            let value = if matches!(value, Val::Undefined) { Val::constant(0) } else { value };
            Ok(walk.expr(cursor, value))
        };
        let expected = [given(self, "ax")?, given(self, "dx")?];
        let new = [given(self, "bx")?, given(self, "cx")?];
        let (old, is_same) =
            self.compare_and_swap_pair(cursor, (&low, half), expected, new, line.is_locked);
        for (name, old) in ["ax", "dx"].into_iter().zip(old) {
            self.write(cursor, operands, &Written::Register(name, half), half, Val::Expr(old))?;
        }
        operands.flags.zero = Some(is_same);
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what, where, which bit, how wide")]
    fn bit(
        &mut self,
        cursor: &mut Cursor,
        operands: &mut Operands,
        line: &Line,
        change: BitChange,
        to: &Written,
        from: &Written,
        bits: u32,
    ) -> Result<(), Trouble> {
        let number = self.read_expr(cursor, operands, from, bits)?;
        let (word, bit) = match self.place(operands, to)? {
            Place::Memory(address) if !matches!(from, Written::Immediate(_)) => {
                // The bits of memory go on beyond the operand.
                let by = Expr::Const(Value::from(bits.trailing_zeros()));
                let words = value::fold(Expr::binary(BinaryOp::Shr, number.clone(), by));
                let offset = value::times(words, Value::from(bits / 8));
                let address = match (address, offset) {
                    (address, Expr::Const(0)) => address,
                    (address, offset) => Val::Expr(value::sum(self.expr(cursor, address), offset)),
                };
                (Some(address), number)
            }
            Place::Memory(address) => (Some(address), number),
            Place::Register(_) => (None, number),
            Place::Stack | Place::Number(_) => return Err(NOT_UNDERSTOOD),
        };
        let last = Expr::Const(Value::from(bits - 1));
        let bit = value::fold(Expr::binary(BinaryOp::BitAnd, bit, last));
        let mask = value::fold(Expr::binary(BinaryOp::Shl, Expr::Const(1), bit.clone()));
        let int = value::int(bits).ok_or(NOT_UNDERSTOOD)?;
        let mask = value::wrap(int, mask);
        let (change, operand) = match change {
            BitChange::Set => (Some(Change::Or), mask),
            BitChange::Reset => {
                let others = Expr::unary(program::UnaryOp::BitNot, mask);
                (Some(Change::And), value::fold(others))
            }
            BitChange::Complement => (Some(Change::Xor), mask),
            BitChange::Test => (None, mask),
        };
        // The word is an operand of its own, at the address that was found.
        let to = match word {
            Some(address) => {
                operands.bound.push(Bound::Memory(address, Some(bits)));
                Written::Operand(operands.bound.len() - 1, None)
            }
            None => to.clone(),
        };
        let old = match change {
            Some(change) => self.change(cursor, operands, line, &to, bits, change, &operand)?.0,
            None => self.read_expr(cursor, operands, &to, bits)?,
        };
        let carry = Expr::binary(BinaryOp::Shr, old, bit);
        let carry = value::fold(Expr::binary(BinaryOp::BitAnd, carry, Expr::Const(1)));
        operands.flags = Flags { carry: Some(carry), ..Flags::default() };
        Ok(())
    }
}

const fn can_be_locked(operation: Operation) -> bool {
    match operation {
        Operation::Exchange
        | Operation::ExchangeAdd
        | Operation::CompareExchange
        | Operation::Change(_)
        | Operation::CompareExchangePair(_) => true,
        Operation::Bit(change) => match change {
            BitChange::Set | BitChange::Reset | BitChange::Complement => true,
            BitChange::Test => false,
        },
        Operation::Fence(_)
        | Operation::Nothing
        | Operation::Unknown
        | Operation::Serialise
        | Operation::Trap
        | Operation::Move
        | Operation::Widen { .. }
        | Operation::Compare
        | Operation::Test
        | Operation::Set(_)
        | Operation::Borrow => false,
    }
}

/// Whether an operand is on the stack.
fn is_stack(written: &Written) -> bool {
    match written {
        Written::Memory { base, .. } => matches!(**base, Written::Register("sp", _)),
        Written::Operand(..) | Written::Immediate(_) | Written::Register(..) => false,
    }
}

/// How wide an instruction is: as its mnemonic says, or else its registers, or else its memory.
fn width(operands: &Operands, suffix: Option<u32>, written: &[&Written]) -> Result<u32, Trouble> {
    let of_register = |one: &&Written| match one {
        Written::Register(_, bits)
        | Written::Operand(_, Some(bits))
        | Written::Memory { bits: Some(bits), .. } => Some(*bits),
        Written::Operand(number, None) => match operands.bound.get(*number)? {
            Bound::Register(_, bits) => Some(*bits),
            Bound::Memory(..) | Bound::Flag => None,
        },
        Written::Immediate(_) | Written::Memory { bits: None, .. } => None,
    };
    let of_memory = |one: &&Written| match one {
        Written::Operand(number, None) => match operands.bound.get(*number)? {
            Bound::Memory(_, bits) => *bits,
            Bound::Register(..) | Bound::Flag => None,
        },
        Written::Operand(_, Some(_))
        | Written::Register(..)
        | Written::Immediate(_)
        | Written::Memory { .. } => None,
    };
    let bits = suffix
        .or_else(|| written.iter().find_map(of_register))
        .or_else(|| written.iter().find_map(of_memory))
        .ok_or(NO_WIDTH)?;
    if matches!(bits, 8 | 16 | 32 | 64) { Ok(bits) } else { Err(TOO_WIDE) }
}

/// The flags that `left - right` leaves.
fn comparison(bits: u32, left: &Expr, right: &Expr) -> Flags {
    use llvm::IntegerPredicate::{Eq, Slt, Ult};
    let compare = |predicate| value::compare(predicate, bits, left.clone(), right.clone());
    let sign = value::arithmetic(Llvm::Sub, bits, left.clone(), right.clone())
        .and_then(|result| Flags::of_result(&result).sign);
    Flags { zero: compare(Eq), sign, carry: compare(Ult), less: compare(Slt) }
}

/// The flags that a bitwise operation leaves.
fn logical(bits: u32, op: Llvm, left: Expr, right: Expr) -> Flags {
    value::arithmetic(op, bits, left, right).map_or_else(Flags::default, |result| {
        let flags = Flags::of_result(&result);
        Flags { carry: Some(Expr::Const(0)), less: flags.sign.clone(), ..flags }
    })
}
