//! Finding the IR that a build has written.
//!
//! For every target Cargo says which files it made. The IR lies beside them under the same name,
//! except that programs are put in place without the hash that their IR has in its name; the program
//! with the hash has the same contents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::metadata::{Chosen, TargetAnswer, Workspace};
use crate::clang::CUT_OFF;
use crate::dependencies::Dependencies;
use crate::mirror::Mirror;
use crate::place::{absolute, read_text};
use crate::whole::is_whole;
use crate::{Failure, Language, Module};

/// The modules of a build.
pub(super) struct Collected {
    pub(super) modules: Vec<Module>,
    pub(super) reused: usize,
    pub(super) read: BTreeSet<PathBuf>,
}

/// A message of Cargo about something that it made.
#[derive(Deserialize)]
struct Artifact {
    manifest_path: PathBuf,
    target: TargetAnswer,
    filenames: Vec<PathBuf>,
    fresh: bool,
}

/// Reads the modules of all libraries and of the chosen target, which comes first. `folder` is where
/// Cargo puts what is not for the host.
pub(super) fn collect(
    messages: &str,
    folder: &Path,
    workspace: &Workspace,
    chosen: &Chosen,
    mirror: Option<&Mirror>,
) -> Result<Collected, Failure> {
    let mut collected = Collected { modules: Vec::new(), reused: 0, read: BTreeSet::new() };
    let original = |path: &Path| {
        mirror.and_then(|mirror| mirror.original_of(path)).unwrap_or_else(|| path.to_owned())
    };
    let mut libraries = Vec::new();
    for line in messages.lines() {
        // Messages of other kinds lack the fields of this one.
        let Ok(artifact) = serde_json::from_str::<Artifact>(line) else { continue };
        let manifest = original(&artifact.manifest_path);
        let is_chosen = manifest == chosen.manifest && artifact.target.is(&chosen.target);
        let for_target = artifact.filenames.iter().any(|file| file.starts_with(folder));
        if !for_target || !(is_chosen || artifact.target.is_library()) {
            continue;
        }
        let name = artifact.target.name.replace('-', "_");
        let ir = find_ir(&artifact.filenames, &name).ok_or_else(|| Failure::Nothing {
            of: artifact.target.name.clone(),
            reason: "is there a flag that asks rustc for something else?",
        })?;
        let directory = workspace.compiled_in(&manifest).to_owned();
        if let Ok(rule) = read_text(&ir.with_extension("d")) {
            let files = Dependencies::parse(&rule).files;
            let ran_in = mirror.map_or_else(|| directory.clone(), |m| m.place_of(&directory));
            collected
                .read
                .extend(files.iter().map(|file| original(&absolute(&ran_in, Path::new(file)))));
        }
        let text = read_text(&ir)?;
        if !is_whole(&text) {
            return Err(Failure::Nothing { of: name, reason: CUT_OFF });
        }
        let module = Module {
            name,
            language: Language::Rust { edition: artifact.target.edition() },
            source: Some(original(&artifact.target.src_path)),
            directory,
            text,
        };
        collected.reused += usize::from(artifact.fresh);
        if is_chosen {
            collected.modules.push(module);
        } else {
            libraries.push(module);
        }
    }
    // Cargo tells of them as they are done, which is not the same order every time.
    libraries.sort_by(|one, other| (&one.name, &one.source).cmp(&(&other.name, &other.source)));
    collected.modules.append(&mut libraries);
    Ok(collected)
}

/// The IR beside the files of a target.
fn find_ir(files: &[PathBuf], name: &str) -> Option<PathBuf> {
    let beside = files.iter().find_map(|file| {
        let stem = file.file_stem()?.to_str()?;
        let stem = stem.strip_prefix("lib").unwrap_or(stem);
        let folder = file.parent()?;
        let places = [folder.to_owned(), folder.join("deps")];
        places.into_iter().map(|place| place.join(format!("{stem}.ll"))).find(|ir| ir.is_file())
    });
    beside.or_else(|| files.iter().find_map(|file| find_hashed(file, name)))
}

/// The IR of the newest program with a hash in its name and the contents of a file.
fn find_hashed(file: &Path, name: &str) -> Option<PathBuf> {
    let contents = std::fs::read(file).ok()?;
    let folder = file.parent()?;
    let mut found = Vec::new();
    for place in [folder.join("deps"), folder.to_owned()] {
        let Ok(entries) = std::fs::read_dir(place) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let plain = stem.strip_prefix("lib").unwrap_or(stem);
            let hashed = plain.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
            let ir = path.with_file_name(format!("{plain}.ll"));
            if hashed
                && path.extension() == file.extension()
                && ir.is_file()
                && std::fs::read(&path).is_ok_and(|own| own == contents)
            {
                found.push((ir.metadata().and_then(|about| about.modified()).ok(), ir));
            }
        }
    }
    found.into_iter().max().map(|(_, ir)| ir)
}
