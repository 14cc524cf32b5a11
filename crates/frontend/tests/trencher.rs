//! Trencher's language: reading, writing, and reading what was written.

use std::path::{Path, PathBuf};

use frontend::trencher;
use program::{Diagnostics, Program, Sources, canonical};

fn load(text: &str) -> Result<Program, Diagnostics> {
    let mut sources = Sources::new();
    let source = sources.add("test.txt", text);
    trencher::load(&sources, source)
}

fn check_round_trip(program: &Program) {
    let text = trencher::print(program).expect("a program of the language can be written");
    let again = load(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    assert_eq!(canonical::difference(program, &again), None, "\n{text}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The samples that come with Trencher are not part of this repository.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen to be skipped")]
fn samples_of_trencher_load_and_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/trencher");
    if !folder.exists() {
        eprintln!("SKIPPED: there is no {}", folder.display());
        return;
    }
    let files = files_below(&folder);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a readable sample");
        let program =
            load(&text).unwrap_or_else(|errors| panic!("{}: {errors:#?}", file.display()));
        check_round_trip(&program);
    }
    eprintln!("{} samples load and round-trip", files.len());
}
