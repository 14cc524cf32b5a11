//! The `.fw` language: what it lowers to, and what it says about wrong input.

mod suggestions;

use expect_test::{Expect, expect};
use frontend::{Language, Settings, fw, load};
use program::{Diagnostics, Program, Sources, Value, canonical};
use proptest::prelude::*;
use testkit::{Subset, programs};

fn parse(text: &str, constants: &[(&str, Value)]) -> Result<Program, (Sources, Diagnostics)> {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    load(&sources, source, Language::Fw, &Settings { constants, ..Settings::default() })
        .map_err(|errors| (sources, errors))
}

/// The lowered program, printed; printing and parsing it again must give the same program.
fn check(text: &str, expected: &Expect) {
    check_with(text, &[], expected);
}

fn check_with(text: &str, constants: &[(&str, Value)], expected: &Expect) {
    let program = parse(text, constants).unwrap_or_else(|(_, errors)| panic!("{errors:#?}"));
    let printed = fw::print(&program);
    let again = parse(&printed, &[]).unwrap_or_else(|(_, e)| panic!("{printed}\n{e:#?}"));
    assert_eq!(canonical::difference(&program, &again), None, "{printed}");
    expected.assert_eq(&printed);
}

fn check_errors(text: &str, expected: &Expect) {
    expected.assert_eq(&errors_in(text));
}

/// The errors in a text, each in a line.
fn errors_in(text: &str) -> String {
    let (sources, errors) = parse(text, &[]).expect_err("an error");
    let lines: Vec<String> = errors
        .iter()
        .map(|error| {
            let place = error.span.source.map_or_else(String::new, |source| {
                let (line, column) = sources.line_column(source, error.span.start);
                format!("{line}:{column}: ")
            });
            let help = error.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
            format!("{place}{}{help}\n", error.message)
        })
        .collect();
    lines.concat()
}

#[test]
fn peterson() {
    check(
        include_str!("../../../../corpus/mutex/peterson.fw"),
        &expect![[r#"
            program peterson
            shared flag[2]
            shared turn
            shared inside

            thread p[i in 0..2] {
              local round
              local t1
              local t2
              L1: flag[i] = 1
              turn = 1 - i
              L3: t1 = flag[1 - i]
              if t1 == 1 { goto L4 }
              critical: skip
              flag[i] = 0
              round = min(round + 1, 0); goto L1
              L4: t2 = turn
              if t2 == 1 - i { goto L3 } else { goto critical }
            }
        "#]],
    );
}

#[test]
fn conditions_that_read_memory_are_evaluated_left_to_right_and_no_further_than_needed() {
    check(
        "shared x, y, a[3]
         thread t {
           local r
           if x == 1 || !(y != 2 && a[x + y] < r) { r = 1 } else if r > 2 { r = 2 }
           r = x && y
           r = r ? x : y + 1
           assert (x ? 1 : r) == y
         }",
        &expect![[r#"
            program test
            shared x
            shared y
            shared a[3]

            thread t {
              local r
              local t1
              local t2
              local t3
              local t4
              local t5
              t1 = x
              if t1 == 1 { goto L4 }
              t2 = y
              if t2 != 2 { goto L8 }
              L4: r = 1
              L3: t2 = x
              if t2 { goto L18 }
              L16: t1 = 0
              L17: r = t1
              if r { goto L22 }
              t2 = y
              t1 = t2 + 1
              L24: r = t1
              t1 = x
              t2 = y
              assert (t1 ? 1 : r) == t2
              stop
              L22: t1 = x; goto L24
              L18: t3 = y
              if t3 { goto L15 } else { goto L16 }
              L15: t1 = 1; goto L17
              L8: t4 = x
              t5 = y
              t3 = a[t4 + t5]
              if t3 < r { goto L5 } else { goto L4 }
              L5: if r > 2 { goto L13 } else { goto L3 }
              L13: r = 2; goto L3
            }
        "#]],
    );
}

#[test]
fn loops_and_jumps_cost_no_step() {
    check(
        "shared x
         thread t {
           local n = 3, m: u8
           retry: while n > 0 {
             n = n - 1
             if n == 2 { continue }
             if n == 1 { break }
             goto retry
           }
           loop { if x == 1 { break }; x = 2 }
           either { skip } or { loop { } } or { while n < 3 { n = n + 1 } } or { stop }
           await x == 1 && n == 0
           await n == 0
           while true { m = m + 1 }
         }",
        &expect![[r#"
            program test
            shared x

            thread t {
              local n = 3
              local m: u8
              local t1
              retry: if n > 0 { goto L2 }
              L1: t1 = x
              if t1 == 1 { goto L5 }
              x = 2; goto L1
              L5: either { skip; goto L8 } or { skip; goto L9 } or { skip; goto L10 } or { skip; goto L12 }
              L12: stop
              L10: if n < 3 { goto L11 }
              waiting L8: t1 = x
              waiting L14: if t1 == 1 && n == 0 { goto L13 } else { goto L8 }
              waiting L13: assume n == 0
              L15: m = m + 1; goto L15
              L11: n = n + 1; goto L10
              L9: skip; goto L9
              L2: n = n - 1
              if n == 2 { goto retry }
              if n == 1 { goto L1 } else { goto retry }
            }
        "#]],
    );
}

#[test]
fn every_kind_of_access() {
    check(
        "memory unbounded
         shared x: u32, p = 7 at 40, s[4]: -1..=3 = {0, 1, 2, 3} stride 8
         thread t {
           local r, ok
           r = load(x, acquire, bytes(4))
           store(x, r + 1, release)
           store(x, 0, seq_cst)
           r = load(x, exclusive)
           ok = store_exclusive(x, r + 1, relaxed)
           store_exclusive(x, 0)
           r = xchg(x, 1)
           ok = cas(x, r, r + 1, acq_rel)
           if !cas(p, 0, &s[r]) { r = cmpxchg(mem[p + 8], s[1], 2) }
           cas(x, 0, 1)
           ok = cas(x, 0, 1, failing(acquire), release)
           r = cmpxchg(x, 0, 1, seq_cst, failing(relaxed), bytes(4))
           x = fetch_max(s[r], choose(0..3)) + fetch_nand(x, 1)
           arw(x, 0, 1)
           fence; fence(store_store)
           atomic { x = x + 1; r = &x }
           lock_memory
           unlock_memory
         }",
        &expect![[r#"
            program test
            memory unbounded
            shared x: u32
            shared p = 7 at 40
            shared s[4]: -1..=3 = {0, 1, 2, 3} stride 8

            thread t {
              local r
              local ok
              local t1
              local t2
              local t3
              r = load(x, acquire, bytes(4))
              store(x, r + 1, release)
              store(x, 0, seq_cst)
              r = load(x, exclusive)
              ok = store_exclusive(x, r + 1, relaxed)
              t1 = store_exclusive(x, 0)
              r = xchg(x, 1)
              t1 = cmpxchg(x, r, r + 1, acq_rel)
              ok = t1 == r
              t1 = cmpxchg(p, 0, &s[r])
              if t1 == 0 { goto L12 }
              t1 = p
              t2 = s[1]
              r = cmpxchg(mem[t1 + 8], t2, 2)
              L12: cmpxchg(x, 0, 1)
              t1 = cmpxchg(x, 0, 1, release, failing(acquire))
              ok = t1 == 0
              r = cmpxchg(x, 0, 1, seq_cst, failing(relaxed), bytes(4))
              t2 = choose(0..=2)
              t1 = fetch_max(s[r], t2)
              t3 = fetch_nand(x, 1)
              x = t1 + t3
              arw(x, 0, 1)
              fence
              fence(store_store)
              lock_memory
              t1 = x
              x = t1 + 1
              r = &x
              unlock_memory
              lock_memory
              unlock_memory
            }
        "#]],
    );
}

#[test]
fn expressions_keep_their_shape() {
    check(
        "thread t {
           local r, s
           r = (r - s) - (r - s) * 2 % (3 << 1) & ~r | -(5) ^ --5 + -s
           r = (r < s) == (s >= 0x1_0) && !(r == 0b11 || s != 1)
           r = min(r, u8(s + 300)) + i64(max(r, 1)) + (r ? s : r ? 1 : 2)
           assume r ^ r
         }",
        &expect![[r#"
            program test

            thread t {
              local r
              local s
              r = r - s - (r - s) * 2 % (3 << 1) & ~r | -(5) ^ --5 + -s
              r = (r < s) == (s >= 16) && !(r == 3 || s != 1)
              r = min(r, u8(s + 300)) + i64(max(r, 1)) + (r ? s : (r ? 1 : 2))
              assume r ^ r
            }
        "#]],
    );
}

#[test]
fn replication_and_settings() {
    check_with(
        "const N = 2, LAST = N - 1
         shared flag[N] = 1, turn: 0..N = LAST
         thread worker[N] { turn = LAST }
         thread client[*] { skip }
         thread id[me in 1..=N] { flag[me - 1] = me }
         thread none[0] { }",
        &[("N", 4)],
        &expect![[r#"
            program test
            shared flag[4] = 1
            shared turn: 0..=3 = 3

            thread worker[4] {
              turn = 3
            }

            thread client[*] {
              skip
            }

            thread id[me in 1..5] {
              flag[me - 1] = me
            }

            thread none[0] {
            }
        "#]],
    );
}

#[test]
fn all_errors_of_a_file_are_reported() {
    check_errors(
        "shard x
         shared y, a[2], y
         const C = y + 1, D = 1 / 0, E = 99999999999999999999
         thread t {
           local r = 5, v: 3..3, w: u8 = 256
           r = = 1
           z = 1
           yy = 2
           a = 1
           r = y[0] + r[1] + &r
           C = 1; if r { break }
           goto nowhere
           fenc
           fence(stoer_store)
           r = 1 < 2 < 3
           r = load(y, release)
           x = 1 $ 2
           atomic { await y == 1; goto l; atomic { } }
           l: skip
           l: skip r = 1
           i = 1
           cas(y, 1)
           xchg(y, 1) + 1
           while y == 1 } 
         }
         thread t[i in 0..2] { i = 1 }
         thread u { if y {",
        &expect![[r#"
            1:1: expected a declaration such as `shared`, `const` or `thread`, found `shard` (did you mean `shared`?)
            2:26: `y` is declared twice
            3:31: division by zero
            3:42: this number is too large (values lie between -9223372036854775808 and 18446744073709551615)
            5:28: this range is empty (`a..b` ends before `b`; `a..=b` includes it)
            5:42: `w` cannot start with 256
            6:16: expected an expression, found `=`
            7:12: unknown name `z` (declare it: `shared z` for all threads, `local z` in this one)
            8:12: unknown name `yy` (declare it: `shared yy` for all threads, `local yy` in this one)
            9:12: `a` is an array (name one of its elements: `a[index]`)
            10:16: `y` is not an array (declare it as one, `shared y[length]`, or leave the index out)
            10:23: `r` is not in shared memory (only what is declared `shared` has an address; `mem[e]` is the memory cell at address `e`)
            10:31: `r` is not in shared memory (only what is declared `shared` has an address; `mem[e]` is the memory cell at address `e`)
            11:12: `C` cannot be assigned
            11:26: `break` outside a loop
            12:17: this thread has no label `nowhere`
            13:12: expected a statement, found `fenc` (did you mean `fence`?)
            14:18: expected a kind of fence, found `stoer_store` (did you mean `store_store`? the kinds are full, lightweight, store_store, load_load, load_store, store_load, acquire, release, control)
            15:22: comparisons do not chain (write `a < b && b < c`, or use parentheses)
            16:12: a load cannot be release
            17:18: unexpected character "$"
            17:20: expected a new line or `;`, found `2`
            18:21: `await` is not possible inside `atomic` (other threads wait until the block has run to its end)
            18:35: `goto` is not possible inside `atomic` (other threads wait until the block has run to its end)
            18:43: another `atomic` is not possible inside `atomic` (other threads wait until the block has run to its end)
            20:20: expected a new line or `;`, found `r`
            21:12: unknown name `i` (declare it: `shared i` for all threads, `local i` in this one)
            22:20: expected `,` and a value, found `)`
            23:12: the value of this expression is not used (assign it to a `local` variable, or leave it out)
            24:25: expected `{`, found `}`
            25:10: expected a declaration such as `shared`, `const` or `thread`, found `}`
            26:17: there are two threads named `t`
            26:32: `i` cannot be assigned
            27:19: unclosed block (close it with `}`)
            27:26: unclosed block (close it with `}`)
        "#]],
    );
}

#[test]
fn a_setting_for_nothing_is_an_error() {
    let (_, errors) = parse("const LIMIT = 1", &[("LIMTI", 1), ("other", 2)]).unwrap_err();
    let messages: Vec<_> = errors.iter().map(|e| (e.message.as_str(), e.help.as_deref())).collect();
    assert_eq!(
        messages,
        [
            ("the program has no constant `LIMTI` to set", Some("did you mean `LIMIT`?")),
            (
                "the program has no constant `other` to set",
                Some("only what the program declares can be set: `const other = …`")
            ),
        ]
    );
}

#[test]
fn nothing_overflows_the_stack_or_takes_for_ever() {
    let deep = |open: &str, close: &str| {
        format!("thread t {{ local r\nr = {}1{} }}", open.repeat(100_000), close.repeat(100_000))
    };
    let texts = [
        deep("(", ")"),
        deep("!", ""),
        deep("-", ""),
        deep("1 + ", ""),
        deep("r ? 1 : ", ""),
        deep("u8(", ")"),
        deep("min(1, ", ")"),
        format!("thread t {{ {}", "if 1 { ".repeat(100_000)),
        format!("thread t {{ {} }}", "if 1 { } else ".repeat(100_000)),
        format!("thread t {{ {} }}", "loop { ".repeat(100_000)),
        format!("thread t {{ {} }}", "a: ".repeat(100_000)),
        "x".repeat(1 << 20),
        "$".repeat(1 << 20),
        "{".repeat(1 << 20),
        "}".repeat(1 << 20),
        format!("const C = {}", "9".repeat(1 << 20)),
        format!("shared a[{}]", u64::MAX),
        format!("shared a[{0}] stride {0}", u64::MAX),
        format!("thread t[i in {}..{}] {{ }}", i64::MIN, u64::MAX),
        "/*".repeat(1 << 19),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        assert!(parse(&text, &[]).is_err(), "{}", &text[..40]);
        assert!(start.elapsed().as_secs() < 5, "{}", &text[..40]);
    }
}

#[test]
fn what_nests_too_deep_is_named() {
    for (opened, closed, expected) in [
        ("if 1 { ", "} ", "blocks nested more than 100 deep"),
        ("loop { ", "} ", "blocks nested more than 100 deep"),
        ("if 1 { } else ", "", "`else if` chained and blocks nested more than 100 deep"),
    ] {
        let text = format!("thread t {{ {}{} }}", opened.repeat(110), closed.repeat(110));
        let (_, errors) = parse(&text, &[]).expect_err("too deep");
        assert_eq!(errors[0].message, expected);
        assert_eq!(errors.iter().filter(|error| error.message == expected).count(), 1);
    }
}

#[test]
fn questions_about_final_states() {
    check(
        "shared x, a[2]
         thread p[i in 1..3] { local r = 1; a[i - 1] = r }
         thread q[2] { local s; s = x }
         thread t { local u; u = a[1] }
         observe x, a[0], q[1].s
         filter t.u != 0
         never p[2].r == 1 && (a[1] == 0 || !(x == 1 || true)) => q[0].s == 0 => x == 1",
        &expect![[r#"
            program test
            shared x
            shared a[2]

            thread p[i in 1..3] {
              local r = 1
              a[i - 1] = r
            }

            thread q[2] {
              local s
              s = x
            }

            thread t {
              local u
              u = a[1]
            }

            observe x, a[0], q[1].s
            filter t.u != 0
            never p[2].r == 1 && (a[1] == 0 || !(x == 1 || true)) => q[0].s == 0 => x == 1
        "#]],
    );
    check_errors(
        "shared x, a[2]
         thread p[i in 1..3] { local r }
         exists p[0].r == 1 && pp.r == 1 && p[1].s == 2 && a == 1 && a[2] == 1 && x < 1
         exists y == 1 || p.r == 1
         always x == 1
         always x == 2",
        &expect![[r#"
            3:85: expected `==` or `!=` and a value (conditions on final states compare with constants)
            4:17: unknown name `y` (declare it: `shared y` for all threads, `local y` in this one)
            4:27: there is no such copy of thread `p` (`p[1]` up to, not including, `p[3]`)
            5:10: only one such condition is possible (join them with `&&` or `||`)
            6:10: only one such condition is possible (join them with `&&` or `||`)
        "#]],
    );
}

proptest! {
    #[test]
    fn printing_and_parsing_gives_the_same_program(program in programs(Subset::Everything)) {
        let printed = fw::print(&program);
        let again = parse(&printed, &[]);
        let again = again.map_err(|(_, errors)| format!("{printed}\n{errors:#?}")).unwrap();
        prop_assert_eq!(canonical::difference(&program, &again), None, "{}", printed);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "(?s).{0,200}") {
        let _ = parse(&text, &[]);
    }

    #[test]
    fn no_sequence_of_words_makes_the_parser_panic(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60),
    ) {
        let _ = parse(&words.join(" "), &[]);
        let _ = parse(&format!("shared x, a[2]\nthread t {{ local r\n{}\n}}", words.join(" ")), &[]);
    }

    #[test]
    fn damaged_programs_make_no_parser_panic(
        program in programs(Subset::Everything),
        cuts in proptest::collection::vec((any::<proptest::sample::Index>(), "\\PC{0,3}"), 1..4),
    ) {
        let mut text: Vec<char> = fw::print(&program).chars().collect();
        for (at, new) in cuts {
            let at = at.index(text.len());
            text.splice(at..(at + 3).min(text.len()), new.chars());
        }
        let _ = parse(&text.into_iter().collect::<String>(), &[]);
    }
}

/// Everything that means something to the parser.
const WORDS: &[&str] = &[
    "program",
    "const",
    "shared",
    "memory",
    "unbounded",
    "thread",
    "local",
    "if",
    "else",
    "while",
    "loop",
    "for",
    "either",
    "or",
    "atomic",
    "await",
    "assume",
    "assert",
    "fence",
    "goto",
    "break",
    "continue",
    "stop",
    "skip",
    "waiting",
    "call",
    "return",
    "l:",
    "l",
    "x",
    "r",
    "a",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "=",
    "==",
    "<",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "*",
    "&",
    "?",
    ":",
    "..",
    "..=",
    ",",
    ";",
    "0",
    "1",
    "99",
    "cas",
    "xchg",
    "fetch_add",
    "cmpxchg",
    "store",
    "load",
    "arw",
    "store_exclusive",
    "mem",
    "choose",
    "min",
    "u8",
    "i64",
    "exclusive",
    "failing",
    "seq_cst",
    "bytes",
    "at",
    "stride",
    "in",
    "exists",
    "never",
    "observe",
    "filter",
    ".",
    "=>",
    "true",
    "\n",
    "lock_memory",
    "unlock_memory",
];

#[test]
fn regressions() {
    // Wrong initial values together with a question about that memory.
    check_errors(
        "shared a[2] = {1}, b[0], c[2] stride 0
         exists a[1] == 0 && c[1] == 0",
        &expect![[r#"
            1:8: `a` has 2 elements, not 1
            1:22: the length of an array cannot be 0 (1 to 4294967296 are possible)
            1:38: the stride of an array cannot be 0 (1 to 16777216 are possible)
        "#]],
    );
    // More errors than anyone reads.
    let (_, errors) =
        parse(&format!("thread t {{ {} }}", "x = 1; ".repeat(5000)), &[]).unwrap_err();
    assert_eq!(errors.len(), 101);
    assert_eq!(errors[100].message, "there are 4900 more errors");
}

#[test]
fn conditions_on_constants_cost_no_step() {
    check_with(
        "const CHECK = 0, N = 3
         shared x, a[N] = {1, ..}
         thread t {
           if CHECK == 1 { x = 1 }
           if N > 2 { x = 2 } else { x = 3 }
           while N == 3 { x = 4; if CHECK { break } else if N == 4 { inside: x = 5 } else { x = 6 } }
           x = 7
         }",
        &[],
        &expect![[r#"
            program test
            shared x
            shared a[3] = {1, 0, 0}

            thread t {
              x = 2
              L2: x = 4
              x = 6; goto L2
              inside: x = 5; goto L2
            }
        "#]],
    );
}

#[test]
fn counting_loops() {
    check(
        "const N = 2
         shared x
         thread t[i in 0..N] {
           for k in i..N { if k == 1 { continue }; x = k; if x == 3 { break } }
           for k in 1..=i { x = 1 }
         }",
        &expect![[r#"
            program test
            shared x

            thread t[i in 0..2] {
              local k
              local t1
              k = i
              L4: if k < 2 { goto L6 }
              L3: k = 1
              L10: if k <= i { goto L12 }
              stop
              L12: x = 1
              k = k + 1; goto L10
              L6: if k == 1 { goto L5 }
              x = k
              t1 = x
              if t1 == 3 { goto L3 }
              L5: k = k + 1; goto L4
            }
        "#]],
    );
    check_errors(
        "shared x
         thread t { for k in 0..x { k = 1 }; for x in 0..2 { } }
         thread u { for i 0..2 { } }",
        &expect![[r#"
            2:33: the range of a `for` loop cannot read shared memory (assign the bound to a `local` variable first)
            2:50: `x` is declared twice
            3:27: expected `in` and a range, found `0`
        "#]],
    );
}

#[test]
fn values_wider_than_undeclared_ones_can_be_used_in_expressions() {
    check(
        "shared x: u64, y: 0..=18446744073709551615
         thread t { local r: u64; if x > 5 && fetch_add(y, 1) < 2 { r = x }; assert cas(x, r, 1) }",
        &expect![[r#"
            program test
            shared x: u64
            shared y: 0..=18446744073709551615

            thread t {
              local r: u64
              local t1: u64
              local t2: 0..=18446744073709551615
              t1 = x
              if t1 > 5 { goto L5 }
              L3: t1 = cmpxchg(x, r, 1)
              assert t1 == r
              stop
              L5: t2 = fetch_add(y, 1)
              if t2 < 2 { goto L4 } else { goto L3 }
              L4: r = x; goto L3
            }
        "#]],
    );
}

#[test]
fn indices_are_declared_once_and_nothing_waits_inside_atomic() {
    check_errors(
        "shared x
         thread t {
           local r
           if 0 && foo == 1 { }
           for k in 0..2 { for k in 0..2 { } }
           for r in 0..2 { }
           for k in 0..2 { }
           atomic { assume x == 1; arw(x, 0, 1) }
         }",
        &expect![[r#"
            4:20: unknown name `foo` (declare it: `shared foo` for all threads, `local foo` in this one)
            5:32: `k` is declared twice
            6:16: `r` is declared twice
            8:21: `assume` is not possible inside `atomic` (other threads wait until the block has run to its end)
            8:36: `arw` is not possible inside `atomic` (other threads wait until the block has run to its end)
        "#]],
    );
}
