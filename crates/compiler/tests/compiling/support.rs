//! A folder with files for one test.

use std::path::{Path, PathBuf};

use compiler::{Cache, Compiled, Failure, Input, Module, Request, Tools, compile};
use tempfile::TempDir;

/// A folder that is removed after the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().expect("a temporary folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("it exists")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// A request for inputs in this folder, without a cache.
    pub(crate) fn request(&self, inputs: &[&str]) -> Request {
        let recognise = |name: &&str| Input::of(&self.file(name)).expect("an input");
        Request {
            inputs: inputs
                .iter()
                .map(recognise)
                .map(|input| relative(input, &self.path()))
                .collect(),
            flags: Vec::new(),
            directory: self.path(),
            tools: Tools::from_environment(),
            release: false,
            overrides: Vec::new(),
            cache: Cache::Off,
        }
    }
}

/// The input as it is called from its folder.
fn relative(input: Input, folder: &Path) -> Input {
    let short = |path: PathBuf| path.strip_prefix(folder).map_or(path.clone(), Path::to_owned);
    match input {
        Input::C(path) => Input::C(short(path)),
        Input::Rust(path) => Input::Rust(short(path)),
        Input::Llvm(path) => Input::Llvm(short(path)),
        other @ (Input::Package(_) | Input::Database(_) | Input::Recording(_)) => other,
    }
}

pub(crate) fn compiled(request: &Request) -> Compiled {
    let compiled = compile(request).unwrap_or_else(|failure| panic!("{failure}"));
    compiled.keep();
    compiled
}

pub(crate) fn failure(request: &Request) -> Failure {
    compile(request).expect_err("a failure")
}

/// The names of modules, in order.
pub(crate) fn names(modules: &[Module]) -> Vec<&str> {
    modules.iter().map(|module| module.name.as_str()).collect()
}

/// The lines of a module that define something and have this in them.
pub(crate) fn definitions<'a>(module: &'a Module, part: &str) -> Vec<&'a str> {
    let is_definition = |line: &&str| line.starts_with('@') || line.starts_with("define ");
    module.text.lines().filter(is_definition).filter(|line| line.contains(part)).collect()
}
