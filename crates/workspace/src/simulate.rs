//! What does one run look like?

use std::ops::ControlFlow;

use analysis::{Ending, Execution, Limit, Progress, Reason, final_state, simulate};
use program::Program;
use semantics::Model;
use web_time::Instant;

use crate::Conclusion;
use crate::inputs::{Loaded, Refused};
use crate::misplaced;
use crate::store::{ProgramId, Workspace};

/// The question: some runs under random schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulate {
    /// The memory model.
    pub model: Model,
    /// The first schedule.
    pub seed: u64,
    /// How many schedules are tried, from the first on; at least one.
    pub tries: u64,
    /// After how many steps a run is cut off.
    pub max_steps: usize,
}

impl Default for Simulate {
    /// One run under TSO.
    fn default() -> Self {
        Self { model: Model::Tso, seed: 1, tries: 1, max_steps: 1000 }
    }
}

/// The run that tells most, and what became of all.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Its schedule.
    pub seed: u64,
    /// The run.
    pub run: Execution,
    /// What it shows.
    pub shows: Shows,
    /// How many runs ended, by themselves or with an error.
    pub ended: u64,
    /// How many came to a deadlock.
    pub deadlocked: u64,
    /// How many were cut off.
    pub cut_off: u64,
}

/// What a run shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The program went wrong, or a `never` or an `always` is refuted.
    SafetyViolation,
    /// What an `exists` asks for.
    Witness,
    /// A limit of the tool was hit.
    Limit,
    /// Nothing to speak of.
    Nothing,
}

impl Simulation {
    /// What it comes to.
    pub const fn conclusion(&self) -> Conclusion {
        match self.shows {
            Shows::SafetyViolation => Conclusion::Violated,
            Shows::Limit => Conclusion::Undecided,
            Shows::Witness | Shows::Nothing => Conclusion::Fine,
        }
    }
}

impl Loaded {
    /// An error if runs under a model say nothing of the program: under TSO if it is a test of another machine.
    pub fn can_run_under(&self, model: Model) -> Result<(), Refused> {
        match model {
            Model::Sc => Ok(()),
            Model::Tso => {
                misplaced::for_x86(self, "`--model tso`").map_err(|errors| self.refuse(errors))
            }
        }
    }
}

impl Workspace<'_> {
    /// The most telling of some runs under random schedules: the first that goes wrong, or else the first
    /// that shows what an `exists` asks for, or else the first that hit a limit, or else the last. A
    /// program with any number of threads has no single run, and none is shown if somebody ends the trying.
    pub fn simulate(
        &mut self,
        id: ProgramId,
        question: &Simulate,
    ) -> Result<Result<Simulation, Reason>, Refused> {
        let subject = self.subject(id);
        let (loaded, watch) = (subject.loaded, subject.watch);
        loaded.can_run_under(question.model)?;
        let begun = Instant::now();
        let mut tried = |runs: u64| {
            watch(&Progress {
                tracing: false,
                states: runs,
                depth: 0,
                frontier: question.tries.saturating_sub(runs),
                bytes: 0,
                elapsed: begun.elapsed(),
            })
        };
        Ok(most_telling(&loaded.program, question, &mut tried))
    }
}

fn shows(program: &Program, run: &Execution) -> Shows {
    match run.ending {
        Ending::Fault { .. } => Shows::SafetyViolation,
        Ending::Limit { .. } => Shows::Limit,
        Ending::Deadlock(_) | Ending::StepLimit | Ending::Goal | Ending::History(_) => {
            Shows::Nothing
        }
        Ending::Terminated => match final_state(program, run) {
            Some(state) if state.refutes() => Shows::SafetyViolation,
            Some(state) if state.witnesses() => Shows::Witness,
            Some(_) | None => Shows::Nothing,
        },
    }
}

/// How many runs are made between two looks at whether to go on.
const BETWEEN_LOOKS: u64 = 16;

fn most_telling(
    program: &Program,
    question: &Simulate,
    tried: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Simulation, Reason> {
    let Simulate { model, seed: first, tries, max_steps } = *question;
    let rank = |shows: Shows| match shows {
        Shows::SafetyViolation => 3,
        Shows::Witness => 2,
        Shows::Limit => 1,
        Shows::Nothing => 0,
    };
    let (mut ended, mut deadlocked, mut cut_off) = (0, 0, 0);
    let mut best: Option<(u64, Execution, Shows)> = None;
    let mut seed = first;
    let last = first.saturating_add(tries.saturating_sub(1));
    loop {
        let runs = seed - first;
        if runs > 0 && runs.is_multiple_of(BETWEEN_LOOKS) && tried(runs).is_break() {
            return Err(Reason::Limit(Limit::Cancelled));
        }
        let run = simulate(program, model, seed, max_steps).map_err(Reason::Parameterised)?;
        match run.ending {
            Ending::Deadlock(_) => deadlocked += 1,
            Ending::StepLimit | Ending::Goal | Ending::History(_) => cut_off += 1,
            Ending::Terminated | Ending::Fault { .. } | Ending::Limit { .. } => ended += 1,
        }
        let shown = shows(program, &run);
        let is_better = match &best {
            None => true,
            // Of those that show nothing the last counts.
            Some((.., known)) => rank(shown) > rank(*known) || rank(shown) + rank(*known) == 0,
        };
        if is_better {
            best = Some((seed, run, shown));
        }
        if (shown == Shows::SafetyViolation || seed >= last)
            && let Some((seed, run, shows)) = best.take()
        {
            return Ok(Simulation { seed, run, shows, ended, deadlocked, cut_off });
        }
        seed += 1;
    }
}
