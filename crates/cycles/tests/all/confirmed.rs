//! Static delays before the enumerator: an execution that is not one of the reference has a delay on its cycle, and
//! where there is none, none is confirmed.

use std::ops::ControlFlow;

use axiomatic::{Compared, Does, Limits, Looking, NOTHING_ADDED, Pair, Respected, reordered};
use cycles::{Analysis, Arch, Direction, EventId, Reference, Wanted};
use events::{ClassId, Positions, of_program};
use fastrand::Rng;
use oracle::generate::straight::{Op, straight_line};
use program::{Program, ThreadId};

use crate::common::{model, orders, rounds};
use crate::ports::random_threads;

/// The static delays of a program, and whether there is anything to order.
fn delays(program: &Program, arch: Arch, reference: Reference) -> (Vec<Pair>, bool) {
    let graph = of_program(program, Positions::AfterInstructions, rounds(arch));
    let analysis = Analysis::against(&graph.graph, arch, orders(program, arch), reference);
    let put = analysis.nothing_put();
    let threads = program.threads().expect("a number of threads");
    let all = analysis.delays(&put, Wanted::All);
    let delays = all.iter().map(|delay| (delay.thread, delay.first, delay.second));
    let stretches = analysis.stretches(&put);
    let links = stretches.iter().flat_map(|stretch| &stretch.links);
    let links = links.map(|link| (link.thread, link.first, link.second));
    let pair = |(class, first, second): (ClassId, EventId, EventId)| {
        let does = |event: EventId| {
            let data = &analysis.machine.events[event];
            let does = match data.direction {
                Direction::Read => Does::Reads,
                Direction::Write => Does::Writes,
            };
            (graph.edges[class][data.node.1].expect("an instruction"), does)
        };
        let of_class = |id: &ThreadId| threads[*id].template == graph.templates[class];
        let threads = threads.indices().filter(of_class).collect();
        Pair { threads, first: does(first), second: does(second) }
    };
    (delays.chain(links).map(pair).collect(), !analysis.is_robust(&put))
}

#[test]
fn executions_and_static_delays_agree() {
    let machines = [Arch::Pso, Arch::Rmo, Arch::Power, Arch::ArmV7, Arch::AArch64, Arch::RiscV];
    let mut rng = Rng::with_seed(31);
    let (mut confirmed, mut refuted) = (0, 0);
    for _ in 0..60 {
        let threads = random_threads(&mut rng);
        let slices: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
        let program = straight_line("random", &slices);
        for (arch, reference) in machines.iter().flat_map(|it| Reference::ALL.map(|to| (*it, to))) {
            let (pairs, is_delayed) = delays(&program, arch, reference);
            let compared = match reference {
                Reference::Sc => Compared::WithSc,
                Reference::Tso => Compared::WithTso,
            };
            let machine = model(arch);
            let go_on = &mut || ControlFlow::Continue(());
            let looking =
                Looking { machine, compared, respected: Respected::All, added: NOTHING_ADDED };
            let found = reordered(&program, looking, &pairs, &Limits::default(), go_on);
            let found = found.expect("few executions");
            let about = || format!("{} {reference:?} {threads:?}", arch.name());
            assert_eq!(found.bound, None);
            let shown = found.pairs.iter().flatten().count();
            assert!(is_delayed || found.weak.is_none(), "{} is not robust", about());
            assert_eq!(shown > 0, found.weak.is_some(), "{}: which pair is it?", about());
            confirmed += shown;
            refuted += pairs.len() - shown;
        }
    }
    assert!(confirmed > 100 && refuted > 20, "{confirmed} confirmed, {refuted} refuted");
}
