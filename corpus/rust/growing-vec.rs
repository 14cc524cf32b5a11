// A Vec that becomes longer, in an Arc<Mutex>: it starts without memory, and five numbers are more than it
// has room for at first. Two threads push.

use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let list = Arc::new(Mutex::new(Vec::new()));
    let other = Arc::clone(&list);
    let pusher = thread::spawn(move || {
        for number in 1..=3 {
            other.lock().unwrap().push(number);
        }
    });
    list.lock().unwrap().push(10_u32);
    list.lock().unwrap().push(20);
    pusher.join().unwrap();
    let list = list.lock().unwrap();
    assert!(list.len() == 5);
    assert!(list.iter().sum::<u32>() == 36);
}
