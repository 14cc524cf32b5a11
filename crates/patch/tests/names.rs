//! Fences and orders in the names that a text knows, and fences that are there made stronger.

use patch::{Change, Edition, FenceOrder, FenceText, Language, Refusal, edit};

const RUST: Language = Language::Rust(Edition::UpTo2021);

/// A fence behind `x;`, which stands once in the text.
fn fenced(text: &str, language: Language, order: FenceOrder) -> String {
    let at = text.find("x;").expect("a statement") + 2;
    let change = Change::FenceAfter(at, FenceText::Language(order));
    let changed = edit(text, language, &[change]).expect("there is a place");
    let line = changed.lines().find(|line| line.contains("x;")).expect("the statement is there");
    let behind = &line[line.find("x;").expect("it is there") + 2..];
    behind.trim().trim_end_matches('}').trim().to_owned()
}

#[test]
fn rust_uses_what_is_imported() {
    let table = [
        ("use std::sync::atomic::{AtomicU32, Ordering, fence};", "fence(Ordering::SeqCst);"),
        ("use core::sync::atomic::{fence, Ordering::*};", "fence(SeqCst);"),
        ("use std::sync::atomic::{fence, Ordering::{self, SeqCst}};", "fence(SeqCst);"),
        (
            "use std::sync::atomic::{AtomicU32, Ordering};",
            "std::sync::atomic::fence(Ordering::SeqCst);",
        ),
        ("use std::sync::atomic;", "atomic::fence(atomic::Ordering::SeqCst);"),
        ("use std::sync::atomic::{self, Ordering};", "atomic::fence(Ordering::SeqCst);"),
        ("use std::sync::atomic::*;", "fence(Ordering::SeqCst);"),
        ("use std::sync::{self, Arc};", "sync::atomic::fence(sync::atomic::Ordering::SeqCst);"),
        ("use crate::sync::atomic::{fence, Ordering};", "fence(Ordering::SeqCst);"),
        ("use std::sync::atomic::{fence as barrier, Ordering as O};", "barrier(O::SeqCst);"),
        // Another `Ordering`, and names of another module.
        (
            "use std::cmp::Ordering;",
            "std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);",
        ),
        (
            "mod inner { use std::sync::atomic::{fence, Ordering}; }",
            "std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);",
        ),
    ];
    for (imports, fence) in table {
        let text = format!("{imports}\nfn f() {{ x; }}\n");
        assert_eq!(fenced(&text, RUST, FenceOrder::SeqCst), fence, "{imports}");
    }
    let inside = "fn f() { use std::sync::atomic::{fence, Ordering}; x; }\n";
    assert_eq!(fenced(inside, RUST, FenceOrder::SeqCst), "fence(Ordering::SeqCst);");
    let hidden = "use std::sync::atomic::{fence, Ordering};\nfn f() { let fence = 1; x; }\n";
    assert_eq!(
        fenced(hidden, RUST, FenceOrder::SeqCst),
        "std::sync::atomic::fence(Ordering::SeqCst);"
    );
}

#[test]
fn c_uses_the_family_that_is_there() {
    let table = [
        (
            "#include <stdatomic.h>\n",
            FenceOrder::SeqCst,
            "atomic_thread_fence(memory_order_seq_cst);",
        ),
        (
            "int get(int *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }\n",
            FenceOrder::AcqRel,
            "__atomic_thread_fence(__ATOMIC_ACQ_REL);",
        ),
        ("", FenceOrder::Release, "atomic_thread_fence(memory_order_release);"),
    ];
    for (before, order, fence) in table {
        let text = format!("{before}void f(void) {{ x; }}\n");
        assert_eq!(fenced(&text, Language::C, order), fence, "{before}");
    }
}

#[test]
fn fences_become_sequentially_consistent() {
    let use_all = "use std::sync::atomic::{fence, Ordering::{self, *}};\n";
    let table = [
        (RUST, "fence(Ordering::AcqRel)", Ok("fence(Ordering::SeqCst)")),
        (
            RUST,
            "atomic::fence(atomic::Ordering::Release)",
            Ok("atomic::fence(atomic::Ordering::SeqCst)"),
        ),
        (RUST, "fence(Acquire)", Ok("fence(SeqCst)")),
        (RUST, "fence(order)", Err(Refusal::UnknownOrder)),
        (RUST, "fence(Ordering::SeqCst)", Err(Refusal::UnknownOrder)),
        (RUST, "x.load(Ordering::Acquire)", Err(Refusal::NotAFence)),
        (RUST, "m!(fence(Ordering::AcqRel))", Err(Refusal::MacroArgument)),
        (
            Language::C,
            "atomic_thread_fence(memory_order_acq_rel)",
            Ok("atomic_thread_fence(memory_order_seq_cst)"),
        ),
        (
            Language::C,
            "__atomic_thread_fence(__ATOMIC_RELEASE)",
            Ok("__atomic_thread_fence(__ATOMIC_SEQ_CST)"),
        ),
    ];
    for (language, before, after) in table {
        let (head, tail) = match language {
            Language::C => ("void f(void) { ", "; }\n"),
            Language::Rust(_) => ("fn f() { ", "; }\n"),
        };
        let head = if language == RUST { format!("{use_all}{head}") } else { head.to_owned() };
        let text = format!("{head}{before}{tail}");
        let at = head.len() + before.find("fence").unwrap_or(0);
        let changed = edit(&text, language, &[Change::StrengthenFence(at)]);
        let expected = after
            .map(|after| format!("{head}{after}{tail}"))
            .map_err(|refusal| vec![(at, refusal)]);
        assert_eq!(changed, expected, "{before}");
    }
}
