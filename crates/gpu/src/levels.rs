//! The search itself: level after level.

use std::time::Instant;

use explore::tables::{BLOCKED, Component, SEVERAL, SEVERAL_SHIFT};
use explore::tables::{Request, TableOutcome, TableSearch, Tables, Wanted};
use explore::{Limit, Lookout, Progress, Statistics};

use crate::device::{Arguments, Device, Failed, Kernel};
use crate::engine::Room;
use crate::flat::Flat;
use crate::layout::{BUCKET, Layout, QUEUE_SHARE, SPARED, bucket_bits};
use crate::text::{looks, specialised, tags};

/// Words of the counters of `kernel.cu`, and which is which.
const COUNTERS: usize = 8;
const NEW_STATES: usize = 0;
const TRANSITIONS: usize = 1;
const STOPPED: usize = 2;
const LOOKED_AT: usize = 3;
pub(crate) const FOUND: usize = 4;
const EXPANDED: usize = 6;
/// Why the kernels stopped.
const BECAUSE_FULL: u64 = 1;
const BECAUSE_MOST: u64 = 2;

/// Of so many slots no more than this many are filled before the set is made larger: beyond it chains of
/// slots are long.
const FULL: (u64, u64) = (6, 10);
/// The same for the largest set that there is room for.
const BRIM_FULL: (u64, u64) = (19, 20);

/// Why a search ends before its end.
pub(crate) enum End {
    Limit(Limit),
    Unknown(Vec<u64>),
    Failed(Failed),
}

impl From<Failed> for End {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

/// The states of a level.
#[derive(Clone, Copy)]
struct Level {
    depth: u64,
    states: u64,
    /// Whether all of them are in the queue; otherwise they are found by their tags.
    is_queued: bool,
}

/// What a search is made with.
pub(crate) struct With<'a, D> {
    pub(crate) device: &'a D,
    pub(crate) prelude: &'static str,
    pub(crate) room: Room,
    pub(crate) layout: Layout,
}

/// A search on a device.
pub(crate) struct Run<'a, D: Device> {
    pub(crate) device: &'a D,
    prelude: &'static str,
    pub(crate) tables: &'a Tables,
    layout: Layout,
    compiled: D::Compiled,
    /// The kernel that finds paths, once it is needed.
    tracing: Option<D::Compiled>,
    room: Room,
    /// The addresses of the tables and of the set.
    pub(crate) arguments: Arguments,
    _tables: [D::Buffer; 6],
    set: D::Buffer,
    is_largest: bool,
    queues: [D::Buffer; 2],
    counters: D::Buffer,
    /// What is counted while the states of a level are collected.
    collected: D::Buffer,
    tags: Option<u64>,
    /// A state has no more successors than this.
    most_successors: u64,
    statistics: Statistics,
    reserved: usize,
    started: Instant,
}

impl<'a, D: Device> Run<'a, D> {
    pub(crate) fn new(
        With { device, prelude, room, layout }: With<'a, D>,
        (tables, flat): (&'a Tables, &Flat),
        compiled: D::Compiled,
    ) -> Result<Self, Failed> {
        let upload = |words: &Vec<u64>| {
            let mut buffer = device.reserve(words.len().max(1))?;
            device.write(&mut buffer, words)?;
            Ok::<D::Buffer, Failed>(buffer)
        };
        let Flat { operations, begins, marks, entries, complexes, indices } = flat;
        let uploaded = [
            upload(operations)?,
            upload(begins)?,
            upload(marks)?,
            upload(entries)?,
            upload(complexes)?,
            upload(indices)?,
        ];
        let [operations, begins, marks, entries, complexes, indices] =
            uploaded.each_ref().map(|buffer| device.address(buffer));
        let free = device.free_memory()?;
        let bytes_of_state = tables.words * size_of::<u64>();
        let queued = room.queue.min(free / QUEUE_SHARE / bytes_of_state).max(1);
        let queues =
            [device.reserve(queued * tables.words)?, device.reserve(queued * tables.words)?];
        let counters = device.reserve(COUNTERS)?;
        let collected = device.reserve(COUNTERS)?;
        let slots = layout.slots(room.first.min(free / 2 / layout.bytes()));
        let mut set = device.reserve(slots * layout.words)?;
        device.fill(&mut set)?;
        let arguments = Arguments {
            operations,
            begins,
            marks,
            entries,
            complexes,
            indices,
            set: device.address(&set),
            slots: slots as u64,
            bucket_bits: bucket_bits(slots).into(),
            capacity: queued as u64,
            counters: device.address(&counters),
            most: u64::MAX,
            ..Arguments::default()
        };
        let statistics = Statistics { states: 0, transitions: 0, depth: 0, peak_bytes: 0 };
        let reserved = 2 * queued * bytes_of_state + slots * layout.bytes();
        Ok(Self {
            device,
            prelude,
            tables,
            layout,
            compiled,
            tracing: None,
            room,
            arguments,
            _tables: uploaded,
            set,
            is_largest: layout.has_one_size(),
            queues,
            counters,
            collected,
            tags: tags(&layout),
            most_successors: most_successors(tables),
            statistics: Statistics { peak_bytes: reserved, ..statistics },
            reserved,
            started: Instant::now(),
        })
    }

    /// Searches.
    pub(crate) fn search(mut self, request: &mut Request<'_>) -> Result<TableSearch, Failed> {
        let outcome = match self.levels(request) {
            Ok(outcome) => outcome,
            Err(End::Limit(limit)) => {
                // Those that were found while the others were told to stop do not count.
                let most = request.limits.states.unwrap_or(u64::MAX);
                self.statistics.states = self.statistics.states.min(most);
                TableOutcome::Stopped(limit)
            }
            Err(End::Unknown(state)) => TableOutcome::Unknown(state),
            Err(End::Failed(failed)) => return Err(failed),
        };
        Ok(TableSearch { outcome, statistics: self.statistics })
    }

    fn levels(&mut self, request: &mut Request<'_>) -> Result<TableOutcome, End> {
        let mut lookout = Lookout::new(&request.limits);
        let mut level = self.begin(request)?;
        let mut all = Vec::new();
        loop {
            let mut goals = self.goals(level, request, &mut lookout)?;
            match request.wanted {
                Wanted::All => all.append(&mut goals),
                Wanted::Nearest(_) if goals.is_empty() => {}
                Wanted::Nearest(most) => {
                    goals.sort_unstable();
                    goals.dedup();
                    goals.truncate(most.max(1));
                    let paths =
                        goals.into_iter().map(|goal| self.path(goal, level.depth, &mut lookout));
                    let paths: Option<Vec<_>> = paths.collect::<Result<_, _>>()?;
                    return Ok(paths.map_or(TableOutcome::Untraced, TableOutcome::Found));
                }
            }
            level = self.next(level, request, &mut lookout)?;
            if level.states == 0 {
                all.sort_unstable();
                all.dedup();
                return Ok(TableOutcome::Exhausted(all));
            }
            self.statistics.depth = level.depth;
            self.queues.swap(0, 1);
        }
    }

    /// The tag of a level, where it stands in a slot.
    pub(crate) fn tag(&self, depth: u64) -> u64 {
        self.tags.map_or(0, |tags| (depth % tags) << self.layout.below_level)
    }

    /// Whether each level up to this one has a tag of its own.
    pub(crate) fn is_told_apart(&self, depth: u64) -> bool {
        self.tags.is_some_and(|tags| depth < tags)
    }

    fn begin(&mut self, request: &Request<'_>) -> Result<Level, End> {
        let words = self.tables.words;
        let mut states: Vec<&[u64]> = self.tables.initial.chunks_exact(words).collect();
        states.sort_unstable();
        states.dedup();
        let count = states.len();
        let mut source = self.device.reserve((count * words).max(1))?;
        self.device.write(&mut source, &states.concat())?;
        self.reset()?;
        let arguments = Arguments {
            source: self.device.address(&source),
            count: count as u64,
            queue: self.device.address(&self.queues[0]),
            most: self.most(request),
            ..self.arguments
        };
        self.device.launch(&self.compiled, Kernel::Begin, &arguments)?;
        let counters = self.counters()?;
        let level = self.level(0, counters[NEW_STATES]);
        self.statistics.states = level.states;
        self.stopped(&counters)?;
        Ok(level)
    }

    fn level(&self, depth: u64, states: u64) -> Level {
        Level { depth, states, is_queued: states <= self.arguments.capacity }
    }

    /// How many states there may still be.
    fn most(&self, request: &Request<'_>) -> u64 {
        let states = request.limits.states.unwrap_or(u64::MAX);
        states.saturating_sub(self.statistics.states)
    }

    fn reset(&mut self) -> Result<(), Failed> {
        let mut counters = [0; COUNTERS];
        counters[FOUND] = u64::MAX;
        self.device.write(&mut self.counters, &counters)
    }

    fn counters(&self) -> Result<Vec<u64>, Failed> {
        self.device.read(&self.counters, COUNTERS)
    }

    /// What the kernels stopped for.
    fn stopped(&self, counters: &[u64]) -> Result<(), End> {
        match counters[STOPPED] {
            0 => Ok(()),
            BECAUSE_FULL => Err(End::Limit(Limit::Memory)),
            BECAUSE_MOST => Err(End::Limit(Limit::States)),
            _ => Err(End::Unknown(counters[FOUND..][..self.tables.words].to_vec())),
        }
    }

    /// Calls `launch` for one part after the other of what there is of a level, with the arguments for
    /// it; `most` says how large the next part may be, and whether it is the first is said to it. A level that is not
    /// queued is collected into its queue again and again, from as many slots as that has room for.
    fn in_parts(
        &mut self,
        level: Level,
        mut most: impl FnMut(&mut Self, bool) -> Result<u64, End>,
        mut launch: impl FnMut(&mut Self, Arguments) -> Result<(), End>,
    ) -> Result<(), End> {
        if !level.is_queued && !self.is_told_apart(level.depth) {
            // It is not known any more which states these are.
            return Err(End::Limit(Limit::Memory));
        }
        let words = self.tables.words as u64;
        // The set may become larger here, but not while it is gone through by tags.
        let mut at_once = most(self, true)?;
        let mut slot = 0;
        loop {
            let queued = if level.is_queued {
                level.states
            } else {
                let count = (self.arguments.slots - slot).min(self.arguments.capacity);
                slot += count;
                self.collect(level, slot - count, count)?
            };
            let source = self.device.address(&self.queues[0]);
            let mut first = 0;
            while first < queued {
                let count = (queued - first).min(at_once);
                let source = source + first * words * BYTES;
                launch(self, Arguments { source, count, ..self.arguments })?;
                first += count;
                at_once = most(self, false)?;
            }
            if level.is_queued || slot == self.arguments.slots {
                return Ok(());
            }
        }
    }

    /// Puts the states of a level that are in some slots into its queue; how many these are.
    fn collect(&mut self, level: Level, first: u64, count: u64) -> Result<u64, End> {
        self.device.write(&mut self.collected, &[0; COUNTERS])?;
        let arguments = Arguments {
            first,
            count,
            tag: self.tag(level.depth),
            queue: self.device.address(&self.queues[0]),
            counters: self.device.address(&self.collected),
            ..self.arguments
        };
        self.device.launch(&self.compiled, Kernel::Collect, &arguments)?;
        Ok(self.device.read(&self.collected, COUNTERS)?[NEW_STATES])
    }

    /// The goals of a level.
    fn goals(
        &mut self,
        level: Level,
        request: &mut Request<'_>,
        lookout: &mut Lookout,
    ) -> Result<Vec<Vec<u64>>, End> {
        let mut goals = Vec::new();
        if !looks(self.tables) {
            return Ok(goals);
        }
        let words = self.tables.words;
        // There is room for all of them in the other queue.
        let most = self.room.look.min(self.arguments.capacity);
        self.in_parts(
            level,
            |_, _| Ok(most),
            |run, arguments| {
                run.reset()?;
                let queue = run.device.address(&run.queues[1]);
                run.device.launch(
                    &run.compiled,
                    Kernel::Look,
                    &Arguments { queue, ..arguments },
                )?;
                let picked =
                    usize::try_from(run.counters()?[LOOKED_AT]).expect("as many as there is room");
                let picked = run.device.read(&run.queues[1], picked * words)?;
                for state in picked.chunks_exact(words) {
                    lookout.step().map_err(End::Limit)?;
                    if (request.is_goal)(state) {
                        goals.push(state.to_vec());
                    }
                }
                lookout.look(Instant::now()).map_err(End::Limit)
            },
        )?;
        Ok(goals)
    }

    /// Expands a level: the next one.
    fn next(
        &mut self,
        level: Level,
        request: &mut Request<'_>,
        lookout: &mut Lookout,
    ) -> Result<Level, End> {
        let known = self.statistics;
        let (mut new, mut expanded) = (0, 0);
        self.reset()?;
        let new_tag = self.tag(level.depth + 1);
        let mut done = 0;
        let most = self.most(request);
        let room_for_successors = |run: &mut Self, is_first: bool| {
            run.make_room(level, is_first)?;
            let smallest = SMALLEST_PART.min(run.room.part);
            Ok(run.room_for().clamp(smallest, run.room.part))
        };
        self.in_parts(level, room_for_successors, |run, arguments| {
            let queue = run.device.address(&run.queues[1]);
            let buckets = run.buckets_of_pass();
            let all = run.arguments.slots / BUCKET as u64;
            for first_bucket in (0..all).step_by(usize::try_from(buckets).expect("in memory")) {
                let part = Arguments { first_bucket, buckets, queue, new_tag, most, ..arguments };
                run.device.launch(&run.compiled, Kernel::Expand, &part)?;
            }
            let counters = run.counters()?;
            new = counters[NEW_STATES];
            expanded = counters[EXPANDED];
            done += arguments.count;
            run.statistics.states = known.states + new;
            run.statistics.transitions = known.transitions + counters[TRANSITIONS];
            run.stopped(&counters)?;
            let now = Instant::now();
            lookout.look(now).map_err(End::Limit)?;
            let progress = Progress {
                tracing: false,
                states: run.statistics.states,
                depth: level.depth,
                frontier: new + level.states.saturating_sub(done),
                bytes: run.reserved,
                elapsed: now - run.started,
            };
            let is_ended = (request.watch)(&progress).is_break();
            if is_ended { Err(End::Limit(Limit::Cancelled)) } else { Ok(()) }
        })?;
        if expanded != level.states {
            // An answer about some states is none.
            let states = level.states;
            let why =
                format!("the graphics card expanded {expanded} of {states} states of a level");
            return Err(End::Failed(Failed(why)));
        }
        Ok(self.level(level.depth + 1, new))
    }

    /// How many buckets successors are looked up in at once. A card translates addresses quickly within some
    /// memory and slowly beyond it (measured: 5 billion states a second against 0.8), so it is quicker to make
    /// all successors twice and to look up those of one half of the set each time.
    fn buckets_of_pass(&self) -> u64 {
        let bucket = (BUCKET * self.layout.bytes()) as u64;
        let buckets = self.arguments.slots / BUCKET as u64;
        let passes = (buckets * bucket).div_ceil(self.room.pass.max(bucket));
        buckets.div_ceil(passes.max(1)).max(1)
    }

    /// How many states can be expanded at once, so that the set has room for whatever they lead to.
    fn room_for(&self) -> u64 {
        let (full, of) = BRIM_FULL;
        let free = (self.arguments.slots / of * full).saturating_sub(self.statistics.states);
        free / self.most_successors
    }

    /// Makes the set larger if it is full: as large as the card has room for.
    fn make_room(&mut self, level: Level, is_first: bool) -> Result<(), End> {
        let filled = self.statistics.states;
        let slots = self.arguments.slots;
        let (full, of) = if self.is_largest { BRIM_FULL } else { FULL };
        let is_full = filled >= slots / of * full;
        if self.is_largest {
            return if is_full { Err(End::Limit(Limit::Memory)) } else { Ok(()) };
        }
        // A level that is gone through by tags is gone through where it is: it is large, so the set
        // becomes large before that.
        let is_to_grow = if level.is_queued {
            is_full || self.room_for() < level.states.min(WORTH_IT)
        } else {
            is_first
        };
        if !is_to_grow {
            return Ok(());
        }
        self.is_largest = true;
        let layout = self.layout;
        let free = self.device.free_memory()? / layout.bytes();
        let larger = layout.slots(free.saturating_sub(free / SPARED).min(self.room.most));
        if larger as u64 <= slots {
            return Ok(());
        }
        let mut set = self.device.reserve(larger * layout.words)?;
        self.device.fill(&mut set)?;
        let arguments = Arguments {
            source: self.arguments.set,
            source_bits: self.arguments.bucket_bits,
            count: slots,
            set: self.device.address(&set),
            slots: larger as u64,
            bucket_bits: bucket_bits(larger).into(),
            ..self.arguments
        };
        self.device.launch(&self.compiled, Kernel::Move, &arguments)?;
        // Reading waits until all states are moved.
        let counters = self.counters()?;
        self.stopped(&counters)?;
        self.reserved += larger * layout.bytes();
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(self.reserved);
        self.reserved -= usize::try_from(slots).expect("they were reserved") * layout.bytes();
        self.set = set;
        self.arguments.set = self.device.address(&self.set);
        self.arguments.slots = larger as u64;
        self.arguments.bucket_bits = arguments.bucket_bits;
        Ok(())
    }

    /// The least value that `precede` finds with these arguments; nothing if it finds none.
    pub(crate) fn preceding(
        &mut self,
        depth: u64,
        arguments: Arguments,
    ) -> Result<Option<u64>, End> {
        self.reset()?;
        let tag = self.tag(depth);
        let arguments = Arguments { count: self.arguments.slots, tag, ..arguments };
        let tracing = if let Some(compiled) = self.tracing.take() {
            compiled
        } else {
            let kernels = &[Kernel::Precede];
            let text = specialised(self.prelude, self.tables, &self.layout, kernels);
            self.device.compile(&text, kernels)?
        };
        self.device.launch(&tracing, Kernel::Precede, &arguments)?;
        self.tracing = Some(tracing);
        let found = self.counters()?[FOUND];
        Ok((found != u64::MAX).then_some(found))
    }
}

/// The most successors that a state can have.
fn most_successors(tables: &Tables) -> u64 {
    let of_entry = |entry: u64| {
        if entry & SEVERAL != SEVERAL {
            return 1;
        }
        let first = usize::try_from((entry & !BLOCKED) >> SEVERAL_SHIFT).expect("an entry");
        let several = tables.entries.chunks_exact(tables.words).skip(first);
        several.take_while(|entry| entry[0] != BLOCKED).count() as u64
    };
    let entries = tables.entries.chunks_exact(tables.words);
    let of_operation = entries.map(|entry| of_entry(entry[0])).max().unwrap_or(1);
    let of_component = |component: &Component| {
        let operations = component.begins.windows(2).map(|pair| u64::from(pair[1] - pair[0]));
        operations.max().unwrap_or(0)
    };
    let operations: u64 = tables.components.iter().map(of_component).sum();
    (operations * of_operation).max(1)
}

const BYTES: u64 = 8;
/// So many states are expanded at once even if there may be no room for all that they lead to,
const SMALLEST_PART: u64 = 1 << 14;
/// and if it would be fewer than this, a larger set is worth its while.
const WORTH_IT: u64 = 1 << 22;
