//! Plain accesses of C: which become atomic, and which are left alone.

use std::path::PathBuf;
use std::process::Command;

use crate::asked;

/// Twice message passing. Where the flag of one is no integer, a part of a word or not aligned, no access to it can become
/// atomic, so there are fences; the other one gets orders all the same.
#[test]
fn plain_accesses_that_compilers_refuse_to_make_atomic_are_left_alone() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("refused");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("flag.c");
    let flags = [
        ("struct { int flag; } f;", "f.flag", (4, 0)),
        ("float flag;", "flag", (2, 2)),
        ("struct { char c; int flag : 3; } f;", "f.flag", (2, 2)),
        ("struct __attribute__((packed)) { char c; int flag; } f;", "f.flag", (2, 2)),
    ];
    for (variable, flag, counts) in flags {
        let text = format!(
            "int data, seen, other, ready; {variable}
void producer(void) {{ data = 1; {flag} = 1; other = 2; ready = 1; }}
void consumer(void) {{ if ({flag}) seen = data; }}
void user(void) {{ if (ready) seen = other; }}
"
        );
        std::fs::write(&file, text).expect("a file");
        let threads = ["--thread", "producer", "--thread", "consumer", "--thread", "user"];
        let said = asked(&[&["port", "--to", "aarch64"][..], &threads].concat(), &file);
        assert_eq!(said["verdict"], "repaired", "{variable}");
        let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
        assert_eq!((count("orders"), count("fences")), counts, "{variable}: {said}");
    }
}

/// `c->fd = data` loads `data` before `c`, and a call with `&c->fd` and `data` the other way round. What is ordered must be
/// what the ported text does.
#[test]
fn assignments_that_become_calls_evaluate_in_another_order() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("evaluated");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("context.c");
    let bodies = [
        ("data = 1; c->fd = 1;", "c->fd = data;"),
        ("data = 1; c->fd = 1;", "c->next->fd = data;"),
        ("c->fd = 1; c = c->next;", "c->next->fd = data;"),
        ("data = 1; c->fd = 1; c = c->next;", "seen = data; c->fd = 2;"),
    ];
    for (producer, consumer) in bodies {
        let text = format!(
            "struct context {{ int fd; struct context *next; }};
struct context *c;
int data, seen;
void producer(void) {{ {producer} }}
void consumer(void) {{ {consumer} }}
"
        );
        std::fs::write(&file, text).expect("a file");
        let threads = ["--thread", "producer", "--thread", "consumer"];
        let written = folder.join("ported.c");
        let path = written.to_str().expect("a path");
        let port = ["port", "--to", "aarch64"];
        let said = asked(&[&port[..], &threads, &["--write", path]].concat(), &file);
        let verdict = said["verdict"].as_str();
        assert!(matches!(verdict, Some("repaired" | "undecided")), "{consumer}: {said}");
        if verdict == Some("repaired") {
            let again = asked(&[&port[..], &threads].concat(), &written);
            assert_eq!(again["verdict"], "holds", "{consumer}");
        }
    }
}

/// clang locates the loads of `p`, of `p->flags[i]` and of `p->flags[i][1]` at `p`. What is made atomic is what is shared.
#[test]
fn elements_are_told_from_the_pointers_that_lead_to_them() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("elements");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("element.c");
    let elements = [
        ("struct { int flags[4]; } s;", "s.flags[i]"),
        ("struct { int flags[4]; } s;", "s.flags[2]"),
        ("struct s { int flags[4]; } only, *p = &only;", "p->flags[i]"),
        ("struct s { int flags[4]; } only, *p = &only;", "p->flags[2]"),
        ("int all[4], *flags = all;", "flags[i]"),
        ("int flags[4][4];", "flags[i][2]"),
        ("int all[4], *row = all, **flags = &row;", "flags[i][i]"),
        ("int all[4]; static struct s { int *flags[1]; } s = { { all } };", "s.flags[i][1]"),
    ];
    for (variables, element) in elements {
        let text = format!(
            "static int data, seen, i; static {variables}
void producer(void) {{ data = 1; {element} = 1; }}
void consumer(void) {{ if ({element}) seen = data; }}
"
        );
        std::fs::write(&file, text).expect("a file");
        let threads = ["--thread", "producer", "--thread", "consumer"];
        let written = folder.join("ported.c");
        let path = written.to_str().expect("a path");
        let port = ["port", "--to", "aarch64"];
        let said = asked(&[&port[..], &threads, &["--write", path]].concat(), &file);
        let count = |what: &str| said["repair"][what].as_array().map_or(0, Vec::len);
        assert_eq!((count("orders"), count("fences")), (2, 0), "{element}: {said}");
        let ported = std::fs::read_to_string(&written).expect("a text");
        let load = format!("__atomic_load_n(&{element}, __ATOMIC_ACQUIRE)");
        assert!(ported.contains(&load), "{element}: {ported}");
        let again = asked(&[&port[..], &threads].concat(), &written);
        assert_eq!(again["verdict"], "holds", "{element}");
    }
}

/// Any other error about the ported text is told: here its LLVM IR is none, and that of the text without atomics is.
#[cfg(unix)]
#[test]
fn errors_of_ported_texts_are_not_hidden() {
    use std::os::unix::fs::PermissionsExt;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("broken");
    std::fs::create_dir_all(&folder).expect("a folder");
    let compiler = folder.join("clang");
    let script = "#!/bin/sh
clang \"$@\" || exit 1
out= previous=
for argument; do [ \"$previous\" = -o ] && out=$argument; previous=$argument; done
[ -n \"$out\" ] && grep -q ' atomic ' \"$out\" && echo '@broken = }' > \"$out\"
exit 0
";
    std::fs::write(&compiler, script).expect("a script");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("a script");
    let file = folder.join("passing.c");
    let text = "int data, ready, seen;
void producer(void) { data = 1; ready = 1; }
void consumer(void) { if (ready) seen = data; }
";
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["port", "--to", "aarch64", "--thread", "producer", "--thread", "consumer"])
        .args(["--clang".as_ref(), compiler.as_os_str(), file.as_os_str()])
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("LLVM IR"), "{said}");
}
