//! Memorax's language: what it lowers to, how it is printed, and what it says about wrong input and about
//! programs that it cannot express.

use expect_test::{Expect, expect};
use frontend::edit::{Change, edit};
use frontend::{Language, Settings, fw, load, rmm};
use program::{Diagnostics, FenceKind, Program, Sources, canonical};

fn parse(language: Language, text: &str) -> Result<Program, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let source = sources.add("test.txt", text);
    load(&sources, source, language, &Settings::default()).map_err(|errors| (sources, errors))
}

fn parsed(language: Language, text: &str) -> Program {
    parse(language, text).unwrap_or_else(|(_, errors)| panic!("{text}\n{errors:#?}"))
}

/// What a text means, in `.fw`. What is printed of it means the same.
fn check(text: &str, expected: &Expect) {
    let program = parsed(Language::Rmm, text);
    let printed = rmm::print(&program).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let again = parsed(Language::Rmm, &printed);
    assert_eq!(canonical::difference(&program, &again), None, "{printed}");
    expected.assert_eq(&fw::print(&program));
}

/// How a `.fw` program is printed. What is printed can be read, and printing that changes nothing any more.
fn check_print(text: &str, expected: &Expect) {
    let printed = rmm::print(&parsed(Language::Fw, text)).unwrap_or_else(|e| panic!("{e:#?}"));
    let program = parsed(Language::Rmm, &printed);
    let again = parsed(Language::Rmm, &rmm::print(&program).unwrap());
    assert_eq!(canonical::difference(&program, &again), None, "{printed}");
    expected.assert_eq(&printed);
}

fn lines(sources: &Sources, errors: &Diagnostics) -> String {
    let line = |error: &program::Diagnostic| {
        let place = error.span.source.map_or_else(String::new, |source| {
            let (line, column) = sources.line_column(source, error.span.start);
            format!("{line}:{column}: ")
        });
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        format!("{place}{}{help}\n", error.message)
    };
    errors.iter().map(line).collect()
}

fn check_errors(text: &str, expected: &Expect) {
    let (sources, errors) = parse(Language::Rmm, text).expect_err("an error");
    expected.assert_eq(&lines(&sources, &errors));
}

#[test]
fn processes_become_threads_and_tuples_a_condition() {
    check(
        "forbidden CS CS; DONE *
         data lock = 0 : [0:1]
         process data want = 0 : [0:1] registers $r = * : [0:1]
         text
         AGAIN: write: want[my] := 1; read: $r := want[0];
         if $r = 1 then { write: want[my] := 0; goto AGAIN };
         CS: cas(lock, 0, 1); locked write: want[my] := 0;
         DONE: goto AGAIN
         process data want = 0 : [0:1]
         text CS: read: want[0] = 0; fence; write: want[my] := 1; goto CS",
        &expect![[r#"
            program test
            shared lock: 0..=1
            shared want[2]: 0..=1 = {0, 0}

            thread p0 {
              local r: 0..=1
              AGAIN: want[0] = 1
              r = want[1]
              if r == 1 { goto L3 }
              CS: arw(lock, 0, 1)
              store(want[0], 0, seq_cst)
              DONE: skip; goto AGAIN
              L3: want[0] = 0; goto AGAIN
            }

            thread p1 {
              local t1
              CS: t1 = want[0]
              assume t1 == 0
              fence
              want[1] = 1; goto CS
            }

            forbidden p0@CS && p1@CS || p0@DONE
        "#]],
    );
}

#[test]
fn a_value_that_does_not_fit_blocks() {
    check(
        "data x = 0 : [0:2]  y = 0
         process registers $r = 0 : [0:1] $s = 0 : [0:2]
         text
         write: x := $s; write: x := $s + 1; $r := $s - 1; read: $r := x; read: $s := x; read: $s := y;
         cas(x, $r, $s + $s); write: y := -$s",
        &expect![[r#"
            program test
            shared x: 0..=2
            shared y

            thread p0 {
              local r: 0..=1
              local s: 0..=2
              local value
              x = s
              assume 0 <= s + 1 && s + 1 <= 2
              x = s + 1
              assume 0 <= s - 1 && s - 1 <= 1
              r = s - 1
              value = x
              assume 0 <= value && value <= 1
              r = value
              s = x
              value = y
              assume 0 <= value && value <= 2
              s = value
              assume 0 <= s + s && s + s <= 2
              arw(x, r, s + s)
              y = -s
            }
        "#]],
    );
}

/// Where copies of a process mean other locations, where locations of one name are declared differently, and values
/// that fit after a difference.
#[test]
fn processes_and_locations_are_told_apart_by_what_they_mean() {
    check(
        "process data x = 0 : [0:2]
         registers $r = 1 : [1:2] $s = 0 : [0:1]
         text $s := $r - 1; if $s >= 1 then write: x[my] := 2
         process(2) registers $r = 0 : [0:2] text read: $r := x[0]
         process data x = -1 : [-1:0] text write: x[my] := -1",
        &expect![[r#"
            program test
            shared x_0: 0..=2
            shared x_3: -1..=0 = -1

            thread p0 {
              local r: 1..=2 = 1
              local s: 0..=1
              s = r - 1
              if s >= 1 { goto L4 }
              L1: stop
              L4: x_0 = 2; goto L1
            }

            thread p1 {
              local r: 0..=2
              r = x_0
            }

            thread p2 {
              local r: 0..=2
              r = x_0
            }

            thread p3 {
              x_3 = -1
            }
        "#]],
    );
    check(
        "process data x = 0 : [0:1] text write: x[0] := 1
         process data x = 0 : [0:2] text write: x[0] := 1",
        &expect![[r#"
            program test
            shared x_0: 0..=1
            shared x_1: 0..=2

            thread p0 {
              x_1 = 1
            }

            thread p1 {
              x_0 = 1
            }
        "#]],
    );
    check_errors(
        "data a = 0 : [0:1] b = 0 : [0:2]
         process registers $p = 0 : [0:1] $v = 0 : [0:2] text write: [$p] := $v",
        &expect![[r#"
            2:78: a pointer to locations with different domains, which not all hold this value (declare the same values for the locations that it can point at)
        "#]],
    );
}

#[test]
fn pointers_are_numbers_of_locations() {
    check(
        "data a = 0 : [0:1] b = 0 : [0:1] lock = 2 : [0:2]
         process registers $i = 0 : [0:1] $p = 0 : [0:3]
         text L: write: [$i] := 1; read: $p := lock; read: [$p] = 0; write: [$i + 2] := 1; goto L",
        &expect![[r#"
            program test
            shared a: 0..=1 at 0
            shared b: 0..=1
            shared lock: 0..=2 = 2

            thread p0 {
              local i: 0..=1
              local p: 0..=3
              local t1
              L: mem[i] = 1
              p = lock
              assume 0 <= p && p <= 2
              t1 = mem[p]
              assume t1 == 0
              assume 0 <= i + 2 && i + 2 <= 2
              mem[i + 2] = 1; goto L
            }
        "#]],
    );
}

#[test]
fn processes_that_nothing_tells_apart_are_copies() {
    check(
        "forbidden CS CS data x = 0 : [0:1] process(2) text cas(x, 0, 1); CS: write: x := 0",
        &expect![[r#"
            program test
            shared x: 0..=1

            thread p0[2] {
              arw(x, 0, 1)
              CS: x = 0
            }

            forbidden p0[0]@CS && p0[1]@CS
        "#]],
    );
}

#[test]
fn macros_are_expanded() {
    let with = "macro both(v, w) write: v := w; read: v = w endmacro
        macro p(n) process text both(x, n); both(y, (n)) endmacro
        data x = 0 y = 0 p(1) p(2)";
    let without = "data x = 0 y = 0
        process text write: x := 1; read: x = 1; write: y := (1); read: y = (1)
        process text write: x := 2; read: x = 2; write: y := (2); read: y = (2)";
    let difference =
        canonical::difference(&parsed(Language::Rmm, with), &parsed(Language::Rmm, without));
    assert_eq!(difference, None);
}

/// What a macro is given stands where the macro uses it, so that fences go into its body.
#[test]
fn fences_go_into_macros() {
    let text =
        "data x = 0 macro p(n, m) process text write: x := n; write: x := m endmacro p(1, 2)";
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let program = load(&sources, source, Language::Rmm, &Settings::default()).unwrap();
    let edges = program.templates().iter().flat_map(|template| template.edges().iter());
    let changes: Vec<Change> =
        edges.map(|edge| Change::FenceAfter(edge.after.unwrap(), FenceKind::Full)).collect();
    let edited = edit(&sources, source, Language::Rmm, &changes).unwrap();
    expect![["data x = 0 macro p(n, m) process text write: x := n; fence; write: x := m; fence endmacro p(1, 2)"]]
        .assert_eq(&edited);
}

/// Any initial value: memory is written by a thread for which all wait, and a register is chosen unless it is
/// written first.
#[test]
fn any_initial_value_is_tried() {
    let text = "data x = * : [0:1]
        process registers $r = * : [0:1] $s = * $t = * : [2:3]
        text read: $r := x; $s := $r; if $t = 2 then nop; write: x := $s";
    expect![[r#"
        program test
        shared x: 0..=1
        shared started: 0..=1

        thread start {
          local any_0: 0..=1
          any_0 = choose(0..=1)
          x = any_0
          started = 1
        }

        thread p0 {
          local r: 0..=1
          local s
          local t: 2..=3 = 2
          local t1
          t1 = started
          assume t1 == 1
          t = choose(2..=3)
          r = x
          s = r
          if t == 2 { goto L9 }
          L8: assume 0 <= s && s <= 1
          x = s
          stop
          L9: skip; goto L8
        }
    "#]]
    .assert_eq(&fw::print(&parsed(Language::Rmm, text)));
    let printed = rmm::print(&parsed(Language::Rmm, text)).unwrap();
    parsed(Language::Rmm, &printed);
}

#[test]
fn locked_sections_are_tried_until_they_succeed() {
    let text = "data x = 0 : [0:3]
        process registers $r = 0 : [0:3]
        text locked { read: $r := x; assume: $r != 0; write: x := $r - 1 };
        locked { read: $r := x; write: x := 0 };
        locked { write: x := 1 }; locked { read: $r := x };
        locked { cas(x, 1, 2); $r := 0 or write: x := 3 }";
    expect![[r#"
        program test
        shared x: 0..=3

        thread p0 {
          local r: 0..=3
          local t1
          L2: lock_memory
          r = x
          if r != 0 { goto L7 }
          L6: unlock_memory; goto L2
          L7: if 0 <= r - 1 && r - 1 <= 3 { goto L8 } else { goto L6 }
          L8: x = r - 1
          unlock_memory
          lock_memory
          r = x
          x = 0
          unlock_memory
          lock_memory
          x = 1
          unlock_memory
          r = x
          either { skip; goto L18 } or { lock_memory; goto L25 }
          L25: x = 3
          unlock_memory
          L1: stop
          L18: lock_memory
          t1 = x
          if t1 == 1 { goto L21 }
          unlock_memory; goto L18
          L21: x = 2
          r = 0
          unlock_memory; goto L1
        }
    "#]]
    .assert_eq(&fw::print(&parsed(Language::Rmm, text)));
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    check_errors(
        "forbidden CS CS CS; CS NOWHERE
data x = * y = 0 : [1:0]
process data z = 0 registers $r = * text
  read: $r := w; write: z := 1; write: z[4] := 1; $q := $r + me;
process text CS: read: x = 0; locked { read: x = 1; read: y = 2 }",
        &expect![[r#"
            1:11: a label is needed for each of 1 processes, not 3 (`*` stands for any label)
            1:21: a label is needed for each of 1 processes, not 2 (`*` stands for any label)
            2:6: `x` can start with any integer (give it an initial value, or a domain such as `[0:1]`)
            2:20: these values are none at all
            4:62: the number of a process (`me`) cannot be used as a value (Memorax refuses it, too; write one process for each number)
        "#]],
    );
    check_errors(
        "process registers $r = * $i = 0 text write: [$i] := 1; $i := $r;
         locked { $i := 1; goto L; write: [0] := 1 }; locked { write: [0] := 1; assume: $i = 0 }",
        &expect![[r#"
            2:28: control flow inside `locked` is not supported (write `locked { … or … }` with simple statements)
            2:81: a locked section that waits after it has written (put what is waited for before the first write)
        "#]],
    );
    check_errors(
        "data x = 0 process text read: x := 3; syncrd: x",
        &expect![[r#"
        1:33: expected `=` and the value that is waited for, found `:=`
    "#]],
    );
    check_errors(
        "data x = 0 process text write: x := @ 1",
        &expect![[r#"
        1:37: the number of a process (`@`) cannot be used as a value (Memorax refuses it, too; write one process for each number)
    "#]],
    );
    check_errors(
        "macro m(a) nop process text m(1)",
        &expect![[r#"
        1:7: the macro `m` does not end (end it with `endmacro`)
    "#]],
    );
    check_errors(
        "macro m(a) m(a) endmacro process text m(1, 2); m(1)",
        &expect![[r#"
            1:12: calls of `m` are nested too deep (a macro cannot call itself)
            1:39: the macro `m` has 1 parameters, not 2
            1:46: expected a statement, found `;`
        "#]],
    );
    check_errors(
        "process(2000) text nop process text {{ nop }",
        &expect![[r#"
        1:9: at most 1000 processes are possible
        1:45: expected `;`, `or` or `}`, found the end of the text
    "#]],
    );
    check_errors(
        "forbidden L process text L: nop; L: goto K",
        &expect![[r#"
        1:34: label `L` is defined twice
        1:42: this thread has no label `K`
    "#]],
    );
}

#[test]
fn programs_of_fw_are_printed() {
    check_print(
        "shared x: 0..=3, flag[2]: 0..=1
         thread p[i in 0..2] {
           local r: 0..=3, k: 0..=1
           flag[i] = 1
           k = choose(0..=1)
           r = xchg(x, 2)
           if r == 2 && k == 1 { store(x, 1, seq_cst) } else { fence }
           assert r != 1
           cs: r = cmpxchg(x, 0, 1)
         }
         forbidden p[0]@cs && p[1]@cs",
        &expect![[r#"
            forbidden
              cs cs ;
              FAILED * ;
              * FAILED

            data
              x = 0 : [0:3]

            process
            data
              flag = 0 : [0:1]
            registers
              $r = 0 : [0:3]
              $k = 0 : [0:1]
              $spare = 0
            text
              write: flag[my] := 1;
              either { $k := 0 or $k := 1 };
              locked { read: $r := x; write: x := 2 };
              if [$r = 2] && [$k = 1] then goto L7; goto L8;
              L7: locked write: x := 1; goto L6;
              L8: fence;
              L6: if not [$r != 1] then goto FAILED;
              cs: either { cas(x, 0, 1); $r := 0 or fence; read: $spare := x; assume: $spare != 0; $r := $spare };
              assume: false;
              FAILED: assume: false

            process
            data
              flag = 0 : [0:1]
            registers
              $r = 0 : [0:3]
              $k = 0 : [0:1]
              $spare = 0
            text
              write: flag[my] := 1;
              either { $k := 0 or $k := 1 };
              locked { read: $r := x; write: x := 2 };
              if [$r = 2] && [$k = 1] then goto L7; goto L8;
              L7: locked write: x := 1; goto L6;
              L8: fence;
              L6: if not [$r != 1] then goto FAILED;
              cs: either { cas(x, 0, 1); $r := 0 or fence; read: $spare := x; assume: $spare != 0; $r := $spare };
              assume: false;
              FAILED: assume: false
        "#]],
    );
    check_print(
        "shared a[3]: 0..=1, n
         thread p[2] { local i: 0..=2; loop { a[i] = 1; i = a[2]; n = fetch_add(n, 1) } }",
        &expect![[r#"
            data
              a_0 = 0 : [0:1]
              a_1 = 0 : [0:1]
              a_2 = 0 : [0:1]
              n = 0

            process(2)
            registers
              $i = 0 : [0:2]
              $t1 = 0
            text
              L1: write: [$i] := 1;
              read: $i := a_2;
              locked { read: $t1 := n; write: n := $t1 + 1 };
              write: n := $t1; goto L1
        "#]],
    );
}

#[test]
fn a_circle_of_waiting_is_printed() {
    check_print(
        "shared x
         thread p { local r; while true { assume r == 1; assume r == 1 } }",
        &expect![[r#"
            data
              x = 0

            process
            registers
              $r = 0
            text
              L1: assume: $r = 1;
              assume: $r = 1; goto L1
        "#]],
    );
}

#[test]
fn what_cannot_be_printed_is_refused() {
    let refused = |text: &str| {
        let mut sources = Sources::new();
        let source = sources.add("test.fw", text);
        let program = load(&sources, source, Language::Fw, &Settings::default()).unwrap();
        lines(&sources, &rmm::print(&program).expect_err("an error"))
    };
    expect![[r#"
        any number of threads cannot be expressed in Memorax's language
    "#]]
    .assert_eq(&refused(
        "shared x: u8, y: 0..=1, a[2]
         thread p[*] { local r; y = r }
         thread q { local r; r = x * 2; y = r; a[r] = 1; lock_memory; unlock_memory }",
    ));
    expect![[r#"
        a condition on other things than labels cannot be expressed in Memorax's language
        2:30: this computation cannot be expressed in Memorax's language
        2:41: an error where a value or an index does not fit cannot be expressed in Memorax's language
        2:48: an error where a value or an index does not fit cannot be expressed in Memorax's language
        2:58: the memory lock cannot be expressed in Memorax's language
        2:71: the memory lock cannot be expressed in Memorax's language
    "#]].assert_eq(&refused(
        "shared y: 0..=1, a[2]
         thread q { local r; r = y * 2; y = r; a[r] = 1; lock_memory; unlock_memory }
         forbidden y == 1",
    ));
}

#[test]
fn texts_are_told_by_how_they_begin() {
    let detect = |text| Language::detect("x.txt", text);
    assert_eq!(detect("/* a */ forbidden L data x = 0 process text L: nop"), Some(Language::Rmm));
    assert_eq!(detect("process(2) text nop"), Some(Language::Rmm));
    assert_eq!(detect("forbidden p@L shared x thread p { L: x = 1 }"), Some(Language::Fw));
    assert_eq!(Language::detect("x.rmm", ""), Some(Language::Rmm));
}
