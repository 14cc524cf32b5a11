//! Changes of a text as a unified diff, as `patch` takes it.

use similar::TextDiff;

/// The difference between two versions of a file; nothing if there is none.
pub fn unified(file: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(file, file).to_string()
}
