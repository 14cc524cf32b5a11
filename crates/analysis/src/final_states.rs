//! How runs of a program end under any of the memory models: what can be seen when it has ended, with
//! which errors it ends otherwise, and how that answers the question that the program asks.
//!
//! Under SC and TSO all states are explored ([`mod@crate::outcomes`]); under TSO only if no criterion
//! says that they are those of SC. Under the other models the candidate executions of a loop-free
//! program are enumerated (`axiomatic`). Either way there is one final state after the other, of which
//! only what is worth showing is kept: what the program's question mentions, or else everything
//! that is written. What SC does not show as well is marked.

mod shown;
mod witness;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use axiomatic::{AnyModel, Model, NoAnswer, Observation, PossibleFault, Raised, WhyNot};
use explore::{Limit, Lookout, Progress};
use program::{
    EdgeId, Fault, Observable, Parameterised, Program, Proposition, Quantifier, ThreadId, Value,
};
use web_time::Instant;

use crate::criterion::Criterion;
use crate::outcomes::{Error, Outcome, Outcomes, outcomes, outcomes_of_any_length};
use crate::portfolio::same_states_as_sc;
use crate::tso_only::Seen;
use crate::verdict::{Options, Reason, Statistics};
use shown::project;
pub use shown::{see, shown};
pub use witness::Witness;

/// The final states of a program under a model, as far as they are known.
pub struct FinalStates {
    /// The model.
    pub model: AnyModel,
    /// What is shown of each state.
    pub shown: Vec<Observable>,
    /// What is seen, each once, in order. The filter of the program's question leaves some out.
    pub states: Vec<State>,
    /// The answer to the program's question, if it asks one.
    pub answer: Option<Answer>,
    /// The errors with which other runs end.
    pub errors: Vec<FailedRun>,
    /// Why there may be more states or errors, if there may.
    pub doubt: Option<Doubt>,
    /// Why the states under TSO are those under SC: the program satisfies this criterion.
    pub because: Option<Criterion>,
    /// The flags of the model that executions raise, by their names. If one says that the program has no
    /// defined behaviour, anything can happen, whatever the states.
    pub flags: BTreeMap<String, Raised>,
    /// How many candidate executions the axioms were asked about.
    pub candidates: Option<u64>,
    /// What the searches did.
    pub statistics: Statistics,
    found: Found,
}

/// What is seen in a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The values of what is shown.
    pub values: Vec<Value>,
    /// Whether SC does not show this, if that is known.
    pub only_weak: Option<bool>,
    /// A whole state in which this is seen.
    whole: usize,
}

/// An error with which runs end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRun {
    /// The thread that it stops.
    pub thread: ThreadId,
    /// The instruction that fails.
    pub edge: EdgeId,
    /// How it fails in one run.
    pub fault: Fault,
    /// Whether SC does not have this error, if that is known.
    pub only_weak: Option<bool>,
}

/// The answer to a program's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How many states the question asks for.
    pub quantifier: Quantifier,
    /// How many satisfy what follows, if that is known.
    pub observation: Option<Observation>,
    /// Whether as many do as the question asks for, if that is known.
    pub holds: Option<bool>,
    /// How many of the states seen satisfy it.
    pub positive: usize,
    /// How many do not.
    pub negative: usize,
}

/// Why there may be more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The states were not all explored.
    Search(Reason),
    /// The executions cannot be enumerated.
    Enumeration(NoAnswer),
    /// Some executions go on beyond a bound.
    Bound(axiomatic::Bound),
}

/// Where the states are from.
enum Found {
    Explored(Outcomes),
    Enumerated(axiomatic::Outcomes),
    Nothing,
}

/// The final states of a program under a model, and what is seen of them. A limit on states is one on candidate
/// executions where these are enumerated.
pub fn final_states(
    program: &Program,
    model: impl Into<AnyModel>,
    seen: Seen,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<FinalStates, Parameterised> {
    let model = model.into();
    let built_in = match &model {
        AnyModel::BuiltIn(built_in) => *built_in,
        AnyModel::File(_) => return enumerated(program, model, seen, options),
    };
    match built_in {
        Model::Sc => {
            let sc = outcomes(program, semantics::Model::Sc, options, watch)?;
            Ok(explored((program, seen), model, sc, None, None))
        }
        Model::Tso => {
            let sc = outcomes(program, semantics::Model::Sc, options, &mut watch)?;
            let (implied, did) = same_states_as_sc(program, options, &mut watch)?;
            let because = implied.and_then(|proof| proof.implied_by());
            let mut states = if because.is_some() {
                explored((program, seen), model, sc, None, because)
            } else {
                let tso = outcomes_of_any_length(program, semantics::Model::Tso, options, watch)?;
                explored((program, seen), model, tso, Some(&sc), None)
            };
            states.statistics.include(&did);
            Ok(states)
        }
        Model::Pso
        | Model::Rmo
        | Model::Power
        | Model::ArmV7
        | Model::AArch64
        | Model::AArch64Lse
        | Model::RiscV
        | Model::Rc11
        | Model::Imm => enumerated(program, model, seen, options),
    }
}

/// Final states that were explored; without those of SC they are those of SC.
fn explored(
    (program, seen): (&Program, Seen),
    model: AnyModel,
    mut found: Outcomes,
    sc: Option<&Outcomes>,
    because: Option<Criterion>,
) -> FinalStates {
    let whole = std::mem::take(&mut found.found);
    let others = sc.map_or(&[][..], |sc| &sc.found);
    let shown = shown(program, &found.threads, (&whole, others), seen);
    let seen = project(program, &found.threads, &whole, &shown);
    let of_sc = sc.map(|sc| Reference {
        seen: project(program, &sc.threads, &sc.found, &shown),
        complete: sc.complete.is_ok(),
    });
    found.found = whole;
    let mut statistics = found.statistics;
    if let Some(sc) = sc {
        statistics.include(&sc.statistics);
    }
    let doubt = found.complete.clone().err().map(Doubt::Search);
    let states = marked(seen, of_sc.as_ref());
    let errors = failed_runs(&found, sc);
    let answer = answer(program, &shown, &states, doubt.is_none());
    let found = Found::Explored(found);
    let (flags, candidates) = (BTreeMap::new(), None);
    FinalStates {
        model,
        shown,
        states,
        answer,
        errors,
        doubt,
        because,
        flags,
        candidates,
        statistics,
        found,
    }
}

/// The errors that were explored, compared with those of SC if they are others.
fn failed_runs(found: &Outcomes, sc: Option<&Outcomes>) -> Vec<FailedRun> {
    let failed = |error: &Error| {
        let only_weak = match sc {
            None => Some(false),
            Some(sc) if sc.errors.binary_search(error).is_ok() => Some(false),
            Some(sc) => sc.complete.is_ok().then_some(true),
        };
        let Error { thread, edge } = *error;
        Some(FailedRun { thread, edge, fault: found.fault(*error)?, only_weak })
    };
    found.errors.iter().filter_map(failed).collect()
}

/// Final states by enumerating executions.
fn enumerated(
    program: &Program,
    model: AnyModel,
    seen: Seen,
    options: &Options,
) -> Result<FinalStates, Parameterised> {
    let started = Instant::now();
    let mut limits = axiomatic::Limits { unroll: options.unroll, ..axiomatic::Limits::default() };
    let most = options.limits.states.filter(|most| *most < limits.max_executions);
    limits.max_executions = most.unwrap_or(limits.max_executions);
    let mut lookout = Lookout::new(&options.limits);
    let mut reached = None;
    let mut go_on = || {
        reached = lookout.step().err();
        if reached.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let weak = axiomatic::outcomes_while(program, &model, &limits, &mut go_on);
    let mut states = match weak {
        Err(NoAnswer::Parameterised(parameterised)) => return Err(parameterised),
        Err(reason) => FinalStates {
            model,
            shown: shown(program, &program.threads()?, (&[], &[]), seen),
            states: Vec::new(),
            answer: answer(program, &[], &[], false),
            errors: Vec::new(),
            doubt: Some(match (reason, reached) {
                (NoAnswer::Stopped, Some(limit)) => Doubt::Search(Reason::Limit(limit)),
                (NoAnswer::TooManyExecutions, None) if most.is_some() => {
                    Doubt::Search(Reason::Limit(Limit::States))
                }
                (reason, _) => Doubt::Enumeration(reason),
            }),
            because: None,
            flags: BTreeMap::new(),
            candidates: None,
            statistics: Statistics::default(),
            found: Found::Nothing,
        },
        Ok(weak) => {
            let sc =
                outcomes(program, semantics::Model::Sc, options, |_| ControlFlow::Continue(()))?;
            let whole: Vec<Outcome> = weak.states.keys().map(outcome).collect();
            let shown = shown(program, &weak.threads, (&whole, &sc.found), seen);
            let seen = project(program, &weak.threads, &whole, &shown);
            let reference = Reference {
                seen: project(program, &sc.threads, &sc.found, &shown),
                complete: sc.complete.is_ok(),
            };
            let states = marked(seen, Some(&reference));
            let answer = answer(program, &shown, &states, weak.bound.is_none());
            let is_undefined = weak.flags.values().any(|raised| raised.undefined);
            FinalStates {
                model,
                answer: if is_undefined { answer.map(of_anything) } else { answer },
                shown,
                states,
                errors: failed_executions(&weak, &sc),
                doubt: weak.bound.clone().map(Doubt::Bound),
                because: None,
                flags: weak.flags.clone(),
                candidates: Some(weak.candidates),
                statistics: sc.statistics,
                found: Found::Enumerated(weak),
            }
        }
    };
    states.statistics.elapsed = started.elapsed();
    Ok(states)
}

/// The errors that were enumerated, compared with those of SC.
fn failed_executions(found: &axiomatic::Outcomes, sc: &Outcomes) -> Vec<FailedRun> {
    let failed = |PossibleFault { thread, edge, fault }: &PossibleFault| {
        let error = Error { thread: *thread, edge: *edge };
        let is_new = sc.errors.binary_search(&error).is_err();
        let only_weak = if is_new { sc.complete.is_ok().then_some(true) } else { Some(false) };
        FailedRun { thread: *thread, edge: *edge, fault: *fault, only_weak }
    };
    // Several faults of one instruction are one error.
    let mut all: Vec<FailedRun> = found.errors.keys().map(failed).collect();
    all.dedup_by_key(|error| (error.thread, error.edge));
    all
}

/// Why no final state satisfies a condition, as far as that can be found out within the limits.
pub fn why_not(
    program: &Program,
    model: &AnyModel,
    condition: &Proposition,
    options: &Options,
) -> Option<WhyNot> {
    let threads = program.threads().ok()?;
    let mut limits = axiomatic::Limits { unroll: options.unroll, ..axiomatic::Limits::default() };
    limits.max_executions = options.limits.states.unwrap_or(MOST_REASONS).min(MOST_REASONS);
    let mut lookout = Lookout::new(&options.limits);
    let mut go_on = || match lookout.step() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let filter = program.question().filter.as_ref();
    let is_asked_for = |state: &axiomatic::FinalState| {
        let seen = |observable| state.see(program, &threads, observable);
        filter.is_none_or(|filter| filter.holds(&seen)) && condition.holds(&seen)
    };
    axiomatic::why_not(program, &model, &is_asked_for, &limits, &mut go_on).ok()
}

/// The candidates that are looked at to find reasons.
const MOST_REASONS: u64 = 200_000;

/// The answer if everything can happen, not only what was seen.
fn of_anything(seen: Answer) -> Answer {
    let holds = match seen.quantifier {
        Quantifier::Exists => true,
        Quantifier::Never | Quantifier::Always => false,
    };
    Answer { observation: None, holds: Some(holds), ..seen }
}

impl FinalStates {
    /// The reason why the program has no defined behaviour, if there is one, with an execution that
    /// shows it.
    pub fn undefined(&self) -> Option<(&str, &Raised)> {
        let mut flags = self.flags.iter();
        flags.find(|(_, raised)| raised.undefined).map(|(name, raised)| (name.as_str(), raised))
    }
}

fn outcome(state: &axiomatic::FinalState) -> Outcome {
    Outcome { registers: state.registers.clone(), changed_memory: state.cells.clone() }
}

/// What SC shows, and whether that is all.
struct Reference {
    seen: BTreeMap<Vec<Value>, usize>,
    complete: bool,
}

fn marked(seen: BTreeMap<Vec<Value>, usize>, of_sc: Option<&Reference>) -> Vec<State> {
    let state = |(values, whole): (Vec<Value>, usize)| {
        let only_weak = match of_sc {
            None => Some(false),
            Some(sc) if sc.seen.contains_key(&values) => Some(false),
            Some(sc) => sc.complete.then_some(true),
        };
        State { values, only_weak, whole }
    };
    seen.into_iter().map(state).collect()
}

/// Whether a proposition about what is shown is true.
fn is_true(proposition: &Proposition, shown: &[Observable], values: &[Value]) -> bool {
    proposition.holds(&|seen| {
        let at = shown.iter().position(|one| *one == seen);
        at.and_then(|at| values.get(at)).copied().unwrap_or(0)
    })
}

fn answer(
    program: &Program,
    shown: &[Observable],
    states: &[State],
    complete: bool,
) -> Option<Answer> {
    let (quantifier, proposition) = program.question().condition.as_ref()?;
    let holds = |state: &&State| is_true(proposition, shown, &state.values);
    let positive = states.iter().filter(holds).count();
    let negative = states.len() - positive;
    let observation = match (positive, negative) {
        (1.., 1..) => Some(Observation::Sometimes),
        (0, _) => complete.then_some(Observation::Never),
        (1.., 0) => complete.then_some(Observation::Always),
    };
    // One state is enough to know some answers.
    let (decided, otherwise) = match quantifier {
        Quantifier::Exists => (positive > 0, true),
        Quantifier::Never => (positive > 0, false),
        Quantifier::Always => (negative > 0, false),
    };
    let holds = if decided { Some(otherwise) } else { complete.then_some(!otherwise) };
    Some(Answer { quantifier: *quantifier, observation, holds, positive, negative })
}
