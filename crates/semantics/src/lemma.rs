//! Lemma 1 of the ESOP'13 paper, checked on small programs by trying all computations: a TSO trace
//! is an SC trace if and only if happens-before has no cycle. The programs have what the paper
//! leaves out: locked sections, updates, exclusive accesses and faults.

use std::collections::{BTreeMap, BTreeSet};

use program::index::Idx;
use program::{FenceKind, FetchOp, Instruction, Program, Update, Value};

use crate::sample::*;
use crate::{
    Computation, Event, Machine, Model, Node, NodeId, Relation, Source, State, Step, Trace, replay,
};

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
        let event = match node.event {
            Event::Load { address, value, source } => {
                Event::Load { address, value, source: renumber(source) }
            }
            Event::Update { address, read, written } => {
                let read = read.map(|(value, source)| (value, renumber(source)));
                Event::Update { address, read, written }
            }
            other @ (Event::Local
            | Event::Store { .. }
            | Event::Fence(_)
            | Event::Lock
            | Event::Unlock
            | Event::Fault(_)) => other,
        };
        Node { event, ..node }
    });
    let stores = trace.store_order().iter().map(|(address, nodes)| {
        (*address, nodes.iter().map(|node| number(*node)).collect::<Vec<usize>>())
    });
    (nodes.collect(), stores.collect())
}

/// Calls `visit` with the trace of each computation that ends with empty buffers.
fn all_traces(program: &Program, model: Model, visit: &mut impl FnMut(&Trace)) {
    fn explore(
        machine: &Machine<'_>,
        state: &State,
        computation: &mut Computation,
        visit: &mut impl FnMut(&Trace),
    ) {
        if state.buffers_are_empty() {
            let run = replay(machine.program(), computation).expect("a computation");
            visit(&Trace::of(&run).expect("a drained run"));
        }
        for taken in machine.moves(state) {
            let (next, actions) = machine.apply(state, taken).expect("an enabled move");
            computation.steps.push(Step { taken, actions });
            explore(machine, &next, computation, visit);
            computation.steps.pop();
        }
    }
    let machine = Machine::new(program, model).expect("samples have a count");
    let mut computation = Computation { model, steps: Vec::new() };
    explore(&machine, &machine.initial(), &mut computation, visit);
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

/// Checks the lemma, and that the program is robust, that is, has no cyclic trace, as expected.
fn check(threads: Vec<Vec<Instruction>>, robust: bool) {
    let program = program(threads);
    let mut sc = BTreeSet::new();
    all_traces(&program, Model::Sc, &mut |trace| {
        sc.insert(canonical(trace));
    });
    let mut cyclic = 0;
    all_traces(&program, Model::Tso, &mut |trace| {
        let has_cycle = trace.cycle().is_some();
        assert_eq!(has_cycle, !sc.contains(&canonical(trace)), "{trace:#?}");
        check_cycle(trace);
        cyclic += usize::from(has_cycle);
    });
    assert_eq!(cyclic == 0, robust, "{cyclic} cyclic traces");
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
