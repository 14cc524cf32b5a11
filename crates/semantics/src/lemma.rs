//! Lemma 1 of the ESOP'13 paper, checked on small programs by trying all computations: a TSO trace
//! is an SC trace if and only if happens-before has no cycle. The programs have what the paper
//! leaves out: locked sections, updates, exclusive accesses and faults. In the same way what
//! [`crate::realisable`] says of a trace: whether an SC computation has its accesses, with the same
//! values or from the same writes, and its one order of stores.

use std::collections::{BTreeMap, BTreeSet};

use oracle::generate::across::random_programs_across;
use oracle::generate::random::{Shape, random_programs};
use program::index::Idx;
use program::{FenceKind, FetchOp, Instruction, Program, ThreadId, Update, Value};

use crate::sample::*;
use crate::{
    Computation, Event, Machine, Model, Node, NodeId, Relation, Same, Source, State, Step, Trace,
    replay,
};

/// The event with other sources.
fn with_sources(event: Event, change: impl Fn(Source) -> Source) -> Event {
    match event {
        Event::Load { address, value, source } => {
            Event::Load { address, value, source: change(source) }
        }
        Event::Update { address, read, written } => {
            let read = read.map(|(value, source)| (value, change(source)));
            Event::Update { address, read, written }
        }
        other @ (Event::Local
        | Event::Store { .. }
        | Event::Fence(_)
        | Event::Lock
        | Event::Unlock
        | Event::Fault(_)) => other,
    }
}

/// A trace with its nodes numbered thread by thread, so that equal traces are equal.
type Canonical = (Vec<Node>, BTreeMap<Value, Vec<usize>>);

fn canonical(trace: &Trace) -> Canonical {
    let order: Vec<NodeId> = trace.program_order().iter().flatten().copied().collect();
    let number = |node: NodeId| order.iter().position(|other| *other == node).unwrap();
    let renumber = |source| match source {
        Source::Initial => Source::Initial,
        Source::Node(node) => Source::Node(NodeId::new(number(node))),
    };
    let nodes = order.iter().map(|node| {
        let node = trace.nodes()[*node];
        Node { event: with_sources(node.event, renumber), ..node }
    });
    let stores = trace.store_order().iter().map(|(address, nodes)| {
        (*address, nodes.iter().map(|node| number(*node)).collect::<Vec<usize>>())
    });
    (nodes.collect(), stores.collect())
}

/// The accesses of each thread in program order, and the threads in the order in which their writes
/// reached memory. Reads have sources, numbered among these accesses, only if these matter.
type Accesses = (Vec<Node>, Vec<ThreadId>);

fn accesses(trace: &Trace, same: Same) -> Accesses {
    let is_access = |node: &NodeId| match trace.nodes()[*node].event {
        Event::Load { .. } | Event::Store { .. } | Event::Update { .. } => true,
        Event::Local | Event::Fence(_) | Event::Lock | Event::Unlock | Event::Fault(_) => false,
    };
    let order: Vec<NodeId> =
        trace.program_order().iter().flatten().copied().filter(is_access).collect();
    let source = |source| match (same, source) {
        (Same::Source, Source::Node(node)) => {
            let at = order.iter().position(|other| *other == node);
            Source::Node(NodeId::new(at.expect("an access")))
        }
        (Same::Value, Source::Node(_)) | (Same::Value | Same::Source, Source::Initial) => {
            Source::Initial
        }
    };
    let nodes = order.iter().map(|node| {
        let node = trace.nodes()[*node];
        Node { event: with_sources(node.event, source), ..node }
    });
    let writers = trace.arrivals().iter().map(|node| trace.nodes()[*node].thread);
    (nodes.collect(), writers.collect())
}

/// The computations tried are no more than this.
const MOST: usize = 8_000;

/// Calls `visit` with the trace of each computation that ends with empty buffers; says whether
/// these were all.
fn all_traces(program: &Program, model: Model, visit: &mut impl FnMut(&Trace)) -> bool {
    fn explore(
        machine: &Machine<'_>,
        state: &State,
        (computation, tried): (&mut Computation, &mut usize),
        visit: &mut impl FnMut(&Trace),
    ) {
        *tried += 1;
        if *tried > MOST {
            return;
        }
        if state.buffers_are_empty() {
            let run = replay(machine.program(), computation).expect("a computation");
            visit(&Trace::of(&run).expect("a drained run"));
        }
        for taken in machine.moves(state) {
            let (next, actions) = machine.apply(state, taken).expect("an enabled move");
            computation.steps.push(Step { taken, actions });
            explore(machine, &next, (&mut *computation, &mut *tried), visit);
            computation.steps.pop();
        }
    }
    let machine = Machine::new(program, model).expect("samples have a count");
    let mut computation = Computation { model, steps: Vec::new() };
    let mut tried = 0;
    explore(&machine, &machine.initial(), (&mut computation, &mut tried), visit);
    tried <= MOST
}

/// Checks that a cycle is one: closed, and made of edges that are there.
fn check_cycle(trace: &Trace) {
    let Some(cycle) = trace.cycle() else { return };
    let edges = trace.happens_before();
    let blocks = trace.blocks();
    for (edge, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        assert_eq!(edge.to, next.from);
        let (from, to) = (trace.nodes()[edge.from], trace.nodes()[edge.to]);
        match edge.relation {
            Relation::ProgramOrder => assert!(from.thread == to.thread && edge.from < edge.to),
            Relation::SameSection => assert_eq!(blocks[edge.from], blocks[edge.to]),
            Relation::StoreOrder | Relation::Source | Relation::Conflict => {
                assert!(edges.contains(edge));
            }
        }
    }
}

/// How many traces of TSO no computation under SC has, by what is compared: traces, and accesses with
/// one order of all stores and reads from the same writes, or of the same values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OnlyTso {
    cyclic: usize,
    other_sources: usize,
    other_values: usize,
}

/// Checks the lemma and what is realisable; nothing if there are too many computations.
fn only_tso(program: &Program) -> Option<OnlyTso> {
    let mut sc = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let is_all = all_traces(program, Model::Sc, &mut |trace| {
        sc.0.insert(canonical(trace));
        sc.1.insert(accesses(trace, Same::Source));
        sc.2.insert(accesses(trace, Same::Value));
    });
    let initial = |address| program.memory().cell(address).expect("a cell").initial;
    let mut found = OnlyTso::default();
    let is_all = is_all
        && all_traces(program, Model::Tso, &mut |trace| {
            let has_cycle = trace.cycle().is_some();
            assert_eq!(has_cycle, !sc.0.contains(&canonical(trace)), "{trace:#?}");
            check_cycle(trace);
            found.cyclic += usize::from(has_cycle);
            for (same, known, count) in [
                (Same::Source, &sc.1, &mut found.other_sources),
                (Same::Value, &sc.2, &mut found.other_values),
            ] {
                let is_realisable = trace.is_realisable_under_sc(same, initial);
                let is_known = known.contains(&accesses(trace, same));
                assert_eq!(is_realisable, is_known, "{same:?}: {trace:#?} of {program:#?}");
                *count += usize::from(!is_realisable);
            }
        });
    is_all.then_some(found)
}

/// Checks the lemma and what is realisable, and that the program is robust, that is, has no cyclic
/// trace, as expected.
fn check(threads: Vec<Vec<Instruction>>, robust: bool) {
    let found = only_tso(&program(threads)).expect("a small program");
    assert_eq!(found.cyclic == 0, robust, "{found:?}");
}

#[test]
fn all_computations_of_random_programs() {
    let shapes = [
        Shape { max_threads: 2, max_accesses: 5, max_scalars: 2, ..Shape::LOOP_FREE },
        Shape { max_threads: 3, max_accesses: 5, ..Shape::COUNTED },
    ];
    let (mut checked, mut found) = (0, OnlyTso::default());
    for shape in shapes {
        for program in random_programs(31, shape).take(120) {
            let Some(one) = only_tso(&program) else { continue };
            checked += 1;
            found.cyclic += usize::from(one.cyclic > 0);
            found.other_sources += usize::from(one.other_sources > 0);
            found.other_values += usize::from(one.other_values > 0);
        }
    }
    let OnlyTso { cyclic, other_sources, other_values } = found;
    assert!(
        checked > 150 && cyclic > 10 && other_sources > cyclic && other_values > 10,
        "{checked} {found:?}"
    );
}

/// The nodes of an access across cells are one block, and then the lemma holds as before.
#[test]
fn all_computations_of_programs_with_accesses_across_cells() {
    let (mut checked, mut cyclic) = (0, 0);
    for program in random_programs_across(32).take(300) {
        let mut sc = BTreeSet::new();
        let mut is_cyclic = false;
        let is_all = all_traces(&program, Model::Sc, &mut |trace| {
            sc.insert(canonical(trace));
        }) && all_traces(&program, Model::Tso, &mut |trace| {
            let has_cycle = trace.cycle().is_some();
            assert_eq!(has_cycle, !sc.contains(&canonical(trace)), "{trace:#?}");
            check_cycle(trace);
            is_cyclic |= has_cycle;
        });
        checked += usize::from(is_all);
        cyclic += usize::from(is_all && is_cyclic);
    }
    assert!(checked > 150 && cyclic > 8, "{checked} {cyclic}");
}

/// A read comes before the first write that replaces what it read, not before the last.
#[test]
fn a_cell_written_twice() {
    // The second store to X is ordered by nothing: only by the first is the cycle closed.
    check(
        vec![vec![store(X, 1), load(0, Y)], vec![store(Y, 1), load(0, X)], vec![store(X, 2)]],
        false,
    );
    check(vec![vec![store(X, 1), load(0, Y)], vec![store(Y, 1), store(Y, 2), load(0, X)]], false);
    check(vec![vec![store(X, 1), store(X, 2)], vec![load(0, X), load(1, X)]], true);
}

/// Values and sources differ where a value is written that was there before.
#[test]
fn the_same_value_from_another_write() {
    let found = |threads| only_tso(&program(threads)).expect("a small program");
    let delayed = vec![store(X, 1), load(0, Y)];
    let silent = found(vec![delayed.clone(), vec![store(Y, 0)]]);
    assert!(
        silent.cyclic == 0 && silent.other_sources > 0 && silent.other_values == 0,
        "{silent:?}"
    );
    let visible = found(vec![delayed, vec![store(Y, 1)]]);
    assert!(visible.other_sources > 0 && visible.other_values > 0, "{visible:?}");
}

fn fence(kind: FenceKind) -> Instruction {
    Instruction::Fence(kind)
}

#[test]
fn store_buffering() {
    let thread = |own, other, between| vec![store(own, 1), between, load(0, other)];
    let both = |between: Instruction| vec![thread(X, Y, between.clone()), thread(Y, X, between)];
    check(both(Instruction::Skip), false);
    check(both(fence(FenceKind::Lightweight)), false);
    check(both(fence(FenceKind::Full)), true);
    check(both(cas(1, Z, 0, 1)), true);
    // Own stores forwarded do not hide the delay.
    check(vec![thread(X, Y, load(1, X)), thread(Y, X, load(1, Y))], false);
}

#[test]
fn message_passing_and_two_writers() {
    check(vec![vec![store(X, 1), store(Y, 1)], vec![load(0, Y), load(1, X)]], true);
    check(vec![vec![store(X, 1), store(Y, 2)], vec![store(Y, 1), store(X, 2)]], true);
    let relay = vec![load(0, X), store(Y, 1)];
    check(vec![vec![store(X, 1)], relay, vec![load(0, Y), load(1, X)]], true);
}

#[test]
fn updates() {
    let add = || update(1, X, Update::Fetch { op: FetchOp::Add, operand: 1.constant() });
    check(vec![vec![add(), load(0, Y)], vec![store(Y, 1), add()]], true);
    check(vec![vec![store(Y, 1), load(0, X)], vec![add(), load(0, Y)]], false);
    check(vec![vec![store_seq_cst(X, 1), load(0, Y)], vec![store_seq_cst(Y, 1), load(0, X)]], true);
    check(
        vec![vec![store(X, 1), load(0, Y)], vec![cas(0, Y, 9, 1), store(Y, 1), load(1, X)]],
        false,
    );
}

#[test]
fn locked_sections() {
    let (lock, unlock) = (|| Instruction::Lock, || Instruction::Unlock);
    // Whichever way round the section works, its two accesses are one.
    for inside in [[load(0, Z), store(Y, 1)], [store(Y, 1), load(0, Z)]] {
        let [first, second] = inside;
        let section = vec![lock(), first, second, unlock()];
        check(vec![section, vec![store(Z, 1), load(0, Y)]], false);
    }
    let section = |own, other| vec![lock(), store(own, 1), load(0, other), unlock()];
    check(vec![section(X, Y), section(Y, X)], true);
    // A section that never ends keeps delayed stores from memory for ever, so that no computation
    // shows the delay.
    let endless = |own, other| vec![store(own, 1), lock(), load(0, other)];
    check(vec![endless(X, Y), vec![store(Y, 1), load(0, X)]], true);
    check(vec![endless(X, Y), endless(Y, X)], true);
}

#[test]
fn exclusive_accesses() {
    let increment = || vec![load_exclusive(0, X), store_exclusive(1, X, 1)];
    check(vec![increment(), increment()], true);
    check(vec![increment(), vec![store(X, 7), load(0, Y)]], true);
    let own = vec![store(X, 3), load_exclusive(0, X), store_exclusive(1, X, 4)];
    check(vec![own, vec![store(X, 7), load(0, X)]], true);
    let both = vec![load_exclusive(0, X), store(Y, 1), load(2, Z), store_exclusive(1, X, 1)];
    check(vec![both, vec![store(Z, 1), load(0, Y)]], false);
}

#[test]
fn faults() {
    // The loads fault if they read anything but the initial value; only the read tells whether
    // a fault can be had under SC.
    let reader = |own, other| vec![store(own, 9), load(SMALL_REGISTER, other)];
    check(vec![reader(X, Y), reader(Y, X)], false);
    check(vec![vec![store(X, 9), load(SMALL_REGISTER, Y)], vec![store(Y, 9)]], true);
}

/// Longer programs with everything in them: SC traces are never cyclic, and TSO traces that are
/// have a proper cycle.
#[test]
fn random_runs() {
    let one = || 1.constant();
    let mixed = |own, other| {
        vec![
            store(own, 1),
            load(0, other),
            Instruction::Lock,
            load(1, own),
            store(other, 2),
            Instruction::Unlock,
            update(0, Z, Update::Fetch { op: FetchOp::Add, operand: one() }),
            store(own, 3),
            load_exclusive(0, other),
            fence(FenceKind::Acquire),
            store_exclusive(1, other, 5),
            store(own, 4),
            load(2, other),
            cas(2, Z, 2, 7),
            Instruction::Choose { register: r(0), low: 0, high: 9 },
        ]
    };
    let program = program(vec![mixed(X, Y), mixed(Y, X), mixed(X, Z)]);
    let mut random = fastrand::Rng::with_seed(1);
    let mut cyclic = 0;
    for model in [Model::Sc, Model::Tso] {
        let machine = Machine::new(&program, model).unwrap();
        for _ in 0..300 {
            let mut state = machine.initial();
            let mut steps = Vec::new();
            while let Some(taken) = random.choice(machine.moves(&state).collect::<Vec<_>>()) {
                let (next, actions) = machine.apply(&state, taken).unwrap();
                steps.push(Step { taken, actions });
                state = next;
            }
            let run = replay(&program, &Computation { model, steps }).unwrap();
            let trace = Trace::of(&run).expect("nothing is enabled, so buffers are empty");
            check_cycle(&trace);
            match model {
                Model::Sc => assert_eq!(trace.cycle(), None),
                Model::Tso => cyclic += usize::from(trace.cycle().is_some()),
            }
        }
    }
    assert!(cyclic > 0, "the programs are not robust");
}
