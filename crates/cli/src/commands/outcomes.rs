//! `fencewright outcomes`.

mod litmus;
mod model;

use std::sync::Arc;

use analysis::final_states::{self, FinalStates, final_states};
use analysis::{Limit, Reason};
use axiomatic::{AnyModel, Axioms, Bound, Model, NoAnswer};
use frontend::Words;
use program::{Diagnostic, Diagnostics, Proposition, Quantifier, Sources, Span};
use report::outcomes::{Answer, Asked, Doubt};

use crate::arguments::outcomes::{Outcomes, OutcomesFormat};
use crate::commands::doubt::{uncounted, undecided};
use crate::commands::notes::{X86, notes};
use crate::commands::progress::Progress;
use crate::input::{self, Loaded, Refused};
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::Unanswered;

pub(crate) fn run(options: &Outcomes, output: &mut Output) -> Status {
    let about_one = match options.format {
        OutcomesFormat::Litmus => Some("litmus"),
        OutcomesFormat::Dot => Some("dot"),
        OutcomesFormat::Text | OutcomesFormat::Json => None,
    };
    if let (Some(format), None) = (about_one, &options.show) {
        let error =
            format!("error: `--format {format}` writes one state: say which with `--show`\n");
        output.message(&error);
        return Status::BadInput;
    }
    let asked = match options.model.as_ref().map(model::read).transpose() {
        Ok(asked) => asked,
        Err(Refused { errors, sources }) => {
            let file = options.model.as_ref().map_or_else(String::new, model::shown_name);
            input::report(&file, &errors, &sources, options.format.of_errors(), output);
            return Status::BadInput;
        }
    };
    let mut first = true;
    let (inputs, format) = (&options.inputs, options.format.of_errors());
    let deadline = options.search.limits.deadline;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(options.format));
    input::for_each_within(inputs, deadline, format, output, &unanswered, |loaded, output| {
        if !std::mem::take(&mut first) && options.format == OutcomesFormat::Text {
            output.separate();
        }
        let mut sources = loaded.sources.clone();
        let done = asked_for(options, loaded, &mut sources).and_then(|show| {
            let model = asked.clone().unwrap_or_else(|| model::of(loaded).into());
            one(options, loaded, &model, show.as_ref(), &sources, output)
        });
        done.map_err(|errors| Refused { errors, sources })
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(format: OutcomesFormat) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    move |file, limit| no_states(format, file, &in_doubt(undecided(&Reason::Limit(limit))))
}

/// What is said of a program of which no final state is known.
fn no_states(format: OutcomesFormat, file: &str, doubt: &Doubt) -> Said {
    let Doubt { reason, advice, .. } = doubt;
    let advice = advice.as_deref().unwrap_or_default();
    let shown = report::terminal::line(file);
    let text = format!("{shown}: undecided: {reason}, {advice}\n");
    match format {
        OutcomesFormat::Text => Said::Text(text),
        OutcomesFormat::Dot | OutcomesFormat::Litmus => Said::Message(text),
        OutcomesFormat::Json => {
            Said::Data(report::json::undecided(file, "fencewright.outcomes/1", reason))
        }
    }
}

/// Options that would be ignored: under other models nothing is explored that they are about.
fn misplaced(options: &Outcomes, model: &AnyModel) -> Result<(), Diagnostics> {
    let is_explored = match model {
        AnyModel::BuiltIn(Model::Tso) => true,
        AnyModel::BuiltIn(
            Model::Sc
            | Model::Pso
            | Model::Power
            | Model::ArmV7
            | Model::AArch64
            | Model::AArch64Lse
            | Model::RiscV
            | Model::Rc11
            | Model::Imm,
        )
        | AnyModel::File(_) => false,
    };
    match options.search.ways_to_explore().next() {
        Some(option) if !is_explored => {
            let message = format!("`{option}` makes no difference under {}", model.name());
            let help = "leave it out: it is for criteria, by which states under TSO may be known";
            Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
        }
        Some(_) | None => Ok(()),
    }
}

/// The condition of `--show`.
fn asked_for(
    options: &Outcomes,
    loaded: &Loaded,
    sources: &mut Sources,
) -> Result<Option<Proposition>, Diagnostics> {
    let Some(text) = &options.show else { return Ok(None) };
    let source = sources.add("--show", text.as_str());
    frontend::condition(sources, source, loaded.language(), &loaded.program).map(Some)
}

/// The machine that a model is about.
fn machine(model: &AnyModel) -> &str {
    match model {
        AnyModel::BuiltIn(Model::Sc | Model::Tso) => X86,
        AnyModel::BuiltIn(
            Model::Pso
            | Model::Power
            | Model::ArmV7
            | Model::AArch64
            | Model::AArch64Lse
            | Model::RiscV
            | Model::Rc11
            | Model::Imm,
        )
        | AnyModel::File(_) => report::outcomes::name(model),
    }
}

fn one(
    options: &Outcomes,
    loaded: &Loaded,
    model: &AnyModel,
    show: Option<&Proposition>,
    sources: &Sources,
    output: &mut Output,
) -> Result<Status, Diagnostics> {
    let program = &loaded.program;
    misplaced(options, model)?;
    let mut progress = Progress::new(output);
    let how = analysis::Options { unroll: options.unroll, ..options.search.options() };
    let found = final_states(program, model.clone(), &how, |now| progress.show(now));
    progress.clear();
    let states = match found {
        Ok(states) => states,
        Err(parameterised) => {
            let doubt = in_doubt(uncounted(&parameterised));
            output.say(&no_states(options.format, &loaded.file, &doubt));
            return Ok(Status::Undecided);
        }
    };
    let asked = show.map(|condition| {
        let found = states.witness(program, condition);
        let is_known = found.is_none() && states.doubt.is_none() && states.undefined().is_none();
        let why_not = is_known
            .then(|| final_states::why_not(program, &states.model, condition, &how))
            .flatten();
        Asked { condition: options.show.clone().unwrap_or_default(), found, why_not }
    });
    let doubt = states.doubt.as_ref().map(doubt);
    let answer =
        Answer { states: &states, words: Words::new(program, loaded.language()), doubt, asked };
    let file = &loaded.file;
    let notes = notes(loaded, machine(model), &options.search.options(), output);
    match options.format {
        OutcomesFormat::Text => {
            let text = report::outcomes_text::render(file, program, sources, &answer, true);
            output.text(&(text + &report::notes::render(&notes, sources)));
        }
        OutcomesFormat::Json => {
            output.data(&report::json::outcomes(file, program, sources, &answer, &notes));
        }
        OutcomesFormat::Dot => match report::execution_dot::render(program, &answer) {
            Some(graph) => output.data(&graph),
            // There is no graph, and what there is is worth saying.
            None => output
                .message(&report::outcomes_text::render(file, program, sources, &answer, true)),
        },
        OutcomesFormat::Litmus => {
            if let Some(Asked { found: Some((values, _)), .. }) = &answer.asked {
                output.data(&litmus::test(loaded, model, values)?);
            } else {
                // There is no state to write down, and why is worth saying.
                let text = report::outcomes_text::render(file, program, sources, &answer, true);
                output.message(&text);
            }
        }
    }
    Ok(status(&answer))
}

/// What has no defined behaviour is wrong. With `--show` the exit code is about the state asked for, otherwise about the program's question.
fn status(answer: &Answer<'_>) -> Status {
    let FinalStates { answer: question, doubt, .. } = answer.states;
    let otherwise = if doubt.is_some() { Status::Undecided } else { Status::Fine };
    if answer.states.undefined().is_some() {
        return Status::Violated;
    }
    match (&answer.asked, question) {
        (Some(Asked { found: Some(_), .. }), _) => Status::Fine,
        (Some(_), _) if doubt.is_some() => Status::Undecided,
        (Some(_), _) => Status::Violated,
        (None, Some(question)) if question.holds == Some(false) => match question.quantifier {
            Quantifier::Exists => otherwise,
            Quantifier::Never | Quantifier::Always => Status::Violated,
        },
        (None, _) => otherwise,
    }
}

fn in_doubt(outcome: report::outcome::Outcome<()>) -> Doubt {
    match outcome {
        report::outcome::Outcome::Undecided { reason, at, advice } => Doubt { reason, at, advice },
        report::outcome::Outcome::Holds(_) | report::outcome::Outcome::Violated(()) => {
            Doubt { reason: String::new(), at: Span::NONE, advice: None }
        }
    }
}

/// What is said of executions that go on beyond a bound.
fn beyond(bound: &Bound) -> Doubt {
    let (at, advice) = match bound {
        Bound::Rounds { span, .. } => (
            *span,
            "`--unroll` follows loops further; `--model tso` and `--model sc` explore all states of loops",
        ),
        Bound::Events => (
            Span::NONE,
            "`--thread` says which functions threads run, without `main`; `--model tso` and `--model sc` \
             explore states, and may get further",
        ),
        Bound::FrontEnd { span, .. } => (
            *span,
            "`--thread` says which functions threads run, without `main`; `--model tso` and `--model sc` \
             explore states, and may get further",
        ),
        Bound::Overflow { span } => {
            (*span, "declare a range: `shared x: 0..=9`, or a type that wraps: `shared x: u8`")
        }
    };
    Doubt { reason: bound.to_string(), at, advice: Some(advice.to_owned()) }
}

fn doubt(doubt: &final_states::Doubt) -> Doubt {
    let reason = match doubt {
        final_states::Doubt::Search(reason) => return in_doubt(undecided(reason)),
        final_states::Doubt::Bound(bound) => return beyond(bound),
        final_states::Doubt::Enumeration(reason) => reason,
    };
    let (at, advice) = match reason {
        NoAnswer::Parameterised(parameterised) => return in_doubt(uncounted(parameterised)),
        NoAnswer::LockedSection { span, .. } => {
            (*span, "`--model tso` and `--model sc` explore states, and take locked sections")
        }
        NoAnswer::AccessAcross { span, .. } => {
            (*span, "`sc`, `tso` and `aarch64` know accesses by bytes")
        }
        NoAnswer::TooManyRuns { .. } | NoAnswer::TooManyExecutions | NoAnswer::Stopped => {
            (Span::NONE, "`--model tso` and `--model sc` explore states, and may get further")
        }
        NoAnswer::Model { .. } => (Span::NONE, "correct the model"),
    };
    Doubt { reason: reason.to_string(), at, advice: Some(advice.to_owned()) }
}
