// sees: SAME OTHER WOKEN
// sc: 1,1,1
// tso: 1,1,1
// fails: never

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::thread::{self, Thread};

static SAME: AtomicU32 = AtomicU32::new(0);
static OTHER: AtomicU32 = AtomicU32::new(0);
static WOKEN: AtomicU32 = AtomicU32::new(0);
static READY: AtomicBool = AtomicBool::new(false);

fn wake(waiting: &mut Option<Thread>) {
    let thread = waiting.take().unwrap();
    READY.store(true, Release);
    thread.unpark();
}

fn main() {
    let me = thread::current();
    if me.id() == thread::current().id() && me.clone().id() == me.id() {
        SAME.store(1, Relaxed);
    }
    let mut waiting = Some(thread::current());
    let other = thread::spawn(move || {
        wake(&mut waiting);
        thread::current().id()
    });
    let seen = other.thread().id();
    while !READY.load(Acquire) {
        thread::park();
    }
    WOKEN.store(1, Relaxed);
    let id = other.join().unwrap();
    if id == seen && id != me.id() {
        OTHER.store(1, Relaxed);
    }
}
