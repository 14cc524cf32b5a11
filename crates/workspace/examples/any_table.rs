//! The programs of `corpus/any` for any number of threads, as a table.
//!
//! `cargo run --release -p fencewright-workspace --example any_table`: for each program and criterion, each goal of the
//! manifest and the assertions under both models the answer, how it is known, the smallest instance and the time; and the
//! fewest fences.

use std::path::{Path, PathBuf};
use std::time::Instant;

use semantics::Model;
use workspace::{
    Check, Criterion, Enforced, Fence, FenceOutcome, InMemory, ProgramId, Reach, Remark, Verdict,
    Workspace,
};

const CRITERIA: [Criterion; 4] =
    [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];

/// A line of the table.
struct Row {
    asked: String,
    answer: String,
    how: String,
    instance: String,
    seconds: f64,
}

fn instance(counts: &[(String, u32)]) -> String {
    let named: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    named.join(", ")
}

fn answer<E>(verdict: &Verdict<E>) -> String {
    match verdict {
        Verdict::Holds(_) => "holds".to_owned(),
        Verdict::Violated(_) => "violated".to_owned(),
        Verdict::Undecided(reason) => format!("undecided: {reason}"),
    }
}

fn checked(workspace: &mut Workspace<'_>, id: ProgramId, criterion: Criterion) -> Row {
    let started = Instant::now();
    let question = Check { criteria: vec![criterion], ..Check::default() };
    let found = workspace.check(id, &question).expect("it can be asked");
    let one = &found.results[0];
    let how = match (&one.verdict, one.remark) {
        (Verdict::Holds(_), Some(Remark::AnyNumber { places, transitions, markings })) => {
            format!("net: {places} / {transitions} / {markings}")
        }
        (Verdict::Holds(proof), _) => format!("{:?}", proof.basis()),
        (Verdict::Violated(_), _) => "instance".to_owned(),
        (Verdict::Undecided(_), _) => String::new(),
    };
    Row {
        asked: criterion.name().to_owned(),
        answer: answer(&one.verdict),
        how,
        instance: one.instance.as_ref().map_or_else(String::new, |one| instance(&one.counts)),
        seconds: started.elapsed().as_secs_f64(),
    }
}

fn reached(workspace: &mut Workspace<'_>, id: ProgramId, asked: String, question: &Reach) -> Row {
    let started = Instant::now();
    let found = workspace.reach(id, question).expect("it can be asked");
    let answer = match &found.verdict {
        Verdict::Holds(_) if question.goal.is_some() => "never".to_owned(),
        Verdict::Violated(_) if question.goal.is_some() => "reached".to_owned(),
        verdict @ (Verdict::Holds(_) | Verdict::Violated(_) | Verdict::Undecided(_)) => {
            answer(verdict)
        }
    };
    Row {
        asked,
        answer,
        how: String::new(),
        instance: found.instance.as_ref().map_or_else(String::new, |one| instance(&one.counts)),
        seconds: started.elapsed().as_secs_f64(),
    }
}

fn fenced(workspace: &mut Workspace<'_>, id: ProgramId, enforced: Enforced) -> Row {
    let started = Instant::now();
    let found = workspace.fence(id, &Fence { enforced, ..Fence::default() });
    let found = found.expect("it can be asked");
    let answer = match &found.outcome {
        FenceOutcome::Repaired { is_optimal, .. } => {
            format!("{}{}", found.made().len(), if *is_optimal { "" } else { " (or fewer)" })
        }
        FenceOutcome::Unrepairable { .. } => "none helps".to_owned(),
        FenceOutcome::Undecided { reason, .. } => format!("undecided: {reason}"),
    };
    Row {
        asked: format!("fences for {}", enforced.name()),
        answer,
        how: String::new(),
        instance: String::new(),
        seconds: started.elapsed().as_secs_f64(),
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let corpus: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/any");
    let manifest: toml::Table =
        toml::from_str(&read(&corpus.join("suite.toml"))).expect("a manifest");
    let started = Instant::now();
    println!("| program | asked | answer | how | smallest instance | seconds |");
    println!("|---|---|---|---|---|---|");
    for entry in manifest["program"].as_array().expect("programs") {
        let file = entry["file"].as_str().expect("a file");
        let mut workspace = Workspace::new(InMemory::new());
        let text = read(&corpus.join(file));
        let id = workspace.text(file, &text).unwrap_or_else(|_| panic!("{file} is a program"));
        let mut rows: Vec<Row> =
            CRITERIA.iter().map(|criterion| checked(&mut workspace, id, *criterion)).collect();
        if entry.get("assertions").is_some() {
            for (model, name) in [(Model::Sc, "SC"), (Model::Tso, "TSO")] {
                let question = Reach { deadlocks: false, model, ..Reach::default() };
                let asked = format!("assertions, {name}");
                rows.push(reached(&mut workspace, id, asked, &question));
            }
            rows.push(fenced(&mut workspace, id, Enforced::Safety));
        }
        for (key, model) in [("goals", Model::Sc), ("tso_goals", Model::Tso)] {
            for (goal, _) in entry.get(key).and_then(toml::Value::as_table).into_iter().flatten() {
                let question = Reach {
                    goal: Some(goal.clone()),
                    faults: false,
                    deadlocks: false,
                    final_states: false,
                    model,
                    ..Reach::default()
                };
                let asked = format!("`{goal}`, {}", if model == Model::Sc { "SC" } else { "TSO" });
                rows.push(reached(&mut workspace, id, asked, &question));
            }
        }
        if entry.get("fences").is_some() {
            rows.push(fenced(&mut workspace, id, Enforced::Criterion(Criterion::Robustness)));
        }
        let name = file.trim_end_matches(".fw");
        for Row { asked, answer, how, instance, seconds } in rows {
            println!("| {name} | {asked} | {answer} | {how} | {instance} | {seconds:.3} |");
        }
    }
    println!("\nall in {:.1} s", started.elapsed().as_secs_f64());
}
