//! Which compiler is used.
//!
//! The user's own, since it reads the user's headers and dialect as the user's build does. What is
//! named explicitly is used or fails; only without a name is something looked for. `zig cc` is a
//! complete clang in a package that needs no root, so it is better than nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::process::{Program, on_path};

/// The newest and the oldest clang whose IR has been tried.
const CLANG_VERSIONS: std::ops::RangeInclusive<u32> = 14..=22;

/// The compilers that are named explicitly, and where the others are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tools {
    /// The clang to use.
    pub clang: Option<PathBuf>,
    /// The rustc to use.
    pub rustc: Option<PathBuf>,
    /// The cargo to use.
    pub cargo: Option<PathBuf>,
    /// The folders in which compilers are looked for, in the form of `PATH`.
    pub path: OsString,
}

impl Tools {
    /// What the environment says: `PATH`, `FENCEWRIGHT_CLANG`, `FENCEWRIGHT_RUSTC` and `CARGO`.
    pub fn from_environment() -> Self {
        let named = |variable| {
            std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        Self {
            clang: named("FENCEWRIGHT_CLANG"),
            rustc: named("FENCEWRIGHT_RUSTC"),
            cargo: named("CARGO"),
            path: std::env::var_os("PATH").unwrap_or_default(),
        }
    }

    /// The clang to use, or a program that behaves as one.
    pub(crate) fn find_clang(&self) -> Result<Program, Failure> {
        if let Some(clang) = &self.clang {
            return Ok(Program::alone(clang.clone()));
        }
        let mut names = vec!["clang".to_owned()];
        names.extend(CLANG_VERSIONS.rev().map(|version| format!("clang-{version}")));
        if let Some(path) = names.iter().find_map(|name| on_path(name, &self.path)) {
            return Ok(Program::alone(path));
        }
        if let Some(path) = on_path("zig", &self.path) {
            return Ok(Program { path, leading: vec!["cc"] });
        }
        if let Some(path) = on_path("python3", &self.path) {
            let program = Program { path, leading: vec!["-m", "ziglang", "cc"] };
            if program.identity("--version", Path::new(".")).is_ok() {
                return Ok(program);
            }
        }
        names.extend(["zig cc", "python3 -m ziglang cc"].map(str::to_owned));
        Err(Failure::NoCompiler {
            tool: "clang",
            tried: names,
            advice: "install it (apt-get install clang), name it by FENCEWRIGHT_CLANG, \
                     or give LLVM IR in .ll files",
        })
    }

    /// The rustc to use.
    pub(crate) fn find_rustc(&self) -> Result<Program, Failure> {
        self.find("rustc", self.rustc.as_ref())
    }

    /// The cargo to use.
    pub(crate) fn find_cargo(&self) -> Result<Program, Failure> {
        self.find("cargo", self.cargo.as_ref())
    }

    fn find(&self, name: &'static str, named: Option<&PathBuf>) -> Result<Program, Failure> {
        named.cloned().or_else(|| on_path(name, &self.path)).map(Program::alone).ok_or_else(|| {
            Failure::NoCompiler {
                tool: name,
                tried: vec![name.to_owned()],
                advice: "install Rust (https://rustup.rs) or name it by FENCEWRIGHT_RUSTC and CARGO",
            }
        })
    }
}

/// Whether a program that behaves as clang is zig, which checks more at run time unless told not to.
pub(crate) fn is_zig(program: &Program) -> bool {
    program.leading.last() == Some(&"cc")
}
