//! Cargo packages: the tests of a target, and which program is meant.

use crate::compilers::{answer, fencewright, folder, write};
use std::path::PathBuf;

const MANIFEST: &[u8] = b"[package]
name = \"flag\"
version = \"0.1.0\"
edition.workspace = true
[[test]]
name = \"own\"
harness = false
[workspace.package]
edition = \"2024\"
[workspace]
";

const LIBRARY: &[u8] = b"use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
#[test]
fn of_the_library() {
    static FLAG: Flag = Flag::new();
    let sleeper = std::thread::spawn(|| FLAG.sleep());
    let wakes = FLAG.push();
    assert!(!sleeper.join().unwrap() || wakes);
}
pub struct Flag { sleeping: AtomicBool, items: AtomicUsize }
impl Flag {
    pub const fn new() -> Self {
        Self { sleeping: AtomicBool::new(false), items: AtomicUsize::new(0) }
    }
    pub fn push(&self) -> bool {
        self.items.store(1, Release);
        self.sleeping.load(Acquire)
    }
    pub fn sleep(&self) -> bool {
        self.sleeping.store(true, Release);
        self.items.load(Acquire) == 0
    }
}
";

const TESTS: &[u8] = b"use flag::Flag;
use std::sync::Arc;
use std::thread;

#[test]
fn no_lost_wakeup() {
    let flag = Arc::new(Flag::new());
    let other = Arc::clone(&flag);
    let sleeper = thread::spawn(move || other.sleep());
    let wakes = flag.push();
    let sleeps = sleeper.join().unwrap();
    assert!(!sleeps || wakes);
}

/// A comment.
#[test]
#[ignore = \"slow\"]
fn ignored() {
    assert_eq!(1 + 1, 3);
}

#[test]
#[should_panic(
    expected = \"no\"
)]
fn panics() {
    panic!(\"no\");
}

mod inner {
    #[test]
    fn nested() {
        assert!(super::Flag::new().sleep());
    }
}
";

fn package() -> PathBuf {
    let folder = folder("package-with-tests");
    write(
        &folder,
        &[
            ("Cargo.toml", MANIFEST),
            ("src/lib.rs", LIBRARY),
            ("tests/wake.rs", TESTS),
            ("tests/judged.rs", b"#[test]\nfn judged() -> Result<(), String> { Ok(()) }\n"),
            ("tests/own.rs", b"fn main() { assert!(!flag::Flag::new().push()); panic!() }\n"),
            ("tests/empty.rs", b"#[test]\n#[ignore]\nfn later() {}\n"),
        ],
    );
    folder
}

/// Each test is a program, and an answer is about the one that it names.
#[test]
fn tests_of_a_package() {
    let folder = package();
    let run = |arguments: &[&str]| answer(&fencewright(&folder, arguments));
    let (code, said) = run(&["check", ".", "--test", "wake"]);
    assert_eq!(code, Some(1), "{said}");
    for part in [
        ". --test wake::no_lost_wakeup: violated under TSO",
        ". --test wake::inner::nested: holds under TSO",
        "`ignored` is marked `#[ignore]` and was left out; `--test wake::ignored` checks it",
        "`panics` is marked `#[should_panic]` and was left out",
    ] {
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
    for (command, test, options, expected) in [
        ("reach", "wake::no_lost_wakeup", &["--model", "tso"][..], 1),
        ("reach", "wake::no_lost_wakeup", &["--model", "sc"], 0),
        ("reach", "wake::inner::nested", &["--model", "tso"], 0),
        ("reach", "wake::ignored", &[], 1),
        ("fence", "wake::no_lost_wakeup", &[], 0),
        // Without a harness, `main` is the test.
        ("reach", "own", &[], 1),
        // A thread by its name is the same program.
        ("check", "wake", &["--thread", "no_lost_wakeup"], 1),
    ] {
        let (code, said) = run(&[&[command, ".", "--test", test][..], options].concat());
        assert_eq!(code, Some(expected), "{command} {test} {options:?}: {said}");
    }
    for written in [
        &["fence", ".", "--test", "wake", "--write", "out.rs"][..],
        &["convert", ".", "--unit-tests", "--to", "fw", "-o", "out.fw"],
    ] {
        let (code, said) = run(written);
        assert_eq!(code, Some(2), "one file for several programs: {said}");
    }
    let (code, said) = run(&["reach", ".", "--test", "wake::panics"]);
    assert!(code == Some(1) && said.contains("it passes if it fails"), "{said}");
    let (code, said) = run(&["reach", ".", "--unit-tests", "--model", "tso"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.starts_with(". --unit-tests=of_the_library: violated under TSO"), "{said}");
    let (code, said) = run(&["reach", ".", "--unit-tests=of_the_library", "--model", "sc"]);
    assert_eq!(code, Some(0), "{said}");
    for (test, says) in [
        ("wake::missing", "the tests are: ignored, inner::nested, no_lost_wakeup, panics"),
        ("judged", "let it return nothing"),
        ("empty", "name one of later"),
        ("none", "wake"),
    ] {
        let (code, said) = run(&["check", ".", "--test", test]);
        assert_eq!(code, Some(2), "{test}: {said}");
        assert!(said.contains(says), "{test} does not say `{says}`: {said}");
    }
}
