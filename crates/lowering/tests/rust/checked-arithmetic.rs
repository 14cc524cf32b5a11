// sees: SQUARE SAME HALF LOWEST
// sc: 1,1,2,1
// tso: 1,1,2,1
// fails: never

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

static GREATEST: AtomicU64 = AtomicU64::new(u64::MAX);
static SQUARE: AtomicU64 = AtomicU64::new(0);
static SAME: AtomicU64 = AtomicU64::new(0);
static HALF: AtomicU64 = AtomicU64::new(0);
static LOWEST: AtomicI64 = AtomicI64::new(i64::MIN);

fn main() {
    let greatest = GREATEST.load(Relaxed);
    SQUARE.store(greatest.checked_mul(greatest).map_or(1, |_| 0), Relaxed);
    assert!(greatest.wrapping_mul(greatest) == 1 && greatest.checked_mul(0) == Some(0));
    SAME.store(u64::from(greatest.checked_mul(1) == Some(greatest)), Relaxed);
    let half = greatest >> 1;
    let fits = u64::from(half.checked_mul(2) == Some(greatest - 1));
    HALF.store(fits + u64::from(half.checked_mul(3).is_none()), Relaxed);
    let lowest = LOWEST.load(Relaxed);
    LOWEST.store(lowest.checked_mul(lowest).map_or(1, |_| 0), Relaxed);
}
