//! Lowering expressions and assignments. A mention of a shared variable becomes a load into a
//! temporary register; operands are evaluated left to right, and the right operand of `&&` and
//! `||` and the arms of `?:` only if needed.

use program::{
    Access, AccessWidth, BinaryOp, Diagnostic, Domain, Expr, Insertion, Instruction, LabelId,
    NoInsertion, Order, RegisterId, Span, Update,
};

use super::super::ast::{self, ExprKind, Place, UpdateCall};
use super::control::Outcomes;
use super::names::{Globals, Meaning};
use super::thread::Lowering;

/// Whether evaluating an expression takes steps of its own.
pub(super) fn reads_memory(expr: &ast::Expr, names: &Globals) -> bool {
    match &expr.kind {
        ExprKind::Number(_) => false,
        ExprKind::Place(Place::Mem { .. })
        | ExprKind::Choose(_)
        | ExprKind::Load { .. }
        | ExprKind::Update { .. } => true,
        ExprKind::Place(Place::Named { name, index }) => {
            index.is_some() || names.is_shared(&name.text)
        }
        ExprKind::AddressOf(place) => match place {
            Place::Named { index, .. } => {
                index.as_ref().is_some_and(|index| reads_memory(index, names))
            }
            Place::Mem { address, .. } => reads_memory(address, names),
        },
        ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => reads_memory(operand, names),
        ExprKind::Binary(_, left, right) => reads_memory(left, names) || reads_memory(right, names),
        ExprKind::Select(operands) => operands.iter().any(|operand| reads_memory(operand, names)),
    }
}

impl Lowering<'_> {
    /// Whether an expression is a constant, whatever the threads do.
    pub(super) fn is_constant(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Number(_) => true,
            ExprKind::Place(Place::Named { name, index: None }) => {
                self.names.is_constant(&name.text)
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => self.is_constant(operand),
            ExprKind::Binary(_, left, right) => self.is_constant(left) && self.is_constant(right),
            ExprKind::Select(operands) => operands.iter().all(|operand| self.is_constant(operand)),
            ExprKind::Place(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Choose(_)
            | ExprKind::Load { .. }
            | ExprKind::Update { .. } => false,
        }
    }

    /// Whether a condition is true or false, whatever the threads do. (A constant that has no value,
    /// such as `1 / 0`, is reported where it is evaluated.)
    pub(super) fn constant_truth(&self, condition: &ast::Expr) -> Option<bool> {
        // One side can be enough: the other is not evaluated.
        if let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) = &condition.kind
        {
            let left = self.constant_truth(left)?;
            return if left == (*op == BinaryOp::Or) {
                Some(left)
            } else {
                self.constant_truth(right)
            };
        }
        if !self.is_constant(condition) {
            return None;
        }
        let value = self.names.constant(condition, &mut Vec::new());
        value.map(|value| value != 0)
    }

    /// The value of an expression evaluated from label `from` on, and the label where it is known.
    pub(super) fn value_at(&mut self, expr: &ast::Expr, from: LabelId) -> (LabelId, Expr) {
        let mut at = from;
        let value = self.value(expr, &mut at);
        (at, value)
    }

    /// The value of an expression evaluated from label `at` on, which moves on with each step.
    /// After an error, which has been reported, some value.
    pub(super) fn value(&mut self, expr: &ast::Expr, at: &mut LabelId) -> Expr {
        match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value),
            ExprKind::Place(Place::Named { name, index: None }) => {
                match self.names.resolve(name, self.errors) {
                    Some(Meaning::Constant(value)) => Expr::Const(value),
                    Some(Meaning::Register(register) | Meaning::Index(register)) => {
                        Expr::Register(register)
                    }
                    Some(Meaning::Scalar(_) | Meaning::Array(_)) => self.stepwise(expr, at),
                    None => Expr::Const(0),
                }
            }
            ExprKind::Place(_)
            | ExprKind::Choose(_)
            | ExprKind::Load { .. }
            | ExprKind::Update { .. } => self.stepwise(expr, at),
            ExprKind::AddressOf(place) => self.address(place, at),
            ExprKind::Unary(op, operand) => Expr::unary(*op, self.value(operand, at)),
            ExprKind::Cast(int, operand) => Expr::Cast(*int, Box::new(self.value(operand, at))),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, right)
                if reads_memory(right, &self.names) =>
            {
                self.truth(expr, at)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.value(left, at);
                let right = self.value(right, at);
                Expr::binary(*op, left, right)
            }
            ExprKind::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                if reads_memory(then, &self.names) || reads_memory(otherwise, &self.names) {
                    return self.selection(operands, at);
                }
                let operands = [condition, then, otherwise].map(|operand| self.value(operand, at));
                Expr::Select(Box::new(operands))
            }
        }
    }

    /// Evaluates into a temporary register.
    fn stepwise(&mut self, expr: &ast::Expr, at: &mut LabelId) -> Expr {
        if let ExprKind::Update { update: UpdateCall::CompareAndSwap, .. } = &expr.kind {
            return self.compare_and_swap(expr, at);
        }
        let domain = self.names.domain_of(expr);
        let register = self.temporary(domain);
        let next = self.inner_label(expr.span);
        let inner = Err(NoInsertion::InsideExpression);
        self.value_into(register, expr, (*at, next), expr.span, inner);
        *at = next;
        Expr::Register(register)
    }

    /// `cas(…)` as a value: whether the value read is the expected one.
    fn compare_and_swap(&mut self, expr: &ast::Expr, at: &mut LabelId) -> Expr {
        let domain = self.names.domain_of(expr);
        let register = self.temporary(domain);
        let (instruction, expected) = self.update(expr, Some(register), at);
        let next = self.inner_label(expr.span);
        self.emit((*at, next), instruction, expr.span, Err(NoInsertion::InsideExpression));
        *at = next;
        Expr::binary(BinaryOp::Eq, Expr::Register(register), expected.unwrap_or(Expr::Const(0)))
    }

    /// A logical operation that must not evaluate more than needed, as 0 or 1.
    fn truth(&mut self, expr: &ast::Expr, at: &mut LabelId) -> Expr {
        let register = self.temporary(Domain::Integer);
        let [yes, no, join] = [(); 3].map(|()| self.inner_label(expr.span));
        let inner = Err(NoInsertion::InsideExpression);
        self.branch(expr, *at, Outcomes { if_true: (yes, inner), if_false: (no, inner) });
        for (from, value) in [(yes, 1), (no, 0)] {
            let instruction = Instruction::Assign { register, value: Expr::Const(value) };
            self.emit((from, join), instruction, expr.span, inner);
        }
        *at = join;
        Expr::Register(register)
    }

    /// `condition ? then : otherwise` where an arm reads memory.
    fn selection(&mut self, operands: &[ast::Expr; 3], at: &mut LabelId) -> Expr {
        let [condition, then, otherwise] = operands;
        let register = self.temporary(Domain::Integer);
        let inner = Err(NoInsertion::InsideExpression);
        let yes = self.inner_label(then.span);
        let no = self.inner_label(otherwise.span);
        let join = self.inner_label(condition.span.to(otherwise.span));
        self.branch(condition, *at, Outcomes { if_true: (yes, inner), if_false: (no, inner) });
        self.value_into(register, then, (yes, join), then.span, inner);
        self.value_into(register, otherwise, (no, join), otherwise.span, inner);
        *at = join;
        Expr::Register(register)
    }

    /// Assigns the value of an expression to a register.
    pub(super) fn value_into(
        &mut self,
        register: RegisterId,
        expr: &ast::Expr,
        (from, to): (LabelId, LabelId),
        span: Span,
        after: Insertion,
    ) {
        let mut at = from;
        let instruction = match &expr.kind {
            ExprKind::Place(place) if self.is_memory(place) => {
                let address = self.address(place, &mut at);
                Instruction::Load { register, address, access: Access::PLAIN }
            }
            ExprKind::Load { from, attributes } => {
                let access = access(attributes);
                let address = self.address(from, &mut at);
                Instruction::Load { register, address, access }
            }
            ExprKind::Choose(range) => {
                let bounds = self.names.nonempty_range(range, self.errors);
                let (low, high) = bounds.unwrap_or((0, 0));
                Instruction::Choose { register, low, high }
            }
            ExprKind::Update { update, .. } if *update != UpdateCall::CompareAndSwap => {
                self.update(expr, Some(register), &mut at).0
            }
            ExprKind::Number(_)
            | ExprKind::Place(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(_)
            | ExprKind::Cast(..)
            | ExprKind::Update { .. } => {
                Instruction::Assign { register, value: self.value(expr, &mut at) }
            }
        };
        self.emit((at, to), instruction, span, after);
    }

    /// An atomic operation that gives a value and, for a compare-and-swap, what is compared with.
    fn update(
        &mut self,
        expr: &ast::Expr,
        result: Option<RegisterId>,
        at: &mut LabelId,
    ) -> (Instruction, Option<Expr>) {
        let ExprKind::Update { update, place, arguments, attributes } = &expr.kind else {
            unreachable!("only called for atomic operations")
        };
        let access = access(attributes);
        let address = self.address(place, at);
        let mut values = arguments.iter().map(|argument| self.value(argument, at));
        let first = values.next().expect("every operation has an argument");
        let second = values.next();
        drop(values);
        let mut expected = None;
        let update = match (update, second) {
            (UpdateCall::StoreExclusive, _) => {
                let status = result.unwrap_or_else(|| self.temporary(Domain::Integer));
                let access = Access { exclusive: true, ..access };
                let store = Instruction::StoreExclusive { status, address, value: first, access };
                return (store, None);
            }
            (UpdateCall::Fetch(op), _) => Update::Fetch { op: *op, operand: first },
            (UpdateCall::CompareExchange | UpdateCall::CompareAndSwap, Some(new)) => {
                expected = Some(first.clone());
                Update::CompareAndSwap { expected: first, new }
            }
            (
                UpdateCall::Exchange | UpdateCall::CompareExchange | UpdateCall::CompareAndSwap,
                _,
            ) => Update::Exchange(first),
        };
        (Instruction::Update { result, address, update, access }, expected)
    }

    /// An atomic operation as a statement.
    pub(super) fn call(
        &mut self,
        call: &ast::Expr,
        (from, to): (LabelId, LabelId),
        span: Span,
        after: Insertion,
    ) {
        let mut at = from;
        let (instruction, _) = self.update(call, None, &mut at);
        self.emit((at, to), instruction, span, after);
    }

    pub(super) fn assign(
        &mut self,
        to: &Place,
        value: &ast::Expr,
        labels: (LabelId, LabelId),
        span: Span,
        after: Insertion,
    ) {
        let Place::Named { name, index: None } = to else {
            return self.store(to, value, Access::PLAIN, labels, span, after);
        };
        match self.names.resolve(name, self.errors) {
            Some(Meaning::Register(register)) => {
                self.value_into(register, value, labels, span, after);
            }
            Some(Meaning::Constant(_)) => self.cannot_assign(name, "a constant"),
            Some(Meaning::Index(_)) => self.cannot_assign(name, "the index of the thread"),
            Some(Meaning::Scalar(_) | Meaning::Array(_)) => {
                self.store(to, value, Access::PLAIN, labels, span, after);
            }
            // Report what is wrong with the value as well.
            None => drop(self.value_at(value, labels.0)),
        }
    }

    fn cannot_assign(&mut self, name: &ast::Name, what: &str) {
        let message = format!("`{}` cannot be assigned", name.text);
        self.errors.push(Diagnostic::new(name.span, message).label(format!("this is {what}")));
    }

    pub(super) fn store(
        &mut self,
        to: &Place,
        value: &ast::Expr,
        access: Access,
        (from, exit): (LabelId, LabelId),
        span: Span,
        after: Insertion,
    ) {
        let mut at = from;
        let address = self.address(to, &mut at);
        let value = self.value(value, &mut at);
        self.emit((at, exit), Instruction::Store { address, value, access }, span, after);
    }

    /// The address of a place in shared memory.
    pub(super) fn address(&mut self, place: &Place, at: &mut LabelId) -> Expr {
        let (name, index) = match place {
            Place::Mem { address, .. } => return self.value(address, at),
            Place::Named { name, index } => (name, index),
        };
        let meaning = self.names.resolve(name, self.errors);
        let index_value = index.as_ref().map(|index| self.value(index, at));
        match (meaning, index_value) {
            (None, _) => Expr::Const(0),
            (Some(Meaning::Scalar(location)), None) => Expr::address(location),
            (Some(Meaning::Array(location)), Some(index)) => {
                Expr::Element(location, Box::new(index))
            }
            (Some(Meaning::Array(_)), None) => {
                let message = format!("`{}` is an array", name.text);
                let help = format!("name one of its elements: `{}[index]`", name.text);
                self.errors.push(Diagnostic::new(name.span, message).help(help));
                Expr::Const(0)
            }
            (Some(Meaning::Scalar(_)), Some(_)) => {
                let message = format!("`{}` is not an array", name.text);
                let help = format!(
                    "declare it as one, `shared {}[length]`, or leave the index out",
                    name.text
                );
                self.errors.push(Diagnostic::new(place.span(), message).help(help));
                Expr::Const(0)
            }
            (Some(Meaning::Constant(_) | Meaning::Register(_) | Meaning::Index(_)), _) => {
                let message = format!("`{}` is not in shared memory", name.text);
                let help = "only what is declared `shared` has an address; \
                            `mem[e]` is the memory cell at address `e`";
                self.errors.push(Diagnostic::new(place.span(), message).help(help));
                Expr::Const(0)
            }
        }
    }

    /// Whether a place is in shared memory (or is wrong in a way that reading it will report).
    fn is_memory(&self, place: &Place) -> bool {
        match place {
            Place::Mem { .. } => true,
            Place::Named { name, index } => index.is_some() || self.names.is_shared(&name.text),
        }
    }
}

/// How a place is accessed.
pub(super) fn access(attributes: &ast::Attributes) -> Access {
    Access {
        order: attributes.order.unwrap_or(Order::Plain),
        width: match (attributes.bytes, attributes.across) {
            (_, Some(int)) => AccessWidth::Across(int),
            (Some(bytes), None) => AccessWidth::Bytes(bytes),
            (None, None) => AccessWidth::Cell,
        },
        exclusive: attributes.exclusive,
        failure: attributes.failure,
    }
}
