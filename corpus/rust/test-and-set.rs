//! The test-and-set lock as a type that guards its value, with a guard that unlocks when it is
//! dropped. Nothing but atomic operations and the releasing store, so nothing can overtake that
//! store.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};
use std::thread;

struct SpinMutex<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a guard only, and there is one guard at most.
unsafe impl<T: Send> Sync for SpinMutex<T> {}

struct Guard<'a, T> {
    mutex: &'a SpinMutex<T>,
}

impl<T> SpinMutex<T> {
    const fn new(value: T) -> Self {
        Self { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    fn lock(&self) -> Guard<'_, T> {
        while self.locked.swap(true, Acquire) {}
        Guard { mutex: self }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the only guard.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only guard.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.mutex.locked.store(false, Release);
    }
}

static COUNTER: SpinMutex<u32> = SpinMutex::new(0);

fn count_twice() {
    *COUNTER.lock() += 1;
    *COUNTER.lock() += 1;
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(count_twice);
        scope.spawn(count_twice);
    });
    assert!(*COUNTER.lock() == 4);
}
