//! Schema `fencewright.outcomes/1`: the final states of a program under a memory model.

use std::collections::BTreeMap;

use analysis::final_states::{FailedRun, Witness};
use axiomatic::event::{Effect, Event};
use axiomatic::{Axioms, Execution, Raised, WhyNot};
use cycles::Reference;
use frontend::fw::Notation;
use frontend::{Language, Told};
use program::{Observable, Program, Sources, Value};
use schemars::JsonSchema;
use semantics::{Machine, Model};
use serde::Serialize;
use serde_json::Map;
use workspace::OutcomesAnswer;

use super::reach::Figures;
use super::run::{Run, model_name, undecided};
use super::{Head, Region, noted};
use crate::execution_text::letter;
use crate::outcomes::{Answer, Place, place, relations, word};
use crate::undecided::explained;

const SCHEMA: &str = "fencewright.outcomes/1";

#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'a> {
    #[serde(flatten)]
    head: Head,
    /// The input.
    file: &'a str,
    /// The memory model, or the name of a file.
    model: &'a str,
    /// What the states are compared with, if not with those of SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'static str>,
    /// Whether these are all final states and errors (`complete`).
    #[schemars(extend("enum" = ["complete", "undecided", "undefined"]))]
    verdict: &'static str,
    /// Why it is undecided.
    reason: Option<&'a str>,
    /// Where the reason is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// What to do about that.
    advice: Option<&'a str>,
    /// The reason in a word, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    /// The final states, each with the value of everything that is shown, by name.
    #[schemars(with = "Vec<BTreeMap<String, Shown>>")]
    states: Vec<Values>,
    /// For each state whether SC (or the reference) does not allow it; null if not known.
    only_weak: Vec<Option<bool>>,
    /// The flags of the model that executions raise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flags: Vec<Raising>,
    /// The errors with which other runs end.
    errors: Vec<Failed>,
    /// The criterion for which these are the states of SC.
    #[schemars(extend("enum" = ["robustness", "persistence", null]))]
    same_as_sc: Option<&'static str>,
    /// The program's question.
    condition: Option<Condition>,
    /// With `--show`: the state that was asked for, and how the program gets there, or why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    show: Option<Asked<'a>>,
    /// How many candidate executions the axioms were asked about.
    executions: Option<u64>,
    /// What was explored.
    statistics: Figures,
}

#[derive(Serialize, JsonSchema)]
struct Failed {
    thread: String,
    what: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    only_weak: Option<bool>,
}

/// What is shown of a final state: a number, or the name of the location whose address it is.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "this is what `told` makes, as a schema")]
pub(super) enum Shown {
    Number(Value),
    Location(String),
}

type Values = Map<String, serde_json::Value>;

#[derive(Serialize, JsonSchema)]
struct Condition {
    #[schemars(extend("enum" = ["exists", "never", "always"]))]
    quantifier: String,
    #[schemars(extend("enum" = ["Never", "Sometimes", "Always", null]))]
    observation: Option<&'static str>,
    /// Whether the answer is yes; null if not known.
    holds: Option<bool>,
    /// How many states satisfy the condition.
    positive: usize,
    /// How many do not.
    negative: usize,
}

#[derive(Serialize, JsonSchema)]
struct Asked<'a> {
    condition: &'a str,
    #[schemars(with = "Option<BTreeMap<String, Shown>>")]
    state: Option<Values>,
    witness: Option<Way<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<Reasons>,
}

/// How the program gets to a state.
#[derive(Serialize, JsonSchema)]
struct Way<'a> {
    model: &'a str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    run: Option<Run<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    graph: Option<Graph>,
}

/// A flag of the model, and an execution that raises it.
#[derive(Serialize, JsonSchema)]
struct Raising {
    flag: String,
    /// Whether the program has no defined behaviour for that reason.
    undefined: bool,
    /// The events that it is about.
    pairs: Vec<[String; 2]>,
    #[serde(flatten)]
    graph: Graph,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Graph {
    events: Vec<Happening>,
    #[schemars(with = "BTreeMap<String, Vec<[String; 2]>>")]
    relations: Map<String, serde_json::Value>,
}

/// Why there is no such state.
#[derive(Serialize, JsonSchema)]
struct Reasons {
    /// How many candidate executions end like that.
    candidates: u64,
    /// The kinds of reasons why none is allowed.
    forbidden: Vec<Forbidden>,
}

#[derive(Serialize, JsonSchema)]
struct Forbidden {
    /// The axiom that forbids it.
    axiom: String,
    /// The cycle that the axiom excludes.
    cycle: Vec<Step>,
    /// A candidate execution with this cycle.
    execution: Graph,
}

#[derive(Serialize, JsonSchema)]
struct Step {
    from: String,
    relation: String,
    to: String,
}

impl Reasons {
    fn of(program: &Program, sources: &Sources, why: &WhyNot) -> Self {
        let step = |(from, relation, to): &(usize, String, usize)| Step {
            from: letter(*from),
            relation: relation.clone(),
            to: letter(*to),
        };
        let forbidden = why.kinds.values().map(|(execution, violation)| Forbidden {
            axiom: violation.axiom.clone(),
            cycle: violation.cycle.iter().map(step).collect(),
            execution: graph(program, sources, execution),
        });
        Self { candidates: why.candidates, forbidden: forbidden.collect() }
    }
}

#[derive(Serialize, JsonSchema)]
struct Happening {
    /// Its name in relations.
    event: String,
    /// Null for initial values.
    thread: Option<String>,
    #[schemars(extend("enum" = ["initial", "read", "write", "fence", "failed_exclusive"]))]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Region>,
    /// The cell, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// An answer about one input.
pub fn outcomes(
    file: &str,
    program: &Program,
    sources: &Sources,
    (given, language): (&OutcomesAnswer, Language),
) -> String {
    let all = match &given.states {
        Ok(states) => states,
        Err(reason) => return undecided(file, SCHEMA, &explained(reason).reason),
    };
    let answer = &Answer::new(all, (given.shown.as_ref(), given.reference), (program, language));
    let values = |pairs: &[(Observable, Value)]| -> Values {
        let entry = |(seen, value): &(Observable, Value)| {
            (answer.words.observable(*seen), told(answer.words.told(*seen, *value)))
        };
        pairs.iter().map(entry).collect()
    };
    let state = |state: &analysis::final_states::State| {
        let shown = all.shown.iter().copied();
        values(&shown.zip(state.values.iter().copied()).collect::<Vec<_>>())
    };
    let machines = [Model::Sc, Model::Tso].map(|model| Machine::new(program, model).ok());
    let way = |witness: &Witness| match witness {
        Witness::Run(run) => {
            let [sc, tso] = &machines;
            let machine = match run.computation.model {
                Model::Sc => sc,
                Model::Tso => tso,
            };
            let steps = machine.as_ref().map(|machine| Run::of(program, sources, run, machine));
            Way { model: model_name(run.computation.model), run: steps, graph: None }
        }
        Witness::Graph(execution) => {
            let graph = Some(graph(program, sources, execution));
            Way { model: all.model.name(), run: None, graph }
        }
    };
    let doubt = answer.doubt.as_ref();
    let document = Document {
        head: Head::of(SCHEMA),
        file,
        model: all.model.name(),
        reference: (given.reference != Reference::Sc).then(|| given.reference.name()),
        verdict: match (doubt, all.undefined()) {
            (_, Some(_)) => "undefined",
            (Some(_), None) => "undecided",
            (None, None) => "complete",
        },
        reason: doubt.map(|doubt| doubt.reason.as_str()),
        position: doubt.and_then(|doubt| Region::of(sources, doubt.at)),
        advice: doubt.and_then(|doubt| doubt.advice.as_deref()),
        cause: doubt.map(|doubt| doubt.cause),
        states: all.states.iter().map(state).collect(),
        only_weak: all.states.iter().map(|state| state.only_weak).collect(),
        flags: all
            .flags
            .iter()
            .map(|(flag, raised)| raising(program, sources, flag, raised))
            .collect(),
        errors: all.errors.iter().map(|error| failed(program, sources, error)).collect(),
        same_as_sc: all.because.map(analysis::Criterion::name),
        condition: all.answer.map(|answer| Condition {
            quantifier: answer.quantifier.to_string(),
            observation: answer.observation.map(word),
            holds: answer.holds,
            positive: answer.positive,
            negative: answer.negative,
        }),
        show: answer.asked.map(|asked| Asked {
            condition: &asked.condition,
            state: asked.found.as_ref().map(|(state, _)| values(state)),
            witness: asked.found.as_ref().map(|(_, witness)| way(witness)),
            why_not: asked.why_not.as_ref().map(|why| Reasons::of(program, sources, why)),
        }),
        executions: all.candidates,
        statistics: Figures::of(&all.statistics),
    };
    noted(&document, &given.premises, &given.notes, sources)
}

/// A number, or the name of the location whose address a value is.
pub(super) fn told(value: Told) -> serde_json::Value {
    match value {
        Told::Number(value) => serde_json::to_value(value).expect("values fit into 64 bits"),
        Told::Location(name) => serde_json::Value::String(name),
    }
}

fn failed(program: &Program, sources: &Sources, error: &FailedRun) -> Failed {
    let Place { thread, span, why } = place(program, error);
    let position = Region::of(sources, span);
    Failed { thread, what: why, position, only_weak: error.only_weak }
}

fn raising(program: &Program, sources: &Sources, flag: &str, raised: &Raised) -> Raising {
    let Raised { undefined, pairs, execution } = raised;
    Raising {
        flag: flag.to_owned(),
        undefined: *undefined,
        pairs: pairs.iter().map(|(from, to)| [letter(*from), letter(*to)]).collect(),
        graph: graph(program, sources, execution),
    }
}

pub(super) fn graph(program: &Program, sources: &Sources, execution: &Execution) -> Graph {
    let notation = Notation::new(program);
    let threads = program.threads().unwrap_or_default();
    let happening = |(number, event): (usize, &Event)| {
        let thread = event.thread.and_then(|thread| threads.get(thread));
        let edge = thread
            .zip(event.edge)
            .map(|(thread, edge)| (thread.template, program.template(thread.template).edge(edge)));
        let (kind, address, value) = match event.effect {
            Effect::Read { address, value } => ("read", Some(address), Some(value)),
            Effect::Write { address, value } => ("write", Some(address), Some(value)),
            Effect::Fence(_) => ("fence", None, None),
            Effect::FailedExclusive => ("failed_exclusive", None, None),
        };
        Happening {
            event: letter(number),
            thread: thread.map(|thread| thread.name.clone()),
            kind: if thread.is_none() { "initial" } else { kind },
            instruction: edge.map(|(template, edge)| notation.instruction(template, edge)),
            position: edge.and_then(|(_, edge)| Region::of(sources, edge.span)),
            address: address.map(|address| program.memory().cell_name(address)),
            value,
        }
    };
    let events = execution.events.iter().enumerate().map(happening).collect();
    let related = relations(execution).into_iter().map(|(name, pairs)| {
        let pairs: Vec<[String; 2]> =
            pairs.into_iter().map(|(from, to)| [letter(from), letter(to)]).collect();
        (name.to_owned(), serde_json::to_value(pairs).expect("plain data can be serialised"))
    });
    Graph { events, relations: related.collect() }
}
