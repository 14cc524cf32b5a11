//! Operands and constants.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::attributes::is_prefixed_number;
use super::{Parsed, Parser};
use crate::constant::{Constant, ConstantExpression, Operand, Value};
use crate::index::TypeId;
use crate::instruction::{Asm, BinaryOp, CastOp, IntegerPredicate};
use crate::lexer::Token;
use crate::names;
use crate::types::Type;

impl Parser<'_> {
    /// A type and a value.
    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        let ty = self.ty()?;
        self.operand_of(ty)
    }

    /// A comma, a type and a value.
    pub(super) fn next_operand(&mut self) -> Parsed<Operand> {
        self.expect(b',')?;
        self.operand()
    }

    /// A value of a type that has been read.
    pub(super) fn operand_of(&mut self, ty: TypeId) -> Parsed<Operand> {
        if ty == self.common.metadata {
            let value = self.metadata_argument()?;
            return Ok(Operand { ty, value });
        }
        if let Token::Word(_) | Token::String(_) = self.token() {
            self.attributes_before_value()?;
        }
        let value = self.value(ty)?;
        Ok(Operand { ty, value })
    }

    /// A value, its type being known.
    pub(super) fn value(&mut self, ty: TypeId) -> Parsed<Value> {
        match self.token() {
            Token::Local(_) if ty == self.common.label => Ok(Value::Block(self.block_name()?)),
            Token::Local(raw) => {
                if !self.scope.open {
                    return self.fail("a local value outside of a function");
                }
                self.bump();
                Ok(Value::Local(self.scope.local(raw, ty)))
            }
            Token::Word("asm") => Ok(Value::Asm(Box::new(self.assembly()?))),
            _ => Ok(Value::Constant(self.constant(ty)?)),
        }
    }

    /// A constant, its type being known.
    pub(super) fn constant(&mut self, ty: TypeId) -> Parsed<Constant> {
        match self.token() {
            Token::Number(text) => {
                self.bump();
                Ok(self.number(ty, text))
            }
            Token::Symbol(raw) => {
                self.bump();
                Ok(Constant::Symbol(self.symbol(raw)))
            }
            Token::Bytes(raw) => {
                self.bump();
                Ok(Constant::Bytes(names::bytes(raw).into_owned()))
            }
            Token::Sign(b'[') => {
                self.bump();
                Ok(Constant::Array(self.nested(|parser| parser.elements(b']'))?))
            }
            Token::Sign(b'{') => {
                self.bump();
                Ok(Constant::Struct(self.nested(|parser| parser.elements(b'}'))?))
            }
            Token::Sign(b'<') => {
                self.bump();
                if !self.eat(b'{') {
                    return Ok(Constant::Vector(self.nested(|parser| parser.elements(b'>'))?));
                }
                let elements = self.nested(|parser| parser.elements(b'}'))?;
                self.expect(b'>')?;
                Ok(Constant::Struct(elements))
            }
            Token::Word(word) => self.nested(|parser| parser.constant_word(ty, word)),
            _ => self.fail("expected a value"),
        }
    }

    fn number(&self, ty: TypeId, text: &str) -> Constant {
        let integer = match self.module.types.get(ty) {
            Type::Integer(width) if *width <= 128 => names::integer(text),
            _ => None,
        };
        integer.map_or_else(|| Constant::Number(text.to_owned()), Constant::Integer)
    }

    fn elements(&mut self, close: u8) -> Parsed<Vec<Operand>> {
        let mut elements = Vec::new();
        if self.eat(close) {
            return Ok(elements);
        }
        loop {
            elements.push(self.operand()?);
            if self.eat(close) {
                return Ok(elements);
            }
            self.expect(b',')?;
        }
    }

    fn constant_word(&mut self, ty: TypeId, word: &str) -> Parsed<Constant> {
        let start = self.lexer.start;
        self.bump();
        Ok(match word {
            "null" => Constant::Null,
            "true" => Constant::Integer(1),
            "false" => Constant::Integer(0),
            "undef" => Constant::Undef,
            "poison" => Constant::Poison,
            "zeroinitializer" => Constant::Zero,
            "none" => Constant::NoToken,
            "splat" => {
                self.expect(b'(')?;
                Constant::Vector(self.elements(b')')?)
            }
            "blockaddress" => {
                self.expect(b'(')?;
                let Token::Symbol(function) = self.token() else {
                    return self.fail("expected a function");
                };
                self.bump();
                let function = self.symbol(function);
                self.expect(b',')?;
                let Token::Local(block) = self.token() else {
                    return self.fail("expected a block");
                };
                self.bump();
                self.expect(b')')?;
                Constant::BlockAddress(function, names::identifier(block).into_owned())
            }
            "dso_local_equivalent" | "no_cfi" => {
                let Token::Symbol(_) = self.token() else {
                    return self.fail("expected a function");
                };
                self.bump();
                Constant::Other(self.text_from(start).to_owned())
            }
            "ptrauth" | "fcmp" | "fneg" | "extractelement" | "insertelement" | "shufflevector"
            | "extractvalue" | "insertvalue" => {
                while let Token::Word(_) = self.token() {
                    self.bump();
                }
                if !self.at(b'(') {
                    return self.fail("expected `(`");
                }
                self.skip_group()?;
                Constant::Other(self.text_from(start).to_owned())
            }
            _ if is_prefixed_number(word) => self.number(ty, word),
            _ => Constant::Expression(Box::new(self.constant_expression(word)?)),
        })
    }

    fn constant_expression(&mut self, word: &str) -> Parsed<ConstantExpression> {
        if let Some(op) = CastOp::from_word(word) {
            self.skip_flags()?;
            self.expect(b'(')?;
            let value = self.operand()?;
            self.expect_word("to")?;
            self.ty()?;
            self.expect(b')')?;
            return Ok(ConstantExpression::Cast { op, value });
        }
        if let Some(op) = BinaryOp::from_word(word) {
            self.skip_flags()?;
            let [left, right] = self.constant_operands()?;
            return Ok(ConstantExpression::Binary { op, left, right });
        }
        match word {
            "getelementptr" => self.constant_element_pointer(),
            "select" => {
                let [condition, then, otherwise] = self.constant_operands()?;
                Ok(ConstantExpression::Select { condition, then, otherwise })
            }
            "icmp" => {
                let predicate = self.integer_predicate()?;
                let [left, right] = self.constant_operands()?;
                Ok(ConstantExpression::Compare { predicate, left, right })
            }
            _ => self.fail("expected a value"),
        }
    }

    /// Words such as `nuw` and `inrange(-16, 8)` before an opening parenthesis.
    fn skip_flags(&mut self) -> Parsed<()> {
        while let Token::Word(word) = self.token() {
            self.bump();
            if word == "inrange" {
                self.skip_group_at(b'(')?;
            }
        }
        Ok(())
    }

    fn constant_operands<const N: usize>(&mut self) -> Parsed<[Operand; N]> {
        self.expect(b'(')?;
        let elements = self.elements(b')')?;
        match elements.try_into() {
            Ok(operands) => Ok(operands),
            Err(_) => self.fail("the wrong number of operands before this"),
        }
    }

    fn constant_element_pointer(&mut self) -> Parsed<ConstantExpression> {
        self.skip_flags()?;
        self.expect(b'(')?;
        let element = self.ty()?;
        let base = self.next_operand()?;
        let mut indices = Vec::new();
        while self.eat(b',') {
            self.eat_word("inrange");
            indices.push(self.operand()?);
        }
        self.expect(b')')?;
        Ok(ConstantExpression::GetElementPtr { element, base, indices })
    }

    /// The predicate of `icmp`, behind its flags.
    pub(super) fn integer_predicate(&mut self) -> Parsed<IntegerPredicate> {
        while let Token::Word(word) = self.token() {
            self.bump();
            if let Some(predicate) = IntegerPredicate::from_word(word) {
                return Ok(predicate);
            }
        }
        self.fail("expected a predicate of `icmp`")
    }

    fn assembly(&mut self) -> Parsed<Asm> {
        let mut side_effect = false;
        let mut intel = false;
        while let Token::Word(word) = self.token() {
            side_effect |= word == "sideeffect";
            intel |= word == "inteldialect";
            self.bump();
        }
        let text = self.string()?;
        self.expect(b',')?;
        let constraints = self.string()?;
        Ok(Asm { text, constraints, side_effect, intel })
    }

    /// A string, decoded.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let Token::String(raw) = self.token() else {
            return self.fail("expected a string");
        };
        self.bump();
        Ok(names::string(raw).into_owned())
    }
}
