//! One Rust file, with the modules beside it, to LLVM IR.
//!
//! - `-C no-prepopulate-passes -C opt-level=0`: the IR as rustc first writes it. A call of
//!   `AtomicI32::store(…, Release)` stays a call with the ordering as a constant, at the place where
//!   the author wrote it; inlined, it would be a switch over all orderings.
//! - `-C symbol-mangling-version=v0`: names from which paths, types and closures can be read back.
//! - `-C codegen-units=1`: one module per crate. `-g`: lines and columns.
//! - `-C debug-assertions=off -C overflow-checks=off`: no checks that are not in the source.
//!   `-C panic=abort`: a panic is an end and not a second way through all functions.
//! - `-C link-dead-code=yes` for a library: also functions marked `#[inline]`, which otherwise only
//!   their users compile.
//! - `--cap-lints=allow`: warnings, and lints that the author turned into errors, are for the
//!   author's build.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cache::{Cache, Compilation, Question};
use crate::clang::compilation;
use crate::mirror::Mirror;
use crate::overrides::Overrides;
use crate::place::{absolute, read_text, temporary_folder};
use crate::process::{Program, run};
use crate::tools::Tools;
use crate::{Failure, Language, Module};

/// Flags for every crate, of a package too.
pub(crate) const FLAGS: [&str; 8] = [
    "-Cno-prepopulate-passes",
    "-Copt-level=0",
    "-Csymbol-mangling-version=v0",
    "-Ccodegen-units=1",
    "-Cdebug-assertions=off",
    "-Coverflow-checks=off",
    "-Cdebuginfo=2",
    "--cap-lints=allow",
];

/// The flag for the library that is analysed.
pub(crate) const WHOLE_LIBRARY: &str = "-Clink-dead-code=yes";

/// The edition of a single file if no flag says one.
const EDITION: &str = "2021";

/// What rustc says about a program without `main`.
const NO_MAIN: &str = "E0601";

/// Compiles one file in `folder`; what it depends on is returned too.
pub(crate) fn compile(
    source: &Path,
    folder: &Path,
    flags: &[String],
    tools: &Tools,
    overrides: &Overrides,
    cache: &Cache,
) -> Result<(Module, Compilation), Failure> {
    let rustc = Rustc { program: tools.find_rustc()?, folder, flags, overrides, cache };
    let source = absolute(folder, source);
    let mut compilation = if says(flags, "--crate-type") {
        rustc.fetch(&source, &[])
    } else {
        // Only rustc knows whether there is a `main`: it may come from a macro or by `use`.
        match rustc.fetch(&source, &["--crate-type=bin"]) {
            Err(Failure::Compiler { message, .. }) if message.contains(NO_MAIN) => {
                rustc.fetch(&source, &["--crate-type=lib", WHOLE_LIBRARY])
            }
            other => other,
        }
    }?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::mem::take(&mut compilation.text);
    let directory = folder.to_owned();
    let module = Module { name, language: Language::Rust, source: Some(source), directory, text };
    Ok((module, compilation))
}

/// Whether a flag is given, in either of its forms.
fn says(flags: &[String], flag: &str) -> bool {
    flags.iter().any(|word| {
        word.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

struct Rustc<'a> {
    program: Program,
    folder: &'a Path,
    flags: &'a [String],
    overrides: &'a Overrides,
    cache: &'a Cache,
}

impl Rustc<'_> {
    fn fetch(&self, source: &Path, kind: &[&str]) -> Result<Compilation, Failure> {
        let arguments = self.arguments(kind);
        // Compiled crates are not among the dependencies that rustc names.
        if says(self.flags, "--extern") || self.flags.iter().any(|flag| flag.starts_with("-L")) {
            return self.run(source, &arguments);
        }
        let identity = self.program.identity("-vV", self.folder)?;
        let mut command = vec![identity.as_bytes(), source.as_os_str().as_encoded_bytes()];
        command.extend(arguments.iter().map(|word| word.as_encoded_bytes()));
        let question = Question { command, folder: self.folder, overrides: self.overrides };
        self.cache.fetch(&question, || self.run(source, &arguments))
    }

    fn arguments(&self, kind: &[&str]) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        if !says(self.flags, "--edition") {
            arguments.push(format!("--edition={EDITION}").into());
        }
        if std::env::consts::ARCH != "x86_64" && !says(self.flags, "--target") {
            arguments.push("--target=x86_64-unknown-linux-gnu".into());
        }
        arguments.extend(self.flags.iter().map(OsString::from));
        arguments.extend(kind.iter().map(OsString::from));
        arguments.extend(FLAGS.map(OsString::from));
        arguments.push("-Cpanic=abort".into());
        arguments
    }

    fn run(&self, source: &Path, arguments: &[OsString]) -> Result<Compilation, Failure> {
        let folder = temporary_folder()?;
        let (ir, rule) = (folder.path().join("module.ll"), folder.path().join("module.d"));
        let mut command = self.program.command(self.folder);
        command.args(arguments);
        command.arg(emit(&ir, &rule));
        if self.overrides.is_empty() {
            command.arg(source);
            run(&mut command)?;
            return compilation(&ir, &rule, &source.to_string_lossy());
        }
        let mirror = Mirror::new(folder.path().join("mirror"));
        for file in self.read_by_original(source, arguments, folder.path())? {
            mirror.copy_file(&absolute(self.folder, &file), self.overrides)?;
        }
        mirror.write_overrides(self.overrides)?;
        command.arg(mirror.remapping());
        command.arg(mirror.place_of(source));
        run(&mut command)?;
        let mut compilation = compilation(&ir, &rule, &source.to_string_lossy())?;
        for file in &mut compilation.dependencies.files {
            if let Some(original) = mirror.original_of(Path::new(&*file)) {
                *file = original.to_string_lossy().into_owned();
            }
        }
        Ok(compilation)
    }

    /// The files of the program as it is without other texts: what may have to be copied.
    fn read_by_original(
        &self,
        source: &Path,
        arguments: &[OsString],
        folder: &Path,
    ) -> Result<Vec<PathBuf>, Failure> {
        let rule = folder.join("original.d");
        let mut command = self.program.command(self.folder);
        let mut emit = OsString::from("--emit=dep-info=");
        emit.push(&rule);
        command.args(arguments).arg(emit).arg(source);
        run(&mut command)?;
        let dependencies = crate::dependencies::Dependencies::parse(&read_text(&rule)?);
        Ok(dependencies.files.into_iter().map(PathBuf::from).collect())
    }
}

fn emit(ir: &Path, rule: &Path) -> OsString {
    let mut flag = OsString::from("--emit=llvm-ir=");
    flag.push(ir);
    flag.push(",dep-info=");
    flag.push(rule);
    flag
}
