//! Running a command to its end or to its time limit.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longer than this nobody waits to see that a command has ended.
const LONGEST_NAP: Duration = Duration::from_millis(20);

/// A command that has come to an end.
pub(crate) struct Finished {
    /// How it ended; nothing if it had to be stopped.
    pub(crate) status: Option<ExitStatus>,
    /// What it wrote to standard output.
    pub(crate) result: String,
    /// What it wrote to standard error.
    pub(crate) messages: String,
}

/// Runs a command. What it writes goes through files in the folder, which take any amount.
pub(crate) fn run(
    command: &mut Command,
    folder: &Path,
    limit: Duration,
) -> std::io::Result<Finished> {
    let [result, messages] = ["result", "messages"].map(|name| folder.join(name));
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&result)?)
        .stderr(File::create(&messages)?)
        .spawn()?;
    let mut nap = Duration::from_micros(200);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    };
    let text = |path| std::fs::read(path).map(|it| String::from_utf8_lossy(&it).into_owned());
    Ok(Finished { status, result: text(&result)?, messages: text(&messages)? })
}
