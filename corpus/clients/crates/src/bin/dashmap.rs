//! Two threads insert under two keys, and both are found.
use dashmap::DashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::thread;

#[derive(Clone, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 * 256 + u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

fn main() {
    let map: DashMap<u64, usize, BuildHasherDefault<Identity>> =
        DashMap::with_capacity_and_hasher_and_shard_amount(4, BuildHasherDefault::default(), 2);
    let shared = Arc::new(map);
    let theirs = Arc::clone(&shared);
    let other = thread::spawn(move || theirs.insert(1, 10));
    shared.insert(2, 20);
    other.join().unwrap();
    assert!(shared.get(&1).is_some_and(|value| *value == 10));
    assert!(shared.get(&2).is_some_and(|value| *value == 20));
}
