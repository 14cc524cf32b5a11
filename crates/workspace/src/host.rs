//! The world outside of a workspace: files, compilers, Spin.
//!
//! Everything that a [`crate::Workspace`] reads or starts goes through [`Host`], so that a test, an editor
//! or a page in a browser can do without a file system and without processes.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use compiler::{Cache, Compiled, Input, Request, Tools};
use confirm::{Counted, How, Seen, Test};
use program::Program;

/// What a workspace needs of the world outside. All but files can be left out: then there is none.
pub trait Host {
    /// The bytes of a file; of `-`, those of standard input.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>>;

    /// Whether a path leads to a folder.
    fn is_folder(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// The folder from which relative paths are meant, if there is one.
    fn current_folder(&self) -> Option<PathBuf> {
        None
    }

    /// What a path is for a compiler: a file, a package, a recording of a build.
    fn compiler_input(&self, path: &Path) -> Result<Input, compiler::Failure> {
        Err(no_compiler(path))
    }

    /// The compilers that are used, unless others are named.
    fn tools(&self) -> Tools {
        Tools::default()
    }

    /// Where compiled files are kept, unless that is not wanted.
    fn cache(&self) -> Cache {
        Cache::Off
    }

    /// Compiles to LLVM IR.
    fn compile(&self, request: &Request) -> Result<Compiled, compiler::Failure> {
        Err(no_compiler(&request.directory))
    }

    /// Asks Spin.
    fn spin(
        &self,
        program: &Program,
        query: &spin::Query,
        options: &spin::Options,
    ) -> Result<spin::Answer, spin::Failure> {
        let _ = (program, query, options);
        let error = Error::new(ErrorKind::Unsupported, "there are no processes here");
        Err(spin::Failure::Missing { command: "spin", error })
    }

    /// Runs a test on the machine.
    fn run_test(
        &self,
        program: &Program,
        test: &Test,
        how: &How,
    ) -> Result<Seen, confirm::Failure> {
        let _ = (program, test, how);
        Err(confirm::Failure::OtherMachine)
    }

    /// Runs a program in C as its compiler makes it.
    fn run_as_compiled(
        &self,
        files: &[PathBuf],
        flags: &[String],
        how: &How,
    ) -> Result<Counted, confirm::Failure> {
        let _ = (files, flags, how);
        Err(confirm::Failure::OtherMachine)
    }
}

/// The machine that we run on.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Host for System {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            return std::io::stdin().read_to_end(&mut bytes).map(|_| bytes);
        }
        std::fs::read(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn current_folder(&self) -> Option<PathBuf> {
        std::env::current_dir().ok()
    }

    fn compiler_input(&self, path: &Path) -> Result<Input, compiler::Failure> {
        Input::of(path)
    }

    fn tools(&self) -> Tools {
        Tools::from_environment()
    }

    fn cache(&self) -> Cache {
        Cache::usual()
    }

    fn compile(&self, request: &Request) -> Result<Compiled, compiler::Failure> {
        compiler::compile(request)
    }

    fn spin(
        &self,
        program: &Program,
        query: &spin::Query,
        options: &spin::Options,
    ) -> Result<spin::Answer, spin::Failure> {
        spin::reach(program, query, options)
    }

    fn run_test(
        &self,
        program: &Program,
        test: &Test,
        how: &How,
    ) -> Result<Seen, confirm::Failure> {
        confirm::run(program, test, how)
    }

    fn run_as_compiled(
        &self,
        files: &[PathBuf],
        flags: &[String],
        how: &How,
    ) -> Result<Counted, confirm::Failure> {
        confirm::run_as_compiled(files, flags, how)
    }
}

/// Texts in memory, and nothing else: no files, no compilers, no Spin.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl InMemory {
    /// Nothing at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more file.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), content.into());
        self
    }
}

impl Host for InMemory {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let missing = || Error::new(ErrorKind::NotFound, "there is no such text");
        self.files.get(path).cloned().ok_or_else(missing)
    }
}

fn no_compiler(path: &Path) -> compiler::Failure {
    let reason = "there is no compiler here; programs in C, Rust and LLVM IR need one";
    compiler::Failure::Unsupported { path: path.to_owned(), reason }
}
