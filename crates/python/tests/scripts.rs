//! The tests of the Python package: run by pytest, its types checked by mypy, its metadata by maturin.
//!
//! These come from the Python Package Index, into a virtual environment in the target folder. Where they cannot be
//! installed the tests are skipped, and say so on standard error, whatever the test harness captures.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// What is installed; pinned, so that a new version breaks nothing by itself.
const TOOLS: [&str; 3] = ["pytest==9.2.0", "mypy==2.4.1", "maturin==1.16.0"];

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if output.status.success() { Ok(said) } else { Err(format!("{command:?}\n{said}")) }
}

/// The interpreter of the virtual environment, or why there is none.
static PYTHON: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    match environment(&folder) {
        Ok(python) => Some(python),
        Err(problem) => {
            let skipped = "SKIPPED: the tests in Python, whose tools cannot be installed";
            writeln!(std::io::stderr(), "{skipped}: {problem}").expect("standard error");
            None
        }
    }
});

fn environment(folder: &Path) -> Result<PathBuf, String> {
    let python = folder.join("bin/python");
    let done = folder.join("installed");
    let wanted = TOOLS.join("\n");
    if std::fs::read_to_string(&done).is_ok_and(|there| there == wanted) && python.exists() {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(&python).args(pip).args(TOOLS))?;
    std::fs::write(&done, wanted).map_err(|error| error.to_string())?;
    Ok(python)
}

/// The package as a wheel has it: the sources in Python beside the native module.
fn assembled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().join("fencewright");
    std::fs::create_dir(&into).expect("a folder");
    for entry in package().join("python/fencewright").read_dir().expect("sources") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            std::fs::copy(&path, into.join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
    let here = std::env::current_exe().expect("this test");
    let native = here.parent().expect("a folder").join("lib_native.so");
    std::fs::copy(&native, into.join("_native.abi3.so"))
        .unwrap_or_else(|error| panic!("{}: {error}", native.display()));
    folder
}

fn root() -> PathBuf {
    package().join("../..").canonicalize().expect("a root")
}

#[test]
fn tests_in_python_pass() {
    let Some(python) = &*PYTHON else { return };
    let folder = assembled();
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-q", "--doctest-modules", "--pyargs", "fencewright"]);
    pytest.arg(package().join("tests/python")).arg("-c").arg(package().join("pyproject.toml"));
    pytest.env("PYTHONPATH", folder.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let said = run(pytest.current_dir(root())).unwrap_or_else(|said| panic!("{said}"));
    assert!(said.contains(" passed") && !said.contains("skipped"), "{said}");
}

#[test]
fn the_types_are_right() {
    let Some(python) = &*PYTHON else { return };
    let folder = assembled();
    let mut mypy = Command::new(python);
    mypy.args(["-m", "mypy", "--strict", "--python-version", "3.10", "--cache-dir"]);
    mypy.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("mypy"));
    mypy.arg(package().join("examples/table.py")).arg(folder.path().join("fencewright"));
    run(mypy.env("MYPYPATH", folder.path())).unwrap_or_else(|said| panic!("{said}"));
}

#[test]
fn the_example_prints_a_table() {
    let Some(python) = &*PYTHON else { return };
    let folder = assembled();
    let mut example = Command::new(python);
    example.arg(package().join("examples/table.py")).arg("corpus/mutex");
    example.env("PYTHONPATH", folder.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let said = run(example.current_dir(root())).unwrap_or_else(|said| panic!("{said}"));
    assert!(said.contains("peterson.fw"), "{said}");
}

#[test]
fn a_wheel_would_have_the_version_and_the_licences() {
    let Some(python) = &*PYTHON else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "pep517", "write-dist-info", "--metadata-directory"]);
    maturin.arg(folder.path()).args(["--interpreter"]).arg(python);
    run(maturin.current_dir(package())).unwrap_or_else(|said| panic!("{said}"));
    let version = env!("CARGO_PKG_VERSION");
    let told = folder.path().join(format!("fencewright-{version}.dist-info"));
    let metadata = std::fs::read_to_string(told.join("METADATA")).expect("metadata");
    for line in ["Name: fencewright", &format!("Version: {version}"), "Requires-Python: >=3.9"] {
        assert!(metadata.lines().any(|found| found == line), "{line}\n{metadata}");
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(told.join("licenses").join(licence).exists(), "{licence} is not in the wheel");
    }
}
