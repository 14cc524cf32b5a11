//! Recordings.
use crate::request::Task;
use crate::{Failure, Recording};
use std::path::Path;
pub(crate) const INDEX: &str = "fencewright-index.jsonl";
pub(crate) fn tasks(
    recording: &Recording,
    _directory: &Path,
    _flags: &[String],
    _again: bool,
    _notes: &mut Vec<String>,
) -> Result<Vec<Task>, Failure> {
    Err(Failure::UnknownKind(recording.folder.clone()))
}
