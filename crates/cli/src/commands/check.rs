//! `fencewright check`.

use std::sync::Arc;

use program::{Program, Sources};
use workspace::{Check as Question, CheckAnswer, Criterion, Limit, Reason};

use crate::arguments::check::Check;
use crate::arguments::cycles::Machine;
use crate::arguments::search::Engine;
use crate::arguments::{NO_BASELINE, ReportFormat};
use crate::commands::cycles;
use crate::engines;
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::{Unanswered, unread};

pub(crate) fn run(options: &Check, output: &mut Output) -> Status {
    let mut question = options.question();
    if let Some(problem) = contradiction(options, &question.criteria) {
        return output.refuse(&problem);
    }
    if options.cycles.is_static() {
        return cycles::check(options, output);
    }
    question.options.searcher =
        match engines::opened(options.engine, &options.clustered, &options.search) {
            Ok(searcher) => searcher,
            Err(problem) => {
                return output.refuse(&problem);
            }
        };
    let (inputs, form) = (&options.inputs, options.format.form());
    let limits = &options.search.limits;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(options.format, &question));
    input::for_each_within(inputs, limits, form, output, &unanswered, |given, output| {
        if !given.is_first && options.format == ReportFormat::Text {
            output.separate();
        }
        let id = given.id;
        let answer = given.ask(|workspace| workspace.check(id, &question))?;
        let loaded = given.loaded();
        let about = (&loaded.program, &loaded.sources);
        output.say(rendered(options.format, &loaded.file, about, &answer));
        Ok(answer.conclusion().into())
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(
    format: ReportFormat,
    question: &Question,
) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    let (criteria, engine) = (question.criteria.clone(), question.method.engine());
    move |file, limit| {
        let answer = CheckAnswer::undecided(&criteria, engine, &Reason::Limit(limit));
        rendered(format, file, (&unread(), &Sources::new()), &answer)
    }
}

/// Why these options do not go together.
fn contradiction(options: &Check, criteria: &[Criterion]) -> Option<String> {
    if let Some(problem) = options.cycles.contradiction() {
        return Some(problem.to_owned());
    }
    if options.cycles.arch == Machine::All {
        return Some(
            "`--arch all` is for `fence --minimise-existing`; ask about one machine".to_owned(),
        );
    }
    if options.cycles.is_static()
        && let Some(name) = options.search.about_states()
    {
        return Some(format!("`{name}` is for the exact method: critical cycles have no states"));
    }
    if options.cycles.is_static()
        && (!matches!(criteria, [] | [Criterion::Robustness])
            || options.per_attack
            || (options.delays && options.cycles.arch == Machine::X86)
            || options.abstraction.is_some()
            || options.engine != Engine::Fencewright)
    {
        return Some(
            "the static method is about robustness; it has no attacks, no abstraction and no other engine"
                .to_owned(),
        );
    }
    if options.baseline.is_some() && options.format != ReportFormat::Sarif {
        return Some(NO_BASELINE.to_owned());
    }
    if (options.per_attack || options.delays)
        && !criteria.is_empty()
        && !criteria.contains(&Criterion::Robustness)
    {
        return Some("attacks are about robustness; add `--criterion robustness`".to_owned());
    }
    if let Some(problem) = options.format.contradiction(&options.inputs) {
        return Some(problem);
    }
    let is_drawn = match options.format {
        ReportFormat::Text | ReportFormat::Json => false,
        ReportFormat::Html
        | ReportFormat::Svg
        | ReportFormat::Dot
        | ReportFormat::Sarif
        | ReportFormat::Github => true,
    };
    if (options.per_attack || options.delays) && is_drawn {
        let name = if options.per_attack { "--per-attack" } else { "--delays" };
        return Some(format!("`{name}` is a table; use text or JSON"));
    }
    if options.abstraction.is_some() && criteria != [Criterion::Persistence] {
        return Some(
            "the abstraction is for persistence; use `--criterion persistence`".to_owned(),
        );
    }
    match options.engine {
        Engine::Fencewright | Engine::Cuda => None,
        Engine::Spin if options.abstraction.is_some() => {
            Some("abstract programs are searched by Fencewright itself".to_owned())
        }
        Engine::Spin => not_by_spin(options, criteria),
    }
}

/// Why Spin cannot be asked that.
fn not_by_spin(options: &Check, criteria: &[Criterion]) -> Option<String> {
    if let Some(problem) = options.search.problem_of_spin() {
        return Some(problem.to_owned());
    }
    let other = criteria.iter().find(|criterion| match criterion {
        Criterion::Robustness | Criterion::Persistence => false,
        Criterion::Drf | Criterion::Trf | Criterion::States => true,
    })?;
    Some(format!("spin is asked about robustness and persistence only, not about {other}"))
}

fn rendered(
    format: ReportFormat,
    file: &str,
    (program, sources): (&Program, &Sources),
    answer: &CheckAnswer,
) -> Said {
    match format {
        ReportFormat::Text => {
            let text = report::check_text::render(file, program, sources, answer, true);
            Said::Text(text + &report::notes::render(&answer.notes, sources))
        }
        ReportFormat::Json => Said::Data(report::json::check(file, program, sources, answer)),
        ReportFormat::Html => Said::Page(report::html::check(file, program, sources, answer)),
        // Where there is nothing to draw, what there is to say is the picture.
        ReportFormat::Svg => {
            let text = || report::check_text::render(file, program, sources, answer, false);
            let picture = report::pictures::check(program, sources, answer);
            Said::Data(picture.unwrap_or_else(|| report::pictures::told(&text())))
        }
        ReportFormat::Sarif => Said::Findings(report::sarif::check(program, sources, answer)),
        ReportFormat::Github => Said::Data(report::github::check(file, program, sources, answer)),
        ReportFormat::Dot => Said::Data(report::check_dot::render(file, program, sources, answer)),
    }
}
