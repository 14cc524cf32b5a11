// sees: AREA RUN
// sc: 21,3
// tso: 21,3
// fails: never

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

static AREA: AtomicU32 = AtomicU32::new(0);
static RUN: AtomicU32 = AtomicU32::new(0);

trait Shape: Send {
    fn area(&self) -> u32;
}

struct Square(u32);
struct Rectangle(u32, u32);

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

impl Shape for Rectangle {
    fn area(&self) -> u32 {
        self.0 * self.1
    }
}

fn main() {
    let shapes: [Box<dyn Shape>; 2] = [Box::new(Square(3)), Box::new(Rectangle(3, 4))];
    let area = thread::spawn(move || shapes.iter().map(|shape| shape.area()).sum());
    AREA.store(area.join().unwrap(), Relaxed);
    let task: Box<dyn FnOnce() + Send> = Box::new(|| RUN.store(3, Relaxed));
    thread::spawn(task).join().unwrap();
}
