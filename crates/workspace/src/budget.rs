//! How much time and memory there is: one budget for all that is done for an answer.

use std::time::Duration;

use analysis::{Limits, available_addresses, available_memory, memory_in_use};
use web_time::Instant;

/// What may be spent, as somebody asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// So many bytes at most; otherwise what the machine or the container has left.
    pub memory: Option<usize>,
    /// So much time at most.
    pub time: Option<Duration>,
    /// So many states in each search at most.
    pub states: Option<u64>,
}

/// What is kept of so many bytes for who does not look, and for coming to an end.
pub const fn reserve(memory: usize) -> usize {
    memory / 20
}

impl Budget {
    /// The limits, counted from now on. They are moments and amounts of the process, so whoever gets them
    /// shares them with everybody else.
    pub fn from_now(&self, now: Instant) -> Limits {
        // A table that grows is there twice for a moment, allocators and threads reserve more than they
        // use, and who gets no addresses is ended.
        let addressable = available_addresses().map(|bytes| bytes / 3);
        let memory = self.memory.or_else(available_memory);
        let memory = memory.into_iter().chain(addressable).min();
        // Whoever looks stops a little earlier, so that there is room for what it takes to say so.
        let process = memory
            .zip(memory_in_use())
            .map(|(more, used)| used.saturating_add(more - reserve(more)));
        let deadline = self.time.and_then(|time| now.checked_add(time));
        Limits { memory, process, deadline, states: self.states }
    }
}
