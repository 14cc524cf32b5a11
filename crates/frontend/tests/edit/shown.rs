//! What changed texts look like.

use expect_test::{Expect, expect};
use frontend::Language;
use frontend::edit::Change;
use program::index::Idx;
use program::{FenceKind, InsertionPoint, SourceId, Span};

use super::{FULL, edited};

/// A change at the first place where a piece of text stands.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    Before(&'a str),
    After(&'a str),
    /// A fence that need not be full.
    KindBefore(&'a str, FenceKind),
    KindAfter(&'a str, FenceKind),
    Lock(&'a str),
    Remove(&'a str),
    Unlock(&'a str),
}

pub(super) fn changes(text: &str, places: &[At<'_>]) -> Vec<Change> {
    let source = SourceId::new(0);
    let start = |piece: &str| text.find(piece).unwrap_or_else(|| panic!("no {piece} in {text}"));
    let point = |offset: usize| InsertionPoint {
        source,
        offset: u32::try_from(offset).expect("a short text"),
    };
    let span = |piece: &str| Span::new(source, start(piece)..start(piece) + piece.len());
    let change = |at: &At<'_>| match at {
        At::Before(piece) => Change::FenceBefore(point(start(piece)), FULL),
        At::After(piece) => Change::FenceAfter(point(start(piece) + piece.len()), FULL),
        At::KindBefore(piece, kind) => Change::FenceBefore(point(start(piece)), *kind),
        At::KindAfter(piece, kind) => Change::FenceAfter(point(start(piece) + piece.len()), *kind),
        At::Lock(piece) => Change::LockStore(span(piece)),
        At::Remove(piece) => Change::RemoveFence(span(piece)),
        At::Unlock(piece) => Change::UnlockStore(span(piece)),
    };
    places.iter().map(change).collect()
}

pub(super) fn check(language: Language, text: &str, places: &[At<'_>], expected: &Expect) {
    expected.assert_eq(&edited(language, text, &changes(text, places)));
}

const PETERSON: &str = "\
// Peterson's mutual exclusion.
shared flag[2], turn

thread p[i in 0..2] {
  loop {
    flag[i] = 1 // I want to
    turn = 1 - i   // after you
    while flag[1 - i] == 1 && turn == 1 - i { }
    critical: skip
    flag[i] = 0
  }
}
";

#[test]
fn fw() {
    let places = [
        At::After("turn = 1 - i"),
        At::After("turn == 1 - i {"),
        At::Before("skip"),
        At::Lock("flag[i] = 0"),
    ];
    check(
        Language::Fw,
        PETERSON,
        &places,
        &expect![[r#"
        // Peterson's mutual exclusion.
        shared flag[2], turn

        thread p[i in 0..2] {
          loop {
            flag[i] = 1 // I want to
            turn = 1 - i   // after you
            fence
            while flag[1 - i] == 1 && turn == 1 - i { fence }
            critical: fence
            skip
            store(flag[i], 0, seq_cst)
          }
        }
    "#]],
    );
}

#[test]
fn fw_on_one_line() {
    let text =
        "shared x, y\nthread p { local r; x = 1; r = y }\nthread q { fence; y = 1; fence }\n";
    let places = [At::After("x = 1"), At::After("r = y"), At::Remove("fence"), At::Lock("y = 1")];
    check(
        Language::Fw,
        text,
        &places,
        &expect![[r#"
        shared x, y
        thread p { local r; x = 1; fence; r = y; fence }
        thread q { store(y, 1, seq_cst); fence }
    "#]],
    );
}

#[test]
fn fw_without_fences_and_locks() {
    let text = "\
shared x, y
thread p {
  local r
  store(x, 1, seq_cst) // locked
  fence // why?
  r = xchg(y, x + 1)
  here: fence
  fence
  x = 2; fence
}
";
    let places =
        [At::Unlock("store(x, 1, seq_cst)"), At::Remove("fence"), At::Unlock("r = xchg(y, x + 1)")];
    let mut changes = changes(text, &places);
    let rest = text.match_indices("fence").skip(1);
    changes
        .extend(rest.map(|(at, _)| Change::RemoveFence(Span::new(SourceId::new(0), at..at + 5))));
    expect![[r#"
        shared x, y
        thread p {
          local r
          x = 1 // locked
          // why?
          y = x + 1
          here: skip
          x = 2
        }
    "#]]
    .assert_eq(&edited(Language::Fw, text, &changes));
}

pub(super) const SB: &str = "X86 SB
(* store buffering *)
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ; (* stores *)
 MOV EAX,[y] | MOV EAX,[x] ; (* loads *)
exists (0:EAX=0 /\\ 1:EAX=0)
";

#[test]
fn litmus() {
    let places = [At::After("MOV [x],$1"), At::Before("MOV EAX,[x]")];
    check(
        Language::Litmus,
        SB,
        &places,
        &expect![[r#"
        X86 SB
        (* store buffering *)
        { }
         P0          | P1          ;
         MOV [x],$1  | MOV [y],$1  ; (* stores *)
         MFENCE      | MFENCE      ;
         MOV EAX,[y] | MOV EAX,[x] ; (* loads *)
        exists (0:EAX=0 /\ 1:EAX=0)
    "#]],
    );
    let places = [At::Lock("MOV [x],$1"), At::After("MOV [y],$1")];
    check(
        Language::Litmus,
        SB,
        &places,
        &expect![[r#"
        X86 SB
        (* store buffering *)
        { }
         P0           | P1          ;
         MOV EBX,$1   | MOV [y],$1  ; (* stores *)
         XCHG [x],EBX | MFENCE      ;
         MOV EAX,[y]  | MOV EAX,[x] ; (* loads *)
        exists (0:EAX=0 /\ 1:EAX=0)
    "#]],
    );
}

#[test]
fn litmus_labels_and_columns() {
    let text = "X86_64 loop
{ }
 P0              | P1  ;
 movl $1,(x)     |     ;
 L0: mfence      | nop ;
 mfence          |     ; (* full *)
 xchgl (y),%eax  |     ;
 L1: movl $1,(y) |     ;
 jmp L1          |     ;
exists (x=1)
";
    let places = [
        At::Before("movl $1,(y)"),
        At::After("nop"),
        At::Remove("mfence"),
        At::Unlock("xchgl (y),%eax"),
    ];
    let mut changes = changes(text, &places);
    let second = text.match_indices("mfence").nth(1).expect("a second one").0;
    changes.push(Change::RemoveFence(Span::new(SourceId::new(0), second..second + 6)));
    expect![[r#"
        X86_64 loop
        { }
         P0              | P1     ;
         movl $1,(x)     |        ;
         L0:             | nop    ;
                         | mfence ;
         (* full *)
         movl %eax,(y)   |        ;
         L1: mfence      |        ;
         movl $1,(y)     |        ;
         jmp L1          |        ;
        exists (x=1)
    "#]]
    .assert_eq(&edited(Language::Litmus, text, &changes));
}
