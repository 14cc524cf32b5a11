//! What has no meaning in C, as the oracle finds it in the translated program: every error under SC and under TSO.

mod tools;

use std::collections::BTreeSet;

use lowering::{Environment, Lifetimes};
use oracle::{Limits, MemoryModel, has_deadlock, reachable_errors};
use program::{EdgeId, Fault, Program, ThreadId};

use crate::tools::{Workshop, lower_with_memory, shown};

const LIMITS: Limits = Limits { max_states: 300_000, max_length: 200 };

const NONE: &str = "";
const CONSTANT: &str = "write to a constant";
const RETURNED: &str = "use of a local variable whose function has returned";
const FREED: &str = "use of memory that has been freed";
const JOINED: &str = "a thread is joined or detached that was joined or detached before";
const NOT_HELD: &str = "a lock is released by a thread that does not hold it";
const AGAIN: &str = "a lock is taken by the thread that holds it already";
const HELD: &str = "a lock is destroyed while a thread holds it";
const DESTROYED: &str = "use of a lock that has been destroyed";
const SHIFT: &str = "shift by as many bits as the number has, or more";
const QUOTIENT: &str = "the quotient does not fit into its type";
const BEYOND: &str = "panic: index out of bounds";
const FAILS: &str = "assertion failed";
const HANGS: &str = "hangs";

/// What every program includes.
const HEADERS: &str = "#include <alloca.h>\n#include <assert.h>\n#include <limits.h>\n#include <pthread.h>\n\
    #include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#include <threads.h>\n#include <time.h>\n\
    int fencewright_choose(int, int);\n";

/// The text of a program behind its headers, and what goes wrong in it.
type Row = (&'static str, &'static str);

const CONSTANTS: &[Row] = &[
    ("static const int k = 1; int main(void) { *(int *)&k = 2; return k; }", CONSTANT),
    ("int main(void) { char *s = \"abc\"; s[0] = 1; return s[0]; }", CONSTANT),
    ("int main(void) { char *s = \"abc\"; memset(s, 0, 2); }", CONSTANT),
    ("const char s[4] = \"abc\"; int main(void) { memcpy((char *)s, \"xyz\", 2); }", CONSTANT),
    (
        "int x; const int k = 1;
        int main(void) { int *p = fencewright_choose(0, 1) ? &x : (int *)&k; *p = 2; }",
        CONSTANT,
    ),
    (
        "const _Atomic int k = 1; int main(void) { atomic_fetch_add((_Atomic int *)&k, 1); }",
        CONSTANT,
    ),
    (
        "const int k = 1; int x;
        int main(void) { x = k; int y = *(volatile const int *)&k; assert(y == 1 && x == 1); }",
        NONE,
    ),
];

const LOCALS: &[Row] = &[
    ("int *g; void f(void) { int x = 1; g = &x; } int main(void) { f(); return *g; }", RETURNED),
    ("int *g; void f(void) { int x = 1; g = &x; } int main(void) { f(); *g = 2; }", RETURNED),
    ("int *f(void) { int x = 1, *p = &x; return p; } int main(void) { return *f(); }", RETURNED),
    (
        "int *g; void f(void) { int *p = alloca(4); *p = 1; g = p; }
        int main(void) { f(); return *g; }",
        RETURNED,
    ),
    ("int *g; void f(void) { g = (int[]){1, 2}; } int main(void) { f(); return g[1]; }", RETURNED),
    (
        "int *g; void f(void) { int x[4] = {1, 2, 3, 4}; g = x; }
        int main(void) { int y[4]; f(); memcpy(y, g, sizeof y); return y[0]; }",
        RETURNED,
    ),
    (
        "struct s { int a[8]; }; int *g; void f(struct s v) { g = &v.a[1]; }
        int main(void) { struct s v = {{1, 2}}; f(v); return *g; }",
        RETURNED,
    ),
    (
        "struct s { int a[8]; }; int h(int *p) { return p[1]; } int f(struct s v) { return h(v.a); }
        int main(void) { struct s v = {{1, 2}}; assert(f(v) == 2); assert(f(v) == 2); }",
        NONE,
    ),
    (
        "struct s { int a[8]; }; int *g; int f(struct s v) { g = &v.a[1]; return *g; }
        int main(void) { struct s v = {{1, 2}}; assert(f(v) == 2); }",
        NONE,
    ),
    (
        "int y; void *t(void *p) { y = *(int *)p; return 0; }
        void start(pthread_t *h) { int x = 1; pthread_create(h, 0, t, &x); }
        int main(void) { pthread_t h; start(&h); pthread_join(h, 0); }",
        RETURNED,
    ),
    (
        "void *t(void *p) { *(int *)p = 3; return 0; }
        void start(pthread_t *h) { int x = 1; pthread_create(h, 0, t, &x); }
        int main(void) { pthread_t h; start(&h); pthread_join(h, 0); }",
        RETURNED,
    ),
    (
        "int *_Atomic g; void *t(void *p) { int x = 1; g = &x; return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); return *g; }",
        RETURNED,
    ),
    (
        "int *_Atomic g; void *t(void *p) { int x = 1; g = &x; pthread_exit(0); }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); return *g; }",
        RETURNED,
    ),
    (
        "int y; void *t(void *p) { y = *(int *)p; return 0; }
        int main(void) { pthread_t h; int x = 1; pthread_create(&h, 0, t, &x); pthread_exit(0); }",
        RETURNED,
    ),
    (
        "_Thread_local int x; int *_Atomic g; void *t(void *p) { g = &x; return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); return *g; }",
        RETURNED,
    ),
    (
        "_Thread_local int x; int *_Atomic g; void *t(void *p) { g = &x; while (g); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); int *p; while (!(p = g));
            int y = *p; g = 0; pthread_join(h, 0); x = y; int *q = &x; return *q; }",
        NONE,
    ),
    // Who returns from `main` ends the process.
    (
        "int y; void *t(void *p) { y = *(int *)p; return 0; }
        int main(void) { pthread_t h; int x = 1; pthread_create(&h, 0, t, &x); return 0; }",
        NONE,
    ),
    (
        "void *t(void *p) { *(int *)p = 3; return 0; }
        int run(void) { pthread_t h; int x = 1; pthread_create(&h, 0, t, &x); pthread_join(h, 0);
            return x; }
        int main(void) { int a = run(), b = run(); assert(a == 3 && b == 3); }",
        NONE,
    ),
    (
        "void *t(void *p) { *(int *)p = 3; return 0; }
        int run(void) { pthread_t h; int x = 1; pthread_create(&h, 0, t, &x); pthread_join(h, 0);
            return x; }
        int main(void) { for (int i = 0; i < 2; i++) assert(run() == 3); }",
        NONE,
    ),
];

const JOINS: &[Row] = &[
    // That nobody creates the second thread is learnt after it was translated.
    (
        "struct flags { unsigned x : 3; unsigned y : 7; };
        void *u(void *a) { return a; }
        void *t(void *a) { struct flags f = { 1, 2 }; f.y = 0; long l = 27669;
            switch ((int)(l - f.x)) { case 3: { pthread_t h; pthread_create(&h, 0, u, 0); } }
            return a; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); }",
        NONE,
    ),
    (
        "void *t(void *p) { return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
            pthread_join(h, 0); pthread_join(h, 0); }",
        JOINED,
    ),
    (
        "pthread_t h; void *t(void *p) { return 0; } void *u(void *p) { pthread_join(h, 0); return 0; }
        int main(void) { pthread_t k; pthread_create(&h, 0, t, 0); pthread_create(&k, 0, u, 0);
            pthread_join(h, 0); pthread_join(k, 0); }",
        JOINED,
    ),
    (
        "pthread_t h[3]; int at[3] = {0, 1, 1}; void *t(void *p) { return 0; }
        int main(void) { for (int i = 0; i < 3; i++) pthread_create(&h[i], 0, t, 0);
            for (int i = 0; i < 3; i++) pthread_join(h[at[i]], 0); }",
        JOINED,
    ),
    (
        "void *t(void *p) { return 0; }
        int main(void) { pthread_t h[2]; for (int i = 0; i < 2; i++) pthread_create(&h[i], 0, t, 0);
            for (int i = 0; i < 2; i++) pthread_join(h[i], 0); }",
        NONE,
    ),
    (
        "void *t(void *p) { return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
            pthread_detach(h); pthread_join(h, 0); }",
        JOINED,
    ),
    (
        "void *t(void *p) { pthread_detach(pthread_self()); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); }",
        JOINED,
    ),
    (
        "int t(void *p) { return 0; }
        int main(void) { thrd_t h; thrd_create(&h, t, 0); thrd_join(h, 0); thrd_detach(h); }",
        JOINED,
    ),
    (
        "void *t(void *p) { return 0; }
        int main(void) { pthread_t h; pthread_attr_t a; pthread_attr_init(&a);
            pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
            pthread_create(&h, &a, t, 0); pthread_join(h, 0); }",
        JOINED,
    ),
    (
        "void *t(void *p) { return 0; }
        int main(void) { pthread_t h; pthread_attr_t a; pthread_attr_init(&a);
            pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE);
            pthread_create(&h, &a, t, 0); pthread_join(h, 0); }",
        NONE,
    ),
    (
        "void *t(void *p) { return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_detach(h); }",
        NONE,
    ),
];

const LOCKS: &[Row] = &[
    ("pthread_mutex_t m; int main(void) { pthread_mutex_unlock(&m); }", NOT_HELD),
    ("mtx_t m; int main(void) { mtx_init(&m, mtx_plain); mtx_unlock(&m); }", NOT_HELD),
    (
        "pthread_mutex_t m; void *t(void *p) { pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_mutex_lock(&m); pthread_create(&h, 0, t, 0);
            pthread_join(h, 0); }",
        NOT_HELD,
    ),
    (
        "pthread_mutex_t m; int main(void) { if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);
            pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }",
        NONE,
    ),
    ("pthread_spinlock_t s; int main(void) { pthread_spin_unlock(&s); }", NOT_HELD),
    ("pthread_rwlock_t r; int main(void) { pthread_rwlock_unlock(&r); }", NOT_HELD),
    (
        "pthread_rwlock_t r; void *t(void *p) { pthread_rwlock_unlock(&r); return 0; }
        int main(void) { pthread_t h; pthread_rwlock_wrlock(&r); pthread_create(&h, 0, t, 0);
            pthread_join(h, 0); }",
        NOT_HELD,
    ),
    (
        "pthread_rwlock_t r; int main(void) { pthread_rwlock_wrlock(&r); pthread_rwlock_unlock(&r);
            pthread_rwlock_rdlock(&r); pthread_rwlock_unlock(&r); }",
        NONE,
    ),
    ("pthread_mutex_t m; pthread_cond_t c; int main(void) { pthread_cond_wait(&c, &m); }", NOT_HELD),
    ("pthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }", AGAIN),
    (
        "pthread_mutex_t m; void *t(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
            return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); t(0); pthread_join(h, 0); }",
        NONE,
    ),
    ("pthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); pthread_mutex_destroy(&m); }", HELD),
    (
        "pthread_mutex_t m; int main(void) { pthread_mutex_destroy(&m); pthread_mutex_lock(&m); }",
        DESTROYED,
    ),
    (
        "pthread_mutex_t m; int main(void) { pthread_mutex_destroy(&m); pthread_mutex_trylock(&m); }",
        DESTROYED,
    ),
    (
        "pthread_mutex_t m; int main(void) { pthread_mutex_destroy(&m); pthread_mutex_destroy(&m); }",
        DESTROYED,
    ),
    (
        "pthread_mutex_t m; int main(void) { pthread_mutex_destroy(&m); pthread_mutex_init(&m, 0);
            pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m); }",
        NONE,
    ),
];

/// What threads do that wait on condition variables.
const CONDITIONS: &[Row] = &[
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        int main(void) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); }",
        HANGS,
    ),
    (
        "pthread_mutex_t m; pthread_cond_t c; _Atomic int flag;
        void *t(void *p) { flag = 1; pthread_cond_signal(&c); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
            pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
            pthread_join(h, 0); }",
        HANGS,
    ),
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *t(void *p) { pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c);
            pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
            pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
            pthread_join(h, 0); }",
        NONE,
    ),
    (
        "mtx_t m; cnd_t c; int flag;
        int t(void *p) { mtx_lock(&m); flag = 1; mtx_unlock(&m); cnd_broadcast(&c); return 0; }
        int main(void) { thrd_t h; mtx_init(&m, mtx_plain); cnd_init(&c); thrd_create(&h, t, 0);
            mtx_lock(&m); while (!flag) cnd_wait(&c, &m); mtx_unlock(&m); thrd_join(h, 0); }",
        NONE,
    ),
    // A wake-up for no reason is allowed.
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *t(void *p) { pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c);
            pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
            pthread_mutex_lock(&m); if (!flag) pthread_cond_wait(&c, &m); assert(flag); }",
        FAILS,
    ),
    // One signal for two who wait.
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *w(void *p) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m);
            pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, w, 0);
            pthread_t k; pthread_create(&k, 0, w, 0);
            pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
            pthread_join(h, 0); pthread_join(k, 0); }",
        HANGS,
    ),
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *w(void *p) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m);
            pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, w, 0);
            pthread_t k; pthread_create(&k, 0, w, 0);
            pthread_mutex_lock(&m); flag = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
            pthread_join(h, 0); pthread_join(k, 0); }",
        NONE,
    ),
    // Two signals reach two.
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *w(void *p) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m);
            pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, w, 0);
            pthread_t k; pthread_create(&k, 0, w, 0);
            pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_cond_signal(&c);
            pthread_mutex_unlock(&m); pthread_join(h, 0); pthread_join(k, 0); }",
        NONE,
    ),
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        int main(void) { struct timespec ts = {0, 0}; pthread_mutex_lock(&m);
            while (!flag) if (pthread_cond_timedwait(&c, &m, &ts)) break; pthread_mutex_unlock(&m); }",
        NONE,
    ),
    // Who has waited for some time does not wait any more.
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *w(void *p) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m);
            pthread_mutex_unlock(&m); return 0; }
        void *u(void *p) { struct timespec ts = {0, 0}; pthread_mutex_lock(&m);
            pthread_cond_timedwait(&c, &m, &ts); pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t k; pthread_create(&k, 0, u, 0); pthread_join(k, 0);
            pthread_t h; pthread_create(&h, 0, w, 0);
            pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
            pthread_join(h, 0); }",
        NONE,
    ),
    // Who waits for some time only may be the one who is woken up.
    (
        "pthread_mutex_t m; pthread_cond_t c; int flag;
        void *w(void *p) { pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m);
            pthread_mutex_unlock(&m); return 0; }
        void *u(void *p) { struct timespec ts = {0, 0}; pthread_mutex_lock(&m);
            pthread_cond_timedwait(&c, &m, &ts); pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t h; pthread_create(&h, 0, w, 0);
            pthread_t k; pthread_create(&k, 0, u, 0);
            pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
            pthread_join(h, 0); pthread_join(k, 0); }",
        HANGS,
    ),
];

const OPERATIONS: &[Row] = &[
    ("int main(void) { int n = 32; unsigned x = 1u << n; return x; }", SHIFT),
    ("_Atomic int n = 40; int main(void) { int x = 1 << n; return x; }", SHIFT),
    ("_Atomic int n = -1; int main(void) { int x = 1 >> n; return x; }", SHIFT),
    (
        "_Atomic int n = 31; int main(void) { unsigned x = 1u << n; assert(x == 0x80000000u); }",
        NONE,
    ),
    ("_Atomic int n = -1, m = INT_MIN; int main(void) { return m / n; }", QUOTIENT),
    ("_Atomic int n = -1, m = INT_MIN; int main(void) { return m % n; }", QUOTIENT),
    ("_Atomic int n = -1, m = INT_MAX; int main(void) { assert(m / n == -INT_MAX); }", NONE),
    ("char a[4], b[8]; int main(void) { memcpy(a, b, 8); }", BEYOND),
    ("char a[8], b[4]; int main(void) { memcpy(a, b, 8); }", BEYOND),
    ("int main(void) { char a[4]; memset(a, 0, 8); return a[0]; }", BEYOND),
    ("int main(void) { char *a = malloc(4); memset(a, 0, 8); }", BEYOND),
    ("int main(void) { char *a = malloc(8); memset(a + 4, 0, 4); free(a); }", NONE),
    (
        "char a[2][4]; int main(void) { int i = fencewright_choose(0, 1); memset(a[i], 0, 4);
            assert(!a[i][3]); }",
        NONE,
    ),
    ("int main(void) { char *a = malloc(8); free(a); memset(a, 0, 8); }", FREED),
];

/// What goes wrong in a program.
fn errors(program: &Program, model: MemoryModel) -> String {
    let threads = program.threads().expect("definite");
    let found = reachable_errors(program, model, &LIMITS).expect("few states");
    let why = |(thread, edge): &(ThreadId, EdgeId)| {
        program.template(threads[*thread].template).why(*edge, Fault::AssertionFailed)
    };
    let mut all: BTreeSet<String> = found.iter().map(why).collect();
    // Others wait forever for a thread that has ended so.
    if all.is_empty() && has_deadlock(program, model, &LIMITS).expect("few states") {
        all.insert(HANGS.to_owned());
    }
    all.into_iter().collect::<Vec<_>>().join("; ")
}

fn check(name: &str, rows: &[Row]) {
    let workshop = Workshop::new(name);
    let mut wrong = Vec::new();
    for ((row, expected), number) in rows.iter().zip(0..) {
        let text = &format!("{HEADERS}{row}\n");
        let file = &format!("{name}-{number}.c");
        let modules = [workshop.module(file, text)];
        let environment = Environment {
            lifetimes: Lifetimes::Checked,
            spinning_is_waiting: true,
            ..Environment::default()
        };
        let (found, sources) = lower_with_memory(&modules, &[(file, text)], &[], &environment);
        let program = match found {
            Ok(lowered) => lowered.program,
            Err(errors) => {
                wrong.push(format!("{row}: {}", shown(&errors, &sources)));
                continue;
            }
        };
        for model in [MemoryModel::Sc, MemoryModel::Tso] {
            let found = errors(&program, model);
            if found != *expected {
                wrong.push(format!("{row} under {model:?}: {found:?} and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn constants_are_not_written() {
    check("constants", CONSTANTS);
}

#[test]
fn variables_are_not_used_after_their_function_has_returned() {
    check("locals", LOCALS);
}

#[test]
fn threads_are_joined_once() {
    check("joins", JOINS);
}

#[test]
fn locks_are_used_by_who_has_them() {
    check("locks", LOCKS);
}

#[test]
fn nobody_relies_on_waking_up_for_no_reason() {
    check("conditions", CONDITIONS);
}

#[test]
fn operations_have_a_result() {
    check("operations", OPERATIONS);
}
