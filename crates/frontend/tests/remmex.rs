//! Remmex's language: what it lowers to, and what it says about wrong input.

use expect_test::{Expect, expect};
use frontend::{Language, Settings, fw, load, remmex};
use program::{Diagnostics, Program, Sources};

fn parse(text: &str) -> Result<Program, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let source = sources.add("test.txt", text);
    load(&sources, source, Language::Remmex, &Settings::default())
        .map_err(|errors| (sources, errors))
}

fn check(text: &str, expected: &Expect) {
    let program = parse(text).unwrap_or_else(|(_, errors)| panic!("{text}\n{errors:#?}"));
    expected.assert_eq(&fw::print(&program));
}

fn check_errors(text: &str, expected: &Expect) {
    let (sources, errors) = parse(text).expect_err("an error");
    let line = |error: &program::Diagnostic| {
        let place = error.span.source.map_or_else(String::new, |source| {
            let (line, column) = sources.line_column(source, error.span.start);
            format!("{line}:{column}: ")
        });
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        format!("{place}{}{help}\n", error.message)
    };
    expected.assert_eq(&errors.iter().map(line).collect::<String>());
}

#[test]
fn guards_wait_and_read_each_cell_once() {
    check(
        "int turn; bool flag[2] = {false, true};
         proctype p {
           int r = 1; int s;
           do
           :: true ->
             store(flag[r], true);
             s = loadval(turn);
             if
             :: load(turn, 1) || load(turn, 2) && s > 0 -> break;
             :: !load(flag[r - 1], 0) -> s = s + 1;
             :: else -> skip;
             fi;
           od;
           CS: LOCK s = loadval(turn); store(turn, s - 1); UNLOCK
           mfence; assert(s == 1); s > 2; goto CS
         }
         active [2] proctype q() { byte b = 255; b = b + 1; }",
        &expect![[r#"
            program test
            shared turn
            shared flag[2]: 0..=1 = {0, 1}

            thread p {
              local _1
              local _2
              local r = 1
              local s
              L1: assume 1
              flag[r] = 1
              s = turn
              either { _1 = turn; goto L5 } or { _1 = flag[r - 1]; goto L7 } or { _1 = turn; goto L9 }
              L9: _2 = flag[r - 1]
              assume !(_1 == 1 || _1 == 2 && s > 0 || !(_2 == 0))
              skip; goto L1
              L7: assume !(_1 == 0)
              s = s + 1; goto L1
              L5: assume _1 == 1 || _1 == 2 && s > 0
              CS: lock_memory
              s = turn
              turn = s - 1
              unlock_memory
              fence
              assert s == 1
              assume s > 2; goto CS
            }

            thread q[2] {
              local b: u8 = 255
              b = b + 1
            }
        "#]],
    );
}

#[test]
fn differences_group_to_the_left_and_threads_have_names() {
    check(
        "int x; int y;
         proctype p { int r; r = 5 - r - 1; r = loadval(x) - loadval(y) - loadval(x) }
         proctype p { skip }",
        &expect![[r#"
            program test
            shared x
            shared y

            thread p {
              local _1
              local _2
              local r
              r = 5 - r - 1
              _1 = x
              _2 = y
              r = _1 - _2 - _1
            }

            thread p_2 {
              skip
            }
        "#]],
    );
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    check_errors(
        "int x;\nproctype p { int r; r = x; x = 1; }\nproctype q { store(y, 1); int z[2] }\nfoo",
        &expect![[r#"
            2:25: this thread has no variable `x` (shared memory is read with `loadval(x)`)
            3:32: expected an expression, found `[`
        "#]],
    );
    check_errors(
        "proctype p { if skip fi }",
        &expect![[r#"
        1:17: expected `::`, found `skip`
    "#]],
    );
    check_errors(
        "int x = loadval(x); proctype p(int n) { break; goto L }",
        &expect![[r#"
        1:17: memory cannot be read here (read it into a variable first: `r = loadval(x)`)
        1:32: expected `)`, since threads have no parameters, found `int`
    "#]],
    );
    check_errors(
        "int x; proctype p { int r; store(r, 1); r = loadval(x[loadval(x)]) }",
        &expect![[r#"
        1:34: `r` is a variable of this thread (only shared memory is loaded and stored)
    "#]],
    );
}

#[test]
fn nothing_is_written_in_this_language() {
    let program = parse("int x; proctype p { store(x, 1) }").expect("a program");
    assert!(remmex::print(&program).is_err());
}

#[test]
fn texts_are_told_by_how_they_begin() {
    let detect = |text| Language::detect("x.txt", text);
    assert_eq!(detect("int x; proctype p { store(x, 1) }"), Some(Language::Remmex));
    assert_eq!(detect("int x; proctype p { x = 1 }"), None);
}
