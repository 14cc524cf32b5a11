//! Futexes by `syscall`: who sleeps may wake up for no reason, and cannot rely on it.

use std::path::PathBuf;
use std::process::Command;

/// What all programs begin with. Where they wait, they wait in a loop.
const BEGINNING: &str = "#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static _Atomic int word, asleep;
static struct timespec moment;
static long until(int *old, struct timespec *time) { return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, *old, time, 0, 0); }
static long wake(int most) { return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, 0, 0, 0); }
static void *waits(void *p) { int old = 0; while (!word) until(&old, 0); return p; }
";

const HANGS: &str = "a deadlock can be reached";
const FAILS: &str = "assertion failed";
const HOLDS: &str = "no error or deadlock can be reached";

/// The rest of a program, and what is said of it under SC and under TSO.
const PROGRAMS: &[(&str, [&str; 2])] = &[
    // Nobody wakes anybody up, and somebody does so too early.
    ("int main(void) { pthread_t t; pthread_create(&t, 0, waits, 0); word = 1; pthread_join(t, 0); }", [HANGS; 2]),
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, waits, 0); wake(1); word = 1; pthread_join(t, 0); }",
        [HANGS; 2],
    ),
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, waits, 0); word = 1; wake(1); pthread_join(t, 0); }",
        [HOLDS; 2],
    ),
    // One of two, and both.
    (
        "int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, waits, 0);
         word = 1; wake(1); pthread_join(t, 0); pthread_join(u, 0); }",
        [HANGS; 2],
    ),
    (
        "int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, waits, 0);
         word = 1; wake(INT_MAX); pthread_join(t, 0); pthread_join(u, 0); }",
        [HOLDS; 2],
    ),
    (
        "static _Atomic int most = 2; int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0);
         pthread_create(&u, 0, waits, 0); word = 1; wake(most); pthread_join(t, 0); pthread_join(u, 0); }",
        [HOLDS; 2],
    ),
    (
        "static _Atomic int most = 1; int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0);
         pthread_create(&u, 0, waits, 0); word = 1; wake(most); pthread_join(t, 0); pthread_join(u, 0); }",
        [HANGS; 2],
    ),
    // Another word, and the same one of all processes.
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, waits, 0); word = 1;
         syscall(SYS_futex, &asleep, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0); pthread_join(t, 0); }",
        [HANGS; 2],
    ),
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, waits, 0); word = 1;
         syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0); pthread_join(t, 0); }",
        [HANGS; 2],
    ),
    // The waker looks whether anybody sleeps: its store may still wait in the buffer.
    (
        "static void *sleeps(void *p) { int old = 0; asleep = 1; while (!word) until(&old, 0); return p; }
         int main(void) { pthread_t t; pthread_create(&t, 0, sleeps, 0);
         atomic_store_explicit(&word, 1, memory_order_release); if (asleep) wake(1); pthread_join(t, 0); }",
        [HOLDS, HANGS],
    ),
    // Who waits for some time only does not hang, and its time may be over.
    (
        "static void *impatient(void *p) { int old = 0; while (!word) until(&old, &moment); return p; }
         int main(void) { pthread_t t; pthread_create(&t, 0, impatient, 0); word = 1; pthread_join(t, 0); }",
        [HOLDS; 2],
    ),
    ("int main(void) { int old = 0; assert(!until(&old, &moment) || errno != ETIMEDOUT); }", [FAILS; 2]),
    // Nobody need sleep at all.
    ("int main(void) { int old = 1; assert(until(&old, 0) == -1 && errno == EAGAIN); }", [HOLDS; 2]),
    ("int main(void) { int old = 0; assert(!until(&old, &moment) || errno != EINTR); }", [FAILS; 2]),
];

#[test]
fn nobody_relies_on_waking_up_for_no_reason() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("futexes");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for (number, (text, expected)) in PROGRAMS.iter().enumerate() {
        let file = folder.join(format!("program{number}.c"));
        std::fs::write(&file, BEGINNING.to_owned() + text).expect("a file");
        for (model, expected) in ["sc", "tso"].into_iter().zip(expected) {
            let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
                .args(["reach", "--threads", "1", "--model", model])
                .arg(&file)
                .output()
                .expect("fencewright can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            if !said.contains(expected) {
                wrong.push(format!("{text} under {model}: not `{expected}`: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
