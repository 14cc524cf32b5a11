//! The compiler wrapper.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::archive::members;
use super::index::{Compile, INDEX, Line, Link, LinkInput, LinkMember, append, read};
use crate::arguments::{Arguments, Linked, Source, SourceLanguage, Stage};
use crate::cache::digest;
use crate::clang::{Clang, Unit};
use crate::overrides::Overrides;
use crate::place::{absolute, write_file};
use crate::process::not_started;
use crate::{Cache, Failure, Tools};

/// The name of the folder of a recording, unless something else is said.
const FOLDER: &str = "fencewright-recording";

/// How the files and folders begin in which `configure`, `CMake` and Meson try out
/// what a compiler can do.
const PROBES: [&str; 5] = ["conftest", "CMakeTmp", "CMakeScratch", "CompilerIdC", "meson-private"];

/// How calls of a compiler are recorded.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// The compiler that does the work of the build, perhaps with a launcher and flags.
    pub real: Vec<OsString>,
    /// Where the recording is.
    pub recording: PathBuf,
    /// Which clang writes the IR.
    pub tools: Tools,
    /// Where IR is kept for the next time.
    pub cache: Cache,
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
        let signal = None;
        let code = self.status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
        u8::try_from(code).unwrap_or(1)
    }
}

impl Recorder {
    /// What the environment says about a call in `folder`.
    ///
    /// The real compiler is `FENCEWRIGHT_CC`, split as a shell does, or `cc`. The recording is
    /// `FENCEWRIGHT_RECORDING` if that is absolute. Otherwise it is the nearest folder of that name
    /// (or `fencewright-recording`) upwards, since builds change folders; where there is none yet, it
    /// is created at the top of the Git repository, or else in `folder`.
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
            cache: Cache::usual(),
        }
    }
}

fn recording_folder(folder: &Path, name: &Path) -> PathBuf {
    let mut upwards = folder.ancestors();
    if name.is_absolute() {
        name.to_owned()
    } else if let Some(place) = upwards.map(|up| up.join(name)).find(|up| up.is_dir()) {
        place
    } else {
        upwards.find(|up| up.join(".git").exists()).unwrap_or(folder).join(name)
    }
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
        // The folder is there from the first call on, which is often one at the top of the build.
        let folder_of = &recorder.recording;
        std::fs::create_dir_all(folder_of)
            .map_err(|error| Failure::io("create", folder_of, &error))?;
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

impl Source {
    fn is_standard_input(&self) -> bool {
        self.path == Path::new("-")
    }

    fn is_c(&self) -> bool {
        match self.language {
            SourceLanguage::C | SourceLanguage::SaidToBeC => true,
            SourceLanguage::Cpp | SourceLanguage::Other => false,
        }
    }
}

/// A call that the real compiler has done.
struct Call<'a> {
    recorder: &'a Recorder,
    folder: &'a Path,
    arguments: &'a Arguments,
    input: &'a [u8],
}

impl Call<'_> {
    /// Adds the call to the recording. If it is the first of which there is no IR, says so.
    fn record(&self) -> Result<Option<String>, Failure> {
        if self.arguments.stage == Stage::NoCode || self.is_probe() {
            return Ok(None);
        }
        let mut lines = Vec::new();
        for source in self.arguments.sources.iter().filter(|source| source.is_c()) {
            lines.push(Line::Compile(self.compile(source)?));
        }
        if self.arguments.stage == Stage::Link {
            lines.push(Line::Link(self.link()));
        }
        let failure = lines.iter().find_map(failure_of).cloned();
        let is_first = failure.is_some()
            && !read(&self.recorder.recording)
                .is_ok_and(|l| l.iter().any(|l| failure_of(l).is_some()));
        append(&self.recorder.recording, &lines)?;
        Ok(failure.filter(|_| is_first).map(|failure| {
            let index = self.recorder.recording.join(INDEX);
            format!("no LLVM IR (further cases are only in {}): {failure}", index.display())
        }))
    }

    /// Whether something is only tried out. Of what is linked the output tells.
    fn is_probe(&self) -> bool {
        let sources = self.arguments.sources.iter().map(|source| &source.path);
        let mut paths = sources.chain(&self.arguments.output);
        paths.any(|path| {
            let path = absolute(self.folder, path);
            path.iter().any(|part| {
                let part = part.to_string_lossy();
                PROBES.iter().any(|probe| part.starts_with(probe))
            })
        })
    }

    /// The object of a source.
    fn object(&self, source: &Source) -> PathBuf {
        let named = self.arguments.output.as_deref();
        let default = |ending| {
            let stem = source.path.file_stem().unwrap_or_default();
            let mut name = stem.to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let place = match self.arguments.stage {
            Stage::Objects => named.map_or_else(|| default(".o"), Path::to_owned),
            Stage::Assembly | Stage::NoCode => named.map_or_else(|| default(".s"), Path::to_owned),
            Stage::Link => {
                let mut name = self.output().into_os_string();
                name.push(format!("({})", source.path.display()));
                name.into()
            }
        };
        absolute(self.folder, &place)
    }

    fn output(&self) -> PathBuf {
        let named = self.arguments.output.as_deref().unwrap_or(Path::new("a.out"));
        absolute(self.folder, named)
    }

    fn compile(&self, source: &Source) -> Result<Compile, Failure> {
        let recording = &self.recorder.recording;
        let object = self.object(source);
        let made_of = absolute(self.folder, &source.path).into_os_string();
        let key = digest([object.as_os_str(), &made_of].join(OsStr::new("\n")).as_encoded_bytes());
        let mut flags = self.arguments.kept.clone();
        let mut path = source.path.clone();
        if source.is_standard_input() {
            path = recording.join("inputs").join(format!("{key}.c"));
            write_file(&path, self.input)?;
        } else if source.language == SourceLanguage::SaidToBeC {
            flags.extend(["-x", "c"].map(str::to_owned));
        }
        let unit = Unit {
            name: object.to_string_lossy().into_owned(),
            source: path.clone(),
            folder: self.folder.to_owned(),
            flags: flags.iter().map(OsString::from).collect(),
            accepted: true,
        };
        let overrides = Overrides::default();
        let compiled = Clang::find(&self.recorder.tools, &overrides, &self.recorder.cache)
            .and_then(|clang| clang.compile(&unit));
        let (module, failure) = match compiled {
            Ok((module, _)) => {
                let name = format!("modules/{key}.ll");
                write_file(&recording.join(&name), module.text.as_bytes())?;
                (Some(name), None)
            }
            Err(failure) => (None, Some(failure.to_string())),
        };
        Ok(Compile {
            source_hash: hash_of(&absolute(self.folder, &path)),
            folder: self.folder.to_owned(),
            source: path,
            object_hash: hash_of(&object),
            object: object.to_string_lossy().into_owned(),
            flags,
            module,
            failure,
        })
    }

    fn link(&self) -> Link {
        let own = self.arguments.sources.iter().filter(|source| source.is_c()).map(|source| {
            let path = self.object(source).to_string_lossy().into_owned();
            LinkInput { path, hash: None, members: Vec::new() }
        });
        let given = self.arguments.linked.iter().filter_map(|linked| match linked {
            Linked::File(path) => Some(absolute(self.folder, path)),
            Linked::Library(name) => self.library(name),
        });
        let inputs = own.chain(given.map(|path| link_input(&path))).collect();
        Link { output: self.output().to_string_lossy().into_owned(), inputs }
    }

    /// The file of a library that is in one of the folders of the command line. One that is not is
    /// the system's.
    fn library(&self, name: &str) -> Option<PathBuf> {
        let names = match name.strip_prefix(':') {
            Some(whole) => vec![whole.to_owned()],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        let folders =
            self.arguments.library_folders.iter().map(|place| absolute(self.folder, place));
        let mut files = folders
            .flat_map(|place| names.iter().map(move |name| place.join(name)).collect::<Vec<_>>());
        files.find(|file| file.is_file())
    }
}

fn failure_of(line: &Line) -> Option<&String> {
    match line {
        Line::Compile(compile) => compile.failure.as_ref(),
        Line::Link(_) => None,
    }
}

fn link_input(path: &Path) -> LinkInput {
    let bytes = std::fs::read(path).unwrap_or_default();
    let found = members(&bytes)
        .unwrap_or_default()
        .into_iter()
        .map(|member| LinkMember { hash: member.contents.map(digest), name: member.name });
    let hash = path.is_file().then(|| digest(&bytes));
    // A shared library may have been put in place by a link to it.
    let real = path.canonicalize().ok().filter(|_| path.is_symlink());
    let path = real.as_deref().unwrap_or(path).to_string_lossy().into_owned();
    LinkInput { path, hash, members: found.collect() }
}

fn hash_of(file: &Path) -> Option<String> {
    std::fs::read(file).ok().map(|bytes| digest(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_recording_is() {
        let root = tempfile::tempdir().expect("a folder");
        let at = |path: &str| root.path().join(path);
        for folder in ["tar/sub", "git/.git", "git/sub", "begun/rec", "begun/sub/deeper"] {
            std::fs::create_dir_all(at(folder)).expect("a folder");
        }
        for (folder, expected) in [
            ("tar/sub", "tar/sub/rec"),
            ("git/sub", "git/rec"),
            ("git", "git/rec"),
            ("begun/sub/deeper", "begun/rec"),
        ] {
            assert_eq!(recording_folder(&at(folder), Path::new("rec")), at(expected), "{folder}");
        }
        assert_eq!(recording_folder(&at("git"), &at("tar")), at("tar"));
    }
}
