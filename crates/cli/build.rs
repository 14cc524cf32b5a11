//! What a binary knows of where it comes from: the commit, for `--version` of release builds, and the pages of `docs`, for `explain`.
//! Without git it simply knows less.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let variable = |name| std::env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name}"));
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let root = folder.parent().and_then(Path::parent).unwrap_or(&folder);
    // Where commits are frequent, nothing should have to be compiled for that.
    let commit = if variable("PROFILE") == "release" { commit(root) } else { None };
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=FENCEWRIGHT_VERSION={}{commit}", variable("CARGO_PKG_VERSION"));
    // A link here, a folder in a package.
    let pages = folder.join("docs");
    println!("cargo::rerun-if-changed={}", pages.display());
    let table = table(&pages);
    let file = PathBuf::from(variable("OUT_DIR")).join("pages.rs");
    std::fs::write(file, table).expect("the folder for it can be written");
}

/// The commit of the sources, if they are a clone of their own rather than a folder in another one.
fn commit(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        let said = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| said.trim().to_owned())
    };
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    // The head, the branch that it names, and where branches are that have been packed.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref());
    for file in names.filter_map(|name| git(&["rev-parse", "--git-path", name])) {
        let file = root.join(file);
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// The pages of a folder, as a table in Rust.
fn table(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).expect("the documentation");
    let files = files.flatten().map(|entry| entry.path());
    let mut pages: Vec<PathBuf> = files
        .filter(|path| path.extension() == Some(OsStr::new("md")) && !path.ends_with("SUMMARY.md"))
        .collect();
    pages.sort();
    let mut text = "&[".to_owned();
    for page in pages {
        let name = page.file_stem().unwrap_or_default().to_string_lossy();
        let path = page.to_string_lossy();
        let _ = write!(text, "\n    ({name:?}, include_str!({path:?})),");
    }
    text.push_str("\n]\n");
    text
}
