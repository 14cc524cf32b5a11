//! Both routes of one program, side by side.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use analysis::tso_only::Seen;
use analysis::{Limits, Options, Query, Verdict, final_states, reach, reach_with_buffers};
use compiler::{Cache, Input, Request};
use program::{Observable, Sources};
use second_opinion::{Compiler, End, Model, Problem, Program, Source};

/// More states are too many, on either route.
const MOST_STATES: usize = 200_000;

/// What both routes say.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    /// How many ends there are.
    pub(crate) under_sc: usize,
    pub(crate) under_tso: usize,
    /// Whether a run can fail under TSO, as it can if it can under SC.
    pub(crate) fails: bool,
    /// Whether one can stop for ever under TSO; nothing if the first route does not know.
    pub(crate) deadlocks: Option<bool>,
}

/// What came of a comparison.
#[derive(Debug)]
pub(crate) enum Comparison {
    /// Both routes say the same, under both models.
    Agreed(Agreement),
    /// They do not, and this is how.
    Differ(String),
    /// The first route refuses the program, for this reason.
    Refused(String),
    /// The first route does not know all final states, for this reason.
    Undecided(String),
    /// There is no second opinion, for this reason.
    NoOpinion(String),
}

/// The first route: LLVM IR, lowered and explored.
struct First(program::Program);

struct NoTexts;

impl lowering::Texts for NoTexts {
    fn text(&mut self, _: &str) -> Option<(String, String, patch::Language)> {
        None
    }
}

fn options() -> Options {
    let limits = Limits {
        states: u64::try_from(MOST_STATES).ok(),
        deadline: Some(Instant::now() + Duration::from_mins(1)),
        ..Limits::default()
    };
    Options { limits, ..Options::default() }
}

impl First {
    /// Compiles a text whose language the name of a file says.
    fn compile(name: &str, text: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join(name);
        std::fs::write(&file, text).map_err(|error| error.to_string())?;
        let input = Input::of(&file).map_err(|error| error.to_string())?;
        let mut request = Request::new(vec![input], folder.path().to_owned());
        request.cache = Cache::Off;
        let compiled = compiler::compile(&request).map_err(|error| error.to_string())?;
        let modules = compiled
            .modules
            .iter()
            .map(|module| llvm::parse(&module.text).map_err(|error| error.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        // But for locks that are taken again, nothing that is generated is misuse, so that looking for it must
        // change nothing.
        let environment = lowering::Environment {
            lifetimes: lowering::Lifetimes::Checked,
            relocking: lowering::Relocking::Hangs,
            ..lowering::Environment::default()
        };
        let mut sources = Sources::new();
        let lowered =
            lowering::lower("program", &modules, &[], &environment, &mut NoTexts, &mut sources);
        let lowered = lowered.map_err(|errors| {
            errors.first().map_or_else(String::new, |error| error.message.clone())
        })?;
        if let Some(function) = lowered.unknown.first() {
            return Err(format!("`{function}` has no body"));
        }
        Ok(Self(lowered.program))
    }

    /// What is seen of some variables in all final states, or why that is not known.
    fn ends(&self, model: Model, observables: &[String]) -> Result<BTreeSet<End>, String> {
        let model = match model {
            Model::Sc => axiomatic::Model::Sc,
            Model::Tso => axiomatic::Model::Tso,
        };
        let found = final_states(&self.0, model, Seen::Everything, &options(), |_| {
            ControlFlow::Continue(())
        })
        .map_err(|parameterised| parameterised.to_string())?;
        if let Some(doubt) = found.doubt {
            return Err(match doubt {
                analysis::final_states::Doubt::Search(reason) => reason.to_string(),
                analysis::final_states::Doubt::Enumeration(reason) => reason.to_string(),
                analysis::final_states::Doubt::Bound(bound) => bound.to_string(),
            });
        }
        let memory = self.0.memory();
        // What no state has changed is not shown.
        let addresses: Vec<_> = observables
            .iter()
            .map(|name| {
                let location = memory.locations().iter().find(|one| one.name == *name);
                location.map(|location| Observable::Cell(location.base))
            })
            .collect();
        let ends = found.states.iter().map(|state| {
            let see = |seen: &Option<Observable>| {
                let at = found.shown.iter().position(|shown| Some(*shown) == *seen);
                at.map_or(0, |at| i64::try_from(state.values[at]).expect("a signed variable"))
            };
            End::Seen(addresses.iter().map(see).collect())
        });
        let failed = found.errors.first().map(|_| End::Failed);
        Ok(ends.chain(failed).collect())
    }

    /// Whether there is a deadlock, or why that is not known.
    fn deadlocks(&self, model: Model) -> Result<bool, String> {
        let query = Query { deadlocks: true, ..Query::default() };
        let (options, watch) = (options(), |_: &_| ControlFlow::Continue(()));
        let report = match model {
            Model::Sc => reach(&self.0, &query, &options, watch),
            Model::Tso => reach_with_buffers(&self.0, &query, &options, watch),
        };
        match report.map_err(|parameterised| parameterised.to_string())?.verdict {
            Verdict::Holds(_) => Ok(false),
            Verdict::Violated(_) => Ok(true),
            Verdict::Undecided(reason) => Err(reason.to_string()),
        }
    }
}

/// Compares the routes of a program; the second is over gcc where C leaves no choice.
pub(crate) fn compare(source: &Source) -> Comparison {
    compare_with("program.c", &source.text(), source)
}

/// Compares the first route of a program in Rust with the second of one in C that means the same.
pub(crate) fn compare_rust(rust: &str, source: &Source) -> Comparison {
    compare_with("program.rs", rust, source)
}

fn compare_with(name: &str, text_of_first: &str, source: &Source) -> Comparison {
    let text = source.text();
    let first = match First::compile(name, text_of_first) {
        Ok(first) => first,
        Err(reason) => return Comparison::Refused(reason),
    };
    let compiler = if source.is_ordered { Compiler::Gcc } else { Compiler::Clang };
    let second = match Program::compile(&text, compiler) {
        Ok(second) => second,
        Err(problem) => return Comparison::NoOpinion(shown(problem)),
    };
    let observables = source.observables();
    let mut agreed = Agreement::default();
    for model in [Model::Sc, Model::Tso] {
        let expected = match first.ends(model, &observables) {
            Ok(expected) => expected,
            Err(reason) => return Comparison::Undecided(reason),
        };
        let runs = match second.runs(model, &observables, MOST_STATES) {
            Ok(runs) => runs,
            Err(problem) => return Comparison::NoOpinion(shown(problem)),
        };
        if runs.ends != expected {
            let only = |one: &BTreeSet<End>, other: &BTreeSet<End>| {
                one.difference(other).take(4).cloned().collect::<Vec<_>>()
            };
            return Comparison::Differ(format!(
                "{model:?}, {compiler:?}: observables {observables:?}\n  only on the first route: {:?}\n  only on the second: {:?}",
                only(&expected, &runs.ends),
                only(&runs.ends, &expected),
            ));
        }
        let fails = runs.ends.contains(&End::Failed);
        // Who aborts ends the process; on the first route others go on, and may then wait for ever.
        let deadlocks = if fails { Ok(runs.deadlocks) } else { first.deadlocks(model) };
        if deadlocks.as_ref().is_ok_and(|deadlocks| *deadlocks != runs.deadlocks) {
            return Comparison::Differ(format!(
                "{model:?}, {compiler:?}: only the {} route has a deadlock",
                if runs.deadlocks { "second" } else { "first" },
            ));
        }
        match model {
            Model::Sc => agreed.under_sc = expected.len(),
            Model::Tso => {
                agreed.under_tso = expected.len();
                (agreed.fails, agreed.deadlocks) = (fails, deadlocks.ok());
            }
        }
    }
    Comparison::Agreed(agreed)
}

fn shown(problem: Problem) -> String {
    match problem {
        Problem::TooLarge => "too many states".to_owned(),
        Problem::Wrong(why) => why,
    }
}

/// The smallest program that differs as well, and how.
pub(crate) fn smallest(source: &Source) -> (Source, String) {
    let mut how = String::new();
    let small = source.shrunk(|candidate| match compare(candidate) {
        Comparison::Differ(why) => {
            how = why;
            true
        }
        Comparison::Agreed(_)
        | Comparison::Refused(_)
        | Comparison::Undecided(_)
        | Comparison::NoOpinion(_) => false,
    });
    (small, how)
}
