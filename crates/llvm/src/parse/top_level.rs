//! What stands outside of functions.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::{Failure, Parsed, Parser};
use crate::constant::Constant;
use crate::index::{MetadataId, SymbolId, TypeId};
use crate::lexer::{Lexer, Token};
use crate::module::{Alias, Function, Global, Linkage, Local, Parameter, SymbolKind};
use crate::names;

/// What may stand before the type of a global or a function.
#[derive(Default)]
struct Prefix {
    linkage: Option<Linkage>,
    thread_local: bool,
    space: u32,
}

/// What may stand behind a global.
#[derive(Default)]
struct Suffix {
    align: Option<u64>,
    section: Option<String>,
    debug: Vec<MetadataId>,
}

impl<'a> Parser<'a> {
    /// The whole text.
    pub(super) fn module(&mut self) -> Parsed<()> {
        self.type_definitions_ahead();
        let mut understood = false;
        loop {
            self.must_go_on()?;
            match self.token() {
                Token::End => return Ok(()),
                Token::Word("define") => self.function(true)?,
                Token::Word("declare") => self.function(false)?,
                Token::Word("source_filename") => {
                    self.bump();
                    self.expect(b'=')?;
                    self.module.source_filename = self.string()?;
                }
                Token::Word("target") => self.target()?,
                Token::Word("module") => {
                    self.bump();
                    self.expect_word("asm")?;
                    let line = self.string()?;
                    self.module.assembly.push(line);
                }
                Token::Word("attributes") => self.attribute_group()?,
                Token::Symbol(raw) => self.global(raw)?,
                Token::Local(raw) => self.type_definition(raw)?,
                Token::Metadata(name) => self.metadata_definition(name)?,
                Token::Comdat(_) => self.comdat()?,
                Token::Word(_) | Token::Sign(b'^') if understood => self.other()?,
                _ => return self.fail("expected a definition or a declaration of LLVM IR"),
            }
            understood = true;
        }
    }

    /// Reads the type definitions at beginnings of lines before all else: what a `getelementptr`
    /// yields may depend on a type that is defined behind it.
    fn type_definitions_ahead(&mut self) {
        let text = self.lexer.text();
        let before = self.lexer;
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            if let Some(rest) = line.strip_prefix('%')
                && rest.contains(" = type ")
            {
                self.lexer = Lexer::new(text, offset);
                if let Token::Local(raw) = self.token() {
                    // What is wrong with it is said when it is read again.
                    let _ = self.type_definition(raw);
                }
            }
            offset += line.len();
        }
        self.lexer = before;
    }

    fn type_definition(&mut self, raw: &'a str) -> Parsed<()> {
        self.bump();
        self.expect(b'=')?;
        self.expect_word("type")?;
        let name = names::identifier(raw).into_owned();
        if !self.eat_word("opaque") {
            let body = self.ty()?;
            self.module.types.define(name, body);
        }
        self.named_type(raw);
        Ok(())
    }

    fn target(&mut self) -> Parsed<()> {
        self.bump();
        let is_layout = self.eat_word("datalayout");
        if !is_layout {
            self.expect_word("triple")?;
        }
        self.expect(b'=')?;
        let text = self.string()?;
        if is_layout {
            self.module.data_layout = text;
        } else {
            self.module.target_triple = text;
        }
        Ok(())
    }

    fn attribute_group(&mut self) -> Parsed<()> {
        self.bump();
        let Token::Hash(_) = self.token() else {
            return self.fail("expected the number of a group of attributes");
        };
        self.bump();
        self.expect(b'=')?;
        if self.at(b'{') { self.skip_group() } else { self.fail("expected `{`") }
    }

    fn comdat(&mut self) -> Parsed<()> {
        self.bump();
        self.expect(b'=')?;
        self.expect_word("comdat")?;
        let Token::Word(_) = self.token() else {
            return self.fail("expected how to choose");
        };
        self.bump();
        Ok(())
    }

    /// Keeps an entity as its text, up to the next line that may begin another.
    fn other(&mut self) -> Parsed<()> {
        let start = self.lexer.start;
        loop {
            match self.token() {
                Token::Sign(b'(' | b'[' | b'{') => self.skip_group()?,
                Token::Unterminated | Token::Sign(b')' | b']' | b'}') => {
                    return self.fail("this is not LLVM IR");
                }
                _ => self.bump(),
            }
            if self.lexer.first_on_line || self.token() == Token::End {
                break;
            }
        }
        if self.token() == Token::End && !self.lexer.text().ends_with('\n') {
            return self.fail("");
        }
        let text = self.text_from(start).to_owned();
        self.module.other.push(text);
        Ok(())
    }

    /// Words up to `global`, `constant`, `alias`, `ifunc` or a type.
    fn prefix(&mut self) -> Parsed<Prefix> {
        let mut prefix = Prefix::default();
        while let Token::Word(word) = self.token() {
            match word {
                "global" | "constant" | "alias" | "ifunc" => break,
                "thread_local" => {
                    prefix.thread_local = true;
                    self.bump();
                    self.skip_group_at(b'(')?;
                }
                "addrspace" => prefix.space = self.address_space()?,
                _ if super::types::is_type_word(word) => break,
                _ => {
                    prefix.linkage = prefix.linkage.or_else(|| Linkage::from_word(word));
                    self.bump();
                    self.skip_group_at(b'(')?;
                    // `cc 10`, `align 8`
                    if let Token::Number(_) = self.token() {
                        self.bump();
                    }
                }
            }
        }
        Ok(prefix)
    }

    /// `@name = …`
    fn global(&mut self, raw: &'a str) -> Parsed<()> {
        let start = self.lexer.start;
        self.bump();
        let id = self.symbol(raw);
        self.expect(b'=')?;
        let prefix = self.prefix()?;
        let Token::Word(word) = self.token() else {
            return self.fail("expected `global`, `constant`, `alias` or `ifunc`");
        };
        let kind = match word {
            "global" | "constant" => {
                self.bump();
                SymbolKind::Global(self.variable(&prefix, word == "constant")?)
            }
            "alias" | "ifunc" => {
                self.bump();
                let ty = self.ty()?;
                self.expect(b',')?;
                let target = self.operand()?;
                self.global_suffix()?;
                let alias = Alias { ty, target };
                if word == "alias" { SymbolKind::Alias(alias) } else { SymbolKind::IFunc(alias) }
            }
            _ => return self.fail("expected `global`, `constant`, `alias` or `ifunc`"),
        };
        self.define_symbol(start, id, prefix.linkage, kind)
    }

    fn define_symbol(
        &mut self,
        offset: usize,
        id: SymbolId,
        linkage: Option<Linkage>,
        kind: SymbolKind,
    ) -> Parsed<()> {
        let symbol = &mut self.module.symbols[id.index()];
        if !matches!(symbol.kind, SymbolKind::Unknown) {
            let message = format!("@{} is defined twice", symbol.name).into();
            return Err(Failure { offset, message });
        }
        symbol.linkage = linkage.unwrap_or(Linkage::External);
        symbol.kind = kind;
        self.module.order.push(id);
        Ok(())
    }

    fn variable(&mut self, prefix: &Prefix, constant: bool) -> Parsed<Global> {
        let ty = self.ty()?;
        let declared = matches!(prefix.linkage, Some(Linkage::External | Linkage::ExternWeak));
        let initialiser = if declared { None } else { Some(self.initialiser(ty)?) };
        let Suffix { align, section, debug } = self.global_suffix()?;
        Ok(Global {
            ty,
            constant,
            thread_local: prefix.thread_local,
            space: prefix.space,
            align,
            section,
            initialiser,
            debug,
        })
    }

    /// A constant; one that is not understood, as its text.
    fn initialiser(&mut self, ty: TypeId) -> Parsed<Constant> {
        let before = self.lexer;
        match self.constant(ty) {
            Ok(constant) => Ok(constant),
            Err(failure) => {
                self.lexer = before;
                self.depth = 0;
                let start = self.lexer.start;
                loop {
                    match self.token() {
                        Token::Sign(b'(' | b'[' | b'{') => self.skip_group()?,
                        Token::Word(_) => self.bump(),
                        _ => break,
                    }
                    if self.lexer.first_on_line {
                        break;
                    }
                }
                if self.text_from(start).is_empty() {
                    return Err(failure);
                }
                Ok(Constant::Other(self.text_from(start).to_owned()))
            }
        }
    }

    /// `, section "s", align 4, !dbg !0 #1` behind a global.
    fn global_suffix(&mut self) -> Parsed<Suffix> {
        let mut found = Suffix::default();
        loop {
            if self.eat(b',') {
                match self.token() {
                    Token::Metadata("dbg") => {
                        self.bump();
                        found.debug.extend(self.node_or_inline()?);
                    }
                    Token::Metadata(_) => {
                        self.bump();
                        self.skip_metadata()?;
                    }
                    Token::Word("align") => {
                        self.bump();
                        found.align = Some(self.natural()?);
                    }
                    Token::Word("section") => {
                        self.bump();
                        found.section = Some(self.string()?);
                    }
                    Token::Word("partition" | "code_model") => {
                        self.bump();
                        self.string()?;
                    }
                    Token::Word(_) => {
                        self.bump();
                        self.skip_group_at(b'(')?;
                    }
                    _ => return self.fail("expected `align`, `section` or metadata"),
                }
            } else if self.lexer.first_on_line {
                return Ok(found);
            } else {
                match self.token() {
                    // Attributes of the variable.
                    Token::Hash(_) => self.bump(),
                    Token::String(_) => {
                        self.bump();
                        if self.eat(b'=') {
                            self.string()?;
                        }
                    }
                    Token::Word(word) if !matches!(word, "define" | "declare") => {
                        self.bump();
                        self.skip_group_at(b'(')?;
                    }
                    Token::End | Token::Symbol(_) | Token::Word(_) => return Ok(found),
                    _ => return self.fail("expected the end of the line"),
                }
            }
        }
    }

    /// `define …` or `declare …`
    fn function(&mut self, defined: bool) -> Parsed<()> {
        self.bump();
        let mut debug = None;
        while let Token::Metadata(name) = self.token() {
            self.bump();
            self.attachment(name, &mut debug)?;
        }
        let prefix = self.prefix()?;
        let result = self.ty()?;
        let Token::Symbol(raw) = self.token() else {
            return self.fail("expected the name of a function");
        };
        let start = self.lexer.start;
        self.bump();
        let id = self.symbol(raw);
        self.scope.begin();
        let (parameters, variadic) = self.parameters()?;
        self.function_suffix(defined, &mut debug)?;
        let blocks = if defined { self.body()? } else { Vec::new() };
        self.scope.open = false;
        let locals: Vec<Local> = self.scope.locals.drain(..).collect();
        let declared = std::mem::take(&mut self.scope.declared);
        let function = Function { result, parameters, variadic, locals, blocks, debug, declared };
        self.define_symbol(start, id, prefix.linkage, SymbolKind::Function(Box::new(function)))
    }

    fn attachment(&mut self, name: &str, debug: &mut Option<MetadataId>) -> Parsed<()> {
        if name == "dbg" {
            *debug = self.node_or_inline()?;
            return Ok(());
        }
        self.skip_metadata()
    }

    fn parameters(&mut self) -> Parsed<(Vec<Parameter>, bool)> {
        let mut parameters = Vec::new();
        self.expect(b'(')?;
        if self.eat(b')') {
            return Ok((parameters, false));
        }
        loop {
            if self.eat_word("...") {
                self.expect(b')')?;
                return Ok((parameters, true));
            }
            let ty = self.ty()?;
            let attributes = self.attributes_before_value()?;
            let name = match self.token() {
                Token::Local(raw) => {
                    self.bump();
                    Some(raw)
                }
                _ => None,
            };
            self.scope.define(name, ty).or_else(|message| self.fail(message))?;
            parameters.push(Parameter {
                ty,
                indirect: attributes.indirect,
                by_value: attributes.by_value,
            });
            if self.eat(b')') {
                return Ok((parameters, false));
            }
            self.expect(b',')?;
        }
    }

    /// What stands between the parameters and the body or the end.
    fn function_suffix(&mut self, defined: bool, debug: &mut Option<MetadataId>) -> Parsed<()> {
        loop {
            match self.token() {
                Token::Sign(b'{') if defined => return Ok(()),
                _ if self.lexer.first_on_line && !defined => return Ok(()),
                Token::Word("prefix" | "prologue" | "personality") => {
                    self.bump();
                    self.operand()?;
                }
                Token::Word(word) if defined || !matches!(word, "define" | "declare") => {
                    self.bump();
                    self.skip_group_at(b'(')?;
                }
                Token::Hash(_) | Token::String(_) | Token::Number(_) | Token::Sign(b'=') => {
                    self.bump();
                }
                Token::Metadata(name) => {
                    self.bump();
                    self.attachment(name, debug)?;
                }
                _ if !defined => return Ok(()),
                _ => return self.fail("expected `{`"),
            }
        }
    }
}
