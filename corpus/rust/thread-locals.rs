// A thread-local variable with a destructor: each thread has its own, made when it is first looked at, and
// what it drops is dropped when the thread ends, before whoever joins it goes on.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static LEFT: AtomicU32 = AtomicU32::new(0);

struct Account(u32);

impl Drop for Account {
    fn drop(&mut self) {
        LEFT.fetch_add(self.0, Ordering::Relaxed);
    }
}

thread_local! {
    static ACCOUNT: RefCell<Account> = const { RefCell::new(Account(1)) };
}

fn earn(sum: u32) {
    ACCOUNT.with(|account| account.borrow_mut().0 += sum);
}

fn main() {
    let first = thread::spawn(|| earn(2));
    let second = thread::spawn(|| {
        earn(10);
        earn(10);
    });
    first.join().unwrap();
    second.join().unwrap();
    assert!(LEFT.load(Ordering::Relaxed) == 3 + 21);
    ACCOUNT.with(|account| assert!(account.borrow().0 == 1));
}
