//! The litmus tests of the corpus: with the fences that are placed for its architecture, a test has no
//! execution that is not SC; and where it has none without them, hardly any are placed.

use std::path::{Path, PathBuf};

use crate::common::{fenced, has_weak_execution, is_robust, model, placed};
use cycles::Arch;
use frontend::{Language, Settings, load};
use program::{Program, Sources};

fn read(path: &Path) -> Program {
    let text = std::fs::read_to_string(path).expect("a test");
    let mut sources = Sources::new();
    let source = sources.add(path.display().to_string(), text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()))
}

fn tests(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "litmus"))
        .collect();
    files.sort();
    files
}

#[test]
fn litmus_tests_are_repaired() {
    let (mut weak, mut superfluous) = (0, Vec::new());
    for (folder, arch) in [
        ("litmus", Arch::X86),
        ("litmus", Arch::Pso),
        ("litmus", Arch::Rmo),
        ("litmus-weak/ppc", Arch::Power),
        ("litmus-weak/arm", Arch::ArmV7),
        ("litmus-weak/aarch64", Arch::AArch64),
        ("litmus-weak/riscv", Arch::RiscV),
    ] {
        let model = model(arch);
        for path in tests(folder) {
            let program = read(&path);
            // Whoever asks refuses accesses of different sizes.
            if program.access_across().is_some() {
                continue;
            }
            let name = format!("{} on {}", path.display(), arch.name());
            let is_weak = has_weak_execution(&program, model);
            if is_robust(&program, arch) {
                assert!(!is_weak, "{name} is not robust");
                continue;
            }
            let (graph, placement) = placed(&program, arch);
            let repaired = fenced(&program, &graph, &placement.fences);
            assert!(!has_weak_execution(&repaired, model), "{name} is not repaired");
            weak += usize::from(is_weak);
            if !is_weak {
                superfluous.push(name);
            }
        }
    }
    assert!(weak > 60, "{weak} tests are weak");
    assert!(superfluous.len() < weak / 4, "{superfluous:#?}");
}
