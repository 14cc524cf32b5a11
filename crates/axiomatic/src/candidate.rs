//! From one run of each thread to an execution that lacks only `rf` and `co`.

use std::collections::BTreeSet;

use program::{Program, Value};

use crate::event::Event;
use crate::execution::{Dependencies, Execution};
use crate::flow::Flow;
use crate::relation::{EventSet, Relation};
use crate::run::Run;

/// The execution of these runs, one of each thread, without `rf`, `co` and `fr`. Initial writes come
/// first, then the events of the threads, in program order. Nothing if there are too many of them.
pub(crate) fn skeleton(program: &Program, runs: &[&Run]) -> Option<Execution> {
    let locals = || runs.iter().flat_map(|run| &run.events);
    let addresses: BTreeSet<Value> = locals().filter_map(|local| local.event.address()).collect();
    let initial = |address: Value| {
        let cell = program.memory().cell(address).ok();
        Event::initial(address, cell.map_or(0, |cell| cell.initial))
    };
    let events: Vec<Event> =
        addresses.into_iter().map(initial).chain(locals().map(|local| local.event)).collect();
    if events.len() > EventSet::MAX_EVENTS {
        return None;
    }
    let number = events.len();
    let accessing = |property: &dyn Fn(&Event) -> bool| -> EventSet {
        (0..number).filter(|event| property(&events[*event])).collect()
    };
    let reads = accessing(&|event| event.read().is_some());
    let writes = accessing(&|event| event.written().is_some());
    let same_address = Relation::from_pairs(
        number,
        pairs_of(number).filter(|(from, to)| {
            events[*from].address().is_some() && events[*from].address() == events[*to].address()
        }),
    );
    let same_thread = Relation::from_pairs(
        number,
        pairs_of(number).filter(|(from, to)| {
            events[*from].thread.is_some() && events[*from].thread == events[*to].thread
        }),
    );
    let same_access = same_access(number, runs);
    let po = Relation::from_pairs(
        number,
        same_thread.pairs().filter(|(earlier, later)| earlier < later),
    ) - &same_access;
    let empty = Relation::empty(number);
    let mut execution = Execution {
        po,
        computed: Dependencies::none(number),
        syntactic: Dependencies::none(number),
        success: Dependencies::none(number),
        rmw: empty.clone(),
        fetch: empty.clone(),
        rf: empty.clone(),
        co: empty.clone(),
        fr: empty,
        open: EventSet::EMPTY,
        reads,
        writes,
        same_thread,
        same_address,
        same_access,
        events,
    };
    let mut first = number - locals().count();
    for run in runs {
        add_run(&mut execution, run, first);
        first += run.events.len();
    }
    Some(execution)
}

/// The pairs of events of one access, which are the last of so many events.
fn same_access(number: usize, runs: &[&Run]) -> Relation {
    let mut first = number - runs.iter().map(|run| run.events.len()).sum::<usize>();
    let mut pairs = Vec::new();
    for run in runs {
        for (event, local) in run.events.iter().enumerate().filter(|(event, l)| l.access != *event)
        {
            // The events of an access are numbered one after the other.
            for other in local.access..event {
                pairs.extend([(first + event, first + other), (first + other, first + event)]);
            }
        }
        first += run.events.len();
    }
    Relation::from_pairs(number, pairs)
}

/// One kind of dependencies.
type Kind = fn(&mut Dependencies) -> &mut Relation;

/// Adds the dependencies and the atomic pairs of a run whose first event has this number.
fn add_run(execution: &mut Execution, run: &Run, first: usize) {
    for (number, local) in run.events.iter().enumerate() {
        let to = first + number;
        let kinds: [(Kind, Flow); 3] = [
            (|all| &mut all.addr, local.address),
            (|all| &mut all.data, local.data),
            (|all| &mut all.ctrl, local.control),
        ];
        for (kind, flow) in kinds {
            let from = flow.shifted(first);
            kind(&mut execution.computed).insert_all(from.plain, to);
            kind(&mut execution.syntactic).insert_all(from.picked, to);
            kind(&mut execution.success).insert_all(from.success, to);
        }
    }
    for (read, write) in &run.pairs {
        execution.rmw.insert(first + read, first + write);
    }
    for (read, write) in &run.computed {
        execution.fetch.insert(first + read, first + write);
    }
}

/// All pairs of numbers less than `number`.
fn pairs_of(number: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..number).flat_map(move |from| (0..number).map(move |to| (from, to)))
}
