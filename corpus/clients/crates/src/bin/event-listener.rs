//! A flag is set and an event is told; the other thread listens, looks and waits: no wake-up is lost.
use event_listener::{Event, Listener};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

fn main() {
    let shared = Arc::new((Event::new(), AtomicBool::new(false)));
    let theirs = Arc::clone(&shared);
    let setter = thread::spawn(move || {
        theirs.1.store(true, SeqCst);
        theirs.0.notify(1);
    });
    let listener = shared.0.listen();
    if !shared.1.load(SeqCst) {
        listener.wait();
    }
    assert!(shared.1.load(SeqCst));
    setter.join().unwrap();
}
