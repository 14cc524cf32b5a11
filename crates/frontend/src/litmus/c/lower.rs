//! From the syntax of a thread to its automaton. Operands are evaluated from left to right.

use std::collections::BTreeMap;

use program::{
    Access, BinaryOp, Diagnostic, Diagnostics, Domain, Edge, Expr, Insertion, InsertionPoint,
    Instruction, Label, LabelId, LocationId, NoInsertion, Order, Register, RegisterId, Span,
    Template, TemplateBuilder,
};

use super::super::ast::Name;
use super::super::machine::{Context, Globals, signed};
use super::syntax::{self, ExprKind, Statement, StatementKind, Thread, Type};
use crate::suggest::did_you_mean;

/// Lowers a thread.
pub(super) fn thread(code: &Thread, context: &Context<'_>, errors: &mut Diagnostics) -> Template {
    let mut builder = TemplateBuilder::new(&context.name.text, context.name.span);
    let start = builder.label(label("start".to_owned(), context.name.span));
    let mut parameters = BTreeMap::new();
    for parameter in &code.parameters {
        if let Some(id) = context.globals.names.get(&parameter.name.text) {
            parameters.insert(parameter.name.text.clone(), (*id, parameter.pointer));
        }
    }
    let mut lowering = Lowering {
        builder,
        globals: context.globals,
        parameters,
        variables: BTreeMap::new(),
        at: start,
        after: Err(NoInsertion::NoTextOfItsOwn),
        errors,
    };
    for statement in &code.body {
        lowering.statement(statement);
    }
    for mentioned in context.registers {
        let name = &mentioned.name;
        if mentioned.initial.is_some() {
            let message = format!("`{}` starts with what the thread assigns to it", name.text);
            lowering.errors.push(Diagnostic::new(name.span, message));
        } else if !lowering.variables.contains_key(&name.text) {
            lowering.unknown(name);
        }
    }
    lowering.builder.build(start)
}

pub(super) struct Lowering<'a> {
    builder: TemplateBuilder,
    pub(super) globals: &'a Globals,
    parameters: BTreeMap<String, (LocationId, Type)>,
    variables: BTreeMap<String, (RegisterId, Type)>,
    at: LabelId,
    /// Where a statement can be put after what is lowered.
    pub(super) after: Insertion,
    pub(super) errors: &'a mut Diagnostics,
}

fn label(name: String, span: Span) -> Label {
    let before = Err(NoInsertion::NoSource);
    Label { name, generated: true, waiting: false, span, before }
}

impl Lowering<'_> {
    pub(super) fn fresh(&mut self, span: Span) -> LabelId {
        let number = self.builder.labels().len();
        self.builder.label(label(format!("l{number}"), span))
    }

    pub(super) const fn go_on_at(&mut self, label: LabelId) {
        self.at = label;
    }

    pub(super) fn edge(&mut self, to: LabelId, instruction: Instruction, span: Span) {
        let after = self.after;
        self.builder.edge(Edge { from: self.at, to, instruction, span, after });
    }

    /// Adds an instruction.
    pub(super) fn emit(&mut self, instruction: Instruction, span: Span) {
        let to = self.fresh(span);
        self.edge(to, instruction, span);
        self.at = to;
    }

    /// A register for a value in the middle of an expression.
    pub(super) fn temporary(&mut self, of: Type) -> RegisterId {
        let name = format!("value{}", self.builder.registers().len());
        let domain = Domain::Wrapping(signed(of.bits()));
        self.builder.register(Register { name, initial: 0, domain, generated: true })
    }

    pub(super) fn unknown(&mut self, name: &Name) {
        let message = format!("the thread has no variable `{}`", name.text);
        let known = self.variables.keys().chain(self.parameters.keys()).map(String::as_str);
        let mut error = Diagnostic::new(name.span, message);
        error.help = did_you_mean(&name.text, known).map(|like| format!("did you mean `{like}`?"));
        self.errors.push(error);
    }

    pub(super) fn refuse(&mut self, span: Span, message: &str) {
        self.errors.push(Diagnostic::new(span, message));
    }

    /// The register of a variable.
    pub(super) fn variable(&mut self, name: &Name) -> Option<(RegisterId, Type)> {
        let found = self.variables.get(&name.text).copied();
        if found.is_none() {
            self.unknown(name);
        }
        found
    }

    fn statement(&mut self, statement: &Statement) {
        let end = statement.span;
        let outside = std::mem::replace(&mut self.after, Err(NoInsertion::NoTextOfItsOwn));
        if let (true, true, Some(source)) = (statement.is_free, is_simple(statement), end.source) {
            self.after = Ok(InsertionPoint { source, offset: end.end });
        }
        self.simple_or_not(statement);
        self.after = outside;
    }

    fn simple_or_not(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Nothing => {}
            StatementKind::Declare { name, declared, value } => {
                let is_known = self.variables.contains_key(&name.text)
                    || self.parameters.contains_key(&name.text);
                if is_known {
                    self.refuse(name.span, "this name is taken");
                    return;
                }
                let register = self.builder.register(Register {
                    name: name.text.clone(),
                    initial: 0,
                    domain: Domain::Wrapping(signed(declared.bits())),
                    generated: false,
                });
                // Its value is computed before the name is known.
                if let Some(value) = value {
                    self.assign(register, value, span);
                }
                self.variables.insert(name.text.clone(), (register, *declared));
            }
            StatementKind::Assign { name, value } => {
                if let Some((register, _)) = self.variable(name) {
                    self.assign(register, value, span);
                }
            }
            StatementKind::Store { pointer, value } => {
                let (address, target) = self.pointer(pointer);
                let value = self.value(value);
                let access = self.access(target, target.order());
                self.emit(Instruction::Store { address, value, access }, span);
            }
            StatementKind::Evaluate(expr) => match &expr.kind {
                ExprKind::Load(_) | ExprKind::Call(_) => {
                    self.value_at_end(expr);
                }
                ExprKind::Number(_)
                | ExprKind::Name(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Select(_) => {
                    self.value(expr);
                }
            },
            StatementKind::Block(body) => {
                for statement in body {
                    self.statement(statement);
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.value(condition);
                let (no, end) = (self.fresh(span), self.fresh(span));
                self.branch(&condition, no, span);
                self.statement(then);
                self.edge(end, Instruction::Skip, span);
                self.at = no;
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
                self.edge(end, Instruction::Skip, span);
                self.at = end;
            }
            StatementKind::While { condition, body } => {
                let head = self.fresh(span);
                self.edge(head, Instruction::Skip, span);
                self.at = head;
                let condition = self.value(condition);
                let end = self.fresh(span);
                self.branch(&condition, end, span);
                self.statement(body);
                self.edge(head, Instruction::Skip, span);
                self.at = end;
            }
            StatementKind::DoWhile { body, condition } => {
                let head = self.fresh(span);
                self.edge(head, Instruction::Skip, span);
                self.at = head;
                self.statement(body);
                let condition = self.value(condition);
                let end = self.fresh(span);
                self.branch(&condition, end, span);
                self.edge(head, Instruction::Skip, span);
                self.at = end;
            }
        }
    }

    /// Puts the value of an expression into a register, by one instruction where that can be.
    fn assign(&mut self, register: RegisterId, value: &syntax::Expr, span: Span) {
        match &value.kind {
            ExprKind::Load(pointer) => {
                let (address, target) = self.pointer(pointer);
                let access = self.access(target, target.order());
                self.emit(Instruction::Load { register, address, access }, span);
            }
            ExprKind::Call(call) => self.call_into(register, call, span),
            ExprKind::Number(_)
            | ExprKind::Name(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(_) => {
                let value = self.value(value);
                self.emit(Instruction::Assign { register, value }, span);
            }
        }
    }

    /// Goes on where a condition is true, and leads to `otherwise` where it is not.
    pub(super) fn branch(&mut self, condition: &Expr, otherwise: LabelId, span: Span) {
        let compared = |op| Expr::binary(op, condition.clone(), Expr::Const(0));
        self.edge(otherwise, Instruction::Assume(compared(BinaryOp::Eq)), span);
        self.emit(Instruction::Assume(compared(BinaryOp::Ne)), span);
    }

    /// How something of a type is accessed.
    pub(super) fn access(&self, of: Type, order: Order) -> Access {
        Access { width: self.globals.access_width(of.bits()), ..Access::with_order(order) }
    }

    /// The address that a pointer holds, and the type of what is there.
    pub(super) fn pointer(&mut self, pointer: &syntax::Expr) -> (Expr, Type) {
        let target = self.type_of(pointer).target();
        if target.is_none() {
            self.refuse(pointer.span, "this is no pointer");
        }
        (self.value(pointer), target.unwrap_or(Type::INT))
    }

    pub(super) fn type_of(&self, expr: &syntax::Expr) -> Type {
        match &expr.kind {
            ExprKind::Name(name) => {
                let parameter = self.parameters.get(name).map(|(_, pointer)| *pointer);
                let variable = || self.variables.get(name).map(|(_, declared)| *declared);
                parameter.or_else(variable).unwrap_or(Type::INT)
            }
            ExprKind::Load(pointer) => self.type_of(pointer).target().unwrap_or(Type::INT),
            ExprKind::Binary(_, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (self.type_of(left), self.type_of(right));
                if right.pointers > left.pointers { right } else { left }
            }
            ExprKind::Select(operands) => self.type_of(&operands[1]),
            ExprKind::Call(call) => match &**call {
                syntax::Call::Load { pointer, .. }
                | syntax::Call::Exchange { pointer, .. }
                | syntax::Call::Fetch { pointer, .. } => {
                    self.type_of(pointer).target().unwrap_or(Type::INT)
                }
                syntax::Call::Store { .. }
                | syntax::Call::CompareExchange { .. }
                | syntax::Call::Lock { .. }
                | syntax::Call::Fence(_) => Type::INT,
            },
            ExprKind::Number(_) | ExprKind::Unary(..) => Type::INT,
        }
    }

    /// The value of an expression, whose accesses come before whatever follows.
    pub(super) fn value(&mut self, expr: &syntax::Expr) -> Expr {
        let after = self.inside();
        let value = self.value_at_end(expr);
        self.after = after;
        value
    }

    /// Begins what has more of its statement after it; where a statement could have been put.
    pub(super) const fn inside(&mut self) -> Insertion {
        std::mem::replace(&mut self.after, Err(NoInsertion::InsideExpression))
    }

    /// The same of an expression with which its statement ends.
    fn value_at_end(&mut self, expr: &syntax::Expr) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value),
            ExprKind::Name(text) => {
                if let Some((location, _)) = self.parameters.get(text) {
                    return Expr::address(*location);
                }
                let name = Name { text: text.clone(), span };
                self.variable(&name)
                    .map_or(Expr::Const(0), |(register, _)| Expr::Register(register))
            }
            ExprKind::Load(pointer) => {
                let (address, target) = self.pointer(pointer);
                self.load(address, target, target.order(), span)
            }
            ExprKind::Unary(op, operand) => Expr::unary(*op, self.value(operand)),
            ExprKind::Binary(op, operands) => self.binary(*op, operands, span),
            ExprKind::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                if accesses(then) || accesses(otherwise) {
                    self.refuse(span, "only one of these is evaluated");
                    return Expr::Const(0);
                }
                let operands = [condition, then, otherwise].map(|operand| self.value(operand));
                Expr::Select(Box::new(operands))
            }
            ExprKind::Call(call) => self.call(call, span),
        }
    }

    /// A value that was read.
    pub(super) fn load(&mut self, address: Expr, of: Type, order: Order, span: Span) -> Expr {
        let register = self.temporary(of);
        let access = self.access(of, order);
        self.emit(Instruction::Load { register, address, access }, span);
        Expr::Register(register)
    }

    fn binary(&mut self, op: BinaryOp, operands: &[syntax::Expr; 2], span: Span) -> Expr {
        let [left, right] = operands;
        if self.type_of(left).pointers + self.type_of(right).pointers > 0
            && !matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && !is_zero(right)
        {
            self.refuse(span, "arithmetic on pointers");
        }
        let left = self.value(left);
        if !matches!(op, BinaryOp::And | BinaryOp::Or) || !accesses(right) {
            return Expr::binary(op, left, self.value(right));
        }
        // What the right side does happens only if the left side does not decide.
        let result = self.temporary(Type::INT);
        let is = |op, of: Expr| Expr::binary(op, of, Expr::Const(0));
        let truth = is(BinaryOp::Ne, left);
        self.emit(Instruction::Assign { register: result, value: truth }, span);
        let (decided, undecided) = if op == BinaryOp::And {
            (BinaryOp::Eq, BinaryOp::Ne)
        } else {
            (BinaryOp::Ne, BinaryOp::Eq)
        };
        let end = self.fresh(span);
        self.edge(end, Instruction::Assume(is(decided, Expr::Register(result))), span);
        self.emit(Instruction::Assume(is(undecided, Expr::Register(result))), span);
        let right = self.value(right);
        let value = is(BinaryOp::Ne, right);
        self.edge(end, Instruction::Assign { register: result, value }, span);
        self.at = end;
        Expr::Register(result)
    }
}

/// Whether an expression adds nothing to an address, as `r ^ r` made to look like a dependency.
fn is_zero(expr: &syntax::Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::BitXor, operands) => {
            let [left, right] = &**operands;
            match (&left.kind, &right.kind) {
                (ExprKind::Name(left), ExprKind::Name(right)) => left == right,
                (_, _) => false,
            }
        }
        ExprKind::Binary(BinaryOp::BitAnd, operands) => {
            operands.iter().any(|side| matches!(side.kind, ExprKind::Number(0)))
        }
        ExprKind::Number(value) => *value == 0,
        ExprKind::Name(_)
        | ExprKind::Load(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Select(_)
        | ExprKind::Call(_) => false,
    }
}

/// Whether a statement has no other in it.
const fn is_simple(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Declare { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Store { .. }
        | StatementKind::Evaluate(_) => true,
        StatementKind::Block(_)
        | StatementKind::If { .. }
        | StatementKind::While { .. }
        | StatementKind::DoWhile { .. }
        | StatementKind::Nothing => false,
    }
}

/// Whether evaluating an expression accesses memory.
fn accesses(expr: &syntax::Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Name(_) => false,
        ExprKind::Load(_) | ExprKind::Call(_) => true,
        ExprKind::Unary(_, operand) => accesses(operand),
        ExprKind::Binary(_, operands) => operands.iter().any(accesses),
        ExprKind::Select(operands) => operands.iter().any(accesses),
    }
}
