//! `confirm`: what is refused, what is kept, and programs in C as they are.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BUFFERING: &str = "#include <assert.h>\n\
    #include <pthread.h>\n\
    #include <stdatomic.h>\n\
    atomic_int x, y;\n\
    int r1, r2;\n\
    void *a(void *p) {\n\
      atomic_store_explicit(&x, 1, memory_order_relaxed);\n\
      r1 = atomic_load_explicit(&y, memory_order_relaxed);\n\
      return p;\n\
    }\n\
    void *b(void *p) {\n\
      atomic_store_explicit(&y, 1, memory_order_relaxed);\n\
      r2 = atomic_load_explicit(&x, memory_order_relaxed);\n\
      return p;\n\
    }\n\
    int main(void) {\n\
      pthread_t t, u;\n\
      pthread_create(&t, 0, a, 0);\n\
      pthread_create(&u, 0, b, 0);\n\
      pthread_join(t, 0);\n\
      pthread_join(u, 0);\n\
      assert(r1 || r2);\n\
      return 0;\n\
    }\n";

/// A folder of our own that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn confirm(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
    command.current_dir(folder).arg("confirm").args(arguments);
    let Output { status, stdout, stderr } = command.output().expect("fencewright can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

/// Whether threads can run at the same time here; otherwise everything is refused.
fn is_parallel() -> bool {
    std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
}

#[test]
fn one_processor_shows_nothing() {
    let folder = folder("confirm-one");
    std::fs::write(folder.join("p.fw"), "shared x\nthread p { x = 1 }\n").expect("a file");
    let (code, _, said) = confirm(&folder, &["p.fw", "--processors", "1"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("there is one processor only"), "{said}");
}

#[test]
fn a_missing_compiler_is_named() {
    let folder = folder("confirm-cc");
    std::fs::write(folder.join("p.fw"), "shared x\nthread p { x = 1 }\n").expect("a file");
    let (code, _, said) = confirm(&folder, &["p.fw", "--cc", "./no-such-compiler"]);
    assert_eq!(code, Some(2));
    let why = if is_parallel() { "tried ./no-such-compiler" } else { "one processor" };
    assert!(said.contains(why), "{said}");
}

#[test]
fn a_test_is_kept_but_not_over_the_program() {
    let folder = folder("confirm-keep");
    std::fs::write(folder.join("p.fw"), "shared x\nthread p { x = 1 }\n").expect("a file");
    confirm(&folder, &["p.fw", "--keep", "tests", "--runs", "10"]);
    let kept = std::fs::read_to_string(folder.join("tests/p.confirm.c")).expect("a test");
    assert!(kept.contains("static void thread_0"), "{kept}");
    std::os::unix::fs::symlink("p.fw", folder.join("p.confirm.c")).expect("a link");
    let (code, _, said) = confirm(&folder, &["p.fw", "--keep", "."]);
    assert_eq!(code, Some(2));
    assert!(said.contains("`--keep` would overwrite ./p.confirm.c"), "{said}");
}

/// Whether or not the machine shows the failure in so few runs, it shows nothing impossible.
#[test]
fn a_program_in_c_shows_only_what_is_possible() {
    let folder = folder("confirm-c");
    std::fs::write(folder.join("sb.c"), BUFFERING).expect("a file");
    let (code, answer, said) =
        confirm(&folder, &["sb.c", "--runs", "500", "--timeout", "10", "--format", "json"]);
    if !is_parallel() {
        return assert_eq!(code, Some(2));
    }
    let answer: serde_json::Value = serde_json::from_str(&answer).expect(&said);
    let verdict = answer["verdict"].as_str().expect("a verdict");
    assert_eq!(code, Some(i32::from(verdict == "seen")), "{answer}");
    assert!(["seen", "not seen"].contains(&verdict), "{answer}");
    let known = [&answer["states"], &answer["faults"]];
    let all = known.iter().flat_map(|list| list.as_array().expect("a list"));
    for one in all {
        assert_eq!(one["under_tso"], true, "{answer}");
    }
    let ended = answer["states"].as_array().map_or(0, Vec::len);
    assert!(ended > 0, "{answer}");
}

#[test]
fn a_program_in_c_runs_as_compiled() {
    let folder = folder("confirm-compiled");
    let programs = [
        ("fine.c", "int main(void) { return 0; }\n", 0, "did not fail in 20 runs", "exit code 0"),
        (
            "code.c",
            "int main(void) { return 7; }\n",
            1,
            "failed 20 times in 20 runs",
            "exit code 7",
        ),
        (
            "fails.c",
            "#include <stdlib.h>\nint main(void) { abort(); }\n",
            1,
            "failed 20 times in 20 runs",
            "20  aborted, as a failed assertion does",
        ),
        ("flag.c", "int main(void) { return FLAG; }\n", 1, "failed 20 times", "exit code 3"),
    ];
    for (name, text, expected, headline, row) in programs {
        std::fs::write(folder.join(name), text).expect("a file");
        let asked = [name, "--as-compiled", "--runs", "20", "--", "-DFLAG=3"];
        let (code, answer, said) = confirm(&folder, &asked);
        if !is_parallel() {
            return assert_eq!(code, Some(2));
        }
        assert_eq!(code, Some(expected), "{name}: {answer}{said}");
        assert!(answer.contains(headline) && answer.contains(row), "{name}: {answer}");
    }
    std::fs::write(folder.join("wrong.c"), "int main(void) { return }\n").expect("a file");
    let (code, _, said) = confirm(&folder, &["wrong.c", "--as-compiled"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("wrong.c:1"), "the compiler's own words: {said}");
    let (code, _, said) = confirm(&folder, &["p.fw", "--as-compiled"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("is for programs in C"), "{said}");
}
