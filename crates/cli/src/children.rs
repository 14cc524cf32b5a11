//! The processes that this one has started: compilers, and those that compilers start.

/// Ends all of them, and says whether there were any. Whoever has started one sees that it has failed.
pub(crate) fn end_all() -> bool {
    #[cfg(target_os = "linux")]
    return linux::end_all("self");
    #[cfg(not(target_os = "linux"))]
    return false;
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{read_dir, read_to_string};

    use rustix::process::{Pid, Signal, kill_process};

    /// Ends the children of a process, each after its own.
    pub(super) fn end_all(process: &str) -> bool {
        let Ok(threads) = read_dir(format!("/proc/{process}/task")) else { return false };
        let mut any = false;
        for thread in threads.flatten() {
            let children = read_to_string(thread.path().join("children")).unwrap_or_default();
            for child in children.split_ascii_whitespace() {
                end_all(child);
                if let Some(child) = child.parse().ok().and_then(Pid::from_raw) {
                    // It may have ended by itself.
                    any |= kill_process(child, Signal::KILL).is_ok();
                }
            }
        }
        any
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    #[test]
    fn children_and_theirs_are_ended() {
        let mut shell = Command::new("sh");
        let mut child = shell.args(["-c", "sleep 100 & sleep 101; true"]).spawn().expect("a shell");
        let begun = Instant::now();
        let ended = loop {
            super::end_all();
            if let Some(ended) = child.try_wait().expect("it can be asked") {
                break ended;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(!ended.success());
        assert!(begun.elapsed() < Duration::from_secs(50));
    }
}
