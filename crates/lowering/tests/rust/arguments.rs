// error: what a program in Rust is started with is not known

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static COUNT: AtomicU32 = AtomicU32::new(0);

fn main() {
    if std::env::args().count() > 1 {
        COUNT.store(1, Relaxed);
    }
}
