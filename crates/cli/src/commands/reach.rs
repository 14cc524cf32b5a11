//! `fencewright reach`.

mod by_fencewright;
mod by_spin;
mod progress;

use analysis::{Query, Reason, Statistics};
use program::{Diagnostics, Quantifier, Sources, Span};
use report::reach::{Answer, Outcome};

use crate::arguments::Format;
use crate::arguments::reach::{Engine, Reach};
use crate::input::{self, Loaded};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Reach, output: &mut Output) -> Status {
    if options.engine == Engine::Spin && options.max_states.is_some() {
        output.message("error: spin has no limit on states; use `--max-memory` or `--timeout`\n");
        return Status::BadInput;
    }
    let mut first = true;
    input::for_each(&options.inputs, options.format, output, |loaded, output| {
        if !std::mem::take(&mut first) && options.format == Format::Text {
            output.result("\n");
        }
        let mut sources = loaded.sources.clone();
        let answer = query(options, loaded, &mut sources)
            .and_then(|query| answer(options, loaded, &query, output));
        match answer {
            Ok(answer) => deliver(options, loaded, &sources, &answer, output),
            Err(errors) => {
                input::report(&loaded.file, &errors, &sources, options.format, output);
                Status::BadInput
            }
        }
    })
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
    let (outcome, statistics) = found?;
    let looked_for = looked_for(query, loaded);
    Ok(Answer { model: options.model.into(), engine, looked_for, outcome, statistics })
}

/// A program whose threads have to be counted first.
fn uncounted(parameterised: &program::Parameterised) -> (Outcome, Statistics) {
    let outcome = Outcome::Undecided {
        reason: parameterised.to_string(),
        at: Span::NONE,
        advice: Some(format!("for example `--count {}=2`", parameterised.name)),
    };
    (outcome, Statistics::default())
}

/// Why the answer is not known, and what can be done about it.
fn undecided(reason: &Reason) -> Outcome {
    use analysis::Limit;
    let (at, advice) = match reason {
        Reason::Limit(Limit::Memory) => (Span::NONE, Some("`--max-memory` raises it")),
        Reason::Limit(Limit::Time) => (Span::NONE, Some("`--timeout` raises it")),
        Reason::Limit(Limit::States) => (Span::NONE, Some("`--max-states` raises it")),
        Reason::Limit(Limit::Cancelled) | Reason::OnlyUnderSc | Reason::NotImplied => {
            (Span::NONE, None)
        },
        Reason::Overflow { at } => {
            (*at, Some("declare a range: `shared x: 0..=9`, or a type that wraps: `shared x: u8`"))
        }
        Reason::TooManyChoices { at, .. } => (*at, Some("choose from a smaller range")),
        Reason::TooWide { .. } => {
            (Span::NONE, Some("fewer threads or smaller arrays make smaller states"))
        }
    };
    Outcome::Undecided { reason: reason.to_string(), at, advice: advice.map(str::to_owned) }
}

fn deliver(
    options: &Reach,
    loaded: &Loaded,
    sources: &Sources,
    answer: &Answer,
    output: &mut Output,
) -> Status {
    let Loaded { file, program, .. } = loaded;
    output.result(&match options.format {
        Format::Text => report::reach_text::render(file, program, sources, answer, true),
        Format::Json => report::json::reach(file, program, sources, answer),
    });
    match answer.outcome {
        Outcome::Holds => Status::Fine,
        Outcome::Violated(_) => Status::Violated,
        Outcome::Undecided { .. } => Status::Undecided,
    }
}

/// An answer under SC as one under the model that was asked about.
fn under(
    model: crate::arguments::Model,
    verdict: analysis::Verdict<analysis::Execution>,
) -> Outcome {
    let verdict = match model {
        crate::arguments::Model::Sc => verdict,
        crate::arguments::Model::Tso => analysis::known_under_tso(verdict),
    };
    match verdict {
        analysis::Verdict::Holds => Outcome::Holds,
        analysis::Verdict::Violated(execution) => Outcome::Violated(execution),
        analysis::Verdict::Undecided(reason) => undecided(&reason),
    }
}
