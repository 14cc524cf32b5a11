//! `fencewright fence`.

pub(crate) mod in_place;
pub(crate) mod writing;

use std::sync::Arc;

use program::{Diagnostic, Sources, Span};
use workspace::fence::Places;
use workspace::{Criterion, Fence as Question, FenceAnswer, Limit, Loaded, Reason, Refused};

use crate::arguments::cycles::Machine;
use crate::arguments::fence::{Algorithm, Cost, Enforced, Fence};
use crate::arguments::{NO_BASELINE, ReportFormat};
use crate::commands::cycles;
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::Unanswered;

pub(crate) fn run(options: &Fence, output: &mut Output) -> Status {
    if let Some(problem) = contradiction(options) {
        return output.refuse(&problem);
    }
    if options.cycles.is_static() {
        return cycles::fence(options, output);
    }
    let question = options.question();
    let (inputs, format) = (&options.inputs, options.format);
    let limits = &options.search.limits;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(options, &question));
    input::for_each_within(inputs, limits, format.form(), output, &unanswered, |given, output| {
        let is_text = options.format == ReportFormat::Text && !options.diff;
        if !given.is_first && is_text {
            output.separate();
        }
        if let Some(path) = &options.write {
            let loaded = given.loaded();
            writing::may_be_written(&loaded.sources, path).map_err(|problem| Refused {
                errors: vec![Diagnostic::new(Span::NONE, problem)],
                sources: loaded.sources.clone(),
            })?;
        }
        let id = given.id;
        if options.list {
            let places = given.ask(|workspace| workspace.places(id, &question))?;
            return Ok(list(options, &question, given.loaded(), places, output));
        }
        if options.compare {
            let mut answers = Vec::new();
            for enforced in COMPARED {
                let question = Question { enforced, ..question.clone() };
                answers.push(given.ask(|workspace| workspace.fence(id, &question))?);
            }
            return Ok(deliver_comparison(options, given.loaded(), &answers, output));
        }
        let answer = given.ask(|workspace| workspace.fence(id, &question))?;
        Ok(deliver(options, given.loaded(), &answer, output))
    })
}

/// What is compared, the cheapest mostly first.
const COMPARED: [workspace::Enforced; 3] = [
    workspace::Enforced::Safety,
    workspace::Enforced::Criterion(Criterion::Persistence),
    workspace::Enforced::Criterion(Criterion::Robustness),
];

/// Tells what several criteria cost.
fn deliver_comparison(
    options: &Fence,
    loaded: &Loaded,
    answers: &[FenceAnswer],
    output: &mut Output,
) -> Status {
    let Loaded { file, sources, .. } = loaded;
    match options.format {
        ReportFormat::Json => {
            for answer in answers {
                output.data(&report::json::fence(file, sources, answer, None));
            }
        }
        ReportFormat::Text
        | ReportFormat::Html
        | ReportFormat::Svg
        | ReportFormat::Dot
        | ReportFormat::Sarif
        | ReportFormat::Github => {
            let notes = answers.first().map_or(&[][..], |answer| &answer.notes);
            let text = report::comparison::render(file, sources, answers);
            output.text(&(text + &report::notes::render(notes, sources)));
        }
    }
    let statuses = answers.iter().map(|answer| Status::from(answer.conclusion()));
    statuses.max().unwrap_or(Status::Fine)
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(
    options: &Fence,
    question: &Question,
) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    let (format, diff, question) = (options.format, options.diff, question.clone());
    move |file, limit| {
        let answer = FenceAnswer::undecided(&question, Reason::Limit(limit));
        let sources = Sources::new();
        match format {
            ReportFormat::Text => {
                let text = report::fence_text::render(file, &sources, &answer, None, true);
                if diff { Said::Message(text) } else { Said::Text(text) }
            }
            ReportFormat::Svg | ReportFormat::Dot => drawn(format, file, &sources, &answer),
            ReportFormat::Json => Said::Data(report::json::fence(file, &sources, &answer, None)),
            ReportFormat::Html => Said::Page(report::html::fence(file, &sources, &answer)),
            ReportFormat::Sarif => Said::Findings(report::sarif::fence(&sources, &answer)),
            ReportFormat::Github => Said::Data(report::github::fence(file, &sources, &answer)),
        }
    }
}

/// Why these options do not go together.
fn contradiction(options: &Fence) -> Option<String> {
    if let Some(problem) = options.cycles.contradiction() {
        return Some(problem.to_owned());
    }
    if let Some(problem) = options.format.contradiction(&options.inputs) {
        return Some(problem);
    }
    if options.baseline.is_some() && options.format != ReportFormat::Sarif {
        return Some(NO_BASELINE.to_owned());
    }
    if options.cycles.is_static() {
        return not_static(options);
    }
    if options.confirm {
        return Some("`--confirm` is for critical cycles; use `--method static`".to_owned());
    }
    let several = options.inputs.may_be_several();
    let is_table = match options.format {
        ReportFormat::Text | ReportFormat::Json => true,
        ReportFormat::Html
        | ReportFormat::Svg
        | ReportFormat::Dot
        | ReportFormat::Sarif
        | ReportFormat::Github => false,
    };
    if options.list && !is_table {
        return Some("`--list` is a table; use text or JSON".to_owned());
    }
    if options.compare && !is_table {
        return Some("`--compare` makes a table; use text or JSON".to_owned());
    }
    if options.compare && options.algorithm == Algorithm::Esop13 {
        return Some("the algorithm of ESOP'13 is about attacks, so about robustness".to_owned());
    }
    if options.criterion == Enforced::Drf {
        return Some(
            "fences cannot repair data races: two threads race under SC already, and a fence changes \
             nothing there\n  use locks or atomic accesses, or ask for `--criterion trf`"
                .to_owned(),
        );
    }
    let is_of_histories =
        matches!(options.criterion, Enforced::Linearizability | Enforced::Operations);
    if options.sequential.is_some() && !is_of_histories {
        return Some(
            "`--sequential` is for `--criterion linearizability` and `--criterion operations`"
                .to_owned(),
        );
    }
    if options.algorithm == Algorithm::Esop13 && options.criterion != Enforced::Robustness {
        return Some("the algorithm of ESOP'13 is about attacks, so about robustness".to_owned());
    }
    if options.abstraction.is_some() && options.criterion != Enforced::Persistence {
        return Some(
            "the abstraction is for persistence; use `--criterion persistence`".to_owned(),
        );
    }
    if options.all && options.algorithm != Algorithm::Optimal {
        return Some("only `--algorithm optimal` finds all sets".to_owned());
    }
    let prices_nothing = !options.with_locked_stores && !options.minimise_existing;
    if options.locked_store_cost.is_some() && prices_nothing {
        return Some("`--locked-store-cost` is for `--with-locked-stores`; add that".to_owned());
    }
    if options.write.is_some() && several {
        return Some("`--write` takes one program; repair them one by one".to_owned());
    }
    None
}

/// Why critical cycles cannot be asked that.
fn not_static(options: &Fence) -> Option<String> {
    let exact = [
        (options.criterion != Enforced::Robustness, "`--criterion`"),
        (options.per_instance, "`--per-instance`"),
        (options.with_locked_stores, "`--with-locked-stores`"),
        (options.all, "`--all`"),
        (options.algorithm != Algorithm::Optimal, "`--algorithm`"),
        (options.abstraction.is_some(), "`--abstract`"),
        (options.list, "`--list`"),
        (options.compare, "`--compare`"),
        (!matches!(options.cost, Cost::Uniform | Cost::Loops), "`--cost` by profile or by lines"),
    ];
    let is_all = options.cycles.arch == Machine::All;
    if is_all && !options.minimise_existing {
        return Some(
            "`--arch all` is for `--minimise-existing`; repair for one machine".to_owned(),
        );
    }
    if let Some(name) = options.search.about_states() {
        return Some(format!("`{name}` is for the exact method: critical cycles have no states"));
    }
    let (_, name) = exact.iter().find(|(is_given, _)| *is_given)?;
    Some(format!(
        "{name} is for the exact method; `--method static` is about robustness on any machine"
    ))
}

/// Tells where something can be changed.
fn list(
    options: &Fence,
    question: &Question,
    loaded: &Loaded,
    places: Result<Places, Reason>,
    output: &mut Output,
) -> Status {
    let Loaded { file, sources, .. } = loaded;
    match places {
        Ok(Places { decisions, costs }) => {
            output.say(match options.format {
                ReportFormat::Text
                | ReportFormat::Html
                | ReportFormat::Svg
                | ReportFormat::Dot
                | ReportFormat::Sarif
                | ReportFormat::Github => {
                    Said::Text(report::fence_text::list(file, sources, &decisions, &costs))
                }
                ReportFormat::Json => {
                    Said::Data(report::json::fence_list(file, sources, &decisions, &costs))
                }
            });
            Status::Fine
        }
        Err(reason) => deliver(options, loaded, &FenceAnswer::undecided(question, reason), output),
    }
}

fn deliver(options: &Fence, loaded: &Loaded, answer: &FenceAnswer, output: &mut Output) -> Status {
    let Loaded { file, sources, .. } = loaded;
    let mut status = answer.conclusion().into();
    let notes_text = report::notes::render(&answer.notes, sources);
    let mut written = Vec::new();
    if let (Some(path), Some(texts)) = (&options.write, &answer.texts) {
        let desk = output.desk();
        let held = desk.hold();
        let files = writing::write(sources, path, texts);
        drop(held);
        match files {
            Ok(paths) => written = paths,
            Err(problem) => {
                status = output.refuse(&problem);
            }
        }
    }
    if options.in_place
        && let Some(texts) = &answer.texts
    {
        let desk = output.desk();
        let held = desk.hold();
        let files = in_place::write(sources, texts, options.force);
        drop(held);
        match files {
            Ok(paths) => written = paths,
            Err(problem) => {
                status = output.refuse(&problem);
            }
        }
    }
    if options.diff {
        let report = report::fence_text::render(file, sources, answer, None, true);
        output.message(&(report + &notes_text));
        if let Some(texts) = &answer.texts {
            output.data(&writing::difference(sources, texts));
        }
        return status;
    }
    match options.format {
        ReportFormat::Text => {
            let said = (!written.is_empty()).then(|| format!("written to {}", written.join(", ")));
            let said = said.as_deref().map(report::terminal::line);
            let text = report::fence_text::render(file, sources, answer, said.as_deref(), true);
            output.text(&(text + &notes_text));
        }
        ReportFormat::Json => {
            let folder = options.write.as_ref().map(|path| path.display().to_string());
            let written = match written.as_slice() {
                [] => None,
                [file] => Some(file.as_str()),
                [_, ..] => folder.as_deref(),
            };
            output.data(&report::json::fence(file, sources, answer, written));
        }
        ReportFormat::Html => output.say(Said::Page(report::html::fence(file, sources, answer))),
        ReportFormat::Svg | ReportFormat::Dot => {
            output.say(drawn(options.format, file, sources, answer));
        }
        ReportFormat::Sarif => output.say(Said::Findings(report::sarif::fence(sources, answer))),
        ReportFormat::Github => output.data(&report::github::fence(file, sources, answer)),
    }
    status
}

/// What each fence prevents, or, where there is nothing to draw, what there is to say.
fn drawn(format: ReportFormat, file: &str, sources: &Sources, answer: &FenceAnswer) -> Said {
    let text = || report::fence_text::render(file, sources, answer, None, false);
    let picture = if format == ReportFormat::Dot {
        let picture = report::pictures::fence_dot(file, sources, answer);
        picture.unwrap_or_else(|| report::pictures::told_dot(file, &text()))
    } else {
        let picture = report::pictures::fence(sources, answer);
        picture.unwrap_or_else(|| report::pictures::told(&text()))
    };
    Said::Data(picture)
}
