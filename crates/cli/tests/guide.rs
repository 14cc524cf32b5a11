//! The book: its table of contents lists exactly the pages that there are, and its links lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").canonicalize().expect("docs")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All pages, as paths below `docs`.
fn pages(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.insert(path.strip_prefix(docs()).expect("below docs").to_owned());
        }
    }
}

/// What the links of a text outside of code point to.
fn links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        // Every second part of a line is between backquotes, except where a link's own text is.
        for (at, _) in line.match_indices("](").filter(|_| !in_code) {
            let rest = &line[at + 2..];
            found.extend(rest.split_once(')').map(|(target, _)| target.to_owned()));
        }
    }
    found
}

/// The anchors that a page's headings get, as mdBook and code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let anchor = |heading: &str| -> String {
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
    };
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

#[test]
fn the_table_of_contents_lists_every_page_once() {
    let mut there = BTreeSet::new();
    pages(&docs(), &mut there);
    there.remove(Path::new("SUMMARY.md"));
    let listed: Vec<PathBuf> =
        links(&read(&docs().join("SUMMARY.md"))).into_iter().map(PathBuf::from).collect();
    let once: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(once.len(), listed.len(), "a page is listed twice");
    assert_eq!(once, there);
}

#[test]
fn links_lead_somewhere() {
    let root = docs().join("..");
    let mut all = BTreeSet::new();
    pages(&docs(), &mut all);
    let mut files: Vec<PathBuf> = all.into_iter().map(|page| docs().join(page)).collect();
    for name in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"] {
        files.push(root.join(name));
    }
    let mut checked = 0;
    for file in files {
        let text = read(&file);
        for link in links(&text) {
            if link.starts_with("http") {
                continue;
            }
            checked += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = file.parent().expect("a folder").join(path);
            let target = if path.is_empty() { file.clone() } else { target };
            assert!(target.exists(), "{}: {link}", file.display());
            if !anchor.is_empty() {
                let known = anchors(&read(&target));
                assert!(known.contains(anchor), "{}: {link} among {known:?}", file.display());
            }
        }
    }
    assert!(checked > 100, "{checked} links");
}

/// mdBook makes `index.html` of each `README.md`, and a page of what is a page here.
#[test]
fn links_lead_somewhere_in_a_website_too() {
    let book: toml::Table = read(&docs().join("book.toml")).parse().expect("TOML");
    let redirects = book["output"]["html"]["redirect"].as_table().expect("redirects");
    let mut all = BTreeSet::new();
    pages(&docs(), &mut all);
    let mut redirected = BTreeSet::new();
    for page in &all {
        let file = docs().join(page);
        if page.ends_with("README.md") {
            assert!(!file.with_file_name("index.html").exists(), "{}", page.display());
        }
        if page.as_path() == Path::new("SUMMARY.md") {
            continue;
        }
        for link in links(&read(&file)) {
            let path = link.split('#').next().unwrap_or_default();
            if path.is_empty() || path.starts_with("http") {
                continue;
            }
            let target =
                file.parent().expect("a folder").join(path).canonicalize().expect("it exists");
            // The website has nothing else, and shows no folders.
            assert!(target.is_file() && target.starts_with(docs()), "{}: {link}", page.display());
            if target.ends_with("README.md") || target.ends_with("SUMMARY.md") {
                let target =
                    target.strip_prefix(docs()).expect("below docs").with_extension("html");
                redirected.insert(format!("/{}", target.display()));
            }
        }
    }
    let known: BTreeSet<String> = redirects.keys().cloned().collect();
    assert_eq!(redirected, known);
}

#[test]
fn the_course_uses_every_program_that_it_has() {
    let folder = docs().join("guide/course");
    let mut text = String::new();
    let mut all = BTreeSet::new();
    pages(&docs().join("guide"), &mut all);
    for page in all {
        text.push_str(&read(&docs().join(page)));
    }
    let mut programs = 0;
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "fw") {
            programs += 1;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            assert!(text.contains(&*name), "no page mentions {name}");
        }
    }
    assert!(programs > 5);
}
