//! A program run by hand: at each step somebody chooses which thread goes on, or whose oldest store leaves its
//! buffer, and may take steps back.
//!
//! A [`Session`] is the run as it grows; [`Command`] is what people type. Commands arrive from a pipe
//! ([`pipe()`]) or from a terminal ([`screen()`]), and mean the same in both. The rules are those of
//! [`semantics::Machine`] and no others: what is offered is what the machine offers, so whatever can be reached
//! here is a behaviour of the program, and every behaviour can be reached.

mod command;
mod pipe;
mod screen;
mod session;

pub use command::Command;
pub use pipe::{Interpreter, Reply, pipe};
pub use screen::{Screen, screen};
pub use session::{Entry, Session};

use semantics::Step;

/// A run that somebody else finds.
pub struct Found {
    /// Its steps.
    pub steps: Vec<Step>,
    /// What it shows, in a sentence.
    pub shows: String,
}

/// Who finds runs.
pub trait Finder {
    /// A run that shows that the program behaves on TSO hardware as it does not under SC; or why there is none.
    fn witness(&mut self) -> Result<Found, String>;

    /// A run into an error under the model of the session; or why there is none.
    fn error(&mut self) -> Result<Found, String>;

    /// The run in a file, as `--format json` wrote it; or why it cannot be used.
    fn load(&mut self, file: &str) -> Result<Found, String>;
}
