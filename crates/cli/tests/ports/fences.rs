//! Fences and locked accesses: what orders on x86 counts there, and what a port inserts does not.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::asked;

/// Message passing, and a store that a later load may pass on x86 too.
const MODEL: &str = "shared data, ready, other
thread producer { local seen; data = 1; ready = 1; seen = other }
thread consumer { local flag, value; other = 1; flag = ready; value = data }
";

/// A lock that one thread alone takes still orders on x86 what is around it.
const LOCK_OF_ONE: &str = "int x, y, l, seen;
void left(void) {
  __atomic_fetch_add(&x, 1, 0);
  int a = __atomic_load_n(&x, 0);
  __atomic_store_n(&y, a, 0);
}
void right(void) {
  __atomic_store_n(&y, 2, 0);
  __atomic_exchange_n(&l, 1, __ATOMIC_ACQUIRE);
  seen = __atomic_load_n(&x, 0);
}
";

/// A program as it is shows final states that x86 does not have; as ported it shows none.
fn port_and_compare_with_x86(name: &str, text: &str, threads: &[&str]) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name.replace('.', "-"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file");
    let threads: Vec<&str> = threads.iter().flat_map(|thread| ["--thread", thread]).collect();
    for machine in ["aarch64", "aarch64-lse", "power", "armv7", "riscv"] {
        let weak = |file: &Path| {
            let asked_for = ["outcomes", "--model", machine, "--reference", "tso"];
            let said = asked(&[&asked_for[..], &threads].concat(), file);
            let states = said["only_weak"].as_array().expect("what only the machine shows").clone();
            states.iter().filter(|it| **it == Value::Bool(true)).count()
        };
        assert!(weak(&file) > 0, "{name} on {machine}");
        for confirm in [None, Some("--confirm")] {
            let written = folder.join(format!("{machine}-{name}"));
            let path = written.to_str().expect("a path");
            let port = ["port", "--to", machine, "--write", path];
            let said = asked(&[&port[..], confirm.as_slice(), &threads].concat(), &file);
            assert_eq!(said["verdict"], "repaired", "{name} on {machine}");
            assert_eq!(said["proven"].is_u64(), confirm.is_some(), "{name} on {machine}");
            assert_eq!(weak(&written), 0, "{name} on {machine}");
        }
    }
}

#[test]
fn models_are_ported_and_compared_with_x86() {
    port_and_compare_with_x86("model.fw", MODEL, &[]);
}

#[test]
fn locks_of_one_thread_are_not_forgotten() {
    port_and_compare_with_x86("lock-of-one.c", LOCK_OF_ONE, &["left", "right"]);
}

/// On Power the loads of `p` and `q` need a full fence between them, and it stands between the store of `y` and the load
/// of `x`, too; but x86 lets that load pass, so nothing has to wait in `t0`, where an exchange lies on the cycle.
const FENCED: [(&str, &str); 4] = [
    (
        "fenced.fw",
        "shared x, y, p, q, l
thread t0 { local r; store(x, 1, relaxed); xchg(l, 1, relaxed); r = load(y, relaxed) }
thread t1 {
  local a, b, r
  store(y, 1, relaxed); a = load(p, relaxed); b = load(q, relaxed); r = load(x, relaxed)
}
thread t2 { store(p, 1, relaxed) OWN }
thread t3 { store(q, 1, relaxed) }
thread t4 { local c, d; c = load(q, relaxed); d = load(p, relaxed) }
",
    ),
    (
        "fenced.c",
        "int x, y, p, q, l, a, b, c, d, r, s;
#define BARRIER() __atomic_thread_fence(__ATOMIC_SEQ_CST)
void t0(void) {
  __atomic_store_n(&x, 1, 0);
  __atomic_exchange_n(&l, 1, 0);
  r = __atomic_load_n(&y, 0);
}
void t1(void) {
  __atomic_store_n(&y, 1, 0);
  a = __atomic_load_n(&p, 0);
  b = __atomic_load_n(&q, 0);
  s = __atomic_load_n(&x, 0);
}
void t2(void) { __atomic_store_n(&p, 1, 0); OWN }
void t3(void) { __atomic_store_n(&q, 1, 0); }
void t4(void) {
  c = __atomic_load_n(&q, 0);
  d = __atomic_load_n(&p, 0);
}
",
    ),
    (
        "spinning.c",
        "int x, y, z, p, q, l, a, b, c, d, r, s;
#define BARRIER() __atomic_thread_fence(__ATOMIC_SEQ_CST)
void t0(void) {
  __atomic_store_n(&x, 1, 0);
  while (__atomic_exchange_n(&l, 1, 0)) ;
  r = __atomic_load_n(&y, 0);
  if (__atomic_load_n(&z, 0)) __atomic_store_n(&z, 1, 0);
}
void t1(void) {
  __atomic_store_n(&y, 1, 0);
  a = __atomic_load_n(&p, 0);
  b = __atomic_load_n(&q, 0);
  s = __atomic_load_n(&x, 0);
}
void t2(void) { __atomic_store_n(&p, 1, 0); OWN }
void t3(void) { __atomic_store_n(&q, 1, 0); }
void t4(void) {
  c = __atomic_load_n(&q, 0);
  d = __atomic_load_n(&p, 0);
}
",
    ),
    (
        "fenced.rs",
        "use std::sync::atomic::{AtomicI32, Ordering, Ordering::Relaxed, fence};
static X: AtomicI32 = AtomicI32::new(0);
static Y: AtomicI32 = AtomicI32::new(0);
static P: AtomicI32 = AtomicI32::new(0);
static Q: AtomicI32 = AtomicI32::new(0);
static L: AtomicI32 = AtomicI32::new(0);
#[unsafe(no_mangle)]
pub fn t0() -> i32 {
    X.store(1, Relaxed);
    L.swap(1, Relaxed);
    Y.load(Relaxed)
}
#[unsafe(no_mangle)]
pub fn t1() -> i32 {
    Y.store(1, Relaxed);
    let a = P.load(Relaxed);
    let b = Q.load(Relaxed);
    a + b + X.load(Relaxed)
}
#[unsafe(no_mangle)]
pub fn t2() {
    P.store(1, Relaxed);
    OWN
}
#[unsafe(no_mangle)]
pub fn t3() {
    Q.store(1, Relaxed);
}
#[unsafe(no_mangle)]
pub fn t4() -> i32 {
    let c = Q.load(Relaxed);
    let d = P.load(Relaxed);
    c + 2 * d
}
pub fn unused() { fence(Ordering::SeqCst) }
",
    ),
];

/// A full fence that a port adds is none of x86, whether the program has fences of its own or not.
#[test]
fn fences_that_a_port_adds_are_none_of_x86() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fenced");
    std::fs::create_dir_all(&folder).expect("a folder");
    let threads = ["t0", "t1", "t2", "t3", "t4"].map(|thread| ["--thread", thread]).concat();
    for (name, text) in FENCED {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        let own = match extension {
            Some("fw") => ["", "; fence"].as_slice(),
            Some("c") => &["", "__atomic_thread_fence(__ATOMIC_SEQ_CST);", "BARRIER();"],
            _ => &["", "fence(Ordering::SeqCst);"],
        };
        for own in own {
            let file = folder.join(name);
            std::fs::write(&file, text.replace("OWN", own)).expect("a file");
            let threads: &[&str] = if extension == Some("fw") { &[] } else { &threads };
            for more in [&[][..], &["--confirm"], &["--fences-only", "--confirm"]] {
                let port = ["port", "--to", "power"];
                let said = asked(&[&port[..], more, threads].concat(), &file);
                let about = format!("{name} with `{own}`, {more:?}: {said}");
                assert_eq!(said["verdict"], "repaired", "{about}");
                assert_eq!(said["proven"].is_u64(), !more.is_empty(), "{about}");
                let fences = said["repair"]["fences"].as_array().map(Vec::len);
                assert_eq!(fences, Some(2), "{about}");
            }
        }
    }
}

/// Store buffering, with a locked exchange in one thread and a fence in the other: x86 keeps both pairs in order, so the
/// exchange needs a fence beside it. It is inserted before the one that is there.
#[test]
fn fences_of_the_program_stay_those_of_x86() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("own");
    std::fs::create_dir_all(&folder).expect("a folder");
    let in_c = "int x, y, l, r, s;
#define BARRIER() __atomic_thread_fence(__ATOMIC_SEQ_CST)
void t0(void) {
  __atomic_store_n(&x, 1, 0);
  __atomic_exchange_n(&l, 1, 0);
  r = __atomic_load_n(&y, 0);
}
void t1(void) {
  __atomic_store_n(&y, 1, 0);
  OWN
  s = __atomic_load_n(&x, 0);
}
";
    let in_rust = "use std::sync::atomic::{AtomicI32, Ordering, Ordering::Relaxed, fence};
static X: AtomicI32 = AtomicI32::new(0);
static Y: AtomicI32 = AtomicI32::new(0);
static L: AtomicI32 = AtomicI32::new(0);
#[unsafe(no_mangle)]
pub fn t0() -> i32 {
    X.store(1, Relaxed);
    L.swap(1, Relaxed);
    Y.load(Relaxed)
}
#[unsafe(no_mangle)]
pub fn t1() -> i32 {
    Y.store(1, Relaxed);
    OWN
    X.load(Relaxed)
}
";
    let cases = [
        ("own.c", in_c, "__atomic_thread_fence(__ATOMIC_SEQ_CST);"),
        ("own.c", in_c, "BARRIER();"),
        ("own.rs", in_rust, "fence(Ordering::SeqCst);"),
    ];
    for (name, text, own) in cases {
        let file = folder.join(name);
        std::fs::write(&file, text.replace("OWN", own)).expect("a file");
        for more in [&[][..], &["--confirm"], &["--fences-only", "--confirm"]] {
            let port = ["port", "--to", "power", "--thread", "t0", "--thread", "t1"];
            let said = asked(&[&port[..], more].concat(), &file);
            let about = format!("{name} with `{own}`, {more:?}: {said}");
            assert_eq!(said["verdict"], "repaired", "{about}");
            assert_eq!(said["repair"]["fences"].as_array().map(Vec::len), Some(1), "{about}");
        }
    }
}
