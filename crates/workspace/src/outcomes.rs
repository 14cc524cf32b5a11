//! Which final states does a memory model allow?

mod litmus;
mod model;
mod reference;

use std::time::Duration;

use analysis::final_states::{self, FinalStates, Witness, final_states};
use analysis::{Limits, Options, Reason};
use axiomatic::{AnyModel, Model, WhyNot};
use cycles::Reference;
use program::{Diagnostics, Observable, Program, Proposition, Quantifier, Sources, Value};
use web_time::Instant;

use crate::Conclusion;
use crate::inputs::{Loaded, Premises, Refused};
use crate::notes::{Note, X86, notes};
use crate::store::{ProgramId, Workspace};
pub use model::{ModelChoice, model_name};
use reference::compare_with_tso;

/// The question.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// The model; by default that of a litmus test's language or architecture, and TSO for everything else.
    pub model: Option<AnyModel>,
    /// What the final states are compared with.
    pub reference: Reference,
    /// A condition: how does the program get to a final state in which it is true? In the words of the
    /// program's language.
    pub show: Option<String>,
    /// How many final states, and how many errors, are to be shown with an execution, and whether it is to be shown why there is none that
    /// the program's question asks for.
    pub executions: usize,
    /// How to search, and how much may be spent on it.
    pub options: Options,
}

/// The answer.
pub struct OutcomesAnswer {
    /// The final states; or why none are known.
    pub states: Result<FinalStates, Reason>,
    /// What they are compared with.
    pub reference: Reference,
    /// The state that was asked for.
    pub shown: Option<Shown>,
    /// Executions that end in final states, by the states' numbers.
    pub executions: Vec<(usize, Witness)>,
    /// Executions that end with errors, by the errors' numbers.
    pub failures: Vec<(usize, Witness)>,
    /// Why there is no final state that the program's question asks for, if there is none.
    pub why_not: Option<WhyNot>,
    /// What it rests on.
    pub premises: Premises,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

/// How much longer an answer may take for executions that nobody has asked for: this, and half of the time that it
/// took itself.
const PATIENCE: Duration = Duration::from_millis(500);

/// A state that was asked for.
pub struct Shown {
    /// The condition, as it was written.
    pub condition: String,
    /// The state and how the program gets there, if there is one.
    pub found: Option<(Vec<(Observable, Value)>, Witness)>,
    /// Why there is none, if that is known.
    pub why_not: Option<WhyNot>,
}

impl OutcomesAnswer {
    /// That nothing is known, for this reason.
    pub fn undecided(reason: Reason) -> Self {
        let (premises, notes) = (Premises::default(), Vec::new());
        let reference = Reference::default();
        let (executions, failures) = (Vec::new(), Vec::new());
        Self {
            states: Err(reason),
            reference,
            shown: None,
            executions,
            failures,
            why_not: None,
            premises,
            notes,
        }
    }

    /// What it comes to. What has no defined behaviour is wrong. If a state was asked for it is about that,
    /// otherwise about the program's question.
    pub fn conclusion(&self) -> Conclusion {
        let Ok(states) = &self.states else { return Conclusion::Undecided };
        let is_doubtful = states.doubt.is_some();
        let otherwise = if is_doubtful { Conclusion::Undecided } else { Conclusion::Fine };
        if states.undefined().is_some() {
            return Conclusion::Violated;
        }
        match (&self.shown, states.answer) {
            (Some(Shown { found: Some(_), .. }), _) => Conclusion::Fine,
            (Some(_), _) if is_doubtful => Conclusion::Undecided,
            (Some(_), _) => Conclusion::Violated,
            (None, Some(question)) if question.holds == Some(false) => match question.quantifier {
                Quantifier::Exists => otherwise,
                Quantifier::Never | Quantifier::Always => Conclusion::Violated,
            },
            (None, _) => otherwise,
        }
    }
}

impl Workspace<'_> {
    /// Reads a model that is named or in a file.
    pub fn model(&self, choice: &ModelChoice) -> Result<AnyModel, Refused> {
        model::read(self.host(), choice)
    }

    /// The model that outcomes of a program are asked for unless another one is named.
    pub fn usual_model(&self, id: ProgramId) -> Model {
        model::of(self.program(id))
    }

    /// The final states of a program under a model.
    pub fn outcomes(
        &mut self,
        id: ProgramId,
        question: &Outcomes,
    ) -> Result<OutcomesAnswer, Refused> {
        let usual = self.usual_model(id);
        let mut subject = self.subject(id);
        let loaded = subject.loaded;
        let condition = condition(question, loaded)?;
        let model = question.model.clone().unwrap_or_else(|| usual.into());
        let (program, options) = (&loaded.program, &question.options);
        let seen = loaded.seen();
        let compared = final_states(program, model.clone(), seen, options, &mut *subject.watch)
            .and_then(|mut states| {
                match question.reference {
                    Reference::Sc => {}
                    Reference::Tso => {
                        let watch = &mut *subject.watch;
                        compare_with_tso((program, seen), &mut states, options, watch)?;
                    }
                }
                Ok(states)
            });
        let states = match compared {
            Ok(states) => states,
            Err(parameterised) => {
                return Ok(OutcomesAnswer::undecided(Reason::Parameterised(parameterised)));
            }
        };
        let shown = condition.map(|condition| {
            let found = states.witness(program, &condition);
            let is_known =
                found.is_none() && states.doubt.is_none() && states.undefined().is_none();
            let why_not = is_known
                .then(|| final_states::why_not(program, &states.model, &condition, options))
                .flatten();
            Shown { condition: question.show.clone().unwrap_or_default(), found, why_not }
        });
        let enough = Instant::now() + PATIENCE + states.statistics.elapsed / 2;
        let left = || enough.saturating_duration_since(Instant::now());
        let executions = states.executions(program, question.executions, left());
        let failures = states.failures(program, question.executions, left());
        let is_wanted = question.executions > 0;
        let why_not = is_wanted.then(|| never(program, &states, options, enough)).flatten();
        let notes = notes(&mut subject, machine(&model), options);
        let premises = loaded.premises.clone();
        let reference = question.reference;
        let states = Ok(states);
        Ok(OutcomesAnswer {
            states,
            reference,
            shown,
            executions,
            failures,
            why_not,
            premises,
            notes,
        })
    }

    /// A litmus test that asks for a final state.
    pub fn litmus_test(
        &self,
        id: ProgramId,
        model: &AnyModel,
        values: &[(Observable, Value)],
    ) -> Result<String, Refused> {
        let loaded = self.program(id);
        litmus::test(loaded, model, values).map_err(|errors| loaded.refuse(errors))
    }
}

/// Why there is no final state that the program's question asks for, if it is known that there is none and the
/// reasons are found soon: one in which the condition is true, or, of a condition that is to be true always, one in
/// which it is not.
fn never(
    program: &Program,
    states: &FinalStates,
    options: &Options,
    enough: Instant,
) -> Option<WhyNot> {
    let (quantifier, condition) = program.question().condition.as_ref()?;
    let answer = states.answer.as_ref()?;
    let (found, wanted) = match quantifier {
        Quantifier::Exists | Quantifier::Never => (answer.positive, condition.clone()),
        Quantifier::Always => (answer.negative, Proposition::Not(Box::new(condition.clone()))),
    };
    if found > 0 || states.doubt.is_some() || states.undefined().is_some() {
        return None;
    }
    let deadline = options.limits.deadline.map_or(enough, |deadline| deadline.min(enough));
    let limits = Limits { deadline: Some(deadline), ..options.limits };
    final_states::why_not(program, &states.model, &wanted, &Options { limits, ..*options })
}

/// The condition that a state is asked for with.
fn condition(question: &Outcomes, loaded: &Loaded) -> Result<Option<Proposition>, Refused> {
    let Some(text) = &question.show else { return Ok(None) };
    let mut sources: Sources = loaded.sources.clone();
    let source = sources.add("--show", text.as_str());
    let read: Result<Proposition, Diagnostics> =
        frontend::condition(&sources, source, loaded.language(), &loaded.program);
    read.map(Some).map_err(|errors| Refused { errors, sources })
}

/// The machine that a model is about.
fn machine(model: &AnyModel) -> &str {
    match model {
        AnyModel::BuiltIn(Model::Sc | Model::Tso) => X86,
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
        | AnyModel::File(_) => model_name(model),
    }
}
