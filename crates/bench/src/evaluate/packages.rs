//! CAV'14, Fig. 11: packages of Debian, as far as their sources can be had.
//!
//! The packages are no part of this repository. `docs/evaluation/packages.sh` fetches what Debian's archive still has of
//! those in the figure, compiles it with `fencewright cc`, and writes a list: of each package a name, a version, a
//! colon, and what was compiled, as `fencewright batch` takes it. Packages that are not in the list have their published numbers only.

use std::io::{Error, Result};
use std::path::Path;
use std::time::Duration;

use cycles::{Arch, Policy};
use workspace::{Inputs, SourceOptions};

use crate::Scale;
use crate::data::{Figure11, Published};
use crate::page::{Column, Section, Table};
use crate::statically::{Figures, MACHINES, ask};

/// A package that was compiled here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    name: String,
    version: String,
    files: Vec<String>,
    /// Which program of a recorded build.
    program: Option<String>,
}

/// The packages of a list, in the order of the list.
pub(crate) fn listed(path: &Path) -> Result<Vec<Package>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|line| parsed(line).ok_or_else(|| Error::other(format!("{line}: not a package"))))
        .collect()
}

/// `NAME VERSION: FILE… [--program PROGRAM]`
fn parsed(line: &str) -> Option<Package> {
    let (head, compiled) = line.split_once(':')?;
    let (name, version) = head.trim().split_once(' ')?;
    let (files, program) = match compiled.split_once("--program") {
        Some((files, program)) => (files, Some(program.trim().to_owned())),
        None => (compiled, None),
    };
    let files: Vec<String> = files.split_whitespace().map(str::to_owned).collect();
    let has_all = !files.is_empty();
    let (name, version) = (name.to_owned(), version.trim().to_owned());
    has_all.then_some(Package { name, version, files, program })
}

impl Package {
    fn inputs(&self) -> Inputs {
        let source = SourceOptions { program: self.program.clone(), ..SourceOptions::default() };
        Inputs { source, ..Inputs::files(self.files.clone()) }
    }
}

/// What one package takes at most, each time it is asked about.
const LIMIT: Duration = Duration::from_mins(5);

/// The figure, and the same packages on all machines and by all policies.
pub(crate) fn sections(published: &Published, packages: &[Package], scale: &Scale) -> Vec<Section> {
    let mut columns = vec![Column::name("program")];
    columns.extend(["lines", "nodes", "TSO: F", "s", "Power: F", "s"].map(Column::published));
    columns.push(Column::name("version here"));
    let ours = ["lines", "nodes", "x86: F", "left", "s", "Power: F", "left", "s"];
    columns.extend(ours.map(Column::measured));
    let mut table = Table { columns, rows: Vec::new() };
    let mut by_machine = vec![Column::name("program"), Column::name("machine")];
    by_machine.extend(["static: F", "left", "s"].map(Column::measured));
    by_machine.extend(Policy::ALL.map(|policy| Column::measured(policy.name())));
    let mut machines = Table { columns: by_machine, rows: Vec::new() };
    for row in published.cav14_fig11.iter().take(scale.rows) {
        let package = packages.iter().find(|package| package.name == row.name);
        let mut on = MACHINES.map(|machine| (machine, Figures::not_measured()));
        if let Some(package) = package {
            for (machine, figures) in &mut on {
                *figures = ask(&row.name, &package.inputs(), *machine, LIMIT, 0);
                machines.rows.push(figures.row(&row.name, *machine));
            }
        }
        table.rows.push(figure_row(row, package, &on));
    }
    let text = "The packages that Debian's archive or their authors still publish, in versions of today and compiled on this machine \
        (`docs/evaluation/packages.sh`); the paper has those of Debian 7.1. Times are for everything, from recorded compilations to repaired texts that were \
        compiled again. *Left* are pairs of accesses, or groups of them, between which no fence can be put. The nodes show that the two look at different sets of accesses, so their fences cannot be compared: ours has every access that may be \
        shared, once for each kind of thread ([what is done differently](../cycles.md#what-it-does-differently)). A row without a version was not measured. \
        `fencewright batch LIST --arch x86,power` prints the same columns for packages of your own ([how](../cycles.md#many-packages)).";
    let figure = Section::new("debian", "CAV'14, Fig. 11", text).table(table);
    if machines.rows.is_empty() {
        return vec![figure];
    }
    let text = "The same packages on every machine, and what older policies would put in.";
    let every = Section::new("packages", "CAV'14, Fig. 11: every machine and policy", text);
    vec![figure, every.table(machines)]
}

fn figure_row(row: &Figure11, package: Option<&Package>, on: &[(Arch, Figures)]) -> Vec<String> {
    let mut cells = vec![row.name.clone(), row.lines.to_string(), row.nodes.to_string()];
    cells.extend(row.tso.iter().chain(&row.power).cloned());
    cells.push(package.map_or("–".to_owned(), |package| package.version.clone()));
    let find = |wanted: Arch| on.iter().find(|(machine, _)| *machine == wanted).map(|(_, all)| all);
    let of_both = [find(Arch::X86), find(Arch::Power)];
    if let [Some(x86), Some(power)] = of_both {
        cells.extend([&x86.lines, &x86.nodes].map(String::clone));
        for figures in [x86, power] {
            cells.extend([&figures.fences, &figures.left, &figures.seconds].map(String::clone));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_name_a_version_and_files() {
        let package = parsed("ptunnel 0.72: build/ptunnel.o  build/md5.o").expect("a package");
        assert_eq!((&*package.name, &*package.version), ("ptunnel", "0.72"));
        assert_eq!(package.files, ["build/ptunnel.o", "build/md5.o"]);
        assert_eq!(package.inputs().source.program, None);
        let recorded = parsed("ptunnel 0.72: build/recording --program ptunnel");
        let inputs = recorded.expect("a package").inputs();
        assert_eq!(inputs.files, ["build/recording"]);
        assert_eq!(inputs.source.program.as_deref(), Some("ptunnel"));
        for line in ["ptunnel: a.o", "ptunnel 0.72 a.o", "ptunnel 0.72:"] {
            assert_eq!(parsed(line), None, "{line}");
        }
    }
}
