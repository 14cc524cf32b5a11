//! CAV'14, Fig. 10: static fences on each machine, and those of older policies.

use std::path::Path;
use std::time::{Duration, Instant};

use cycles::{Arch, Policy};
use workspace::{Cycles, Inputs, Workspace};

use crate::Scale;
use crate::asked::{seconds, timed};
use crate::data::{Figure10, Published};
use crate::page::{Column, Section, Table};

/// The machines of the paper, and of today.
pub(crate) const MACHINES: [Arch; 5] =
    [Arch::X86, Arch::Power, Arch::ArmV7, Arch::AArch64, Arch::RiscV];

/// The figure, and the same programs on all machines and by all policies.
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
            let file = root.join("corpus").join(&row.file).to_string_lossy().into_owned();
            let inputs = Inputs::files([file]);
            let figures = ask(&row.file, &inputs, machine, scale.limit, scale.again);
            second.rows.push(figures.row(&row.name, machine));
            if machine == Arch::X86 {
                first.rows.push(x86_row(row, &figures));
            }
        }
    }
    let text = "Fences on x86 by each tool, and ours by critical cycles, of renditions in C of our own; *left* are pairs of accesses between which no \
        fence fits. Published times are for an Intel Core2 Quad Q9550 at 2.83 GHz; ours include compiling by clang. `musketeer`, `offence`, `pensieve` and `trencher` \
        enforce robustness, `dfence`, `memorax` and `remmex` a property.";
    let figure_10 = Section::new("static", "CAV'14, Fig. 10", text).table(first);
    let text = "The same programs on other machines, and what older policies would put in. `visual-studio` does not make a program SC.";
    let machines =
        Section::new("machines", "CAV'14, Fig. 10: every machine and policy", text).table(second);
    vec![figure_10, machines]
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
pub(crate) struct Figures {
    pub(crate) lines: String,
    pub(crate) nodes: String,
    pub(crate) fences: String,
    pub(crate) left: String,
    pub(crate) seconds: String,
    policies: Vec<String>,
}

impl Figures {
    /// Those of a program that is not there.
    pub(crate) fn not_measured() -> Self {
        Self::without_fences("–".to_owned(), "–".to_owned())
    }

    fn without_fences(why: String, seconds: String) -> Self {
        let none = || "–".to_owned();
        let policies = Policy::ALL.map(|_| none()).to_vec();
        Self { lines: none(), nodes: none(), fences: why, left: none(), seconds, policies }
    }

    /// A row of a table with all machines.
    pub(crate) fn row(&self, name: &str, machine: Arch) -> Vec<String> {
        let mut cells = vec![name.to_owned(), machine.name().to_owned()];
        cells.extend([&self.fences, &self.left, &self.seconds].map(String::clone));
        cells.extend(self.policies.iter().cloned());
        cells
    }
}

/// Fences on a machine, with their time; then what the policies would put in.
pub(crate) fn ask(
    name: &str,
    inputs: &Inputs,
    machine: Arch,
    limit: Duration,
    again: usize,
) -> Figures {
    let ask = |question: Cycles| {
        let question = Cycles { deadline: Some(Instant::now() + limit), ..question };
        Workspace::default().cycles_of(name, &inputs.files, inputs, &question)
    };
    let asked = timed(again, || ask(Cycles::repaired(machine)));
    let spent = seconds(asked.seconds);
    let answers = match asked.answer {
        Ok(answers) => answers,
        Err(refused) => {
            let why =
                refused.errors.first().map_or_else(String::new, |error| error.message.clone());
            return Figures::without_fences(format!("refused: {why}"), spent);
        }
    };
    let Some((_, _, answer)) = answers.first() else { return Figures::not_measured() };
    let (fences, left) = match &answer.repair {
        Some(Ok(repair)) => (repair.fences.len().to_string(), repair.left.len().to_string()),
        Some(Err(_)) | None => ("undecided".to_owned(), "–".to_owned()),
    };
    let compared = ask(Cycles { policies: true, ..Cycles::on(machine) }).unwrap_or_default();
    let policies = compared.first().map_or(&[][..], |(_, _, answer)| &answer.policies);
    let by = |policy: Policy| policies.iter().find(|one| one.policy == policy);
    Figures {
        lines: answer.figures.lines.to_string(),
        nodes: answer.found.events.to_string(),
        fences,
        left,
        seconds: spent,
        policies: Policy::ALL
            .map(|policy| by(policy).map_or("–".to_owned(), |one| one.fences.to_string()))
            .to_vec(),
    }
}
