//! Threads that stay from one task to the next.
//!
//! A level of a search takes a millisecond, and a processor that was put to sleep takes a fifth of one to
//! wake up. So the helpers are started once, when there is something worth sharing, and wait for the
//! next task awake for a while before they go to sleep.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread::{Scope, ScopedJoinHandle, available_parallelism};
use std::time::Duration;

use web_time::Instant;

/// How long somebody waits awake: about as long as it takes to be woken up. Nobody does if that would
/// keep others from working.
const AWAKE: Duration = Duration::from_micros(200);

/// What is to be done; nothing when all is over.
struct Posted<T> {
    turn: u64,
    task: Option<T>,
}

/// Where tasks are posted, and who has not finished.
struct Post<T> {
    posted: Mutex<Posted<T>>,
    /// The number of the task that is posted, to be looked at while awake.
    turn: AtomicU64,
    changed: Condvar,
    /// Helpers that have not finished the task.
    busy: AtomicUsize,
    has_failed: AtomicBool,
    finished: Condvar,
    /// How long somebody waits awake.
    awake: Duration,
}

impl<T: Copy> Post<T> {
    const fn new(awake: Duration) -> Self {
        Self {
            awake,
            posted: Mutex::new(Posted { turn: 0, task: None }),
            turn: AtomicU64::new(0),
            changed: Condvar::new(),
            busy: AtomicUsize::new(0),
            has_failed: AtomicBool::new(false),
            finished: Condvar::new(),
        }
    }

    fn post(&self, task: Option<T>, helpers: usize) {
        let mut posted = self.posted.lock().expect("nothing fails with the lock held");
        self.busy.store(helpers, Ordering::Relaxed);
        *posted = Posted { turn: posted.turn + 1, task };
        self.turn.store(posted.turn, Ordering::Release);
        drop(posted);
        self.changed.notify_all();
    }

    /// Waits for the task after the one with this number.
    fn wait_for_task(&self, seen: u64) -> Posted<T> {
        self.stay_awake_until(|| self.turn.load(Ordering::Acquire) != seen);
        let posted = self.posted.lock().expect("nothing fails with the lock held");
        let is_seen = |posted: &mut Posted<T>| posted.turn == seen;
        let posted = self.changed.wait_while(posted, is_seen);
        let posted = posted.expect("nothing fails with the lock held");
        Posted { turn: posted.turn, task: posted.task }
    }

    /// Waits until all helpers have finished.
    fn wait_for_all(&self) {
        let is_over = || self.busy.load(Ordering::Acquire) == 0;
        if !self.stay_awake_until(is_over) {
            let posted = self.posted.lock().expect("nothing fails with the lock held");
            let waited = self.finished.wait_while(posted, |_| !is_over());
            drop(waited.expect("nothing fails with the lock held"));
        }
    }

    /// A helper has finished, or failed.
    fn finish(&self) {
        if std::thread::panicking() {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        if self.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Whoever is about to sleep sleeps when this lock is free, or has seen that it is over.
            drop(self.posted.lock());
            self.finished.notify_all();
        }
    }

    /// Waits a while for something; says whether it came.
    fn stay_awake_until(&self, is_so: impl Fn() -> bool) -> bool {
        let mut begin = None;
        loop {
            for _ in 0..64 {
                if is_so() {
                    return true;
                }
                spin_loop();
            }
            if begin.get_or_insert_with(Instant::now).elapsed() >= self.awake {
                return false;
            }
        }
    }
}

/// Does something in the end, even if what comes before fails.
struct InTheEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for InTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Who posts the tasks.
pub(crate) struct Leader<'scope, 'env, T, F> {
    scope: &'scope Scope<'scope, 'env>,
    post: &'env Post<T>,
    work: &'env F,
    helpers: usize,
    started: Vec<ScopedJoinHandle<'scope, ()>>,
}

/// Lets `lead` have tasks done by so many helpers, by all at once; `work` does one helper's share of a
/// task.
pub(crate) fn with_helpers<T: Copy + Send, F: Fn(usize, T) + Sync, R>(
    helpers: usize,
    work: &F,
    lead: impl FnOnce(&mut Leader<'_, '_, T, F>) -> R,
) -> R {
    let processors = if helpers == 0 { 1 } else { available_parallelism().map_or(1, usize::from) };
    let post = Post::new(if helpers < processors { AWAKE } else { Duration::ZERO });
    std::thread::scope(|scope| {
        let _over = InTheEnd(|| post.post(None, 0));
        lead(&mut Leader { scope, post: &post, work, helpers, started: Vec::new() })
    })
}

impl<T: Copy + Send, F: Fn(usize, T) + Sync> Leader<'_, '_, T, F> {
    /// Does one's own share of a task while the helpers do theirs.
    pub(crate) fn together<R>(&mut self, task: T, own: impl FnOnce() -> R) -> R {
        let (post, work) = (self.post, self.work);
        while self.started.len() < self.helpers {
            let helper = self.started.len();
            self.started.push(self.scope.spawn(move || {
                let mut turn = 0;
                loop {
                    let next = post.wait_for_task(turn);
                    let Some(task) = next.task else { return };
                    turn = next.turn;
                    let _finished = InTheEnd(|| post.finish());
                    work(helper, task);
                }
            }));
        }
        post.post(Some(task), self.helpers);
        let result = own();
        post.wait_for_all();
        if post.has_failed.load(Ordering::Relaxed) {
            post.post(None, 0);
            for helper in self.started.drain(..) {
                helper.join().unwrap_or_else(|failure| resume_unwind(failure));
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_does_every_task_once() {
        for helpers in [0, 1, 3] {
            let done = Mutex::new(Vec::new());
            let note = |who: usize, task: u32| done.lock().unwrap().push((task, who));
            let tasks = with_helpers(helpers, &note, |leader| {
                for task in 0..200 {
                    // Sometimes the helpers have fallen asleep.
                    if task % 50 == 0 {
                        std::thread::sleep(AWAKE * 2);
                    }
                    leader.together(task, || note(helpers, task));
                    assert_eq!(done.lock().unwrap().len(), (task as usize + 1) * (helpers + 1));
                }
                200
            });
            let mut done = done.into_inner().unwrap();
            done.sort_unstable();
            let all = (0..tasks).flat_map(|task| (0..=helpers).map(move |who| (task, who)));
            assert_eq!(done, all.collect::<Vec<_>>());
        }
    }

    #[test]
    fn slow_helpers_are_waited_for() {
        let done = AtomicUsize::new(0);
        let slow = |_, ()| {
            std::thread::sleep(AWAKE * 5);
            done.fetch_add(1, Ordering::Relaxed);
        };
        with_helpers(2, &slow, |leader| {
            for round in 1..4 {
                leader.together((), || ());
                assert_eq!(done.load(Ordering::Relaxed), 2 * round);
            }
        });
    }

    #[test]
    #[should_panic(expected = "the helper fails")]
    fn the_failure_of_a_helper_is_the_leaders() {
        let fail = |_, ()| panic!("the helper fails");
        with_helpers(2, &fail, |leader| leader.together((), || ()));
    }

    #[test]
    #[should_panic(expected = "the leader fails")]
    fn helpers_go_home_when_the_leader_fails() {
        with_helpers(2, &|_, ()| (), |leader| {
            leader.together((), || ());
            leader.together((), || panic!("the leader fails"));
        });
    }

    #[test]
    fn nobody_is_started_for_nothing() {
        assert_eq!(with_helpers(100, &|_, ()| (), |leader| leader.started.len()), 0);
    }
}
