//! Amounts of memory that are not known when a program is translated, though they must be: guesses
//! ([`crate::amounts`]) are tried one by one, and the program is asked which is right. Where none is, the
//! answer is beyond the bounds of the translation.

use super::{Cursor, Flow, Limit, Walk};
use crate::call::Called;
use crate::value::Val;
use llvm::Value as Given;
use program::{BinaryOp, Expr, Instruction, Value};

/// The first of the numbers by which amounts at one instruction are told apart: those before are arguments.
pub(crate) const NOT_AN_ARGUMENT: u32 = 16;

/// Which arguments of a function say how much memory is meant, if it is one that must know.
fn amounts(name: &str, path: Option<&str>) -> &'static [usize] {
    match path {
        Some("__rustc::__rust_alloc" | "__rustc::__rust_alloc_zeroed") => &[0],
        Some("__rustc::__rust_realloc") => &[1, 3],
        Some("alloc::raw_vec::RawVecInner::try_allocate_in") => &[1, 4],
        Some(_) => &[],
        None => match name {
            "malloc" | "valloc" => &[0],
            "aligned_alloc" | "memalign" | "realloc" | "bzero" | "explicit_bzero" => &[1],
            "calloc" => &[0, 1],
            "posix_memalign" | "memcpy" | "memmove" | "mempcpy" | "__mempcpy" | "memset"
            | "memcmp" | "bcmp" | "__memcmpeq" => &[2],
            name if ["llvm.memcpy", "llvm.memmove", "llvm.memset"]
                .iter()
                .any(|known| name.starts_with(known)) =>
            {
                &[2]
            }
            _ => &[],
        },
    }
}

impl Walk<'_, '_, '_> {
    /// If a call must know an amount that is not known: comes to the call again with each amount that is
    /// likely.
    pub(crate) fn amounts_apart(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        path: Option<&str>,
    ) -> Option<Flow> {
        for at in amounts(called.name, path) {
            let Some(operand) = called.arguments.get(*at) else { continue };
            let Given::Local(local) = operand.value else { continue };
            let amount = match self.operand(cursor, operand) {
                Val::Expr(amount) if !matches!(amount, Expr::Const(_)) => amount,
                Val::Expr(_)
                | Val::Private(..)
                | Val::Aggregate(_)
                | Val::Undefined
                | Val::Inexpressible(_) => continue,
            };
            let which = u32::try_from(*at).unwrap_or(0);
            for (value, mut taken) in self.each_amount(cursor, &amount, which) {
                taken.known.frame.locals.insert(local, Val::constant(value));
                self.set_aside(taken);
            }
            return Some(self.give_up(cursor, Limit::Amount));
        }
        None
    }

    /// A way for each number that an amount is likely to be. The cursor goes on where it is none of them.
    pub(crate) fn each_amount(
        &mut self,
        cursor: &mut Cursor,
        amount: &Expr,
        which: u32,
    ) -> Vec<(Value, Cursor)> {
        let key = (self.point(cursor), which);
        self.counted.push((key, amount.clone()));
        let guesses = self.world.facts.amounts.get(&key).cloned().unwrap_or_default();
        let mut ways = Vec::new();
        for guess in guesses {
            let is = Expr::binary(BinaryOp::Eq, amount.clone(), Expr::Const(guess));
            ways.push((guess, self.branch(cursor, is.clone())));
            self.emit(cursor, Instruction::Assume(is.negated()));
        }
        ways
    }
}
