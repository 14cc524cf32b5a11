//! Starting a program and waiting for it.
//!
//! Children stay in our process group, so that an interrupt from the terminal reaches them too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;

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
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(Failure::Compiler {
        command: shown(command),
        status: output.status.to_string(),
        message: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
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
