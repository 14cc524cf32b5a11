//! What beginners mean is guessed, and the help of the error says how to write it.

use expect_test::expect;

use crate::{check_errors, errors_in};

#[test]
fn what_is_meant_is_guessed() {
    check_errors(
        "const A = 0, B = A != 0 && 10 / A > 1
         shared x
         thread t {
           local r
           if x = 1 { }
           x == 1
           x += 1
           int s = 1
           r = load(x, aquire)
           while (x = 0) { }
           local bool done
           while x == 1 { x = 2
         }
         thread u { }",
        &expect![[r#"
            3:19: unclosed block (close it with `}`)
            5:17: expected `{`, found `=` (`==` compares)
            6:12: expected a statement, found `x` (`=` assigns, `==` compares)
            7:12: expected a statement, found `x` (write `x = x + 1`, or `fetch_add(x, 1)` for an atomic step)
            8:12: expected a statement, found `int` (a local variable is declared by `local s`)
            9:24: expected one order, `failing(order)`, `exclusive`, and `bytes(n)` or `across(type)`, found `aquire` (did you mean `acquire`? the orders are volatile, relaxed, acquire, release, acq_rel, seq_cst)
            10:21: expected `)`, found `=` (`==` compares)
            11:23: expected `:`, `=`, `,` or a new line, found `done` (types follow the name and can be left out: `local done: u1`)
            14:10: expected a statement, found `thread` (a `}` is missing before this declaration: `thread` cannot stand in a thread)
        "#]],
    );
}

#[test]
fn what_is_meant_outside_threads_is_guessed() {
    let none = "expected a declaration such as `shared`, `const` or `thread`, found";
    for (line, expected) in [
        (
            "assert x == 0",
            format!(
                "1:1: {none} `assert` (an `assert` stands in a thread; `always x == 0` is about all final states)"
            ),
        ),
        ("while x == 0 { }", format!("1:1: {none} `while` (`while` is a statement and stands in a thread)")),
        ("int z", format!("1:1: {none} `int` (a shared variable is declared by `shared z`)")),
        ("printf(1)", format!("1:1: {none} `printf`")),
        (
            "shared bool ready",
            "1:13: expected `:`, `=`, `,` or a new line, found `ready` (types follow the name and can be left out: `shared ready: u1`)".to_owned(),
        ),
    ] {
        let text = format!("{line}\nthread t {{ }}\n");
        assert_eq!(errors_in(&text), format!("{expected}\n"), "{line}");
    }
}
