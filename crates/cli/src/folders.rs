//! Folders that are named instead of programs: everything in them that is a program by itself.
//!
//! These are models and litmus tests by their extensions, Rust files, and Cargo packages as a whole. C files
//! together are one program, and which belong together is not known here, so they are left out and counted.

use std::path::{Path, PathBuf};

use compiler::Input;

/// What was found.
pub(crate) struct Walked {
    /// The files, in the place of the folders that they are in.
    pub(crate) files: Vec<String>,
    /// What a user should know about that.
    pub(crate) note: Option<String>,
}

/// Names of folders in which nobody keeps programs.
const BUILT: [&str; 3] = ["target", "node_modules", "build"];

/// Replaces folders by the programs in them. One that is a program itself, a package or a recording, stays.
pub(crate) fn walk(named: &[String]) -> Walked {
    let mut files = Vec::new();
    let mut in_c = 0;
    for name in named {
        let path = Path::new(name);
        let is_plain_folder = name != "-" && path.is_dir() && Input::of(path).is_err();
        if !is_plain_folder {
            files.push(name.clone());
            continue;
        }
        let before = files.len();
        let had_c = in_c;
        collect(path, &mut files, &mut in_c);
        if files.len() == before && in_c == had_c {
            // The reader says what it can read.
            files.push(name.clone());
        }
    }
    let note = (in_c > 0).then(|| {
        let counted =
            if in_c == 1 { "1 C file was".to_owned() } else { format!("{in_c} C files were") };
        format!("note: {counted} left out: name the C files that are one program together\n")
    });
    Walked { files, note }
}

fn collect(folder: &Path, files: &mut Vec<String>, in_c: &mut usize) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A link to a folder may lead back here.
        let is_link = path.is_symlink();
        if name.starts_with('.') || (path.is_dir() && (is_link || BUILT.contains(&name.as_str()))) {
            continue;
        }
        if path.is_dir() {
            if Input::of(&path).is_ok() {
                files.push(path.display().to_string());
            } else {
                collect(&path, files, in_c);
            }
            continue;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("fw" | "litmus" | "rs") => files.push(path.display().to_string()),
            Some("c") => *in_c += 1,
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "b.fw",
            "a/c.litmus",
            "a/x.c",
            "pkg/Cargo.toml",
            "pkg/src/main.rs",
            "target/d.fw",
            ".e.fw",
        ] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "").unwrap();
        }
        let named = |name: &str| at(name).display().to_string();
        let walked = walk(&[folder.path().display().to_string(), "-".to_owned()]);
        assert_eq!(
            walked.files,
            [named("a/c.litmus"), named("b.fw"), named("pkg"), "-".to_owned()]
        );
        let note = "note: 1 C file was left out: name the C files that are one program together\n";
        assert_eq!(walked.note.as_deref(), Some(note));
        // What is a program itself stays as it is.
        assert_eq!(walk(&[named("pkg"), named("b.fw")]).files, [named("pkg"), named("b.fw")]);
    }
}
