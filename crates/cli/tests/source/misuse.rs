//! What has no meaning in C and Rust is no *holds*: more programs in C are in `crates/lowering/tests/misuse.rs`.

use std::path::PathBuf;
use std::process::Command;

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;
const UNDECIDED: i32 = 3;

/// A file, its text, the exit code of `check` and `reach`, and what both say.
type Row = (&'static str, &'static str, i32, &'static str);

const RETURNED: &str = "use of a local variable whose function has returned";

const PROGRAMS: &[Row] = &[
    (
        "constant.c",
        "int main(void) { char *s = \"abc\"; s[1] = 'x'; return s[1]; }",
        VIOLATED,
        "write to a constant",
    ),
    (
        "constant.rs",
        "static X: u32 = 1;
        fn main() { unsafe { *(&raw const X).cast_mut() = 2; } }",
        VIOLATED,
        "write to a constant",
    ),
    (
        "local-of-creator.c",
        "#include <pthread.h>
        int seen;
        void *t(void *p) { seen = *(int *)p; return p; }
        void start(pthread_t *h) { int x = 1; pthread_create(h, 0, t, &x); }
        int main(void) { pthread_t h; start(&h); pthread_join(h, 0); }",
        VIOLATED,
        RETURNED,
    ),
    (
        "local.rs",
        "fn f() -> *const u32 { let x = 1; &raw const x }
        fn main() { std::process::exit(unsafe { *f() } as i32) }",
        VIOLATED,
        RETURNED,
    ),
    (
        "borrowed-by-a-scope.rs",
        "use std::sync::atomic::{AtomicU32, Ordering::*};
        fn count() -> u32 { let x = AtomicU32::new(0);
            std::thread::scope(|s| { s.spawn(|| x.fetch_add(1, Relaxed)); x.fetch_add(1, Relaxed); });
            x.load(Relaxed) }
        fn main() { assert!(count() == 2); }",
        HOLDS,
        "",
    ),
    (
        "joined-twice.c",
        "#include <pthread.h>
        void *t(void *p) { return p; }
        int main(void) { pthread_t h; if (pthread_create(&h, 0, t, 0)) return 1;
            pthread_join(h, 0); pthread_join(h, 0); }",
        VIOLATED,
        "a thread is joined or detached that was joined or detached before",
    ),
    (
        "taken-twice-beside-others.c",
        "#include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; volatile int n;
        void *t(void *p) { for (;;) n ^= 1; }
        int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
            pthread_mutex_lock(&m); pthread_mutex_lock(&m); }",
        VIOLATED,
        "a lock is taken by the thread that holds it already",
    ),
    (
        "lost-wake-up.rs",
        "use std::sync::{Arc, Condvar, Mutex, atomic::{AtomicBool, Ordering::SeqCst}};
        fn main() {
            let shared = Arc::new((Mutex::new(()), Condvar::new(), AtomicBool::new(false)));
            let other = shared.clone();
            let t = std::thread::spawn(move || { other.2.store(true, SeqCst); other.1.notify_one(); });
            let mut held = shared.0.lock().unwrap();
            while !shared.2.load(SeqCst) { held = shared.1.wait(held).unwrap(); }
            drop(held);
            t.join().unwrap();
        }",
        VIOLATED,
        "deadlock",
    ),
    (
        "woken-up.rs",
        "use std::sync::{Arc, Condvar, Mutex};
        fn main() {
            let shared = Arc::new((Mutex::new(false), Condvar::new()));
            let other = shared.clone();
            let t = std::thread::spawn(move || {
                *other.0.lock().unwrap() = true; other.1.notify_all(); });
            let mut held = shared.0.lock().unwrap();
            while !*held { held = shared.1.wait(held).unwrap(); }
            drop(held);
            t.join().unwrap();
        }",
        HOLDS,
        "",
    ),
    (
        "never-unparked.rs",
        "fn main() { std::thread::spawn(std::thread::park).join().unwrap(); }",
        VIOLATED,
        "deadlock",
    ),
    (
        "unparked.rs",
        "use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
        static SET: AtomicBool = AtomicBool::new(false);
        fn main() {
            let main = std::thread::current();
            let t = std::thread::spawn(move || { SET.store(true, SeqCst); main.unpark(); });
            while !SET.load(SeqCst) { std::thread::park(); }
            t.join().unwrap();
        }",
        HOLDS,
        "",
    ),
    (
        "too-few-arguments.c",
        "#include <assert.h>
        int second(int a, int b) { return a - b; }
        int main(void) { int (*f)(int) = (int (*)(int))second; assert(f(0) == 0); }",
        UNDECIDED,
        "memory that nobody has written",
    ),
    (
        "assumed-to-be-written.rs",
        "use std::mem::MaybeUninit;
        fn main() { let v = MaybeUninit::<u32>::uninit(); assert!(unsafe { v.assume_init() } == 0); }",
        UNDECIDED,
        "memory that nobody has written",
    ),
    (
        "unwritten-part.rs",
        "use std::mem::MaybeUninit;
        static mut V: [MaybeUninit<u32>; 2] = [MaybeUninit::new(1), MaybeUninit::uninit()];
        fn main() { unsafe { assert!(V[0].assume_init() == 1); assert!(V[1].assume_init() == 0) } }",
        UNDECIDED,
        "memory that nobody has written",
    ),
    (
        "longer-than-written.rs",
        "fn main() { let mut v = Vec::<u32>::with_capacity(2); v.push(1); unsafe { v.set_len(2) };
            assert!(v[1] == 0); }",
        UNDECIDED,
        "memory that nobody has written",
    ),
    (
        "written-in-time.rs",
        "use std::mem::MaybeUninit;
        fn main() { let mut v = [MaybeUninit::<u32>::uninit(); 2]; let w = v; v[1].write(2);
            let b = Box::new((w, v)); assert!(unsafe { b.1[1].assume_init() } == 2); }",
        HOLDS,
        "",
    ),
    (
        "unwritten-condition.c",
        "#include <pthread.h>
        #include <stdlib.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void) { pthread_cond_t *c = malloc(sizeof *c); if (!c) return 1;
            pthread_mutex_lock(&m); pthread_cond_wait(c, &m); }",
        UNDECIDED,
        "memory that nobody has written",
    ),
    (
        "shifted-too-far.c",
        "_Atomic int n = 32; int main(void) { return 1 << n; }",
        VIOLATED,
        "shift by as many bits as the number has, or more",
    ),
];

#[test]
fn what_has_no_meaning_does_not_hold() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("misuse");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for (name, text, code, expected) in PROGRAMS {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file");
        for question in ["check", "reach"] {
            let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
                .arg(question)
                .arg(&file)
                .output()
                .expect("fencewright can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            if output.status.code() != Some(*code) || !said.contains(expected) {
                wrong.push(format!("{question} {name}: {:?}: {said}", output.status.code()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
