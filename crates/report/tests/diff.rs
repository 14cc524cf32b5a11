//! Diffs, shown and applied: by a few lines of our own, and by `patch` where it is installed.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use expect_test::expect;
use proptest::prelude::*;
use report::diff::unified_diff;

#[test]
fn a_diff_has_some_context() {
    let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
    let new = old.replace("d\n", "d\nfence\n").replace("l\n", "l");
    expect![[r#"
        --- some/file.fw
        +++ some/file.fw
        @@ -2,6 +2,7 @@
         b
         c
         d
        +fence
         e
         f
         g
        @@ -9,4 +10,4 @@
         i
         j
         k
        -l
        +l
        \ No newline at end of file
    "#]]
    .assert_eq(&unified_diff("some/file.fw", old, &new));
    assert_eq!(unified_diff("a", old, old), "");
}

/// What a diff makes of a text.
fn applied(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut next = 0;
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        let missing = lines.peek().is_some_and(|hint| hint.starts_with('\\'));
        let content = if missing { line.trim_end_matches('\n') } else { line };
        match line.as_bytes()[0] {
            b'@' => {
                let from = line.split([' ', ',', '-']).nth(2).expect("where it begins");
                let counts = line.split(' ').nth(1).expect("lines of the old text");
                let from: usize = from.parse().expect("a number");
                let start = if counts.ends_with(",0") { from } else { from - 1 };
                new.extend(old[next..start].iter().copied());
                next = start;
            }
            b' ' => {
                assert_eq!(old[next], &content[1..]);
                new.push_str(old[next]);
                next += 1;
            }
            b'-' => {
                assert_eq!(old[next], &content[1..]);
                next += 1;
            }
            b'+' => new.push_str(&content[1..]),
            b'\\' => {}
            _ => panic!("{line}"),
        }
    }
    new.extend(old[next..].iter().copied());
    new
}

proptest! {
    #[test]
    fn a_diff_leads_from_one_text_to_the_other(
        old in "([ab\r]{0,2}\n){0,20}[ab]{0,1}",
        new in "([ab\r]{0,2}\n){0,20}[ab]{0,1}",
    ) {
        let diff = unified_diff("name", &old, &new);
        prop_assert_eq!(applied(&old, &diff), new, "{}", diff);
    }
}

/// Runs `patch` in a folder of its own, or not at all if there is none.
#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn patched(number: usize, name: &str, old: &str, diff: &str) -> Option<String> {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("fencewright-diff-{}-{number}", std::process::id()));
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a new folder");
    std::fs::write(&file, old).expect("a new file");
    let child = Command::new("patch")
        .args(["-p0", "--binary", "--silent"])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .spawn();
    let result = match child {
        Ok(mut child) => {
            child.stdin.take().expect("piped").write_all(diff.as_bytes()).expect("it reads");
            assert!(child.wait().expect("it ends").success(), "{diff}");
            // An empty file may be gone.
            Some(std::fs::read_to_string(&file).unwrap_or_default())
        }
        Err(error) => {
            eprintln!("SKIPPED: no `patch`: {error}");
            None
        }
    };
    std::fs::remove_dir_all(&folder).expect("our own folder");
    result
}

#[test]
fn patch_applies_diffs() {
    let cases = [
        ("a.fw", "x\ny\n", "x\nfence\ny\n"),
        ("some/folder/a b.fw", "x\ny\nz", "x\nfence\nz"),
        ("c.litmus", "x\r\ny\r\n", "x\r\nMFENCE\r\ny\r\n"),
        ("d", "x\ry", "x\ry\n"),
        ("e", "", "fence\n"),
        ("f", "fence\n", ""),
    ];
    for (number, (name, old, new)) in cases.into_iter().enumerate() {
        let diff = unified_diff(name, old, new);
        if let Some(result) = patched(number, name, old, &diff) {
            assert_eq!(result, new, "{diff}");
        }
    }
}
