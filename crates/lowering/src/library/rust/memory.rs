//! Allocation: the functions that the allocating code of the standard library ends in.

use crate::call::Called;
use crate::thread::{Cursor, Flow, Walk};
use crate::value::Val;

impl Walk<'_, '_, '_> {
    pub(crate) fn rust_memory(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        path: &str,
    ) -> Option<Flow> {
        Some(match path {
            "__rustc::__rust_alloc" | "__rustc::__rust_alloc_zeroed" => {
                let size = self.argument(cursor, called, 0);
                self.allocate(cursor, &size, |walk, cursor, address| {
                    walk.define(cursor, called.result, address);
                })
            }
            "__rustc::__rust_realloc" => {
                let old = self.argument(cursor, called, 0);
                let old_size = self.argument(cursor, called, 1);
                let size = self.argument(cursor, called, 3);
                self.allocate(cursor, &size, |walk, cursor, address| {
                    walk.copy(cursor, &address, &old, &old_size);
                    walk.define(cursor, called.result, address);
                })
            }
            // Memory that is given back is not used again.
            "__rustc::__rust_dealloc" | "alloc::raw_vec::RawVecInner::deallocate" => Flow::Next,
            path if path.starts_with("__rustc::__rust_no_alloc_shim") => Flow::Next,
            "std::panicking::panic_count::is_zero_slow_path" => {
                self.define(cursor, called.result, Val::constant(1));
                Flow::Next
            }
            _ => return None,
        })
    }
}
