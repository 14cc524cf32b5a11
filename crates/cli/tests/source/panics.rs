//! What a panic of Rust is called.

use crate::compilers::{answer, fencewright, folder, write};

#[test]
fn panics_are_told_apart() {
    let folder = folder("panics");
    let cases = [
        ("add", "let y = x + 2; let z = y as u64; assert!(z > 0);", "panic: arithmetic overflow"),
        (
            "neg",
            "let y = -(x as i32).wrapping_add(i32::MIN); assert!(y < 0);",
            "panic: arithmetic overflow",
        ),
        ("index", "let a = [1, 2]; assert!(a[x as usize & 3] > 0);", "panic: index out of bounds"),
        ("div", "assert!(7 / (x & 0) == 0);", "panic: division by zero"),
        (
            "unwrap",
            "let y: Option<u8> = if x > 250 { None } else { Some(1) }; assert!(y.unwrap() == 1);",
            "panic: `unwrap` or `expect` of something that is not there",
        ),
        ("said", "if x > 250 { panic!(\"x is {}\", 1) }", "panic"),
        ("claim", "assert!(x < 250);", "assertion failed"),
        ("equal", "assert_eq!(x, 1);", "assertion failed"),
    ];
    for (name, body, expected) in cases {
        let text = format!(
            "use std::sync::atomic::{{AtomicU8, Ordering::*}};\n\
             static X: AtomicU8 = AtomicU8::new(255);\n\
             fn main() {{\n  let t = std::thread::spawn(|| {{\n    let x = X.load(SeqCst);\n    {body}\n  }});\n  let _ = t.join();\n}}\n"
        );
        let text = if name == "neg" { text.replace("new(255)", "new(0)") } else { text };
        let file = format!("{name}.rs");
        write(&folder, &[(&file, text.as_bytes())]);
        let (code, said) = answer(&fencewright(&folder, &["reach", &file]));
        assert_eq!(code, Some(1), "{said}");
        let first = said.lines().next().unwrap_or_default();
        assert!(first.ends_with(&format!(": {expected}")), "{name}: {said}");
        assert!(said.contains(&format!("✗ {expected}\n")), "{name}: {said}");
        let (_, json) = answer(&fencewright(&folder, &["reach", &file, "--format", "json"]));
        assert!(json.contains(&format!("\"{expected}\"")), "{name}: {json}");
    }
}

/// Where a program that unwinds would go on after a panic, or without a thread, nothing holds: store buffering follows.
#[test]
fn what_follows_a_panic_is_not_forgotten() {
    let folder = folder("panics-caught");
    let cases = [
        (
            "caught",
            "if std::panic::catch_unwind(|| panic!()).is_err() { both() }",
            3,
            "a panic after which the program goes on",
        ),
        (
            "joined",
            "if std::thread::spawn(|| panic!()).join().is_err() { both() }",
            3,
            "a panic after which the program goes on",
        ),
        (
            "ignored",
            "let _ = std::thread::spawn(|| panic!()).join(); both()",
            3,
            "a panic after which the program goes on",
        ),
        ("unwrapped", "std::thread::spawn(|| ()).join().unwrap();", 0, "holds"),
        ("not-panicking", "if std::thread::spawn(left).join().is_err() { both() }", 0, "holds"),
        (
            "refused",
            "if std::thread::Builder::new().spawn(left).is_err() { both() }",
            3,
            "cannot be created",
        ),
        ("named", "std::thread::Builder::new().spawn(left).unwrap().join().unwrap();", 0, "holds"),
    ];
    for (name, body, expected, says) in cases {
        let text = format!(
            "use std::sync::atomic::{{AtomicU8, Ordering::*}};\n\
             static X: AtomicU8 = AtomicU8::new(0);\nstatic Y: AtomicU8 = AtomicU8::new(0);\n\
             fn left() {{ X.store(1, Relaxed); Y.load(Relaxed); }}\n\
             fn right() {{ Y.store(1, Relaxed); X.load(Relaxed); }}\n\
             #[allow(unused)]\nfn both() {{ let t = std::thread::spawn(left); right(); t.join().unwrap(); }}\n\
             fn main() {{ {body} }}\n"
        );
        let file = format!("{name}.rs");
        write(&folder, &[(&file, text.as_bytes())]);
        let asked = ["check", "--criterion", "robustness", &file];
        let (code, said) = answer(&fencewright(&folder, &asked));
        assert_eq!(code, Some(expected), "{name}: {said}");
        assert!(said.contains(says), "{name}: {said}");
    }
}
