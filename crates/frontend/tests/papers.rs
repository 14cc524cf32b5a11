//! The syntaxes of the two papers: what they lower to, how they are printed, and what they say
//! about wrong input and about programs they cannot express.

use std::fmt::Write;

use expect_test::{Expect, expect};
use frontend::{Language, Settings, esop13, esop15, fw, load};
use program::{Diagnostics, Insertion, Program, Sources, canonical};
use proptest::prelude::*;

fn parse(language: Language, text: &str) -> Result<Program, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let source = sources.add("test.txt", text);
    load(&sources, source, language, &Settings::default()).map_err(|errors| (sources, errors))
}

fn parsed(language: Language, text: &str) -> Program {
    parse(language, text).unwrap_or_else(|(_, errors)| panic!("{text}\n{errors:#?}"))
}

fn print(language: Language, program: &Program) -> Result<String, Diagnostics> {
    match language {
        Language::Esop13 => esop13::print(program),
        Language::Esop15 => esop15::print(program),
        Language::Fw | Language::Trencher | Language::Litmus | Language::Rmm | Language::Remmex => {
            Ok(fw::print(program))
        }
    }
}

/// What a text means, in `.fw`; printing it in its own syntax and parsing that must give it again.
fn check(language: Language, text: &str, expected: &Expect) {
    let program = parsed(language, text);
    let printed = print(language, &program).unwrap();
    let again = parsed(language, &printed);
    assert_eq!(canonical::difference(&program, &again), None, "{printed}");
    expected.assert_eq(&fw::print(&program));
}

/// How a `.fw` program is printed. What is printed must be stable.
fn check_print(language: Language, text: &str, expected: &Expect) {
    let printed = print(language, &parsed(Language::Fw, text)).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(print(language, &parsed(language, &printed)).unwrap(), printed);
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

fn check_errors(language: Language, text: &str, expected: &Expect) {
    let (sources, errors) = parse(language, text).expect_err("an error");
    expected.assert_eq(&lines(&sources, &errors));
}

fn check_inexpressible(language: Language, text: &str, expected: &Expect) {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    let program = load(&sources, source, Language::Fw, &Settings::default()).unwrap();
    let errors = print(language, &program).expect_err("something that cannot be expressed");
    expected.assert_eq(&lines(&sources, &errors));
}

/// Figure 2 of the ESOP'13 paper.
const DEKKER: &str = "program Dekker

thread t1 regs r1 init l0 begin
l0: mem[x] ← 1; goto l1;
l1: r1 ← mem[y]; goto l2;
end

thread t2 regs r2 init l′0 begin
l′0: mem[y] ← 1; goto l′1;
l′1: r2 ← mem[x]; goto l′2;
end
";

/// Figure 2 of the ESOP'15 paper.
const SIMPLE: &str = "program simple vars x,y,z,t procs
process p1
regs $r1 init q1
begin
q1: t=1; goto q2
q2: x=2; goto q2
q2: z=1; goto q3
q3: $r1=x; goto q4
end
process p2
regs $r2 init s1
begin
s1: t=1; goto s2
s2: y=1; goto s3
s3: $r2=t; goto s4
s4: x= $r2; goto s5
end
";

#[test]
fn figure_2_of_esop13() {
    check(
        Language::Esop13,
        DEKKER,
        &expect![[r#"
        program Dekker
        memory unbounded
        shared x at 1000000
        shared y

        thread t1 {
          local r1
          l0: x = 1
          l1: r1 = y
          l2: stop
        }

        thread t2 {
          local r2
          l_0: y = 1
          l_1: r2 = x
          l_2: stop
        }
    "#]],
    );
}

#[test]
fn figure_2_of_esop15() {
    check(
        Language::Esop15,
        SIMPLE,
        &expect![[r#"
        program simple
        shared x
        shared y
        shared z
        shared t

        thread p1 {
          local r1
          q1: t = 1
          q2: either { x = 2; goto q2 } or { z = 1; goto q3 }
          q3: r1 = x
          q4: stop
        }

        thread p2 {
          local r2
          s1: t = 1
          s2: y = 1
          s3: r2 = t
          s4: x = r2
          s5: stop
        }
    "#]],
    );
}

#[test]
fn everything_of_esop13() {
    check(
        Language::Esop13,
        "program all // comments are ours
         thread t regs r, s = -3 init l'0 begin
           l'0: mem[x + 4 * r] := add(r, s) % 3; goto l'0
           l'0: mfence; goto l1;
           l1: assert !(r == s) && not(r < -s); goto l2
           l2: r <- x; goto l3; l3: s <- mem[mem_]; goto l'0;
           l2: r <- r ? min(r, 1) : u8(s); goto nowhere;
           unreachable: mem[r] <- x + 0x10; goto unreachable
         end
         thread nothing init l begin end",
        &expect![[r#"
            program all
            memory unbounded
            shared mem_ at 1000000
            shared x

            thread t {
              local r
              local s = -3
              l_0: either { mem[&x + 4 * r] = (r + s) % 3; goto l_0 } or { fence; goto l1 }
              l1: assume !(r == s) && !(r < -s)
              l2: either { r = &x; goto l3 } or { r = (r ? min(r, 1) : u8(s)); goto nowhere }
              nowhere: stop
              l3: s = mem_; goto l_0
              unreachable: mem[r] = &x + 16; goto unreachable
            }

            thread nothing {
              l: stop
            }
        "#]],
    );
}

#[test]
fn everything_of_esop15() {
    check(
        Language::Esop15,
        "program all vars x = 5 y procs
         process p regs $r $init = 2 init a begin
           a: arw(x, $r + 1, max($r, 3)); goto b;
           b: fn; goto c
           b: skip; goto c
           c: assume ($r == 0) | ~$init; goto d
           d: fence; goto e;
           e: $r = (y); goto f
           f: $r = $init << 2 - 1; goto a
         end",
        &expect![[r#"
            program all
            shared x = 5
            shared y

            thread p {
              local r
              local init = 2
              a: arw(x, r + 1, max(r, 3))
              b: either { fence; goto c } or { skip; goto c }
              c: assume (r == 0) | ~init
              d: fence
              e: r = y
              f: r = init << 2 - 1; goto a
            }
        "#]],
    );
}

#[test]
fn symbolic_addresses_keep_away_from_literals() {
    let bases = |text: &str| -> Vec<program::Value> {
        let program = parsed(Language::Esop13, text);
        program.memory().locations().iter().map(|location| location.base).collect()
    };
    let program = |literal: &str| {
        format!(
            "thread t regs r init a begin a: mem[y] <- {literal}; goto b b: r <- mem[x]; goto c end"
        )
    };
    assert_eq!(bases(&program("7")), [1_000_000, 1_000_001]);
    assert_eq!(bases(&program("1000001")), [10_000_000, 10_000_001]);
    assert_eq!(bases(&program("1000002")), [1_000_000, 1_000_001]);
}

#[test]
fn fences_go_behind_an_instruction_or_before_the_first_of_a_label() {
    let text = "thread t init a begin\n  a: mem[1] <- 1; goto b;\n  b: mfence; goto a\nend";
    let program = parsed(Language::Esop13, text);
    let template = program.templates().iter().next().unwrap();
    let show = |insertion: Insertion| match insertion {
        Ok(point) => text.split_at(point.offset as usize).1.lines().next().unwrap().to_owned(),
        Err(why) => why.to_string(),
    };
    let after: Vec<String> = template.edges().iter().map(|edge| show(edge.after)).collect();
    assert_eq!(after, ["", ""]);
    let before: Vec<String> = template.labels().iter().map(|label| show(label.before)).collect();
    assert_eq!(before, ["a: mem[1] <- 1; goto b;", "b: mfence; goto a"]);
}

#[test]
fn all_errors_of_an_esop13_text_are_reported() {
    check_errors(
        Language::Esop13,
        "programm p
         program p program q
         thread t regs r s r $q init l begin
         end
         thread t regs r s r init l begin
           l: r = 1; goto m;
           l: q <- 1; goto m;
           l: r <- rr + 1; goto m;
           l: r <- mem[1] + mem[2]; goto m;
           l: mem(1) <- 1; goto m;
           l: assert r = 1; goto m;
           l: assert r <-1; goto m;
           l: mfense; goto m;
           l: skip; goto m;
           l: 5 <- r; goto m;
           l: r <- 1 < 2 < 3; goto m;
           l: r <- 99999999999999999999; goto m;
           l: r <- 0xg; goto m;
           l: r <- ad(1, 2); goto m;
           l: r <- $s; goto m;
           l: r <- 1 goto m;
           l: r <- 1; got m;
           l: r <- 1; goto end;
           l: r <- 1 @ 2; goto m;
           l r <- 1; goto m;
         thread u init l begin
           l: assert x; goto l",
        &expect![[r#"
            1:1: expected `program` or `thread`, found `programm` (did you mean `program`?)
            2:20: the program already has a name
            3:30: expected a register or `init`, found `$q` (registers are written without `$` here)
            5:28: register `r` is declared twice
            5:37: `t` does not end (close it with `end`)
            6:17: expected `<-`, found `=` (assignments are written `<-`, `:=` or `←` here)
            7:15: this thread has no register `q` (declare it after `regs`: `q`)
            8:20: this thread has no register `rr` (declare it after `regs`: `rr`)
            9:27: expected `;` and `goto`, found `+` (load into a register first, then compute with it)
            10:18: expected `[` and an address, found `(`
            11:24: expected an operator, found `=` (equality is written `==`)
            12:24: expected an operator, found `<-` (a comparison with a negative number is written `< -`)
            13:15: expected a statement, found `mfense` (did you mean `mfence`?)
            14:15: expected a statement, found `skip` (this syntax has no `skip`; write `assert 1`)
            15:15: expected a statement, found `5` (`5` is a number; only registers and memory can be assigned)
            16:26: comparisons do not chain (write `a < b && b < c`, or use parentheses)
            17:20: this number is too large (values lie between -9223372036854775808 and 18446744073709551615)
            18:20: malformed number (numbers are written 42 or 0x2a, with `_` between digits)
            19:20: there is no function `ad` (did you mean `and`?)
            20:20: expected an expression, found `$s` (registers are written without `$` here)
            21:22: expected `;` and `goto`, found `goto`
            22:23: expected `goto`, found `got` (did you mean `goto`?)
            23:28: expected the label to go on with, found `end` (`end` means something in the syntax; choose another)
            24:22: unexpected character "@"
            24:24: expected `;` and `goto`, found `2`
            26:26: `u` does not end (close it with `end`)
            27:22: this thread has no register `x` (declare it after `regs`: `x`)
        "#]],
    );
}

#[test]
fn all_errors_of_an_esop15_text_are_reported() {
    check_errors(
        Language::Esop15,
        "program p vars x, y, x procs
         proces p begin end
         process p regs $r s init q begin end
         process p regs $r $r init q begin
           q: $r = x + 1; goto q
           q: $q = 1; goto q
           q: xx = 1; goto q
           q: r = 1; goto q
           q: zzz = 1; goto q
           q: x = $rr; goto q
           q: arw(x, 1); goto q
           q: arw($r, 1, 2); goto q
           q: mfence; goto q
           q: assert $r == 1; goto q
           q: x <- 1; goto q
           q: fense; goto q
           q: assume $r; goto $r
         end",
        &expect![[r#"
            1:22: `x` is declared twice
            2:10: expected `program`, `vars`, `procs` or `process`, found `proces` (did you mean `process`?)
            3:28: expected a register or `init`, found `s` (registers are written with `$`: `$s`)
            4:28: register `r` is declared twice
            5:20: shared variable `x` inside an expression (read it into a register first: `$r = x`)
            6:15: this thread has no register `$q` (declare it after `regs`: `$q`)
            7:15: there is no shared variable `xx` (declare it after `vars`: `xx`)
            8:15: there is no shared variable `r` (registers are written with `$`: `$r`)
            9:15: there is no shared variable `zzz` (declare it after `vars`: `zzz`)
            10:19: this thread has no register `$rr` (declare it after `regs`: `$rr`)
            11:23: expected `,` and the value written, found `)`
            12:19: expected a shared variable, found `$r` (`$r` is a register)
            13:15: expected a statement, found `mfence` (this syntax has no `mfence`; write `fence`)
            14:15: expected a statement, found `assert` (this syntax has no `assert`; write `assume`)
            15:17: expected `=`, found `<-`
            16:15: expected a statement, found `fense` (did you mean `fence`?)
            17:31: expected the label to go on with, found `$r` (`$r` is a register)
        "#]],
    );
}

#[test]
fn a_program_of_scalars_can_be_printed_in_both() {
    let text = "program mutex
         shared flag0, flag1, turn
         thread p[i in 0..2] {
           local r
           if i == 0 { store(flag0, 1, release) } else { flag1 = 1 }
           fence
           r = choose(-1..=1)
           fence(load_load)
           turn = -i
         }
         thread q[2] { skip }";
    check_print(
        Language::Esop13,
        text,
        &expect![[r#"
        program mutex

        thread p_0 regs r init L2 begin
          L2: assert 0 == 0; goto L4;
          L2: assert 0 != 0; goto L5;
          L3: mfence; goto L6;
          L4: mem[flag0] <- 1; goto L3;
          L5: mem[flag1] <- 1; goto L3;
          L6: r <- -1; goto L7;
          L6: r <- 0; goto L7;
          L6: r <- 1; goto L7;
          L7: assert 1; goto L8;
          L8: mem[turn] <- -(0); goto L1;
        end

        thread p_1 regs r init L2 begin
          L2: assert 1 == 0; goto L4;
          L2: assert 1 != 0; goto L5;
          L3: mfence; goto L6;
          L4: mem[flag0] <- 1; goto L3;
          L5: mem[flag1] <- 1; goto L3;
          L6: r <- -1; goto L7;
          L6: r <- 0; goto L7;
          L6: r <- 1; goto L7;
          L7: assert 1; goto L8;
          L8: mem[turn] <- -(1); goto L1;
        end

        thread q_0 regs init L2 begin
          L2: assert 1; goto L1;
        end

        thread q_1 regs init L2 begin
          L2: assert 1; goto L1;
        end
    "#]],
    );
    check_print(
        Language::Esop15,
        text,
        &expect![[r#"
        program mutex vars flag0, flag1, turn procs

        process p_0 regs $r init L2 begin
          L2: assume 0 == 0; goto L4
          L2: assume 0 != 0; goto L5
          L3: fence; goto L6
          L4: flag0 = 1; goto L3
          L5: flag1 = 1; goto L3
          L6: $r = -1; goto L7
          L6: $r = 0; goto L7
          L6: $r = 1; goto L7
          L7: skip; goto L8
          L8: turn = -(0); goto L1
        end

        process p_1 regs $r init L2 begin
          L2: assume 1 == 0; goto L4
          L2: assume 1 != 0; goto L5
          L3: fence; goto L6
          L4: flag0 = 1; goto L3
          L5: flag1 = 1; goto L3
          L6: $r = -1; goto L7
          L6: $r = 0; goto L7
          L6: $r = 1; goto L7
          L7: skip; goto L8
          L8: turn = -(1); goto L1
        end

        process q_0 regs init L2 begin
          L2: skip; goto L1
        end

        process q_1 regs init L2 begin
          L2: skip; goto L1
        end
    "#]],
    );
}

#[test]
fn flat_memory_with_computed_addresses_is_printed_with_numbers() {
    check_print(
        Language::Esop13,
        "memory unbounded
         shared x, y
         thread t { local x_, r; r = &x; mem[r + 1] = y }",
        &expect![[r#"
            program test

            thread t regs x_ r t1 init L2 begin
              L2: r <- 1; goto L3;
              L3: t1 <- mem[2]; goto L4;
              L4: mem[r + 1] <- t1; goto L1;
            end
        "#]],
    );
}

#[test]
fn what_cannot_be_expressed_is_named() {
    let text = "shared x: u8, a[2], y = 1
         thread t {
           local r: 0..=3, s
           assert r == 1
           a[s] = 1
           s = &x
           cas(x, 0, 1)
           arw(x, 0, 1)
           store(x, 1, seq_cst)
           s = load(x, exclusive)
           s = store_exclusive(x, 1)
           s = choose(0..=1000)
           atomic { x = 1 }
         }
         thread u[*] { skip }";
    check_inexpressible(
        Language::Esop13,
        text,
        &expect![[r#"
            1:8: the declared values of `x` cannot be expressed in this syntax
            1:15: array `a` cannot be expressed in this syntax
            1:21: the initial value of `y` cannot be expressed in this syntax
            2:17: the declared values of `r` in `t` cannot be expressed in this syntax
            4:12: a checked assertion cannot be expressed in this syntax (the papers' assertions block where they are false, as `assume` does)
            5:12: a computed address cannot be expressed in this syntax (only named scalars can be accessed, and their addresses are no values)
            6:12: a computed address cannot be expressed in this syntax (only named scalars can be accessed, and their addresses are no values)
            7:12: an atomic update cannot be expressed in this syntax (the papers leave other locked instructions out)
            8:12: an atomic update cannot be expressed in this syntax (the papers leave other locked instructions out)
            9:12: a sequentially consistent store cannot be expressed in this syntax (the papers leave other locked instructions out)
            10:12: an exclusive load cannot be expressed in this syntax
            11:12: an exclusive store cannot be expressed in this syntax
            12:12: a choice between so many values cannot be expressed in this syntax
            13:12: the memory lock cannot be expressed in this syntax (the papers leave other locked instructions out)
            15:17: any number of copies of `u` cannot be expressed in this syntax (give it a count)
        "#]],
    );
    check_inexpressible(
        Language::Esop15,
        text,
        &expect![[r#"
            1:8: the declared values of `x` cannot be expressed in this syntax
            1:15: array `a` cannot be expressed in this syntax
            2:17: the declared values of `r` in `t` cannot be expressed in this syntax
            4:12: a checked assertion cannot be expressed in this syntax (the papers' assertions block where they are false, as `assume` does)
            5:12: a computed address cannot be expressed in this syntax (only named scalars can be accessed, and their addresses are no values)
            6:12: a computed address cannot be expressed in this syntax (only named scalars can be accessed, and their addresses are no values)
            7:12: an atomic update cannot be expressed in this syntax (the papers leave other locked instructions out)
            9:12: a sequentially consistent store cannot be expressed in this syntax (the papers leave other locked instructions out)
            10:12: an exclusive load cannot be expressed in this syntax
            11:12: an exclusive store cannot be expressed in this syntax
            12:12: a choice between so many values cannot be expressed in this syntax
            13:12: the memory lock cannot be expressed in this syntax (the papers leave other locked instructions out)
            15:17: any number of copies of `u` cannot be expressed in this syntax (give it a count)
        "#]],
    );
}

#[test]
fn texts_are_recognised() {
    assert!(esop13::looks_like(DEKKER) && !esop15::looks_like(DEKKER));
    assert!(esop15::looks_like(SIMPLE) && !esop13::looks_like(SIMPLE));
    let fw = include_str!("../../../corpus/mutex/peterson.fw");
    assert!(!esop13::looks_like(fw) && !esop15::looks_like(fw));
}

#[test]
fn nothing_overflows_the_stack_or_takes_for_ever() {
    let deep = |open: &str, close: &str| {
        let value = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        [
            (Language::Esop13, format!("thread t regs r init l begin l: r <- {value}; goto l end")),
            (
                Language::Esop15,
                format!("process t regs $r init l begin l: $r = {value}; goto l end"),
            ),
        ]
    };
    let mut texts: Vec<(Language, String)> = [
        deep("(", ")"),
        deep("!", ""),
        deep("-", ""),
        deep("1 + ", ""),
        deep("1 ? 1 : ", ""),
        deep("u8(", ")"),
        deep("min(1, ", ")"),
        deep("neg(", ")"),
    ]
    .into_iter()
    .flatten()
    .collect();
    for text in [
        "x".repeat(1 << 20),
        "$".repeat(1 << 20),
        "l: ".repeat(1 << 18),
        "thread t ".repeat(1 << 16),
        "process t ".repeat(1 << 16),
        "thread t init l begin ".repeat(1 << 16),
        "process t init l begin ".repeat(1 << 16),
        format!("thread t init l begin {}", "l: mfence; goto l ".repeat(1 << 16)),
        format!("process t init l begin {}", "l: fence; goto l ".repeat(1 << 16)),
    ] {
        texts.push((Language::Esop13, text.clone()));
        texts.push((Language::Esop15, text));
    }
    for (language, text) in texts {
        let start = std::time::Instant::now();
        assert!(parse(language, &text).is_err(), "{}", &text[..40]);
        assert!(start.elapsed().as_secs() < 5, "{}", &text[..40]);
    }
}

/// Expressions of one syntax over registers `r0` and `r1`.
fn expressions(language: Language) -> BoxedStrategy<String> {
    let sigil = if language == Language::Esop15 { "$" } else { "" };
    let mut leaves = vec![format!("{sigil}r0"), format!("{sigil}r1")];
    leaves.extend(["0", "1", "-1", "18446744073709551615"].map(str::to_owned));
    let infix = proptest::sample::select(vec![
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "< ", "<=", ">", ">=",
        "&&", "||",
    ]);
    proptest::sample::select(leaves)
        .prop_recursive(4, 24, 3, move |inner| {
            prop_oneof![
                (inner.clone(), infix.clone(), inner.clone())
                    .prop_map(|(l, op, r)| format!("({l}) {op} ({r})")),
                (proptest::sample::select(vec!["-", "~", "!", "u8", "i32"]), inner.clone())
                    .prop_map(|(op, operand)| format!("{op}({operand})")),
                (
                    proptest::sample::select(vec!["min", "max", "sub", "le"]),
                    inner.clone(),
                    inner.clone()
                )
                    .prop_map(|(f, l, r)| format!("{f}({l}, {r})")),
                (inner.clone(), inner.clone(), inner)
                    .prop_map(|(c, l, r)| format!("({c} ? {l} : {r})")),
            ]
        })
        .boxed()
}

/// Programs of one syntax: up to three threads with up to six instructions each.
fn programs(language: Language) -> impl Strategy<Value = String> {
    let esop13 = language == Language::Esop13;
    let expr = expressions(language);
    let statement = if esop13 {
        let address = prop_oneof![
            proptest::sample::select(vec!["x", "y", "z"]).prop_map(str::to_owned),
            expr.clone(),
        ];
        prop_oneof![
            Just("mfence".to_owned()),
            address.clone().prop_map(|address| format!("r0 <- mem[{address}]")),
            (address.clone(), expr.clone()).prop_map(|(a, value)| format!("mem[{a}] := {value}")),
            expr.clone().prop_map(|value| format!("r1 ← {value}")),
            expr.prop_map(|value| format!("assert {value}")),
        ]
        .boxed()
    } else {
        prop_oneof![
            Just("fence".to_owned()),
            Just("skip".to_owned()),
            Just("$r0 = x".to_owned()),
            expr.clone().prop_map(|value| format!("y = {value}")),
            expr.clone().prop_map(|value| format!("$r1 = {value}")),
            (expr.clone(), expr.clone()).prop_map(|(a, b)| format!("arw(x, {a}, {b})")),
            expr.prop_map(|value| format!("assume {value}")),
        ]
        .boxed()
    };
    let instruction = (0..5, statement, 0..6)
        .prop_map(|(from, statement, to)| format!("  l{from}: {statement}; goto l{to}\n"));
    let threads =
        proptest::collection::vec((0..6, proptest::collection::vec(instruction, 0..6)), 0..3);
    threads.prop_map(move |threads| {
        let mut text =
            if esop13 { "program p\n" } else { "program p vars x, y procs\n" }.to_owned();
        for (number, (initial, instructions)) in threads.into_iter().enumerate() {
            let (word, sigil) = if esop13 { ("thread", "") } else { ("process", "$") };
            let registers = format!("{sigil}r0 {sigil}r1");
            let body = instructions.concat();
            let _ = writeln!(
                text,
                "{word} t{number} regs {registers} init l{initial} begin\n{body}end"
            );
        }
        text
    })
}

fn check_round_trip(language: Language, text: &str) {
    let program = parsed(language, text);
    let printed = print(language, &program).unwrap();
    let again = parsed(language, &printed);
    assert_eq!(canonical::difference(&program, &again), None, "{text}\n{printed}");
}

proptest! {
    #[test]
    fn esop13_survives_printing(text in programs(Language::Esop13)) {
        check_round_trip(Language::Esop13, &text);
    }

    #[test]
    fn esop15_survives_printing(text in programs(Language::Esop15)) {
        check_round_trip(Language::Esop15, &text);
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC*") {
        let _ = (parse(Language::Esop13, &text), parse(Language::Esop15, &text));
    }

    #[test]
    fn no_damage_makes_a_parser_panic(
        (text, from, length, inserted) in (
            prop_oneof![programs(Language::Esop13), programs(Language::Esop15)],
            any::<prop::sample::Index>(),
            0..20_usize,
            "[a-z0-9:;<=\\[\\](){}$?!+ -]{0,6}",
        )
    ) {
        let characters: Vec<char> = text.chars().collect();
        let from = from.index(characters.len());
        let kept = characters[..from].iter().copied();
        let rest = characters[(from + length).min(characters.len())..].iter().copied();
        let damaged: String = kept.chain(inserted.chars()).chain(rest).collect();
        let _ = (parse(Language::Esop13, &damaged), parse(Language::Esop15, &damaged));
    }
}
