//! Fencewright for Python: the questions of `workspace` as functions that take plain values and return the
//! documents of `docs/json.md` as text.
//!
//! The package `fencewright` (`python/`) is what people import: it has the types, and makes dictionaries of the
//! documents. Here names become questions (`asked`) and descriptions become programs (`given`). No function keeps
//! anything, and none holds the interpreter's lock while it searches, so that scripts may ask from several threads
//! at once.

mod asked;
mod given;

use std::path::Path;

use axiomatic::{AnyModel, Model};
use cycles::{Arch, Reference};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use semantics::Machine;
use workspace::{
    Check, CheckMethod, Cycles, Depth, Fence, ModelChoice, Options, Outcomes, Reach, Simulate,
};

use asked::{FenceAsked, Limited, memory_model, named};
use given::{Given, ask, ask_whole};

/// Does TSO differ from SC?
#[pyfunction]
#[pyo3(signature = (program, *, criteria, method, abstraction, per_attack, delays, limits))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted of Python's values is owned")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
fn check(
    py: Python<'_>,
    program: Given,
    criteria: Vec<String>,
    method: &str,
    abstraction: Option<usize>,
    per_attack: bool,
    delays: bool,
    limits: Limited,
) -> PyResult<String> {
    let criteria = criteria.iter().map(|name| asked::criterion(name)).collect::<PyResult<_>>()?;
    let exact =
        named("method", method, [("auto", CheckMethod::Auto), ("exact", CheckMethod::Exact)])?;
    let method = abstraction.map_or(exact, |depth| CheckMethod::Abstraction(Depth::Fixed(depth)));
    let options = limits.options()?;
    let question = Check { criteria, method, per_attack, delays, options };
    if let Some(problem) = asked::contradiction_of_check(&question) {
        return Err(PyValueError::new_err(problem));
    }
    ask(py, &program, |workspace, id| {
        let answer = workspace.check(id, &question)?;
        let loaded = workspace.program(id);
        Ok(report::json::check(&loaded.file, &loaded.program, &loaded.sources, &answer))
    })
}

/// Which fences repair it?
#[pyfunction]
#[pyo3(signature = (program, *, asked, limits))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted of Python's values is owned")]
fn fence(py: Python<'_>, program: Given, asked: FenceAsked, limits: Limited) -> PyResult<String> {
    let question = Fence { options: limits.options()?, ..asked.question()? };
    ask(py, &program, |workspace, id| {
        let answer = workspace.fence(id, &question)?;
        let loaded = workspace.program(id);
        Ok(report::json::fence(&loaded.file, &loaded.sources, &answer, None))
    })
}

/// Can something be reached?
#[pyfunction]
#[pyo3(signature = (program, *, goal, faults, deadlocks, final_states, model, limits))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted of Python's values is owned")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
fn reach(
    py: Python<'_>,
    program: Given,
    goal: Option<String>,
    faults: bool,
    deadlocks: bool,
    final_states: bool,
    model: &str,
    limits: Limited,
) -> PyResult<String> {
    let model = memory_model(model)?;
    let options = limits.options()?;
    let usual = Reach::default();
    let deadlocks_alone = deadlocks && !faults && !final_states;
    let question = Reach { goal, faults, deadlocks, final_states, model, options, ..usual };
    ask_whole(py, &program, |workspace, described| {
        let id = if deadlocks_alone {
            described.about_deadlocks().read(workspace)?
        } else {
            described.read(workspace)?
        };
        let answer = workspace.reach(id, &question)?;
        let loaded = workspace.program(id);
        Ok(report::json::reach(&loaded.file, &loaded.program, &loaded.sources, &answer))
    })
}

/// Which final states does a memory model allow?
#[pyfunction]
#[pyo3(signature = (program, *, model, reference, show, unroll, limits))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted of Python's values is owned")]
fn outcomes(
    py: Python<'_>,
    program: Given,
    model: Option<String>,
    reference: &str,
    show: Option<String>,
    unroll: Option<usize>,
    limits: Limited,
) -> PyResult<String> {
    let choice = model.as_deref().map(|name| match Model::from_name(name) {
        Some(model) => Ok(ModelChoice::BuiltIn(model)),
        None if Path::new(name).extension().is_some_and(|end| end == "cat") => {
            Ok(ModelChoice::File(name.into()))
        }
        None => {
            let known = Model::ALL.map(Model::name).join(", ");
            let problem = format!(
                "there is no model {name:?}: there are {known}, and files that end in .cat"
            );
            Err(PyValueError::new_err(problem))
        }
    });
    let choice = choice.transpose()?;
    let reference = asked::reference(reference)?;
    let options = Options { unroll, ..limits.options()? };
    ask(py, &program, |workspace, id| {
        let model: Option<AnyModel> =
            choice.as_ref().map(|choice| workspace.model(choice)).transpose()?;
        let question = Outcomes { model, reference, show, executions: 0, options };
        let answer = workspace.outcomes(id, &question)?;
        let loaded = workspace.program(id);
        let told = (&answer, loaded.language());
        Ok(report::json::outcomes(&loaded.file, &loaded.program, &loaded.sources, told))
    })
}

/// What does one run look like?
#[pyfunction]
#[pyo3(signature = (program, *, model, seed, tries, max_steps))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted of Python's values is owned")]
fn simulate(
    py: Python<'_>,
    program: Given,
    model: &str,
    seed: u64,
    tries: u64,
    max_steps: usize,
) -> PyResult<String> {
    let model = memory_model(model)?;
    let question = Simulate { model, seed, tries, max_steps };
    ask(py, &program, |workspace, id| {
        let found = workspace.simulate(id, &question)?;
        let loaded = workspace.program(id);
        let (file, sources) = (&loaded.file, &loaded.sources);
        Ok(match found {
            Ok(found) => {
                let machine = Machine::new(&loaded.program, model)
                    .expect("a run of a program with a definite number of threads");
                let (seed, run) = (found.seed, &found.run);
                report::json::simulation(file, seed, &loaded.program, sources, run, &machine)
            }
            Err(reason) => {
                report::json::undecided(file, "fencewright.simulate/1", &reason.to_string())
            }
        })
    })
}

/// Which accesses may be reordered on critical cycles, and which fences keep them in order?
#[pyfunction]
#[pyo3(signature = (program, *, arch, repair, reference, orders, policies, shown, limits))]
#[expect(clippy::needless_pass_by_value, reason = "what is extracted of Python's values is owned")]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
fn cycles_of(
    py: Python<'_>,
    program: Given,
    arch: &str,
    repair: bool,
    reference: &str,
    orders: bool,
    policies: bool,
    shown: usize,
    limits: Limited,
) -> PyResult<String> {
    let arch = named("architecture", arch, Arch::ALL.map(|arch| (arch.name(), arch)))?;
    let reference: Reference = asked::reference(reference)?;
    let deadline = limits.of_time("critical cycles have no states")?;
    let question =
        Cycles { repair, reference, orders, policies, shown, deadline, ..Cycles::on(arch) };
    ask_whole(py, &program, |workspace, given| {
        let (file, sources, answer) = given.cycles(workspace, &question)?;
        Ok(report::json::cycles(&file, &sources, &answer, None))
    })
}

/// The native half of the package `fencewright`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{check, cycles_of, fence, outcomes, reach, simulate};

    /// The version of Fencewright.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "so it is called in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
