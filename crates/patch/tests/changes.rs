//! Tables of changes other than new fences: a text with `$` before a location, and the text after.

mod tools;

use std::collections::BTreeSet;

use patch::{
    Change, Edited, Edition, FenceText, Language, PlaceKind, Refusal, Syntax, edit, edited,
};

const RUST: Language = Language::Rust(Edition::UpTo2021);

type Table<'a> = &'a [(&'a str, Result<&'a str, Refusal>)];

fn check(language: Language, change: fn(usize) -> Change, around: [&str; 2], table: Table<'_>) {
    for (before, expected) in table {
        let marked = format!("{}{before}{}", around[0], around[1]);
        let at = marked.find('$').expect("a mark");
        let text = marked.replacen('$', "", 1);
        let after = edit(&text, language, &[change(at)]);
        let expected = expected
            .map(|text| format!("{}{text}{}", around[0], around[1]))
            .map_err(|refusal| vec![(at, refusal)]);
        assert_eq!(after, expected, "{before}");
    }
}

const C: [&str; 2] = ["#include <stdatomic.h>\nint f(void)\n{\n", "}\n"];
const IN_RUST: [&str; 2] = ["fn f() {\n", "}\n"];

#[test]
fn fences_of_c_are_taken_out() {
    check(
        Language::C,
        Change::RemoveFence,
        C,
        &[
            ("  x;\n  $atomic_thread_fence(memory_order_seq_cst);\n  y;\n", Ok("  x;\n  y;\n")),
            ("  x;\r\n  $__sync_synchronize();\r\n  y;\r\n", Ok("  x;\r\n  y;\r\n")),
            ("  x; $__atomic_thread_fence(__ATOMIC_SEQ_CST); y;\n", Ok("  x; y;\n")),
            ("  $__sync_synchronize(); y;\n", Ok("  y;\n")),
            ("  $__sync_synchronize(); // why\n", Ok("  // why\n")),
            ("  asm volatile(\"$mfence\" ::: \"memory\");\n", Ok("")),
            ("  $__asm__ __volatile__ (\"mfence\\n\\t\");\n", Ok("")),
            ("  asm volatile(\"$DMB ISH\" ::: \"memory\");\n", Ok("")),
            ("  asm volatile(\"$fence rw, w\" ::: \"memory\");\n", Ok("")),
            ("  asm volatile(\"$lwsync; isync\" ::: \"memory\");\n", Err(Refusal::NotAFence)),
            ("  asm volatile(\"$mfence\\n pause\");\n", Err(Refusal::NotAFence)),
            ("  asm volatile(\"$fence.t\");\n", Err(Refusal::NotAFence)),
            ("  asm volatile(\"$mfence eax\");\n", Err(Refusal::NotAFence)),
            ("  $atomic_thread_fence(memory_order_release); y;\n", Ok("  y;\n")),
            ("  $_mm_sfence();\n", Ok("")),
            ("  if (x) $__sync_synchronize();\n", Ok("  if (x) ;\n")),
            ("  while (x) $__sync_synchronize();\n", Ok("  while (x) ;\n")),
            (
                "  switch (x) { case 1: $__sync_synchronize(); }\n",
                Ok("  switch (x) { case 1: ; }\n"),
            ),
            ("end: $__sync_synchronize();\n", Ok("end: ;\n")),
            ("  x, $__sync_synchronize();\n", Err(Refusal::FenceInExpression)),
            ("  asm volatile(\"$lock; incl %0\" : \"+m\"(x));\n", Err(Refusal::NotAFence)),
            ("  $x = 1;\n", Err(Refusal::NotAFence)),
            ("#define MB() $__sync_synchronize()\n", Err(Refusal::MacroDefinition)),
            ("  $MB();\n", Err(Refusal::NotAFence)),
        ],
    );
}

#[test]
fn fences_of_rust_are_taken_out() {
    check(
        RUST,
        Change::RemoveFence,
        IN_RUST,
        &[
            ("    x();\n    $fence(Ordering::SeqCst);\n    y();\n", Ok("    x();\n    y();\n")),
            ("    std::sync::atomic::$fence(SeqCst);\n", Ok("")),
            ("    x();\n    $atomic::fence(SeqCst)\n", Ok("    x();\n")),
            ("    if x { $fence(SeqCst) }\n", Ok("    if x { }\n")),
            (
                "    match x { 1 => $fence(SeqCst), _ => {} }\n",
                Ok("    match x { 1 => {}, _ => {} }\n"),
            ),
            ("    unsafe { $asm!(\"mfence\") };\n", Ok("")),
            ("    unsafe { $asm!(\"dmb ishld\", options(nostack)) };\n", Ok("")),
            ("    unsafe { $asm!(\"nop\") };\n", Err(Refusal::NotAFence)),
            ("    $fence(Ordering::Release);\n", Ok("")),
            ("    unsafe { core::arch::x86_64::$_mm_mfence(); }\n", Ok("")),
            ("    #[cfg(a)]\n    $fence(SeqCst);\n", Err(Refusal::HasAttribute)),
            ("    g($fence(SeqCst));\n", Err(Refusal::FenceInExpression)),
            ("    $compiler_fence(SeqCst);\n", Err(Refusal::NotAFence)),
            ("    macro_rules! m { () => { $fence(SeqCst); } }\n", Err(Refusal::MacroDefinition)),
        ],
    );
}

#[test]
fn stores_of_c_become_release() {
    check(
        Language::C,
        Change::UnlockStore,
        C,
        &[
            (
                "$atomic_store(&x, g(1));\n",
                Ok("atomic_store_explicit(&x, g(1), memory_order_release);\n"),
            ),
            (
                "$atomic_store_explicit(&x, 1, memory_order_seq_cst);\n",
                Ok("atomic_store_explicit(&x, 1, memory_order_release);\n"),
            ),
            (
                "$__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);\n",
                Ok("__atomic_store_n(&x, 1, __ATOMIC_RELEASE);\n"),
            ),
            ("x $= 1;\n", Ok("atomic_store_explicit(&x, 1, memory_order_release);\n")),
            (
                "p->x[i] $= y + 1;\n",
                Ok("atomic_store_explicit(&p->x[i], y + 1, memory_order_release);\n"),
            ),
            (
                "if (a) *p $= 1;\n",
                Ok("if (a) atomic_store_explicit(&*p, 1, memory_order_release);\n"),
            ),
            (
                "$atomic_exchange(&x, 1);\n",
                Ok("atomic_store_explicit(&x, 1, memory_order_release);\n"),
            ),
            (
                "(void)$atomic_exchange_explicit(&x, 1, memory_order_acq_rel);\n",
                Ok("(void)atomic_store_explicit(&x, 1, memory_order_release);\n"),
            ),
            (
                "$__atomic_exchange_n(&x, 1, __ATOMIC_ACQUIRE);\n",
                Ok("__atomic_store_n(&x, 1, __ATOMIC_RELEASE);\n"),
            ),
            (
                "$__sync_lock_test_and_set(&x, 1);\n",
                Ok("__atomic_store_n(&x, 1, __ATOMIC_RELEASE);\n"),
            ),
            ("y = $atomic_exchange(&x, 1);\n", Err(Refusal::ResultUsed)),
            ("y = ({ $atomic_exchange(&x, 1); });\n", Err(Refusal::ResultUsed)),
            ("y = x $= 1;\n", Err(Refusal::ResultUsed)),
            ("x $+= 1;\n", Err(Refusal::NotAStore)),
            ("$SET(x, 1);\n", Err(Refusal::NotAStore)),
            ("$atomic_store_explicit(&x, 1, order);\n", Err(Refusal::UnknownOrder)),
            ("#define M $x = 1\n", Err(Refusal::MacroDefinition)),
        ],
    );
}

#[test]
fn stores_of_c_become_sequentially_consistent() {
    check(
        Language::C,
        Change::LockStore,
        C,
        &[
            (
                "$atomic_store_explicit(&x, 1, memory_order_release);\n",
                Ok("atomic_store_explicit(&x, 1, memory_order_seq_cst);\n"),
            ),
            (
                "$__atomic_store_n(&x, 1, __ATOMIC_RELAXED);\n",
                Ok("__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);\n"),
            ),
            ("x $= 1;\n", Err(Refusal::PlainStore)),
            ("$atomic_store(&x, 1);\n", Err(Refusal::NotAStore)),
            ("$atomic_store_explicit(&x, 1, memory_order_seq_cst);\n", Err(Refusal::UnknownOrder)),
        ],
    );
}

#[test]
fn stores_of_rust() {
    check(
        RUST,
        Change::UnlockStore,
        IN_RUST,
        &[
            ("x.$store(1, Ordering::SeqCst);\n", Ok("x.store(1, Ordering::Release);\n")),
            (
                "x.y().$store(1, atomic::Ordering::SeqCst)\n",
                Ok("x.y().store(1, atomic::Ordering::Release)\n"),
            ),
            ("x.$store(1, SeqCst);\n", Ok("x.store(1, core::sync::atomic::Ordering::Release);\n")),
            (
                "AtomicI32::$store(&x, 1, Ordering::SeqCst);\n",
                Ok("AtomicI32::store(&x, 1, Ordering::Release);\n"),
            ),
            ("x.$swap(1, Ordering::AcqRel);\n", Ok("x.store(1, Ordering::Release);\n")),
            (
                "let _ = x.$swap(1, Ordering::SeqCst);\n",
                Ok("let _ = x.store(1, Ordering::Release);\n"),
            ),
            ("let y = x.$swap(1, Ordering::SeqCst);\n", Err(Refusal::ResultUsed)),
            ("x.$swap(1, Ordering::SeqCst)\n", Err(Refusal::ResultUsed)),
            ("x.$store(1, order);\n", Err(Refusal::UnknownOrder)),
            ("assert!(x.$store(1, SeqCst) == ());\n", Err(Refusal::MacroArgument)),
            ("x.$load(SeqCst);\n", Err(Refusal::NotAStore)),
        ],
    );
    check(
        RUST,
        Change::LockStore,
        IN_RUST,
        &[
            ("x.$store(1, Ordering::Release);\n", Ok("x.store(1, Ordering::SeqCst);\n")),
            ("x.$store(1, Relaxed);\n", Ok("x.store(1, core::sync::atomic::Ordering::SeqCst);\n")),
            ("x.$swap(1, Ordering::Relaxed);\n", Err(Refusal::NotAStore)),
        ],
    );
}

#[test]
fn changes_compose_or_conflict() {
    let text = "#include <stdatomic.h>\nvoid f() { if (a) atomic_store(&x, 1); }\n";
    let store = text.find("atomic_store(").expect("it is there");
    let changes = [
        Change::FenceAfter(text.find("; }").expect("it is there") + 1, FenceText::MFENCE),
        Change::UnlockStore(store),
    ];
    assert_eq!(
        edit(text, Language::C, &changes).as_deref(),
        Ok(
            "#include <stdatomic.h>\nvoid f() { if (a) { atomic_store_explicit(&x, 1, memory_order_release); \
            __asm__ __volatile__(\"mfence\" ::: \"memory\"); } }\n"
        )
    );
    let text = "void f() {\n  __sync_synchronize();\n}\n";
    let fence = text.find("__").expect("it is there");
    let end = text.find(';').expect("it is there") + 1;
    assert_eq!(
        edit(
            text,
            Language::C,
            &[Change::RemoveFence(fence), Change::FenceAfter(end, FenceText::MFENCE)]
        ),
        Err(vec![(end, Refusal::Conflict)])
    );
    assert_eq!(
        edit(
            text,
            Language::C,
            &[
                Change::FenceAfter(3, FenceText::MFENCE),
                Change::FenceAfter(1000, FenceText::SEQ_CST)
            ]
        ),
        Err(vec![(3, Refusal::NoSuchPlace), (1000, Refusal::NoSuchPlace)])
    );
}

/// What is put in behind a statement can be taken out again, and nothing is left of it. Full fences
/// come to each, the others by turns.
#[test]
fn fences_come_and_go() {
    let all = tools::fences();
    let mut others = all.iter().cycle();
    let mut tried = BTreeSet::new();
    for (name, text, language) in tools::TEXTS {
        let places = Syntax::parse(text, *language).places();
        let statements = places.iter().filter(|place| place.kind == PlaceKind::Statement);
        for place in statements.filter(|_| text.contains("stdatomic.h") || *language != Language::C)
        {
            let other = others.next().copied();
            for fence in [FenceText::SEQ_CST, FenceText::MFENCE].into_iter().chain(other) {
                let word = match fence {
                    FenceText::Language(_) => "fence(",
                    FenceText::Instruction(code) => code,
                };
                let change = [Change::FenceAfter(place.point, fence)];
                let with = edit(text, *language, &change).expect("a place");
                let at = with[place.point..].find(word).expect("a fence") + place.point;
                let without = edit(&with, *language, &[Change::RemoveFence(at)]);
                assert_eq!(without.as_deref(), Ok(*text), "{name}, {place:?}, {fence:?}");
                tried.insert((matches!(language, Language::C), fence));
            }
        }
    }
    for fence in all {
        let in_both = [true, false].iter().all(|is_c| tried.contains(&(*is_c, fence)));
        assert!(in_both, "{fence:?}");
    }
}

/// The parts of a text that were inserted, and the text without them.
fn parted(edited: &Edited) -> (Vec<&str>, String) {
    let mut rest = edited.text.clone();
    for range in edited.inserted.iter().rev() {
        rest.replace_range(range.clone(), "");
    }
    (edited.inserted.iter().map(|range| &edited.text[range.clone()]).collect(), rest)
}

#[test]
fn what_was_inserted_is_told() {
    let cases: &[(Language, &str, &[&str])] = &[
        (
            Language::C,
            "void f(void)\n{\n  $x = 1;\n  __sync_synchronize();\n  y = 2;\n}\n",
            &["#include <stdatomic.h>\n", "\n  atomic_thread_fence(memory_order_seq_cst);"],
        ),
        (
            Language::C,
            "#include <stdatomic.h>\nvoid f(void) { while ($x == 0) ; }\n",
            &["({ _Bool fenced = !!(", "); atomic_thread_fence(memory_order_seq_cst); fenced; })"],
        ),
        (
            RUST,
            "fn f() {\n    $x();\n    y();\n}\n",
            &["\n    core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);"],
        ),
    ];
    for (language, marked, inserted) in cases {
        let at = marked.find('$').expect("a mark");
        let text = marked.replacen('$', "", 1);
        let place = Syntax::parse(&text, *language).place_at(at).expect("a place");
        let change = Change::FenceAfter(place.point, FenceText::SEQ_CST);
        let after = edited(&text, *language, &[change]);
        let after = after.expect("a change");
        assert_eq!(parted(&after), (inserted.to_vec(), text.clone()), "{text}");
        // What is taken out, or replaced, is not inserted.
        if let Some(old) = text.find("__sync_synchronize") {
            let after = edited(&text, *language, &[Change::RemoveFence(old)]).expect("a change");
            assert_eq!(parted(&after).0, Vec::<&str>::new());
        }
    }
}
