//! What a workspace consists of, as Cargo says, and which of its targets is meant.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::process::{Program, run};
use crate::{Failure, Package, Target};

/// The answer of `cargo metadata`, as far as it is needed.
#[derive(Deserialize)]
pub(super) struct Workspace {
    packages: Vec<PackageAnswer>,
    #[serde(rename = "workspace_members")]
    members: Vec<String>,
    #[serde(rename = "workspace_root")]
    pub(super) root: PathBuf,
}

#[derive(Deserialize)]
struct PackageAnswer {
    id: String,
    name: String,
    manifest_path: PathBuf,
    /// Nothing for packages of this computer.
    source: Option<String>,
    targets: Vec<TargetAnswer>,
    default_run: Option<String>,
}

/// A target of a package, as Cargo describes it.
#[derive(Deserialize)]
pub(super) struct TargetAnswer {
    pub(super) name: String,
    pub(super) kind: Vec<String>,
    pub(super) src_path: PathBuf,
    edition: String,
}

/// What is compiled.
pub(super) struct Chosen {
    pub(super) manifest: PathBuf,
    pub(super) target: Target,
}

impl Workspace {
    /// Asks Cargo; about dependencies too if they are wanted.
    pub(super) fn ask(
        cargo: &Program,
        manifest: &Path,
        dependencies: bool,
    ) -> Result<Self, Failure> {
        let mut command = cargo.command(manifest.parent().unwrap_or(Path::new(".")));
        command.args(["metadata", "--format-version=1", "--manifest-path"]).arg(manifest);
        if !dependencies {
            command.arg("--no-deps");
        }
        let answer = run(&mut command)?;
        serde_json::from_slice(&answer).map_err(|error| Failure::Malformed {
            path: manifest.to_owned(),
            reason: format!("what cargo metadata says about it is not understood: {error}"),
        })
    }

    /// The target that is meant.
    pub(super) fn choose(&self, wanted: &Package, manifest: &Path) -> Result<Chosen, Failure> {
        let package = self.choose_package(wanted, manifest)?;
        let target = match &wanted.target {
            Some(target) => {
                package.check(target)?;
                target.clone()
            }
            None => package.usual_target()?,
        };
        Ok(Chosen { manifest: package.manifest_path.clone(), target })
    }

    fn choose_package(&self, wanted: &Package, manifest: &Path) -> Result<&PackageAnswer, Failure> {
        let members: Vec<_> = self.members().collect();
        let real = manifest.canonicalize().unwrap_or_else(|_| manifest.to_owned());
        let found = match &wanted.package {
            Some(name) => members.iter().find(|package| package.name == *name),
            None => members
                .iter()
                .find(|package| package.manifest_path == manifest || package.manifest_path == real)
                .or_else(|| members.first().filter(|_| members.len() == 1)),
        };
        found.copied().ok_or_else(|| Failure::Choice {
            question: wanted.package.as_ref().map_or_else(
                || format!("{}: a package of the workspace must be chosen", manifest.display()),
                |name| format!("{}: there is no package '{name}'", manifest.display()),
            ),
            among: members.iter().map(|package| package.name.clone()).collect(),
        })
    }

    fn members(&self) -> impl Iterator<Item = &PackageAnswer> {
        self.packages.iter().filter(|package| self.members.contains(&package.id))
    }

    /// The folder in which Cargo compiles the package of a manifest.
    pub(super) fn compiled_in<'a>(&'a self, manifest: &'a Path) -> &'a Path {
        let is_member = self.members().any(|package| package.manifest_path == manifest);
        if is_member { &self.root } else { manifest.parent().unwrap_or(&self.root) }
    }

    /// The folders of all packages of this computer, and of the workspace.
    pub(super) fn local_folders(&self) -> Vec<PathBuf> {
        let local = self.packages.iter().filter(|package| package.source.is_none());
        let folders = local.filter_map(|package| package.manifest_path.parent());
        folders.map(Path::to_owned).chain([self.root.clone()]).collect()
    }

    /// The files that Cargo and rustup look for in the folders above a workspace.
    pub(super) fn files_above(&self) -> Vec<PathBuf> {
        let names =
            [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];
        let above = self.root.ancestors().skip(1);
        let files = above.flat_map(|folder| names.map(|name| folder.join(name)));
        files.filter(|file| file.is_file()).collect()
    }
}

impl PackageAnswer {
    fn named(&self, kind: &str) -> impl Iterator<Item = &str> {
        let of_kind = move |target: &&TargetAnswer| target.kind.iter().any(|own| own == kind);
        self.targets.iter().filter(of_kind).map(|target| target.name.as_str())
    }

    fn has_library(&self) -> bool {
        self.targets.iter().any(TargetAnswer::is_library)
    }

    /// Whether there is such a target.
    fn check(&self, target: &Target) -> Result<(), Failure> {
        let (kind, name) = match target {
            Target::Lib if self.has_library() => return Ok(()),
            Target::Lib => {
                let question = format!("the package '{}' has no library", self.name);
                return Err(Failure::Choice { question, among: self.names("bin") });
            }
            Target::Bin(name) => ("bin", name),
            Target::Example(name) => ("example", name),
            Target::Test(name) => ("test", name),
        };
        if self.named(kind).any(|own| own == name) {
            return Ok(());
        }
        let question = format!("the package '{}' has no {kind} '{name}'", self.name);
        Err(Failure::Choice { question, among: self.names(kind) })
    }

    /// What is meant if nothing is said: the only program, or else the library.
    fn usual_target(&self) -> Result<Target, Failure> {
        let programs = self.names("bin");
        match (&self.default_run, programs.as_slice(), self.has_library()) {
            (Some(name), _, _) => Ok(Target::Bin(name.clone())),
            (None, [only], _) => Ok(Target::Bin(only.clone())),
            (None, [], true) => Ok(Target::Lib),
            (None, [], false) | (None, [_, _, ..], _) => Err(Failure::Choice {
                question: format!("a program of the package '{}' must be chosen", self.name),
                among: programs,
            }),
        }
    }

    fn names(&self, kind: &str) -> Vec<String> {
        self.named(kind).map(str::to_owned).collect()
    }
}

impl TargetAnswer {
    pub(super) fn edition(&self) -> Option<u32> {
        self.edition.parse().ok()
    }

    /// Whether other crates, or C programs, can be linked with it.
    pub(super) fn is_library(&self) -> bool {
        let kinds = ["lib", "rlib", "dylib", "cdylib", "staticlib"];
        self.kind.iter().any(|kind| kinds.contains(&kind.as_str()))
    }

    /// Whether it is the one that was asked for, given that it is of that package.
    pub(super) fn is(&self, target: &Target) -> bool {
        let (kind, name) = match target {
            Target::Lib => return self.is_library(),
            Target::Bin(name) => ("bin", name),
            Target::Example(name) => ("example", name),
            Target::Test(name) => ("test", name),
        };
        self.name == *name && self.kind.iter().any(|own| own == kind)
    }
}
