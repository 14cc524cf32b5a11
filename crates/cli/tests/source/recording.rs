//! `fencewright cc` builds as the C compiler does, and what it recorded is a program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fencewright(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .current_dir(folder)
        .args(arguments)
        .env("FENCEWRIGHT_RECORDING", folder.join("recording"))
        .output()
        .expect("fencewright can be started")
}

#[test]
fn a_recorded_build_is_a_program() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recorded-build");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("what an earlier run left can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder for a build");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/two-files");
    for file in ["main.c", "ring.c", "ring.h"] {
        std::fs::copy(corpus.join(file), folder.join(file)).expect("a file of the corpus");
    }
    for call in [
        &["cc", "-O2", "-c", "-o", "main.o", "main.c"][..],
        &["cc", "-O2", "-c", "-o", "ring.o", "ring.c"],
        &["cc", "-pthread", "-o", "ring", "main.o", "ring.o"],
    ] {
        let output = fencewright(&folder, call);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{call:?}: {said}");
    }
    let built = Command::new(folder.join("ring")).status().expect("the program was built");
    assert!(built.success());

    let output = fencewright(&folder, &["check", "recording", "--program", "ring"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("recording: holds under TSO"), "{said}");

    let output = fencewright(&folder, &["check", "recording", "--program", "another"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("ring"), "it does not say what there is: {said}");

    let output = fencewright(&folder, &["cc", "-c", "missing.c"]);
    assert_ne!(output.status.code(), Some(0), "the compiler fails, and so does the wrapper");
}
