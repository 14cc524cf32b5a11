//! Checking a claimed computation.
//!
//! An analysis hands over what it found as a [`Computation`]: each move together with the actions
//! it is said to perform. [`replay`] believes none of it and runs the machine along; the claim
//! stands if every move is enabled in turn and does exactly what was said. A computation of the
//! ESOP'13 paper also ends with empty buffers; that is left to whoever asks, since a prefix can be
//! of interest too ([`Run::is_drained`]).

use std::fmt;

use program::{Parameterised, Program, ThreadId};

use crate::action::{Action, Model, Move, NotEnabled};
use crate::machine::Machine;
use crate::state::State;

/// A move and the actions it performs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The move.
    pub taken: Move,
    /// Its actions, in order.
    pub actions: Vec<Action>,
}

/// A claimed computation from the initial state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Computation {
    /// The model under which it is claimed.
    pub model: Model,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A computation that the machine has performed. Only [`replay`] makes one.
#[derive(Clone, Debug)]
pub struct Run<'p> {
    machine: Machine<'p>,
    steps: Vec<Step>,
    last: State,
}

impl<'p> Run<'p> {
    /// The machine that ran.
    pub const fn machine(&self) -> &Machine<'p> {
        &self.machine
    }

    /// The steps performed.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The state reached.
    pub const fn last(&self) -> &State {
        &self.last
    }

    /// Whether all buffers are empty at the end.
    pub fn is_drained(&self) -> bool {
        self.last.buffers_are_empty()
    }
}

/// Why a claimed computation is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The program has no definite number of threads.
    Parameterised(Parameterised),
    /// A step is wrong.
    Step {
        /// Which one, from 0.
        number: usize,
        /// Its move.
        taken: Move,
        /// What is wrong with it.
        mismatch: Mismatch,
    },
}

/// What is wrong with a claimed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The move is not enabled.
    NotEnabled(NotEnabled),
    /// The move does something else.
    OtherActions {
        /// What it was said to do.
        claimed: Vec<Action>,
        /// What it does.
        performed: Vec<Action>,
    },
}

/// Performs a claimed computation, or says where and why it fails.
pub fn replay<'p>(program: &'p Program, claimed: &Computation) -> Result<Run<'p>, Rejection> {
    let machine = Machine::new(program, claimed.model).map_err(Rejection::Parameterised)?;
    let mut state = machine.initial();
    for (number, step) in claimed.steps.iter().enumerate() {
        let reject = |mismatch| Rejection::Step { number, taken: step.taken, mismatch };
        let (next, performed) =
            machine.apply(&state, step.taken).map_err(|why| reject(Mismatch::NotEnabled(why)))?;
        if performed != step.actions {
            let claimed = step.actions.clone();
            return Err(reject(Mismatch::OtherActions { claimed, performed }));
        }
        state = next;
    }
    Ok(Run { machine, steps: claimed.steps.clone(), last: state })
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameterised(parameterised) => parameterised.fmt(f),
            Self::Step { number, taken, mismatch } => {
                write!(f, "step {} (", number + 1)?;
                let thread: &ThreadId = &taken.thread();
                match taken {
                    Move::Execute { edge, .. } => write!(f, "thread {thread:?}, edge {edge:?}")?,
                    Move::Commit { .. } => write!(f, "thread {thread:?}, commit")?,
                }
                write!(f, "): {mismatch}")
            }
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEnabled(why) => write!(f, "not enabled: {why}"),
            Self::OtherActions { claimed, performed } => {
                write!(f, "does not do what is claimed: ")?;
                write_actions(f, claimed)?;
                write!(f, " is claimed, ")?;
                write_actions(f, performed)?;
                write!(f, " happens")
            }
        }
    }
}

fn write_actions(f: &mut fmt::Formatter<'_>, actions: &[Action]) -> fmt::Result {
    if actions.is_empty() {
        return write!(f, "nothing");
    }
    for (number, action) in actions.iter().enumerate() {
        write!(f, "{}{action}", if number == 0 { "" } else { ", then " })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    /// Checks that the run of Fig. 3, with something changed, is rejected with this message.
    fn check_rejected(change: impl FnOnce(&mut Computation), message: &str) {
        let program = dekker();
        let mut claimed = computation(&program, Model::Tso, &dekker_run()).unwrap();
        change(&mut claimed);
        assert_eq!(replay(&program, &claimed).unwrap_err().to_string(), message);
    }

    #[test]
    fn the_run_of_figure_3_is_accepted() {
        let program = dekker();
        let claimed = computation(&program, Model::Tso, &dekker_run()).unwrap();
        let run = replay(&program, &claimed).unwrap();
        assert!(run.is_drained());
        let read = |run: &Run<'_>, thread: usize, register| {
            run.last().threads().as_slice()[thread].registers()[r(register)]
        };
        assert_eq!((read(&run, 0, 1), read(&run, 1, 2)), (0, 0));
        let prefix = Computation { steps: claimed.steps[..5].to_vec(), ..claimed };
        assert!(!replay(&program, &prefix).unwrap().is_drained());
    }

    #[test]
    fn false_claims_are_rejected() {
        check_rejected(
            |claimed| claimed.model = Model::Sc,
            "step 1 (thread t0, edge e0): does not do what is claimed: issue mem[10] := 1 is \
             claimed, issue mem[10] := 1, then store mem[10] := 1 happens",
        );
        check_rejected(
            |claimed| claimed.steps[1].actions = vec![Action::Load { address: Y, value: 1 }],
            "step 2 (thread t0, edge e1): does not do what is claimed: load mem[20] = 1 is \
             claimed, load mem[20] = 0 happens",
        );
        check_rejected(
            |claimed| claimed.steps[1].actions = vec![],
            "step 2 (thread t0, edge e1): does not do what is claimed: nothing is claimed, load \
             mem[20] = 0 happens",
        );
        check_rejected(
            |claimed| claimed.steps.swap(0, 1),
            "step 1 (thread t0, edge e1): not enabled: the thread is not at the label that the \
             edge leaves",
        );
        check_rejected(
            |claimed| claimed.steps.swap(2, 3),
            "step 3 (thread t1, commit): not enabled: the thread's store buffer is empty",
        );
        check_rejected(
            |claimed| claimed.steps[3].taken = run(1, 9),
            "step 4 (thread t1, edge e9): not enabled: the thread has no such edge",
        );
        check_rejected(
            |claimed| claimed.steps[5].taken = commit(7),
            "step 6 (thread t7, commit): not enabled: there is no such thread",
        );
        check_rejected(
            |claimed| claimed.steps[4].taken = run(7, 0),
            "step 5 (thread t7, edge e0): not enabled: there is no such thread",
        );
    }

    #[test]
    fn the_run_of_figure_3_is_none_under_sc() {
        let moves = dekker_run();
        check_blocked(&dekker(), Model::Sc, &moves[..4], NotEnabled::BufferEmpty);
        // Nor can its loads both read zero if the commits are left out.
        let moves: Vec<Move> =
            moves.into_iter().filter(|taken| matches!(taken, Move::Execute { .. })).collect();
        let (_, actions) = after(&dekker(), Model::Sc, &moves);
        assert_eq!(actions, [Action::Load { address: X, value: 1 }]);
    }

    #[test]
    fn a_parameterised_program_has_no_computations() {
        let mut template = program::TemplateBuilder::new("worker", program::Span::NONE);
        template.count(program::Count::Any);
        let start = template.named_label("start");
        let mut builder = program::ProgramBuilder::new("p", program::Outside::Fault);
        builder.template(template.build(start));
        let program = builder.build().unwrap();
        let nothing = Computation { model: Model::Tso, steps: vec![] };
        let message = "thread `worker` can have any number of copies: give a count";
        assert_eq!(replay(&program, &nothing).unwrap_err().to_string(), message);
    }
}
