//! CAV'14, Fig. 1, for real: what the fences of each placement cost a stack and a queue.
//!
//! The harness programs are renditions of our own (`harness/`). Each placement is a text made from the same file:
//! *exact* and *static* by Fencewright's repairs, the others by the policies of the paper. All are compiled with
//! the same compiler and options, and run round by round. What is compared is user time, as in the paper.
//!
//! Equal programs measure differently if they are always run at the same point of a round, or if the length of their
//! name moves their stack (Mytkowicz, Diwan, Hauswirth, Sweeney, *Producing wrong data without doing anything obviously
//! wrong*, ASPLOS 2009). So the order of each round is random, all names are equally long, and the environment of
//! each run has a random length. Runs that follow each other resemble each other, so the interval is not that of
//! single runs: rounds are put together to consecutive batches, the ratio of a batch is that of its sums, and the
//! interval is Student's over the batches (batch means). The *control* is the unfenced program once more: its
//! overhead is 0, and what is measured of it tells how far the rest can be believed.

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

/// The unfenced program once more.
const CONTROL: &str = "control";

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

/// Student's factor for 95 % confidence, for two values and more, up to [`BATCHES`].
const STUDENT: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
/// The most batches that rounds are put together to.
const BATCHES: usize = STUDENT.len() + 1;

/// The mean of at most [`BATCHES`] values, with 95 % confidence.
fn mean(values: &[f64]) -> Mean {
    let count = values.iter().fold(0.0, |count, _| count + 1.0);
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let deviation = (square / (count - 1.0_f64).max(1.0)).sqrt();
    let factor = values.len().checked_sub(2).map_or(f64::INFINITY, |at| STUDENT[at]);
    Mean { mean, half: factor * deviation / count.sqrt() }
}

/// The ratio of times to those of the unfenced program, by batches of rounds.
fn ratio(times: &[f64], unfenced: &[f64]) -> Mean {
    let length = times.len().div_ceil(BATCHES).max(1);
    let batches = times.chunks(length).zip(unfenced.chunks(length));
    let sums = batches.map(|(own, base)| own.iter().sum::<f64>() / base.iter().sum::<f64>());
    mean(&sums.collect::<Vec<_>>())
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
            let is_sc = match version.placement {
                CONTROL => "–",
                "visual-studio" => "no",
                _ => "yes",
            };
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
        "A stack (Treiber) and a queue (Michael and Scott) in C, {THREADS} threads, {} runs of each version, in a random order in each round: user time, compared with the \
        unfenced program. *Control* is the unfenced program once more, so its overhead is noise, as is that of a placement without fences: what they differ from 0 tells how far the other rows can be believed. The intervals are Student's, over {BATCHES} batches of rounds. *Exact* is what `fencewright fence` puts in, *static* what `--method static` does; the others \
        are the policies of the paper. The numbers of fences are those in the text. A fence is the compiler's sequentially consistent one, which gcc makes a locked instruction and not the `mfence` of the paper. The paper shows bars without numbers, for liblfds on an Intel Core i5-3570 and an Exynos 4412; among the approaches that \
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
    let mut all = vec![Version { placement: CONTROL, fences: 0, text: text.to_owned() }];

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

/// For each version the ratio to the unfenced program.
fn ratios(name: &str, versions: &[Version], folder: &Path, scale: &Scale) -> Result<Vec<Mean>> {
    let unfenced = std::fs::read_to_string(folder.join(format!("{name}.c")))?;
    let texts = [&unfenced].into_iter().chain(versions.iter().map(|version| &version.text));
    let mut programs = Vec::new();
    for (number, text) in texts.enumerate() {
        // Names of one length.
        let file = folder.join(format!("{name}-{number:02}.c"));
        std::fs::write(&file, text)?;
        programs.push(compile(&file, scale)?);
    }
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); programs.len()];
    let mut random = fastrand::Rng::with_seed(28);
    let mut order: Vec<usize> = (0..programs.len()).collect();
    for _ in 0..scale.runs {
        random.shuffle(&mut order);
        for at in &order {
            times[*at].push(user_time(&programs[*at], random.usize(0..MOST_PADDING))?);
        }
    }
    let unfenced = times.remove(0);
    Ok(times.iter().map(|own| ratio(own, &unfenced)).collect())
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

/// A page: where the stack begins in it is what the environment changes.
const MOST_PADDING: usize = 4096;

/// The user time of one run, which the program prints, with an environment of some length.
fn user_time(program: &Path, padding: usize) -> Result<f64> {
    let output = Command::new(program).env("PADDING", "x".repeat(padding)).output()?;
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
        // The deviation is the square root of 5/3; Student's factor for three degrees of freedom.
        assert!((half - 3.182 * (5.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
    }

    /// Times that rise and fall slowly, as on a machine with other work: the interval contains the truth.
    #[test]
    fn drift_makes_the_interval_wider() {
        let drift = |at: usize| 1.0 + 0.1 * f64::from(u32::from(at % 40 < 20));
        let own: Vec<f64> = (0..100).map(drift).collect();
        let ratio = ratio(&own, &[1.0; 100]);
        let single = own.iter().map(|time| (time - 1.06).powi(2)).sum::<f64>() / 99.0;
        let narrow = 1.96 * single.sqrt() / 10.0;
        assert!(ratio.half > 2.0 * narrow, "{} against {narrow}", ratio.half);
        assert_eq!(super::ratio(&own, &own), Mean { mean: 1.0, half: 0.0 });
    }
}
