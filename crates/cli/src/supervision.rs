//! Limits that hold whatever a command does inside.
//!
//! Searches, enumerations, runs of local steps and the translation of C and Rust look at the limits themselves and end
//! in an answer: *undecided*, with what was found so far ([`analysis::Limits`], [`workspace::Within`]). Not everything
//! looks: compilers, readers of texts, the solver for fences. So another thread does, as often as it takes
//! to fill what memory is left ([`analysis::time_to_fill`]):
//!
//! - **At the limit** it ends the compilers that run. Whoever waits for them sees that the limit is
//!   reached, and reports that.
//! - **A little later** ([`Grace`]), if the command has not come to an end by itself, it says *undecided*
//!   of the input at work and of those that were still to come, in the form that was asked for, and ends
//!   the process. Results are written whole: it waits until nobody writes ([`Desk`]).
//!
//! The work stays in the first thread, which has the larger stack; so this thread has to end the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use analysis::{memory_in_use, time_to_fill};
use program::{Outside, Program, ProgramBuilder};
use report::html::Page;
use workspace::{Limit, Limits};

use crate::output::{Output, Said};
use crate::status::{Status, Tally};

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
    tally: Tally,
    /// What is to be shown in one file.
    pages: Vec<Page>,
    /// Documents with findings that are not written yet.
    findings: Vec<String>,
}

/// Where results are written, by one at a time, and what is still to be written.
#[derive(Clone, Default)]
pub(crate) struct Desk {
    work: Arc<Mutex<Work>>,
    interrupted: Arc<AtomicBool>,
}

/// What shells say of a program that an interrupt has ended.
pub(crate) const INTERRUPTED: u8 = 130;

impl Desk {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody has pressed Ctrl-C.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Nobody else writes, nor ends the process, as long as somebody has this.
    pub(crate) fn hold(&self) -> Held<'_> {
        Held(self.work())
    }

    /// Nobody else ever writes, nor ends the process.
    pub(crate) fn close(&self) {
        std::mem::forget(self.work());
    }

    /// Keeps findings until those of all inputs are there.
    pub(crate) fn keep(&self, findings: &str) {
        let mut work = self.work();
        work.findings.push(findings.to_owned());
        work.is_written = true;
    }

    /// Keeps what there is to show of a program until that of all inputs is there.
    pub(crate) fn keep_page(&self, page: Page) {
        let mut work = self.work();
        work.pages.push(page);
        work.is_written = true;
    }

    /// What is to be shown.
    pub(crate) fn take_pages(&self) -> Vec<Page> {
        std::mem::take(&mut self.work().pages)
    }

    /// The findings that are not written yet.
    pub(crate) fn take_findings(&self) -> Vec<String> {
        std::mem::take(&mut self.work().findings)
    }

    /// What became of the programs, in a line, if there were several.
    pub(crate) fn summary(&self) -> Option<String> {
        self.work().tally.told()
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
        work.tally.add(status);
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
    /// Of time a twentieth of what is allowed, and a little that everybody needs to come to an end; of memory what
    /// was kept back, so that the process ends at its limit, or a little more where that is next to nothing.
    fn of(limits: &Limits, since: Instant) -> Self {
        let allowed = limits.deadline.map(|end| end.saturating_duration_since(since));
        let time = allowed.unwrap_or_default() / 20 + Duration::from_millis(500);
        Self { time, bytes: workspace::reserve(limits.memory.unwrap_or(0)).max(2 << 20) }
    }
}

/// Watches over a command from now on, until the process ends.
pub(crate) fn begin(limits: Limits, output: &Output) {
    let grace = Grace::of(&limits, Instant::now());
    let output = output.another();
    heed_interrupts(&output.desk().interrupted);
    // Without another thread there are still those who look themselves.
    let _ = thread::Builder::new().name("supervision".to_owned()).spawn(move || {
        let limit = watch(&limits, &grace, &output.desk());
        give_up(limit, output);
    });
}

/// The first Ctrl-C sets the flag, so that the work comes to an end, says how far it has come and leaves nothing
/// behind; another one ends the process at once.
fn heed_interrupts(interrupted: &Arc<AtomicBool>) {
    let flag = || Arc::clone(interrupted);
    // The order counts: the second looks at the flag before the first sets it.
    let _ = signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, flag());
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, flag());
}

/// Waits until a limit is passed by more than the grace, or an interrupt was not heeded for a while.
fn watch(limits: &Limits, grace: &Grace, desk: &Desk) -> Limit {
    let mut interrupted = None;
    loop {
        let now = Instant::now();
        if desk.is_interrupted() {
            desk.end_compilers(Limit::Cancelled);
            if now >= *interrupted.get_or_insert(now) + Duration::from_secs(2) {
                return Limit::Cancelled;
            }
        }
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
    let mut findings = std::mem::take(&mut work.findings);
    let mut pages = std::mem::take(&mut work.pages);
    if let Some(unanswered) = &work.unanswered {
        for input in &work.inputs {
            match unanswered(input, limit) {
                Said::Findings(document) => findings.push(document),
                Said::Page(page) => pages.push(page),
                said @ (Said::Text(_) | Said::Data(_) | Said::Message(_)) => {
                    output.last_words(&said);
                }
            }
        }
    }
    if !pages.is_empty() {
        output.last_words(&Said::Data(report::html::file(&pages)));
    }
    if !findings.is_empty() {
        output.last_words(&Said::Data(report::sarif::merged(&findings)));
    }
    let status = work.status.max(Some(Status::Undecided)).unwrap_or(Status::Undecided);
    let status = if output.has_failed() { Status::BadInput } else { status };
    let code = if desk.is_interrupted() { INTERRUPTED } else { status.code() };
    std::process::exit(code.into())
}
