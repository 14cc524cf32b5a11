//! Schema `fencewright.outcomes/1`: the final states of a program under a memory model.

use analysis::final_states::{FailedRun, Witness};
use axiomatic::event::{Effect, Event};
use axiomatic::{Axioms, Execution, Raised, WhyNot};
use cycles::Reference;
use frontend::fw::Notation;
use frontend::{Language, Told};
use program::{Observable, Program, Sources, Value};
use semantics::{Machine, Model};
use serde::Serialize;
use serde_json::Map;
use workspace::OutcomesAnswer;

use super::reach::Figures;
use super::run::{Run, model_name, undecided};
use super::{Position, noted};
use crate::execution_text::letter;
use crate::outcomes::{Answer, Place, place, relations, word};
use crate::undecided::explained;

const SCHEMA: &str = "fencewright.outcomes/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    model: &'a str,
    /// What the states are compared with, if not with those of SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'static str>,
    verdict: &'static str,
    reason: Option<&'a str>,
    /// Where the reason is.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    advice: Option<&'a str>,
    /// The reason in a word, where it is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    states: Vec<Values>,
    only_weak: Vec<Option<bool>>,
    /// The flags of the model that executions raise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flags: Vec<Raising>,
    /// The errors with which other runs end.
    errors: Vec<Failed>,
    same_as_sc: Option<&'static str>,
    condition: Option<Condition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    show: Option<Shown<'a>>,
    executions: Option<u64>,
    statistics: Figures,
}

#[derive(Serialize)]
struct Failed {
    thread: String,
    what: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    only_weak: Option<bool>,
}

type Values = Map<String, serde_json::Value>;

#[derive(Serialize)]
struct Condition {
    quantifier: String,
    observation: Option<&'static str>,
    holds: Option<bool>,
    positive: usize,
    negative: usize,
}

#[derive(Serialize)]
struct Shown<'a> {
    condition: &'a str,
    state: Option<Values>,
    witness: Option<Way<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<Reasons>,
}

/// How the program gets to a state.
#[derive(Serialize)]
struct Way<'a> {
    model: &'a str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    run: Option<Run<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    graph: Option<Graph>,
}

/// A flag of the model, and an execution that raises it.
#[derive(Serialize)]
struct Raising {
    flag: String,
    /// Whether the program has no defined behaviour for that reason.
    undefined: bool,
    /// The events that it is about.
    pairs: Vec<[String; 2]>,
    #[serde(flatten)]
    graph: Graph,
}

#[derive(Serialize)]
pub(super) struct Graph {
    events: Vec<Happening>,
    relations: Map<String, serde_json::Value>,
}

/// Why there is no such state.
#[derive(Serialize)]
struct Reasons {
    candidates: u64,
    forbidden: Vec<Forbidden>,
}

#[derive(Serialize)]
struct Forbidden {
    axiom: String,
    cycle: Vec<Step>,
    execution: Graph,
}

#[derive(Serialize)]
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

#[derive(Serialize)]
struct Happening {
    event: String,
    thread: Option<String>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
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
        schema: SCHEMA,
        file,
        model: all.model.name(),
        reference: (given.reference != Reference::Sc).then(|| given.reference.name()),
        verdict: match (doubt, all.undefined()) {
            (_, Some(_)) => "undefined",
            (Some(_), None) => "undecided",
            (None, None) => "complete",
        },
        reason: doubt.map(|doubt| doubt.reason.as_str()),
        position: doubt.and_then(|doubt| {
            doubt.at.source.map(|source| Position::of(sources, source, doubt.at.start))
        }),
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
        show: answer.asked.map(|asked| Shown {
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
    let position = span.source.map(|source| Position::of(sources, source, span.start));
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
            position: edge.and_then(|(_, edge)| {
                edge.span.source.map(|source| Position::of(sources, source, edge.span.start))
            }),
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
