//! Programs of the corpus by the kernels, on this machine: verdict, states, transitions and depth are those
//! of the processors, and runs were replayed.

mod host;

use std::path::{Path, PathBuf};

use gpu::Room;
use semantics::Model;
use workspace::{
    Check, CheckMethod, Criterion, Engine, InMemory, Options, Reach, Reason, Reductions, Searcher,
    Statistics, Verdict, Workspace,
};

/// Programs, and what is looked for in them.
const PROGRAMS: [(&str, Asked); 9] = [
    ("mutex/peterson.fw", Asked::Errors),
    ("mutex/szymanski.fw", Asked::Robustness),
    ("mutex/dekker-fenced.fw", Asked::Robustness),
    ("mutex/burns.fw", Asked::Persistence),
    ("mutex/lamport-fast-1.fw", Asked::Errors),
    ("structures/treiber-stack.fw", Asked::Errors),
    ("structures/michael-scott.fw", Asked::ErrorsUnderTso),
    ("locks/ticket.fw", Asked::Goal("p[0]@critical && inside == 2")),
    ("mutex/bakery.fw", Asked::Errors),
];

#[derive(Clone, Copy)]
enum Asked {
    Errors,
    ErrorsUnderTso,
    Goal(&'static str),
    Robustness,
    Persistence,
}

fn answer(file: &Path, asked: Asked, options: Options) -> (String, Statistics) {
    let mut workspace = Workspace::new(InMemory::new());
    let text = std::fs::read_to_string(file).expect("a program of the corpus");
    let id = workspace.text(&file.display().to_string(), &text).expect("a program");
    let criteria = |criterion| Check {
        criteria: vec![criterion],
        method: CheckMethod::Exact,
        options,
        ..Check::default()
    };
    let reach = Reach { options, ..Reach::default() };
    let reach = match asked {
        Asked::Errors => reach,
        Asked::ErrorsUnderTso => Reach { model: Model::Tso, ..reach },
        Asked::Goal(goal) => {
            let goal = Some(goal.to_owned());
            Reach { goal, faults: false, deadlocks: false, final_states: false, ..reach }
        }
        Asked::Robustness | Asked::Persistence => {
            let criterion = match asked {
                Asked::Robustness => Criterion::Robustness,
                Asked::Persistence | Asked::Errors | Asked::ErrorsUnderTso | Asked::Goal(_) => {
                    Criterion::Persistence
                }
            };
            let answer = workspace.check(id, &criteria(criterion)).expect("an answer");
            let result = &answer.results[0];
            return (kind(&result.verdict), result.statistics);
        }
    };
    let answer = workspace.reach(id, &reach).expect("an answer");
    (kind(&answer.verdict), answer.statistics)
}

fn kind<E>(verdict: &Verdict<E>) -> String {
    match verdict {
        Verdict::Holds(_) => "holds".to_owned(),
        Verdict::Violated(_) => "violated".to_owned(),
        Verdict::Undecided(reason) => reason.to_string(),
    }
}

#[test]
fn programs_of_the_corpus_as_by_the_processors() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let room = Room {
        first: 1 << 12,
        most: 1 << 20,
        queue: 1 << 16,
        part: 1 << 14,
        look: 1 << 14,
        pass: 1 << 16,
        scout: 0,
    };
    let engine = Box::leak(Box::new(host::engine(1 << 26, room)));
    let mut verdicts = Vec::new();
    for (file, asked) in PROGRAMS {
        let reductions = Reductions { local_steps: true, ..Reductions::NONE };
        let here = Options { reductions, ..Options::default() };
        let searcher = Some(Searcher { engine: Engine::Cuda, tables: &*engine });
        let there = Options { searcher, probe_states: 0, ..here };
        let (expected, did) = answer(&corpus.join(file), asked, here);
        let (found, did_there) = answer(&corpus.join(file), asked, there);
        assert_eq!(found, expected, "{file}");
        let figures = |did: &Statistics| (did.states, did.transitions, did.depth);
        assert_eq!(figures(&did_there), figures(&did), "{file}");
        verdicts.push(found);
    }
    for verdict in ["holds", "violated"] {
        assert!(verdicts.iter().filter(|one| *one == verdict).count() >= 2, "{verdicts:?}");
    }
}

/// Automata that grow for ever have no tables.
#[test]
fn what_has_no_tables_is_undecided() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/locks/spinlock-counter.fw");
    let text = std::fs::read_to_string(file).expect("a program of the corpus");
    let mut workspace = Workspace::new(InMemory::new());
    let id = workspace.text("spinlock-counter.fw", &text).expect("a program");
    let room = Room {
        first: 1 << 12,
        most: 1 << 12,
        queue: 1 << 8,
        part: 1 << 8,
        look: 1 << 8,
        pass: 1 << 16,
        scout: 0,
    };
    let engine = Box::leak(Box::new(host::engine(1 << 20, room)));
    let searcher = Some(Searcher { engine: Engine::Cuda, tables: engine });
    let options = Options { searcher, probe_states: 0, ..Options::default() };
    let answer = workspace.reach(id, &Reach { options, ..Reach::default() }).expect("an answer");
    let Verdict::Undecided(Reason::NotByEngine { engine, what }) = answer.verdict else {
        panic!("{:?}", answer.verdict)
    };
    assert_eq!(engine, Engine::Cuda);
    assert_eq!(what, "the threads have more local states than can be found out before the search");
}
