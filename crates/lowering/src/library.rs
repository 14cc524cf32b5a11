//! What library functions do, as far as threads and memory are concerned: a table by name.
//!
//! Functions of the C library count only where no module defines them. What needs no code stands in
//! the table of [`linkage::summary`] ([`summarised`]). What is not here is refused if it takes part in synchronisation, memory or
//! control ([`refused`]); all else has a body that nobody knows ([`Walk::unknown`]).

mod allocation;
mod builtin;
mod futex;
mod intrinsic;
mod nondeterminism;
mod pthread;
mod refused;
mod rust;
mod summarised;
mod symbols;
mod waiters;
mod words;

pub use self::refused::REFUSED;
pub(crate) use self::rust::{Callables, nearest, referred_to, shim_of, shown};
pub(crate) use self::summarised::Summaries;
pub(crate) use self::symbols::is_ignored;
pub(crate) use self::waiters::Waiters;
pub(crate) use linkage::{of_c, readable};

use crate::call::Called;
use crate::function::FunctionInfo;
use crate::thread::{Cursor, Flow, Walk};
use crate::value::Val;

/// Whether a symbol is one of Rust's own libraries, by its path.
pub(crate) fn is_of_language(symbol: &str) -> bool {
    let crates = ["core::", "alloc::", "std::"];
    llvm::demangled(symbol).is_some_and(|path| {
        let path = path.trim_start_matches(['<', '&', '*', '[']);
        crates.iter().any(|own| path.starts_with(own))
    })
}

impl Walk<'_, '_, '_> {
    /// Does what a known function does; nothing if it is not known.
    pub(crate) fn library(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        called: &Called<'_>,
        has_body: bool,
    ) -> Option<Flow> {
        if called.name.starts_with("llvm.") {
            let flow = self.amounts_apart(cursor, called, None);
            return Some(flow.unwrap_or_else(|| self.intrinsic(cursor, called)));
        }
        if let Some(name) = llvm::demangled(called.name) {
            return self.rust_library(cursor, info, called, &name, has_body);
        }
        if has_body {
            return None;
        }
        self.amounts_apart(cursor, called, None)
            .or_else(|| self.c_library(cursor, called))
            .or_else(|| self.allocation(cursor, called))
            .or_else(|| self.nondeterminism(cursor, called))
            .or_else(|| self.pthread(cursor, called))
            .or_else(|| self.builtin(cursor, called))
            .or_else(|| self.word(cursor, called))
            .or_else(|| self.known(cursor, called))
    }

    /// The value of an argument.
    pub(crate) fn argument(&mut self, cursor: &Cursor, called: &Called<'_>, at: usize) -> Val {
        match called.arguments.get(at) {
            Some(operand) => self.operand(cursor, operand),
            None => Val::Undefined,
        }
    }

    /// Ends a library call that returns a number.
    pub(crate) fn returns(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        value: i128,
    ) -> Flow {
        self.define(cursor, called.result, Val::constant(value));
        Flow::Next
    }

    fn c_library(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        Some(match called.name {
            "__assert_fail"
            | "__assert_rtn"
            | "__assert"
            | "__assert_perror_fail"
            | "abort"
            | "__stack_chk_fail"
            | "__VERIFIER_error"
            | "reach_error"
            | "__builtin_trap"
            | "__chk_fail" => self.fail(cursor),
            "exit" | "_exit" | "quick_exit" | "_Exit" | "err" | "errx" => {
                self.shows_arguments(cursor, called);
                self.exit(cursor.clone())
            }
            "memcpy" | "memmove" => {
                let (to, from, size) = (
                    self.argument(cursor, called, 0),
                    self.argument(cursor, called, 1),
                    self.argument(cursor, called, 2),
                );
                self.copy(cursor, &to, &from, &size);
                self.define(cursor, called.result, to);
                Flow::Next
            }
            "mempcpy" | "__mempcpy" => {
                let (to, from, size) = (
                    self.argument(cursor, called, 0),
                    self.argument(cursor, called, 1),
                    self.argument(cursor, called, 2),
                );
                self.copy(cursor, &to, &from, &size);
                let behind = size.as_constant().and_then(|size| u64::try_from(size).ok());
                let behind = self.moved(&to, behind.unwrap_or(0));
                self.define(cursor, called.result, behind);
                Flow::Next
            }
            "bzero" | "explicit_bzero" => {
                let (to, size) =
                    (self.argument(cursor, called, 0), self.argument(cursor, called, 1));
                self.fill(cursor, &to, &Val::constant(0), &size);
                Flow::Next
            }
            "memcmp" | "bcmp" | "__memcmpeq" => {
                let (left, right, size) = (
                    self.argument(cursor, called, 0),
                    self.argument(cursor, called, 1),
                    self.argument(cursor, called, 2),
                );
                match self.compare_memory(cursor, &left, &right, &size) {
                    Some(result) => {
                        self.define(cursor, called.result, Val::Expr(result));
                        Flow::Next
                    }
                    None => Flow::Over,
                }
            }
            "__cxa_thread_atexit_impl" | "__cxa_thread_atexit" => {
                let function = self.argument(cursor, called, 0);
                let given = self.argument(cursor, called, 1);
                self.at_end(cursor, function, given);
                self.returns(cursor, called, 0)
            }
            "syscall" => return self.system_call(cursor, called),
            "memset" => {
                let (to, byte, size) = (
                    self.argument(cursor, called, 0),
                    self.argument(cursor, called, 1),
                    self.argument(cursor, called, 2),
                );
                self.fill(cursor, &to, &byte, &size);
                self.define(cursor, called.result, to);
                Flow::Next
            }
            _ => return None,
        })
    }
}
