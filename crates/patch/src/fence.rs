//! How a fence is written.

use tree_sitter::Node;

use crate::language::{Edition, Language};
use crate::syntax::{Syntax, children};

/// What is written for a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceText {
    /// A sequentially consistent fence of the language: C11's `atomic_thread_fence`, Rust's
    /// `sync::atomic::fence`.
    AtomicThreadFence,
    /// The x86 instruction `mfence` as inline assembly.
    Mfence,
}

impl FenceText {
    /// A fence as it stands in a text: in C a statement, in Rust an expression of type `()`.
    pub(crate) fn in_text(self, syntax: &Syntax) -> String {
        match (self, syntax.language()) {
            (Self::AtomicThreadFence, Language::C) => {
                "atomic_thread_fence(memory_order_seq_cst);".to_owned()
            }
            (Self::Mfence, Language::C) => {
                "__asm__ __volatile__(\"mfence\" ::: \"memory\");".to_owned()
            }
            (Self::AtomicThreadFence, Language::Rust(Edition::UpTo2021 | Edition::From2024)) => {
                let library = library(syntax.text());
                format!("{library}::sync::atomic::fence({library}::sync::atomic::Ordering::SeqCst)")
            }
            (Self::Mfence, Language::Rust(Edition::UpTo2021 | Edition::From2024)) => {
                let library = library(syntax.text());
                format!(
                    "unsafe {{ {library}::arch::asm!(\"mfence\", options(nostack, preserves_flags)) }}"
                )
            }
        }
    }
}

/// Where a Rust text finds atomics. A module of a `no_std` crate does not say that it is one, so
/// `std` is used only where the text does.
pub(crate) fn library(text: &str) -> &'static str {
    let uses = |path: &str| {
        text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(path))
    };
    if uses("std::") && !uses("core::") && !uses("#![no_std]") { "std" } else { "core" }
}

/// Where `#include <stdatomic.h>` goes, and whether a line end must come before it; none if it is
/// there.
///
/// It goes behind the last unconditional `#include`. Without any, it goes behind the comments and
/// definitions at the top: a feature macro like `_GNU_SOURCE` works only before the first header.
pub(crate) fn missing_include(syntax: &Syntax) -> Option<usize> {
    if syntax.text().lines().any(includes_atomics) {
        return None;
    }
    let root = syntax.root();
    let is_code = |node: &Node<'_>| matches!(node.kind(), "function_definition" | "declaration");
    let include = children(root)
        .take_while(|node| !is_code(node))
        .filter(|node| node.kind() == "preproc_include")
        .last();
    let leading = || {
        (0..root.child_count())
            .filter_map(|at| root.child(at))
            .take_while(|node| matches!(node.kind(), "comment" | "preproc_def"))
            .last()
    };
    let end = include.or_else(leading).map_or(0, |node| node.end_byte());
    Some(next_line(syntax.text(), end))
}

fn includes_atomics(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
    directive.is_some_and(|it| it.starts_with("include") && it.contains("<stdatomic.h>"))
}

/// The first line that begins at an offset or later.
fn next_line(text: &str, offset: usize) -> usize {
    if offset == 0 || text[..offset].ends_with('\n') {
        return offset;
    }
    text[offset..].find('\n').map_or(text.len(), |at| offset + at + 1)
}
