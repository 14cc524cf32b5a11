//! What one thread does: it takes a chunk of the level, expands its states, and adds their successors
//! to the set.
//!
//! A successor is hashed once, its slot is prefetched, and only when enough others have been is it
//! looked up: so the misses overlap with each other and with all computation. States are expanded
//! until there is a batch of successors; then, in turns, one of these is asked for and one of the
//! batch before is looked up. Short loops without surprises: what the processor cannot predict (whether
//! a step leads back, whether a state is known) costs it as much as everything else.
//!
//! A worker can pause anywhere between two states (no room in the set, no memory, somebody said
//! stop) and keeps what it has, so that it can go on when the set has grown. The set is never
//! overfilled: room in it is taken before it is used.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::account::{Account, OutOfMemory};
use crate::frontier::{Chunk, Frontier, Pool};
use crate::set::{AnyTable, Probe, Sought, Table};
use crate::{Origin, State, System, Unknown};

/// Successors that are looked up in a row.
pub(crate) const BATCH: usize = 64;
/// Successors that are looked up between two looks at the clock.
const LOOKS_APART: usize = 256;
/// Room that a worker takes at a time.
pub(crate) const ROOM: usize = 1 << 10;

/// What the workers share while the set does not grow.
pub(crate) struct Round<'a, const W: usize, S> {
    pub(crate) system: &'a S,
    pub(crate) table: AnyTable<'a, W>,
    /// The chunks of the level that nobody has taken.
    pub(crate) chunks: &'a Mutex<Vec<Chunk<W>>>,
    /// How many states may still be added that no worker has been granted.
    pub(crate) room: &'a AtomicUsize,
    pub(crate) account: &'a Account,
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

/// A successor that was just found.
#[derive(Clone, Copy)]
struct Fresh<const W: usize> {
    state: State<W>,
    origin: Origin,
}

impl<const W: usize> Fresh<W> {
    const NONE: Self = Self { state: [0; W], origin: 0 };
}

/// A successor on its way to the set.
#[derive(Clone, Copy)]
struct Asked<const W: usize> {
    successor: Fresh<W>,
    /// Where it is to be looked for; that has been asked for.
    sought: Sought,
}

/// A thread's own things, kept from round to round; no line of the cache has things of two threads.
#[repr(align(128))]
pub(crate) struct Worker<const W: usize> {
    /// What is left of the chunk it took.
    chunk: Chunk<W>,
    /// Successors that were just found: the first of these, so many.
    fresh: Vec<Fresh<W>>,
    found_fresh: usize,
    /// Those that are looked up next, and those that come after them. There are none between rounds.
    asked: Vec<Asked<W>>,
    asked_next: Vec<Asked<W>>,
    pool: Pool<W>,
    /// States for the next level.
    pub(crate) found: Frontier<W>,
    /// States whose successors are not known yet.
    pub(crate) deferred: Frontier<W>,
    pub(crate) goals: Frontier<W>,
    pub(crate) goal_seen: bool,
    pub(crate) transitions: u64,
    /// States it may still add.
    room: usize,
    /// Successors looked up since the last look at the clock; a round counts as some.
    looked_up: usize,
}

impl<const W: usize> Worker<W> {
    pub(crate) const fn new() -> Self {
        Self {
            chunk: Chunk::new(),
            fresh: Vec::new(),
            found_fresh: 0,
            asked: Vec::new(),
            asked_next: Vec::new(),
            pool: Pool::new(),
            found: Frontier::new(),
            deferred: Frontier::new(),
            goals: Frontier::new(),
            goal_seen: false,
            transitions: 0,
            room: 0,
            looked_up: 0,
        }
    }

    /// Adds initial states, to be looked up in the next round; says how many.
    pub(crate) fn begin_with(
        &mut self,
        initial: impl Iterator<Item = State<W>>,
        account: &Account,
    ) -> Result<usize, OutOfMemory> {
        let mut number = 0;
        for state in initial {
            self.put_fresh(Fresh { state, ..Fresh::NONE }, account)?;
            number += 1;
        }
        Ok(number)
    }

    fn put_fresh(&mut self, successor: Fresh<W>, account: &Account) -> Result<(), OutOfMemory> {
        if self.found_fresh == self.fresh.len() {
            lengthen(&mut self.fresh, account)?;
        }
        self.fresh[self.found_fresh] = successor;
        self.found_fresh += 1;
        Ok(())
    }

    /// Works until nothing is left to do or something prevents it. `look` is called now and then and
    /// says whether to stop. Only one worker may run at a time unless they are `SHARED`.
    pub(crate) fn run<const SHARED: bool, S: System<W>>(
        &mut self,
        round: &Round<'_, W, S>,
        mut look: impl FnMut() -> bool,
    ) -> Pause {
        self.looked_up += LOOKS_APART / 8;
        let pause = loop {
            if self.looked_up >= LOOKS_APART {
                self.looked_up = 0;
                if look() {
                    break Pause::Stopped;
                }
            }
            match self.step::<SHARED, S>(round) {
                Ok(0) => break Pause::Done,
                Ok(number) => self.looked_up += number,
                Err(pause) => break pause,
            }
        };
        round.room.fetch_add(std::mem::take(&mut self.room), Ordering::Relaxed);
        match self.put_off(round.account) {
            Ok(()) => pause,
            Err(OutOfMemory) => pause.max(Pause::NoMemory),
        }
    }

    /// Makes those that are on their way fresh again: when the set has grown, they belong elsewhere.
    fn put_off(&mut self, account: &Account) -> Result<(), OutOfMemory> {
        while let Some(asked) = self.asked.pop().or_else(|| self.asked_next.pop()) {
            self.put_fresh(asked.successor, account)?;
        }
        Ok(())
    }

    /// Expands states until there is a batch of successors, asks for these and looks up those before
    /// them; says how many that were, and at least one if there is more to do.
    fn step<const SHARED: bool, S: System<W>>(
        &mut self,
        round: &Round<'_, W, S>,
    ) -> Result<usize, Pause> {
        while self.found_fresh < BATCH {
            let Some((state, origin)) = self.chunk.pop() else {
                let next = round.chunks.lock().expect("nothing fails with the lock held").pop();
                let Some(chunk) = next else { break };
                self.pool.put(std::mem::replace(&mut self.chunk, chunk), round.account);
                continue;
            };
            if let Err(pause) = self.expand(&state, origin, round) {
                self.chunk.push(state, origin);
                return Err(pause);
            }
        }
        let number = self.found_fresh + self.asked.len();
        round.account.extend(&mut self.asked_next, number)?;
        match round.table {
            AnyTable::Plain(table) => self.resolve::<SHARED, S>(round, table)?,
            AnyTable::Wide(table) => self.resolve::<SHARED, S>(round, table)?,
            AnyTable::Narrow(table) => self.resolve::<SHARED, S>(round, table)?,
        }
        std::mem::swap(&mut self.asked, &mut self.asked_next);
        Ok(number)
    }

    #[inline]
    fn expand<S: System<W>>(
        &mut self,
        state: &State<W>,
        origin: Origin,
        round: &Round<'_, W, S>,
    ) -> Result<(), Pause> {
        let account = round.account;
        let (fresh, mut end) = (&mut self.fresh, self.found_fresh);
        let mut memory = Ok(());
        let mut steps = 0;
        let known = round.system.successors_from(state, origin, |next, origin, needed| {
            steps += 1;
            if end == fresh.len() {
                memory = memory.and(lengthen(fresh, account));
            }
            if let Some(place) = fresh.get_mut(end) {
                *place = Fresh { state: next, origin };
                // A thread that waits leads to the same state again and again. Neither that nor
                // whether it is needed can be predicted, so there is no branch.
                end += usize::from(needed) & usize::from(next != *state);
            }
        });
        memory?;
        match known {
            Ok(()) => {
                self.found_fresh = end;
                self.transitions += steps;
            }
            Err(Unknown) => self.deferred.push((*state, origin), &mut self.pool, account)?,
        }
        Ok(())
    }

    /// Asks for what is fresh and looks up what was asked for before, in turns: so the misses overlap
    /// with each other and with computation.
    #[inline]
    fn resolve<const SHARED: bool, S: System<W>>(
        &mut self,
        round: &Round<'_, W, S>,
        table: impl Table<W>,
    ) -> Result<(), Pause> {
        let mut place = 0;
        let mut result = Ok(());
        let fresh = std::mem::take(&mut self.found_fresh);
        for at in 0..fresh.max(self.asked.len()) {
            if let Some(successor) = self.fresh[..fresh].get(at) {
                let sought = table.seek(&successor.state);
                table.prefetch(sought);
                self.asked_next.push(Asked { successor: *successor, sought });
            }
            if let Some(asked) = self.asked.get(at)
                && result.is_ok()
            {
                let asked = *asked;
                match self.look_up::<SHARED, S>(asked, round, table) {
                    Ok(()) => place = at + 1,
                    Err(pause) => result = Err(pause),
                }
            }
        }
        self.asked.drain(..place);
        result
    }

    /// Looks up one successor.
    #[inline]
    fn look_up<const SHARED: bool, S: System<W>>(
        &mut self,
        Asked { successor, sought }: Asked<W>,
        round: &Round<'_, W, S>,
        table: impl Table<W>,
    ) -> Result<(), Pause> {
        if self.room == 0 {
            self.room = take(round.room, ROOM);
        }
        let Fresh { state, origin } = successor;
        match table.probe::<SHARED>(&state, sought, self.room) {
            Probe::Known => {}
            Probe::Elsewhere(sought) => {
                // Its turn comes again when that has been fetched.
                table.prefetch(sought);
                self.asked_next.push(Asked { successor, sought });
            }
            Probe::New => {
                self.room -= 1;
                // Without memory the state is in the set but in no frontier: the search is over.
                self.found.push((state, origin), &mut self.pool, round.account)?;
                if round.system.is_goal(&state) {
                    self.goal_seen = true;
                    if round.keep_goals {
                        self.goals.push((state, origin), &mut self.pool, round.account)?;
                    }
                }
            }
            Probe::NoRoom => return Err(Pause::NoRoom),
            Probe::NoSlot => return Err(Pause::NoSlot),
        }
        Ok(())
    }
}

/// Makes room for another batch.
#[cold]
fn lengthen<const W: usize>(
    fresh: &mut Vec<Fresh<W>>,
    account: &Account,
) -> Result<(), OutOfMemory> {
    account.extend(fresh, BATCH)?;
    fresh.resize(fresh.capacity(), Fresh::NONE);
    Ok(())
}

/// Takes up to so much room.
fn take(room: &AtomicUsize, most: usize) -> usize {
    let rest = |room: usize| (room > 0).then(|| room - room.min(most));
    let before = room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
    before.map_or(0, |before| before.min(most))
}
