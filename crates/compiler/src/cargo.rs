//! Cargo packages to LLVM IR: the chosen target and every library that it is linked with, but for
//! the standard library, which comes compiled.
//!
//! Cargo does the build, with the flags of `rustc` for all crates and a target folder of our own, so
//! that the author's build is neither used nor disturbed. `--target` is always said, since only then
//! are build scripts and procedural macros, which run while compiling, left without those flags; by
//! the same they are told apart. `--emit=llvm-ir` adds a file beside each library and program.
//! Whether something has changed is Cargo's to know; its folder stays in the cache.
//!
//! `panic=abort` is said through the profile and not as a flag: Cargo knows that tests cannot have
//! it. So is `opt-level=0`: whether debug assertions and overflow checks are on is left to the
//! profile, and Cargo says it to rustc only where it differs from what follows from the level. And so is
//! `lto=off`: what is optimised when it is linked has no IR before.
//!
//! With other texts for some files, the workspace is copied (see `mirror`) and compiled in a second
//! target folder, so that the two builds, which differ in their flags, do not undo each other.

mod artifacts;
mod configured;
mod metadata;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cache::digest;
use crate::cache::usage::{PACKAGES, is_free, size};
use crate::mirror::Mirror;
use crate::overrides::Overrides;
use crate::place::{Temporary, absolute};
use crate::process::{Program, run};
use crate::request::Outcome;
use crate::rustc::{FLAGS, WHOLE_LIBRARY};
use crate::{Cache, Failure, Package, Request, Target};
use artifacts::Collected;
use metadata::{Chosen, Workspace};

/// Compiles one target of a package.
pub(crate) fn compile(
    package: &Package,
    request: &Request,
    directory: &Path,
    overrides: &Overrides,
) -> Result<Outcome, Failure> {
    let manifest = absolute(directory, &package.manifest);
    if !manifest.is_file() {
        return Err(Failure::Missing(package.manifest.clone()));
    }
    let home = manifest.parent().unwrap_or(directory);
    let cargo = request.tools.find_cargo()?;
    let rustc = request.tools.find_rustc()?;
    let workspace = Workspace::ask(&cargo, &manifest, !overrides.is_empty())?;
    let chosen = workspace.choose(package, &manifest)?;
    let workshop = Workshop::open(&request.cache, &workspace.root)?;
    let mirror = if overrides.is_empty() {
        None
    } else {
        let mirror = Mirror::new(workshop.folder.join("mirror"));
        mirror.copy_all(&workspace.local_folders(), &workspace.files_above(), overrides)?;
        Some(mirror)
    };
    let triple = target_triple(&rustc, home)?;
    let users_flags = configured::flags_of_all(&cargo, &workspace.root, &triple)?;
    let target_folder = if mirror.is_some() { "changed" } else { "target" };
    let build = Build {
        cargo,
        rustc: request.tools.rustc.clone(),
        triple,
        users_flags,
        flags: &request.flags,
        release: request.release,
        chosen: &chosen,
        package,
        mirror,
        target_folder: workshop.folder.join(target_folder),
    };
    let collected = match build.collect(&workspace) {
        // Somebody removed files from the target folder that Cargo believes to be there.
        Err(Failure::Nothing { .. }) => {
            let folder = &build.target_folder;
            std::fs::remove_dir_all(folder)
                .map_err(|error| Failure::io("remove", folder, &error))?;
            build.collect(&workspace)?
        }
        other => other?,
    };
    workshop.close(&request.cache);
    let Collected { modules, reused, read } = collected;
    let built_in = Some(build.target_folder);
    Ok(Outcome { modules, reused, built_in, read, ..Outcome::default() })
}

/// One run of Cargo.
struct Build<'a> {
    cargo: Program,
    rustc: Option<PathBuf>,
    triple: String,
    /// The user's flags for all crates.
    users_flags: Vec<String>,
    /// The user's flags for the chosen target.
    flags: &'a [String],
    release: bool,
    chosen: &'a Chosen,
    package: &'a Package,
    mirror: Option<Mirror>,
    target_folder: PathBuf,
}

impl Build<'_> {
    fn collect(&self, workspace: &Workspace) -> Result<Collected, Failure> {
        let root = self.in_mirror(&workspace.root);
        let mut command = self.cargo.command(&root);
        command.arg("rustc").arg("--manifest-path").arg(self.in_mirror(&self.chosen.manifest));
        command.args(["--message-format=json-render-diagnostics", "--target", &self.triple]);
        command.arg("--target-dir").arg(&self.target_folder);
        match (self.package.unit_tests, self.release) {
            (false, false) => {}
            (false, true) => {
                command.arg("--release");
            }
            (true, false) => {
                command.args(["--profile", "test"]);
            }
            (true, true) => {
                command.args(["--profile", "bench"]);
            }
        }
        for level in configured::levels_of_packages(&workspace.root) {
            command.arg("--config").arg(level);
        }
        if !self.package.features.is_empty() {
            command.arg("--features").arg(self.package.features.join(","));
        }
        if !self.package.default_features {
            command.arg("--no-default-features");
        }
        match &self.chosen.target {
            Target::Lib => command.arg("--lib"),
            Target::Bin(name) => command.args(["--bin", name]),
            Target::Example(name) => command.args(["--example", name]),
            Target::Test(name) => command.args(["--test", name]),
        };
        command.arg("--").args(self.flags);
        let has_harness = match &self.chosen.target {
            Target::Lib | Target::Bin(_) | Target::Example(_) => self.package.unit_tests,
            Target::Test(_) => true,
        };
        if self.chosen.target == Target::Lib && !has_harness {
            command.arg(WHOLE_LIBRARY);
        }
        for profile in ["DEV", "TEST", "RELEASE", "BENCH"] {
            command.env(format!("CARGO_PROFILE_{profile}_OPT_LEVEL"), "0");
            command.env(format!("CARGO_PROFILE_{profile}_LTO"), "off");
            if !has_harness {
                command.env(format!("CARGO_PROFILE_{profile}_PANIC"), "abort");
            }
        }
        command.env("CARGO_ENCODED_RUSTFLAGS", self.flags_of_all_crates());
        command.env_remove("RUSTFLAGS").env("CARGO_INCREMENTAL", "0");
        if let Some(rustc) = &self.rustc {
            command.env("RUSTC", rustc);
        }
        let messages = run(&mut command)?;
        artifacts::collect(
            &String::from_utf8_lossy(&messages),
            &self.target_folder.join(&self.triple),
            workspace,
            self.chosen,
            self.mirror.as_ref(),
        )
    }

    fn in_mirror(&self, path: &Path) -> PathBuf {
        self.mirror.as_ref().map_or_else(|| path.to_owned(), |mirror| mirror.place_of(path))
    }

    /// The user's flags for all crates, and ours.
    fn flags_of_all_crates(&self) -> OsString {
        let users = self.users_flags.iter().map(OsString::from);
        let ours = ["--emit=llvm-ir"].into_iter().chain(FLAGS).map(OsString::from);
        let remapping = self.mirror.as_ref().map(Mirror::remapping);
        let all: Vec<OsString> = users.chain(ours).chain(remapping).collect();
        all.join(OsStr::new(&configured::SEPARATOR.to_string()))
    }
}

/// The triple to compile for: the host's, or that of Linux where the host is not an x86-64.
fn target_triple(rustc: &Program, folder: &Path) -> Result<String, Failure> {
    let about = rustc.identity("-vV", folder)?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let fits = host.filter(|triple| triple.starts_with("x86_64-"));
    Ok(fits.unwrap_or("x86_64-unknown-linux-gnu").to_owned())
}

/// A folder for target folders and copies of one workspace, which one process uses at a time.
struct Workshop {
    folder: PathBuf,
    /// Locked while it is open.
    _lock: std::fs::File,
    /// Removes the folder, if there is no cache.
    _temporary: Option<Temporary>,
}

impl Workshop {
    fn open(cache: &Cache, workspace: &Path) -> Result<Self, Failure> {
        if let Cache::In { folder, .. } = cache {
            let key = digest(workspace.as_os_str().as_encoded_bytes());
            let folder = folder.join(PACKAGES).join(key);
            // A cache that cannot be written is as good as none.
            if let Ok(lock) = locked(&folder) {
                return Ok(Self { folder, _lock: lock, _temporary: None });
            }
        }
        let temporary = Temporary::new()?;
        let folder = temporary.path().to_owned();
        let lock = locked(&folder).map_err(|error| Failure::io("lock", &folder, &error))?;
        Ok(Self { folder, _lock: lock, _temporary: Some(temporary) })
    }

    /// Removes the folders of other workspaces, those used longest ago first, until all are small
    /// enough.
    fn close(self, cache: &Cache) {
        let Cache::In { bytes, .. } = cache else { return };
        let Some(entries) = self.folder.parent().and_then(|all| std::fs::read_dir(all).ok()) else {
            return;
        };
        let mut others: Vec<_> = entries
            .filter_map(|entry| {
                let folder = entry.ok()?.path();
                let used = folder.join("lock").metadata().ok()?.modified().ok()?;
                (folder != self.folder).then(|| (used, size(&folder), folder))
            })
            .collect();
        others.sort();
        let mut total = size(&self.folder) + others.iter().map(|(_, size, _)| size).sum::<u64>();
        for (_, size, folder) in others {
            if total <= *bytes {
                return;
            }
            if is_free(&folder) && std::fs::remove_dir_all(folder).is_ok() {
                total -= size;
            }
        }
    }
}

/// The lock of a folder, which is made if it is not there, and which says when it was used last.
fn locked(folder: &Path) -> std::io::Result<std::fs::File> {
    std::fs::create_dir_all(folder)?;
    let lock = std::fs::File::create(folder.join("lock"))?;
    lock.lock()?;
    lock.set_modified(SystemTime::now())?;
    Ok(lock)
}

/// Removes a target folder, when nobody uses it. Without a cache it is gone already.
pub(crate) fn forget(target_folder: &Path) {
    let around = target_folder.parent().filter(|_| target_folder.is_dir());
    if let Some(_lock) = around.and_then(|folder| locked(folder).ok()) {
        // What cannot be removed is not understood the next time either, and said to be so.
        let _ = std::fs::remove_dir_all(target_folder);
    }
}
