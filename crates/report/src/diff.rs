//! What changed between two texts, as `patch` reads it.

use similar::TextDiff;

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// The changes from `old` to `new` as a unified diff of the file `name`, for `patch -p0`; nothing if
/// nothing changed.
pub fn unified_diff(name: &str, old: &str, new: &str) -> String {
    // Only a line feed ends a line for `patch`.
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    let name = header_name(name);
    diff.unified_diff().context_radius(CONTEXT).header(&name, &name).to_string()
}

/// A name as it stands in the head of a diff, where it ends with its line, or with a tab.
fn header_name(name: &str) -> String {
    let harmless = name.replace(char::is_control, "_");
    // Without the tab a blank would end it.
    if harmless.contains(' ') { format!("{harmless}\t") } else { harmless }
}
