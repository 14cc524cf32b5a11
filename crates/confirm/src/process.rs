//! Running a command to its end or to its time limit.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use compiler::Temporary;
use web_time::Instant;

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
    wait(start(command, folder)?, limit)
}

/// Runs a command that needs nothing of the folder any more once it runs: the folder is then removed at once,
/// so that it is not left behind by who is killed meanwhile.
pub(crate) fn run_from(
    command: &mut Command,
    folder: Temporary,
    limit: Duration,
) -> std::io::Result<Finished> {
    let started = start(command, folder.path())?;
    drop(folder);
    wait(started, limit)
}

/// A command that runs, and the files that it writes to.
struct Started {
    child: Child,
    since: Instant,
    result: File,
    messages: File,
}

fn start(command: &mut Command, folder: &Path) -> std::io::Result<Started> {
    let file = |name: &str| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true).open(folder.join(name))
    };
    let (result, messages) = (file("result")?, file("messages")?);
    let child = command
        .stdin(Stdio::null())
        .stdout(result.try_clone()?)
        .stderr(messages.try_clone()?)
        .spawn()?;
    Ok(Started { child, since: Instant::now(), result, messages })
}

fn wait(started: Started, limit: Duration) -> std::io::Result<Finished> {
    let Started { mut child, since, result, messages } = started;
    let mut nap = Duration::from_micros(200);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if since.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    };
    Ok(Finished { status, result: text(result)?, messages: text(messages)? })
}

fn text(mut file: File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_gone_while_a_command_runs() {
        let folder = Temporary::new().expect("a folder");
        let path = folder.path().to_owned();
        let mut command = Command::new("sh");
        let waits = "i=0; while [ -e \"$0\" ] && [ $i -lt 500 ]; do sleep 0.01; i=$((i + 1)); done; \
                     [ -e \"$0\" ] && echo there || echo gone; echo message >&2";
        command.args(["-c", waits]).arg(&path);
        let finished = run_from(&mut command, folder, Duration::from_mins(1)).expect("a shell");
        assert!(finished.status.is_some_and(|status| status.success()));
        assert_eq!((finished.result.as_str(), finished.messages.as_str()), ("gone\n", "message\n"));
    }
}
