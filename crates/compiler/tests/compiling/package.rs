//! Cargo packages.

use crate::support::{Folder, compiled, definitions, failure, names};
use compiler::{Cache, Failure, Input, Language, Package, Request, Target};

/// A package with a library beside it, a build script, two programs, an example and a test.
fn packages() -> Folder {
    let manifest = "[package]\nname = \"my-app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    default-run = \"my-app\"\n[features]\nextra = []\n\
                    [dependencies]\ndep = { path = \"../dep\" }\n[workspace]\n";
    let library = "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    Folder::with(&[
        ("app/Cargo.toml", manifest),
        (
            "app/src/main.rs",
            "#[cfg(feature = \"extra\")]\n#[no_mangle]\npub static EXTRA: u32 = 1;\nfn main() { dep::set() }\npub static ABOVE: &str = env!(\"FROM_ABOVE\");\n",
        ),
        (".cargo/config.toml", "[env]\nFROM_ABOVE = \"yes\"\n"),
        ("app/src/bin/tool.rs", "fn main() {}\n"),
        ("app/examples/ex.rs", "fn main() { dep::set() }\n"),
        ("app/tests/check.rs", "#[test]\nfn checked() { dep::set() }\n"),
        ("dep/Cargo.toml", library),
        ("dep/build.rs", "fn main() {}\n"),
        ("dep/src/lib.rs", "mod inner;\npub use inner::set;\n"),
        (
            "dep/src/inner.rs",
            "use std::sync::atomic::*;\nstatic X: AtomicI32 = AtomicI32::new(0);\npub fn set() { X.store(1, Ordering::Release) }\n",
        ),
    ])
}

fn request(folder: &Folder, target: Option<Target>) -> Request {
    let package = Package { target, ..Package::of("app/Cargo.toml".into()) };
    Request { inputs: vec![Input::Package(package)], ..folder.request(&[]) }
}

#[test]
fn targets_and_what_they_are_linked_with() {
    let folder = packages();
    let cache = Cache::at(folder.file("cache"));
    for (target, expected) in [
        (None, vec!["my_app", "dep"]),
        (Some(Target::Bin("tool".to_owned())), vec!["tool", "dep"]),
        (Some(Target::Example("ex".to_owned())), vec!["ex", "dep"]),
        (Some(Target::Test("check".to_owned())), vec!["check", "dep"]),
    ] {
        let request = Request { cache: cache.clone(), ..request(&folder, target) };
        let compiled = compiled(&request);
        assert_eq!(names(&compiled.modules), expected);
        assert!(definitions(&compiled.modules[1], "3dep5inner3set").len() == 1);
        assert_eq!(compiled.notes, Vec::<String>::new());
    }
    let again = compiled(&Request { cache, ..request(&folder, None) });
    assert_eq!((again.modules.len(), again.reused), (2, 2));
    assert!(!folder.file("app/target").exists(), "the author's target folder is not used");
}

#[test]
fn features_and_choices() {
    let folder = packages();
    let mut with_feature = request(&folder, None);
    let Input::Package(package) = &mut with_feature.inputs[0] else { panic!("a package") };
    package.features = vec!["extra".to_owned()];
    assert_eq!(definitions(&compiled(&with_feature).modules[0], "@EXTRA").len(), 1);
    for (target, part) in [
        (Target::Bin("none".to_owned()), "there are: my-app, tool"),
        (Target::Test("none".to_owned()), "there are: check"),
        (Target::Lib, "has no library"),
    ] {
        let failure = failure(&request(&folder, Some(target)));
        assert!(matches!(failure, Failure::Choice { .. }));
        assert!(failure.to_string().contains(part), "{failure}");
    }
    folder.write("app/src/main.rs", "fn main() { dep::gone() }\n");
    let failure = failure(&request(&folder, None)).to_string();
    assert!(failure.contains("E0425") && failure.contains("src/main.rs:1"), "{failure}");
}

#[test]
fn other_texts_are_compiled_under_the_names_of_the_originals() {
    let folder = packages();
    let mut request = request(&folder, None);
    let elsewhere = Folder::with(&[]);
    request.cache = Cache::at(elsewhere.path());
    let plain = compiled(&request);
    let inner = "use std::sync::atomic::*;\nstatic X: AtomicI32 = AtomicI32::new(0);\n\
                 pub fn set() { X.store(1, Ordering::Release); fence(Ordering::SeqCst) }\n";
    request.overrides = vec![("dep/src/inner.rs".into(), inner.into())];
    for _ in 0..2 {
        let changed = compiled(&request);
        let text = &changed.modules[1].text;
        assert!(text.contains("6atomic5fence") && !plain.modules[1].text.contains("6atomic5fence"));
        let file =
            format!("filename: \"src/inner.rs\", directory: \"{}\"", folder.file("dep").display());
        assert!(text.contains(&file) && plain.modules[1].text.contains(&file), "{file}");
        assert_eq!(changed.modules[1].directory, plain.modules[1].directory);
        assert_eq!(changed.modules[1].source, plain.modules[1].source);
        assert_eq!(changed.notes, Vec::<String>::new());
    }
    request.overrides[0].1 =
        inner.replace("SeqCst", "AcqRel").replace("fence(", "compiler_fence(").into();
    let changed = compiled(&request);
    assert!(changed.modules[1].text.contains("6atomic14compiler_fence"), "a second other text");
    request.overrides.push(("dep/src/unused.rs".into(), Vec::new()));
    assert!(compiled(&request).notes[0].contains("unused.rs"));
    request.overrides.clear();
    assert_eq!(compiled(&request).modules, plain.modules);
}

/// Checks are those of the profiles of the manifest, also where they are not the usual ones.
#[test]
fn checks_are_those_of_the_profile() {
    let checks = "fn f(x: u8) -> u8 { debug_assert!(x < 9); x + 1 }\nfn main() { f(3); }\n";
    let manifest = "[package]\nname = \"checks\"\nversion = \"0.1.0\"\nedition.workspace = true\n\
                    [workspace.package]\nedition = \"2024\"\n";
    for (profiles, release, asserts, overflows) in [
        ("[workspace]\n", false, true, true),
        ("[workspace]\n", true, false, false),
        ("[profile.dev]\nopt-level = 2\nlto = \"thin\"\n", false, true, true),
        ("[profile.dev]\ndebug-assertions = false\n", false, false, true),
        ("[profile.dev]\noverflow-checks = false\nopt-level = 1\n", false, true, false),
        ("[profile.release.package.checks]\nopt-level = 3\n", true, false, false),
        ("[profile.dev.package.\"*\"]\nopt-level = 3\n", false, true, true),
        ("[profile.release]\ndebug-assertions = true\n", true, true, false),
        ("[profile.release]\noverflow-checks = true\nlto = true\n", true, false, true),
    ] {
        let folder = Folder::with(&[
            ("Cargo.toml", &format!("{manifest}{profiles}")),
            ("src/main.rs", checks),
        ]);
        let request = Request { release, ..folder.request(&["Cargo.toml"]) };
        let compiled = compiled(&request);
        assert_eq!(compiled.modules[0].language, Language::Rust { edition: Some(2024) });
        let (_, body) = compiled.modules[0].text.split_once("6checks1f(").expect("the function");
        let (body, _) = body.split_once("\n}").expect("its end");
        let found = (body.contains("9panicking5panic"), body.contains("panic_const_add_overflow"));
        assert_eq!(found, (asserts, overflows), "{profiles} {release}");
    }
}

#[test]
fn flags_of_the_configuration() {
    let folder = packages();
    folder
        .write("app/src/main.rs", "#[cfg(of_target)]\npub static FOUND: u32 = 1;\nfn main() {}\n");
    for (configuration, expected) in [
        ("[target.'cfg(unix)']\nrustflags = [\"-Clink-arg=-s\"]\n", 0),
        ("[build]\nrustflags = \"--cfg of_target\"\n", 1),
        (
            "[build]\nrustflags = \"--cfg other\"\n[target.x86_64-unknown-linux-gnu]\n\
             rustflags = [\"--cfg\", \"of_target\"]\n",
            usize::from(cfg!(all(target_arch = "x86_64", target_env = "gnu"))),
        ),
    ] {
        folder.write("app/.cargo/config.toml", configuration);
        let compiled = compiled(&request(&folder, None));
        assert_eq!(definitions(&compiled.modules[0], "FOUND").len(), expected, "{configuration}");
    }
    folder.write("app/.cargo/config.toml", "[target.'cfg(unix)']\nrustflags = [\"--cfg=x\"]\n");
    let failed = failure(&request(&folder, None)).to_string();
    assert!(failed.contains("cfg(unix)") && failed.contains("RUSTFLAGS"), "{failed}");
    folder.write("app/.cargo/config.toml", "[build]\nrustflags = [\"-Cinstrument-coverage\"]\n");
    assert!(matches!(failure(&request(&folder, None)), Failure::Flag { .. }));
}

#[test]
fn a_workspace() {
    let member = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
    let folder = Folder::with(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"2\"\n"),
        ("one/Cargo.toml", &member("one")),
        ("one/src/lib.rs", "#[inline]\npub fn one() -> u32 { 1 }\n"),
        ("two/Cargo.toml", &(member("two") + "[dependencies]\none = { path = \"../one\" }\n")),
        (
            "two/src/lib.rs",
            "extern crate one;\npub fn two() -> u32 { one::one() + 1 }\n\
                                #[cfg(configured)]\npub static CONFIGURED: u32 = 1;\n",
        ),
        (".cargo/config.toml", "[build]\nrustflags = [\"--cfg=configured\"]\n"),
    ]);
    let mut request = folder.request(&["Cargo.toml"]);
    let Failure::Choice { among, .. } = failure(&request) else { panic!("a choice") };
    assert_eq!(among, ["one", "two"]);
    let Input::Package(package) = &mut request.inputs[0] else { panic!("a package") };
    package.package = Some("two".to_owned());
    let plain = compiled(&request);
    assert_eq!(names(&plain.modules), ["two", "one"]);
    assert!(plain.modules.iter().all(|module| module.directory == folder.path()));
    assert_eq!(definitions(&plain.modules[0], "3one3one").len(), 1, "inline");
    assert_eq!(definitions(&plain.modules[0], "CONFIGURED").len(), 1, "flags of the configuration");
    request.overrides =
        vec![(folder.file("one/src/lib.rs"), b"pub fn one() -> u32 { 7 }\n".to_vec())];
    let changed = compiled(&request);
    assert_eq!(names(&changed.modules), ["two", "one"]);
    assert!(changed.modules[1].text.contains("ret i32 7"));
    assert!(changed.modules[1].text.contains("filename: \"one/src/lib.rs\""));
    assert!(changed.modules.iter().all(|module| module.directory == folder.path()));
}
