//! Programs that rely on the order of x86, ported to other machines: how much is changed is what `corpus/port`
//! says, the ported text needs no further change, and compilers take it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    program: Vec<Ported>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ported {
    file: String,
    #[serde(default)]
    threads: Vec<String>,
    aarch64: Changed,
    power: Changed,
    riscv: Changed,
    /// What is changed with `--confirm`, if not the same.
    confirmed: Option<Machines>,
    /// Whether it is ported only so.
    #[serde(default)]
    only_confirmed: bool,
    known: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Machines {
    aarch64: Changed,
    power: Changed,
    riscv: Changed,
}

impl Machines {
    const fn all(self) -> [(&'static str, Changed); 3] {
        [("aarch64", self.aarch64), ("power", self.power), ("riscv", self.riscv)]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changed {
    orders: usize,
    fences: usize,
}

impl Ported {
    const fn machines(&self) -> Machines {
        Machines { aarch64: self.aarch64, power: self.power, riscv: self.riscv }
    }
}

fn suite() -> Suite {
    let text = std::fs::read_to_string(corpus().join("suite.toml")).expect("a manifest");
    toml::from_str(&text).expect("a manifest")
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/port")
}

/// What `port` says of a program, with some more arguments.
fn port(program: &Ported, file: &Path, arch: &str, more: &[&str]) -> Output {
    let threads = program.threads.iter().flat_map(|thread| ["--thread", thread]);
    Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["port", "--to", arch])
        .arg(file)
        .args(threads)
        .args(more)
        .output()
        .expect("fencewright can be started")
}

/// The verdict, and how much is changed.
fn answer(output: &Output) -> (String, Changed) {
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
    let changed = Changed { orders: count("orders"), fences: count("fences") };
    (said["verdict"].as_str().expect("a verdict").to_owned(), changed)
}

/// Whether another compiler than the one that was used takes a text.
fn is_taken(file: &Path) -> bool {
    let mut compiler = if file.extension().is_some_and(|extension| extension == "c") {
        let mut gcc = Command::new("gcc");
        gcc.args(["-fsyntax-only", "-pthread"]);
        gcc
    } else {
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "--emit=metadata", "--out-dir"]);
        rustc.arg(file.parent().expect("a folder"));
        rustc
    };
    compiler.arg(file).status().expect("the compiler can be started").success()
}

#[test]
fn ports_are_what_the_manifest_says_and_need_no_more() {
    let suite = suite();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ports");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for program in suite.program.iter().filter(|program| !program.only_confirmed) {
        assert!(!program.known.is_empty(), "{}", program.file);
        let file = corpus().join(&program.file);
        for (arch, expected) in program.machines().all() {
            let (verdict, changed) = answer(&port(program, &file, arch, &["--format", "json"]));
            let is_changed = expected != Changed { orders: 0, fences: 0 };
            let wanted = if is_changed { "repaired" } else { "holds" };
            if (verdict.as_str(), changed) != (wanted, expected) {
                wrong.push(format!("{} on {arch}: {verdict}, {changed:?}", program.file));
                continue;
            }
            if !is_changed {
                continue;
            }
            let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
            let written = folder.join(format!("{arch}_{name}"));
            let path = written.to_str().expect("a path");
            let output = port(program, &file, arch, &["--write", path]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let (verdict, _) = answer(&port(program, &written, arch, &["--format", "json"]));
            if verdict != "holds" || !is_taken(&written) {
                wrong.push(format!("{} as ported to {arch}: {verdict}", program.file));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The bounded clients of the corpus: the port that their executions ask for is proven by those of the ported program.
#[test]
fn executions_prove_the_ports_that_they_ask_for() {
    let mut wrong = Vec::new();
    for program in &suite().program {
        let file = corpus().join(&program.file);
        for (arch, expected) in program.confirmed.unwrap_or(program.machines()).all() {
            let output = port(program, &file, arch, &["--confirm", "--format", "json"]);
            let (verdict, changed) = answer(&output);
            let is_changed = expected != Changed { orders: 0, fences: 0 };
            let wanted = if is_changed { "repaired" } else { "holds" };
            let said: Value = serde_json::from_slice(&output.stdout).expect("a document");
            let is_proven = !is_changed || said["proven"].as_u64().is_some_and(|count| count > 0);
            let enumerated = &said["enumerated"];
            let is_known = !is_changed || enumerated["undecided"] == 0;
            if (verdict.as_str(), changed) != (wanted, expected) || !is_proven || !is_known {
                wrong.push(format!("{} on {arch}: {verdict}, {changed:?}", program.file));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Orders that are stronger than needed, in the C and Rust that ports write.
const PLANTED: [(&str, &str); 6] = [
    ("__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST"),
    ("__ATOMIC_ACQUIRE", "__ATOMIC_SEQ_CST"),
    ("memory_order_release", "memory_order_seq_cst"),
    ("memory_order_acquire", "memory_order_seq_cst"),
    ("Ordering::Release", "Ordering::SeqCst"),
    ("Ordering::Acquire", "Ordering::SeqCst"),
];

/// The orders that an audit looked at, and how many of them it finds too strong.
fn audited(program: &Ported, file: &Path) -> (usize, usize) {
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["fence", "--minimise-existing", "--method", "static", "--arch", "aarch64"])
        .args(["--reference", "tso", "--format", "json"])
        .arg(file)
        .args(program.threads.iter().flat_map(|thread| ["--thread", thread]))
        .output()
        .expect("fencewright can be started");
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let orders = said["audit"]["orders"].as_array().expect("orders");
    (orders.len(), orders.iter().filter(|order| order["has"] != order["needs"]).count())
}

/// Ports of programs that need no fence, with every order one step too strong: the audit finds them all. Of the ports
/// themselves it finds none too strong.
#[test]
fn the_audit_finds_planted_orders_and_no_needed_one() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("planted");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut looked_at = 0;
    for program in suite().program {
        if program.aarch64.fences > 0 || program.aarch64.orders == 0 || program.only_confirmed {
            continue;
        }
        let file = corpus().join(&program.file);
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let ported = folder.join(name);
        let path = ported.to_str().expect("a path");
        let output = port(&program, &file, "aarch64", &["--write", path]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (orders, weaker) = audited(&program, &ported);
        assert!(orders >= program.aarch64.orders, "{}", program.file);
        assert_eq!(weaker, 0, "{} as ported", program.file);
        let mut text = std::fs::read_to_string(&ported).expect("the port");
        let planted: usize = PLANTED.iter().map(|(needed, _)| text.matches(needed).count()).sum();
        for (needed, strong) in PLANTED {
            text = text.replace(needed, strong);
        }
        let stronger = folder.join(format!("planted_{name}"));
        std::fs::write(&stronger, text).expect("a file");
        let (_, weaker) = audited(&program, &stronger);
        assert_eq!(weaker, planted, "{} with orders that are too strong", program.file);
        looked_at += planted;
    }
    assert!(looked_at > 10, "{looked_at} orders were planted");
}

/// Message passing, and a store that a later load may pass on x86 too.
const MODEL: &str = "shared data, ready, other
thread producer { local seen; data = 1; ready = 1; seen = other }
thread consumer { local flag, value; other = 1; flag = ready; value = data }
";

fn asked(arguments: &[&str], file: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .args(["--format", "json"])
        .arg(file)
        .output()
        .expect("fencewright can be started");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

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

/// Two threads in Rust, the first of which waits like this before it reads `D` and `E`.
fn waiting_in_rust(condition: &str, body: &str) -> String {
    format!(
        "use std::sync::atomic::{{AtomicI32, AtomicPtr, Ordering::Relaxed}};
static D: AtomicI32 = AtomicI32::new(0);
static E: AtomicI32 = AtomicI32::new(0);
static F: AtomicI32 = AtomicI32::new(0);
static G: AtomicI32 = AtomicI32::new(0);
static P: AtomicPtr<AtomicI32> = AtomicPtr::new(std::ptr::null_mut());
fn is_ready() -> bool {{ F.load(Relaxed) == 1 }}
#[unsafe(no_mangle)]
pub fn one() -> i32 {{
    while {condition} {body}
    D.load(Relaxed) + E.load(Relaxed)
}}
#[unsafe(no_mangle)]
pub fn two() {{
    D.store(1, Relaxed);
    E.store(1, Relaxed);
    P.store(&raw const F as *mut AtomicI32, Relaxed);
    G.store(1, Relaxed);
    F.store(1, Relaxed);
}}
"
    )
}

/// Fences in conditions, also where statements stand in them: a condition is left behind these.
#[test]
fn waits_are_ported_whatever_their_condition_is() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("waits");
    std::fs::create_dir_all(&folder).expect("a folder");
    let in_rust = [
        ("F.load(Relaxed) == 0", "{}"),
        ("F.load(Relaxed) == 0 || G.load(Relaxed) == 0", "{}"),
        ("!is_ready()", "{ std::hint::spin_loop(); }"),
        ("P.load(Relaxed).is_null()", "{}"),
        ("F.compare_exchange(0, 1, Relaxed, Relaxed).is_err()", "{ E.store(1, Relaxed); }"),
        ("{ let f = F.load(Relaxed); f == 0 }", "{}"),
        ("let Some(0) = Some(F.load(Relaxed))", "{}"),
        ("F.load(Relaxed) == 0 && { G.store(1, Relaxed); true }", "{}"),
        (
            "F.load(Relaxed) == 0 && { G.store(1, Relaxed); true }",
            "{ if G.load(Relaxed) == 1 { continue; } E.store(2, Relaxed); }",
        ),
        ("F.load(Relaxed) == 0 && { G.store(1, Relaxed); E.load(Relaxed) < 2 }", "{}"),
    ];
    let in_c = "int D, E, F, G, r;
void one(void) {
  while (__atomic_load_n(&F, __ATOMIC_RELAXED) == 0
    && ({ __atomic_store_n(&G, 1, __ATOMIC_RELAXED); 1; })) ;
  r = __atomic_load_n(&D, __ATOMIC_RELAXED);
}
void two(void) {
  __atomic_store_n(&D, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&G, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&F, 1, __ATOMIC_RELAXED);
}
";
    let texts = in_rust.iter().map(|(condition, body)| waiting_in_rust(condition, body));
    let files = texts.map(|text| ("wait.rs", text)).chain([("wait.c", in_c.to_owned())]);
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::write(&file, &text).expect("a file");
        for machine in ["power", "aarch64"] {
            for more in [&[][..], &["--fences-only"]] {
                let port = ["port", "--to", machine, "--thread", "one", "--thread", "two"];
                let said = asked(&[&port[..], more].concat(), &file);
                // Between the two parts of `a || b` no fence stands.
                let is_left = said["repair"]["left"].as_array().is_some_and(|it| !it.is_empty());
                let wanted = if is_left { "undecided" } else { "repaired" };
                assert_eq!(said["verdict"], wanted, "{machine}, {more:?}:\n{text}");
                assert!(!is_left || !more.is_empty(), "{machine}:\n{text}");
            }
        }
    }
}

/// Message passing whose flag is no integer: no access to it can become atomic, so there are fences.
#[test]
fn plain_accesses_that_compilers_refuse_to_make_atomic_are_left_alone() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("refused");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("flag.c");
    for (kind, orders, fences) in [("int", 2, 0), ("float", 0, 2)] {
        let text = format!(
            "int data, seen; {kind} ready;
void producer(void) {{ data = 1; ready = 1; }}
void consumer(void) {{ if (ready) seen = data; }}
"
        );
        std::fs::write(&file, text).expect("a file");
        let port = ["port", "--to", "aarch64", "--thread", "producer", "--thread", "consumer"];
        let said = asked(&port, &file);
        assert_eq!(said["verdict"], "repaired", "{kind}");
        let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
        assert_eq!((count("orders"), count("fences")), (orders, fences), "{kind}");
    }
}

/// `c->fd = data` loads `data` before `c`, and a call with `&c->fd` and `data` the other way round. What is ordered must be
/// what the ported text does.
#[test]
fn assignments_that_become_calls_evaluate_in_another_order() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("evaluated");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("context.c");
    let bodies = [
        ("data = 1; c->fd = 1;", "c->fd = data;"),
        ("data = 1; c->fd = 1;", "c->next->fd = data;"),
        ("c->fd = 1; c = c->next;", "c->next->fd = data;"),
        ("data = 1; c->fd = 1; c = c->next;", "seen = data; c->fd = 2;"),
    ];
    for (producer, consumer) in bodies {
        let text = format!(
            "struct context {{ int fd; struct context *next; }};
struct context *c;
int data, seen;
void producer(void) {{ {producer} }}
void consumer(void) {{ {consumer} }}
"
        );
        std::fs::write(&file, text).expect("a file");
        let threads = ["--thread", "producer", "--thread", "consumer"];
        let written = folder.join("ported.c");
        let path = written.to_str().expect("a path");
        let port = ["port", "--to", "aarch64"];
        let said = asked(&[&port[..], &threads, &["--write", path]].concat(), &file);
        let verdict = said["verdict"].as_str();
        assert!(matches!(verdict, Some("repaired" | "undecided")), "{consumer}: {said}");
        if verdict == Some("repaired") {
            let again = asked(&[&port[..], &threads].concat(), &written);
            assert_eq!(again["verdict"], "holds", "{consumer}");
        }
    }
}

/// Any other error about the ported text is told: here its LLVM IR is none, and that of the text without atomics is.
#[cfg(unix)]
#[test]
fn errors_of_ported_texts_are_not_hidden() {
    use std::os::unix::fs::PermissionsExt;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("broken");
    std::fs::create_dir_all(&folder).expect("a folder");
    let compiler = folder.join("clang");
    let script = "#!/bin/sh
clang \"$@\" || exit 1
out= previous=
for argument; do [ \"$previous\" = -o ] && out=$argument; previous=$argument; done
[ -n \"$out\" ] && grep -q ' atomic ' \"$out\" && echo '@broken = }' > \"$out\"
exit 0
";
    std::fs::write(&compiler, script).expect("a script");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("a script");
    let file = folder.join("passing.c");
    let text = "int data, ready, seen;
void producer(void) { data = 1; ready = 1; }
void consumer(void) { if (ready) seen = data; }
";
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["port", "--to", "aarch64", "--thread", "producer", "--thread", "consumer"])
        .args(["--clang".as_ref(), compiler.as_os_str(), file.as_os_str()])
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("LLVM IR"), "{said}");
}

/// A model, what a port changes in it on a machine (orders, fences), and the same with fences alone.
type Model = (&'static str, &'static str, (usize, usize), usize);

const MODELS: [Model; 9] = [
    // Store buffering: x86 shows it, too.
    ("t0 { local r; x = 1; r = y } t1 { local r; y = 1; r = x }", "power", (0, 0), 0),
    // With locked accesses between: x86 keeps both pairs.
    (
        "t0 { local r; x = 1; xchg(l, 1, relaxed); r = y } t1 { local r; y = 1; fence; r = x }",
        "power",
        (0, 1),
        1,
    ),
    (
        "t0 { local r; store(x, 1, seq_cst); r = y } t1 { local r; store(y, 1, seq_cst); r = x }",
        "power",
        (0, 2),
        2,
    ),
    // What is full on x86 is full there.
    (
        "t0 { local r; x = 1; fence; r = y } t1 { local r; y = 1; fence; r = x }",
        "aarch64",
        (0, 0),
        0,
    ),
    // Message passing.
    (
        "t0 { store(x, 1, relaxed); store(y, 1, relaxed) }
         t1 { local r, s; r = load(y, relaxed); s = load(x, relaxed) }",
        "aarch64",
        (2, 0),
        2,
    ),
    (
        "t0 { store(x, 1, relaxed); store(y, 1, release) }
         t1 { local r, s; r = load(y, acquire); s = load(x, relaxed) }",
        "riscv",
        (0, 0),
        0,
    ),
    // Load buffering, with a dependency on one side.
    ("t0 { local r; r = x; y = r } t1 { local r; r = y; x = 1 }", "aarch64", (1, 0), 1),
    // Independent reads of independent writes.
    (
        "t0 { store(x, 1, relaxed) } t1 { store(y, 1, relaxed) }
         t2 { local r, s; r = load(x, acquire); s = load(y, acquire) }
         t3 { local r, s; r = load(y, acquire); s = load(x, acquire) }",
        "power",
        (0, 2),
        2,
    ),
    // A lock of relaxed accesses: no bound is enough for its executions, so all static delays are ordered.
    (
        "t0 { while xchg(l, 1, relaxed) == 1 { }; x = x + 1; store(l, 0, relaxed) }
         t1 { while xchg(l, 1, relaxed) == 1 { }; x = x + 1; store(l, 0, relaxed) }",
        "aarch64",
        (2, 2),
        6,
    ),
];

/// Models: what a port changes, and that it is what their executions need.
#[test]
fn models_are_ported() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("models");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for (number, (threads, machine, changes, fences)) in MODELS.iter().enumerate() {
        let file = folder.join(format!("model-{number}.fw"));
        let mut text = format!("shared x, y, l\n{threads}\n");
        for thread in 0..4 {
            text = text.replace(&format!("t{thread} {{"), &format!("\nthread t{thread} {{"));
        }
        std::fs::write(&file, &text).expect("a file");
        let weak = |file: &Path| {
            let asked_for = ["outcomes", "--model", machine, "--reference", "tso"];
            let states = asked(&asked_for, file)["only_weak"].as_array().expect("states").clone();
            states.contains(&Value::Bool(true))
        };
        let is_changed = *changes != (0, 0);
        let checked = ["check", "--method", "static", "--arch", machine, "--reference", "tso"];
        let verdict = asked(&checked, &file)["verdict"].clone();
        assert_eq!(verdict, if is_changed { "undecided" } else { "holds" }, "{machine}:\n{text}");
        for (more, wanted) in [(None, *changes), (Some("--fences-only"), (0, *fences))] {
            let written = folder.join(format!("ported-{number}.fw"));
            let path = written.to_str().expect("a path");
            let port = ["port", "--to", machine, "--confirm", "--write", path];
            let said = asked(&[&port[..], more.as_slice()].concat(), &file);
            let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
            let found = (count("orders"), count("fences"));
            let verdict = if is_changed { "repaired" } else { "holds" };
            if found != wanted || said["verdict"] != verdict {
                wrong.push(format!("{machine}, {more:?}, {found:?}, {}:\n{text}", said["verdict"]));
            } else if is_changed && weak(&written) {
                wrong.push(format!("{machine}, {more:?} shows more than x86:\n{text}"));
            }
        }
        if weak(&file) && !is_changed {
            wrong.push(format!("{machine} shows more than x86:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_program_is_in_the_manifest() {
    let suite = suite();
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for program in &suite.program {
        *listed.entry(program.file.as_str()).or_default() += 1;
    }
    for language in ["c", "rust"] {
        let files = std::fs::read_dir(corpus().join(language)).expect("a folder");
        for file in files {
            let name = file.expect("an entry").file_name();
            let name = format!("{language}/{}", name.to_str().expect("a name"));
            assert_eq!(listed.remove(name.as_str()), Some(1), "{name}");
        }
    }
    assert_eq!(listed, BTreeMap::new());
}
