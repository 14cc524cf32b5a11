//! The engine: what it makes of a request.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use explore::Statistics;
use explore::tables::{
    Request, TableEngine, TableOutcome, TableSearch, Tables, UNKNOWN, Unsuitable,
};

use crate::device::{Device, Kernel};
use crate::flat::Flat;
use crate::layout::Layout;
use crate::levels::{Run, With};
use crate::text::{looks, specialised};

/// The kernels of a search; the first only if states are looked at.
const SEARCHING: [Kernel; 5] =
    [Kernel::Look, Kernel::Begin, Kernel::Expand, Kernel::Collect, Kernel::Move];

/// How memory is used, in states unless something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Slots of the set in the beginning,
    pub first: usize,
    /// and at most.
    pub most: usize,
    /// States that each queue holds at most.
    pub queue: usize,
    /// States, or slots, that are expanded at once: between two looks at the limits,
    pub part: u64,
    /// and of which those to be looked at are picked at once.
    pub look: u64,
    /// Bytes of the set in which successors are looked up at once.
    pub pass: u64,
    /// States that are searched here before a card is troubled: if tables lack something, it is often met soon, and
    /// kernels would be compiled for them in vain.
    pub scout: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            first: 1 << 27,
            most: usize::MAX,
            queue: 1 << 30,
            part: 1 << 28,
            look: 1 << 24,
            pass: 1 << 36,
            scout: 1 << 16,
        }
    }
}

/// What a search does before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartUp {
    /// How long the kernels were compiled,
    pub compiling: Duration,
    /// and how long memory was reserved and tables were copied.
    pub reserving: Duration,
}

/// A state among the first `most` ones whose successors are not all in the tables.
fn first_unknown(tables: &Tables, most: usize) -> Option<Vec<u64>> {
    let has_unknown = |entry: &[u64]| entry[0] == UNKNOWN;
    if most == 0
        || tables.indices.is_empty() && !tables.entries.chunks_exact(tables.words).any(has_unknown)
    {
        return None;
    }
    let mut queue: VecDeque<Vec<u64>> =
        tables.initial.chunks_exact(tables.words).map(<[u64]>::to_vec).collect();
    let mut seen: HashSet<Vec<u64>> = queue.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        let visit = |next: &[u64]| {
            if seen.len() < most && !seen.contains(next) {
                seen.insert(next.to_vec());
                queue.push_back(next.to_vec());
            }
        };
        if tables.successors(&state, visit).is_err() {
            return Some(state);
        }
    }
    None
}

/// Searches on a device.
#[derive(Debug)]
pub struct Engine<D> {
    device: D,
    /// What is before the kernels' text.
    prelude: &'static str,
    room: Room,
    last: Mutex<StartUp>,
}

impl<D: Device> Engine<D> {
    /// Searches on this device, whose language lacks what the prelude defines.
    pub const fn new(device: D, prelude: &'static str, room: Room) -> Self {
        let last = StartUp { compiling: Duration::ZERO, reserving: Duration::ZERO };
        Self { device, prelude, room, last: Mutex::new(last) }
    }

    /// How the last search started.
    pub fn last_start_up(&self) -> StartUp {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Device> TableEngine for Engine<D> {
    fn search(&self, tables: &Tables, mut request: Request<'_>) -> Result<TableSearch, Unsuitable> {
        let flat = Flat::new(tables)?;
        let failed = |failed: crate::Failed| Unsuitable(failed.0);
        if let Some(unknown) = first_unknown(tables, self.room.scout) {
            let statistics = Statistics { states: 0, transitions: 0, depth: 0, peak_bytes: 0 };
            return Ok(TableSearch { outcome: TableOutcome::Unknown(unknown), statistics });
        }
        let free = self.device.free_memory().map_err(failed)?;
        let layout = Layout::new(tables, self.room, free);
        let kernels = if looks(tables) { &SEARCHING[..] } else { &SEARCHING[1..] };
        let text = specialised(self.prelude, tables, &layout, kernels);
        let began = Instant::now();
        let compiled = self.device.compile(&text, kernels).map_err(failed)?;
        let compiling = began.elapsed();
        let with = With { device: &self.device, prelude: self.prelude, room: self.room, layout };
        let run = Run::new(with, (tables, &flat), compiled).map_err(failed)?;
        let reserving = began.elapsed().saturating_sub(compiling);
        let start_up = StartUp { compiling, reserving };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = start_up;
        run.search(&mut request).map_err(failed)
    }
}
