//! Allocation: the functions that the allocating code of the standard library ends in.

use program::{Order, Value};

use crate::call::Called;
use crate::library::rust::layout;
use crate::thread::{Cursor, Flow, Walk};
use crate::value::Val;

/// `Ok(())` as a `Result<(), TryReserveError>`: a capacity that none is.
const NO_ERROR: Value = -0x7fff_ffff_ffff_ffff;

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
            "alloc::raw_vec::RawVecInner::grow_amortized" => {
                return self.grow(cursor, called, |walk, cursor| {
                    let done = Val::Aggregate(vec![Val::constant(NO_ERROR), Val::Undefined]);
                    walk.define(cursor, called.result, done);
                });
            }
            "alloc::raw_vec::RawVecInner::reserve::do_reserve_and_handle" => {
                return self.grow(cursor, called, |_, _| {});
            }
            "alloc::raw_vec::RawVecInner::try_allocate_in" => {
                return self.allocate_list(cursor, called);
            }
            _ => return None,
        })
    }

    /// Makes a list longer: what it is (capacity and pointer), its length, how many more, alignment and
    /// size of its elements.
    fn grow(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        then: impl FnOnce(&mut Self, &mut Cursor),
    ) -> Option<Flow> {
        let list = self.argument(cursor, called, 0);
        let layout = self.list_layout(cursor)?;
        let capacity_at = self.moved(&list, layout.capacity);
        let pointer_at = self.moved(&list, layout.pointer);
        let capacity = self.load_bytes(cursor, None, 1, &capacity_at, 8, Order::Plain);
        let numbers = [
            capacity,
            self.argument(cursor, called, 1),
            self.argument(cursor, called, 2),
            self.argument(cursor, called, 4),
        ];
        let known: Vec<Value> = numbers.iter().filter_map(Val::as_constant).collect();
        let [capacity, length, more, size] = known[..] else {
            self.error(
                cursor,
                "how long this list becomes is not known when the program is read",
                "give it its final capacity at the beginning",
            );
            return Some(Flow::Over);
        };
        let least = if size == 1 { 8 } else { 4 };
        let grown = (2 * capacity).max(length + more).max(least);
        let old = self.load_bytes(cursor, None, 2, &pointer_at, 8, Order::Plain);
        Some(self.allocate(cursor, &Val::constant(grown * size), |walk, cursor, address| {
            if capacity > 0 {
                walk.copy(cursor, &address, &old, &Val::constant(capacity * size));
            }
            walk.store_bytes(cursor, &pointer_at, 8, address, Order::Plain);
            walk.store_bytes(cursor, &capacity_at, 8, Val::constant(grown), Order::Plain);
            then(walk, cursor);
        }))
    }

    /// Makes a new list: where it goes, its capacity, whether it is zeroed, alignment and size of its
    /// elements. It comes behind a word that says that nothing failed.
    fn allocate_list(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let target = self.argument(cursor, called, 0);
        let capacity = self.argument(cursor, called, 1);
        let alignment = self.argument(cursor, called, 3);
        let size = self.argument(cursor, called, 4).as_constant()?;
        let layout = self.list_layout(cursor)?;
        let bytes = capacity.as_constant().map(|capacity| capacity * size);
        let capacity_at = self.moved(&target, 8 + layout.capacity);
        let pointer_at = self.moved(&target, 8 + layout.pointer);
        self.store_bytes(cursor, &target, 8, Val::constant(0), Order::Plain);
        let shown = if size == 0 { Val::constant(0) } else { capacity };
        self.store_bytes(cursor, &capacity_at, 8, shown, Order::Plain);
        if bytes == Some(0) {
            self.store_bytes(cursor, &pointer_at, 8, alignment, Order::Plain);
            return Some(Flow::Next);
        }
        let bytes = bytes.map_or(Val::Inexpressible("a size".into()), Val::constant);
        Some(self.allocate(cursor, &bytes, |walk, cursor, address| {
            walk.store_bytes(cursor, &pointer_at, 8, address, Order::Plain);
        }))
    }

    fn list_layout(&self, cursor: &Cursor) -> Option<ListLayout> {
        let module = cursor.known.frame.function.module;
        let metadata = &self.world.linked.module(module).metadata;
        let list = "RawVecInner<alloc::alloc::Global>";
        Some(ListLayout {
            capacity: layout::field(metadata, list, "cap")?,
            pointer: layout::field(metadata, list, "ptr")?,
        })
    }
}

/// Where the parts of a `RawVecInner` are.
struct ListLayout {
    capacity: u64,
    pointer: u64,
}
