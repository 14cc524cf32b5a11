//! Calls of all kinds.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::instruction::is_opcode;
use super::{Parsed, Parser};
use crate::constant::Operand;
use crate::index::TypeId;
use crate::instruction::{Call, Operation};
use crate::lexer::Token;
use crate::types::Type;

impl Parser<'_> {
    /// A call behind its opcode.
    pub(super) fn call(&mut self) -> Parsed<Call> {
        self.attributes_before_type()?;
        let written = self.ty()?;
        let (result_type, function_type) = match self.module.types.get(written) {
            Type::Function { result, .. } => (*result, Some(written)),
            _ => (written, None),
        };
        // The type of a callee is never `label` or `metadata`.
        let callee = self.value(self.common.pointer)?;
        let mut arguments = Vec::new();
        let mut argument_types = Vec::new();
        self.expect(b'(')?;
        if !self.eat(b')') {
            loop {
                // The mark of a forwarded variable argument list.
                if self.eat_word("...") {
                    self.expect(b')')?;
                    break;
                }
                let (argument, indirect) = self.argument()?;
                if let Some(ty) = indirect {
                    argument_types.push((arguments.len(), ty));
                }
                arguments.push(argument);
                if self.eat(b')') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        self.call_attributes()?;
        Ok(Call { result_type, function_type, callee, arguments, argument_types })
    }

    fn argument(&mut self) -> Parsed<(Operand, Option<TypeId>)> {
        let ty = self.ty()?;
        if ty == self.common.metadata {
            return Ok((self.operand_of(ty)?, None));
        }
        let indirect = self.attributes_before_value()?.indirect;
        let value = self.value(ty)?;
        Ok((Operand { ty, value }, indirect))
    }

    /// Attributes and operand bundles behind the arguments.
    fn call_attributes(&mut self) -> Parsed<()> {
        loop {
            match self.token() {
                Token::Word("to") => return Ok(()),
                Token::Word(word) if !self.lexer.first_on_line && !is_opcode(word) => {
                    self.bump();
                    self.skip_group_at(b'(')?;
                }
                Token::Hash(_) | Token::String(_) | Token::Number(_) | Token::Sign(b'=')
                    if !self.lexer.first_on_line =>
                {
                    self.bump();
                }
                Token::Sign(b'[') => self.skip_group()?,
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn invoke(&mut self) -> Parsed<Operation> {
        let call = self.call()?;
        self.expect_word("to")?;
        let normal = self.block()?;
        self.expect_word("unwind")?;
        let unwind = self.block()?;
        Ok(Operation::Invoke { call, normal, unwind })
    }

    pub(super) fn call_branch(&mut self) -> Parsed<Operation> {
        let call = self.call()?;
        self.expect_word("to")?;
        let normal = self.block()?;
        let indirect = self.block_list()?;
        Ok(Operation::CallBranch { call, normal, indirect })
    }

    pub(super) fn landing_pad(&mut self) -> Parsed<Operation> {
        let ty = self.ty()?;
        loop {
            match self.token() {
                Token::Word("cleanup") => self.bump(),
                Token::Word("catch" | "filter") => {
                    self.bump();
                    self.operand()?;
                }
                _ => return Ok(Operation::LandingPad { ty }),
            }
        }
    }
}
