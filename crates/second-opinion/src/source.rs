//! C text in pieces that can be left out, to find a small program with the same property.

use std::fmt::Write;

/// How an observable is declared, before its number and a semicolon.
pub(crate) const OBSERVABLE: &str = "i64 o";

/// A line, or lines around others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    head: String,
    body: Vec<Piece>,
    tail: String,
    is_fixed: bool,
}

impl Piece {
    /// A line that may be left out.
    pub(crate) fn line(text: impl Into<String>) -> Self {
        Self { head: text.into(), body: Vec::new(), tail: String::new(), is_fixed: false }
    }

    /// Lines around others: either all go, or only these.
    pub(crate) fn around(
        head: impl Into<String>,
        body: Vec<Self>,
        tail: impl Into<String>,
    ) -> Self {
        Self { head: head.into(), body, tail: tail.into(), is_fixed: false }
    }

    /// What has to stay.
    pub(crate) fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    fn write(&self, text: &mut String, depth: usize) {
        write_line(text, &self.head, depth);
        for piece in &self.body {
            piece.write(text, depth + 1);
        }
        write_line(text, &self.tail, depth);
    }
}

fn write_line(text: &mut String, line: &str, depth: usize) {
    if !line.is_empty() {
        writeln!(text, "{:1$}{line}", "", 2 * depth).expect("a string takes it");
    }
}

/// A C program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub(crate) pieces: Vec<Piece>,
    /// Whether C leaves no choice in which order shared memory is accessed.
    pub is_ordered: bool,
}

impl Source {
    /// A program as somebody has written it; its observables are declared by lines `i64 o0;`, `i64 o1;`, ….
    pub fn written(text: &str) -> Self {
        Self { pieces: text.lines().map(Piece::line).collect(), is_ordered: true }
    }

    /// The program as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            piece.write(&mut text, 0);
        }
        text
    }

    /// The global variables of eight bytes that are to be looked at when it has ended.
    pub fn observables(&self) -> Vec<String> {
        let declared = |piece: &Piece| {
            let number = piece.head.strip_prefix(OBSERVABLE)?.strip_suffix(';')?;
            Some(format!("o{number}"))
        };
        self.pieces.iter().filter_map(declared).collect()
    }

    /// The program without as many of its pieces as possible, such that it still has a property. What does
    /// not compile any more has none.
    #[must_use]
    pub fn shrunk(&self, mut has_property: impl FnMut(&Self) -> bool) -> Self {
        let mut smallest = self.clone();
        let mut at = 0;
        // Pieces are numbered as they stand in the text; what was kept once is tried again at the end.
        let mut is_smaller = false;
        loop {
            let mut tried = false;
            for change in [Change::Remove, Change::Unwrap] {
                let mut candidate = smallest.clone();
                if !edit(&mut candidate.pieces, &mut at.clone(), change) {
                    continue;
                }
                tried = true;
                if candidate != smallest && has_property(&candidate) {
                    smallest = candidate;
                    is_smaller = true;
                    break;
                }
                if change == Change::Unwrap {
                    at += 1;
                }
            }
            if !tried {
                if !is_smaller {
                    return smallest;
                }
                (at, is_smaller) = (0, false);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Remove,
    /// What stands around others goes, these stay.
    Unwrap,
}

/// Changes the piece with a number, if there is one.
fn edit(pieces: &mut Vec<Piece>, number: &mut usize, change: Change) -> bool {
    for at in 0..pieces.len() {
        if *number == 0 {
            if !pieces[at].is_fixed {
                let piece = pieces.remove(at);
                if change == Change::Unwrap {
                    let body = if piece.body.is_empty() { vec![piece] } else { piece.body };
                    pieces.splice(at..at, body);
                }
            }
            return true;
        }
        *number -= 1;
        if edit(&mut pieces[at].body, number, change) {
            return true;
        }
    }
    false
}
