//! Names of files, and reading them.

use std::path::{Component, Path, PathBuf};

use crate::Failure;

/// The absolute name of a file that is named as seen from `folder`, without `.` and `..`.
///
/// By the letters of the name alone, as compilers do it: the file need not exist, and links are not
/// followed.
pub(crate) fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in folder.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                plain.push(component);
            }
        }
    }
    plain
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
    String::from_utf8(bytes).map_err(|_| Failure::NotText(path.to_owned()))
}

/// Writes a file and the folders that it is in.
pub(crate) fn write_file(path: &Path, text: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    }
    std::fs::write(path, text).map_err(|error| Failure::io("write", path, &error))
}

/// How the names of our temporary folders begin.
const TEMPORARY: &str = "fencewright-";

/// The file in a temporary folder that is locked as long as the folder is used.
const IN_USE: &str = "fencewright.lock";

/// A folder that is removed when it is no longer used.
#[derive(Debug)]
pub struct Temporary {
    folder: tempfile::TempDir,
    _lock: std::fs::File,
}

impl Temporary {
    /// A new folder, which nobody else can look into. Folders of processes that were killed, and so
    /// removed nothing, are removed.
    pub fn new() -> Result<Self, Failure> {
        let all = std::env::temp_dir();
        remove_unused(&all);
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o700));
        }
        builder
            .prefix(TEMPORARY)
            .tempdir_in(&all)
            .and_then(|folder| {
                // Under its name it is never seen unlocked.
                let unnamed = folder.path().join("new");
                let lock = std::fs::File::create(&unnamed)?;
                lock.lock()?;
                std::fs::rename(unnamed, folder.path().join(IN_USE))?;
                Ok(Self { folder, _lock: lock })
            })
            .map_err(|error| Failure::io("create a folder in", &all, &error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes our temporary folders that no process uses.
fn remove_unused(all: &Path) {
    let Ok(entries) = std::fs::read_dir(all) else { return };
    for entry in entries.filter_map(Result::ok) {
        if !entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            continue;
        }
        // A folder without the file is somebody else's, or is just being made.
        let lock = std::fs::File::open(entry.path().join(IN_USE));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            // What belongs to another user stays.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_names_have_no_dots() {
        for (folder, path, expected) in [
            ("/a/b", "c.c", "/a/b/c.c"),
            ("/a/b", "./c.c", "/a/b/c.c"),
            ("/a/b", "../c/./d.c", "/a/c/d.c"),
            ("/a", "/x/../y.c", "/y.c"),
            ("/a", "../../y.c", "/y.c"),
        ] {
            assert_eq!(absolute(Path::new(folder), Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn folders_that_nobody_uses_are_removed() {
        let all = tempfile::tempdir().expect("a folder");
        let make = |name: &str, lock: bool| {
            let folder = all.path().join(name);
            std::fs::create_dir(&folder).expect("a folder");
            let lock = lock.then(|| std::fs::File::create(folder.join(IN_USE)).expect("a file"));
            (folder, lock)
        };
        let (left, _) = make("fencewright-left", true);
        let (used, lock) = make("fencewright-used", true);
        lock.as_ref().expect("a lock").lock().expect("locked");
        let (foreign, _) = make("fencewright-notes", false);
        let (other, _) = make("other", true);
        remove_unused(all.path());
        assert_eq!(
            [left, used, foreign, other].map(|folder| folder.exists()),
            [false, true, true, true]
        );
    }

    #[test]
    fn a_temporary_folder_is_there_as_long_as_it_is_used() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..40 {
                        let folder = Temporary::new().expect("a folder");
                        let path = folder.path().to_owned();
                        let another = Temporary::new().expect("a folder");
                        assert!(path.is_dir() && another.path().is_dir());
                        drop(folder);
                        assert!(!path.exists());
                    }
                });
            }
        });
    }
}
