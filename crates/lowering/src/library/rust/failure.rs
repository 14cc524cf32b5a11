//! Panics and other ends.

use program::{Expr, Failure};

use crate::call::Called;
use crate::thread::{Cursor, Flow, Limit, Walk};
use linkage::names;

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_failure(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        path: &str,
    ) -> Option<Flow> {
        if is_failure(path) {
            if self.is_caught(cursor) {
                let mut after = self.branch(cursor, Expr::Const(1));
                self.give_up(&mut after, Limit::Caught);
            }
            self.end_by_panic(cursor);
            return Some(match reason(path) {
                Some(failure) => self.fail_by(cursor, failure),
                None => self.fail(cursor),
            });
        }
        match path {
            "std::process::exit" => {
                self.shows_arguments(cursor, called);
                Some(self.exit(cursor.clone()))
            }
            _ => None,
        }
    }
}

impl Walk<'_, '_, '_> {
    /// Whether the program goes on after a panic: somebody around it catches panics.
    fn is_caught(&self, cursor: &Cursor) -> bool {
        let mut frame = Some(&cursor.known.frame);
        while let Some(one) = frame {
            let name = llvm::demangled(self.world.linked.name(one.function));
            if name.is_some_and(|name| name.starts_with("std::panic::catch_unwind")) {
                return true;
            }
            frame = one.caller.as_deref();
        }
        false
    }
}

/// Why a function that never returns is called; nothing if that is an assertion.
fn reason(path: &str) -> Option<Failure> {
    let (owner, last) = names::last_two(path);
    Some(match last {
        "panic_const_div_by_zero" | "panic_const_rem_by_zero" => Failure::DivisionByZero,
        "panic_bounds_check" => Failure::OutOfBounds,
        "unwrap_failed" | "expect_failed" => Failure::NoValue,
        // What `assert` calls, and `unreachable`; or `assert_eq` and its like.
        "assert_failed" if owner != "panicking" => Failure::OutOfBounds,
        "panic" | "assert_failed" | "assert_matches_failed" | "abort" => return None,
        _ if last.ends_with("_overflow") || last.contains("overflow_panic") => Failure::Overflow,
        _ if owner == "overflow_panic" => Failure::Overflow,
        _ if owner == "index" && last.ends_with("_fail") => Failure::OutOfBounds,
        _ => Failure::Panic,
    })
}

/// Whether a function never returns because something went wrong.
fn is_failure(path: &str) -> bool {
    if path.starts_with("core::panicking::") {
        return true;
    }
    let (owner, last) = names::last_two(path);
    // What methods of lists have for indices that are out of bounds.
    if last == "assert_failed" {
        return true;
    }
    match owner {
        "option" | "result" => matches!(last, "unwrap_failed" | "expect_failed"),
        "panicking" => matches!(
            last,
            "begin_panic" | "begin_panic_handler" | "panic_fmt" | "rust_panic_with_hook"
        ),
        "panic" => matches!(last, "resume_unwind" | "panic_any"),
        "lazy_lock" => last == "panic_poisoned",
        "process" | "intrinsics" => last == "abort",
        "alloc" => last == "handle_alloc_error",
        "raw_vec" => matches!(last, "handle_error" | "capacity_overflow"),
        "str" => last == "slice_error_fail",
        "index" => last.ends_with("_fail"),
        "local" => last == "panic_access_error",
        "cell" => last.starts_with("panic_"),
        "num" | "impls" => last.ends_with("_panic"),
        _ => false,
    }
}
