//! A writer publishes one operation while a reader looks: it sees the state before or after it.
use left_right::Absorb;
use std::thread;

#[derive(Clone, Default)]
struct Counter(usize);

impl Absorb<usize> for Counter {
    fn absorb_first(&mut self, operation: &mut usize, _: &Self) {
        self.0 += *operation;
    }
    fn sync_with(&mut self, first: &Self) {
        self.0 = first.0;
    }
}

fn main() {
    let (mut write, read) = left_right::new::<Counter, usize>();
    let reader = thread::spawn(move || {
        let seen = read.enter().map_or(0, |guard| guard.0);
        assert!(seen == 0 || seen == 3);
    });
    write.append(3);
    write.publish();
    reader.join().unwrap();
}
