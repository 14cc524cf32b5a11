//! `fencewright outcomes`.

use std::sync::Arc;

use axiomatic::{AnyModel, Axioms, Model};
use frontend::Language;
use program::{Diagnostic, Diagnostics, Program, Sources, Span};
use workspace::{
    Limit, ModelChoice, Options, Outcomes as Question, OutcomesAnswer, Reason, Refused, Shown,
    Workspace,
};

use crate::arguments::outcomes::{Outcomes, OutcomesFormat};
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::{Unanswered, unread};

pub(crate) fn run(options: &Outcomes, output: &mut Output) -> Status {
    let about_one = match options.format {
        OutcomesFormat::Litmus => Some("litmus"),
        OutcomesFormat::Dot => Some("dot"),
        OutcomesFormat::Svg => Some("svg"),
        OutcomesFormat::Text | OutcomesFormat::Json | OutcomesFormat::Html => None,
    };
    if let (Some(format), None) = (about_one, &options.show) {
        let problem = format!("`--format {format}` writes one state: say which with `--show`");
        return output.refuse(&problem);
    }
    if options.format == OutcomesFormat::Svg && options.inputs.may_be_several() {
        return output.refuse("a picture is about one program; give them one by one");
    }
    let read = |choice| Workspace::default().model(choice);
    let model = match options.model.as_ref().map(read).transpose() {
        Ok(model) => model,
        Err(Refused { errors, sources }) => {
            let file = options.model.as_ref().map_or_else(String::new, ModelChoice::shown_name);
            options.format.form().errors((&file, &[]), &errors, &sources, output);
            return Status::BadInput;
        }
    };
    let how = Options { unroll: options.unroll, ..options.search.options() };
    let reference = options.reference.meant();
    let is_page_about_all = options.format == OutcomesFormat::Html && options.show.is_none();
    let executions = if is_page_about_all { report::html::EXECUTIONS } else { 0 };
    let show = options.show.clone();
    let question = Question { model, reference, show, executions, options: how };
    let (inputs, form) = (&options.inputs, options.format.form());
    let limits = &options.search.limits;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(options.format));
    input::for_each_within(inputs, limits, form, output, &unanswered, |given, output| {
        if !given.is_first && options.format == OutcomesFormat::Text {
            output.separate();
        }
        let id = given.id;
        let model = match &question.model {
            Some(model) => model.clone(),
            None => given.ask(|workspace| workspace.usual_model(id)).into(),
        };
        misplaced(options, &model).map_err(|errors| {
            let sources = given.loaded().sources.clone();
            Refused { errors, sources }
        })?;
        let answer = given.ask(|workspace| workspace.outcomes(id, &question))?;
        let said = match (options.format, &answer.shown) {
            (OutcomesFormat::Litmus, Some(Shown { found: Some((values, _)), .. })) => {
                Said::Data(given.ask(|workspace| workspace.litmus_test(id, &model, values))?)
            }
            (format, _) => {
                let loaded = given.loaded();
                let about = (&loaded.program, &loaded.sources, loaded.language());
                rendered(format, &loaded.file, about, &answer)
            }
        };
        output.say(said);
        Ok(answer.conclusion().into())
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered(format: OutcomesFormat) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    move |file, limit| {
        let answer = OutcomesAnswer::undecided(Reason::Limit(limit));
        rendered(format, file, (&unread(), &Sources::new(), Language::Fw), &answer)
    }
}

/// Options that would be ignored: under other models nothing is explored that they are about.
fn misplaced(options: &Outcomes, model: &AnyModel) -> Result<(), Diagnostics> {
    let is_explored = match model {
        AnyModel::BuiltIn(Model::Sc | Model::Tso) => true,
        AnyModel::BuiltIn(
            Model::Pso
            | Model::Rmo
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
            let help = "leave it out: it is for the exploration of states, under SC and TSO";
            Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
        }
        Some(_) | None => Ok(()),
    }
}

fn rendered(
    format: OutcomesFormat,
    file: &str,
    (program, sources, language): (&Program, &Sources, Language),
    answer: &OutcomesAnswer,
) -> Said {
    let told = (answer, language);
    let text = || report::outcomes_text::render(file, program, sources, told, true);
    match format {
        OutcomesFormat::Text => Said::Text(text() + &report::notes::render(&answer.notes, sources)),
        OutcomesFormat::Json => Said::Data(report::json::outcomes(file, program, sources, told)),
        OutcomesFormat::Html => Said::Page(report::html::outcomes(file, program, sources, told)),
        // Where there is no graph, what there is to say is the picture.
        OutcomesFormat::Dot => Said::Data(
            report::execution_dot::render(program, sources, answer)
                .unwrap_or_else(|| report::pictures::told_dot(file, &text())),
        ),
        OutcomesFormat::Svg => Said::Data(
            report::pictures::outcomes(program, sources, answer)
                .unwrap_or_else(|| report::pictures::told(&text())),
        ),
        // There is no state to write down, and why is worth saying.
        OutcomesFormat::Litmus => Said::Message(text()),
    }
}
