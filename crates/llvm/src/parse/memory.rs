//! Instructions that touch memory, or compute addresses.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::types::is_type_word;
use super::{Parsed, Parser};
use crate::instruction::{Operation, Ordering, RmwOp};
use crate::lexer::Token;

/// What stands between an opcode and its first type.
#[derive(Default)]
struct AccessFlags {
    volatile: bool,
    atomic: bool,
    weak: bool,
}

impl Parser<'_> {
    fn access_flags(&mut self) -> AccessFlags {
        let mut flags = AccessFlags::default();
        loop {
            match self.token() {
                Token::Word("volatile") => flags.volatile = true,
                Token::Word("atomic") => flags.atomic = true,
                Token::Word("weak") => flags.weak = true,
                _ => return flags,
            }
            self.bump();
        }
    }

    pub(super) fn load(&mut self) -> Parsed<Operation> {
        let AccessFlags { volatile, atomic, .. } = self.access_flags();
        let ty = self.ty()?;
        let address = self.next_operand()?;
        let (single_thread, ordering) = self.atomic_order(atomic)?;
        let align = self.alignment()?;
        Ok(Operation::Load { ty, address, volatile, ordering, single_thread, align })
    }

    pub(super) fn store(&mut self) -> Parsed<Operation> {
        let AccessFlags { volatile, atomic, .. } = self.access_flags();
        let value = self.operand()?;
        let address = self.next_operand()?;
        let (single_thread, ordering) = self.atomic_order(atomic)?;
        let align = self.alignment()?;
        Ok(Operation::Store { value, address, volatile, ordering, single_thread, align })
    }

    pub(super) fn compare_exchange(&mut self) -> Parsed<Operation> {
        let AccessFlags { volatile, weak, .. } = self.access_flags();
        let address = self.operand()?;
        let expected = self.next_operand()?;
        let new = self.next_operand()?;
        let single_thread = self.single_thread()?;
        let success = self.ordering()?;
        let failure = self.ordering()?;
        self.alignment()?;
        Ok(Operation::CompareExchange {
            address,
            expected,
            new,
            weak,
            volatile,
            success,
            failure,
            single_thread,
        })
    }

    pub(super) fn atomic_rmw(&mut self) -> Parsed<Operation> {
        let AccessFlags { volatile, .. } = self.access_flags();
        let Token::Word(word) = self.token() else {
            return self.fail("expected an operation of `atomicrmw`");
        };
        let Some(op) = RmwOp::from_word(word) else {
            return self.fail("this operation of `atomicrmw` is not known");
        };
        self.bump();
        let address = self.operand()?;
        let value = self.next_operand()?;
        let single_thread = self.single_thread()?;
        let ordering = self.ordering()?;
        self.alignment()?;
        Ok(Operation::AtomicRmw { op, address, value, volatile, ordering, single_thread })
    }

    pub(super) fn fence(&mut self) -> Parsed<Operation> {
        let single_thread = self.single_thread()?;
        let ordering = self.ordering()?;
        Ok(Operation::Fence { ordering, single_thread })
    }

    pub(super) fn alloca(&mut self) -> Parsed<Operation> {
        // `inalloca` and `swifterror`
        self.attributes_before_type()?;
        let ty = self.ty()?;
        let mut count = None;
        let mut align = None;
        loop {
            let before = self.lexer;
            if !self.eat(b',') {
                break;
            }
            match self.token() {
                Token::Word("align") => {
                    self.bump();
                    align = Some(self.natural()?);
                }
                Token::Word("addrspace") => {
                    self.address_space()?;
                }
                Token::Word(word) if is_type_word(word) => count = Some(self.operand()?),
                _ => {
                    self.lexer = before;
                    break;
                }
            }
        }
        Ok(Operation::Alloca { ty, count, align })
    }

    pub(super) fn element_pointer(&mut self) -> Parsed<Operation> {
        self.attributes_before_type()?;
        let element = self.ty()?;
        let base = self.next_operand()?;
        let mut indices = Vec::new();
        loop {
            let before = self.lexer;
            if !self.eat(b',') {
                break;
            }
            if let Token::Metadata(_) = self.token() {
                self.lexer = before;
                break;
            }
            indices.push(self.operand()?);
        }
        Ok(Operation::GetElementPtr { element, base, indices })
    }

    fn atomic_order(&mut self, atomic: bool) -> Parsed<(bool, Option<Ordering>)> {
        if !atomic {
            return Ok((false, None));
        }
        let single_thread = self.single_thread()?;
        let ordering = self.ordering()?;
        Ok((single_thread, Some(ordering)))
    }

    /// `syncscope("singlethread")`; the scopes of other targets are taken for all threads.
    fn single_thread(&mut self) -> Parsed<bool> {
        if !self.eat_word("syncscope") {
            return Ok(false);
        }
        self.expect(b'(')?;
        let scope = self.string()?;
        self.expect(b')')?;
        Ok(scope == "singlethread")
    }

    fn ordering(&mut self) -> Parsed<Ordering> {
        if let Token::Word(word) = self.token()
            && let Some(ordering) = Ordering::from_word(word)
        {
            self.bump();
            return Ok(ordering);
        }
        self.fail("expected an order such as `seq_cst`")
    }

    /// `, align N`
    fn alignment(&mut self) -> Parsed<Option<u64>> {
        let before = self.lexer;
        if self.eat(b',') {
            if self.eat_word("align") {
                return Ok(Some(self.natural()?));
            }
            self.lexer = before;
        }
        Ok(None)
    }
}
