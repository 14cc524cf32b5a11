//! Other texts for files. (Packages: `package.rs`.)

use crate::support::{Folder, compiled, definitions};
use compiler::Request;

#[test]
fn of_a_c_source_and_a_header() {
    let source = "#include \"h.h\"\nint x = VALUE;\nint f(int *p) { return *p; }\n";
    let folder = Folder::with(&[("src/a.c", source), ("inc/h.h", "#define VALUE 1\n")]);
    let plain = Request { flags: vec!["-Iinc".to_owned()], ..folder.request(&["src/a.c"]) };
    let header = ("inc/h.h".into(), b"#define VALUE 2\n".to_vec());
    let changed = source.replace("return *p;", "__sync_synchronize(); return *p;");
    let text = (folder.file("src/../src/a.c"), changed.into());
    let missing = ("src/none.c".into(), Vec::new());
    for (overrides, value, fences, notes) in [
        (vec![], 1, 0, 0),
        (vec![header.clone()], 2, 0, 0),
        (vec![text.clone()], 1, 1, 0),
        (vec![header, text, missing], 2, 1, 1),
    ] {
        let compiled = compiled(&Request { overrides, ..plain.clone() });
        let module = &compiled.modules[0];
        assert_eq!(definitions(module, &format!("@x = dso_local global i32 {value},")).len(), 1);
        assert_eq!(module.text.matches("fence seq_cst").count(), fences);
        let place =
            format!("!DIFile(filename: \"src/a.c\", directory: \"{}\"", folder.path().display());
        assert!(module.text.contains(&place), "{}", module.text);
        assert_eq!(compiled.notes.len(), notes, "{:?}", compiled.notes);
    }
    assert_eq!(std::fs::read_to_string(folder.file("src/a.c")).expect("it is there"), source);
}

#[test]
fn of_a_rust_file_and_its_modules() {
    let root = "mod inner;\nmod data;\nfn main() { inner::go(); data::go() }\n";
    let inner = "pub fn go() {}\n";
    let folder = Folder::with(&[
        ("p.rs", root),
        ("inner.rs", inner),
        ("data/mod.rs", "pub fn go() { assert!(!include_str!(\"text\").is_empty()) }\n"),
        ("data/text", "some text"),
    ]);
    let fenced = "pub fn go() { std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst) }\n";
    let request = folder.request(&["p.rs"]);
    for (overrides, fence, more) in [
        (vec![], false, false),
        (vec![("inner.rs".into(), fenced.into())], true, false),
        (
            vec![
                (
                    "p.rs".into(),
                    format!("mod new;\n{root}#[no_mangle]\npub static MORE: u8 = new::N;\n").into(),
                ),
                ("new.rs".into(), b"pub const N: u8 = 1;\n".to_vec()),
            ],
            false,
            true,
        ),
    ] {
        let compiled = compiled(&Request { overrides, ..request.clone() });
        let module = &compiled.modules[0];
        assert_eq!(module.text.contains("6atomic5fence"), fence);
        assert_eq!(definitions(module, "@MORE").len(), usize::from(more));
        for file in ["p.rs", "inner.rs"] {
            let place =
                format!("!DIFile(filename: \"{file}\", directory: \"{}\"", folder.path().display());
            assert!(module.text.contains(&place), "{file}");
        }
        assert_eq!(compiled.notes, Vec::<String>::new());
    }
}
