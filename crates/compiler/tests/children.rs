//! What was started is ended, in a process of its own: everything that it has started is.

use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn children_and_theirs_are_ended() {
    assert!(!compiler::end_children(), "nothing has been started");
    let mut shell = Command::new("sh");
    let mut child = shell.args(["-c", "sleep 100 & sleep 101; true"]).spawn().expect("a shell");
    let begun = Instant::now();
    let ended = loop {
        compiler::end_children();
        if let Some(ended) = child.try_wait().expect("it can be asked") {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(!ended.success());
    assert!(begun.elapsed() < Duration::from_secs(50));
}
