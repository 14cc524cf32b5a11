//! Calls and returns of operations in the `.fw` language: how they are kept, and what they cannot say.

use expect_test::expect;
use frontend::{Language, Settings, fw, load};
use program::{Diagnostics, Program, Sources, canonical};

fn parse(text: &str) -> Result<Program, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    load(&sources, source, Language::Fw, &Settings::default()).map_err(|errors| (sources, errors))
}

#[test]
fn calls_and_returns_are_printed_and_read_again() {
    let text = "program op
         shared x, lock
         thread p[i in 0..2] {
           local r, k
           while k < 2 {
             k = k + 1
             either { call put(i, 3); x = i; return } or { call get(); r = x; if r == 1 { return r } else { return -1, r } }
           }
         }";
    let program = parse(text).unwrap_or_else(|(_, errors)| panic!("{errors:#?}"));
    let printed = fw::print(&program);
    let again = parse(&printed).unwrap_or_else(|(_, errors)| panic!("{printed}\n{errors:#?}"));
    assert_eq!(canonical::difference(&program, &again), None, "{printed}");
    let expected = expect![[r#"
            program op
            shared x
            shared lock

            thread p[i in 0..2] {
              local r
              local k
              L2: if k < 2 { goto L3 }
              stop
              L3: k = k + 1
              either { skip; goto L6 } or { skip; goto L9 }
              L9: call get()
              r = x
              if r == 1 { goto L11 }
              return -1, r; goto L2
              L11: return r; goto L2
              L6: call put(i, 3)
              x = i
              return; goto L2
            }
        "#]];
    expected.assert_eq(&printed);
}

#[test]
fn calls_and_returns_take_what_a_thread_knows() {
    let (sources, errors) = parse(
        "shared x
thread p { call a(x); return y }",
    )
    .expect_err("two errors");
    let told = errors.iter().map(|error| {
        let source = error.span.source.expect("it has a position");
        let (line, column) = sources.line_column(source, error.span.start);
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        format!("{line}:{column}: {}{help}\n", error.message)
    });
    let expected = expect![[r#"
            2:19: a local variable or a constant is needed here (load it into a `local` variable first)
            2:30: unknown name `y` (declare it: `shared y` for all threads, `local y` in this one)
        "#]];
    expected.assert_eq(&told.collect::<String>());
}
