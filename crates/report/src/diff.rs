//! What changed between two texts, line by line, and as `patch` reads it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, DiffTag, group_diff_ops};

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// The lines of a text with their ends. Only a line feed ends a line for `patch`.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Which lines stay, and which others replace them.
pub(crate) fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    // The algorithm is generic in what it compares, and large: it is compiled for numbers of lines alone.
    let mut numbers = BTreeMap::new();
    let old = numbered(old, &mut numbers);
    let new = numbered(new, &mut numbers);
    let mut hook = Compact::new(Replace::new(Capture::new()), &*old, &*new);
    let Ok(()) = myers::diff(&mut hook, &*old, 0..old.len(), &*new, 0..new.len());
    hook.into_inner().into_inner().into_ops()
}

/// Equal lines have equal numbers.
fn numbered<'t>(lines: &[&'t str], numbers: &mut BTreeMap<&'t str, usize>) -> Vec<usize> {
    let mut number = |line: &&'t str| {
        let next = numbers.len();
        *numbers.entry(*line).or_insert(next)
    };
    lines.iter().map(&mut number).collect()
}

/// The changes from `old` to `new` as a unified diff of the file `name`, for `patch -p0`; nothing if
/// nothing changed.
pub fn unified_diff(name: &str, old: &str, new: &str) -> String {
    let (before, after) = (lines(old), lines(new));
    let name = header_name(name);
    let mut diff = String::new();
    for hunk in group_diff_ops(operations(&before, &after), CONTEXT) {
        if diff.is_empty() {
            let _ = write!(diff, "--- {name}\n+++ {name}\n");
        }
        let ends = hunk.first().zip(hunk.last());
        let Some((first, last)) = ends else { continue };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let _ = writeln!(diff, "@@ -{} +{} @@", extent(&old), extent(&new));
        for operation in &hunk {
            if operation.tag() == DiffTag::Equal {
                push(&mut diff, ' ', &before[operation.old_range()]);
            } else {
                push(&mut diff, '-', &before[operation.old_range()]);
                push(&mut diff, '+', &after[operation.new_range()]);
            }
        }
    }
    diff
}

/// Lines in the head of a hunk: the first one and how many, unless it is one. Where there are none, the line before.
fn extent(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn push(diff: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        diff.push(sign);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// A name as it stands in the head of a diff, where it ends with its line, or with a tab.
fn header_name(name: &str) -> String {
    let harmless = name.replace(char::is_control, "_");
    // Without the tab a blank would end it.
    if harmless.contains(' ') { format!("{harmless}\t") } else { harmless }
}
