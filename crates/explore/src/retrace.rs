//! A search by one thread that logs how it finds states: see [`crate::path`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use crate::account::{Account, OutOfMemory};
use crate::frontier::{CHUNK, Chunk, Pool};
use crate::limits::{Limit, Progress};
use crate::log::{Log, Step};
use crate::monitor::{Figures, Monitor};
use crate::set::{Probe, Set, Table};
use crate::worker::BATCH;
use crate::{Origin, State, System, Unknown};

/// The search; it can be run several times and always finds the same states in the same order.
pub(crate) struct Retrace<'a, const W: usize, S, F> {
    pub(crate) system: &'a S,
    /// The initial states, each once.
    pub(crate) initial: Vec<State<W>>,
    set: Set<W>,
    account: &'a Account,
    monitor: &'a mut Monitor<F>,
    log: Log,
    queue: Queue<W>,
    /// Successors of the states expanded last.
    pending: Vec<State<W>>,
    /// Where in `pending` those of each state end.
    ends: Vec<usize>,
}

/// States in the order in which they were found.
struct Queue<const W: usize> {
    chunks: VecDeque<Chunk<W>>,
    pool: Pool<W>,
    /// States taken from the first chunk.
    taken: usize,
}

impl<const W: usize> Queue<W> {
    const fn new() -> Self {
        Self { chunks: VecDeque::new(), pool: Pool::new(), taken: 0 }
    }

    fn push(&mut self, state: State<W>, account: &Account) -> Result<(), OutOfMemory> {
        if self.chunks.back().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
            self.chunks.push_back(self.pool.take(account)?);
        }
        if let Some(chunk) = self.chunks.back_mut() {
            // How it was found is for the log to tell.
            chunk.push(state, Origin::default());
        }
        Ok(())
    }

    fn pop(&mut self, account: &Account) -> Option<State<W>> {
        let first = self.chunks.front()?;
        let state = first.get(self.taken).copied();
        self.taken += 1;
        if state.is_none() || self.taken == CHUNK {
            self.taken = 0;
            let done = self.chunks.pop_front()?;
            self.pool.put(done, account);
        }
        state
    }

    fn is_empty(&self) -> bool {
        self.chunks.front().is_none_or(|chunk| self.taken == chunk.len())
    }
}

impl<'a, const W: usize, S, F> Retrace<'a, W, S, F>
where
    S: System<W>,
    F: FnMut(&Progress) -> ControlFlow<()>,
{
    /// The set is empty.
    pub(crate) fn new(
        system: &'a S,
        set: Set<W>,
        account: &'a Account,
        monitor: &'a mut Monitor<F>,
    ) -> Self {
        Self {
            system,
            initial: Vec::new(),
            set,
            account,
            monitor,
            log: Log::new(),
            queue: Queue::new(),
            pending: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds to `steps` what the log of the last run tells about `wanted`: see [`Log::read`].
    pub(crate) fn read_log(&self, wanted: &mut BTreeSet<usize>, steps: &mut BTreeMap<usize, Step>) {
        self.log.read(self.set.len, self.initial.len(), wanted, steps);
    }

    /// Searches until `count` states are found that are wanted, which is asked with the number and
    /// the state; returns their numbers. There are fewer if there are no more among the first
    /// `states`.
    pub(crate) fn run(
        &mut self,
        wanted: impl Fn(usize, &State<W>) -> bool,
        (count, states): (usize, usize),
    ) -> Result<Vec<usize>, Limit> {
        self.reset();
        let mut found = Vec::new();
        let system = self.system;
        for state in (0..).map_while(|number| system.initial(number)) {
            if self.add(&state)? {
                self.initial.push(state);
                if wanted(self.set.len - 1, &state) {
                    found.push(self.set.len - 1);
                }
                if found.len() == count {
                    return Ok(found);
                }
            }
            if self.set.len.is_multiple_of(BATCH) {
                let (states, bytes) = (self.set.len, self.account.used());
                let (tracing, depth, frontier) = (true, 0, states);
                let figures = || Figures { tracing, states, depth, frontier, bytes };
                self.monitor.look(figures).map_or(Ok(()), Err)?;
            }
        }
        // For the progress: the depth is that of the states before `level_end`.
        let (mut expanded, mut depth, mut level_end) = (0, 0, self.set.len);
        while found.len() < count
            && self.set.len < states
            && let Some(state) = self.queue.pop(self.account)
        {
            if expanded == level_end {
                (depth, level_end) = (depth + 1, self.set.len);
            }
            expanded += 1;
            self.expand(&state)?;
            let many = self.pending.len() >= BATCH || self.ends.len() >= BATCH;
            if many || self.queue.is_empty() {
                self.resolve(&wanted, (count, states), &mut found)?;
                let (states, bytes) = (self.set.len, self.account.used());
                let frontier = states - expanded;
                let figures = || Figures { tracing: true, states, depth, frontier, bytes };
                self.monitor.look(figures).map_or(Ok(()), Err)?;
            }
        }
        Ok(found)
    }

    /// Begins anew if there was a run before.
    fn reset(&mut self) {
        if self.set.len > 0 {
            self.set.clear();
        }
        std::mem::replace(&mut self.log, Log::new()).free(self.account);
        while self.queue.pop(self.account).is_some() {}
        self.initial.clear();
        self.pending.clear();
        self.ends.clear();
    }

    fn expand(&mut self, state: &State<W>) -> Result<(), Limit> {
        let (table, pending, account) = (self.set.table(), &mut self.pending, self.account);
        let before = pending.len();
        let mut memory = Ok(());
        let known = self.system.successors(state, |state| {
            table.prefetch(table.seek(&state));
            memory = memory.and(account.extend(pending, 1));
            if pending.len() < pending.capacity() {
                pending.push(state);
            }
        });
        match known {
            Ok(()) => {}
            // Not needed: the first search found what is wanted without these.
            Err(Unknown) => pending.truncate(before),
        }
        memory.and(account.extend(&mut self.ends, 1)).map_err(|_| Limit::Memory)?;
        self.ends.push(self.pending.len());
        Ok(())
    }

    /// Adds and logs what is pending, until enough was found.
    fn resolve(
        &mut self,
        wanted: impl Fn(usize, &State<W>) -> bool,
        most: (usize, usize),
        found: &mut Vec<usize>,
    ) -> Result<(), Limit> {
        let mut pending = std::mem::take(&mut self.pending);
        let mut ends = std::mem::take(&mut self.ends);
        let result = self.add_and_log(&pending, &ends, wanted, most, found);
        pending.clear();
        ends.clear();
        (self.pending, self.ends) = (pending, ends);
        result
    }

    fn add_and_log(
        &mut self,
        pending: &[State<W>],
        ends: &[usize],
        wanted: impl Fn(usize, &State<W>) -> bool,
        (count, states): (usize, usize),
        found: &mut Vec<usize>,
    ) -> Result<(), Limit> {
        let mut begin = 0;
        for end in ends {
            for (place, state) in pending[begin..*end].iter().enumerate() {
                if self.add(state)? {
                    self.log.new_successor(place, self.account).map_err(|_| Limit::Memory)?;
                    if wanted(self.set.len - 1, state) {
                        found.push(self.set.len - 1);
                    }
                    if found.len() == count || self.set.len == states {
                        return Ok(());
                    }
                }
            }
            begin = *end;
            self.log.end(self.account).map_err(|_| Limit::Memory)?;
        }
        Ok(())
    }

    /// Adds a state to the set and the queue; says whether it is new.
    fn add(&mut self, state: &State<W>) -> Result<bool, Limit> {
        loop {
            match self.set.table().insert(state, self.set.room()) {
                Probe::Known => return Ok(false),
                Probe::New => break,
                Probe::Elsewhere(_) => unreachable!("insertion goes there"),
                Probe::NoRoom | Probe::NoSlot => {
                    while self.set.grow(self.account).is_err() {
                        self.make_memory()?;
                    }
                }
            }
        }
        self.set.len += 1;
        while self.queue.push(*state, self.account).is_err() {
            self.make_memory()?;
        }
        Ok(true)
    }

    /// States are needed more than the log.
    fn make_memory(&mut self) -> Result<(), Limit> {
        if self.log.forget_some(self.account) { Ok(()) } else { Err(Limit::Memory) }
    }
}
