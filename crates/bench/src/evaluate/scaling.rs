//! ESOP'15, Fig. 16: persistence over the number of processes, of the program and by abstraction.

use std::path::Path;

use workspace::{Check, CheckMethod, Criterion, Depth};

use crate::Scale;
use crate::asked::{opened, options, seconds, timed, verdict};
use crate::data::{Family, Published};
use crate::page::{Column, Section, Table};
use crate::plot::{Lines, lines};

/// That of the paper.
const DEPTH: usize = 2;

/// The families, two processes at a time.
pub(crate) fn section(published: &Published, root: &Path, scale: &Scale) -> Section {
    let columns = vec![
        Column::name("family"),
        Column::name("processes"),
        Column::measured("concrete"),
        Column::measured("s"),
        Column::measured("abstract, k = 2"),
        Column::measured("s"),
    ];
    let mut table = Table { columns, rows: Vec::new() };
    let mut chart = Lines::new("Seconds over the number of processes; dashed: by abstraction");
    for family in published.esop15_fig16.iter().take(scale.rows) {
        let (mut concrete, mut abstracted) = (Vec::new(), Vec::new());
        let mut is_decided = true;
        for processes in (2..=scale.most_threads).step_by(2) {
            let by_abstraction =
                ask(family, processes, CheckMethod::Abstraction(Depth::Fixed(DEPTH)), root, scale);
            let mut cells = vec![family.name.clone(), processes.to_string()];
            // What did not end for few processes does not for more.
            let itself =
                is_decided.then(|| ask(family, processes, CheckMethod::Exact, root, scale));
            match &itself {
                Some((said, time)) => cells.extend([(*said).to_owned(), seconds(*time)]),
                None => cells.extend(["–".to_owned(), "–".to_owned()]),
            }
            is_decided = itself.is_some_and(|(said, _)| said != "undecided");
            cells.extend([by_abstraction.0.to_owned(), seconds(by_abstraction.1)]);
            table.rows.push(cells);
            let at = f64::from(processes);
            if let Some((_, time)) = itself.filter(|_| is_decided) {
                concrete.push((at, time));
            }
            abstracted.push((at, by_abstraction.1));
        }
        chart.push(&family.name, false, concrete);
        chart.push(&family.name, true, abstracted);
    }
    let text = format!(
        "Whether programs are persistent that are, over the number of processes: by exploring the program, and by the paper's abstraction \
        with k = 2; at most {} s each. The paper shows this as plots without numbers; it says that Persist with abstraction is always \
        faster than without, and that Persist without it always scales better than Trencher. Ours is different where the program itself \
        is answered without exploring much: control flow alone often decides.",
        scale.limit.as_secs()
    );
    Section::new("scaling", "ESOP'15, Fig. 16", &text)
        .table(table)
        .picture("scaling.svg", lines(&chart))
}

fn ask(
    family: &Family,
    processes: u32,
    method: CheckMethod,
    root: &Path,
    scale: &Scale,
) -> (&'static str, f64) {
    let asked = timed(scale.again, || {
        let (mut workspace, id) = opened(root, &family.file, &family.set(processes));
        let criteria = vec![Criterion::Persistence];
        let check = Check { criteria, method, options: options(scale.limit), ..Check::default() };
        let answer = workspace.check(id, &check);
        let answer =
            answer.unwrap_or_else(|refused| panic!("{}: {:?}", family.file, refused.errors));
        verdict(&answer.results[0].verdict)
    });
    (asked.answer, asked.seconds)
}
