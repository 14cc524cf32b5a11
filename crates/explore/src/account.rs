//! The bytes a search has reserved, counted before they are.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::Limits;

/// There is no more memory, or the limit forbids to ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

/// What is reserved and what may be, shared by all threads.
pub(crate) struct Account {
    limit: usize,
    used: AtomicUsize,
    /// The most that were in use before something was given back.
    peak: AtomicUsize,
}

impl Account {
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = limits.bytes().unwrap_or(usize::MAX);
        Self { limit, used: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// Counts bytes that are about to be reserved.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<(), OutOfMemory> {
        let added = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        let counted = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, added);
        counted.map(|_| ()).map_err(|_| OutOfMemory)
    }

    /// Counts bytes that were given back.
    pub(crate) fn release(&self, bytes: usize) {
        let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.peak.fetch_max(before, Ordering::Relaxed);
    }

    /// Forgets bytes that were counted and could not be obtained.
    pub(crate) fn not_obtained(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts only so many bytes: all others were given back.
    pub(crate) fn keep_only(&mut self, bytes: usize) {
        *self.peak.get_mut() = self.peak();
        *self.used.get_mut() = bytes;
    }

    /// Makes room in a vector for at least `more` elements, doubling it at least.
    pub(crate) fn extend<T>(&self, vec: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
        if vec.capacity() - vec.len() >= more {
            return Ok(());
        }
        let old = vec.capacity();
        let new = old.saturating_mul(2).max(vec.len().saturating_add(more));
        // Until the old memory is given back, both are there.
        self.reserve(new.saturating_mul(size_of::<T>()))?;
        if vec.try_reserve_exact(new - vec.len()).is_err() {
            self.not_obtained(new * size_of::<T>());
            return Err(OutOfMemory);
        }
        self.release(old * size_of::<T>());
        Ok(())
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The most that were in use at any time.
    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed).max(self.used())
    }
}
