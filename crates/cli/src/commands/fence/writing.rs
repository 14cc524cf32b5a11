//! Where repaired texts go: to files that are not part of the program, or into a diff.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use program::{SourceId, Sources};

use crate::files;

/// Writes the changed texts, one to a file or any number into a folder, and says where to.
pub(crate) fn write(
    sources: &Sources,
    path: &Path,
    texts: &[(SourceId, String)],
) -> Result<Vec<String>, String> {
    let into_folder = |(source, text)| {
        let name = Path::new(sources.name(source)).file_name().unwrap_or_default();
        (path.join(name), text)
    };
    let given = || texts.iter().map(|(source, text)| (*source, text.as_str()));
    let written: Vec<(PathBuf, &str)> = match texts {
        _ if path.is_dir() => given().map(into_folder).collect(),
        // Nothing had to be changed.
        [] => vec![(path.to_owned(), sources.text(program::index::Idx::new(0)))],
        [(_, text)] => vec![(path.to_owned(), text)],
        [_, _, ..] => {
            return Err(format!(
                "{} files are changed: give `--write` a folder, or use `--diff`",
                texts.len()
            ));
        }
    };
    let mut named = BTreeSet::new();
    for (file, _) in &written {
        may_be_overwritten(sources, file)?;
        if !named.insert(file) {
            return Err(format!(
                "`--write` would write two files to {}: use `--diff | patch -p0`",
                file.display()
            ));
        }
    }
    for (file, text) in &written {
        files::write(file, text)?;
    }
    Ok(written.iter().map(|(file, _)| file.display().to_string()).collect())
}

/// An error, before anything is searched, if repaired texts at this path would replace those of the
/// program: the path is one of them, or a folder in which one of them has the name it would get there.
pub(crate) fn may_be_written(sources: &Sources, path: &Path) -> Result<(), String> {
    if !path.is_dir() {
        return may_be_overwritten(sources, path);
    }
    sources.names().try_for_each(|name| match Path::new(name).file_name() {
        Some(name) => may_be_overwritten(sources, &path.join(name)),
        None => Ok(()),
    })
}

/// An error if a file is one that the program was read from, whatever it is called.
fn may_be_overwritten(sources: &Sources, file: &Path) -> Result<(), String> {
    let is_read = sources.names().any(|name| files::is_same(Path::new(name), file));
    if is_read {
        return Err(format!(
            "`--write` would overwrite {}, which is part of the program: name another place, or use \
             `--diff | patch -p0`",
            file.display()
        ));
    }
    Ok(())
}

/// What changed, for `patch`.
pub(crate) fn difference(sources: &Sources, texts: &[(SourceId, String)]) -> String {
    let one = |(source, new): &(SourceId, String)| {
        let old = sources.text(*source);
        report::diff::unified_diff(sources.name(*source), old, new)
    };
    texts.iter().map(one).collect()
}
