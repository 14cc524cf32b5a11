//! What one thread does: it takes a piece of the level, expands its states, and adds their successors
//! to the set.
//!
//! A successor is hashed once, its slot is prefetched, and only when enough others have been is it
//! looked up: so the misses overlap with each other and with all computation. For each state expanded,
//! as many successors are looked up as were found; looking up a whole batch at once would leave the
//! memory idle meanwhile.
//!
//! A worker can pause anywhere between two states (no room in the set, no memory, somebody said
//! stop) and keeps what it has, so that it can go on when the set has grown. The set is never
//! overfilled: room in it is taken before it is used.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::account::{Account, OutOfMemory};
use crate::pile::{Piece, Pile, Stock};
use crate::set::{Probe, Table, hash};
use crate::{State, System, Unknown};

/// Successors that are under way.
pub(crate) const UNDER_WAY: usize = 64;
/// Successors that are looked up between two looks at the clock.
const LOOKS_APART: usize = 256;
/// Room that a worker takes at a time.
pub(crate) const ROOM: usize = 1 << 10;

/// What the workers share while the set does not grow.
pub(crate) struct Round<'a, const W: usize, S> {
    pub(crate) system: &'a S,
    pub(crate) table: Table<'a, W>,
    /// The pieces of the level that nobody has taken.
    pub(crate) pieces: &'a Mutex<Vec<Piece<W>>>,
    /// How many states may still be added that no worker has been granted.
    pub(crate) room: AtomicUsize,
    pub(crate) account: &'a Account,
    pub(crate) stop: AtomicBool,
    /// Whether goals are kept, or only that there is one.
    pub(crate) keep_goals: bool,
}

/// Why a worker stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pause {
    /// There is nothing left to do.
    Done,
    /// No more states may be added to the set.
    NoRoom,
    /// There is no slot for a state although there is room: the set must grow.
    NoSlot,
    /// There is no memory for what was found.
    NoMemory,
    /// Somebody said stop.
    Stopped,
}

impl From<OutOfMemory> for Pause {
    fn from(_: OutOfMemory) -> Self {
        Self::NoMemory
    }
}

/// A successor on its way to the set.
pub(crate) struct Successor<const W: usize> {
    pub(crate) state: State<W>,
    /// The slot where it is to be looked for.
    pub(crate) slot: usize,
}

/// A thread's own things, kept from round to round.
pub(crate) struct Worker<const W: usize> {
    /// What is left of the piece it took.
    piece: Piece<W>,
    pending: Vec<Successor<W>>,
    /// How many of them, from the first on, have been looked up.
    resolved: usize,
    stock: Stock<W>,
    /// States for the next level.
    pub(crate) found: Pile<W>,
    /// States whose successors are not known yet.
    pub(crate) deferred: Pile<W>,
    pub(crate) goals: Pile<W>,
    pub(crate) goal_seen: bool,
    pub(crate) transitions: u64,
    /// States it may still add.
    room: usize,
}

impl<const W: usize> Worker<W> {
    pub(crate) const fn new() -> Self {
        Self {
            piece: Vec::new(),
            pending: Vec::new(),
            resolved: 0,
            stock: Stock::new(),
            found: Pile::new(),
            deferred: Pile::new(),
            goals: Pile::new(),
            goal_seen: false,
            transitions: 0,
            room: 0,
        }
    }

    /// Adds initial states, to be looked up in the next round.
    pub(crate) fn begin_with(
        &mut self,
        initial: &[State<W>],
        account: &Account,
    ) -> Result<(), OutOfMemory> {
        account.extend(&mut self.pending, initial.len())?;
        let successor = |state: &State<W>| Successor { state: *state, slot: 0 };
        self.pending.extend(initial.iter().map(successor));
        Ok(())
    }

    /// Works until nothing is left to do or something prevents it. `look` is called now and then and
    /// says whether to stop. Only one worker may run at a time unless they are `SHARED`.
    pub(crate) fn run<const SHARED: bool, S: System<W>>(
        &mut self,
        round: &Round<'_, W, S>,
        mut look: impl FnMut() -> bool,
    ) -> Pause {
        // The set may have grown meanwhile.
        for successor in &mut self.pending {
            successor.slot = round.table.first_slot(hash(&successor.state));
        }
        let pause = loop {
            match self.step::<SHARED, S>(round) {
                Ok(true) if !look() => {}
                Ok(true) => break Pause::Stopped,
                Ok(false) => break Pause::Done,
                Err(pause) => break pause,
            }
        };
        round.room.fetch_add(std::mem::take(&mut self.room), Ordering::Relaxed);
        pause
    }

    /// Looks up some successors; says whether there may be more to do.
    fn step<const SHARED: bool, S: System<W>>(
        &mut self,
        round: &Round<'_, W, S>,
    ) -> Result<bool, Pause> {
        self.pending.drain(..self.resolved);
        self.resolved = 0;
        while self.resolved < LOOKS_APART {
            let Some(state) = self.piece.pop() else {
                let next = round.pieces.lock().expect("nothing fails with the lock held").pop();
                if let Some(piece) = next {
                    self.stock.put(std::mem::replace(&mut self.piece, piece), round.account);
                    continue;
                }
                let more = !self.pending.is_empty();
                self.resolve::<SHARED, S>(0, round)?;
                return Ok(more);
            };
            if let Err(pause) = self.expand(&state, round) {
                self.piece.push(state);
                return Err(pause);
            }
            self.resolve::<SHARED, S>(UNDER_WAY, round)?;
        }
        Ok(true)
    }

    #[inline]
    fn expand<S: System<W>>(
        &mut self,
        state: &State<W>,
        round: &Round<'_, W, S>,
    ) -> Result<(), Pause> {
        let (table, account) = (round.table, round.account);
        let before = self.pending.len();
        let pending = &mut self.pending;
        let mut memory = Ok(());
        let mut to_itself = 0;
        let source = state;
        let known = round.system.successors(state, |state| {
            // A thread that waits leads to the same state again and again.
            if state == *source {
                to_itself += 1;
                return;
            }
            let slot = table.first_slot(hash(&state));
            table.prefetch(slot);
            if pending.len() == pending.capacity() {
                memory = memory.and(account.extend(pending, UNDER_WAY));
            }
            if pending.len() < pending.capacity() {
                pending.push(Successor { state, slot });
            }
        });
        let deferred = match known {
            Ok(()) => Ok(()),
            Err(Unknown) => self.deferred.push(*state, &mut self.stock, account),
        };
        if known.is_err() || memory.is_err() {
            self.pending.truncate(before);
            to_itself = 0;
        }
        memory.and(deferred)?;
        self.transitions += (self.pending.len() - before) as u64 + to_itself;
        Ok(())
    }

    /// Looks up what is pending until so many are left.
    #[inline]
    fn resolve<const SHARED: bool, S: System<W>>(
        &mut self,
        left: usize,
        round: &Round<'_, W, S>,
    ) -> Result<(), Pause> {
        while self.resolved + left < self.pending.len() {
            if self.room == 0 {
                self.room = take(&round.room, ROOM);
            }
            let Successor { state, slot } = &self.pending[self.resolved];
            match round.table.probe::<SHARED>(state, *slot, self.room) {
                Probe::Known => {}
                Probe::Elsewhere(slot) => {
                    // Its turn comes again when that has been fetched.
                    round.table.prefetch(slot);
                    let state = *state;
                    round.account.extend(&mut self.pending, 1)?;
                    self.pending.push(Successor { state, slot });
                }
                Probe::New => {
                    self.room -= 1;
                    // Without memory the state is in the set but in no frontier: the search is over.
                    self.found.push(*state, &mut self.stock, round.account)?;
                    if round.system.is_goal(state) {
                        self.goal_seen = true;
                        if round.keep_goals {
                            self.goals.push(*state, &mut self.stock, round.account)?;
                        }
                    }
                }
                Probe::NoRoom => return Err(Pause::NoRoom),
                Probe::NoSlot => return Err(Pause::NoSlot),
            }
            self.resolved += 1;
        }
        Ok(())
    }
}

/// Takes up to so much room.
fn take(room: &AtomicUsize, most: usize) -> usize {
    let rest = |room: usize| (room > 0).then(|| room - room.min(most));
    let before = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
    before.map_or(0, |before| before.min(most))
}
