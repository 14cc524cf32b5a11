//! Random programs in C and in Rust that mean the same, the same for the same seed.
//!
//! What Rust means is checked by way of C, of which there is a second opinion: each statement is written down
//! twice, once with what `core` and `std` have for it, and once with what it comes down to in C. Overflow and
//! indices out of bounds, which panic, are `abort` there; a `Mutex` is a structure beside a mutex. So little
//! else is undefined or up to the compiler: all operations say whether they wrap, and no expression has two
//! accesses of shared memory.

mod access;
mod expression;
mod statement;

use fastrand::Rng;

use crate::source::Source;

/// The same in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Both {
    c: String,
    rust: String,
}

fn both(c: impl Into<String>, rust: impl Into<String>) -> Both {
    Both { c: c.into(), rust: rust.into() }
}

fn same(text: impl Into<String>) -> Both {
    let text = text.into();
    both(text.clone(), text)
}

/// A type of integers: its name, which is that of Rust, and its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Type {
    name: &'static str,
    bits: u32,
}

const TYPES: [Type; 6] = [
    Type { name: "i32", bits: 32 },
    Type { name: "u8", bits: 8 },
    Type { name: "i16", bits: 16 },
    Type { name: "u32", bits: 32 },
    Type { name: "i64", bits: 64 },
    Type { name: "u64", bits: 64 },
];
const I32: Type = TYPES[0];
const U8: Type = TYPES[1];
const I16: Type = TYPES[2];
const U32: Type = TYPES[3];
const I64: Type = TYPES[4];

/// What can be assigned to, by the thread that owns it.
#[derive(Clone, Debug)]
struct Local {
    text: Both,
    ty: Type,
}

struct Generator {
    random: Rng,
    /// Types of the atomic variables `A0`, `A1`, ….
    atomics: Vec<Type>,
    mutexes: usize,
    has_once: bool,
    can_fail: bool,
    /// Whether threads take two mutexes, each in another order.
    is_crossed: bool,
    locals: Vec<Local>,
    /// How many accesses of shared memory the thread may still make, and how often each is made.
    budget: usize,
    rounds: usize,
    depth: usize,
    /// The mutexes that are held.
    held: Vec<usize>,
    names: usize,
}

/// A program in C, with its observables, and the same in Rust.
pub fn generate_pair(seed: u64) -> (Source, String) {
    let mut random = Rng::with_seed(seed ^ 0x5a5a_0000);
    let atomics = (0..random.usize(1..4)).map(|_| TYPES[random.usize(..TYPES.len())]).collect();
    let mut generator = Generator {
        atomics,
        mutexes: random.usize(0..3),
        has_once: random.usize(..5) == 0,
        can_fail: random.usize(..3) == 0,
        is_crossed: random.usize(..4) == 0,
        random,
        locals: Vec::new(),
        budget: 0,
        rounds: 1,
        depth: 0,
        held: Vec::new(),
        names: 0,
    };
    let lines = generator.program();
    let text =
        |of: fn(&Both) -> &str| lines.iter().map(|line| of(line).to_owned() + "\n").collect();
    let c: String = text(|line| &line.c);
    (Source::written(&c), text(|line| &line.rust))
}

const BEGINNING: [(&str, &str); 16] = [
    ("#include <stdatomic.h>", "#![allow(warnings)]"),
    (
        "typedef unsigned char u8; typedef short i16; typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;",
        "use std::sync::atomic::{self, *, Ordering::*};",
    ),
    (
        "typedef unsigned long pthread_t; typedef struct { i32 lock; i32 others[9]; } pthread_mutex_t;",
        "use std::sync::{Mutex, Once};",
    ),
    (
        "i32 pthread_create(pthread_t *, void *, void *(*)(void *), void *); i32 pthread_join(pthread_t, void **);",
        "use std::thread;",
    ),
    (
        "i32 pthread_mutex_lock(pthread_mutex_t *); i32 pthread_mutex_unlock(pthread_mutex_t *); i32 pthread_mutex_trylock(pthread_mutex_t *);",
        "",
    ),
    (
        "i32 pthread_once(i32 *, void (*)(void)); _Noreturn void abort(void); void *malloc(u64); void free(void *);",
        "",
    ),
    (
        "struct data { i32 a; u8 b; i16 v[3]; };",
        "#[derive(Clone, Copy)] struct Data { a: i32, b: u8, v: [i16; 3] }",
    ),
    ("struct point { i32 x; i64 y; };", "#[derive(Clone, Copy)] struct Point { x: i32, y: i64 }"),
    (
        "static struct point turned(struct point p) { struct point q = { (i32)p.y, p.x }; return q; }",
        "impl Point { fn turned(self) -> Self { Self { x: self.y as i32, y: self.x as i64 } } }",
    ),
    ("static u64 at(u64 index, u64 length) { if (index >= length) abort(); return index; }", ""),
    (
        "static i32 mix(i32 a, i32 b) { return (i32)((u32)a * 3u + (u32)(b >> 2)); }",
        "fn mix(a: i32, b: i32) -> i32 { a.wrapping_mul(3).wrapping_add(b >> 2) }",
    ),
    (
        "static i32 down(i32 n, i32 a) { if (n <= 0) return a; return down(n - 1, mix(a, n)) ^ n; }",
        "fn down(n: i32, a: i32) -> i32 { if n <= 0 { return a; } down(n - 1, mix(a, n)) ^ n }",
    ),
    (
        "static i64 larger(i64 a, i64 b) { return a > b ? a : b; }",
        "fn larger<T: PartialOrd>(a: T, b: T) -> T { if a > b { a } else { b } }",
    ),
    (
        "static void bump(i32 *p, i32 by) { *p = (i32)((u32)*p + (u32)by); }",
        "fn bump(p: &mut i32, by: i32) { *p = p.wrapping_add(by); }",
    ),
    (
        "static i32 some(i32 a, i32 *out) { if (a & 1) return 0; *out = a / 2; return 1; }",
        "fn half(a: i32) -> Option<i32> { if a & 1 != 0 { None } else { Some(a / 2) } }",
    ),
    (
        "static i32 half_or(i32 a, i32 other) { i32 h; return some(a, &h) ? h : other; }",
        "fn half_or(a: i32, other: i32) -> i32 { half(a).unwrap_or(other) }",
    ),
];

impl Generator {
    fn one_in(&mut self, times: usize) -> bool {
        self.random.usize(..times) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.random.usize(..from.len())].clone()
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn can_afford(&self, accesses: usize) -> bool {
        accesses * self.rounds <= self.budget
    }

    fn pay(&mut self, accesses: usize) {
        self.budget = self.budget.saturating_sub(accesses * self.rounds);
    }

    fn program(&mut self) -> Vec<Both> {
        let mut lines: Vec<Both> = BEGINNING.iter().map(|(c, rust)| both(*c, *rust)).collect();
        let threads = if self.one_in(4) { 3 } else { 2 };
        let observables = threads * 2 + self.atomics.len() + self.mutexes * 3;
        lines.extend((0..observables).map(|at| {
            both(
                format!("i64 o{at};"),
                format!("#[no_mangle] pub static o{at}: AtomicI64 = AtomicI64::new(0);"),
            )
        }));
        for (at, ty) in self.atomics.clone().into_iter().enumerate() {
            let (initial, name) = (self.random.u8(..9), ty.name);
            lines.push(both(
                format!("_Atomic {name} A{at} = {initial};"),
                format!("static A{at}: {} = {0}::new({initial});", access::atomic_of(ty)),
            ));
        }
        for at in 0..self.mutexes {
            lines.push(both(
                format!("pthread_mutex_t m{at}; struct data d{at} = {{ {at}, 2, {{ 3, -4, 5 }} }};"),
                format!("static M{at}: Mutex<Data> = Mutex::new(Data {{ a: {at}, b: 2, v: [3, -4, 5] }});"),
            ));
        }
        if self.has_once {
            let name = self.atomics[0].name;
            lines.push(both(
                format!(
                    "i32 once; static void begin(void) {{ atomic_fetch_xor(&A0, ({name})6); }}"
                ),
                "static ONCE: Once = Once::new(); fn begin() { A0.fetch_xor(6, SeqCst); }",
            ));
        }
        for number in 0..threads {
            self.budget = self.random.usize(if threads == 3 { 2..4 } else { 3..6 });
            lines.extend(self.thread(number, threads));
        }
        lines.extend(self.main(threads));
        lines
    }

    fn thread(&mut self, number: usize, threads: usize) -> Vec<Both> {
        let mut lines = vec![both(
            format!("static void *t{number}(void *argument) {{ i32 q = (i32)(i64)argument;"),
            format!("fn t{number}(mut q: i32) -> i64 {{"),
        )];
        self.locals = vec![Local { text: same("q"), ty: I32 }];
        for at in 0..2 {
            let ty = self.pick(&TYPES);
            let value = self.number(ty);
            lines.push(both(
                format!("{} l{at} = {};", ty.name, value.c),
                format!("let mut l{at}: {} = {};", ty.name, value.rust),
            ));
            self.locals.push(Local { text: same(format!("l{at}")), ty });
        }
        // The shape of store buffering, mostly.
        let has_shape = !self.one_in(3);
        let count = self.atomics.len();
        if has_shape {
            lines.push(self.store_to(number % count));
        }
        let statements = self.random.usize(2..5);
        lines.extend(self.block(statements));
        if self.is_crossed && self.mutexes == 2 {
            let (one, other) = (number % 2, (number + 1) % 2);
            lines.push(both(
                format!("pthread_mutex_lock(&m{one}); pthread_mutex_lock(&m{other}); d{one}.a = d{other}.b; pthread_mutex_unlock(&m{other}); pthread_mutex_unlock(&m{one});"),
                format!("{{ let mut one = M{one}.lock().unwrap(); let other = M{other}.lock().unwrap(); one.a = other.b as i32; }}"),
            ));
        }
        if has_shape {
            lines.push(self.load_from((number + 1) % count));
        }
        if number + 1 == threads && self.can_fail {
            lines.push(self.assertion());
        }
        lines.push(both(
            format!("o{number} = (i64)((u64)l0 * 1000003ul + (u64)l1);"),
            format!("o{number}.store((l0 as i64).wrapping_mul(1000003).wrapping_add(l1 as i64), Relaxed);"),
        ));
        let local = self.pick(&self.locals.clone()).text;
        lines.push(both(
            format!("return (void *)(i64){}; }}", local.c),
            format!("return {} as i64; }}", local.rust),
        ));
        lines
    }

    fn main(&mut self, threads: usize) -> Vec<Both> {
        let mut lines = vec![both("int main(void) {", "fn main() {")];
        let scoped = self.one_in(3);
        if scoped {
            lines.push(both("{", "thread::scope(|scope| {"));
        }
        let spawn = if scoped { "scope.spawn" } else { "thread::spawn" };
        for number in 0..threads {
            let argument = self.random.i8(-2..9);
            // Two threads may run the same function.
            let function = if number > 0 && self.one_in(6) { 0 } else { number };
            lines.push(both(
                format!("pthread_t c{number}; void *r{number}; pthread_create(&c{number}, 0, t{function}, (void *)(i64)({argument}));"),
                format!("let c{number} = {spawn}(move || t{function}({argument}));"),
            ));
        }
        let mut observable = threads;
        for number in 0..threads {
            lines.push(both(
                format!("pthread_join(c{number}, &r{number}); o{observable} = (i64)r{number};"),
                format!("o{observable}.store(c{number}.join().unwrap(), Relaxed);"),
            ));
            observable += 1;
        }
        if scoped {
            lines.push(both("}", "});"));
        }
        for at in 0..self.atomics.len() {
            lines.push(both(
                format!("o{observable} = (i64)A{at};"),
                format!("o{observable}.store(A{at}.load(SeqCst) as i64, Relaxed);"),
            ));
            observable += 1;
        }
        for at in 0..self.mutexes {
            for (c, rust) in [("a", "a"), ("b", "b"), ("v[1]", "v[1]")] {
                lines.push(both(
                    format!("pthread_mutex_lock(&m{at}); o{observable} = (i64)d{at}.{c}; pthread_mutex_unlock(&m{at});"),
                    format!("o{observable}.store(M{at}.lock().unwrap().{rust} as i64, Relaxed);"),
                ));
                observable += 1;
            }
        }
        lines.push(both("return 0; }", "}"));
        lines
    }
}
