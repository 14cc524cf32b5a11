//! Types, functions and variables that all threads of a program share.

use super::{Generator, I32, I64, Place, TYPES, Type, U32};
use crate::source::Piece;

/// What every program may use. Declarations instead of headers: compilers spend most of their time in these.
const PRELUDE: [&str; 46] = [
    "#include <stdatomic.h>",
    "typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;",
    "typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;",
    "typedef unsigned long pthread_t; typedef struct { i32 lock; i32 others[9]; } pthread_mutex_t;",
    "i32 pthread_create(pthread_t *, void *, void *(*)(void *), void *); i32 pthread_join(pthread_t, void **);",
    "_Noreturn void pthread_exit(void *);",
    "i32 pthread_mutex_lock(pthread_mutex_t *); i32 pthread_mutex_unlock(pthread_mutex_t *);",
    "i32 pthread_mutex_trylock(pthread_mutex_t *);",
    "void *malloc(u64); void *calloc(u64, u64); void free(void *); void *memset(void *, i32, u64);",
    "void *memcpy(void *, const void *, u64); void *memmove(void *, const void *, u64);",
    "typedef struct { i32 unused[12]; } pthread_cond_t; typedef struct { i32 count; i32 others[7]; } pthread_barrier_t;",
    "typedef i32 pthread_once_t; typedef i32 once_flag;",
    "i32 pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *); i32 pthread_cond_signal(pthread_cond_t *); i32 pthread_cond_broadcast(pthread_cond_t *);",
    "i32 pthread_barrier_init(pthread_barrier_t *, void *, u32); i32 pthread_barrier_wait(pthread_barrier_t *);",
    "i32 pthread_once(pthread_once_t *, void (*)(void)); void call_once(once_flag *, void (*)(void));",
    "_Noreturn void abort(void); _Noreturn void __assert_fail(const char *, const char *, u32, const char *);",
    "enum kind { FIRST, SECOND = 3, THIRD };",
    "union word { u32 u; i32 i; };",
    "struct inner { i16 h; u8 b; };",
    "struct cell { u8 tag; i32 n; _Atomic u16 a; struct inner in; i64 w; u8 v[4]; };",
    "struct node { i32 value; struct node *next; };",
    "struct flags { u32 x : 3; u32 y : 7; i32 z : 5; };",
    "struct small { i32 a; i16 b; u8 c; };",
    "struct dense { u16 h; u8 b; i8 c; i32 n; };",
    "struct wide { i64 a; i32 b; u8 c[4]; i16 d; };",
    "union mixed { u64 w; u32 u; u16 h[4]; u8 b[8]; };",
    "static const i16 table[4] = { 7, -300, 11, 32767 };",
    "static i32 add(i32 a, i32 b) { return a + b; }",
    "static i32 take(i32 a, i32 b) { return a - b; }",
    "static i32 mix(i32 a, i32 b) { return (a ^ (b << 2)) + (b >> 3); }",
    "static i32 (*const operations[3])(i32, i32) = { add, take, mix };",
    "static i32 twice(i32 (*f)(i32, i32), i32 a, i32 b) { return f(f(a, b), b); }",
    "static i32 down(i32 n, i32 a) { if (n <= 0) return a; return down(n - 1, a * 3 + n) ^ n; }",
    "static i32 bump(i32 *p, i32 by) { *p += by; return *p; }",
    "static i32 sink(i32 n, i32 *p) { if (n <= 0) return *p; *p ^= n; return sink(n - 1, p) + 1; }",
    "static i32 lift(_Atomic i32 *p, i32 by) { return atomic_fetch_add_explicit(p, by, memory_order_relaxed); }",
    "static void swap(i32 *a, i32 *b) { i32 t = *a; *a = *b; *b = t; }",
    "static i32 tick(void) { static i32 count = 3; count += 2; return count; }",
    "static i32 *choose(i32 k, i32 *a, i32 *b) { return k & 1 ? a : b; }",
    "static struct small make(i32 a, i32 b) { struct small s; s.a = a; s.b = (i16)b; s.c = (u8)(a + b); return s; }",
    "static i32 total(struct small s) { return s.a + s.b * 3 + s.c; }",
    "static struct wide turned(struct wide w, i32 by) { w.a -= by; w.c[by & 3]++; w.d = (i16)(w.b + w.c[1]); return w; }",
    "static i32 chain(i32 n, i32 a) { struct node *list = 0; for (i32 i = 0; i < n; i++) { struct node *one = malloc(sizeof *one); one->value = a + i; one->next = list; list = one; } i32 sum = 0; for (struct node *at = list; at; at = at->next) sum = sum * 5 + at->value; return sum; }",
    "static void *helper(void *argument) { i32 *q = argument; *q += 5; return argument; }",
    "static void fill(u8 *p, i32 n, u8 with) { for (i32 i = 0; i < n; i++) p[i] = (u8)(with + i); }",
    "static i64 width(enum kind k) { switch (k) { case FIRST: return 1; case SECOND: return -7; default: return 100; } }",
];

pub(super) fn prelude() -> Vec<Piece> {
    PRELUDE.iter().map(|line| Piece::line(*line)).collect()
}

/// Variables of a program, by what can be done with them.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each variable is there or not")]
pub(super) struct Globals {
    pub(super) all: Vec<Place>,
    /// Those that are accessed most.
    pub(super) hot: Vec<Place>,
    pub(super) mutexes: usize,
    /// Plain `i32`s: what `p0` and `q0` may point to.
    pub(super) numbers: Vec<String>,
    pub(super) has_pointer: bool,
    pub(super) has_atomic_pointer: bool,
    pub(super) has_stack: bool,
    /// Names of structures `cell`.
    pub(super) cells: Vec<String>,
    pub(super) has_thread_local: bool,
    pub(super) has_array_of_mutexes: bool,
    pub(super) has_dense: bool,
    /// Whether every thread has a fence between its first store and its last load.
    pub(super) has_fences: bool,
    /// Whether the second thread waits until the first says something.
    pub(super) has_signal: bool,
    /// Whether it does so by a condition variable.
    pub(super) has_condition: bool,
    /// Whether the threads that `main` creates meet at a barrier.
    pub(super) has_barrier: bool,
    /// Whether something is done once.
    pub(super) has_once: bool,
    /// Whether there are assertions.
    pub(super) has_assertions: bool,
}

/// The numbers in a structure `cell`.
pub(super) fn fields(cell: &str) -> Vec<Place> {
    let field =
        |name: &str, ty: Type, is_atomic| Place::new(format!("{cell}{name}"), ty, is_atomic);
    vec![
        field("tag", TYPES[1], false),
        field("n", I32, false),
        field("a", TYPES[3], true),
        field("in.h", TYPES[2], false),
        field("in.b", TYPES[1], false),
        field("w", I64, false),
        field("v[@ & 3]", TYPES[1], false),
    ]
}

impl Generator {
    /// How shared variables are qualified. Even without optimisation clang now and then reads a plain variable
    /// once where it is read twice.
    pub(super) fn plain(&self) -> &'static str {
        if self.is_ordered { "" } else { "volatile " }
    }

    /// Declares the variables of a program: few of each kind, so that threads meet.
    pub(super) fn declare_globals(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut places = Vec::new();
        let plain = self.plain();
        for at in 0..self.random.usize(1..4) {
            let ty = if at == 0 && self.one_in(2) { I32 } else { self.ty() };
            let initial = self.number(ty);
            pieces.push(format!("_Atomic {} a{at} = {initial};", ty.name));
            places.push(Place::new(format!("a{at}"), ty, true));
        }
        for at in 0..self.random.usize(1..3) {
            let initial = self.number(I32);
            pieces.push(format!("{plain}i32 g{at} = {initial};"));
            places.push(Place::new(format!("g{at}"), I32, false));
            self.globals.numbers.push(format!("g{at}"));
        }
        if self.one_in(2) {
            let (ty, initial) = (self.ty(), self.ty());
            let initial = self.number(initial);
            let qualifier = self.pick(&["volatile ", "static ", ""]);
            pieces.push(format!("{plain}{qualifier}{} x0 = ({}){initial};", ty.name, ty.name));
            places.push(Place::new("x0", ty, false));
        }
        if self.one_in(3) {
            let ty = self.ty();
            let one = self.number(ty);
            pieces.push(format!("{plain}{} v0[4] = {{ 1, {one}, 3 }};", ty.name));
            let ways = ["v0[@ & 3]", "(*(v0 + (@ & 3)))", "(&v0[1])[@ & 1]", "v0[2]"];
            places.push(Place::new(self.pick(&ways), ty, false));
            places.push(Place::new("v0[@ & 3]", ty, false));
        }
        if self.one_in(4) {
            pieces.push(format!("{plain}i32 v1[3] = {{ 5, -6, 7 }};"));
            places.push(Place::new("v1[1]", I32, false));
            self.globals.numbers.extend(["v1[0]".to_owned(), "v1[1]".to_owned()]);
        }
        if self.one_in(4) {
            pieces.push("_Atomic u8 v2[2] = { 255, 1 };".to_owned());
            places.push(Place::new("v2[@ & 1]", TYPES[1], true));
        }
        if self.one_in(3) {
            pieces.push(format!(
                "{plain}struct cell s0 = {{ 1, -2, 3, {{ -4, 5 }}, -6, {{ 7, 8, 9, 250 }} }};"
            ));
            places.extend(fields("s0."));
            self.globals.cells.push("s0".to_owned());
            self.globals.numbers.push("s0.n".to_owned());
        }
        if self.one_in(4) {
            pieces.push(format!(
                "{plain}struct cell ss[2] = {{ {{ 9 }}, {{ .n = 8, .w = 1ll << 40 }} }};"
            ));
            let field = self.pick(&fields("ss[@ & 1]."));
            places.push(field);
            places.push(Place::new("ss[1].n", I32, false));
            self.globals.cells.extend(["ss[0]".to_owned(), "ss[1]".to_owned()]);
        }
        if self.one_in(5) {
            pieces.push(format!("{plain}struct dense d0 = {{ 60000, 200, -5, 77 }};"));
            for (field, ty) in [("h", TYPES[3]), ("b", TYPES[1]), ("c", TYPES[0]), ("n", I32)] {
                places.push(Place::new(format!("d0.{field}"), ty, false));
            }
            self.globals.has_dense = true;
        }
        if self.one_in(6) {
            pieces.push(format!("{plain}union word w0 = {{ 4000000000u }};"));
            places.push(Place::new("w0.u", U32, false));
            places.push(Place::new("w0.i", I32, false));
        }
        // How wide an access of a bit-field is, compilers choose.
        if !self.is_ordered && self.one_in(4) {
            pieces.push(format!("{plain}struct flags b0 = {{ 5, 100, -3 }};"));
            places.push(Place::new("b0.x", U32, false));
            places.push(Place::new("b0.z", I32, false));
        }
        if self.one_in(6) {
            pieces.push(format!("{plain}enum kind k0 = SECOND;"));
            places.push(Place::new("k0", U32, false));
        }
        // Threads meet where there are few places to be.
        self.random.shuffle(&mut places);
        self.globals.hot = places[..places.len().min(3)].to_vec();
        self.globals.all = places;
        pieces.extend(self.declare_others());
        pieces.into_iter().map(Piece::line).collect()
    }

    /// What a routine that is called once changes.
    fn once_target(&mut self) -> String {
        let place = self.pick(&self.globals.hot.clone());
        place.text.replace('@', "1")
    }

    /// Declares pointers, mutexes and what else is there by itself.
    fn declare_others(&mut self) -> Vec<String> {
        let plain = self.plain();
        let mut pieces = Vec::new();
        if self.one_in(3) {
            let target = self.pick(&self.globals.numbers.clone());
            pieces.push(format!("{plain}i32 *{plain}p0 = &{target};"));
            self.globals.has_pointer = true;
        }
        if self.one_in(4) {
            let target = self.pick(&self.globals.numbers.clone());
            pieces.push(format!("_Atomic({plain}i32 *) q0 = &{target};"));
            self.globals.has_atomic_pointer = true;
        }
        if self.one_in(5) {
            pieces.push("_Atomic(struct node *) top;".to_owned());
            self.globals.has_stack = true;
        }
        if self.one_in(5) {
            pieces.push("static _Thread_local i32 tl = 6;".to_owned());
            self.globals.has_thread_local = true;
        }
        if self.one_in(6) {
            pieces.push("pthread_mutex_t ms[2];".to_owned());
            self.globals.has_array_of_mutexes = true;
        }
        if self.one_in(6) {
            pieces.push("_Atomic i32 ready;".to_owned());
            self.globals.has_signal = true;
        }
        if self.one_in(8) {
            pieces.push("pthread_mutex_t cm; pthread_cond_t cv;".to_owned());
            pieces.push(format!("{plain}i32 said;"));
            self.globals.has_condition = true;
        }
        if self.one_in(10) {
            pieces.push("pthread_barrier_t barrier;".to_owned());
            self.globals.has_barrier = true;
        }
        if self.one_in(8) {
            let (place, other) = (self.once_target(), self.once_target());
            pieces.push("pthread_once_t once; once_flag again;".to_owned());
            pieces.push(format!("static void first(void) {{ {place} += 3; }}"));
            pieces.push(format!("static void second(void) {{ {other} ^= 5; {place} -= 1; }}"));
            self.globals.has_once = true;
        }
        self.globals.has_assertions = self.one_in(4);
        self.globals.has_fences = self.one_in(5);
        self.globals.mutexes = self.random.usize(0..3);
        for at in 0..self.globals.mutexes {
            pieces.push(format!("pthread_mutex_t m{at};"));
        }
        pieces
    }
}
