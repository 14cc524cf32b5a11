//! Runs of a program, and schema `fencewright.simulate/1`: one of them.

use std::collections::{BTreeMap, VecDeque};

use analysis::histories::Event;
use analysis::{Ending, Execution, final_state};
use frontend::fw::Notation;
use program::{EdgeId, Fault, Program, Sources, ThreadId, Value};
use schemars::JsonSchema;
use semantics::{Action, Machine, Model, Move, Step as Taken};
use serde::Serialize;

use super::{Head, Region, line};

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// The memory model.
    #[schemars(extend("enum" = ["sc", "tso"]))]
    model: &'static str,
    /// The seed of the random schedule.
    seed: u64,
    #[serde(flatten)]
    run: Run<'a>,
}

/// A run, as every document shows it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Run<'a> {
    /// How the run ends.
    #[schemars(extend("enum" = ["terminated", "step_limit", "goal", "history", "deadlock", "fault", "limit"]))]
    ending: &'static str,
    /// What is wrong at its end, if something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// One entry for each action.
    steps: Vec<Step<'a>>,
    /// The calls and returns, if no sequential order explains them.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<Called<'a>>>,
    /// The cells that do not hold what they started with, by name.
    #[schemars(with = "BTreeMap<String, Value>")]
    memory: serde_json::Map<String, serde_json::Value>,
    /// What the program's question mentions, by name, where every thread has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, Value>")]
    asked: Option<serde_json::Map<String, serde_json::Value>>,
    /// Whether what follows the quantifier is true in this final state.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<bool>,
}

/// A call or a return.
#[derive(Serialize, JsonSchema)]
struct Called<'a> {
    thread: &'a str,
    /// The number of the step, from 0.
    step: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<Value>>,
}

impl<'a> Called<'a> {
    fn all(ending: &Ending, machine: &'a Machine<'_>) -> Option<Vec<Self>> {
        let Ending::History(history) = ending else { return None };
        let of = |one: &analysis::histories::Occurrence| {
            let (call, arguments, results) = match one.event.clone() {
                Event::Call { operation, arguments } => (Some(operation), Some(arguments), None),
                Event::Return { results } => (None, None, Some(results)),
            };
            let thread = machine.threads()[one.thread].name.as_str();
            Called { thread, step: one.step, call, arguments, results }
        };
        Some(history.occurrences.iter().map(of).collect())
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Step<'a> {
    thread: &'a str,
    /// What it does.
    #[schemars(extend("enum" = ["local", "issue", "store", "load", "locked", "fence", "lock", "unlock", "fault"]))]
    action: &'static str,
    /// The instruction, in `.fw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// The cell, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The value loaded or stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// The value a locked access read.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Value>,
    /// The value a locked access wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Value>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// One run.
pub fn simulation(
    file: &str,
    seed: u64,
    program: &Program,
    sources: &Sources,
    simulation: &Execution,
    machine: &Machine<'_>,
) -> String {
    let model = model_name(simulation.computation.model);
    let run = Run::of(program, sources, simulation, machine);
    line(&Document { head: Head::of("fencewright.simulate/1"), file, model, seed, run })
}

/// A memory model as it is called on the command line.
pub(super) const fn model_name(model: Model) -> &'static str {
    match model {
        Model::Sc => "sc",
        Model::Tso => "tso",
    }
}

impl<'a> Run<'a> {
    pub(super) fn of(
        program: &'a Program,
        sources: &'a Sources,
        execution: &Execution,
        machine: &'a Machine<'_>,
    ) -> Self {
        let notation = Notation::new(program);
        let taken = &execution.computation.steps;
        let memory = execution.last.changed_memory().iter().map(|(address, value)| {
            let value = serde_json::to_value(value).expect("values fit into 64 bits");
            (program.memory().cell_name(*address), value)
        });
        let final_state = final_state(program, execution);
        let asked = final_state.as_ref().filter(|state| !state.seen.is_empty()).map(|state| {
            let entry = |(seen, value): &(program::Observable, Value)| {
                (notation.observable(program, *seen), serde_json::to_value(value).expect("64 bits"))
            };
            state.seen.iter().map(entry).collect()
        });
        let (ending, reason) = ending(&execution.ending, machine);
        Self {
            ending,
            reason,
            steps: steps(taken, program, sources, machine),
            history: Called::all(&execution.ending, machine),
            memory: memory.collect(),
            asked,
            condition: final_state.and_then(|state| state.condition).map(|(_, holds)| holds),
        }
    }
}

/// A program of which nothing can be shown.
#[derive(Serialize, JsonSchema)]
pub(super) struct Undecided<'a> {
    #[serde(flatten)]
    head: Head,
    file: &'a str,
    #[schemars(extend("enum" = ["undecided"]))]
    verdict: &'static str,
    /// Why nothing is known.
    reason: &'a str,
}

/// A program of which no single run can be shown.
pub fn undecided(file: &str, schema: &'static str, reason: &str) -> String {
    line(&Undecided { head: Head::of(schema), file, verdict: "undecided", reason })
}

fn ending(ending: &Ending, machine: &Machine<'_>) -> (&'static str, Option<String>) {
    match ending {
        Ending::Terminated => ("terminated", None),
        Ending::StepLimit => ("step_limit", None),
        Ending::Goal => ("goal", None),
        Ending::History(history) => {
            ("history", Some(crate::history_text::unexplained(history.asked).to_owned()))
        }
        Ending::Deadlock(waiting) => {
            let names: Vec<&str> =
                waiting.iter().map(|one| machine.threads()[one.thread].name.as_str()).collect();
            ("deadlock", Some(format!("waiting forever: {}", names.join(", "))))
        }
        Ending::Fault { thread, edge, fault } => {
            ("fault", Some(machine.template(*thread).why(*edge, *fault)))
        }
        Ending::Limit { fault, .. } => ("limit", Some(fault.to_string())),
    }
}

/// One entry for each action of each step. A store that reaches memory has the place of the
/// instruction that issued it.
pub(super) fn steps<'a>(
    taken: &[Taken],
    program: &'a Program,
    sources: &'a Sources,
    machine: &'a Machine<'_>,
) -> Vec<Step<'a>> {
    let notation = Notation::new(program);
    let mut buffered: BTreeMap<ThreadId, VecDeque<EdgeId>> = BTreeMap::new();
    let mut entries = Vec::new();
    for step in taken {
        let waiting = buffered.entry(step.taken.thread()).or_default();
        let edge = match step.taken {
            Move::Execute { edge, .. } => Some(edge),
            Move::Commit { .. } => waiting.pop_front(),
        };
        let is_issue = |action: &Action| matches!(action, Action::Issue { .. });
        if machine.model() == Model::Tso && step.actions.iter().any(is_issue) {
            waiting.extend(edge);
        }
        entries.extend(entries_of(step, edge, program, sources, machine, &notation));
    }
    entries
}

pub(super) fn entries_of<'a>(
    step: &Taken,
    edge: Option<EdgeId>,
    program: &'a Program,
    sources: &'a Sources,
    machine: &'a Machine<'_>,
    notation: &Notation,
) -> Vec<Step<'a>> {
    let thread = &machine.threads()[step.taken.thread()];
    let template = program.template(thread.template);
    let why =
        |fault: Fault| edge.map_or_else(|| fault.to_string(), |edge| template.why(edge, fault));
    let edge = edge.map(|edge| template.edge(edge));
    let source = edge.and_then(|edge| edge.span.source);
    let entry = |action: &Action| {
        let mut entry = Step {
            thread: &thread.name,
            action: "local",
            instruction: edge.map(|edge| notation.instruction(thread.template, edge)),
            file: source.map(|source| sources.name(source)),
            position: edge.and_then(|edge| Region::of(sources, edge.span)),
            address: None,
            value: None,
            read: None,
            written: None,
            fault: None,
        };
        let name = |address: Value| Some(program.memory().cell_name(address));
        match action {
            Action::Local => {}
            Action::Issue { address, value } => {
                (entry.action, entry.address, entry.value) =
                    ("issue", name(*address), Some(*value));
            }
            Action::Store { address, value } => {
                (entry.action, entry.address, entry.value) =
                    ("store", name(*address), Some(*value));
            }
            Action::Load { address, value } => {
                (entry.action, entry.address, entry.value) = ("load", name(*address), Some(*value));
            }
            Action::Locked { address, read, written } => {
                (entry.action, entry.address) = ("locked", name(*address));
                (entry.read, entry.written) = (*read, *written);
            }
            Action::Fence(_) => entry.action = "fence",
            Action::Lock => entry.action = "lock",
            Action::Unlock => entry.action = "unlock",
            Action::Fault(fault) => {
                (entry.action, entry.fault) = ("fault", Some(why(*fault)));
            }
        }
        entry
    };
    step.actions.iter().map(entry).collect()
}
