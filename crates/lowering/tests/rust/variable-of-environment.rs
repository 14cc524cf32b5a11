// undecided: a step that depends on what `std::env::_var_os` writes

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static FOUND: AtomicU32 = AtomicU32::new(0);

fn main() {
    if std::env::var_os("THREADS").is_some() {
        FOUND.store(1, Relaxed);
    }
}
