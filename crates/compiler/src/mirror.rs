//! Copies of Rust sources in which some files have other texts.
//!
//! A mirror is a folder that stands for the root of the file system: the file `/a/b.rs` is copied to
//! `mirror/a/b.rs`, so that relative names among the copied files mean what they meant. rustc is
//! told to write the names of the originals into debug information.

use std::collections::BTreeSet;
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
        if let Some(text) = overrides.of(original) {
            return self.write(original, text);
        }
        let bytes =
            std::fs::read(original).map_err(|error| Failure::io("read", original, &error))?;
        self.write(original, &bytes)
    }

    /// Makes the mirror a copy of these folders: of all files in them, but for what Git and builds
    /// have put there, and of these files. Others are removed.
    pub(crate) fn copy_all(
        &self,
        folders: &[PathBuf],
        files: &[PathBuf],
        overrides: &Overrides,
    ) -> Result<(), Failure> {
        let mut copied: BTreeSet<PathBuf> =
            overrides.iter().map(|(path, _)| self.place_of(path)).collect();
        for folder in outermost(folders) {
            self.copy_folder(folder, overrides, &mut copied)?;
        }
        for file in files {
            self.copy_file(file, overrides)?;
            copied.insert(self.place_of(file));
        }
        self.write_overrides(overrides)?;
        remove_others(&self.root, &copied)
    }

    fn copy_folder(
        &self,
        folder: &Path,
        overrides: &Overrides,
        copied: &mut BTreeSet<PathBuf>,
    ) -> Result<(), Failure> {
        if folder.ends_with(".git") || folder.join("CACHEDIR.TAG").is_file() {
            return Ok(());
        }
        for path in entries(folder)? {
            if path.is_file() {
                self.copy_file(&path, overrides)?;
                copied.insert(self.place_of(&path));
            } else if path.is_dir() && !leads_back(&path) {
                self.copy_folder(&path, overrides, copied)?;
            }
        }
        Ok(())
    }

    /// Writes all other texts, also of files that have no original.
    pub(crate) fn write_overrides(&self, overrides: &Overrides) -> Result<(), Failure> {
        overrides.iter().try_for_each(|(path, text)| self.write(path, text))
    }

    fn write(&self, original: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let copy = self.place_of(original);
        if std::fs::read(&copy).is_ok_and(|present| present == bytes) {
            return Ok(());
        }
        write_file(&copy, bytes)
    }
}

/// The folders that are not in another one of them.
fn outermost(folders: &[PathBuf]) -> impl Iterator<Item = &Path> {
    let distinct: BTreeSet<&Path> = folders.iter().map(PathBuf::as_path).collect();
    let inner = |folder: &Path| folder.ancestors().skip(1).any(|outer| distinct.contains(outer));
    let outer: Vec<_> = distinct.iter().copied().filter(|folder| !inner(folder)).collect();
    outer.into_iter()
}

/// Whether a folder is a link to one that it is in.
fn leads_back(folder: &Path) -> bool {
    folder.is_symlink() && folder.canonicalize().is_ok_and(|real| folder.starts_with(real))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| Failure::io("read", folder, &error);
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(unreadable)).collect()
}

/// Removes all files below a folder that are not among these.
fn remove_others(folder: &Path, keep: &BTreeSet<PathBuf>) -> Result<(), Failure> {
    for path in entries(folder)? {
        if path.is_dir() {
            remove_others(&path, keep)?;
        } else if !keep.contains(&path) {
            std::fs::remove_file(&path).map_err(|error| Failure::io("remove", &path, &error))?;
        }
    }
    Ok(())
}
