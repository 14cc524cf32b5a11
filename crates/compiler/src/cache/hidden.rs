//! Files that would be read instead of others, if they were there.
//!
//! A compiler looks for a header in one folder after the other, so a new file can hide one that was
//! read, and `__has_include` asks whether there is one. Neither shows in the list of files that were
//! read. So it becomes part of the key which files there are that have the name of one of those, or
//! that are asked for, in the folders in which the author's files are looked for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many parts a name in `#include` has at most, as far as this is concerned.
const LONGEST_NAME: usize = 3;

/// Names that matter, and where files are looked for.
pub(super) struct Hidden {
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<PathBuf>,
}

impl Hidden {
    /// With these folders, besides those of the files that are read.
    pub(super) fn new(search: &[PathBuf]) -> Self {
        Self { folders: search.iter().cloned().collect(), names: BTreeSet::new() }
    }

    /// Adds a file that was read; nothing if it asks for files that are not named in it.
    pub(super) fn add(&mut self, path: &Path, bytes: &[u8]) -> Option<()> {
        let parts: Vec<_> = path.iter().collect();
        for length in 1..=LONGEST_NAME.min(parts.len().saturating_sub(1)) {
            self.names.insert(parts[parts.len() - length..].iter().collect());
        }
        if is_of_system(path) {
            return Some(());
        }
        self.folders.extend(path.parent().map(Path::to_owned));
        self.names.extend(asked_for(bytes)?);
        Some(())
    }

    /// The files that are there, in the order of their names.
    pub(super) fn present(&self) -> impl Iterator<Item = PathBuf> {
        let all = self
            .folders
            .iter()
            .flat_map(|folder| self.names.iter().map(move |name| folder.join(name)));
        all.filter(|path| path.exists())
    }
}

/// Whether a file came with a compiler or a system, where nobody adds files between two looks.
fn is_of_system(path: &Path) -> bool {
    let beginnings = ["/usr/", "/lib/", "/Library/", "/Applications/", "/nix/store/"];
    let name = path.to_string_lossy();
    beginnings.iter().any(|beginning| name.starts_with(beginning)) || name.contains("/lib/clang/")
}

/// The names in `__has_include("…")`; nothing if a macro makes one.
fn asked_for(bytes: &[u8]) -> Option<Vec<PathBuf>> {
    let text = String::from_utf8_lossy(bytes);
    let mut names = Vec::new();
    for rest in text.split("__has_include").skip(1) {
        let rest = rest.strip_prefix("_next").unwrap_or(rest).trim_start();
        // Without a bracket it is only asked whether there is such a thing as `__has_include`.
        let Some(rest) = rest.strip_prefix('(') else { continue };
        let rest = rest.trim_start();
        let end = match rest.chars().next() {
            Some('"') => '"',
            Some('<') => '>',
            Some(_) | None => return None,
        };
        names.push(PathBuf::from(rest[1..].split(end).next()?));
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_asked_for() {
        let names = |text: &str| asked_for(text.as_bytes());
        let text = "#ifdef __has_include\n#if __has_include(\"a.h\") || __has_include ( <b/c.h> )";
        assert_eq!(names(text), Some(vec!["a.h".into(), "b/c.h".into()]));
        assert_eq!(names("#if __has_include(NAME)"), None);
        assert_eq!(names("int x;"), Some(Vec::new()));
    }
}
