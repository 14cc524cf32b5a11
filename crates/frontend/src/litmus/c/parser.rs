//! Parsing a thread. The first error ends it.

use program::{BinaryOp, Diagnostic, FenceKind, FetchOp, Order, SourceId, Span, UnaryOp};

use super::super::ast::Name;
use super::super::parse::number;
use super::lexer::{Kind, Token, tokens};
use super::outline::ThreadText;
use super::syntax::{
    Call, Expected, Expr, ExprKind, Parameter, Statement, StatementKind, Thread, Type,
};

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// How deep statements and expressions may stand in each other.
const DEEPEST: usize = 100;

/// The types of variables and locations, with their widths.
const TYPES: [(&str, u8); 25] = [
    ("char", 8),
    ("int8_t", 8),
    ("uint8_t", 8),
    ("bool", 8),
    ("_Bool", 8),
    ("atomic_bool", 8),
    ("atomic_char", 8),
    ("short", 16),
    ("int16_t", 16),
    ("uint16_t", 16),
    ("atomic_short", 16),
    ("int", 32),
    ("mutex", 32),
    ("mtx_t", 32),
    ("spinlock_t", 32),
    ("int32_t", 32),
    ("uint32_t", 32),
    ("atomic_int", 32),
    ("atomic_uint", 32),
    ("long", 64),
    ("int64_t", 64),
    ("uint64_t", 64),
    ("intptr_t", 64),
    ("atomic_long", 64),
    ("atomic_intptr_t", 64),
];

/// Words beside a type.
const QUALIFIERS: [&str; 6] = ["const", "volatile", "_Atomic", "atomic", "unsigned", "signed"];

/// Reads a thread.
pub(super) fn thread(text: &str, thread: &ThreadText, source: SourceId) -> Parsed<Thread> {
    let tokens = tokens(text, thread.rest.clone(), source)?;
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let parameters = parser.parameters()?;
    let body = parser.block()?;
    Ok(Thread { parameters, body })
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    fn peek_at(&self, distance: usize) -> Token<'t> {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, text: &str) -> bool {
        self.peek().text == text
    }

    fn take(&mut self, text: &str) -> bool {
        let there = self.is(text);
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, text: &str) -> Parsed<Token<'t>> {
        if self.is(text) {
            Ok(self.advance())
        } else {
            Err(self.unexpected(&format!("`{text}`")).into())
        }
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found = if token.kind == Kind::End {
            "the end".to_owned()
        } else {
            format!("`{}`", token.text)
        };
        Diagnostic::new(token.span, format!("expected {wanted}, found {found}"))
            .label(format!("expected {wanted}"))
    }

    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Box::new(Diagnostic::new(self.peek().span, "this stands too deep")));
        }
        Ok(())
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != Kind::Word || begins_type(token.text) {
            return Err(self.unexpected(what).into());
        }
        self.advance();
        Ok(Name { text: token.text.to_owned(), span: token.span })
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect("(")?;
        let mut found: Vec<Parameter> = Vec::new();
        if self.take(")") {
            return Ok(found);
        }
        loop {
            let start = self.peek().span;
            let written = self.written_type()?;
            if written.pointers == 0 {
                let message = "a parameter is a pointer to a location";
                return Err(Box::new(Diagnostic::new(self.since(start), message)));
            }
            let name = self.name("the name of a location")?;
            if found.iter().any(|known| known.name.text == name.text) {
                let message = format!("there are two parameters `{}`", name.text);
                return Err(Box::new(Diagnostic::new(name.span, message)));
            }
            found.push(Parameter { name, pointer: written });
            if self.take(")") {
                return Ok(found);
            }
            self.expect(",")?;
        }
    }

    fn written_type(&mut self) -> Parsed<Type> {
        let (mut bits, mut atomic, mut any) = (None, false, false);
        loop {
            let token = self.peek();
            if QUALIFIERS.contains(&token.text) {
                atomic |= token.text == "_Atomic" || token.text == "atomic";
                any = true;
            } else if let Some((name, width)) = TYPES.iter().find(|(name, _)| *name == token.text) {
                if bits.is_some() && token.text != "int" && token.text != "long" {
                    return Err(self.unexpected("one type").into());
                }
                atomic |= name.starts_with("atomic_");
                bits = Some(bits.map_or(*width, |known: u8| known.max(*width)));
            } else {
                break;
            }
            self.advance();
        }
        if bits.is_none() && !any {
            let message = format!("there is no type `{}` here", self.peek().text);
            return Err(Box::new(Diagnostic::new(self.peek().span, message)));
        }
        let mut pointers = 0;
        while self.is("*") || self.is("const") || self.is("volatile") || self.is("restrict") {
            pointers += usize::from(self.is("*"));
            self.advance();
        }
        Ok(Type::new(bits.unwrap_or(32), atomic, pointers))
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        let mut found = Vec::new();
        while !self.take("}") {
            self.statement(&mut found)?;
        }
        Ok(found)
    }

    /// One statement, or several declarations.
    fn statement(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        self.enter()?;
        let start = self.peek().span;
        if begins_type(self.peek().text) {
            self.declarations(found)?;
        } else {
            let kind = self.statement_kind()?;
            found.push(Statement { kind, span: self.since(start), is_free: true });
        }
        self.depth -= 1;
        Ok(())
    }

    fn declarations(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let mut declared = self.written_type()?;
        loop {
            let name = self.name("the name of a variable")?;
            let value = if self.take("=") { Some(self.expression()?) } else { None };
            let span = self.since(name.span);
            let is_free = self.is(";");
            let kind = StatementKind::Declare { name, declared, value };
            found.push(Statement { kind, span, is_free });
            if self.take(";") {
                return Ok(());
            }
            self.expect(",")?;
            declared.pointers = 0;
            while self.take("*") {
                declared.pointers += 1;
            }
        }
    }

    /// What may be one statement or several in braces, as one.
    fn inner(&mut self) -> Parsed<Box<Statement>> {
        let start = self.peek().span;
        let mut found = Vec::new();
        self.statement(&mut found)?;
        let (kind, span) = (StatementKind::Block(found), self.since(start));
        Ok(Box::new(Statement { kind, span, is_free: true }))
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.is("{") {
            return self.block().map(StatementKind::Block);
        }
        if self.take(";") {
            return Ok(StatementKind::Nothing);
        }
        if self.take("if") {
            let condition = self.in_parentheses()?;
            let then = self.inner()?;
            let otherwise = if self.take("else") { Some(self.inner()?) } else { None };
            return Ok(StatementKind::If { condition, then, otherwise });
        }
        if self.take("while") {
            let condition = self.in_parentheses()?;
            return Ok(StatementKind::While { condition, body: self.inner()? });
        }
        if self.take("do") {
            let body = self.inner()?;
            self.expect("while")?;
            let condition = self.in_parentheses()?;
            self.expect(";")?;
            return Ok(StatementKind::DoWhile { body, condition });
        }
        if self.is("for") {
            return self.for_loop();
        }
        if ["switch", "goto", "return", "break", "continue"].contains(&self.peek().text) {
            let message = format!("`{}` is not understood in a test", self.peek().text);
            return Err(Box::new(Diagnostic::new(self.peek().span, message)));
        }
        let kind = self.simple()?;
        self.expect(";")?;
        Ok(kind)
    }

    /// An expression or an assignment.
    fn simple(&mut self) -> Parsed<StatementKind> {
        let target = self.expression()?;
        if self.is(";") || self.is(")") {
            Ok(StatementKind::Evaluate(target))
        } else {
            self.assignment(target)
        }
    }

    /// `for (begin; condition; step) body` is `begin; while (condition) { body step }`, since nothing leaves a round
    /// early. A variable that it declares is one of the thread.
    fn for_loop(&mut self) -> Parsed<StatementKind> {
        let start = self.advance().span;
        self.expect("(")?;
        let mut found = Vec::new();
        self.statement(&mut found)?;
        for begin in &mut found {
            begin.is_free = false;
        }
        let condition = if self.is(";") {
            Expr { kind: ExprKind::Number(1), span: self.peek().span }
        } else {
            self.expression()?
        };
        self.expect(";")?;
        let at = self.peek().span;
        let step = if self.is(")") { StatementKind::Nothing } else { self.simple()? };
        let step = Statement { kind: step, span: self.since(at), is_free: false };
        self.expect(")")?;
        let body = self.inner()?;
        let span = self.since(start);
        let kind = StatementKind::Block(vec![*body, step]);
        let body = Box::new(Statement { kind, span, is_free: true });
        let kind = StatementKind::While { condition, body };
        found.push(Statement { kind, span, is_free: true });
        Ok(StatementKind::Block(found))
    }

    /// What follows the left side of an assignment.
    fn assignment(&mut self, target: Expr) -> Parsed<StatementKind> {
        const COMBINED: [(&str, BinaryOp); 6] = [
            ("+=", BinaryOp::Add),
            ("-=", BinaryOp::Sub),
            ("*=", BinaryOp::Mul),
            ("&=", BinaryOp::BitAnd),
            ("|=", BinaryOp::BitOr),
            ("^=", BinaryOp::BitXor),
        ];
        let token = self.peek();
        let combined = |op, right: Expr, span| {
            let kind = ExprKind::Binary(op, Box::new([target.clone(), right]));
            Expr { kind, span }
        };
        let value = if self.take("=") {
            self.expression()?
        } else if let Some((_, op)) = COMBINED.iter().find(|(symbol, _)| *symbol == token.text) {
            self.advance();
            let right = self.expression()?;
            combined(*op, right, target.span)
        } else if self.is("++") || self.is("--") {
            let op = if self.is("++") { BinaryOp::Add } else { BinaryOp::Sub };
            self.advance();
            let one = Expr { kind: ExprKind::Number(1), span: token.span };
            combined(op, one, target.span)
        } else {
            return Err(self.unexpected("`=` or `;`").into());
        };
        match target.kind {
            ExprKind::Name(text) => {
                Ok(StatementKind::Assign { name: Name { text, span: target.span }, value })
            }
            // In C `*x += e` on an atomic is one update; it is asked for by its name here.
            ExprKind::Load(pointer) => Ok(StatementKind::Store { pointer: *pointer, value }),
            ExprKind::Number(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(_)
            | ExprKind::Call(_) => {
                Err(Box::new(Diagnostic::new(target.span, "nothing can be assigned to this")))
            }
        }
    }

    fn in_parentheses(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let start = self.peek().span;
        let condition = self.binary(0)?;
        let expr = if self.take("?") {
            let then = self.expression()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            let kind = ExprKind::Select(Box::new([condition, then, otherwise]));
            Expr { kind, span: self.since(start) }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expr)
    }

    /// Operators of this level or tighter ones.
    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        const LEVELS: [&[(&str, BinaryOp)]; 10] = [
            &[("||", BinaryOp::Or)],
            &[("&&", BinaryOp::And)],
            &[("|", BinaryOp::BitOr)],
            &[("^", BinaryOp::BitXor)],
            &[("&", BinaryOp::BitAnd)],
            &[("==", BinaryOp::Eq), ("!=", BinaryOp::Ne)],
            &[("<=", BinaryOp::Le), (">=", BinaryOp::Ge), ("<", BinaryOp::Lt), (">", BinaryOp::Gt)],
            &[("<<", BinaryOp::Shl), (">>", BinaryOp::Shr)],
            &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
            &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("%", BinaryOp::Rem)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let start = self.peek().span;
        let mut left = self.binary(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(symbol, _)| self.is(symbol)) {
            self.advance();
            let right = self.binary(level + 1)?;
            let kind = ExprKind::Binary(*op, Box::new([left, right]));
            left = Expr { kind, span: self.since(start) };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let start = self.peek().span;
        let operator = match self.peek().text {
            "-" => Some(UnaryOp::Neg),
            "~" => Some(UnaryOp::BitNot),
            "!" => Some(UnaryOp::Not),
            _ => None,
        };
        let kind = if let Some(operator) = operator {
            self.advance();
            ExprKind::Unary(operator, Box::new(self.unary()?))
        } else if self.take("*") {
            ExprKind::Load(Box::new(self.unary()?))
        } else if self.is("(") && begins_type(self.peek_at(1).text) {
            // A cast changes no value that fits.
            self.advance();
            self.written_type()?;
            self.expect(")")?;
            self.unary()?.kind
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(Expr { kind, span: self.since(start) })
    }

    fn primary(&mut self) -> Parsed<ExprKind> {
        let token = self.peek();
        if self.is("(") {
            return self.in_parentheses().map(|inner| inner.kind);
        }
        match token.kind {
            Kind::Number => {
                let digits = token.text.trim_end_matches(['u', 'U', 'l', 'L']);
                let Some(value) = number(digits) else {
                    return Err(Box::new(Diagnostic::new(token.span, "this is no number")));
                };
                self.advance();
                Ok(ExprKind::Number(value))
            }
            Kind::Word if self.peek_at(1).text == "(" => self.call(),
            Kind::Word => self.name("an expression").map(|name| ExprKind::Name(name.text)),
            Kind::Symbol | Kind::End => Err(self.unexpected("an expression").into()),
        }
    }

    /// A function of `<stdatomic.h>`, or a lock. A lock is a word that is 0 while it is free, taken by an update that
    /// acquires and given back by a store that releases.
    fn call(&mut self) -> Parsed<ExprKind> {
        let function = self.advance();
        self.expect("(")?;
        let (name, explicit) = match function.text.strip_suffix("_explicit") {
            Some(name) => (name, true),
            None => (function.text, false),
        };
        let fetch = name.strip_prefix("atomic_fetch_").and_then(|op| {
            let all = [
                ("add", FetchOp::Add),
                ("sub", FetchOp::Sub),
                ("and", FetchOp::And),
                ("or", FetchOp::Or),
                ("xor", FetchOp::Xor),
            ];
            all.into_iter().find(|(known, _)| *known == op).map(|(_, op)| op)
        });
        let call = match (name, fetch) {
            ("atomic_thread_fence", None) if !explicit => Call::Fence(self.fence()?),
            ("atomic_load", None) => {
                let pointer = self.expression()?;
                Call::Load { pointer, order: self.order_after(explicit, Access::Read)? }
            }
            ("atomic_store", None) => {
                let (pointer, value) = (self.expression()?, self.after_comma()?);
                Call::Store { pointer, value, order: self.order_after(explicit, Access::Write)? }
            }
            ("lock" | "spin_lock" | "mtx_lock", None) if !explicit => {
                Call::Lock { pointer: self.expression()? }
            }
            ("unlock" | "spin_unlock" | "mtx_unlock", None) if !explicit => {
                let (pointer, span) = (self.expression()?, function.span);
                let value = Expr { kind: ExprKind::Number(0), span };
                Call::Store { pointer, value, order: Order::Release }
            }
            ("atomic_init", None) if !explicit => {
                let (pointer, value) = (self.expression()?, self.after_comma()?);
                Call::Store { pointer, value, order: Order::Plain }
            }
            ("atomic_exchange", None) => {
                let (pointer, value) = (self.expression()?, self.after_comma()?);
                Call::Exchange { pointer, value, order: self.order_after(explicit, Access::Both)? }
            }
            (_, Some(op)) => {
                let (pointer, operand) = (self.expression()?, self.after_comma()?);
                let order = self.order_after(explicit, Access::Both)?;
                Call::Fetch { op, pointer, operand, order }
            }
            ("atomic_compare_exchange_strong" | "atomic_compare_exchange_weak", None) => {
                self.compare_exchange(explicit)?
            }
            (_, None) => {
                let message =
                    format!("the function `{}` is not understood in a test", function.text);
                return Err(Box::new(Diagnostic::new(function.span, message)));
            }
        };
        self.expect(")")?;
        Ok(ExprKind::Call(Box::new(call)))
    }

    fn compare_exchange(&mut self, explicit: bool) -> Parsed<Call> {
        let pointer = self.expression()?;
        self.expect(",")?;
        let expected = if self.take("&") {
            Expected::Variable(self.name("a variable")?)
        } else {
            Expected::Memory(self.expression()?)
        };
        let new = self.after_comma()?;
        let success = self.order_after(explicit, Access::Both)?;
        let failure = self.order_after(explicit, Access::Read)?;
        Ok(Call::CompareExchange { pointer, expected, new, success, failure })
    }

    fn after_comma(&mut self) -> Parsed<Expr> {
        self.expect(",")?;
        self.expression()
    }

    /// An order, if it is written; sequential consistency if not.
    fn order_after(&mut self, explicit: bool, access: Access) -> Parsed<Order> {
        if !explicit {
            return Ok(Order::SeqCst);
        }
        self.expect(",")?;
        let span = self.peek().span;
        let order = self.order()?;
        let fits = match (access, order) {
            (Access::Read, Order::Release | Order::AcquireRelease)
            | (Access::Write, Order::Acquire | Order::AcquireRelease) => false,
            (Access::Read | Access::Write | Access::Both, _) => true,
        };
        if fits {
            return Ok(order);
        }
        Err(Box::new(Diagnostic::new(span, "an access of this kind cannot have this order")))
    }

    fn order(&mut self) -> Parsed<Order> {
        let order = match self.peek().text {
            "memory_order_relaxed" => Order::Relaxed,
            "memory_order_acquire" => Order::Acquire,
            "memory_order_release" => Order::Release,
            "memory_order_acq_rel" => Order::AcquireRelease,
            "memory_order_seq_cst" => Order::SeqCst,
            _ => return Err(self.unexpected("an order such as `memory_order_relaxed`").into()),
        };
        self.advance();
        Ok(order)
    }

    fn fence(&mut self) -> Parsed<Option<FenceKind>> {
        Ok(match self.order()? {
            Order::Plain | Order::Volatile | Order::Relaxed => None,
            Order::Acquire => Some(FenceKind::Acquire),
            Order::Release => Some(FenceKind::Release),
            Order::AcquireRelease => Some(FenceKind::Lightweight),
            Order::SeqCst => Some(FenceKind::Full),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    Both,
}

fn begins_type(word: &str) -> bool {
    QUALIFIERS.contains(&word) || TYPES.iter().any(|(name, _)| *name == word)
}
