//! The engine: what it makes of a request.

use explore::tables::{Request, TableEngine, TableSearch, Tables, Unsuitable};

use crate::device::Device;
use crate::flat::Flat;
use crate::layout::Layout;
use crate::levels::Run;
use crate::text::specialised;

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
        }
    }
}

/// Searches on a device.
#[derive(Debug)]
pub struct Engine<D> {
    device: D,
    /// What is before the kernels' text.
    prelude: &'static str,
    room: Room,
}

impl<D: Device> Engine<D> {
    /// Searches on this device, whose language lacks what the prelude defines.
    pub const fn new(device: D, prelude: &'static str, room: Room) -> Self {
        Self { device, prelude, room }
    }
}

impl<D: Device> TableEngine for Engine<D> {
    fn search(&self, tables: &Tables, mut request: Request<'_>) -> Result<TableSearch, Unsuitable> {
        let flat = Flat::new(tables)?;
        let failed = |failed: crate::Failed| Unsuitable(failed.0);
        let free = self.device.free_memory().map_err(failed)?;
        let layout = Layout::new(tables, self.room, free);
        let text = specialised(self.prelude, tables, &layout);
        let compiled = self.device.compile(&text).map_err(failed)?;
        let run =
            Run::new(&self.device, (tables, &flat), layout, compiled, self.room).map_err(failed)?;
        run.search(&mut request).map_err(failed)
    }
}
