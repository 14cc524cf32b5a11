//! Runs in documents, read again: which moves of a program are told like this?
//!
//! A document does not name moves; it tells what they did. So the machine is asked what it can do, step by
//! step, and whatever is told as the document tells it is taken; where a value was chosen that shows only later,
//! others are tried. What comes out is a run of the program, whoever wrote the document.

use std::collections::{BTreeMap, VecDeque};

use frontend::fw::Notation;
use program::{EdgeId, Program, Sources, ThreadId};
use semantics::{Action, Machine, Model, Move, Offer, State, Step};
use serde_json::Value as Json;

use super::run::entries_of;

/// So many values of one choice are tried.
const MOST_VALUES: usize = 256;

/// So many moves are tried in all.
const MOST_TRIES: usize = 1_000_000;

/// The instructions whose stores wait, of each thread, oldest first.
type Waiting = BTreeMap<ThreadId, VecDeque<EdgeId>>;

/// A point of the run, and what can still be tried there.
struct Point {
    state: State,
    waiting: Waiting,
    /// How many entries of the document are behind it.
    read: usize,
    candidates: Vec<Move>,
}

/// The first run in a document, as a run of this machine; or why there is none.
pub fn run(
    document: &str,
    program: &Program,
    sources: &Sources,
    machine: &Machine<'_>,
) -> Result<Vec<Step>, String> {
    let document = document.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let document: Json = serde_json::from_str(document)
        .map_err(|error| format!("that is not a document of Fencewright: {error}"))?;
    let entries = first_run(&document).ok_or("there is no run in that document")?;
    let notation = Notation::new(program);
    let told = |step: &Step, edge: Option<EdgeId>| -> Vec<Json> {
        let entries = entries_of(step, edge, program, sources, machine, &notation);
        let json = |entry| serde_json::to_value(entry).expect("plain data can be serialised");
        // The document may have been written about a copy in another folder.
        entries.into_iter().map(json).map(without_file).collect()
    };
    let entries: Vec<Json> = entries.iter().cloned().map(without_file).collect();
    let first = machine.initial();
    let candidates = candidates(machine, &first);
    let mut points = vec![Point { state: first, waiting: Waiting::new(), read: 0, candidates }];
    let mut steps: Vec<Step> = Vec::new();
    let mut furthest = 0;
    let mut tries = 0;
    while let Some(point) = points.last_mut() {
        if point.read == entries.len() {
            return Ok(steps);
        }
        tries += 1;
        let Some(taken) = point.candidates.pop().filter(|_| tries < MOST_TRIES) else {
            points.pop();
            steps.pop();
            continue;
        };
        let (next, actions) = machine
            .apply(&point.state, taken)
            .map_err(|why| format!("the machine does not do what it offers: {why}"))?;
        let step = Step { taken, actions };
        let mut waiting = point.waiting.clone();
        let edge = pass(&mut waiting, machine.model(), &step);
        let told = told(&step, edge);
        if !entries[point.read..].starts_with(&told) {
            continue;
        }
        let read = point.read + told.len();
        furthest = furthest.max(read);
        steps.push(step);
        let candidates = self::candidates(machine, &next);
        points.push(Point { state: next, waiting, read, candidates });
    }
    Err(format!(
        "the program has no such run: step {} of it is not possible (was it written about another program, \
         or under another memory model?)",
        furthest + 1
    ))
}

/// The instruction that a step is about, and what waits after it.
fn pass(waiting: &mut Waiting, model: Model, step: &Step) -> Option<EdgeId> {
    let own = waiting.entry(step.taken.thread()).or_default();
    let edge = match step.taken {
        Move::Execute { edge, .. } => Some(edge),
        Move::Commit { .. } => own.pop_front(),
    };
    let is_issue = |action: &Action| matches!(action, Action::Issue { .. });
    if model == Model::Tso && step.actions.iter().any(is_issue) {
        own.extend(edge);
    }
    edge
}

/// What can be tried, the first one last.
fn candidates(machine: &Machine<'_>, state: &State) -> Vec<Move> {
    let offers = machine.offers(state).into_iter();
    let mut all: Vec<Move> =
        offers.flat_map(|offer: Offer| offer.moves().take(MOST_VALUES)).collect();
    all.reverse();
    all
}

fn without_file(mut entry: Json) -> Json {
    if let Some(members) = entry.as_object_mut() {
        members.remove("file");
    }
    entry
}

/// The entries of the first run that a document contains.
fn first_run(document: &Json) -> Option<&Vec<Json>> {
    match document {
        Json::Object(members) => match members.get("steps") {
            Some(Json::Array(steps)) if steps.iter().all(|step| step.get("action").is_some()) => {
                Some(steps)
            }
            Some(_) | None => members.values().find_map(first_run),
        },
        Json::Array(all) => all.iter().find_map(first_run),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}
