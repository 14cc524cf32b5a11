//! Conditions on states: what they mean, and what is wrong with them.

use expect_test::{Expect, expect};
use frontend::{Language, Settings, fw, load};
use program::{Program, Sources, StateProposition};

const PROGRAM: &str = "\
shared x, a[3]
thread p[i in 1..3] { local r; here: r = x; there: a[i] = r }
thread q { x = 1 }
";

fn parsed(text: &str) -> Result<StateProposition, String> {
    let mut sources = Sources::new();
    let source = sources.add("program.fw", PROGRAM);
    let program: Program =
        load(&sources, source, Language::Fw, &Settings::default()).expect("a program");
    let goal = sources.add("--goal", text);
    fw::goal(&sources, goal, &program).map_err(|errors| {
        let told = errors.iter().map(|error| {
            let column = error.span.start + 1;
            let help = error.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            format!("{column}: {}{help}\n", error.message)
        });
        told.collect()
    })
}

fn wrong(text: &str, expected: &Expect) {
    expected.assert_eq(&parsed(text).expect_err("a condition with an error"));
}

/// Whether a condition is true where every value is this one and `p[1]` is at its first label.
fn holds(text: &str, value: i128) -> bool {
    let goal = parsed(text).unwrap_or_else(|errors| panic!("{text}: {errors}"));
    let here = parsed("p[1]@here").expect("a condition");
    let at = |template, copy, label| here == StateProposition::At { template, copy, label };
    goal.holds(&at, &|_| value)
}

#[test]
fn comparisons_and_connectives_mean_what_they_look_like() {
    for (text, truths) in [
        ("x == 1", [false, true, false]),
        ("x != 1", [true, false, true]),
        ("a[2] < 1", [true, false, false]),
        ("a[0] <= 1", [true, true, false]),
        ("p[2].r > 1", [false, false, true]),
        ("p[1].r >= 1", [false, true, true]),
        ("x <= 9223372036854775807", [true; 3]),
        ("x > -1 - 1", [true; 3]),
        ("!(x == 0) && x < 2 || x == 2", [false, true, true]),
        ("x >= 1 => x == 2", [true, false, true]),
        ("p[1]@here && x == 0", [true, false, false]),
        ("p[2]@here || p[1]@there || q@L1 || false", [false; 3]),
        ("mem[1] == 2", [false, false, true]),
        ("true", [true; 3]),
    ] {
        assert_eq!([0, 1, 2].map(|value| holds(text, value)), truths, "{text}");
    }
}

#[test]
fn errors_point_into_the_condition() {
    wrong(
        "",
        &expect![[r#"
        1: expected a variable, found the end of the text
    "#]],
    );
    wrong(
        "x",
        &expect![[r#"
        2: expected a comparison and a value, or `@` and a label; for example `x == 1`, `a[0] != 0`, `p[1].r <= 2` or `p[0]@critical`
    "#]],
    );
    wrong(
        "x = 1",
        &expect![[r#"
        3: expected a comparison and a value, or `@` and a label; `==` compares
    "#]],
    );
    wrong(
        "x == 1 x",
        &expect![[r#"
        8: expected `&&`, `||` or the end of the condition, found `x`
    "#]],
    );
    wrong(
        "x == y",
        &expect![[r#"
        6: unknown name `y`; `fencewright show` prints the names of a program
    "#]],
    );
    wrong(
        "p[0]@here",
        &expect![[r#"
        1: there is no such copy of thread `p`; `p[1]` up to, not including, `p[3]`
    "#]],
    );
    wrong(
        "p@here",
        &expect![[r#"
        1: there is no such copy of thread `p`; `p[1]` up to, not including, `p[3]`
    "#]],
    );
    wrong(
        "p[1]@her && p[1].q == 0 && z == 1 && b@here",
        &expect![[r#"
        6: thread `p` has no label `her`; did you mean `here`?
        18: thread `p` has no local `q`
        28: unknown name `z`; `fencewright show` prints the names of a program
        38: there is no thread `b`
    "#]],
    );
    wrong(
        "a == 1 || x[0] == 1 || a[3] == 1",
        &expect![[r#"
        1: `a` is an array
        11: `x` is not an array
        24: index 3 outside an array of 3
    "#]],
    );
    wrong(
        "(x == 1",
        &expect![[r#"
        8: expected `)`, found the end of the text
    "#]],
    );
    wrong(
        "mem[1]@here",
        &expect![[r#"
        7: expected a comparison and a value, or `@` and a label; for example `x == 1`, `a[0] != 0`, `p[1].r <= 2` or `p[0]@critical`
    "#]],
    );
    wrong(
        "x == 1 # 2",
        &expect![[r##"
        8: unexpected character "#"
        10: expected `&&`, `||` or the end of the condition, found `2`
    "##]],
    );
    wrong(
        &"(".repeat(100_000),
        &expect![[r#"
        102: expression nested more than 100 deep; operators in a row count, too; split it with a `local` variable
    "#]],
    );
}

#[test]
fn copies_of_any_number_are_named_by_any_numbers() {
    let mut sources = Sources::new();
    let source = sources.add("program.fw", "shared x; thread p[*] { here: x = 1 }");
    let program = load(&sources, source, Language::Fw, &Settings::default()).expect("a program");
    let mut ask = |text: &str| {
        let goal = sources.add("--goal", text);
        fw::goal(&sources, goal, &program)
    };
    assert!(ask("p[0]@here && p[7]@here").is_ok());
    let errors = ask("p@here").expect_err("nobody is named");
    expect!["`p[0]`, `p[1]` and so on are any different copies"]
        .assert_eq(errors[0].help.as_deref().unwrap_or_default());
}
