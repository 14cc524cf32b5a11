//! What threads really do is in the event graph: on the C programs of the corpus, every access of a random
//! run to an address that two created threads access, one of them writing, is an access of the graph at the
//! same line and, where the address is a global variable, of a location of that variable.

mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use events::{AccessKind, Action, Graph, Instances, LocationSet};
use facts::{Options, ThreadEntry};
use lowering::{Entry, Environment};
use program::{Sources, Value};
use semantics::{Action as Seen, Machine, Model, Move};

use crate::tools::{Named, Workshop};

const RUNS: u64 = 24;
const STEPS: usize = 3000;

/// Where the lowering says that a library function ends at the end of the function that it calls: the flags
/// of `pthread_once` and `call_once`.
const ELSEWHERE: [(&str, &str); 2] = [("c11-mutex.c", "opened"), ("once.c", "made")];

/// An access of a run: thread, first and last line, whether it reads and writes.
type Access = (usize, usize, usize, bool, bool);

fn what(action: &Seen) -> Option<(Value, bool, bool)> {
    match action {
        Seen::Load { address, .. } => Some((*address, true, false)),
        Seen::Issue { address, .. } | Seen::Store { address, .. } => Some((*address, false, true)),
        Seen::Locked { address, read, written } => {
            Some((*address, read.is_some(), written.is_some()))
        }
        Seen::Local | Seen::Fence(_) | Seen::Lock | Seen::Unlock | Seen::Fault(_) => None,
    }
}

fn accesses(program: &program::Program, sources: &Sources) -> BTreeMap<Value, BTreeSet<Access>> {
    let mut found: BTreeMap<Value, BTreeSet<Access>> = BTreeMap::new();
    let machine = Machine::new(program, Model::Sc).expect("a program with threads");
    for seed in 0..RUNS {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut state = machine.initial();
        for _ in 0..STEPS {
            let offers = machine.offers(&state);
            let Some(offer) = chance.choice(offers) else { break };
            let Some(taken) = offer.moves().next() else { break };
            let Ok((next, actions)) = machine.apply(&state, taken) else { break };
            if let Move::Execute { thread, edge, .. } = taken {
                let template = machine.template(thread);
                let span = template.edge(edge).span;
                if let Some(source) = span.source
                    && template.name() != "main"
                {
                    let (first, _) = sources.line_column(source, span.start);
                    let (last, _) = sources.line_column(source, span.end);
                    for (address, reads, writes) in actions.iter().filter_map(what) {
                        let number = program::index::Idx::index(thread);
                        let access = (number, first, last, reads, writes);
                        found.entry(address).or_default().insert(access);
                    }
                }
            }
            state = next;
        }
    }
    found
}

fn is_there((graph, sources): &(Graph, Sources), variable: Option<&str>, access: &Access) -> bool {
    let (_, first, last, _, writes) = *access;
    graph.functions.iter().flat_map(|function| &function.nodes).any(|node| {
        let Some(source) = node.span.source else { return false };
        let (line, _) = sources.line_column(source, node.span.start);
        let Action::Access(found) = &node.action else { return false };
        let is_named = variable.is_none_or(|variable| match &found.locations {
            LocationSet::Any | LocationSet::Before(_) => true,
            LocationSet::Some(all) => all.iter().any(|one| {
                let name = &graph.locations[*one].name;
                name.split(['+', '[']).next() == Some(variable)
            }),
        });
        // An update that failed only read.
        let is_kind = match found.kind {
            AccessKind::Read | AccessKind::ReadExclusive => !writes,
            AccessKind::Write | AccessKind::WriteExclusive => writes,
            AccessKind::Update { .. } => true,
        };
        (first..=last).contains(&line) && is_named && is_kind
    })
}

#[test]
fn what_threads_do_is_in_the_graph() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("it is there")
        .map(|file| file.expect("a file").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "c"));
    files.sort();
    let workshop = Workshop::new("corpus");
    let (mut programs, mut compared) = (0, 0);
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let text = fs::read_to_string(&file).expect("a text");
        let modules = [workshop.c(name, &text)];
        let (mut entries, mut threads) = (Vec::new(), Vec::new());
        if name == "mailbox-library.c" {
            for (function, copies) in [("producer", 2), ("consumer", 1)] {
                let (function, arguments) = (function.to_owned(), Vec::new());
                let instances = if copies > 1 { Instances::Many } else { Instances::Exactly(1) };
                let none = Vec::new();
                threads.push(ThreadEntry {
                    function: function.clone(),
                    arguments: none,
                    instances,
                });
                entries.push(Entry { function, arguments, copies, is_first: false });
            }
        }
        let mut sources = Sources::new();
        let environment = Environment::default();
        let texts = &mut Named(name, &text);
        let lowered =
            lowering::lower("program", &modules, &entries, &environment, texts, &mut sources);
        let program =
            lowered.unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message)).program;
        let options = Options { threads, ..Options::default() };
        let mut own = Sources::new();
        let graph = facts::events_of(&modules, &options, texts, &mut own)
            .unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message));
        let graph = (graph, own);
        programs += 1;
        for (address, accesses) in accesses(&program, &sources) {
            let threads: BTreeSet<usize> = accesses.iter().map(|one| one.0).collect();
            if threads.len() < 2 || accesses.iter().all(|one| !one.4) {
                continue;
            }
            let cell = program.memory().cell_name(address);
            // What the lowering keeps for itself.
            let kept = [
                "start of ",
                "end of ",
                "argument of ",
                "result of ",
                "closure of ",
                "process.ended",
            ];
            if kept.iter().any(|kept| cell.starts_with(kept)) {
                continue;
            }
            let variable = cell.split(['.', '[']).next().filter(|variable| {
                modules[0]
                    .symbols
                    .iter()
                    .any(|symbol| symbol.name == *variable && symbol.global().is_some())
            });
            for access in &accesses {
                if variable.is_some_and(|variable| ELSEWHERE.contains(&(name, variable))) {
                    continue;
                }
                compared += 1;
                assert!(
                    is_there(&graph, variable, access),
                    "{name}: {cell}, lines {} to {}, reads {}, writes {}",
                    access.1,
                    access.2,
                    access.3,
                    access.4
                );
            }
        }
    }
    assert!(programs > 50 && compared > 500, "{programs} programs, {compared} accesses");
}
