//! Running a program once under a random schedule.
//!
//! A schedule is drawn step by step: first whether to commit a buffered store, then which thread
//! executes, then which of its edges. How readily stores are committed, and how readily one thread
//! gives way to another, is drawn once per run. Were every enabled move equally likely, a store
//! would rarely wait for long and no thread would ever pause while others do much, and what tells
//! TSO from SC would hardly ever be seen; with commits and switches rare in some runs and frequent
//! in others, long delays and quick hand-overs both occur. Every schedule has a positive
//! probability.
//!
//! The same seed gives the same run.

use fastrand::Rng;
use program::{
    EdgeId, Fault, LabelId, Observable, Parameterised, Program, Quantifier, Thread, ThreadId, Value,
};
use semantics::{
    Action, Choice, Computation, Control, Machine, Model, Move, NotEnabled, Offer, State, Step,
    replay,
};

/// A commit is attempted in one of this many steps; each run draws one of these.
const STEPS_PER_COMMIT: [u32; 4] = [2, 4, 16, 64];
/// The thread is drawn anew in one of this many steps; each run draws one of these.
const STEPS_PER_SWITCH: [u32; 4] = [1, 2, 6, 20];

/// One run of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// What was done.
    pub computation: Computation,
    /// The state reached.
    pub last: State,
    /// Why it went no further.
    pub ending: Ending,
}

/// Why a run went no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every thread has ended and every buffer is empty.
    Terminated,
    /// Nothing is enabled but not everything is done: these threads wait for ever.
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
}

/// A thread that waits for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The thread.
    pub thread: ThreadId,
    /// The label where it is.
    pub label: LabelId,
    /// What keeps it from making each of its moves. A thread that has only a commit left has ended
    /// but cannot empty its buffer.
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
pub fn final_state(program: &Program, simulation: &Simulation) -> Option<FinalState> {
    if simulation.ending != Ending::Terminated {
        return None;
    }
    let machine = Machine::new(program, simulation.computation.model).ok()?;
    let see = |observable: Observable| match observable {
        Observable::Cell(address) => machine.in_memory(&simulation.last, address).unwrap_or(0),
        Observable::Register { template, copy, register } => {
            let is_it = |thread: &Thread| (thread.template, thread.copy) == (template, copy);
            let found = machine.threads().enumerate().find(|(_, thread)| is_it(thread));
            found.map_or(0, |(id, _)| simulation.last.thread(id).registers()[register])
        }
    };
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

/// Runs a program once, for at most `max_steps` steps, and stops at the first fault.
pub fn simulate(
    program: &Program,
    model: Model,
    seed: u64,
    max_steps: usize,
) -> Result<Simulation, Parameterised> {
    let machine = Machine::new(program, model)?;
    let mut scheduler = Scheduler::new(seed);
    let mut state = machine.initial();
    let mut steps = Vec::new();
    let ending = loop {
        let offers = machine.offers(&state);
        if offers.is_empty() {
            break quiescent(&machine, &state);
        }
        if steps.len() == max_steps {
            break Ending::StepLimit;
        }
        let taken = scheduler.pick(&offers);
        let (next, actions) = machine.apply(&state, taken).expect("offered moves are enabled");
        let fault = actions.iter().find_map(fault_of);
        steps.push(Step { taken, actions });
        state = next;
        if let (Some(fault), Move::Execute { thread, edge, .. }) = (fault, taken) {
            break if fault.is_limit() {
                Ending::Limit { thread, edge, fault }
            } else {
                Ending::Fault { thread, edge, fault }
            };
        }
    };
    let computation = Computation { model, steps };
    assert_replays(program, &computation, &state);
    Ok(Simulation { computation, last: state, ending })
}

/// Nothing is presented that the semantics would not accept.
fn assert_replays(program: &Program, computation: &Computation, last: &State) {
    let bug = "this is a bug in Fencewright, please report it with the program";
    match replay(program, computation) {
        Ok(run) => assert_eq!(run.last(), last, "a simulated run ends elsewhere; {bug}"),
        Err(rejection) => panic!("a simulated run cannot be replayed: {rejection}; {bug}"),
    }
}

fn fault_of(action: &Action) -> Option<Fault> {
    match action {
        Action::Fault(fault) => Some(*fault),
        Action::Local
        | Action::Issue { .. }
        | Action::Store { .. }
        | Action::Load { .. }
        | Action::Fence(_)
        | Action::Locked { .. }
        | Action::Lock
        | Action::Unlock => None,
    }
}

/// How a run ends in a state where nothing is enabled.
fn quiescent(machine: &Machine<'_>, state: &State) -> Ending {
    let waiting: Vec<Waiting> =
        machine.threads().indices().filter_map(|thread| waiting(machine, state, thread)).collect();
    if waiting.is_empty() { Ending::Terminated } else { Ending::Deadlock(waiting) }
}

/// What a thread waits for in a state where nothing is enabled, unless it is done.
fn waiting(machine: &Machine<'_>, state: &State, thread: ThreadId) -> Option<Waiting> {
    // A run stops at the first fault, so no thread is stopped in a later state.
    let Control::At(label) = state.thread(thread).control() else { return None };
    let blocked = machine.blocked(state, thread);
    (!blocked.is_empty()).then_some(Waiting { thread, label, blocked })
}

struct Scheduler {
    random: Rng,
    steps_per_commit: u32,
    steps_per_switch: u32,
    /// The thread that executed last.
    current: Option<ThreadId>,
}

impl Scheduler {
    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let steps_per_commit = STEPS_PER_COMMIT[random.usize(..STEPS_PER_COMMIT.len())];
        let steps_per_switch = STEPS_PER_SWITCH[random.usize(..STEPS_PER_SWITCH.len())];
        Self { random, steps_per_commit, steps_per_switch, current: None }
    }

    /// One of the moves offered; there must be one.
    fn pick(&mut self, offers: &[Offer]) -> Move {
        let (commits, executes): (Vec<Offer>, Vec<Offer>) =
            offers.iter().partition(|offer| matches!(offer, Offer::One(Move::Commit { .. })));
        let commit = executes.is_empty()
            || (!commits.is_empty() && self.random.u32(..self.steps_per_commit) == 0);
        let candidates = if commit { commits } else { executes };
        // First the thread, so that a thread with many edges does not run more often.
        let mut threads: Vec<ThreadId> = candidates.iter().map(|offer| offer.thread()).collect();
        threads.dedup();
        let goes_on = !commit && self.random.u32(..self.steps_per_switch) != 0;
        let thread = match self.current {
            Some(current) if goes_on && threads.contains(&current) => current,
            Some(_) | None => self.random.choice(threads).expect("a move is offered"),
        };
        if !commit {
            self.current = Some(thread);
        }
        let of_thread = candidates.into_iter().filter(|offer| offer.thread() == thread);
        let offer = self.random.choice(of_thread.collect::<Vec<_>>()).expect("of this thread");
        match offer {
            Offer::One(taken) => taken,
            Offer::AnyValue { thread, edge, low, high } => {
                let choice = Choice::Value(self.random.i128(low..=high));
                Move::Execute { thread, edge, choice }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::index::Idx;
    use program::{
        Access, BinaryOp, Count, Expr, Instruction, Outside, ProgramBuilder, RegisterId, Span,
        TemplateBuilder,
    };

    const X: Value = 10;
    const Y: Value = 20;

    /// A program whose threads run their instructions one after the other, and over again if
    /// `repeat` is set.
    fn program(threads: Vec<Vec<Instruction>>, repeat: bool, count: Count) -> Program {
        let mut builder = ProgramBuilder::new("sample", Outside::ZeroCell);
        for (number, instructions) in threads.into_iter().enumerate() {
            let mut template = TemplateBuilder::new(format!("t{number}"), Span::NONE);
            template.count(count);
            template.integer_register("r");
            let labels: Vec<LabelId> = (0..=instructions.len())
                .map(|number| template.named_label(format!("l{number}")))
                .collect();
            let last = instructions.len() - 1;
            for (number, instruction) in instructions.into_iter().enumerate() {
                let to = if repeat && number == last { labels[0] } else { labels[number + 1] };
                template.bare_edge(labels[number], to, instruction);
            }
            builder.template(template.build(labels[0]));
        }
        builder.build().expect("a valid sample")
    }

    fn once(threads: Vec<Vec<Instruction>>) -> Program {
        program(threads, false, Count::Exactly(1))
    }

    fn register() -> RegisterId {
        RegisterId::new(0)
    }

    fn load(address: Value) -> Instruction {
        let address = Expr::Const(address);
        Instruction::Load { register: register(), address, access: Access::PLAIN }
    }

    fn store(address: Value, value: Value) -> Instruction {
        let (address, value) = (Expr::Const(address), Expr::Const(value));
        Instruction::Store { address, value, access: Access::PLAIN }
    }

    fn ending(program: &Program, model: Model) -> Ending {
        simulate(program, model, 0, 100).unwrap().ending
    }

    fn first_thread() -> (ThreadId, EdgeId) {
        (ThreadId::new(0), EdgeId::new(0))
    }

    #[test]
    fn a_seed_determines_the_run() {
        let thread = || vec![store(X, 1), load(Y), store(Y, 1), load(X)];
        let program = once(vec![thread(), thread(), thread()]);
        let run = |seed| simulate(&program, Model::Tso, seed, 100).unwrap();
        assert_eq!(run(7), run(7));
        assert!((0..10).any(|seed| run(seed) != run(7)));
    }

    #[test]
    fn store_buffering_is_seen_under_tso_only() {
        let program = once(vec![vec![store(X, 1), load(Y)], vec![store(Y, 1), load(X)]]);
        let both_read_zero = |model, seed| {
            let simulation = simulate(&program, model, seed, 100).unwrap();
            assert_eq!(simulation.ending, Ending::Terminated);
            assert!(simulation.last.buffers_are_empty());
            simulation.last.threads().iter().all(|thread| thread.registers()[register()] == 0)
        };
        let seen = |model| (0..100).filter(|seed| both_read_zero(model, *seed)).count();
        assert_eq!(seen(Model::Sc), 0);
        assert!((20..=80).contains(&seen(Model::Tso)), "both outcomes are common");
    }

    #[test]
    fn faults_and_limits_end_a_run() {
        let (thread, edge) = first_thread();
        let program = once(vec![vec![Instruction::Assert(Expr::Const(0))]]);
        let fault = Fault::AssertionFailed;
        assert_eq!(ending(&program, Model::Tso), Ending::Fault { thread, edge, fault });
        let big = Expr::Const(Value::from(u64::MAX));
        let value = Expr::binary(BinaryOp::Mul, big.clone(), big);
        let program = once(vec![vec![Instruction::Assign { register: register(), value }]]);
        let fault = Fault::Overflow;
        assert_eq!(ending(&program, Model::Tso), Ending::Limit { thread, edge, fault });
    }

    #[test]
    fn a_deadlock_names_who_waits_for_what() {
        let wait = Instruction::Assume(Expr::register(register()));
        let program = once(vec![vec![wait], vec![store(X, 1)]]);
        let (thread, edge) = first_thread();
        let execute = Move::Execute { thread, edge, choice: Choice::Determined };
        let blocked = vec![(execute, NotEnabled::AssumptionFalse)];
        let label = LabelId::new(0);
        let expected = Ending::Deadlock(vec![Waiting { thread, label, blocked }]);
        assert_eq!(ending(&program, Model::Tso), expected);
    }

    #[test]
    fn a_lock_never_given_back_is_a_deadlock_if_a_store_waits_for_it() {
        let program = once(vec![vec![store(X, 1)], vec![Instruction::Lock]]);
        let stuck = (0..100).find_map(|seed| {
            match simulate(&program, Model::Tso, seed, 100).unwrap().ending {
                Ending::Deadlock(waiting) => Some(waiting),
                Ending::Terminated => None,
                other @ (Ending::Fault { .. } | Ending::Limit { .. } | Ending::StepLimit) => {
                    panic!("{other:?}")
                }
            }
        });
        let (thread, _) = first_thread();
        let locked = NotEnabled::MemoryLocked { by: ThreadId::new(1) };
        assert_eq!(stuck.unwrap()[0].blocked, [(Move::Commit { thread }, locked)]);
    }

    #[test]
    fn a_run_without_end_is_cut() {
        let program = program(vec![vec![store(X, 1)]], true, Count::Exactly(2));
        let simulation = simulate(&program, Model::Tso, 3, 50).unwrap();
        assert_eq!(simulation.ending, Ending::StepLimit);
        assert_eq!(simulation.computation.steps.len(), 50);
    }

    #[test]
    fn any_value_can_be_chosen() {
        let (low, high) = (Value::from(i64::MIN), Value::from(i64::MAX));
        let any = Instruction::Choose { register: register(), low, high };
        let program = once(vec![vec![any]]);
        let chosen = |seed| {
            let simulation = simulate(&program, Model::Sc, seed, 100).unwrap();
            simulation.last.thread(ThreadId::new(0)).registers()[register()]
        };
        assert_ne!(chosen(1), chosen(2));
    }

    #[test]
    fn a_parameterised_program_is_refused() {
        let program = program(vec![vec![store(X, 1)]], false, Count::Any);
        assert!(simulate(&program, Model::Tso, 0, 10).is_err());
    }
}
