// sees: THREE EIGHT ALL POWER
// sc: 3,8,64,1
// tso: 3,8,64,1
// fails: never

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

static THREE: AtomicU32 = AtomicU32::new(0b1000_0001_0000_0000_0000_0000_0001_0000);
static EIGHT: AtomicU8 = AtomicU8::new(255);
static ALL: AtomicU64 = AtomicU64::new(u64::MAX);
static POWER: AtomicU64 = AtomicU64::new(1 << 63);

fn main() {
    THREE.store(THREE.load(Relaxed).count_ones(), Relaxed);
    EIGHT.store(EIGHT.load(Relaxed).count_ones() as u8, Relaxed);
    ALL.store(u64::from(ALL.load(Relaxed).count_ones()), Relaxed);
    POWER.store(u64::from(POWER.load(Relaxed).is_power_of_two()), Relaxed);
}
