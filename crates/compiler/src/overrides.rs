//! Other texts for some source files, so that a changed program can be compiled while the files of
//! its author stay as they are.
//!
//! clang has this built in: a virtual file system that is described in a file and laid over the
//! real one, under which a changed file still has its own name in debug information. rustc has no
//! such thing; there the files are copied (see `mirror`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Failure;
use crate::place::{absolute, write_file};

/// Texts by the absolute names of their files.
///
/// A file that is reached through a link has two names; a text stands under both.
#[derive(Debug, Default)]
pub(crate) struct Overrides {
    texts: BTreeMap<PathBuf, Vec<u8>>,
    /// The names that the user gave, each with all names that it stands for.
    given: Vec<(PathBuf, BTreeSet<PathBuf>)>,
}

impl Overrides {
    /// The texts, with their files named as seen from `folder`.
    pub(crate) fn new(texts: &[(PathBuf, Vec<u8>)], folder: &Path) -> Self {
        let mut overrides = Self::default();
        for (path, text) in texts {
            let name = absolute(folder, path);
            let names: BTreeSet<_> = [name.canonicalize().unwrap_or(name.clone()), name].into();
            for name in &names {
                overrides.texts.insert(name.clone(), text.clone());
            }
            overrides.given.push((path.clone(), names));
        }
        overrides
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The other text of a file, if it has one.
    pub(crate) fn of(&self, absolute_path: &Path) -> Option<&[u8]> {
        self.texts.get(absolute_path).map(Vec::as_slice)
    }

    /// All texts by absolute names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.texts.iter().map(|(path, text)| (path.as_path(), text.as_slice()))
    }

    /// The files with other texts that are not among those that have been read.
    pub(crate) fn unread<'a>(
        &'a self,
        read: &'a BTreeSet<PathBuf>,
    ) -> impl Iterator<Item = &'a Path> {
        let unread = |(_, names): &&(PathBuf, BTreeSet<PathBuf>)| names.is_disjoint(read);
        self.given.iter().filter(unread).map(|(path, _)| path.as_path())
    }

    /// Writes the texts into a folder, and the file for clang's `-ivfsoverlay`, whose name is
    /// returned. `None` if there are no other texts.
    pub(crate) fn overlay(&self, folder: &Path) -> Result<Option<PathBuf>, Failure> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut roots = Vec::new();
        for (number, (path, text)) in self.texts.iter().enumerate() {
            let contents = folder.join(format!("override-{number}"));
            write_file(&contents, text)?;
            roots.push(json!({ "type": "file", "name": path, "external-contents": contents }));
        }
        let overlay = json!({
            "version": 0, "case-sensitive": true, "use-external-names": false, "roots": roots
        });
        let file = folder.join("overlay.yaml");
        write_file(&file, overlay.to_string().as_bytes())?;
        Ok(Some(file))
    }
}
