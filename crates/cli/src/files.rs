//! Files that are written whole or not at all.
//!
//! The new content goes into a file beside the old one, reaches the disk, and then takes its place in
//! one step. So a full disk, a crash or a kill leaves the old content. What is at the end of a symbolic
//! link is replaced and not the link; permissions stay, and so does the owner where that is allowed. A
//! device or a pipe has no content that could be lost, and is written to as it is.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

/// Writes a text to a file.
pub(crate) fn write(path: &Path, text: &str) -> std::result::Result<(), String> {
    replace(path, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let path = &target(path.to_owned())?;
    let old = match std::fs::metadata(path) {
        Ok(old) if !old.is_file() => {
            return OpenOptions::new().write(true).open(path)?.write_all(content);
        }
        Ok(old) => {
            // A file that may not be written to is not replaced either.
            drop(OpenOptions::new().write(true).open(path)?);
            Some(old)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        Some(_) | None => Path::new("."),
    };
    let mut unfinished = beside(folder)?;
    unfinished.write_all(content)?;
    if let Some(old) = &old {
        keep(unfinished.as_file(), old)?;
    }
    unfinished.as_file().sync_all()?;
    unfinished.persist(path).map_err(|error| error.error)?;
    // The new name has to reach the disk as well, where a folder can be asked for that.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Where symbolic links lead, also if there is nothing yet.
fn target(mut path: PathBuf) -> Result<PathBuf> {
    for _ in 0..40 {
        let Ok(next) = std::fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(std::io::Error::other("too many symbolic links"))
}

/// A file that goes away unless it is kept, readable as new files are.
fn beside(folder: &Path) -> Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fencewright-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Less what the user's mask takes away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Gives a file the permissions of another one, and its owner if that is allowed.
fn keep(file: &File, old: &Metadata) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

/// Whether two paths lead to one file, by symbolic or hard links too.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| std::fs::metadata(path).map(|it| (it.dev(), it.ino()));
        identity(one).ok().zip(identity(other).ok()).is_some_and(|(one, other)| one == other)
    }
    #[cfg(not(unix))]
    {
        let whole = |path: &Path| path.canonicalize();
        whole(one).ok().zip(whole(other).ok()).is_some_and(|(one, other)| one == other)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).expect("a file")
    }

    #[test]
    fn new_content_replaces_the_old_and_permissions_stay() {
        let folder = folder();
        let file = folder.path().join("a.fw");
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        write(&file, "new").unwrap();
        assert_eq!(read(&file), "new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 1, "nothing else is left");
    }

    #[test]
    fn a_new_file_can_be_read_as_new_files_are() {
        let folder = folder();
        let [ours, usual] = ["ours", "usual"].map(|name| folder.path().join(name));
        write(&ours, "").unwrap();
        std::fs::write(&usual, "").unwrap();
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&usual));
    }

    #[test]
    fn symbolic_links_stay_and_lead_to_the_new_content() {
        let folder = folder();
        let [file, link, dangling, missing] =
            ["file", "link", "dangling", "missing"].map(|name| folder.path().join(name));
        std::fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        symlink("missing", &dangling).unwrap();
        write(&link, "new").unwrap();
        write(&dangling, "first").unwrap();
        assert_eq!((read(&file).as_str(), read(&missing).as_str()), ("new", "first"));
        assert!([&link, &dangling].iter().all(|link| link.is_symlink()));
    }

    #[test]
    fn what_is_no_file_is_written_to() {
        write(Path::new("/dev/null"), "x").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        assert!(write(Path::new("/dev/full"), "x").is_err());
        assert!(write(&folder().path().join("no/such/folder"), "x").is_err());
    }

    #[test]
    fn links_of_all_kinds_are_the_same_file() {
        let folder = folder();
        let [file, hard, soft, other] =
            ["file", "hard", "soft", "other"].map(|name| folder.path().join(name));
        std::fs::write(&file, "x").unwrap();
        std::fs::write(&other, "x").unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        symlink(&file, &soft).unwrap();
        assert!(is_same(&file, &hard) && is_same(&file, &soft) && is_same(&hard, &soft));
        assert!(!is_same(&file, &other));
        assert!(!is_same(&file, &folder.path().join("none")));
    }
}
