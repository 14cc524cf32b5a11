//! A work-stealing deque of fixed size, and a spin lock, as people write them.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::thread;

const SIZE: usize = 256;

macro_rules! slot {
    ($deque:expr, $index:expr) => {
        $deque.items[$index.rem_euclid(SIZE as isize) as usize]
    };
}

pub struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
    items: Vec<AtomicUsize>,
}

#[derive(Debug, PartialEq)]
pub enum Steal {
    Empty,
    Retry,
    Success(usize),
}

impl Deque {
    pub fn new() -> Self {
        let items = (0..SIZE).map(|_| AtomicUsize::new(0)).collect();
        Self { top: AtomicIsize::new(0), bottom: AtomicIsize::new(0), items }
    }

    pub fn push(&self, item: usize) -> Result<(), usize> {
        let bottom = self.bottom.load(Relaxed);
        let top = self.top.load(Acquire);
        if bottom - top >= SIZE as isize {
            return Err(item);
        }
        slot!(self, bottom).store(item, Relaxed);
        self.bottom.store(bottom + 1, Release);
        Ok(())
    }

    pub fn pop(&self) -> Option<usize> {
        let bottom = self.bottom.load(Relaxed) - 1;
        self.bottom.store(bottom, Relaxed);
        let top = self.top.load(Relaxed);
        if top > bottom {
            self.bottom.store(bottom + 1, Relaxed);
            return None;
        }
        let item = slot!(self, bottom).load(Relaxed);
        if top < bottom { return Some(item) }
        let won = self.top.compare_exchange(top, top + 1, Ordering::SeqCst, Relaxed).is_ok();
        self.bottom.store(bottom + 1, Relaxed);
        won.then_some(item)
    }

    pub fn steal(&self) -> Steal {
        let top = self.top.load(Acquire);
        match self.bottom.load(Acquire) - top {
            ..=0 => return Steal::Empty,
            _ => {}
        }
        let item = slot!(self, top).load(Relaxed);
        match self.top.compare_exchange(top, top + 1, Ordering::SeqCst, Relaxed) {
            Ok(_) => Steal::Success(item),
            Err(_) => Steal::Retry,
        }
    }

    fn first(&self) -> Option<usize> {
        let item = self.pop()?;
        self.push(item).ok()?;
        Some(item)
    }
}

pub struct Lock {
    taken: AtomicBool,
    value: UnsafeCell<usize>,
}

unsafe impl Sync for Lock {}

impl Lock {
    const fn new() -> Self {
        Self { taken: AtomicBool::new(false), value: UnsafeCell::new(0) }
    }

    fn with<'a>(&'a self, change: &dyn Fn(&mut usize)) -> &'a Self {
        while self.taken.swap(true, Acquire) {
            while self.taken.load(Relaxed) { std::hint::spin_loop() }
        }
        change(unsafe { &mut *self.value.get() });
        self.taken.store(false, Release);
        self
    }
}

static SUM: Lock = Lock::new();

fn main() {
    let deque = Arc::new(Deque::new());
    for item in 1..=SIZE {
        deque.push(item).expect("it has room for them");
    }
    assert_eq!(deque.push(0), Err(0));
    println!("{:?}", deque.first());
    let thieves: Vec<_> = (0..2)
        .map(|_| {
            let deque = Arc::clone(&deque);
            thread::spawn(move || loop {
                match deque.steal() {
                    Steal::Empty => break,
                    Steal::Retry => thread::yield_now(),
                    Steal::Success(item) => { SUM.with(&|sum| *sum += item); }
                }
            })
        })
        .collect();
    while let Some(item) = deque.pop() {
        SUM.with(&|sum| *sum += item).with(&|_| ());
    }
    for thief in thieves {
        thief.join().expect("it does not panic");
    }
    SUM.with(&|sum| println!("{sum}"));
}
