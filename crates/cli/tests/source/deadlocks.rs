//! What waits for ever, and what only would if the process had not ended.

use std::path::PathBuf;
use std::process::Command;

/// What is said under SC and under TSO.
type Said = [&'static str; 2];

const FOUND: Said = ["a deadlock can be reached"; 2];
const NONE: Said = ["no deadlock can be reached"; 2];
const UNKNOWN: Said = ["undecided"; 2];
const ONLY_UNDER_TSO: Said = [NONE[0], FOUND[0]];

/// A file, its text, how its threads are named, and what is said of it.
type Row = (&'static str, &'static str, &'static [&'static str], Said);

const PROGRAMS: &[Row] = &[
    (
        "crossed.c",
        "#include <pthread.h>
        pthread_mutex_t a, b;
        void *t(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_mutex_lock(&a);
            pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return 0; }",
        &[],
        FOUND,
    ),
    (
        "in-order.c",
        "#include <pthread.h>
        pthread_mutex_t a, b;
        void *t(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b);
            pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); t(0); pthread_join(h, 0); }",
        &[],
        NONE,
    ),
    (
        "locked-twice.c",
        "#include <threads.h>
        mtx_t m; int main(void) { mtx_lock(&m); mtx_lock(&m); }",
        &[],
        FOUND,
    ),
    (
        "joined-by-itself.c",
        "#include <pthread.h>
        int main(void) { pthread_join(pthread_self(), 0); }",
        &[],
        FOUND,
    ),
    (
        "main-returns.c",
        "#include <pthread.h>
        pthread_mutex_t m;
        void *t(void *p) { pthread_mutex_lock(&m); return p; }
        int main(void) { pthread_t h; pthread_mutex_lock(&m); pthread_create(&h, 0, t, 0); }",
        &[],
        NONE,
    ),
    (
        "main-returns-while-another-creates.c",
        "#include <pthread.h>
        pthread_mutex_t m;
        void *second(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return p; }
        void *first(void *p) { pthread_t h; pthread_mutex_lock(&m); pthread_create(&h, 0, second, 0);
            pthread_mutex_unlock(&m); return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, first, 0); }",
        &[],
        NONE,
    ),
    (
        "main-ends-alone.c",
        "#include <pthread.h>
        pthread_mutex_t m;
        void *t(void *p) { pthread_mutex_lock(&m); return p; }
        int main(void) { pthread_t h; pthread_mutex_lock(&m); pthread_create(&h, 0, t, 0);
            pthread_exit(0); }",
        &[],
        FOUND,
    ),
    (
        "main-is-joined.c",
        "#include <pthread.h>
        pthread_t self;
        void *t(void *p) { pthread_join(self, 0); return p; }
        int main(void) { pthread_t h; self = pthread_self(); pthread_create(&h, 0, t, 0);
            pthread_exit(0); }",
        &[],
        NONE,
    ),
    (
        "exit.c",
        "#include <pthread.h>
        #include <stdlib.h>
        void *t(void *p) { exit(0); }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); }",
        &[],
        NONE,
    ),
    (
        "endless.c",
        "#include <pthread.h>
        void *t(void *p) { for (;;); }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); }",
        &[],
        NONE,
    ),
    (
        "left-out.c",
        "#include <pthread.h>
        int fencewright_choose(int, int); void fencewright_assume(int);
        pthread_mutex_t m;
        void t(void) { pthread_mutex_lock(&m); fencewright_assume(fencewright_choose(0, 1));
            pthread_mutex_unlock(&m); }",
        &["--thread", "t*2"],
        NONE,
    ),
    (
        "too-deep.c",
        "#include <pthread.h>
        pthread_mutex_t m;
        int f(int n) { return n ? f(n - 1) + 1 : 0; }
        void t(void) { pthread_mutex_lock(&m); f(100); pthread_mutex_unlock(&m); }",
        &["--thread", "t*2"],
        UNKNOWN,
    ),
    (
        "never-posted.c",
        "#include <semaphore.h>
        sem_t s; void t(void) { sem_wait(&s); sem_post(&s); }",
        &["--thread", "t*2"],
        FOUND,
    ),
    (
        "readers-and-writer.c",
        "#include <pthread.h>
        pthread_rwlock_t l;
        void r(void) { pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l);
            pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); }
        void w(void) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); }",
        &["--thread", "r*2", "--thread", "w"],
        NONE,
    ),
    (
        "reader-writes.c",
        "#include <pthread.h>
        pthread_rwlock_t l;
        void t(void) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); }",
        &["--thread", "t"],
        FOUND,
    ),
    (
        "writer-stays.c",
        "#include <pthread.h>
        pthread_rwlock_t l;
        void w(void) { pthread_rwlock_wrlock(&l); }
        void r(void) { pthread_rwlock_rdlock(&l); }",
        &["--thread", "w", "--thread", "r"],
        FOUND,
    ),
    (
        "once-in-once.c",
        "#include <pthread.h>
        pthread_once_t o; void f(void) { pthread_once(&o, f); } void t(void) { f(); }",
        &["--thread", "t"],
        FOUND,
    ),
    (
        "barrier.c",
        "#include <pthread.h>
        pthread_barrier_t b; void set(void) { pthread_barrier_init(&b, 0, 3); }
        void t(void) { pthread_barrier_wait(&b); }",
        &["--init", "set", "--thread", "t*2"],
        FOUND,
    ),
    (
        "time-is-up.c",
        "#include <pthread.h>
        pthread_mutex_t m;
        void t(void) { pthread_mutex_lock(&m); pthread_mutex_timedlock(&m, 0); }",
        &["--thread", "t"],
        NONE,
    ),
    (
        "delayed.c",
        "#include <pthread.h>
        pthread_mutex_t m; volatile int x, y, more; int r, s;
        void *left(void *p) { x = 1; r = y; return p; }
        void *right(void *p) { y = 1; s = x; return p; }
        int main(void) { pthread_t h, i, j; if (more) pthread_create(&j, 0, left, 0);
            pthread_create(&h, 0, left, 0); pthread_create(&i, 0, right, 0);
            pthread_join(h, 0); pthread_join(i, 0);
            pthread_mutex_lock(&m); if (!r && !s) pthread_mutex_lock(&m); }",
        &[],
        ONLY_UNDER_TSO,
    ),
    (
        "crossed.rs",
        "use std::sync::{Arc, Mutex};
        fn main() {
            let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
            let (c, d) = (a.clone(), b.clone());
            let other = std::thread::spawn(move || { let _d = d.lock(); let _c = c.lock(); });
            { let _a = a.lock(); let _b = b.lock(); }
            other.join().unwrap();
        }",
        &[],
        FOUND,
    ),
    (
        "writer-stays.rs",
        "use std::sync::RwLock;
        static L: RwLock<u32> = RwLock::new(0);
        fn main() {
            let _held = L.write();
            std::thread::spawn(|| { let _read = L.read(); }).join().unwrap();
        }",
        &[],
        FOUND,
    ),
    (
        "main-returns.rs",
        "use std::sync::Mutex;
        static M: Mutex<u32> = Mutex::new(0);
        fn main() {
            std::mem::forget(M.lock());
            std::thread::spawn(|| { let _held = M.lock(); });
        }",
        &[],
        NONE,
    ),
    (
        "crossed-spinlocks.c",
        "#include <pthread.h>
        #include <stdatomic.h>
        atomic_flag a = ATOMIC_FLAG_INIT, b = ATOMIC_FLAG_INIT;
        void lock(atomic_flag *l) { while (atomic_flag_test_and_set(l)); }
        void *t(void *p) { lock(&b); lock(&a); atomic_flag_clear(&a); atomic_flag_clear(&b);
            return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); lock(&a); lock(&b);
            atomic_flag_clear(&b); atomic_flag_clear(&a); pthread_join(h, 0); }",
        &[],
        FOUND,
    ),
    (
        "spinlocks-in-order.c",
        "#include <pthread.h>
        #include <stdatomic.h>
        atomic_int a, b;
        void lock(atomic_int *l) { int e = 0;
            while (!atomic_compare_exchange_weak(l, &e, 1)) e = 0; }
        void *t(void *p) { lock(&a); lock(&b); b = 0; a = 0; return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); t(0); pthread_join(h, 0); }",
        &[],
        NONE,
    ),
    (
        "flag-never-set.c",
        "#include <pthread.h>
        #include <sched.h>
        volatile int flag, tries;
        void *t(void *p) { while (!flag) sched_yield(); return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); }",
        &[],
        FOUND,
    ),
    (
        "flag-set-late.c",
        "#include <pthread.h>
        volatile int flag;
        void *t(void *p) { while (!flag); return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); flag = 1; pthread_join(h, 0); }",
        &[],
        NONE,
    ),
    (
        "spins-when-main-returns.c",
        "#include <pthread.h>
        volatile int flag;
        void *t(void *p) { while (!flag); return p; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); }",
        &[],
        NONE,
    ),
    (
        "exits-while-main-spins.c",
        "#include <pthread.h>
        #include <stdlib.h>
        volatile int flag;
        void *t(void *p) { exit(0); }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); while (!flag); }",
        &[],
        NONE,
    ),
    (
        "waits-in-turn.c",
        "#include <stdatomic.h>
        atomic_int turn;
        void even(void) { while (turn != 0); turn = 1; while (turn != 2); }
        void odd(void) { while (turn != 1); turn = 2; }",
        &["--thread", "even", "--thread", "odd"],
        NONE,
    ),
    (
        "somebody-counts.c",
        "volatile int flag; _Atomic unsigned char x;
        void waits(void) { while (!flag); }
        void counts(void) { for (;;) x++; }",
        &["--thread", "waits", "--thread", "counts"],
        NONE,
    ),
    (
        "both-give-way.c",
        "volatile int x, y, z;
        void left(void) { x = 1; if (!y) while (!z); else z = 1; }
        void right(void) { y = 1; if (!x) while (!z); else z = 1; }",
        &["--thread", "left", "--thread", "right"],
        ONLY_UNDER_TSO,
    ),
    (
        "flag-never-set.rs",
        "use std::sync::atomic::{AtomicBool, Ordering::*};
        static READY: AtomicBool = AtomicBool::new(false);
        fn main() {
            let waits = std::thread::spawn(|| while !READY.load(Acquire) { std::hint::spin_loop() });
            waits.join().unwrap();
        }",
        &[],
        FOUND,
    ),
];

#[test]
fn deadlocks_are_found_and_none_is_made_up() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("deadlocks");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for (name, text, threads, expected) in PROGRAMS {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file");
        for (model, expected) in ["sc", "tso"].into_iter().zip(expected) {
            let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
                .args(["reach", "--deadlocks", "--model", model])
                .arg(&file)
                .args(*threads)
                .output()
                .expect("fencewright can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            if !said.contains(expected) {
                wrong.push(format!("{name} under {model}: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
