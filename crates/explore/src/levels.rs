//! The search: breadth first, level by level, each level in rounds.
//!
//! In a round the workers expand pieces of the level until none is left or the set is full; between
//! rounds the set grows while nobody uses it. States whose successors are not known yet are put
//! aside; when all others of the level are done, the system learns, and they are expanded in the
//! same level: so depths are right, and the system learns at most a few times for each level. A level
//! is finished even if a goal was found meanwhile: a system may leave out ways to a state that another
//! state of the level leads to as well ([`System::successors_from`]).
//!
//! Most searches are small. Levels that are not worth it are done by the calling thread alone, and
//! threads are started for a round only: a few ten microseconds for several thousand states.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::account::Account;
use crate::limits::{Limit, Limits, Progress};
use crate::monitor::{Figures, Monitor};
use crate::pile::{PIECE, Piece, Pile};
use crate::search::Statistics;
use crate::set::Set;
use crate::worker::{Pause, ROOM, Round, Worker};
use crate::{State, System};

/// Pieces that are worth a second thread.
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

pub(crate) struct Run<'a, const W: usize, S> {
    system: &'a mut S,
    account: Account,
    most_states: usize,
    all_goals: bool,
    set: Set<W>,
    workers: Vec<Worker<W>>,
    /// What is to be expanded in this level.
    pieces: Mutex<Vec<Piece<W>>>,
    /// Steps to the farthest states found before this level.
    depth: u64,
    /// States found before this level.
    before: usize,
}

impl<'a, const W: usize, S: System<W>> Run<'a, W, S> {
    pub(crate) fn new(system: &'a mut S, threads: usize, limits: &Limits, all_goals: bool) -> Self {
        let most_states = limits.states.and_then(|states| usize::try_from(states).ok());
        Self {
            system,
            account: Account::new(limits),
            most_states: most_states.unwrap_or(usize::MAX),
            all_goals,
            set: Set::new(),
            workers: (0..threads.clamp(1, MOST_THREADS)).map(|_| Worker::new()).collect(),
            pieces: Mutex::new(Vec::new()),
            depth: 0,
            before: 0,
        }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            states: self.set.len as u64,
            transitions: self.workers.iter().map(|worker| worker.transitions).sum(),
            depth: self.depth,
            peak_bytes: self.account.peak(),
        }
    }

    pub(crate) fn goal_seen(&self) -> bool {
        self.workers.iter().any(|worker| worker.goal_seen)
    }

    /// The goals that were kept.
    pub(crate) fn into_goals(self) -> Vec<State<W>> {
        self.workers.into_iter().flat_map(|worker| worker.goals.into_states()).collect()
    }

    /// The system, an empty set with the memory of this one, and the account with nothing else.
    pub(crate) fn into_parts(self) -> (&'a S, Set<W>, Account) {
        let Self { system, mut account, mut set, .. } = self;
        set.clear();
        account.keep_only(set.bytes());
        (system, set, account)
    }

    /// Finds all states, or those up to the level of a goal.
    pub(crate) fn levels<F>(&mut self, monitor: &mut Monitor<F>) -> Result<(), End>
    where
        F: FnMut(&Progress) -> ControlFlow<()>,
    {
        let initial = self.system.initial();
        self.workers[0].begin_with(&initial, &self.account).map_err(|_| Limit::Memory)?;
        for level in 0.. {
            self.rounds(monitor)?;
            while self.take_up(|worker| &mut worker.deferred)? {
                if self.system.learn().is_break() {
                    return Err(End::Outgrown);
                }
                self.rounds(monitor)?;
            }
            if self.set.len > self.before {
                self.depth = level;
            }
            self.before = self.set.len;
            if self.is_over() || !self.take_up(|worker| &mut worker.found)? {
                break;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        !self.all_goals && self.goal_seen()
    }

    /// Makes what the workers put on a pile the states to be expanded; says whether there are any.
    fn take_up(&mut self, pile: impl Fn(&mut Worker<W>) -> &mut Pile<W>) -> Result<bool, Limit> {
        let pieces = self.pieces.get_mut().expect("nothing fails with the lock held");
        for worker in &mut self.workers {
            pile(worker).move_to(pieces, &self.account).map_err(|_| Limit::Memory)?;
        }
        Ok(!pieces.is_empty())
    }

    /// Expands all pieces.
    fn rounds<F>(&mut self, monitor: &mut Monitor<F>) -> Result<(), Limit>
    where
        F: FnMut(&Progress) -> ControlFlow<()>,
    {
        loop {
            match self.round(monitor)? {
                Pause::Done => return Ok(()),
                Pause::NoRoom => self.make_room()?,
                Pause::NoSlot => self.grow()?,
                Pause::NoMemory => return Err(Limit::Memory),
                Pause::Stopped => unreachable!("only a limit stops a worker"),
            }
        }
    }

    /// States that may be added to the set as it is.
    fn room(&self) -> usize {
        self.set.room().min(self.most_states - self.set.len)
    }

    /// Makes it possible to add a state, now that somebody could not.
    fn make_room(&mut self) -> Result<(), Limit> {
        if self.set.len == self.most_states {
            return Err(Limit::States);
        }
        // What one worker lacked another may have held back. It is not worth another round, unless
        // more slots would not help.
        let held_back = self.workers.len() * ROOM;
        if self.set.room() <= held_back { self.grow() } else { Ok(()) }
    }

    fn grow(&mut self) -> Result<(), Limit> {
        self.set.grow(self.workers.len(), &self.account).map_err(|_| Limit::Memory)
    }

    /// Lets all workers run; the worst reason why one paused.
    fn round<F>(&mut self, monitor: &mut Monitor<F>) -> Result<Pause, Limit>
    where
        F: FnMut(&Progress) -> ControlFlow<()>,
    {
        let room = self.room();
        let pieces = self.pieces.get_mut().expect("nothing fails with the lock held").len();
        let shared = self.workers.len() > 1
            && pieces >= WORTH_SHARING
            && room >= 2 * ROOM * self.workers.len();
        let round = Round {
            system: &*self.system,
            table: self.set.table(),
            pieces: &self.pieces,
            room: AtomicUsize::new(room),
            account: &self.account,
            stop: AtomicBool::new(false),
            keep_goals: self.all_goals,
        };
        let mut limit = None;
        let mut look = || {
            limit = limit.or_else(|| {
                monitor.look(|| {
                    let added = room - round.room.load(Ordering::Relaxed);
                    let states = self.set.len + added;
                    let left = round.pieces.lock().map_or(0, |pieces| pieces.len() * PIECE);
                    Figures {
                        tracing: false,
                        states,
                        depth: self.depth,
                        frontier: left + states - self.before,
                        bytes: self.account.used(),
                    }
                })
            });
            limit.is_some()
        };
        let worst = if shared {
            let (own, others) = self.workers.split_at_mut(1);
            std::thread::scope(|scope| {
                let round = &round;
                let stopped = || round.stop.load(Ordering::Relaxed);
                let started: Vec<_> = others
                    .iter_mut()
                    .map(|worker| scope.spawn(move || worker.run::<true, S>(round, stopped)))
                    .collect();
                let own = own[0].run::<true, S>(round, &mut look);
                if own == Pause::Stopped {
                    round.stop.store(true, Ordering::Relaxed);
                }
                let others = started.into_iter().map(|other| other.join().expect("no panic"));
                others.fold(own, Pause::max)
            })
        } else {
            let pauses =
                self.workers.iter_mut().map(|worker| worker.run::<false, S>(&round, &mut look));
            pauses.fold(Pause::Done, Pause::max)
        };
        let left = round.room.into_inner();
        self.set.len += room - left;
        limit.map_or(Ok(worst), Err)
    }
}
