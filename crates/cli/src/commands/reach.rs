//! `fencewright reach`.

use std::sync::Arc;

use program::{Program, Sources};
use workspace::{Limit, Reach as Question, ReachAnswer, Reason};

use crate::arguments::reach::Reach;
use crate::arguments::search::Engine;
use crate::arguments::{NO_BASELINE, ReportFormat};
use crate::engines;
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::{Unanswered, unread};

pub(crate) fn run(options: &Reach, output: &mut Output) -> Status {
    let problem = match options.engine {
        Engine::Fencewright | Engine::Cuda => None,
        Engine::Spin if options.histories.is_some() => {
            Some("Spin does not check histories; leave out `--engine`")
        }
        Engine::Spin => options.search.problem_of_spin(),
    };
    if let Some(problem) = problem {
        return output.refuse(problem);
    }
    let mut question = options.question();
    question.options.searcher =
        match engines::opened(options.engine, &options.clustered, &options.search) {
            Ok(searcher) => searcher,
            Err(problem) => {
                return output.refuse(&problem);
            }
        };
    let no_baseline = (options.baseline.is_some() && options.format != ReportFormat::Sarif)
        .then(|| NO_BASELINE.to_owned());
    if let Some(problem) = no_baseline.or_else(|| options.format.contradiction(&options.inputs)) {
        return output.refuse(&problem);
    }
    let (inputs, format) = (&options.inputs, options.format);
    let limits = &options.search.limits;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(format, &question));
    input::for_each_within(inputs, limits, format.form(), output, &unanswered, |given, output| {
        if !given.is_first && format == ReportFormat::Text {
            output.separate();
        }
        let id = given.id;
        let answer = given.ask(|workspace| workspace.reach(id, &question))?;
        let loaded = given.loaded();
        let about = (&loaded.program, &loaded.sources);
        output.say(rendered(format, &loaded.file, about, &answer));
        Ok(answer.conclusion().into())
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(
    format: ReportFormat,
    question: &Question,
) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    let Question { model, engine, .. } = *question;
    move |file, limit| {
        let answer = ReachAnswer::undecided(model, engine, Reason::Limit(limit));
        rendered(format, file, (&unread(), &Sources::new()), &answer)
    }
}

fn rendered(
    format: ReportFormat,
    file: &str,
    (program, sources): (&Program, &Sources),
    answer: &ReachAnswer,
) -> Said {
    let text = || report::reach_text::render(file, program, sources, answer, true);
    match format {
        ReportFormat::Text => Said::Text(text() + &report::notes::render(&answer.notes, sources)),
        ReportFormat::Html => Said::Page(report::html::reach(file, program, sources, answer)),
        ReportFormat::Sarif => Said::Findings(report::sarif::reach(program, sources, answer)),
        ReportFormat::Github => Said::Data(report::github::reach(file, program, sources, answer)),
        // Where there is nothing to draw, what there is to say is the picture.
        ReportFormat::Svg => Said::Data(
            report::pictures::reach(program, sources, answer)
                .unwrap_or_else(|| report::pictures::told(&text())),
        ),
        ReportFormat::Dot => Said::Data(
            report::pictures::reach_dot(program, sources, answer)
                .unwrap_or_else(|| report::pictures::told_dot(file, &text())),
        ),
        ReportFormat::Json => Said::Data(report::json::reach(file, program, sources, answer)),
    }
}
