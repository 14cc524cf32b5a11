//! Limits that hold whatever a command does inside.
//!
//! Searches, enumerations and runs of local steps look at the limits themselves and end in an answer:
//! *undecided*, with what was found so far ([`analysis::Limits`]). Not everything looks: compilers,
//! readers of texts, the translation, the solver for fences. So another thread does, as often as it takes
//! to fill what memory is left ([`analysis::time_to_fill`]):
//!
//! - **At the limit** it ends the compilers that run. Whoever waits for them sees that the limit is
//!   reached, and reports that.
//! - **A little later** ([`Grace`]), if the command has not come to an end by itself, it says *undecided*
//!   of the input at work and of those that were still to come, in the form that was asked for, and ends
//!   the process. Results are written whole: it waits until nobody writes ([`Desk`]).
//!
//! The work stays in the first thread, which has the larger stack; so this thread has to end the process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use analysis::{memory_in_use, time_to_fill};
use program::{Outside, Program, ProgramBuilder};
use workspace::{Limit, Limits};

use crate::output::{Output, Said};
use crate::status::Status;

/// What is said of an input that a limit has kept from being answered.
pub(crate) type Unanswered = dyn Fn(&str, Limit) -> Said + Send + Sync;

/// A program in the place of one of which nothing is known, not even what it is.
pub(crate) fn unread() -> Program {
    ProgramBuilder::new("", Outside::Fault).build().expect("nothing is wrong with nothing")
}

/// The inputs of a command, and how far it has come with them.
#[derive(Default)]
pub(crate) struct Work {
    /// Those that are not answered, the one at work first.
    inputs: Vec<String>,
    unanswered: Option<Arc<Unanswered>>,
    ended_compilers: Option<Limit>,
    /// Whether the answer about the one at work is written, and only its status is not known here.
    is_written: bool,
    /// Of all that are answered.
    status: Option<Status>,
}

/// Where results are written, by one at a time, and what is still to be written.
#[derive(Clone, Default)]
pub(crate) struct Desk(Arc<Mutex<Work>>);

impl Desk {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody else writes, nor ends the process, as long as somebody has this.
    pub(crate) fn hold(&self) -> Held<'_> {
        Held(self.work())
    }

    /// Nobody else ever writes, nor ends the process.
    pub(crate) fn close(&self) {
        std::mem::forget(self.work());
    }

    /// There are these inputs.
    pub(crate) fn begin(&self, inputs: Vec<String>, unanswered: Arc<Unanswered>) {
        let mut work = self.work();
        work.inputs = inputs;
        work.unanswered = Some(unanswered);
    }

    /// The limit for which compilers were ended.
    pub(crate) fn ended_compilers(&self) -> Option<Limit> {
        self.work().ended_compilers
    }

    fn end_compilers(&self, limit: Limit) {
        // Whoever waits for them waits for the desk before anything is said about it.
        let mut work = self.work();
        if compiler::end_children() {
            work.ended_compilers = Some(limit);
        }
    }

    /// The first input is answered, with this status.
    pub(crate) fn answered(&self, status: Status) {
        let mut work = self.work();
        work.is_written = false;
        work.status = work.status.max(Some(status));
        if !work.inputs.is_empty() {
            work.inputs.remove(0);
        }
    }
}

/// Somebody writes.
pub(crate) struct Held<'d>(MutexGuard<'d, Work>);

impl Held<'_> {
    /// What is written is the answer about the input at work.
    pub(crate) fn is_answer(&mut self) {
        self.0.is_written = true;
    }
}

/// How much more there may be of everything before the process is ended.
struct Grace {
    time: Duration,
    bytes: usize,
}

impl Grace {
    /// A twentieth of what is allowed, and a little that everybody needs to come to an end.
    fn of(limits: &Limits, since: Instant) -> Self {
        let allowed = limits.deadline.map(|end| end.saturating_duration_since(since));
        let time = allowed.unwrap_or_default() / 20 + Duration::from_millis(500);
        Self { time, bytes: (limits.memory.unwrap_or(0) / 20).max(2 << 20) }
    }
}

/// Watches over a command from now on, until the process ends.
pub(crate) fn begin(limits: Limits, output: &Output) {
    let grace = Grace::of(&limits, Instant::now());
    let output = output.another();
    // Without another thread there are still those who look themselves.
    let _ = thread::Builder::new().name("supervision".to_owned()).spawn(move || {
        let limit = watch(&limits, &grace, &output.desk());
        give_up(limit, output);
    });
}

/// Waits until a limit is passed by more than the grace.
fn watch(limits: &Limits, grace: &Grace, desk: &Desk) -> Limit {
    loop {
        let now = Instant::now();
        let mut nap = Duration::from_millis(50);
        if let Some(deadline) = limits.deadline {
            if now >= deadline + grace.time {
                return Limit::Time;
            }
            if now >= deadline {
                desk.end_compilers(Limit::Time);
            } else {
                nap = nap.min(deadline - now);
            }
        }
        if let (Some(most), Some(used)) = (limits.process, memory_in_use()) {
            if used > most.saturating_add(grace.bytes) {
                return Limit::Memory;
            }
            if used > most {
                desk.end_compilers(Limit::Memory);
            }
            nap = nap.min(time_to_fill(most.saturating_add(grace.bytes) - used));
        }
        thread::sleep(nap);
    }
}

/// Reports what is not answered, and ends the process.
#[expect(clippy::exit, reason = "the first thread does not look, and cannot be made to")]
fn give_up(limit: Limit, mut output: Output) -> ! {
    // Whoever writes finishes that first; nobody begins to write any more.
    let desk = output.desk();
    let mut work = desk.work();
    for _ in 0..100 {
        if !work.is_written {
            break;
        }
        drop(work);
        thread::sleep(Duration::from_millis(1));
        work = desk.work();
    }
    compiler::end_children();
    if let Some(unanswered) = &work.unanswered {
        for input in &work.inputs {
            output.last_words(&unanswered(input, limit));
        }
    }
    let status = work.status.max(Some(Status::Undecided)).unwrap_or(Status::Undecided);
    let status = if output.has_failed() { Status::BadInput } else { status };
    std::process::exit(status.code().into())
}
