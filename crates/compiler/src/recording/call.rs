//! What is written about one call of the compiler.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::archive::members;
use super::index::{Compile, INDEX, Line, Link, LinkInput, LinkMember, append, contents, read};
use super::record::Recorder;
use crate::arguments::{Arguments, Linked, Source, SourceLanguage, Stage};
use crate::cache::digest;
use crate::clang::{Clang, Unit};
use crate::overrides::Overrides;
use crate::place::{absolute, write_file};
use crate::{Cache, Failure};

/// How the files and folders begin in which `configure`, `CMake` and Meson try out
/// what a compiler can do.
const PROBES: [&str; 5] = ["conftest", "CMakeTmp", "CMakeScratch", "CompilerIdC", "meson-private"];

/// A call that the real compiler has done.
pub(super) struct Call<'a> {
    pub(super) recorder: &'a Recorder,
    /// Where it ran.
    pub(super) folder: &'a Path,
    pub(super) arguments: &'a Arguments,
    /// What came by the standard input, if a source did.
    pub(super) input: &'a [u8],
}

impl Call<'_> {
    /// Adds the call to the recording. If it is the first of which there is no IR, says so.
    pub(super) fn record(&self) -> Result<Option<String>, Failure> {
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
        if lines.is_empty() {
            return Ok(None);
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
        paths.any(|path| is_tried(&absolute(self.folder, path)))
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
        // What a build compiles has changed, and the IR is kept here.
        let compiled = Clang::find(&self.recorder.tools, &overrides, &Cache::Off)
            .and_then(|clang| clang.compile(&unit));
        let (module, reads, failure) = match compiled {
            Ok((module, compilation)) => {
                let name = format!("modules/{key}.ll");
                write_file(&recording.join(&name), module.text.as_bytes())?;
                (Some(name), compilation.dependencies.files, None)
            }
            Err(failure) => (None, Vec::new(), Some(failure.to_string())),
        };
        Ok(Compile {
            contents: contents(self.folder, &reads),
            reads,
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

/// Whether a file or folder is there to try out a compiler, by its name.
fn is_tried(path: &Path) -> bool {
    path.iter().any(|part| {
        let part = part.to_string_lossy();
        PROBES.iter().any(|probe| part.starts_with(probe))
    })
}
