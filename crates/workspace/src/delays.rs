//! Static delays before the exact engine: which of them are real.
//!
//! A static delay on x86 is a store and a later load of one thread that lie on a critical cycle, as far as one can
//! tell without values. The exact method asks about each as an attack (ESOP'13): is there a violation in which just
//! this load overtakes just this store? A program is robust if and only if no attack is feasible (Theorem 1), so
//! delays whose attack is not feasible may be dropped; one that is feasible has a run that was replayed.

use std::collections::BTreeSet;

use analysis::robustness::is_feasible;
use analysis::{Evidence, Options, Verdict};
use cycles::{Analysis, Arch, Direction, Orders, Wanted};
use events::{Positions, Rounds, of_program};
use instrument::Attack;
use program::{Program, ThreadId};

/// A static delay, and what the exact method says of it.
#[derive(Debug)]
pub struct JudgedDelay {
    /// The thread, its store, and the load that may overtake it.
    pub attack: Attack,
    /// Refuted if it holds; confirmed by a run if it is violated.
    pub verdict: Verdict<Evidence>,
}

/// The static delays of a program with a definite number of threads, each judged by a search; nothing if there can
/// be any number.
pub(crate) fn judged(program: &Program, options: &Options) -> Option<Vec<JudgedDelay>> {
    let threads = program.threads().ok()?;
    let graph = of_program(program, Positions::AfterInstructions, Rounds::All);
    let analysis = Analysis::new(&graph.graph, Arch::X86, Orders::OfLanguage);
    let mut attacks: BTreeSet<Attack> = BTreeSet::new();
    for delay in analysis.delays(&analysis.nothing_put(), Wanted::All) {
        let event = |event| &analysis.machine.events[event];
        let edge = |event: &cycles::Event| graph.edges[delay.thread][event.node.1];
        let (first, second) = (event(delay.first), event(delay.second));
        let is_attack = first.direction == Direction::Write && second.direction == Direction::Read;
        let name = &graph.graph.threads[delay.thread].name;
        let template = graph.templates[delay.thread];
        // Copies without an identity are alike: the first stands for all.
        let is_meant = |thread: &ThreadId| {
            let data = &threads[*thread];
            let has_identity = program.template(template).identity().is_some();
            data.template == template && (!has_identity || data.name == *name)
        };
        if let (true, Some(thread), Some(store), Some(load)) =
            (is_attack, threads.indices().find(is_meant), edge(first), edge(second))
        {
            attacks.insert(Attack { thread, store, load });
        }
    }
    let judge = |attack: Attack| {
        let verdict = is_feasible(program, attack, options).ok()?;
        Some(JudgedDelay { attack, verdict: verdict.map(Evidence::Cycle) })
    };
    attacks.into_iter().map(judge).collect()
}
