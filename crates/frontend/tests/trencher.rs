//! Trencher's language: reading, writing, and reading what was written.

use std::path::{Path, PathBuf};

use frontend::trencher;
use program::{Diagnostics, Program, Sources, canonical};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use testkit::{Subset, programs};

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

proptest! {
    #[test]
    fn programs_of_the_language_round_trip(program in programs(Subset::Trencher)) {
        check_round_trip(&program);
    }

    #[test]
    fn whatever_can_be_written_can_be_read(program in programs(Subset::Everything)) {
        match trencher::print(&program) {
            Ok(text) => {
                let again = load(&text);
                prop_assert!(again.is_ok(), "{}\n{:#?}", text, again);
                check_round_trip(&again.expect("just seen"));
            }
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        check_total(&text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        check_total(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words_of_the_language_are_read_or_refused(words in vec(select(&WORDS[..]), 0..60)) {
        check_total(&words.concat());
    }

    #[test]
    fn damaged_programs_are_read_or_refused(
        program in programs(Subset::Trencher),
        damages in vec((0..4_u8, any::<Index>(), any::<Index>()), 1..5),
    ) {
        let text = trencher::print(&program).expect("a program of the language can be written");
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for (kind, at, other) in damages {
            if words.is_empty() {
                break;
            }
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match kind {
                0 => { words.remove(at); }
                1 => words.insert(at, words[other]),
                2 => words.swap(at, other),
                _ => words[at] = WORDS[other % WORDS.len()],
            }
        }
        check_total(&words.concat());
    }
}

const WORDS: [&str; 24] = [
    "thread ",
    "initial ",
    "transition ",
    "end ",
    "memory_size ",
    "end\n",
    "thread t\n",
    "initial q\n",
    "\ntransition q q ",
    "write ",
    "read ",
    "check ",
    "local ",
    "noop ",
    "lock ",
    "+ ",
    "! ",
    "== ",
    "r ",
    "7 ",
    "-1 ",
    "# ",
    "\n",
    "end#x ",
];

/// Reading a text gives a program or errors that lie in the text, and not too many.
fn check_total(text: &str) {
    if let Err(errors) = load(text) {
        assert!((1..=102).contains(&errors.len()), "{} errors", errors.len());
        for error in errors {
            let (start, end) = (error.span.start as usize, error.span.end as usize);
            assert!(text.get(start..end).is_some(), "{error:#?}");
        }
    }
}

/// Texts that would exhaust the stack or the patience of a careless parser.
#[test]
fn monstrous_texts_are_refused_or_read_at_once() {
    let started = std::time::Instant::now();
    let thread = |instructions: &str| format!("thread t initial q\n{instructions}\nend\n");
    let check = |text: &str, message: Option<&str>| {
        let errors = load(text).err().unwrap_or_default();
        let first = errors.first().map(|error| error.message.as_str());
        assert_eq!(first, message, "{} errors", errors.len());
        check_total(text);
    };
    let deep = Some("an expression is nested more than 100 deep");
    check(&thread(&format!("transition q q check {} 1", "! ".repeat(100_000))), deep);
    check(&thread(&format!("transition q q check {} 1", "+ 1 ".repeat(100_000))), deep);
    check(&thread(&format!("transition q q check {}", "+ ".repeat(100_000))), deep);
    let nested = |depth| thread(&format!("transition q q check {} 1", "! ".repeat(depth)));
    check(&nested(100), None);
    check(&nested(101), deep);
    let long = "x".repeat(1 << 20);
    check(&thread(&format!("transition q q read {long} {long}")), None);
    check(&thread(&format!("transition {long} q noop # {long}")), None);
    let shortened = format!("expected an instruction, found `{}…`", "x".repeat(40));
    check(&thread(&format!("transition q q {long}")), Some(&shortened));
    let shortened = format!("the integer `{}…` is too large", "9".repeat(40));
    check(&thread(&format!("transition q q check {}", "9".repeat(1 << 20))), Some(&shortened));
    check(
        &thread(&"transition q q wirte 1 2\n".repeat(50_000)),
        Some("expected an instruction, found `wirte`"),
    );
    check(&"thread ".repeat(200_000), Some("`end` is missing"));
    check(&thread(&"transition q q read r + r 1 ".repeat(40_000)), None);
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}
