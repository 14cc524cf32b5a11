//! Running compilers and LLVM's own tools.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the tests.
pub(crate) fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The files of a folder with an extension, in order.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(tests().join(folder))
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no .{extension} files in {folder}");
    files
}

/// Runs a command and gives what it prints; it must succeed.
pub(crate) fn output(command: &mut Command) -> String {
    let result = command.stderr(Stdio::piped()).output();
    let result = result.unwrap_or_else(|error| panic!("{command:?} does not run: {error}"));
    let errors = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{command:?} fails:\n{errors}");
    String::from_utf8(result.stdout).expect("compilers print UTF-8")
}

/// The major version of LLVM that a tool says it has, if it runs at all.
pub(crate) fn llvm_version(tool: &str) -> Option<u32> {
    let result = Command::new(tool).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    let (_, rest) = text.split_once("version ")?;
    rest.split('.').next()?.parse().ok()
}

/// Every major version of a tool that is installed, as its version and its name.
pub(crate) fn installed(tool: &str) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = (14..=30)
        .map(|version| format!("{tool}-{version}"))
        .chain([tool.to_owned()])
        .filter_map(|name| Some((llvm_version(&name)?, name)))
        .filter(|(version, _)| *version >= 14)
        .collect();
    found.sort();
    found.dedup_by_key(|(version, _)| *version);
    found
}

/// The modules in the folder that `LLVM_IR` names, for tests that are run by hand.
pub(crate) fn real_modules() -> Vec<(String, String)> {
    let folder = std::env::var("LLVM_IR").expect("LLVM_IR names a folder of .ll files");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            (path.display().to_string(), text)
        })
        .collect();
    found.sort();
    found
}

/// All versions of clang; there must be one.
pub(crate) fn clangs() -> Vec<(u32, String)> {
    let found = installed("clang");
    assert!(!found.is_empty(), "clang is not installed: apt-get install clang");
    found
}

/// The IR that clang makes of a file.
pub(crate) fn compile_c(clang: &str, file: &Path, flags: &[&str]) -> String {
    let mut command = Command::new(clang);
    command.args(["-w", "-g", "-S", "-emit-llvm", "-o", "-"]).args(flags).arg(file);
    output(&mut command)
}

/// The flags for C as the tool uses it, and others that show more of the language.
pub(crate) const C_FLAGS: [&[&str]; 3] = [
    &["-O0", "-Xclang", "-disable-O0-optnone"],
    &["-O2"],
    &["-O1", "-Xclang", "-disable-llvm-passes"],
];

/// The IR that rustc makes of a file.
pub(crate) fn compile_rust(file: &Path, flags: &[&str]) -> String {
    // Printing to the terminal, rustc would use one temporary name for all.
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-");
    let path = std::env::temp_dir().join(format!("ir-{}-{thread}.ll", std::process::id()));
    let mut command = Command::new("rustc");
    command
        .args(["--edition", "2024", "--emit=llvm-ir", "-g", "-C", "codegen-units=1", "-o"])
        .arg(&path)
        .args(flags)
        .arg(file);
    output(&mut command);
    let text = std::fs::read_to_string(&path).expect("what rustc wrote");
    std::fs::remove_file(&path).expect("the file is ours");
    text
}

/// The flags for Rust as the tool uses it, and others that show more of the language.
pub(crate) const RUST_FLAGS: [&[&str]; 3] = [
    &["-Copt-level=0", "-Cno-prepopulate-passes", "-Cpanic=abort", "-Csymbol-mangling-version=v0"],
    &["-Copt-level=0"],
    &["-Copt-level=3"],
];
