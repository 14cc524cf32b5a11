//! The compiler wrapper.

use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::call::Call;
use crate::arguments::{Arguments, Source};
use crate::process::not_started;
use crate::{Failure, Tools};

/// The name of the folder of a recording, unless something else is said.
const FOLDER: &str = "fencewright-recording";

/// How calls of a compiler are recorded.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// The compiler that does the work of the build, perhaps with a launcher and flags.
    pub real: Vec<OsString>,
    /// Where the recording is.
    pub recording: PathBuf,
    /// Which clang writes the IR.
    pub tools: Tools,
}

/// How a recorded call ended.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// How the real compiler ended.
    pub status: ExitStatus,
    /// What the user should know, for the standard error.
    pub notes: Vec<String>,
}

impl Recorded {
    /// The exit code for the wrapper: that of the compiler, or, as shells say it, 128 and the number
    /// of the signal that ended it.
    pub fn code(&self) -> u8 {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&self.status);
        #[cfg(not(unix))]
        let signal: Option<i32> = None;
        let code = self.status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
        u8::try_from(code).unwrap_or(1)
    }
}

impl Recorder {
    /// What the environment says about a call in `folder`.
    ///
    /// The real compiler is `FENCEWRIGHT_CC`, split as a shell does, or `cc`. The recording is
    /// `FENCEWRIGHT_RECORDING` if that is absolute. Otherwise it is the nearest folder of that name
    /// (or `fencewright-recording`) upwards in which something was recorded, since builds change
    /// folders; where there is none yet, it is created at the top of the Git repository, or else in
    /// `folder`.
    pub fn from_environment(folder: &Path) -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let named = variable("FENCEWRIGHT_RECORDING").unwrap_or_else(|| FOLDER.into());
        let real = variable("FENCEWRIGHT_CC")
            .and_then(|value| shlex::split(&value.to_string_lossy()))
            .filter(|words| !words.is_empty())
            .map(|words| words.into_iter().map(OsString::from).collect());
        Self {
            real: real.unwrap_or_else(|| vec!["cc".into()]),
            recording: recording_folder(folder, Path::new(&named)),
            tools: Tools::from_environment(),
        }
    }
}

fn recording_folder(folder: &Path, name: &Path) -> PathBuf {
    let mut upwards = folder.ancestors();
    if name.is_absolute() {
        name.to_owned()
    } else if let Some(place) = upwards.map(|up| up.join(name)).find(|up| has_something(up)) {
        place
    } else {
        upwards.find(|up| up.join(".git").exists()).unwrap_or(folder).join(name)
    }
}

/// An empty folder may be there for any reason, and is not to catch the builds below it.
fn has_something(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Runs the real compiler with these arguments in `folder`, and records what it compiled and linked.
///
/// `input` is the standard input; it is read if a source comes that way, and otherwise left to the
/// compiler. Only a compiler that cannot be started is a failure; whatever goes wrong with the
/// recording is a note, so that a build works as it does without it.
pub fn record(
    recorder: &Recorder,
    arguments: &[OsString],
    folder: &Path,
    input: &mut dyn Read,
) -> Result<Recorded, Failure> {
    let words: Vec<_> = recorder.real.iter().chain(arguments).cloned().collect();
    let understood = Arguments::of_command(&words, folder);
    let reads_input = understood
        .as_ref()
        .is_ok_and(|understood| understood.sources.iter().any(Source::is_standard_input));
    let (real, arguments) = words.split_first().ok_or_else(|| Failure::NoCompiler {
        tool: "a C compiler",
        tried: Vec::new(),
        advice: "name it by FENCEWRIGHT_CC",
    })?;
    let mut command = Command::new(real);
    command.args(arguments).current_dir(folder);
    let (status, input) = if reads_input {
        run_with_input(&mut command, input)?
    } else {
        (command.status().map_err(|error| not_started(&command, &error))?, Vec::new())
    };
    let noted = understood.and_then(|understood| {
        if !status.success() {
            return Ok(None);
        }
        Call { recorder, folder, arguments: &understood, input: &input }.record()
    });
    let notes = match noted {
        Ok(note) => note.into_iter().collect(),
        Err(failure) => vec![format!("this call was not recorded: {failure}")],
    };
    Ok(Recorded { status, notes })
}

/// Runs a command with what comes by the standard input, and returns that too.
fn run_with_input(
    command: &mut Command,
    source: &mut dyn Read,
) -> Result<(ExitStatus, Vec<u8>), Failure> {
    let mut input = Vec::new();
    source
        .read_to_end(&mut input)
        .map_err(|error| Failure::io("read", Path::new("<standard input>"), &error))?;
    let mut child =
        command.stdin(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A compiler that has seen enough may close its input; its status tells what it thinks.
        let _ = pipe.write_all(&input);
    }
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    Ok((status, input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_recording_is() {
        let root = tempfile::tempdir().expect("a folder");
        // A name that no folder around the temporary ones has.
        let name = "only-here";
        let at = |path: &str| root.path().join(path);
        for folder in [
            "tar/sub",
            "git/.git",
            "git/sub",
            "begun/only-here/modules",
            "begun/sub/deeper/only-here",
        ] {
            std::fs::create_dir_all(at(folder)).expect("a folder");
        }
        for (folder, expected) in [
            ("tar/sub", "tar/sub/only-here"),
            ("git/sub", "git/only-here"),
            ("git", "git/only-here"),
            ("begun/sub/deeper", "begun/only-here"),
        ] {
            assert_eq!(recording_folder(&at(folder), Path::new(name)), at(expected), "{folder}");
        }
        assert_eq!(recording_folder(&at("git"), &at("tar")), at("tar"));
    }
}
