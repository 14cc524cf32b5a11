//! The processes of a cluster as an engine for tables.
//!
//! The thread that asks knows what a goal is, and the limits; the leader is another thread, since
//! it must not wait. It is told of candidates while it searches, and asks at the end of a level which of
//! them are goals.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use explore::tables::{
    Request, TableEngine, TableOutcome, TableSearch, Tables, Unsuitable, Wanted,
};
use explore::{Limit, Limits, Lookout, Progress, Statistics, memory_in_use};
use timely::communication::Config;

use crate::gathering::{Children, Unable};
use crate::judge::{Client, News, Totals};
use crate::link::{Health, Lost, locked};
use crate::message::Command;
use crate::service::{Crew, Job};
use crate::shipping;

/// Time between two reports to who watches.
const BETWEEN_REPORTS: Duration = Duration::from_millis(50);
/// Time between two looks at the limits.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// How long to wait for the status of a process that was lost.
const FOR_STATUS: Duration = Duration::from_millis(300);

/// What workers sent each other in searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// States, before repetitions in a batch were removed.
    pub states: u64,
    /// Bytes of the batches.
    pub bytes: u64,
}

/// Processes that search together; this is process 0.
#[derive(Debug)]
pub struct Cluster {
    /// One search at a time.
    jobs: Mutex<Option<Sender<Job>>>,
    crew: Option<Crew>,
    health: Arc<Health>,
    /// Processes that share this machine's memory.
    sharing: usize,
    children: Mutex<Children>,
    exchanged: Mutex<Exchanged>,
}

impl Cluster {
    pub(crate) fn new(crew: Crew, jobs: Sender<Job>, children: Children) -> Self {
        Self {
            jobs: Mutex::new(Some(jobs)),
            health: Arc::clone(&crew.health),
            crew: Some(crew),
            sharing: children.0.len() + 1,
            children: Mutex::new(children),
            exchanged: Mutex::default(),
        }
    }

    /// A cluster of threads of this process, for tests and comparisons.
    pub fn of_threads(threads: usize) -> Result<Self, Unable> {
        let (builders, guard) = Config::Process(threads).try_build().map_err(Unable)?;
        let (jobs, receiver) = channel();
        let crew = Crew::start(builders, guard, Arc::default(), Some(receiver));
        let crew = crew.map_err(Unable)?;
        Ok(Self::new(crew, jobs, Children(Vec::new())))
    }

    /// What the workers have sent each other in the last search.
    pub fn exchanged(&self) -> Exchanged {
        *locked(&self.exchanged)
    }

    /// The processes that this one has started, by the numbers that the system has for them.
    pub fn started(&self) -> Vec<u32> {
        locked(&self.children).0.iter().map(std::process::Child::id).collect()
    }

    /// Says who was lost.
    fn lost(&self) -> Unsuitable {
        let since = Instant::now();
        let Some(Lost { process, why }) = self.health.lost() else {
            return Unsuitable("the cluster has stopped working (this is a bug)".to_owned());
        };
        let mut children = locked(&self.children);
        while since.elapsed() < FOR_STATUS && !children.0.is_empty() {
            // Those that lost it have ended too, in order.
            if let Some((process, status)) =
                children.ended(|other, has_code| other == process || !has_code)
            {
                return Unsuitable(format!(
                    "the cluster lost process {process}: it ended, {status}"
                ));
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Unsuitable(format!("the cluster lost process {process}: {why}"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The leader tells everybody to end.
        drop(locked(&self.jobs).take());
        if let Some(crew) = self.crew.take() {
            let _ = crew.join();
        }
    }
}

impl TableEngine for Cluster {
    fn search(&self, tables: &Tables, request: Request<'_>) -> Result<TableSearch, Unsuitable> {
        let jobs = locked(&self.jobs);
        let Some(jobs) = jobs.as_ref() else { return Err(self.lost()) };
        let (news_out, news) = channel();
        let (goals_out, goals) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let job = Job {
            command: self.command(tables, &request.limits),
            words: tables.words,
            most_states: request.limits.states,
            client: Client { news: news_out, goals, stop: Arc::clone(&stop) },
        };
        if jobs.send(job).is_err() {
            return Err(self.lost());
        }
        let now = Instant::now();
        let mut asking = Asking {
            words: tables.words,
            lookout: Lookout::new(&request.limits),
            request,
            goals_out,
            stop,
            goals: BTreeSet::new(),
            limit: None,
            totals: Totals::default(),
            started: now,
            next_look: now,
            next_report: now + BETWEEN_REPORTS,
        };
        let over = asking.until_over(&news, &self.health);
        let Some((outcome, totals)) = over else { return Err(self.lost()) };
        *locked(&self.exchanged) =
            Exchanged { states: totals.sent_states, bytes: totals.sent_bytes };
        let outcome = asking.outcome(outcome);
        let statistics = Statistics {
            states: totals.states,
            transitions: totals.transitions,
            depth: totals.depth,
            peak_bytes: usize::try_from(totals.peak).unwrap_or(usize::MAX),
        };
        Ok(TableSearch { outcome, statistics })
    }
}

impl Cluster {
    /// What everybody is told. Processes on one machine share what there is; others have as much each.
    fn command(&self, tables: &Tables, limits: &Limits) -> Command {
        let Limits { memory, process, deadline, states: _ } = *limits;
        let left = |most: usize| most.saturating_sub(memory_in_use().unwrap_or(0));
        let (memory, process) = if self.sharing > 1 {
            let bytes = memory.into_iter().chain(process.map(left)).min();
            (bytes.map(|bytes| bytes / self.sharing), None)
        } else {
            (memory, process)
        };
        let microseconds = deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            u64::try_from(left.as_micros()).unwrap_or(u64::MAX)
        });
        let number = |size: usize| size as u64;
        Command::Search {
            tables: shipping::packed(tables),
            memory: memory.map(number),
            process: process.map(number),
            microseconds,
        }
    }
}

/// A search, as the thread sees it that asked for it.
struct Asking<'r> {
    words: usize,
    request: Request<'r>,
    lookout: Lookout,
    goals_out: Sender<Vec<Vec<u64>>>,
    stop: Arc<AtomicBool>,
    /// Goals that were found: in the level, or at all if all are wanted.
    goals: BTreeSet<Vec<u64>>,
    /// A limit that was seen here.
    limit: Option<Limit>,
    totals: Totals,
    started: Instant,
    next_look: Instant,
    next_report: Instant,
}

impl Asking<'_> {
    /// What the search came to, and what was done; nothing if somebody was lost.
    fn until_over(
        &mut self,
        news: &Receiver<News>,
        health: &Health,
    ) -> Option<(Option<TableOutcome>, Totals)> {
        loop {
            match news.recv_timeout(BETWEEN_LOOKS) {
                Ok(News::Candidates(states)) => self.consider(&states),
                Ok(News::Level) => {
                    let goals = match self.request.wanted {
                        Wanted::Nearest(most) => {
                            let goals = std::mem::take(&mut self.goals);
                            goals.into_iter().take(most.max(1)).collect()
                        }
                        Wanted::All => Vec::new(),
                    };
                    // A leader that is gone has dropped the other channel too.
                    let _ = self.goals_out.send(goals);
                }
                Ok(News::Totals(totals)) => self.totals = totals,
                Ok(News::Over(outcome, totals)) => return Some((outcome, totals)),
                Err(RecvTimeoutError::Timeout) if health.lost().is_none() => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
            self.look();
        }
    }

    fn consider(&mut self, states: &[u64]) {
        for state in states.chunks_exact(self.words) {
            if self.limit.is_none()
                && let Err(limit) = self.lookout.step()
            {
                self.reached(limit);
            }
            if self.limit.is_none() && (self.request.is_goal)(state) {
                self.goals.insert(state.to_vec());
            }
        }
    }

    fn reached(&mut self, limit: Limit) {
        self.limit = self.limit.or(Some(limit));
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Looks at the limits and tells who watches, if it is time to.
    fn look(&mut self) {
        let now = Instant::now();
        if now < self.next_look || self.limit.is_some() {
            return;
        }
        self.next_look = now + BETWEEN_LOOKS;
        if let Err(limit) = self.lookout.look(now) {
            return self.reached(limit);
        }
        if now < self.next_report {
            return;
        }
        self.next_report = now + BETWEEN_REPORTS;
        let Totals { states, depth, frontier, reserved, tracing, .. } = self.totals;
        let bytes = usize::try_from(reserved).unwrap_or(usize::MAX);
        let elapsed = now - self.started;
        let progress = Progress { tracing, states, depth, frontier, bytes, elapsed };
        if matches!((self.request.watch)(&progress), ControlFlow::Break(())) {
            self.reached(Limit::Cancelled);
        }
    }

    /// What the search came to, with what is known here.
    fn outcome(self, outcome: Option<TableOutcome>) -> TableOutcome {
        match (self.limit, outcome) {
            (Some(limit), _) => TableOutcome::Stopped(limit),
            (None, Some(TableOutcome::Exhausted(_))) => match self.request.wanted {
                Wanted::All => TableOutcome::Exhausted(self.goals.into_iter().collect()),
                Wanted::Nearest(_) => TableOutcome::Exhausted(Vec::new()),
            },
            (None, Some(outcome)) => outcome,
            (None, None) => TableOutcome::Stopped(Limit::Cancelled),
        }
    }
}
