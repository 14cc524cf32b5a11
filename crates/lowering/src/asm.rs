//! Inline assembly of x86: what it does to memory and to its operands.
//!
//! The instructions of a statement are carried out one after another on symbolic registers: those that
//! constraints bind to operands, and those that the text names. Memory is reached through operands and
//! through registers that hold addresses. What is known: moves, exchanges (locked with or without the
//! prefix), integer operations with and without `lock`, bit tests, compare-and-exchange, conditions of
//! flags, fences, `pause`. A `lock`ed operation that changes nothing on the stack is the old way to
//! write a full fence. An operation on memory without `lock` is a load and a store. Everything else is
//! an error: guessing would be a wrong answer.

mod condition;
mod constraint;
mod execute;
mod mnemonic;
mod operands;
mod register;
mod text;

use llvm::{Asm, Call, LocalId};

use crate::asm::constraint::{Constraint, Kind};
use crate::asm::execute::{NOT_UNDERSTOOD, Trouble};
use crate::asm::mnemonic::Operation;
use crate::asm::operands::{Bound, Given, Operands};
use crate::thread::{Cursor, Flow, Scratch, Walk};
use crate::value::Val;

impl Walk<'_, '_, '_> {
    pub(crate) fn assembly(
        &mut self,
        cursor: &mut Cursor,
        call: &Call,
        asm: &Asm,
        result: Option<LocalId>,
    ) -> Flow {
        let trouble = |walk: &mut Self, cursor: &Cursor, text: &str, why: Trouble| {
            walk.error(
                cursor,
                format!("the assembly `{text}` {why}"),
                "known are fences, moves, exchanges, integer operations and conditions; write the rest in C",
            );
            Flow::Over
        };
        let lines = match text::lines(&asm.text, asm.intel) {
            Ok(lines) => lines,
            Err(line) => return trouble(self, cursor, &line, NOT_UNDERSTOOD),
        };
        let Some(constraints) = constraint::constraints(&asm.constraints) else {
            return trouble(
                self,
                cursor,
                &asm.text,
                "has operands of a kind that is not understood",
            );
        };
        let given = self.given(cursor, call, &constraints);
        let Some(mut operands) = Operands::new(&constraints, given) else {
            return trouble(
                self,
                cursor,
                &asm.text,
                "has operands of a kind that is not understood",
            );
        };
        self.hold_registers(cursor, &mut operands);
        for line in &lines {
            let Some((operation, bits)) = mnemonic::meaning(&line.mnemonic) else {
                return trouble(self, cursor, &line.text, NOT_UNDERSTOOD);
            };
            if operation == Operation::Trap {
                return self.fail(cursor);
            }
            let done = self.carry_out(cursor, &mut operands, &constraints, line, operation, bits);
            if let Err(why) = done {
                return trouble(self, cursor, &line.text, why);
            }
        }
        let value = self.results(call, cursor, &constraints, &operands);
        self.define(cursor, result, value);
        Flow::Next
    }

    /// What each operand is given, and how wide it is.
    fn given(&mut self, cursor: &Cursor, call: &Call, constraints: &[Constraint]) -> Vec<Given> {
        let module = cursor.known.frame.function.module;
        let mut results = self.result_types(call, cursor, constraints).into_iter();
        let mut arguments = call.arguments.iter().enumerate();
        let mut all = Vec::new();
        for constraint in constraints {
            if constraint.is_output && !constraint.is_indirect {
                let bits = results.next().flatten();
                all.push(Given { value: Val::Undefined, bits });
                continue;
            }
            let Some((number, argument)) = arguments.next() else { continue };
            let ty = if constraint.is_indirect {
                call.argument_types.iter().find(|(at, _)| *at == number).map(|one| one.1)
            } else {
                Some(argument.ty)
            };
            let bits = ty.and_then(|ty| self.world.bits(module, ty));
            all.push(Given { value: self.operand(cursor, argument), bits });
        }
        all
    }

    /// The widths of the direct outputs.
    fn result_types(
        &self,
        call: &Call,
        cursor: &Cursor,
        constraints: &[Constraint],
    ) -> Vec<Option<u32>> {
        let module = cursor.known.frame.function.module;
        let direct = constraints.iter().filter(|one| one.is_output && !one.is_indirect).count();
        if direct <= 1 {
            return vec![self.world.bits(module, call.result_type)];
        }
        let elements = self.world.elements(module, call.result_type).unwrap_or_default();
        elements.into_iter().map(|(ty, _)| self.world.bits(module, ty)).collect()
    }

    /// The value of the whole statement.
    fn results(
        &self,
        call: &Call,
        cursor: &Cursor,
        constraints: &[Constraint],
        operands: &Operands,
    ) -> Val {
        let widths = self.result_types(call, cursor, constraints);
        let direct = constraints
            .iter()
            .zip(&operands.bound)
            .filter(|(constraint, _)| constraint.is_output && !constraint.is_indirect);
        let mut values: Vec<Val> = direct
            .zip(widths)
            .map(|((constraint, bound), bits)| {
                let unknown = || Val::Inexpressible("what assembly leaves in a register".into());
                match (bound, &constraint.kind, bits) {
                    (Bound::Flag, Kind::Flag(condition), _) => {
                        operands.flags.holds(*condition).map_or_else(unknown, Val::Expr)
                    }
                    (Bound::Register(register, _), _, Some(bits)) => {
                        operands.read(*register, bits).unwrap_or_else(unknown)
                    }
                    (Bound::Register(..) | Bound::Memory(..) | Bound::Flag, _, _) => unknown(),
                }
            })
            .collect();
        match values.len() {
            0 => Val::Undefined,
            1 => values.remove(0),
            _ => Val::Aggregate(values),
        }
    }

    /// Registers must not change with variables that the statement writes.
    fn hold_registers(&mut self, cursor: &mut Cursor, operands: &mut Operands) {
        let writes_variables =
            operands.bound.iter().any(|bound| matches!(bound, Bound::Memory(Val::Private(..), _)));
        if writes_variables {
            operands.hold(|expr, number| {
                if self.may_change(&Val::Expr(expr.clone())) {
                    self.held_apart(cursor, expr, Scratch::AssemblyOperand(number))
                } else {
                    expr
                }
            });
        }
    }
}
