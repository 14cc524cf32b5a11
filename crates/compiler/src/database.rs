//! `compile_commands.json`: how a build compiles each of its files, as `CMake`, Meson, Bear and
//! others write it (Clang's "JSON Compilation Database").

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::arguments::{Arguments, Source, SourceLanguage};
use crate::clang::Unit;
use crate::place::{absolute, read_text};
use crate::{Database, Failure};

/// One compilation, as in the file.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    /// The words of the command.
    arguments: Option<Vec<String>>,
    /// The command as one text for a shell.
    command: Option<String>,
}

/// The compilations of the C sources of a list, or of those that are named.
pub(crate) fn units(
    list: &Database,
    directory: &Path,
    flags: &[String],
    notes: &mut Vec<String>,
) -> Result<Vec<Unit>, Failure> {
    let path = absolute(directory, &list.path);
    let malformed = |reason: String| Failure::Malformed { path: list.path.clone(), reason };
    let entries: Vec<Entry> = serde_json::from_str(&read_text(&path)?)
        .map_err(|error| malformed(format!("not a list of compilations: {error}")))?;
    // A relative folder is not foreseen, but seen; it can only mean the place of the list.
    let base = path.parent().unwrap_or(directory);
    let mut wanted: BTreeMap<PathBuf, bool> =
        list.files.iter().map(|file| (absolute(directory, file), false)).collect();
    let mut units: BTreeMap<PathBuf, Unit> = BTreeMap::new();
    let mut order = Vec::new();
    let (mut others, mut repeated) = (0_usize, 0_usize);
    for entry in entries {
        let folder = absolute(base, &entry.directory);
        let file = absolute(&folder, &entry.file);
        if !wanted.is_empty() {
            let Some(seen) = wanted.get_mut(&file) else { continue };
            *seen = true;
        }
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            (None, Some(command)) => shlex::split(&command)
                .ok_or_else(|| malformed(format!("a quotation is not closed: {command}")))?,
            (None, None) => {
                let file = entry.file.display();
                return Err(malformed(format!("{file} has neither 'arguments' nor 'command'")));
            }
        };
        match unit(&words, &entry.file, folder, flags)? {
            None => others += 1,
            Some(_) if units.contains_key(&file) => repeated += 1,
            Some(unit) => {
                units.insert(file.clone(), unit);
                order.push(file);
            }
        }
    }
    if let Some((file, _)) = wanted.iter().find(|(_, seen)| !**seen) {
        return Err(malformed(format!("it has no compilation of {}", file.display())));
    }
    if others > 0 {
        notes
            .push(format!("{others} files of {} are not C and were left out", list.path.display()));
    }
    if repeated > 0 {
        notes.push(format!(
            "{repeated} more compilations of the same files in {} were left out",
            list.path.display()
        ));
    }
    if units.is_empty() {
        let of = list.path.to_string_lossy().into_owned();
        return Err(Failure::Nothing { of, reason: "it has no compilation of a C source" });
    }
    Ok(order.iter().filter_map(|file| units.remove(file)).collect())
}

/// The compilation of one source; `None` if it is not C.
fn unit(
    words: &[String],
    file: &Path,
    folder: PathBuf,
    flags: &[String],
) -> Result<Option<Unit>, Failure> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let arguments = Arguments::of_command(&words, &folder)?;
    let path = absolute(&folder, file);
    let is_meant = |source: &&Source| absolute(&folder, &source.path) == path;
    // The only source is meant even under another name, as through a link.
    let meant = match arguments.sources.as_slice() {
        [only] => Some(only),
        several => several.iter().find(is_meant),
    };
    let Some(source) = meant.cloned() else { return Ok(None) };
    let mut kept = arguments.kept;
    match source.language {
        SourceLanguage::C => {}
        SourceLanguage::SaidToBeC => kept.extend(["-x", "c"].map(str::to_owned)),
        SourceLanguage::Cpp | SourceLanguage::Other => return Ok(None),
    }
    kept.extend(flags.iter().cloned());
    Ok(Some(Unit {
        name: file.to_string_lossy().into_owned(),
        source: source.path,
        folder,
        flags: kept.into_iter().map(OsString::from).collect(),
        accepted: true,
    }))
}
