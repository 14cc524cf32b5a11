//! Accesses that get other orders: each text has the expression of one access between `‹` and `›`.

use patch::{AccessOrder, AccessText, Change, Edition, Language, Refusal, Reordered, Syntax, edit};

const C: Language = Language::C;
const RUST: Language = Language::Rust(Edition::UpTo2021);

fn changed(
    text: &str,
    language: Language,
    (access, is_atomic): (AccessText, bool),
    (order, failing): (AccessOrder, Option<AccessOrder>),
) -> Result<String, Refusal> {
    let start = text.find('‹').expect("where it begins");
    let plain = text.replace('‹', "");
    let end = plain.find('›').expect("where it ends");
    let plain = plain.replace('›', "");
    let change = Reordered { start, end, access, is_atomic, order, failing };
    edit(&plain, language, &[Change::Order(change)]).map_err(|refused| refused[0].1)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn orders_are_written() {
    use AccessOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    use AccessText::{Load, Store, Update};
    let cases = [
        // Plain and volatile accesses of C become builtins.
        (
            C,
            Store,
            false,
            Release,
            None,
            "void f(void) { ‹x = 1›; }",
            "void f(void) { __atomic_store_n(&x, 1, __ATOMIC_RELEASE); }",
        ),
        (
            C,
            Store,
            false,
            Release,
            None,
            "void f(int *p) { ‹*p = a + 1›; }",
            "void f(int *p) { __atomic_store_n(p, a + 1, __ATOMIC_RELEASE); }",
        ),
        (
            C,
            Store,
            false,
            SeqCst,
            None,
            "void f(void) { ‹s->next[i] = 0›; }",
            "void f(void) { __atomic_store_n(&s->next[i], 0, __ATOMIC_SEQ_CST); }",
        ),
        (
            C,
            Load,
            false,
            Acquire,
            None,
            "int f(void) { return ‹x› + 1; }",
            "int f(void) { return __atomic_load_n(&x, __ATOMIC_ACQUIRE) + 1; }",
        ),
        (
            C,
            Load,
            false,
            Acquire,
            None,
            "int f(struct s *s) { if (‹s->ready›) return 1; return 0; }",
            "int f(struct s *s) { if (__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE)) return 1; return 0; }",
        ),
        (
            C,
            Load,
            false,
            Acquire,
            None,
            "int f(int *p) { return ‹*p›; }",
            "int f(int *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }",
        ),
        // Orders that are written get another word.
        (
            C,
            Load,
            true,
            Acquire,
            None,
            "int f(void) { return ‹__atomic_load_n(&x, __ATOMIC_RELAXED)›; }",
            "int f(void) { return __atomic_load_n(&x, __ATOMIC_ACQUIRE); }",
        ),
        (
            C,
            Update,
            true,
            AcqRel,
            Some(Acquire),
            "int f(void) { return ‹__atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)›; }",
            "int f(void) { return __atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); }",
        ),
        (
            RUST,
            Load,
            true,
            Acquire,
            None,
            "fn f() -> u32 { ‹X.load(Ordering::Relaxed)› }",
            "fn f() -> u32 { X.load(Ordering::Acquire) }",
        ),
        (
            RUST,
            Store,
            true,
            Release,
            None,
            "fn f() { ‹X.store(1, Ordering::SeqCst)›; }",
            "fn f() { X.store(1, Ordering::Release); }",
        ),
        (
            RUST,
            Update,
            true,
            Release,
            Some(Relaxed),
            "fn f() { let _ = ‹X.compare_exchange(0, 1, Ordering::SeqCst, Ordering::Acquire)›; }",
            "fn f() { let _ = X.compare_exchange(0, 1, Ordering::Release, Ordering::Relaxed); }",
        ),
        (
            RUST,
            Update,
            true,
            Relaxed,
            None,
            "use std::sync::atomic::Ordering::SeqCst;\nfn f() { ‹X.fetch_add(1, SeqCst)›; }",
            "use std::sync::atomic::Ordering::SeqCst;\nfn f() { X.fetch_add(1, std::sync::atomic::Ordering::Relaxed); }",
        ),
        // The access in a chain of methods.
        (
            RUST,
            Load,
            true,
            Acquire,
            None,
            "fn f() -> bool { ‹X.load(Ordering::Relaxed).is_null()› }",
            "fn f() -> bool { X.load(Ordering::Acquire).is_null() }",
        ),
        (
            RUST,
            Update,
            true,
            Release,
            Some(Relaxed),
            "fn f() -> Option<u32> { ‹X.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).ok()?.first› }",
            "fn f() -> Option<u32> { X.compare_exchange(0, 1, Ordering::Release, Ordering::Relaxed).ok()?.first }",
        ),
        // Those that are not written are.
        (
            C,
            Load,
            true,
            Relaxed,
            None,
            "#include <stdatomic.h>\nint f(void) { return ‹atomic_load(&x)›; }",
            "#include <stdatomic.h>\nint f(void) { return atomic_load_explicit(&x, memory_order_relaxed); }",
        ),
        (
            C,
            Store,
            true,
            Release,
            None,
            "#include <stdatomic.h>\nvoid f(void) { ‹x = 1›; }",
            "#include <stdatomic.h>\nvoid f(void) { atomic_store_explicit(&x, 1, memory_order_release); }",
        ),
        (
            C,
            Update,
            true,
            Release,
            None,
            "#include <stdatomic.h>\nvoid f(void) { ‹atomic_fetch_add(&x, 1)›; }",
            "#include <stdatomic.h>\nvoid f(void) { atomic_fetch_add_explicit(&x, 1, memory_order_release); }",
        ),
    ];
    for (language, access, is_atomic, order, failing, text, expected) in cases {
        let found = changed(text, language, (access, is_atomic), (order, failing));
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    use AccessText::{Load, Store, Update};
    let cases = [
        (C, Store, "int f(void) { return ‹x = 1›; }", Refusal::ResultUsed),
        (C, Update, "void f(void) { ‹x++›; }", Refusal::NotAnAccess),
        (C, Load, "int *f(void) { return &‹x›; }", Refusal::NotAnAccess),
        (C, Load, "int f(int o) { return ‹__atomic_load_n(&x, o)›; }", Refusal::UnknownOrder),
        (C, Update, "int f(void) { return ‹__sync_fetch_and_add(&x, 1)›; }", Refusal::NotAnAccess),
        (RUST, Load, "fn f() -> u32 { unsafe { ‹X› } }", Refusal::NotAnAccess),
        (RUST, Load, "fn f() -> u32 { ‹X.load(A).y.load(A)› }", Refusal::NotAnAccess),
        (RUST, Store, "fn f() -> u32 { ‹X.load(A).y()› }", Refusal::NotAnAccess),
    ];
    for (language, access, text, expected) in cases {
        let found = changed(text, language, (access, false), (AccessOrder::SeqCst, None));
        assert_eq!(found, Err(expected), "{text}");
    }
}

/// clang locates the loads of a pointer and of the elements that it leads to at one place, and that of a field at its name.
#[test]
fn loads_are_told_apart_by_their_subscripts() {
    let text = "int f(void) { return p->f[i][j] + q[k] + atomic_load(&r)[m]; }";
    let syntax = Syntax::parse(text, C);
    let cases = [
        ("p->", Some(0), "p"),
        ("p->", Some(1), "p->f[i]"),
        ("p->", Some(2), "p->f[i][j]"),
        ("p->", None, "p->f[i][j]"),
        ("f[i]", Some(0), "p->f"),
        ("q[", Some(0), "q"),
        ("q[", Some(1), "q[k]"),
        ("atomic", Some(0), "atomic_load(&r)"),
        ("atomic", Some(1), "atomic_load(&r)[m]"),
    ];
    for (begin, subscripts, loaded) in cases {
        let at = text.find(begin).expect("where it begins");
        assert_eq!(&text[syntax.loaded_at(at, subscripts)], loaded, "{begin}, {subscripts:?}");
    }
}

#[test]
fn what_is_not_understood_is_not_changed() {
    let text = "void f(void) { x = ‹y› + (a b c); }";
    let load = (AccessText::Load, false);
    let said = changed(text, C, load, (AccessOrder::Acquire, None));
    assert_eq!(said, Err(Refusal::NotAnAccess));
}
