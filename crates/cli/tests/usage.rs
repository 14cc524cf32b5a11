//! Options and inputs that do not go together: exit code 2, and what to do instead. An option that
//! would be ignored is never accepted.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const MODEL: &str = "corpus/mutex/peterson.fw";
const C: &str = "corpus/c/peterson-fenced.c";
const RUST: &str = "corpus/rust/store-buffering.rs";

fn fencewright(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .current_dir(ROOT)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencewright can be started");
    let mut pipe = child.stdin.take().expect("its input");
    // Who refuses the options reads no input.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("it ends")
}

fn refused(arguments: &[&str], input: &str, says: &[&str]) {
    let output = fencewright(arguments, input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    for part in says {
        assert!(said.contains(part), "{arguments:?} does not say `{part}`: {said}");
    }
    assert_eq!(output.stdout, b"", "{arguments:?}");
}

#[test]
fn options_for_models_are_refused_for_source() {
    for file in [C, RUST] {
        refused(&["check", file, "--set", "N=1"], "", &["`--set` is for models", "-- -DN=1"]);
        refused(&["show", file, "--count", "p=2"], "", &["`--count` is for models", "--thread"]);
    }
}

#[test]
fn options_for_source_are_refused_for_models() {
    let cases: &[(&[&str], &str)] = &[
        (&["--thread", "p"], "`--thread` is for programs in C, Rust and LLVM IR"),
        (&["--thread", "p", "--init", "q"], "`--thread` is for"),
        (&["--max-recursion", "2"], "`--max-recursion` is for"),
        (&["--max-allocations", "2"], "`--max-allocations` is for"),
        (&["--max-amounts", "2"], "`--max-amounts` is for"),
        (&["--max-threads", "2"], "`--max-threads` is for"),
        (&["--reuse-memory"], "`--reuse-memory` is for"),
        (&["--args", "a b"], "`--args` is for"),
        (&["--assume", "f does nothing"], "`--assume` is for"),
        (&["--clang", "clang"], "`--clang` is for programs in C"),
        (&["--rustc", "rustc"], "`--rustc` is for programs in Rust"),
        (&["--lib"], "`--lib` is for Cargo packages"),
        (&["--bin", "p"], "`--bin` is for Cargo packages"),
        (&["--example", "p"], "`--example` is for Cargo packages"),
        (&["--test", "p"], "`--test` is for Cargo packages"),
        (&["--package", "p"], "`--package` is for Cargo packages"),
        (&["--features", "p"], "`--features` is for Cargo packages"),
        (&["--no-default-features"], "`--no-default-features` is for Cargo packages"),
        (&["--unit-tests"], "`--unit-tests` is for Cargo packages"),
        (&["--release"], "`--release` is for programs in Rust"),
        (&["--program", "p"], "`--program` is for recordings"),
        (&["--no-cache"], "`--no-cache` is for programs in C, Rust and LLVM IR"),
        (&["--", "-DN=1"], "`--set NAME=VALUE`"),
    ];
    for (options, says) in cases {
        for command in ["check", "fence", "reach", "outcomes", "confirm", "simulate", "show"] {
            refused(&[&[command, MODEL], *options].concat(), "", &[says]);
        }
    }
    refused(&["fence", MODEL, "--fence-text", "mfence"], "", &["`--fence-text` is for"]);
}

#[test]
fn options_for_other_source_are_refused() {
    for (file, options, says) in [
        (C, ["--program", "p"], "`--program` is for recordings"),
        (C, ["--features", "p"], "`--features` is for Cargo packages"),
        (C, ["--rustc", "rustc"], "`--rustc` is for programs in Rust"),
        (C, ["--release", "--no-cache"], "`--release` is for programs in Rust"),
        (RUST, ["--unit-tests=f", "--release"], "`--unit-tests` is for Cargo packages"),
        (RUST, ["--bin", "p"], "name the folder of a package"),
        (RUST, ["--clang", "clang"], "`--clang` is for programs in C"),
    ] {
        refused(&[&["check", file][..], &options].concat(), "", &[says]);
    }
}

#[test]
fn options_that_need_another_are_refused_without_it() {
    for command in ["check", "reach"] {
        let asked = [command, MODEL, "--engine", "spin", "--reductions", "symmetry"];
        refused(&asked, "", &["spin has reductions of its own"]);
    }
    let priced = ["fence", MODEL, "--locked-store-cost", "3"];
    refused(&priced, "", &["--with-locked-stores"]);
    for option in [&["--write", "/nowhere/x.fw"][..], &["--diff"]] {
        refused(&[&["fence", MODEL, "--list"], option].concat(), "", &["--list"]);
    }
    for command in ["check", "fence"] {
        let asked = [command, MODEL, "--criterion", "persistence", "--abstract=1001"];
        refused(&asked, "", &["1001 is not in 0..=1000"]);
    }
}

#[test]
fn a_program_without_threads_is_refused() {
    let says = ["the program has no threads"];
    for text in ["", "// Cut off before the first thr", "shared x\n"] {
        for command in ["check", "fence", "reach", "outcomes", "simulate", "show"] {
            refused(&[command, "-", "--lang", "fw"], text, &says);
        }
    }
    for language in ["trencher", "esop13", "esop15", "litmus"] {
        let output = fencewright(&["check", "-", "--lang", language], "");
        assert_eq!(output.status.code(), Some(2), "{language}");
    }
}

#[test]
fn tests_of_other_machines_are_not_answered_for_tso() {
    for (file, machine) in [("aarch64/mp", "AArch64"), ("ppc/mp", "Power"), ("riscv/mp", "RISC-V")]
    {
        let file = format!("corpus/litmus-weak/{file}.litmus");
        let says = format!("this is a test for {machine}, and ");
        for asked in [
            &["check"][..],
            &["fence"],
            &["reach", "--model", "tso"],
            &["simulate"],
            &["step"],
            &["confirm"],
        ] {
            refused(
                &[asked, &[file.as_str()]].concat(),
                "",
                &[says.as_str(), "is about TSO (x86)"],
            );
        }
    }
}

#[test]
fn source_has_a_file_name() {
    let text = std::fs::read_to_string(Path::new(ROOT).join(C)).expect("a program");
    refused(
        &["check", "-"],
        &text,
        &["cannot tell the language", "files that end in .c, .rs or .ll"],
    );
}

/// A folder of our own that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

#[test]
fn a_repaired_program_goes_into_a_folder_but_not_over_the_program() {
    let folder = folder("usage-write");
    let there = folder.join("repaired");
    std::fs::create_dir_all(&there).expect("a folder");
    for name in [MODEL, RUST] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(name)).expect("a program");
        let file = folder.join(Path::new(name).file_name().expect("a file"));
        std::fs::write(&file, &text).expect("a copy");
        let path = |path: &Path| path.to_str().expect("a plain path").to_owned();
        for place in [&file, &folder] {
            let asked = ["fence", &path(&file), "--write", &path(place)];
            let output = fencewright(&asked, "");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{asked:?}: {said}");
            assert!(said.contains("would overwrite"), "{asked:?}: {said}");
            assert_eq!(std::fs::read_to_string(&file).ok().as_ref(), Some(&text), "{asked:?}");
        }
        let output = fencewright(&["fence", &path(&file), "--write", &path(&there)], "");
        let said = String::from_utf8_lossy(&output.stdout);
        let written = there.join(file.file_name().expect("a file"));
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains(&format!("written to {}", path(&written))), "{said}");
        assert_ne!(std::fs::read_to_string(&written).ok(), Some(text));
    }
}

#[test]
fn options_that_engines_elsewhere_would_ignore_are_refused() {
    let every_state = "explore every state";
    for reductions in ["all", "symmetry", "partial-order,local-steps", "locked-sections"] {
        let reductions = format!("--reductions={reductions}");
        refused(&["reach", MODEL, "--engine", "cuda", &reductions], "", &[every_state]);
        refused(&["check", MODEL, "--processes", "2", &reductions], "", &[every_state]);
    }
    refused(&["reach", MODEL, "--engine", "cuda", "--threads", "2"], "", &["`--threads`"]);
    for engine in ["spin", "cuda"] {
        let asked = ["reach", MODEL, "--engine", engine, "--processes", "2"];
        refused(&asked, "", &["leave out `--engine`"]);
    }
}

/// Where there is no graphics card, `--engine cuda` says what is missing; where there is one, it answers.
#[test]
fn a_card_that_is_not_there_is_missed() {
    for command in [["reach", "--faults"], ["check", "--criterion=trf"]] {
        let output = fencewright(&[&command[..], &["--engine", "cuda", MODEL]].concat(), "");
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(2) {
            assert!(said.contains("needs an NVIDIA card with its driver"), "{said}");
            assert!(said.contains("libcuda") || said.contains("libnvrtc"), "{said}");
        } else {
            assert!(said.is_empty(), "{said}");
        }
    }
}

#[test]
fn usual_mistakes_get_advice() {
    refused(&[MODEL], "", &["use 'fencewright check corpus/mutex/peterson.fw'"]);
    refused(&["check", "--json", MODEL], "", &["use '--format json'"]);
    refused(&["check", "--", MODEL], "", &["files come before '--'"]);
    refused(&["check", "-"], "", &["<stdin> is empty"]);
    let sb = include_str!("../../../corpus/litmus/sb.litmus");
    refused(&["check", "-", "--lang", "fw"], sb, &["`--lang litmus` reads it"]);
    refused(&["check", MODEL, "--lang", "c"], "", &["`--lang c` is for standard input"]);
    let fenced = "corpus/mutex/peterson-fenced.fw";
    let said = fencewright(&["fence", fenced, "--minimize-existing"], "");
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
}

/// `-h` has the options that are wanted often, `--help` has all.
#[test]
fn the_short_help_is_short() {
    let lines = |command: &str, option: &str| {
        let output = fencewright(&[command, option], "");
        assert_eq!(output.status.code(), Some(0), "{command}");
        String::from_utf8(output.stdout).expect("UTF-8").lines().count()
    };
    for command in ["check", "fence", "reach", "outcomes", "simulate", "show"] {
        let (short, long) = (lines(command, "-h"), lines(command, "--help"));
        assert!(short <= 100 && 2 * short <= long, "{command}: {short} and {long} lines");
    }
}

/// A compiler's complaints are shown where they are, and nothing is said twice.
#[test]
fn complaints_of_compilers_are_told_once() {
    let wrong = "int x;\nint main(void) { y = 1; return 0; }\n";
    let output = fencewright(&["check", "-", "--lang", "c"], wrong);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.matches("error").count(), 1, "{said}");
    assert!(said.contains("use of undeclared identifier 'y'") && !said.contains("-S -emit-llvm"));
}
