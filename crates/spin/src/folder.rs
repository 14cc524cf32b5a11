//! A private temporary folder that goes away with its owner.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::answer::Failure;

/// The folder.
pub(crate) struct Folder(PathBuf);

static NEXT: AtomicU64 = AtomicU64::new(0);

impl Folder {
    /// A new folder, which only this user can look into where the system knows users.
    pub(crate) fn new() -> Result<Self, Failure> {
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("fencewright-spin-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match create(&path) {
                Ok(()) => return Ok(Self(path)),
                // Left behind by a process that was killed, or somebody else's: not ours.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Failure::Files(error)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(unix)]
fn create(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().create(path)
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is in the system's folder for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
