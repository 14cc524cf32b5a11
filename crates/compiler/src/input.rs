//! What can be compiled, and recognising it.

use std::path::{Path, PathBuf};

use crate::Failure;

/// Something that LLVM IR is wanted of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A C source.
    C(PathBuf),
    /// The root of a Rust program or library in one file, or with `mod` files beside it.
    Rust(PathBuf),
    /// LLVM IR as text.
    Llvm(PathBuf),
    /// A Cargo package.
    Package(Package),
    /// A list of compilations, `compile_commands.json`.
    Database(Database),
    /// What a compiler wrapper has recorded.
    Recording(Recording),
}

/// A target of a Cargo package, with the features it is compiled with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The `Cargo.toml`.
    pub manifest: PathBuf,
    /// The package of a workspace, if it is not that of the manifest.
    pub package: Option<String>,
    /// What is compiled; otherwise its only program, or its library.
    pub target: Option<Target>,
    /// Whether the target is compiled with the tests in it, and their harness.
    pub unit_tests: bool,
    /// Features to turn on.
    pub features: Vec<String>,
    /// Whether the default features stay on.
    pub default_features: bool,
}

/// A target of a Cargo package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The library.
    Lib,
    /// A program.
    Bin(String),
    /// An example.
    Example(String),
    /// An integration test.
    Test(String),
}

/// A list of compilations, in Clang's JSON format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// The JSON file.
    pub path: PathBuf,
    /// The sources to compile; all if there is none.
    pub files: Vec<PathBuf>,
}

/// What [`crate::record`] has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The folder.
    pub folder: PathBuf,
    /// The executable or library whose objects are wanted; all objects if none is named.
    pub program: Option<String>,
}

impl Input {
    /// Recognises what a path, as seen from the current folder of the process, is.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        let about = path.metadata().map_err(|error| Failure::io("read", path, &error))?;
        let owned = path.to_owned();
        if about.is_dir() {
            return Self::of_folder(path);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let unsupported = |reason| Err(Failure::Unsupported { path: path.to_owned(), reason });
        match (&*name, &*extension) {
            ("Cargo.toml", _) => Ok(Self::Package(Package::of(owned))),
            ("compile_commands.json", _) => Ok(Self::Database(Database::of(owned))),
            (_, "c" | "i") => Ok(Self::C(owned)),
            (_, "rs") => Ok(Self::Rust(owned)),
            (_, "ll") => Ok(Self::Llvm(owned)),
            (_, "bc") => unsupported("LLVM bitcode is not read; make text of it with llvm-dis"),
            (_, "h") => unsupported("a header is not a program; name a .c file that includes it"),
            _ if is_cpp(path) => unsupported("C++ is not supported"),
            _ => Err(Failure::UnknownKind(owned)),
        }
    }

    fn of_folder(folder: &Path) -> Result<Self, Failure> {
        let has = |name| folder.join(name).is_file();
        if has(crate::recording::INDEX) {
            return Ok(Self::Recording(Recording { folder: folder.to_owned(), program: None }));
        }
        if has("Cargo.toml") {
            return Ok(Self::Package(Package::of(folder.join("Cargo.toml"))));
        }
        if has("compile_commands.json") {
            return Ok(Self::Database(Database::of(folder.join("compile_commands.json"))));
        }
        Err(Failure::UnknownKind(folder.to_owned()))
    }
}

impl Package {
    /// The package of a manifest, as Cargo compiles it without options.
    pub fn of(manifest: PathBuf) -> Self {
        let features = Vec::new();
        Self {
            manifest,
            package: None,
            target: None,
            unit_tests: false,
            features,
            default_features: true,
        }
    }
}

impl Database {
    /// All entries of a file.
    pub fn of(path: PathBuf) -> Self {
        Self { path, files: Vec::new() }
    }
}

/// Whether a file is C++ by its name.
pub(crate) fn is_cpp(path: &Path) -> bool {
    let extension = path.extension().and_then(|text| text.to_str()).unwrap_or_default();
    let endings =
        ["cc", "cpp", "cxx", "c++", "cp", "C", "CPP", "ii", "hpp", "hh", "hxx", "h++", "H"];
    endings.contains(&extension)
}
