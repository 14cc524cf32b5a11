//! Expressions in C, computed as exactly as the model does: with 128 bits, and every overflow seen.

use program::index::Idx;
use program::{BinaryOp, Expr, FetchOp, IntType, Memory, UnaryOp, Value};

/// A constant.
pub(crate) fn literal(value: Value) -> String {
    if let Ok(small) = i32::try_from(value) {
        return format!("((Value){small})");
    }
    let bits = value.cast_unsigned();
    let (high, low) = (bits >> 64, bits & u128::from(u64::MAX));
    format!("((Value)((Bits){high:#x}u << 64 | {low:#x}u))")
}

/// Statements that compute values step by step, and where a computation that fails goes.
pub(crate) struct Writer<'m> {
    pub(crate) memory: &'m Memory,
    pub(crate) text: String,
    /// How many names are used up.
    names: usize,
    /// The end of a thread that fails now.
    fault: String,
}

/// A thread that meets a limit of the model ends there.
pub(crate) const LIMIT: &str = "{ end = LIMIT; goto over; }";

impl<'m> Writer<'m> {
    pub(crate) const fn new(memory: &'m Memory) -> Self {
        Self { memory, text: String::new(), names: 0, fault: String::new() }
    }

    /// From now on a failure is that of this edge.
    pub(crate) fn at_edge(&mut self, edge: usize) {
        self.fault = format!("{{ end = FAULT + {edge}; goto over; }}");
    }

    /// The statement that ends a thread in a fault.
    pub(crate) fn fault(&self) -> String {
        self.fault.clone()
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str("    ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A name that no other value has.
    pub(crate) fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// A variable with this value.
    fn value(&mut self, value: &str) -> String {
        let name = self.name();
        self.line(&format!("const Value {name} = {value};"));
        name
    }

    fn fail_if(&mut self, condition: &str) {
        let fault = self.fault();
        self.line(&format!("if ({condition}) {fault}"));
    }

    fn limit_if(&mut self, condition: &str) {
        self.line(&format!("if ({condition}) {LIMIT}"));
    }

    /// Writes the statements that compute an expression, and gives the name of its value.
    pub(crate) fn expression(&mut self, expression: &Expr) -> String {
        match expression {
            Expr::Const(value) => literal(*value),
            Expr::Register(register) => format!("r{}", register.index()),
            Expr::Element(location, index) => {
                let index = self.expression(index);
                let location = self.memory.location(*location);
                self.fail_if(&format!("{index} < 0 || {index} >= {}", location.cells()));
                let (base, stride) = (literal(location.base), location.stride);
                self.value(&format!("{base} + {index} * {stride}"))
            }
            Expr::Unary(op, operand) => {
                let operand = self.expression(operand);
                match op {
                    UnaryOp::Neg => self.checked("sub", "(Value)0", &operand),
                    UnaryOp::BitNot => self.value(&format!("~{operand}")),
                    UnaryOp::Not => self.value(&format!("{operand} == 0")),
                }
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = self.expression(left);
                let name = self.name();
                let (first, decided) = if *op == BinaryOp::And { (0, "!=") } else { (1, "==") };
                self.line(&format!("Value {name} = {first};"));
                self.line(&format!("if ({left} {decided} 0) {{"));
                let right = self.expression(right);
                self.line(&format!("{name} = {right} != 0;"));
                self.line("}");
                name
            }
            Expr::Binary(op, left, right) => {
                let left = self.expression(left);
                let right = self.expression(right);
                self.binary(*op, &left, &right)
            }
            Expr::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                let condition = self.expression(condition);
                let name = self.name();
                self.line(&format!("Value {name};"));
                self.line(&format!("if ({condition} != 0) {{"));
                let then = self.expression(then);
                self.line(&format!("{name} = {then};"));
                self.line("} else {");
                let otherwise = self.expression(otherwise);
                self.line(&format!("{name} = {otherwise};"));
                self.line("}");
                name
            }
            Expr::Cast(int, operand) => self.cast(*int, operand),
        }
    }

    /// A sum, a difference or a product wraps however large it is.
    fn cast(&mut self, int: IntType, operand: &Expr) -> String {
        let modular = match operand {
            Expr::Binary(BinaryOp::Add, left, right) => Some(('+', left, right)),
            Expr::Binary(BinaryOp::Sub, left, right) => Some(('-', left, right)),
            Expr::Binary(BinaryOp::Mul, left, right) => Some(('*', left, right)),
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => None,
        };
        let operand = match modular {
            Some((sign, left, right)) => {
                let left = self.expression(left);
                let right = self.expression(right);
                format!("(Value)((Bits){left} {sign} (Bits){right})")
            }
            None => self.expression(operand),
        };
        self.wrapped(int, &operand)
    }

    fn wrapped(&mut self, int: IntType, operand: &str) -> String {
        let (bits, signed) = (int.bits(), u8::from(int.signed()));
        self.value(&format!("wrapped({operand}, {bits}, {signed})"))
    }

    fn extreme_as(&mut self, int: IntType, op: BinaryOp, old: &str, operand: &str) -> String {
        let (old, operand) = (self.wrapped(int, old), self.wrapped(int, operand));
        self.binary(op, &old, &operand)
    }

    /// An operation of the compiler that says whether its result has room.
    fn checked(&mut self, operation: &str, left: &str, right: &str) -> String {
        let name = self.name();
        self.line(&format!("Value {name};"));
        self.limit_if(&format!(
            "__builtin_{operation}_overflow((Value){left}, (Value){right}, &{name})"
        ));
        name
    }

    fn binary(&mut self, op: BinaryOp, left: &str, right: &str) -> String {
        let simple = |sign: &str| format!("{left} {sign} {right}");
        let text = match op {
            BinaryOp::Add => return self.checked("add", left, right),
            BinaryOp::Sub => return self.checked("sub", left, right),
            BinaryOp::Mul => return self.checked("mul", left, right),
            BinaryOp::Div | BinaryOp::Rem => {
                self.fail_if(&format!("{right} == 0"));
                let least = literal(Value::MIN);
                self.limit_if(&format!("{left} == {least} && {right} == -1"));
                simple(if op == BinaryOp::Div { "/" } else { "%" })
            }
            BinaryOp::Shl => {
                self.fail_if(&format!("{right} < 0"));
                self.limit_if(&format!("{left} != 0 && {right} > 126"));
                let factor = self.value(&format!("{left} == 0 ? 0 : (Value)1 << (int){right}"));
                return self.checked("mul", left, &factor);
            }
            BinaryOp::Shr => {
                self.fail_if(&format!("{right} < 0"));
                format!("{left} >> ({right} > 127 ? 127 : (int){right})")
            }
            BinaryOp::BitAnd => simple("&"),
            BinaryOp::BitOr => simple("|"),
            BinaryOp::BitXor => simple("^"),
            BinaryOp::Eq => simple("=="),
            BinaryOp::Ne => simple("!="),
            BinaryOp::Lt => simple("<"),
            BinaryOp::Le => simple("<="),
            BinaryOp::Gt => simple(">"),
            BinaryOp::Ge => simple(">="),
            BinaryOp::Min => format!("{left} < {right} ? {left} : {right}"),
            BinaryOp::Max => format!("{left} > {right} ? {left} : {right}"),
            BinaryOp::And => format!("{left} != 0 && {right} != 0"),
            BinaryOp::Or => format!("{left} != 0 || {right} != 0"),
        };
        self.value(&text)
    }

    /// What a fetch-and-op writes.
    pub(crate) fn fetched(&mut self, op: FetchOp, old: &str, operand: &str) -> String {
        let op = match op {
            FetchOp::Add => BinaryOp::Add,
            FetchOp::Sub => BinaryOp::Sub,
            FetchOp::And => BinaryOp::BitAnd,
            FetchOp::Or => BinaryOp::BitOr,
            FetchOp::Xor => BinaryOp::BitXor,
            FetchOp::Min => BinaryOp::Min,
            FetchOp::Max => BinaryOp::Max,
            FetchOp::MinAs(int) => return self.extreme_as(int, BinaryOp::Min, old, operand),
            FetchOp::MaxAs(int) => return self.extreme_as(int, BinaryOp::Max, old, operand),
            FetchOp::Nand => return self.value(&format!("~({old} & {operand})")),
        };
        self.binary(op, old, operand)
    }
}
