//! C to LLVM IR.
//!
//! What is analysed are the accesses as they are written, so nothing may be optimised away, moved
//! or merged before we see it, and every access must know its place in the source. The flags:
//!
//! - `-S -emit-llvm`: IR as text.
//! - `-O0`, after the user's flags: no optimisation. `-Xclang -disable-llvm-passes`: not even the
//!   one pass that `-O0` runs, which puts `always_inline` functions into their callers and so takes
//!   their accesses out of the function they are written in. `-Xclang -disable-O0-optnone`: who runs
//!   LLVM's own passes on the IR for comparison, can.
//! - `-g -gcolumn-info`: lines and columns, also where columns are not the default.
//! - `-fno-discard-value-names`: values are called as the variables they hold, for witnesses.
//! - `-w`: warnings are for the author's build. A failure shows errors alone.
//! - `-D__FENCEWRIGHT__=1`: a source can know that it is being analysed.
//!
//! Left alone on purpose: `-fno-builtin` would turn the intrinsics for `memcpy` and `memset`, whose
//! accesses are known, into calls; stack protectors, `-fno-inline` and `_FORTIFY_SOURCE` change
//! nothing at `-O0`; `NDEBUG` is the author's decision, since assertions are what is checked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cache::{Cache, Compilation, Question};
use crate::dependencies::Dependencies;
use crate::overrides::Overrides;
use crate::place::{read_text, temporary_folder};
use crate::process::{Program, run};
use crate::tools::{Tools, is_zig};
use crate::{Failure, Language, Module};

/// Our flags, after those of the user.
const FLAGS: [&str; 12] = [
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

/// Variables that tell clang where to look for headers.
const VARIABLES: [&str; 4] = ["CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"];

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

/// A clang that has been found, and what is the same for all units.
pub(crate) struct Clang<'a> {
    program: Program,
    identity: OnceLock<Result<String, Failure>>,
    overlay: Option<PathBuf>,
    overrides: &'a Overrides,
    cache: &'a Cache,
    /// Holds the overlay.
    _temporary: Option<tempfile::TempDir>,
}

impl<'a> Clang<'a> {
    pub(crate) fn find(
        tools: &Tools,
        overrides: &'a Overrides,
        cache: &'a Cache,
    ) -> Result<Self, Failure> {
        let program = tools.find_clang()?;
        let temporary = if overrides.is_empty() { None } else { Some(temporary_folder()?) };
        let overlay = match &temporary {
            Some(folder) => overrides.overlay(folder.path())?,
            None => None,
        };
        let identity = OnceLock::new();
        Ok(Self { program, identity, overlay, overrides, cache, _temporary: temporary })
    }

    /// The module of one source, and what it depends on.
    pub(crate) fn compile(&self, unit: &Unit) -> Result<(Module, Compilation), Failure> {
        let arguments = self.arguments(unit);
        let mut compilation = match self.cache {
            Cache::Off => self.run(unit, &arguments),
            Cache::In { .. } => self.fetch(unit, &arguments),
        }?;
        let module = Module {
            name: unit.name.clone(),
            language: Language::C,
            source: Some(unit.source.clone()),
            directory: unit.folder.clone(),
            text: std::mem::take(&mut compilation.text),
        };
        Ok((module, compilation))
    }

    fn fetch(&self, unit: &Unit, arguments: &[OsString]) -> Result<Compilation, Failure> {
        let identity = self
            .identity
            .get_or_init(|| self.program.identity("--version", &unit.folder))
            .as_ref()
            .map_err(Clone::clone)?;
        let mut command = vec![identity.as_bytes(), unit.source.as_os_str().as_encoded_bytes()];
        command.extend(arguments.iter().map(|word| word.as_encoded_bytes()));
        let variables = VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default());
        command.extend(variables.iter().map(|value| value.as_encoded_bytes()));
        let question = Question { command, folder: &unit.folder, overrides: self.overrides };
        self.cache.fetch(&question, || self.run(unit, arguments))
    }

    /// All flags but those that name files of ours.
    fn arguments(&self, unit: &Unit) -> Vec<OsString> {
        let mut arguments = Vec::new();
        if std::env::consts::ARCH != "x86_64" {
            arguments.push("--target=x86_64-linux-gnu".into());
        }
        arguments.extend(unit.flags.iter().cloned());
        arguments.extend(FLAGS.map(OsString::from));
        if unit.accepted {
            arguments.extend(LENIENT.map(OsString::from));
        }
        if is_zig(&self.program) {
            arguments.push("-fno-sanitize=undefined".into());
        }
        arguments
    }

    fn run(&self, unit: &Unit, arguments: &[OsString]) -> Result<Compilation, Failure> {
        let folder = temporary_folder()?;
        let (ir, rule) = (folder.path().join("module.ll"), folder.path().join("module.d"));
        let command = || {
            let mut command = self.program.command(&unit.folder);
            command.args(arguments);
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
        compilation(&ir, &rule, &unit.name)
    }
}

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
    let dependencies = Dependencies::parse(&read_text(rule)?);
    Ok(Compilation { text, dependencies, reused: false })
}
