//! One instruction of LLVM as steps of a thread.

mod atomic;
mod compute;
mod float;
mod memory;
mod vector;
pub(crate) mod wide;

use llvm::{Instruction as Llvm, Operand, Operation};
use program::{BinaryOp, Expr, Failure, FenceKind, Instruction, Order, Span};

use crate::function::FunctionInfo;
use crate::thread::{Cursor, Flow, Walk};
use crate::value::{self, Val};

use self::memory::Beyond;

/// The order of an access, as C11 and x86 see it.
pub(crate) const fn order(ordering: Option<llvm::Ordering>, volatile: bool) -> Order {
    match ordering {
        None if volatile => Order::Volatile,
        None => Order::Plain,
        Some(llvm::Ordering::Unordered | llvm::Ordering::Monotonic) => Order::Relaxed,
        Some(llvm::Ordering::Acquire) => Order::Acquire,
        Some(llvm::Ordering::Release) => Order::Release,
        Some(llvm::Ordering::AcquireRelease) => Order::AcquireRelease,
        Some(llvm::Ordering::SequentiallyConsistent) => Order::SeqCst,
    }
}

impl Walk<'_, '_, '_> {
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(crate) fn step(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        instruction: &Llvm,
    ) -> Flow {
        let module = cursor.known.frame.function.module;
        let result = instruction.result;
        match &instruction.operation {
            Operation::Alloca { ty, count, .. } => {
                self.alloca(cursor, result, *ty, count.as_ref());
            }
            Operation::Load { ty, address, volatile, ordering, .. } => {
                let beyond = self.beyond(cursor, address, *ty);
                if beyond == Beyond::Variable {
                    return self.fail_by(cursor, Failure::OutOfBounds);
                }
                let order = order(*ordering, *volatile);
                self.load(cursor, result, *ty, address, order);
                if beyond == Beyond::Memory {
                    return Flow::Over;
                }
            }
            Operation::Store { value, address, volatile, ordering, .. } => {
                let beyond = self.beyond(cursor, address, value.ty);
                if beyond == Beyond::Variable {
                    return self.fail_by(cursor, Failure::OutOfBounds);
                }
                let order = order(*ordering, *volatile);
                self.store(cursor, info, value, address, order);
                if beyond == Beyond::Memory {
                    return Flow::Over;
                }
            }
            Operation::CompareExchange { address, expected, new, success, failure, .. } => {
                let orders = (order(Some(*success), false), order(Some(*failure), false));
                self.compare_exchange(cursor, result, address, expected, new, orders);
            }
            Operation::AtomicRmw { op, address, value, ordering, .. } => {
                let order = order(Some(*ordering), false);
                self.atomic_rmw(cursor, result, *op, address, value, order);
            }
            Operation::Fence { ordering, single_thread: false } => {
                self.emit(cursor, Instruction::Fence(fence_kind(*ordering)));
            }
            Operation::GetElementPtr { element, base, indices } => {
                let indices: Vec<Val> =
                    indices.iter().map(|index| self.operand(cursor, index)).collect();
                let value = self.element(cursor, module, *element, base, &indices);
                self.define(cursor, result, value);
            }
            Operation::Binary { op, left, right } if is_floating(*op) => {
                let operation = self.float_binary(cursor, *op, left, right);
                return self.calculated(cursor, info, result, operation);
            }
            Operation::Binary { op, left, right } => {
                let value = self.binary(cursor, *op, left, right);
                self.define(cursor, result, value);
            }
            Operation::Compare { predicate, left, right } => {
                let value = self.compare(cursor, *predicate, left, right);
                self.define(cursor, result, value);
            }
            Operation::FNeg(operand) => {
                let value = self.negated(cursor, operand);
                self.define(cursor, result, value.unwrap_or_else(compute::floating));
            }
            Operation::FloatCompare { predicate, left, right } => {
                let operation = self.float_compare(cursor, *predicate, left, right);
                return self.calculated(cursor, info, result, operation);
            }
            Operation::Cast { op, value, to } if converts_floats(*op) => {
                let operation = self.float_cast(cursor, *op, value, *to);
                return self.calculated(cursor, info, result, operation);
            }
            Operation::Cast { op, value, to } => {
                let value = self.cast(cursor, *op, value, *to);
                self.define(cursor, result, value);
            }
            Operation::Select { condition, then, otherwise } => {
                let value = self.select(cursor, condition, then, otherwise);
                self.define(cursor, result, value);
            }
            // Taken when the block was entered; and what only a compiler sees.
            Operation::Phi { .. } | Operation::Fence { single_thread: true, .. } => {}
            Operation::Freeze(value) => {
                let value = match self.operand(cursor, value) {
                    Val::Undefined => Val::constant(0),
                    value @ (Val::Expr(_)
                    | Val::Private(..)
                    | Val::Aggregate(_)
                    | Val::Inexpressible(_)) => value,
                };
                self.define(cursor, result, value);
            }
            Operation::ExtractValue { aggregate, indices } => {
                let mut value = self.operand(cursor, aggregate);
                for index in indices {
                    value = match value {
                        Val::Aggregate(mut parts) if (*index as usize) < parts.len() => {
                            parts.swap_remove(*index as usize)
                        }
                        Val::Inexpressible(why) => Val::Inexpressible(why),
                        Val::Undefined | Val::Expr(_) | Val::Private(..) | Val::Aggregate(_) => {
                            Val::Undefined
                        }
                    };
                }
                self.define(cursor, result, value);
            }
            Operation::InsertValue { aggregate, value, indices } => {
                let whole = self.operand(cursor, aggregate);
                let part = self.operand(cursor, value);
                let value = self.with_inserted(module, aggregate.ty, whole, part, indices);
                self.define(cursor, result, value);
            }
            Operation::ExtractElement { vector, index } => {
                let value = self.lane(cursor, vector, index);
                self.define(cursor, result, value);
            }
            Operation::InsertElement { vector, value, index } => {
                let value = self.with_lane(cursor, vector, value, index);
                self.define(cursor, result, value);
            }
            Operation::ShuffleVector { left, right, mask } => {
                let value = self.shuffled(cursor, left, right, mask);
                self.define(cursor, result, value);
            }
            Operation::VaArg { .. } => {
                self.define(cursor, result, Val::Inexpressible("an unnamed argument".into()));
            }
            Operation::LandingPad { .. } => self.define(cursor, result, Val::Undefined),
            Operation::Call(call) => return self.call(cursor, info, call, result, None),
            Operation::Invoke { call, normal, .. } => {
                return self.call(cursor, info, call, result, Some(*normal));
            }
            Operation::CallBranch { .. } => {
                self.error(cursor, "assembly with jumps is not understood", "write it in C");
                return Flow::Over;
            }
            Operation::Branch(target) => {
                self.settle_all(cursor, info);
                return Flow::Jump(*target);
            }
            Operation::ConditionalBranch { condition, then, otherwise } => {
                let condition = self.operand(cursor, condition);
                if let Some(known) = condition.as_constant() {
                    self.settle_all(cursor, info);
                    return Flow::Jump(if known == 0 { *otherwise } else { *then });
                }
                let condition = self.expr(cursor, condition);
                self.settle_all(cursor, info);
                let not = self.branch(cursor, value::fold(condition.negated()));
                self.emit(cursor, Instruction::Assume(condition));
                self.jump_aside(not, info, *otherwise);
                return Flow::Jump(*then);
            }
            Operation::Switch { value, default, cases } => {
                return self.switch(cursor, info, value, *default, cases);
            }
            Operation::IndirectBranch { .. } => {
                self.error(cursor, "a computed `goto` is not understood", "use a `switch`");
                return Flow::Over;
            }
            Operation::Return(value) => {
                let value = value.as_ref().map(|value| self.operand(cursor, value));
                return self.return_from(cursor, value);
            }
            // Nothing is ever thrown: what would throw ends its thread.
            Operation::Resume(_) | Operation::Unreachable => return self.fail(cursor),
            Operation::Other(text) => {
                let what = text.split_whitespace().next().unwrap_or("").to_owned();
                let (message, help) = if text.contains("!nontemporal") {
                    let message = "machines keep a non-temporal store in no order with others";
                    (message.to_owned(), "use a plain or an atomic store")
                } else {
                    let message = format!("LLVM's instruction `{what}` is not understood");
                    (message, "rewrite the statement")
                };
                self.error(cursor, message, help);
                return Flow::Over;
            }
        }
        Flow::Next
    }

    /// Continues a way at the beginning of a block, later.
    pub(crate) fn jump_aside(
        &mut self,
        mut cursor: Cursor,
        info: &FunctionInfo,
        target: llvm::BlockId,
    ) {
        self.jump(&mut cursor, info, target);
        self.set_aside(cursor);
    }

    fn switch(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        value: &Operand,
        default: llvm::BlockId,
        cases: &[(Operand, llvm::BlockId)],
    ) -> Flow {
        let value = self.operand(cursor, value);
        self.settle_all(cursor, info);
        if let Some(known) = value.as_constant() {
            let case = cases
                .iter()
                .find(|(case, _)| self.operand(cursor, case).as_constant() == Some(known))
                .map_or(default, |(_, target)| *target);
            return Flow::Jump(case);
        }
        let value = self.expr(cursor, value);
        let value = self.held(cursor, value);
        for (case, target) in cases {
            let case = self.expr_of(cursor, case);
            let is = Expr::binary(BinaryOp::Eq, value.clone(), case);
            let taken = self.branch(cursor, is.clone());
            self.jump_aside(taken, info, *target);
            self.emit(cursor, Instruction::Assume(is.negated()));
        }
        Flow::Jump(default)
    }

    /// The text of what is under way.
    pub(crate) fn here(&mut self, cursor: &Cursor) -> Span {
        self.span(&cursor.known.frame)
    }
}

/// Whether an operation calculates with floating-point numbers.
const fn is_floating(op: llvm::BinaryOp) -> bool {
    use llvm::BinaryOp::{FAdd, FDiv, FMul, FRem, FSub};
    matches!(op, FAdd | FSub | FMul | FDiv | FRem)
}

/// Whether a cast is from or to a floating-point number.
const fn converts_floats(op: llvm::CastOp) -> bool {
    use llvm::CastOp::{FpExt, FpToSi, FpToUi, FpTrunc, SiToFp, UiToFp};
    matches!(op, FpTrunc | FpExt | FpToUi | FpToSi | UiToFp | SiToFp)
}

const fn fence_kind(ordering: llvm::Ordering) -> FenceKind {
    match ordering {
        llvm::Ordering::SequentiallyConsistent => FenceKind::Full,
        llvm::Ordering::AcquireRelease => FenceKind::Lightweight,
        llvm::Ordering::Release => FenceKind::Release,
        llvm::Ordering::Acquire | llvm::Ordering::Unordered | llvm::Ordering::Monotonic => {
            FenceKind::Acquire
        }
    }
}
