//! Inline assembly of x86 as headers write it, and the steps it becomes.

mod tools;

use std::fmt::Write;

use program::Program;

use crate::tools::{Workshop, entry, lower, shown};

/// Variables that statements may use: `x`, `y`, `c`, `bits` in memory, `p` a pointer to `x`, `v` a
/// number that is not known, `r` and `ok` for results, which are stored in `out` and `done` at the
/// end, `unused` for others.
const HEAD: &str = "int x, out, given; long y; unsigned char c, done; unsigned long bits[2];\n";

/// A statement, and the steps it becomes.
const STATEMENTS: &[(&str, &str)] = &[
    // Compiler barriers, fences, waiting.
    (r#""" ::: "memory""#, ""),
    (r#""mfence" ::: "memory""#, "fence"),
    (r#""lfence" ::: "memory""#, "fence(load_load)"),
    (r#""sfence" ::: "memory""#, "fence(store_store)"),
    (r#""lock; addl $0,0(%%rsp)" ::: "memory", "cc""#, "fence"),
    (r#""lock; orq $0,(%%rsp)" ::: "memory", "cc""#, "fence"),
    (r#""lock orl $0x0, -4(%%rsp)" ::: "memory""#, "fence"),
    (r#""rep; nop" ::: "memory""#, ""),
    (r#""pause""#, ""),
    // Moves.
    (
        r#""movl %1, %0" : "=r"(r) : "m"(x) : "memory""#,
        "r = v; read = load([x], volatile, bytes(4)); r = read",
    ),
    (
        r#""movl (%1), %0" : "=r"(r) : "r"(p)"#,
        "r = v; read = load([x], volatile, bytes(4)); r = read",
    ),
    (
        r#""mov{l %1, %0| %0, %1}" : "=r"(r) : "m"(x)"#,
        "r = v; read = load([x], volatile, bytes(4)); r = read",
    ),
    (
        r#""movzbl %1, %0" : "=r"(r) : "m"(c)"#,
        "r = v; read = load([c], volatile, bytes(1)); r = u8(read)",
    ),
    (
        r#""movsbl %1, %0" : "=r"(r) : "m"(c)"#,
        "r = v; read = load([c], volatile, bytes(1)); r = read",
    ),
    (r#""movl %1, %0" : "=m"(x) : "ir"(5) : "memory""#, "store([x], 5, volatile, bytes(4))"),
    (r#""movl $7, %0" : "=m"(x)"#, "store([x], 7, volatile, bytes(4))"),
    (r#""movb %b1, %0" : "=m"(c) : "q"(v)"#, "store([c], i8(v), volatile, bytes(1))"),
    (r#""movq %1, %0" : "=m"(y) : "r"(3l)"#, "store([y], 3, volatile, bytes(8))"),
    // Exchanges are locked with or without the prefix.
    (
        r#""xchgl %0, %1" : "+m"(x), "+r"(r) : : "memory""#,
        "r = v; old = xchg([x], r, seq_cst, bytes(4)); r = old",
    ),
    (
        r#""lock; xchgl %0, %1" : "=r"(r), "+m"(x) : "0"(v) : "memory""#,
        "r = v; old = xchg([x], v, seq_cst, bytes(4)); r = old",
    ),
    (
        r#""xchgl %0, %1" : "+r"(r), "+r"(v)"#,
        "v = v; r = v; _asmresult1 = r; r = v; v = _asmresult1",
    ),
    // Locked operations.
    (
        r#""lock xaddl %0, %1" : "+r"(r), "+m"(x) : : "memory", "cc""#,
        "r = v; old = fetch_add([x], r, seq_cst, bytes(4)); r = old",
    ),
    (r#""lock; incl %0" : "+m"(x)"#, "old = fetch_add([x], 1, seq_cst, bytes(4))"),
    (r#""lock decl %0" : "+m"(x)"#, "old = fetch_sub([x], 1, seq_cst, bytes(4))"),
    (r#""lock; addl %1, %0" : "+m"(x) : "ir"(v)"#, "old = fetch_add([x], v, seq_cst, bytes(4))"),
    (r#""lock; subl $2, %0" : "+m"(x)"#, "old = fetch_sub([x], 2, seq_cst, bytes(4))"),
    (r#""lock; andl $2, %0" : "+m"(x)"#, "old = fetch_and([x], 2, seq_cst, bytes(4))"),
    (r#""lock; orb $2, %0" : "+m"(c)"#, "old = fetch_or([c], 2, seq_cst, bytes(1))"),
    (r#""lock; xorq $2, %0" : "+m"(y)"#, "old = fetch_xor([y], 2, seq_cst, bytes(8))"),
    (r#""lock; notl %0" : "+m"(x)"#, "old = fetch_xor([x], -1, seq_cst, bytes(4))"),
    (
        r#""lock; negl %0" : "+m"(x)"#,
        "lock_memory; read = load([x], volatile, bytes(4)); store([x], i32(0 - read), volatile, bytes(4)); unlock_memory",
    ),
    (
        r#"".section .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.previous\n671:\n\tlock; incl %0" : "+m"(x)"#,
        "old = fetch_add([x], 1, seq_cst, bytes(4))",
    ),
    (
        r#""lock; decl %0; sete %1" : "+m"(x), "=qm"(ok) : : "memory""#,
        "old = fetch_sub([x], 1, seq_cst, bytes(4)); ok = i32(old - 1) == 0",
    ),
    // Compare-and-exchange.
    (
        r#""lock; cmpxchgl %2, %1" : "=a"(r), "+m"(x) : "r"(v), "0"(3) : "memory""#,
        "r = v; old = cmpxchg([x], 3, v, seq_cst, bytes(4)); r = old",
    ),
    (
        r#""lock cmpxchgl %3, %0; setz %1" : "+m"(x), "=a"(ok) : "a"(3), "q"(4) : "memory", "cc""#,
        "old = cmpxchg([x], 3, 4, seq_cst, bytes(4)); ok = 3 == old",
    ),
    (
        r#""lock cmpxchgl %3, %0" : "+m"(x), "=@ccz"(ok), "+a"(r) : "q"(4) : "memory""#,
        "r = v; held = r; old = cmpxchg([x], held, 4, seq_cst, bytes(4)); ok = r == old; r = old",
    ),
    (
        r#""cmpxchgl %2, %1" : "=a"(r), "+m"(x) : "r"(4), "0"(3) : "memory""#,
        "r = v; read = load([x], volatile, bytes(4)); store([x], (read == 3 ? 4 : read), volatile, bytes(4)); r = read",
    ),
    // Without `lock`, a load and a store.
    (
        r#""incl %0" : "+m"(x)"#,
        "read = load([x], volatile, bytes(4)); store([x], i32(read + 1), volatile, bytes(4))",
    ),
    (
        r#""xaddl %0, %1" : "+r"(r), "+m"(x)"#,
        "r = v; read = load([x], volatile, bytes(4)); store([x], i32(read + r), volatile, bytes(4)); r = read",
    ),
    // Bits.
    (
        r#""lock; btsq %2, %1; setc %0" : "=r"(ok), "+m"(bits) : "Ir"(67l) : "memory""#,
        "old = fetch_or([bits[1]], 8, seq_cst, bytes(8)); ok = old >> 3 & 1",
    ),
    (
        r#""lock; btrl $5, %0" : "+m"(x) : : "memory""#,
        "old = fetch_and([x], -33, seq_cst, bytes(4))",
    ),
    (r#""lock; btcl $0, %0" : "+m"(x) : : "memory""#, "old = fetch_xor([x], 1, seq_cst, bytes(4))"),
    (
        r#""btl $1, %1; sbbl %0, %0" : "=r"(r) : "m"(x)"#,
        "r = v; read = load([x], volatile, bytes(4)); r = -(read >> 1 & 1)",
    ),
    // Registers by name, several instructions.
    (
        r#""movl $1, %%eax; xchgl %%eax, %0; movl %%eax, %1" : "+m"(x), "=r"(r) : : "eax", "memory""#,
        "r = v; old = xchg([x], 1, seq_cst, bytes(4)); r = old",
    ),
    (
        r#""mov %1, %%ecx\n\tadd $2, %%ecx\n\tmov %%ecx, %0" : "=m"(x) : "r"(v) : "ecx""#,
        "store([x], i32(v + 2), volatile, bytes(4))",
    ),
    // What the machine alone knows, where nobody needs it.
    (r#""rdtsc" : "=a"(unused) : : "edx""#, ""),
    (r#""cpuid" : "=a"(unused) : "a"(0) : "ebx", "ecx", "edx""#, "fence"),
    (
        r#""lock; cmpxchg8b %0" : "+m"(y) : "a"(0), "d"(0), "b"(1), "c"(1)"#,
        "lock_memory; read = load([y], relaxed, bytes(4)); word = read; \
         read_2 = load([y#2], relaxed, bytes(4)); word_2 = read_2; \
         success = word == 0 && word_2 == 0; if !success { goto L12 }; \
         store([y], 1, relaxed, bytes(4)); store([y#2], 1, relaxed, bytes(4)); \
         L12: unlock_memory",
    ),
];

/// Statements that are refused, and what is said.
const REFUSED: &[(&str, &str)] = &[
    (r#""rdtsc" : "=a"(r) : : "edx""#, "what `rdtsc` gives cannot be expressed"),
    (r#""jmp 1f\n1:""#, "the assembly `jmp 1f` is not understood"),
    (r#""lock; movl $1, %0" : "=m"(x)"#, "is not understood"),
    (r#""lock; addl $1, (%%rsp)" ::: "memory""#, "is not understood"),
    (r#""movl %%fs:0, %0" : "=r"(r)"#, "is not understood"),
    (r#""xorps %xmm0, %xmm0""#, "is not understood"),
    (r#""movl %%ecx, %0" : "=r"(r)"#, ""),
    (r#""addl %%ecx, %0" : "=m"(x)"#, "uses a value that is not known"),
    (r#""movnti %1, %0" : "=m"(x) : "r"(v)"#, "is not understood"),
    (r#""sete %0" : "=q"(ok)"#, "uses a value that is not known"),
];

fn text(statements: &[&str]) -> String {
    let mut text = HEAD.to_owned();
    for (number, statement) in statements.iter().enumerate() {
        writeln!(text, "void f{number}(void) {{ int v = given, r = v, *p = &x; unsigned char ok = 0; int unused;\n__asm__ volatile({statement});\nout = r; done = ok; }}").expect("a string takes it");
    }
    text
}

/// The steps of a thread, with names for addresses. What is the same everywhere is left out: that
/// `given` is read as `v` at first, and that `out` and `done` are written at last.
fn steps(program: &Program) -> String {
    let mut text = frontend::print(program, frontend::Language::Fw).expect("a text");
    for location in program.memory().locations() {
        text = text.replace(&format!("mem[{}]", location.base), &format!("[{}]", location.name));
    }
    let lines = text.lines().map(str::trim);
    let body = lines.skip_while(|line| !line.starts_with("thread")).skip(1);
    let body = body.take_while(|line| *line != "}");
    let steps = body.filter(|line| *line != "skip" && !line.starts_with("local "));
    let steps: Vec<String> = steps.map(|line| line.replace("_0", "v")).collect();
    match steps.as_slice() {
        [first, between @ .., out, done]
            if first == "v = load([given], bytes(4))"
                && out.starts_with("store([out]")
                && done.starts_with("store([done]") =>
        {
            between.join("; ")
        }
        _ => format!("? {steps:?}"),
    }
}

#[test]
fn statements_become_these_steps() {
    let statements: Vec<&str> = STATEMENTS.iter().map(|(statement, _)| *statement).collect();
    let text = text(&statements);
    let modules = [Workshop::new("assembly").module("assembly.c", &text)];
    let mut wrong = String::new();
    for (number, (statement, expected)) in STATEMENTS.iter().enumerate() {
        let (found, sources) =
            lower(&modules, &[("assembly.c", &text)], &[entry(&format!("f{number}"))]);
        let found = match found {
            Ok(lowered) => steps(&lowered.program),
            Err(errors) => shown(&errors, &sources),
        };
        if found != *expected {
            writeln!(wrong, "{statement}\n  {found}\n  {expected}").expect("a string takes it");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_is_not_understood_is_refused_where_it_stands() {
    let statements: Vec<&str> = REFUSED.iter().map(|(statement, _)| *statement).collect();
    let text = text(&statements);
    let modules = [Workshop::new("refused").module("refused.c", &text)];
    for (number, (statement, expected)) in REFUSED.iter().enumerate() {
        let (found, sources) =
            lower(&modules, &[("refused.c", &text)], &[entry(&format!("f{number}"))]);
        let line = 3 + 3 * number;
        let is_there = |message: &str| {
            // The statement itself, or the use of its result on the next line.
            [line, line + 1].iter().any(|at| message.contains(&format!("refused.c:{at}: ")))
                && message.contains(expected)
        };
        match found {
            Ok(lowered) if expected.is_empty() => drop(lowered),
            Ok(lowered) => panic!("{statement} became {}", steps(&lowered.program)),
            Err(errors) => {
                let message = shown(&errors, &sources);
                assert!(is_there(&message), "{statement}: {message}");
            }
        }
    }
}
