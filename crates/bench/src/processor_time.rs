//! The processor time of this process, as Linux tells in `/proc`.
//!
//! For one thread it is known in nanoseconds, and brought up to date when the thread gives the
//! processor away for a moment. For all threads, with those that have ended, it is known in
//! hundredths of a second, which is enough for what is worth several threads.

use std::fs::read_to_string;
use std::time::Duration;

/// In which unit Linux counts processor time for user space, on all architectures.
const TICK: Duration = Duration::from_millis(10);

/// Processor time so far of this thread, or of all threads of the process, if the system tells.
pub(crate) fn processor_time(only_this_thread: bool) -> Option<Duration> {
    if !only_this_thread {
        return of_the_process(&read_to_string("/proc/self/stat").ok()?);
    }
    std::thread::yield_now();
    let text = read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The fields `utime` and `stime`, which are the twelfth and thirteenth after the name.
fn of_the_process(statistics: &str) -> Option<Duration> {
    let (_, fields) = statistics.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u32>);
    ticks.sum::<Result<u32, _>>().ok().map(|ticks| TICK * ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added() {
        let text = "7 (a) b) R 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1 0\n";
        assert_eq!(of_the_process(text), Some(Duration::from_secs(2)));
        assert_eq!(of_the_process("7 (a"), None);
    }
}
