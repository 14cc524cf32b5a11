//! Starting a program, waiting for it, and ending what was started.
//!
//! Children stay in our process group, so that an interrupt from the terminal reaches them too. What
//! they write is read while they run, and not all of it is kept: a compiler that writes messages
//! without end fills no memory.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::Failure;

/// How much is kept of the beginning of what a program writes to its standard error, and how much of
/// the end: the first error says most, and the last line how it ended.
const KEPT_MESSAGE: usize = 64 * 1024;

/// How much a program may write to its standard output. The longest answer is Cargo's about all
/// packages, of a few megabytes.
const LONGEST_ANSWER: u64 = 256 * 1024 * 1024;

/// A program with its first arguments: `clang`, or `python3 -m ziglang cc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) leading: Vec<&'static str>,
}

impl Program {
    pub(crate) fn alone(path: PathBuf) -> Self {
        Self { path, leading: Vec::new() }
    }

    /// A command that runs it in `directory`.
    pub(crate) fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.leading).current_dir(directory);
        command
    }

    /// What the program says about itself, and where it is: two programs with the same identity
    /// are taken to write the same IR.
    ///
    /// It is asked in the folder where it will run: there, rustup may start another version.
    pub(crate) fn identity(&self, question: &str, folder: &Path) -> Result<String, Failure> {
        let answer = run(self.command(folder).arg(question))?;
        Ok(format!(
            "{} {}\n{}",
            self.path.display(),
            self.leading.join(" "),
            String::from_utf8_lossy(&answer)
        ))
    }
}

/// Runs a command that reads nothing, and returns what it wrote to its standard output.
pub(crate) fn run(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(command, &error))?;
    let messages = child.stderr.take();
    let (answer, message) = std::thread::scope(|scope| {
        let message = scope.spawn(move || messages.map(Excerpt::of).unwrap_or_default());
        let answer = answer_of(&mut child);
        (answer, message.join().unwrap_or_default())
    });
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    let failed = |status: String, message: String| Failure::Compiler {
        command: shown(command),
        folder: command.get_current_dir().unwrap_or(Path::new("")).to_owned(),
        status,
        message,
    };
    let Some(answer) = answer else {
        let message = "it writes to its standard output without end".to_owned();
        return Err(failed("no end".to_owned(), message));
    };
    if status.success() { Ok(answer) } else { Err(failed(status.to_string(), message)) }
}

/// What a program writes to its standard output; nothing if that has no end, and then the program is
/// ended.
fn answer_of(child: &mut Child) -> Option<Vec<u8>> {
    let mut answer = Vec::new();
    let output = child.stdout.take()?;
    // What cannot be read any more is at its end.
    let _ = output.take(LONGEST_ANSWER + 1).read_to_end(&mut answer);
    if answer.len() as u64 > LONGEST_ANSWER {
        let _ = child.kill();
        return None;
    }
    Some(answer)
}

/// The beginning and the end of a long text.
#[derive(Default)]
struct Excerpt {
    beginning: Vec<u8>,
    end: std::collections::VecDeque<u8>,
    left_out: u64,
}

impl Excerpt {
    /// Reads all there is.
    fn of(mut source: impl Read) -> String {
        let mut excerpt = Self::default();
        let mut piece = [0; 8192];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return excerpt.text(),
                Ok(length) => excerpt.add(&piece[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return excerpt.text(),
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT_MESSAGE - self.beginning.len()));
        self.beginning.extend(first);
        self.end.extend(rest);
        let surplus = self.end.len().saturating_sub(KEPT_MESSAGE);
        self.end.drain(..surplus);
        self.left_out += surplus as u64;
    }

    fn text(self) -> String {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let end: Vec<u8> = self.end.into();
        if self.left_out == 0 {
            return lossy(&[self.beginning, end].concat());
        }
        let between = format!("\n[… {} more bytes …]\n", self.left_out);
        lossy(&self.beginning) + &between + &lossy(&end)
    }
}

/// Ends all programs that this process has started, and those that they have started, and says whether
/// there were any. Whoever has started one sees that it has failed.
pub fn end_children() -> bool {
    let mut any = false;
    // Those that are started while the others are looked for are found the next time.
    for _ in 0..3 {
        let found = descendants(std::process::id());
        if found.is_empty() {
            break;
        }
        any = true;
        for process in found {
            end(process);
        }
    }
    any
}

#[cfg(unix)]
fn end(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let known = i32::try_from(process).ok().and_then(Pid::from_raw);
    if let Some(process) = known {
        // It may be over already.
        let _ = kill_process(process, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end(_process: u32) {}

/// The processes that a process has started, at any remove.
fn descendants(ancestor: u32) -> Vec<u32> {
    let pairs = from_proc().unwrap_or_else(from_ps);
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        next += 1;
        found.extend(pairs.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
    }
    found.split_off(1)
}

/// All processes, each with its parent, as Linux shows them.
fn from_proc() -> Option<Vec<(u32, u32)>> {
    let processes = std::fs::read_dir("/proc").ok()?.filter_map(|entry| {
        let process = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let about = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name, which may hold anything, ends with the last bracket; then come state and parent.
        let (_, rest) = about.rsplit_once(')')?;
        let mut words = rest.split_whitespace();
        let is_over = words.next()? == "Z";
        let parent = words.next()?.parse().ok()?;
        (!is_over).then_some((process, parent))
    });
    Some(processes.collect()).filter(|found: &Vec<_>| !found.is_empty())
}

/// All processes, each with its parent, as `ps` shows them where there is no `/proc`.
fn from_ps() -> Vec<(u32, u32)> {
    let asked = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).stdin(Stdio::null()).output();
    let text = asked.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned());
    let pair = |line: &str| {
        let mut words = line.split_whitespace().map(str::parse);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    };
    text.unwrap_or_default().lines().filter_map(pair).collect()
}

/// The failure of a command that the system did not start.
pub(crate) fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let missing = command.get_current_dir().filter(|folder| !folder.is_dir());
    let reason = missing.map_or_else(
        || error.to_string(),
        |folder| format!("there is no folder {}", folder.display()),
    );
    Failure::NotStarted { command: shown(command), reason }
}

/// A command line that can be pasted into a shell, with the folder and the variables that it needs.
fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    let folder = command.get_current_dir().map(|folder| quoted(&folder.to_string_lossy()));
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            let value = quoted(&value.to_string_lossy());
            words.push(format!("{}={value}", name.to_string_lossy()));
        }
    }
    words.push(quoted(&command.get_program().to_string_lossy()));
    words.extend(command.get_args().map(|word| quoted(&word.to_string_lossy())));
    let line = words.join(" ");
    folder.map_or(line.clone(), |folder| format!("cd {folder} && {line}"))
}

/// A word as a shell reads it; a word with a zero byte, which no shell can be given, as it is.
pub(crate) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// The first program of this name in a list of folders such as that of `PATH`.
pub(crate) fn on_path(name: &str, path: &OsString) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// Whether a file can be started.
fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.metadata()
            .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        file.is_file() || file.with_extension("exe").is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_message_both_ends_are_kept() {
        let short = "a line\n".repeat(100);
        assert_eq!(Excerpt::of(short.as_bytes()), short);
        let long: Vec<u8> =
            (0..1_000_000).map(|at| b'a' + u8::try_from(at % 26).unwrap_or(0)).collect();
        let text = Excerpt::of(&long[..]);
        let ends = (&long[..KEPT_MESSAGE], &long[long.len() - KEPT_MESSAGE..]);
        assert!(text.as_bytes().starts_with(ends.0) && text.as_bytes().ends_with(ends.1));
        let left_out = long.len() - 2 * KEPT_MESSAGE;
        assert!(text.contains(&format!("{left_out} more bytes")), "{}", text.len());
    }

    #[cfg(unix)]
    #[test]
    fn children_and_their_children_are_ended() {
        let mut child = Command::new("sh").args(["-c", "sleep 600 & wait"]).spawn().expect("sh");
        while descendants(child.id()).is_empty() {
            std::thread::yield_now();
        }
        let inner = descendants(child.id());
        assert!(descendants(std::process::id()).contains(&child.id()));
        for process in inner.iter().copied().chain([child.id()]) {
            end(process);
        }
        assert!(!child.wait().expect("it has ended").success());
        assert!(descendants(std::process::id()).iter().all(|one| !inner.contains(one)));
    }
}
