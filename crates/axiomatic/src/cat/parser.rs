//! From tokens to statements, with everything that is included.

use std::collections::HashMap;
use std::sync::Arc;

use program::{Diagnostic, Sources, Span};

use super::lexer::{Placed, Token, tokens};
use super::library;
use super::syntax::{Binding, Check, Consequence, Name, Pattern, Procedure, Property, Statement};

/// How deep expressions, statements and inclusions may stand in each other.
const DEEPEST: usize = 200;

/// All names of a model.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, Name>,
    texts: Vec<String>,
}

impl Names {
    pub(super) fn number(&mut self, text: &str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.numbers.insert(text.to_owned(), name);
        self.texts.push(text.to_owned());
        name
    }

    /// Whether the model has this name.
    pub(super) fn knows(&self, text: &str) -> bool {
        self.numbers.contains_key(text)
    }

    pub(super) fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", String::as_str)
    }
}

/// Finds an included file: its name for messages, and its text.
pub(super) type Find<'f> = dyn FnMut(&str) -> Option<(String, String)> + 'f;

/// What is common to the files of a model.
pub(super) struct Loader<'f> {
    pub(super) names: Names,
    pub(super) sources: Sources,
    pub(super) find: &'f mut Find<'f>,
    /// The files that are being included.
    pub(super) open: Vec<String>,
}

/// A file: the words before its first statement, and its statements.
pub(super) struct File {
    pub(super) title: Vec<String>,
    pub(super) statements: Vec<Statement>,
}

impl Loader<'_> {
    /// Reads a file.
    pub(super) fn file(&mut self, name: &str, text: &str) -> Result<File, Box<Diagnostic>> {
        let source = self.sources.add(name, text);
        let tokens = tokens(source, text)?;
        let mut parser = Parser { loader: self, tokens, at: 0, depth: 0, inside: false };
        let title = parser.title();
        let statements = parser.statements(&[])?;
        Ok(File { title, statements })
    }

    fn include(&mut self, file: &str, span: Span) -> Result<Vec<Statement>, Box<Diagnostic>> {
        if self.open.iter().any(|open| open == file) || self.open.len() >= DEEPEST {
            return Err(Box::new(Diagnostic::new(span, format!("`{file}` includes itself"))));
        }
        let found = (self.find)(file);
        let found =
            found.or_else(|| library::file(file).map(|text| (file.to_owned(), text.to_owned())));
        let Some((name, text)) = found else {
            let message = format!("there is no file `{file}`");
            let help = "included files are looked for beside the model";
            return Err(Box::new(Diagnostic::new(span, message).help(help)));
        };
        self.open.push(file.to_owned());
        let file = self.file(&name, &text)?;
        self.open.pop();
        Ok(file.statements)
    }
}

pub(super) struct Parser<'l, 'f> {
    pub(super) loader: &'l mut Loader<'f>,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    /// Whether this is inside a procedure or a loop, where nothing can be chosen.
    inside: bool,
}

/// Words that are not names.
const KEYWORDS: [&str; 37] = [
    "let",
    "rec",
    "and",
    "when",
    "acyclic",
    "irreflexive",
    "show",
    "unshow",
    "empty",
    "subset",
    "as",
    "fun",
    "in",
    "undefined_unless",
    "flag",
    "assert",
    "include",
    "variant",
    "begin",
    "end",
    "procedure",
    "call",
    "enum",
    "debug",
    "match",
    "with",
    "forall",
    "from",
    "do",
    "try",
    "if",
    "then",
    "else",
    "catdep",
    "instructions",
    "default",
    "not",
];

impl Parser<'_, '_> {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From a place to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    /// Takes a symbol if it is there.
    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let there = self.is_symbol(symbol);
        if there {
            self.advance();
        }
        there
    }

    /// Takes a keyword if it is there.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        if there {
            self.advance();
        }
        there
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), Box<Diagnostic>> {
        if self.take(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`")).into()) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Box<Diagnostic>> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{word}`")).into())
        }
    }

    /// An error at the next token.
    pub(super) fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Tag(tag) => format!("`'{tag}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the file".to_owned(),
        };
        let message = format!("expected {wanted}, found {found}");
        Diagnostic::new(self.span(), message).label(format!("expected {wanted}"))
    }

    /// The text of the next name, if a name is next.
    pub(super) fn next_name(&self) -> Option<&str> {
        match self.peek() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => Some(word),
            Token::Word(_) | Token::Tag(_) | Token::Text(_) | Token::Symbol(_) | Token::End => None,
        }
    }

    pub(super) fn name(&mut self) -> Result<Name, Box<Diagnostic>> {
        let Some(text) = self.next_name().map(str::to_owned) else {
            return Err(self.unexpected("a name").into());
        };
        self.advance();
        Ok(self.loader.names.number(&text))
    }

    pub(super) fn tag(&mut self) -> Result<Name, Box<Diagnostic>> {
        let Token::Tag(text) = self.peek().clone() else {
            return Err(self.unexpected("a tag").into());
        };
        self.advance();
        Ok(self.loader.names.number(&text))
    }

    fn text(&mut self) -> Result<String, Box<Diagnostic>> {
        let Token::Text(text) = self.peek().clone() else {
            return Err(self.unexpected("a text in quotes").into());
        };
        self.advance();
        Ok(text)
    }

    /// Refuses texts that stand too deep in each other; [`Parser::leave`] comes up again.
    pub(super) fn enter(&mut self) -> Result<(), Box<Diagnostic>> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Box::new(Diagnostic::new(self.span(), "this stands too deep")));
        }
        Ok(())
    }

    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }

    /// What stands before the first statement.
    fn title(&mut self) -> Vec<String> {
        let mut title = Vec::new();
        loop {
            match self.peek().clone() {
                Token::Text(text) => title.push(text),
                Token::Word(word) if self.next_name().is_some() => title.push(word),
                Token::Word(word) if word == "catdep" => {}
                Token::Word(_) | Token::Tag(_) | Token::Symbol(_) | Token::End => return title,
            }
            self.advance();
        }
    }

    /// Statements up to the end of the text, or up to one of these words.
    fn statements(&mut self, ends: &[&str]) -> Result<Vec<Statement>, Box<Diagnostic>> {
        self.enter()?;
        let mut found = Vec::new();
        loop {
            match self.peek() {
                Token::End if ends.is_empty() => break,
                Token::Word(word) if ends.contains(&word.as_str()) => break,
                Token::Symbol("||") if ends.contains(&"||") => break,
                Token::End | Token::Word(_) | Token::Symbol(_) | Token::Tag(_) | Token::Text(_) => {
                    self.statement(&mut found)?;
                }
            }
        }
        self.leave();
        Ok(found)
    }

    fn statement(&mut self, found: &mut Vec<Statement>) -> Result<(), Box<Diagnostic>> {
        let start = self.span();
        let word = match self.peek() {
            Token::Word(word) => word.clone(),
            Token::Symbol("~") => "~".to_owned(),
            Token::Symbol(_) | Token::Tag(_) | Token::Text(_) | Token::End => {
                return Err(self.unexpected("a statement").into());
            }
        };
        match word.as_str() {
            "let" => {
                self.advance();
                let recursive = self.take_word("rec");
                let bindings = self.bindings()?;
                let while_it_holds =
                    if recursive && self.take_word("when") { Some(self.check()?) } else { None };
                self.take_word("in");
                let span = self.since(start);
                found.push(Statement::Let { recursive, bindings, while_it_holds, span });
            }
            "~" | "acyclic" | "irreflexive" | "empty" | "flag" | "undefined_unless" | "assert" => {
                found.push(Statement::Check(self.check()?));
            }
            "show" | "unshow" => self.shown()?,
            "include" => {
                self.advance();
                let span = self.span();
                let file = self.text()?;
                found.extend(self.loader.include(&file, span)?);
            }
            "procedure" => found.push(self.procedure()?),
            "call" => {
                self.advance();
                let name = self.name()?;
                let argument = self.argument()?.ok_or_else(|| self.unexpected("an argument"))?;
                if self.take_word("as") {
                    self.name()?;
                }
                found.push(Statement::Call { name, argument, span: self.since(start) });
            }
            "forall" => {
                self.advance();
                let name = self.name()?;
                self.expect_word("in")?;
                let set = self.expression()?;
                self.expect_word("do")?;
                let body = self.within(&["end"])?;
                self.expect_word("end")?;
                found.push(Statement::ForAll { name, set, body: Arc::new(body) });
            }
            "with" => {
                self.advance();
                if self.inside {
                    let message = "a choice inside a procedure or a loop";
                    let help = "`with … from …` stands between other statements";
                    return Err(Box::new(Diagnostic::new(start, message).help(help)));
                }
                let name = self.name()?;
                self.expect_word("from")?;
                let set = self.expression()?;
                found.push(Statement::Choose { name, set });
            }
            "if" => {
                self.advance();
                let chosen = self.variants()?;
                let then = self.statements(&["else", "end"])?;
                let otherwise =
                    if self.take_word("else") { self.statements(&["end"])? } else { Vec::new() };
                self.expect_word("end")?;
                found.extend(if chosen { then } else { otherwise });
            }
            "match" => found.push(self.match_statement()?),
            "enum" => {
                self.advance();
                let name = self.name()?;
                self.expect("=")?;
                self.take("||");
                let mut tags = vec![self.tag()?];
                while self.take("||") {
                    tags.push(self.tag()?);
                }
                found.push(Statement::Enumeration { name, tags });
            }
            "instructions" | "default" | "debug" => {
                return Err(self.refused(&format!("`{word}`")).into());
            }
            _ => return Err(self.unexpected("a statement").into()),
        }
        Ok(())
    }

    /// An error about something that is part of the language and not known here.
    pub(super) fn refused(&self, what: &str) -> Diagnostic {
        Diagnostic::new(self.span(), format!("{what} is not understood in a model"))
    }

    /// Statements inside something that is not at the top.
    fn within(&mut self, ends: &[&str]) -> Result<Vec<Statement>, Box<Diagnostic>> {
        let outside = std::mem::replace(&mut self.inside, true);
        let found = self.statements(ends);
        self.inside = outside;
        found
    }

    fn check(&mut self) -> Result<Check, Box<Diagnostic>> {
        let consequence = if self.take_word("flag") {
            Consequence::Flags
        } else if self.take_word("undefined_unless") {
            Consequence::Undefines
        } else if self.take_word("assert") {
            Consequence::Asserts
        } else {
            Consequence::Forbids
        };
        let negated = self.take("~");
        let property = if self.take_word("acyclic") {
            Property::Acyclic
        } else if self.take_word("irreflexive") {
            Property::Irreflexive
        } else if self.take_word("empty") {
            Property::Empty
        } else {
            return Err(self.unexpected("`acyclic`, `irreflexive` or `empty`").into());
        };
        let value = self.expression()?;
        let name = if self.take_word("as") {
            let name = self.name()?;
            Some(self.loader.names.text(name).to_owned())
        } else {
            None
        };
        Ok(Check { consequence, negated, property, value, name })
    }

    /// What herd draws is of no concern here; it is read to know where it ends.
    fn shown(&mut self) -> Result<(), Box<Diagnostic>> {
        self.advance();
        loop {
            self.operation()?;
            if self.take_word("as") {
                self.name()?;
            }
            if !self.take(",") {
                return Ok(());
            }
        }
    }

    fn procedure(&mut self) -> Result<Statement, Box<Diagnostic>> {
        self.advance();
        let recursive = self.take_word("rec");
        let name = self.name()?;
        let parameter = self.parameters()?.ok_or_else(|| self.unexpected("a parameter"))?;
        self.expect("=")?;
        let body = self.within(&["end"])?;
        self.expect_word("end")?;
        let procedure = Arc::new(Procedure { recursive, parameter, body });
        Ok(Statement::Procedure { name, procedure })
    }

    fn match_statement(&mut self) -> Result<Statement, Box<Diagnostic>> {
        self.advance();
        let scrutinee = self.expression()?;
        self.expect_word("with")?;
        self.take("||");
        let (mut clauses, mut otherwise) = (Vec::new(), None);
        loop {
            if self.take("_") {
                self.expect("->")?;
                otherwise = Some(self.within(&["end"])?);
                break;
            }
            let tag = self.tag()?;
            self.expect("->")?;
            clauses.push((tag, self.within(&["||", "end"])?));
            if !self.take("||") {
                break;
            }
        }
        self.expect_word("end")?;
        Ok(Statement::Match { scrutinee, clauses, otherwise })
    }

    /// `x = e and f(x) = e and …`.
    pub(super) fn bindings(&mut self) -> Result<Vec<Binding>, Box<Diagnostic>> {
        let mut found = vec![self.binding()?];
        while self.take_word("and") {
            found.push(self.binding()?);
        }
        Ok(found)
    }

    /// A condition on variants. None is in force: these are options of herd about parts of machines
    /// that no execution here has.
    pub(super) fn variants(&mut self) -> Result<bool, Box<Diagnostic>> {
        let mut any = self.variant_terms()?;
        while self.take("||") {
            any |= self.variant_terms()?;
        }
        Ok(any)
    }

    fn variant_terms(&mut self) -> Result<bool, Box<Diagnostic>> {
        let mut all = self.variant()?;
        while self.take("&&") {
            all &= self.variant()?;
        }
        Ok(all)
    }

    fn variant(&mut self) -> Result<bool, Box<Diagnostic>> {
        self.enter()?;
        let is_set = if self.take_word("not") {
            !self.variant()?
        } else if self.take("(") {
            let inner = self.variants()?;
            self.expect(")")?;
            inner
        } else {
            self.take_word("variant");
            self.text()?;
            false
        };
        self.leave();
        Ok(is_set)
    }

    /// Whether a condition on variants comes next.
    pub(super) fn at_variant(&self) -> bool {
        let next = self.tokens[self.at..].iter().find(|next| next.token != Token::Symbol("("));
        match next.map(|next| &next.token) {
            Some(Token::Text(_)) => true,
            Some(Token::Word(word)) => word == "not" || word == "variant",
            Some(Token::Tag(_) | Token::Symbol(_) | Token::End) | None => false,
        }
    }

    /// `_` or a name.
    pub(super) fn parameter(&mut self) -> Result<Option<Name>, Box<Diagnostic>> {
        if self.take("_") { Ok(None) } else { self.name().map(Some) }
    }

    /// The parameters of a function, if there are any: `x` or `(x, y)`.
    pub(super) fn parameters(&mut self) -> Result<Option<Pattern>, Box<Diagnostic>> {
        if self.take("(") {
            let mut all = Vec::new();
            if !self.is_symbol(")") {
                all.push(self.parameter()?);
                while self.take(",") {
                    all.push(self.parameter()?);
                }
            }
            self.expect(")")?;
            return Ok(Some(pattern(all)));
        }
        if self.is_symbol("_") || self.next_name().is_some() {
            return self.parameter().map(|one| Some(Pattern::One(one)));
        }
        Ok(None)
    }

    /// Where the parser is, to come back to.
    pub(super) const fn mark(&self) -> usize {
        self.at
    }

    pub(super) const fn reset(&mut self, mark: usize) {
        self.at = mark;
    }
}

/// One name stands for a whole value, several for the parts of a tuple.
pub(super) fn pattern(mut names: Vec<Option<Name>>) -> Pattern {
    match (names.len(), names.pop()) {
        (1, Some(one)) => Pattern::One(one),
        (_, None) => Pattern::Many(names),
        (_, Some(last)) => {
            names.push(last);
            Pattern::Many(names)
        }
    }
}
