//! The workers of one process: they take commands, one search after the other.
//!
//! Commands come through a small dataflow of their own, from the leader to everybody. A worker that
//! finds that somebody was lost ([`crate::link`]) leaves at once, and its dataflows with it.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use explore::{Limits, Lookout, available_memory, memory_in_use};
use timely::WorkerConfig;
use timely::communication::allocator::AllocatorBuilder;
use timely::communication::{WorkerGuards, initialize_from};
use timely::dataflow::operators::Inspect;
use timely::dataflow::operators::vec::{Broadcast, Input};
use timely::worker::Worker;

use crate::dataflow::build;
use crate::judge::{Client, Judge};
use crate::link::{Health, Lost, locked};
use crate::message::Command;
use crate::shipping;
use crate::work::Work;

/// The longest that a worker sleeps before it looks whether all is well: between searches, and in one.
const NAP: Duration = Duration::from_millis(20);
const SHORT_NAP: Duration = Duration::from_millis(1);
/// How long those who leave in order wait for each other.
const FOR_LAST_WORDS: Duration = Duration::from_secs(5);

/// A search that the leader is asked for.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) command: Command,
    pub(crate) words: usize,
    pub(crate) most_states: Option<u64>,
    pub(crate) client: Client,
}

/// The threads of this process.
pub(crate) struct Crew {
    /// The workers, and what ends timely's own threads when it is dropped. Nobody locks them: they cannot
    /// be shared otherwise.
    workers: Mutex<WorkerGuards<Result<(), Lost>>>,
    guard: Mutex<Box<dyn Any + Send>>,
    pub(crate) health: Arc<Health>,
    /// Whether a search is under way.
    pub(crate) is_busy: Arc<AtomicBool>,
}

impl std::fmt::Debug for Crew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew").field("health", &self.health).finish_non_exhaustive()
    }
}

impl Crew {
    /// Starts workers. The first is the leader if there is somebody who has jobs.
    pub(crate) fn start(
        builders: Vec<AllocatorBuilder>,
        guard: Box<dyn Any + Send>,
        health: Arc<Health>,
        jobs: Option<Receiver<Job>>,
    ) -> Result<Self, String> {
        let is_busy = Arc::new(AtomicBool::new(false));
        let threads = builders.len();
        let jobs = Mutex::new(jobs);
        let (looked_at, told) = (Arc::clone(&health), Arc::clone(&is_busy));
        let workers = initialize_from(builders, Box::new(()), move |allocator| {
            let worker = Worker::new(WorkerConfig::default(), allocator, None);
            let is_leader = worker.index() == 0;
            let jobs = is_leader.then(|| locked(&jobs).take()).flatten();
            let (health, is_busy) = (Arc::clone(&looked_at), Arc::clone(&told));
            Server { worker, threads, health, jobs, is_busy, client: None }.serve()
        })?;
        Ok(Self { workers: Mutex::new(workers), guard: Mutex::new(guard), health, is_busy })
    }

    /// Waits until all workers have left; says whether somebody was lost.
    pub(crate) fn join(self) -> Result<(), Lost> {
        let Self { workers, guard, health, .. } = self;
        let workers = workers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut result = Ok(());
        for left in workers.join() {
            result = result.and(left.unwrap_or_else(|why| Err(Lost { process: 0, why })));
        }
        if result.is_ok() {
            health.leave();
            // timely's threads say the last words; one whose other side is gone now waits forever.
            let (done, wait) = channel();
            std::thread::spawn(move || {
                drop(guard);
                let _ = done.send(());
            });
            let _ = wait.recv_timeout(FOR_LAST_WORDS);
        } else {
            // Threads that lost somebody wait forever: they end with the process.
            std::mem::forget(guard);
        }
        result
    }
}

/// One worker.
struct Server {
    worker: Worker,
    /// Workers of this process, who share its memory.
    threads: usize,
    health: Arc<Health>,
    jobs: Option<Receiver<Job>>,
    is_busy: Arc<AtomicBool>,
    /// Of the leader: who asked for the search that all were told to do.
    client: Option<Judge>,
}

impl Server {
    fn serve(mut self) -> Result<(), Lost> {
        let commands = Rc::new(RefCell::new(VecDeque::new()));
        let heard = Rc::clone(&commands);
        let input = self.worker.dataflow::<u64, _, _>(|scope| {
            let (input, stream) = scope.new_input::<Command>();
            stream.broadcast().inspect(move |command: &Command| {
                heard.borrow_mut().push_back(command.clone());
            });
            input
        });
        // Only the leader says anything.
        let mut input = self.jobs.is_some().then_some(input);
        loop {
            self.health.check()?;
            let command = commands.borrow_mut().pop_front();
            match command {
                Some(Command::End) => break,
                Some(command @ Command::Search { .. }) => {
                    self.is_busy.store(true, Ordering::Release);
                    self.search(&command)?;
                    self.is_busy.store(false, Ordering::Release);
                    continue;
                }
                None => {}
            }
            if let (Some(jobs), Some(input), None) = (&self.jobs, &mut input, &self.client) {
                let command = match jobs.recv_timeout(NAP) {
                    Ok(Job { command, words, most_states, client }) => {
                        self.client = Some(Judge::new(words, most_states, client));
                        Some(command)
                    }
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => {
                        self.jobs = None;
                        Some(Command::End)
                    }
                };
                if let Some(command) = command {
                    input.send(command);
                    input.advance_to(*input.time() + 1);
                }
                self.worker.step();
            } else {
                self.worker.step_or_park(Some(NAP));
            }
        }
        drop(input);
        // From here on nobody is missed who has heard the same.
        while self.worker.has_dataflows() {
            self.health.check()?;
            self.worker.step_or_park(Some(NAP));
        }
        Ok(())
    }

    fn search(&mut self, command: &Command) -> Result<(), Lost> {
        let Command::Search { tables, memory, process, microseconds } = command else {
            return Ok(());
        };
        let now = Instant::now();
        let tables = shipping::unpacked(tables).expect("tables as the leader packed them");
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let process = process.map(size);
        let left = process.map(|most| most.saturating_sub(memory_in_use().unwrap_or(0)));
        let bytes = memory.map(size).into_iter().chain(left).chain(available_memory()).min();
        let most = bytes.map_or(usize::MAX, |bytes| bytes / self.threads);
        let limits = Limits {
            process,
            deadline: microseconds.map(|left| now + Duration::from_micros(left)),
            ..Limits::default()
        };
        let place = (self.worker.index(), self.worker.peers());
        let work = Work::new(tables, place, (most, Lookout::new(&limits)));
        let before = self.worker.installed_dataflows().len();
        let judge = self.client.take();
        let is_leader = judge.is_some();
        let decide = build(&mut self.worker, work, judge);
        while self.worker.installed_dataflows().len() > before {
            self.health.check()?;
            if is_leader {
                // The client may have said that it wants no more.
                decide.activate();
                self.worker.step();
            }
            self.worker.step_or_park(Some(SHORT_NAP));
        }
        Ok(())
    }
}
