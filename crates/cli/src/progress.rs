//! What goes on while somebody waits, on one line that changes. In a pipe nobody would see it change, so
//! nothing is shown.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::output::Output;
use crate::supervision::Desk;

/// Time between two looks of a person.
const BETWEEN: Duration = Duration::from_millis(200);

/// The line; all copies are the same one.
#[derive(Clone)]
pub(crate) struct Line {
    shown: Option<Rc<RefCell<Shown>>>,
    desk: Desk,
}

struct Shown {
    output: Output,
    /// How long the search that is shown had taken, and when it is shown next.
    elapsed: Duration,
    next: Duration,
    is_empty: bool,
}

impl Line {
    /// The line on the terminal of this output, if it has one.
    pub(crate) fn new(output: &Output) -> Self {
        let shown = Output::shows_progress().then(|| {
            Rc::new(RefCell::new(Shown {
                output: output.another(),
                elapsed: Duration::ZERO,
                next: BETWEEN * 2,
                is_empty: true,
            }))
        });
        Self { shown, desk: output.desk() }
    }

    /// Shows something.
    pub(crate) fn say(&self, text: &str) {
        if let Some(shown) = &self.shown {
            let mut shown = shown.borrow_mut();
            shown.output.progress(text);
            shown.is_empty = false;
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if let Some(shown) = &self.shown {
            let mut shown = shown.borrow_mut();
            if !shown.is_empty {
                shown.output.progress("");
                shown.is_empty = true;
            }
        }
    }

    /// Shows how searches go on.
    pub(crate) fn watcher(&self) -> impl FnMut(&workspace::Progress) -> ControlFlow<()> + use<> {
        let line = self.clone();
        let desk = self.desk.clone();
        move |now| {
            if desk.is_interrupted() {
                return ControlFlow::Break(());
            }
            if let Some(shown) = &line.shown
                && shown.borrow_mut().is_due(now.elapsed)
            {
                line.say(&text(now));
            }
            ControlFlow::Continue(())
        }
    }
}

impl Shown {
    fn is_due(&mut self, elapsed: Duration) -> bool {
        if elapsed < self.elapsed {
            // Another search; what is over in a moment needs no line.
            self.next = BETWEEN * 2;
        }
        self.elapsed = elapsed;
        let is_due = elapsed >= self.next;
        if is_due {
            self.next = elapsed + BETWEEN;
        }
        is_due
    }
}

/// A line that says what goes on and for how long, until it is dropped.
pub(crate) struct Ticker {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Shows what is said now and then, on the terminal of this output if it has one.
    pub(crate) fn new(output: &Output, said: impl Fn() -> String + Send + 'static) -> Self {
        if !Output::shows_progress() {
            return Self { end: None, thread: None };
        }
        let mut output = output.another();
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let mut is_shown = false;
            while ended.recv_timeout(BETWEEN * 5) == Err(RecvTimeoutError::Timeout) {
                output.progress(&format!("{}, {} s", said(), start.elapsed().as_secs()));
                is_shown = true;
            }
            if is_shown {
                output.progress("");
            }
        });
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn text(now: &workspace::Progress) -> String {
    let doing = if now.tracing { "found, tracing a path" } else { "searching" };
    let milliseconds = u64::try_from(now.elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let per_second = now.states.saturating_mul(1000) / milliseconds;
    format!(
        "{doing}: {} states ({}/s), {} to do, {}, {:.0} s",
        count(now.states),
        count(per_second),
        count(now.frontier),
        report::search_text::amount(now.bytes),
        now.elapsed.as_secs_f64()
    )
}

/// A number in few digits.
fn count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1000),
        10_000_000.. => format!("{}M", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_into_a_terminal() {
        let now = workspace::Progress {
            tracing: true,
            states: 9_999_999_999,
            depth: 100,
            frontier: 9_999_999,
            bytes: 1000 << 30,
            elapsed: Duration::from_secs(9999),
        };
        let line = text(&now);
        assert_eq!(
            line,
            "found, tracing a path: 9999M states (1000k/s), 9999k to do, 1000.0 GiB, 9999 s"
        );
        assert!(line.len() < 80);
    }
}
