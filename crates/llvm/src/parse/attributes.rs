//! Attributes: nearly all are skipped, whatever they are called.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::types::is_type_word;
use super::{Parsed, Parser};
use crate::index::TypeId;
use crate::instruction::{BinaryOp, CastOp};
use crate::lexer::Token;

/// What attributes of a parameter or an argument say about memory.
#[derive(Clone, Copy, Default)]
pub(super) struct ArgumentAttributes {
    /// The type in `byval(T)`, `sret(T)`, `elementtype(T)` and their like.
    pub(super) indirect: Option<TypeId>,
    /// Whether it was `byval`.
    pub(super) by_value: bool,
}

/// Whether a word begins a constant, and so ends the attributes before it.
fn is_value_word(word: &str) -> bool {
    match word {
        "true"
        | "false"
        | "null"
        | "undef"
        | "poison"
        | "none"
        | "zeroinitializer"
        | "splat"
        | "asm"
        | "blockaddress"
        | "dso_local_equivalent"
        | "no_cfi"
        | "ptrauth"
        | "getelementptr"
        | "icmp"
        | "fcmp"
        | "select"
        | "fneg"
        | "extractelement"
        | "insertelement"
        | "shufflevector"
        | "extractvalue"
        | "insertvalue" => true,
        _ => {
            CastOp::from_word(word).is_some()
                || BinaryOp::from_word(word).is_some()
                || is_prefixed_number(word)
        }
    }
}

/// Numbers that begin with a letter: `u0x`, `s0x` and `f0x`.
pub(super) fn is_prefixed_number(word: &str) -> bool {
    matches!(word.as_bytes(), [b'u' | b's' | b'f', b'0', b'x', ..])
}

impl Parser<'_> {
    /// Words before a type: flags, calling conventions, attributes of a result.
    pub(super) fn attributes_before_type(&mut self) -> Parsed<()> {
        loop {
            match self.token() {
                Token::Word(word) if !is_type_word(word) => {
                    self.bump();
                    self.skip_group_at(b'(')?;
                }
                // `cc 10`, `align 8`, `"key"="value"`
                Token::Number(_) | Token::String(_) | Token::Sign(b'=') => self.bump(),
                _ => return Ok(()),
            }
        }
    }

    /// Words between a type and a value.
    pub(super) fn attributes_before_value(&mut self) -> Parsed<ArgumentAttributes> {
        let mut found = ArgumentAttributes::default();
        loop {
            match self.token() {
                Token::Word(word) if !is_value_word(word) => {
                    self.bump();
                    match word {
                        "byval" | "sret" | "elementtype" | "byref" | "inalloca"
                        | "preallocated"
                            if self.at(b'(') =>
                        {
                            self.bump();
                            found.indirect = Some(self.ty()?);
                            found.by_value |= word == "byval";
                            self.expect(b')')?;
                        }
                        "align" | "alignstack" if !self.at(b'(') => {
                            self.natural::<u64>()?;
                        }
                        _ => self.skip_group_at(b'(')?,
                    }
                }
                Token::String(_) => {
                    self.bump();
                    if self.eat(b'=') {
                        self.bump();
                    }
                }
                _ => return Ok(found),
            }
        }
    }
}
