//! Compiling a test with the C compiler of this machine, and running it here.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use compiler::Temporary;
use program::Program;

use crate::code::Test;
use crate::process::{self, Finished};
use crate::seen::Seen;

/// How a test is run.
#[derive(Clone, Debug)]
pub struct How {
    /// How many runs.
    pub runs: u64,
    /// For how long at most.
    pub time: Duration,
    /// On how many processors at most; by default on all that there are.
    pub processors: Option<usize>,
    /// Which random delays and choices.
    pub seed: u64,
    /// The C compiler; by default the first of `cc`, `gcc` and `clang` that there is.
    pub compiler: Option<PathBuf>,
}

/// Why there is nothing to be seen.
#[derive(Debug)]
pub enum Failure {
    /// This machine is none that the test is for.
    OtherMachine,
    /// Threads would never run at the same time.
    OneProcessor,
    /// There is no C compiler.
    NoCompiler {
        /// What was looked for.
        tried: Vec<PathBuf>,
    },
    /// The compiler does not take the test.
    Compiler(String),
    /// The test did not come to its end.
    Test(String),
    /// A file.
    Files(PathBuf, std::io::Error),
    /// There is no folder for what is compiled.
    Folder(compiler::Failure),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMachine => {
                write!(f, "tests run on Linux on x86-64 only, and this is another machine")
            }
            Self::OneProcessor => write!(
                f,
                "there is one processor only: threads take turns there, and show nothing that \
                 sequential consistency does not have"
            ),
            Self::NoCompiler { tried } => {
                let tried: Vec<String> =
                    tried.iter().map(|path| path.display().to_string()).collect();
                write!(f, "there is no C compiler: tried {}", tried.join(", "))
            }
            Self::Compiler(said) => write!(f, "the C compiler does not take it:\n{said}"),
            Self::Test(said) => write!(f, "the test did not come to its end: {said}"),
            Self::Folder(failure) => write!(f, "{failure}"),
            Self::Files(path, error) => write!(f, "cannot use {}: {error}", path.display()),
        }
    }
}

/// How much longer than asked for a compiler or a test may take until it is stopped.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// Runs a test of a program.
pub fn run(program: &Program, test: &Test, how: &How) -> Result<Seen, Failure> {
    let processors = processors(how)?;
    let temporary = temporary()?;
    let source = temporary.path().join("test.c");
    let executable = temporary.path().join("test");
    std::fs::write(&source, &test.text).map_err(|error| Failure::Files(source.clone(), error))?;
    compile(how, temporary.path(), |command| {
        command.args(["-std=gnu11", "-O1", "-w", "-pthread", "-o"]).arg(&executable).arg(&source);
    })?;
    let mut command = Command::new(&executable);
    command.args([
        how.runs.to_string(),
        how.time.as_secs_f64().to_string(),
        processors.to_string(),
        how.seed.to_string(),
    ]);
    let ended = process::run_from(&mut command, temporary, how.time + GRACE)
        .map_err(|error| Failure::Files(executable.clone(), error))?;
    finished(ended, |text| Seen::parse(program, test, text))
}

/// How many processors are used, if this is a machine on which something can be seen.
pub(crate) fn processors(how: &How) -> Result<usize, Failure> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err(Failure::OtherMachine);
    }
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let processors = how.processors.unwrap_or(available).min(available);
    if processors < 2 { Err(Failure::OneProcessor) } else { Ok(processors) }
}

/// A folder that vanishes.
pub(crate) fn temporary() -> Result<Temporary, Failure> {
    Temporary::new().map_err(Failure::Folder)
}

/// What a test has written, if it came to its end.
pub(crate) fn finished<T>(ended: Finished, read: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
    let Finished { status, result, messages } = ended;
    match status {
        None => Err(Failure::Test("it took too long".to_owned())),
        Some(status) if !status.success() => {
            Err(Failure::Test(format!("{status} {}", messages.trim())))
        }
        Some(_) => {
            read(&result).ok_or_else(|| Failure::Test("what it wrote is not complete".to_owned()))
        }
    }
}

/// What a shell says of a command that there is not.
const NOT_FOUND: i32 = 127;

/// Compiles with the first compiler that there is.
pub(crate) fn compile(
    how: &How,
    folder: &Path,
    arguments: impl Fn(&mut Command),
) -> Result<(), Failure> {
    let usual = || ["cc", "gcc", "clang"].map(PathBuf::from).to_vec();
    let tried = how.compiler.clone().map_or_else(usual, |compiler| vec![compiler]);
    let limit = how.time + GRACE;
    for compiler in &tried {
        // A limit on processor time holds for what the compiler starts as well.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -t \"$0\"; exec \"$@\""]).arg(limit.as_secs().to_string());
        arguments(command.arg(compiler));
        match process::run(&mut command, folder, limit) {
            Ok(Finished { status: Some(status), .. }) if status.success() => return Ok(()),
            Ok(Finished { status: None, .. }) => {
                return Err(Failure::Compiler("it took too long".to_owned()));
            }
            Ok(Finished { status: Some(status), .. }) if status.code() == Some(NOT_FOUND) => {}
            Ok(Finished { messages, .. }) => return Err(Failure::Compiler(messages)),
            Err(error) => return Err(Failure::Files(compiler.clone(), error)),
        }
    }
    Err(Failure::NoCompiler { tried })
}
