//! A task registers and looks at a flag, the other thread sets it and wakes: no wake-up is lost.
use atomic_waker::AtomicWaker;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread;

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

fn main() {
    let shared = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
    let theirs = Arc::clone(&shared);
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let setter = thread::spawn(move || {
        theirs.1.store(true, Relaxed);
        theirs.0.wake();
    });
    shared.0.register(&waker);
    let is_set = shared.1.load(Relaxed);
    setter.join().unwrap();
    assert!(is_set || woken.0.load(SeqCst));
}
