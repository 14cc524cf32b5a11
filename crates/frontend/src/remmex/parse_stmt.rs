//! Parsing: statements.

use program::{BinaryOp, FenceKind, Span, UnaryOp};

use super::lex::Kind;
use super::parse::Parser;
use super::parse_expr::{Read, temporary_place};
use crate::fw::ast::{Block, Expr, ExprKind, Place, Stmt, StmtKind, StmtLabel};
use crate::rmm::tree;
use crate::token::{Nested, Parsed, Reader};

impl Parser<'_> {
    /// Statements up to a closing word, with semicolons or arrows between them.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Stmt>> {
        let mut statements = Vec::new();
        loop {
            while self.eat(Kind::Semicolon) || self.eat(Kind::Arrow) {}
            let token = self.peek();
            let ends = matches!(token.kind, Kind::CloseBrace | Kind::Option | Kind::End)
                || matches!(token.text, "fi" | "od");
            if ends {
                return Ok(statements);
            }
            statements.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while self.is_name() && self.peek_second().kind == Kind::Colon {
            let name = self.name("a label")?;
            self.advance();
            labels.push(StmtLabel { name, waiting: false });
        }
        let start = self.peek().span;
        self.deeper(start)?;
        let statement = self.unlabelled(start)?;
        self.depth -= 1;
        Ok(Stmt { labels, ..statement })
    }

    fn unlabelled(&mut self, start: Span) -> Parsed<Stmt> {
        let token = self.peek();
        let kind = match token.text {
            "int" | "bool" | "byte" | "short" => return self.locals(),
            "skip" => self.single(StmtKind::Skip),
            "break" => self.single(StmtKind::Break),
            "mfence" => self.single(StmtKind::Fence(FenceKind::Full)),
            "LOCK" => self.single(StmtKind::LockMemory),
            "UNLOCK" => self.single(StmtKind::UnlockMemory),
            "goto" => {
                self.advance();
                StmtKind::Goto(self.name("a label")?)
            }
            "store" => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let (to, _) = self.place()?;
                self.expect(Kind::Comma, "`,` and a value")?;
                let value = self.expr()?;
                self.expect(Kind::CloseParen, "`)`")?;
                let span = start.to(self.last_span());
                with_reads(value.places, span, || StmtKind::Assign { to, value: value.value })
            }
            "assert" => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let value = self.expr()?;
                self.expect(Kind::CloseParen, "`)`")?;
                let span = start.to(self.last_span());
                with_reads(value.places, span, || StmtKind::Assert(value.value))
            }
            "if" => StmtKind::Either(self.options("fi")?),
            "do" => {
                let options = self.options("od")?;
                let span = start.to(self.last_span());
                // Nothing that is put before the loop is passed again.
                let unplaced = Span { source: None, ..span };
                let inside = tree::statement(StmtKind::Either(options), unplaced);
                let body = Block { statements: vec![inside], span };
                StmtKind::Loop(body)
            }
            _ if self.is_name() && self.peek_second().kind == Kind::Assign => {
                let name = self.name("a variable")?;
                self.advance();
                if !self.registers.contains(&name.text) {
                    let message = format!("this thread has no variable `{}`", name.text);
                    let help = format!("shared memory is written with `store({}, …)`", name.text);
                    self.errors.push(program::Diagnostic::new(name.span, message).help(help));
                    return Err(crate::token::Failed);
                }
                let value = self.expr()?;
                let span = start.to(self.last_span());
                let to = Place::Named { name, index: None };
                assigned(to, value, span)
            }
            _ => {
                let condition = self.expr()?;
                let span = start.to(self.last_span());
                with_reads(condition.places, span, || StmtKind::Assume(condition.value))
            }
        };
        Ok(tree::statement(kind, start.to(self.last_span())))
    }

    fn single(&mut self, kind: StmtKind) -> StmtKind {
        self.advance();
        kind
    }

    /// `:: guard -> statements …` up to a closing word.
    fn options(&mut self, closing: &str) -> Parsed<Vec<Block>> {
        self.advance();
        let mut options = Vec::new();
        let mut otherwise = None;
        let mut guards = Vec::new();
        if self.peek().kind != Kind::Option {
            return self.unexpected("`::`");
        }
        while self.peek().kind == Kind::Option {
            let opening = self.advance().span;
            if self.peek().text == "else" {
                otherwise = Some((options.len(), self.advance().span));
            } else {
                guards.push(self.guard());
            }
            let statements = self.statements()?;
            let end = self.peek().span.start;
            let span = Span { start: opening.end.saturating_sub(1), end: end + 1, ..opening };
            options.push(Block { statements, span });
        }
        if self.peek().text != closing {
            return self.unexpected(&format!("`;`, `::` or `{closing}`"));
        }
        self.advance();
        if let Some((number, span)) = otherwise {
            let (statement, reads) = none_of(guards, span);
            self.temporaries = self.temporaries.max(reads);
            options[number].statements.insert(0, statement);
        }
        Ok(options)
    }

    /// What the first statement of an option waits for, looked at ahead; nothing if it is none that waits.
    fn guard(&mut self) -> Option<Read> {
        let (start, errors) = (self.position(), self.errors.len());
        let waits = !matches!(
            self.peek().text,
            "skip"
                | "store"
                | "break"
                | "goto"
                | "mfence"
                | "LOCK"
                | "UNLOCK"
                | "if"
                | "do"
                | "assert"
        ) && self.peek_second().kind != Kind::Assign;
        let depth = self.depth;
        let guard = if waits { self.expr().ok() } else { None };
        // What is wrong is said when the statement is parsed.
        self.errors.truncate(errors);
        self.depth = depth;
        self.go_to(start);
        guard
    }
}

/// That no guard is true, and how many places are read for that.
fn none_of(guards: Vec<Option<Read>>, span: Span) -> (Stmt, usize) {
    let mut places: Vec<(String, Place)> = Vec::new();
    let mut any: Option<Expr> = None;
    for guard in guards {
        let Some(mut guard) = guard else {
            // Something that never waits is always possible.
            return (tree::statement(StmtKind::Assume(tree::number(0, span)), span), 0);
        };
        // The temporaries of each guard begin with the first.
        let mut renamed = Vec::new();
        for (text, place) in guard.places {
            let known = places.iter().position(|(known, _)| *known == text);
            let at = known.unwrap_or_else(|| {
                places.push((text, place));
                places.len() - 1
            });
            renamed.push(at + 1);
        }
        rename(&mut guard.value, &renamed);
        any = Some(match any {
            Some(any) => tree::binary(BinaryOp::Or, any, guard.value),
            None => guard.value,
        });
    }
    let any = any.unwrap_or_else(|| tree::number(0, span));
    let depth = any.depth + 1;
    let none = Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(any)), span, depth };
    let reads = places.len();
    (tree::statement(with_reads(places, span, || StmtKind::Assume(none)), span), reads)
}

/// Gives the temporaries of an expression other numbers.
fn rename(value: &mut Expr, numbers: &[usize]) {
    match &mut value.kind {
        ExprKind::Place(Place::Named { name, index: None }) => {
            let number =
                name.text.strip_prefix('$').and_then(|number| number.parse::<usize>().ok());
            if let Some(number) = number.and_then(|number| numbers.get(number - 1)) {
                name.text = super::parse::temporary(*number);
            }
        }
        ExprKind::Unary(_, operand) => rename(operand, numbers),
        ExprKind::Binary(_, left, right) => {
            rename(left, numbers);
            rename(right, numbers);
        }
        ExprKind::Number(_)
        | ExprKind::Place(_)
        | ExprKind::AddressOf(_)
        | ExprKind::Select(_)
        | ExprKind::Cast(..)
        | ExprKind::Choose(_)
        | ExprKind::Load { .. }
        | ExprKind::Update { .. } => {}
    }
}

/// An assignment to a register; a single value from memory goes there directly.
fn assigned(to: Place, read: Read, span: Span) -> StmtKind {
    let is_single = read.places.len() == 1
        && matches!(&read.value.kind, ExprKind::Place(Place::Named { name, .. }) if name.text.starts_with('$'));
    if is_single {
        let mut places = read.places;
        let (_, place) = places.remove(0);
        return StmtKind::Assign { to, value: tree::place(place) };
    }
    with_reads(read.places, span, || StmtKind::Assign { to, value: read.value })
}

/// A statement after what is read for it, as one.
fn with_reads(
    places: Vec<(String, Place)>,
    span: Span,
    then: impl FnOnce() -> StmtKind,
) -> StmtKind {
    if places.is_empty() {
        return then();
    }
    let reads = places.into_iter().enumerate().map(|(number, (_, place))| {
        let to = temporary_place(number + 1, place.span());
        tree::statement(StmtKind::Assign { to, value: tree::place(place) }, span)
    });
    let mut statements: Vec<Stmt> = reads.collect();
    statements.push(tree::statement(then(), span));
    StmtKind::Sequence(Block { statements, span })
}
