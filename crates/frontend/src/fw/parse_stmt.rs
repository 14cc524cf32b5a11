//! Parsing: statements and blocks.

use program::{Diagnostic, FenceKind, IntType, Order, Span};

use super::ast::{Attributes, Block, Expr, ExprKind, Local, Place, Stmt, StmtKind, StmtLabel};
use super::lex::Kind;
use super::parse::{MAX_BLOCK_DEPTH, Parser};
use super::words;
use crate::suggest::did_you_mean;
use crate::token::{Failed, Parsed, Reader, shortened};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        if self.peek().kind == Kind::Assign {
            return self.unexpected_with("`{`", Some("`==` compares".to_owned()));
        }
        let open = self.expect(Kind::OpenBrace, "`{`")?;
        self.can_nest(1, open.span, "blocks nested")?;
        self.block_depth += 1;
        let mut statements = Vec::new();
        while !matches!(self.peek().kind, Kind::CloseBrace | Kind::End) {
            if self.eat(Kind::Semicolon) {
                continue;
            }
            let start = self.position();
            match self.statement().and_then(|statement| {
                self.end_of_statement()?;
                Ok(statement)
            }) {
                Ok(statement) => statements.push(statement),
                Err(Failed) => self.recover(start, &[]),
            }
        }
        self.block_depth -= 1;
        if self.peek().kind == Kind::End {
            let error = Diagnostic::new(open.span, "unclosed block").label("opened here");
            self.errors.push(error.help("close it with `}`"));
            return Err(Failed);
        }
        let close = self.advance();
        Ok(Block { statements, span: open.span.to(close.span) })
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        loop {
            let waiting = self.peek().text == "waiting";
            if waiting {
                self.advance();
            } else if self.peek().kind != Kind::Word || self.peek_second().kind != Kind::Colon {
                break;
            }
            let name = self.name("the name of a label")?;
            self.expect(Kind::Colon, "`:`")?;
            labels.push(StmtLabel { name, waiting });
        }
        let start = self.peek().span;
        let kind = self.statement_kind()?;
        Ok(Stmt { labels, kind, span: start.to(self.last_span()) })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let token = self.peek();
        let simple = |parser: &mut Self, kind| {
            parser.advance();
            Ok(kind)
        };
        match token.text {
            "skip" => simple(self, StmtKind::Skip),
            "stop" => simple(self, StmtKind::Stop),
            "break" => simple(self, StmtKind::Break),
            "continue" => simple(self, StmtKind::Continue),
            "lock_memory" => simple(self, StmtKind::LockMemory),
            "unlock_memory" => simple(self, StmtKind::UnlockMemory),
            "goto" => {
                self.advance();
                self.name("the name of a label").map(StmtKind::Goto)
            }
            "local" => {
                self.advance();
                let mut locals = Vec::new();
                self.list(|parser| {
                    locals.push(parser.local()?);
                    Ok(())
                })?;
                Ok(StmtKind::Local(locals))
            }
            "if" => self.if_statement(),
            "while" => {
                self.advance();
                Ok(StmtKind::While { condition: self.expr()?, body: self.block()? })
            }
            "for" => self.counting_loop(),
            "loop" => {
                self.advance();
                self.block().map(StmtKind::Loop)
            }
            "either" => {
                self.advance();
                let mut branches = vec![self.block()?];
                while self.peek().text == "or" {
                    self.advance();
                    branches.push(self.block()?);
                }
                Ok(StmtKind::Either(branches))
            }
            "atomic" => {
                self.advance();
                self.block().map(StmtKind::Atomic)
            }
            "await" | "assume" | "assert" => {
                self.advance();
                let condition = self.expr()?;
                Ok(match token.text {
                    "await" => StmtKind::Await(condition),
                    "assume" => StmtKind::Assume(condition),
                    _ => StmtKind::Assert(condition),
                })
            }
            "fence" => self.fence(),
            "call" => self.invocation(),
            "return" => self.response(),
            "store" => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let to = self.place()?;
                self.expect(Kind::Comma, "`,` and a value")?;
                let value = self.expr()?;
                let attributes = self.rest_of_call()?;
                Ok(StmtKind::Store { to, value, attributes })
            }
            "arw" => {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let place = self.place()?;
                self.expect(Kind::Comma, "`,` and the value waited for")?;
                let expected = self.expr()?;
                self.expect(Kind::Comma, "`,` and the new value")?;
                let new = self.expr()?;
                let attributes = self.rest_of_call()?;
                Ok(StmtKind::BlockingReadWrite { place, expected, new, attributes })
            }
            word if super::parse_expr::update_call(word).is_some() => {
                let call = self.expr()?;
                if !matches!(call.kind, ExprKind::Update { .. }) {
                    self.errors.push(
                        Diagnostic::new(call.span, "the value of this expression is not used")
                            .help("assign it to a `local` variable, or leave it out"),
                    );
                    return Err(Failed);
                }
                Ok(StmtKind::Call(call))
            }
            "else" => self.misplaced("`else` without `if`", "it must follow the `}` of an `if`"),
            "or" => {
                self.misplaced("`or` without `either`", "it must follow the `}` of an `either`")
            }
            _ if token.kind == Kind::Word => self.assignment(),
            _ => self.unexpected("a statement"),
        }
    }

    fn misplaced<T>(&mut self, message: &str, help: &str) -> Parsed<T> {
        self.errors.push(Diagnostic::new(self.peek().span, message).help(help));
        Err(Failed)
    }

    fn local(&mut self) -> Parsed<Local> {
        let name = self.name("the name of a local variable")?;
        self.is_no_type(&name, "local")?;
        let domain = self.domain()?;
        let initial = if self.eat(Kind::Assign) { Some(self.expr()?) } else { None };
        Ok(Local { name, domain, initial })
    }

    /// An error if so many levels of blocks more would be too deep.
    fn can_nest(&mut self, levels: usize, at: Span, what: &str) -> Parsed<()> {
        if self.block_depth + levels <= MAX_BLOCK_DEPTH {
            return Ok(());
        }
        let message = format!("{what} more than {MAX_BLOCK_DEPTH} deep");
        // What is even deeper fails for the same reason.
        if self.errors.iter().all(|error| error.message != message) {
            self.errors.push(Diagnostic::new(at, message));
        }
        Err(Failed)
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let condition = self.expr()?;
        let then = self.block()?;
        if self.peek().text != "else" {
            return Ok(StmtKind::If { condition, then, otherwise: None });
        }
        self.advance();
        let otherwise = if self.peek().text == "if" {
            let start = self.peek().span;
            // A chain of `else if` nests in the syntax tree like any other block, and has one of its own.
            self.can_nest(2, start, "`else if` chained and blocks nested")?;
            self.block_depth += 1;
            let nested = self.if_statement();
            self.block_depth -= 1;
            let span = start.to(self.last_span());
            let statement = Stmt { labels: Vec::new(), kind: nested?, span };
            Block { statements: vec![statement], span }
        } else {
            self.block()?
        };
        let otherwise = Some(otherwise);
        Ok(StmtKind::If { condition, then, otherwise })
    }

    fn counting_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let index = self.name("the name of the index")?;
        if self.peek().text != "in" {
            return self.unexpected("`in` and a range");
        }
        self.advance();
        let range = Box::new(self.range()?);
        Ok(StmtKind::For { index, range, body: self.block()? })
    }

    fn fence(&mut self) -> Parsed<StmtKind> {
        self.advance();
        if !self.eat(Kind::OpenParen) {
            return Ok(StmtKind::Fence(FenceKind::Full));
        }
        let word = self.peek();
        let kinds = FenceKind::ALL.map(|kind| (kind, words::fence_kind(kind)));
        let Some((kind, _)) = kinds.into_iter().find(|(_, name)| *name == word.text) else {
            let names = kinds.map(|(_, name)| name);
            let like = did_you_mean(word.text, names)
                .map_or_else(String::new, |like| format!("did you mean `{like}`? "));
            let help = format!("{like}the kinds are {}", names.join(", "));
            return self.unexpected_with("a kind of fence", Some(help));
        };
        self.advance();
        self.expect(Kind::CloseParen, "`)`")?;
        Ok(StmtKind::Fence(kind))
    }

    fn invocation(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let operation = self.name("the name of an operation")?;
        self.expect(Kind::OpenParen, "`(`")?;
        let mut arguments = Vec::new();
        if self.peek().kind != Kind::CloseParen {
            self.list(|parser| {
                arguments.push(parser.expr()?);
                Ok(())
            })?;
        }
        self.expect(Kind::CloseParen, "`)`")?;
        Ok(StmtKind::Invoke { operation, arguments })
    }

    fn response(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let mut results = Vec::new();
        let next = self.peek();
        let is_over =
            next.starts_line || matches!(next.kind, Kind::Semicolon | Kind::CloseBrace | Kind::End);
        if !is_over {
            self.list(|parser| {
                results.push(parser.expr()?);
                Ok(())
            })?;
        }
        Ok(StmtKind::Respond(results))
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        let word = self.peek();
        let second = self.peek_second();
        let could_be_place =
            matches!(second.kind, Kind::Assign | Kind::OpenBracket) || word.text == "mem";
        if !could_be_place {
            return self.no_statement();
        }
        if IntType::from_name(word.text).is_some() {
            return self.unexpected("a statement");
        }
        let to = self.place()?;
        self.expect(Kind::Assign, "`=` and a value")?;
        Ok(StmtKind::Assign { to, value: self.expr()? })
    }

    /// What may have been meant by a line that begins with a name but is no assignment.
    fn no_statement<T>(&mut self) -> Parsed<T> {
        let word = self.peek();
        let name = shortened(word.text);
        let like = did_you_mean(word.text, words::STATEMENTS.iter().copied());
        let second = self.peek_second();
        let help = if words::ITEMS.contains(&word.text) {
            format!("a `}}` is missing before this declaration: `{name}` cannot stand in a thread")
        } else if let Some(like) = like {
            format!("did you mean `{like}`?")
        } else if second.starts_line {
            "an assignment is written `name = value`".to_owned()
        } else if second.kind == Kind::Eq {
            "`=` assigns, `==` compares".to_owned()
        } else if second.kind == Kind::Word {
            format!("a local variable is declared by `local {}`", shortened(second.text))
        } else if matches!(second.kind, Kind::Plus | Kind::Minus) {
            format!("write `{name} = {name} + 1`, or `fetch_add({name}, 1)` for an atomic step")
        } else {
            "an assignment is written `name = value`".to_owned()
        };
        let error = Diagnostic::new(word.span, format!("expected a statement, found `{name}`"));
        self.errors.push(error.label("not a statement").help(help));
        Err(Failed)
    }

    /// `, attribute, … )`.
    pub(super) fn rest_of_call(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::default();
        while self.eat(Kind::Comma) {
            let token = self.peek();
            let span = attributes.span.map_or(token.span, |span| span.to(token.span));
            attributes.span = Some(span);
            let order = order_named(token.text);
            if order.is_some() && attributes.order.is_none() {
                attributes.order = order;
                self.advance();
            } else if token.text == "exclusive" {
                attributes.exclusive = true;
                self.advance();
            } else if token.text == "failing" && attributes.failure.is_none() {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                attributes.failure = order_named(self.peek().text);
                if attributes.failure.is_none() {
                    return self.unexpected("an order");
                }
                self.advance();
                self.expect(Kind::CloseParen, "`)`")?;
            } else if token.text == "bytes" && attributes.across.is_none() {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                let number = self.peek();
                let bytes = number.text.parse().ok();
                attributes.bytes = bytes.filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16));
                if attributes.bytes.is_none() {
                    return self.unexpected("1, 2, 4, 8 or 16");
                }
                self.advance();
                self.expect(Kind::CloseParen, "`)`")?;
            } else if token.text == "across" && attributes.bytes.is_none() {
                self.advance();
                self.expect(Kind::OpenParen, "`(`")?;
                attributes.across = Some(self.type_across()?);
                self.expect(Kind::CloseParen, "`)`")?;
            } else {
                let orders = words::ORDERS.map(|order| order.to_string());
                let like = did_you_mean(token.text, orders.iter().map(String::as_str))
                    .map_or_else(String::new, |like| format!("did you mean `{like}`? "));
                let help = format!("{like}the orders are {}", orders.join(", "));
                let attributes =
                    "one order, `failing(order)`, `exclusive`, and `bytes(n)` or `across(type)`";
                return self.unexpected_with(attributes, Some(help));
            }
        }
        self.expect(Kind::CloseParen, "`,` or `)`")?;
        Ok(attributes)
    }

    /// The type of a value that lies across cells.
    pub(super) fn type_across(&mut self) -> Parsed<IntType> {
        let int = IntType::from_name(self.peek().text);
        match int.filter(|int| matches!(int.bits(), 8 | 16 | 32 | 64 | 128)) {
            Some(int) => {
                self.advance();
                Ok(int)
            }
            None => self.unexpected("a type of 8, 16, 32, 64 or 128 bits, such as `u32`"),
        }
    }

    /// `x`, `x[index]` or `mem[address]`.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        if self.peek().text == "mem" {
            let start = self.advance().span;
            self.expect(Kind::OpenBracket, "`[` and an address")?;
            let address: Expr = self.expr()?;
            let end = self.expect(Kind::CloseBracket, "`]`")?;
            return Ok(Place::Mem { address: Box::new(address), span: start.to(end.span) });
        }
        let name = self.name("a variable")?;
        let index = if self.eat(Kind::OpenBracket) {
            let index = self.expr()?;
            self.expect(Kind::CloseBracket, "`]`")?;
            Some(Box::new(index))
        } else {
            None
        };
        Ok(Place::Named { name, index })
    }
}

/// The order of this name.
fn order_named(word: &str) -> Option<Order> {
    words::ORDERS.into_iter().find(|order| order.to_string() == word)
}
