//! The world outside of a workspace: files, compilers, Spin.
//!
//! Everything that a [`crate::Workspace`] reads or starts goes through [`Host`], so that a test, an editor
//! or a page in a browser can do without a file system and without processes. Compiling, reading and translating
//! ask it whether a limit is reached ([`Within`]); questions have limits of their own.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use analysis::{Limit, Limits, Lookout};
use compiler::{Cache, Compiled, Input, Request, Tools};
use confirm::{Counted, How, Seen, Test};
use program::Program;

/// What a workspace needs of the world outside. All but files can be left out: then there is none.
pub trait Host {
    /// The limit that keeps a program from being read, if one is reached. This is asked before every small step,
    /// and once it has named a limit, what is read comes to nothing.
    fn limit_reached(&self) -> Option<Limit> {
        None
    }

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

/// A world in which programs are read within limits, beside those that it has already; `H` leads to the world itself.
#[derive(Debug)]
pub struct Within<H> {
    host: H,
    lookout: RefCell<Lookout>,
    /// A limit stays reached, although memory is given back when work is broken off.
    reached: Cell<Option<Limit>>,
}

impl<H: Deref<Target: Host>> Within<H> {
    /// This world, as long as the limits are not reached.
    pub fn new(host: H, limits: &Limits) -> Self {
        Self { host, lookout: RefCell::new(Lookout::new(limits)), reached: Cell::new(None) }
    }
}

impl<H: Deref<Target: Host>> Host for Within<H> {
    fn limit_reached(&self) -> Option<Limit> {
        if self.reached.get().is_none() {
            let outside = self.host.limit_reached();
            self.reached.set(outside.or_else(|| self.lookout.borrow_mut().step().err()));
        }
        self.reached.get()
    }

    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.host.read(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.host.is_folder(path)
    }

    fn current_folder(&self) -> Option<PathBuf> {
        self.host.current_folder()
    }

    fn compiler_input(&self, path: &Path) -> Result<Input, compiler::Failure> {
        self.host.compiler_input(path)
    }

    fn tools(&self) -> Tools {
        self.host.tools()
    }

    fn cache(&self) -> Cache {
        self.host.cache()
    }

    fn compile(&self, request: &Request) -> Result<Compiled, compiler::Failure> {
        self.host.compile(request)
    }

    fn spin(
        &self,
        program: &Program,
        query: &spin::Query,
        options: &spin::Options,
    ) -> Result<spin::Answer, spin::Failure> {
        self.host.spin(program, query, options)
    }

    fn run_test(
        &self,
        program: &Program,
        test: &Test,
        how: &How,
    ) -> Result<Seen, confirm::Failure> {
        self.host.run_test(program, test, how)
    }

    fn run_as_compiled(
        &self,
        files: &[PathBuf],
        flags: &[String],
        how: &How,
    ) -> Result<Counted, confirm::Failure> {
        self.host.run_as_compiled(files, flags, how)
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
