//! Rust's standard library, by the paths of its functions.
//!
//! Most of it needs no description: what is generic or `#[inline]` has a body in the program's own
//! module and is translated like the program. That is true of all atomic types, down to the choice of
//! an instruction by a constant [`Ordering`](std::sync::atomic::Ordering), of `Arc` and its counts, of
//! `Box` and of guards. Described here is where bodies end, at the operating system, and what would
//! only be bookkeeping: starting and joining threads, waiting, allocating, failing, printing.
//!
//! Unwinding does not exist: programs are compiled with `panic=abort`, and a panic is an error of the
//! program. So locks are never poisoned. Where a program that unwinds would go on, because it catches panics or joins
//! a thread without unwrapping the result, a panic is a bound as well.

mod callable;
mod environment;
mod failure;
mod layout;
mod memory;
mod parking;
mod synchronisation;
mod threads;

use crate::call::Called;
use crate::function::FunctionInfo;
use crate::thread::{Cursor, Flow, Walk};

pub(crate) use callable::{Callables, nearest, referred_to};
pub(crate) use environment::counts_processors;
pub(crate) use linkage::names::{called_once as shim_of, shown};

use linkage::names;

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
        self.amounts_apart(cursor, called, Some(&path))
            .or_else(|| self.rust_failure(cursor, called, &path))
            .or_else(|| self.rust_threads(cursor, called, name, &path))
            .or_else(|| self.rust_synchronisation(cursor, called, &path))
            .or_else(|| self.rust_memory(cursor, called, &path))
            .or_else(|| self.rust_environment(cursor, called, name, &path, has_body))
    }
}
