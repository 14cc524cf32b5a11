//! TSO witnesses (ESOP'13, Fig. 4): from the steps that a search found to a computation that is
//! checked, point by point, before anybody sees it.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{EdgeId, IndexVec, Instruction, Program, ThreadId};
use semantics::{
    Action, Computation, Edge, Machine, Model, Move, NodeId, Relation, State, Step, Trace, replay,
};

use super::threads::{Name, Part};
use crate::execution::{BUG, Ending, Execution, RunBuilder};

/// Evidence that a program is not robust: a computation τ₁·isu·τ₂·ld·τ₃·st·τ₄ whose trace has a
/// cycle of happens-before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The computation.
    pub execution: Execution,
    /// The thread that delays stores.
    pub attacker: ThreadId,
    /// The first store that it delays.
    pub store: EdgeId,
    /// The last load that the store is delayed past.
    pub load: EdgeId,
    /// The steps of the computation that issue the store, load, and let the store reach memory.
    pub issue_step: usize,
    /// See `issue_step`.
    pub load_step: usize,
    /// See `issue_step`.
    pub store_step: usize,
    /// The number of delays (Appendix B of the paper).
    pub delays: usize,
    /// Whether it is known that no violation has fewer.
    pub has_fewest_delays: bool,
    /// The trace of the computation.
    pub trace: Trace,
    /// A cycle of happens-before from the store over the load back to the store.
    pub cycle: Vec<Edge>,
}

/// The TSO computation: everybody's stores reach memory at once, but the attacker's from its first
/// delayed one on, which do so in the end.
fn computation(machine: &Machine<'_>, steps: &[(usize, Name)]) -> (Computation, State) {
    let load = steps.iter().position(|(_, name)| name.part == Part::LastLoad);
    let load = load.unwrap_or_else(|| panic!("an attack without its load; {BUG}"));
    // (W3) What a helper does by itself before it joins the chain comes before the load: it is
    // local, so nobody notices.
    let mut joined = BTreeSet::new();
    let (mut before, mut after) = (steps[..load].to_vec(), vec![steps[load]]);
    for (thread, name) in &steps[load + 1..] {
        let template = machine.template(ThreadId::new(*thread));
        let instruction = &template.edge(name.of_program.0).instruction;
        let touches = instruction.memory_access().is_some()
            || matches!(instruction, Instruction::Lock | Instruction::Unlock);
        if touches {
            joined.insert(*thread);
        }
        let place = if joined.contains(thread) { &mut after } else { &mut before };
        place.push((*thread, *name));
    }
    let mut attacker = None;
    let mut delayed = 0;
    let mut run = RunBuilder::new(machine);
    for (number, name) in before.into_iter().chain(after) {
        let thread = ThreadId::new(number);
        let (edge, choice) = name.of_program;
        if name.part == Part::Delay {
            attacker = Some(thread);
        }
        let taken = Move::Execute { thread, edge, choice };
        if attacker == Some(thread) {
            delayed += usize::from(run.make(taken));
        } else {
            run.make_at_once(taken);
        }
    }
    let thread = attacker.unwrap_or_else(|| panic!("an attack without an attacker; {BUG}"));
    for _ in 0..delayed {
        run.make(Move::Commit { thread });
    }
    run.finish()
}

/// The witness that the steps of a search amount to. Whatever is not as it should be is an error of
/// ours, and nobody gets to see a verdict.
pub(crate) fn witness(program: &Program, steps: &[(usize, Name)]) -> Witness {
    let machine = Machine::new(program, Model::Tso).expect("a definite program");
    let (computation, last) = computation(&machine, steps);
    let run = replay(program, &computation)
        .unwrap_or_else(|rejection| panic!("a witness cannot be replayed: {rejection}; {BUG}"));
    let trace =
        Trace::of(&run).unwrap_or_else(|_| panic!("a witness leaves stores in a buffer; {BUG}"));
    let (delay, load) = attack_of(steps);
    let (thread, Name { of_program: (store, _), .. }) = steps[delay];
    let attacker = ThreadId::new(thread);
    let is_delay = |step: &Step| match step.taken {
        Move::Execute { thread, edge, .. } => thread == attacker && edge == store,
        Move::Commit { .. } => false,
    };
    let load_edge = steps[load].1.of_program.0;
    let is_load = |step: &Step| match step.taken {
        Move::Execute { thread, edge, .. } => thread == attacker && edge == load_edge,
        Move::Commit { .. } => false,
    };
    let all = &computation.steps;
    let load_step = all.iter().rposition(is_load).expect("the load was executed");
    let commits = all
        .iter()
        .rev()
        .take_while(|step| matches!(step.taken, Move::Commit { thread } if thread == attacker));
    let store_step = all.len() - commits.count();
    // The first delayed store is the one whose commit is the first of the last ones.
    let delayed = all.len() - store_step;
    let issues: Vec<usize> = (0..load_step)
        .filter(|step| {
            let own = all[*step].taken.thread() == attacker;
            own && all[*step].actions.iter().any(|action| matches!(action, Action::Issue { .. }))
        })
        .collect();
    let issue_step = issues[issues.len() - delayed];
    assert!(is_delay(&all[issue_step]), "a witness delays another store; {BUG}");
    check(&computation, attacker, [issue_step, load_step, store_step]);
    let nodes = Nodes::of(&computation, &trace);
    check_chain(&computation, &trace, &nodes, [load_step, store_step]);
    let cycle = cycle(&trace, nodes.of_step[issue_step], nodes.of_step[load_step]);
    let delays = delays(&computation);
    Witness {
        execution: Execution::replayed(program, computation, last, Ending::Goal),
        attacker,
        store,
        load: load_edge,
        issue_step,
        load_step,
        store_step,
        delays,
        has_fewest_delays: false,
        trace,
        cycle,
    }
}

/// The steps that delay the first store and that make the last load.
fn attack_of(steps: &[(usize, Name)]) -> (usize, usize) {
    let find = |part| steps.iter().position(|(_, name)| name.part == part);
    match (find(Part::Delay), find(Part::LastLoad)) {
        (Some(delay), Some(load)) => (delay, load),
        (None, _) | (_, None) => panic!("an attack without its store or its load; {BUG}"),
    }
}

/// (W1), (W2), (W4) and (W5).
fn check(computation: &Computation, attacker: ThreadId, [issue, load, store]: [usize; 3]) {
    let steps = &computation.steps;
    for (number, step) in steps.iter().enumerate() {
        let thread = step.taken.thread();
        let issues = step.actions.iter().any(|action| matches!(action, Action::Issue { .. }));
        let is_delayed = thread == attacker && number >= issue;
        // (W1), (W2): only the attacker delays, and nothing before its store.
        if issues && !is_delayed {
            let next = steps.get(number + 1).map(|step| step.taken);
            let at_once = next == Some(Move::Commit { thread });
            assert!(at_once, "(W1) step {number} of a witness delays a store; {BUG}");
        }
        let is_own = thread == attacker && number > issue && number < store;
        let commits = matches!(step.taken, Move::Commit { .. });
        // (W2): nothing of the attacker reaches memory before st_A, and ld_A is its last action.
        assert!(!(is_own && commits), "(W2) a store of a witness comes too early; {BUG}");
        assert!(!is_own || number <= load, "(W2) the attacker goes on after its load; {BUG}");
        // (W4): then only the attacker's stores.
        let is_last = thread == attacker && commits;
        assert!(number < store || is_last, "(W4) something follows the witness; {BUG}");
    }
    let Some(Action::Load { address: loaded, .. }) = steps[load].actions.first() else {
        panic!("(W2) the last load is none; {BUG}");
    };
    for step in &steps[store..] {
        for action in &step.actions {
            if let Action::Store { address, .. } = action {
                assert!(address != loaded, "(W5) the load of a witness read early; {BUG}");
            }
        }
    }
}

/// For each step the first node of the trace that it made.
struct Nodes {
    of_step: Vec<NodeId>,
}

impl Nodes {
    fn of(computation: &Computation, trace: &Trace) -> Self {
        let mut next = 0;
        let mut of_step = Vec::new();
        for step in &computation.steps {
            of_step.push(NodeId::new(next.min(trace.nodes().len() - 1)));
            let made = step.actions.iter();
            next += made.filter(|action| !matches!(action, Action::Store { .. })).count();
        }
        Self { of_step }
    }
}

/// (W3): whatever is done between the load and the store happens after the load.
fn check_chain(computation: &Computation, trace: &Trace, nodes: &Nodes, [load, store]: [usize; 2]) {
    let after = reachable(trace, nodes.of_step[load]);
    let blocks = trace.blocks();
    for (number, step) in computation.steps.iter().enumerate().take(store).skip(load + 1) {
        if matches!(step.taken, Move::Execute { .. }) {
            let node = blocks[nodes.of_step[number]];
            assert!(after.contains(&node), "(W3) step {number} is not in the chain; {BUG}");
        }
    }
}

/// The blocks that happen after a node.
fn reachable(trace: &Trace, from: NodeId) -> BTreeSet<NodeId> {
    let blocks = trace.blocks();
    let edges = trace.happens_before();
    let mut seen = BTreeSet::from([blocks[from]]);
    let mut open = vec![blocks[from]];
    while let Some(here) = open.pop() {
        for edge in edges.iter().filter(|edge| blocks[edge.from] == here) {
            if seen.insert(blocks[edge.to]) {
                open.push(blocks[edge.to]);
            }
        }
    }
    seen
}

/// A shortest cycle of happens-before that goes from the store to the load in program order, and
/// back.
fn cycle(trace: &Trace, store: NodeId, load: NodeId) -> Vec<Edge> {
    let blocks = trace.blocks();
    let edges = trace.happens_before();
    // Breadth first from the load to the store, over blocks.
    let mut came_by: IndexVec<NodeId, Option<Edge>> = trace.nodes().iter().map(|_| None).collect();
    let mut open = std::collections::VecDeque::from([load]);
    let mut seen = BTreeSet::from([blocks[load]]);
    'search: while let Some(here) = open.pop_front() {
        for edge in edges.iter().filter(|edge| blocks[edge.from] == blocks[here]) {
            if seen.insert(blocks[edge.to]) {
                came_by[blocks[edge.to]] = Some(*edge);
                open.push_back(edge.to);
                if blocks[edge.to] == blocks[store] {
                    break 'search;
                }
            }
        }
    }
    let mut back = Vec::new();
    let mut target = store;
    while blocks[target] != blocks[load] {
        let edge = came_by[blocks[target]]
            .unwrap_or_else(|| panic!("a witness has no cycle of happens-before; {BUG}"));
        if edge.to != target {
            back.push(Edge { from: edge.to, to: target, relation: Relation::SameSection });
        }
        back.push(edge);
        target = edge.from;
    }
    if target != load {
        back.push(Edge { from: load, to: target, relation: Relation::SameSection });
    }
    back.push(Edge { from: store, to: load, relation: Relation::ProgramOrder });
    back.reverse();
    back
}

/// The number of delays of a computation.
fn delays(computation: &Computation) -> usize {
    let mut waiting: std::collections::BTreeMap<ThreadId, std::collections::VecDeque<usize>> =
        std::collections::BTreeMap::new();
    let mut own: std::collections::BTreeMap<ThreadId, usize> = std::collections::BTreeMap::new();
    let mut delays = 0;
    for step in &computation.steps {
        let thread = step.taken.thread();
        for action in &step.actions {
            let so_far = own.entry(thread).or_default();
            match action {
                Action::Issue { .. } => waiting.entry(thread).or_default().push_back(*so_far),
                Action::Store { .. } => {
                    let issued = waiting.entry(thread).or_default().pop_front();
                    delays += *so_far - issued.expect("stores were issued") - 1;
                }
                Action::Local
                | Action::Load { .. }
                | Action::Fence(_)
                | Action::Locked { .. }
                | Action::Lock
                | Action::Unlock
                | Action::Fault(_) => {}
            }
            *so_far += 1;
        }
    }
    delays
}
