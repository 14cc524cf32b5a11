//! `fencewright reach`.

mod by_fencewright;
mod by_spin;

use std::sync::Arc;

use analysis::{Criterion, Limit, Query, Reason, Statistics};
use program::{Diagnostics, Program, Quantifier, Sources};
use report::notes::Note;
use report::reach::{Answer, Outcome};

use super::notes::{X86, notes};
use crate::arguments::reach::Reach;
use crate::arguments::search::Engine;
use crate::arguments::{Format, Model};
use crate::commands::doubt::{outcome, undecided, unread};
use crate::input::{self, Loaded, Refused};
use crate::misplaced;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::Unanswered;

pub(crate) fn run(options: &Reach, output: &mut Output) -> Status {
    let problem = match options.engine {
        Engine::Fencewright => None,
        Engine::Spin => options.search.problem_of_spin(),
    };
    if let Some(problem) = problem {
        output.message(&format!("error: {problem}\n"));
        return Status::BadInput;
    }
    let mut first = true;
    let (inputs, format) = (&options.inputs, options.format);
    let deadline = options.search.limits.deadline;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(options));
    input::for_each_within(inputs, deadline, format, output, &unanswered, |loaded, output| {
        if !std::mem::take(&mut first) && options.format == Format::Text {
            output.separate();
        }
        let mut sources = loaded.sources.clone();
        let known = match options.model {
            Model::Sc => Ok(()),
            Model::Tso => misplaced::for_x86(loaded, "`--model tso`"),
        };
        let answer = known
            .and_then(|()| query(options, loaded, &mut sources))
            .and_then(|query| answer(options, loaded, &query, output));
        match answer {
            Ok(answer) => Ok(deliver(options, loaded, &sources, &answer, output)),
            Err(errors) => Err(Refused { errors, sources }),
        }
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(options: &Reach) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    let (format, model, engine) = (options.format, options.model, options.engine);
    move |file, limit| {
        let answer = Answer {
            model: model.into(),
            engine: engine.name(),
            looked_for: Vec::new(),
            outcome: undecided(&Reason::Limit(limit)),
            because: None,
            statistics: Statistics::default(),
        };
        rendered(format, file, (&unread(), &Sources::new()), &answer, &[])
    }
}

/// What is looked for: what was named, or else everything that is wrong in any program.
fn query(options: &Reach, loaded: &Loaded, sources: &mut Sources) -> Result<Query, Diagnostics> {
    let goal = match &options.goal {
        Some(text) => {
            let source = sources.add("--goal", text.as_str());
            Some(frontend::fw::goal(sources, source, &loaded.program)?)
        }
        None => None,
    };
    let all = goal.is_none() && !(options.faults || options.deadlocks || options.final_states);
    Ok(Query {
        faults: all || options.faults,
        deadlocks: (all || options.deadlocks) && !options.no_deadlocks,
        question: (all || options.final_states) && rules_out(loaded).is_some(),
        goal,
    })
}

/// Whether the program says of final states that they must not be.
fn rules_out(loaded: &Loaded) -> Option<&'static str> {
    match loaded.program.question().condition.as_ref()?.0 {
        Quantifier::Never => Some("final state that `never` rules out"),
        Quantifier::Always => Some("final state that `always` rules out"),
        Quantifier::Exists => None,
    }
}

fn looked_for(query: &Query, loaded: &Loaded) -> Vec<&'static str> {
    let question = rules_out(loaded).filter(|_| query.question);
    [
        query.goal.is_some().then_some("goal"),
        query.faults.then_some("error"),
        query.deadlocks.then_some("deadlock"),
        question,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What a search has found.
struct Found {
    outcome: Outcome,
    /// The criterion by which what holds under SC holds under TSO.
    because: Option<Criterion>,
    statistics: Statistics,
}

impl Found {
    const fn new(outcome: Outcome, statistics: Statistics) -> Self {
        Self { outcome, because: None, statistics }
    }
}

fn answer(
    options: &Reach,
    loaded: &Loaded,
    query: &Query,
    output: &mut Output,
) -> Result<Answer, Diagnostics> {
    let (engine, found) = match options.engine {
        Engine::Fencewright => {
            ("fencewright", Ok(by_fencewright::search(options, loaded, query, output)))
        }
        Engine::Spin => ("spin", by_spin::search(options, loaded, query)),
    };
    let Found { outcome, because, statistics } = found?;
    let looked_for = looked_for(query, loaded);
    Ok(Answer { model: options.model.into(), engine, looked_for, outcome, because, statistics })
}

fn deliver(
    options: &Reach,
    loaded: &Loaded,
    sources: &Sources,
    answer: &Answer,
    output: &mut Output,
) -> Status {
    let Loaded { file, program, .. } = loaded;
    let notes = notes(loaded, X86, &options.search.options(), output);
    output.say(&rendered(options.format, file, (program, sources), answer, &notes));
    match answer.outcome {
        Outcome::Holds(_) => Status::Fine,
        Outcome::Violated(_) => Status::Violated,
        Outcome::Undecided { .. } => Status::Undecided,
    }
}

fn rendered(
    format: Format,
    file: &str,
    (program, sources): (&Program, &Sources),
    answer: &Answer,
    notes: &[Note],
) -> Said {
    match format {
        Format::Text => {
            let text = report::reach_text::render(file, program, sources, answer, true);
            Said::Text(text + &report::notes::render(notes, sources))
        }
        Format::Json => Said::Data(report::json::reach(file, program, sources, answer, notes)),
    }
}

/// An answer under SC as one under the model that was asked about.
fn under(model: Model, verdict: analysis::Verdict<analysis::Execution>) -> Outcome {
    outcome(match model {
        Model::Sc => verdict,
        Model::Tso => analysis::known_under_tso(verdict),
    })
}
