//! Questions as scripts ask them: names of things become the things.

use std::time::{Duration, Instant};

use cycles::Reference;
use program::Value;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use repair::Positions;
use semantics::Model;
use workspace::{Algorithm, Budget, Check, CheckMethod, Cost, Criterion, Enforced, Fence, Options};

/// What a name means, or an error that lists all names.
pub(crate) fn named<T>(
    what: &str,
    name: &str,
    all: impl IntoIterator<Item = (&'static str, T)>,
) -> PyResult<T> {
    let mut known = Vec::new();
    for (other, meant) in all {
        if other == name {
            return Ok(meant);
        }
        known.push(other);
    }
    let problem = format!("there is no {what} {name:?}: there are {}", known.join(", "));
    Err(PyValueError::new_err(problem))
}

/// A criterion by its name.
pub(crate) fn criterion(name: &str) -> PyResult<Criterion> {
    named("criterion", name, Criterion::ALL.map(|one| (one.name(), one)))
}

/// SC or TSO.
pub(crate) fn memory_model(name: &str) -> PyResult<Model> {
    named("model", name, [("sc", Model::Sc), ("tso", Model::Tso)])
}

/// What something is compared with.
pub(crate) fn reference(name: &str) -> PyResult<Reference> {
    named("reference", name, [("sc", Reference::Sc), ("tso", Reference::Tso)])
}

/// Why these parts of a question do not go together.
pub(crate) fn contradiction_of_check(question: &Check) -> Option<&'static str> {
    let Check { criteria, method, per_attack, delays, options: _ } = question;
    let is_abstract = match method {
        CheckMethod::Abstraction(_) => true,
        CheckMethod::Auto | CheckMethod::Exact | CheckMethod::Spin => false,
    };
    if is_abstract && *criteria != [Criterion::Persistence] {
        return Some("the abstraction is for persistence: criteria=[\"persistence\"]");
    }
    let asks_for_attacks = *per_attack || *delays;
    if asks_for_attacks && !criteria.is_empty() && !criteria.contains(&Criterion::Robustness) {
        return Some("attacks and delays are about robustness: add it to the criteria");
    }
    None
}

/// What may be spent on an answer.
#[derive(FromPyObject)]
pub(crate) struct Limited {
    seconds: Option<f64>,
    bytes: Option<usize>,
    states: Option<u64>,
    threads: Option<usize>,
}

impl Limited {
    fn time(&self) -> PyResult<Option<Duration>> {
        let time = self.seconds.map(Duration::try_from_secs_f64).transpose();
        time.map_err(|_| {
            PyValueError::new_err("a time limit is a number of seconds such as 60 or 0.5")
        })
    }

    /// How to search within these limits, counted from now on.
    pub(crate) fn options(&self) -> PyResult<Options> {
        let budget = Budget { memory: self.bytes, time: self.time()?, states: self.states };
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(processors);
        if threads == 0 {
            return Err(PyValueError::new_err("at least one thread searches"));
        }
        Ok(Options { threads, limits: budget.from_now(Instant::now()), ..Options::default() })
    }

    /// The moment at which time is up, where there are no other limits, and why.
    pub(crate) fn of_time(&self, why: &str) -> PyResult<Option<Instant>> {
        if self.states.is_some() || self.threads.is_some() || self.bytes.is_some() {
            return Err(PyValueError::new_err(format!("only time can be limited here: {why}")));
        }
        Ok(self.time()?.and_then(|time| Instant::now().checked_add(time)))
    }
}

/// A question for fences.
#[derive(FromPyObject)]
pub(crate) struct FenceAsked {
    criterion: String,
    algorithm: String,
    positions: String,
    cost: String,
    seed: u64,
    every: bool,
    minimise_existing: bool,
    locked_store_cost: Option<u32>,
}

impl FenceAsked {
    /// The question that is meant.
    pub(crate) fn question(&self) -> PyResult<Fence> {
        let wrong = |problem: &str| Err(PyValueError::new_err(problem.to_owned()));
        let enforced = if self.criterion == Enforced::Safety.name() {
            Enforced::Safety
        } else {
            Enforced::Criterion(criterion(&self.criterion)?)
        };
        let all = [Algorithm::Optimal, Algorithm::Esop13, Algorithm::Esop15];
        let algorithm = named("algorithm", &self.algorithm, all.map(|one| (one.name(), one)))?;
        let positions =
            [("after-instruction", Positions::AfterInstructions), ("label", Positions::Labels)];
        let positions = named("kind of position", &self.positions, positions)?;
        let cost = match self.cost.as_str() {
            "uniform" => Cost::Uniform,
            "loops" => Cost::Loops,
            "profile" => Cost::Profile { seed: self.seed },
            file => Cost::File(file.into()),
        };
        if enforced == Enforced::Criterion(Criterion::Drf) {
            return wrong("fences cannot repair data races, which are there under SC already");
        }
        if algorithm == Algorithm::Esop13 && enforced != Enforced::Criterion(Criterion::Robustness)
        {
            return wrong("the algorithm of ESOP'13 is about attacks, so about robustness");
        }
        if self.every && algorithm != Algorithm::Optimal {
            return wrong("only the algorithm \"optimal\" finds all sets");
        }
        if self.minimise_existing
            && (algorithm != Algorithm::Optimal || positions != Positions::AfterInstructions)
        {
            return wrong(
                "which fences are needed is decided where they stand, by the algorithm \"optimal\"",
            );
        }
        if self.locked_store_cost == Some(0) {
            return wrong("a locked store costs something");
        }
        Ok(Fence {
            enforced,
            minimise_existing: self.minimise_existing,
            positions,
            with_locked_stores: self.locked_store_cost.is_some() && !self.minimise_existing,
            locked_store_cost: self.locked_store_cost.unwrap_or(1),
            cost,
            all: self.every,
            algorithm,
            ..Fence::default()
        })
    }
}

/// Values of constants that a model can have.
pub(crate) fn constant((name, value): (&String, &Value)) -> PyResult<(String, Value)> {
    if program::value::is_at_rest(*value) {
        return Ok((name.clone(), *value));
    }
    Err(PyValueError::new_err(format!("{name}: {value} is no 64-bit integer")))
}
