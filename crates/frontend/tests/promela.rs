//! Promela: what is printed, and what Spin itself finds in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::{Expect, expect};
use frontend::{Language, Settings, load, promela};
use program::{Program, Sources};

fn parse(language: Language, text: &str) -> (Sources, Program) {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    let program = load(&sources, source, language, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    (sources, program)
}

fn printed(text: &str) -> String {
    promela::print(&parse(Language::Fw, text).1).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// A folder of its own for each check; removed if all goes well.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fencewright-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, command: &str, arguments: &[&str]) -> Output {
    let output = Command::new(command).args(arguments).current_dir(folder).output();
    output.unwrap_or_else(|error| panic!("{command}: {error}; apt-get install spin gcc"))
}

fn text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// Lets Spin translate a program, which checks its syntax.
fn translate(name: &str, promela: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("program.pml"), promela).unwrap();
    let spin = run(&folder, "spin", &["-a", "program.pml"]);
    assert!(spin.status.success() && !text(&spin).contains("rror"), "{}\n{promela}", text(&spin));
    folder
}

/// What a verifier found first.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    Nothing,
    Violation,
    Beyond32Bits,
    Deadlock,
}

fn verify(name: &str, promela: &str) -> Finding {
    let folder = translate(name, promela);
    let gcc = run(&folder, "gcc", &["-O1", "-w", "-o", "pan", "pan.c"]);
    assert!(gcc.status.success(), "{}\n{promela}", text(&gcc));
    let pan = run(&folder, "./pan", &["-m100000"]);
    let report = text(&pan);
    assert!(report.contains("State-vector"), "{report}\n{promela}");
    assert!(!report.contains("max search depth too small"), "{report}");
    std::fs::remove_dir_all(folder).unwrap();
    let violated = report.lines().find(|line| line.contains("assertion violated"));
    match violated {
        Some(line) if line.contains("beyond_32_bits") => Finding::Beyond32Bits,
        Some(_) => Finding::Violation,
        None if report.contains("pan:1: invalid end state") => Finding::Deadlock,
        None => {
            assert!(report.contains("errors: 0"), "{report}\n{promela}");
            Finding::Nothing
        }
    }
}

fn check(name: &str, fw: &str, expected: &Finding) {
    assert_eq!(verify(name, &printed(fw)), *expected, "{}", printed(fw));
}

const PETERSON: &str = "
program peterson
shared flag[2], turn, inside
thread p[i in 0..2] {
  flag[i] = 1
  turn = 1 - i
  while flag[1 - i] == 1 && turn == 1 - i { }
  critical: fetch_add(inside, 1)
  assert inside == 1
  fetch_sub(inside, 1)
  flag[i] = 0
}
";

#[test]
fn peterson_excludes() {
    check("peterson", PETERSON, &Finding::Nothing);
}

#[test]
fn peterson_without_a_turn_does_not() {
    let broken = PETERSON.replace("turn = 1 - i", "turn = i");
    assert_ne!(broken, PETERSON);
    check("broken-peterson", &broken, &Finding::Violation);
}

/// Each assertion holds under SC; each line would fail if its construct meant something else.
#[test]
fn everything_means_what_it_should() {
    check(
        "everything",
        "shared x: u8 = 250, y: i8, a[3] = {5, -6, 7}, s[2]: 0..=9 = 1 stride 4, n = -8, p
         shared unix, EOF, len, count
         thread one {
           local r, w: i8 = -1, q
           x = x + 10; r = x; assert r == 4
           y = 200; r = y; assert r == -56
           w = w - 128; assert w == 127
           r = a[0] + a[1] * a[2]; assert r == -37
           r = mem[&a[0] + 2]; assert r == 7
           mem[&s[1]] = 3; r = s[1]; assert r == 3
           r = s[0]; assert r == 1
           r = n / 3; assert r == -2
           r = n % 3; assert r == -2
           r = n >> 1; assert r == -4
           r = n; assert (r >> 40) == -1 && (r << 2) == -32 && ~r == 7 && -r == 8
           assert min(r, 3) == r && max(r, 3) == 3 && (r ? 1 : 1 / 0) == 1
           assert r == 0 || 1 / r == 0
           assert u8(r) == 248 && i8(200) == -56 && !(r == 0)
           r = xchg(p, 5); assert r == 0
           r = cmpxchg(p, 5, r + 6); assert r == 5
           r = cmpxchg(p, 5, 7); assert r == 6
           r = cmpxchg(p, 6, 7); assert r == 6
           r = fetch_max(p, 9) + fetch_nand(p, 1); assert r == 16
           r = p; assert r == -2
           arw(p, -2, 4); store(p, r, seq_cst)
           r = choose(-2..=2); assert -2 <= r && r < 3
           w = choose(126..=129); assert w == 126 || w == 127 || w == -128 || w == -127
           either { unix = 1 } or { EOF = 1 } or { len = 1 }
           r = unix + EOF + len; assert r == 1
           assume r == 2
           assert 0 == 1
         }
         thread counter[3] { fetch_add(count, 1) }
         thread reader { local r; r = count; assert 0 <= r && r <= 3 }
         thread id[i in -1..=1] { assert i * i <= 1 }",
        &Finding::Nothing,
    );
}

#[test]
fn a_locked_section_is_atomic() {
    let locked = "shared x
         thread adder[2] { local r; atomic { r = x; x = r + 1 } }
         thread last { local r; await x == 2; r = x; assert r == 2 }";
    check("locked", locked, &Finding::Nothing);
}

#[test]
fn without_one_an_update_is_lost_and_someone_waits_for_ever() {
    let lost = "shared x
         thread adder[2] { local r; r = x; x = r + 1 }
         thread last { arw(x, 2, 0); assert true }
         thread waiter { local r; waiting w: assume r == 1 }";
    check("lost", lost, &Finding::Deadlock);
}

#[test]
fn faults_are_violations() {
    // One program for all of them: each is reached on its own path, found one after another.
    let faults = [
        "r = 1 / x_",
        "r = a[x_ + 3]",
        "range = 7",
        "small = 7",
        "r = mem[x_ + 100]",
        "r = load(byte, bytes(4))",
        "unlock_memory",
        "lock_memory; lock_memory",
        "r = 1 << (x_ - 1)",
        "assert x_ == 1",
        "ok = store_exclusive(small, 9)",
    ];
    let branches: Vec<String> = faults.iter().map(|fault| format!("{{ {fault} }}")).collect();
    let fw = format!(
        "shared a[3], small: 0..=3, byte_: u8
         thread t {{ local r, ok, x_, range: 0..=5; either {} }}",
        branches.join(" or ").replace("byte,", "byte_,")
    );
    let folder = translate("faults", &printed(&fw));
    assert!(run(&folder, "gcc", &["-O1", "-w", "-o", "pan", "pan.c"]).status.success());
    let pan = text(&run(&folder, "./pan", &["-e", "-c0"]));
    let violations = pan.lines().filter(|line| line.contains("assertion violated")).count();
    assert_eq!(violations, faults.len(), "{pan}\n{}", printed(&fw));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nothing_wraps_silently() {
    let fw = "shared x = 2000000000
         thread t { local r; r = x; r = r + r; assert r > 0 }";
    check("wide", fw, &Finding::Beyond32Bits);
}

#[test]
fn exclusive_accesses_and_flat_memory() {
    // Of two increments that succeed none is lost; pointers are followed.
    let fw = "memory unbounded
         shared x at 40
         thread adder[i in 0..2] {
           local r: 0..=2, failed
           r = load(x, exclusive)
           failed = store_exclusive(x, r + 1)
           if !failed { mem[7 + i] = 1 }
         }
         thread reader {
           local done, r, at_
           done = mem[7] + mem[8]; r = x; assert r >= done
           at_ = mem[1000]
           if at_ == 0 { mem[1000] = 1001; at_ = mem[1000] }
           mem[at_] = -3; r = mem[1001]; assert r == -3
         }";
    check("exclusive", fw, &Finding::Nothing);
}

#[test]
fn spin_accepts_whatever_is_printed() {
    for (number, (language, program)) in [
        (Language::Fw, "thread empty { }"),
        (Language::Fw, "thread none[0] { }"),
        (Language::Fw, "shared end, accept, progress_\nthread init_ { local end_, t; t = end }"),
        (Language::Fw, "thread t { local r = 5; loop { r = r * r - (r / 3 << r) % -r } }"),
        (
            Language::Fw,
            "shared a[2]: u32 stride 8\nthread t { local r: i64; mem[r] = r; a[r] = u31(r) }",
        ),
        (
            Language::Fw,
            "thread t { local r; either { } or { assume 1 / r } or { r = -2147483648 } }",
        ),
        (Language::Esop13, "program p thread t regs r init a begin a: r <- mem[x]; goto b end"),
        (Language::Esop15, "vars x process p regs $r init a begin a: arw(x, $r, 1); goto a end"),
    ]
    .into_iter()
    .enumerate()
    {
        let promela = promela::print(&parse(language, program).1).unwrap();
        let folder = translate(&format!("accepted-{number}"), &promela);
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn what_it_looks_like() {
    let check = |expected: &Expect, fw: &str| expected.assert_eq(&printed(fw));
    check(
        &expect![[r#"
            /* peterson: sequentially consistent behaviour, one atomic step per instruction.
               A violated assertion is a failed assertion or another fault of the program, unless it
               mentions beyond_32_bits: that is a value which Promela cannot hold.
               spin -a; gcc -o pan pan.c; ./pan (with -DVECTORSZ=... if pan asks for it) */
            int flag[2];
            int turn;
            int inside;
            bool beyond_32_bits = false;
            #define must_fit(condition) assert(condition || beyond_32_bits); (condition)
            #define must(condition) assert(condition); (condition)

            proctype p(int i) {
              int t1;
              int t2;
              int old_value;
              end_L2: atomic { flag[i] = 1; goto end_L3 };
              end_critical: atomic { old_value = inside; must_fit(old_value <= 2147483646); inside = (old_value + 1); old_value = 0; goto end_L8 };
              end_L1: false;
              end_L3: atomic { turn = (1 - i); goto end_L4 };
              end_L4: atomic { t1 = flag[(1 - i)]; goto end_L6 };
              end_L5: atomic { t2 = turn; goto end_L7 };
              end_L6: if
              :: atomic { (t1 == 1) -> goto end_L5 }
              :: atomic { (t1 != 1) -> goto end_critical }
              fi;
              end_L7: if
              :: atomic { (t2 == (1 - i)) -> goto end_L4 }
              :: atomic { (t2 != (1 - i)) -> goto end_critical }
              fi;
              end_L8: atomic { t1 = inside; goto end_L10 };
              end_L9: atomic { old_value = inside; must_fit(old_value >= (-2147483647)); inside = (old_value - 1); old_value = 0; goto end_L11 };
              end_L10: atomic { must((t1 == 1)); goto end_L9 };
              end_L11: atomic { flag[i] = 0; goto end_L1 };
            }

            init {
              atomic {
                skip;
                run p(0);
                run p(1)
              }
            }
        "#]],
        PETERSON,
    );
}

#[test]
fn what_promela_lacks_is_named() {
    let fw = "memory unbounded
         shared x = 5000000000, big[70000]
         thread t { local r = 3000000000; r = 1 }
         thread u[*] { skip }
         thread many[300] { skip }";
    let errors = |fw: &str| -> String {
        let (sources, program) = parse(Language::Fw, fw);
        let errors = promela::print(&program).unwrap_err();
        let line = |error: &program::Diagnostic| {
            let place = error
                .span
                .source
                .map_or((0, 0), |source| sources.line_column(source, error.span.start));
            format!("{}:{}: {}\n", place.0, place.1, error.message)
        };
        errors.iter().map(line).collect()
    };
    expect![[r#"
        2:17: the initial value 5000000000 cannot be expressed in Promela
        2:33: an array as long as `big` cannot be expressed in Promela
        3:17: the initial value 3000000000 of a register cannot be expressed in Promela
        4:17: any number of copies of `u` cannot be expressed in Promela
        5:17: more than 254 threads cannot be expressed in Promela
    "#]]
    .assert_eq(&errors(fw));
    let fw = "memory unbounded
         shared x
         thread t { local r; r = x; loop { r = r + 1; mem[r] = 1 } }
         thread u { local r; r = 4000000000; r = r ? 1 : 5000000000 }";
    expect![[r#"
        3:55: an unbounded memory cannot be expressed in Promela
        4:30: the number 4000000000 cannot be expressed in Promela
        4:46: the number 5000000000 cannot be expressed in Promela
    "#]]
    .assert_eq(&errors(fw));
}
