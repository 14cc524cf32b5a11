//! The pairs on critical cycles, found without cycles, are those of all cycles enumerated.

use std::collections::BTreeMap;

use ::cycles::enumerate::contexts;
use ::cycles::{Analysis, Arch, Communication, Orders, Wanted, critical_cycles};
use events::{Positions, Rounds, of_program};
use fastrand::Rng;
use oracle::generate::straight::{Op, straight_line};

const KINDS: [Communication; 3] =
    [Communication::ReadFrom, Communication::Coherence, Communication::FromRead];

fn random_threads(rng: &mut Rng) -> Vec<Vec<Op>> {
    let threads = rng.usize(2..5);
    let variables = rng.usize(2..5);
    let access = |rng: &mut Rng| {
        let variable = rng.usize(..variables);
        if rng.bool() { Op::Load(variable) } else { Op::Store(variable, 1) }
    };
    (0..threads)
        .map(|_| (0..rng.usize(1..if threads == 2 { 9 } else { 5 })).map(|_| access(rng)).collect())
        .collect()
}

#[test]
fn pairs_are_found_without_enumerating_cycles() {
    let mut rng = Rng::with_seed(5);
    let (mut cyclic, mut most) = (0, 0);
    for _ in 0..1_500 {
        let threads = random_threads(&mut rng);
        let slices: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
        let program = straight_line("random", &slices);
        let graph = of_program(&program, Positions::AfterInstructions, Rounds::All).graph;
        let analysis = Analysis::new(&graph, Arch::Power, Orders::OfLanguage);
        assert!(analysis.is_exact());
        // Sets of events and paths between them tell the same delays.
        for arch in Arch::ALL {
            let analysis = Analysis::new(&graph, arch, Orders::OfLanguage);
            let put = analysis.nothing_put();
            let delays = analysis.delays(&put, Wanted::All);
            assert_eq!(analysis.count_delays(&put), delays.len(), "{threads:?} {arch:?}");
        }
        let all = critical_cycles(&analysis, 1_000_000);
        assert!(all.is_complete);
        let mut by_cycles: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for cycle in &all.cycles {
            for (visit, into, out) in contexts(&analysis, cycle) {
                by_cycles.entry(visit).or_default().push((into, out));
            }
        }
        cyclic += usize::from(!all.cycles.is_empty());
        most = most.max(all.cycles.len());
        for thread in graph.threads.indices() {
            for first in analysis.machine.events_of(thread) {
                for second in analysis.machine.events_of(thread) {
                    if second <= first || analysis.machine.surely_same(first, second) {
                        continue;
                    }
                    let visit = ::cycles::Visit { thread, first, second };
                    let expected = by_cycles.get(&visit).cloned().unwrap_or_default();
                    let context = analysis.context(thread, first, second);
                    for into in KINDS {
                        for out in KINDS {
                            assert_eq!(
                                context.has(into, out),
                                expected.contains(&(into, out)),
                                "{threads:?}: {visit:?} {into:?} {out:?}"
                            );
                        }
                    }
                }
            }
        }
    }
    assert!(cyclic > 400 && most > 100, "{cyclic} {most}");
}
