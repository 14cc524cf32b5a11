//! The command line repairs programs of every language: what `--write` writes and what `patch` makes of
//! `--diff` is the same, and `check` has nothing to say against it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fencewright(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencewright"));
    command.args(arguments).output().expect("fencewright runs")
}

fn is_fine(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {}{said}", String::from_utf8_lossy(&output.stdout));
}

/// A folder of our own that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

/// Repairs a program in all ways that write it, and checks what comes out.
fn repair(folder: &Path, file: &Path, options: &[&str], criterion: &str) {
    let name = file.file_name().expect("a file").to_str().expect("a plain name");
    let copy = folder.join(name);
    std::fs::copy(file, &copy).expect("the program can be copied");
    let copy = copy.to_str().expect("a plain path");
    let out = folder.join(format!("repaired-{name}"));
    let out = out.to_str().expect("a plain path");
    let what = format!("{name} {options:?} {criterion}");

    let asked = [&["fence", copy, "--criterion", criterion], options].concat();
    is_fine(&fencewright(&[&asked[..], &["--write", out]].concat()), &what);
    is_fine(&fencewright(&["check", out, "--criterion", criterion]), &what);

    let diff = fencewright(&[&asked[..], &["--diff"]].concat());
    is_fine(&diff, &what);
    let written = std::fs::read_to_string(out).expect("the repaired program");
    if !diff.stdout.is_empty() {
        let mut patch = Command::new("patch")
            .args(["-s", "-p0", copy])
            .stdin(Stdio::piped())
            .spawn()
            .expect("patch is installed");
        let mut input = patch.stdin.take().expect("its input");
        std::io::Write::write_all(&mut input, &diff.stdout).expect("it reads");
        drop(input);
        assert!(patch.wait().expect("it ends").success(), "{what}");
    }
    assert_eq!(std::fs::read_to_string(copy).expect("the patched program"), written, "{what}");
}

fn corpus(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file)
}

#[test]
fn programs_of_our_own_language_are_repaired() {
    let folder = folder("fence-fw");
    for file in ["mutex/szymanski.fw", "mutex/lamport-fast-2.fw", "structures/cilk-the.fw"] {
        for criterion in ["robustness", "persistence", "trf"] {
            repair(&folder, &corpus(file), &[], criterion);
            repair(&folder, &corpus(file), &["--positions", "label"], criterion);
            repair(
                &folder,
                &corpus(file),
                &["--with-locked-stores", "--cost", "profile"],
                criterion,
            );
        }
    }
}

#[test]
fn what_is_not_needed_is_taken_out() {
    let folder = folder("fence-less");
    for file in ["structures/over-fenced.fw", "mutex/bakery-fenced.fw", "mutex/dekker-fenced.fw"] {
        repair(&folder, &corpus(file), &["--minimise-existing"], "robustness");
    }
}

/// The same program in every language that can be written.
#[test]
fn programs_of_all_languages_are_repaired() {
    let folder = folder("fence-languages");
    let source = folder.join("original.fw");
    let text = "shared x, y
thread p { local r, s; x = 1; s = 2; r = y }
thread q { local r; y = 1; r = x }
";
    std::fs::write(&source, text).expect("a program can be written");
    for (language, extension) in
        [("trencher", "txt"), ("esop13", "esop13"), ("esop15", "esop15"), ("litmus", "litmus")]
    {
        let file = folder.join(format!("original.{extension}"));
        let to = file.to_str().expect("a plain path");
        let from = source.to_str().expect("a plain path");
        is_fine(&fencewright(&["convert", from, "--to", language, "-o", to]), language);
        let inner = folder.join(language);
        std::fs::create_dir_all(&inner).expect("a folder");
        for positions in ["label", "after-instruction"] {
            for criterion in ["robustness", "persistence"] {
                repair(&inner, &file, &["--lang", language, "--positions", positions], criterion);
            }
        }
    }
}
