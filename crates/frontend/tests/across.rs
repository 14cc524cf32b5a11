//! Accesses across cells are written and read again, in `.fw` and in litmus tests.

use std::path::Path;

use frontend::litmus::{Target, print_for};
use frontend::{Language, Settings, fw, load};
use program::canonical::difference;
use program::{Program, Sources};

#[track_caller]
fn parsed(text: &str, language: Language) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text.to_owned());
    load(&sources, source, language, &Settings::default())
        .unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

/// Our own tests with accesses of different sizes.
fn tests() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak/aarch64");
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mixed = files.filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mixed-"))
    });
    let texts = mixed.map(|path| std::fs::read_to_string(path).expect("a test"));
    let programs = texts.map(|text| parsed(&text, Language::Litmus));
    // One is about whole accesses alone.
    programs.filter(|program| program.access_across().is_some()).collect()
}

#[test]
fn tests_with_accesses_of_different_sizes_are_written_and_read_again() {
    let tests = tests();
    assert!(tests.len() >= 5, "only {}", tests.len());
    for test in tests {
        let text = print_for(&test, Target::AArch64).expect("a test can be printed");
        let again = parsed(&text, Language::Litmus);
        assert_eq!(again.memory().locations().len(), test.memory().locations().len());
        assert!(again.access_across().is_some(), "{text}");
        for (one, other) in test.memory().locations().iter().zip(again.memory().locations()) {
            assert_eq!((one.parts, one.domain), (other.parts, other.domain), "{text}");
        }
        for target in [Target::X86, Target::RiscV] {
            if let Ok(text) = print_for(&test, target) {
                assert!(parsed(&text, Language::Litmus).access_across().is_some(), "{text}");
            }
        }
        assert!(print_for(&test, Target::Ppc).is_err(), "Power can have either byte first");
        let text = fw::print(&test);
        let again = parsed(&text, Language::Fw);
        assert_eq!(fw::print(&again), text);
        for language in [Language::Trencher, Language::Esop13, Language::Esop15] {
            assert!(frontend::print(&test, language).is_err());
        }
        assert!(frontend::promela::print(&test).is_err());
    }
}

#[test]
fn the_notation_of_fw() {
    let text =
        "shared x[8]: u8 at 16 parts 8, y[2]: u32 at 32 stride 4, z[2]: u64 at 48 stride 8, w: i128
        thread p { local r, s, t: i128
          t = load(z[0], across(i128)); store(w, t, bytes(16))
          store(x[0], 257, across(u64), release)
          r = load(x[4], across(i32), exclusive)
          s = store_exclusive(x[4], 1, across(i32))
          s = fetch_add(y[0], 1, across(u64)) }
        observe across(x[0], u64)
        exists across(y[0], u64) == 1 && x[1] == 1";
    let program = parsed(text, Language::Fw);
    let again = parsed(&fw::print(&program), Language::Fw);
    assert_eq!(difference(&program, &again), None);
    for (text, wrong) in [
        ("shared x[8]: u8\nthread p { local r\n r = load(x[0], across(u24)) }", "a type of 8"),
        ("shared x[6]: u8 parts 4\nthread p { skip }", "no elements of 4"),
        ("shared x[6]: u8 parts 17\nthread p { skip }", "the parts of an array cannot be 17"),
        ("shared x[8]: u8 at 16\nthread p { skip }\nexists across(x[1], u32) == 0", "not aligned"),
    ] {
        let mut sources = Sources::new();
        let source = sources.add("test", text.to_owned());
        let errors = load(&sources, source, Language::Fw, &Settings::default());
        let errors = errors.expect_err(text);
        assert!(errors.iter().any(|error| error.message.contains(wrong)), "{text}: {errors:#?}");
    }
}
