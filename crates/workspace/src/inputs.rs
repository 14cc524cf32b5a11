//! What is read: texts in the languages of models, and what compilers make of C and Rust.

use analysis::tso_only::Seen;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use frontend::litmus::Arch;
use frontend::{Language, Settings};
use lowering::{Bounds, Entry, Lifetimes, Relocking, Summary};
use program::index::Idx;
use program::{Diagnostic, Diagnostics, FenceKind, Program, SourceId, Sources, Span, Value};

use crate::host::Host;
use crate::misplaced;
use crate::notes::Note;
use crate::source::{Compilation, FromSource, STDIN, Unmade, is_for_compiler, is_whole_program};

/// Which programs, and how to read them.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Paths; `-` is standard input. C files together are one program, each other file is one.
    pub files: Vec<String>,
    /// Where standard input lies as a file for compilers, if it is C, Rust or LLVM IR.
    pub standard_input: Option<PathBuf>,
    /// The language of the texts, if names and contents do not tell.
    pub language: Option<Language>,
    /// Other values for constants of a model.
    pub constants: Vec<(String, Value)>,
    /// Definite numbers for threads of any number of copies.
    pub counts: Vec<(String, u32)>,
    /// What is only for C, Rust and LLVM IR.
    pub source: SourceOptions,
}

impl Inputs {
    /// These files, read as usual.
    pub fn files(files: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { files: files.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Whether more than one program may be meant: several files, or all tests of a package.
    pub fn may_be_several(&self) -> bool {
        let source = &self.source;
        let all_of = source.test.as_ref().is_some_and(|test| !test.contains("::"));
        let all_units = source.unit_tests.as_ref().is_some_and(String::is_empty);
        self.files.len() > 1 || source.entries.is_empty() && (all_of || all_units)
    }

    /// The name of a file as it is shown.
    pub fn shown_name(&self, file: &str) -> String {
        if self.standard_input.as_deref() == Some(Path::new(file)) {
            return STDIN.to_owned();
        }
        shown_name(file)
    }

    fn settings(&self) -> Settings {
        Settings { constants: self.constants.clone(), counts: self.counts.clone() }
    }
}

/// How programs in C, Rust and LLVM IR are compiled and translated.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub struct SourceOptions {
    /// The threads, instead of those that `main` creates.
    pub entries: Vec<Entry>,
    /// The numbers of those entries of which there is any number of copies.
    pub any_number: Vec<usize>,
    /// The functions whose calls and returns make histories.
    pub operations: Vec<String>,
    /// A function that runs before these threads.
    pub init: Option<Entry>,
    /// How often one function may be under way at a time.
    pub max_recursion: Option<u32>,
    /// How often a thread may allocate at one place.
    pub max_allocations: Option<u32>,
    /// How many different amounts of memory, not known beforehand, one place may mean.
    pub max_amounts: Option<u32>,
    /// How many threads a thread may create at one place.
    pub max_threads: Option<u32>,
    /// What is made of memory that is given back.
    pub lifetimes: Lifetimes,
    /// What becomes of a thread that takes a lock which it holds already.
    pub relocking: Relocking,
    /// The arguments of `main` after the program's name, if not just any.
    pub args: Option<Vec<String>>,
    /// What functions without a body do.
    pub assumptions: Vec<Assumption>,
    /// The clang to use.
    pub clang: Option<PathBuf>,
    /// The rustc to use.
    pub rustc: Option<PathBuf>,
    /// Of a Cargo package: the library.
    pub lib: bool,
    /// Of a Cargo package: this program.
    pub bin: Option<String>,
    /// Of a Cargo package: this example.
    pub example: Option<String>,
    /// Of a Cargo package: the tests of this integration test, or one of them (`NAME::FUNCTION`).
    pub test: Option<String>,
    /// Of a Cargo package: all unit tests (an empty name), or one of them.
    pub unit_tests: Option<String>,
    /// Of a Cargo workspace: this package.
    pub package: Option<String>,
    /// Features of a Cargo package.
    pub features: Vec<String>,
    /// Whether the default features of a Cargo package are left out.
    pub no_default_features: bool,
    /// Of Rust: whether debug assertions and overflow checks are left out.
    pub release: bool,
    /// Of a recording of a build: this executable or library.
    pub program: Option<String>,
    /// Whether everything is compiled, changed or not.
    pub no_cache: bool,
    /// Flags for the compiler.
    pub flags: Vec<String>,
}

/// What a user says of functions without a body.
#[derive(Clone, Debug)]
pub enum Assumption {
    /// Of one.
    Stated(Summary),
    /// Of those in a file.
    InFile(PathBuf),
}

/// A program that was read.
pub struct Loaded {
    /// The name to show.
    pub file: String,
    /// What it was made of.
    pub origin: Origin,
    /// The texts that it was read from.
    pub sources: Sources,
    /// The program.
    pub program: Program,
    /// What answers about it rest on.
    pub premises: Premises,
    /// Whether a compiled program gives values of its local variables away, as by printing or returning
    /// them, so that they are part of its results.
    pub(crate) shows_locals: bool,
    /// Accesses of a compiled program that are made in code of somebody else, by the numbers of their templates and
    /// edges, with the function.
    pub(crate) foreign: BTreeMap<(usize, usize), String>,
    /// What else a reader of an answer should know.
    pub(crate) notes: Vec<Note>,
}

/// What an answer about a program rests on, besides the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Premises {
    /// The bounds of the translation, of a program that was compiled. They make no answer wrong: one that
    /// depends on what lies beyond them is undecided.
    pub bounds: Option<Bounds>,
    /// What was stated of functions without a body.
    pub assumed: Vec<String>,
    /// The functions without a body of which nothing was stated: they may do anything they could.
    pub unknown: Vec<String>,
}

/// What a program was made of.
pub enum Origin {
    /// One text in the language of a model.
    Text(Language, Settings),
    /// What compilers made of texts.
    Compiled(Box<Compilation>),
}

/// Errors, and the texts they are about.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The errors.
    pub errors: Diagnostics,
    /// The texts.
    pub sources: Sources,
}

impl Loaded {
    fn new(file: String, origin: Origin, sources: Sources, made: FromSource) -> Self {
        let FromSource { program, premises, shows_locals, foreign, notes } = made;
        Self { file, origin, sources, program, premises, shows_locals, foreign, notes }
    }

    /// What counts as a result of the program.
    pub(crate) const fn seen(&self) -> Seen {
        if self.shows_locals { Seen::Everything } else { Seen::Observed }
    }

    /// The language in which people write about the program.
    pub const fn language(&self) -> Language {
        match &self.origin {
            Origin::Text(language, _) => *language,
            Origin::Compiled(_) => Language::Fw,
        }
    }

    /// The architecture that a litmus test is written for.
    pub fn architecture(&self) -> Option<Arch> {
        match self.language() {
            Language::Litmus => frontend::litmus::architecture(self.sources.text(Idx::new(0))),
            Language::Fw
            | Language::Trencher
            | Language::Esop13
            | Language::Esop15
            | Language::Rmm
            | Language::Remmex => None,
        }
    }

    /// Whether a litmus test can have a fence of a kind: the instructions of its architecture.
    pub(crate) fn has_fence(&self, kind: FenceKind) -> bool {
        match (self.architecture(), kind) {
            (Some(Arch::C), kind) => frontend::litmus::c_has_fence(kind),
            (None, _) | (Some(_), FenceKind::Control) => false,
            (Some(_), FenceKind::Full) | (Some(Arch::RiscV), _) => true,
            (Some(Arch::AArch64), kind) => {
                matches!(kind, FenceKind::StoreStore | FenceKind::Acquire)
            }
            (Some(Arch::Ppc), kind) => {
                matches!(kind, FenceKind::StoreStore | FenceKind::Lightweight)
            }
            (Some(Arch::Arm), kind) => kind == FenceKind::StoreStore,
            (Some(Arch::X86 | Arch::X86_64), _) => false,
        }
    }

    /// Whether it was compiled from C, Rust or LLVM IR.
    pub const fn is_compiled(&self) -> bool {
        match &self.origin {
            Origin::Text(..) => false,
            Origin::Compiled(_) => true,
        }
    }

    /// Errors about it.
    pub(crate) fn refuse(&self, errors: Diagnostics) -> Refused {
        Refused { errors, sources: self.sources.clone() }
    }

    /// The program that other texts make, and the texts that it was made of.
    pub(crate) fn again(
        &self,
        host: &dyn Host,
        texts: &[(SourceId, String)],
    ) -> Result<(Program, Sources), Unmade> {
        let mut sources = Sources::new();
        let program = match &self.origin {
            Origin::Text(language, settings) => {
                let text = texts.first().map_or_else(String::new, |(_, text)| text.clone());
                let source = sources.add(self.sources.name(Idx::new(0)).to_owned(), text);
                frontend::load(&sources, source, *language, settings)?
            }
            Origin::Compiled(compilation) => {
                let others: Vec<(PathBuf, String)> = texts
                    .iter()
                    .map(|(source, text)| (PathBuf::from(self.sources.name(*source)), text.clone()))
                    .collect();
                compilation.again(host, self.program.name(), &others, &mut sources)?
            }
        };
        Ok((program, sources))
    }
}

/// A name as it is shown.
pub fn shown_name(file: &str) -> String {
    if file == "-" { STDIN.to_owned() } else { file.to_owned() }
}

/// The files of each program: one each, but for those that a compiler puts together.
pub(crate) fn programs(host: &dyn Host, inputs: &Inputs) -> Vec<Vec<String>> {
    let mut programs: Vec<Vec<String>> = Vec::new();
    let mut together: Option<usize> = None;
    for file in &inputs.files {
        if !is_compiled(host, file, inputs) || is_whole_program(file) {
            programs.push(vec![file.clone()]);
        } else if let Some(at) = together {
            programs[at].push(file.clone());
        } else {
            together = Some(programs.len());
            programs.push(vec![file.clone()]);
        }
    }
    programs
}

/// Whether a file is for a compiler.
pub(crate) fn is_compiled(host: &dyn Host, file: &str, inputs: &Inputs) -> bool {
    inputs.language.is_none() && is_for_compiler(host, file)
}

/// A program to be read, of which there may be several in one file.
pub struct Part {
    /// What to add to the name of the files.
    pub which: String,
    from: Result<From, Diagnostics>,
}

enum From {
    Text(String),
    Compiled(Box<Compilation>, String),
}

/// The programs in files that belong together. This compiles only if one has to look what there is.
pub(crate) fn parts(
    host: &dyn Host,
    files: &[String],
    inputs: &Inputs,
) -> Result<Vec<Part>, Diagnostics> {
    match files {
        [file] if !is_compiled(host, file, inputs) => {
            Ok(vec![Part { which: String::new(), from: Ok(From::Text(file.clone())) }])
        }
        _ => {
            let stem = files.first().map_or("program", |file| {
                let name = file.trim_end_matches('/').rsplit('/').next().unwrap_or(file);
                name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("program")
            });
            let programs = Compilation::new(host, files, inputs)?.programs(host)?.into_iter();
            let from = |compilation| From::Compiled(Box::new(compilation), stem.to_owned());
            Ok(programs.map(|(which, one)| Part { which, from: one.map(from) }).collect())
        }
    }
}

/// Reads one program.
pub(crate) fn load(
    host: &dyn Host,
    file: &str,
    part: Part,
    inputs: &Inputs,
) -> Result<Loaded, Refused> {
    let mut sources = Sources::new();
    let from = part.from.map_err(|errors| Refused { errors, sources: Sources::new() })?;
    let file = file.to_owned();
    let made = match from {
        From::Text(path) => read(host, &path, &mut sources).and_then(|source| {
            let (origin, program) = text(&path, source, inputs, &sources)?;
            Ok((origin, FromSource::of_model(program)))
        }),
        From::Compiled(mut compilation, stem) => compilation
            .load(host, &stem, &mut sources)
            .map(|made| (Origin::Compiled(compilation), made)),
    };
    match made {
        Ok((origin, made)) => Ok(Loaded::new(file, origin, sources, made)),
        Err(errors) => Err(Refused { errors, sources }),
    }
}

/// Reads a text that is given as it is.
pub(crate) fn load_text(name: &str, content: &str, inputs: &Inputs) -> Result<Loaded, Refused> {
    let mut sources = Sources::new();
    let source = sources.add(shown_name(name), content.to_owned());
    match text(name, source, inputs, &sources) {
        Ok((origin, program)) => {
            let made = FromSource::of_model(program);
            Ok(Loaded::new(shown_name(name), origin, sources, made))
        }
        Err(errors) => Err(Refused { errors, sources }),
    }
}

/// The program in a text.
fn text(
    file: &str,
    source: SourceId,
    inputs: &Inputs,
    sources: &Sources,
) -> Result<(Origin, Program), Diagnostics> {
    let detected = || Language::detect(file, sources.text(source));
    let Some(language) = inputs.language.or_else(detected) else {
        if sources.text(source).trim().is_empty() {
            let message = format!("{} is empty", shown_name(file));
            return Err(vec![Diagnostic::new(Span::NONE, message)]);
        }
        let names = Language::ALL.map(Language::name).join(", ");
        let message = format!("cannot tell the language of {}", shown_name(file));
        let help = format!(
            "name it with `--lang`: {names}; C, Rust and LLVM IR are read from files that end in .c, \
             .rs or .ll, or from standard input with `--lang c`, `rust` or `llvm`"
        );
        return Err(vec![Diagnostic::new(Span::NONE, message).help(help)]);
    };
    misplaced::for_model(inputs)?;
    let settings = inputs.settings();
    let loaded = frontend::load(sources, source, language, &settings);
    let program = loaded.map_err(|errors| with_language(errors, language, sources.text(source)))?;
    if program.templates().is_empty() {
        // Nothing can go wrong in it, but somebody means something else: the text may be cut off.
        let end = sources.text(source).len();
        let message = "the program has no threads";
        return Err(vec![Diagnostic::new(Span::new(source, end..end), message)]);
    }
    Ok((Origin::Text(language, settings), program))
}

/// Errors of a text that looks like one in another language say so.
fn with_language(mut errors: Diagnostics, language: Language, text: &str) -> Diagnostics {
    let looks = Language::detect("", text).filter(|looks| *looks != language);
    if let (Some(looks), Some(first)) = (looks, errors.first_mut()) {
        let name = looks.name();
        first.help = Some(format!("this looks like a `{name}` program: `--lang {name}` reads it"));
    }
    errors
}

fn read(host: &dyn Host, file: &str, sources: &mut Sources) -> Result<SourceId, Diagnostics> {
    let name = shown_name(file);
    let problem = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let bytes = host.read(Path::new(file));
    let bytes = bytes.map_err(|error| problem(format!("cannot read {name}: {error}")))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(sources.add(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let source = sources.add(name, text);
            let span = Span::new(source, at..at + '\u{fffd}'.len_utf8());
            Err(vec![
                Diagnostic::new(span, "this is not UTF-8 text")
                    .label("the first invalid byte")
                    .help("save the program as UTF-8"),
            ])
        }
    }
}

/// The text of a file that is no program.
pub(crate) fn read_text(host: &dyn Host, path: &Path) -> std::io::Result<String> {
    let invalid = |_| {
        let message = "stream did not contain valid UTF-8";
        std::io::Error::new(std::io::ErrorKind::InvalidData, message)
    };
    String::from_utf8(host.read(path)?).map_err(invalid)
}
