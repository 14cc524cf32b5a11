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
use program::{Fault, Parameterised, Program, ThreadId};
use semantics::{Action, Choice, Computation, Control, Machine, Model, Move, Offer, State, Step};

use crate::execution::{Ending, Execution, Waiting};

/// A commit is attempted in one of this many steps; each run draws one of these.
const STEPS_PER_COMMIT: [u32; 4] = [2, 4, 16, 64];
/// The thread is drawn anew in one of this many steps; each run draws one of these.
const STEPS_PER_SWITCH: [u32; 4] = [1, 2, 6, 20];

/// Runs a program once, for at most `max_steps` steps, and stops at the first fault.
pub fn simulate(
    program: &Program,
    model: Model,
    seed: u64,
    max_steps: usize,
) -> Result<Execution, Parameterised> {
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
    Ok(Execution::replayed(program, computation, state, ending))
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
        Access, BinaryOp, Count, EdgeId, Expr, Instruction, LabelId, Outside, ProgramBuilder,
        RegisterId, Span, TemplateBuilder, Value,
    };
    use semantics::NotEnabled;

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
                other @ (Ending::Fault { .. }
                | Ending::Limit { .. }
                | Ending::StepLimit
                | Ending::Goal
                | Ending::History(_)) => {
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
