//! The bodies of functions.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::scope::Mark;
use super::{Failure, Parsed, Parser};
use crate::constant::{Constant, Value};
use crate::index::{BlockId, MetadataId};
use crate::instruction::{Instruction, Operation};
use crate::lexer::Token;
use crate::module::Block;

/// What stands at the beginning of a statement that was read.
enum Statement {
    Instruction(Instruction),
    /// A debug record, which is no instruction.
    Record,
}

impl<'a> Parser<'a> {
    /// `{ … }` of a function whose parameters are in scope; its blocks, in order.
    pub(super) fn body(&mut self) -> Parsed<Vec<Block>> {
        let start = self.lexer.start;
        self.expect(b'{')?;
        let mut current: Option<BlockId> = None;
        loop {
            self.must_go_on()?;
            match self.token() {
                Token::Sign(b'}') => {
                    if current.is_some() {
                        return self.fail("the last block does not end with a jump or a return");
                    }
                    self.bump();
                    break;
                }
                Token::Label(raw) => {
                    if current.is_some() {
                        return self.fail("the block before this does not end with a jump");
                    }
                    current = Some(self.begin_block(Some(raw))?);
                    self.bump();
                }
                Token::Hash(_) => self.debug_record()?,
                Token::Word("uselistorder") => self.skip_statement()?,
                _ => {
                    let block = match current {
                        Some(block) => block,
                        None => self.begin_block(None)?,
                    };
                    current = Some(block);
                    if let Statement::Instruction(instruction) = self.statement()? {
                        if self.ends_block(&instruction.operation) {
                            current = None;
                        }
                        self.scope.blocks[block.index()].instructions.push(instruction);
                    }
                }
            }
        }
        if self.scope.order.is_empty() {
            return Err(Failure { offset: start, message: "this function has no blocks".into() });
        }
        if let Some(what) = self.scope.undefined() {
            let message = format!("{what} is used in this function but not defined").into();
            return Err(Failure { offset: start, message });
        }
        self.type_allocas();
        Ok(self.blocks_in_order())
    }

    fn begin_block(&mut self, raw: Option<&'a str>) -> Parsed<BlockId> {
        self.scope.define_block(raw).or_else(|message| self.fail(message))
    }

    /// Whether a block ends after an instruction. What was not understood may be a jump: it is one if
    /// a block ends there.
    fn ends_block(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Other(_) => {
                matches!(self.token(), Token::Sign(b'}') | Token::Label(_))
            }
            _ => operation.is_terminator(),
        }
    }

    /// The blocks in the order of the text, and all mentions of them to match.
    fn blocks_in_order(&mut self) -> Vec<Block> {
        let mut position = vec![BlockId(0); self.scope.blocks.len()];
        for (index, block) in self.scope.order.iter().enumerate() {
            position[block.index()] = BlockId::new(index);
        }
        let mut taken: Vec<Option<Block>> = self.scope.blocks.drain(..).map(Some).collect();
        let order = std::mem::take(&mut self.scope.order);
        let mut blocks: Vec<Block> =
            order.iter().filter_map(|block| taken[block.index()].take()).collect();
        if order.iter().enumerate().any(|(index, block)| index != block.index()) {
            for instruction in blocks.iter_mut().flat_map(|block| &mut block.instructions) {
                instruction
                    .operation
                    .for_each_block_mut(&mut |block| *block = position[block.index()]);
            }
        }
        blocks
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let before = self.lexer;
        let mark = self.scope.mark();
        match self.instruction() {
            Ok(statement) => Ok(statement),
            // Nothing can be saved of a text that ends here.
            Err(failure) if matches!(self.token(), Token::End | Token::Unterminated) => {
                Err(failure)
            }
            Err(_) => {
                self.lexer = before;
                self.other_instruction(mark)
            }
        }
    }

    fn instruction(&mut self) -> Parsed<Statement> {
        let name = self.result_name()?;
        let Token::Word(opcode) = self.token() else {
            return self.fail("expected an instruction");
        };
        self.bump();
        let operation = self.operation(opcode)?;
        let is_record = self.debug_call(&operation).is_some();
        let (location, is_nontemporal) = self.attachments(is_record)?;
        if is_nontemporal && matches!(operation, Operation::Store { .. }) {
            // Machines keep such stores out of the order of all others.
            return self.fail("a non-temporal store is kept as its text");
        }
        if !self.at_statement() {
            return self.fail("expected the end of the instruction");
        }
        if is_record {
            self.keep_declared(&operation);
            return Ok(Statement::Record);
        }
        let ty = self.result_type(&operation);
        let result = match (ty, name) {
            (None, None) => None,
            (None, Some(_)) => return self.fail("this instruction has no result to be named"),
            (Some(ty), name) => {
                Some(self.scope.define(name, ty).or_else(|message| self.fail(message))?)
            }
        };
        Ok(Statement::Instruction(Instruction { result, operation, location }))
    }

    fn result_name(&mut self) -> Parsed<Option<&'a str>> {
        let Token::Local(raw) = self.token() else { return Ok(None) };
        self.bump();
        self.expect(b'=')?;
        Ok(Some(raw))
    }

    /// Keeps an instruction as its text.
    fn other_instruction(&mut self, mark: Mark) -> Parsed<Statement> {
        self.scope.forget_since(mark);
        let name = self.result_name()?;
        let result = match name {
            Some(_) => {
                let ty = self.common.unknown;
                Some(self.scope.define(name, ty).or_else(|message| self.fail(message))?)
            }
            None => None,
        };
        let start = self.lexer.start;
        let location = self.skip_statement_for_location()?;
        let operation = Operation::Other(self.text_from(start).to_owned());
        Ok(Statement::Instruction(Instruction { result, operation, location }))
    }

    fn skip_statement(&mut self) -> Parsed<()> {
        self.skip_statement_for_location().map(|_| ())
    }

    /// Goes to the next line that begins an instruction or ends a block.
    fn skip_statement_for_location(&mut self) -> Parsed<Option<MetadataId>> {
        let mut location = None;
        loop {
            match self.token() {
                Token::Sign(b'(' | b'[' | b'{') => self.skip_group()?,
                Token::End | Token::Unterminated => return self.fail("this is not an instruction"),
                Token::Metadata("dbg") => {
                    self.bump();
                    location = self.node_number();
                }
                _ => self.bump(),
            }
            if self.lexer.first_on_line && self.at_statement() || self.at(b'}') {
                return Ok(location);
            }
        }
    }

    /// Whether a statement can begin here, or the function end.
    fn at_statement(&self) -> bool {
        match self.token() {
            Token::Sign(b'}') | Token::Label(_) | Token::Local(_) | Token::Hash(_) => true,
            Token::Word(word) => {
                let continues = matches!(word, "to" | "cleanup" | "catch" | "filter" | "unwind");
                (self.lexer.first_on_line || super::instruction::is_opcode(word)) && !continues
            }
            Token::End
            | Token::Unterminated
            | Token::Symbol(_)
            | Token::Metadata(_)
            | Token::Comdat(_)
            | Token::Number(_)
            | Token::String(_)
            | Token::Bytes(_)
            | Token::Sign(_)
            | Token::Unknown => false,
        }
    }

    /// `, !dbg !7, !tbaa !3, align 4` behind an instruction; the location, unless it is passed over, and whether
    /// the access is non-temporal.
    fn attachments(&mut self, skip_location: bool) -> Parsed<(Option<MetadataId>, bool)> {
        let mut location = None;
        let mut is_nontemporal = false;
        while self.eat(b',') {
            match self.token() {
                Token::Metadata("dbg") if !skip_location => {
                    self.bump();
                    location = self.node_or_inline()?;
                }
                Token::Metadata(name) => {
                    is_nontemporal |= name == "nontemporal";
                    self.bump();
                    self.skip_metadata()?;
                }
                Token::Word("align") => {
                    self.bump();
                    self.natural::<u64>()?;
                }
                _ => return self.fail("expected metadata"),
            }
        }
        Ok((location, is_nontemporal))
    }

    /// `#dbg_declare(ptr %x, !1, …)` and other records.
    fn debug_record(&mut self) -> Parsed<()> {
        let declares = self.token() == Token::Hash("dbg_declare");
        self.bump();
        if !self.at(b'(') {
            return self.fail("expected `(`");
        }
        let before = self.lexer;
        if declares {
            let mark = self.scope.mark();
            if self.declared_variable().is_err() {
                self.scope.forget_since(mark);
            }
        }
        self.lexer = before;
        self.skip_group()
    }

    fn declared_variable(&mut self) -> Parsed<()> {
        self.expect(b'(')?;
        let operand = self.operand()?;
        self.expect(b',')?;
        if let (Value::Local(local), Some(variable)) = (operand.value, self.node_number()) {
            self.scope.declared.push((local, variable));
        }
        Ok(())
    }

    /// The debug record that older versions write as a call: `declare`, `value` and so on.
    fn debug_call(&self, operation: &Operation) -> Option<&str> {
        let Operation::Call(call) = operation else { return None };
        let Value::Constant(Constant::Symbol(symbol)) = call.callee else { return None };
        self.module.symbol(symbol).name.strip_prefix("llvm.dbg.")
    }

    /// Keeps what a call to `llvm.dbg.declare` declares.
    fn keep_declared(&mut self, operation: &Operation) {
        if self.debug_call(operation) == Some("declare")
            && let Operation::Call(call) = operation
            && let [address, variable, ..] = call.arguments.as_slice()
            && let Value::MetadataText(address) = &address.value
            && let Value::Metadata(variable) = variable.value
            && let Some((_, name)) = address.rsplit_once(" %")
            && let Some(local) = self.scope.known_local(name)
        {
            self.scope.declared.push((local, variable));
        }
    }
}
