//! Rust files.

use crate::support::{Folder, compiled, definitions, failure, names};
use compiler::{Failure, Language};

const THREADS: &str = "use std::sync::atomic::{AtomicI32, Ordering::*, fence};
mod other;
static X: AtomicI32 = AtomicI32::new(0);
fn main() {
    let thread = std::thread::spawn(|| {
        X.store(1, Release);
        fence(SeqCst);
        other::Y.load(Acquire)
    });
    other::Y.store(1, SeqCst);
    let seen = X.load(Relaxed);
    assert!(seen + thread.join().unwrap() > 0);
}
";

#[test]
fn atomics_stay_calls_with_their_ordering() {
    let folder = Folder::with(&[
        ("program.rs", THREADS),
        ("other.rs", "pub static Y: super::AtomicI32 = super::AtomicI32::new(0);\n"),
    ]);
    let compiled = compiled(&folder.request(&["program.rs"]));
    assert_eq!(names(&compiled.modules), ["program"]);
    let module = &compiled.modules[0];
    assert_eq!(module.language, Language::Rust { edition: Some(2021) });
    // The name of the method, the constant of the ordering, the line.
    for (method, ordering, line) in [
        ("5store", "i8 1)", 6),
        ("4load", "i8 2)", 8),
        ("5store", "i8 4)", 10),
        ("4load", "i8 0)", 11),
    ] {
        let mut calls = module.text.lines().filter(|text| {
            text.contains("call ")
                && text.contains("9AtomicI32")
                && text.contains(method)
                && text.contains(ordering)
        });
        let call = calls.next().unwrap_or_else(|| panic!("{method} {ordering}"));
        let place = call.rsplit("!dbg ").next().expect("a place");
        let location = format!("{place} = !DILocation(line: {line},");
        assert!(module.text.contains(&location), "{call}: {location}");
    }
    assert!(module.text.contains("6thread9functions5spawn"), "the closure is in the name of spawn");
    assert!(!module.text.contains("landingpad"), "no unwinding");
}

#[test]
fn a_library_is_compiled_whole() {
    let source = "#[inline] pub fn small() -> u32 { 1 }\npub fn large() -> u32 { 2 }\n";
    let folder = Folder::with(&[("lib.rs", source)]);
    let compiled = compiled(&folder.request(&["lib.rs"]));
    for name in ["3lib5small", "3lib5large"] {
        assert_eq!(definitions(&compiled.modules[0], name).len(), 1, "{name}");
    }
}

#[test]
fn flags_of_the_user() {
    let source = "pub async fn f() {}\n#[cfg(extra)]\npub static EXTRA: u32 = 7;\n";
    let folder = Folder::with(&[("lib.rs", source)]);
    let mut request = folder.request(&["lib.rs"]);
    request.flags = ["--cfg", "extra", "--crate-type", "rlib"].map(str::to_owned).to_vec();
    assert_eq!(definitions(&compiled(&request).modules[0], "EXTRA").len(), 1);
    request.flags = vec!["--edition=2015".to_owned()];
    assert!(failure(&request).to_string().contains("E0670"), "there is no async in 2015");
}

/// Debug assertions and overflow checks are as Cargo's profiles have them, unless a flag says more.
#[test]
fn checks_are_those_of_the_profile() {
    let source = "pub fn f(x: u8) -> u8 { debug_assert!(x < 9); x + 1 }\n";
    let folder = Folder::with(&[("lib.rs", source)]);
    for (release, flags, asserts, overflows) in [
        (false, &[][..], true, true),
        (true, &[], false, false),
        (false, &["-Cdebug-assertions=off"], false, true),
        (false, &["-C", "overflow-checks=off"], true, false),
        (true, &["-Cdebug-assertions=on"], true, false),
        (true, &["-Coverflow-checks"], false, true),
    ] {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let request = compiler::Request { release, flags, ..folder.request(&["lib.rs"]) };
        let text = &compiled(&request).modules[0].text;
        let (_, body) = text.split_once("@_RNvCs").expect("the function");
        let (body, _) = body.split_once("\n}").expect("its end");
        let found = (body.contains("9panicking5panic"), body.contains("panic_const_add_overflow"));
        assert_eq!(found, (asserts, overflows), "{release} {:?}", request.flags);
    }
}

#[test]
fn errors_of_rustc() {
    let folder = Folder::with(&[
        ("a.rs", "fn main() { let x: u32 = \"\"; }\n"),
        ("b.rs", "fn f() -> u32 { true }\n"),
    ]);
    for (file, place) in [("a.rs", "a.rs:1:26"), ("b.rs", "b.rs:1:17")] {
        let failure = failure(&folder.request(&[file]));
        let Failure::Compiler { message, .. } = &failure else { panic!("{failure}") };
        assert!(message.contains("E0308") && message.contains(place), "{message}");
    }
}

/// rustc's own files have one name for all versions of a program, so each run needs a folder for them.
#[test]
fn versions_of_a_program_are_compiled_side_by_side() {
    let text = |version: usize| {
        let large = "pub fn large() -> usize { [1, 2, 3].iter().sum() }\n";
        format!("{large}pub fn version_{version}() {{}}\n")
    };
    let folder = Folder::with(&[("lib.rs", &text(0))]);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (folder, text) = (&folder, &text);
            scope.spawn(move || {
                for version in (0..3).map(|round| 10 * worker + round + 1) {
                    let mut request = folder.request(&["lib.rs"]);
                    request.overrides = vec![(folder.file("lib.rs"), text(version).into_bytes())];
                    let compiled = compiled(&request);
                    let name = format!("version_{version}");
                    assert_eq!(definitions(&compiled.modules[0], &name).len(), 1, "{name}");
                }
            });
        }
    });
}
