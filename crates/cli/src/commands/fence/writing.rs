//! Where repaired texts go: to files that are not part of the program, or into a diff.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

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
    let names: Vec<&str> = texts.iter().map(|(source, _)| sources.name(*source)).collect();
    let (folder, names) = match below(&names) {
        Some(Below { folder, names }) => (Some(folder), names),
        None => (None, names.into_iter().map(str::to_owned).collect()),
    };
    let one = |(name, (source, new)): (&String, &(SourceId, String))| {
        report::diff::unified_diff(name, sources.text(*source), new)
    };
    let changes: String = names.iter().zip(texts).map(one).collect();
    match folder {
        Some(folder) if !changes.is_empty() => {
            let folder = folder.to_string_lossy();
            let folder = shlex::try_quote(&folder).unwrap_or_default();
            // What stands before the first file of a diff is skipped.
            format!("Apply with: patch -p0 -d {}\n{changes}", report::terminal::line(&folder))
        }
        Some(_) | None => changes,
    }
}

/// Files of a diff as they are called in a folder that they all are in.
struct Below {
    folder: PathBuf,
    names: Vec<String>,
}

/// The folder from which `patch` changes files; nothing if it is the current one. For `patch` takes no name that is
/// absolute or leads out of the folder that it works in.
fn below(names: &[&str]) -> Option<Below> {
    let is_taken = |name: &&str| {
        Path::new(name).components().all(|part| match part {
            Component::Normal(_) | Component::CurDir => true,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
        })
    };
    if names.iter().all(is_taken) {
        return None;
    }
    // The file itself may be a link; its folder is resolved.
    let resolved = |name: &&str| {
        let path = std::path::absolute(name).ok()?;
        Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
    };
    let paths: Vec<PathBuf> = names.iter().map(resolved).collect::<Option<_>>()?;
    let holds_all = |folder: &&Path| paths.iter().all(|path| path.starts_with(folder));
    let folder = paths.first()?.parent()?.ancestors().find(holds_all)?.to_path_buf();
    let name = |path: &PathBuf| Some(path.strip_prefix(&folder).ok()?.to_str()?.to_owned());
    let names = paths.iter().map(name).collect::<Option<_>>()?;
    Some(Below { folder, names })
}
