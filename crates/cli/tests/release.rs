//! What a release needs is there and says the same everywhere: the metadata of every crate, versions beside paths, an
//! order in which crates can be published, packages that are complete, licences that `deny.toml` allows, and an
//! action that does what it says.
//!
//! `cargo publish --dry-run` asks the registry and compiles every package, which takes the network and minutes:
//! `release/dry-run.sh` does it. Here everything is packed as it would be, and nothing is compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Crates that only tests and benchmarks use, and those that become a wheel and a page.
const UNPUBLISHED: [&str; 6] = [
    "fencewright-bench",
    "fencewright-oracle",
    "fencewright-playground",
    "fencewright-python",
    "fencewright-second-opinion",
    "fencewright-testkit",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a root")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cargo(arguments: &[&str], target: &Path) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(root()).env("CARGO_TARGET_DIR", target);
    command.output().expect("cargo starts")
}

fn metadata() -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    // What other platforms need was not fetched.
    let version = cargo(&["-vV"], folder.path());
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
    let asked =
        ["metadata", "--format-version=1", "--offline", "--locked", "--filter-platform", host];
    let output = cargo(&asked, folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// The crates of this project, by name.
fn members(metadata: &Value) -> BTreeMap<&str, &Value> {
    let of_us = |package: &&Value| package["source"].is_null();
    let named = |package| (text(package, "name"), package);
    list(metadata, "packages").iter().filter(of_us).map(named).collect()
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

#[test]
fn every_crate_can_be_published_after_those_that_it_needs() {
    let metadata = metadata();
    let members = members(&metadata);
    let is_published = |package: &Value| package["publish"].is_null();
    let unpublished: Vec<&str> = members
        .iter()
        .filter(|(_, package)| !is_published(package))
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(unpublished, UNPUBLISHED);

    let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, package) in members.iter().filter(|(_, package)| is_published(package)) {
        for key in ["description", "license", "readme", "rust_version"] {
            assert!(!text(package, key).is_empty(), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            assert!(matches!(list(package, key).len(), 1..=5), "{name}: {key}");
        }
        assert_eq!(text(package, "version"), version(), "{name}");
        let needed = needs.entry(name).or_default();
        for dependency in list(package, "dependencies") {
            let (on, requirement) = (text(dependency, "name"), text(dependency, "req"));
            let Some(of_us) = members.get(on) else { continue };
            if text(dependency, "kind") == "dev" {
                // Cargo leaves out of a package what has a path and no version.
                assert_eq!(requirement, "*", "{name} needs a published {on} for its tests");
            } else {
                assert!(is_published(of_us), "{name} needs {on}, which is not published");
                assert_eq!(requirement, format!("={}", version()), "{name} needs {on}");
                needed.insert(on);
            }
        }
    }
    // What is left when all are published whose needs are there is a circle.
    let mut order: Vec<&str> = Vec::new();
    while order.len() < needs.len() {
        let next = needs
            .iter()
            .find(|(name, needed)| {
                !order.contains(name) && needed.iter().all(|on| order.contains(on))
            })
            .map(|(name, _)| *name);
        order.push(next.unwrap_or_else(|| panic!("after {order:?} there is a circle")));
    }
    assert_eq!(order.last(), Some(&"fencewright"), "it needs all others");
}

#[test]
fn every_crate_packs_with_its_licences_and_the_files_that_it_includes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut arguments =
        vec!["package", "--workspace", "--no-verify", "--offline", "--locked", "--allow-dirty"];
    arguments.extend(UNPUBLISHED.iter().flat_map(|name| ["--exclude", *name]));
    let output = cargo(&arguments, folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut packed = 0;
    for entry in folder.path().join("package").read_dir().expect("packages") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "crate") {
            continue;
        }
        packed += 1;
        let listing = Command::new("tar").arg("-tzf").arg(&path).output().expect("tar");
        let listing = String::from_utf8_lossy(&listing.stdout);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for file in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            let line = format!("{stem}/{file}");
            assert!(listing.lines().any(|found| found == line), "{stem} has no {file}");
        }
        // `explain` prints them.
        let page = format!("{stem}/docs/check.md");
        let has_pages = listing.lines().any(|found| found == page);
        assert_eq!(has_pages, *stem == format!("fencewright-{}", version()), "{stem}");
        assert!(!listing.contains("/docs/pictures/"), "{stem} has pictures");
    }
    assert!(packed > 20, "{packed} packages");
}

/// A package has the files of its crate only, so nothing but tests may include others.
#[test]
fn only_tests_include_files_from_outside_of_their_crate() {
    fn visit(folder: &Path, depth: usize, checked: &mut usize) {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                visit(&path, depth + 1, checked);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (_, rest) in code.match_indices("include_str!(").map(|(at, _)| code.split_at(at)) {
                *checked += 1;
                let up = rest.lines().next().unwrap_or_default().matches("../").count();
                assert!(up <= depth, "{} includes what is not packed", path.display());
            }
        }
    }
    let mut checked = 0;
    for entry in root().join("crates").read_dir().expect("crates") {
        let path = entry.expect("an entry").path();
        let name =
            format!("fencewright-{}", path.file_name().unwrap_or_default().to_string_lossy());
        if !UNPUBLISHED.contains(&&*name) {
            visit(&path.join("src"), 1, &mut checked);
        }
    }
    assert!(checked > 5, "{checked} includes");
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = version();
    let toolchain = env!("CARGO_PKG_RUST_VERSION");
    let places = [
        ("CITATION.cff", format!("\nversion: {version}\n")),
        ("CHANGELOG.md", format!("\n## {version} (")),
        ("editors/vscode/package.json", format!("\"version\": \"{version}\"")),
        ("editors/vscode/README.md", format!("fencewright-{version}.vsix")),
        ("crates/workspace/src/lib.rs", format!("`fencewright-workspace = \"={version}\"`")),
        ("release/workflows/models.yml", format!("@v{version}\n")),
        ("release/workflows/findings.yml", format!("@v{version}\n")),
        ("release/workflows/cargo.yml", format!("@v{version}\n")),
        (".github/workflows/test.yml", format!("toolchain: [\"{toolchain}\", \"stable\"]")),
        ("Containerfile", format!("rust:{toolchain}-slim-bookworm")),
    ];
    for (file, said) in places {
        assert!(read(file).contains(&said), "{file} does not say {said:?}");
    }
    let changes = read("CHANGELOG.md");
    let (_, dated) = changes.split_once(&format!("\n## {version} (")).expect("a heading");
    let (date, _) = dated.split_once(")\n").expect("a date");
    assert!(read("CITATION.cff").contains(&format!("\ndate-released: {date}\n")), "{date}");
}

/// Whether a licence expression can be met with the allowed licences. `/` is an old way to write OR.
fn is_met(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace(" / ", " OR ").replace('/', " OR ");
    if let Some((left, right)) = expression.split_once(") AND ") {
        return is_met(left.trim_start_matches('('), allowed) && is_met(right, allowed);
    }
    expression.split(" OR ").any(|choice| {
        choice.split(" AND ").all(|one| allowed.contains(one.trim_matches(['(', ')', ' '])))
    })
}

#[test]
fn licences_of_dependencies_are_allowed() {
    let deny: toml::Table = read("deny.toml").parse().expect("TOML");
    let allowed = deny["licenses"]["allow"].as_array().expect("a list");
    let allowed: BTreeSet<String> =
        allowed.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    let metadata = metadata();
    for package in list(&metadata, "packages") {
        let (name, licence) = (text(package, "name"), text(package, "license"));
        assert!(is_met(licence, &allowed), "{name} is under {licence:?}");
    }
    for (expression, expected) in [
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("GPL-2.0/MIT", true),
        ("", false),
    ] {
        assert_eq!(is_met(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn scripts_are_scripts_and_say_what_is_missing() {
    for entry in root().join("release").read_dir().expect("scripts") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "sh") {
            let output = Command::new("bash").arg("-n").arg(&path).output().expect("bash");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    for target in ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"] {
        let script = root().join("release/build.sh");
        let output =
            Command::new("bash").arg(script).args(["--check", target]).output().expect("bash");
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            assert!(out.contains("all tools are installed"), "{out}");
        } else {
            let advises = ["rustup target add", "apt-get install", "install a cross compiler"];
            assert!(advises.iter().any(|advice| err.contains(advice)), "{err}");
            assert!(err.contains(&format!("not built: {target}")), "{err}");
        }
    }
}

#[test]
fn the_action_asks_and_ends_as_the_answer_does() {
    // Command, files, options, what undecided does: the exit code, and what is printed.
    let cases = [
        ("check", "corpus/mutex/peterson-fenced.fw", "", "fail", 0, ""),
        ("check", "corpus/mutex/peterson.fw", "", "fail", 1, "::error"),
        ("check", "corpus/mutex/peterson.fw", "--method static", "fail", 3, "::warning"),
        ("check", "corpus/mutex/peterson.fw", "--method static", "pass", 0, "lets pass"),
        (
            "check",
            "corpus/mutex/peterson-fenced.fw corpus/mutex/peterson.fw",
            "",
            "pass",
            1,
            "::error",
        ),
        ("check", "", "", "fail", 2, "no files"),
        ("check", "$(touch/x)", "", "fail", 2, "$(touch/x)"),
        ("rm", "corpus", "", "fail", 2, "is not check, fence or reach"),
    ];
    let program = Path::new(env!("CARGO_BIN_EXE_fencewright"));
    let folder = program.parent().expect("a folder").display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    for (command, files, options, undecided, code, printed) in cases {
        let output = Command::new("bash")
            .arg("release/action.sh")
            .current_dir(root())
            .env("PATH", &path)
            .envs([("COMMAND", command), ("FILES", files), ("OPTIONS", options)])
            .envs([("UNDECIDED", undecided), ("SARIF", ""), ("TIMEOUT", "60")])
            .output()
            .expect("bash");
        let all = [output.stdout, output.stderr].concat();
        let all = String::from_utf8_lossy(&all);
        assert_eq!(output.status.code(), Some(code), "{command} {files} {options}: {all}");
        assert!(all.contains(printed), "{command} {files} {options}: {all}");
    }
}

/// The keys that stand under a line, one level below it.
fn keys_under(text: &str, head: &str) -> BTreeSet<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text.lines().skip_while(|line| line.trim() != head);
    let outer = lines.next().map(indent).unwrap_or_default();
    lines
        .take_while(|line| indent(line) > outer)
        .filter(|line| indent(line) == outer + 2)
        .filter_map(|line| line.trim().split_once(':').map(|(key, _)| key.to_owned()))
        .collect()
}

#[test]
fn workflows_for_others_use_inputs_that_the_action_has() {
    let inputs = keys_under(&read("action.yml"), "inputs:");
    assert!(inputs.contains("files"), "{inputs:?}");
    for file in ["models", "findings", "cargo"] {
        let workflow = read(format!("release/workflows/{file}.yml"));
        let (_, step) = workflow.split_once("OWNER/fencewright@").expect("the action is used");
        let given = keys_under(step, "with:");
        assert!(!given.is_empty() && given.is_subset(&inputs), "{file}: {given:?}");
    }
}
