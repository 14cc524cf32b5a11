//! Waits with conditions of all kinds.

use std::path::PathBuf;

use crate::asked;

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
