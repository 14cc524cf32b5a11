//! House rules that no lint knows.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root().join("crates"), "rs", &mut found);
    // Programs that tests read are data.
    found.retain(|path| {
        let is_data =
            |parent: &Path| parent.ends_with("tests/rust") || parent.ends_with("tests/texts");
        !path.parent().is_some_and(is_data)
    });
    assert!(found.len() > 50, "the sources are somewhere else");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a readable source");
        (path, text)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn every_file_says_what_it_is_and_stays_readable() {
    for (path, text) in sources() {
        let name = path.display();
        assert!(text.starts_with("//!"), "{name} does not say what it is");
        assert!(text.lines().count() <= 800, "{name} has more than 800 lines");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        assert!(!matches!(&*stem, "utils" | "util" | "misc" | "helpers"), "{name} says nothing");
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a text");
    let (_, dependencies) = manifest.split_once("[workspace.dependencies]").expect("dependencies");
    let (dependencies, _) =
        dependencies.split_once("\n# Every lint").expect("the lints after them");
    let mut checked = 0;
    for line in dependencies.lines() {
        let Some((name, value)) = line.split_once(" = ") else { continue };
        checked += 1;
        let named =
            if value.contains("path = ") { format!("**`{name}`**") } else { format!("`{name}`") };
        assert!(architecture.contains(&named), "ARCHITECTURE.md does not say why {name} is there");
    }
    assert!(checked > 10);
}
