//! Trencher's input language.
use program::{Diagnostics, Program, SourceId, Sources};

/// Loads.
pub fn load(_sources: &Sources, _source: SourceId) -> Result<Program, Diagnostics> {
    Err(vec![])
}
