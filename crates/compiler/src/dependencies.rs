//! What a compiler has read, from the rule for `make` that it writes (`-MD`, `--emit=dep-info`).

/// What the result of a compilation depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dependencies {
    /// The files, as the compiler names them.
    pub(crate) files: Vec<String>,
    /// The environment variables that the source asks for (`env!` of Rust), with their values.
    pub(crate) variables: Vec<(String, Option<String>)>,
}

impl Dependencies {
    /// Reads the first rule, and the comments in which rustc names environment variables.
    pub(crate) fn parse(text: &str) -> Self {
        let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let mut lines = joined.lines();
        let files = lines.next().map(prerequisites).unwrap_or_default();
        let variables = lines
            .filter_map(|line| line.strip_prefix("# env-dep:"))
            .map(|entry| match entry.split_once('=') {
                Some((name, value)) => (unescaped(name), Some(unescaped(value))),
                None => (unescaped(entry), None),
            })
            .collect();
        Self { files, variables }
    }
}

/// The words after the colon of a rule. The colon of the rule is the first one before a blank.
fn prerequisites(rule: &str) -> Vec<String> {
    let Some((_, rest)) = rule.split_once(": ") else { return Vec::new() };
    let mut words = Vec::new();
    let mut word = String::new();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(next @ (' ' | '#' | '\\'))) | ('$', Some(next @ '$')) => {
                word.push(*next);
                letters.next();
            }
            (' ' | '\t', _) => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (other, _) => word.push(other),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A name or value as rustc writes it into a comment.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_clang_and_of_rustc() {
        let clang = "x.ll: a.c inc/h.h \\\n  /usr/include/my\\ file.h \\\n  c$$d.h\n";
        let read = Dependencies::parse(clang);
        assert_eq!(read.files, ["a.c", "inc/h.h", "/usr/include/my file.h", "c$d.h"]);
        assert_eq!(read.variables, []);
        let rustc = "x.ll: a.rs b/mod.rs\n\na.rs:\nb/mod.rs:\n\n# env-dep:HOME=/h\n# env-dep:NO\n";
        let read = Dependencies::parse(rustc);
        assert_eq!(read.files, ["a.rs", "b/mod.rs"]);
        let variables = [("HOME".to_owned(), Some("/h".to_owned())), ("NO".to_owned(), None)];
        assert_eq!(read.variables, variables);
    }
}
