//! Values from outside: what verifiers' headers offer, and a function of our own.

use program::{Expr, Instruction, Value};

use crate::call::Called;
use crate::thread::{Cursor, Flow, RegisterKey, WORD, Walk};
use crate::value::Val;
use linkage::Returned;

/// More values than these of one choice are not enumerated.
const MOST_VALUES: Value = 1 << 16;

impl Walk<'_, '_, '_> {
    pub(crate) fn nondeterminism(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
    ) -> Option<Flow> {
        match called.name {
            "fencewright_choose" => {
                let low = self.argument(cursor, called, 0).as_constant();
                let high = self.argument(cursor, called, 1).as_constant();
                match low.zip(high) {
                    Some((low, high)) if low <= high && high - low < MOST_VALUES => {
                        self.choose(cursor, called, low, high);
                    }
                    _ => self.error(
                        cursor,
                        "the bounds of this choice must be constant, in order and at most 65536 apart",
                        "write for instance `fencewright_choose(0, 3)`",
                    ),
                }
                Some(Flow::Next)
            }
            "__VERIFIER_nondet_bool" | "__VERIFIER_nondet__Bool" => {
                self.choose(cursor, called, 0, 1);
                Some(Flow::Next)
            }
            "__VERIFIER_nondet_char" => {
                self.choose(cursor, called, -128, 127);
                Some(Flow::Next)
            }
            "__VERIFIER_nondet_uchar" => {
                self.choose(cursor, called, 0, 255);
                Some(Flow::Next)
            }
            "__VERIFIER_assume" | "__CPROVER_assume" | "fencewright_assume" => {
                let condition = self.argument(cursor, called, 0);
                let condition = self.expr(cursor, condition);
                if matches!(condition, Expr::Const(known) if known != 0) {
                    return Some(Flow::Next);
                }
                let is_never = condition == Expr::Const(0);
                self.leave_out_unless(cursor, condition);
                Some(if is_never { Flow::Over } else { Flow::Next })
            }
            "__VERIFIER_assert" | "__CPROVER_assert" => {
                let condition = self.argument(cursor, called, 0);
                let condition = self.expr(cursor, condition);
                self.emit(cursor, Instruction::Assert(condition));
                Some(Flow::Next)
            }
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => {
                self.emit(cursor, Instruction::Lock);
                Some(Flow::Next)
            }
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => {
                self.emit(cursor, Instruction::Unlock);
                Some(Flow::Next)
            }
            name if name.starts_with("__VERIFIER_nondet_") => {
                if let Some(local) = called.result {
                    let ty = called.call.result_type;
                    let returned = (Returned::Anything, name);
                    let value = self.returned(cursor, local, 0, ty, returned);
                    self.define(cursor, called.result, value);
                }
                Some(Flow::Next)
            }
            _ => None,
        }
    }

    pub(crate) fn choose(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        low: Value,
        high: Value,
    ) {
        let key = match called.result {
            Some(local) => RegisterKey::Local(cursor.known.frame.path, local, 0),
            None => return,
        };
        let register = self.register(key, || "chosen".to_owned(), WORD);
        self.emit(cursor, Instruction::Choose { register, low, high });
        self.define(cursor, called.result, Val::register(register));
    }
}
