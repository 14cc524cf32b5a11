//! CAV'14, Fig. 1, for real: what the fences of each placement cost a stack and a queue.
//!
//! The harness programs are renditions of our own (`harness/`). Each placement is a text made from the same file:
//! *exact* and *static* by Fencewright's repairs, the others by the policies of the paper. All are compiled with
//! the same compiler and options, and run in turn, round by round, so that what else the machine does hits all of them
//! alike. Compared is user time, as in the paper, of a run against the run of the unfenced program in the
//! same round; the interval is the mean of these ratios with 95 % confidence (normal approximation).

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cycles::{Arch, Policy};
use workspace::{Cycles, Fence, Inputs, Workspace};

use crate::Scale;
use crate::asked::options;
use crate::page::{Column, Section, Table};
use crate::plot::{Intervals, intervals};

const PROGRAMS: [(&str, &str); 2] =
    [("stack", include_str!("harness/stack.c")), ("queue", include_str!("harness/queue.c"))];
/// As in the paper.
const THREADS: u32 = 4;

/// A text of a program with the fences of a placement.
struct Version {
    placement: &'static str,
    fences: usize,
    text: String,
}

/// A mean of ratios, and half the width of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) mean: f64,
    pub(crate) half: f64,
}

/// The mean with 95 % confidence.
fn mean(values: &[f64]) -> Mean {
    let count = values.iter().fold(0.0, |count, _| count + 1.0);
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let deviation = (square / (count - 1.0_f64).max(1.0)).sqrt();
    Mean { mean, half: 1.96 * deviation / count.sqrt() }
}

/// Measures both programs.
pub(crate) fn section(scale: &Scale) -> Result<Section> {
    let mut columns = vec![Column::name("program"), Column::name("placement")];
    columns.extend(["fences", "overhead", "95 % interval"].map(Column::measured));
    columns.push(Column::name("makes it SC"));
    let mut table = Table { columns, rows: Vec::new() };
    let mut chart =
        Intervals::new("User time more than the unfenced program, per cent, with 95 % intervals");
    let folder = tempfile::tempdir()?;
    for (name, text) in PROGRAMS {
        let versions = versions(name, text, folder.path(), scale.limit)?;
        let ratios = ratios(name, &versions, folder.path(), scale)?;
        for (version, ratio) in versions.iter().zip(&ratios) {
            let percent = |ratio: f64| format!("{:+.1} %", (ratio - 1.0) * 100.0);
            let interval = format!(
                "{} to {}",
                percent(ratio.mean - ratio.half),
                percent(ratio.mean + ratio.half)
            );
            let is_sc = if version.placement == "visual-studio" { "no" } else { "yes" };
            let cells = [
                name,
                version.placement,
                &version.fences.to_string(),
                &percent(ratio.mean),
                &interval,
                is_sc,
            ];
            table.rows.push(cells.map(str::to_owned).to_vec());
            chart.push(&format!("{name}: {}", version.placement), *ratio);
        }
    }
    let text = format!(
        "A stack (Treiber) and a queue (Michael and Scott) in C, {THREADS} threads, {} runs of each version in turn: user time of a run, compared with the \
        unfenced program in the same round. *Exact* is what `fencewright fence` puts in, *static* what `--method static` does; the others \
        are the policies of the paper. The numbers of fences are those in the text. Where a placement has no fences, the text is the unfenced one, so its overhead is noise: differences of that size mean nothing, and the intervals, which know nothing of drift within a round or of other work on the machine, are too narrow where they exclude 0 for such a row. A fence is the compiler's sequentially consistent one, which gcc makes a locked instruction and not the `mfence` of the paper. The paper shows bars without numbers, for liblfds on an Intel Core i5-3570 and an Exynos 4412; among the approaches that \
        guarantee SC it found critical cycles to be the cheapest (published).",
        scale.runs
    );
    Ok(Section::new("overhead", "CAV'14, Fig. 1: what fences cost", &text)
        .table(table)
        .picture("overhead.svg", intervals(&chart)))
}

fn versions(name: &str, text: &str, folder: &Path, limit: Duration) -> Result<Vec<Version>> {
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, text)?;
    let files = vec![path.to_string_lossy().into_owned()];
    let inputs = Inputs::files(files.clone());
    let refused = |what: &str| Error::other(format!("{name}: {what} is refused"));
    let mut all = Vec::new();

    let mut workspace = Workspace::default();
    let opened = workspace.open(&inputs).into_iter().next();
    let Some(Ok(id)) = opened else { return Err(refused("the harness")) };
    let exact = workspace.fence(id, &Fence { options: options(limit), ..Fence::default() });
    let exact = exact.map_err(|_| refused("`fence`"))?;
    let texts = exact.texts.as_ref().and_then(|texts| texts.first());
    let repaired = texts.map_or(text, |(_, text)| text);
    all.push(Version { placement: "exact", fences: exact.made().len(), text: repaired.to_owned() });

    let placed = |placed_by: Option<Policy>| {
        let question = Cycles { placed_by, policies: true, ..Cycles::repaired(Arch::X86) };
        let answers = Workspace::default().cycles_of(name, &files, &inputs, &question);
        let (_, _, answer) = answers.ok()?.into_iter().next()?;
        let fences = match placed_by {
            Some(policy) => answer.policies.iter().find(|one| one.policy == policy)?.fences,
            None => answer.repair.as_ref()?.as_ref().ok()?.fences.len(),
        };
        let changed = answer.texts?.into_iter().next();
        Some((fences, changed.map_or(text.to_owned(), |(_, text)| text)))
    };
    let policies = [Policy::Pensieve, Policy::VisualStudio, Policy::EveryAccess, Policy::Heap];
    let ways =
        [("static", None)].into_iter().chain(policies.map(|policy| (policy.name(), Some(policy))));
    for (placement, policy) in ways {
        let (fences, text) = placed(policy).ok_or_else(|| refused(placement))?;
        all.push(Version { placement, fences, text });
    }
    Ok(all)
}

/// For each version the ratio to the unfenced program, the first file that was written.
fn ratios(name: &str, versions: &[Version], folder: &Path, scale: &Scale) -> Result<Vec<Mean>> {
    let unfenced = compile(&folder.join(format!("{name}.c")), scale)?;
    let mut programs = Vec::new();
    for version in versions {
        let file = folder.join(format!("{name}-{}.c", version.placement));
        std::fs::write(&file, &version.text)?;
        programs.push(compile(&file, scale)?);
    }
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); versions.len()];
    for _ in 0..scale.runs {
        let base = user_time(&unfenced)?;
        for (program, ratios) in programs.iter().zip(&mut all) {
            ratios.push(user_time(program)? / base);
        }
    }
    Ok(all.iter().map(|ratios| mean(ratios)).collect())
}

fn compile(file: &Path, scale: &Scale) -> Result<PathBuf> {
    let program = file.with_extension("");
    let mut command = Command::new("cc");
    command.args(["-O2", "-std=gnu11", "-pthread", "-DMEASURED"]);
    command.arg(format!("-DTHREADS={THREADS}")).arg(format!("-DOPERATIONS={}", scale.operations));
    let output = command.arg(file).arg("-o").arg(&program).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::other(format!("{}: {said}", file.display())));
    }
    Ok(program)
}

/// The user time of one run, which the program prints.
fn user_time(program: &Path) -> Result<f64> {
    let output = Command::new(program).output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    // The system counts in steps; a run that is shorter than one is as good as none.
    let time = printed.trim().parse::<f64>().ok().map(|time| time.max(1e-3));
    time.filter(|_| output.status.success())
        .ok_or_else(|| Error::other(format!("{}: no user time in {printed:?}", program.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_textbook() {
        let Mean { mean, half } = mean(&[1.0, 2.0, 3.0, 4.0]);
        assert!((mean - 2.5).abs() < 1e-12);
        // The deviation is the square root of 5/3.
        assert!((half - 1.96 * (5.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
    }
}
