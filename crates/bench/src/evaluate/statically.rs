//! CAV'14, Figs. 10 and 11: static fences on each machine, and those of older policies.

use std::path::Path;

use cycles::{Arch, Policy};
use workspace::{Cycles, Inputs, Workspace};

use crate::Scale;
use crate::asked::{seconds, timed};
use crate::data::{Figure10, Published};
use crate::page::{Column, Section, Table};

const MACHINES: [Arch; 5] = [Arch::X86, Arch::Power, Arch::ArmV7, Arch::AArch64, Arch::RiscV];

/// Both figures.
pub(crate) fn sections(published: &Published, root: &Path, scale: &Scale) -> Vec<Section> {
    let mut on_x86 = vec![
        Column::name("program"),
        Column::published("lines"),
        Column::name("ours"),
        Column::measured("lines"),
    ];
    for tool in ["dfence", "memorax", "musketeer", "offence", "pensieve", "remmex", "trencher"] {
        on_x86.push(Column::published(&format!("{tool}: F")));
        on_x86.push(Column::published("s"));
    }
    on_x86.extend(["static: F", "left", "s", "pensieve: F"].map(Column::measured));
    let mut first = Table { columns: on_x86, rows: Vec::new() };
    let mut by_machine = vec![Column::name("program"), Column::name("machine")];
    by_machine.extend(["static: F", "left", "s"].map(Column::measured));
    by_machine.extend(Policy::ALL.map(|policy| Column::measured(policy.name())));
    let mut second = Table { columns: by_machine, rows: Vec::new() };
    for row in published.cav14_fig10.iter().take(scale.programs) {
        for machine in MACHINES {
            let figures = ask(row, machine, root, scale);
            let mut cells = vec![row.name.clone(), machine.name().to_owned()];
            cells.extend([&figures.fences, &figures.left, &figures.seconds].map(String::clone));
            cells.extend(figures.policies.iter().cloned());
            second.rows.push(cells);
            if machine == Arch::X86 {
                first.rows.push(x86_row(row, &figures));
            }
        }
    }
    let text = "Fences on x86 by each tool, and ours by critical cycles, of renditions in C of our own; *left* are pairs of accesses between which no \
        fence fits. Published times are for an Intel Core2 Quad Q9550 at 2.83 GHz; ours include compiling by clang. The first four tools of the paper \
        enforce robustness, `dfence`, `memorax` and `remmex` a property.";
    let figure_10 = Section::new("static", "CAV'14, Fig. 10", text).table(first);
    let text = "The same programs on other machines, and what older policies would put in. `visual-studio` does not make a program SC.";
    let machines =
        Section::new("machines", "CAV'14, Fig. 10: every machine and policy", text).table(second);
    vec![figure_10, machines, figure_11(published, scale)]
}

fn x86_row(row: &Figure10, figures: &Figures) -> Vec<String> {
    let mut cells = vec![
        row.name.clone(),
        row.lines.to_string(),
        format!("`{}`", row.file),
        figures.lines.clone(),
    ];
    let tools = [
        &row.dfence,
        &row.memorax,
        &row.musketeer,
        &row.offence,
        &row.pensieve,
        &row.remmex,
        &row.trencher,
    ];
    cells.extend(tools.iter().flat_map(|tool| tool.iter().cloned()));
    let pensieve = Policy::ALL.iter().position(|policy| *policy == Policy::Pensieve);
    let by_pensieve = pensieve.and_then(|at| figures.policies.get(at)).cloned();
    cells.extend([&figures.fences, &figures.left, &figures.seconds].map(String::clone));
    cells.push(by_pensieve.unwrap_or_default());
    cells
}

/// The figures of one program on one machine, as cells.
#[derive(Default)]
struct Figures {
    lines: String,
    fences: String,
    left: String,
    seconds: String,
    policies: Vec<String>,
}

fn ask(row: &Figure10, machine: Arch, root: &Path, scale: &Scale) -> Figures {
    let files = vec![root.join("corpus").join(&row.file).to_string_lossy().into_owned()];
    let question = Cycles { policies: true, ..Cycles::repaired(machine) };
    let asked = timed(scale.again, || {
        let inputs = Inputs::files(files.clone());
        Workspace::default().cycles_of(&row.file, &files, &inputs, &question)
    });
    let answers = match asked.answer {
        Ok(answers) => answers,
        Err(refused) => {
            let why =
                refused.errors.first().map_or_else(String::new, |error| error.message.clone());
            let policies = Policy::ALL.map(|_| "–".to_owned()).to_vec();
            return Figures { fences: format!("refused: {why}"), policies, ..Figures::default() };
        }
    };
    let Some((_, _, answer)) = answers.first() else { return Figures::default() };
    let (fences, left) = match &answer.repair {
        Some(Ok(repair)) => (repair.fences.len().to_string(), repair.left.len().to_string()),
        Some(Err(_)) | None => ("undecided".to_owned(), "–".to_owned()),
    };
    let by = |policy: Policy| answer.policies.iter().find(|one| one.policy == policy);
    Figures {
        lines: answer.figures.lines.to_string(),
        fences,
        left,
        seconds: seconds(asked.seconds),
        policies: Policy::ALL
            .map(|policy| by(policy).map_or("–".to_owned(), |one| one.fences.to_string()))
            .to_vec(),
    }
}

fn figure_11(published: &Published, scale: &Scale) -> Section {
    let mut columns = vec![Column::name("program")];
    columns.extend(["lines", "nodes", "TSO: F", "s", "Power: F", "s"].map(Column::published));
    let row = |row: &crate::data::Figure11| {
        let numbers = [row.lines, row.nodes].map(|number| number.to_string());
        let mut cells = vec![row.name.clone()];
        cells.extend(numbers);
        cells.extend(row.tso.iter().chain(&row.power).cloned());
        cells
    };
    let rows = published.cav14_fig11.iter().take(scale.rows).map(row).collect();
    let text = "Published only: the packages of Debian 7.1 are not part of this repository. `fencewright batch LIST --arch x86,power` prints the \
        same columns for packages that you have ([how](../cycles.md#many-packages)), and [a benchmark](../bench/2026-11-16-cycles.md) has \
        a newer memcached.";
    Section::new("debian", "CAV'14, Fig. 11", text).table(Table { columns, rows })
}
