//! Questions and answers.

use std::fmt;
use std::time::Duration;

use program::{Diagnostics, StateProposition};
use semantics::{Computation, Move, NotEnabled};

/// What to look for in the reachable SC states; one of these suffices.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// A failed assertion or another fault.
    pub faults: bool,
    /// A state in which nothing is enabled and some thread waits.
    pub deadlocks: bool,
    /// A state of which this is true.
    pub goal: Option<StateProposition>,
}

/// How to look.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether Spin may leave out states that make no difference.
    pub reduce: bool,
    /// Whether gcc is to make the verifier fast, which takes it a few times as long.
    pub optimise: bool,
    /// How long each of spin, gcc and the verifier may take; the last one all its attempts together.
    pub timeout: Option<Duration>,
    /// How much processor time each attempt of the verifier may take, where the system tells.
    pub cpu_limit: Option<Duration>,
    /// How many bytes the verifier may use.
    pub memory: u64,
    /// The verifier's table starts with 2 to this power slots of eight bytes.
    pub table_bits: u8,
}

impl Default for Options {
    /// With reduction, optimised, without limits on time, 4 GiB, and the verifier's own default of
    /// 2^24 slots.
    fn default() -> Self {
        Self {
            reduce: true,
            optimise: true,
            timeout: None,
            cpu_limit: None,
            memory: 4 << 30,
            table_bits: 24,
        }
    }
}

/// What Spin says about a program.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict,
    /// What it cost. Of several attempts with growing depth, the last one.
    pub statistics: Statistics,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Nothing that was looked for can be reached.
    Holds,
    /// Something can, and here is how.
    Violated(Violation),
    /// Spin cannot say.
    Undecided(Reason),
}

/// How something that was looked for is reached.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What it is.
    pub what: What,
    /// A computation that the semantics performed and that ends there.
    pub computation: Computation,
}

/// What was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// A fault; the last step is the one that fails.
    Fault,
    /// A deadlock.
    Deadlock,
    /// The goal.
    Goal,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A value has more than 32 bits, and Promela's have not.
    Beyond32Bits,
    /// [`Options::memory`] was not enough, be it for states or for the depth of the search.
    Memory,
    /// [`Options::timeout`] or [`Options::cpu_limit`] was not enough.
    Time,
    /// Nothing was found, but there are busy waits, and Spin does not see that one lasts for ever.
    BusyWaits,
    /// Nothing was found, but a blocking update can also wait for the memory lock, and Spin is not
    /// told which of the two it waits for.
    BlockingUpdates,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Beyond32Bits => "a value has more than the 32 bits that Spin has",
            Self::Memory => "Spin needs more memory",
            Self::Time => "Spin needs more time",
            Self::BusyWaits => "Spin does not see busy waits that last for ever as deadlocks",
            Self::BlockingUpdates => {
                "Spin does not see whether a blocking update waits for a value or for the lock"
            }
        })
    }
}

/// What a search cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// States stored, without the one before the threads are started.
    pub states: u64,
    /// Transitions between them, as far as six digits tell.
    pub transitions: u64,
    /// Steps of the longest path that was followed.
    pub depth: u64,
    /// Bytes for states, with the table that finds them but without the stack of the search.
    pub bytes: u64,
    /// Processor time of the verifier, if the system tells.
    pub search: Option<Duration>,
    /// Time that passed while the verifier ran.
    pub elapsed: Duration,
    /// Processor time of spin and gcc, if the system tells.
    pub preparation: Option<Duration>,
}

impl Statistics {
    /// Bytes for one state.
    pub fn bytes_per_state(&self) -> Option<u64> {
        self.bytes.checked_div(self.states)
    }
}

/// Why Spin could not be asked.
#[derive(Debug)]
pub enum Failure {
    /// The program has no Promela.
    NoPromela(Diagnostics),
    /// A command cannot be started.
    Missing {
        /// The command, which has the name of the Debian package.
        command: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// A command ended as it should not.
    Failed {
        /// The command.
        command: &'static str,
        /// What it said.
        said: String,
    },
    /// The verifier said something that is not understood.
    NotUnderstood {
        /// What it said.
        said: String,
    },
    /// Spin reports a run that the semantics rejects: one of the two is wrong.
    Rejected {
        /// Which step, from 0.
        number: usize,
        /// The move.
        taken: Move,
        /// Why the semantics does not make it.
        why: NotEnabled,
    },
    /// Spin reports a run that does not end in what it claims: one of the two is wrong.
    EndsElsewhere(What),
    /// Files cannot be written or read.
    Files(std::io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPromela(errors) => {
                let first = errors.first().map_or("", |error| &error.message);
                write!(f, "the program cannot be given to Spin: {first}")
            }
            Self::Missing { command, error } => {
                write!(f, "cannot run {command}: {error}; is it installed (apt install spin gcc)?")
            }
            Self::Failed { command, said } => write!(f, "{command} failed: {said}"),
            Self::NotUnderstood { said } => write!(f, "Spin's answer is not understood: {said}"),
            Self::Rejected { number, taken, why } => {
                write!(f, "step {number} of Spin's run, {taken:?}, is none: {why}; this is a bug")
            }
            Self::EndsElsewhere(what) => {
                write!(f, "Spin reports a run that does not end in a {what:?}; this is a bug")
            }
            Self::Files(error) => write!(f, "cannot work in a temporary folder: {error}"),
        }
    }
}

impl std::error::Error for Failure {}
