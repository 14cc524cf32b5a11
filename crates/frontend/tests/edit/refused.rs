//! Changes that cannot be made, and what is said about them.

use std::fmt::Write;

use expect_test::{Expect, expect};
use frontend::Language;
use frontend::edit::Change;
use program::index::Idx;
use program::{FenceKind, InsertionPoint, SourceId};

use super::shown::{At, changes};
use super::{FULL, changed};

fn check(language: Language, text: &str, places: &[At<'_>], expected: &Expect) {
    let errors = changed(language, text, &changes(text, places)).expect_err("refused");
    let mut lines = String::new();
    for error in errors {
        let piece = &text[error.span.start as usize..error.span.end as usize];
        let help = error.help.map_or_else(String::new, |help| format!(" ({help})"));
        let _ = writeln!(lines, "{piece}: {}{help}", error.message);
    }
    expected.assert_eq(&lines);
}

#[test]
fn fw() {
    let text = "shared x\nthread t { local r, s; x = 1; r = 1; r = xchg(x, r); s = cas(x, 1, 2)
  store(x, 1, seq_cst); fence }\nexists t.r == 0\n";
    let places = [
        At::After("x = "),
        At::Before("1; r"),
        At::Lock("r = 1"),
        At::Lock("store(x, 1, seq_cst)"),
        At::Remove("x = 1"),
        At::Unlock("x = 1"),
        At::Unlock("r = xchg(x, r)"),
        At::Unlock("s = cas(x, 1, 2)"),
    ];
    check(
        Language::Fw,
        text,
        &places,
        &expect![[r#"
            x = 1: this is no fence, so it cannot be removed as one
            r = 1: this is no ordinary store, so it cannot be made a locked one (put a fence after it instead)
            store(x, 1, seq_cst): this is no ordinary store, so it cannot be made a locked one (put a fence after it instead)
            x = 1: this is no locked store, so it cannot be made an ordinary one (one is `store(x, e, seq_cst)`, or an `xchg(x, e)` whose result is not used)
            r = xchg(x, r): the result of this exchange is used: `r` (an ordinary store reads nothing; keep the exchange)
            s = cas(x, 1, 2): this is no locked store, so it cannot be made an ordinary one (one is `store(x, e, seq_cst)`, or an `xchg(x, e)` whose result is not used)
            : no fence can be put here (a fence goes before or after a whole statement)
            : no fence can be put here (a fence goes before or after a whole statement)
        "#]],
    );
}

#[test]
fn litmus() {
    let text = "X86 t\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n INC [x] | XCHG [x],EDI ;
 ADD EAX,EBX | LOCK ADD [x],$1 ;\n ADD ECX,EDX | MOV EAX,[y] ;\n ADD ESI,EDI | ;\nexists (1:EDI=0)\n";
    let places = [
        At::After("MOV [x]"),
        At::Before("$1"),
        At::Lock("MOV [x],$1"),
        At::Lock("INC [x]"),
        At::Lock("MOV EAX,[y]"),
        At::Remove("INC [x]"),
        At::Unlock("XCHG [x],EDI"),
        At::Unlock("LOCK ADD [x],$1"),
    ];
    check(
        Language::Litmus,
        text,
        &places,
        &expect![[r#"
        INC [x]: this is no fence, so it cannot be removed as one
        MOV [x],$1: an exchange needs a register, and this thread uses them all (put a fence after the store instead)
        INC [x]: this is no ordinary store, so it cannot be made a locked one (only `MOV` can become an exchange; put a fence after it instead)
        MOV EAX,[y]: this is no ordinary store, so it cannot be made a locked one (only `MOV` can become an exchange; put a fence after it instead)
        XCHG [x],EDI: the result of this exchange is used: `EDI` (an ordinary store reads nothing; keep the exchange)
        LOCK ADD [x],$1: this is no locked store, so it cannot be made an ordinary one (only `XCHG` can become a `MOV`)
        : no fence can be put here (a fence goes before or after a whole statement)
        : no fence can be put here (a fence goes before or after a whole statement)
    "#]],
    );
}

#[test]
fn steps() {
    let text = "thread t initial a\ntransition a b lock\ntransition b c write 1 1
transition c d read r 1\ntransition d e unlock\ntransition e a write 2 1\nend\n";
    let places = [
        At::After("transition a"),
        At::Lock("transition b c write 1 1"),
        At::Lock("transition a b lock"),
        At::Remove("transition a b lock"),
        At::Unlock("transition b c write 1 1"),
        At::Unlock("transition e a write 2 1"),
    ];
    check(
        Language::Trencher,
        text,
        &places,
        &expect![[r#"
        transition a b lock: this is no fence, so it cannot be removed as one
        : no fence can be put here (a fence goes before or after a whole statement)
        transition b c write 1 1: this is no locked store, so it cannot be made an ordinary one (a locked store stands alone between `lock` and `unlock`)
        transition e a write 2 1: this is no locked store, so it cannot be made an ordinary one (a locked store stands alone between `lock` and `unlock`)
        transition a b lock: this is no ordinary store, so it cannot be made a locked one (put a fence after it instead)
        transition b c write 1 1: this store may stand in a locked section already (`unlock` waits until all stores before it have reached memory)
    "#]],
    );
    let text = "program p vars x procs process p init a begin a: x = 1; goto b
b: arw(x, 1, 2); goto c end";
    let places = [At::Lock("a: x = 1; goto b"), At::Unlock("b: arw(x, 1, 2); goto c")];
    check(
        Language::Esop15,
        text,
        &places,
        &expect![[r#"
        a: x = 1; goto b: this syntax has no store that waits for the store buffer (put a fence after the store instead)
        b: arw(x, 1, 2); goto c: this is no locked store, so it cannot be made an ordinary one
    "#]],
    );
}

#[test]
fn kinds() {
    use FenceKind::{Acquire, Lightweight, Release, StoreStore};
    let x86 = "X86 t\n{ }\n P0 ;\n MOV [x],$1 ;\n MOV EAX,[y] ;\nexists (x=1)\n";
    let power = "PPC t\n{ 0:r1=x; }\n P0 ;\n li r0,1 ;\n stw r0,0(r1) ;\nexists (x=1)\n";
    let arm = "ARM t\n{ 0:R1=x; }\n P0 ;\n MOV R0,#1 ;\n STR R0,[R1] ;\nexists (x=1)\n";
    let trencher = "thread t initial a\ntransition a b write 1 1\ntransition b a mfence\nend\n";
    let esop13 = "program p thread t init a begin a: mem[x] <- 1; goto b end";
    let esop15 = "program p vars x procs process p init a begin a: x = 1; goto b end";
    for (language, text, places, expected) in [
        (
            Language::Litmus,
            x86,
            vec![
                At::KindAfter("MOV [x],$1", Acquire),
                At::KindAfter("MOV [x],$1", StoreStore),
                At::KindBefore("MOV [x],$1", Release),
            ],
            expect![[r#"
                : X86 has no fence of the kind `release` (it has fences of these kinds: `full`, `store_store`, `load_load`)
                : X86 has no fence of the kind `acquire` (it has fences of these kinds: `full`, `store_store`, `load_load`)
            "#]],
        ),
        (
            Language::Litmus,
            power,
            vec![At::KindAfter("stw r0,0(r1)", Release)],
            expect![[r#"
            : PPC has no fence of the kind `release` (it has fences of these kinds: `full`, `lightweight`, `store_store`, `control`)
        "#]],
        ),
        (
            Language::Litmus,
            arm,
            vec![At::KindAfter("STR R0,[R1]", Acquire)],
            expect![[r#"
            : ARM has no fence of the kind `acquire` (it has fences of these kinds: `full`, `store_store`, `control`)
        "#]],
        ),
        (
            Language::Trencher,
            trencher,
            vec![
                At::KindAfter("transition a b write 1 1", StoreStore),
                At::Remove("transition b a mfence"),
                At::KindAfter("transition b a mfence", Lightweight),
            ],
            expect![[r#"
                : Trencher's language has no fence of the kind `store_store` (it has fences of these kinds: `full`)
                : Trencher's language has no fence of the kind `lightweight` (it has fences of these kinds: `full`)
            "#]],
        ),
        (
            Language::Esop13,
            esop13,
            vec![At::KindAfter("a: mem[x] <- 1; goto b", Acquire)],
            expect![[r#"
                : the syntax of ESOP'13 has no fence of the kind `acquire` (it has fences of these kinds: `full`)
            "#]],
        ),
        (
            Language::Esop15,
            esop15,
            vec![At::KindAfter("a: x = 1; goto b", Acquire)],
            expect![[r#"
            : the syntax of ESOP'15 has no fence of the kind `acquire` (it has fences of these kinds: `full`)
        "#]],
        ),
    ] {
        check(language, text, &places, &expected);
    }
}

#[test]
fn another_text_and_a_wrong_one() {
    let point = InsertionPoint { source: SourceId::new(1), offset: 0 };
    let errors = changed(Language::Fw, "thread t { }", &[Change::FenceAfter(point, FULL)]);
    assert_eq!(errors.expect_err("refused").len(), 1);
    for language in Language::ALL {
        assert!(changed(language, "thread X86 {", &[]).is_err(), "{language:?}");
    }
}

#[test]
fn no_change_changes_nothing() {
    for language in Language::ALL {
        for text in super::texts::texts(language) {
            assert_eq!(changed(language, &text, &[]).as_ref(), Ok(&text));
        }
    }
}
