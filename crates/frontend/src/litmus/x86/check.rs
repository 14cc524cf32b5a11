//! What makes an instruction one: the number, the width, the order and the places of its operands.
#![expect(clippy::wildcard_enum_match_arm, reason = "a few operations are unlike all others")]

use program::Diagnostic;

use super::super::lex::Token;
use super::Dialect;
use super::decode::Cell;
use super::syntax::{Line, Operand, Operation};
use crate::token::{Failed, Parsed};

impl Cell<'_> {
    pub(super) fn check_count(&mut self, line: &Line, first: Token<'_>) -> Parsed<()> {
        let expected = match line.operation {
            Operation::Move
            | Operation::Arithmetic(_)
            | Operation::Shift(_)
            | Operation::Compare
            | Operation::Test
            | Operation::Exchange
            | Operation::UnlockedExchange
            | Operation::CompareExchange
            | Operation::ExchangeAdd
            | Operation::MoveIf(_) => 2,
            Operation::Unary(_) | Operation::SetIf(_) => 1,
            Operation::Jump
            | Operation::JumpIf(_)
            | Operation::Fence(_)
            | Operation::Nothing
            | Operation::Return => 0,
        };
        let found = line.operands.len();
        if found == expected {
            return Ok(());
        }
        let operands = if expected == 1 { "operand" } else { "operands" };
        let message = format!("`{}` has {expected} {operands}, not {found}", first.text);
        self.errors.push(Diagnostic::new(line.span, message));
        Err(Failed)
    }

    /// The width that the mnemonic and the registers agree on.
    pub(super) fn check_widths(&mut self, line: &mut Line) -> Parsed<()> {
        if let Operation::SetIf(_) = line.operation {
            line.bits = Some(8);
        }
        let registers: Vec<_> = line.registers().collect();
        for (part, span) in registers {
            match line.bits {
                Some(bits) if bits != part.bits => {
                    let message = format!("this register has {} bits, not {bits}", part.bits);
                    self.errors.push(
                        Diagnostic::new(span, message)
                            .help("the width of all operands must be the same"),
                    );
                    return Err(Failed);
                }
                Some(_) | None => line.bits = Some(part.bits),
            }
        }
        if self.dialect == Dialect::Intel && line.bits == Some(64) {
            let error = Diagnostic::new(line.span, "X86 has no 64-bit instructions");
            self.errors.push(error.help("write an `X86_64` test"));
            return Err(Failed);
        }
        let memories =
            line.operands.iter().filter(|operand| matches!(operand, Operand::Memory(_))).count();
        if memories > 1 {
            let error = Diagnostic::new(line.span, "only one operand can be in memory");
            self.errors.push(error.help("go through a register"));
            return Err(Failed);
        }
        Ok(())
    }

    pub(super) fn check_lock(&mut self, line: &Line) -> Parsed<()> {
        if !line.locked {
            return Ok(());
        }
        let lockable = match line.operation {
            Operation::Arithmetic(_)
            | Operation::Unary(_)
            | Operation::Exchange
            | Operation::CompareExchange
            | Operation::ExchangeAdd => true,
            Operation::Move
            | Operation::Shift(_)
            | Operation::Compare
            | Operation::Test
            | Operation::UnlockedExchange
            | Operation::Jump
            | Operation::JumpIf(_)
            | Operation::MoveIf(_)
            | Operation::SetIf(_)
            | Operation::Fence(_)
            | Operation::Nothing
            | Operation::Return => false,
        };
        let writes_memory = match line.operation {
            Operation::Exchange => true,
            _ => matches!(line.operands.first(), Some(Operand::Memory(_))),
        };
        if lockable && writes_memory {
            return Ok(());
        }
        let error = Diagnostic::new(line.span, "this instruction cannot be locked");
        self.errors.push(error.help("only a read-modify-write of memory can"));
        Err(Failed)
    }
}

/// Whether the operands must be turned round.
pub(super) fn destination_is_last(dialect: Dialect, line: &Line) -> bool {
    let memory_last = matches!(line.operands.last(), Some(Operand::Memory(_)));
    match line.operation {
        Operation::CompareExchange
        | Operation::ExchangeAdd
        | Operation::Exchange
        | Operation::UnlockedExchange => memory_last,
        Operation::MoveIf(_) => match dialect {
            Dialect::Intel => false,
            // herd has the destination first; the GNU assembler has memory first.
            Dialect::Att => matches!(line.operands.first(), Some(Operand::Memory(_))),
        },
        _ => dialect == Dialect::Att,
    }
}
