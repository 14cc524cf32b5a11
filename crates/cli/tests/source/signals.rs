//! Threads that are created late, or joined, beside others that run: no order of these is lost by reductions.

use crate::compilers::{answer, fencewright, folder, write};

/// A thread that `main` creates only after it has looked at a variable that another thread writes.
const CREATED_LATE: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, z;
void *reader(void *p) { assert(atomic_load(&x) == 0); atomic_store(&z, 1); return p; }
void *writer(void *p) { atomic_store(&x, 1); return p; }
int main(void) {
    pthread_t r, w;
    pthread_create(&r, 0, reader, 0);
    atomic_load(&z);
    pthread_create(&w, 0, writer, 0);
    return 0;
}
";

/// `main` waits for a thread and then writes what another reads.
const JOINED: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *first(void *p) { atomic_store(&y, 1); return p; }
void *second(void *p) { int seen = atomic_load(&x); assert(!seen || !atomic_load(&y)); return p; }
int main(void) {
    pthread_t f, s;
    pthread_create(&s, 0, second, 0);
    pthread_create(&f, 0, first, 0);
    pthread_join(f, 0);
    atomic_store(&x, 1);
    pthread_join(s, 0);
    return 0;
}
";

#[test]
fn reductions_lose_no_thread_that_waits() {
    let folder = folder("signals");
    for (file, text) in [("created-late.c", CREATED_LATE), ("joined.c", JOINED)] {
        write(&folder, &[(file, text.as_bytes())]);
        for model in ["sc", "tso"] {
            for reductions in ["all", "none", "partial-order"] {
                let asked = ["--model", model, "--reductions", reductions];
                let reach = [&["reach", file], &asked[..]].concat();
                let (code, said) = answer(&fencewright(&folder, &reach));
                assert_eq!(code, Some(1), "{reach:?}: {said}");
                let outcomes = [&["outcomes", file], &asked[..]].concat();
                let (_, said) = answer(&fencewright(&folder, &outcomes));
                assert!(said.contains("assertion failed"), "{outcomes:?}: {said}");
            }
        }
    }
}
