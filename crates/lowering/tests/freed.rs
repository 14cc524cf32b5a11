//! Memory that is used or given back after it was given back, as the oracle finds it in the translated program.

mod tools;

use std::collections::BTreeSet;

use lowering::Environment;
use lowering::Lifetimes::{self, Checked, Reused};
use oracle::{Limits, MemoryModel, reachable_errors};
use program::{EdgeId, Fault, Program, ThreadId};

use crate::tools::{Workshop, lower_with_memory, shown};

const LIMITS: Limits = Limits { max_states: 300_000, max_length: 100 };

const NONE: [&str; 2] = [""; 2];
const USED: [&str; 2] = ["use of memory that has been freed"; 2];
const TWICE: [&str; 2] = ["memory is freed that has been freed already"; 2];
const WRONG: [&str; 2] = ["what is freed here was not allocated"; 2];
const FAILS: [&str; 2] = ["assertion failed"; 2];

/// A file, its text, what is made of freed memory, and all errors under SC and under TSO.
type Row = (&'static str, &'static str, Lifetimes, [&'static str; 2]);

/// Treiber's stack whose nodes are freed by who pops them: another thread may have read the head before.
const POP_AND_FREE: &str = "#include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    struct node { struct node *next; };
    _Atomic(struct node *) head;
    void pop(void) {
        struct node *n = head;
        while (n && !atomic_compare_exchange_strong(&head, &n, n->next));
        free(n);
    }
    void *popper(void *p) { pop(); return p; }
    int main(void) {
        pthread_t h;
        head = calloc(1, sizeof(struct node));
        pthread_create(&h, 0, popper, 0); pop(); pthread_join(h, 0);
    }";

/// A stack of two nodes from which one thread pops while another pops both, allocates one and pushes it: if
/// that is the first one again, the compare-and-swap of the first thread is wrong to succeed.
const ABA: &str = "#include <assert.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    struct node { int value; } *first, *second;
    _Atomic(struct node *) head; int is_empty;
    void *other(void *p) {
        struct node *top = first;
        if (!atomic_compare_exchange_strong(&head, &top, second)) return p;
        top = second;
        if (!atomic_compare_exchange_strong(&head, &top, 0)) return p;
        is_empty = 1;
        free(first);
        head = malloc(sizeof(struct node));
        return p;
    }
    int main(void) {
        pthread_t h;
        head = first = malloc(sizeof *first); second = malloc(sizeof *second);
        pthread_create(&h, 0, other, 0);
        struct node *top = first;
        int is_popped = atomic_compare_exchange_strong(&head, &top, second);
        pthread_join(h, 0);
        assert(!(is_popped && is_empty));
    }";

const PROGRAMS: &[Row] = &[
    (
        "used.c",
        "#include <stdlib.h>
        int main(void) { int *p = malloc(4); *p = 1; free(p); return *p; }",
        Checked,
        USED,
    ),
    (
        "written.c",
        "#include <stdlib.h>
        int main(void) { struct { int a[3]; } *p = malloc(12); free(p); p->a[2] = 1; }",
        Checked,
        USED,
    ),
    (
        "twice.c",
        "#include <stdlib.h>
        int main(void) { int *p = malloc(4), *q = p; free(p); free(q); }",
        Checked,
        TWICE,
    ),
    (
        "null.c",
        "#include <stdlib.h>
        int fencewright_choose(int, int);
        int main(void) { int *p = fencewright_choose(0, 1) ? malloc(4) : 0; free(p); free(0); }",
        Checked,
        NONE,
    ),
    (
        "inner.c",
        "#include <stdlib.h>
        int main(void) { int *p = malloc(8); free(p + 1); }",
        Checked,
        WRONG,
    ),
    (
        "variable.c",
        "#include <stdlib.h>
        int x; int main(void) { int *p = &x; free(p); }",
        Checked,
        WRONG,
    ),
    (
        "one-of-several.c",
        "#include <stdlib.h>
        int main(void) { int *p[2]; for (int i = 0; i < 2; i++) { p[i] = malloc(4); *p[i] = i; }
            free(p[0]); return *p[1]; }",
        Checked,
        NONE,
    ),
    (
        "moved.c",
        "#include <stdlib.h>
        int main(void) { int *p = malloc(4), *q; *p = 1; q = realloc(p, 8); q[1] = q[0];
            free(q); }",
        Checked,
        NONE,
    ),
    (
        "moved-and-used.c",
        "#include <stdlib.h>
        int main(void) { int *p = malloc(4), *q; *p = 1; q = realloc(p, 8); *p = *q; }",
        Checked,
        USED,
    ),
    ("pop-and-free.c", POP_AND_FREE, Checked, USED),
    (
        "joined.c",
        "#include <pthread.h>
        #include <stdlib.h>
        void *t(void *p) { *(int *)p = 1; return p; }
        int main(void) { pthread_t h; int *p = malloc(4); pthread_create(&h, 0, t, p);
            pthread_join(h, 0); free(p); }",
        Checked,
        NONE,
    ),
    (
        "not-joined.c",
        "#include <pthread.h>
        #include <stdlib.h>
        void *t(void *p) { *(int *)p = 1; return p; }
        int main(void) { pthread_t h; int *p = malloc(4); pthread_create(&h, 0, t, p);
            free(p); pthread_join(h, 0); }",
        Checked,
        USED,
    ),
    (
        "counted.c",
        "#include <pthread.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        struct shared { atomic_int users; int x; };
        void put(struct shared *s) { if (atomic_fetch_sub(&s->users, 1) == 1) free(s); }
        void *t(void *p) { struct shared *s = p; put(s); return 0; }
        int main(void) { pthread_t h; struct shared *s = malloc(sizeof *s); s->users = 2;
            pthread_create(&h, 0, t, s); s->x = 1; put(s); pthread_join(h, 0); }",
        Checked,
        NONE,
    ),
    (
        "counted-and-used.c",
        "#include <pthread.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        struct shared { atomic_int users; int x; };
        void put(struct shared *s) { if (atomic_fetch_sub(&s->users, 1) == 1) free(s); }
        void *t(void *p) { struct shared *s = p; put(s); return 0; }
        int main(void) { pthread_t h; struct shared *s = malloc(sizeof *s); s->users = 2;
            pthread_create(&h, 0, t, s); put(s); s->x = 1; pthread_join(h, 0); }",
        Checked,
        USED,
    ),
    // A hazard pointer: without a fence behind it the reader is not seen.
    (
        "hazard.c",
        "#include <pthread.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        _Atomic(int *) shared, hazard;
        void *reader(void *p) {
            int *mine = atomic_load_explicit(&shared, memory_order_acquire);
            atomic_store_explicit(&hazard, mine, memory_order_release);
            if (mine && atomic_load_explicit(&shared, memory_order_acquire) == mine) *mine = 2;
            return p;
        }
        int main(void) { pthread_t h; int *old = malloc(4); shared = old;
            pthread_create(&h, 0, reader, 0); shared = 0;
            if (hazard != old) free(old); }",
        Checked,
        [NONE[0], USED[0]],
    ),
    ("aba.c", ABA, Reused, FAILS),
    ("aba-without.c", ABA, Checked, NONE),
];

/// What goes wrong in a program.
fn errors(program: &Program, model: MemoryModel) -> String {
    let threads = program.threads().expect("definite");
    let found = reachable_errors(program, model, &LIMITS).expect("few states");
    let why = |(thread, edge): &(ThreadId, EdgeId)| {
        program.template(threads[*thread].template).why(*edge, Fault::AssertionFailed)
    };
    let all: BTreeSet<String> = found.iter().map(why).collect();
    all.into_iter().collect::<Vec<_>>().join("; ")
}

#[test]
fn memory_that_was_given_back_is_not_used() {
    let workshop = Workshop::new("freed");
    let mut wrong = Vec::new();
    for (name, text, lifetimes, expected) in PROGRAMS {
        let modules = [workshop.module(name, text)];
        let environment = Environment { lifetimes: *lifetimes, ..Environment::default() };
        let (found, sources) = lower_with_memory(&modules, &[(name, text)], &[], &environment);
        let program = match found {
            Ok(lowered) => lowered.program,
            Err(errors) => {
                wrong.push(format!("{name}: {}", shown(&errors, &sources)));
                continue;
            }
        };
        for (model, expected) in [MemoryModel::Sc, MemoryModel::Tso].into_iter().zip(expected) {
            let found = errors(&program, model);
            if found != *expected {
                wrong.push(format!("{name} under {model:?}: {found:?} and not {expected:?}"));
            }
        }
        // Who does not look sees nothing of it.
        let environment = Environment::default();
        let (found, _) = lower_with_memory(&modules, &[(name, text)], &[], &environment);
        let program = found.expect("it was understood before").program;
        let found = errors(&program, MemoryModel::Sc);
        if !found.is_empty() {
            wrong.push(format!("{name} without: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
