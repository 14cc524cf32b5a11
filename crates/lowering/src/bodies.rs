//! Library functions that have a body here: what they do is written in C (`bodies/*.c`), of which clang made LLVM's
//! language, and becomes part of a program like the program's own functions.
//!
//! Strings are read and written byte by byte, wherever they are. Floating-point arithmetic is done with integers
//! ([`crate::step`]): the model has no other values, and integers say exactly what IEEE 754 demands.
//!
//! The files `bodies/*.ll` are made by
//! `clang -S -emit-llvm -O1 -fno-builtin -ffreestanding -fno-vectorize -fno-slp-vectorize -fno-unroll-loops`;
//! a test compares what they do with what this machine does.

use std::sync::LazyLock;

use llvm::{Layout, Module};

static MODULES: LazyLock<[Module; 2]> = LazyLock::new(|| {
    [include_str!("bodies/strings.ll"), include_str!("bodies/floats.ll")]
        .map(|text| llvm::parse(text).expect("a test parses it"))
});

/// The modules of these functions.
pub(crate) fn modules() -> &'static [Module] {
    &*MODULES
}

/// Whether a function can be part of a program: those that know pointers know them with 64 bits.
pub(crate) fn fits(name: &str, program: &[Module]) -> bool {
    let is_wide = |module: &Module| Layout::new(&module.data_layout).pointer_size(0) == 8;
    name.starts_with("fencewright_float_") || program.iter().all(is_wide)
}
