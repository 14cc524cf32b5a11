//! Atomics of all kinds, threads, locks, inline assembly.
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

static X: AtomicI32 = AtomicI32::new(0);
static Y: AtomicU64 = AtomicU64::new(7);
static FLAGS: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];
static HEAD: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static ONCE: OnceLock<String> = OnceLock::new();
thread_local!(static MINE: std::cell::Cell<u32> = const { std::cell::Cell::new(3) });

#[repr(C)]
struct Ring {
    head: AtomicU64,
    slots: [AtomicU8; 16],
}

fn peterson(me: usize, turn: &AtomicU8) {
    FLAGS[me].store(true, Ordering::Relaxed);
    turn.store(1 - me as u8, Ordering::Release);
    fence(Ordering::SeqCst);
    while FLAGS[1 - me].load(Ordering::Acquire) && turn.load(Ordering::SeqCst) != me as u8 {
        std::hint::spin_loop();
    }
    X.store(X.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    FLAGS[me].store(false, Ordering::Release);
}

fn exchange(ring: &Ring) -> u64 {
    let head = ring.head.fetch_add(1, Ordering::AcqRel);
    ring.slots[head as usize % 16].swap(3, Ordering::SeqCst);
    let _ = Y.compare_exchange(7, 8, Ordering::AcqRel, Ordering::Relaxed);
    let _ = Y.compare_exchange_weak(8, 9, Ordering::SeqCst, Ordering::Acquire);
    HEAD.store(std::ptr::null_mut(), Ordering::SeqCst);
    Y.fetch_max(4, Ordering::Relaxed) + Y.fetch_nand(1, Ordering::SeqCst)
}

#[cfg(target_arch = "x86_64")]
fn assembly(x: u64) -> u64 {
    let y;
    unsafe {
        std::arch::asm!("mfence", "lea {0}, [{1} + 2]", out(reg) y, in(reg) x);
    }
    y
}

fn main() {
    let turn = Arc::new(AtomicU8::new(0));
    let other = Arc::clone(&turn);
    let handle = std::thread::spawn(move || peterson(0, &other));
    peterson(1, &turn);
    handle.join().unwrap();
    let lock = Mutex::new(vec![1]);
    let ready = Condvar::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            lock.lock().unwrap().push(2);
            ready.notify_one();
        });
    });
    let ring = Ring { head: AtomicU64::new(0), slots: [const { AtomicU8::new(0) }; 16] };
    MINE.with(|mine| mine.set(mine.get() + 1));
    #[cfg(target_arch = "x86_64")]
    println!("{}", assembly(5));
    println!("{} {}", exchange(&ring), ONCE.get_or_init(|| "once".to_owned()));
}
