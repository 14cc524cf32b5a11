//! How a fence is written.

use crate::imports;
use crate::language::{Edition, Language};
use crate::syntax::{Syntax, children};
use crate::tree::Node;

/// What is written for one fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FenceText {
    /// A fence of the language: C11's `atomic_thread_fence`, Rust's `sync::atomic::fence`.
    Language(FenceOrder),
    /// A fence of the machine as inline assembly: `mfence`, `dmb ishst`, `lwsync`, `fence w,w`.
    Instruction(&'static str),
}

/// The order of a fence of the language. There are no relaxed ones: in C they do nothing, in Rust
/// they panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FenceOrder {
    /// `memory_order_seq_cst`, `Ordering::SeqCst`.
    SeqCst,
    /// `memory_order_acq_rel`, `Ordering::AcqRel`.
    AcqRel,
    /// `memory_order_acquire`, `Ordering::Acquire`.
    Acquire,
    /// `memory_order_release`, `Ordering::Release`.
    Release,
}

impl FenceOrder {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::SeqCst, Self::AcqRel, Self::Acquire, Self::Release];

    const fn in_c(self) -> &'static str {
        match self {
            Self::SeqCst => "memory_order_seq_cst",
            Self::AcqRel => "memory_order_acq_rel",
            Self::Acquire => "memory_order_acquire",
            Self::Release => "memory_order_release",
        }
    }

    const fn in_rust(self) -> &'static str {
        match self {
            Self::SeqCst => "SeqCst",
            Self::AcqRel => "AcqRel",
            Self::Acquire => "Acquire",
            Self::Release => "Release",
        }
    }
}

impl FenceText {
    /// The full fence of the language.
    pub const SEQ_CST: Self = Self::Language(FenceOrder::SeqCst);
    /// The full fence of x86.
    pub const MFENCE: Self = Self::Instruction("mfence");

    /// A fence as it stands at an offset of a text, in names that are known there: in C a statement, in Rust an
    /// expression of type `()`.
    pub(crate) fn in_text(self, syntax: &Syntax, at: usize) -> String {
        match (self, syntax.language()) {
            (Self::Language(order), Language::C) => match Atomics::of(syntax.text()) {
                Atomics::Header => format!("atomic_thread_fence({});", order.in_c()),
                Atomics::Builtin => {
                    let order = order.in_c().trim_start_matches("memory_order_");
                    format!("__atomic_thread_fence(__ATOMIC_{});", order.to_ascii_uppercase())
                }
            },
            (Self::Instruction(code), Language::C) => {
                format!("__asm__ __volatile__(\"{code}\" ::: \"memory\");")
            }
            (Self::Language(order), Language::Rust(Edition::UpTo2021 | Edition::From2024)) => {
                let fence = imports::spelled(syntax, at, &["fence"]);
                let order = imports::spelled(syntax, at, &["Ordering", order.in_rust()]);
                format!("{fence}({order})")
            }
            (Self::Instruction(code), Language::Rust(Edition::UpTo2021 | Edition::From2024)) => {
                let library = library(syntax.text());
                format!(
                    "unsafe {{ {library}::arch::asm!(\"{code}\", options(nostack, preserves_flags)) }}"
                )
            }
        }
    }
}

/// Where a C text has its atomics from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atomics {
    /// `<stdatomic.h>`.
    Header,
    /// The compiler's `__atomic_…`.
    Builtin,
}

impl Atomics {
    /// What a text uses; the header if it uses nothing yet.
    pub(crate) fn of(text: &str) -> Self {
        let uses = |word: &str| {
            text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word))
        };
        let header = text.lines().any(includes_atomics) || uses("atomic_thread_fence(memory_order");
        if !header && uses("__atomic_") { Self::Builtin } else { Self::Header }
    }
}

/// Whether a piece of assembly is one instruction, and that a fence: any that can be put in, of any
/// machine.
pub(crate) fn is_instruction(code: &str) -> bool {
    let mut instructions = code.split([';', '\n']).map(str::trim).filter(|it| !it.is_empty());
    let (Some(only), None) = (instructions.next(), instructions.next()) else { return false };
    let (mnemonic, operands) = only.split_once(char::is_whitespace).unwrap_or((only, ""));
    let operands = operands.trim();
    match mnemonic.to_ascii_lowercase().as_str() {
        // x86, Power, RISC-V.
        "mfence" | "sfence" | "lfence" | "hwsync" | "lwsync" | "eieio" | "isync" | "fence.tso"
        | "fence.i" => operands.is_empty(),
        // Arm says what is ordered in a word, RISC-V in two, and Power, if at all, in a number.
        "dmb" | "dsb" | "isb" | "fence" | "sync" => {
            operands.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ',' | ' ' | '#'))
        }
        _ => false,
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
