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
