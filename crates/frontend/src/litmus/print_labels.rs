//! Labels that no two threads of a printed test share, since herd takes them for the same. x86 tests
//! keep the names that the program gives its labels.

use std::collections::{BTreeMap, BTreeSet};

use super::machine::Arch;
use super::print::legal;

/// Renames the labels of later columns that an earlier one has.
pub(super) fn distinct(columns: &mut [Vec<String>], arch: Arch) {
    match arch {
        Arch::C | Arch::X86 | Arch::X86_64 => return,
        Arch::AArch64 | Arch::Arm | Arch::Ppc | Arch::RiscV => {}
    }
    let mut taken = BTreeSet::new();
    for column in columns {
        let mut names = BTreeMap::new();
        for label in column.iter().filter_map(|cell| labelled(cell).0) {
            names.insert(label.to_owned(), legal(label, "l", &mut taken));
        }
        for cell in column {
            *cell = renamed(cell, &names);
        }
    }
}

/// The label of a cell and what stands after it.
fn labelled(cell: &str) -> (Option<&str>, &str) {
    match cell.split_once(':') {
        Some((label, rest)) if !label.contains(' ') => (Some(label), rest),
        Some(_) | None => (None, cell),
    }
}

fn renamed(cell: &str, names: &BTreeMap<String, String>) -> String {
    let (label, rest) = labelled(cell);
    let start = label.map_or_else(String::new, |label| {
        let name = names.get(label).map_or(label, String::as_str);
        format!("{name}:")
    });
    // The target of a jump is its last operand.
    let at = rest.rfind([' ', ',']).map_or(0, |at| at + 1);
    let (before, last) = rest.split_at(at);
    match names.get(last).filter(|_| !before.trim().is_empty()) {
        Some(name) => format!("{start}{before}{name}"),
        None => format!("{start}{rest}"),
    }
}
