//! How much a cache holds, and making room in it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Cache;
use crate::Failure;

/// Where target folders of packages are, below the folder of a cache.
pub(crate) const PACKAGES: &str = "cargo";

/// What a cache holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The folder.
    pub folder: PathBuf,
    /// The bytes of compiled files.
    pub files: u64,
    /// The bytes of target folders of packages.
    pub packages: u64,
    /// How large each of the two may become; a target folder that is used stays whole.
    pub limit: u64,
}

impl Cache {
    /// What it holds; nothing if there is no cache.
    pub fn usage(&self) -> Option<Usage> {
        let Self::In { folder, bytes } = self else { return None };
        let packages = size(&folder.join(PACKAGES));
        let files = size(folder).saturating_sub(packages);
        Some(Usage { folder: folder.clone(), files, packages, limit: *bytes })
    }

    /// Removes all that it holds, but for what a process is using.
    pub fn clear(&self) -> Result<(), Failure> {
        let Self::In { folder, .. } = self else { return Ok(()) };
        for (path, _, is_file) in entries(folder) {
            if is_file {
                remove(&path, std::fs::remove_file(&path))?;
            }
        }
        for (path, _, is_file) in entries(&folder.join(PACKAGES)) {
            if !is_file && is_free(&path) {
                remove(&path, std::fs::remove_dir_all(&path))?;
            }
        }
        Ok(())
    }
}

fn remove(path: &Path, done: std::io::Result<()>) -> Result<(), Failure> {
    match done {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io("remove", path, &error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Whether nobody holds the lock of a folder.
pub(crate) fn is_free(folder: &Path) -> bool {
    std::fs::File::open(folder.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok())
}

/// What is in a folder, with the time of the last writing, and whether it is a file.
pub(crate) fn entries(folder: &Path) -> Vec<(PathBuf, SystemTime, bool)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let about = entry.metadata().ok()?;
        Some((entry.path(), about.modified().ok()?, about.is_file()))
    });
    entries.collect()
}

/// The bytes of all files below a folder.
pub(crate) fn size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let sizes = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let about = entry.metadata().ok()?;
        Some(if about.is_dir() { size(&entry.path()) } else { about.len() })
    });
    sizes.sum()
}

/// Removes entries, those written first first, until the files in a folder are small enough.
pub(super) fn remove_oldest(folder: &Path, bytes: u64) {
    let files = entries(folder).into_iter().filter(|(_, _, is_file)| *is_file);
    let mut files: Vec<(SystemTime, u64, PathBuf)> = files
        .filter_map(|(path, written, _)| Some((written, path.metadata().ok()?.len(), path)))
        .collect();
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    files.sort();
    for (_, length, path) in files {
        if total <= bytes {
            return;
        }
        if std::fs::remove_file(path).is_ok() {
            total -= length;
        }
    }
}
