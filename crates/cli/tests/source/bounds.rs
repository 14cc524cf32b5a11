//! Raising a bound of the translation never turns *holds* into *violated*, nor *repaired* into something
//! else: up to the bound nothing was known. Random programs store and load, and between that allocate,
//! recurse and create threads more or less often than the bounds allow.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::{fencewright, text};

/// The bounds that are tried, one after the other.
const BOUNDS: [u32; 4] = [1, 2, 3, 9];

/// A random program whose threads come to bounds before, between or after accesses.
fn program(rng: &mut fastrand::Rng) -> String {
    let mut text = "#include <pthread.h>\n#include <stdlib.h>\n#include <stdatomic.h>\n\
                    atomic_int x, y, z;\n\
                    static int deep(int n) { return n ? deep(n - 1) + 1 : 0; }\n"
        .to_owned();
    let orders = ["memory_order_relaxed", "memory_order_seq_cst"];
    for (function, mine, other) in [("a", "x", "y"), ("b", "y", "x")] {
        let _ = writeln!(text, "static void *{function}(void *unused) {{");
        for _ in 0..rng.usize(1..4) {
            let times = rng.usize(1..5);
            let _ = match rng.u32(..5) {
                0 => writeln!(
                    text,
                    "  for (int i = 0; i < {times}; i++) {{ int *p = malloc(sizeof *p); *p = i; }}"
                ),
                1 => writeln!(text, "  if (deep({times}) != {times}) return unused;"),
                2 => writeln!(text, "  atomic_store_explicit(&z, 1, {});", orders[rng.usize(..2)]),
                _ => writeln!(
                    text,
                    "  atomic_store_explicit(&{mine}, 1, {});\n  \
                     if (atomic_load_explicit(&{other}, memory_order_relaxed)) return unused;",
                    orders[rng.usize(..2)]
                ),
            };
        }
        let _ = writeln!(text, "  return unused;\n}}");
    }
    let _ = writeln!(
        text,
        "int main(void) {{\n  pthread_t p, q;\n  pthread_create(&p, 0, a, 0);\n  \
         pthread_create(&q, 0, b, 0);\n  pthread_join(p, 0);\n  pthread_join(q, 0);\n}}"
    );
    text
}

/// The JSON document about a program with these bounds.
fn asked(command: &[&str], file: &Path, bound: u32) -> Value {
    let bound = bound.to_string();
    let mut arguments: Vec<String> = command.iter().map(|one| (*one).to_owned()).collect();
    arguments.push(file.display().to_string());
    arguments.extend(["--max-recursion", &bound, "--max-allocations", &bound].map(str::to_owned));
    arguments.extend(["--format", "json", "--threads", "1"].map(str::to_owned));
    let output = fencewright(&arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{arguments:?}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    })
}

#[test]
fn raising_bounds_never_takes_back_what_holds() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bounds");
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let mut rng = fastrand::Rng::with_seed(3);
    let mut seen = BTreeSet::new();
    for number in 0..8 {
        let file = folder.join(format!("p{number}.c"));
        let text_of_program = program(&mut rng);
        std::fs::write(&file, &text_of_program).expect("a program can be written");
        let mut sure: Vec<(String, String)> = Vec::new();
        for bound in BOUNDS {
            let checked = asked(&["check", "--criterion", "all"], &file, bound);
            let results = checked["results"].as_array().into_iter().flatten();
            let mut now: Vec<(String, String)> = results
                .map(|result| {
                    (text(result, "criterion").to_owned(), text(result, "verdict").to_owned())
                })
                .collect();
            let repaired = asked(&["fence"], &file, bound);
            let told = format!("{} {}", text(&repaired, "verdict"), repaired["cost"]);
            now.push(("fence".to_owned(), told));
            let listed = asked(&["outcomes", "--model", "tso"], &file, bound);
            let told = match text(&listed, "verdict") {
                "undecided" => "undecided".to_owned(),
                complete => format!("{complete} {}", listed["states"]),
            };
            now.push(("outcomes".to_owned(), told));
            for (what, verdict) in
                now.iter().filter(|(_, verdict)| !verdict.starts_with("undecided"))
            {
                seen.insert((what.clone(), verdict.split(' ').next().unwrap_or("").to_owned()));
                for (before, known) in &sure {
                    assert!(
                        before != what || known == verdict,
                        "{what}: {known} becomes {verdict} at {bound}:\n{text_of_program}"
                    );
                }
                sure.push((what.clone(), verdict.clone()));
            }
        }
        assert!(
            sure.iter().any(|(what, _)| what == "robustness"),
            "the last bound is high enough:\n{text_of_program}"
        );
    }
    for (what, verdict) in
        [("robustness", "holds"), ("robustness", "violated"), ("fence", "repaired")]
    {
        assert!(seen.contains(&(what.to_owned(), verdict.to_owned())), "{seen:?}");
    }
}
