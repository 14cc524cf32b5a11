//! What compilers complain of, one by one: the messages of clang and rustc as data, with their positions.
//!
//! Both write for people, in forms that have not changed for many years:
//!
//! ```text
//! t.c:3:18: error: use of undeclared identifier 'y'
//!
//! error[E0425]: cannot find function `foo` in this scope
//!  --> t.rs:1:30
//!   |
//! 1 | fn main() { foo(); }
//!   |             ^^^ not found in this scope
//!   |
//!   = help: ...
//! ```
//!
//! What is not understood is left out here; it is still in the whole message of a [`crate::Failure`].

use std::path::PathBuf;

/// An error, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// The file, as the compiler names it.
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1; clang counts bytes, rustc characters.
    pub column: usize,
    /// How many characters it is about.
    pub width: usize,
    /// What the compiler says at the place.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
}

/// The errors in what a compiler has written.
pub fn complaints(message: &str) -> Vec<Complaint> {
    let mut found: Vec<Complaint> = Vec::new();
    // The headline of rustc whose place is still to come.
    let mut headline: Option<String> = None;
    // Whether lines draw the place of the last complaint.
    let mut is_drawn = false;
    for line in message.lines() {
        if let Some(complaint) = by_clang(line) {
            found.push(complaint);
            (headline, is_drawn) = (None, false);
        } else if let Some(said) = by_rustc(line) {
            (headline, is_drawn) = (Some(said), false);
        } else if line.starts_with("warning") || line.starts_with("note") {
            (headline, is_drawn) = (None, false);
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            if let (Some(said), Some((path, line, column))) = (headline.take(), position(place)) {
                found.push(new(&said, path, line, column));
                is_drawn = true;
            }
        } else if let Some(last) = found.last_mut() {
            if let Some(help) = help(line) {
                last.help.get_or_insert_with(|| help.to_owned());
            } else if is_drawn {
                add(last, line);
            }
        }
    }
    found
}

/// An error of clang, on one line.
fn by_clang(line: &str) -> Option<Complaint> {
    let at = [": error: ", ": fatal error: "]
        .into_iter()
        .find_map(|word| line.find(word).map(|at| (at, word.len())))?;
    let (place, message) = (&line[..at.0], &line[at.0 + at.1..]);
    let (path, line, column) = position(place)?;
    Some(new(message, path, line, column))
}

/// The headline of an error of rustc: `error: …` or `error[E0308]: …`; the code, which `rustc --explain` knows,
/// follows the message.
fn by_rustc(line: &str) -> Option<String> {
    let rest = line.strip_prefix("error")?;
    match rest.strip_prefix('[') {
        Some(rest) => {
            let (code, message) = rest.split_once("]: ")?;
            Some(format!("{message} [{code}]"))
        }
        None => rest.strip_prefix(": ").map(str::to_owned),
    }
}

/// `path:line:column`.
fn position(place: &str) -> Option<(&str, usize, usize)> {
    let (rest, column) = place.trim_end().rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    (!path.is_empty() && line > 0 && column > 0).then_some((path, line, column))
}

fn new(message: &str, path: &str, line: usize, column: usize) -> Complaint {
    Complaint {
        message: message.to_owned(),
        path: PathBuf::from(path),
        line,
        column,
        width: 1,
        label: String::new(),
        help: None,
    }
}

/// What a line says is to be done.
fn help(line: &str) -> Option<&str> {
    let line = line.trim();
    let help = line.strip_prefix("= help: ").or_else(|| line.strip_prefix("help: "))?;
    Some(help.trim_end_matches(':'))
}

/// What a line of a drawing says of the place: carets with a label.
fn add(last: &mut Complaint, line: &str) {
    let Some(marks) = line.trim().strip_prefix('|').map(str::trim_start) else { return };
    let Some(at) = marks.find('^') else { return };
    let carets = marks[at..].bytes().take_while(|byte| *byte == b'^').count();
    if last.label.is_empty() && last.width == 1 {
        last.width = carets;
        marks[at + carets..].trim().clone_into(&mut last.label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where, what, its line, column and width, what is said there, and advice.
    type Told = (String, String, usize, usize, usize, String, Option<String>);

    fn told(message: &str) -> Vec<Told> {
        let all = complaints(message).into_iter();
        all.map(|one| {
            let Complaint { message, path, line, column, width, label, help } = one;
            (path.display().to_string(), message, line, column, width, label, help)
        })
        .collect()
    }

    #[test]
    fn errors_of_clang_have_places() {
        let found = told(
            "In file included from a.c:1:\n./b.h:2:1: error: unknown type name 'in'\nin x;\n^\n\
             a.c:3:33: fatal error: 'no.h' file not found\na.c:4:1: warning: unused\n2 errors generated.\n",
        );
        let one = |path: &str, message: &str, line, column| {
            (path.to_owned(), message.to_owned(), line, column, 1, String::new(), None)
        };
        assert_eq!(
            found,
            [
                one("./b.h", "unknown type name 'in'", 2, 1),
                one("a.c", "'no.h' file not found", 3, 33)
            ]
        );
    }

    #[test]
    fn errors_of_rustc_have_places_labels_and_help() {
        let found = told(
            "warning: unused\n --> a.rs:9:9\n\nerror[E0308]: mismatched types\n --> a.rs:1:25\n  |\n\
             1 | fn main() { let x: u8 = \"a\"; }\n  |                    --   ^^^ expected `u8`\n  |\n\
             help: try this:\n  |\nerror: aborting due to 1 previous error\n\nFor more information\n",
        );
        let expected = (
            "a.rs".to_owned(),
            "mismatched types [E0308]".to_owned(),
            1,
            25,
            3,
            "expected `u8`".to_owned(),
            Some("try this".to_owned()),
        );
        assert_eq!(found, [expected]);
        assert_eq!(told("ld: error: undefined symbol\nerror: linking failed\n"), []);
    }
}
