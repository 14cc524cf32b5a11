//! Allocation: the functions that the allocating code of the standard library ends in.

use program::{BinaryOp, Expr, Instruction, Order, Value};

use crate::Lifetimes;
use crate::call::Called;
use linkage::names;

use crate::library::rust::layout;
use crate::thread::{Cursor, Flow, Limit, NOT_AN_ARGUMENT, Walk};
use crate::value::{self, Val};

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
            "__rustc::__rust_alloc_zeroed" => {
                let size = self.argument(cursor, called, 0);
                self.allocate_zeroed(cursor, &size, called)
            }
            "__rustc::__rust_alloc" => {
                let size = self.argument(cursor, called, 0);
                self.allocate_unwritten(cursor, &size, |walk, cursor, address| {
                    walk.define(cursor, called.result, address);
                })
            }
            "__rustc::__rust_realloc" => {
                let old = self.argument(cursor, called, 0);
                let old_size = self.argument(cursor, called, 1);
                let size = self.argument(cursor, called, 3);
                self.allocate_unwritten(cursor, &size, |walk, cursor, address| {
                    walk.copy(cursor, &address, &old, &old_size);
                    walk.free_memory(cursor, &old);
                    walk.define(cursor, called.result, address);
                })
            }
            "__rustc::__rust_dealloc" => {
                let pointer = self.argument(cursor, called, 0);
                self.free_memory(cursor, &pointer);
                Flow::Next
            }
            "alloc::raw_vec::RawVecInner::deallocate" => {
                self.give_back_list(cursor, called);
                Flow::Next
            }
            path if path.starts_with("__rustc::__rust_no_alloc_shim") => Flow::Next,
            "std::panicking::panic_count::is_zero_slow_path" => {
                self.define(cursor, called.result, Val::constant(1));
                Flow::Next
            }
            "alloc::raw_vec::RawVecInner::grow_amortized" => {
                let grown = self.grown_by_arguments(cursor, called);
                return self.grow(cursor, grown, &|walk, cursor| {
                    let done = Val::Aggregate(vec![Val::constant(NO_ERROR), Val::Undefined]);
                    walk.define(cursor, called.result, done);
                });
            }
            "alloc::raw_vec::RawVecInner::reserve::do_reserve_and_handle" => {
                let grown = self.grown_by_arguments(cursor, called);
                return self.grow(cursor, grown, &|_, _| {});
            }
            // Of these the standard library has compiled those for bytes once and for all.
            "alloc::raw_vec::RawVec::grow_one" => {
                let element = element_size(called)?;
                let list = self.argument(cursor, called, 0);
                let (more, element) = (Val::constant(1), Val::constant(element));
                let grown = Grown { list, length: None, more, element };
                return self.grow(cursor, grown, &|_, _| {});
            }
            "alloc::vec::Vec::reserve" => {
                let element = element_size(called)?;
                let list = self.argument(cursor, called, 0);
                let (buffer, length) = self.vector_layout(cursor, called)?;
                let length = self.moved(&list, length);
                let length = self.load_bytes(cursor, None, 3, &length, 8, Order::Plain);
                let grown = Grown {
                    list: self.moved(&list, buffer),
                    length: Some(length),
                    more: self.argument(cursor, called, 1),
                    element: Val::constant(element),
                };
                return self.grow(cursor, grown, &|_, _| {});
            }
            "alloc::raw_vec::RawVecInner::try_allocate_in" => {
                return self.allocate_list(cursor, called);
            }
            _ => return None,
        })
    }

    /// A list that is made longer as its arguments say: what it is (capacity and pointer), its length, how
    /// many more, alignment and size of its elements.
    fn grown_by_arguments(&mut self, cursor: &Cursor, called: &Called<'_>) -> Grown {
        Grown {
            list: self.argument(cursor, called, 0),
            length: Some(self.argument(cursor, called, 1)),
            more: self.argument(cursor, called, 2),
            element: self.argument(cursor, called, 4),
        }
    }

    /// Makes room in a list, if there is not enough. How long it is may not be known: then there is a way
    /// for each length that is likely.
    fn grow(
        &mut self,
        cursor: &mut Cursor,
        grown: Grown,
        then: &dyn Fn(&mut Self, &mut Cursor),
    ) -> Option<Flow> {
        let Grown { list, length, more, element } = grown;
        let layout = self.list_layout(cursor)?;
        let places = Places {
            capacity: self.moved(&list, layout.capacity),
            pointer: self.moved(&list, layout.pointer),
        };
        let capacity = self.load_bytes(cursor, None, 1, &places.capacity, 8, Order::Plain);
        let mut numbers = vec![element, more, capacity];
        numbers.extend(length);
        let known: Vec<Value> = numbers.iter().filter_map(Val::as_constant).collect();
        if known.len() == numbers.len() {
            return Some(self.grow_to(cursor, &places, &known, then));
        }
        let mut ways = vec![(Vec::new(), cursor.clone())];
        for (number, which) in numbers.into_iter().zip(NOT_AN_ARGUMENT..) {
            for (so_far, mut way) in std::mem::take(&mut ways) {
                let with = |value| {
                    let mut longer: Vec<Value> = Vec::clone(&so_far);
                    longer.push(value);
                    longer
                };
                if let Some(value) = number.as_constant() {
                    ways.push((with(value), way));
                    continue;
                }
                let number = self.expr(&way, number.clone());
                let amounts = self.each_amount(&mut way, &number, which);
                ways.extend(amounts.into_iter().map(|(value, taken)| (with(value), taken)));
                self.give_up(&mut way, Limit::Amount);
            }
        }
        for (known, mut way) in ways {
            match self.grow_to(&mut way, &places, &known, then) {
                Flow::Next => {
                    way.known.frame.index += 1;
                    self.set_aside(way);
                }
                Flow::Jump(_) | Flow::Moved | Flow::Over => {}
            }
        }
        Some(Flow::Over)
    }

    /// Makes room in a list: the size of its elements, how many more are to fit in, its capacity, and its
    /// length if it is not full.
    fn grow_to(
        &mut self,
        cursor: &mut Cursor,
        places: &Places,
        numbers: &[Value],
        then: &dyn Fn(&mut Self, &mut Cursor),
    ) -> Flow {
        let (size, more, capacity, length) = match *numbers {
            [size, more, capacity, length] => (size, more, capacity, length),
            [size, more, capacity] => (size, more, capacity, capacity),
            _ => return Flow::Over,
        };
        if capacity - length >= more {
            then(self, cursor);
            return Flow::Next;
        }
        let least = if size == 1 { 8 } else { 4 };
        let grown = (2 * capacity).max(length + more).max(least);
        let old = self.load_bytes(cursor, None, 2, &places.pointer, 8, Order::Plain);
        self.allocate_unwritten(cursor, &Val::constant(grown * size), |walk, cursor, address| {
            if capacity > 0 {
                walk.copy(cursor, &address, &old, &Val::constant(capacity * size));
                walk.free_memory(cursor, &old);
            }
            walk.store_bytes(cursor, &places.pointer, 8, address, Order::Plain);
            walk.store_bytes(cursor, &places.capacity, 8, Val::constant(grown), Order::Plain);
            then(walk, cursor);
        })
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
        Some(self.allocate_unwritten(cursor, &bytes, |walk, cursor, address| {
            walk.store_bytes(cursor, &pointer_at, 8, address, Order::Plain);
        }))
    }

    /// Gives the memory of a list back, if it has any: what it is, alignment and size of its elements.
    fn give_back_list(&mut self, cursor: &mut Cursor, called: &Called<'_>) {
        let size = self.argument(cursor, called, 2).as_constant();
        let (Some(layout), false) = (self.list_layout(cursor), size == Some(0)) else { return };
        if self.world.environment.lifetimes == Lifetimes::Ignored {
            return;
        }
        let list = self.argument(cursor, called, 0);
        let capacity = self.moved(&list, layout.capacity);
        let capacity = self.load_bytes(cursor, None, 1, &capacity, 8, Order::Plain);
        let capacity = self.expr(cursor, capacity);
        let is_empty = value::fold(Expr::binary(BinaryOp::Eq, capacity, Expr::Const(0)));
        if is_empty == Expr::Const(1) {
            return;
        }
        let nothing = match is_empty {
            Expr::Const(_) => None,
            Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {
                let nothing = self.branch(cursor, is_empty.clone());
                self.emit(cursor, Instruction::Assume(is_empty.negated()));
                Some(nothing)
            }
        };
        let pointer = self.moved(&list, layout.pointer);
        let pointer = self.load_bytes(cursor, None, 2, &pointer, 8, Order::Plain);
        self.free_memory(cursor, &pointer);
        if let Some(nothing) = nothing {
            self.meet(cursor, &nothing);
        }
    }

    /// Where the buffer and the length of a `Vec` are.
    fn vector_layout(&self, cursor: &Cursor, called: &Called<'_>) -> Option<(u64, u64)> {
        let module = cursor.known.frame.function.module;
        let metadata = &self.world.linked.module(module).metadata;
        let name = llvm::demangled(called.name)?;
        let vector = format!("Vec<{}, alloc::alloc::Global>", names::arguments_of_type(&name)?);
        let field = |field| layout::field(metadata, &vector, field);
        Some((field("buf")?, field("len")?))
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

/// A list that becomes longer.
struct Grown {
    /// Where its capacity and its pointer are.
    list: Val,
    /// How many elements it has; without, as many as fit in.
    length: Option<Val>,
    /// How many more are to fit in.
    more: Val,
    /// The size of an element.
    element: Val,
}

/// The size of the elements of the list that a method is called for, if they are numbers.
fn element_size(called: &Called<'_>) -> Option<Value> {
    let name = llvm::demangled(called.name)?;
    Some(match names::arguments_of_type(&name)? {
        "u8" | "i8" | "bool" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" | "char" => 4,
        "u64" | "i64" | "usize" | "isize" => 8,
        _ => return None,
    })
}

/// Where the capacity and the pointer of a list are.
struct Places {
    capacity: Val,
    pointer: Val,
}

/// Where the parts of a `RawVecInner` are.
struct ListLayout {
    capacity: u64,
    pointer: u64,
}
