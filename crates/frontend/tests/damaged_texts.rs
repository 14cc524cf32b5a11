//! Texts that were damaged at random: a parser either says where they are wrong, or reads a program that it prints
//! again. What is asked of them is what the fuzz targets ask.

#[path = "../../../fuzz/src/texts.rs"]
mod texts;

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::panic::catch_unwind;
use std::path::Path;

use fastrand::Rng;
use frontend::{Language, print};
use oracle::generate::random::{Shape, random_programs};

/// Pieces that are rarely found in texts.
const STRANGE: [&str; 14] = [
    "99999999999999999999999",
    "-",
    "/*",
    "*/",
    "//",
    "\"",
    "\\",
    "é",
    "\u{feff}",
    "\r\n",
    "$",
    "@",
    "((((((((",
    "[my]",
];

/// The texts that damage is done to: those of the corpus, and random programs.
fn seeds(language: Language) -> Vec<String> {
    let mut seeds: Vec<String> = random_programs(1, Shape::default())
        .take(60)
        .chain(random_programs(2, Shape::LOOPING).take(60))
        .filter_map(|program| print(&program, language).ok())
        .take(30)
        .collect();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut files = Vec::new();
    for folder in read_dir(corpus).expect("there is a corpus").flatten() {
        if let Ok(entries) = read_dir(folder.path()) {
            files.extend(entries.flatten().map(|entry| entry.path()));
        }
    }
    files.sort();
    let is_of_it = |path: &&std::path::PathBuf| {
        path.extension().is_some_and(|extension| extension == language.name())
    };
    let texts = files.iter().filter(is_of_it).filter_map(|path| read_to_string(path).ok());
    // Long ones take long.
    seeds.extend(texts.filter(|text| text.len() < 3000).take(40));
    seeds
}

/// A text cut into words, numbers and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |one: char| one.is_alphanumeric() || one == '_';
        let length = if is_word(first) {
            rest.find(|one| !is_word(one)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (piece, then) = rest.split_at(length);
        pieces.push(piece);
        rest = then;
    }
    pieces
}

/// A text with a few pieces lost, repeated, exchanged or replaced by others of the language.
fn damaged(text: &str, vocabulary: &[&str], random: &mut Rng) -> String {
    let mut pieces = pieces(text);
    for _ in 0..random.usize(1..4) {
        if pieces.is_empty() {
            break;
        }
        let at = random.usize(..pieces.len());
        let other = random.usize(..pieces.len());
        match random.u32(..7) {
            0 => drop(pieces.remove(at)),
            1 => drop(pieces.drain(at.min(other)..at.max(other).min(at.min(other) + 9))),
            2 => pieces.insert(at, pieces[other]),
            3 => pieces.swap(at, other),
            4 => pieces[at] = vocabulary[random.usize(..vocabulary.len())],
            5 => pieces.insert(at, vocabulary[random.usize(..vocabulary.len())]),
            _ => pieces.truncate(at),
        }
    }
    pieces.concat()
}

/// Damages so many texts of a language, and returns how many of them were still programs.
fn check(language: Language, count: usize) -> usize {
    let seeds = seeds(language);
    assert!(!seeds.is_empty(), "{}", language.name());
    let mut vocabulary: BTreeSet<&str> = STRANGE.into();
    vocabulary.extend(seeds.iter().flat_map(|seed| pieces(seed)));
    let vocabulary: Vec<&str> = vocabulary.into_iter().collect();
    let mut random = Rng::with_seed(25);
    let mut programs = 0;
    for _ in 0..count {
        let text = damaged(&seeds[random.usize(..seeds.len())], &vocabulary, &mut random);
        let survived = catch_unwind(|| texts::check(language, text.as_bytes()));
        assert!(survived.is_ok(), "{}:\n{text}", language.name());
        programs += usize::from(is_program(language, &text));
    }
    programs
}

fn is_program(language: Language, text: &str) -> bool {
    let mut sources = program::Sources::new();
    let source = sources.add("damaged", text);
    frontend::load(&sources, source, language, &frontend::Settings::default()).is_ok()
}

#[test]
fn damaged_texts_are_refused_or_read() {
    for language in Language::ALL {
        let programs = check(language, 1500);
        assert!((20..1480).contains(&programs), "{}: {programs}", language.name());
    }
}
