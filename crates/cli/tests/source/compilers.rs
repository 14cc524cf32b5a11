//! What is compiled is the program that was asked about: with the checks of its profile, with the flags
//! of the user, from the present text, in whatever encoding.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of our own that is empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

/// Writes files into a folder.
pub(crate) fn write(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
}

pub(crate) fn fencewright(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
    command.current_dir(folder).args(arguments).output().expect("fencewright can be started")
}

/// The exit code and all that was said.
pub(crate) fn answer(output: &Output) -> (Option<i32>, String) {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

/// Store buffering; with `FENCED` defined it is robust.
const STORE_BUFFERING: &str = "\
#include <pthread.h>
#include <stdatomic.h>
#ifdef FENCED
#define FENCE atomic_thread_fence(memory_order_seq_cst);
#else
#define FENCE
#endif
atomic_int x, y;
int r1, r2;
void *left(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  FENCE
  r1 = atomic_load_explicit(&y, memory_order_relaxed);
  return 0;
}
void *right(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  FENCE
  r2 = atomic_load_explicit(&x, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, left, 0);
  pthread_create(&other, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
}
";

#[test]
fn rust_is_checked_as_it_is_built() {
    let folder = folder("checks-of-rust");
    let assertion = b"fn main() {
    let other = std::thread::spawn(|| debug_assert!(1 + 1 == 3));
    other.join().unwrap();
}
";
    let overflow = b"use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
static COUNT: AtomicU8 = AtomicU8::new(255);
fn main() {
    let other = std::thread::spawn(|| COUNT.store(COUNT.load(Relaxed) + 1, Relaxed));
    other.join().unwrap();
}
";
    let bounds = b"use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
static AT: AtomicUsize = AtomicUsize::new(2);
static LIST: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
fn main() {
    let other = std::thread::spawn(|| LIST[AT.load(Relaxed)].store(1, Relaxed));
    other.join().unwrap();
}
";
    write(
        &folder,
        &[("assertion.rs", assertion), ("overflow.rs", overflow), ("bounds.rs", bounds)],
    );
    for (file, options, code) in [
        ("assertion.rs", &[][..], 1),
        ("assertion.rs", &["--release"], 0),
        ("assertion.rs", &["--", "-Cdebug-assertions=off"], 0),
        ("assertion.rs", &["--release", "--", "-C", "debug-assertions=on"], 1),
        ("overflow.rs", &[], 1),
        ("overflow.rs", &["--release"], 0),
        ("overflow.rs", &["--", "-C", "overflow-checks=off"], 0),
        ("bounds.rs", &[], 1),
        ("bounds.rs", &["--release"], 1),
    ] {
        let (found, said) =
            answer(&fencewright(&folder, &[&["reach", file][..], options].concat()));
        assert_eq!(found, Some(code), "{file} {options:?}: {said}");
    }
}

#[test]
fn flags_are_used_or_refused() {
    let folder = folder("flags");
    write(&folder, &[("p.c", STORE_BUFFERING.as_bytes()), ("flags.rsp", b"-DFENCED")]);
    for (flags, code, says) in [
        (&["-DFENCED"][..], 0, "holds"),
        (&["@flags.rsp"], 0, "holds"),
        (&["-O3"], 2, "leave it out"),
        (&["-fopenmp"], 2, "create the threads with pthreads"),
        (&["-fsanitize=thread"], 2, "'-fsanitize=thread'"),
        (&["--target=aarch64-linux-gnu"], 2, "answers are about x86"),
        (&["--config", "x.cfg"], 2, "@FILE"),
        (&["q.c"], 2, "before `--`"),
    ] {
        let (found, said) =
            answer(&fencewright(&folder, &[&["check", "p.c", "--"][..], flags].concat()));
        assert_eq!(found, Some(code), "{flags:?}: {said}");
        assert!(said.contains(says), "{flags:?} does not say `{says}`: {said}");
    }
    write(&folder, &[("flags.rsp", b"-DOTHER")]);
    let (code, said) = answer(&fencewright(&folder, &["check", "p.c", "--", "@flags.rsp"]));
    assert_eq!(code, Some(1), "the flags of the changed file count: {said}");
}

/// A clang of our own, which does something beside the real one.
#[cfg(unix)]
fn clang(folder: &Path, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join("clang-of-ours");
    std::fs::write(&file, format!("#!/bin/sh\n{script}")).expect("a script");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a script");
    file.to_str().expect("a plain path").to_owned()
}

/// IR that ends too early is not kept, and what is edited while the compiler runs is not taken for the
/// text that was compiled.
#[cfg(unix)]
#[test]
fn only_what_was_compiled_whole_and_undisturbed_is_kept() {
    let folder = folder("kept");
    let cache = folder.join("cache");
    let with = |clang: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
        command.current_dir(&folder).args(["check", "p.c"]);
        command.env("FENCEWRIGHT_CACHE", &cache).env("FENCEWRIGHT_CLANG", clang);
        answer(&command.output().expect("fencewright can be started"))
    };
    // The first time, a part of the text is missing.
    let cut = clang(
        &folder,
        "clang \"$@\" || exit 1\n\
         for word; do case $last in -o) ir=$word;; esac; last=$word; done\n\
         if [ -n \"$ir\" ] && [ ! -e broken ]; then\n\
         touch broken; head -c 3000 \"$ir\" > part && mv part \"$ir\"; fi\n",
    );
    write(&folder, &[("p.c", STORE_BUFFERING.as_bytes())]);
    for round in 0..2 {
        let (code, said) = with(&cut);
        assert_eq!(code, Some(1), "{round}: {said}");
    }
    // A robust program, of which somebody takes the fences out meanwhile.
    let fenced = format!("#define FENCED\n{STORE_BUFFERING}");
    let edited = clang(
        &folder,
        "clang \"$@\" || exit 1\ncase \"$*\" in *--version*) exit 0;; esac\n\
         if [ -e other.c ]; then sleep 0.05; cp other.c p.c; rm other.c; fi\n",
    );
    write(&folder, &[("p.c", fenced.as_bytes()), ("other.c", STORE_BUFFERING.as_bytes())]);
    for round in 0..2 {
        let (code, said) = with(&edited);
        assert_eq!(code, Some(1), "{round}: an answer about the old text: {said}");
    }
    write(&folder, &[("p.c", fenced.as_bytes())]);
    assert_eq!(with(&edited).0, Some(0), "and the old text is what it is");
}

/// Where nothing can be written, answers are the same; and what could be written in part is not used.
#[cfg(unix)]
#[test]
fn a_full_disk_changes_no_answer() {
    let folder = folder("full-disk");
    write(&folder, &[("p.c", STORE_BUFFERING.as_bytes())]);
    // The compiler itself may write as much as it likes.
    let clang = clang(&folder, "ulimit -S -f unlimited\nexec clang \"$@\"\n");
    for blocks in ["0", "4", "unlimited"] {
        for flag in ["-DFENCED", "-DOPEN"] {
            let script = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$0\" \"$@\"");
            let mut command = Command::new("sh");
            command.current_dir(&folder).args(["-c", &script]);
            command.args([env!("CARGO_BIN_EXE_fencewright"), "check", "p.c", "--", flag]);
            command.env("FENCEWRIGHT_CACHE", folder.join("cache")).env("FENCEWRIGHT_CLANG", &clang);
            let (code, said) = answer(&command.output().expect("sh can be started"));
            let expected = i32::from(flag != "-DFENCED");
            assert_eq!(code, Some(expected), "{blocks} {flag}: {said}");
        }
    }
}

#[test]
fn many_processes_share_a_cache() {
    let folder = folder("shared-cache");
    write(&folder, &[("p.c", STORE_BUFFERING.as_bytes())]);
    for _ in 0..2 {
        let started = (0..8).map(|number| {
            let (flag, code) = if number % 2 == 0 { ("-DFENCED", 0) } else { ("-DOPEN", 1) };
            let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
            command.current_dir(&folder).args(["check", "p.c", "--", flag]);
            command.env("FENCEWRIGHT_CACHE", folder.join("cache"));
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            (command.spawn().expect("fencewright can be started"), flag, code)
        });
        for (child, flag, expected) in started.collect::<Vec<_>>() {
            let (code, said) = answer(&child.wait_with_output().expect("it ends"));
            assert_eq!(code, Some(expected), "{flag}: {said}");
        }
    }
}

#[test]
fn the_cache_can_be_found_and_cleared() {
    let folder = folder("cache-command");
    write(&folder, &[("p.c", STORE_BUFFERING.as_bytes())]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
        command.current_dir(&folder).args(arguments).env("FENCEWRIGHT_CACHE", "here");
        answer(&command.output().expect("fencewright can be started"))
    };
    assert_eq!(run(&["check", "p.c"]).0, Some(1));
    let (code, full) = run(&["cache"]);
    assert!(code == Some(0) && full.contains(&folder.join("here").display().to_string()), "{full}");
    let (code, empty) = run(&["cache", "--clear"]);
    assert_eq!(code, Some(0), "{empty}");
    assert!(empty.contains("compiled files: 0.0 KiB") && empty != full, "{empty}{full}");
    let files = std::fs::read_dir(folder.join("here")).expect("the folder").count();
    assert_eq!(files, 0, "nothing is left");
}

/// Tests must not fill, or be fooled by, the cache of whoever runs them.
#[test]
fn tests_have_a_cache_of_their_own() {
    let cache = std::env::var("FENCEWRIGHT_CACHE").expect("Cargo's configuration names one");
    assert!(cache.ends_with("target/fencewright-cache"), "{cache}");
}

/// One byte of Latin-1 in a comment or in a string costs neither lines nor repairs.
#[test]
fn a_text_in_latin_1() {
    let folder = folder("latin-1");
    let text = STORE_BUFFERING
        .replace(
            "atomic_int x, y;",
            "/* caf\u{1} */ atomic_int x, y; const char *name = \"\u{1}\";",
        )
        .replace("  r1 = atomic", "  /* \u{1} */ r1 = atomic");
    let with = |byte: &[u8]| -> Vec<u8> {
        let parts: Vec<&[u8]> = text.as_bytes().split(|one| *one == 1).collect();
        parts.join(byte)
    };
    write(&folder, &[("latin.c", &with(b"\xe9")), ("ascii.c", &with(b"e"))]);
    let run = |file: &str, arguments: &[&str]| {
        let mut all = vec![arguments[0], file];
        all.extend(&arguments[1..]);
        let (code, said) = answer(&fencewright(&folder, &all));
        (code, said.replace(file, "FILE"))
    };
    let without_time = |said: &str| -> String {
        said.lines().filter(|line| !line.contains("explored")).collect::<Vec<_>>().join("\n")
    };
    for arguments in [&["check"][..], &["fence"], &["reach", "--model", "tso"]] {
        let (latin, ascii) = (run("latin.c", arguments), run("ascii.c", arguments));
        assert_eq!(latin.0, ascii.0, "{arguments:?}: {}", latin.1);
        let shown = without_time(&latin.1).replace(['\u{241a}', '\u{1a}'], "e");
        assert_eq!(shown, without_time(&ascii.1), "{arguments:?}");
    }
    let (code, said) = run("latin.c", &["fence", "--diff"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("not UTF-8") && said.contains("FILE:8:7"), "{said}");
}
