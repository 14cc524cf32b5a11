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

/// The processes that a process has started, at any remove, each with the program that it runs.
fn started_by(ancestor: u32) -> Vec<(u32, String)> {
    let stat = |process: u32| std::fs::read_to_string(format!("/proc/{process}/stat")).ok();
    // The name, which may hold anything, ends with the last bracket; then come state and parent.
    let parent = |process: u32| -> Option<u32> {
        let about = stat(process)?;
        let (_, rest) = about.rsplit_once(')')?;
        rest.split_whitespace().nth(1)?.parse().ok()
    };
    let all = std::fs::read_dir("/proc").expect("Linux").flatten();
    let all: Vec<u32> = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let is_from = |mut process: u32| {
        while let Some(by) = parent(process) {
            if by == ancestor {
                return true;
            }
            process = by;
        }
        false
    };
    let runs = |process: u32| {
        let program = std::fs::read_link(format!("/proc/{process}/exe"));
        program.map(|path| path.display().to_string()).unwrap_or_default()
    };
    all.into_iter().filter(|one| is_from(*one)).map(|one| (one, runs(one))).collect()
}

/// Waits until something is so, and says whether it became so.
fn becomes(is_so: impl Fn() -> bool) -> bool {
    let begun = std::time::Instant::now();
    while begun.elapsed() < std::time::Duration::from_secs(20) {
        if is_so() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    false
}

/// While a test is compiled, while it runs, and while a program runs as it is: no file stays, and no process.
#[test]
fn an_interrupt_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    if !is_parallel() {
        return;
    }
    let folder = folder("confirm-interrupted");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("sb.c", BUFFERING);
    write("endless.c", "int main(void) { for (;;) {} }\n");
    write("slow-cc", "#!/bin/sh\nsleep 300\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("slow-cc"), executable).expect("our file");
    let cases: [(&str, &[&str], &str); 3] = [
        ("compiled", &["sb.c", "--cc", "./slow-cc"], "sleep"),
        ("run", &["sb.c", "--runs", "1000000000000", "--timeout", "200"], "/test (deleted)"),
        ("as-is", &["endless.c", "--as-compiled", "--timeout", "200"], "/program (deleted)"),
    ];
    for (name, arguments, program) in cases {
        let temporary = folder.join(name);
        std::fs::create_dir(&temporary).expect("a folder");
        let child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .current_dir(&folder)
            .env("TMPDIR", &temporary)
            .arg("confirm")
            .args(arguments)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("fencewright can be started");
        let id = child.id();
        let is_at_work = || started_by(id).iter().any(|(_, runs)| runs.ends_with(program));
        assert!(becomes(is_at_work), "{name}: {:?}", started_by(id));
        let started = started_by(id);
        let signal = Command::new("kill").args(["-INT", &id.to_string()]).status();
        assert!(signal.expect("kill").success());
        let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
        let said = [stdout, stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(status.code(), Some(130), "{name}: {said}");
        assert!(said.contains("undecided: the search was cancelled"), "{name}: {said}");
        let left: Vec<_> = std::fs::read_dir(&temporary).expect("it is there").collect();
        assert!(left.is_empty(), "{name}: {left:?}");
        // A process that has ended and is not yet waited for runs nothing.
        let is_over = |process: u32| std::fs::read_link(format!("/proc/{process}/exe")).is_err();
        let are_over = || started.iter().all(|(process, _)| is_over(*process));
        assert!(becomes(are_over), "{name}: {started:?}");
    }
}
