//! Final states under weak models, of programs whose `main` creates the threads.

use std::path::PathBuf;
use std::process::Command;

const IN_C: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int seen_y, seen_x;
static void *writer(void *p) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return p;
}
static void *reader(void *p) {
    seen_y = atomic_load_explicit(&y, memory_order_relaxed);
    seen_x = atomic_load_explicit(&x, memory_order_relaxed);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

const IN_RUST: &str = "use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread::spawn;
static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);
static SEEN_Y: AtomicU32 = AtomicU32::new(0);
static SEEN_X: AtomicU32 = AtomicU32::new(0);
fn main() {
    let writer = spawn(|| {
        X.store(1, Relaxed);
        Y.store(1, Relaxed);
    });
    let reader = spawn(|| {
        SEEN_Y.store(Y.load(Relaxed), Relaxed);
        SEEN_X.store(X.load(Relaxed), Relaxed);
    });
    writer.join().unwrap();
    reader.join().unwrap();
}
";

#[test]
fn messages_overtake_each_other_only_where_they_can() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("weak-models");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in [("messages.c", IN_C), ("messages.rs", IN_RUST)] {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file");
        for (model, machine, expected) in [
            ("sc", "x86", "3 final states under SC"),
            ("tso", "x86", "3 final states under TSO"),
            ("pso", "PSO", "4 final states under PSO, 1 not under SC"),
            ("power", "Power", "4 final states under Power, 1 not under SC"),
            ("armv7", "ARMv7", "4 final states under ARMv7, 1 not under SC"),
            ("aarch64", "AArch64", "4 final states under AArch64, 1 not under SC"),
            ("riscv", "RISC-V", "4 final states under RISC-V, 1 not under SC"),
        ] {
            let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
                .args(["outcomes", "--model", model])
                .arg(&file)
                .output()
                .expect("fencewright can be started");
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains(expected), "{name}: {said}");
            let note = format!(
                "this assumes that the compiler keeps every access as written, on {machine};"
            );
            assert!(said.contains(&note), "{name}: {said}");
        }
    }
}
