//! What a program in Rust finds around itself: time, the environment, output, the thread that it is.
//!
//! Types of Rust do not use all values of their bits, so of what is returned only a truth value may be just
//! any; all else is undecided where it is looked at.
//!
//! A [`Thread`](std::thread::Thread) is a number, not null and different for every thread; it is the
//! thread's `ThreadId` as well.

use llvm::Constant;
use program::{Expr, Order, Value};

use crate::call::Called;
use crate::library::readable;
use crate::outside::{Kind, Source};
use crate::thread::{Cursor, Flow, RegisterKey, WORD, Walk};
use crate::value::{self, Val};
use linkage::Returned;
use linkage::names;

/// The distance between numbers of threads: as if they were addresses.
pub(super) const APART: Value = 16;
/// More processors than these has nobody.
const MOST_PROCESSORS: Value = 1 << 16;
/// The greatest number of a process on Linux.
const LAST_PROCESS: Value = 1 << 22;

/// A handle of a thread, by its number.
pub(super) fn handle_of(number: Expr) -> Expr {
    value::times(number, APART)
}

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_environment(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        name: &str,
        path: &str,
        has_body: bool,
    ) -> Option<Flow> {
        if let Some(flow) = self.parking(cursor, called, path) {
            return Some(flow);
        }
        if let Some(flow) = self.rust_handles(cursor, called, path) {
            return Some(flow);
        }
        match path {
            path if counts_processors(path) => {
                let local = called.result?;
                // `Ok` with a number that is not 0, or an error; if a user says which, it is one of these.
                let stated = self.world.summaries.numbers(called.name);
                if stated.is_some_and(|(low, _)| low < 1) {
                    self.error(
                        cursor,
                        "the number of processors is not 0",
                        "state a range that begins with 1, or more",
                    );
                    return Some(Flow::Over);
                }
                let tags = (0, Value::from(stated.is_none()));
                let tag = self.some_number(cursor, called, (local, 1), tags);
                let range = stated.unwrap_or((1, MOST_PROCESSORS));
                let count = self.some_number(cursor, called, (local, 2), range);
                self.define(cursor, called.result, Val::Aggregate(vec![tag, count]));
                return Some(Flow::Next);
            }
            // The destructor of a variable of this thread.
            "std::sys::thread_local::destructors::linux_like::register"
            | "std::sys::thread_local::destructors::list::register" => {
                let given = self.argument(cursor, called, 0);
                let function = self.argument(cursor, called, 1);
                self.at_end(cursor, function, given);
                return Some(Flow::Next);
            }
            "std::process::id" => {
                let local = called.result?;
                let value = self.some_number(cursor, called, (local, 0), (1, LAST_PROCESS));
                self.define(cursor, called.result, value);
                return Some(Flow::Next);
            }
            "std::env::args" | "std::env::args_os" => {
                self.error(
                    cursor,
                    "what a program in Rust is started with is not known",
                    "use constants in place of arguments for the check",
                );
                return Some(Flow::Over);
            }
            _ => {}
        }
        if is_silent(name, path) {
            if let ("stdio", _) = names::last_two(path) {
                self.shows_arguments(cursor, called);
            }
            return Some(self.quietly(cursor, called));
        }
        (!has_body && is_from_outside(path)).then(|| self.comes_from_outside(cursor, called))
    }

    /// Handles of threads and what is done with them.
    fn rust_handles(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        path: &str,
    ) -> Option<Flow> {
        let value = match names::last_two(path) {
            (
                "current" | "thread" | "id" | "functions",
                "current" | "current_id" | "current_or_unnamed",
            ) if path.starts_with("std::thread::") => Val::Expr(handle_of(self.own_number())),
            // Who has a reference to one finds it there.
            ("Thread", "id") if path.starts_with("std::thread::") => {
                let handle = self.argument(cursor, called, 0);
                self.load_bytes(cursor, called.result, 0, &handle, 8, Order::Plain)
            }
            (_, "clone") if path.starts_with("<std::thread::thread::Thread as ") => {
                let handle = self.argument(cursor, called, 0);
                self.load_bytes(cursor, called.result, 0, &handle, 8, Order::Plain)
            }
            ("JoinHandle" | "ScopedJoinHandle", "thread") if path.starts_with("std::thread::") => {
                self.argument(cursor, called, 0)
            }
            ("Thread", "name") if path.starts_with("std::thread::") => {
                self.error(
                    cursor,
                    "what a thread is called is not known",
                    "do without its name for the check",
                );
                return Some(Flow::Over);
            }
            _ => return None,
        };
        self.define(cursor, called.result, value);
        Some(Flow::Next)
    }

    /// A part of a result that may be any number of a range.
    fn some_number(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        (local, component): (llvm::LocalId, u32),
        range: (Value, Value),
    ) -> Val {
        let label = self.local_name(cursor, local);
        let key = RegisterKey::Local(cursor.known.frame.path, local, component);
        let register = self.register(key, || label, WORD);
        let what = format!("what `{}` returns", readable(called.name)).into();
        self.chosen(cursor, register, Source { what, kind: Kind::Number }, range)
    }

    /// Something comes from outside, as a result or where the first argument says.
    fn comes_from_outside(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        if let Some(local) = called.result {
            let name = readable(called.name);
            let ty = called.call.result_type;
            let value = self.returned(cursor, local, 0, ty, (Returned::Unclear, &name));
            self.define(cursor, called.result, value);
        }
        let is_put_down = called.call.argument_types.iter().any(|(at, _)| *at == 0);
        if is_put_down {
            return self.write_into(cursor, called, &[0], Kind::Unclear, None);
        }
        Flow::Next
    }

    /// Nothing happens that the program can see; what is returned is of no use to anybody.
    pub(super) fn quietly(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Flow {
        let module = cursor.known.frame.function.module;
        let zero = self.world.constant(module, called.call.result_type, &Constant::Zero);
        self.define(cursor, called.result, zero);
        Flow::Next
    }
}

/// Whether a function says how many processors there are, by its path.
pub(crate) fn counts_processors(path: &str) -> bool {
    matches!(
        path,
        "std::thread::functions::available_parallelism" | "std::thread::available_parallelism"
    )
}

/// Functions that do nothing that matters here, and return nothing: output, scheduling.
fn is_silent(name: &str, path: &str) -> bool {
    match names::last_two(path) {
        // A thread's handle holds nothing of the program.
        ("ptr", "drop_in_place") => names::arguments(name).first().is_some_and(|ty| {
            let ty = names::plain(ty);
            ty.starts_with("std::thread::") || ty.starts_with("std::io::")
        }),
        // They set what only the operating system looks at.
        ("Builder", "name" | "stack_size") => path.starts_with("std::thread::"),
        ("functions" | "thread", "yield_now" | "sleep" | "park" | "park_timeout")
        | ("Thread", "park" | "park_timeout" | "unpark")
        | ("hint", "spin_loop")
        | ("stdio", "_print" | "_eprint") => true,
        _ => false,
    }
}

/// Functions without a body that change nothing of the program but what they return.
fn is_from_outside(path: &str) -> bool {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    let is_output = || {
        let (_, last) = names::last_two(path);
        let starts = ["write", "flush", "stdout", "stderr", "lock", "print", "is_terminal"];
        starts.iter().any(|start| last.starts_with(start))
    };
    starts(&["core::fmt::", "alloc::fmt::", "std::env::", "std::time::"])
        || path.contains(" as core::fmt::")
        || (path.contains(" as std::io::") || path.starts_with("std::io::")) && is_output()
        // What the standard library has compiled once and for all holds nothing of the program.
        || path.ends_with(" as core::ops::drop::Drop>::drop")
        || path.ends_with("::drop_slow")
}
