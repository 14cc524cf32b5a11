//! Programs without a bound on their data: no exploration ends, so what holds must be known otherwise, and
//! soon.

use std::path::Path;
use std::time::{Duration, Instant};

use cycles::Arch;
use workspace::{
    Basis, Budget, Check, Conclusion, Cycles, Fence, InMemory, Options, Verdict, Workspace,
};

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/unbounded").join(name);
    std::fs::read_to_string(path).expect("a program")
}

/// Within a minute, whatever else the machine does.
fn options() -> Options {
    let time = Some(Duration::from_mins(1));
    let limits = Budget { time, ..Budget::default() }.from_now(Instant::now());
    Options { limits, ..Options::default() }
}

#[test]
fn what_holds_is_known_without_exploring() {
    let mut workspace = Workspace::new(InMemory::new());
    let seqlock = workspace.text("seqlock.fw", &text("seqlock.fw")).expect("a program");
    let check = Check { options: options(), ..Check::default() };
    let answer = workspace.check(seqlock, &check).expect("an answer");
    assert_eq!(answer.conclusion(), Conclusion::Fine);
}

#[test]
fn violations_are_found_and_repaired_for_good() {
    let mut workspace = Workspace::new(InMemory::new());
    let id = workspace.text("chase-lev.fw", &text("chase-lev.fw")).expect("a program");
    let check = Check { options: options(), ..Check::default() };
    let answer = workspace.check(id, &check).expect("an answer");
    assert_eq!(answer.conclusion(), Conclusion::Violated);
    let fence = Fence { options: options(), ..Fence::default() };
    let repair = workspace.fence(id, &fence).expect("an answer");
    assert_eq!((repair.made().len(), repair.conclusion()), (1, Conclusion::Fine));
    // The repaired text, as somebody would read it.
    let fenced = &repair.texts.expect("a text")[0].1;
    let id = workspace.text("fenced.fw", fenced).expect("a program");
    let answer = workspace.check(id, &check).expect("an answer");
    let Verdict::Holds(proof) = &answer.results[0].verdict else { panic!("{answer:?}") };
    assert_eq!(*proof.basis(), Basis::NoCriticalCycle);
}

#[test]
fn static_fences_need_no_bound_on_any_machine() {
    let mut workspace = Workspace::new(InMemory::new());
    for (name, on_x86) in
        [("seqlock.fw", 0), ("nbw-w-wr.fw", 1), ("chase-lev.fw", 1), ("cilk-the.fw", 2)]
    {
        let id = workspace.text(name, &text(name)).expect("a program");
        for arch in Arch::ALL {
            let answer = workspace.cycles(id, &Cycles::repaired(arch)).expect("an answer");
            let Some(Ok(repair)) = &answer.repair else { panic!("there is no deadline") };
            if !repair.is_whole() {
                // Two accesses in one expression.
                assert_ne!(arch, Arch::X86, "{name}");
                continue;
            }
            assert_eq!(answer.conclusion(), Conclusion::Fine, "{name} on {}", arch.name());
            if arch == Arch::X86 {
                assert_eq!(repair.fences.len(), on_x86, "{name}");
            }
        }
    }
}
