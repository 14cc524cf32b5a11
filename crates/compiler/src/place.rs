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

/// A new folder that is removed when it is no longer used.
pub(crate) fn temporary_folder() -> Result<tempfile::TempDir, Failure> {
    tempfile::Builder::new()
        .prefix("fencewright-")
        .tempdir()
        .map_err(|error| Failure::io("create a folder in", &std::env::temp_dir(), &error))
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
}
