//! The index of a recording.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::cache::digest;
use crate::place::{absolute, read_text};

/// The name of the index in the folder of a recording.
pub(crate) const INDEX: &str = "fencewright-index.jsonl";

/// One line of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Line {
    /// A C source was compiled.
    Compile(Compile),
    /// Objects were linked.
    Link(Link),
}

/// A C source was compiled. All paths but the source are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compile {
    /// The folder the compiler ran in.
    pub(super) folder: PathBuf,
    /// The source, as the command line named it.
    pub(super) source: PathBuf,
    /// The files that clang read, as it names them.
    pub(super) reads: Vec<String>,
    /// What was in all of them.
    pub(super) contents: Option<String>,
    /// The object; of one that was linked at once and never seen, a name that only the line of its
    /// program has too.
    pub(super) object: String,
    pub(super) object_hash: Option<String>,
    /// The flags that matter.
    pub(super) flags: Vec<String>,
    /// The file with the IR, as seen from the recording.
    pub(super) module: Option<String>,
    /// Why there is no IR.
    pub(super) failure: Option<String>,
}

/// Objects were linked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    pub(super) output: String,
    pub(super) inputs: Vec<LinkInput>,
}

/// Something that was linked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkInput {
    pub(super) path: String,
    pub(super) hash: Option<String>,
    /// What is in it, if it is an archive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) members: Vec<LinkMember>,
}

/// A member of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkMember {
    pub(super) name: String,
    pub(super) hash: Option<String>,
}

/// What is in files that are named as seen from a folder; nothing if one is not there.
pub(super) fn contents(folder: &Path, files: &[String]) -> Option<String> {
    let mut all = String::new();
    for file in files {
        let bytes = std::fs::read(absolute(folder, Path::new(file))).ok()?;
        all += &digest(&bytes);
    }
    Some(digest(all.as_bytes()))
}

/// All lines of a recording.
pub(super) fn read(folder: &Path) -> Result<Vec<Line>, Failure> {
    let path = folder.join(INDEX);
    let text = read_text(&path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(number, line)| {
        serde_json::from_str(line).map_err(|error| Failure::Malformed {
            path: path.clone(),
            reason: format!("line {} is not understood: {error}; record again", number + 1),
        })
    });
    parsed.collect()
}

/// Adds lines to the index of a recording, which begins with them if there is none yet.
pub(super) fn append(folder: &Path, lines: &[Line]) -> Result<(), Failure> {
    let path = folder.join(INDEX);
    let mut text = String::new();
    for line in lines {
        let line = serde_json::to_string(line).map_err(|error| Failure::Unreachable {
            doing: "write",
            path: path.clone(),
            reason: error.to_string(),
        })?;
        text.push_str(&line);
        text.push('\n');
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    let open = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    // The lock is for file systems where an appending write is not whole.
    open.and_then(|mut file| {
        file.lock()?;
        file.write_all(text.as_bytes())
    })
    .map_err(|error| Failure::io("write", &path, &error))
}
