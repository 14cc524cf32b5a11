//! What the tests share: non-SC executions by enumeration, and fences put into programs.

use axiomatic::axioms::AccessesAcross;
use axiomatic::{
    Axioms, Execution, Judgement, Limits, Model, NoAnswer, SilentUpdates, Violation, outcomes,
};
use cycles::{Analysis, Arch, Costs, Orders, Placement, place_fences};
use events::{At, Positions, ProgramGraph, Rounds, of_program};
use program::change::{Change, Changed, apply};
use program::{FenceKind, Program, Target};

/// The executions that a model allows and SC does not.
struct OnlyWeak(Model);

impl Axioms for OnlyWeak {
    fn name(&self) -> &'static str {
        "only weak"
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        let is_allowed = self.0.judge(execution)?.is_allowed();
        let is_sc = Model::Sc.judge(execution)?.is_allowed();
        Ok(Judgement::allowed(is_allowed && !is_sc))
    }

    fn why_not(&self, _: &Execution) -> Option<Violation> {
        None
    }

    fn target(&self) -> Option<Target> {
        self.0.target()
    }

    fn accesses_across(&self) -> AccessesAcross {
        self.0.accesses_across()
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        self.0.keeps_reads_of_one_address()
    }

    fn waits_for_addresses(&self) -> bool {
        self.0.waits_for_addresses()
    }

    fn is_monotone(&self) -> bool {
        false
    }

    fn lets_threads_go_on(&self) -> bool {
        false
    }

    fn judges_parts_alone(&self) -> bool {
        false
    }

    fn silent_updates(&self) -> SilentUpdates {
        SilentUpdates::Stay
    }

    fn raises_flags(&self) -> bool {
        false
    }

    fn flags_depend_on_coherence(&self) -> bool {
        false
    }
}

/// The model of an architecture.
pub(crate) fn model(arch: Arch) -> Model {
    match arch {
        Arch::X86 => Model::Tso,
        Arch::Pso => Model::Pso,
        Arch::Rmo => Model::Rmo,
        Arch::Power => Model::Power,
        Arch::ArmV7 => Model::ArmV7,
        Arch::AArch64 => Model::AArch64,
        Arch::AArch64Lse => Model::AArch64Lse,
        Arch::RiscV => Model::RiscV,
    }
}

/// Whether a program has an execution that is not SC. Where there are loops, only final states tell: a loop is
/// followed further only if its beginning happens, and the beginning of an execution that is not SC may be.
pub(crate) fn has_weak_execution(program: &Program, model: Model) -> bool {
    let found = outcomes(program, OnlyWeak(model), &Limits::default());
    let found = found.expect("small programs have few executions");
    !found.states.is_empty() || !found.errors.is_empty() || has_weak_state(program, model)
}

/// Whether a program ends as it does not under SC.
fn has_weak_state(program: &Program, model: Model) -> bool {
    let states =
        |model| outcomes(program, model, &Limits::default()).expect("few executions").states;
    let sc = states(Model::Sc);
    states(model).keys().any(|state| !sc.contains_key(state))
}

/// How the orders of a program are meant on an architecture.
pub(crate) fn orders(program: &Program, arch: Arch) -> Orders {
    match program.architecture() {
        Some(set) if arch.has_instructions_of(set) => Orders::OfInstructions,
        Some(_) | None => Orders::OfLanguage,
    }
}

/// Whether the static analysis finds nothing to order.
pub(crate) fn is_robust(program: &Program, arch: Arch) -> bool {
    let graph = of_program(program, Positions::AfterInstructions, rounds(arch));
    let analysis = Analysis::new(&graph.graph, arch, orders(program, arch));
    analysis.is_robust(&analysis.nothing_put())
}

/// The cheapest placement.
pub(crate) fn placed(program: &Program, arch: Arch) -> (ProgramGraph, Placement) {
    let graph = of_program(program, Positions::AfterInstructions, rounds(arch));
    let analysis = Analysis::new(&graph.graph, arch, orders(program, arch));
    let costs = Costs::of_fences(arch.fences(), &|_| 1);
    let placement = place_fences(&analysis, &costs, None).expect("there is time");
    assert!(placement.left.is_empty(), "there is place for fences");
    (graph, placement)
}

/// The program with fences.
pub(crate) fn fenced(
    program: &Program,
    graph: &ProgramGraph,
    fences: &[(events::PlaceId, FenceKind)],
) -> Program {
    with_fences(program, graph, fences).program
}

/// The same, with what its edges were.
pub(crate) fn with_fences(
    program: &Program,
    graph: &ProgramGraph,
    fences: &[(events::PlaceId, FenceKind)],
) -> Changed {
    let changes: Vec<_> = fences
        .iter()
        .flat_map(|(place, kind)| {
            graph.places[*place].iter().map(move |(template, at)| {
                let change = match at {
                    At::Before(label) => Change::FenceBefore(*label, *kind),
                    At::After(edge) => Change::FenceAfter(*edge, *kind),
                };
                (*template, change)
            })
        })
        .collect();
    apply(program, &changes)
}

/// Executions are enumerated without rounds of busy waiting; the exact analysis of x86 is about traces.
pub(crate) fn rounds(arch: Arch) -> Rounds {
    if arch == Arch::X86 { Rounds::All } else { Rounds::Effective }
}
