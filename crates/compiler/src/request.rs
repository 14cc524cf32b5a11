//! From inputs to modules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::clang::{Clang, Unit};
use crate::overrides::Overrides;
use crate::place::{absolute, read_text};
use crate::{Cache, Failure, Input, Package, Tools, cargo, database, parallel, recording, rustc};

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// The inputs; their names are as seen from the directory.
    pub inputs: Vec<Input>,
    /// Flags for clang, or for rustc.
    pub flags: Vec<String>,
    /// The folder in which compilers run, but for those of lists and recordings, which run where
    /// the build ran them.
    pub directory: PathBuf,
    /// Which compilers.
    pub tools: Tools,
    /// Other texts for some source files, headers and modules too.
    pub overrides: Vec<(PathBuf, String)>,
    /// Where IR is kept for the next time.
    pub cache: Cache,
}

impl Request {
    /// A request without flags, in a folder, with what the environment says about the rest.
    pub fn new(inputs: Vec<Input>, directory: PathBuf) -> Self {
        Self {
            inputs,
            flags: Vec::new(),
            directory,
            tools: Tools::from_environment(),
            overrides: Vec::new(),
            cache: Cache::usual(),
        }
    }
}

/// The modules of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The modules, in the order of the inputs.
    pub modules: Vec<Module>,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
    /// How many modules were in the cache.
    pub reused: usize,
}

/// One module of LLVM IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// A name for people: the source, the object file or the crate.
    pub name: String,
    /// What it was compiled from.
    pub language: Language,
    /// The source that it was compiled from, as seen from the directory, where it is one file.
    pub source: Option<PathBuf>,
    /// The folder the compiler ran in.
    pub directory: PathBuf,
    /// The IR.
    pub text: String,
}

/// What a module was compiled from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Rust.
    Rust,
    /// Not known: it was given as IR.
    Llvm,
}

/// Something that one compiler does at once.
pub(crate) enum Task {
    /// A C source.
    C(Unit),
    /// The root of a Rust crate.
    Rust(PathBuf),
    /// A Cargo package.
    Package(Package),
    /// Nothing has to be done.
    Ready(Module),
}

/// What came of one task.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) modules: Vec<Module>,
    pub(crate) notes: Vec<String>,
    pub(crate) reused: usize,
    /// All files that were read, by absolute names; only asked for if there are overrides.
    pub(crate) read: BTreeSet<PathBuf>,
}

/// Compiles all inputs.
pub fn compile(request: &Request) -> Result<Compiled, Failure> {
    check_flags(request)?;
    let directory = std::path::absolute(&request.directory)
        .map_err(|error| Failure::io("read", &request.directory, &error))?;
    let overrides = Overrides::new(&request.overrides, &directory);
    let mut notes = Vec::new();
    let mut tasks = Vec::new();
    for input in &request.inputs {
        plan(input, request, &directory, &mut tasks, &mut notes)?;
    }
    let clang = OnceLock::new();
    let find_clang = || {
        clang
            .get_or_init(|| Clang::find(&request.tools, &overrides, &request.cache))
            .as_ref()
            .map_err(Clone::clone)
    };
    let outcomes = parallel::map(&tasks, |task| match task {
        Task::C(unit) => find_clang()?.compile(unit).map(|(module, compilation)| Outcome {
            read: all_read(&compilation.dependencies.files, &unit.folder),
            reused: usize::from(compilation.reused),
            ..Outcome::of(module)
        }),
        Task::Rust(source) => {
            let Request { flags, tools, cache, .. } = request;
            let (module, compilation) =
                rustc::compile(source, &directory, flags, tools, &overrides, cache)?;
            let read = all_read(&compilation.dependencies.files, &directory);
            Ok(Outcome { read, reused: usize::from(compilation.reused), ..Outcome::of(module) })
        }
        Task::Package(package) => cargo::compile(package, request, &directory, &overrides),
        Task::Ready(module) => Ok(Outcome::of(module.clone())),
    });
    let mut compiled = Compiled { modules: Vec::new(), notes, reused: 0 };
    let mut read = BTreeSet::new();
    for outcome in outcomes {
        let mut outcome = outcome?;
        compiled.modules.append(&mut outcome.modules);
        compiled.notes.append(&mut outcome.notes);
        compiled.reused += outcome.reused;
        read.append(&mut outcome.read);
    }
    for path in overrides.unread(&read) {
        let note = format!("{}: its other text was not used; no compiler read it", path.display());
        compiled.notes.push(note);
    }
    Ok(compiled)
}

impl Outcome {
    fn of(module: Module) -> Self {
        Self { modules: vec![module], ..Self::default() }
    }
}

fn all_read(files: &[String], folder: &Path) -> BTreeSet<PathBuf> {
    files.iter().map(|file| absolute(folder, Path::new(file))).collect()
}

/// What has to be done for one input.
fn plan(
    input: &Input,
    request: &Request,
    directory: &Path,
    tasks: &mut Vec<Task>,
    notes: &mut Vec<String>,
) -> Result<(), Failure> {
    match input {
        Input::C(source) => {
            must_exist(source, request, directory)?;
            tasks.push(Task::C(Unit {
                name: source.to_string_lossy().into_owned(),
                source: source.clone(),
                folder: directory.to_owned(),
                flags: request.flags.iter().map(Into::into).collect(),
                accepted: false,
            }));
        }
        Input::Rust(source) => {
            must_exist(source, request, directory)?;
            tasks.push(Task::Rust(source.clone()));
        }
        Input::Llvm(path) => {
            let text = read_text(&directory.join(path))?;
            if text.trim().is_empty() {
                let of = path.to_string_lossy().into_owned();
                return Err(Failure::Nothing { of, reason: "the file is empty" });
            }
            tasks.push(Task::Ready(Module {
                name: path.to_string_lossy().into_owned(),
                language: Language::Llvm,
                source: None,
                directory: directory.to_owned(),
                text,
            }));
        }
        Input::Package(package) => tasks.push(Task::Package(package.clone())),
        Input::Database(list) => {
            tasks.extend(
                database::units(list, directory, &request.flags, notes)?.into_iter().map(Task::C),
            );
        }
        Input::Recording(recording) => {
            let again = !request.overrides.is_empty() || !request.flags.is_empty();
            tasks.extend(recording::tasks(recording, directory, &request.flags, again, notes)?);
        }
    }
    Ok(())
}

/// A better message than those of compilers, and the same for all.
fn must_exist(source: &Path, request: &Request, directory: &Path) -> Result<(), Failure> {
    let path = absolute(directory, source);
    let overridden = request.overrides.iter().any(|(file, _)| absolute(directory, file) == path);
    if overridden || path.is_file() { Ok(()) } else { Err(Failure::Missing(source.to_owned())) }
}

/// Refuses flags that would make a compiler write something else, or elsewhere, and flags of which
/// it is not clear which compiler they are for.
fn check_flags(request: &Request) -> Result<(), Failure> {
    let Some(first) = request.flags.first() else { return Ok(()) };
    let (mut c, mut rust) = (false, false);
    for input in &request.inputs {
        match input {
            Input::C(_) | Input::Database(_) | Input::Recording(_) => c = true,
            Input::Rust(_) | Input::Package(_) => rust = true,
            Input::Llvm(_) => {}
        }
    }
    let refuse = |flag: &str, reason| Err(Failure::Flag { flag: flag.to_owned(), reason });
    match (c, rust) {
        (true, true) => {
            return refuse(first, "cannot be given: C and Rust inputs have different compilers");
        }
        (false, false) => return refuse(first, "cannot be given: nothing has to be compiled"),
        (true, false) | (false, true) => {}
    }
    let (exact, beginnings): (&[&str], &[&str]) = if c {
        (&["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-emit-llvm"], &["-o", "-emit-ast"])
    } else {
        (&["-o"], &["--emit", "--out-dir", "--print"])
    };
    for flag in &request.flags {
        if exact.contains(&flag.as_str()) || beginnings.iter().any(|start| flag.starts_with(start))
        {
            return refuse(
                flag,
                "cannot be given: what is written, and where, is not for it to say",
            );
        }
    }
    Ok(())
}
