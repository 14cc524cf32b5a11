//! Patches of a text, and what has to be known about its lines to write one that looks as if it had
//! always been there.

use std::ops::Range;

use super::Edited;

/// What comes first of the patches at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A whole line before the line that begins here.
    Line,
    /// Before the statement that begins here.
    Leading,
    /// Part of the statement itself.
    Inner,
    /// After the statement that ends here.
    Trailing,
}

#[derive(Debug)]
struct Patch {
    range: Range<usize>,
    rank: Rank,
    text: String,
}

/// What begins and what ends a comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comments {
    /// What begins one that ends with its line.
    pub(crate) line: &'static str,
    /// What begins and what ends one that may be longer.
    pub(crate) block: Option<(&'static str, &'static str)>,
}

/// A text and changes of it.
#[derive(Debug)]
pub(crate) struct Patches<'t> {
    pub(crate) text: &'t str,
    comments: Comments,
    list: Vec<Patch>,
}

impl<'t> Patches<'t> {
    pub(crate) const fn new(text: &'t str, comments: Comments) -> Self {
        Self { text, comments, list: Vec::new() }
    }

    pub(crate) fn insert(&mut self, at: usize, rank: Rank, text: impl Into<String>) {
        self.list.push(Patch { range: at..at, rank, text: text.into() });
    }

    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.list.push(Patch { range, rank: Rank::Inner, text: text.into() });
    }

    pub(crate) fn remove(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// A line of its own after the line with which a statement ends at `at`, if nothing but
    /// comments follows there; otherwise nothing happens. `separators` end the statement.
    pub(crate) fn line_after(&mut self, at: usize, separators: &[char], line: &str) -> bool {
        let Some(next) = self.next_line(at, separators) else { return false };
        let newline = self.newline();
        if self.text[..next].ends_with('\n') {
            self.insert(next, Rank::Line, format!("{line}{newline}"));
        } else {
            self.insert(next, Rank::Line, format!("{newline}{line}"));
        }
        true
    }

    /// Where the line after `at` begins, if nothing but blanks, separators and comments stand
    /// between and no comment goes on there.
    pub(crate) fn next_line(&self, at: usize, separators: &[char]) -> Option<usize> {
        let mut at = at;
        loop {
            let rest = &self.text[at..];
            let first = rest.chars().next();
            if first.is_none_or(|c| c == '\n') || rest.starts_with(self.comments.line) {
                return Some(at + rest.find('\n').map_or(rest.len(), |end| end + 1));
            }
            let first = first?;
            if let Some((open, close)) = self.comments.block
                && let Some(inside) = rest.strip_prefix(open)
            {
                let length = inside.find(close)?;
                if inside[..length].contains('\n') {
                    return None;
                }
                at += open.len() + length + close.len();
            } else if first.is_whitespace() || separators.contains(&first) {
                at += first.len_utf8();
            } else {
                return None;
            }
        }
    }

    /// Where the line begins that goes through `at`.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// The blanks with which the line begins that goes through `at`.
    pub(crate) fn indentation(&self, at: usize) -> &'t str {
        let line = &self.text[self.line_start(at)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether only blanks stand before `at` on its line.
    pub(crate) fn begins_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].chars().all(|c| c == ' ' || c == '\t')
    }

    /// Where the blanks before `at` begin.
    pub(crate) fn without_blanks_before(&self, at: usize) -> usize {
        self.text[..at].trim_end_matches([' ', '\t']).len()
    }

    /// Where the blanks after `at` end.
    pub(crate) fn without_blanks_after(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
    }

    /// How lines end here.
    pub(crate) fn newline(&self) -> &'static str {
        newline(self.text)
    }

    /// The text with all changes.
    pub(crate) fn apply(mut self) -> Edited {
        self.list.sort_by_key(|patch| (patch.range.start, patch.rank));
        let mut result = String::with_capacity(self.text.len());
        let mut inserted = Vec::new();
        let mut done = 0;
        for Patch { range, text, .. } in self.list {
            // What is removed already is not there to be removed again.
            result.push_str(self.text.get(done..range.start).unwrap_or(""));
            let from = result.len();
            result.push_str(&text);
            if range.is_empty() {
                inserted.push(from..result.len());
            }
            done = done.max(range.end);
        }
        result.push_str(&self.text[done..]);
        Edited { text: result, inserted }
    }
}

/// How the lines of a text end.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}
