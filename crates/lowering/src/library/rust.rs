//! Rust's standard library, by the paths of its functions.
//!
//! Most of it needs no description: what is generic or `#[inline]` has a body in the program's own
//! module and is translated like the program. That is true of all atomic types, down to the choice of
//! an instruction by a constant [`Ordering`](std::sync::atomic::Ordering), of `Arc` and its counts, of
//! `Box` and of guards. Described here is where bodies end, at the operating system, and what would
//! only be bookkeeping: starting and joining threads, waiting, allocating, failing, printing.
//!
//! Unwinding does not exist: programs are compiled with `panic=abort`, and a panic is an error of the
//! program. So locks are never poisoned.

mod callable;
mod failure;
mod layout;
mod memory;
mod names;
mod synchronisation;
mod threads;

use llvm::Constant;

use crate::call::Called;
use crate::function::FunctionInfo;
use crate::thread::{Cursor, Flow, Walk};

pub(crate) use callable::{Callables, nearest, referred_to};
pub(crate) use names::{called_once as shim_of, shown};

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_library(
        &mut self,
        cursor: &mut Cursor,
        _info: &FunctionInfo,
        called: &Called<'_>,
        name: &str,
        has_body: bool,
    ) -> Option<Flow> {
        let path = names::plain(name);
        // The program's own functions are what they are.
        let crates = ["core::", "alloc::", "std::", "__rustc::", "<"];
        if !crates.iter().any(|start| path.starts_with(start)) {
            return None;
        }
        self.rust_failure(cursor, &path)
            .or_else(|| self.rust_threads(cursor, called, name, &path))
            .or_else(|| self.rust_synchronisation(cursor, called, &path))
            .or_else(|| self.rust_memory(cursor, called, &path))
            .or_else(|| is_silent(name, &path, has_body).then(|| self.quietly(cursor, called)))
    }

    /// Nothing happens that the program can see; what is returned is zero.
    fn quietly(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let module = cursor.known.frame.function.module;
        let zero = self.world.constant(module, called.call.result_type, &Constant::Zero);
        self.define(cursor, called.result, zero);
        Flow::Next
    }
}

/// Functions that do nothing that matters here: output, time, scheduling, the environment.
fn is_silent(name: &str, path: &str, has_body: bool) -> bool {
    match names::last_two(path) {
        // A thread's handle holds nothing of the program.
        ("ptr", "drop_in_place") => names::arguments(name).first().is_some_and(|ty| {
            let ty = names::plain(ty);
            ty.starts_with("std::thread::") || ty.starts_with("std::io::")
        }),
        // They set what only the operating system looks at.
        ("Builder", "name" | "stack_size") if path.starts_with("std::thread::") => true,
        ("functions" | "thread", "yield_now" | "sleep" | "park" | "park_timeout")
        | ("Thread", "park" | "park_timeout" | "unpark")
        | ("hint", "spin_loop")
        | ("stdio", "_print" | "_eprint") => true,
        _ if has_body => false,
        _ => {
            let prefixes =
                ["core::fmt::", "alloc::fmt::", "std::io::", "std::env::", "std::time::"];
            prefixes.iter().any(|prefix| path.starts_with(prefix))
                || path.contains(" as core::fmt::")
                || path.contains(" as std::io::")
                // What the standard library has compiled once and for all holds nothing of the program.
                || path.ends_with(" as core::ops::drop::Drop>::drop")
                || path.ends_with("::drop_slow")
        }
    }
}
