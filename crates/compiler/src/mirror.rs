//! Copies of Rust sources in which some files have other texts.
//!
//! A mirror is a folder that stands for the root of the file system: the file `/a/b.rs` is copied to
//! `mirror/a/b.rs`, so that relative names among the copied files mean what they meant. rustc is
//! told to write the names of the originals into debug information.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::Failure;
use crate::overrides::Overrides;
use crate::place::write_file;

/// A folder with copies.
#[derive(Debug)]
pub(crate) struct Mirror {
    root: PathBuf,
}

impl Mirror {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where the copy of a file is, given the absolute name of the original.
    pub(crate) fn place_of(&self, original: &Path) -> PathBuf {
        let parts = original.components().filter(|part| matches!(part, Component::Normal(_)));
        self.root.join(parts.collect::<PathBuf>())
    }

    /// The original of a copy.
    pub(crate) fn original_of(&self, copy: &Path) -> Option<PathBuf> {
        copy.strip_prefix(&self.root).ok().map(|rest| Path::new("/").join(rest))
    }

    /// The flag that makes rustc name the originals.
    pub(crate) fn remapping(&self) -> OsString {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(&self.root);
        flag.push("=/");
        flag
    }

    /// Copies one file, or writes its other text. A copy that is right already is not touched, so
    /// that its time does not change.
    pub(crate) fn copy_file(&self, original: &Path, overrides: &Overrides) -> Result<(), Failure> {
        match overrides.of(original) {
            Some(text) => self.write(original, text.as_bytes()),
            None => {
                let bytes = std::fs::read(original)
                    .map_err(|error| Failure::io("read", original, &error))?;
                self.write(original, &bytes)
            }
        }
    }

    /// Writes all other texts, also of files that have no original.
    pub(crate) fn write_overrides(&self, overrides: &Overrides) -> Result<(), Failure> {
        overrides.iter().try_for_each(|(path, text)| self.write(path, text.as_bytes()))
    }

    fn write(&self, original: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let copy = self.place_of(original);
        if std::fs::read(&copy).is_ok_and(|present| present == bytes) {
            return Ok(());
        }
        write_file(&copy, bytes)
    }
}
