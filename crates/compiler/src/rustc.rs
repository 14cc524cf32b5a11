//! One Rust file, with the modules beside it, to LLVM IR.
//!
//! - `-C no-prepopulate-passes -C opt-level=0`: the IR as rustc first writes it. A call of
//!   `AtomicI32::store(…, Release)` stays a call with the ordering as a constant, at the place where
//!   the author wrote it; inlined, it would be a switch over all orderings.
//! - `-C symbol-mangling-version=v0`: names from which paths, types and closures can be read back.
//! - `-C codegen-units=1`: one module per crate. `-g`: lines and columns.
//! - `-C debug-assertions -C overflow-checks`, on or off: as Cargo's profiles have them, so that a
//!   program is checked as `cargo run` builds it, or `cargo run --release`. Flags of the user come
//!   after these.
//! - `-C panic=abort`: a panic is an end and not a second way through all functions.
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
use crate::place::{Temporary, absolute, read_text};
use crate::process::{Program, run};
use crate::{Failure, Language, Module, Request};

/// Flags for every crate, of a package too.
pub(crate) const FLAGS: [&str; 6] = [
    "-Cno-prepopulate-passes",
    "-Copt-level=0",
    "-Csymbol-mangling-version=v0",
    "-Ccodegen-units=1",
    "-Cdebuginfo=2",
    "--cap-lints=allow",
];

/// The checks of a single file, before the flags of the user.
const CHECKED: [&str; 2] = ["-Cdebug-assertions=on", "-Coverflow-checks=on"];
const UNCHECKED: [&str; 2] = ["-Cdebug-assertions=off", "-Coverflow-checks=off"];

/// The flag for the library that is analysed.
pub(crate) const WHOLE_LIBRARY: &str = "-Clink-dead-code=yes";

/// The edition of a single file if no flag says one.
const EDITION: u32 = 2021;

/// What rustc says about a program without `main`.
const NO_MAIN: &str = "E0601";

/// Compiles one file in `folder`; what it depends on is returned too.
pub(crate) fn compile(
    source: &Path,
    folder: &Path,
    request: &Request,
    overrides: &Overrides,
) -> Result<(Module, Compilation), Failure> {
    let Request { flags, release, cache, .. } = request;
    let program = request.tools.find_rustc()?;
    let rustc = Rustc { program, folder, flags, release: *release, overrides, cache };
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
    let edition = edition_of(flags);
    let language = Language::Rust { edition };
    let module = Module { name, language, source: Some(source), directory, text };
    Ok((module, compilation))
}

/// The edition that flags ask for.
fn edition_of(flags: &[String]) -> Option<u32> {
    let operands = flags.iter().skip(1).map(Some).chain([None]);
    let mut said = flags.iter().zip(operands).filter_map(|(word, next)| {
        match word.strip_prefix("--edition")? {
            "" => next.map(String::as_str),
            attached => attached.strip_prefix('='),
        }
    });
    said.next().map_or(Some(EDITION), |edition| edition.parse().ok())
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
    release: bool,
    overrides: &'a Overrides,
    cache: &'a Cache,
}

impl Rustc<'_> {
    fn fetch(&self, source: &Path, kind: &[&str]) -> Result<Compilation, Failure> {
        let arguments = self.arguments(kind);
        // Compiled crates are not among the dependencies that rustc names.
        let is_linked = ["--extern", "--sysroot"].iter().any(|flag| says(self.flags, flag))
            || self.flags.iter().any(|flag| flag.starts_with("-L"));
        let cache = if is_linked { &Cache::Off } else { self.cache };
        let identity = match cache {
            Cache::Off => String::new(),
            Cache::In { .. } => self.program.identity("-vV", self.folder)?,
        };
        let unstable = std::env::var_os("RUSTC_BOOTSTRAP").unwrap_or_default();
        let mut command = vec![identity.as_bytes(), unstable.as_encoded_bytes()];
        command.extend(arguments.iter().map(|word| word.as_encoded_bytes()));
        let (folder, overrides) = (self.folder, self.overrides);
        let question = Question { command, folder, source, search: Vec::new(), overrides };
        cache.fetch(&question, || self.run(source, &arguments))
    }

    fn arguments(&self, kind: &[&str]) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        if !says(self.flags, "--edition") {
            arguments.push(format!("--edition={EDITION}").into());
        }
        if std::env::consts::ARCH != "x86_64" && !says(self.flags, "--target") {
            arguments.push("--target=x86_64-unknown-linux-gnu".into());
        }
        arguments.extend(FLAGS.map(OsString::from));
        let checks = if self.release { UNCHECKED } else { CHECKED };
        arguments.extend(checks.map(OsString::from));
        arguments.push("-Cpanic=abort".into());
        arguments.extend(kind.iter().map(OsString::from));
        arguments.extend(self.flags.iter().map(OsString::from));
        arguments
    }

    fn run(&self, source: &Path, arguments: &[OsString]) -> Result<Compilation, Failure> {
        let folder = Temporary::new()?;
        let (ir, rule) = (folder.path().join("module.ll"), folder.path().join("module.d"));
        let mut command = self.program.command(self.folder);
        command.args(arguments);
        command.arg(emit(&ir, &rule));
        // rustc writes the IR under a name of its own first. That file lies in the folder it runs in, where
        // another rustc writes to the same one, unless it is told another folder.
        command.arg("--out-dir").arg(folder.path());
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
