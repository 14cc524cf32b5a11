//! Instructions, by their opcodes.

use super::{Parsed, Parser};
use crate::constant::Operand;
use crate::index::BlockId;
use crate::instruction::{BinaryOp, CastOp, FloatPredicate, Operation};
use crate::lexer::Token;

/// Whether a word begins an instruction that is understood.
pub(super) fn is_opcode(word: &str) -> bool {
    match word {
        "alloca" | "load" | "store" | "cmpxchg" | "atomicrmw" | "fence" | "getelementptr"
        | "fneg" | "icmp" | "fcmp" | "select" | "phi" | "freeze" | "extractvalue"
        | "insertvalue" | "extractelement" | "insertelement" | "shufflevector" | "va_arg"
        | "call" | "tail" | "musttail" | "notail" | "invoke" | "callbr" | "landingpad" | "br"
        | "switch" | "indirectbr" | "ret" | "resume" | "unreachable" => true,
        _ => BinaryOp::from_word(word).is_some() || CastOp::from_word(word).is_some(),
    }
}

impl Parser<'_> {
    /// An operation behind its opcode.
    pub(super) fn operation(&mut self, opcode: &str) -> Parsed<Operation> {
        match opcode {
            "load" => self.load(),
            "store" => self.store(),
            "call" => Ok(Operation::Call(self.call()?)),
            "getelementptr" => self.element_pointer(),
            "br" => self.branch(),
            "alloca" => self.alloca(),
            "icmp" => {
                let predicate = self.integer_predicate()?;
                let (left, right) = self.same_type_operands()?;
                Ok(Operation::Compare { predicate, left, right })
            }
            "ret" => {
                let ty = self.ty()?;
                if ty == self.common.void {
                    return Ok(Operation::Return(None));
                }
                Ok(Operation::Return(Some(self.operand_of(ty)?)))
            }
            "tail" | "musttail" | "notail" => {
                self.expect_word("call")?;
                Ok(Operation::Call(self.call()?))
            }
            "phi" => self.phi(),
            "select" => {
                self.attributes_before_type()?;
                let condition = self.operand()?;
                let then = self.next_operand()?;
                let otherwise = self.next_operand()?;
                Ok(Operation::Select { condition, then, otherwise })
            }
            "switch" => self.switch(),
            "unreachable" => Ok(Operation::Unreachable),
            "cmpxchg" => self.compare_exchange(),
            "atomicrmw" => self.atomic_rmw(),
            "fence" => self.fence(),
            "extractvalue" => {
                let aggregate = self.operand()?;
                let indices = self.indices()?;
                Ok(Operation::ExtractValue { aggregate, indices })
            }
            "insertvalue" => {
                let aggregate = self.operand()?;
                let value = self.next_operand()?;
                let indices = self.indices()?;
                Ok(Operation::InsertValue { aggregate, value, indices })
            }
            "fcmp" => self.float_compare(),
            "invoke" => self.invoke(),
            "callbr" => self.call_branch(),
            "landingpad" => self.landing_pad(),
            "resume" => Ok(Operation::Resume(self.operand()?)),
            "indirectbr" => {
                let address = self.operand()?;
                self.expect(b',')?;
                let targets = self.block_list()?;
                Ok(Operation::IndirectBranch { address, targets })
            }
            "freeze" => Ok(Operation::Freeze(self.operand()?)),
            "fneg" => {
                self.attributes_before_type()?;
                Ok(Operation::FNeg(self.operand()?))
            }
            "extractelement" => {
                let vector = self.operand()?;
                let index = self.next_operand()?;
                Ok(Operation::ExtractElement { vector, index })
            }
            "insertelement" => {
                let vector = self.operand()?;
                let value = self.next_operand()?;
                let index = self.next_operand()?;
                Ok(Operation::InsertElement { vector, value, index })
            }
            "shufflevector" => {
                let left = self.operand()?;
                let right = self.next_operand()?;
                let mask = self.next_operand()?;
                Ok(Operation::ShuffleVector { left, right, mask })
            }
            "va_arg" => {
                let list = self.operand()?;
                self.expect(b',')?;
                let ty = self.ty()?;
                Ok(Operation::VaArg { list, ty })
            }
            _ => self.arithmetic_or_cast(opcode),
        }
    }

    fn arithmetic_or_cast(&mut self, opcode: &str) -> Parsed<Operation> {
        if let Some(op) = BinaryOp::from_word(opcode) {
            self.attributes_before_type()?;
            let (left, right) = self.same_type_operands()?;
            return Ok(Operation::Binary { op, left, right });
        }
        if let Some(op) = CastOp::from_word(opcode) {
            self.attributes_before_type()?;
            let value = self.operand()?;
            self.expect_word("to")?;
            let to = self.ty()?;
            return Ok(Operation::Cast { op, value, to });
        }
        self.fail(format!("the instruction `{opcode}` is not known"))
    }

    /// `T a, b`
    fn same_type_operands(&mut self) -> Parsed<(Operand, Operand)> {
        let left = self.operand()?;
        self.expect(b',')?;
        let right = self.operand_of(left.ty)?;
        Ok((left, right))
    }

    fn float_compare(&mut self) -> Parsed<Operation> {
        while let Token::Word(word) = self.token() {
            self.bump();
            if let Some(predicate) = FloatPredicate::from_word(word) {
                let (left, right) = self.same_type_operands()?;
                return Ok(Operation::FloatCompare { predicate, left, right });
            }
        }
        self.fail("expected a predicate of `fcmp`")
    }

    /// `, 0, 1` up to what is not a number.
    fn indices(&mut self) -> Parsed<Vec<u32>> {
        let mut indices = Vec::new();
        while self.at(b',') {
            let before = self.lexer;
            self.bump();
            let Token::Number(_) = self.token() else {
                self.lexer = before;
                break;
            };
            indices.push(self.natural()?);
        }
        if indices.is_empty() { self.fail("expected an index") } else { Ok(indices) }
    }

    fn phi(&mut self) -> Parsed<Operation> {
        self.attributes_before_type()?;
        let ty = self.ty()?;
        let mut incoming = Vec::new();
        loop {
            self.expect(b'[')?;
            let value = self.value(ty)?;
            self.expect(b',')?;
            let block = self.block_name()?;
            self.expect(b']')?;
            incoming.push((value, block));
            let before = self.lexer;
            if !self.eat(b',') {
                break;
            }
            if !self.at(b'[') {
                self.lexer = before;
                break;
            }
        }
        Ok(Operation::Phi { ty, incoming })
    }

    fn branch(&mut self) -> Parsed<Operation> {
        if self.at_word("label") {
            return Ok(Operation::Branch(self.block()?));
        }
        let condition = self.operand()?;
        self.expect(b',')?;
        let then = self.block()?;
        self.expect(b',')?;
        let otherwise = self.block()?;
        Ok(Operation::ConditionalBranch { condition, then, otherwise })
    }

    fn switch(&mut self) -> Parsed<Operation> {
        let value = self.operand()?;
        self.expect(b',')?;
        let default = self.block()?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.eat(b']') {
            let case = self.operand()?;
            self.expect(b',')?;
            cases.push((case, self.block()?));
        }
        Ok(Operation::Switch { value, default, cases })
    }

    /// `label %b`
    pub(super) fn block(&mut self) -> Parsed<BlockId> {
        self.expect_word("label")?;
        self.block_name()
    }

    /// `%b`
    pub(super) fn block_name(&mut self) -> Parsed<BlockId> {
        let Token::Local(raw) = self.token() else {
            return self.fail("expected a block");
        };
        if !self.scope.open {
            return self.fail("a block outside of a function");
        }
        self.bump();
        Ok(self.scope.block(raw))
    }

    /// `[label %a, label %b]`
    pub(super) fn block_list(&mut self) -> Parsed<Vec<BlockId>> {
        self.expect(b'[')?;
        let mut blocks = Vec::new();
        if self.eat(b']') {
            return Ok(blocks);
        }
        loop {
            blocks.push(self.block()?);
            if self.eat(b']') {
                return Ok(blocks);
            }
            self.expect(b',')?;
        }
    }
}
