//! Memory of bytes, who touches which, and store buffers.

use super::{Executor, Stop, Store, index, wide};
use crate::Model;
use crate::assembly::{Address, DATA};

/// Reads bytes of memory.
pub(super) fn get(memory: &[u8], address: u64, bytes: u64) -> Option<u64> {
    let from = index(address)?;
    let slice = memory.get(from..from.checked_add(usize::try_from(bytes).ok()?)?)?;
    let mut value = [0; 8];
    value[..slice.len()].copy_from_slice(slice);
    Some(u64::from_le_bytes(value))
}

/// Writes bytes of memory.
pub(super) fn put(memory: &mut [u8], address: u64, bytes: u64, value: u64) -> Option<()> {
    let from = index(address)?;
    let slice = memory.get_mut(from..from.checked_add(usize::try_from(bytes).ok()?)?)?;
    slice.copy_from_slice(&value.to_le_bytes()[..slice.len()]);
    Some(())
}

/// Where two memories differ, and how: the second may be shorter.
pub(super) fn difference(memory: &[u8], other: &[u8], into: &mut Vec<u8>) {
    let differs = |at: usize| other.get(at).copied().unwrap_or(0) != memory[at];
    let mut at = 0;
    let mut behind = 0;
    while at < memory.len() {
        if !differs(at) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < memory.len() && end - at < 255 && differs(end) {
            end += 1;
        }
        into.extend(u16::try_from(at - behind).unwrap_or(u16::MAX).to_le_bytes());
        into.push(u8::try_from(end - at).unwrap_or(u8::MAX));
        into.extend(&memory[at..end]);
        behind = end;
        at = end;
    }
}

/// Which bytes are shared: those that are taken to be, and what was seen of all others.
///
/// A byte is shared if, while more than one thread is alive, one thread writes it and another touches it.
/// A search begins with no shared byte. If it sees that others are shared as well, it is made again with
/// these; the last search has seen that all accesses it took for private are, so that in every run they
/// can be moved to where that search made them, and the run ends as before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    is_shared: Vec<bool>,
    readers: Vec<u8>,
    writers: Vec<u8>,
}

impl Sharing {
    fn grow(&mut self, end: usize) {
        if self.readers.len() < end {
            self.readers.resize(end, 0);
            self.writers.resize(end, 0);
        }
    }

    /// Takes what was seen to be shared for shared, and forgets the rest. False if nothing is new.
    pub(crate) fn learn(&mut self) -> bool {
        self.is_shared.resize(self.readers.len().max(self.is_shared.len()), false);
        let mut is_new = false;
        for (at, (readers, writers)) in self.readers.iter().zip(&self.writers).enumerate() {
            let all = readers | writers;
            let is_shared = *writers != 0 && all.count_ones() > 1;
            is_new |= is_shared && !self.is_shared[at];
            self.is_shared[at] |= is_shared;
        }
        self.readers.clear();
        self.writers.clear();
        is_new
    }
}

impl Executor<'_> {
    pub(super) fn address(&self, address: Address) -> u64 {
        let registers = &self.state.threads[self.thread].registers;
        let mut sum = address.displacement;
        if let Some(base) = address.base {
            sum = sum.wrapping_add(registers[base]);
        }
        if let Some((index, factor)) = address.index {
            sum = sum.wrapping_add(registers[index].wrapping_mul(factor));
        }
        if address.is_thread_local {
            sum = sum.wrapping_add(self.thread_pointer());
        }
        sum
    }

    fn thread_pointer(&self) -> u64 {
        let own = self.machine.image.thread_local.len();
        DATA + wide(self.machine.region(self.thread) + super::STACK + own)
    }

    /// Notes an access; whether others may see it.
    fn touch(&mut self, address: u64, bytes: u64, is_write: bool) -> Result<bool, Stop> {
        let outside = || Stop::Wrong(format!("an access to {address:#x}, outside of memory"));
        let from = index(address).ok_or_else(outside)?;
        let end = from + usize::try_from(bytes).map_err(|_| outside())?;
        if end > self.state.memory.len() {
            return Err(outside());
        }
        let is_alone = self.state.threads.iter().filter(|one| !one.has_ended).count() == 1;
        let sharing = &mut *self.sharing;
        let is_shared = |at: usize| sharing.is_shared.get(at).copied().unwrap_or(false);
        let shared = (from..end).filter(|at| is_shared(*at)).count();
        let is_cut = shared > 0 && shared < end - from;
        if !is_alone || is_cut {
            sharing.grow(end);
            let seen = if is_write { &mut sharing.writers } else { &mut sharing.readers };
            for threads in &mut seen[from..end] {
                *threads |= 1 << self.thread;
            }
        }
        if is_cut {
            // What is accessed together with a shared byte is shared.
            for threads in &mut sharing.writers[from..end] {
                *threads = u8::MAX;
            }
        }
        Ok(shared > 0)
    }

    /// Notes that the library writes here, in a step of its own.
    pub(super) fn touched(&mut self, address: u64, bytes: u64) -> Result<(), Stop> {
        self.touch(address, bytes, true).map(|_| ())
    }

    /// An access that others may see is the only one of its step.
    fn be_seen(&mut self) -> Result<(), Stop> {
        if !self.may_be_seen {
            return Err(Stop::IsVisible);
        }
        if self.was_seen {
            return Err(Stop::Wrong("an instruction makes two accesses of shared memory".into()));
        }
        self.was_seen = true;
        Ok(())
    }

    pub(super) fn read(&mut self, address: u64, bytes: u64) -> Result<u64, Stop> {
        if self.touch(address, bytes, false)? {
            self.be_seen()?;
        }
        let mut value = get(&self.state.memory, address, bytes)
            .ok_or_else(|| Stop::Wrong("a load outside of memory".into()))?
            .to_le_bytes();
        for store in &self.state.threads[self.thread].buffer {
            for (byte, at) in store.value.to_le_bytes().iter().zip(0..store.bytes) {
                let offset = store.address.wrapping_add(at).wrapping_sub(address);
                if let Some(into) = usize::try_from(offset).ok().filter(|_| offset < bytes) {
                    value[into] = *byte;
                }
            }
        }
        Ok(u64::from_le_bytes(value))
    }

    pub(super) fn write(&mut self, address: u64, bytes: u64, value: u64) -> Result<(), Stop> {
        let is_shared = self.touch(address, bytes, true)?;
        if is_shared {
            self.be_seen()?;
        }
        if is_shared && self.machine.model == Model::Tso {
            self.state.threads[self.thread].buffer.push(Store { address, bytes, value });
            return Ok(());
        }
        self.write_through(address, bytes, value)
    }

    fn write_through(&mut self, address: u64, bytes: u64, value: u64) -> Result<(), Stop> {
        put(&mut self.state.memory, address, bytes, value)
            .ok_or_else(|| Stop::Wrong("a store outside of memory".into()))
    }

    /// Waits for the buffer, as fences and locked instructions do.
    pub(super) fn drained(&self) -> Result<(), Stop> {
        let is_empty = self.state.threads[self.thread].buffer.is_empty();
        if is_empty { Ok(()) } else { Err(Stop::Waits) }
    }

    /// A locked instruction: reads and writes at once, when the buffer is empty.
    pub(super) fn update(
        &mut self,
        address: u64,
        bytes: u64,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Stop> {
        self.drained()?;
        let is_shared = self.touch(address, bytes, false)?;
        self.touch(address, bytes, true)?;
        if is_shared {
            self.be_seen()?;
        }
        let old = get(&self.state.memory, address, bytes)
            .ok_or_else(|| Stop::Wrong("an access outside of memory".into()))?;
        self.write_through(address, bytes, new(old))?;
        Ok(old)
    }
}
