//! What is compiled again, and what is not.

use std::path::PathBuf;

use crate::support::{Folder, compiled};
use compiler::{Cache, Request};

fn entries(folder: &Folder) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.file("cache")).expect("a cache");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn setup() -> (Folder, Request) {
    let folder = Folder::with(&[
        ("a.c", "#include \"h.h\"\nint a = VALUE;\n"),
        (
            "b.rs",
            "pub static HOME: Option<&str> = option_env!(\"NO_SUCH_VARIABLE\");\nfn main() {}\n",
        ),
        ("h.h", "#define VALUE 1\n"),
    ]);
    let request = folder.request(&["a.c"]);
    let cache = Cache::at(folder.file("cache"));
    (folder, Request { cache, ..request })
}

#[test]
fn hits_and_misses() {
    let (folder, request) = setup();
    let value = |request: &Request| {
        let compiled = compiled(request);
        let text = &compiled.modules[0].text;
        let value =
            text.split("@a = dso_local global i32 ").nth(1).and_then(|rest| rest.split(',').next());
        (value.expect("a value").to_owned(), compiled.reused)
    };
    assert_eq!(value(&request), ("1".to_owned(), 0), "the first time");
    assert_eq!(value(&request), ("1".to_owned(), 1), "unchanged");
    folder.write("h.h", "#define VALUE 2\n");
    assert_eq!(value(&request), ("2".to_owned(), 0), "a changed header");
    folder.write("h.h", "#define VALUE 1\n");
    assert_eq!(value(&request), ("1".to_owned(), 1), "back again");
    let other = Request { flags: vec!["-DX".to_owned()], ..request.clone() };
    assert_eq!(value(&other), ("1".to_owned(), 0), "another flag");
    let overridden = vec![("h.h".into(), "#define VALUE 3\n".to_owned())];
    let overridden = Request { overrides: overridden, ..request.clone() };
    assert_eq!(value(&overridden), ("3".to_owned(), 0), "an overridden header");
    assert_eq!(value(&overridden), ("3".to_owned(), 1), "the same override");
    assert_eq!(value(&request), ("1".to_owned(), 1), "without the override");
    let shadowed = Folder::with(&[
        ("sub/a.c", "#include \"h.h\"\nint a = VALUE;\n"),
        ("h.h", "#define VALUE 4\n"),
    ]);
    let mut request_there = shadowed.request(&["sub/a.c"]);
    request_there.flags = vec!["-I.".to_owned()];
    request_there.cache = request.cache.clone();
    assert_eq!(value(&request_there), ("4".to_owned(), 0), "found in the include folder");
    request_there.overrides = vec![("sub/h.h".into(), "#define VALUE 5\n".to_owned())];
    assert_eq!(value(&request_there), ("5".to_owned(), 0), "hidden by a file that is only a text");
    std::fs::remove_file(folder.file("h.h")).expect("it was there");
    let failure = crate::support::failure(&request).to_string();
    assert!(failure.contains("h.h"), "a missing header is not taken from the cache: {failure}");
}

#[test]
fn damaged_entries_are_made_again() {
    let (folder, request) = setup();
    let right = compiled(&request).modules;
    for damage in [&b""[..], b"nonsense", b"\xff\xff"] {
        for entry in entries(&folder) {
            std::fs::write(&entry, damage).expect("an entry");
        }
        let again = compiled(&request);
        assert_eq!((again.modules, again.reused), (right.clone(), 0));
    }
    for entry in entries(&folder) {
        let text = std::fs::read_to_string(&entry).expect("an entry");
        std::fs::write(&entry, text.replace("global", "glObal").replace(".h", ".g"))
            .expect("an entry");
    }
    assert_eq!(compiled(&request).reused, 0, "one changed letter");
    assert_eq!(compiled(&request).modules, right);
}

#[test]
fn a_full_cache_forgets_the_oldest() {
    let (folder, mut request) = setup();
    let bytes = 4 * compiled(&request).modules[0].text.len() as u64;
    request.cache = Cache::In { folder: folder.file("cache"), bytes };
    for number in 0..20 {
        request.flags = vec![format!("-DNUMBER={number}")];
        assert_eq!(compiled(&request).reused, 0);
    }
    let sizes = entries(&folder)
        .iter()
        .map(|entry| entry.metadata().expect("it is there").len())
        .sum::<u64>();
    assert!(sizes > 0 && sizes <= bytes, "{sizes} of {bytes}");
    assert_eq!(compiled(&request).reused, 1, "the newest is kept");
}

#[test]
fn rust_files_are_kept_too() {
    let (folder, request) = setup();
    let request = Request { cache: request.cache, ..folder.request(&["b.rs"]) };
    let first = compiled(&request);
    let second = compiled(&request);
    assert_eq!((first.reused, second.reused), (0, 1));
    assert_eq!(first.modules, second.modules);
    folder.write("b.rs", "pub static OTHER: u32 = 1;\nfn main() {}\n");
    assert_eq!(compiled(&request).reused, 0);
}

#[test]
fn a_cache_that_cannot_be_written_does_no_harm() {
    let (folder, request) = setup();
    let cache = Cache::at(folder.file("a.c").join("cache"));
    assert_eq!(compiled(&Request { cache, ..request }).modules.len(), 1);
}
