//! The compiler wrapper, and what is read of its recordings.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Folder, compiled, definitions, failure};
use compiler::{Failure, Input, Recorded, Recorder, Recording, Request, Tools, record};

/// A build with a recording.
struct Build {
    folder: Folder,
    recorder: Recorder,
}

impl Build {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder::with(files);
        let recorder = Recorder {
            real: vec!["cc".into()],
            recording: folder.file("recording"),
            tools: Tools::from_environment(),
        };
        Self { folder, recorder }
    }

    /// Runs the wrapper in a folder of the build, with words separated by blanks.
    fn call(&self, place: &str, line: &str, input: &str) -> Recorded {
        let words: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        record(&self.recorder, &words, &self.folder.file(place), &mut input.as_bytes())
            .expect("there is a compiler")
    }

    fn cc(&self, place: &str, line: &str) {
        let recorded = self.call(place, line, "");
        assert!(recorded.status.success(), "{line}");
        assert_eq!(recorded.notes, Vec::<String>::new(), "{line}");
    }

    fn request(&self, program: Option<&str>) -> Request {
        let program = program.map(str::to_owned);
        let recording = Recording { folder: self.recorder.recording.clone(), program };
        Request { inputs: vec![Input::Recording(recording)], ..self.folder.request(&[]) }
    }

    /// The names of the recorded objects, as seen from the folder.
    fn objects(&self, program: Option<&str>) -> Vec<String> {
        let root = format!("{}/", self.folder.path().display());
        let modules = compiled(&self.request(program)).modules;
        modules.iter().map(|module| module.name.replace(&root, "")).collect()
    }
}

const SOURCES: [(&str, &str); 6] = [
    ("main.c", "int helper(void);\nint main(void) { return helper(); }\n"),
    ("lib/helper.c", "#include \"value.h\"\nint helper(void) { return VALUE; }\n"),
    ("lib/unused.c", "int unused;\n"),
    ("inc/value.h", "#define VALUE 0\n"),
    ("tool.c", "int main(void) { return 0; }\n"),
    ("bad.c", "int f( {\n"),
];

/// What a Makefile with a library in another folder does.
fn build() -> Build {
    let build = Build::new(&SOURCES);
    build.cc("lib", "-I../inc -O2 -Wall -MD -MF helper.d -c helper.c -o helper.o");
    build.cc("lib", "-c unused.c");
    let archive = Command::new("ar")
        .args(["rcs", "libhelp.a", "helper.o"])
        .current_dir(build.folder.file("lib"))
        .status();
    assert!(archive.is_ok_and(|status| status.success()));
    build.cc(".", "-c main.c -o main.o");
    build.cc(".", "main.o -Llib -lhelp -o prog");
    build.cc(".", "tool.c -o tool");
    build
}

#[test]
fn a_build_and_its_programs() {
    let build = build();
    assert!(build.folder.file("prog").is_file() && build.folder.file("tool").is_file());
    assert_eq!(build.objects(None), ["lib/helper.o", "lib/unused.o", "main.o", "tool(tool.c)"]);
    assert_eq!(build.objects(Some("prog")), ["main.o", "lib/helper.o"]);
    assert_eq!(build.objects(Some("tool")), ["tool(tool.c)"]);
    let failure = failure(&build.request(Some("none")));
    let Failure::Choice { among, .. } = &failure else { panic!("{failure}") };
    let file = |name| build.folder.file(name).display().to_string();
    assert_eq!(*among, [file("prog"), file("tool")]);
    let compiled = compiled(&build.request(Some("prog")));
    assert_eq!(definitions(&compiled.modules[1], "@helper").len(), 1);
    assert_eq!(compiled.modules[1].directory, build.folder.file("lib"));
    assert_eq!(compiled.notes, Vec::<String>::new());
    let recognised = Input::of(&build.recorder.recording);
    assert!(matches!(recognised, Ok(Input::Recording(_))));
}

#[test]
fn the_last_version_of_an_object_counts() {
    let build = build();
    build.folder.write("inc/value.h", "#define VALUE 7\n");
    build.cc("lib", "-I../inc -c helper.c -o helper.o");
    assert_eq!(build.objects(None).len(), 4);
    // The archive still has the object before.
    let modules = compiled(&build.request(Some("prog"))).modules;
    assert!(modules[1].text.contains("ret i32 7"));
    build.folder.write("lib/helper.c", "int helper(void) { return 1; }\n");
    let changed = compiled(&build.request(Some("prog")));
    assert!(changed.modules[1].text.contains("ret i32 1"), "it is compiled again");
    let says = |part: &str| changed.notes.iter().any(|note| note.contains(part));
    assert!(says("helper.c has changed since it was recorded"), "{:?}", changed.notes);
    build.folder.write("inc/value.h", "#define VALUE 8\n");
    build
        .folder
        .write("lib/helper.c", "#include \"value.h\"\nint helper(void) { return VALUE; }\n");
    let modules = compiled(&build.request(Some("prog"))).modules;
    assert!(modules[1].text.contains("ret i32 8"), "a header has changed");
}

#[test]
fn other_texts_and_flags_compile_again() {
    let build = build();
    let mut request = build.request(Some("prog"));
    request.overrides = vec![("inc/value.h".into(), b"#define VALUE 9\n".to_vec())];
    assert!(compiled(&request).modules[1].text.contains("ret i32 9"));
    request.overrides.clear();
    request.flags = vec!["-DADDED".to_owned()];
    assert!(compiled(&request).modules[1].text.contains("ret i32 0"));
}

#[test]
fn moved_objects_partial_links_and_shared_libraries() {
    let build = Build::new(&SOURCES);
    build.cc(".", "-Iinc -fPIC -c lib/helper.c -o tmp.o");
    let moved = std::fs::rename(build.folder.file("tmp.o"), build.folder.file("lib/h.o"));
    assert!(moved.is_ok());
    build.cc(".", "-shared lib/h.o -o lib/libhelp.so");
    build.cc(".", "-c main.c -o tmp.o");
    build.cc(".", "-r -nostdlib tmp.o -o part.o");
    build.cc(".", "part.o -Llib -lhelp -o prog");
    assert_eq!(build.objects(Some("prog")), ["tmp.o", "tmp.o"]);
    let modules = compiled(&build.request(Some("prog"))).modules;
    assert_eq!(definitions(&modules[0], "@main").len(), 1);
    assert_eq!(definitions(&modules[1], "@helper").len(), 1);
}

/// Archives know only the last part of a name.
#[test]
fn members_of_an_archive_are_known_by_their_contents() {
    let build = Build::new(&[
        ("one/same.c", "int one;\n"),
        ("two/same.c", "int two;\n"),
        ("main.c", "extern int two;\nint main(void) { return two; }\n"),
    ]);
    for folder in ["one", "two"] {
        build.cc(folder, "-c same.c");
    }
    for (archive, member) in [("one/libsame.a", "two/same.o"), ("two/libsame.a", "one/same.o")] {
        let status = Command::new("ar")
            .args(["rcs", archive, member])
            .current_dir(build.folder.path())
            .status();
        assert!(status.is_ok_and(|status| status.success()));
    }
    build.cc(".", "main.c one/libsame.a -o prog");
    assert_eq!(build.objects(Some("prog")), ["prog(main.c)", "two/same.o"]);
}

#[test]
fn calls_that_compile_nothing() {
    let build = Build::new(&SOURCES);
    build.folder.write("conftest.c", "int main(void) { return 0; }\n");
    for line in [
        "--help",
        "--version",
        "-dumpmachine",
        "-print-prog-name=ld",
        "-E main.c -o main.i",
        "-M main.c -o main.d",
        "-fsyntax-only main.c",
        "-c conftest.c",
        "conftest.c -o conftest",
        "conftest.o -o conftest",
    ] {
        build.cc(".", line);
    }
    for line in ["-c bad.c", "main.c -o unresolved", "-c none.c", "--no-such-option", ""] {
        let recorded = build.call(".", line, "");
        assert!(recorded.code() != 0 && recorded.notes.is_empty(), "{line}: {recorded:?}");
    }
    // A folder would catch all later builds below it.
    assert!(!build.recorder.recording.exists());
}

/// The nearest recording is looked for upwards, so one in such a folder would be in the way.
#[test]
fn no_recording_begins_where_a_compiler_is_tried_out() {
    let build =
        Build::new(&[("CMakeFiles/3.31/CompilerIdC/id.c", "int main(void) { return 0; }\n")]);
    build.cc("CMakeFiles/3.31/CompilerIdC", "id.c");
    build.cc("CMakeFiles/3.31/CompilerIdC", "--version");
    assert!(!build.recorder.recording.exists());
}

/// Not every `configure` is called so.
#[test]
fn what_left_nothing_behind_was_only_tried() {
    let build = build();
    build.folder.write("try.c", "int main(void) { return 0; }\n");
    build.cc(".", "try.c -o try");
    assert_eq!(build.objects(None).len(), 5);
    for name in ["try.c", "try"] {
        std::fs::remove_file(build.folder.file(name)).expect("it was there");
    }
    let compiled = compiled(&build.request(None));
    assert_eq!(compiled.modules.len(), 4);
    assert!(
        compiled.notes.len() == 1 && !compiled.notes[0].contains("try"),
        "{:?}",
        compiled.notes
    );
}

#[test]
fn sources_by_other_ways() {
    let build = Build::new(&SOURCES);
    build.folder.write("words", "-c 'lib/unused.c' \"-o\" u.o @more");
    build.folder.write("more", "-DMORE=1");
    build.cc(".", "@words");
    build.folder.write("text", "int from_text;\n");
    build.cc(".", "-x c text -c -o t.o");
    let piped = build.call(
        "lib",
        "-x c - -I../inc -c -o piped.o",
        "#include \"value.h\"\nint piped = VALUE;\n",
    );
    assert!(piped.status.success() && piped.notes.is_empty(), "{piped:?}");
    assert!(build.folder.file("lib/piped.o").is_file());
    build.cc(".", "-Iinc main.c lib/helper.c -o both");
    let expected = ["u.o", "t.o", "lib/piped.o", "both(main.c)", "both(lib/helper.c)"];
    assert_eq!(build.objects(None), expected);
    assert_eq!(build.objects(Some("both")), expected[3..]);
    let modules = compiled(&build.request(None)).modules;
    assert_eq!(definitions(&modules[2], "@piped").len(), 1);
}

#[test]
fn without_ir_the_build_goes_on_and_says_it_once() {
    let mut build = Build::new(&SOURCES);
    build.recorder.tools =
        Tools { clang: Some(PathBuf::from("/no/such/clang")), ..Tools::default() };
    let first = build.call(".", "-c main.c", "");
    assert!(first.status.success() && build.folder.file("main.o").is_file());
    assert!(first.notes.len() == 1 && first.notes[0].contains("/no/such/clang"), "{first:?}");
    let second = build.call(".", "-c tool.c", "");
    assert!(second.status.success() && second.notes.is_empty(), "{second:?}");
    assert_eq!(compiled(&build.request(None)).modules.len(), 2, "there is a clang now");
    let mut without = build.request(None);
    without.tools = build.recorder.tools.clone();
    assert!(matches!(failure(&without), Failure::NotStarted { .. }), "no program without them");
    build.recorder.real = vec!["/no/such/cc".into()];
    let words = [OsString::from("--version")];
    let started = record(&build.recorder, &words, &build.folder.path(), &mut std::io::empty());
    assert!(matches!(started, Err(Failure::NotStarted { .. })));
}

#[test]
fn a_damaged_index_is_an_error() {
    let build = build();
    build.folder.write("recording/fencewright-index.jsonl", "{\"kind\":\"compile\"}\n");
    assert!(failure(&build.request(None)).to_string().contains("line 1"));
}
