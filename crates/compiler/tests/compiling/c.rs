//! C sources.

use crate::support::{Folder, compiled, definitions, failure, names};
use compiler::{Failure, Input, Language};

#[test]
fn several_files_with_include_folders_and_flags() {
    let folder = Folder::with(&[
        ("a.c", "#include <shared.h>\nint first(void) { return VALUE + EXTRA; }\n"),
        ("sub/b.c", "#include \"shared.h\"\nint second = VALUE;\n"),
        ("inc/shared.h", "#define VALUE 41\n"),
    ]);
    let mut request = folder.request(&["a.c", "sub/b.c"]);
    request.flags = vec!["-Iinc".to_owned(), "-DEXTRA=1".to_owned()];
    let compiled = compiled(&request);
    assert_eq!(names(&compiled.modules), ["a.c", "sub/b.c"]);
    assert!(compiled.modules[0].text.contains("ret i32 42"));
    assert_eq!(definitions(&compiled.modules[1], "i32 41").len(), 1);
    for module in &compiled.modules {
        assert_eq!((module.language, &module.directory), (Language::C, &folder.path()));
    }
    assert!(compiled.notes.is_empty(), "{:?}", compiled.notes);
}

/// What the analysis needs of the IR, whatever the flags of the user.
#[test]
fn accesses_survive_with_their_places() {
    let source = "static inline __attribute__((always_inline)) int get(int *p) { return *p; }\n\
                  int twice(int *p) { int one = *p; int other = *p; (void)one; return other; }\n\
                  int called(int *p) { return get(p); }\n\
                  #ifdef __FENCEWRIGHT__\nint analysed;\n#endif\n\
                  #ifdef NDEBUG\nint unchecked;\n#endif\n";
    let folder = Folder::with(&[("a.c", source)]);
    for flags in [vec![], vec!["-O0".to_owned(), "-DX".to_owned(), "-fwrapv".to_owned()]] {
        let request = compiler::Request { flags, ..folder.request(&["a.c"]) };
        let compiled = compiled(&request);
        let text = &compiled.modules[0].text;
        let (_, twice) = text.split_once("@twice(").expect("the function");
        let (twice, _) = twice.split_once("\n}").expect("its end");
        let loads = twice
            .lines()
            .filter(|line| line.contains(" = load i32, i32*") || line.contains(" = load i32, ptr"));
        let through_pointer =
            loads.filter(|line| !line.contains("%one") && !line.contains("%other"));
        assert_eq!(through_pointer.count(), 2, "{twice}");
        assert!(text.contains("line: 2, column: 31"), "{text}");
        assert!(text.contains("@get("), "calls stay calls");
        assert_eq!(definitions(&compiled.modules[0], "@analysed").len(), 1);
        assert_eq!(definitions(&compiled.modules[0], "@unchecked").len(), 0);
    }
}

#[test]
fn a_syntax_error_is_shown_with_the_command() {
    let folder = Folder::with(&[("good.c", "int x;\n"), ("bad.c", "int f( { return 1; }\n")]);
    let failure = failure(&folder.request(&["good.c", "bad.c"]));
    let Failure::Compiler { command, status, message, .. } = &failure else { panic!("{failure}") };
    assert!(command.contains("-emit-llvm") && command.ends_with("bad.c"), "{command}");
    assert!(message.contains("bad.c:1:8: error:"), "{message}");
    assert!(status.contains('1'), "{status}");
    let shown = failure.to_string();
    assert!(shown.contains(command) && shown.contains(message.trim_end()), "{shown}");
}

#[test]
fn flags_that_cannot_be() {
    let folder = Folder::with(&[("a.c", "int x;\n"), ("b.rs", "fn main() {}\n")]);
    let with = |inputs: &[&str], flag: &str| {
        let flags = vec![flag.to_owned()];
        failure(&compiler::Request { flags, ..folder.request(inputs) })
    };
    for flag in ["-c", "-oname", "-O3", "-fopenmp", "-fsanitize=thread", "-Wall", "b.c"] {
        assert!(matches!(with(&["a.c"], flag), Failure::Flag { .. }), "{flag}");
    }
    for flag in ["--emit=link", "-O", "-Copt-level=3", "-Cpanic=unwind", "--test"] {
        assert!(matches!(with(&["b.rs"], flag), Failure::Flag { .. }), "{flag}");
    }
    assert!(matches!(with(&["a.c", "b.rs"], "-g"), Failure::Flag { .. }));
    let unknown = with(&["a.c"], "-fno-such-flag").to_string();
    assert!(
        unknown.contains("unknown argument") && unknown.contains("-fno-such-flag"),
        "{unknown}"
    );
}

/// With and without OpenMP a source is two programs, and the second is not the one that was meant.
#[test]
fn openmp_is_refused() {
    let source = "int x;\nvoid f(void) {\n#pragma omp parallel\n  x = 1;\n}\n";
    let guarded =
        "int x;\nvoid f(void) {\n#ifdef _OPENMP\n#pragma omp parallel\n#endif\n  x = 1;\n}\n";
    let folder = Folder::with(&[("a.c", source), ("guarded.c", guarded)]);
    let mut request = folder.request(&["a.c"]);
    let shown = failure(&request).to_string();
    for part in ["a.c:3:9: error:", "#pragma omp", "create the threads with pthreads"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    request.flags = vec!["-Wno-source-uses-openmp".to_owned()];
    assert_eq!(compiled(&request).modules.len(), 1, "who says so gets the program without it");
    assert_eq!(compiled(&folder.request(&["guarded.c"])).modules.len(), 1);
}

/// What a compiler says without end is not kept in memory, and both ends of it are shown.
#[cfg(unix)]
#[test]
fn a_compiler_that_talks_without_end() {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\necho first >&2\nhead -c 3000000 /dev/zero | tr '\\0' x >&2\n\
                  echo last >&2\nexit 7\n";
    let folder = Folder::with(&[("a.c", "int x;\n"), ("clang", script)]);
    let clang = folder.file("clang");
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).expect("a script");
    let mut request = folder.request(&["a.c"]);
    request.tools.clang = Some(clang);
    let Failure::Compiler { message, status, .. } = failure(&request) else { panic!("a failure") };
    assert!(message.starts_with("first\n") && message.ends_with("last\n"));
    assert!(message.len() < 200_000 && message.contains("more bytes"), "{}", message.len());
    assert!(status.contains('7'), "{status}");
}

/// A text that is cut off anywhere is no module; a compiler that writes one is asked again.
#[cfg(unix)]
#[test]
fn a_compiler_that_writes_half_a_text() {
    use std::os::unix::fs::PermissionsExt;
    let folder =
        Folder::with(&[("a.c", "int x;\nint f(void) { return x; }\nint g(void) { return x; }\n")]);
    let length = compiled(&folder.request(&["a.c"])).modules[0].text.len();
    let clang = folder.file("clang");
    for (kept, times, fails) in
        [(length / 3, 1, false), (length - 20, 2, false), (length - 20, 9, true)]
    {
        let script = format!(
            "#!/bin/sh\nclang \"$@\" || exit 1\nfor word; do case $last in -o) ir=$word;; esac; last=$word; done\n\
             echo once >> times\nif [ $(wc -l < times) -le {times} ]; then\n\
             head -c {kept} \"$ir\" > part && mv part \"$ir\"; fi\n"
        );
        folder.write("clang", &script);
        folder.write("times", "");
        std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).expect("a script");
        let mut request = folder.request(&["a.c"]);
        request.tools.clang = Some(clang.clone());
        match compiler::compile(&request) {
            Ok(compiled) => assert!(!fails && compiled.modules[0].text.len() == length),
            Err(failure) => {
                assert!(fails && failure.to_string().contains("too early"), "{failure}");
            }
        }
    }
}

#[test]
fn ir_is_taken_as_it_is() {
    let text = "define void @f() {\n  ret void\n}\n";
    let folder = Folder::with(&[("a.ll", text), ("empty.ll", "\n")]);
    let compiled = compiled(&folder.request(&["a.ll"]));
    assert_eq!(compiled.modules[0].text, text);
    assert_eq!(compiled.modules[0].language, Language::Llvm);
    assert!(matches!(failure(&folder.request(&["empty.ll"])), Failure::Nothing { .. }));
    folder.write("a.ll", "define void @f() !dbg !0 {\n  ret void\n}\n");
    assert!(matches!(failure(&folder.request(&["a.ll"])), Failure::Unsupported { .. }));
    std::fs::write(folder.file("a.ll"), b"\xff\xfe").expect("a file");
    assert!(matches!(failure(&folder.request(&["a.ll"])), Failure::NotText(_)));
}

#[test]
fn what_is_refused_says_why() {
    let files = ["a.cpp", "a.cc", "a.cxx", "a.C", "a.hpp", "a.bc", "a.h", "a.py", "noextension"];
    let folder = Folder::with(&files.map(|name| (name, "")));
    for (name, part) in [
        ("a.cpp", "C++ is not supported"),
        ("a.cc", "C++ is not supported"),
        ("a.cxx", "C++ is not supported"),
        ("a.C", "C++ is not supported"),
        ("a.hpp", "C++ is not supported"),
        ("a.bc", "llvm-dis"),
        ("a.h", "includes it"),
        ("a.py", "compile_commands.json"),
        ("noextension", ".rs files"),
        ("", "what is read"),
        ("missing.c", "no such file"),
    ] {
        let refused = Input::of(&folder.file(name)).expect_err(name).to_string();
        assert!(refused.contains(part), "{name}: {refused}");
    }
    let mut request = folder.request(&[]);
    request.inputs.push(Input::C("missing.c".into()));
    assert_eq!(failure(&request), Failure::Missing("missing.c".into()));
}

#[test]
fn without_a_compiler_the_error_says_what_to_install() {
    let folder = Folder::with(&[("a.c", "int x;\n"), ("a.rs", "fn main() {}\n")]);
    let mut request = folder.request(&["a.c"]);
    request.tools = compiler::Tools::default();
    let shown = failure(&request).to_string();
    for part in ["clang was not found", "clang-22", "clang-14", "zig cc", "apt-get install clang"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    request.tools.clang = Some("/no/such/clang".into());
    let shown = failure(&request).to_string();
    assert!(shown.contains("cannot start") && shown.contains("/no/such/clang"), "{shown}");
    let mut request = folder.request(&["a.rs"]);
    request.tools = compiler::Tools::default();
    assert!(failure(&request).to_string().contains("rustup"));
}
