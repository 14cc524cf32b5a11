// sees: FAILED OLD LAST HIGHEST LOWEST MASKED FLAG POINTED
// sc: 5,5,10,250,-3,-9,1,4
// tso: 5,5,10,250,-3,-9,1,4
// fails: never

use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI8, AtomicPtr, AtomicU8, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};

static NUMBER: AtomicUsize = AtomicUsize::new(5);
static FAILED: AtomicUsize = AtomicUsize::new(0);
static OLD: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicUsize = AtomicUsize::new(0);
static BYTE: AtomicU8 = AtomicU8::new(7);
static HIGHEST: AtomicI32 = AtomicI32::new(0);
static LOWEST: AtomicI8 = AtomicI8::new(3);
static MASKED: AtomicI32 = AtomicI32::new(12);
static FLAG: AtomicBool = AtomicBool::new(false);
static POINTED: AtomicI32 = AtomicI32::new(0);

fn main() {
    if let Err(seen) = NUMBER.compare_exchange(6, 7, SeqCst, Relaxed) {
        FAILED.store(seen, Relaxed);
    }
    OLD.store(NUMBER.compare_exchange_weak(5, 8, AcqRel, Acquire).unwrap_or(0), Release);
    let _ = NUMBER.fetch_update(Relaxed, Relaxed, |number| (number < 9).then_some(number + 2));
    LAST.store(NUMBER.swap(0, Relaxed), Relaxed);
    BYTE.fetch_max(250, Relaxed);
    HIGHEST.store(BYTE.load(Relaxed).into(), Relaxed);
    LOWEST.fetch_min(-3, Relaxed);
    MASKED.fetch_nand(8, Relaxed);
    let _ = FLAG.fetch_or(true, Relaxed);
    let _ = FLAG.compare_exchange(false, true, Relaxed, Relaxed);
    let mut place = 3;
    let pointer = AtomicPtr::new(&mut place);
    // SAFETY: it points to `place`, which lives.
    unsafe { *pointer.load(Relaxed) += 1 };
    POINTED.store(place, Relaxed);
}
