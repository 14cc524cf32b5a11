//! `compile_commands.json`.

use crate::support::{Folder, compiled, definitions, failure, names};
use compiler::{Database, Failure, Input, Request};

fn setup(entries: &str) -> (Folder, Request) {
    let folder = Folder::with(&[
        ("src/a.c", "#include <h.h>\nint a = VALUE;\n"),
        ("src/b.c", "#include TEXT\nchar b[] = NAME;\n"),
        ("src/c.cc", "class C {};\n"),
        ("src/d.txt", "int d;\n"),
        ("inc/h.h", "#define VALUE 5\n"),
        ("inc/my h.h", "#define NAME \"it's\"\n"),
    ]);
    let text = entries.replace("ROOT", &folder.path().display().to_string());
    folder.write("build/compile_commands.json", &text);
    std::fs::create_dir_all(folder.file("build")).expect("a folder");
    let request = folder.request(&["build/compile_commands.json"]);
    (folder, request)
}

const BOTH_FORMS: &str = r#"[
  {"directory": "ROOT/build", "file": "../src/a.c",
   "arguments": ["gcc", "-I../inc", "-O2", "-g3", "-Wall", "-Werror", "-flto", "-fconserve-stack",
                 "-MD", "-MF", "a.d", "-c", "../src/a.c", "-o", "a.o"]},
  {"directory": "ROOT/build", "file": "ROOT/src/b.c",
   "command": "/usr/bin/ccache gcc -I ../inc '-DTEXT=\"my h.h\"' -O3 -c ROOT/src/b.c -o b.o"},
  {"directory": "ROOT/build", "file": "../src/c.cc", "command": "g++ -c ../src/c.cc"},
  {"directory": "ROOT/build", "file": "../src/d.txt", "command": "gcc -x c -c ../src/d.txt"},
  {"directory": "ROOT/build", "file": "../src/a.c", "command": "gcc -I../inc -fPIC -c ../src/a.c"}
]"#;

#[test]
fn both_forms() {
    let (folder, request) = setup(BOTH_FORMS);
    let compiled = compiled(&request);
    let b = folder.file("src/b.c").display().to_string();
    assert_eq!(names(&compiled.modules), ["../src/a.c", &b, "../src/d.txt"]);
    assert_eq!(definitions(&compiled.modules[0], "@a = dso_local global i32 5").len(), 1);
    assert_eq!(definitions(&compiled.modules[1], "c\"it's\\00\"").len(), 1);
    assert_eq!(definitions(&compiled.modules[2], "@d").len(), 1);
    assert_eq!(compiled.modules[0].directory, folder.file("build"));
    assert_eq!(compiled.notes.len(), 2, "C++, and the second a.c: {:?}", compiled.notes);
}

#[test]
fn named_files_only() {
    let (folder, mut request) = setup(BOTH_FORMS);
    let database = |files: &[&str]| {
        Input::Database(Database {
            path: folder.file("build/compile_commands.json"),
            files: files.iter().map(Into::into).collect(),
        })
    };
    request.inputs = vec![database(&["src/a.c"])];
    assert_eq!(names(&compiled(&request).modules), ["../src/a.c"]);
    request.inputs = vec![database(&["src/a.c", "src/none.c"])];
    assert!(failure(&request).to_string().contains("src/none.c"));
}

#[test]
fn what_is_wrong_is_said() {
    for (entries, part) in [
        ("[{]", "not a list of compilations"),
        ("{}", "not a list of compilations"),
        (r#"[{"directory": "/", "file": "a.c"}]"#, "neither 'arguments' nor 'command'"),
        (r#"[{"directory": "/", "file": "a.c", "command": "gcc 'a.c"}]"#, "quotation"),
        ("[]", "no compilation of a C source"),
        (
            r#"[{"directory": "/", "file": "a.cc", "command": "g++ a.cc"}]"#,
            "no compilation of a C source",
        ),
    ] {
        let (_folder, request) = setup(entries);
        let failure = failure(&request);
        assert!(
            matches!(failure, Failure::Malformed { .. } | Failure::Nothing { .. }),
            "{failure}"
        );
        assert!(failure.to_string().contains(part), "{entries}: {failure}");
    }
}
