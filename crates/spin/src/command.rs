//! Running a command to its end or to its time limit, and what it cost.
//!
//! The processor time of a child is what `/proc` says when the child has ended and before anybody
//! has waited for it: then it still has an entry there, and nobody else's children are mixed in (as
//! they are in `getrusage`, which also needs unsafe code). The child's own time is known in
//! nanoseconds, that of its children (gcc has some) in hundredths of a second.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use web_time::Instant;

use crate::answer::Failure;

/// A command that has come to an end.
pub(crate) struct Finished {
    /// How it ended; nothing if it had to be stopped.
    pub(crate) status: Option<ExitStatus>,
    /// All that it wrote, to standard output and to standard error.
    pub(crate) said: String,
    /// Processor time, with that of its children.
    pub(crate) cpu: Option<Duration>,
    pub(crate) elapsed: Duration,
}

/// Longer than this nobody waits to see that a command has ended.
const LONGEST_NAP: Duration = Duration::from_millis(20);
/// In which unit Linux counts processor time for user space, on all architectures.
const TICK: Duration = Duration::from_millis(10);

/// How long a command may run; nothing means for ever.
#[derive(Clone, Copy, Default)]
pub(crate) struct Time {
    pub(crate) elapsed: Option<Duration>,
    /// Processor time, where the system tells.
    pub(crate) cpu: Option<Duration>,
}

/// Runs a command in a folder.
pub(crate) fn run(
    folder: &Path,
    command: &'static str,
    arguments: &[&str],
    limit: Time,
) -> Result<Finished, Failure> {
    // A file takes any amount of text without anybody reading along.
    let output = folder.join("said");
    let file = File::create(&output).map_err(Failure::Files)?;
    let errors = file.try_clone().map_err(Failure::Files)?;
    let start = Instant::now();
    let program = if command.starts_with("./") { folder.join(command) } else { command.into() };
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|error| Failure::Missing { command, error })?;
    let (status, cpu) = finish(&mut child, start, limit).map_err(Failure::Files)?;
    let elapsed = start.elapsed();
    let said = std::fs::read(&output).map_err(Failure::Files)?;
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(Finished { status, said, cpu, elapsed })
}

fn finish(
    child: &mut Child,
    start: Instant,
    limit: Time,
) -> std::io::Result<(Option<ExitStatus>, Option<Duration>)> {
    let mut nap = Duration::from_micros(200);
    loop {
        let usage = usage(child.id());
        match &usage {
            Some(usage) if usage.ended => return Ok((Some(child.wait()?), Some(usage.cpu))),
            Some(_) => {}
            None => {
                if let Some(status) = child.try_wait()? {
                    return Ok((Some(status), None));
                }
            }
        }
        let cpu = usage.map(|usage| usage.cpu);
        let is_over = limit.elapsed.is_some_and(|limit| start.elapsed() > limit)
            || limit.cpu.zip(cpu).is_some_and(|(limit, cpu)| cpu > limit);
        if is_over {
            child.kill()?;
            child.wait()?;
            return Ok((None, cpu));
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
}

struct Usage {
    ended: bool,
    cpu: Duration,
}

/// What `/proc` says of a process, where there is such a thing.
fn usage(process: u32) -> Option<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the command, in brackets, may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok().map(|ticks| TICK * ticks);
    let of_children = ticks(13)? + ticks(14)?;
    let own = ticks(11)? + ticks(12)?;
    let exact = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok();
    let exact = exact.and_then(|text| text.split_whitespace().next()?.parse().ok());
    let own = exact.filter(|nanos| *nanos > 0).map_or(own, Duration::from_nanos);
    Some(Usage { ended: *fields.first()? == "Z", cpu: own + of_children })
}
