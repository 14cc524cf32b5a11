//! Runs of a program as analyses present them: each accepted by the semantics, with the reason why
//! it ends where it ends.

use program::{EdgeId, Fault, LabelId, Observable, Program, Quantifier, Thread, ThreadId, Value};
use semantics::{Action, Computation, Machine, Model, Move, NotEnabled, State, Step, replay};

use crate::histories::History;

/// A run of a program that the semantics has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// What was done.
    pub computation: Computation,
    /// The state reached.
    pub last: State,
    /// Why it went no further.
    pub ending: Ending,
}

/// What a person is asked to do if a check of ours fails.
pub(crate) const BUG: &str = "this is a bug in Fencewright, please report it with the program";

impl Execution {
    /// Nothing is presented that the semantics does not accept, in release builds too.
    pub(crate) fn replayed(
        program: &Program,
        computation: Computation,
        last: State,
        ending: Ending,
    ) -> Self {
        match replay(program, &computation) {
            Ok(run) => assert_eq!(*run.last(), last, "a run ends elsewhere; {BUG}"),
            Err(rejection) => panic!("a run cannot be replayed: {rejection}; {BUG}"),
        }
        Self { computation, last, ending }
    }
}

/// A computation that grows move by move.
pub(crate) struct RunBuilder<'m, 'p> {
    machine: &'m Machine<'p>,
    state: State,
    steps: Vec<Step>,
}

impl<'m, 'p> RunBuilder<'m, 'p> {
    pub(crate) fn new(machine: &'m Machine<'p>) -> Self {
        Self { machine, state: machine.initial(), steps: Vec::new() }
    }

    /// Makes a move that must be possible; says whether a store was issued that waits in a buffer.
    pub(crate) fn make(&mut self, taken: Move) -> bool {
        match self.machine.apply(&self.state, taken) {
            Ok((next, actions)) => {
                let issues = |action: &Action| matches!(action, Action::Issue { .. });
                let waits = self.machine.model() == Model::Tso && actions.iter().any(issues);
                self.steps.push(Step { taken, actions });
                self.state = next;
                waits
            }
            Err(why) => {
                panic!("step {} of a run found is not possible: {why}; {BUG}", self.steps.len())
            }
        }
    }

    /// Makes a move after which nothing of the thread waits in its buffer if nothing did before.
    pub(crate) fn make_at_once(&mut self, taken: Move) {
        if self.make(taken) {
            self.make(Move::Commit { thread: taken.thread() });
        }
    }

    /// How many moves were made.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn finish(self) -> (Computation, State) {
        (Computation { model: self.machine.model(), steps: self.steps }, self.state)
    }
}

/// What is seen in a state.
pub(crate) fn see(machine: &Machine<'_>, state: &State, observable: Observable) -> Value {
    match observable {
        Observable::Cell(_) | Observable::Across(..) => {
            let held = |address| machine.in_memory(state, address).unwrap_or(0);
            observable.in_memory(machine.program().memory(), held).unwrap_or_default()
        }
        Observable::Register { template, copy, register } => {
            let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
            let found = machine.threads().enumerate().find(|(_, thread)| is_it(thread));
            found.map_or(0, |(id, _)| state.thread(id).registers()[register])
        }
    }
}

/// Why a run went no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every thread has ended and every buffer is empty.
    Terminated,
    /// Nobody can get any further but not everything is done: these threads wait for ever.
    Deadlock(Vec<Waiting>),
    /// The program went wrong.
    Fault {
        /// The thread that stopped.
        thread: ThreadId,
        /// The edge it could not execute.
        edge: EdgeId,
        /// Why.
        fault: Fault,
    },
    /// The run cannot be continued faithfully, through no fault of the program.
    Limit {
        /// The thread that stopped.
        thread: ThreadId,
        /// The edge it could not execute.
        edge: EdgeId,
        /// The limit hit.
        fault: Fault,
    },
    /// As many steps were made as were allowed.
    StepLimit,
    /// What was looked for is reached.
    Goal,
    /// No sequential order explains what was called and returned.
    History(History),
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The thread.
    pub thread: ThreadId,
    /// The label where it is.
    pub label: LabelId,
    /// What keeps it from making each of its moves: nothing if it is in a busy wait that it cannot
    /// leave. A thread that has only a commit left has ended but cannot empty its buffer.
    pub blocked: Vec<(Move, NotEnabled)>,
}

/// What the program asks about its final states, answered for the one that a run ended in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalState {
    /// The values of everything that the program's question mentions, each once.
    pub seen: Vec<(Observable, Value)>,
    /// Whether the filter lets this state count.
    pub counts: bool,
    /// The quantifier of the question, and whether this state satisfies its proposition.
    pub condition: Option<(Quantifier, bool)>,
}

impl FinalState {
    /// Whether this state alone shows that the answer to a `never` or an `always` is no.
    pub fn refutes(&self) -> bool {
        self.counts
            && match self.condition {
                Some((Quantifier::Never, holds)) => holds,
                Some((Quantifier::Always, holds)) => !holds,
                Some((Quantifier::Exists, _)) | None => false,
            }
    }

    /// Whether this state alone shows that the answer to an `exists` is yes.
    pub fn witnesses(&self) -> bool {
        self.counts && self.condition == Some((Quantifier::Exists, true))
    }
}

/// What the program's question says about the state that a run ended in, if every thread ended.
pub fn final_state(program: &Program, execution: &Execution) -> Option<FinalState> {
    if execution.ending != Ending::Terminated {
        return None;
    }
    let machine = Machine::new(program, execution.computation.model).ok()?;
    let see = |observable| see(&machine, &execution.last, observable);
    let question = program.question();
    let mut seen: Vec<(Observable, Value)> = Vec::new();
    for observable in question.observables() {
        if seen.iter().all(|(earlier, _)| *earlier != observable) {
            seen.push((observable, see(observable)));
        }
    }
    let condition = question.condition.as_ref();
    Some(FinalState {
        seen,
        counts: question.filter.as_ref().is_none_or(|filter| filter.holds(&see)),
        condition: condition.map(|(quantifier, it)| (*quantifier, it.holds(&see))),
    })
}
