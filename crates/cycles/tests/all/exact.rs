//! The programs of the corpus on x86: where the exact analysis finds a violation of robustness, the static
//! one has a delay; and with the fences that it places the exact analysis finds none.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ::cycles::{Analysis, Arch, Costs, Orders, OutOfTime, Policy, by_policy, place_fences};
use analysis::{Options, Verdict, robustness};
use events::{Positions, of_program};
use frontend::{Language, Settings, load};
use program::{Program, Sources};

use crate::common::{fenced, is_robust, placed, rounds};

fn read(path: &Path) -> Program {
    let text = std::fs::read_to_string(path).expect("a program");
    let name = path.display().to_string();
    let language = Language::detect(&name, &text).expect("a language");
    let mut sources = Sources::new();
    let source = sources.add(name, text);
    load(&sources, source, language, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()))
}

fn programs() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = ["locks", "mutex", "papers", "protocols", "shapes", "structures", "litmus"];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(corpus.join(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "fw" || end == "litmus"))
        .collect();
    files.sort();
    files
}

/// Whether a program is robust, as far as that is found out within few states.
fn is_violated(program: &Program) -> Option<bool> {
    let mut options = Options::default();
    options.limits.states = Some(300_000);
    let report = robustness(program, &options, |_| ControlFlow::Continue(()));
    match report.expect("a definite number of threads").verdict {
        Verdict::Holds(_) => Some(false),
        Verdict::Violated(_) => Some(true),
        Verdict::Undecided(_) => None,
    }
}

#[test]
fn exact_violations_are_static_delays() {
    let (mut violated, mut repaired, mut robust) = (0, 0, 0);
    for path in programs() {
        let program = read(&path);
        let name = path.display();
        let is_violated_before = is_violated(&program);
        if is_robust(&program, Arch::X86) {
            assert_ne!(is_violated_before, Some(true), "{name} is not robust");
            robust += 1;
            continue;
        }
        violated += usize::from(is_violated_before == Some(true));
        let (graph, placement) = placed(&program, Arch::X86);
        let changed = fenced(&program, &graph, &placement.fences);
        let is_violated_now = is_violated(&changed);
        assert_ne!(is_violated_now, Some(true), "{name} is not repaired");
        repaired += usize::from(is_violated_now == Some(false));
    }
    assert!(violated > 30 && repaired > 30 && robust > 10, "{violated} {repaired} {robust}");
}

/// CAV'14, Fig. 10: no more fences than by the older policies.
#[test]
fn no_policy_needs_fewer_fences() {
    let mut compared = 0;
    for path in programs() {
        let program = read(&path);
        for arch in Arch::ALL {
            let graph = of_program(&program, Positions::AfterInstructions, rounds(arch)).graph;
            let analysis = Analysis::new(&graph, arch, Orders::OfLanguage);
            let count = |policy| by_policy(&analysis, policy).fences.len();
            let (pensieve, all) = (count(Policy::Pensieve), count(Policy::EveryAccess));
            let name = format!("{} on {}", path.display(), arch.name());
            let costs = Costs::of_fences(arch.fences(), &|_| 1);
            let ours = match place_fences(&analysis, &costs, None) {
                Ok(placement) if placement.left.is_empty() => placement.fences.len(),
                // Two accesses in one expression: no fence can stand between them.
                Ok(_) => continue,
                Err(OutOfTime) => panic!("there is no deadline"),
            };
            assert!(ours <= pensieve && pensieve <= all, "{name}: {ours} {pensieve} {all}");
            compared += 1;
        }
    }
    assert!(compared > 600, "{compared}");
}

/// A locked section is one step: store buffering against one is a cycle in whatever order its accesses are.
#[test]
fn locked_sections_are_one_step() {
    use ::oracle::generate::straight::{Op, straight_line};
    let p = [Op::Store(0, 1), Op::Load(1)];
    for q in [[Op::Load(0), Op::Store(1, 2)], [Op::Store(1, 2), Op::Load(0)]] {
        let q = [Op::Lock, q[0], q[1], Op::Unlock];
        let program = straight_line("section", &[&p, &q]);
        assert_eq!(is_violated(&program), Some(true));
        assert!(!is_robust(&program, Arch::X86), "{q:?}");
    }
}
