//! Where a run under TSO differs from every run under SC: a cycle of happens-before in its trace, and on it the
//! stores that wait in a buffer while a later load of their thread overtakes them (ESOP'13, Lemma 1). Only such
//! pairs go backward in time on a cycle, so there is one on each.
//!
//! A run may end with stores in buffers, and then it has no trace. They are let out at its end, one thread after
//! the other: the run can always go on like that unless a thread has the memory lock.

use std::collections::{BTreeMap, VecDeque};

use program::index::Idx;
use program::{Program, ThreadId};
use semantics::{
    Action, Computation, Edge, Event, Machine, Move, NodeId, Relation, State, Step, Trace, replay,
};

/// What is reordered in a run.
pub(crate) struct Reordering {
    /// The trace of the run.
    pub(crate) trace: Trace,
    /// A cycle of happens-before; empty if an SC run has the same trace.
    pub(crate) cycle: Vec<Edge>,
    /// The stores on the cycle that are overtaken.
    pub(crate) delays: Vec<Delayed>,
    /// How many stores are in buffers when the run ends.
    pub(crate) waiting: usize,
}

/// A store that a load of its thread overtakes, by steps of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delayed {
    /// The step that issues the store.
    pub(crate) issue: usize,
    /// The step of the load.
    pub(crate) load: usize,
    /// The step in which the store reaches memory, if it does.
    pub(crate) arrives: Option<usize>,
}

impl Reordering {
    /// What is reordered in a run; nothing if its stores cannot reach memory any more.
    pub(crate) fn of(program: &Program, computation: &Computation) -> Option<Self> {
        let completed = completed(program, computation)?;
        let run = replay(program, &completed).ok()?;
        let trace = Trace::of(&run).ok()?;
        let cycle = trace.cycle().unwrap_or_default();
        let ends = computation.steps.len();
        let waiting = completed.steps.len() - ends;
        let places = Places::of(&completed.steps);
        let in_run = |step: usize| (step < ends).then_some(step);
        let delays = cycle.iter().filter_map(|edge| {
            let events = (trace.nodes()[edge.from].event, trace.nodes()[edge.to].event);
            let (Relation::ProgramOrder, (Event::Store { .. }, Event::Load { .. })) =
                (edge.relation, events)
            else {
                return None;
            };
            let (issue, load) =
                (places.executed[edge.from.index()], places.executed[edge.to.index()]);
            let arrives = *places.arrives.get(&edge.from)?;
            (arrives > load).then(|| Delayed { issue, load, arrives: in_run(arrives) })
        });
        let delays = delays.collect();
        Some(Self { trace, cycle, delays, waiting })
    }

    /// The steps that matter, each with its mark.
    pub(crate) fn marks(&self) -> Vec<(usize, &'static str)> {
        let of = |delay: &Delayed| {
            let arrives = delay.arrives.map(|step| (step, "③"));
            [(delay.issue, "①"), (delay.load, "②")].into_iter().chain(arrives)
        };
        self.delays.iter().flat_map(of).collect()
    }
}

/// What the marks mean; nothing if there are none.
pub(crate) fn legend(marks: &[(usize, &'static str)]) -> String {
    let told =
        [("①", "a store is delayed"), ("②", "a load overtakes it"), ("③", "it reaches memory")];
    let is_used = |mark: &str| marks.iter().any(|(_, used)| *used == mark);
    let told = told.into_iter().filter(|(mark, _)| is_used(mark));
    let told: Vec<String> = told.map(|(mark, said)| format!("{mark} {said}")).collect();
    if told.is_empty() { String::new() } else { format!("\n  {}\n", told.join("  ")) }
}

/// The run with the stores let out that are in buffers at its end.
fn completed(program: &Program, computation: &Computation) -> Option<Computation> {
    let machine = Machine::new(program, computation.model).ok()?;
    let mut state = machine.initial();
    for step in &computation.steps {
        state = machine.apply(&state, step.taken).ok()?.0;
    }
    let mut steps = computation.steps.clone();
    while let Some(thread) = waits(&machine, &state) {
        let taken = Move::Commit { thread };
        let (next, actions) = machine.apply(&state, taken).ok()?;
        steps.push(Step { taken, actions });
        state = next;
    }
    Some(Computation { model: computation.model, steps })
}

/// The first thread with a store in its buffer.
fn waits(machine: &Machine<'_>, state: &State) -> Option<ThreadId> {
    machine.threads().indices().find(|thread| !state.thread(*thread).buffer().is_empty())
}

/// Where the nodes of a trace are among the steps of its run.
struct Places {
    /// The step that executes each.
    executed: Vec<usize>,
    /// For each store, the step in which it reaches memory.
    arrives: BTreeMap<NodeId, usize>,
}

impl Places {
    fn of(steps: &[Step]) -> Self {
        let mut places = Self { executed: Vec::new(), arrives: BTreeMap::new() };
        let mut waiting: BTreeMap<ThreadId, VecDeque<NodeId>> = BTreeMap::new();
        for (number, step) in steps.iter().enumerate() {
            let own = waiting.entry(step.taken.thread()).or_default();
            for action in &step.actions {
                let node = NodeId::new(places.executed.len());
                match action {
                    Action::Store { .. } => {
                        places.arrives.extend(own.pop_front().map(|store| (store, number)));
                        continue;
                    }
                    Action::Issue { .. } => own.push_back(node),
                    Action::Local
                    | Action::Load { .. }
                    | Action::Locked { .. }
                    | Action::Fence(_)
                    | Action::Lock
                    | Action::Unlock
                    | Action::Fault(_) => {}
                }
                places.executed.push(number);
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use frontend::Language;
    use program::Sources;
    use semantics::Model;

    use super::*;

    const SB: &str =
        "shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n";

    fn program(text: &str) -> Program {
        let mut sources = Sources::new();
        let source = sources.add("sb.fw", text);
        frontend::load(&sources, source, Language::Fw, &frontend::Settings::default())
            .expect("a program")
    }

    /// The run of these threads; an upper-case letter lets a store of the thread reach memory.
    fn run(program: &Program, model: Model, moves: &str) -> Computation {
        let machine = Machine::new(program, model).expect("threads");
        let mut state = machine.initial();
        let mut steps = Vec::new();
        for letter in moves.chars() {
            let thread = ThreadId::new(usize::from(letter.eq_ignore_ascii_case(&'q')));
            let taken = if letter.is_uppercase() {
                Move::Commit { thread }
            } else {
                let mut moves = machine.moves(&state);
                let executes = |taken: &Move| matches!(taken, Move::Execute { .. });
                moves.find(|taken| taken.thread() == thread && executes(taken)).expect("a step")
            };
            let (next, actions) = machine.apply(&state, taken).expect("enabled");
            steps.push(Step { taken, actions });
            state = next;
        }
        Computation { model, steps }
    }

    /// The delays of a run, and how many stores wait at its end.
    fn delays(model: Model, moves: &str) -> (Vec<(usize, usize, Option<usize>)>, usize) {
        let program = program(SB);
        let found = Reordering::of(&program, &run(&program, model, moves)).expect("a trace");
        assert_eq!(found.cycle.is_empty(), found.delays.is_empty(), "{moves}");
        let delays = found.delays.iter().map(|one| (one.issue, one.load, one.arrives)).collect();
        (delays, found.waiting)
    }

    #[test]
    fn a_store_is_marked_where_its_delay_shows() {
        // One store is delayed, then both, then neither although one waits.
        assert_eq!(delays(Model::Tso, "ppqQqP"), (vec![(0, 1, Some(5))], 0));
        assert_eq!(delays(Model::Tso, "ppqqPQ"), (vec![(0, 1, Some(4)), (2, 3, Some(5))], 0));
        assert_eq!(delays(Model::Tso, "ppPqqQ"), (vec![], 0));
        assert_eq!(delays(Model::Sc, "ppqq"), (vec![], 0));
    }

    #[test]
    fn stores_left_in_buffers_are_overtaken_too() {
        assert_eq!(delays(Model::Tso, "ppqQq"), (vec![(0, 1, None)], 1));
        assert_eq!(delays(Model::Tso, "ppqq"), (vec![(0, 1, None), (2, 3, None)], 2));
        // Nobody has seen the difference.
        assert_eq!(delays(Model::Tso, "pp"), (vec![], 1));
    }
}
