//! From inputs to modules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cache::{Compilation, Entry};
use crate::clang::{Clang, Unit};
use crate::overrides::Overrides;
use crate::place::{absolute, read_text};
use crate::whole::is_whole;
use crate::{
    Cache, Failure, Input, Package, Tools, cargo, database, flags, parallel, recording, rustc,
};

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
    /// Whether Rust is compiled as `cargo build --release` does it: without debug assertions and
    /// overflow checks, unless a profile says otherwise.
    pub release: bool,
    /// Other texts for some source files, headers and modules too.
    pub overrides: Vec<(PathBuf, Vec<u8>)>,
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
            release: false,
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
    /// Where modules are kept, by their numbers.
    entries: Vec<(usize, Entry)>,
    /// The target folders of packages that modules are from.
    built_in: Vec<PathBuf>,
}

impl Compiled {
    /// Keeps what was compiled for the next time. To be called by who has understood all of it: a text
    /// that ends too early is not kept.
    pub fn keep(&self) {
        for (module, entry) in &self.entries {
            entry.keep(&self.modules[*module].text);
        }
    }

    /// Removes all of it from the cache, because it is not understood; whether something was there, so
    /// that it is worth the while to compile again.
    pub fn forget(&self) -> bool {
        for (_, entry) in &self.entries {
            entry.forget();
        }
        for folder in &self.built_in {
            cargo::forget(folder);
        }
        self.reused > 0
    }
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
    Rust {
        /// The edition, if it is known.
        edition: Option<u32>,
    },
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
    /// Where modules are kept, by their numbers.
    pub(crate) entries: Vec<(usize, Entry)>,
    /// The target folder of a package.
    pub(crate) built_in: Option<PathBuf>,
    /// All files that were read, by absolute names; only asked for if there are overrides.
    pub(crate) read: BTreeSet<PathBuf>,
}

/// Compiles all inputs.
pub fn compile(request: &Request) -> Result<Compiled, Failure> {
    let directory = std::path::absolute(&request.directory)
        .map_err(|error| Failure::io("read", &request.directory, &error))?;
    let request = &Request { flags: accepted_flags(request, &directory)?, ..request.clone() };
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
        Task::C(unit) => {
            find_clang()?.compile(unit).map(|made| Outcome::of_one(made, &unit.folder))
        }
        Task::Rust(source) => rustc::compile(source, &directory, request, &overrides)
            .map(|made| Outcome::of_one(made, &directory)),
        Task::Package(package) => cargo::compile(package, request, &directory, &overrides),
        Task::Ready(module) => Ok(Outcome { modules: vec![module.clone()], ..Outcome::default() }),
    });
    let outcomes = if overrides.is_empty() { outcomes } else { with_all_messages(outcomes) };
    let (entries, built_in) = (Vec::new(), Vec::new());
    let mut compiled = Compiled { modules: Vec::new(), notes, reused: 0, entries, built_in };
    let mut read = BTreeSet::new();
    for outcome in outcomes {
        let mut outcome = outcome?;
        let before = compiled.modules.len();
        compiled
            .entries
            .extend(outcome.entries.into_iter().map(|(at, entry)| (before + at, entry)));
        compiled.built_in.extend(outcome.built_in);
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

/// The same, where the first compiler that refused a text says what others in its folder say, too: who has changed texts
/// wants to know each place at once.
fn with_all_messages(mut outcomes: Vec<Result<Outcome, Failure>>) -> Vec<Result<Outcome, Failure>> {
    let mut first: Option<(usize, PathBuf, String)> = None;
    for (at, outcome) in outcomes.iter().enumerate() {
        if let Err(Failure::Compiler { folder, message, .. }) = outcome {
            match &mut first {
                None => first = Some((at, folder.clone(), message.clone())),
                Some((_, same, all)) if same == folder => all.push_str(message),
                Some(_) => {}
            }
        }
    }
    if let Some((at, _, all)) = first
        && let Err(Failure::Compiler { message, .. }) = &mut outcomes[at]
    {
        *message = all;
    }
    outcomes
}

impl Outcome {
    /// One module of what was compiled in a folder.
    fn of_one((module, compilation): (Module, Compilation), folder: &Path) -> Self {
        let entry = compilation.entry;
        Self {
            modules: vec![module],
            reused: usize::from(entry.as_ref().is_some_and(|entry| entry.was_there)),
            entries: entry.map(|entry| (0, entry)).into_iter().collect(),
            read: all_read(&compilation.dependencies.files, folder),
            ..Self::default()
        }
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
            if !is_whole(&text) {
                return Err(Failure::Unsupported {
                    path: path.clone(),
                    reason: "it refers to metadata that it does not define; is the text cut off?",
                });
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

/// The user's flags; an error if one cannot be passed on, or it is not clear which compiler they are
/// for.
fn accepted_flags(request: &Request, directory: &Path) -> Result<Vec<String>, Failure> {
    let Some(first) = request.flags.first() else { return Ok(Vec::new()) };
    let (mut c, mut rust) = (false, false);
    for input in &request.inputs {
        match input {
            Input::C(_) | Input::Database(_) | Input::Recording(_) => c = true,
            Input::Rust(_) | Input::Package(_) => rust = true,
            Input::Llvm(_) => {}
        }
    }
    let refuse = |reason| Err(Failure::Flag { flag: first.clone(), reason });
    match (c, rust) {
        (true, true) => refuse("cannot be given: C and Rust inputs have different compilers"),
        (false, false) => refuse("cannot be given: nothing has to be compiled"),
        (true, false) => flags::accepted(&request.flags, flags::Compiler::Clang, directory),
        (false, true) => flags::accepted(&request.flags, flags::Compiler::Rustc, directory),
    }
}
