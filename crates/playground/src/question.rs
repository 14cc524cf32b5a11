//! Questions as a page asks them: names of things become the things.

use axiomatic::Model as AnyMachine;
use semantics::Model;
use workspace::{Check, Criterion, Enforced, Fence, Options, Outcomes, Reach, Simulate};

/// A question, without how it is searched.
#[derive(Clone, Debug)]
pub struct Question(Asked);

#[derive(Clone, Debug)]
enum Asked {
    Check(Vec<Criterion>),
    Fence(Enforced),
    Reach(Model, Option<String>),
    Outcomes(Option<AnyMachine>, Option<String>),
    Simulate(Model, u64),
}

/// What a workspace is asked.
pub enum Wanted {
    /// Does TSO differ from SC?
    Check(Check),
    /// Which fences repair that?
    Fence(Fence),
    /// Can something be reached?
    Reach(Reach),
    /// Which final states are there?
    Outcomes(Outcomes),
    /// What does a run look like?
    Simulate(Simulate),
}

impl Question {
    /// The question of a command, with one choice (a criterion or a memory model; empty for the usual one) and one
    /// more word (a goal, a state or a seed; empty for none).
    pub fn of(command: &str, choice: &str, more: &str) -> Result<Self, String> {
        let more = more.trim();
        let condition = || (!more.is_empty()).then(|| more.to_owned());
        Ok(Self(match command {
            "check" => Asked::Check(criteria(choice)?),
            "fence" => Asked::Fence(enforced(choice)?),
            "reach" => Asked::Reach(explored(choice, Model::Sc)?, condition()),
            "outcomes" => Asked::Outcomes(any_model(choice)?, condition()),
            "simulate" => {
                let seed = if more.is_empty() { Ok(1) } else { more.parse() };
                let seed = seed.map_err(|_| format!("a seed is a natural number, not `{more}`"))?;
                Asked::Simulate(explored(choice, Model::Tso)?, seed)
            }
            other => {
                return Err(unknown("question", other, "check, fence, reach, outcomes, simulate"));
            }
        }))
    }

    /// The same with how to search.
    pub(crate) fn wanted(&self, options: &Options) -> Wanted {
        let options = *options;
        match &self.0 {
            Asked::Check(criteria) => {
                Wanted::Check(Check { criteria: criteria.clone(), options, ..Check::default() })
            }
            Asked::Fence(enforced) => {
                Wanted::Fence(Fence { enforced: *enforced, options, ..Fence::default() })
            }
            Asked::Reach(model, goal) => {
                let is_open = goal.is_none();
                Wanted::Reach(Reach {
                    goal: goal.clone(),
                    faults: is_open,
                    deadlocks: is_open,
                    final_states: is_open,
                    model: *model,
                    options,
                    ..Reach::default()
                })
            }
            Asked::Outcomes(model, show) => Wanted::Outcomes(Outcomes {
                model: model.map(Into::into),
                show: show.clone(),
                executions: if show.is_none() { report::html::EXECUTIONS } else { 0 },
                options,
                ..Outcomes::default()
            }),
            Asked::Simulate(model, seed) => {
                Wanted::Simulate(Simulate { model: *model, seed: *seed, ..Simulate::default() })
            }
        }
    }
}

fn unknown(what: &str, name: &str, known: &str) -> String {
    format!("there is no {what} `{name}`; there are {known}")
}

fn criteria(name: &str) -> Result<Vec<Criterion>, String> {
    match name {
        "" => Ok(Vec::new()),
        "all" => Ok(Criterion::ALL.to_vec()),
        name => Ok(vec![criterion(name, "all")?]),
    }
}

fn criterion(name: &str, other: &str) -> Result<Criterion, String> {
    let found = Criterion::ALL.into_iter().find(|one| one.name() == name);
    found.ok_or_else(|| {
        let known = Criterion::ALL.map(Criterion::name).join(", ");
        unknown("criterion", name, &format!("{known}, {other}"))
    })
}

fn enforced(name: &str) -> Result<Enforced, String> {
    match name {
        "" => Ok(Enforced::Criterion(Criterion::Robustness)),
        "safety" => Ok(Enforced::Safety),
        "drf" => {
            Err("fences cannot repair data races, which are there under SC already".to_owned())
        }
        name => criterion(name, "safety").map(Enforced::Criterion),
    }
}

fn explored(name: &str, usual: Model) -> Result<Model, String> {
    match name {
        "" => Ok(usual),
        "sc" => Ok(Model::Sc),
        "tso" => Ok(Model::Tso),
        other => Err(unknown("model", other, "sc and tso")),
    }
}

fn any_model(name: &str) -> Result<Option<AnyMachine>, String> {
    if name.is_empty() {
        return Ok(None);
    }
    let found = AnyMachine::ALL.into_iter().find(|one| one.name() == name);
    let known = || AnyMachine::ALL.map(AnyMachine::name).join(", ");
    found.map(Some).ok_or_else(|| unknown("model", name, &known()))
}
