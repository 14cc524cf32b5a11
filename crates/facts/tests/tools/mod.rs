//! Modules that real compilers make of small texts, and the facts of them.
#![allow(dead_code, reason = "each test uses some of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use facts::{Facts, Options};
use linkage::{Library, Linked, Texts};
use llvm::Module;

/// A directory that goes when the test is over.
pub(crate) struct Workshop(PathBuf);

impl Workshop {
    pub(crate) fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("facts-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory for temporary files");
        Self(directory)
    }

    /// What clang makes of a C text.
    pub(crate) fn c(&self, name: &str, text: &str) -> Module {
        let source = self.0.join(name);
        fs::write(&source, text).expect("a temporary file");
        let mut clang = Command::new("clang");
        clang.args(["-S", "-emit-llvm", "-O0", "-Xclang", "-disable-O0-optnone", "-g", "-w"]);
        clang.args(["-fno-discard-value-names", "-o"]);
        compiled(clang, &source, text)
    }

    /// What rustc makes of a Rust text: with the flags of crate `compiler`.
    pub(crate) fn rust(&self, name: &str, text: &str, kind: &str) -> Module {
        let source = self.0.join(name);
        fs::write(&source, text).expect("a temporary file");
        let mut rustc = Command::new("rustc");
        rustc.args(["--emit=llvm-ir", "-Cno-prepopulate-passes", "-Copt-level=0"]);
        rustc.args(["-Csymbol-mangling-version=v0", "-Ccodegen-units=1", "-Cdebuginfo=2"]);
        rustc.args(["-Cpanic=abort", "--cap-lints=allow", "--edition=2021", "--crate-type", kind]);
        rustc.args(["-Clink-dead-code=no", "-o"]);
        compiled(rustc, &source, text)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What is left in the directory for temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn compiled(mut compiler: Command, source: &Path, text: &str) -> Module {
    let output = source.with_extension("ll");
    let ran = compiler.arg(&output).arg(source).output();
    let name = compiler.get_program().display().to_string();
    let ran = ran.unwrap_or_else(|error| panic!("install {name}: {error}"));
    assert!(ran.status.success(), "{}\n{text}", String::from_utf8_lossy(&ran.stderr));
    let ir = fs::read_to_string(output).expect("the compiler wrote it");
    llvm::parse(&ir).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// One text by the name of its file.
pub(crate) struct Named<'t>(pub(crate) &'t str, pub(crate) &'t str);

impl Texts for Named<'_> {
    fn text(&mut self, file: &str) -> Option<(String, String, patch::Language)> {
        let is_it = file.rsplit('/').next() == Some(self.0);
        let is_rust = std::path::Path::new(self.0).extension().is_some_and(|end| end == "rs");
        let language = if is_rust {
            patch::Language::Rust(patch::Edition::UpTo2021)
        } else {
            patch::Language::C
        };
        is_it.then(|| (self.0.to_owned(), self.1.to_owned(), language))
    }
}

/// Asks about the facts of modules.
pub(crate) fn with_facts<R>(
    modules: &[Module],
    options: &Options,
    ask: impl FnOnce(&mut Facts<'_, '_>) -> R,
) -> R {
    let linked = Linked::new(modules).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    let library = Library::new(&options.assumed);
    let mut facts = Facts::new(&linked, &library, options)
        .unwrap_or_else(|errors| panic!("{}", errors[0].message));
    ask(&mut facts)
}
