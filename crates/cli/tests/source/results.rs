//! What counts as a result of a program in C or Rust: its global variables, and what the author named if the program
//! prints or returns something; never what the translation keeps for itself.

use std::path::PathBuf;

use serde_json::Value;

use crate::fencewright;

const PRINTS_IN_RUST: &str = "use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
fn main() {
    let x = Arc::new(AtomicUsize::new(0));
    let y = Arc::new(AtomicUsize::new(0));
    let (x1, y1) = (x.clone(), y.clone());
    let a = thread::spawn(move || { x1.store(1, Relaxed); y1.load(Relaxed) });
    let b = thread::spawn(move || { y.store(1, Relaxed); x.load(Relaxed) });
    let (r1, r2) = (a.join().unwrap(), b.join().unwrap());
    println!(\"{r1} {r2}\");
}
";

const PRINTS_IN_C: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int x, y;
static void *a(void *p) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return (void *)(long)atomic_load_explicit(&y, memory_order_relaxed);
}
static void *b(void *p) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return (void *)(long)atomic_load_explicit(&x, memory_order_relaxed);
}
int main(void) {
  pthread_t t, u; void *r, *s;
  pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0);
  pthread_join(t, &r); pthread_join(u, &s);
  printf(\"%ld %ld\\n\", (long)r, (long)s);
  return 0;
}
";

/// Values that nobody names are printed.
const PRINTS_EXPRESSIONS: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int x, y;
static void *a(void *p) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  printf(\"%d\\n\", atomic_load_explicit(&y, memory_order_relaxed));
  return 0;
}
static void *b(void *p) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  printf(\"%d\\n\", atomic_load_explicit(&x, memory_order_relaxed));
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  return 0;
}
";

fn document(command: &str, name: &str, text: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("results");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("a path").to_owned();
    let arguments = [command.to_owned(), file, "--format".to_owned(), "json".to_owned()];
    let output = fencewright(&arguments);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The final states that `outcomes` lists, and how many of them are not under SC.
fn states(name: &str, text: &str) -> (Vec<String>, usize) {
    let said = document("outcomes", name, text);
    let all = said["states"].as_array().expect("states");
    let new = said["only_weak"].as_array().into_iter().flatten().filter(|only| **only == true);
    (all.iter().map(Value::to_string).collect(), new.count())
}

#[test]
fn what_is_printed_is_a_result() {
    for (name, text) in [
        ("prints.rs", PRINTS_IN_RUST),
        ("prints.c", PRINTS_IN_C),
        ("expressions.c", PRINTS_EXPRESSIONS),
    ] {
        let (all, new) = states(name, text);
        assert_eq!((all.len(), new), (4, 1), "{name}: {all:?}");
        let internal = |state: &&String| {
            ["start of", "end of", "freed(", "result of", "process."]
                .iter()
                .any(|word| state.contains(word))
        };
        assert_eq!(all.iter().find(internal), None, "{name}");
        let checked = document("check", name, text);
        let matters = checked["triage"].as_array().expect("a triage");
        let results = matters.iter().find(|it| it["matter"] == "final_states").expect("results");
        assert_eq!(results["verdict"], "violated", "{name}");
    }
    let (all, _) = states("prints.rs", PRINTS_IN_RUST);
    assert!(!all.concat().contains('%'), "names tell these states apart: {all:?}");
}

/// A variable that a closure has captured, and changes, is printed from where the closure keeps it.
#[test]
fn captured_variables_are_results() {
    let text = PRINTS_IN_RUST
        .replace("y1.load(Relaxed) });", "r += y1.load(Relaxed); println!(\"{r}\"); });")
        .replace("x.load(Relaxed) });", "s += x.load(Relaxed); println!(\"{s}\"); });")
        .replace("    let a = ", "    let (mut r, mut s) = (0, 0);\n    let a = ")
        .replace(
            "let (r1, r2) = (a.join().unwrap(), b.join().unwrap());",
            "a.join().unwrap(); b.join().unwrap();",
        )
        .replace("    println!(\"{r1} {r2}\");\n", "");
    let (all, new) = states("captured.rs", &text);
    assert!(all.len() >= 4 && new >= 1, "{all:?}");
}

#[test]
fn what_no_variable_outlives_is_no_result() {
    let text = PRINTS_IN_RUST.replace("println!(\"{r1} {r2}\");", "let _ = (r1, r2);");
    let (all, new) = states("silent.rs", &text);
    assert_eq!((all.len(), new), (1, 0), "{all:?}");
}
