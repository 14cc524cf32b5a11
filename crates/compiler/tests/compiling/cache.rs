//! What is compiled again, and what is not.

use std::path::PathBuf;

use crate::support::{Folder, compiled, definitions};
use compiler::{Cache, Request, compile};

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
    let overridden = vec![("h.h".into(), b"#define VALUE 3\n".to_vec())];
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
    request_there.overrides = vec![("sub/h.h".into(), b"#define VALUE 5\n".to_vec())];
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

/// Every entry is a text that its user has understood.
#[test]
fn only_what_is_understood_is_kept() {
    let (folder, request) = setup();
    let fresh = compile(&request).expect("a module");
    assert!(fresh.reused == 0 && !folder.file("cache").exists(), "nothing is kept by itself");
    fresh.keep();
    let kept = compile(&request).expect("a module");
    assert_eq!(kept.reused, 1);
    assert!(kept.forget(), "it was there, so that it is worth while to compile again");
    let again = compile(&request).expect("a module");
    assert_eq!(again.reused, 0, "what was forgotten is made again");
    assert!(!again.forget(), "it comes from the compiler, and would be the same again");
}

/// A clang that is slow, and during whose work somebody saves a file.
#[cfg(unix)]
fn with_a_slow_clang(folder: &Folder, request: &Request, edit: &str) -> Request {
    use std::os::unix::fs::PermissionsExt;
    let script = format!(
        "#!/bin/sh\nclang \"$@\"; code=$?\ncase \"$*\" in *--version*) exit $code;; esac\n\
         if [ ! -e {0}/edited ]; then touch {0}/edited; cd {0}; {edit}; fi\nexit $code\n",
        folder.path().display()
    );
    folder.write("slow-clang", &script);
    let clang = folder.file("slow-clang");
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).expect("a script");
    let mut request = request.clone();
    request.tools.clang = Some(clang);
    request
}

#[cfg(unix)]
#[test]
fn a_file_that_changes_while_the_compiler_runs() {
    let old = ["echo '#define VALUE 7' > h.h", "printf 'int a = 7;\\n' > a.c", "mv new.h h.h"];
    for edit in old {
        let (folder, request) = setup();
        folder.write("new.h", "#define VALUE 7\n");
        let request = with_a_slow_clang(&folder, &request, edit);
        for _ in 0..2 {
            let text = compiled(&request).modules[0].text.clone();
            assert!(text.contains("@a = dso_local global i32 7,"), "{edit}: of the old text");
        }
    }
}

#[test]
fn response_files_and_files_that_appear() {
    let source = "#if __has_include(\"extra.h\")\nint extra;\n#endif\n#include <late.h>\n\
                  #ifdef FLAG\nint flag;\n#endif\n";
    let folder = Folder::with(&[
        ("a.c", source),
        ("flags.rsp", "-DFLAG"),
        ("second/late.h", "int second;\n"),
        ("first/other.h", ""),
    ]);
    let mut request = folder.request(&["a.c"]);
    request.cache = Cache::at(folder.file("cache"));
    request.flags = ["@flags.rsp", "-Ifirst", "-I", "second"].map(str::to_owned).to_vec();
    let has = |name: &str| {
        let compiled = compiled(&request);
        definitions(&compiled.modules[0], &format!("@{name} =")).len()
    };
    assert_eq!([has("flag"), has("extra"), has("second"), has("first")], [1, 0, 1, 0]);
    folder.write("flags.rsp", "-DOTHER");
    assert_eq!(has("flag"), 0, "a changed response file");
    folder.write("extra.h", "");
    assert_eq!(has("extra"), 1, "a file that is asked for");
    folder.write("first/late.h", "int first;\n");
    assert_eq!([has("second"), has("first")], [0, 1], "a file that hides another");
    assert_eq!(compiled(&request).reused, 1, "and all of it is kept");
}

#[test]
fn many_share_a_cache() {
    let (folder, request) = setup();
    let right = compiled(&request).modules;
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (request, right, folder) = (&request, &right, &folder);
            scope.spawn(move || {
                for round in 0..3 {
                    if number == 0 {
                        for entry in entries(folder) {
                            // Another thread may have replaced or removed it.
                            let _ = std::fs::write(entry, &b"half an ent"[..round * 4]);
                        }
                    }
                    assert_eq!(&compiled(request).modules, right);
                }
            });
        }
    });
    assert_eq!(compiled(&request).modules, right);
}

#[test]
fn a_cache_can_be_looked_at_and_cleared() {
    let (folder, request) = setup();
    let empty = request.cache.usage().expect("a cache");
    assert_eq!((empty.files, empty.packages), (0, 0));
    compiled(&request);
    let used = request.cache.usage().expect("a cache");
    assert_eq!((used.folder, used.limit), (folder.file("cache"), Cache::USUAL_BYTES));
    assert!(used.files > 1000 && used.packages == 0, "{} bytes", used.files);
    request.cache.clear().expect("cleared");
    assert_eq!(request.cache.usage(), Some(empty));
    assert_eq!(compiled(&request).reused, 0);
    assert_eq!(Cache::Off.usage(), None);
}
