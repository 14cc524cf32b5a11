//! Where orders can be written: numbers in C, functions of Rust that nobody calls, litmus tests in C.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::asked;

fn file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("orders");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file");
    file
}

fn counts(said: &Value) -> (usize, usize) {
    let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
    (count("orders"), count("fences"))
}

/// The port of a file, written, needs no more.
fn ported(file: &Path, arguments: &[&str]) -> (Value, String) {
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
    let written = file.with_file_name(format!("ported-{name}"));
    let path = written.to_str().expect("a path");
    let said = asked(&[&["port", "--write", path], arguments].concat(), file);
    let again = asked(&[&["port"], arguments].concat(), &written);
    assert_eq!(again["verdict"], "holds", "{again}");
    (said, std::fs::read_to_string(&written).expect("the port"))
}

#[test]
fn orders_that_are_numbers_are_replaced() {
    let file = file(
        "numbers.c",
        "int data, ready, seen;
void producer(void) { __atomic_store_n(&data, 1, 0); __atomic_store_n(&ready, 1, 0); }
void consumer(void) { if (__atomic_load_n(&ready, 0)) seen = __atomic_load_n(&data, 0); }
",
    );
    let threads = ["--to", "aarch64", "--thread", "producer", "--thread", "consumer"];
    let (said, text) = ported(&file, &threads);
    assert_eq!(counts(&said), (2, 0), "{said}");
    assert!(text.contains("__atomic_store_n(&ready, 1, __ATOMIC_RELEASE)"), "{text}");
    assert!(text.contains("__atomic_load_n(&ready, __ATOMIC_ACQUIRE)"), "{text}");
}

const SMALL: &str = "use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
static DATA: AtomicU32 = AtomicU32::new(0);
static READY: AtomicU32 = AtomicU32::new(0);
#[inline]
pub fn send(value: u32) { unsafe { *DATA.as_ptr() = value; } READY.store(1, Relaxed); }
pub mod other {
    #[inline(always)]
    pub(crate) fn receive() -> u32 {
        if super::READY.load(super::Relaxed) == 1 { super::DATA.load(super::Relaxed) } else { 0 }
    }
}
pub struct Cell<T>(AtomicU32, std::marker::PhantomData<T>);
impl<T> Cell<T> { pub fn put(&self, value: u32) { self.0.store(value, Relaxed) } }
";

/// They are compiled although nobody calls them, and named by the end of their paths; `as_ptr` is no access, and what
/// the library has of Rust's own is no function that others call.
#[test]
fn small_functions_of_rust_are_threads() {
    let file = file("small.rs", SMALL);
    let threads = ["--to", "aarch64", "--thread", "send", "--thread", "other::receive"];
    let (said, _) = ported(&file, &threads);
    assert_eq!((counts(&said), &said["events"]), ((2, 0), &Value::from(4)), "{said}");
    let said = asked(&["port", "--to", "aarch64"], &file);
    assert_eq!((&said["verdict"], counts(&said)), (&Value::from("repaired"), (2, 0)), "{said}");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["port", "--to", "aarch64", "--thread", "Cell::put"])
        .arg(&file)
        .output()
        .expect("fencewright can be started");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("there is no function `Cell::put`") && told.contains("generic"),
        "{told}"
    );
}

/// A test, what a port to a machine changes (orders, fences), and parts of the changed text.
type InC = (&'static str, &'static str, (usize, usize), &'static [&'static str]);

const IN_C: [InC; 4] = [
    (
        "P0 (int* x, int* y) { *x = 1; *y = 1; }
P1 (int* x, int* y) { int r0 = *y; int r1 = *x; }
exists (1:r0=1 /\\ 1:r1=0)",
        "aarch64",
        (2, 0),
        &[
            "atomic_store_explicit(y, 1, memory_order_release);",
            "int r0 = atomic_load_explicit(y, memory_order_acquire);",
        ],
    ),
    (
        "P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(y, 1, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = 2;
  if (r0) { r1 = atomic_load_explicit(x, memory_order_relaxed); }
}
exists (1:r0=1 /\\ 1:r1=0)",
        "riscv",
        (2, 0),
        &[
            "atomic_fetch_add_explicit(y, 1, memory_order_release);",
            "atomic_load_explicit(y, memory_order_acquire);",
        ],
    ),
    // x86 keeps both pairs by its locked accesses.
    (
        "P0 (atomic_int* x, atomic_int* y, atomic_int* l) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_exchange_explicit(l, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y, atomic_int* m) {
  if (1) atomic_store_explicit(y, 1, memory_order_relaxed);
  atomic_exchange_explicit(m, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\\ 1:r0=0)",
        "power",
        (0, 2),
        &["atomic_thread_fence(memory_order_seq_cst);"],
    ),
    (
        "P0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* y) { atomic_store_explicit(y, 1, memory_order_relaxed); }
P2 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire), r1 = atomic_load_explicit(y, memory_order_relaxed);
}
P3 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0)",
        "aarch64",
        (0, 0),
        &[],
    ),
];

/// Litmus tests in C: what is changed, and that nothing is left that TSO forbids.
#[test]
fn tests_in_c_are_ported() {
    for (number, (threads, machine, changes, parts)) in IN_C.into_iter().enumerate() {
        let file = file(&format!("test-{number}.litmus"), &format!("C test\n{{}}\n{threads}\n"));
        let weak = |file: &Path| {
            let asked_for = ["outcomes", "--model", machine, "--reference", "tso"];
            let states = asked(&asked_for, file)["only_weak"].as_array().expect("states").clone();
            states.contains(&Value::Bool(true))
        };
        let is_changed = changes != (0, 0);
        assert_eq!(weak(&file), is_changed, "{machine}:\n{threads}");
        if !is_changed {
            assert_eq!(asked(&["port", "--to", machine], &file)["verdict"], "holds", "{threads}");
            continue;
        }
        let (said, text) = ported(&file, &["--to", machine, "--confirm"]);
        assert_eq!(counts(&said), changes, "{machine}: {said}\n{text}");
        for part in parts {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        assert!(!weak(&file.with_file_name(format!("ported-test-{number}.litmus"))), "{text}");
    }
}

/// All orders that are too strong in a test in C are found and written, and the fence goes.
#[test]
fn tests_in_c_are_audited() {
    let file = file(
        "audited.litmus",
        "C test
{}
P0 (atomic_int* x, atomic_int* y) {
  atomic_store(x, 1);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(y, 1, memory_order_seq_cst);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load(y);
  int r1 = *x;
}
exists (1:r0=1 /\\ 1:r1=0)
",
    );
    let written = file.with_file_name("weaker.litmus");
    let path = written.to_str().expect("a path");
    let how = ["fence", "--minimise-existing", "--method", "static", "--arch", "all"];
    asked(&[&how[..], &["--write", path]].concat(), &file);
    let text = std::fs::read_to_string(&written).expect("a text");
    let expected = "P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
";
    assert!(text.contains(expected), "{text}");
}
