//! ESOP'13, Table 2, and ESOP'15, Table 1.

use std::path::Path;

use cycles::Arch;
use workspace::{Algorithm, Criterion, Cycles, Enforced, Fence};

use crate::Scale;
use crate::asked::{fences, opened, options, seconds, timed};
use crate::data::{Esop13, Esop15, Published};
use crate::page::{Column, Section, Table};
use crate::plot::{Bars, bars};

/// Queries and fences by the algorithm of ESOP'13, and the time of the default one.
pub(crate) fn esop13(published: &Published, root: &Path, scale: &Scale) -> Section {
    let names = ["T", "L", "I", "RQ", "NR1", "NR2", "R", "F"];
    let mut columns = vec![Column::name("program"), Column::name("ours")];
    for name in names {
        columns.push(Column::published(name));
        columns.push(Column::measured(name));
    }
    columns.push(Column::published("Spin + Ver, CPU s"));
    columns.push(Column::measured("`esop13`, s"));
    columns.push(Column::measured("default: F"));
    columns.push(Column::measured("default, s"));
    let mut table = Table { columns, rows: Vec::new() };
    let mut chart = Bars::new(
        "Seconds for the cheapest fences, logarithmic",
        ["Trencher, ESOP'13 (published)", "`--algorithm esop13`", "default"],
    );
    for row in published.esop13.iter().take(scale.rows) {
        let (cells, times) = esop13_row(row, root, scale);
        table.rows.push(cells);
        chart.push(&row.name, times);
    }
    let text = "The columns are those of the paper: threads, labels, instructions, reachability queries, those refuted by control \
        flow (NR1) and by a search (NR2), feasible attacks (R), fences (F). `--algorithm esop13` asks as the paper does, with fences for \
        each thread by itself. The programs are our own texts, so labels, instructions and queries need not be the same, and where T differs ours has fewer threads; fences should be the same. \
        Published times are CPU seconds on an Intel Core i5 M 560 at 2.67 GHz, mostly for compiling what Spin generates.";
    Section::new("esop13", "ESOP'13, Table 2", text)
        .table(table)
        .picture("esop13.svg", bars(&chart))
}

fn esop13_row(row: &Esop13, root: &Path, scale: &Scale) -> (Vec<String>, Vec<Option<f64>>) {
    let ask = |algorithm: Algorithm| {
        timed(scale.again, || {
            let (mut workspace, id) = opened(root, &row.file, &row.set);
            let fence = Fence {
                algorithm,
                per_instance: true,
                options: options(scale.limit),
                ..Fence::default()
            };
            workspace
                .fence(id, &fence)
                .unwrap_or_else(|refused| panic!("{}: {:?}", row.file, refused.errors))
        })
    };
    let (as_paper, by_default) = (ask(Algorithm::Esop13), ask(Algorithm::Optimal));
    let (workspace, id) = opened(root, &row.file, &row.set);
    let program = &workspace.program(id).program;
    let threads = program.threads().expect("a definite number of threads");
    let templates = || threads.iter().map(|thread| &program.templates()[thread.template]);
    let queries = as_paper.answer.queries.unwrap_or_default();
    let measured = [
        threads.len(),
        templates().map(|template| template.labels().len()).sum(),
        templates().map(|template| template.edges().len()).sum(),
        queries.all,
        queries.refuted_by_control_flow,
        queries.refuted_by_search,
        queries.feasible,
    ]
    .map(|number| number.to_string());
    let mut cells = vec![row.name.clone(), format!("`{}`", row.file)];
    let measured = measured.into_iter().chain([fences(&as_paper.answer)]);
    for (published, ours) in row.columns.iter().zip(measured) {
        cells.push(published.clone());
        cells.push(ours);
    }
    let [spin, verifying, _] = &row.times;
    let cpu = [spin, verifying].map(|time| time.parse::<f64>().unwrap_or(f64::NAN)).iter().sum();
    cells.push(format!("{cpu:.1}"));
    cells.push(seconds(as_paper.seconds));
    cells.push(fences(&by_default.answer));
    cells.push(seconds(by_default.seconds));
    (cells, vec![Some(cpu), Some(as_paper.seconds), Some(by_default.seconds)])
}

/// Fences and times for persistence, for robustness, and statically.
pub(crate) fn esop15(published: &Published, root: &Path, scale: &Scale) -> Section {
    let mut columns =
        vec![Column::name("program"), Column::name("processes"), Column::name("ours")];
    for tool in ["Persist", "Trencher", "Musketeer", "Memorax", "Remmex"] {
        columns.push(Column::published(&format!("{tool}: F")));
        columns.push(Column::published("s"));
    }
    for criterion in ["persistence", "robustness", "static"] {
        columns.push(Column::measured(&format!("{criterion}: F")));
        columns.push(Column::measured("s"));
    }
    let mut table = Table { columns, rows: Vec::new() };
    let mut chart = Bars::new(
        "Seconds for the fences of persistence and robustness, logarithmic",
        ["Persist (published)", "persistence", "robustness"],
    );
    let (mut same, mut known) = (0, 0);
    for row in published.esop15.iter().take(scale.rows) {
        let (cells, times, agrees) = esop15_row(row, root, scale);
        known += 1;
        same += usize::from(agrees);
        table.rows.push(cells);
        chart.push(&format!("{} {}", row.name, row.processes), times);
    }
    let text = format!(
        "Fences for each process by itself, as in the paper. • is no answer, TO more than 2400 s, OM out of memory, on an Intel \
        Core2 at 2.4 GHz with 4 GB. Ours: at most {} s for each question. Of {known} rows our fences for persistence are as many as \
        Persist's in {same}; where not, our program is another one of the same name (`corpus/README.md` says which are reconstructions from a name): their Pgsql is one waiter with two fences and five wakers with one each, ours is a chain of five workers and a client; the owner of their LIFO and Anchor queues stores the parts of the anchor one after the other, in ours it is one word, as its inventors have it. On the inputs that come with Persist, Fencewright finds 7, 1 and 1 fences as they do, for persistence and for robustness. Some of ours have fewer threads than theirs. *Static* places one fence for all copies of a text, as `--method static` does.",
        scale.limit.as_secs()
    );
    Section::new("esop15", "ESOP'15, Table 1", &text)
        .table(table)
        .picture("esop15.svg", bars(&chart))
}

fn esop15_row(row: &Esop15, root: &Path, scale: &Scale) -> (Vec<String>, Vec<Option<f64>>, bool) {
    let ask = |criterion: Criterion| {
        timed(scale.again, || {
            let (mut workspace, id) = opened(root, &row.file, &row.set);
            let fence = Fence {
                enforced: Enforced::Criterion(criterion),
                per_instance: true,
                options: options(scale.limit),
                ..Fence::default()
            };
            workspace
                .fence(id, &fence)
                .unwrap_or_else(|refused| panic!("{}: {:?}", row.file, refused.errors))
        })
    };
    let persistence = ask(Criterion::Persistence);
    let robustness = ask(Criterion::Robustness);
    let statically = timed(scale.again, || {
        let (mut workspace, id) = opened(root, &row.file, &row.set);
        let answer = workspace.cycles(id, &Cycles::repaired(Arch::X86));
        match answer.map(|answer| answer.repair) {
            Ok(Some(Ok(repair))) => repair.fences.len().to_string(),
            Ok(Some(Err(_)) | None) => "undecided".to_owned(),
            Err(_) => "refused".to_owned(),
        }
    });
    let mut cells = vec![row.name.clone(), row.processes.to_string(), format!("`{}`", row.file)];
    for tool in [&row.persist, &row.trencher, &row.musketeer, &row.memorax, &row.remmex] {
        cells.extend(tool.iter().cloned());
    }
    let agrees = fences(&persistence.answer) == row.persist[0];
    for asked in [&persistence, &robustness] {
        cells.push(fences(&asked.answer));
        cells.push(seconds(asked.seconds));
    }
    cells.push(statically.answer);
    cells.push(seconds(statically.seconds));
    let times =
        vec![row.persist[1].parse().ok(), Some(persistence.seconds), Some(robustness.seconds)];
    (cells, times, agrees)
}
