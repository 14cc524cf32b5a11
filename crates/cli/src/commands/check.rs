//! `fencewright check`.

mod by_abstraction;
mod by_spin;

use std::sync::Arc;

use analysis::robustness::per_attack;
use analysis::{Checked, Criterion, Evidence, Limit, Reason};
use program::{Diagnostic, Diagnostics, Program, Sources, Span};
use report::check::{Answer, Finding};
use report::notes::Note;
use report::outcome::Outcome;

use super::doubt::{outcome, uncounted, undecided, unread};
use super::notes::{X86, error_note, notes};
use super::progress::Progress;
use crate::arguments::check::{Check, WitnessFormat};
use crate::arguments::search::Engine;
use crate::input::{self, Loaded, Refused};
use crate::misplaced;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::Unanswered;

pub(crate) fn run(options: &Check, output: &mut Output) -> Status {
    let criteria = asked(options);
    if let Some(problem) = contradiction(options, &criteria) {
        output.message(&format!("error: {problem}\n"));
        return Status::BadInput;
    }
    let mut first = true;
    let (inputs, format) = (&options.inputs, options.format.of_errors());
    let deadline = options.search.limits.deadline;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(options, &criteria));
    input::for_each_within(inputs, deadline, format, output, &unanswered, |loaded, output| {
        if !std::mem::take(&mut first) && options.format == WitnessFormat::Text {
            output.separate();
        }
        let answer = answer(options, &criteria, loaded, output)
            .map_err(|errors| Refused { errors, sources: loaded.sources.clone() })?;
        let how = options.search.options();
        let mut notes = notes(loaded, X86, &how, output);
        notes.extend(error_note(loaded, &how, output));
        Ok(deliver(options, loaded, &answer, &notes, output))
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(
    options: &Check,
    criteria: &[Criterion],
) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    let (format, criteria, engine) = (options.format, criteria.to_vec(), options.engine.name());
    move |file, limit| {
        let results = criteria.iter().map(|criterion| Finding {
            criterion: *criterion,
            outcome: undecided(&Reason::Limit(limit)),
            implied_by: None,
            remark: None,
            statistics: analysis::Statistics::default(),
        });
        let answer = Answer { engine, results: results.collect(), attacks: None };
        rendered(format, file, (&unread(), &Sources::new()), &answer, &[])
    }
}

/// The criteria that were named, each once.
fn asked(options: &Check) -> Vec<Criterion> {
    let mut criteria: Vec<Criterion> =
        options.criterion.iter().flat_map(|named| named.meant()).copied().collect();
    criteria.sort_unstable();
    criteria.dedup();
    criteria
}

/// Why these options do not go together.
fn contradiction(options: &Check, criteria: &[Criterion]) -> Option<String> {
    if options.per_attack && !criteria.contains(&Criterion::Robustness) {
        return Some("attacks are about robustness; add `--criterion robustness`".to_owned());
    }
    if options.per_attack && options.format == WitnessFormat::Dot {
        return Some("`--per-attack` is a table, and DOT has none; use text or JSON".to_owned());
    }
    if options.abstraction.is_some() && criteria != [Criterion::Persistence] {
        return Some(
            "the abstraction is for persistence; use `--criterion persistence`".to_owned(),
        );
    }
    match options.engine {
        Engine::Fencewright => None,
        Engine::Spin if options.abstraction.is_some() => {
            Some("abstract programs are searched by Fencewright itself".to_owned())
        }
        Engine::Spin => by_spin::contradiction(options, criteria),
    }
}

fn answer(
    options: &Check,
    criteria: &[Criterion],
    loaded: &Loaded,
    output: &mut Output,
) -> Result<Answer, Diagnostics> {
    misplaced::for_x86(loaded, "`check`")?;
    let program = &loaded.program;
    if let Err(parameterised) = program.threads() {
        let results = criteria.iter().map(|criterion| Finding {
            criterion: *criterion,
            outcome: uncounted(&parameterised),
            implied_by: None,
            remark: None,
            statistics: analysis::Statistics::default(),
        });
        return Ok(Answer { engine: "fencewright", results: results.collect(), attacks: None });
    }
    let (engine, results) = match options.engine {
        Engine::Fencewright if let Some(depth) = options.abstraction => {
            ("fencewright", vec![by_abstraction::answer(options, depth, loaded, output)])
        }
        Engine::Fencewright => {
            let checked = search(options, criteria, loaded, output);
            ("fencewright", checked.into_iter().map(|one| finding(program, one)).collect())
        }
        Engine::Spin => ("spin", by_spin::answers(options, criteria, loaded, output)?),
    };
    let attacks = options.per_attack.then(|| {
        per_attack(program, &options.search.options()).expect("a definite number of threads")
    });
    let answer = Answer { engine, results, attacks };
    agree(&answer)?;
    Ok(answer)
}

/// What Fencewright itself says about criteria of a program with a definite number of threads.
fn search(
    options: &Check,
    criteria: &[Criterion],
    loaded: &Loaded,
    output: &mut Output,
) -> Vec<Checked> {
    let mut progress = Progress::new(output);
    let how = options.search.options();
    let checked = analysis::check(&loaded.program, criteria, &how, |now| progress.show(now));
    progress.clear();
    checked.expect("a definite number of threads")
}

fn finding(program: &Program, checked: Checked) -> Finding {
    let outcome = outcome(checked.verdict);
    let Checked { criterion, implied_by, statistics, .. } = checked;
    let is_about_delays = match criterion {
        Criterion::Robustness | Criterion::Trf | Criterion::Persistence => true,
        Criterion::Drf | Criterion::States => false,
    };
    let by_control_flow = is_about_delays
        && matches!(outcome, Outcome::Holds(_))
        && implied_by.is_none()
        && analysis::check::has_pivots(program).is_ok_and(|has_pivots| !has_pivots);
    let remark = by_control_flow
        .then(|| "control flow alone shows it: no store can wait until a load follows".to_owned());
    Finding { criterion, outcome, implied_by, remark, statistics }
}

/// One search for all attacks and one for each must not contradict each other.
fn agree(answer: &Answer) -> Result<(), Diagnostics> {
    let Some(table) = &answer.attacks else { return Ok(()) };
    let mut results = answer.results.iter();
    let robustness = results.find(|finding| finding.criterion == Criterion::Robustness);
    let contradicts = match robustness.map(|finding| &finding.outcome) {
        Some(Outcome::Holds(_)) => !table.feasible.is_empty(),
        Some(Outcome::Violated(_)) => table.feasible.is_empty() && table.reason.is_none(),
        Some(Outcome::Undecided { .. }) | None => false,
    };
    if contradicts { Err(disagreement("The search for one attack")) } else { Ok(()) }
}

/// Two ways to decide something came to different ends.
fn disagreement(who: &str) -> Diagnostics {
    let message = format!("{who} and the search for all attacks disagree");
    vec![
        Diagnostic::new(Span::NONE, message)
            .help("this is a bug in Fencewright, please report it with the program"),
    ]
}

fn deliver(
    options: &Check,
    loaded: &Loaded,
    answer: &Answer,
    notes: &[Note],
    output: &mut Output,
) -> Status {
    let Loaded { file, program, sources, .. } = loaded;
    output.say(&rendered(options.format, file, (program, sources), answer, notes));
    let status = |finding: &Finding| status(&finding.outcome);
    answer.results.iter().map(status).max().unwrap_or(Status::Fine)
}

fn rendered(
    format: WitnessFormat,
    file: &str,
    (program, sources): (&Program, &Sources),
    answer: &Answer,
    notes: &[Note],
) -> Said {
    match format {
        WitnessFormat::Text => {
            let text = report::check_text::render(file, program, sources, answer, true);
            Said::Text(text + &report::notes::render(notes, sources))
        }
        WitnessFormat::Json => {
            Said::Data(report::json::check(file, program, sources, answer, notes))
        }
        WitnessFormat::Dot => Said::Data(report::check_dot::render(file, program, sources, answer)),
    }
}

const fn status(outcome: &Outcome<Evidence>) -> Status {
    match outcome {
        Outcome::Holds(_) => Status::Fine,
        Outcome::Violated(_) => Status::Violated,
        Outcome::Undecided { .. } => Status::Undecided,
    }
}
