//! The search: breadth first, level by level, each level in rounds.
//!
//! In a round the workers expand chunks of the level until none is left or the set is full; between
//! rounds the set grows while nobody uses it. States whose successors are not known yet are put
//! aside; when all others of the level are done, the system learns, and they are expanded in the
//! same level: so depths are right, and the system learns at most a few times for each level. A level
//! is finished even if a goal was found meanwhile: a system may leave out ways to a state that another
//! state of the level leads to as well ([`System::successors_from`]).
//!
//! Most searches are small. Levels that are not worth it are done by the calling thread alone, and
//! helpers are started when there is one that is ([`crate::worker_pool`]).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::account::Account;
use crate::frontier::{CHUNK, Chunk, Frontier};
use crate::limits::{Limit, Limits, Progress};
use crate::monitor::{Figures, Monitor};
use crate::search::Statistics;
use crate::set::{Growth, Set};
use crate::worker::{BATCH, Pause, ROOM, Round, Worker};
use crate::worker_pool::{Leader, with_helpers};
use crate::{State, System, Unlearnt};

/// Chunks that are worth a second thread.
const WORTH_SHARING: usize = 8;
/// More threads than this help nobody.
const MOST_THREADS: usize = 256;

/// Why a search ended before all was found.
pub(crate) enum End {
    Limit(Limit),
    Outgrown,
}

impl From<Limit> for End {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl From<Unlearnt> for End {
    fn from(unlearnt: Unlearnt) -> Self {
        match unlearnt {
            Unlearnt::Outgrown => Self::Outgrown,
            Unlearnt::Stopped(limit) => Self::Limit(limit),
        }
    }
}

/// What is done together.
#[derive(Clone, Copy)]
enum Task {
    /// Chunks of the level are expanded.
    Expand,
    /// States are moved because the set grows.
    Move,
}

/// What changes between tasks only.
struct Common<'a, const W: usize, S> {
    system: &'a mut S,
    set: Set<W>,
    /// If the set is about to grow.
    growth: Option<Growth<W>>,
    room: AtomicUsize,
    stop: AtomicBool,
}

/// What all threads see.
struct Shared<'a, const W: usize, S> {
    common: RwLock<Common<'a, W, S>>,
    workers: Vec<Mutex<Worker<W>>>,
    /// What is to be expanded in this level.
    chunks: Mutex<Vec<Chunk<W>>>,
    /// Why the helpers paused, the worst reason.
    pause: Mutex<Pause>,
    account: Account,
    all_goals: bool,
}

impl<'a, const W: usize, S: System<W>> Shared<'a, W, S> {
    fn read(&self) -> RwLockReadGuard<'_, Common<'a, W, S>> {
        self.common.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Common<'a, W, S>> {
        self.common.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a helper does.
    fn help(&self, helper: usize, task: Task) {
        let common = self.read();
        match task {
            Task::Expand => {
                let stopped = || common.stop.load(Ordering::Relaxed);
                let pause = self.expand::<true>(&common, helper + 1, stopped);
                let mut worst = locked(&self.pause);
                *worst = pause.max(*worst);
            }
            Task::Move => common.move_part::<true>(),
        }
    }

    /// Lets one worker expand chunks.
    fn expand<const SHARED: bool>(
        &self,
        common: &Common<'a, W, S>,
        worker: usize,
        look: impl FnMut() -> bool,
    ) -> Pause {
        let round = Round {
            system: &*common.system,
            table: common.set.table(),
            chunks: &self.chunks,
            room: &common.room,
            account: &self.account,
            keep_goals: self.all_goals,
        };
        locked(&self.workers[worker]).run::<SHARED, S>(&round, look)
    }
}

impl<const W: usize, S> Common<'_, W, S> {
    fn move_part<const SHARED: bool>(&self) {
        if let Some(growth) = &self.growth {
            self.set.move_part::<SHARED>(growth);
        }
    }
}

/// A lock whose holders do not fail, or have ended the search.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct Run<'a, const W: usize, S> {
    shared: Shared<'a, W, S>,
    most_states: usize,
    /// Steps to the farthest states found before this level.
    depth: u64,
    /// States found before this level.
    before: usize,
}

impl<'a, const W: usize, S: System<W>> Run<'a, W, S> {
    pub(crate) fn new(system: &'a mut S, threads: usize, limits: &Limits, all_goals: bool) -> Self {
        let most_states = limits.states.and_then(|states| usize::try_from(states).ok());
        let workers = (0..threads.clamp(1, MOST_THREADS)).map(|_| Mutex::new(Worker::new()));
        let common = Common {
            set: Set::new(system.widths()),
            system,
            growth: None,
            room: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        };
        Self {
            shared: Shared {
                common: RwLock::new(common),
                workers: workers.collect(),
                chunks: Mutex::new(Vec::new()),
                pause: Mutex::new(Pause::Done),
                account: Account::new(limits),
                all_goals,
            },
            most_states: most_states.unwrap_or(usize::MAX),
            depth: 0,
            before: 0,
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let workers = self.shared.workers.iter();
        Statistics {
            states: self.shared.read().set.len as u64,
            transitions: workers.map(|worker| locked(worker).transitions).sum(),
            depth: self.depth,
            peak_bytes: self.shared.account.peak(),
        }
    }

    pub(crate) fn goal_seen(&self) -> bool {
        self.shared.workers.iter().any(|worker| locked(worker).goal_seen)
    }

    /// The goals that were kept.
    pub(crate) fn into_goals(self) -> Vec<State<W>> {
        let workers = self.shared.workers.into_iter();
        let workers =
            workers.map(|worker| worker.into_inner().unwrap_or_else(PoisonError::into_inner));
        workers.flat_map(|worker| worker.goals.into_states()).collect()
    }

    /// The system, an empty set with the memory of this one, and the account with nothing else.
    pub(crate) fn into_parts(self) -> (&'a S, Set<W>, Account) {
        let Shared { common, mut account, .. } = self.shared;
        let common = common.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Common { system, mut set, .. } = common;
        set.clear();
        account.keep_only(set.bytes());
        (system, set, account)
    }

    /// Finds all states, or those up to the level of a goal.
    pub(crate) fn levels<F>(&mut self, monitor: &mut Monitor<F>) -> Result<(), End>
    where
        F: FnMut(&Progress) -> ControlFlow<()>,
    {
        let Self { shared, most_states, depth, before } = self;
        let (shared, most_states) = (&*shared, *most_states);
        let help = |helper, task| shared.help(helper, task);
        with_helpers(shared.workers.len() - 1, &help, |leader| {
            Coordinator { shared, leader, monitor, most_states, depth, before }.levels()
        })
    }
}

/// The calling thread, which does all that is not shared.
struct Coordinator<'r, 'a, 'scope, 'env, const W: usize, S, H, F> {
    shared: &'r Shared<'a, W, S>,
    leader: &'r mut Leader<'scope, 'env, Task, H>,
    monitor: &'r mut Monitor<F>,
    most_states: usize,
    depth: &'r mut u64,
    before: &'r mut usize,
}

impl<const W: usize, S, H, F> Coordinator<'_, '_, '_, '_, W, S, H, F>
where
    S: System<W>,
    H: Fn(usize, Task) + Sync,
    F: FnMut(&Progress) -> ControlFlow<()>,
{
    fn levels(&mut self) -> Result<(), End> {
        let shared = self.shared;
        self.begin()?;
        for level in 0.. {
            self.rounds()?;
            while self.take_up(|worker| &mut worker.deferred)? {
                shared.write().system.learn(self.monitor.lookout())?;
                self.rounds()?;
            }
            let states = shared.read().set.len;
            if states > *self.before {
                *self.depth = level;
            }
            *self.before = states;
            if self.is_over() || !self.take_up(|worker| &mut worker.found)? {
                break;
            }
        }
        Ok(())
    }

    /// Adds the initial states, some at a time: there may be very many.
    fn begin(&mut self) -> Result<(), Limit> {
        let mut number = 0;
        loop {
            let begun = {
                let common = self.shared.read();
                let states = (number..).map_while(|number| common.system.initial(number));
                locked(&self.shared.workers[0])
                    .begin_with(states.take(BATCH * CHUNK), &self.shared.account)
                    .map_err(|_| Limit::Memory)?
            };
            if begun < BATCH * CHUNK {
                return Ok(());
            }
            number += begun;
            self.rounds()?;
        }
    }

    fn is_over(&self) -> bool {
        let mut workers = self.shared.workers.iter();
        !self.shared.all_goals && workers.any(|worker| locked(worker).goal_seen)
    }

    /// Makes what the workers put on a frontier the states to be expanded; says whether there are any.
    fn take_up(
        &mut self,
        frontier: impl Fn(&mut Worker<W>) -> &mut Frontier<W>,
    ) -> Result<bool, Limit> {
        let mut chunks = locked(&self.shared.chunks);
        for worker in &self.shared.workers {
            let mut worker = locked(worker);
            let account = &self.shared.account;
            frontier(&mut worker).move_to(&mut chunks, account).map_err(|_| Limit::Memory)?;
        }
        Ok(!chunks.is_empty())
    }

    /// Expands all chunks.
    fn rounds(&mut self) -> Result<(), Limit> {
        loop {
            match self.round()? {
                Pause::Done => return Ok(()),
                Pause::NoRoom => self.make_room()?,
                Pause::NoSlot => self.grow()?,
                Pause::NoMemory => return Err(Limit::Memory),
                Pause::Stopped => unreachable!("only a limit stops a worker"),
            }
        }
    }

    /// Makes it possible to add a state, now that somebody could not.
    fn make_room(&mut self) -> Result<(), Limit> {
        let (len, room) = {
            let common = self.shared.read();
            (common.set.len, common.set.room())
        };
        if len == self.most_states {
            return Err(Limit::States);
        }
        // What one worker lacked another may have held back. It is not worth another round, unless
        // more slots would not help.
        let held_back = self.shared.workers.len() * ROOM;
        if room <= held_back { self.grow() } else { Ok(()) }
    }

    fn grow(&mut self) -> Result<(), Limit> {
        let shared = self.shared;
        let account = &shared.account;
        let mut common = shared.write();
        let growth = common.set.begin_to_grow(account).map_err(|_| Limit::Memory)?;
        common.growth = Some(growth);
        loop {
            let Common { set, growth: Some(growth), .. } = &mut *common else { return Ok(()) };
            if !set.next_part(growth) {
                break;
            }
            let is_shared = shared.workers.len() > 1 && growth.is_worth_sharing();
            drop(common);
            if is_shared {
                self.leader.together(Task::Move, || shared.read().move_part::<true>());
            } else {
                shared.read().move_part::<false>();
            }
            common = shared.write();
        }
        let Some(growth) = common.growth.take() else { return Ok(()) };
        common.set.finish(growth, account).map_err(|_| Limit::Memory)
    }

    /// Lets all workers run; the worst reason why one paused.
    fn round(&mut self) -> Result<Pause, Limit> {
        let shared = self.shared;
        let (depth, before) = (*self.depth, *self.before);
        let room = {
            let mut common = shared.write();
            // States that may be added to the set as it is.
            let room = common.set.room().min(self.most_states - common.set.len);
            *common.room.get_mut() = room;
            *common.stop.get_mut() = false;
            room
        };
        *locked(&shared.pause) = Pause::Done;
        let threads = shared.workers.len();
        let is_shared = threads > 1
            && locked(&shared.chunks).len() >= WORTH_SHARING
            && room >= 2 * ROOM * threads;
        let mut limit = None;
        let worst = {
            let common = shared.read();
            let mut look = || {
                limit = limit.or_else(|| {
                    self.monitor.look(|| {
                        let added = room - common.room.load(Ordering::Relaxed);
                        let states = common.set.len + added;
                        let left = locked(&shared.chunks).len() * CHUNK;
                        Figures {
                            tracing: false,
                            states,
                            depth,
                            frontier: left + states - before,
                            bytes: shared.account.used(),
                        }
                    })
                });
                limit.is_some()
            };
            if is_shared {
                let own = self.leader.together(Task::Expand, || {
                    let pause = shared.expand::<true>(&common, 0, &mut look);
                    if pause == Pause::Stopped {
                        common.stop.store(true, Ordering::Relaxed);
                    }
                    pause
                });
                own.max(*locked(&shared.pause))
            } else {
                let pauses =
                    (0..threads).map(|worker| shared.expand::<false>(&common, worker, &mut look));
                pauses.fold(Pause::Done, Pause::max)
            }
        };
        let mut common = shared.write();
        let left = *common.room.get_mut();
        common.set.len += room - left;
        limit.map_or(Ok(worst), Err)
    }
}
