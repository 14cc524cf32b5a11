//! What the functions of `<stdatomic.h>` do.

use program::{BinaryOp, Expr, Instruction, NoInsertion, Order, RegisterId, Span, Update};

use super::lower::Lowering;
use super::syntax::{self, Call, Expected, Type};

impl Lowering<'_> {
    /// The value of a call.
    pub(super) fn call(&mut self, call: &Call, span: Span) -> Expr {
        match call {
            Call::Load { pointer, .. }
            | Call::Exchange { pointer, .. }
            | Call::Fetch { pointer, .. } => {
                let of = self.type_of(pointer).target().unwrap_or(Type::INT);
                let register = self.temporary(of);
                self.call_into(register, call, span);
                Expr::Register(register)
            }
            Call::Store { pointer, value, order } => {
                let (address, target) = self.pointer(pointer);
                let value = self.value(value);
                let access = self.access(target, *order);
                self.emit(Instruction::Store { address, value, access }, span);
                Expr::Const(0)
            }
            Call::Lock { pointer } => {
                let (address, target) = self.pointer(pointer);
                let access = self.access(target, Order::Acquire);
                let (expected, new) = (Expr::Const(0), Expr::Const(1));
                let update = Update::BlockingReadWrite { expected, new };
                self.emit(Instruction::Update { result: None, address, update, access }, span);
                Expr::Const(0)
            }
            Call::Fence(kind) => {
                if let Some(kind) = kind {
                    self.emit(Instruction::Fence(*kind), span);
                }
                Expr::Const(0)
            }
            Call::CompareExchange { pointer, expected, new, success, failure } => {
                self.compare_exchange(pointer, expected, new, (*success, *failure), span)
            }
        }
    }

    /// Puts the value of a call into a register.
    pub(super) fn call_into(&mut self, register: RegisterId, call: &Call, span: Span) {
        let (pointer, order) = match call {
            Call::Load { pointer, order }
            | Call::Exchange { pointer, order, .. }
            | Call::Fetch { pointer, order, .. } => (pointer, *order),
            Call::Store { .. }
            | Call::CompareExchange { .. }
            | Call::Lock { .. }
            | Call::Fence(_) => {
                let after = self.inside();
                let value = self.call(call, span);
                self.after = after;
                self.emit(Instruction::Assign { register, value }, span);
                return;
            }
        };
        let (address, target) = self.pointer(pointer);
        let access = self.access(target, order);
        let update = match call {
            Call::Exchange { value, .. } => Update::Exchange(self.value(value)),
            Call::Fetch { op, operand, .. } => {
                Update::Fetch { op: *op, operand: self.value(operand) }
            }
            Call::Load { .. }
            | Call::Store { .. }
            | Call::CompareExchange { .. }
            | Call::Lock { .. }
            | Call::Fence(_) => {
                self.emit(Instruction::Load { register, address, access }, span);
                return;
            }
        };
        let result = Some(register);
        self.emit(Instruction::Update { result, address, update, access }, span);
    }

    /// Whether it succeeded. If not, what was found goes to where the expected value was.
    fn compare_exchange(
        &mut self,
        pointer: &syntax::Expr,
        expected: &Expected,
        new: &syntax::Expr,
        (success, failure): (Order, Order),
        span: Span,
    ) -> Expr {
        let after = self.inside();
        let (address, target) = self.pointer(pointer);
        let place = match expected {
            Expected::Variable(name) => {
                let Some((register, _)) = self.variable(name) else { return Expr::Const(0) };
                Ok(register)
            }
            Expected::Memory(pointer) => Err(self.pointer(pointer)),
        };
        let new = self.value(new);
        let wanted = match &place {
            Ok(register) => Expr::Register(*register),
            Err((address, of)) => self.load(address.clone(), *of, of.order(), span),
        };
        let found = self.temporary(target);
        let (ok, end) = (self.temporary(Type::INT), self.fresh(span));
        let same = |op| Expr::binary(op, Expr::Register(found), wanted.clone());
        let update = Update::CompareAndSwap { expected: wanted.clone(), new };
        let access = self.access(target, success).failing(failure);
        let tried = self.fresh(span);
        let result = Some(found);
        let swap = Instruction::Update { result, address, update, access };
        self.edge(tried, swap, span);
        self.go_on_at(tried);
        let missed = self.fresh(span);
        self.edge(missed, Instruction::Assume(same(BinaryOp::Ne)), span);
        let swapped = self.fresh(span);
        self.edge(swapped, Instruction::Assume(same(BinaryOp::Eq)), span);
        self.go_on_at(swapped);
        self.after = after;
        self.edge(end, Instruction::Assign { register: ok, value: Expr::Const(1) }, span);
        self.go_on_at(missed);
        self.after = Err(NoInsertion::InsideExpression);
        self.put_back(&place, found, span);
        self.after = after;
        self.edge(end, Instruction::Assign { register: ok, value: Expr::Const(0) }, span);
        self.go_on_at(end);
        Expr::Register(ok)
    }

    /// Puts what was found where the expected value was.
    fn put_back(
        &mut self,
        place: &Result<RegisterId, (Expr, Type)>,
        found: RegisterId,
        span: Span,
    ) {
        let value = Expr::Register(found);
        match place {
            Ok(register) => self.emit(Instruction::Assign { register: *register, value }, span),
            Err((address, of)) => {
                let access = self.access(*of, of.order());
                self.emit(Instruction::Store { address: address.clone(), value, access }, span);
            }
        }
    }
}
