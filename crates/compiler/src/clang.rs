//! C to LLVM IR.
//!
//! What is analysed are the accesses as they are written, so nothing may be optimised away, moved
//! or merged before we see it, and every access must know its place in the source. The flags:
//!
//! - `-S -emit-llvm`: IR as text.
//! - `-O0`: no optimisation. `-Xclang -disable-llvm-passes`: not even the
//!   one pass that `-O0` runs, which puts `always_inline` functions into their callers and so takes
//!   their accesses out of the function they are written in. `-Xclang -disable-O0-optnone`: who runs
//!   LLVM's own passes on the IR for comparison, can.
//! - `-g -gcolumn-info`: lines and columns, also where columns are not the default.
//! - `-fno-discard-value-names`: values are called as the variables they hold, for witnesses.
//! - `-w`: warnings are for the author's build. A failure shows errors alone.
//! - `-ferror-limit=0`: all errors of a failure, since a repair that is refused must know each place.
//! - `-D__FENCEWRIGHT__=1`: a source can know that it is being analysed.
//!
//! Left alone on purpose: `-fno-builtin` would turn the intrinsics for `memcpy` and `memset`, whose
//! accesses are known, into calls; stack protectors, `-fno-inline` and `_FORTIFY_SOURCE` change
//! nothing at `-O0`; `NDEBUG` is the author's decision, since assertions are what is checked.
//!
//! The flags of the user or of the build come after ours; those that would undo ours are refused
//! (`flags`) or left out (`arguments::flags`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cache::{Cache, Compilation, Question};
use crate::dependencies::Dependencies;
use crate::flags;
use crate::overrides::Overrides;
use crate::place::{Temporary, absolute, read_text};
use crate::process::{Program, run};
use crate::tools::{Tools, is_zig};
use crate::whole::is_whole;
use crate::{Failure, Language, Module};

/// Our flags, before those of the user.
const FLAGS: [&str; 13] = [
    "-S",
    "-emit-llvm",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-gcolumn-info",
    "-fno-discard-value-names",
    "-w",
    "-ferror-limit=0",
    "-D__FENCEWRIGHT__=1",
];

/// What newer versions of clang refuse and other compilers accept with a warning: for sources that
/// another compiler has been seen to accept.
const LENIENT: [&str; 5] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
];

/// Variables that tell clang where to look for headers, and what time it is.
const VARIABLES: [&str; 6] =
    ["CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "SDKROOT", "SOURCE_DATE_EPOCH"];

/// A variable that changes the flags that clang is given.
const FLAGS_OF_ENVIRONMENT: &str = "CCC_OVERRIDE_OPTIONS";

/// How a newer clang begins the line in which it names the file with more flags for it.
const CONFIGURATION: &str = "Configuration file: ";

/// The flags that look for pragmas of OpenMP and for nothing else.
const OPENMP: [&str; 4] =
    ["-fsyntax-only", "-Wno-everything", "-Werror=source-uses-openmp", "-D__FENCEWRIGHT__=1"];

/// One C source and how it is compiled.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// How the module is called.
    pub(crate) name: String,
    /// The source, as seen from the folder.
    pub(crate) source: PathBuf,
    /// The folder the compiler runs in.
    pub(crate) folder: PathBuf,
    /// The flags of the user or of the build.
    pub(crate) flags: Vec<OsString>,
    /// Whether another compiler has accepted the source.
    pub(crate) accepted: bool,
}

impl Unit {
    /// Why it cannot be compiled here: answers are about x86.
    fn for_another_machine(&self) -> Option<&'static str> {
        let words: Vec<String> =
            self.flags.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut targets = words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| flags::target_of(word, words.get(at + 1)));
        targets.next_back().is_some_and(|target| !flags::is_x86(target)).then_some(
            "the build compiles it for another machine, and answers are about x86; record a build for \
             x86, or pass `-- --target=x86_64-linux-gnu`",
        )
    }

    /// The folders in which its flags say that headers are.
    fn search(&self) -> Vec<PathBuf> {
        let flags = ["-I", "-iquote", "-isystem", "-idirafter"];
        let mut folders = Vec::new();
        let mut words = self.flags.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let Some(attached) = flags.iter().find_map(|flag| word.strip_prefix(flag)) else {
                continue;
            };
            let folder = if attached.is_empty() { words.next() } else { Some(attached.into()) };
            folders.extend(folder.map(|folder| absolute(&self.folder, Path::new(&*folder))));
        }
        for variable in VARIABLES.iter().take(2) {
            let named = std::env::var_os(variable).unwrap_or_default();
            let named = std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty());
            folders.extend(named.map(|path| absolute(&self.folder, &path)));
        }
        folders
    }
}

/// A clang that has been found, and what is the same for all units.
pub(crate) struct Clang<'a> {
    program: Program,
    identity: OnceLock<Result<Vec<u8>, Failure>>,
    overlay: Option<PathBuf>,
    overrides: &'a Overrides,
    cache: &'a Cache,
    /// Holds the overlay.
    _temporary: Option<Temporary>,
}

impl<'a> Clang<'a> {
    pub(crate) fn find(
        tools: &Tools,
        overrides: &'a Overrides,
        cache: &'a Cache,
    ) -> Result<Self, Failure> {
        let program = tools.find_clang()?;
        let temporary = if overrides.is_empty() { None } else { Some(Temporary::new()?) };
        let overlay = match &temporary {
            Some(folder) => overrides.overlay(folder.path())?,
            None => None,
        };
        let identity = OnceLock::new();
        Ok(Self { program, identity, overlay, overrides, cache, _temporary: temporary })
    }

    /// The module of one source, and what it depends on.
    pub(crate) fn compile(&self, unit: &Unit) -> Result<(Module, Compilation), Failure> {
        if let Some(reason) = unit.for_another_machine() {
            return Err(Failure::Unsupported { path: unit.source.clone(), reason });
        }
        let arguments = self.arguments(unit);
        let identity =
            self.identity.get_or_init(|| self.ask(&unit.folder)).as_ref().map_err(Clone::clone)?;
        let mut command = vec![identity.as_slice()];
        command.extend(arguments.iter().map(|word| word.as_encoded_bytes()));
        let variables = VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default());
        command.extend(variables.iter().map(|value| value.as_encoded_bytes()));
        let (folder, source) = (unit.folder.as_path(), unit.source.as_path());
        let search = unit.search();
        let question = Question { command, folder, source, search, overrides: self.overrides };
        let mut compilation = self.cache.fetch(&question, || self.run(unit, &arguments))?;
        let module = Module {
            name: unit.name.clone(),
            language: Language::C,
            source: Some(unit.source.clone()),
            directory: unit.folder.clone(),
            text: std::mem::take(&mut compilation.text),
        };
        Ok((module, compilation))
    }

    /// What tells one clang from another, with the files from which it takes flags. Without a cache
    /// nobody wants to know.
    fn ask(&self, folder: &Path) -> Result<Vec<u8>, Failure> {
        if *self.cache == Cache::Off {
            return Ok(Vec::new());
        }
        let about = self.program.identity("--version", folder)?;
        let files = about.lines().filter_map(|line| line.strip_prefix(CONFIGURATION));
        let files: Vec<Vec<u8>> = files.filter_map(|file| std::fs::read(file).ok()).collect();
        Ok([about.as_bytes(), &files.concat()].concat())
    }

    /// All flags but those that name files of ours.
    fn arguments(&self, unit: &Unit) -> Vec<OsString> {
        let mut arguments = Vec::new();
        if std::env::consts::ARCH != "x86_64" {
            arguments.push("--target=x86_64-linux-gnu".into());
        }
        arguments.extend(FLAGS.map(OsString::from));
        if unit.accepted {
            arguments.extend(LENIENT.map(OsString::from));
        }
        if is_zig(&self.program) {
            arguments.push("-fno-sanitize=undefined".into());
        }
        arguments.extend(unit.flags.iter().cloned());
        arguments
    }

    fn run(&self, unit: &Unit, arguments: &[OsString]) -> Result<Compilation, Failure> {
        let folder = Temporary::new()?;
        let (ir, rule) = (folder.path().join("module.ll"), folder.path().join("module.d"));
        let command = || {
            let mut command = self.program.command(&unit.folder);
            command.args(arguments).env_remove(FLAGS_OF_ENVIRONMENT);
            if let Some(overlay) = &self.overlay {
                command.arg("-ivfsoverlay").arg(overlay);
            }
            command
        };
        let mut compiler = command();
        if is_zig(&self.program) {
            // Asked for both at once, zig (0.17) writes only the rule.
            run(command().args(["-M", "-MF"]).arg(&rule).arg(&unit.source))?;
        } else {
            compiler.args(["-MD", "-MF"]).arg(&rule);
        }
        run(compiler.arg("-o").arg(&ir).arg(&unit.source))?;
        let compilation = compilation(&ir, &rule, &unit.name)?;
        self.refuse_openmp(unit, &compilation.dependencies)?;
        Ok(compilation)
    }

    /// Without OpenMP its pragmas are nothing, and the program is not the one that was meant. Where a
    /// text looks as if there were some, clang is asked whether they count.
    fn refuse_openmp(&self, unit: &Unit, read: &Dependencies) -> Result<(), Failure> {
        let speaks_of_it = |file: &String| {
            let path = absolute(&unit.folder, Path::new(file));
            let own = self.overrides.of(&path).map(<[u8]>::to_vec);
            let text = own.or_else(|| std::fs::read(path).ok()).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let mut pragmas = text.split("ragma").skip(1);
            pragmas.any(|rest| rest.trim_start_matches([' ', '\t', '(', '"']).starts_with("omp"))
        };
        if !read.files.iter().any(speaks_of_it) {
            return Ok(());
        }
        let mut command = self.program.command(&unit.folder);
        command.args(OPENMP).args(&unit.flags);
        if let Some(overlay) = &self.overlay {
            command.arg("-ivfsoverlay").arg(overlay);
        }
        run(command.arg(&unit.source)).map(drop).map_err(with_advice)
    }
}

/// Of a text that is not there to its end.
pub(crate) const CUT_OFF: &str =
    "the text ends too early; is a disk full, or was the compiler ended?";

/// What a compiler has written into two files.
pub(crate) fn compilation(ir: &Path, rule: &Path, name: &str) -> Result<Compilation, Failure> {
    let nothing = |reason| Failure::Nothing { of: name.to_owned(), reason };
    if !ir.is_file() {
        return Err(nothing("is there a flag that asks the compiler for something else?"));
    }
    let text = read_text(ir)?;
    if text.trim().is_empty() {
        return Err(nothing("the file that the compiler wrote is empty"));
    }
    if !is_whole(&text) {
        return Err(nothing(CUT_OFF));
    }
    let dependencies = Dependencies::parse(&read_text(rule)?);
    Ok(Compilation { text, dependencies, entry: None })
}

/// What to do about an error that is ours and not the program's.
fn with_advice(mut failure: Failure) -> Failure {
    if let Failure::Compiler { message, .. } = &mut failure {
        message.push_str(
            "\nhelp: what OpenMP makes parallel is not understood; create the threads with pthreads or \
             C11 threads, or pass `-- -Wno-source-uses-openmp` to check the program without them\n",
        );
    }
    failure
}
